//! The checks, in the order in which they are made.

use super::checkup::{Checkup, FindingResult};
use super::{endings, handshake, searches, talk};
use harness_player::Program;

const ONE_MOVE: &str = "7k/8/5QK1/8/8/8/8/8 b - - 0 1";
const PROMOTION: &str = "8/7P/8/8/8/2n5/2k5/K7 w - - 0 1";
const MATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

pub(super) struct Check {
    /// Its name in reports and `--json`.
    pub(super) name: &'static str,
    /// Whether it needs a process: not for the linked engine.
    of_process: bool,
    /// The check.
    pub(super) run: fn(&mut Checkup<'_>) -> FindingResult,
}

impl Check {
    /// Whether it can be made of this program.
    pub(super) fn applies_to(&self, program: &Program) -> bool {
        !self.of_process || *program != Program::Builtin
    }
}

/// A check of any player.
const fn of_all(name: &'static str, run: fn(&mut Checkup<'_>) -> FindingResult) -> Check {
    Check { name, of_process: false, run }
}

const fn of_process(name: &'static str, run: fn(&mut Checkup<'_>) -> FindingResult) -> Check {
    Check { name, of_process: true, run }
}

/// All checks; the first is the start.
pub(super) const CHECKS: [Check; 43] = [
    of_all("starts, answers `uci`", handshake::start),
    of_process("`id name`, `id author`", handshake::identity),
    of_all("options are declared as UCI has it", handshake::options),
    of_all("new game, `isready`", |c| {
        c.with(|c| c.player()?.new_game(false))?;
        super::checkup::passed()
    }),
    of_all("`go depth`", searches::depth),
    of_all("`go nodes`", searches::nodes),
    of_process("`go movetime`", searches::move_time),
    of_process("`go` with clocks in every order", searches::clocks),
    of_process("`go` with one clock only", searches::one_clock),
    of_process("`go` in the last millisecond", searches::last_millisecond),
    of_process("`go` with several limits", searches::several_limits),
    of_process("`go searchmoves`", searches::search_moves),
    of_process("`searchmoves` ends with its search", searches::search_moves_end),
    of_all("plays on from a list of moves", searches::moves),
    of_all("only one legal move", |c| searches::plays(c, ONE_MOVE, false)),
    of_all("promotion", |c| searches::plays(c, PROMOTION, false)),
    of_all("drawn by the fifty-move rule", searches::fifty_moves),
    of_all("Chess960", searches::chess960),
    of_all("mate on the board", |c| searches::has_no_move(c, MATE)),
    of_all("stalemate on the board", |c| searches::has_no_move(c, STALEMATE)),
    of_process("mate in one", searches::mate),
    of_process("`info` lines", searches::infos),
    of_process("every PV is legal", searches::pv),
    of_process("the move to ponder is legal", searches::ponder_move),
    of_process("the same search again", searches::determinism),
    of_process("unknown commands are passed over", talk::unknown_commands),
    of_process("empty lines are passed over", talk::empty_lines),
    of_process("control characters, a long line", talk::garbage),
    of_process("white space as UCI allows it", talk::white_space),
    of_process("broken positions are survived", talk::broken_positions),
    of_process("`go infinite` until `stop`", talk::infinite),
    of_process("`isready` during a search", talk::ready_during_search),
    of_process("`stop` ends a search", talk::stop),
    of_process("`go` and `stop` in one breath", talk::stop_at_once),
    of_process("one `bestmove` a search", talk::one_answer),
    of_process("`ponderhit`", talk::ponder),
    of_process("`setoption` of an unknown option", handshake::unknown_option),
    of_process("`setoption` without a name", handshake::bare_set_option),
    of_process("options at the ends of their range", handshake::option_values),
    of_process("no growth", endings::growth),
    of_process("`quit` ends the process", endings::quit),
    of_process("`quit` ends it during a search", endings::quit_in_search),
    of_process("its input closed, it ends", endings::closed_input),
];
