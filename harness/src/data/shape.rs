//! Statistics of a set of positions: histograms of scores, plies, pieces and results.

use std::ops::ControlFlow;

use super::error::DataError;
use super::flaws::Flaws;
use super::record::Record;
use super::sources::{STRIDE, Source, go_on};
pub use crate::outcome::positions::{Bar, Shape};
use crate::player::Score;
use crate::stats::GameScore;

/// Centipawns of a bar of scores, and how far they go.
const SCORE_STEP: i32 = 100;
const SCORE_END: i32 = 2_000;

/// Plies of a bar, and how far they go.
const PLY_STEP: u16 = 10;
const PLY_END: u16 = 300;

impl Default for Shape {
    fn default() -> Shape {
        let bars = |froms: &mut dyn Iterator<Item = i32>| {
            froms.map(|from| Bar { from: Some(from), ..Bar::default() }).collect::<Vec<Bar>>()
        };
        let mut scores = vec![Bar::default()];
        scores.extend(bars(&mut (-SCORE_END..=SCORE_END).step_by(SCORE_STEP as usize)));
        Shape {
            mover_relative: false,
            positions: 0,
            games: 0,
            white_to_move: 0,
            in_check: 0,
            mates: 0,
            unscored: 0,
            unfinished: 0,
            results: [0; 3],
            scores,
            plies: bars(&mut (0..=i32::from(PLY_END)).step_by(usize::from(PLY_STEP))),
            pieces: bars(&mut (2..=32)),
            depths: bars(&mut (1..=64)),
            last_game: 0,
        }
    }
}

impl Shape {
    /// The statistics of sources; `progress` receives the number of positions from time to time,
    /// and may stop it.
    ///
    /// # Errors
    /// When a source cannot be read, or `progress` stops it.
    pub fn of(
        sources: &[Source],
        flaws: &Flaws,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Shape, DataError> {
        let mover_relative = sources.iter().any(Source::is_mover_relative);
        let mut shape = Shape { mover_relative, ..Shape::default() };
        let mut games = 0;
        for source in sources {
            source.each(&mut games, flaws, &mut |record| {
                shape.see(&record);
                let positions = shape.positions;
                if positions.is_multiple_of(STRIDE) { go_on(progress(positions)) } else { Ok(()) }
            })?;
        }
        Ok(shape)
    }

    /// Counts a position.
    pub fn see(&mut self, record: &Record) {
        let position = &record.position;
        self.positions += 1;
        if record.game != self.last_game {
            self.last_game = record.game;
            self.games += 1;
        }
        self.white_to_move += u64::from(position.side().is_white());
        self.in_check += u64::from(position.in_check());
        let (mut result, mut score) = (record.result, record.score);
        if self.mover_relative {
            let mover = position.side();
            result = result.map(|result| result.seen_from(mover));
            score = score.map(|score| score.for_white(mover));
        }
        match result {
            None => self.unfinished += 1,
            Some(result) => self.results[2 - result as usize] += 1,
        }
        match score {
            None => self.unscored += 1,
            Some(Score::Mate(_)) => self.mates += 1,
            Some(Score::Centipawns(score)) => {
                let at = match score {
                    score if score < -SCORE_END => 0,
                    // Within the bars by the two bounds.
                    score => 1 + ((score.min(SCORE_END) + SCORE_END) / SCORE_STEP) as usize,
                };
                add(&mut self.scores, at, result);
            }
        }
        if let Some(ply) = record.ply {
            add(&mut self.plies, usize::from(ply.min(PLY_END) / PLY_STEP), result);
        }
        add(&mut self.pieces, position.occupied().count().saturating_sub(2), result);
        if record.depth > 0 {
            add(&mut self.depths, usize::from(record.depth.min(64)) - 1, result);
        }
    }
}

fn add(bars: &mut [Bar], at: usize, result: Option<GameScore>) {
    if let Some(bar) = bars.get_mut(at) {
        bar.positions += 1;
        if let Some(result) = result {
            bar.results += 1;
            bar.halves += result as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;

    #[test]
    fn beside_flipped_boards_all_scores_and_results_are_the_movers() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let record = Record {
            score: Some(Score::Centipawns(250)),
            result: Some(GameScore::Win),
            ..Record::bare(Position::from_fen(fen).expect("legal"), 1)
        };
        for (mover_relative, results, from, words) in
            [(false, [1, 0, 0], 200, "White won"), (true, [0, 0, 1], -300, "the side to move won")]
        {
            let mut shape = Shape { mover_relative, ..Shape::default() };
            shape.see(&record);
            assert_eq!((shape.results, shape.view().won), (results, words));
            let bar = shape.scores.iter().find(|bar| bar.positions > 0).expect("counted");
            assert_eq!(bar.from, Some(from), "{mover_relative}");
        }
    }

    #[test]
    fn every_position_is_in_its_bars() {
        let mut shape = Shape::default();
        let start = Position::startpos();
        for (score, from) in
            [(0, Some(0)), (99, Some(0)), (-1, Some(-100)), (-2001, None), (9_000, Some(2_000))]
        {
            let before = shape.clone();
            shape.see(&Record {
                score: Some(Score::Centipawns(score)),
                result: Some(GameScore::Draw),
                ply: Some(999),
                depth: 200,
                ..Record::bare(start, 1)
            });
            let changed = shape.scores.iter().zip(&before.scores).find(|(now, then)| now != then);
            assert_eq!(changed.expect("counted").0.from, from, "{score}");
        }
        assert_eq!(shape.plies.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.pieces.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.depths.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.scores[21].mean_result(), Some(0.5));
        assert_eq!((shape.games, shape.results, shape.white_to_move), (1, [0, 5, 0], 5));
        shape.see(&Record::bare(start, 2));
        assert_eq!((shape.games, shape.unscored, shape.unfinished), (2, 1, 1));
    }
}
