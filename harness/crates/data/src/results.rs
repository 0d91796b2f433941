//! Results of positions by score and material: counts for the win-rate model.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use engine::board::{Position, Role};

use super::error::DataError;
use super::flaws::Flaws;
use super::record::Record;
use super::sources::{STRIDE, Source, check_stopped};
use harness_player::Score;
use harness_stats::Cell;

/// Centipawns of a cell.
const STEP: i32 = 10;
/// Scores beyond are left out: they are won or lost at any material.
const MAX_SCORE: i32 = 2_000;
/// Positions before this ply are of the opening, which both sides got.
const FIRST_PLY: u16 = 8;

/// Counts of positions by score and material.
#[derive(Default)]
pub struct Results {
    cells: BTreeMap<(i32, i32), [u64; 3]>,
    /// Positions that count.
    pub positions: u64,
    /// Positions seen.
    pub seen: u64,
    /// Games seen.
    pub games: u64,
    last_game: u64,
}

impl Results {
    /// Counts the positions of sources; `progress` receives the number of positions from time to
    /// time, and may stop it.
    ///
    /// # Errors
    /// When a source cannot be read, or `progress` stops it.
    pub fn count(
        sources: &[Source],
        flaws: &Flaws,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Results, DataError> {
        let mut results = Results::default();
        let mut games = 0;
        for source in sources {
            let flipped = source.is_mover_relative();
            source.each(&mut games, flaws, &mut |record| {
                results.see(&record, flipped);
                let seen = results.seen;
                if seen.is_multiple_of(STRIDE) { check_stopped(progress(seen)) } else { Ok(()) }
            })?;
        }
        Ok(results)
    }

    /// Counts a position, if it has a result and a score that is no mate; `flipped`: the side to move
    /// is White on every board.
    fn see(&mut self, record: &Record, flipped: bool) {
        self.seen += 1;
        if record.game != self.last_game {
            self.last_game = record.game;
            self.games += 1;
        }
        let (Some(Score::Centipawns(_)), Some(result)) = (record.score, record.result) else {
            return;
        };
        let mover = record.position.side();
        let (score, result) = if flipped {
            (record.score, result)
        } else {
            (record.score.map(|score| score.for_white(mover)), result.seen_from(mover))
        };
        let Some(Score::Centipawns(score)) = score else { return };
        if score.abs() > MAX_SCORE || record.ply.is_some_and(|ply| ply < FIRST_PLY) {
            return;
        }
        self.positions += 1;
        let key = (score.div_euclid(STEP), material(&record.position));
        let counts = self.cells.entry(key).or_default();
        counts[2 - result as usize] += 1;
    }

    /// The counts.
    pub fn cells(&self) -> Vec<Cell> {
        let cell = |(&(score, material), counts): (&(i32, i32), &[u64; 3])| Cell {
            score: f64::from(score * STEP) + f64::from(STEP) / 2.0,
            material: f64::from(material),
            results: counts.map(|count| count as f64),
        };
        self.cells.iter().map(cell).collect()
    }
}

/// Material of both sides in pawns.
fn material(position: &Position) -> i32 {
    let worth =
        [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    worth.into_iter().map(|(role, pawns)| pawns * position.by_role(role).count() as i32).sum()
}
