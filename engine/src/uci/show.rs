//! The text of UCI responses.

use std::fmt::Write;
use std::time::Duration;

use super::options::JobOptions;
use super::wdl::Wdl;
use crate::board::{File, Move, Position, Rank, Square, perft};
use crate::eval::Breakdown;
use crate::eval::nnue::Network;
use crate::search::{Budget, Limits, Progress, ScoreBound, SearchResult, ThreadSummary};

/// An `info` line.
pub(super) fn info_line(position: &Position, progress: &Progress, options: JobOptions) -> String {
    let Progress { multipv, depth, seldepth, score, bound, nodes, tb_hits, time, hashfull, pv } =
        progress;
    let seconds = time.as_secs_f64().max(1e-6);
    let bound = match bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    };
    let wdl =
        if options.wdl { format!(" {}", Wdl::from_score(*score, position)) } else { String::new() };
    let mut text = format!(
        "info depth {depth} seldepth {seldepth} multipv {multipv} score {score}{bound}{wdl} \
         nodes {nodes} nps {:.0} hashfull {hashfull} tbhits {tb_hits} time {}",
        *nodes as f64 / seconds,
        time.as_millis(),
    );
    if !pv.is_empty() {
        text.push_str(" pv");
    }
    let mut child = *position;
    for &m in pv {
        // Writing to a string cannot fail.
        let _ = write!(text, " {}", child.uci(m, options.chess960));
        child.play(m);
    }
    text
}

/// For debugging: the limits of a search that starts.
pub(super) fn search_plan(limits: &Limits, budget: Budget, threads: usize) -> String {
    let time = |time: Option<Duration>| time.map_or("none".into(), |time| format!("{time:.1?}"));
    format!(
        "{threads} threads, {} lines, nodes up to {}, time {}, at most {}",
        limits.multipv,
        limits.nodes.map_or("any".into(), |nodes| nodes.to_string()),
        time(budget.soft),
        time(budget.hard),
    )
}

/// For debugging: the result of each thread.
pub(super) fn thread_summaries(
    position: &Position,
    outcome: &SearchResult,
    chess960: bool,
) -> Vec<String> {
    let line = |(number, summary): (usize, &ThreadSummary)| {
        let best_move = summary.best_move.map(|m| position.uci(m, chess960).to_string());
        format!(
            "thread {number}: nodes {} depth {} score {} move {}{}",
            summary.nodes,
            summary.depth,
            summary.score,
            best_move.as_deref().unwrap_or("none"),
            if number == outcome.best_thread { ", elected" } else { "" },
        )
    };
    outcome.threads.iter().enumerate().map(line).collect()
}

/// The `bestmove` line: the first move of the principal variation, and the expected reply; the null move
/// `0000` where there is no legal move.
pub(super) fn best_move(position: &Position, line: &[Move], chess960: bool) -> String {
    let Some(&best_move) = line.first() else {
        return "bestmove 0000".to_owned();
    };
    let mut text = format!("bestmove {}", position.uci(best_move, chess960));
    if let Some(&reply) = line.get(1) {
        let mut child = *position;
        child.play(best_move);
        let _ = write!(text, " ponder {}", child.uci(reply, chess960));
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
    let fen = position.fen(chess960);
    let key = position.key();
    let _ = write!(text, "   a b c d e f g h\n\nFen: {fen}\nKey: {key:016x}");
    text
}

/// The static evaluation: of a network, or the hand-crafted one term by term.
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

/// Perft divide: leaves per root move, then the total, as text; and the total.
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
