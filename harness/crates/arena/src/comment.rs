//! Optional parts of a move's comment in the PGN, beside score, depth, time and nodes.

use std::fmt::Write;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::position::GamePosition;
use harness_player::{Reply, Score};

/// Something in a move's comment that is written only if it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum CommentPart {
    /// Deepest ply: `sd=24`.
    Seldepth,
    /// Nodes a second, as the engine reports them: `nps=1234567`.
    Nps,
    /// Fill of the transposition table in thousandths: `hashfull=312`.
    Hashfull,
    /// Positions found in tablebases: `tbhits=17`.
    Tbhits,
    /// Time left on the clock, with the increment: `tl=12.345s`.
    Timeleft,
    /// Time that the harness measured beyond that of the engine: `latency=0.002s`.
    Latency,
    /// The principal variation: `pv="e4 e5 Nf3"`.
    Pv,
    /// The score for White, as Lichess and python-chess read it: `[%eval 0.26]`, `[%eval #-3]`.
    Eval,
    /// Time left on the clock, as they read it: `[%clk 0:00:12.345]`.
    Clk,
}

/// The parts of a comment, each after a comma; empty if none is known.
///
/// `position` is that before the move, `time_left` that after it.
pub fn write(
    parts: &[CommentPart],
    reply: &Reply,
    position: &GamePosition,
    time_left: Option<Duration>,
) -> String {
    let info = &reply.info;
    let mut text = String::new();
    let mut push = |name: &str, value: Option<String>| match (name, value) {
        (_, None) => {}
        // Commands end in a bracket.
        ("eval" | "clk", Some(value)) => {
            let _ = write!(text, ", [%{name} {value}]");
        }
        (name, Some(value)) => {
            let _ = write!(text, ", {name}={value}");
        }
    };
    let seconds = |time: Duration| format!("{:.3}s", time.as_secs_f64());
    for part in parts {
        match part {
            CommentPart::Seldepth => push("sd", info.seldepth.map(|plies| plies.to_string())),
            CommentPart::Nps => push("nps", info.nps.map(|nps| nps.to_string())),
            CommentPart::Hashfull => push("hashfull", info.hashfull.map(|fill| fill.to_string())),
            CommentPart::Tbhits => push("tbhits", info.tbhits.map(|hits| hits.to_string())),
            CommentPart::Timeleft => push("tl", time_left.map(seconds)),
            CommentPart::Latency => {
                let latency = info.time.map(|time| reply.elapsed.saturating_sub(time));
                push("latency", latency.map(seconds));
            }
            CommentPart::Pv => push("pv", variation(reply, position)),
            CommentPart::Eval => {
                let score = info.score.map(|score| score.for_white(position.turn()));
                push("eval", score.and_then(eval));
            }
            CommentPart::Clk => push("clk", time_left.map(clock)),
        }
    }
    text
}

/// A score in pawns, or the moves to mate: `0.26`, `#-3`. `None` where it is mate already.
fn eval(score: Score) -> Option<String> {
    match score {
        Score::Centipawns(value) => Some(format!("{:.2}", f64::from(value) / 100.0)),
        Score::Mate(0) => None,
        Score::Mate(moves) => Some(format!("#{moves}")),
    }
}

/// `0:00:12.345`
fn clock(time: Duration) -> String {
    let hours = time.as_secs() / 3600;
    let minutes = time.as_secs() / 60 % 60;
    format!("{hours}:{minutes:02}:{:02}.{:03}", time.as_secs() % 60, time.subsec_millis())
}

/// The legal beginning of the principal variation, in quotes; `None` without one.
fn variation(reply: &Reply, position: &GamePosition) -> Option<String> {
    let mut position = position.clone();
    let mut text = String::new();
    for uci in &reply.info.pv {
        let Some(legal) = position.of_uci(*uci) else { break };
        let separator = if text.is_empty() { "" } else { " " };
        let san = position.play_with_san(legal);
        let _ = write!(text, "{separator}{san}");
    }
    (!text.is_empty()).then(|| format!("\"{text}\""))
}

#[cfg(test)]
mod tests {
    use shakmaty::uci::UciMove;

    use strum::VariantArray;

    use super::*;
    use crate::variant::Rules;
    use harness_player::Info;

    #[test]
    fn parts_are_written_in_the_order_asked_for_and_unknown_ones_left_out() {
        let pv = "e2e4 e7e5 g1f3 a1a8".split(' ').map(|text| text.parse().unwrap()).collect();
        let info = Info {
            seldepth: Some(24),
            nps: Some(1_234_567),
            hashfull: Some(312),
            time: Some(Duration::from_millis(48)),
            pv,
            ..Info::default()
        };
        let start = Rules::Chess.position(None).unwrap();
        let best_move = "e2e4".parse().unwrap();
        let reply = Reply { best_move, ponder: None, info, elapsed: Duration::from_millis(50) };
        let all = CommentPart::VARIANTS;
        let left = Some(Duration::from_millis(12_345));
        assert_eq!(
            write(all, &reply, &start, left),
            ", sd=24, nps=1234567, hashfull=312, tl=12.345s, latency=0.002s, pv=\"e4 e5 Nf3\", \
             [%clk 0:00:12.345]"
        );
        let some = [CommentPart::Pv, CommentPart::Seldepth, CommentPart::Tbhits];
        assert_eq!(write(&some, &reply, &start, None), ", pv=\"e4 e5 Nf3\", sd=24");
        assert_eq!(write(&[], &reply, &start, left), "");
    }

    #[test]
    fn scores_are_for_white_and_clocks_have_hours() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let best_move: UciMove = "e7e5".parse().unwrap();
        let written = |score, fen, left: Option<u64>| {
            let info = Info { score: Some(score), ..Info::default() };
            let elapsed = Duration::from_millis(50);
            let reply = Reply { best_move, ponder: None, info, elapsed };
            let position = Rules::Chess.position(fen).unwrap();
            let left = left.map(Duration::from_millis);
            write(&[CommentPart::Eval, CommentPart::Clk], &reply, &position, left)
        };
        let cases = [
            (Score::Centipawns(26), None, Some(12_345), ", [%eval 0.26], [%clk 0:00:12.345]"),
            (
                Score::Centipawns(-5),
                Some(fen),
                Some(7_384_000),
                ", [%eval 0.05], [%clk 2:03:04.000]",
            ),
            (Score::Centipawns(0), Some(fen), None, ", [%eval 0.00]"),
            (Score::Centipawns(-31_000), None, None, ", [%eval -310.00]"),
            (Score::Mate(3), None, None, ", [%eval #3]"),
            (Score::Mate(3), Some(fen), None, ", [%eval #-3]"),
            (Score::Mate(-1), Some(fen), None, ", [%eval #1]"),
            (Score::Mate(0), None, Some(0), ", [%clk 0:00:00.000]"),
        ];
        for (score, fen, left, wanted) in cases {
            assert_eq!(written(score, fen, left), wanted, "{score:?} {fen:?}");
        }
    }
}
