//! The text of an experiment that `harness tune init` writes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::arena::{DrawOffer, Resign};
use crate::player::{Limit, OptionKind};
use crate::tuning::import::Imported;
use crate::tuning::offer::Offer;
use crate::tuning::parameters::Chosen;
use crate::tuning::space::{Parameter, Scale};

/// Hash of an experiment where nothing says more, in MiB: its games are short.
const HASH: i64 = 16;

/// What an experiment is to say.
pub struct Draft<'a> {
    engine: &'a str,
    chosen: Vec<Chosen>,
    imported: &'a Imported,
    /// The other tool's file.
    file: &'a Path,
    offer: &'a Offer,
    /// UCI options for every game.
    pub options: BTreeMap<String, String>,
    /// What ends a search.
    pub limit: Limit,
    /// What stands beside it.
    pub limit_note: String,
}

impl<'a> Draft<'a> {
    /// An experiment with what was taken over from a file, if anything.
    pub fn new(
        engine: &'a str,
        chosen: Vec<Chosen>,
        imported: &'a Imported,
        file: &'a Path,
        offer: &'a Offer,
    ) -> Draft<'a> {
        let mut options = imported.options.clone();
        let hash = offer.options().iter().find(|option| option.name.eq_ignore_ascii_case("Hash"));
        match hash.map(|option| &option.kind) {
            Some(OptionKind::Spin { min, max, .. }) => {
                let fitting = HASH.clamp(*min, (*max).max(*min)).to_string();
                options.entry("Hash".to_owned()).or_insert(fitting);
            }
            _ => {
                options.remove("Hash");
            }
        }
        let (limit, limit_note) = (Limit::Depth(1), String::new());
        Draft { engine, chosen, imported, file, offer, options, limit, limit_note }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# A tuning experiment: `harness tune run THIS_FILE`; `harness tune run --help` shows \
             every key.\n# Keep the parameters that you mean.\n",
        );
        for note in &self.imported.notes {
            line(&mut text, &format!("# {note}"));
        }
        line(&mut text, &format!("engine: {}", quoted(self.engine)));
        if !self.options.is_empty() {
            let options: Vec<String> = self
                .options
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
                .collect();
            line(&mut text, &format!("options: {{ {} }}", options.join(", ")));
        }
        line(&mut text, &format!("limit: {:<20} # {}", self.limit.to_string(), self.limit_note));
        text += "games: 20000\nseed: 1\n";
        self.endings(&mut text);
        text += "validation: { elo0: 0, elo1: 5, games: 20000 }   # normalized Elo; games: 0 for \
                 none\n\
                 parameters:   # also a list: [NAME, 'PATTERN_*', GROUP]; fixed: true keeps one\n";
        for chosen in &self.chosen {
            line(&mut text, &self.parameter(chosen));
        }
        text
    }

    /// Openings and adjudication of the other tool; what is not there is left out with a word.
    fn endings(&self, text: &mut String) {
        let Imported { openings, opening_plies, draw, resign, tb, .. } = self.imported;
        if let Some(book) = openings {
            let (path, is_there) = self.seen(book);
            let path = quoted(&path.display().to_string());
            match is_there {
                true => line(text, &format!("openings: {path}")),
                false => line(text, &format!("# openings: {path}   (there is no such file)")),
            }
            if let (true, Some(plies)) = (is_there, opening_plies) {
                line(text, &format!("opening_plies: {plies}"));
            }
        }
        if let Some(DrawOffer { score, moves, from }) = draw {
            line(text, &format!("draw: {{ score: {score}, moves: {moves}, from: {from} }}"));
        }
        if let Some(Resign { score, moves, two_sided }) = resign {
            line(
                text,
                &format!("resign: {{ score: {score}, moves: {moves}, two_sided: {two_sided} }}"),
            );
        }
        if let Some(folders) = tb {
            let seen: Vec<(PathBuf, bool)> =
                std::env::split_paths(folders).map(|folder| self.seen(&folder)).collect();
            let are_there = seen.iter().all(|(_, is_there)| *is_there);
            let joined = std::env::join_paths(seen.iter().map(|(path, _)| path));
            let joined = quoted(&joined.unwrap_or_default().to_string_lossy());
            match are_there {
                true => line(text, &format!("tb: {joined}")),
                false => line(text, &format!("# tb: {joined}   (there is no such folder)")),
            }
        }
    }

    /// A path of the other tool's file, from its folder or from here, and whether it is there.
    fn seen(&self, path: &Path) -> (PathBuf, bool) {
        let beside = self.file.parent().unwrap_or(Path::new("")).join(path);
        let found = if !beside.exists() && path.exists() { path.to_owned() } else { beside };
        let absolute = std::path::absolute(&found).unwrap_or(found);
        let is_there = absolute.exists();
        (absolute, is_there)
    }

    fn parameter(&self, chosen: &Chosen) -> String {
        let Parameter { name, min, max, start, step, scale, fixed, .. } = &chosen.parameter;
        let mut text = format!("  {}: {{ start: {start}, min: {min}, max: {max}", quoted(name));
        if *fixed {
            return text + ", fixed: true }";
        }
        // Writing to a string cannot fail.
        let _ = write!(text, ", step: {step}");
        if *scale == Scale::Log {
            text += ", scale: log";
        }
        text += " }";
        let row = self.imported.parameters.iter().find(|row| row.name.eq_ignore_ascii_case(name));
        let _ = match self.offer.named(name).map(|declared| declared.start) {
            Some(default) if default != *start => {
                write!(text, "   # the engine's default is {default}")
            }
            _ if row.is_none_or(|row| row.step.is_none()) => {
                write!(text, "   # step: {}", chosen.step_from)
            }
            _ => Ok(()),
        };
        text
    }
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A text as YAML and shells read it: in double quotes, unless it is a plain word.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./+".contains(c);
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '.');
    // Words that YAML takes for something else.
    let is_taken = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"]
        .contains(&text.to_lowercase().as_str());
    let is_number = text.parse::<f64>().is_ok();
    match (is_word && text.chars().all(is_plain) && !is_taken) && !is_number {
        true => text.to_owned(),
        // Strings of JSON are strings of YAML.
        false => serde_json::Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_read_back_as_text() {
        for text in [
            "builtin",
            "./my engine",
            "No",
            "null",
            "1e5",
            "-3",
            "a: b",
            "Skill Level",
            "é\n\"'",
            "~",
            "*",
            ".inf",
            "a#b",
            "nan",
            "#",
            "0x10",
            "/usr/games/stockfish",
            "HEAD~1",
            "inf",
            ".",
        ] {
            let yaml = format!("key: {}\n", quoted(text));
            let read: BTreeMap<String, String> = serde_yaml::from_str(&yaml).expect(&yaml);
            assert_eq!(read["key"], text, "{yaml}");
        }
        assert_eq!(quoted("lmr_base"), "lmr_base");
    }
}
