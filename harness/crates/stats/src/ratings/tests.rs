use proptest::prelude::*;

use super::super::counts::Wdl;
use super::super::elo::elo_of_score;
use super::*;

fn games(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Meeting {
    Meeting { first, second, results: Results::White(Wdl { wins, draws, losses }) }
}

#[test]
fn three_players_worked_by_hand() {
    // Scores of 3 : 1, 3 : 1 and 9 : 1 are those of players who are 400 log10(3) apart.
    let meetings = [games(0, 1, 3, 0, 1), games(1, 2, 3, 0, 1), games(2, 0, 1, 0, 9)];
    let ratings = Ratings::from_meetings(3, &meetings, WhiteAdvantage::Ignored);
    let apart = 400.0 * 3f64.log10();
    for (player, value) in [(0, apart), (1, 0.0), (2, -apart)] {
        let rating = ratings.players[player].expect("linked");
        assert!((rating.value - value).abs() < 1e-9, "{rating}");
    }
    // Without draws every squared residual is one on average: 18 games, two ratings.
    assert!((ratings.dispersion - 18.0 / 16.0).abs() < 1e-12);
    // n p (1 - p) is 0.75, 0.75 and 0.9; as conductances these put between 0 and 1 a resistance
    // of 1 / (0.75 + 0.9 * 0.75 / (0.9 + 0.75)), and between 0 and 2 of 1 / (0.9 + 0.75 / 2).
    for (second, resistance) in [(1, 1.0 / (0.75 + 0.9 * 0.75 / 1.65)), (2, 1.0 / (0.9 + 0.375))] {
        // No spread is larger than that of games without draws, so Student's tails are not needed.
        let deviation = ELO * f64::sqrt(resistance);
        let error = 1.959_963_984_540_054 * deviation;
        let difference = ratings.difference(0, second).expect("both rated");
        assert!((difference.error95 - error).abs() < 1e-9, "{difference} {error}");
        let z = difference.value / deviation;
        let los = ratings.los(0, second).expect("both rated");
        assert!((los - normal_cdf(z)).abs() < 1e-9, "{los}");
        assert!((los + ratings.los(second, 0).expect("both rated") - 1.0).abs() < 1e-12);
    }
    // The middle one's distance from the average is -(its distances to the others) / 3.
    let at = |i, j| ratings.covariance.at(i, j);
    let rows: Vec<f64> = (0..3).map(|i| (0..3).map(|j| at(i, j)).sum()).collect();
    assert!(rows.iter().all(|sum| sum.abs() < 1e-6), "the average has no error: {rows:?}");
}

#[test]
fn two_players_are_apart_by_their_elo() {
    let counts = Wdl { wins: 400, draws: 900, losses: 300 };
    let pairs = Pentanomial([12, 118, 250, 141, 19]);
    for (results, elo) in [
        (Results::White(counts), Elo::from_counts(&counts)),
        (Results::Pairs(pairs), Elo::from_counts(&pairs)),
    ] {
        let meeting = Meeting { first: 0, second: 1, results };
        let ratings = Ratings::from_meetings(2, &[meeting], WhiteAdvantage::Ignored);
        let difference = ratings.difference(0, 1).expect("linked");
        let elo = elo.expect("defined");
        assert!((difference.value - elo.value).abs() < 1e-9, "{difference} {elo}");
        assert!((difference.error95 / elo.error95 - 1.0).abs() < 5e-3, "{difference} {elo}");
        let half = ratings.players[0].expect("linked");
        assert!((2.0 * half.value - difference.value).abs() < 1e-9, "{half}");
        assert!((2.0 * half.error95 / difference.error95 - 1.0).abs() < 5e-3, "{half}");
    }
}

#[test]
fn players_linked_by_their_own_pairs_only_are_compared_by_these() {
    let pairs = |first, second, counts| Meeting {
        first,
        second,
        results: Results::Pairs(Pentanomial(counts)),
    };
    let own = [0, 0, 1, 0, 3];
    let gauntlet = [pairs(0, 1, own), pairs(2, 0, [1, 3, 9, 4, 0])];
    let ratings = Ratings::from_meetings(3, &gauntlet, WhiteAdvantage::Ignored);
    let head = Pentanomial(own);
    assert_eq!(
        (ratings.difference(0, 1), ratings.los(0, 1)),
        (Elo::from_counts(&head).ok(), los(&head))
    );
    let turned = ratings.los(1, 0).zip(los(&head)).expect("rated");
    assert!((turned.0 + turned.1 - 1.0).abs() < 1e-9, "{turned:?}");
    let across = ratings.difference(1, 2).expect("rated");
    assert_eq!(across.method, Method::Student);
    assert_eq!(across.low95 > 0.0, ratings.los(1, 2).expect("rated") > 0.975);
    let robin = [gauntlet[0], gauntlet[1], pairs(1, 2, [0, 1, 2, 1, 0])];
    let linked =
        Ratings::from_meetings(3, &robin, WhiteAdvantage::Ignored).difference(0, 1).expect("rated");
    assert_eq!(linked.method, Method::Student);
}

/// Players' names and meetings of the made-up tournament.
fn round_robin() -> (Vec<&'static str>, Vec<Meeting>) {
    let table = include_str!("../../../../tests/data/round_robin.txt");
    let mut names: Vec<&str> = Vec::new();
    let mut number = |name: &'static str| {
        names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let mut meetings = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let count = |at: usize| words[at].parse().expect("a count");
        meetings.push(games(number(words[0]), number(words[1]), count(2), count(3), count(4)));
    }
    (names, meetings)
}

#[test]
fn ratings_of_a_round_robin_are_those_of_ordo() {
    // Ordo 1.2.6 with the scale of Elo: `ordo -a 0 -z 200.238842 -N 4,4`.
    let theirs = [
        ("Anchovy", 100.2932),
        ("Barracuda", 90.1271),
        ("Cod", 27.7313),
        ("Dory", -13.1525),
        ("Eel", -62.9131),
        ("Flounder", -142.0860),
    ];
    let (names, meetings) = round_robin();
    let ratings = Ratings::from_meetings(names.len(), &meetings, WhiteAdvantage::Ignored);
    for (ours, (name, theirs)) in ratings.players.iter().zip(theirs) {
        let ours = ours.expect("linked");
        assert!((ours.value - theirs).abs() < 2e-3, "{name}: {ours}, not {theirs}");
    }
}

#[test]
fn errors_and_the_worth_of_the_white_pieces_are_those_that_ordo_simulates() {
    // With `-W -D -s 20000 -V -C` besides: ratings, their errors, and in percent the confidence
    // that the player is superior to the next one.
    let theirs = [
        (101.9847, 27.6638, Some(79.9)),
        (85.2021, 24.2075, Some(99.3)),
        (36.9672, 26.5165, Some(99.6)),
        (-15.5397, 24.9326, Some(99.1)),
        (-62.8775, 25.5173, Some(100.0)),
        (-145.7368, 27.9859, None),
    ];
    let (names, meetings) = round_robin();
    let ratings = Ratings::from_meetings(names.len(), &meetings, WhiteAdvantage::Estimated);
    for (player, (value, error95, los)) in theirs.into_iter().enumerate() {
        let ours = ratings.players[player].expect("linked");
        assert!((ours.value - value).abs() < 0.01, "{}: {ours}, not {value}", names[player]);
        // Simulated errors have errors of their own.
        assert!((ours.error95 / error95 - 1.0).abs() < 0.02, "{}: {ours}", names[player]);
        let Some(los) = los else { continue };
        let superior = 100.0 * ratings.los(player, player + 1).expect("both rated");
        assert!((superior - los).abs() < 0.3, "{}: {superior}, not {los}", names[player]);
    }
    let white = ratings.white.expect("both colours for everybody");
    // They print one standard error.
    assert!((white.value - 53.05).abs() < 0.01, "{white}");
    assert!((white.error95 / (1.959_964 * 9.25) - 1.0).abs() < 0.02, "{white}");
}

#[test]
fn unrated_players_have_a_reason() {
    // 0 and 1 are linked; 2 beat them, 3 lost to them, 4 and 5 only met each other, 6 played none.
    let meetings = [
        games(0, 1, 5, 3, 4),
        games(2, 0, 3, 0, 0),
        games(1, 3, 2, 0, 0),
        games(4, 5, 1, 2, 1),
        games(0, 0, 9, 9, 9),
        games(0, 99, 9, 9, 9),
    ];
    let ratings = Ratings::from_meetings(7, &meetings, WhiteAdvantage::Ignored);
    use Unrated::{AllLost, AllWon, Apart, NoGames};
    let [first, second] = [0, 1].map(|player| ratings.players[player].expect("linked").value);
    let [Err(AllWon { above: Some(above) }), Err(AllLost { below: Some(below) })] =
        [ratings.players[2], ratings.players[3]]
    else {
        panic!("{ratings:?}");
    };
    // With the prior, 5 % quantiles of beta distributions with parameters 8 and 5, and 7 and 5; the
    // opponents' own errors come on top of that.
    assert!(above < first + elo_of_score(0.39) && above > first - 400.0, "{above}");
    assert!(below > second - elo_of_score(0.35) && below < second + 500.0, "{below}");
    assert_eq!(ratings.players[4..], [Err(Apart), Err(Apart), Err(NoGames)]);
    assert_eq!((ratings.los(0, 2), ratings.los(0, 0), ratings.los(0, 99)), (None, None, None));
    let unrated = Ratings::from_meetings(2, &[games(0, 1, 3, 0, 0)], WhiteAdvantage::Estimated);
    let unknown = [Err(AllWon { above: None }), Err(AllLost { below: None })];
    assert_eq!(unrated.players, unknown);
    assert_eq!(Ratings::from_meetings(0, &[], WhiteAdvantage::Estimated).players, []);
}

#[test]
fn a_white_advantage_confounded_with_players_is_not_estimated() {
    // The first player always had the white pieces.
    let ratings = Ratings::from_meetings(2, &[games(0, 1, 30, 40, 20)], WhiteAdvantage::Estimated);
    assert_eq!(ratings.white, None);
    assert!(ratings.players[0].is_ok_and(|rating| rating.value > 0.0));
}

#[test]
fn nothing_but_draws_leaves_an_error() {
    let ratings = Ratings::from_meetings(2, &[games(0, 1, 0, 50, 0)], WhiteAdvantage::Ignored);
    let difference = ratings.difference(0, 1).expect("linked");
    assert!(difference.value.abs() < 1e-9 && difference.error95 > 5.0, "{difference}");
    assert_eq!(ratings.los(0, 1), Some(0.5));
}

proptest! {
    #[test]
    fn every_rating_is_finite_or_absent(
        results in prop::collection::vec(
            (0..6usize, 0..6usize, prop::array::uniform5(prop_oneof![
                5 => Just(0), 3 => 0..9u64, 1 => any::<u64>()
            ])),
            0..12,
        ),
        white in any::<bool>(),
    ) {
        let meetings: Vec<Meeting> = results
            .iter()
            .map(|&(first, second, counts)| Meeting {
                first,
                second,
                results: if counts[4] % 2 == 0 {
                    Results::Pairs(Pentanomial(counts))
                } else {
                    Results::White(Wdl { wins: counts[0], draws: counts[1], losses: counts[2] })
                },
            })
            .collect();
        let white = if white { WhiteAdvantage::Estimated } else { WhiteAdvantage::Ignored };
        let ratings = Ratings::from_meetings(6, &meetings, white);
        let finite = |elo: Elo| elo.value.is_finite() && elo.error95.is_finite();
        let rated = ratings.players.iter().filter_map(|rating| rating.ok());
        prop_assert!(rated.clone().all(finite), "{ratings:?}");
        prop_assert!(rated.clone().count() != 1);
        let sum: f64 = rated.map(|rating| rating.value).sum();
        prop_assert!(sum.abs() < 1e-3, "{}", sum);
        prop_assert!(ratings.white.is_none_or(finite));
        for (first, second) in (0..36).map(|both| (both / 6, both % 6)) {
            prop_assert!(ratings.los(first, second).is_none_or(|los| (0.0..=1.0).contains(&los)));
        }
    }
}
