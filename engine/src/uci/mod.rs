//! The Universal Chess Interface.
//!
//! A [`Session`] handles one command after the other and never searches itself, so that it receives
//! `stop` and `quit` at any time; a [`worker`] thread owns the searcher and runs its tasks in order.
//! Start reading at [`Session::handle_line`]. [`command`] and [`options`] parse, [`show`] and
//! [`output`] print.

pub mod command;
mod job;
mod lag;
mod option_type;
pub mod options;
mod output;
mod own_book;
mod show;
pub mod wdl;
mod worker;

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use command::{Command, Go, UnknownCommand};
use job::Job;
use lag::Lag;
use options::{JobOptions, SearchOptions, Setting};
use output::{Output, shortened};
use own_book::OwnBook;
use worker::Worker;

use crate::bench;
use crate::board::Position;
use crate::eval::{EvalFile, Loaded};
use crate::search::{Limits, Root, Searcher, TablebaseOptions};
use crate::tablebase::Tablebases;

pub use option_type::{OptionError, OptionType, UciOption};
pub use options::{DEFAULT_HASH, Tunable};
pub use output::{message, print};
pub use show::divide;

/// Errors of tablebase files that are printed one by one.
const MAX_TABLEBASE_ERRORS: usize = 5;

/// A UCI session.
pub struct Session<P> {
    root: Root,
    options: JobOptions,
    /// `UCI_AnalyseMode`: the strength is not limited.
    analyse_mode: bool,
    search_options: SearchOptions,
    network: Option<Loaded>,
    own_book: OwnBook,
    lag: Lag,
    tb_options: TablebaseOptions,
    output: Output,
    worker: Worker<P>,
}

/// Handles commands from standard input until `quit` or its end.
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
        if session.handle_bytes(&line).is_break() {
            break;
        }
    }
    session.finish();
}

impl<P: Tunable> Session<P> {
    /// A session with all options at their defaults. Each response is one write to `sink`.
    pub fn new(sink: impl Write + Send + 'static) -> Session<P> {
        Session::over(Output::new(sink))
    }

    fn over(output: Output) -> Session<P> {
        Session {
            root: Root::new(Position::startpos()),
            options: JobOptions::default(),
            analyse_mode: false,
            search_options: SearchOptions::default(),
            network: EvalFile::DEFAULT.load().unwrap_or_default(),
            own_book: OwnBook::default(),
            lag: Lag::default(),
            tb_options: TablebaseOptions::default(),
            worker: Worker::start(output.clone()),
            output,
        }
    }

    /// Handles a line as it was received. UCI is text: what is not UTF-8 is said and replaced.
    fn handle_bytes(&mut self, line: &[u8]) -> ControlFlow<()> {
        let text = String::from_utf8_lossy(line);
        if matches!(text, Cow::Owned(_)) {
            self.output.info(
                "this line is not UTF-8, as UCI is: what is not reads \u{fffd}; a file of such a name is reached \
                 by a link with a plain one, or by a relative path from its folder",
            );
        }
        self.handle_line(&text)
    }

    /// Handles a line; `Break` after `quit`. Searches run in a thread of their own.
    pub fn handle_line(&mut self, line: &str) -> ControlFlow<()> {
        match Command::parse(line) {
            Ok(Some(Command::Quit)) => return ControlFlow::Break(()),
            Ok(Some(command)) => self.handle(command),
            Ok(None) => {}
            Err(UnknownCommand(word)) => {
                self.output.info(&format!("unknown command `{}`", shortened(word)));
            }
        }
        ControlFlow::Continue(())
    }

    /// The position that was set up last.
    pub fn position(&self) -> &Position {
        self.root.position()
    }

    /// Whether moves are written as in Chess960.
    pub fn chess960(&self) -> bool {
        self.options.chess960
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.worker.is_searching()
    }

    /// Stops the running search, which prints `bestmove`, and ends the session.
    pub fn finish(self) {
        self.worker.finish();
    }

    fn handle(&mut self, command: Command<'_>) {
        match command {
            Command::Uci => self.output.line(&options::uci_response::<P>()),
            Command::IsReady => {
                self.worker.wait_unless_searching();
                self.output.line("readyok");
            }
            Command::NewGame => {
                self.lag.new_game();
                self.worker.new_game();
            }
            Command::SetOption(arguments) => {
                if let Err(error) = self.set_option(arguments) {
                    self.output.info(&error.to_string());
                }
            }
            Command::Position(arguments) => {
                match command::position(arguments, self.options.chess960) {
                    Ok(root) => self.root = root,
                    Err(error) => {
                        self.output.info(&format!("{error}; the position stays as it was"))
                    }
                }
            }
            Command::Go(arguments) => self.go(arguments),
            Command::Stop => self.worker.stop(),
            Command::PonderHit => {
                if !self.worker.ponder_hit() {
                    self.output.info("`ponderhit` without a search that ponders");
                }
            }
            Command::Display => {
                self.output.line(&show::board(self.root.position(), self.options.chess960))
            }
            Command::Eval => {
                let network = self.network.as_ref().map(|loaded| &*loaded.network);
                self.output.line(&show::evaluation(self.root.position(), network));
            }
            Command::Export(path) => self.export(path.trim()),
            Command::Bench(depth) => self.bench(depth.trim()),
            Command::Debug(word) => match word.trim() {
                "on" => self.options.debug = true,
                "off" => self.options.debug = false,
                _ => self.output.info("`debug` wants `on` or `off`"),
            },
            Command::Ignored | Command::Quit => {}
        }
    }

    fn set_option(&mut self, arguments: &str) -> Result<(), OptionError> {
        match options::parse::<P>(arguments)? {
            Setting::Chess960(on) => self.options.chess960 = on,
            Setting::ShowWdl(on) => self.options.wdl = on,
            Setting::Debug(on) => self.options.debug = on,
            Setting::AnalyseMode(on) => self.analyse_mode = on,
            Setting::Search(setting) => self.search_options.set(setting),
            Setting::Hash(mib) => self.worker.resize_hash(mib),
            Setting::ClearHash => self.worker.clear_hash(),
            Setting::EvalFile(file) => self.load_eval_file(file)?,
            Setting::Algorithm(algorithm) => self.worker.set_algorithm(algorithm),
            Setting::OwnBook(on) => self.own_book.on = on,
            Setting::BookFile(path) => self.own_book.open(path.as_deref(), &self.output),
            Setting::BestOpening(on) => self.own_book.best = on,
            Setting::SyzygyPath(folders) => self.open_tablebases(&folders),
            Setting::SyzygyProbeDepth(depth) => {
                self.set_tablebases(|options| options.probe_depth = depth);
            }
            Setting::SyzygyProbeLimit(men) => {
                self.set_tablebases(|options| options.probe_limit = men);
            }
            Setting::Syzygy50MoveRule(on) => {
                self.set_tablebases(|options| options.fifty_move_rule = on);
            }
            Setting::Parameter(name, value) => self.worker.set_parameter(name, value),
            // Offered only: pondering needs no setting.
            Setting::Ponder => {}
            Setting::Threads(asked) => {
                let threads = asked.min(max_threads());
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

    /// Loads the evaluation that the option names; after an error nothing has changed.
    fn load_eval_file(&mut self, file: EvalFile) -> Result<(), OptionError> {
        self.network = match file.load() {
            Ok(network) => network,
            Err(reason) => return Err(OptionError::EvalFile { file, reason }),
        };
        self.worker.set_network(self.network.as_ref().map(|loaded| Arc::clone(&loaded.network)));
        Ok(())
    }

    /// Writes the network in use to a file: as JSON, unless its name ends in `.nnue`.
    fn export(&self, path: &str) {
        let message = match &self.network {
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
        self.output.info(&message);
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

    fn set_tablebases(&mut self, change: impl FnOnce(&mut TablebaseOptions)) {
        change(&mut self.tb_options);
        self.worker.set_tablebases(self.tb_options.clone());
    }

    /// Opens the tablebases of these folders and prints what was found.
    fn open_tablebases(&mut self, folders: &str) {
        if folders.is_empty() {
            return self.set_tablebases(|options| options.tablebases = None);
        }
        let (tablebases, errors) = Tablebases::open(folders);
        for error in errors.iter().take(MAX_TABLEBASE_ERRORS) {
            self.output.info(&error.to_string());
        }
        if errors.len() > MAX_TABLEBASE_ERRORS {
            self.output
                .info(&format!("and {} more tables left out", errors.len() - MAX_TABLEBASE_ERRORS));
        }
        let count = tablebases.count();
        let men = tablebases.max_men();
        self.output.info(&format!("{count} tablebases found, of up to {men} men"));
        if let Some(missing) = tablebases.missing() {
            self.output.info(missing);
        }
        let tablebases = (count > 0).then(|| Arc::new(tablebases));
        self.set_tablebases(|options| options.tablebases = tablebases);
    }

    fn go(&mut self, arguments: &str) {
        // First of all: our clock is running.
        let received = Some(Instant::now());
        let position = self.root.position();
        let (go, faults) = command::go(arguments, position, self.options.chess960);
        for fault in &faults {
            self.output.info(&fault.to_string());
        }
        match go {
            Go::Perft(depth) => self.output.line(&divide(position, depth, self.options.chess960).0),
            Go::Search { mut limits, infinite, ponder } => {
                limits.pondering = ponder.then(Arc::default);
                limits.received = received;
                self.search(*limits, infinite, ponder);
            }
        }
    }

    /// Answers from the book, or starts a search.
    fn search(&mut self, mut limits: Limits, infinite: bool, ponder: bool) {
        let position = self.root.position();
        self.search_options.limit(&mut limits);
        let book_allowed =
            !infinite && !ponder && !self.analyse_mode && limits.search_moves.is_empty();
        if book_allowed
            && !self.worker.is_searching()
            && let Some(m) = self.own_book.probe(position, &self.output)
        {
            let m = position.uci(m, self.options.chess960);
            return self.output.line(&format!("bestmove {m}"));
        }
        let strength = self.search_options.strength(options::DEFAULT_SEED);
        let strength = strength.filter(|_| !self.analyse_mode);
        let options = JobOptions { strength, ..self.options };
        let taken = self.lag.search(position, limits.clock.filter(|_| !ponder));
        limits.lag = self.lag.mean();
        let job = Job { root: self.root.clone(), limits, infinite, options, taken };
        if self.worker.go(job) {
            self.output.info("a search is under way: the next one waits for its end");
        }
    }
}

/// Threads that the machine runs at a time. More of them gain nothing, and delay the thread that
/// checks the clock.
fn max_threads() -> usize {
    std::thread::available_parallelism().map_or(usize::MAX, usize::from)
}
