//! All boards, and their files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rand::TryRngCore;
use rand::rngs::OsRng;

use super::board::Board;
use super::game::Game;
use harness_base::sync::lock;
use harness_games::tree::GameTree;

/// The boards of a reports folder.
pub struct Shelf {
    folder: PathBuf,
    open: Mutex<HashMap<String, Arc<Board>>>,
}

/// A board in a list.
pub struct ListedBoard {
    /// Its name in addresses.
    pub id: String,
    /// When it was changed last.
    pub changed: SystemTime,
    /// The board; none where its file cannot be read.
    pub board: Option<Arc<Board>>,
}

impl Shelf {
    /// Those in `boards` of the reports folder.
    pub fn new(reports: &Path) -> Shelf {
        Shelf { folder: reports.join("boards"), open: Mutex::default() }
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// A board; `None` if there is none of this name.
    ///
    /// # Errors
    /// When its file cannot be read; in words for people.
    pub fn get(&self, id: &str) -> Result<Option<Arc<Board>>, String> {
        if !is_id(id) {
            return Ok(None);
        }
        let mut open = lock(&self.open);
        if let Some(board) = open.get(id).cloned() {
            // Another studio may have changed or deleted it.
            board.refresh();
            if board.state().gone {
                open.remove(id);
                return Ok(None);
            }
            return Ok(Some(board));
        }
        let file = self.file(id);
        if !file.exists() {
            return Ok(None);
        }
        let board = Arc::new(Board::read(id, file)?);
        open.insert(id.to_owned(), Arc::clone(&board));
        Ok(Some(board))
    }

    /// Makes a board.
    ///
    /// # Errors
    /// When it cannot be written; in words for people.
    pub fn make(&self, tree: GameTree, game: Option<Game>) -> Result<Arc<Board>, String> {
        fs::create_dir_all(&self.folder)
            .map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let mut bytes = [0; 5];
        OsRng.try_fill_bytes(&mut bytes).map_err(|error| error.to_string())?;
        let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let board = Arc::new(Board::new(id.clone(), self.file(&id), tree, game));
        // Written at once: a board that is in an address must be there after a restart.
        board.change(|_| Ok::<(), String>(()))?;
        let mut open = lock(&self.open);
        open.insert(id, Arc::clone(&board));
        Ok(board)
    }

    /// The newest boards.
    pub fn newest(&self, most: usize) -> Vec<ListedBoard> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, String)> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let id = name.strip_suffix(".json")?.to_owned();
                Some((entry.metadata().ok()?.modified().ok()?, id))
            })
            .collect();
        files.sort_unstable_by(|a, b| b.cmp(a));
        files.truncate(most);
        let listed = files.into_iter().map(|(changed, id)| {
            let board = self.get(&id).ok().flatten();
            ListedBoard { id, changed, board }
        });
        listed.collect()
    }

    /// Deletes a board.
    ///
    /// # Errors
    /// When its file cannot be removed; in words for people.
    pub fn delete(&self, id: &str) -> Result<(), String> {
        if !is_id(id) {
            return Err(format!("there is no board `{id}`"));
        }
        let mut open = lock(&self.open);
        // Engines and pages may hold it: its file is not written again.
        let removed = match open.remove(id) {
            Some(board) => board.remove(),
            None => fs::remove_file(self.file(id)),
        };
        removed.map_err(|error| error.to_string())
    }
}

/// Whether a text can be the name of a board: it leads out of no folder.
fn is_id(id: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !id.is_empty() && id.len() <= 20 && id.bytes().all(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::board::Search;

    #[test]
    fn a_board_that_was_deleted_does_not_come_back_while_it_is_held() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let shelf = Shelf::new(folder.path());
        let board = shelf.make(GameTree::default(), None).expect("made");
        let (_, mut pages) = board.listen();
        shelf.delete(&board.id).expect("it is there");
        let sent = pages.try_recv().expect("the pages are notified");
        assert!(sent.contains("\"gone\":true"), "{sent}");
        board.change(|_| Ok::<(), String>(())).expect("no error");
        assert_eq!(shelf.newest(9).len(), 0);
        assert!(shelf.get(&board.id).expect("readable").is_none());
        assert!(shelf.delete(&board.id).is_err());
    }

    /// Plays a move at the end of the main line.
    fn play(board: &Board, uci: &str) -> serde_json::Value {
        let played = board.change(|state| {
            let tip = Game::tip(&state.tree);
            state.tree.play(tip, uci.parse().expect("a move")).map(drop)
        });
        played.expect("legal")
    }

    #[test]
    fn two_studios_of_a_folder_lose_none_of_the_moves_of_the_other() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let studios = [(); 2].map(|()| Shelf::new(folder.path()));
        let board = studios[0].make(GameTree::default(), None).expect("made");
        let other = studios[1].get(&board.id).expect("readable").expect("there");
        let since = other.state().since;
        play(&board, "e2e4");
        let (_, mut pages) = other.listen();
        play(&other, "e7e5");
        let sent = pages.try_recv().expect("what the first has made");
        assert!(sent.contains("e2e4") && !sent.contains("e7e5"), "{sent}");
        // Its nodes may have other numbers.
        assert!(!other.state().is_reading(&since.to_string()));
        play(&board, "g1f3");
        studios.iter().for_each(|studio| {
            let board = studio.get(&board.id).expect("readable").expect("there");
            assert_eq!(board.state().tree.main_line().len(), 3);
        });
        // Nor does one that the other has deleted come back.
        studios[1].delete(&board.id).expect("it is there");
        let view = play(&board, "b8c6");
        assert_eq!(view["gone"], true);
        assert!(studios[0].get(&board.id).expect("readable").is_none());
        assert_eq!(studios[0].newest(9).len(), 0);
    }

    #[test]
    fn what_an_engine_searches_ends_when_another_studio_changes_the_board() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let studios = [(); 2].map(|()| Shelf::new(folder.path()));
        let board = studios[0].make(GameTree::default(), None).expect("made");
        let search = board.supersede(Search::Move);
        let other = studios[1].get(&board.id).expect("readable").expect("there");
        board.refresh();
        assert!(!search.is_set());
        play(&other, "e2e4");
        board.refresh();
        assert!(search.is_set());
    }
}
