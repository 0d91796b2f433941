//! Games in files of single positions: neighbours that can be of one game are of one, so that the positions of a game stay
//! together when data are split.

use std::sync::Arc;

use super::format::{Records, fused};
use crate::record::{Record, Source};
use harness_stats::GameScore;

/// Positions of a game at most where neither counters nor names say where it ends: neighbours in an unshuffled file
/// mostly come from one game.
const BLOCK: u64 = 64;

/// Records, each with the number of its game.
pub fn in_games<'a>(records: Records<'a>) -> Records<'a> {
    let mut neighbours = Neighbours::default();
    fused(records.map(move |record| {
        let mut record = record?;
        record.game = neighbours.game_of(&record);
        Ok(record)
    }))
}

/// The game that was read last.
#[derive(Default)]
struct Neighbours {
    game: u64,
    positions: u64,
    last: Option<Last>,
}

/// What the last position says of its game.
struct Last {
    result: Option<GameScore>,
    ply: Option<u16>,
    source: Option<Arc<Source>>,
}

impl Neighbours {
    /// The number of a record's game, from 1.
    fn game_of(&mut self, record: &Record) -> u64 {
        if !self.last.as_ref().is_some_and(|last| last.is_followed_by(record, self.positions)) {
            self.game += 1;
            self.positions = 0;
        }
        self.positions += 1;
        let source = record.source.clone();
        self.last = Some(Last { result: record.result, ply: record.ply, source });
        self.game
    }
}

impl Last {
    /// Whether a record can be a later position of the same game, which has this many before it.
    fn is_followed_by(&self, next: &Record, positions: u64) -> bool {
        let name = |source: &Option<Arc<Source>>| {
            source.as_ref().map(|source| source.game.clone()).filter(|game| !game.is_empty())
        };
        if let (Some(last), Some(next)) = (name(&self.source), name(&next.source)) {
            return last == next;
        }
        let goes_on = match (self.ply, next.ply) {
            (Some(last), Some(next)) => last < next,
            _ => positions < BLOCK,
        };
        goes_on && self.result == next.result
    }
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;

    fn record(ply: Option<u16>, result: GameScore, game: &str) -> Record {
        let source =
            Source { engine: String::new(), opponent: String::new(), game: game.to_owned() };
        Record {
            ply,
            result: Some(result),
            source: (!game.is_empty()).then(|| Arc::new(source)),
            ..Record::bare(Position::startpos(), 0)
        }
    }

    fn games(records: Vec<Record>) -> Vec<u64> {
        let records = Box::new(records.into_iter().map(Ok));
        in_games(records).map(|record| record.expect("it has no error").game).collect()
    }

    #[test]
    fn a_game_ends_where_counters_results_or_names_do() {
        use GameScore::{Draw, Win};
        let by_counters = [(8, Win), (9, Win), (12, Win), (8, Win), (9, Draw), (10, Draw)];
        let records = by_counters.map(|(ply, result)| record(Some(ply), result, ""));
        assert_eq!(games(records.into()), [1, 1, 1, 2, 3, 3]);
        let named = [(8, "a"), (9, "a"), (10, "b"), (3, "b")];
        assert_eq!(
            games(named.map(|(ply, game)| record(Some(ply), Win, game)).into()),
            [1, 1, 2, 2]
        );
        let plain = games(vec![record(None, Win, ""); 130]);
        assert_eq!([plain[0], plain[63], plain[64], plain[129]], [1, 1, 2, 3]);
    }
}
