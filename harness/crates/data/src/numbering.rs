//! Numbering of games over several inputs, so that games of different files have different numbers.

use std::path::Path;
use std::sync::Arc;

use super::error::DataError;
use super::flaws::Flaws;
use super::formats::{self, Format};
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
    /// With inputs before that have these games.
    pub fn after(games: u64) -> Numbering {
        Numbering { last: games, ..Numbering::default() }
    }

    /// The records of the next file; `flaws` counts games of PGN that are dropped or corrected.
    ///
    /// # Errors
    /// When the file cannot be opened, or its format is unknown; of a record, when it cannot be read.
    pub fn records<'a>(
        &'a mut self,
        path: &Path,
        flaws: &'a Flaws,
    ) -> Result<impl Iterator<Item = Result<Record, DataError>> + 'a, DataError> {
        let has_games = Format::from_path(path)?.has_games();
        *self = Numbering { last: self.last, before: self.last, has_games, renumbered: None };
        let records = formats::records(path, flaws)?;
        Ok(records.map(|record| {
            let mut record = record?;
            self.renumber(&mut record);
            Ok(record)
        }))
    }

    /// The number of the next game, of an input that is read game by game.
    pub fn next_game(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Gives a record of the input the number of its game among those of all inputs.
    fn renumber(&mut self, record: &mut Record) {
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
    use crate::split::{SampleSize, sample, split};
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
        let all = SampleSize::Share(1.0);
        let writer = Writer::create(&at("sampled.csv")).expect("begun");
        sample(&inputs, writer, all, 1, &interrupt).expect("written");
        assert_eq!(numbers(&at("sampled.csv")), numbers(&output));
        let parts = [at("first.csv"), at("second.csv")];
        let writers = parts.each_ref().map(|part| Writer::create(part).expect("begun"));
        split(&inputs, writers, 0.5, 1, &interrupt).expect("written");
        let both: BTreeSet<String> = parts.iter().flat_map(|part| numbers(part)).collect();
        assert_eq!(both, numbers(&output));
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
