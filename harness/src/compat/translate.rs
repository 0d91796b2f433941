//! Translates flags to a command line of ours.

use std::path::PathBuf;

use super::engine::Said;
use super::error::TranslationError;
use super::lex::{Flag, Given, flags};
use super::outputs::{Output, Outputs};
use super::table::{Fate, Meaning};
use crate::config::EngineEntry;

/// The task of a command line.
#[derive(Debug)]
pub enum Task {
    /// Games.
    Play(Box<Translation>),
    /// The checks of one engine.
    Check(String),
    /// The names of the engines that are configured.
    Engines,
    /// The page that maps every flag.
    Help,
    /// The version.
    Version,
}

/// A match or a test as our command line.
#[derive(Debug, Default)]
pub struct Translation {
    /// `match` or `sprt`, engines and flags.
    pub words: Vec<String>,
    /// The engines that the words name, unless `harness.yaml` has them.
    pub engines: Vec<(String, EngineEntry)>,
    /// Files to write when all games are played.
    pub outputs: Outputs,
    /// The only processors to use; empty: any.
    pub cpus: Vec<usize>,
    /// Notes on ignored or ambiguous flags, a line each.
    pub notes: Vec<String>,
}

/// Translates a command line.
///
/// # Errors
/// When something in it is not understood or not supported.
pub fn translate(arguments: &[String]) -> Result<Task, TranslationError> {
    let mut gathered = Gathered::default();
    for flag in flags(arguments)? {
        match flag.given.entry.fate {
            Fate::Mapped(Meaning::Help, _) => return Ok(Task::Help),
            Fate::Mapped(Meaning::Version, _) => return Ok(Task::Version),
            Fate::Mapped(Meaning::Engines, _) => return Ok(Task::Engines),
            Fate::Mapped(Meaning::Compliance, _) => return check(&flag),
            _ => gathered.take(&flag)?,
        }
    }
    Ok(Task::Play(Box::new(gathered.finish()?)))
}

fn check(flag: &Flag<'_>) -> Result<Task, TranslationError> {
    match flag.words {
        [engine] => Ok(Task::Check(engine.clone())),
        _ => Err(flag.given.unsupported(
            "name the engine with its `args:` in harness.yaml, then `harness check NAME`",
        )),
    }
}

/// The translation so far.
#[derive(Default)]
struct Gathered {
    engines: Vec<Said>,
    each: Said,
    /// Which of the two the keys of the moment are about.
    about_each: bool,
    rounds: Option<u64>,
    games: Option<u64>,
    is_test: bool,
    /// In the words of `--format`.
    format: Option<&'static str>,
    seeds: u64,
    no_swap: bool,
    reverse: bool,
    own_openings: bool,
    /// Parts of comments in the PGN.
    comments: Vec<String>,
    concurrency: Option<i64>,
    chess960: bool,
    has_openings: bool,
    resigns: bool,
    patience: Option<u64>,
    /// A file of fastchess to go on from, and whether not to read it.
    config: (Option<String>, bool),
    /// Flags of ours that `match` and `sprt` share, with their values.
    ours: Vec<(&'static str, Option<String>)>,
    said: Translation,
}

impl Gathered {
    fn take(&mut self, flag: &Flag<'_>) -> Result<(), TranslationError> {
        let fate = flag.given.entry.fate;
        self.follow(fate, flag.given, flag.words)?;
        for &key in &flag.keys {
            self.follow(key.entry.fate, key, &[])?;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        fate: Fate,
        given: Given<'_>,
        words: &[String],
    ) -> Result<(), TranslationError> {
        let is_one_of = |values: &[&str]| given.value.is_some_and(|value| values.contains(&value));
        match fate {
            Fate::Flag(ours) => self.set(ours, given.value()),
            Fate::Switch(ours) => self.switch(ours),
            Fate::Mapped(meaning, _) => self.map(meaning, given, words)?,
            Fate::Always(_) => {}
            Fate::Ignored(alike, why) => {
                if !is_one_of(alike) {
                    self.note(format!("`{}` is left out: {why}", given.text()));
                }
            }
        }
        Ok(())
    }

    fn map(
        &mut self,
        meaning: Meaning,
        given: Given<'_>,
        words: &[String],
    ) -> Result<(), TranslationError> {
        let value = given.value();
        match meaning {
            Meaning::Engine => {
                self.engines.push(Said::default());
                self.about_each = false;
            }
            Meaning::Each => self.about_each = true,
            Meaning::Quick => self.quick(),
            Meaning::QuickEngine => {
                self.engines.push(Said { command: Some(value.to_owned()), ..Said::default() });
            }
            Meaning::QuickBook => self.set("--openings", value),
            Meaning::Rounds => self.rounds = Some(given.count()?),
            Meaning::Games => self.games = Some(given.count()?),
            Meaning::Repeat => {
                let games = if given.value.is_some() { given.count()? } else { 2 };
                self.games = Some(self.games.unwrap_or(2).max(games));
            }
            Meaning::Concurrency => self.concurrency = value.parse().ok(),
            Meaning::Sprt => self.is_test = true,
            Meaning::SprtModel => self.set("--model", sprt_model(given)?),
            Meaning::Tournament => {
                self.format = Some(match value {
                    "gauntlet" => "gauntlet",
                    "pyramid" => "pyramid",
                    "knockout" => "knockout",
                    _ => "round-robin",
                });
            }
            Meaning::Seeds => self.seeds = given.count()?,
            Meaning::NoSwap => self.no_swap = true,
            Meaning::Reverse => self.reverse = true,
            Meaning::OpeningPolicy => self.own_openings = value == "encounter",
            Meaning::Wait => match value {
                "0" => {}
                milliseconds => self.set("--wait", &format!("{milliseconds}ms")),
            },
            Meaning::UciLog => self.switch("--log-uci"),
            Meaning::LogEngines if value == "true" => self.switch("--log-uci"),
            Meaning::LogEngines => {}
            Meaning::PgnComment => self.comment(given.name, value == "true"),
            Meaning::Variant => self.chess960 = is_chess960(given)?,
            Meaning::Openings => {
                self.has_openings = true;
                self.set("--order", "sequential");
            }
            // The name of the file says it.
            Meaning::OpeningsFormat => {}
            Meaning::Draw => {
                self.set_all(&[("--draw-from", "0"), ("--draw-moves", "1"), ("--draw-score", "0")])
            }
            Meaning::Resign => {
                self.resigns = true;
                self.set_all(&[("--resign-moves", "1"), ("--resign-score", "0")]);
            }
            Meaning::TwoSided if value == "true" => self.switch("--resign-two-sided"),
            Meaning::TwoSided => {}
            Meaning::MaxMoves => self.set_unless_zero("--max-moves", value),
            Meaning::RatingInterval => self.set_unless_zero("--report-every", value),
            Meaning::TablePieces => self.set_unless_zero("--tb-pieces", value),
            Meaning::Tables => self.set("--tb", &value.replace(';', ":")),
            Meaning::TablebaseResults => self.set("--tb-results", tablebase_results(value)),
            Meaning::Event => self.set("--event", &words.join(" ")),
            Meaning::Site => self.said.outputs.site = Some(words.join(" ")),
            Meaning::Affinity => {
                self.switch("--affinity");
                self.said.cpus = processors(given)?;
            }
            Meaning::Patience => self.patience = self.patience.max(Some(given.count()?)),
            Meaning::PgnOut => self.said.outputs.pgn = Some(Output::default()),
            Meaning::EpdOut => self.said.outputs.epd = Some(Output::default()),
            Meaning::PgnFile => self.pgn().file = Some(PathBuf::from(value)),
            Meaning::PgnAppend => self.pgn().anew = value == "false",
            Meaning::PgnMinimal => self.pgn().minimal = value != "false",
            Meaning::EpdFile => self.epd().file = Some(PathBuf::from(value)),
            Meaning::EpdAppend => self.epd().anew = value == "false",
            Meaning::ConfigFile => self.config.0 = Some(given.text()),
            Meaning::ConfigDiscard => self.config.1 = value == "true",
            Meaning::Compliance | Meaning::Engines | Meaning::Help | Meaning::Version => {
                unreachable!("it is instead of a run")
            }
            of_an_engine => self.about().take(of_an_engine, given)?,
        }
        Ok(())
    }

    /// The engine that keys are about.
    fn about(&mut self) -> &mut Said {
        match self.engines.last_mut() {
            Some(engine) if !self.about_each => engine,
            _ => &mut self.each,
        }
    }

    fn pgn(&mut self) -> &mut Output {
        self.said.outputs.pgn.get_or_insert_default()
    }

    fn epd(&mut self) -> &mut Output {
        self.said.outputs.epd.get_or_insert_default()
    }

    /// The defaults of `-quick`.
    fn quick(&mut self) {
        self.has_openings = true;
        self.rounds = Some(25_000);
        self.games = Some(2);
        self.concurrency = Some(-2);
        self.each.limits.set_clock("10+0.1");
        self.set_all(&[
            ("--order", "random"),
            ("--draw-from", "30"),
            ("--draw-moves", "8"),
            ("--draw-score", "8"),
        ]);
    }

    /// Sets a flag of ours; a later value replaces an earlier one.
    fn set(&mut self, ours: &'static str, value: &str) {
        match self.ours.iter_mut().find(|(flag, _)| *flag == ours) {
            Some((_, earlier)) => *earlier = Some(value.to_owned()),
            None => self.ours.push((ours, Some(value.to_owned()))),
        }
    }

    /// Adds a part of the comments in the PGN, or takes it out.
    fn comment(&mut self, part: &str, is_wanted: bool) {
        self.comments.retain(|other| other != part);
        if is_wanted {
            self.comments.push(part.to_owned());
        }
    }

    fn set_all(&mut self, ours: &[(&'static str, &str)]) {
        ours.iter().for_each(|(flag, value)| self.set(flag, value));
    }

    fn set_unless_zero(&mut self, ours: &'static str, value: &str) {
        self.ours.retain(|(flag, _)| *flag != ours);
        if value != "0" {
            self.set(ours, value);
        }
    }

    fn switch(&mut self, ours: &'static str) {
        self.ours.retain(|(flag, _)| *flag != ours);
        self.ours.push((ours, None));
    }

    fn note(&mut self, note: String) {
        if !self.said.notes.contains(&note) {
            self.said.notes.push(note);
        }
    }

    fn finish(mut self) -> Result<Translation, TranslationError> {
        let given = self.engines.len();
        if given < 2 {
            return Err(TranslationError::Engines { wanted: "two engines", given });
        }
        if self.is_test && given != 2 {
            return Err(TranslationError::Engines { wanted: "exactly two engines", given });
        }
        if let (Some(file), false) = &self.config {
            return Err(TranslationError::Unsupported {
                argument: file.clone(),
                reason: "runs are kept in the reports folder: `harness resume last`".to_owned(),
            });
        }
        self.said.words = vec![if self.is_test { "sprt" } else { "match" }.to_owned()];
        let engines: Vec<Said> = self.engines.iter().map(|own| own.with(&self.each)).collect();
        self.engines(&engines)?;
        self.books(&engines)?;
        self.games()?;
        self.jobs();
        if let Some(patience) = self.patience.filter(|&patience| patience > 0) {
            self.set("--patience", &format!("{patience}ms"));
        }
        if self.chess960 {
            self.switch("--chess960");
        }
        if !self.comments.is_empty() {
            self.set("--pgn-comments", &self.comments.join(","));
        }
        if !self.has_openings && !self.chess960 {
            self.note(
                "without `-openings` games begin from the harness's own openings: from the start \
                 position alone they would repeat"
                    .to_owned(),
            );
        }
        for output in self.said.outputs.all() {
            if output.file.is_none() {
                self.said.notes.push("without a file, games stay in the run's folder".to_owned());
            }
        }
        for (flag, value) in self.ours {
            match value {
                // A number below zero would be taken for a flag.
                Some(value) if value.starts_with('-') => {
                    self.said.words.push(format!("{flag}={value}"));
                }
                Some(value) => self.said.words.extend([flag.to_owned(), value]),
                None => self.said.words.push(flag.to_owned()),
            }
        }
        Ok(self.said)
    }

    /// The engines with their limits.
    fn engines(&mut self, engines: &[Said]) -> Result<(), TranslationError> {
        let mut names: Vec<String> = Vec::new();
        let mut limits = Vec::new();
        for engine in engines {
            let name = name(engine, &names)?;
            if engine.limits.has_two_times() {
                return Err(TranslationError::Unsupported {
                    argument: format!("tc= and st= of {name}"),
                    reason: "a clock or a time a move, not both".to_owned(),
                });
            }
            limits
                .push(engine.limits.text().ok_or_else(|| TranslationError::NoLimit(name.clone()))?);
            self.engine(&name, engine);
            names.push(name);
        }
        self.said.words.extend(names.iter().cloned());
        match limits[0].split_once('=') {
            Some((kind, value)) if limits.iter().all(|other| *other == limits[0]) => {
                if value.contains(',') {
                    for name in &names {
                        let limit = format!("{name}:{}", limits[0]);
                        self.said.words.extend(["--limit".to_owned(), limit]);
                    }
                } else {
                    self.said.words.extend([format!("--{kind}"), value.to_owned()]);
                }
            }
            _ => {
                for (name, limit) in names.iter().zip(&limits) {
                    self.said.words.extend(["--limit".to_owned(), format!("{name}:{limit}")]);
                }
            }
        }
        let margins: Vec<u64> = engines.iter().map(|engine| engine.margin.unwrap_or(0)).collect();
        if let Some(&largest) = margins.iter().max().filter(|&&largest| largest > 0) {
            self.set("--time-margin", &largest.to_string());
            if margins.iter().any(|&margin| margin != largest) {
                self.note(format!("the time margin of {largest} ms is for all engines"));
            }
        }
        let restarts = engines.iter().filter(|engine| engine.restart == Some(true)).count();
        if restarts > 0 {
            self.switch("--restart");
            if restarts < engines.len() {
                self.note("`restart=on` of one engine: all are started anew".to_owned());
            }
        }
        if engines.iter().any(|engine| engine.white_view) {
            if self.resigns {
                return Err(TranslationError::Unsupported {
                    argument: "whitepov".to_owned(),
                    reason: "with -resign, scores must be those of the side to move".to_owned(),
                });
            }
            self.note("`whitepov`: scores are shown as the engine sends them".to_owned());
        }
        let ponderers = engines.iter().filter(|engine| engine.ponder).count();
        if ponderers > 0 {
            self.switch("--ponder");
            if ponderers < engines.len() {
                self.note("`ponder` of one engine: all that can do think on".to_owned());
            }
        }
        let slowest = engines.iter().filter_map(|engine| engine.timeouts).fold(0.0, f64::max);
        if slowest > 0.0 {
            let patience = self.patience.unwrap_or(10_000) as f64 * slowest;
            self.patience = Some(patience as u64);
        }
        Ok(())
    }

    /// One engine as an entry of `harness.yaml`, or its options beside the entry that is there.
    fn engine(&mut self, name: &str, engine: &Said) {
        let Some(cmd) = engine.program() else {
            for (option, value) in &engine.options {
                let option = format!("{name}.{option}={value}");
                self.ours.push(("--option", Some(option)));
            }
            return;
        };
        let entry = EngineEntry {
            cmd,
            args: engine.arguments.clone(),
            proto: engine.protocol,
            init: engine.init.clone(),
            dir: engine
                .folder
                .as_ref()
                .map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
            options: engine.options.clone(),
        };
        self.said.engines.push((name.to_owned(), entry));
    }

    /// A Polyglot book that all engines play from is a book of openings.
    fn books(&mut self, engines: &[Said]) -> Result<(), TranslationError> {
        let Some(book) = engines.iter().find_map(|engine| engine.book.clone()) else {
            return Ok(());
        };
        let refused = |reason: &str| TranslationError::Unsupported {
            argument: format!("book={book}"),
            reason: reason.to_owned(),
        };
        if engines.iter().any(|engine| engine.book.as_deref() != Some(&book)) {
            return Err(refused("one book for all engines can be their openings, not several"));
        }
        if self.has_openings {
            return Err(refused("games begin from -openings or from a book, not from both"));
        }
        self.has_openings = true;
        self.set("--openings", &book);
        let depth = engines.iter().filter_map(|engine| engine.book_depth).min();
        if let Some(moves) = depth {
            self.set("--opening-plies", &(2 * moves.min(1000)).to_string());
        }
        self.note(
            "games begin from the lines of the book, each played twice; engines think from its \
             end on"
                .to_owned(),
        );
        Ok(())
    }

    /// Number of games and format.
    fn games(&mut self) -> Result<(), TranslationError> {
        let games = match (self.rounds, self.games) {
            (rounds, Some(games)) if games > 2 => rounds.unwrap_or(1).saturating_mul(games),
            (rounds, games) => rounds.unwrap_or(2).saturating_mul(games.unwrap_or(2)),
        };
        if self.games == Some(1) {
            self.note(
                "`-games 1`: each opening is played twice, colours swapped; error bars come from \
                 pairs"
                    .to_owned(),
            );
        } else if self.games.is_none() && self.rounds.is_some() {
            self.note("a round has two games, as in fastchess (`-games`)".to_owned());
        }
        if self.is_test {
            if self.no_swap {
                return Err(TranslationError::Unsupported {
                    argument: "-noswap".to_owned(),
                    reason: "an SPRT is computed from pairs of games with colours swapped"
                        .to_owned(),
                });
            }
            if self.reverse {
                self.note("`-reverse` changes nothing in a test: colours are swapped".to_owned());
            }
            if self.rounds.is_some() || self.games.is_some_and(|games| games > 2) {
                self.said.words.extend(["--max-games".to_owned(), games.to_string()]);
            }
            return Ok(());
        }
        self.said.words.extend(["--games".to_owned(), games.to_string()]);
        let format = self.format.unwrap_or("round-robin");
        if self.format.is_some() || self.engines.len() > 2 {
            self.said.words.extend(["--format".to_owned(), format.to_owned()]);
        }
        if format == "gauntlet" && self.seeds > 1 {
            self.said.words.extend(["--seeds".to_owned(), self.seeds.to_string()]);
        }
        let switches = [
            (self.no_swap, "--no-swap"),
            (self.reverse, "--reverse"),
            (self.own_openings, "--own-openings"),
        ];
        let given = switches.into_iter().filter(|(is_given, _)| *is_given);
        self.said.words.extend(given.map(|(_, switch)| switch.to_owned()));
        Ok(())
    }

    fn jobs(&mut self) {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = match self.concurrency.unwrap_or(1) {
            fewer if fewer <= 0 => processors
                .saturating_sub(usize::try_from(fewer.unsigned_abs()).unwrap_or(usize::MAX)),
            jobs => usize::try_from(jobs).unwrap_or(usize::MAX),
        };
        self.set("--jobs", &jobs.max(1).to_string());
    }
}

/// The name of an engine: as given, else that of its program, and unlike the others.
fn name(engine: &Said, others: &[String]) -> Result<String, TranslationError> {
    if let (Some(configured), None) = (&engine.configured, &engine.command) {
        return Ok(configured.clone());
    }
    let command = engine.command.as_ref().ok_or_else(|| TranslationError::Value {
        argument: "-engine".to_owned(),
        takes: "cmd=PROGRAM, or conf=NAME of `harness.yaml`".to_owned(),
    })?;
    let stem = || {
        let stem = std::path::Path::new(command).file_stem();
        stem.map_or_else(|| command.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let name = engine.name.clone().unwrap_or_else(stem);
    // These words mean something else than a name.
    let name = match name.as_str() {
        "builtin" | "." => format!("{name}_1"),
        _ => name,
    };
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    Ok(names.find(|name| !others.contains(name)).unwrap_or(name))
}

/// The model of Elo of an SPRT.
fn sprt_model(given: Given<'_>) -> Result<&str, TranslationError> {
    match given.value() {
        "bayesian" => Err(given.unsupported(
            "it ignores pairs; logistic bounds of (1 - d²) times its own, d being the share of \
             draws, test the same hypotheses",
        )),
        model => Ok(model),
    }
}

/// Whether a variant is Chess960.
fn is_chess960(given: Given<'_>) -> Result<bool, TranslationError> {
    match given.value() {
        "standard" => Ok(false),
        "fischerandom" | "chess960" => Ok(true),
        _ => Err(given.unsupported("there are standard and fischerandom")),
    }
}

/// The results of tablebases that end a game, in the words of `--tb-results`.
fn tablebase_results(value: &str) -> &'static str {
    match value {
        "WIN_LOSS" => "wins",
        "DRAW" => "draws",
        _ => "all",
    }
}

/// The processors of a list; none without a list.
fn processors(given: Given<'_>) -> Result<Vec<usize>, TranslationError> {
    let Some(list) = given.value else { return Ok(Vec::new()) };
    cpus(list).ok_or_else(|| TranslationError::Value {
        argument: given.text(),
        takes: "processors, such as 3,5,7-11".to_owned(),
    })
}

/// Reads `3,5,7-11`.
fn cpus(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 65_535 {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests;
