//! Our command line, from what flags of another tool say.

use std::path::{Path, PathBuf};

use super::engine::EngineSettings;
use super::engines_file;
use super::error::TranslationError;
use super::flags::TranslationDraft;
use super::outputs::Output;
use super::stream::Dialect;
use super::translation::Translation;
use crate::config::{Definition, EngineEntry};
use crate::files::{Destination, is_same_file};

impl TranslationDraft {
    /// The words of our command line, its engines and files.
    pub fn finish(mut self) -> Result<Translation, TranslationError> {
        if let (Some(file), false) = &self.config {
            self.translation.continues = Some(file.into());
            return Ok(self.translation);
        }
        let given = self.engines.len();
        if given < 2 {
            return Err(TranslationError::Engines { wanted: "two engines", given });
        }
        if self.is_test && given != 2 {
            return Err(TranslationError::Engines { wanted: "exactly two engines", given });
        }
        self.translation.words = vec![if self.is_test { "sprt" } else { "match" }.to_owned()];
        let engines = self.engines.iter().map(|own| Ok(configured(own)?.with(&self.each)));
        let engines: Vec<EngineSettings> = engines.collect::<Result<_, TranslationError>>()?;
        let names = self.engines(&engines)?;
        self.books(&engines)?;
        self.refuse_shared_files()?;
        self.games()?;
        self.jobs();
        if let Some(patience) = self.patience.filter(|&patience| patience > 0) {
            self.set("--patience", &format!("{patience}ms"));
        }
        let variant = self.variant.as_ref().map(|(flag, _)| *flag);
        match self.variant.take() {
            None => {}
            Some((flag, None)) => self.switch(flag),
            Some((flag, Some(value))) => self.set(flag, &value),
        }
        if !self.comments.is_empty() {
            self.set("--pgn-comments", &self.comments.join(","));
        }
        let begin = match variant {
            None => Some("from the harness's own openings"),
            // The start positions are openings enough.
            Some("--chess960") => None,
            Some(_) => Some("with a few random moves"),
        };
        if let Some(begin) = begin.filter(|_| !self.has_openings) {
            self.note(format!(
                "without `-openings` games begin {begin}: from the start position alone they would \
                 repeat"
            ));
        }
        for output in self.translation.outputs.all() {
            if output.file.is_none() {
                self.translation
                    .notes
                    .push("without a file, games stay in the run's folder".to_owned());
            }
        }
        for line in std::mem::take(&mut self.pgn_lines) {
            self.ours.push(("--pgn-lines", Some(line)));
        }
        // As there: pairs need both games.
        let lines = &mut self.translation.lines;
        lines.by_pairs &= lines.dialect == Dialect::Fastchess && self.games != Some(1);
        self.describe(&engines, &names);
        let definitions = std::mem::take(&mut self.definitions);
        for (flag, value) in self.ours {
            match value {
                // A number below zero would be taken for a flag.
                Some(value) if value.starts_with('-') => {
                    self.translation.words.push(format!("{flag}={value}"));
                }
                Some(value) => self.translation.words.extend([flag.to_owned(), value]),
                None => self.translation.words.push(flag.to_owned()),
            }
        }
        // The longest words come last.
        for definition in definitions {
            self.translation.words.extend(["--define".to_owned(), definition.to_string()]);
        }
        Ok(self.translation)
    }

    /// The engines with their limits.
    fn engines(&mut self, engines: &[EngineSettings]) -> Result<Vec<String>, TranslationError> {
        let mut names: Vec<String> = Vec::new();
        let mut limits = Vec::new();
        for engine in engines {
            let name = name(engine, &names)?;
            if let Some(given) = engine.name.as_ref().filter(|given| **given != name) {
                self.note(format!("`name={given}`: the engine is `{name}` in results and games"));
            }
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
        self.translation.words.extend(names.iter().cloned());
        match limits[0].split_once('=') {
            Some((kind, value)) if limits.iter().all(|other| *other == limits[0]) => {
                if value.contains(',') {
                    for name in &names {
                        let limit = format!("{name}:{}", limits[0]);
                        self.translation.words.extend(["--limit".to_owned(), limit]);
                    }
                } else {
                    self.translation.words.extend([format!("--{kind}"), value.to_owned()]);
                }
            }
            _ => {
                for (name, limit) in names.iter().zip(&limits) {
                    self.translation
                        .words
                        .extend(["--limit".to_owned(), format!("{name}:{limit}")]);
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
                self.note("`restart=on` of one engine: all are restarted".to_owned());
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
        Ok(names)
    }

    /// One engine as a definition, or its options beside the entry that is there.
    fn engine(&mut self, name: &str, engine: &EngineSettings) {
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
        self.definitions.push(Definition { name: name.to_owned(), entry });
    }

    /// A Polyglot book that all engines play from is a book of openings.
    fn books(&mut self, engines: &[EngineSettings]) -> Result<(), TranslationError> {
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

    /// Refuses a file of the run that another flag reads or writes, too.
    fn refuse_shared_files(&self) -> Result<(), TranslationError> {
        let Translation { outputs, config_file, lines, .. } = &self.translation;
        let book = self.ours.iter().find(|(flag, _)| *flag == "--openings");
        let book = book.and_then(|(_, file)| file.as_ref()).map(PathBuf::from);
        let written = |output: &Option<Output>| output.as_ref()?.file.clone();
        let saved = (lines.dialect != Dialect::Cutechess).then(|| config_file.clone());
        let files = [
            ("-openings", book),
            ("-pgnout", written(&outputs.pgn)),
            ("-epdout", written(&outputs.epd)),
            ("-config outname=", saved),
        ];
        for (at, (second, file)) in files.iter().enumerate() {
            let Some(file) = file.as_ref().filter(|file| is_regular(file)) else { continue };
            let is_shared = |earlier: &Option<PathBuf>| {
                earlier.as_ref().is_some_and(|earlier| is_same_file(earlier, file))
            };
            if let Some((first, _)) = files[..at].iter().find(|(_, earlier)| is_shared(earlier)) {
                let (first, second, file) = (*first, *second, file.display().to_string());
                return Err(TranslationError::SharedFile { first, second, file });
            }
        }
        Ok(())
    }

    /// Number of games and format.
    fn games(&mut self) -> Result<(), TranslationError> {
        let games = match (self.rounds, self.games) {
            (rounds, Some(games)) if games > 2 => rounds.unwrap_or(1).saturating_mul(games),
            (rounds, games) => rounds.unwrap_or(2).saturating_mul(games.unwrap_or(2)),
        };
        if self.games == Some(1) && !self.no_swap {
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
                self.translation.words.extend(["--max-games".to_owned(), games.to_string()]);
            }
            return Ok(());
        }
        self.translation.words.extend(["--games".to_owned(), games.to_string()]);
        let format = self.format.unwrap_or("round-robin");
        if self.format.is_some() || self.engines.len() > 2 {
            self.translation.words.extend(["--format".to_owned(), format.to_owned()]);
        }
        if format == "gauntlet" && self.seeds > 1 {
            self.translation.words.extend(["--seeds".to_owned(), self.seeds.to_string()]);
            // In fastchess; not in cutechess-cli.
            if self.is_fastchess() {
                self.translation.words.push("--seeds-meet".to_owned());
            }
        }
        if self.takes_openings() && self.is_fastchess() {
            // As there: of the book as many as there are rounds, which come again with other engines.
            let rounds = self.rounds.unwrap_or(2).max(1);
            self.set("--opening-count", &rounds.to_string());
        }
        let switches = [
            (self.no_swap, "--no-swap"),
            (self.reverse, "--reverse"),
            // There each pair of games takes the next opening, whoever meets.
            (self.takes_openings(), "--own-openings"),
        ];
        let given = switches.into_iter().filter(|(is_given, _)| *is_given);
        self.translation.words.extend(given.map(|(_, switch)| switch.to_owned()));
        Ok(())
    }

    /// Whether each pair of games takes the next opening, whoever meets.
    fn takes_openings(&self) -> bool {
        self.engines.len() > 2 && !self.shares_openings
    }

    fn is_fastchess(&self) -> bool {
        self.translation.lines.dialect != Dialect::Cutechess
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

/// Whether a path is that of a file, which may be missing, and not that of a device such as `/dev/null`.
fn is_regular(path: &Path) -> bool {
    matches!(Destination::of(path), Destination::File(_))
}

/// An engine with what `engines.json` says of it; one of another name is one of `harness.yaml`.
fn configured(own: &EngineSettings) -> Result<EngineSettings, TranslationError> {
    let Some(name) = own.configured.as_ref().filter(|_| own.command.is_none()) else {
        return Ok(own.clone());
    };
    let found = engines_file::engine(name).map_err(|reason| TranslationError::Unsupported {
        argument: format!("conf={name}"),
        reason,
    })?;
    let own = || EngineSettings { configured: None, ..own.clone() };
    Ok(found.map_or_else(
        || EngineSettings { configured: Some(name.clone()), ..own() },
        |found| found.with(&own()),
    ))
}

/// The name of an engine: as given, else that of its program, and unlike the others.
fn name(engine: &EngineSettings, others: &[String]) -> Result<String, TranslationError> {
    if let (Some(configured), None) = (&engine.configured, &engine.command) {
        return Ok(configured.clone());
    }
    let command = engine.command.as_ref().ok_or_else(|| TranslationError::Value {
        argument: "-engine".to_owned(),
        takes: "cmd=PROGRAM, or conf=NAME of `harness.yaml`".to_owned(),
    })?;
    let stem = || {
        let stem = Path::new(command).file_stem();
        stem.map_or_else(|| command.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let name = engine.name.clone().unwrap_or_else(stem);
    // These words mean something else than a name.
    let name = match name.as_str() {
        "builtin" | "." => format!("{name}_1"),
        flag if flag.starts_with('-') => format!("_{name}"),
        _ => name,
    };
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    Ok(names.find(|name| !others.contains(name)).unwrap_or(name))
}
