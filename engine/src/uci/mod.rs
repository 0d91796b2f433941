//! The Universal Chess Interface: commands in, info out, options.
//!
//! The thread that reads commands never searches, so that it hears `stop` and `quit` at any time;
//! a [`worker`] owns the searcher and does one thing after the other.

pub mod command;
mod job;
pub mod options;
mod output;
mod own_book;
mod show;
mod wdl;
mod worker;

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use command::{Command, Go};
use job::{Job, Style};
use options::{OptionError, Setting};
use output::Output;
use own_book::OwnBook;
use worker::Worker;

use crate::bench;
use crate::board::Position;
use crate::eval::{EvalFile, Loaded};
use crate::search::{Root, Searcher, Strength, TableUse};
use crate::tablebase::Tables;

pub use options::Tunable;
pub use output::{message, print};
pub use show::divide;

/// Megabytes of the transposition table unless the option `Hash` says otherwise.
pub const DEFAULT_HASH: usize = 16;

/// Tables left out that are told of one by one.
const MOST_TABLE_ERRORS: usize = 5;

/// A conversation with whoever drives the engine: lines in, answers out.
pub struct Session<P> {
    root: Root,
    style: Style,
    /// Nobody is played against: the strength is not limited.
    analyse: bool,
    limit_strength: bool,
    elo: u32,
    seed: u64,
    overhead: Duration,
    lines: u32,
    network: Option<Loaded>,
    own_book: OwnBook,
    table_use: TableUse,
    output: Output,
    worker: Worker<P>,
}

/// Answers commands from standard input until `quit` or its end.
pub fn run<P: Tunable>() {
    let mut session = Session::<P>::over(Output::standard());
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if session.hear(&String::from_utf8_lossy(&line)).is_break() {
            break;
        }
    }
    session.finish();
}

impl<P: Tunable> Session<P> {
    /// A session with all options at their defaults. Answers go to `sink`, each in one write.
    pub fn new(sink: impl Write + Send + 'static) -> Session<P> {
        Session::over(Output::new(sink))
    }

    fn over(output: Output) -> Session<P> {
        Session {
            root: Root::new(Position::startpos()),
            style: Style::default(),
            analyse: false,
            limit_strength: false,
            elo: Strength::MAX,
            seed: 0,
            overhead: options::DEFAULT_OVERHEAD,
            lines: 1,
            network: EvalFile::DEFAULT.load().unwrap_or_default(),
            own_book: OwnBook::default(),
            table_use: TableUse::default(),
            worker: Worker::start(output.clone()),
            output,
        }
    }

    /// Obeys a line; `Break` after `quit`. Searches go on in a thread of their own.
    pub fn hear(&mut self, line: &str) -> ControlFlow<()> {
        match Command::parse(line) {
            Ok(Some(Command::Quit)) => return ControlFlow::Break(()),
            Ok(Some(command)) => self.answer(command),
            Ok(None) => {}
            Err(unknown) => self.output.info(&format!("unknown command `{}`", shortened(&unknown))),
        }
        ControlFlow::Continue(())
    }

    /// The position that was set up last.
    pub fn position(&self) -> &Position {
        self.root.position()
    }

    /// Whether moves are written as in Chess960.
    pub fn chess960(&self) -> bool {
        self.style.chess960
    }

    /// Whether a search is under way.
    pub fn is_searching(&self) -> bool {
        self.worker.is_searching()
    }

    /// Ends the search under way, which answers, and then the session.
    pub fn finish(self) {
        self.worker.finish();
    }

    fn answer(&mut self, command: Command<'_>) {
        match command {
            Command::Uci => self.output.line(&options::greeting::<P>()),
            Command::IsReady => {
                self.worker.wait_unless_searching();
                self.output.line("readyok");
            }
            Command::NewGame => self.worker.new_game(),
            Command::SetOption(arguments) => {
                if let Err(error) = self.set_option(arguments) {
                    self.output.info(&error.to_string());
                }
            }
            Command::Position(arguments) => match command::position(arguments, self.style.chess960)
            {
                Ok(root) => self.root = root,
                Err(error) => self.output.info(&format!("{error}; the position stays as it was")),
            },
            Command::Go(arguments) => self.go(arguments),
            Command::Stop => self.worker.stop(),
            Command::PonderHit => {
                if !self.worker.ponder_hit() {
                    self.output.info("`ponderhit` without a search that ponders");
                }
            }
            Command::Display => {
                self.output.line(&show::board(self.root.position(), self.style.chess960))
            }
            Command::Eval => {
                let network = self.network.as_ref().map(|loaded| &*loaded.network);
                self.output.line(&show::evaluation(self.root.position(), network));
            }
            Command::Export(path) => self.export(path.trim()),
            Command::Bench(depth) => self.bench(depth.trim()),
            Command::Debug(word) => match word.trim() {
                "on" => self.style.debug = true,
                "off" => self.style.debug = false,
                _ => self.output.info("`debug` wants `on` or `off`"),
            },
            Command::Ignored | Command::Quit => {}
        }
    }

    fn set_option(&mut self, arguments: &str) -> Result<(), OptionError> {
        match options::parse::<P>(arguments)? {
            Setting::Chess960(on) => self.style.chess960 = on,
            Setting::ShowWdl(on) => self.style.wdl = on,
            Setting::Debug(on) => self.style.debug = on,
            Setting::Analyse(on) => self.analyse = on,
            Setting::LimitStrength(on) => self.limit_strength = on,
            Setting::Elo(elo) => self.elo = elo,
            Setting::Seed(seed) => self.seed = seed,
            Setting::Overhead(time) => self.overhead = time,
            Setting::Lines(lines) => self.lines = lines,
            Setting::Hash(mib) => self.worker.resize_hash(mib),
            Setting::ClearHash => self.worker.clear_hash(),
            Setting::EvalFile(file) => self.load(file)?,
            Setting::Algorithm(algorithm) => self.worker.set_algorithm(algorithm),
            Setting::OwnBook(on) => self.own_book.on = on,
            Setting::BookFile(path) => self.own_book.open(path.as_deref(), &self.output),
            Setting::BestOpening(on) => self.own_book.best = on,
            Setting::TableFolders(folders) => self.open_tables(&folders),
            Setting::TableDepth(depth) => {
                self.set_tables(|table_use| table_use.depth = depth);
            }
            Setting::TableMen(men) => self.set_tables(|table_use| table_use.men = men),
            Setting::TableFiftyMoves(on) => {
                self.set_tables(|table_use| table_use.fifty_moves = on);
            }
            Setting::Parameter(name, value) => self.worker.set_parameter(name, value),
            // Announced only: what is thought on the opponent's time saves time by itself.
            Setting::Ponder => {}
            Setting::Threads(asked) => {
                let threads = asked.min(most_threads());
                if threads < asked {
                    self.output.info(&format!(
                        "{threads} of {asked} threads search: this machine runs no more at a time"
                    ));
                }
                self.worker.set_threads(threads);
            }
        }
        Ok(())
    }

    /// Evaluates by what the option names; a bad file changes nothing.
    fn load(&mut self, file: EvalFile) -> Result<(), OptionError> {
        self.network = match file.load() {
            Ok(network) => network,
            Err(reason) => return Err(OptionError::EvalFile { file, reason }),
        };
        self.worker.set_network(self.network.as_ref().map(|loaded| Arc::clone(&loaded.network)));
        Ok(())
    }

    /// Writes the network in use to a file: as JSON, unless its name ends in `.nnue`.
    fn export(&self, path: &str) {
        let told = match &self.network {
            _ if path.is_empty() => "`export` wants the name of a file".to_owned(),
            None => "the hand-crafted evaluation is in use: there is no network to export".into(),
            Some(Loaded { network, note }) => {
                let bytes = match Path::new(path).extension() {
                    Some(extension) if extension == "nnue" => network.to_bytes(note),
                    _ => network.to_json(note).into_bytes(),
                };
                match std::fs::write(path, bytes) {
                    Ok(()) => format!("{network} is in {path}"),
                    Err(reason) => format!("cannot write {path}: {reason}"),
                }
            }
        };
        self.output.info(&told);
    }

    fn bench(&self, depth: &str) {
        let depth = if depth.is_empty() { Ok(bench::DEPTH) } else { depth.parse() };
        let Ok(depth) = depth else {
            self.output.info("`bench` wants a depth, or nothing");
            return;
        };
        let mut searcher = Searcher::new(P::default(), DEFAULT_HASH);
        searcher.set_network(self.network.as_ref().map(|loaded| Arc::clone(&loaded.network)));
        self.output.line(&bench::run_by(&mut searcher, depth).to_string());
    }

    fn set_tables(&mut self, change: impl FnOnce(&mut TableUse)) {
        change(&mut self.table_use);
        self.worker.set_tables(self.table_use.clone());
    }

    /// Opens the endgame tables of these folders and says what was found.
    fn open_tables(&mut self, folders: &str) {
        if folders.is_empty() {
            return self.set_tables(|table_use| table_use.tables = None);
        }
        let (tables, errors) = Tables::open(folders);
        for error in errors.iter().take(MOST_TABLE_ERRORS) {
            self.output.info(&error.to_string());
        }
        if errors.len() > MOST_TABLE_ERRORS {
            self.output
                .info(&format!("and {} more tables left out", errors.len() - MOST_TABLE_ERRORS));
        }
        let (count, men) = (tables.count(), tables.most_men());
        self.output.info(&format!("{count} endgame tables found, of up to {men} men"));
        let tables = (count > 0).then(|| Arc::new(tables));
        self.set_tables(|table_use| table_use.tables = tables);
    }

    fn go(&mut self, arguments: &str) {
        // Before anything else: the opponent's clock has stopped, and ours runs.
        let asked = Some(Instant::now());
        let position = self.root.position();
        match command::go(arguments, position, self.style.chess960) {
            Ok(Go::Perft(depth)) => {
                self.output.line(&divide(position, depth, self.style.chess960).0)
            }
            Ok(Go::Search { mut limits, infinite, ponder }) => {
                limits.pondering = ponder.then(Arc::default);
                limits.asked = asked;
                limits.overhead = self.overhead;
                limits.lines = self.lines;
                let asked_to_play =
                    !infinite && !ponder && !self.analyse && limits.search_moves.is_empty();
                if asked_to_play
                    && !self.worker.is_searching()
                    && let Some(m) = self.own_book.answer(position, &self.output)
                {
                    let m = position.uci(m, self.style.chess960);
                    return self.output.line(&format!("bestmove {m}"));
                }
                let strength = Strength::new(self.elo, self.seed);
                let strength = (self.limit_strength && !self.analyse).then_some(strength);
                let (root, style) = (self.root.clone(), Style { strength, ..self.style });
                if !self.worker.go(Job { root, limits, infinite, style }) {
                    self.output.info("a search is under way: `stop` it first");
                }
            }
            Err(error) => self.output.info(&format!("{error}; nothing is searched")),
        }
    }
}

/// Threads that the machine runs at a time. With more of them, each waits while others run: the
/// search gains nothing, and the thread that looks at the clock does so too late.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(usize::MAX, usize::from)
}

/// A line of anybody's, cut to a length that fits into an answer.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
