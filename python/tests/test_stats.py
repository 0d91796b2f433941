import math

import pytest

import tench


def test_elo_of_pairs_and_of_games_has_its_interval():
    pairs = tench.elo([12, 118, 250, 141, 19])
    assert (round(pairs.value, 2), round(pairs.error95, 2)) == (11.91, 12.32)
    assert pairs.low95 < pairs.value < pairs.high95
    games = tench.elo([430, 310, 260])
    # The textbook formula: logistic Elo of the mean score, and the normal approximation.
    mean = (430 + 155) / 1000
    assert games.value == pytest.approx(-400 * math.log10(1 / mean - 1))
    assert tench.elo([0, 0, 2, 1, 0]).method == "dirichlet"


def test_a_result_without_an_elo_says_why():
    with pytest.raises(tench.UsageError, match="no game"):
        tench.elo([0, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="five counts"):
        tench.elo([1, 2])
    assert tench.los([0, 0, 0]) is None
    assert tench.summary([0] * 5).elo.value is None


def test_an_sprt_decides_as_fishtest_does():
    test = tench.Sprt(0, 2)
    # fishtest's reference case.
    assert test.llr([0, 0, 1000, 0, 1000]) > test.bounds[1]
    assert test.decide([0, 0, 1000, 0, 1000]) == "accepted"
    assert test.decide([1000, 0, 1000, 0, 0]) == "rejected"
    with pytest.raises(tench.UsageError):
        tench.Sprt(5, 0)
    with pytest.raises(tench.UsageError, match="logistic"):
        tench.Sprt(0, 5, model="linear")


def test_the_plan_of_a_test_is_longest_between_its_hypotheses():
    rows = tench.Sprt(0, 5).plan([0.5])
    games = [row.games for row in rows]
    assert max(games) == games[len(games) // 2]
    assert rows[0].pass_probability < 0.05 < 0.95 < rows[-1].pass_probability
    with pytest.raises(tench.UsageError, match="share"):
        tench.Sprt(0, 5).plan([1.0])


def test_paired_statistics_refuse_what_is_not_paired():
    assert tench.paired_ratio([1, 2, 3], [2, 4, 6]).value == pytest.approx(2)
    with pytest.raises(tench.UsageError, match="no pairs"):
        tench.paired_ratio([1, 2, 3], [2, 4])
    assert tench.wilcoxon([1, -1]).p_value == 1.0
    assert tench.mcnemar(0, 0) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tench.elo([1.5, 2, 3]), "counts: 1.5 is no whole number"),
        (lambda: tench.elo([1, -2, 3]), "-2 is less than 0"),
        (lambda: tench.elo(None), "None is no list of counts"),
        (lambda: tench.elo_of_score(2.0), "2 is not from 0 to 1"),
        (lambda: tench.sigma_of_draws(-1), "share: -1"),
        (lambda: tench.smallest_effect(100, -0.4), "sigma: -0.4"),
        (lambda: tench.Sprt(0, 5, max_games=0), "max_games: 0 is less than 1"),
        (lambda: tench.Sprt(0, 5).expectation(3, -1), "sigma: -1"),
        (lambda: tench.wilcoxon([math.nan, 1]), "NaN"),
        (lambda: tench.mcnemar(-1, 2), "gained: -1"),
        (lambda: tench.ratings([("a", "b")]), "white, black, result"),
        (lambda: tench.ratings([("a", "a", 1)]), "1 game of a player with itself"),
    ],
)
def test_arguments_out_of_range_are_named(call, words):
    with pytest.raises(tench.UsageError, match=words):
        call()


def test_games_of_a_player_with_itself_rate_nothing():
    rated = tench.ratings([("a", "a", "1-0"), ("a", "b", "1-0"), ("b", "a", 0.5)])
    assert rated.games == 2
    assert (rated["a"].games, rated.summary["of_one_player"]) == (2, 1)
