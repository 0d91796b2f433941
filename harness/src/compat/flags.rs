//! The flags of a command line, gathered.

use std::path::PathBuf;

use super::engine::EngineSettings;
use super::error::TranslationError;
use super::lex::{Flag, WrittenFlag};
use super::outputs::Output;
use super::stream::{Dialect, LineSettings};
use super::table::{Fate, Meaning};
use super::translation::Translation;
use super::values::{processors, sprt_model, tablebase_results, variant};
use crate::config::Definition;

/// The translation so far.
#[derive(Default)]
pub(super) struct TranslationDraft {
    pub engines: Vec<EngineSettings>,
    pub each: EngineSettings,
    /// Which of the two the keys of the moment are about.
    pub about_each: bool,
    pub rounds: Option<u64>,
    pub games: Option<u64>,
    pub is_test: bool,
    /// In the words of `--format`.
    pub format: Option<&'static str>,
    pub seeds: u64,
    pub no_swap: bool,
    pub reverse: bool,
    pub shares_openings: bool,
    /// Parts of comments in the PGN.
    pub comments: Vec<String>,
    pub concurrency: Option<i64>,
    /// The flag of a variant with its value.
    pub variant: Option<(&'static str, Option<String>)>,
    pub has_openings: bool,
    pub resigns: bool,
    pub patience: Option<u64>,
    /// Regular expressions of lines for the comments in the PGN.
    pub pgn_lines: Vec<String>,
    /// A saved configuration to continue from, and whether not to read it.
    pub config: (Option<String>, bool),
    /// Flags of ours that `match` and `sprt` share, with their values.
    pub ours: Vec<(&'static str, Option<String>)>,
    /// The engines that are programs.
    pub definitions: Vec<Definition>,
    pub translation: Translation,
}

impl TranslationDraft {
    pub fn take(&mut self, flag: &Flag<'_>) -> Result<(), TranslationError> {
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
        given: WrittenFlag<'_>,
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
        given: WrittenFlag<'_>,
        words: &[String],
    ) -> Result<(), TranslationError> {
        let value = given.value();
        match meaning {
            Meaning::Engine => {
                self.engines.push(EngineSettings::default());
                self.about_each = false;
            }
            Meaning::Each => self.about_each = true,
            Meaning::Quick => self.quick(),
            Meaning::QuickEngine => {
                self.engines.push(EngineSettings {
                    command: Some(value.to_owned()),
                    ..EngineSettings::default()
                });
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
            other => self.map_rules(other, given, words)?,
        }
        Ok(())
    }

    /// Takes flags of the openings and of when a game ends; the others are of the runner.
    fn map_rules(
        &mut self,
        meaning: Meaning,
        given: WrittenFlag<'_>,
        words: &[String],
    ) -> Result<(), TranslationError> {
        let value = given.value();
        match meaning {
            Meaning::OpeningPolicy => self.shares_openings = value == "round",
            Meaning::Wait => match value {
                "0" => {}
                milliseconds => self.set("--wait", &format!("{milliseconds}ms")),
            },
            Meaning::Variant => self.variant = variant(given)?,
            Meaning::Openings => {
                self.has_openings = true;
                self.set("--order", "sequential");
            }
            Meaning::OpeningsOrder => {
                let is_random = value == "random";
                self.lines().shuffles = is_random;
                self.set("--order", if is_random { "fastchess" } else { "sequential" });
            }
            // The file says it.
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
            Meaning::RatingInterval => {
                self.lines().has_rating_interval = true;
                self.lines().rating_interval = Some(given.count()?).filter(|&every| every > 0);
                self.set_unless_zero("--report-every", value);
            }
            Meaning::TablePieces => self.set_unless_zero("--tb-pieces", value),
            Meaning::Tables => self.set("--tb", &value.replace(';', ":")),
            Meaning::TablebaseResults => self.set("--tb-results", tablebase_results(value)),
            Meaning::Affinity => {
                self.switch("--affinity");
                self.translation.cpus = processors(given)?;
            }
            Meaning::Patience => self.patience = self.patience.max(Some(given.count()?)),
            Meaning::ConfigFile => self.config.0 = Some(value.to_owned()),
            Meaning::ConfigDiscard => {
                self.config.1 = value == "true";
                self.lines().discards = self.config.1;
            }
            Meaning::Compliance | Meaning::Engines | Meaning::Help | Meaning::Version => {
                unreachable!("it is instead of a run")
            }
            other => self.map_output(other, given, words)?,
        }
        Ok(())
    }

    /// Takes flags of the files to write; the others belong to an engine.
    fn map_output(
        &mut self,
        meaning: Meaning,
        given: WrittenFlag<'_>,
        words: &[String],
    ) -> Result<(), TranslationError> {
        let value = given.value();
        match meaning {
            Meaning::ScoreInterval => {
                self.lines().score_interval = Some(given.count()?).filter(|&every| every > 0);
            }
            Meaning::OutcomeInterval => {
                self.lines().outcome_interval = Some(given.count()?).filter(|&every| every > 0);
            }
            Meaning::SaveInterval => {
                self.lines().save_interval = Some(given.count()?).filter(|&every| every > 0);
            }
            Meaning::OutputFormat if value == "cutechess" => {
                self.lines().dialect = Dialect::FastchessAsCutechess;
            }
            Meaning::OutputFormat => self.lines().dialect = Dialect::Fastchess,
            Meaning::Report => self.lines().by_pairs = value == "true",
            Meaning::Checksum => self.translation.outputs.checksum = value == "true",
            Meaning::CheckMates => self.translation.check_mates = true,
            Meaning::OneLineWarnings => self.lines().one_line_warnings = true,
            Meaning::Strict => self.lines().strict = true,
            Meaning::Recover => self.lines().recovers = true,
            Meaning::ConfigOut => self.translation.config_file = PathBuf::from(value),
            Meaning::PgnLine => self.pgn_lines.push(value.to_owned()),
            Meaning::UciLog => self.switch("--log-uci"),
            Meaning::LogEngines if value == "true" => self.switch("--log-uci"),
            Meaning::LogEngines => {}
            Meaning::Event => self.set("--event", &words.join(" ")),
            Meaning::PgnComment => self.comment(given.name, value == "true"),
            Meaning::Site => self.translation.outputs.site = Some(words.join(" ")),
            Meaning::PgnOut => self.translation.outputs.pgn = Some(Output::default()),
            Meaning::EpdOut => self.translation.outputs.epd = Some(Output::default()),
            Meaning::PgnFile => self.pgn().file = Some(PathBuf::from(value)),
            Meaning::PgnAppend => self.pgn().overwrite = value == "false",
            Meaning::PgnNodes => self.pgn().nodes = value == "true",
            Meaning::PgnMinimal => self.pgn().minimal = value != "false",
            Meaning::EpdFile => self.epd().file = Some(PathBuf::from(value)),
            Meaning::EpdAppend => self.epd().overwrite = value == "false",
            of_an_engine => self.about().take(of_an_engine, given)?,
        }
        Ok(())
    }

    /// The engine that keys are about.
    fn about(&mut self) -> &mut EngineSettings {
        match self.engines.last_mut() {
            Some(engine) if !self.about_each => engine,
            _ => &mut self.each,
        }
    }

    fn lines(&mut self) -> &mut LineSettings {
        &mut self.translation.lines
    }

    fn pgn(&mut self) -> &mut Output {
        self.translation.outputs.pgn.get_or_insert_default()
    }

    fn epd(&mut self) -> &mut Output {
        self.translation.outputs.epd.get_or_insert_default()
    }

    /// The defaults of `-quick`.
    fn quick(&mut self) {
        self.has_openings = true;
        self.rounds = Some(25_000);
        self.games = Some(2);
        self.concurrency = Some(-2);
        self.each.limits.set_clock("10+0.1");
        self.set_all(&[
            ("--order", "fastchess"),
            ("--draw-from", "30"),
            ("--draw-moves", "8"),
            ("--draw-score", "8"),
        ]);
    }

    /// Sets a flag of ours; a later value replaces an earlier one.
    pub fn set(&mut self, ours: &'static str, value: &str) {
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

    pub fn set_all(&mut self, ours: &[(&'static str, &str)]) {
        ours.iter().for_each(|(flag, value)| self.set(flag, value));
    }

    pub fn set_unless_zero(&mut self, ours: &'static str, value: &str) {
        self.ours.retain(|(flag, _)| *flag != ours);
        if value != "0" {
            self.set(ours, value);
        }
    }

    pub fn switch(&mut self, ours: &'static str) {
        self.ours.retain(|(flag, _)| *flag != ours);
        self.ours.push((ours, None));
    }

    pub fn note(&mut self, note: String) {
        if !self.translation.notes.contains(&note) {
            self.translation.notes.push(note);
        }
    }
}
