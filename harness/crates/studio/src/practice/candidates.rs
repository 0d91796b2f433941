//! Positions with a move to be found.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use harness_base::input;
use harness_base::sync::lock;
use harness_base::text::fen::is_black_to_move;
use harness_games::viewed::view;
use harness_ledger::{Ledger, LedgerError, StoredGame};
use harness_notation::epd::{self, EpdPosition};
use harness_outcome::ViewedGame;
use harness_suite::Suite;

/// Suites whose positions are asked, by their names in the catalogue.
const SUITES: [&str; 3] = ["wac", "bk", "eret"];

/// Games of the ledger that are looked through, those of the newest runs first.
const MAX_GAMES: usize = 400;

/// Centipawns that a player's score rises by when the other one has made a mistake.
const MIN_RISE: i32 = 150;

/// The score that it rises to, at least.
const MIN_SCORE: i32 = 120;

/// Positions that are taken of one game.
const MAX_OF_GAME: usize = 2;

/// How long the positions of games stay as they were read.
const REFRESH_INTERVAL: Duration = Duration::from_secs(60);

/// A position with a move to be found.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub id: String,
    /// Its FEN.
    pub fen: String,
    /// The position.
    pub position: Chess,
    /// The moves that solve it; empty where it only tells which move does not.
    pub best: Vec<String>,
    /// Is it of a game that was played here?
    pub of_game: bool,
}

/// Positions of the ledger's games with a move to be found, kept for a while.
#[derive(Default)]
pub struct GamePositions(Mutex<Option<(Instant, Arc<Vec<Candidate>>)>>);

impl GamePositions {
    /// All candidates of a reports folder: those that were picked, those of the suites, those of games.
    pub fn with_all(&self, reports: &Path) -> Vec<Candidate> {
        let (mut all, _) = all(&picked_path(reports));
        all.extend(self.get(reports).iter().cloned());
        all
    }

    fn get(&self, reports: &Path) -> Arc<Vec<Candidate>> {
        let mut known = lock(&self.0);
        if let Some((read, found)) = known.as_ref()
            && read.elapsed() < REFRESH_INTERVAL
        {
            return Arc::clone(found);
        }
        // Without a ledger there are none.
        let found = Ledger::open_to_read(reports).and_then(|ledger| of_games(&ledger));
        let found = Arc::new(found.unwrap_or_default());
        *known = Some((Instant::now(), Arc::clone(&found)));
        found
    }
}

/// The file of positions that were picked from the own games.
pub fn picked_path(reports: &Path) -> PathBuf {
    reports.join("studio/positions.epd")
}

/// An end to reading games: enough of them, or the ledger's own trouble.
enum Stop {
    Enough,
    Failed(LedgerError),
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Stop {
        Stop::Failed(error)
    }
}

/// Positions of the ledger's games in which a mistake had just been made: the scores that engines
/// gave their moves tell. Whether there is one good move an engine must decide.
///
/// # Errors
/// When the ledger cannot be read.
pub fn of_games(ledger: &Ledger) -> Result<Vec<Candidate>, LedgerError> {
    let mut found = Vec::new();
    let mut read = 0;
    for run in ledger.with_games()? {
        let ended = ledger.each_game(&run, |game| {
            read += 1;
            found.extend(of_game(&run, &game));
            if read < MAX_GAMES { Ok(()) } else { Err(Stop::Enough) }
        });
        match ended {
            Ok(()) => {}
            Err(Stop::Enough) => break,
            Err(Stop::Failed(error)) => return Err(error),
        }
    }
    Ok(found)
}

/// Those of one game; none of a damaged one, or of Chess960, whose castling a suite cannot name.
fn of_game(run: &str, game: &StoredGame) -> Vec<Candidate> {
    let Ok(viewed) = view(game) else { return Vec::new() };
    let plies = rises(&viewed).into_iter().take(MAX_OF_GAME);
    let candidates = plies.filter_map(|ply| {
        let fen = if ply == 0 { &viewed.start } else { &viewed.plies[ply - 1].fen };
        let position = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()?;
        let id = format!("{run} {} ply {}", viewed.key, ply + 1);
        Some(Candidate { id, fen: fen.clone(), position, best: Vec::new(), of_game: true })
    });
    candidates.collect()
}

/// The plies at which the mover's score is much higher than it was two plies before.
fn rises(game: &ViewedGame) -> Vec<usize> {
    let white_begins = !is_black_to_move(&game.start);
    let own = |ply: usize| {
        let white = ply.is_multiple_of(2) == white_begins;
        game.plies[ply].cp.map(|cp| if white { cp } else { -cp })
    };
    let rises = |ply: &usize| {
        let (Some(before), Some(now)) = (own(*ply - 2), own(*ply)) else { return false };
        now >= MIN_SCORE && now - before >= MIN_RISE
    };
    (2..game.plies.len()).filter(rises).collect()
}

/// The positions of the suites, behind those of an EPD file where it is there: what was picked from the
/// own games. Faults of files come with them, in words for people.
pub fn all(picked: &Path) -> (Vec<Candidate>, Vec<String>) {
    let (mut all, mut faults) = of_picked(picked);
    for name in SUITES {
        match Suite::load(name) {
            Ok(suite) => all.extend(suite.positions.iter().map(candidate)),
            Err(error) => faults.push(error.to_string()),
        }
    }
    (all, faults)
}

/// The positions of an EPD file, and its faults; none where it is not there.
pub fn of_picked(path: &Path) -> (Vec<Candidate>, Vec<String>) {
    let name = path.display().to_string();
    match input::read(path) {
        Ok(text) => {
            let (positions, errors) = epd::read_all(&name, &text);
            let faults = errors.iter().map(|error| format!("{error}; the position is left out"));
            (positions.iter().map(candidate).collect(), faults.collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (Vec::new(), Vec::new()),
        Err(error) => (Vec::new(), vec![format!("{name} cannot be read: {error}")]),
    }
}

fn candidate(position: &EpdPosition) -> Candidate {
    let best = position.best.iter().map(|best| best.to_uci(CastlingMode::Standard).to_string());
    Candidate {
        id: position.id.clone(),
        fen: position.fen.clone(),
        position: position.position.clone(),
        best: best.collect(),
        of_game: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_after_a_mistake_is_a_candidate() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &serde_json::json!({})).expect("starts");
        let pgn = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {+0.20/9 0.1s} f6 {-0.90/9 0.1s} \
                   2. d4 {+0.90/9 0.1s} g5 {-3.00/9 0.1s} 3. Qh5# {+M1/9 0.1s} 1-0\n\n";
        let game = StoredGame {
            pair: 0,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 2,
            termination: "checkmate".to_owned(),
            plies: 5,
            milliseconds: 1,
            pgn: pgn.to_owned(),
            worker: None,
        };
        ledger.record_games(&run, &[game]).expect("recorded");
        let found = of_games(&ledger).expect("read");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].fen.starts_with("rnbqkbnr/ppppp2p/5p2/6p1/3PP3/8/PPP2PPP/RNBQKBNR w"),
            "{found:?}"
        );
        assert!(found[0].id.ends_with("1.1 ply 5") && found[0].of_game, "{found:?}");
    }

    #[test]
    fn faults_of_the_picked_positions_are_said() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("positions.epd");
        let good = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"a\";";
        let bad = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e5;";
        std::fs::write(&path, format!("{good}\n{bad}\nrubbish\n")).expect("written");
        let (found, faults) = all(&path);
        assert_eq!(found[0].id, "a");
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(
            faults[0].contains("positions.epd:2:") && faults[0].contains("left out"),
            "{faults:?}"
        );
        // A folder cannot be read.
        let (found, faults) = all(folder.path());
        assert!(found.len() > 400 && faults.len() == 1, "{faults:?}");
    }

    #[test]
    fn the_suites_have_candidates_with_different_names() {
        let (all, faults) = all(Path::new("none.epd"));
        assert_eq!(faults, [""; 0]);
        assert!(all.len() > 400, "{}", all.len());
        let mut ids: Vec<&str> = all.iter().map(|candidate| candidate.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
    }
}
