//! What the engine prints.

use std::fmt::Write;
use std::time::Duration;

use super::job::Style;
use super::wdl::Wdl;
use crate::board::{File, Move, Position, Rank, Square, perft};
use crate::eval::Breakdown;
use crate::eval::nnue::Network;
use crate::search::{Account, Bounded, Budget, Limits, Outcome, Progress};

/// An `info` line.
pub(super) fn progress(position: &Position, progress: &Progress, style: Style) -> String {
    let Progress {
        line,
        depth,
        seldepth,
        score,
        bounded,
        nodes,
        table_hits,
        time,
        permille_full,
        pv,
    } = progress;
    let seconds = time.as_secs_f64().max(1e-6);
    let bound = match bounded {
        Bounded::Exact => "",
        Bounded::AtLeast => " lowerbound",
    };
    let chances = if style.wdl { format!(" {}", Wdl::of(*score, position)) } else { String::new() };
    let mut text = format!(
        "info depth {depth} seldepth {seldepth} multipv {line} score {score}{bound}{chances} \
         nodes {nodes} nps {:.0} hashfull {permille_full} tbhits {table_hits} time {}",
        *nodes as f64 / seconds,
        time.as_millis(),
    );
    if !pv.is_empty() {
        text.push_str(" pv");
    }
    let mut child = *position;
    for &m in pv {
        // Writing to a string cannot fail.
        let _ = write!(text, " {}", child.uci(m, style.chess960));
        child.play(m);
    }
    text
}

/// For debugging: what a search is about to do.
pub(super) fn plan(limits: &Limits, budget: Budget, threads: usize) -> String {
    let time = |time: Option<Duration>| time.map_or("none".into(), |time| format!("{time:.1?}"));
    format!(
        "{threads} threads, {} lines, nodes up to {}, time {}, at most {}",
        limits.lines,
        limits.nodes.map_or("any".into(), |nodes| nodes.to_string()),
        time(budget.soft),
        time(budget.hard),
    )
}

/// For debugging: what each thread came to.
pub(super) fn accounts(position: &Position, outcome: &Outcome, chess960: bool) -> Vec<String> {
    let account = |(number, account): (usize, &Account)| {
        let best_move = account.best_move.map(|m| position.uci(m, chess960).to_string());
        format!(
            "thread {number}: nodes {} depth {} score {} move {}{}",
            account.nodes,
            account.depth,
            account.score,
            best_move.as_deref().unwrap_or("none"),
            if number == outcome.elected { ", elected" } else { "" },
        )
    };
    outcome.accounts.iter().enumerate().map(account).collect()
}

/// The `bestmove` line: the head of a line, and the answer that is expected.
pub(super) fn best_move(position: &Position, line: &[Move], chess960: bool) -> String {
    let Some(&best_move) = line.first() else {
        return "bestmove (none)".to_owned();
    };
    let mut text = format!("bestmove {}", position.uci(best_move, chess960));
    if let Some(&answer) = line.get(1) {
        let mut child = *position;
        child.play(best_move);
        let _ = write!(text, " ponder {}", child.uci(answer, chess960));
    }
    text
}

/// A diagram, the FEN and the key.
pub(super) fn board(position: &Position, chess960: bool) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "{} ", rank.char());
        for file in File::ALL {
            let piece = position.piece_at(Square::from_coords(file, rank));
            let _ = write!(text, " {}", piece.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    let (fen, key) = (position.fen(chess960), position.key());
    let _ = write!(text, "   a b c d e f g h\n\nFen: {fen}\nKey: {key:016x}");
    text
}

/// The static evaluation: by a network, or term by term.
pub(super) fn evaluation(position: &Position, network: Option<&Network>) -> String {
    let check = "The side to move is in check: there is no static evaluation.";
    match network {
        _ if position.in_check() => check.to_owned(),
        None => format!("Hand-crafted evaluation\n{}", Breakdown::new(position)),
        Some(network) => {
            let value = network.evaluate(position);
            let white = if position.side().is_white() { value } else { -value };
            let pawns = f64::from(white) / 100.0;
            format!("{network}\n{pawns:+.2} pawns for White")
        }
    }
}

/// Leaf counts a root move, then the total; and the total by itself.
pub fn divide(position: &Position, depth: u32, chess960: bool) -> (String, u64) {
    if depth == 0 {
        return ("Nodes searched: 1".to_owned(), 1);
    }
    let mut text = String::new();
    let mut total = 0;
    for &m in position.legal_moves().iter() {
        let mut child = *position;
        child.play(m);
        let nodes = perft(&child, depth - 1);
        total += nodes;
        let _ = writeln!(text, "{}: {nodes}", position.uci(m, chess960));
    }
    let _ = write!(text, "\nNodes searched: {total}");
    (text, total)
}
