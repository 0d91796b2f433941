//! The text of a new experiment, from the engine's parameters or another tool's file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::import::Imported;
use super::methods::METHODS;
use super::offer::{Offer, play_option};
use super::parameters::Chosen;
use super::space::{Parameter, Scale};
use harness_arena::{DrawOffer, Resign};
use harness_base::yaml::quoted;
use harness_player::{Limit, OptionKind};

/// Default hash size in MiB: the games are short.
const HASH: i64 = 16;

/// The contents of a new experiment.
pub struct Draft<'a> {
    engine: &'a str,
    chosen: Vec<Chosen>,
    imported: &'a Imported,
    /// The other tool's file.
    file: &'a Path,
    offer: &'a Offer,
    /// UCI options for every game.
    pub options: BTreeMap<String, String>,
    /// Limit of a search.
    pub limit: Limit,
    /// Comment on it.
    pub limit_note: String,
    /// Whether the options of play that are left out are listed.
    pub lists_play_options: bool,
}

impl<'a> Draft<'a> {
    /// An experiment with these parameters, and the rest of the other tool's file.
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
        let limit = Limit::Depth(1);
        let limit_note = String::new();
        let lists_play_options = false;
        Draft {
            engine,
            chosen,
            imported,
            file,
            offer,
            options,
            limit,
            limit_note,
            lists_play_options,
        }
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
        let method = METHODS[0].name;
        line(&mut text, &format!("method: {method:<19} # the others: `harness tune methods`"));
        text += "games: 20000\nseed: 1\n";
        self.endings(&mut text);
        text += "validation: { elo0: 0, elo1: 5, games: 20000 }   # normalized Elo; games: 0 for \
                 none\n\
                 parameters:   # also a list: [NAME, 'PATTERN_*', GROUP]; fixed: true keeps one\n";
        for chosen in &self.chosen {
            line(&mut text, &self.parameter(chosen));
        }
        if self.lists_play_options {
            self.left_out(&mut text);
        }
        text
    }

    /// The options of play that are not among the parameters, as comments, and why.
    fn left_out(&self, text: &mut String) {
        let is_chosen = |name: &str| {
            self.chosen.iter().any(|chosen| chosen.parameter.name.eq_ignore_ascii_case(name))
        };
        let left_out = self.offer.parameters().iter().filter_map(|parameter| {
            let reason = play_option(&parameter.name)?;
            (!is_chosen(&parameter.name)).then_some((parameter, reason))
        });
        let mut left_out = left_out.peekable();
        if left_out.peek().is_some() {
            line(
                text,
                "  # Left out, as they are no parameters of search or evaluation. Without its `# `, a",
            );
            line(text, "  # line takes one back:");
        }
        for (Parameter { name, min, max, start, .. }, reason) in left_out {
            let values = format!("{{ start: {start}, min: {min}, max: {max} }}");
            line(text, &format!("  # {}: {values}   # {}", quoted(name), reason.text()));
        }
    }

    /// Openings and adjudication of the other tool; missing files become a comment.
    fn endings(&self, text: &mut String) {
        let Imported { openings, opening_plies, draw, resign, tb, .. } = self.imported;
        if let Some(book) = openings {
            let (path, exists) = self.absolute(book);
            path_line(text, "openings", "file", &path.to_string_lossy(), exists);
            if let (true, Some(plies)) = (exists, opening_plies) {
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
            let folders = std::env::split_paths(folders).map(|folder| self.absolute(&folder));
            let (folders, exist): (Vec<PathBuf>, Vec<bool>) = folders.unzip();
            let joined = std::env::join_paths(folders).unwrap_or_default();
            let exist = exist.into_iter().all(|exists| exists);
            path_line(text, "tb", "folder", &joined.to_string_lossy(), exist);
        }
    }

    /// A path in the other tool's file, relative to its folder or to the working directory; and
    /// whether it exists.
    fn absolute(&self, path: &Path) -> (PathBuf, bool) {
        let beside = self.file.parent().unwrap_or(Path::new("")).join(path);
        let found = if !beside.exists() && path.exists() { path.to_owned() } else { beside };
        let absolute = std::path::absolute(&found).unwrap_or(found);
        let exists = absolute.exists();
        (absolute, exists)
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
        let _ = match self.offer.parameter(name).map(|declared| declared.start) {
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

/// A path under its key; a comment if it does not exist.
fn path_line(text: &mut String, key: &str, kind: &str, path: &str, exists: bool) {
    let path = quoted(path);
    line(
        text,
        &if exists {
            format!("{key}: {path}")
        } else {
            format!("# {key}: {path}   (there is no such {kind})")
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_play_are_comments_that_can_be_taken_back() {
        let offer = crate::offer::tests::offer(&["ScaleMaterial"], None);
        let imported = Imported::default();
        let mut draft = Draft::new("./engine", Vec::new(), &imported, Path::new(""), &offer);
        assert!(!draft.text().contains("Skill Level"));
        draft.lists_play_options = true;
        let text = draft.text();
        let skill =
            "  # \"Skill Level\": { start: 20, min: 0, max: 20 }   # strength or style on purpose";
        assert!(text.contains(skill) && text.contains("Without its `# `"), "{text}");
        assert!(
            text.contains("# \"Move Overhead\": {") && !text.contains("# ScaleMaterial"),
            "{text}"
        );
        let yaml = text.replace("  # \"Skill", "  \"Skill");
        let read: serde_json::Value = serde_yaml::from_str(&yaml).expect("YAML");
        assert_eq!(read["parameters"]["Skill Level"]["max"], 20, "{yaml}");
    }

    #[test]
    fn what_is_quoted_is_read_back_as_text() {
        let short = [
            "builtin", "No", "null", "1e5", "-3", "a: b", "é\n\"'", "~", "*", ".inf", "a#b", "nan",
            "#", "0x10", "HEAD~1", "inf", ".",
        ];
        let long = ["./my engine", "Skill Level", "/usr/games/stockfish"];
        for text in short.into_iter().chain(long) {
            let yaml = format!("key: {}\n", quoted(text));
            let read: BTreeMap<String, String> = serde_yaml::from_str(&yaml).expect(&yaml);
            assert_eq!(read["key"], text, "{yaml}");
        }
        assert_eq!(quoted("lmr_base"), "lmr_base");
    }
}
