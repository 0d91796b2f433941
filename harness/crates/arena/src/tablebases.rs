//! Adjudication by Syzygy tablebases.

use std::fmt;
use std::path::Path;

use engine::tablebase::{MAX_MEN, TablebaseError, Tablebases, Wdl};
use miette::Diagnostic;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::{Chess, Position};
use thiserror::Error;

use harness_base::hint::reports_command;
use harness_base::text::path::{decode_path, encode_path};
use harness_stats::GameScore;

/// Which tablebases end a game, and when. Read from its folders alone, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TablebaseRule {
    /// Folders of Syzygy tablebases, separated as in PATH; what is not UTF-8, as
    /// [`encode_path`](harness_base::text::path::encode_path) writes it.
    pub folders: String,
    /// Most men on the board; the tablebases may have fewer.
    pub men: u32,
    /// Ignore the fifty-move rule: a cursed win is a win.
    pub ignore_fifty_moves: bool,
    /// The results that end a game.
    pub results: TablebaseResults,
}

impl TablebaseRule {
    /// All results of all tablebases in some folders, with the fifty-move rule.
    pub fn new(folders: String) -> TablebaseRule {
        let results = TablebaseResults::default();
        TablebaseRule { folders, men: MAX_MEN, ignore_fifty_moves: false, results }
    }
}

/// The fields of a [`TablebaseRule`] as they may stand in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    folders: String,
    #[serde(default = "all_men")]
    men: u32,
    #[serde(default)]
    ignore_fifty_moves: bool,
    #[serde(default)]
    results: TablebaseResults,
}

impl<'de> Deserialize<'de> for TablebaseRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TablebaseRule, D::Error> {
        struct FoldersOrRule;

        impl<'de> Visitor<'de> for FoldersOrRule {
            type Value = TablebaseRule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("folders of tablebases, or a mapping with `folders`")
            }

            fn visit_str<E: de::Error>(self, folders: &str) -> Result<TablebaseRule, E> {
                Ok(TablebaseRule::new(folders.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TablebaseRule, A::Error> {
                let rule = WrittenRule::deserialize(MapAccessDeserializer::new(map))?;
                let WrittenRule { folders, men, ignore_fifty_moves, results } = rule;
                Ok(TablebaseRule { folders, men, ignore_fifty_moves, results })
            }
        }

        from.deserialize_any(FoldersOrRule)
    }
}

/// Which results end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum TablebaseResults {
    /// All.
    #[default]
    All,
    /// Won and lost positions.
    Wins,
    /// Drawn positions.
    Draws,
}

fn all_men() -> u32 {
    MAX_MEN
}

/// Tablebases that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum AdjudicationError {
    /// A folder or a file is invalid.
    #[error(transparent)]
    #[diagnostic(help("name folders of Syzygy tables (*.rtbw), with `:` between them"))]
    Unusable(#[from] TablebaseError),
    /// No tablebase in the folders.
    #[error("there are no tablebases in {0}")]
    #[diagnostic(help(
        "Syzygy tables are files such as KQvK.rtbw; see https://syzygy-tables.info"
    ))]
    None(String),
    /// Files of distances alone.
    #[error("there are no tablebases with results in {0}, only those with distances (*.rtbz)")]
    #[diagnostic(help(
        "games are adjudicated by the files of results (WDL, *.rtbw), which go with them: name their \
         folder too, with `:` between folders"
    ))]
    OnlyDistances(String),
    /// A probe found a damaged file.
    #[error("a tablebase is damaged: {0}")]
    #[diagnostic(help(
        "put a good copy in its place, then {} continues; finished games are kept",
        reports_command("resume", "last")
    ))]
    Damaged(String),
}

/// Opens the tablebases of folders, a list as in the variable PATH.
///
/// # Errors
/// When there are none, or one cannot be used.
pub fn open(folders: &str) -> Result<Tablebases, AdjudicationError> {
    let (tablebases, errors) = Tablebases::open(decode_path(folders));
    match errors.into_iter().next() {
        Some(error) => Err(error.into()),
        None if tablebases.count() > 0 => Ok(tablebases),
        None if tablebases.dtz_count() > 0 => {
            Err(AdjudicationError::OnlyDistances(folders.to_owned()))
        }
        None => Err(AdjudicationError::None(folders.to_owned())),
    }
}

/// Probes tablebases and ends games.
pub struct TablebaseAdjudicator {
    tablebases: Tablebases,
    rule: TablebaseRule,
}

impl TablebaseAdjudicator {
    /// Opens the tablebases of a rule.
    ///
    /// # Errors
    /// When there are none, or one cannot be used.
    pub fn open(rule: &TablebaseRule) -> Result<TablebaseAdjudicator, AdjudicationError> {
        Ok(TablebaseAdjudicator { tablebases: open(&rule.folders)?, rule: rule.clone() })
    }

    /// Probes a position after a capture or pawn move, or any position if the fifty-move rule is
    /// ignored; returns White's result if it ends the game.
    pub fn probe(&self, position: &Chess) -> Option<GameScore> {
        let men = position.board().occupied().count() as u32;
        if men > self.rule.men.min(self.tablebases.max_men())
            || (position.halfmoves() > 0 && !self.rule.ignore_fifty_moves)
        {
            return None;
        }
        let side = position.turn();
        let ignored = self.rule.ignore_fifty_moves;
        let result = match self.tablebases.probe_wdl_of(position)? {
            Wdl::Win => GameScore::won_by(side),
            Wdl::Loss => GameScore::won_by(!side),
            Wdl::CursedWin if ignored => GameScore::won_by(side),
            Wdl::BlessedLoss if ignored => GameScore::won_by(!side),
            Wdl::CursedWin | Wdl::BlessedLoss | Wdl::Draw => GameScore::Draw,
        };
        let ends_game = match self.rule.results {
            TablebaseResults::All => true,
            TablebaseResults::Wins => result != GameScore::Draw,
            TablebaseResults::Draws => result == GameScore::Draw,
        };
        ends_game.then_some(result)
    }

    /// Checks for damage found by probes.
    ///
    /// # Errors
    /// With the first damaged file, once.
    pub fn check(&self) -> Result<(), AdjudicationError> {
        match self.tablebases.damage() {
            Some(damage) => Err(AdjudicationError::Damaged(damage.to_owned())),
            None => Ok(()),
        }
    }
}

/// The folders of a list as in the variable PATH, as absolute paths, relative ones seen from `base`: a
/// run may be resumed in another folder.
pub(super) fn absolute(base: &Path, folders: &str) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folders = decode_path(folders);
    let folders = std::env::split_paths(&folders).map(|path| absolute(&base.join(path)));
    // The parts of a split at `:` contain none.
    encode_path(Path::new(&std::env::join_paths(folders).unwrap_or_default()))
}

#[cfg(test)]
#[path = "../../../../engine/tests/tablebases/mod.rs"]
mod tables;

#[cfg(test)]
mod tests {
    use std::fs;

    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("valid");
        fen.into_position(CastlingMode::Standard).expect("legal")
    }

    #[test]
    #[cfg(unix)]
    fn folders_with_any_name_are_found_from_a_folder_with_any_name() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let strange = harness_base::platform::path_of_bytes(b"a \xff\xe9".to_vec());
        let base = outer.path().join(&strange);
        let tables_in = base.join(&strange);
        fs::create_dir_all(&tables_in).expect("made");
        tables::write_all(&tables_in);
        let list = std::env::join_paths([&strange, Path::new("/tables")]).expect("a list");
        for folders in [encode_path(&strange), encode_path(Path::new(&list))] {
            let absolute = absolute(&base, &folders);
            let list = decode_path(&absolute);
            assert_eq!(std::env::split_paths(&list).next().as_ref(), Some(&tables_in));
            assert!(serde_json::to_string(&TablebaseRule::new(absolute)).is_ok());
        }
        let found = open(&absolute(&base, &encode_path(&strange))).map(|found| found.count());
        assert!(found.is_ok_and(|count| count > 0));
    }

    #[test]
    fn probes_come_after_a_capture_or_pawn_move_and_within_the_number_of_men() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        tables::write_all(folder.path());
        let folders = folder.path().display().to_string();
        let rule = TablebaseRule::new(folders);
        let always = TablebaseRule { ignore_fifty_moves: true, ..rule.clone() };
        let fewer = TablebaseRule { men: 2, ..rule.clone() };
        let wins = TablebaseRule { results: TablebaseResults::Wins, ..rule.clone() };
        let draws = TablebaseRule { results: TablebaseResults::Draws, ..rule.clone() };
        let probe = |rule: &TablebaseRule, fen| {
            let tablebases = TablebaseAdjudicator::open(rule).expect("tables");
            let result = tablebases.probe(&position(fen));
            tablebases.check().expect("no damage");
            result
        };
        let white = GameScore::Win;
        let black = GameScore::Loss;
        for (fen, expected) in [
            ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Some(white)),
            ("8/8/8/4k3/8/8/8/KQ6 b - - 0 1", Some(white)),
            ("8/8/8/4K3/8/8/8/kr6 w - - 0 1", Some(black)),
            ("8/8/8/8/8/1k6/2Q5/K7 b - - 0 1", Some(GameScore::Draw)),
            ("8/8/8/4k3/8/8/8/KQ6 w - - 3 9", None),
            ("8/8/8/4k3/8/8/8/KQQ5 w - - 0 1", None),
            ("8/8/8/4k3/8/8/8/KB6 w - - 0 1", None),
        ] {
            assert_eq!(probe(&rule, fen), expected, "{fen}");
        }
        assert_eq!(probe(&always, "8/8/8/4k3/8/8/8/KQ6 w - - 3 9"), Some(white));
        assert_eq!(probe(&fewer, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"), None);
        let won = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1";
        let drawn = "8/8/8/8/8/1k6/2Q5/K7 b - - 0 1";
        assert_eq!([probe(&wins, won), probe(&wins, drawn)], [Some(white), None]);
        assert_eq!([probe(&draws, won), probe(&draws, drawn)], [None, Some(GameScore::Draw)]);
    }

    #[test]
    fn missing_or_damaged_tablebases_are_errors() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folders = folder.path().display().to_string();
        let rule = TablebaseRule::new(folders);
        assert!(matches!(TablebaseAdjudicator::open(&rule), Err(AdjudicationError::None(_))));
        let nowhere = TablebaseRule { folders: "/no/such/folder".to_owned(), ..rule.clone() };
        assert!(matches!(
            TablebaseAdjudicator::open(&nowhere),
            Err(AdjudicationError::Unusable(_))
        ));
        fs::write(folder.path().join("KQvK.rtbz"), [0; 16]).expect("writable");
        let error = TablebaseAdjudicator::open(&rule).err().expect("nothing to adjudicate by");
        assert!(matches!(error, AdjudicationError::OnlyDistances(_)));
        assert!(error.to_string().contains(".rtbz"), "{error}");
        fs::write(folder.path().join("KQvK.rtbw"), [0; 16]).expect("writable");
        fs::write(folder.path().join("KRPvKR.rtbz"), [0; 16]).expect("writable");
        let tables = open(&rule.folders).expect("one of results");
        assert_eq!((tables.count(), tables.dtz_count(), tables.max_men()), (1, 2, 3));
        let tablebases = TablebaseAdjudicator::open(&rule).expect("it looks like a table");
        assert_eq!(tablebases.probe(&position("8/8/8/4k3/8/8/8/KQ6 w - - 0 1")), None);
        assert!(matches!(tablebases.check(), Err(AdjudicationError::Damaged(_))));
    }
}
