//! Numbers of games that go on from input to input: games of several files have different ones.

use std::sync::Arc;

use super::formats::Format;
use super::record::{Record, Source};

/// The games of several inputs.
#[derive(Debug, Default)]
pub struct Numbering {
    /// The number of the last game.
    last: u64,
    /// Games of the inputs before.
    before: u64,
    /// Whether the input has games. Elsewhere records count blocks of lines, and the number of a game is the file's own.
    has_games: bool,
    /// The number of the game that the last record was of, as a source.
    renumbered: Option<Arc<Source>>,
}

impl Numbering {
    /// Begins an input in this format, with as many games before it as were numbered so far.
    pub fn begin(&mut self, format: Format) {
        *self = Numbering::after(self.last, format);
    }

    /// An input in this format behind others with these games.
    pub fn after(games: u64, format: Format) -> Numbering {
        let has_games = format.has_games();
        Numbering { last: games, before: games, has_games, renumbered: None }
    }

    /// Numbers a record of the input on.
    pub fn number(&mut self, record: &mut Record) {
        let is_number = |by: &Source, game: u64| by.is_number_alone(game);
        let is_numbered =
            self.has_games && record.source.as_ref().is_some_and(|by| is_number(by, record.game));
        record.game += self.before;
        self.last = self.last.max(record.game);
        if is_numbered && self.before > 0 {
            let known = self.renumbered.take().filter(|by| is_number(by, record.game));
            let by = known.unwrap_or_else(|| Arc::new(Source::of_number(record.game)));
            record.source = Some(Arc::clone(self.renumbered.insert(by)));
        }
    }

    /// The number of the last game.
    pub fn last(&self) -> u64 {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;
    use std::path::Path;

    use super::*;
    use crate::bulk::{self, Rule, Workspace};
    use crate::convert::convert;
    use crate::flaws::Flaws;
    use crate::formats::{self, Writer};
    use harness_base::context::Interrupt;

    /// Two games, without a number that is known to others.
    fn games(first_moves: [&str; 2]) -> String {
        let game = |moves: &str| format!("[Result \"1-0\"]\n\n{moves} 1-0\n\n");
        let comment = "{+0.10/5 0.1s}";
        first_moves.map(|san| game(&format!("1. {san} {comment} e5 {comment}"))).concat()
    }

    #[test]
    fn games_of_several_files_have_different_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let (interrupt, _) = Interrupt::manual().expect("one");
        for (name, first_moves) in [("a", ["d4", "c4"]), ("b", ["e4", "Nf3"])] {
            let pgn = at(&format!("{name}.pgn"));
            std::fs::write(&pgn, games(first_moves)).expect("written");
            let viri = Writer::create(&at(&format!("{name}.vf"))).expect("begun");
            convert(&[pgn], viri, Flaws::default(), &interrupt).expect("converted");
        }
        let numbers = |path: &Path| -> BTreeSet<String> {
            let records = formats::records(path, &Flaws::default()).expect("readable");
            let by = |record: Record| record.source.map(|by| by.game.clone()).unwrap_or_default();
            records.map(|record| by(record.expect("sound"))).collect()
        };
        let inputs = [at("a.vf"), at("b.vf")];
        let output = at("converted.csv");
        let writer = Writer::create(&output).expect("begun");
        convert(&inputs, writer, Flaws::default(), &interrupt).expect("converted");
        assert_eq!(numbers(&output), BTreeSet::from(["1", "2", "3", "4"].map(str::to_owned)));
        for rule in [Rule::Shuffle(1), Rule::Unique] {
            let output = at("ordered.csv");
            let writer = Writer::create(&output).expect("begun");
            let workspace = Workspace { memory: 1 << 20, folder: folder.path() };
            let progress = &mut |_, _| ControlFlow::Continue(());
            bulk::apply(rule, &inputs, writer, workspace, &Flaws::default(), progress)
                .expect("written");
            // The start position, of which one is left, is of the first game.
            assert_eq!(numbers(&output), BTreeSet::from(["1", "2", "3", "4"].map(str::to_owned)));
            std::fs::remove_file(&output).expect("removed");
        }
    }
}
