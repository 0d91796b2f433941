//! A small real UCI engine for tests: it plays pseudo-random legal moves, and misbehaves on request.
//!
//! The move depends on nothing but the seed and the position, so games repeat.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod game;
mod misbehaviour;

use std::io::{BufRead, Write};
use std::time::Duration;

use clap::Parser;
use engine::params::{Export, Format, PARAMETERS, Parameter};

use game::Game;
use misbehaviour::{Crash, Endless, Malformed, Place, Wrong};

/// A UCI engine that plays pseudo-random legal moves, and misbehaves on request.
#[derive(Debug, Parser)]
struct Flags {
    /// What it calls itself.
    #[arg(long, default_value = "mock-engine")]
    name: String,
    /// Other seeds play other moves.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The score of each answer, in centipawns.
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    score: i32,
    /// Info lines an answer.
    #[arg(long, default_value_t = 1)]
    infos: u32,
    /// Report a hundred nodes a depth, whatever the node limit.
    #[arg(long)]
    ignore_nodes: bool,
    /// Search to as many plies as there are info lines, whatever the depth limit.
    #[arg(long)]
    ignore_depth: bool,
    /// End every search at once, `go infinite` too, after as many nodes and plies.
    #[arg(long)]
    instant: bool,
    /// Report this many nodes in the first search of the process, whatever the node limit.
    #[arg(long)]
    first_nodes: Option<u64>,
    /// Report this many times the node limit.
    #[arg(long, default_value_t = 1)]
    overshoot: u64,
    /// Report as many nodes more as this option's value; the others change nothing.
    #[arg(long)]
    heed: Option<String>,
    /// At this limit search on until `stop`, with growing nodes and depth.
    #[arg(long, value_enum)]
    endless: Option<Endless>,
    /// Report node counts that depend on earlier searches, despite `ucinewgame`.
    #[arg(long)]
    remember: bool,
    /// Keep the moves of `go searchmoves` for all later searches.
    #[arg(long)]
    keep_searchmoves: bool,
    /// Once a position had no legal move, answer others with an illegal one.
    #[arg(long)]
    spoilt: bool,
    /// End when this option gets this value: `Hash=1024`.
    #[arg(long, value_name = "NAME=VALUE")]
    die_at: Option<String>,
    /// With `--die-at`: not before the next search.
    #[arg(long)]
    die_later: bool,
    /// End at a line that is not as it should be.
    #[arg(long, value_enum)]
    die_of: Option<Malformed>,
    /// Nodes a second; a depth costs 30 nodes, and four times as many a ply.
    #[arg(long)]
    nps: Option<u64>,
    /// Print numbers and keys that UCI does not know.
    #[arg(long)]
    odd_infos: bool,
    /// Report scores as lower bounds only.
    #[arg(long)]
    bounds: bool,
    /// Delay before each answer, in milliseconds.
    #[arg(long, default_value_t = 0)]
    delay: u64,
    /// Misbehave at this `go` only (1 is the first of the process); without: at each.
    #[arg(long)]
    on: Option<u64>,
    /// Stop answering here, for ever.
    #[arg(long, value_enum)]
    hang: Option<Place>,
    /// With `--hang go`: answer after `stop`.
    #[arg(long)]
    obey_stop: bool,
    /// End here.
    #[arg(long, value_enum)]
    crash: Option<Place>,
    /// How to end.
    #[arg(long, value_enum, default_value = "exit")]
    how: Crash,
    /// Answer `go` with no usable move.
    #[arg(long, value_enum)]
    answer: Option<Wrong>,
    /// Answer `go` twice.
    #[arg(long)]
    twice: bool,
    /// Close standard output at `go` and keep running.
    #[arg(long)]
    close_output: bool,
    /// Stop reading commands after `readyok`.
    #[arg(long)]
    deaf: bool,
    /// Print lines that mean nothing.
    #[arg(long)]
    garbage: bool,
    /// Print a line of 10 MB before each answer.
    #[arg(long)]
    long_line: bool,
    /// Print bytes that are no UTF-8.
    #[arg(long)]
    bad_utf8: bool,
    /// End lines as Windows does.
    #[arg(long)]
    crlf: bool,
    /// Bytes printed to standard error before each answer.
    #[arg(long, default_value_t = 0)]
    stderr: usize,
    /// Delay before the first line, in milliseconds.
    #[arg(long, default_value_t = 0)]
    slow_start: u64,
    /// MiB allocated at each `go`.
    #[arg(long, default_value_t = 0)]
    grow: usize,
    /// Do not end at `quit` nor when the input closes.
    #[arg(long)]
    ignore_quit: bool,
    /// Start a process that sleeps for ever, and print its id.
    #[arg(long)]
    grandchild: bool,
    /// Start one in a session of its own, where no signal to this process's group reaches it.
    #[arg(long)]
    escape: bool,
    /// Stop as by SIGSTOP at `go`, until SIGCONT.
    #[arg(long)]
    freeze: bool,
    /// Print a PV that cannot be played.
    #[arg(long)]
    bad_pv: bool,
    /// Declare an option whose default is out of its range.
    #[arg(long)]
    bad_option: bool,
    /// Play other moves in every process, after other numbers of nodes.
    #[arg(long)]
    moody: bool,
    /// End at a command that means nothing.
    #[arg(long)]
    touchy: bool,
    /// Echo every line instead of UCI.
    #[arg(long)]
    echo: bool,
    /// Name the reply that is expected: that of an engine with the same seed.
    #[arg(long)]
    ponder: bool,
    /// Declare no UCI_Chess960.
    #[arg(long)]
    no_chess960: bool,
    /// Declare the search parameters of `tench`, and print them at `params --format openbench`.
    #[arg(long)]
    search_parameters: bool,
    /// A command instead of UCI.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

struct Mock {
    flags: Flags,
    game: Game,
    searches: u64,
    /// The number behind `go nodes`.
    nodes: Option<u64>,
    /// The number behind `go depth`.
    depth: Option<u32>,
    /// The number behind `go movetime`, in milliseconds.
    move_time: Option<u64>,
    /// The moves of `go searchmoves`.
    among: Vec<String>,
    /// There was a position without a legal move.
    saw_the_end: bool,
    /// Another number in every process of a moody engine.
    mood: u64,
    /// The value of the option that it heeds.
    heeded: u64,
    /// It ends at the next search.
    is_doomed: bool,
    /// A search that waits for `stop`.
    pending: bool,
    hoard: Vec<Vec<u8>>,
}

fn main() {
    let flags = Flags::parse();
    if flags.search_parameters && flags.command == ["params", "--format", "openbench"] {
        print!("{}", Export(Format::OpenBench));
        return;
    }
    std::thread::sleep(Duration::from_millis(flags.slow_start));
    if flags.crash == Some(Place::Start) {
        eprintln!("mock-engine: cannot load its network");
        flags.how.now();
    }
    if flags.grandchild {
        misbehaviour::start_grandchild();
    }
    if flags.escape {
        misbehaviour::start_escapee();
    }
    let mood = if flags.moody { std::process::id().into() } else { 0 };
    let game = Game::new(flags.seed.wrapping_add(mood));
    let mut mock = Mock {
        flags,
        game,
        searches: 0,
        nodes: None,
        depth: None,
        move_time: None,
        among: Vec::new(),
        saw_the_end: false,
        mood,
        heeded: 0,
        is_doomed: false,
        pending: false,
        hoard: Vec::new(),
    };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if !mock.handle(&line) {
            break;
        }
    }
    if mock.flags.ignore_quit {
        misbehaviour::hang();
    }
}

impl Mock {
    /// Handles one command; false at the end.
    fn handle(&mut self, line: &str) -> bool {
        if self.flags.echo {
            self.send(line);
            return true;
        }
        if self.flags.die_of.is_some_and(|kind| kind.is_it(line)) {
            return false;
        }
        let (command, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match command {
            "uci" => self.introduce(),
            "isready" => {
                self.misbehave_at(Place::Isready);
                self.send("readyok");
                if self.flags.deaf {
                    misbehaviour::hang();
                }
            }
            "ucinewgame" => self.misbehave_at(Place::Newgame),
            "setoption" => {
                let dies_at = self.flags.die_at.as_deref().and_then(|at| at.split_once('='));
                if dies_at.is_some_and(|(name, value)| rest == format!("name {name} value {value}"))
                {
                    self.is_doomed = self.flags.die_later;
                    if !self.is_doomed {
                        eprintln!("mock-engine: cannot allocate");
                        self.flags.how.now();
                    }
                }
                if let Some(value) = rest.strip_prefix("name UCI_Chess960 value ") {
                    self.game.set_chess960(value == "true");
                }
                let heeded = self.flags.heed.as_ref();
                let value =
                    heeded.and_then(|name| rest.strip_prefix(&format!("name {name} value ")));
                self.heeded = value.and_then(|value| value.parse().ok()).unwrap_or(self.heeded);
            }
            "position" => self.game.set(rest),
            "go" => self.go(rest),
            "stop" | "ponderhit" if std::mem::take(&mut self.pending) => self.answer(),
            "quit" => return self.flags.ignore_quit,
            "stop" | "ponderhit" | "" => {}
            _ => return !self.flags.touchy,
        }
        true
    }

    fn introduce(&mut self) {
        self.misbehave_at(Place::Uci);
        self.send(&format!("id name {}", self.flags.name));
        self.send("id author the bench");
        self.send("option name Hash type spin default 16 min 1 max 1024");
        self.send("option name Move Overhead type spin default 10 min 0 max 5000");
        self.send("option name Style type combo default Normal var Solid var Normal var Risky");
        self.send("option name Ponder type check default false");
        self.send("option name Clear Hash type button");
        self.send("option name Log File type string default <empty>");
        if self.flags.bad_option {
            self.send("option name Contempt type spin default 200 min -100 max 100");
        }
        if !self.flags.no_chess960 {
            self.send("option name UCI_Chess960 type check default false");
        }
        let parameters = if self.flags.search_parameters { PARAMETERS } else { &[] };
        for Parameter { name, default, min, max, .. } in parameters {
            self.send(&format!(
                "option name {name} type spin default {default} min {min} max {max}"
            ));
        }
        self.send("uciok");
    }

    fn go(&mut self, rest: &str) {
        if self.is_doomed {
            self.flags.how.now();
        }
        self.searches += 1;
        let number = |limit: &str| -> Option<u64> {
            rest.strip_prefix(limit)?.split(' ').next()?.parse().ok()
        };
        self.nodes = number("nodes ");
        self.depth = number("depth ").and_then(|depth| u32::try_from(depth).ok());
        self.move_time = number("movetime ");
        if self.flags.instant {
            (self.nodes, self.depth, self.move_time) = (None, None, None);
        }
        if !self.flags.keep_searchmoves {
            self.among.clear();
        }
        if let Some((_, moves)) = rest.split_once("searchmoves ") {
            self.among = moves.split_whitespace().map(str::to_owned).collect();
        }
        if let Some(nps) = self.flags.nps {
            std::thread::sleep(self.cost(rest, nps));
        }
        if self.flags.endless.is_some_and(|limit| limit.is_it(rest)) {
            return self.search_on();
        }
        let flags = &self.flags;
        let misbehave = flags.on.is_none_or(|on| on == self.searches);
        if flags.stderr > 0 {
            misbehaviour::flood_stderr(flags.stderr);
        }
        self.hoard.push(vec![1; flags.grow << 20]);
        if misbehave {
            if flags.close_output {
                misbehaviour::close_output();
            }
            if flags.hang == Some(Place::Go) && flags.obey_stop {
                self.pending = true;
                return;
            }
            if flags.freeze {
                misbehaviour::freeze();
            }
            self.misbehave_at(Place::Go);
            std::thread::sleep(Duration::from_millis(self.flags.delay));
        }
        let is_endless = rest.starts_with("infinite") && !self.flags.instant;
        if is_endless || rest.starts_with("ponder") {
            self.pending = true;
            return;
        }
        if let Some(time) = self.move_time.filter(|_| self.flags.delay == 0) {
            std::thread::sleep(Duration::from_millis(time));
        }
        self.answer();
    }

    /// What a slow engine needs for this search; a time a move ends it earlier.
    fn cost(&self, go: &str, nps: u64) -> Duration {
        let of_depth =
            |depth: u32| 4_u64.saturating_pow(depth.saturating_sub(1)).saturating_mul(30);
        let nodes = self.nodes.or(self.depth.map(of_depth)).unwrap_or(0);
        let cost = Duration::from_millis(nodes.saturating_mul(1000) / nps);
        let (_, behind) = go.split_once("movetime ").unwrap_or_default();
        let move_time = behind.split(' ').next().and_then(|time| time.parse().ok());
        cost.min(move_time.map_or(Duration::MAX, Duration::from_millis))
    }

    /// Reports growing nodes and depth past every timeout, then waits for `stop`.
    fn search_on(&mut self) {
        let best = self.best_move();
        for depth in 1..=30_u32 {
            std::thread::sleep(Duration::from_millis(50));
            let nodes = u64::from(depth) * 1_000_000;
            self.send(&format!("info depth {depth} score cp 0 nodes {nodes} time 1 pv {best}"));
        }
        self.pending = true;
    }

    /// The move of the game, or the first legal one of those to be searched.
    fn best_move(&mut self) -> String {
        if self.among.is_empty() {
            let best = self.game.best_move();
            let is_end = best == "(none)";
            self.saw_the_end |= is_end;
            let is_spoilt = self.flags.spoilt && self.saw_the_end && !is_end;
            return if is_spoilt { "a1a1".to_owned() } else { best };
        }
        let legal = self.among.iter().find(|uci| self.game.is_legal(uci));
        legal.cloned().unwrap_or_else(|| "a1a1".to_owned())
    }

    fn answer(&mut self) {
        let best = self.best_move();
        let flags = &self.flags;
        let misbehave = flags.on.is_none_or(|on| on == self.searches);
        if flags.long_line && misbehave {
            self.send(&"x".repeat(10_000_000));
        }
        let score = flags.score;
        let bound = if flags.bounds { " lowerbound" } else { "" };
        let remembered = if flags.remember { 7 * (self.searches - 1) } else { 0 };
        let depths = match self.depth {
            Some(depth) if flags.infos > 0 && !flags.ignore_depth => depth.min(64),
            _ => flags.infos,
        };
        let first_nodes = flags.first_nodes.filter(|_| self.searches == 1);
        for depth in 1..=depths {
            // Two processes may pick the same move by chance, but hardly after as many nodes.
            let nodes = self.mood % 7919
                + remembered
                + self.heeded
                + match self.nodes {
                    Some(_) if first_nodes.is_some() => first_nodes.unwrap_or_default(),
                    Some(nodes) if !flags.ignore_nodes => nodes * flags.overshoot,
                    _ => u64::from(depth) * 100,
                };
            let pv = match best.as_str() {
                "(none)" => "",
                _ if flags.bad_pv => "a1a1",
                best => best,
            };
            let odd = if flags.odd_infos { ".5 ebf 1.8" } else { "" };
            self.send(&format!(
                "info depth {depth} score cp {score}{odd}{bound} nodes {nodes} time 1 pv {pv}"
            ));
        }
        let answer = match flags.answer {
            Some(wrong) if misbehave => wrong.answer(),
            _ => match self.game.reply_to(&best).filter(|_| flags.ponder) {
                Some(reply) => format!("bestmove {best} ponder {reply}"),
                None => format!("bestmove {best}"),
            },
        };
        self.send(&answer);
        if flags.twice && misbehave {
            self.send(&answer);
        }
    }

    fn misbehave_at(&self, place: Place) {
        let flags = &self.flags;
        if place == Place::Go && flags.on.is_some_and(|on| on != self.searches) {
            return;
        }
        if flags.crash == Some(place) {
            eprintln!("mock-engine: assertion failed in the search");
            flags.how.now();
        }
        if flags.hang == Some(place) {
            misbehaviour::hang();
        }
    }

    fn send(&self, line: &str) {
        let mut output = std::io::stdout().lock();
        let end: &[u8] = if self.flags.crlf { b"\r\n" } else { b"\n" };
        let mut text = Vec::new();
        if self.flags.garbage {
            text.extend_from_slice(b"\n   \nlorem ipsum\ninfo\ninfo depth score cp\noption\x07\n");
        }
        if self.flags.bad_utf8 {
            text.extend_from_slice(b"info string \xff\xfe\xc3\x28\nbest\xf0\x28move e2e4\n");
        }
        text.extend_from_slice(line.as_bytes());
        text.extend_from_slice(end);
        // The harness may have exited: then the input is closed, too.
        let _ = output.write_all(&text).and_then(|()| output.flush());
    }
}
