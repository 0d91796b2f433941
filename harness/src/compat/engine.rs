//! Settings of an engine in a command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::TranslationError;
use super::lex::WrittenFlag;
use super::table::Meaning;
use crate::player::{Protocol, TimeControl, parse_movetime};
use crate::text::path::encode_path;
use crate::text::shell_split;

/// Settings of an engine, or of each (`-each`).
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    pub name: Option<String>,
    pub protocol: Protocol,
    /// Lines that are sent first.
    pub init: Vec<String>,
    pub ponder: bool,
    pub command: Option<String>,
    /// Its name in `harness.yaml`, instead of a command.
    pub configured: Option<String>,
    pub folder: Option<PathBuf>,
    pub arguments: Vec<String>,
    pub options: BTreeMap<String, String>,
    pub limits: Limits,
    /// Allowed overrun in milliseconds.
    pub margin: Option<u64>,
    pub restart: Option<bool>,
    pub white_view: bool,
    pub book: Option<String>,
    pub book_depth: Option<u64>,
    /// Factor of all timeouts.
    pub timeouts: Option<f64>,
}

/// Limits of its searches, as written in the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// `None` inside: `tc=inf`.
    clock: Option<Option<String>>,
    /// In seconds.
    move_time: Option<String>,
    nodes: Option<u64>,
    depth: Option<u64>,
}

impl EngineSettings {
    /// Takes a key; returns whether it is one of an engine.
    ///
    /// # Errors
    /// When its value is invalid.
    pub fn take(
        &mut self,
        meaning: Meaning,
        given: WrittenFlag<'_>,
    ) -> Result<(), TranslationError> {
        let value = given.value();
        match meaning {
            Meaning::Configured => self.configured = Some(value.to_owned()),
            Meaning::Command => self.command = Some(value.to_owned()),
            Meaning::Name => self.name = Some(value.to_owned()),
            Meaning::Folder => self.folder = Some(PathBuf::from(value)),
            Meaning::Arguments => {
                let words = shell_split(value).ok_or_else(|| TranslationError::Value {
                    argument: given.text(),
                    takes: "words as a shell reads them: a quote is not closed".to_owned(),
                })?;
                self.arguments.extend(words);
            }
            Meaning::Argument => self.arguments.push(value.to_owned()),
            Meaning::UciOption => {
                let option = given.name.strip_prefix("option.").unwrap_or(given.name);
                self.options.insert(option.to_owned(), value.to_owned());
            }
            Meaning::Clock => self.limits.clock = Some(clock(given)?),
            Meaning::MoveTime => self.limits.move_time = move_time(given)?,
            Meaning::Nodes => self.limits.nodes = Some(given.count()?),
            Meaning::Depth => self.limits.depth = Some(given.count()?),
            Meaning::Protocol if value == "xboard" => self.protocol = Protocol::Xboard,
            Meaning::Protocol => {}
            Meaning::Ponder => self.ponder = !matches!(given.value, Some("false" | "off")),
            // Two characters stand for the end of a line.
            Meaning::InitString => {
                self.init.extend(value.split("\\n").map(str::to_owned));
            }
            Meaning::Margin => self.margin = Some(given.count()?),
            Meaning::Restart => self.restart = Some(value == "on"),
            Meaning::WhiteView => self.white_view = true,
            Meaning::Book => self.book = Some(value.to_owned()),
            Meaning::BookDepth => self.book_depth = Some(given.count()?),
            Meaning::Timeouts => self.timeouts = value.parse().ok(),
            other => unreachable!("{other:?} is no key of an engine"),
        }
        Ok(())
    }

    /// Merged with `-each`, which wins: both programs read it last.
    pub fn with(&self, each: &EngineSettings) -> EngineSettings {
        let mut options = self.options.clone();
        options.extend(each.options.clone());
        EngineSettings {
            name: each.name.clone().or_else(|| self.name.clone()),
            command: each.command.clone().or_else(|| self.command.clone()),
            configured: each.configured.clone().or_else(|| self.configured.clone()),
            protocol: match each.protocol {
                Protocol::Uci => self.protocol,
                other => other,
            },
            init: [&self.init[..], &each.init].concat(),
            ponder: each.ponder || self.ponder,
            folder: each.folder.clone().or_else(|| self.folder.clone()),
            arguments: [&self.arguments[..], &each.arguments].concat(),
            options,
            limits: Limits {
                clock: each.limits.clock.clone().or_else(|| self.limits.clock.clone()),
                move_time: each.limits.move_time.clone().or_else(|| self.limits.move_time.clone()),
                nodes: each.limits.nodes.or(self.limits.nodes),
                depth: each.limits.depth.or(self.limits.depth),
            },
            margin: each.margin.or(self.margin),
            restart: each.restart.or(self.restart),
            white_view: each.white_view || self.white_view,
            book: each.book.clone().or_else(|| self.book.clone()),
            book_depth: each.book_depth.or(self.book_depth),
            timeouts: each.timeouts.or(self.timeouts),
        }
    }

    /// The program: in the engine's folder if it is there, else a path seen from here, else a name
    /// on PATH.
    pub fn program(&self) -> Option<String> {
        let command = self.command.as_deref()?;
        let absolute = |path: &Path| {
            encode_path(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
        };
        if let Some(path) = self.folder.as_ref().map(|folder| folder.join(command))
            && path.is_file()
        {
            return Some(absolute(&path));
        }
        Some(if command.contains('/') { absolute(Path::new(command)) } else { command.to_owned() })
    }
}

/// A clock in the form that we read; `None`: no clock.
///
/// # Errors
/// When it is none: what is handed on is not refused later, in other words.
fn clock(given: WrittenFlag<'_>) -> Result<Option<String>, TranslationError> {
    let value = given.value().trim();
    // The time of all moves, of none and of infinitely many is that of the whole game.
    let is_whole = |moves: &str| is_infinite(moves) || moves.parse() == Ok(0);
    let whole = value.split_once('/').filter(|(moves, _)| is_whole(moves));
    let clock = whole.map_or(value, |(_, clock)| clock);
    // Seconds may have their unit.
    let parts: Vec<&str> = clock.split('+').map(|part| part.trim_end_matches('s')).collect();
    let is_zero = |part: &&str| part.parse() == Ok(0.0);
    if is_infinite(clock) || parts.iter().all(is_zero) {
        return Ok(None);
    }
    let clock = parts.join("+");
    let read = clock.parse::<TimeControl>();
    read.map(|_| Some(clock)).map_err(|error| TranslationError::Value {
        argument: given.text(),
        takes: format!("a clock such as 8+0.08, 40/60 and 1:30+1: {}", error.reason),
    })
}

fn is_infinite(text: &str) -> bool {
    matches!(text, "inf" | "infinite")
}

/// Seconds a move; `None`: no limit.
fn move_time(given: WrittenFlag<'_>) -> Result<Option<String>, TranslationError> {
    let seconds = given.value().trim().trim_end_matches('s');
    if seconds.parse() == Ok(0.0) {
        return Ok(None);
    }
    parse_movetime(&format!("{seconds}s")).map_err(|_| TranslationError::Value {
        argument: given.text(),
        takes: "seconds a move, such as 0.5".to_owned(),
    })?;
    Ok(Some(seconds.to_owned()))
}

impl Limits {
    /// Sets the clock, in our form.
    pub fn set_clock(&mut self, clock: &str) {
        self.clock = Some(Some(clock.to_owned()));
    }

    /// A value of `--limit`: `tc=8+0.08`, `nodes=500`, several joined by commas; `None` without any.
    /// Zero is no limit, as there.
    pub fn text(&self) -> Option<String> {
        let clock = self.clock.clone().flatten().map(|clock| format!("tc={clock}"));
        let move_time = self.move_time.as_ref().map(|seconds| format!("movetime={seconds}s"));
        let nodes = self.nodes.filter(|&nodes| nodes > 0).map(|nodes| format!("nodes={nodes}"));
        // No engine looks deeper.
        let depth = self.depth.filter(|&depth| depth > 0);
        let depth = depth.map(|depth| format!("depth={}", depth.min(255)));
        let parts: Vec<String> = [clock, move_time, nodes, depth].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(","))
    }

    /// The clock in our form, seconds a move, nodes and depth, each where it is a limit.
    pub fn parts(&self) -> (Option<&str>, Option<&str>, Option<u64>, Option<u64>) {
        let count = |limit: Option<u64>| limit.filter(|&limit| limit > 0);
        let clock = self.clock.as_ref().and_then(Option::as_deref);
        (clock, self.move_time.as_deref(), count(self.nodes), count(self.depth))
    }

    /// Whether there are both a clock and a time a move.
    pub fn has_two_times(&self) -> bool {
        self.move_time.is_some() && self.clock.as_ref().is_some_and(Option::is_some)
    }
}
