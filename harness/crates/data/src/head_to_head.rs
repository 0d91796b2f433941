//! The match of two players, from the games of a PGN: pairs are found again by their openings.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use harness_stats::{GameScore, Pentanomial, Summary, Wdl};

/// Two players against each other; as JSON, with the keys of `harness stats --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeadToHead {
    /// The player whose results these are: White of the first game.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// Results of all games.
    #[serde(flatten)]
    pub wdl: Wdl,
    /// Games that no pair was found for, where the statistics are those of pairs.
    pub unpaired: u64,
    /// Half points of each pair, 0 to 4, in the order of their rounds, or of the file.
    #[serde(skip)]
    pub scores: Vec<u8>,
    /// Statistics of the pairs, or of single games where fewer than half of them are in pairs.
    #[serde(flatten)]
    pub summary: Summary,
}

/// The games of a file, as long as it has no more than two players.
#[derive(Clone, Debug, Default)]
pub(super) struct Duel {
    /// White of the first game.
    first: usize,
    games: Vec<Single>,
    /// There are more players.
    is_over: bool,
}

/// A game, seen from the first player.
#[derive(Clone, Debug)]
struct Single {
    /// Its number in the file.
    number: usize,
    /// Key of the position it starts from.
    start: u64,
    /// Key of its opening, if that is known; see [`Game::opening`](crate::game::Game::opening).
    opening: Option<u64>,
    /// Its round, if the file says it.
    round: Option<String>,
    is_white: bool,
    score: GameScore,
}

impl Duel {
    /// Adds a game of White and Black, who are two, with the keys of its start and its opening and
    /// with the score of White; players are numbered from 0.
    pub fn add(
        &mut self,
        players: [usize; 2],
        (start, opening): (u64, Option<u64>),
        round: &str,
        score: GameScore,
    ) {
        let [white, black] = players;
        if self.is_over || white.max(black) > 1 {
            *self = Duel { is_over: true, ..Duel::default() };
            return;
        }
        if self.games.is_empty() {
            self.first = white;
        }
        let is_white = white == self.first;
        self.games.push(Single {
            number: self.games.len(),
            start,
            opening,
            round: round_number(round),
            is_white,
            score: if is_white { score } else { score.reversed() },
        });
    }

    /// Its statistics; `None` unless there were two players.
    pub fn result(&self, names: &[String]) -> Option<HeadToHead> {
        let first = names.get(self.first).filter(|_| !self.games.is_empty())?;
        let second = names.get(1 - self.first)?;
        let mut wdl = Wdl::default();
        self.games.iter().for_each(|game| wdl.add_game(game.score));
        let scores = pair_scores(&self.games);
        let mut pairs = Pentanomial::default();
        scores.iter().for_each(|&score| pairs.0[usize::from(score)] += 1);
        let (summary, unpaired) = if 2 * pairs.games() >= wdl.games() {
            (Summary::of_pairs(&pairs, None), wdl.games() - pairs.games())
        } else {
            (Summary::of_games(&wdl, None), 0)
        };
        Some(HeadToHead {
            first: first.clone(),
            second: second.clone(),
            wdl,
            unpaired,
            scores,
            summary,
        })
    }
}

/// The round of a game: `7` of `7.1` and `7.2`, which are the games of a pair.
fn round_number(tag: &str) -> Option<String> {
    let round = tag.split('.').next().unwrap_or_default().trim();
    (!matches!(round, "" | "?" | "-")).then(|| round.to_owned())
}

/// Pairs of games from one position with colours swapped: of one round and one opening, then those that are alone in their
/// round, whose first moves may differ where a book ends early, then of one opening in the order of the games, where rounds
/// are not said or number the games. A round of many games, as `cutechess-cli -games 400` plays it, says nothing about pairs.
fn pair_scores(games: &[Single]) -> Vec<u8> {
    let mut pairs = Vec::new();
    let round_of = |game: &Single| Some((game.start, game.round.clone()?));
    let mut in_round: BTreeMap<(u64, String), usize> = BTreeMap::new();
    for round in games.iter().filter_map(round_of) {
        *in_round.entry(round).or_default() += 1;
    }
    let left =
        match_up(games.iter().collect(), |game| game.opening.zip(round_of(game)), &mut pairs);
    let alone = |round: &(u64, String)| in_round.get(round) == Some(&2);
    let left = match_up(left, |game| round_of(game).filter(alone), &mut pairs);
    // Nothing says that games without moves are of one opening.
    match_up(left, |game| game.opening, &mut pairs);
    pairs.sort_by_key(|(place, _)| *place);
    pairs.into_iter().map(|(_, score)| score).collect()
}

/// Place of a pair: its round, if that is a number, and the number of its second game in the file.
type PairPlace = (Option<u64>, usize);

/// Counts pairs among games with the same key; gives those that are left, as those without a key, in the order of the file.
fn match_up<'g, Key: Ord>(
    games: Vec<&'g Single>,
    key: impl Fn(&Single) -> Option<Key>,
    pairs: &mut Vec<(PairPlace, u8)>,
) -> Vec<&'g Single> {
    // Those that wait for their partner all have the same colours.
    let mut waiting: BTreeMap<Key, VecDeque<&Single>> = BTreeMap::new();
    let mut left = Vec::new();
    for game in games {
        let Some(key) = key(game) else {
            left.push(game);
            continue;
        };
        let open = waiting.entry(key).or_default();
        match open.pop_front_if(|partner| partner.is_white != game.is_white) {
            Some(partner) => {
                let round = game.round.as_ref().and_then(|round| round.parse().ok());
                let points = partner.score.half_points() + game.score.half_points();
                pairs.push(((round, game.number), points as u8));
            }
            None => open.push_back(game),
        }
    }
    left.extend(waiting.into_values().flatten());
    left.sort_by_key(|game| game.number);
    left
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;

    const OPENINGS: [&str; 2] = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    ];

    /// Games of White (0 or 1), opening, round and White's half points.
    fn duel(games: &[(usize, usize, &str, u8)]) -> Option<HeadToHead> {
        let mut duel = Duel::default();
        for &(white, opening, round, half_points) in games {
            let start = Position::from_fen(OPENINGS[opening]).expect("a position");
            let score = GameScore::from_half_points(half_points).expect("a score");
            duel.add([white, 1 - white], (start.key(), Some(start.key())), round, score);
        }
        duel.result(&["a".to_owned(), "b".to_owned()])
    }

    #[test]
    fn pairs_are_found_by_round_and_opening_or_by_order() {
        for (games, expected, unpaired) in [
            // As the harness writes them, in the order in which they ended.
            (
                &[(0, 0, "1.1", 2), (0, 1, "2.1", 0), (1, 1, "2.2", 0), (1, 0, "1.2", 1)][..],
                Some([0, 0, 1, 1, 0]),
                0,
            ),
            // Without rounds.
            (
                &[(0, 0, "?", 2), (0, 1, "?", 0), (1, 1, "?", 0), (1, 0, "?", 1)],
                Some([0, 0, 1, 1, 0]),
                0,
            ),
            // Rounds that number the games.
            (
                &[(0, 0, "1", 2), (1, 0, "2", 2), (0, 1, "3", 1), (1, 1, "4", 1)],
                Some([0, 0, 2, 0, 0]),
                0,
            ),
            // Rounds that number the games of openings that come again.
            (
                &[(0, 0, "9", 2), (1, 0, "10", 0), (0, 0, "11", 0), (1, 0, "12", 2)],
                Some([1, 0, 0, 0, 1]),
                0,
            ),
            // One opening has no second game.
            (&[(1, 0, "", 2), (0, 0, "", 0), (1, 1, "", 2)], Some([0, 0, 0, 0, 1]), 1),
            // No colours are swapped.
            (&[(0, 0, "", 2), (0, 0, "", 0), (0, 1, "", 2)], None, 0),
            // Of other openings.
            (&[(0, 0, "1", 2), (1, 1, "1", 0)], None, 0),
        ] {
            let found = duel(games).expect("two players");
            assert_eq!(found.summary.pentanomial.map(|pairs| pairs.0), expected, "{games:?}");
            assert_eq!(found.unpaired, unpaired, "{games:?}");
            assert_eq!(found.wdl.games(), games.len() as u64, "{games:?}");
        }
    }

    #[test]
    fn games_from_the_usual_start_are_a_pair_if_their_openings_or_rounds_agree() {
        for (games, pairs) in [
            // White, opening, round.
            (&[(0, 1, "?"), (1, 2, "?"), (0, 3, "?"), (1, 4, "?")][..], None),
            (&[(0, 1, "1"), (1, 2, "2"), (0, 3, "3"), (1, 4, "4")], None),
            (&[(0, 1, "1"), (1, 2, "1"), (0, 3, "2"), (1, 4, "2")], Some(2)),
            (&[(0, 1, "1"), (1, 1, "2"), (0, 2, "3"), (1, 2, "4")], Some(2)),
            (&[(0, 1, "?"), (0, 2, "?"), (1, 2, "?"), (1, 1, "?")], Some(2)),
            // One round for all, in the order in which they ended.
            (&[(0, 1, "1"), (0, 2, "1"), (1, 2, "1"), (1, 1, "1")], Some(2)),
            (&[(0, 1, "1.1"), (1, 2, "1.2"), (0, 3, "1.3"), (1, 4, "1.4")], None),
            // Without moves.
            (&[(0, 0, "?"), (1, 0, "?"), (0, 0, "?"), (1, 0, "?")], None),
        ] {
            let mut duel = Duel::default();
            for &(white, opening, round) in games {
                let opening = Some(opening).filter(|&opening| opening > 0);
                duel.add([white, 1 - white], (7, opening), round, GameScore::Draw);
            }
            let found = duel.result(&["a".to_owned(), "b".to_owned()]).expect("two players");
            let found = found.summary.pentanomial.map(|pairs| pairs.0.iter().sum::<u64>());
            assert_eq!(found, pairs, "{games:?}");
        }
    }

    #[test]
    fn a_third_player_ends_the_duel() {
        let mut duel = Duel::default();
        for players in [[0, 1], [0, 2], [1, 0]] {
            duel.add(players, (1, Some(2)), "1", GameScore::Win);
        }
        assert_eq!(duel.result(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), None);
    }
}
