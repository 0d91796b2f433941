//! Statistics of a set of positions: histograms of scores, plies, pieces and results.

use std::ops::ControlFlow;

use super::error::DataError;
use super::flaws::Flaws;
use super::record::Record;
use super::sources::{STRIDE, Source, check_stopped};
use harness_outcome::positions::{Bar, PLY_END, PLY_STEP, SCORE_END, SCORE_STEP, Shape};
use harness_player::Score;
use harness_stats::GameScore;

/// The statistics of sources; `progress` receives the number of positions from time to time,
/// and may stop it.
///
/// # Errors
/// When a source cannot be read, or `progress` stops it.
pub fn measure(
    sources: &[Source],
    flaws: &Flaws,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Shape, DataError> {
    let mover_relative = sources.iter().any(Source::is_mover_relative);
    let mut shape = Shape { mover_relative, ..Shape::default() };
    let mut games = 0;
    for source in sources {
        source.each(&mut games, flaws, &mut |record| {
            see(&mut shape, &record);
            let positions = shape.positions;
            if positions.is_multiple_of(STRIDE) {
                check_stopped(progress(positions))
            } else {
                Ok(())
            }
        })?;
    }
    Ok(shape)
}

/// Counts a position.
pub fn see(shape: &mut Shape, record: &Record) {
    let position = &record.position;
    shape.positions += 1;
    if record.game != shape.last_game {
        shape.last_game = record.game;
        shape.games += 1;
    }
    shape.white_to_move += u64::from(position.side().is_white());
    shape.in_check += u64::from(position.in_check());
    let mut result = record.result;
    let mut score = record.score;
    if shape.mover_relative {
        let mover = position.side();
        result = result.map(|result| result.seen_from(mover));
        score = score.map(|score| score.for_white(mover));
    }
    match result {
        None => shape.unfinished += 1,
        Some(result) => shape.results[2 - result as usize] += 1,
    }
    match score {
        None => shape.unscored += 1,
        Some(Score::Mate(_)) => shape.mates += 1,
        Some(Score::Centipawns(score)) => {
            let at = match score {
                score if score < -SCORE_END => 0,
                // Within the bars by the two bounds.
                score => 1 + ((score.min(SCORE_END) + SCORE_END) / SCORE_STEP) as usize,
            };
            add(&mut shape.scores, at, result);
        }
    }
    if let Some(ply) = record.ply {
        add(&mut shape.plies, usize::from(ply.min(PLY_END) / PLY_STEP), result);
    }
    add(&mut shape.pieces, position.occupied().count().saturating_sub(2), result);
    if record.depth > 0 {
        add(&mut shape.depths, usize::from(record.depth.min(64)) - 1, result);
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
            see(&mut shape, &record);
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
            see(
                &mut shape,
                &Record {
                    score: Some(Score::Centipawns(score)),
                    result: Some(GameScore::Draw),
                    ply: Some(999),
                    depth: 200,
                    ..Record::bare(start, 1)
                },
            );
            let changed = shape.scores.iter().zip(&before.scores).find(|(now, then)| now != then);
            assert_eq!(changed.expect("counted").0.from, from, "{score}");
        }
        assert_eq!(shape.plies.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.pieces.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.depths.last().map(|bar| bar.positions), Some(5));
        assert_eq!(shape.scores[21].mean_result(), Some(0.5));
        assert_eq!((shape.games, shape.results, shape.white_to_move), (1, [0, 5, 0], 5));
        see(&mut shape, &Record::bare(start, 2));
        assert_eq!((shape.games, shape.unscored, shape.unfinished), (2, 1, 1));
    }
}
