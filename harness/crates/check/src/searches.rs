//! Checks of searches: what ends them, and what they print.

use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use super::checkup::{Checkup, Finding, FindingResult, saw};
use super::ender::Ender;
use super::search::{MAX_OVERRUN, MIDDLE_GAME, Violation, after, legal, of_fen, position};
use harness_player::search::{RawSearch, Scores};
use harness_player::uci::read_info;
use harness_player::{FaultKind, Go, Info, Limit, Line, respects, unobserved};

/// [`MIDDLE_GAME`] with White to move.
const WHITE_TO_MOVE: &str = "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w kq - 1 6";
/// Why a limit is not checked that is known not to end a search.
const ENDS_NO_SEARCH: &str = "it ends no search, as `go depth` above";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
const CHESS960: &str = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1";
/// 100 plies without a capture or pawn move: a draw by the fifty-move rule.
const FIFTY_MOVES: &str = "8/5k2/8/3R4/8/8/5K2/8 w - - 100 120";

/// `go depth` gives a legal move with a score before it.
pub(super) fn depth(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.ender != Ender::Depth {
        return checkup.does_not_end_by_depth();
    }
    let depth = checkup.depth(4);
    let answer = search_with_score(checkup, &Go::Depth(depth))?;
    if checkup.is_linked() || depth == 1 {
        return Ok(answer.finding());
    }
    // The first search of a process is the one that shows whether it heeds the limit.
    let search = fresh(checkup, &format!("depth {depth}"))?;
    match checkup.heeds(Limit::Depth(depth), &search)? {
        None => Ok(answer.finding()),
        Some(ignored) => Ok(ignored),
    }
}

/// A search of a fresh process.
fn fresh(checkup: &mut Checkup<'_>, limit: &str) -> Result<RawSearch, Violation> {
    checkup.with(Checkup::start)?;
    checkup.search(&format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo {limit}\n"))
}

/// A reply in the middle game.
struct Answer {
    best_move: UciMove,
    depth: Option<i64>,
    nodes: Option<i64>,
    scores: Scores,
    elapsed: Duration,
}

impl Answer {
    fn words(&self) -> String {
        let depth = self.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
        let nodes = self.nodes.map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
        format!("{}{depth}{nodes}, {} ms", self.best_move, self.elapsed.as_millis())
    }

    fn finding(&self) -> Finding {
        match self.scores {
            Scores::Bounds => Finding::Warned(format!(
                "{}: only bounds came as scores (`lowerbound`, `upperbound`), of no use to \
                 adjudication and data",
                self.words()
            )),
            Scores::Exact | Scores::None => Finding::Passed(self.words()),
        }
    }
}

/// A legal move with a score before it.
fn search_with_score(checkup: &mut Checkup<'_>, go: &Go) -> Result<Answer, Violation> {
    let answer = match (checkup.is_linked(), go) {
        (false, Go::Depth(depth)) => raw(checkup, &format!("depth {depth}"))?,
        (false, Go::Nodes(nodes)) => raw(checkup, &format!("nodes {nodes}"))?,
        _ => {
            let (reply, scored) = checkup.play(of_fen(MIDDLE_GAME), go, false)?;
            Answer {
                best_move: reply.best_move,
                depth: reply.info.depth.map(i64::from),
                nodes: reply.info.nodes.and_then(|nodes| i64::try_from(nodes).ok()),
                scores: if scored { Scores::Exact } else { Scores::None },
                elapsed: reply.elapsed,
            }
        }
    };
    legal(&position(MIDDLE_GAME, false), answer.best_move)?;
    if answer.scores == Scores::None {
        return Err(format!("{} came without any `info ... score`", answer.best_move).into());
    }
    Ok(answer)
}

fn raw(checkup: &mut Checkup<'_>, limit: &str) -> Result<Answer, Violation> {
    let go = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo {limit}\n");
    let search = checkup.search(&go)?;
    Ok(Answer {
        best_move: search.best_move,
        depth: search.last_number("depth"),
        nodes: search.last_number("nodes"),
        scores: search.scores(),
        elapsed: search.elapsed,
    })
}

/// A legal move in a position.
pub(super) fn plays(checkup: &mut Checkup<'_>, fen: &str, chess960: bool) -> FindingResult {
    let (reply, _) = checkup.play(of_fen(fen), &checkup.go(2), chess960)?;
    legal(&position(fen, chess960), reply.best_move)?;
    saw(reply.best_move.to_string())
}

/// A reply without a move where there is none; the engine runs on.
pub(super) fn has_no_move(checkup: &mut Checkup<'_>, fen: &str) -> FindingResult {
    let patience = checkup.patience();
    let go = checkup.go(1);
    checkup.with(|checkup| {
        let player = checkup.player()?;
        player.new_game(false)?;
        let answer = player.go(of_fen(fen), &go, patience, &mut unobserved);
        player.new_game(false)?;
        match answer {
            Err(fault) if fault.kind == FaultKind::NoMove => Ok(saw(fault.detail)),
            Err(fault) => Err(fault),
            Ok(reply) => Ok(Ok(Finding::Warned(format!(
                "it answers {}, and there is none",
                reply.best_move
            )))),
        }
    })?
}

/// A position that is drawn by the fifty-move rule is still searched.
pub(super) fn fifty_moves(checkup: &mut Checkup<'_>) -> FindingResult {
    plays(checkup, FIFTY_MOVES, false)
}

/// It applies a list of moves with an en passant capture, castling and a promotion.
pub(super) fn moves(checkup: &mut Checkup<'_>) -> FindingResult {
    let text = "e2e4 a7a6 e4e5 g7g6 g1f3 b8c6 f1e2 d7d5 e5d6 f7f6 e1g1 f6f5 d6c7 e7e6 c7d8q e8f7";
    let (reached, moves) = after(Chess::default(), text);
    let (reply, _) = checkup.play(Line { fen: None, moves: &moves }, &checkup.go(3), false)?;
    legal(&reached, reply.best_move)?;
    saw(reply.best_move.to_string())
}

/// Castling as king takes rook.
pub(super) fn chess960(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.option("UCI_Chess960").is_none() && !checkup.is_linked() {
        return Ok(Finding::Skipped("it offers no `UCI_Chess960`"));
    }
    let start = position(CHESS960, true);
    // Both castle, Black with a king that stays where it is.
    let (reached, moves) = after(start, "c1g1 c8b8");
    let line = Line { fen: Some(CHESS960), moves: &moves };
    let (reply, _) = checkup.play(line, &checkup.go(3), true)?;
    legal(&reached, reply.best_move)?;
    saw(reply.best_move.to_string())
}

/// A fixed time a move.
pub(super) fn move_time(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.never_ends_by(Ender::MoveTime) {
        return Ok(Finding::Skipped(ENDS_NO_SEARCH));
    }
    let time = Duration::from_millis(100);
    let found = in_time(checkup, time, "movetime 100", MIDDLE_GAME)?;
    let search = fresh(checkup, "movetime 100")?;
    Ok(checkup.heeds(Limit::MoveTime(time), &search)?.unwrap_or(found))
}

/// Clocks in every form that runners send.
pub(super) fn clocks(checkup: &mut Checkup<'_>) -> FindingResult {
    let second = Duration::from_secs(1);
    let mut last = Finding::Passed(String::new());
    for (go, fen) in [
        ("wtime 1000 btime 1000 winc 10 binc 10", MIDDLE_GAME),
        ("btime 1000 binc 10 wtime 1000 winc 10", WHITE_TO_MOVE),
        ("wtime 1000 btime 1000", WHITE_TO_MOVE),
        ("wtime 1000 btime 1000 winc 0 binc 0 movestogo 1", MIDDLE_GAME),
        ("movestogo 40 wtime 1000 btime 1000", WHITE_TO_MOVE),
    ] {
        last = in_time(checkup, second, go, fen)?;
    }
    Ok(last)
}

/// Only one side's clock, as when the other has none.
pub(super) fn one_clock(checkup: &mut Checkup<'_>) -> FindingResult {
    let time = Duration::from_millis(200);
    in_time(checkup, time, "wtime 200 winc 0", WHITE_TO_MOVE)?;
    in_time(checkup, time, "btime 200", MIDDLE_GAME)
}

/// Almost no time is left.
pub(super) fn last_millisecond(checkup: &mut Checkup<'_>) -> FindingResult {
    in_time(checkup, Duration::ZERO, "wtime 1 btime 1 winc 0 binc 0", MIDDLE_GAME)
}

fn in_time(checkup: &mut Checkup<'_>, time: Duration, go: &str, fen: &str) -> FindingResult {
    let search = checkup
        .search(&format!("ucinewgame\nposition fen {fen}\ngo {go}\n"))
        .map_err(|error| format!("`go {go}`: {error}"))?;
    legal(&position(fen, false), search.best_move)?;
    let took = format!("{} after {} ms", search.best_move, search.elapsed.as_millis());
    if search.elapsed > time + checkup.too_late() {
        return Err(format!("`go {go}`: {took}").into());
    }
    saw(took)
}

/// Several limits at once: the first that is reached ends the search.
pub(super) fn several_limits(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.ender != Ender::Depth {
        return Ok(Finding::Skipped(ENDS_NO_SEARCH));
    }
    for go in ["depth 3 movetime 60000", "nodes 2000 depth 60", "depth 60 movetime 50"] {
        if let Err(error) = in_time(checkup, MAX_OVERRUN, go, MIDDLE_GAME) {
            return Ok(Finding::Warned(error.to_string()));
        }
    }
    saw("the first ends it")
}

/// `searchmoves` restricts the search.
pub(super) fn search_moves(checkup: &mut Checkup<'_>) -> FindingResult {
    let limit = checkup.go_words(checkup.depth(4));
    let go = format!("go {limit} searchmoves a7a6 h7h6\n");
    let search = checkup.search(&format!("position fen {MIDDLE_GAME}\n{go}"))?;
    let best = search.best_move.to_string();
    match best.as_str() {
        "a7a6" | "h7h6" => saw(best),
        _ => Ok(Finding::Warned(format!("it plays {best}, which was not among them"))),
    }
}

/// `searchmoves` restricts one search only.
pub(super) fn search_moves_end(checkup: &mut Checkup<'_>) -> FindingResult {
    let limit = checkup.go_words(2);
    let go = format!("go {limit} searchmoves a7a6 h7h6");
    checkup.search(&format!("position fen {MIDDLE_GAME}\n{go}\n"))?;
    // None of them is legal here.
    let next = format!("position fen {WHITE_TO_MOVE}\ngo {limit}\n");
    let search = checkup.search(&next).and_then(|search| {
        legal(&position(WHITE_TO_MOVE, false), search.best_move)?;
        Ok(search)
    });
    let search = search.map_err(|error| format!("`go {limit}` after `{go}`: {error}"))?;
    saw(search.best_move.to_string())
}

/// A mate is found and reported.
pub(super) fn mate(checkup: &mut Checkup<'_>) -> FindingResult {
    let limit = checkup.go_words(checkup.depth(4));
    let go = format!("position fen {MATE_IN_ONE}\ngo {limit}\n");
    let search = checkup.search(&go)?;
    let best = search.best_move;
    legal(&position(MATE_IN_ONE, false), best)?;
    let reported = search.lines.iter().any(|line| line.contains("score mate 1"));
    match (best.to_string().as_str(), reported) {
        ("a1a8", true) => saw("a1a8, mate 1"),
        ("a1a8", false) => Ok(Finding::Warned("it plays it without `score mate 1`".to_owned())),
        _ => Ok(Finding::Warned(format!("it plays {best} and misses it"))),
    }
}

/// `info` lines hold numbers where UCI has numbers, and scores.
pub(super) fn infos(checkup: &mut Checkup<'_>) -> FindingResult {
    let search = deep(checkup)?;
    if search.scores() == Scores::None {
        return Err("no `info ... score` came".into());
    }
    let mut count = 0;
    let mut odd = Vec::new();
    for line in search.lines.iter().filter(|line| line.starts_with("info ")) {
        let text = &line["info ".len()..];
        if text.trim_start().starts_with("string") {
            continue;
        }
        count += 1;
        without_number(text).map_or(Ok(()), |key| {
            Err(Violation::from(format!("`{key}` has no number in `{line}`")))
        })?;
        let read = read_info(text.as_bytes(), &mut Info::default(), &mut Info::default());
        odd.extend(read.odd.map(|part| String::from_utf8_lossy(part).into_owned()));
    }
    match odd.first() {
        None => saw(format!("{count} lines")),
        Some(first) => Ok(Finding::Warned(format!(
            "`{first}` is not as UCI has it, {} of {count} lines have such a part: read as far as \
             it makes sense",
            odd.len()
        ))),
    }
}

/// A key of an `info` line behind which there is no number from 0 on.
fn without_number(text: &str) -> Option<&'static str> {
    let text = text.split(" string ").next().unwrap_or_default();
    // The moves of the PV may look like keys.
    let text = text.split(" pv ").next().unwrap_or_default();
    let is_number = |word: &str| {
        // Some put both depths into one word.
        word.split('/').all(|part| part.parse().is_ok_and(|number: f64| number >= 0.0))
    };
    let keys = ["depth", "seldepth", "nodes", "time", "nps", "hashfull", "tbhits", "multipv"];
    keys.into_iter().find(|&key| {
        let mut words = text.split_whitespace().skip_while(|&word| word != key);
        words.next().is_some() && !words.next().is_some_and(is_number)
    })
}

/// Every PV is a legal line.
pub(super) fn pv(checkup: &mut Checkup<'_>) -> FindingResult {
    let search = deep(checkup)?;
    let start = position(MIDDLE_GAME, false);
    let mut lines = 0;
    let mut longest = 0;
    for line in search.lines.iter().filter(|line| line.starts_with("info ")) {
        let Some((_, pv)) = line.split_once(" pv ") else { continue };
        let mut reached = start.clone();
        let mut plies = 0;
        for word in pv.split_whitespace() {
            // Some engines print more after the PV.
            let Ok(next) = word.parse::<UciMove>() else { break };
            match next.to_move(&reached) {
                Ok(next) => reached.play_unchecked(next),
                Err(_) => return Err(format!("ply {} is illegal in `{line}`", plies + 1).into()),
            }
            plies += 1;
        }
        lines += 1;
        longest = longest.max(plies);
    }
    match lines {
        0 => Ok(Finding::Warned("it prints none".to_owned())),
        _ => saw(format!("{lines}, the longest of {longest} plies")),
    }
}

/// The move to ponder on is legal after the best move.
pub(super) fn ponder_move(checkup: &mut Checkup<'_>) -> FindingResult {
    let search = deep(checkup)?;
    let Some(ponder) = search.ponder else {
        return Ok(Finding::Skipped("it says none"));
    };
    let mut reached = position(MIDDLE_GAME, false);
    legal(&reached, search.best_move)?;
    if let Ok(best) = search.best_move.to_move(&reached) {
        reached.play_unchecked(best);
    }
    legal(&reached, ponder)?;
    saw(format!("{} ponder {ponder}", search.best_move))
}

/// A fixed number of nodes.
pub(super) fn nodes(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.never_ends_by(Ender::Nodes) {
        checkup.counts_nodes = false;
        return Ok(Finding::Skipped(ENDS_NO_SEARCH));
    }
    let asked = checkup.nodes(2_000);
    if !checkup.is_linked() {
        // A few engines heed it in all searches of a process but the first.
        checkup.with(Checkup::start)?;
    }
    let answer = search_with_score(checkup, &Go::Nodes(asked));
    checkup.counts_nodes = answer.is_ok();
    let answer = answer?;
    if let Some(nodes) = answer.nodes
        && !respects(asked, nodes.unsigned_abs())
    {
        checkup.counts_nodes = false;
        let what = format!("it visits {nodes} nodes of {asked}: matches at fixed nodes are void");
        return Ok(Finding::Warned(what));
    }
    if checkup.is_linked() {
        return Ok(answer.finding());
    }
    let search = fresh(checkup, &format!("nodes {asked}"))?;
    let ignored = checkup.heeds(Limit::Nodes(asked), &search)?;
    checkup.counts_nodes = ignored.is_none();
    Ok(ignored.unwrap_or_else(|| answer.finding()))
}

/// The same search repeats, after `ucinewgame` and in a new process.
pub(super) fn determinism(checkup: &mut Checkup<'_>) -> FindingResult {
    if !checkup.counts_nodes {
        return Ok(Finding::Skipped("it does not respect `go nodes`"));
    }
    let nodes = checkup.nodes(3_000);
    let commands = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo nodes {nodes}\n");
    let result = |search: &RawSearch| {
        let nodes = search.last_number("nodes").unwrap_or_default();
        format!("{} after {nodes} nodes", search.best_move)
    };
    checkup.with(Checkup::start)?;
    let first = result(&checkup.search(&commands)?);
    let again = result(&checkup.search(&commands)?);
    checkup.with(Checkup::start)?;
    let fresh_process = result(&checkup.search(&commands)?);
    let differs = |other: &str, when: &str| {
        format!("{first}, but {other} {when}: games at fixed nodes do not repeat")
    };
    if fresh_process != first {
        return Ok(Finding::Warned(differs(&fresh_process, "in a new process")));
    }
    if again != first {
        return Ok(Finding::Warned(differs(&again, "after `ucinewgame`")));
    }
    saw(first)
}

fn deep(checkup: &mut Checkup<'_>) -> Result<RawSearch, Violation> {
    let limit = checkup.go_words(checkup.depth(7));
    checkup.search(&format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo {limit}\n"))
}
