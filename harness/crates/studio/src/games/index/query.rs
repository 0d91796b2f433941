//! Queries of the index, and pages of results.

use serde::{Deserialize, Serialize};

use super::row::Packed;
use harness_games::eco::{NamedOpening, openings};
use harness_games::viewed::key;

/// Result of the first engine of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// It lost.
    Lost,
    /// A draw.
    Drawn,
    /// It won.
    Won,
}

/// Sort key of games. Equal games stay in the order of recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortKey {
    /// Their numbers, run after run.
    #[default]
    Number,
    /// Their run, by its start.
    Run,
    /// Their length.
    Plies,
    /// Their swing; those without one come last in both directions.
    Swing,
    /// How long they took.
    Time,
    /// The name of White.
    White,
    /// The name of Black.
    Black,
    /// The points of White.
    Result,
    /// The key of their termination.
    Ending,
    /// Code and name of their opening; those without one come last in both directions.
    Opening,
}

/// An order of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// Sort key.
    pub by: SortKey,
    /// Largest or last recorded first.
    pub descending: bool,
}

/// Which games, in which order, and which of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameQuery {
    /// The whole id of a run; `None`: all runs that are indexed.
    pub run: Option<String>,
    /// Name of a player, with either colour.
    pub player: Option<String>,
    /// Result of the player that is named, else of the first engine.
    pub outcome: Option<GameResult>,
    /// Whether that player has White.
    pub with_white: Option<bool>,
    /// Key of a termination.
    pub ending: Option<String>,
    /// Beginning of an ECO code, or a part of an opening's name; case is of no account.
    pub opening: Option<String>,
    /// Least length in plies.
    pub min_plies: Option<u32>,
    /// Greatest length in plies.
    pub max_plies: Option<u32>,
    /// Least swing, in thousandths of a point of the expected score.
    pub min_swing: Option<u32>,
    /// The order.
    pub sort: Sort,
    /// Games to pass over.
    pub offset: u64,
    /// Games to show.
    pub limit: u32,
}

impl Default for GameQuery {
    fn default() -> GameQuery {
        GameQuery {
            run: None,
            player: None,
            outcome: None,
            with_white: None,
            ending: None,
            opening: None,
            min_plies: None,
            max_plies: None,
            min_swing: None,
            sort: Sort::default(),
            offset: 0,
            limit: 50,
        }
    }
}

/// Games of a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GamePage {
    /// Those of the page.
    pub rows: Vec<GameRow>,
    /// How many games match the query.
    pub total: u64,
}

/// A game as a page lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameRow {
    /// Id of the run.
    pub run: String,
    /// Which pair of the run, from 0.
    pub pair: u64,
    /// Which game of the pair: 0 or 1.
    pub game: u8,
    /// Name of the white player.
    pub white: String,
    /// Name of the black player.
    pub black: String,
    /// Whether the first player of the pair had White.
    pub first_is_white: bool,
    /// Half points of White: 0, 1 or 2.
    pub result: u8,
    /// Half points of the first player of the pair.
    pub first_half_points: u8,
    /// Key of the termination.
    pub ending: String,
    /// Moves played, in plies, those of the book not counted.
    pub plies: u32,
    /// How long it took.
    pub milliseconds: u64,
    /// Its opening, where it has a name.
    pub opening: Option<NamedOpening>,
    /// The largest fall of the loser's score between two moves, in centipawns.
    pub swing: Option<u32>,
    /// Index of the move before it, as in the viewer.
    pub swing_ply: Option<u32>,
    /// Name and public key of the worker that played it.
    pub worker: Option<String>,
}

impl GameRow {
    /// Its place in the run, both numbers from 1: `12.1`.
    pub fn key(&self) -> String {
        key(self.pair, self.game)
    }
}

/// A query in the numbers of the packed rows.
#[derive(Debug)]
pub struct Filter {
    player: Option<u32>,
    half_points: Option<u8>,
    with_white: Option<bool>,
    ending: Option<u32>,
    /// By number, from 1; number 0 is that of games without a name.
    openings: Option<Vec<bool>>,
    plies: (u32, u32),
    min_swing: u32,
}

impl Filter {
    /// `number` gives the number of a name, one that no row has for a name that is not known.
    pub fn new<E>(query: &GameQuery, number: impl Fn(&str) -> Result<u32, E>) -> Result<Filter, E> {
        Ok(Filter {
            player: query.player.as_deref().map(&number).transpose()?,
            half_points: query.outcome.map(|outcome| outcome as u8),
            with_white: query.with_white,
            ending: query.ending.as_deref().map(&number).transpose()?,
            openings: query.opening.as_deref().map(matching_openings),
            plies: (query.min_plies.unwrap_or(0), query.max_plies.unwrap_or(u32::MAX)),
            min_swing: query.min_swing.unwrap_or(0),
        })
    }

    /// Whether a game is of the query.
    pub fn matches(&self, row: &Packed) -> bool {
        self.player.is_none_or(|player| player == row.white || player == row.black)
            && self.half_points.is_none_or(|half_points| half_points == self.half_points_of(row))
            && self.with_white.is_none_or(|white| white == self.has_white(row))
            && self.ending.is_none_or(|ending| ending == row.ending)
            && (self.plies.0..=self.plies.1).contains(&u32::from(row.plies))
            && u32::from(row.swing) >= self.min_swing
            && self.openings.as_ref().is_none_or(|openings| {
                openings.get(usize::from(row.opening)).copied().unwrap_or(false)
            })
    }
}

impl Filter {
    /// Whether the player that is named has White; the first player of the pair where none is, or in a game with
    /// itself.
    fn has_white(&self, row: &Packed) -> bool {
        match self.player.filter(|_| row.white != row.black) {
            Some(player) if player == row.white => true,
            Some(player) if player == row.black => false,
            _ => row.first_is_white,
        }
    }

    /// Half points of that player.
    fn half_points_of(&self, row: &Packed) -> u8 {
        let white = row.white_half_points();
        if self.has_white(row) { white } else { 2_u8.saturating_sub(white) }
    }
}

fn matching_openings(text: &str) -> Vec<bool> {
    let text = text.trim().to_lowercase();
    let matches = openings().names().iter().map(|opening| {
        opening.eco.to_lowercase().starts_with(&text) || opening.name.to_lowercase().contains(&text)
    });
    std::iter::once(text.is_empty()).chain(matches).collect()
}

/// An order with the ranks of what its games have as numbers: of names, or of openings.
#[derive(Debug)]
pub struct Order {
    sort: Sort,
    ranks: Vec<u32>,
}

impl Sort {
    /// The order; `names` gives the names of the store with their numbers.
    pub fn order<E>(
        self,
        names: impl FnOnce() -> Result<Vec<(u32, String)>, E>,
    ) -> Result<Order, E> {
        let ranks = match self.by {
            SortKey::White | SortKey::Black | SortKey::Ending => {
                let mut names = names()?;
                names.sort_by(|a, b| a.1.cmp(&b.1));
                ranks(names.into_iter().map(|(number, _)| number))
            }
            SortKey::Opening => {
                let named = openings().names();
                let mut numbers: Vec<u32> = (1..=named.len() as u32).collect();
                numbers.sort_by_key(|number| {
                    let opening = &named[*number as usize - 1];
                    (opening.eco, opening.name)
                });
                ranks(numbers.into_iter())
            }
            _ => Vec::new(),
        };
        Ok(Order { sort: self, ranks })
    }
}

/// The ranks of numbers that are in order.
fn ranks(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ranks = Vec::new();
    for (rank, number) in (0..).zip(numbers) {
        let number = number as usize;
        if ranks.len() <= number {
            ranks.resize(number + 1, 0);
        }
        ranks[number] = rank;
    }
    ranks
}

impl Order {
    /// A number that puts a game in its place; `position` counts the games in the order of their numbers, `run`
    /// the runs.
    pub fn place(&self, row: &Packed, run: u32, position: u32) -> u64 {
        let rank = |number: u32| self.ranks.get(number as usize).copied().unwrap_or(0);
        let last = u64::from(u32::MAX) << 32 | u64::from(position);
        let key = match self.sort.by {
            SortKey::Number => 0,
            SortKey::Run => run,
            SortKey::Plies => u32::from(row.plies),
            SortKey::Swing if row.swing == 0 => return last,
            SortKey::Swing => u32::from(row.swing),
            SortKey::Time => row.milliseconds,
            SortKey::White => rank(row.white),
            SortKey::Black => rank(row.black),
            SortKey::Result => u32::from(row.white_half_points()),
            SortKey::Ending => rank(row.ending),
            SortKey::Opening if row.opening == 0 => return last,
            SortKey::Opening => rank(u32::from(row.opening)),
        };
        let (key, position) = match (self.sort.by, self.sort.descending) {
            (SortKey::Number, true) => (0, !position),
            (_, true) => (!key, position),
            (_, false) => (key, position),
        };
        u64::from(key) << 32 | u64::from(position)
    }

    /// The position of a place.
    pub fn position(&self, place: u64) -> u32 {
        let position = place as u32;
        let is_turned = self.sort.by == SortKey::Number && self.sort.descending;
        if is_turned { !position } else { position }
    }
}

/// The places from `offset` on, `limit` of them, in order.
pub fn slice(mut places: Vec<u64>, offset: u64, limit: u32) -> Vec<u64> {
    let count = places.len();
    let begin = usize::try_from(offset).unwrap_or(usize::MAX).min(count);
    let end = begin.saturating_add(limit as usize).min(count);
    if begin == end {
        return Vec::new();
    }
    // Only what is shown is sorted.
    if end < count {
        places.select_nth_unstable(end);
        places.truncate(end);
    }
    if begin > 0 {
        places.select_nth_unstable(begin);
    }
    let mut shown = places.split_off(begin);
    shown.sort_unstable();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_that_of_the_sorted_places() {
        let places: Vec<u64> = (0..500).map(|i| i * 7919 % 1009).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        for (offset, limit) in
            [(0, 0), (0, 1), (0, 50), (100, 50), (460, 50), (499, 1), (500, 5), (0, 900)]
        {
            let expected: Vec<u64> = sorted.iter().skip(offset).take(limit).copied().collect();
            assert_eq!(slice(places.clone(), offset as u64, limit as u32), expected);
        }
        assert!(slice(places, u64::MAX, u32::MAX).is_empty());
    }

    #[test]
    fn an_opening_is_found_by_the_beginning_of_its_code_and_by_a_part_of_its_name() {
        let found = |text: &str| -> Vec<&NamedOpening> {
            let matching = matching_openings(text);
            openings()
                .names()
                .iter()
                .zip(&matching[1..])
                .filter(|(_, is)| **is)
                .map(|(o, _)| o)
                .collect()
        };
        assert!(
            found("c5")
                .iter()
                .all(|found| found.eco.starts_with("C5") || found.name.contains("c5"))
        );
        assert!(found("evans").iter().all(|opening| opening.name.contains("Evans")));
        assert!(found("C51").len() > 5 && found("evans").len() > 5);
        assert!(found("no such opening").is_empty());
        assert_eq!(found("").len(), openings().names().len());
        assert!(matching_openings("")[0] && !matching_openings("c")[0]);
    }
}
