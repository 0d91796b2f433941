//! The ends of games in the words of fastchess and cutechess-cli, by which other programs tell crashes, losses
//! on time and illegal moves.

use crate::arena::Termination;
use crate::stats::GameScore;

/// The text in braces of a finished game.
///
/// `reason` is ours, with its evidence behind it. Both name tablebases, fastchess the overrun of a clock, and
/// cutechess-cli (`is_cutechess`) an illegal move.
pub fn reason(
    termination: Termination,
    result: GameScore,
    reason: &str,
    is_cutechess: bool,
) -> String {
    use Termination as T;
    let plain = termination.reason(result);
    let loser = if result == GameScore::Win { "Black" } else { "White" };
    match termination {
        T::Crash | T::Disconnect => format!("{loser} disconnects"),
        T::NoMove => T::IllegalMove.reason(result),
        T::MaxMoves if is_cutechess => "Draw by adjudication: maximal game length".to_owned(),
        T::MaxMoves => T::AdjudicatedDraw.reason(result),
        T::TimeForfeit if !is_cutechess => format!("{plain} ({}ms overrun)", overrun(reason)),
        T::IllegalMove if is_cutechess => reason.to_owned(),
        T::AdjudicatedWin | T::AdjudicatedDraw if reason.ends_with(": SyzygyTB") => {
            reason.to_owned()
        }
        _ => plain,
    }
}

/// The milliseconds of `White loses on time (overrun 12 ms)`.
fn overrun(reason: &str) -> &str {
    let (_, behind) = reason.rsplit_once("(overrun ").unwrap_or_default();
    let number = behind.strip_suffix(" ms)").unwrap_or("0");
    if number.is_empty() { "0" } else { number }
}

/// The tag `Termination` of a game in PGN, in the words of fastchess.
pub fn pgn_tag(termination: Termination) -> &'static str {
    match termination {
        Termination::Crash | Termination::Disconnect | Termination::Stall => "abandoned",
        Termination::NoMove => Termination::IllegalMove.pgn_tag(),
        other => other.pgn_tag(),
    }
}
