//! Tablebases, from the file to the move.

mod tablebases;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use engine::board::{Color, Position, Role, Square};
use engine::params::Fixed;
use engine::search::{Limits, Root, Score, SearchResult, Searcher, TablebaseOptions, no_report};
use engine::tablebase::{Tablebases, Wdl};
use tablebases::solve::Place;
use tablebases::solved;
use tempfile::TempDir;

/// The tablebases of queen and of rook against a bare king.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    tablebases::write_all(folder.path());
    folder
});

fn open(folder: &Path) -> Tablebases {
    let (tables, errors) = Tablebases::open(folder.display().to_string());
    assert!(errors.is_empty(), "{errors:?}");
    tables
}

fn searcher() -> Searcher<Fixed> {
    let mut searcher = Searcher::new(Fixed, 1);
    let tablebases = Some(Arc::new(open(FOLDER.path())));
    searcher.set_tablebases(TablebaseOptions { tablebases, ..TablebaseOptions::default() });
    searcher
}

fn search(searcher: &mut Searcher<Fixed>, root: &Root, limits: &Limits) -> SearchResult {
    searcher.search(root, limits, &AtomicBool::new(false), &mut no_report)
}

fn root(fen: &str) -> Root {
    Root::new(Position::from_fen(fen).expect("legal"))
}

fn position(place: Place, role: Role) -> Position {
    let mut text = String::new();
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::new(8 * rank + file);
            text.push(match square {
                _ if square == place.king => 'K',
                _ if square == place.piece => role.upper_char(),
                _ if square == place.bare => 'k',
                _ => '1',
            });
        }
        text.push(if rank > 0 { '/' } else { ' ' });
    }
    Position::from_fen(&format!("{text}{} - - 0 1", place.side.char())).expect("legal")
}

fn place(position: &Position, role: Role) -> Option<Place> {
    Some(Place {
        king: position.king(Color::White),
        piece: position.pieces(Color::White, role).first()?,
        bare: position.king(Color::Black),
        side: position.side(),
    })
}

/// Compares every `step`th position of this role with the solution.
fn assert_as_solved(tables: &Tablebases, role: Role, step: usize) {
    for place in Place::all().filter(|place| place.is_legal(role)).step_by(step) {
        let position = position(place, role);
        let (wdl, dtz) = match (solved(role).plies(place).map(i32::from), place.side) {
            (None, _) => (Wdl::Draw, 0),
            (Some(plies), Color::White) => (Wdl::Win, plies),
            // Mate on the board counts as one ply.
            (Some(plies), Color::Black) => (Wdl::Loss, -plies.max(1)),
        };
        assert_eq!(tables.probe_wdl(&position), Some(wdl), "{place:?}");
        assert_eq!(tables.probe_dtz(&position), Some(dtz), "{place:?}");
    }
}

#[test]
fn probes_agree_with_the_solution() {
    let tables = open(FOLDER.path());
    assert_eq!((tables.count(), tables.dtz_count(), tables.max_men()), (2, 2, 3));
    assert_eq!(tables.missing(), None);
    for role in [Role::Queen, Role::Rook] {
        assert_as_solved(&tables, role, 23);
    }
    assert_eq!(tables.damage(), None);
}

/// `TENCH_SYZYGY=FOLDER cargo test -p tench --test tablebase -- --ignored`
#[test]
#[ignore = "needs real tables of three and four men, in the folder that TENCH_SYZYGY names"]
fn probes_of_real_tablebases_agree_with_the_solution() {
    let folder = std::env::var_os("TENCH_SYZYGY").expect("TENCH_SYZYGY names a folder");
    let tables = open(folder.as_ref());
    for role in [Role::Queen, Role::Rook] {
        assert_as_solved(&tables, role, 31);
    }
    // Endings of the textbooks.
    for (fen, wdl) in [
        ("8/8/8/8/8/8/p1K5/k1Q5 b - - 0 1", Wdl::Loss),
        ("K7/8/8/8/8/8/1kp5/6Q1 w - - 0 1", Wdl::Draw),
        ("4k3/4P3/4K3/8/8/8/8/8 w - - 0 1", Wdl::Win),
        ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", Wdl::Draw),
        ("8/8/8/4k3/8/8/1NB5/K7 w - - 0 1", Wdl::Win),
        ("8/8/8/3k4/8/8/1NN5/K7 w - - 0 1", Wdl::Draw),
    ] {
        assert_eq!(tables.probe_wdl(root(fen).position()), Some(wdl), "{fen}");
    }
    assert_eq!(tables.damage(), None);
}

#[test]
fn positions_outside_the_tablebases_are_unknown() {
    let tables = open(FOLDER.path());
    for fen in [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4PP2/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    ] {
        assert_eq!(tables.probe_wdl(root(fen).position()), None, "{fen}");
        assert_eq!(tables.probe_dtz(root(fen).position()), None, "{fen}");
    }
}

#[test]
fn a_promotion_into_a_known_ending_is_known_to_win() {
    let root = root("8/8/3K4/3P4/8/8/7k/8 w - - 0 1");
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let outcome = search(&mut searcher(), &root, &limits);
    assert!(outcome.last.tb_hits > 0);
    assert!(
        matches!(outcome.last.score, Score::Centipawns(19_900..=20_000)),
        "{:?}",
        outcome.last.score
    );
    let without = search(&mut Searcher::new(Fixed, 1), &root, &limits);
    assert_eq!(without.last.tb_hits, 0);
}

#[test]
fn the_options_decide_where_tablebases_are_probed() {
    let root = root("8/8/8/3P4/3K4/8/7k/8 w - - 0 1");
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let tablebases = Some(Arc::new(open(FOLDER.path())));
    let usual = TablebaseOptions { tablebases, ..TablebaseOptions::default() };
    for (tb_options, asked) in [
        (usual.clone(), true),
        (TablebaseOptions { probe_depth: 100, ..usual.clone() }, false),
        (TablebaseOptions { probe_limit: 2, ..usual }, false),
    ] {
        let mut searcher = Searcher::new(Fixed, 1);
        searcher.set_tablebases(tb_options);
        assert_eq!(search(&mut searcher, &root, &limits).last.tb_hits > 0, asked);
    }
}

#[test]
fn a_win_is_converted_within_the_fifty_move_rule() {
    // As far from mate as it can be, with as few moves left as suffice.
    let far = Place::all()
        .filter(|place| place.side.is_white() && place.is_legal(Role::Rook))
        .max_by_key(|&place| solved(Role::Rook).plies(place))
        .expect("a position");
    let plies = solved(Role::Rook).plies(far).expect("a win");
    let fen = position(far, Role::Rook).fen(false).to_string();
    let fen = fen.replace(" 0 1", &format!(" {} 90", 100 - plies));
    let mut root = root(&fen);
    let mut searcher = searcher();
    let limits = Limits { nodes: Some(50), ..Limits::default() };
    loop {
        let position = *root.position();
        let moves = position.legal_moves();
        if moves.is_empty() {
            assert!(position.in_check(), "stalemate");
            break;
        }
        assert!(position.halfmove_clock() < 100, "a draw by the fifty-move rule");
        let m = if position.side().is_white() {
            let outcome = search(&mut searcher, &root, &limits);
            let is_won = match outcome.last.score {
                Score::Centipawns(score) => score == 20_000,
                Score::Mate(moves) => moves > 0,
            };
            assert!(is_won, "{:?} in {fen}", outcome.last.score);
            outcome.best_move.expect("there are moves")
        } else {
            // The longest resistance.
            let left = |m| {
                let mut child = position;
                child.play(m);
                place(&child, Role::Rook).and_then(|place| solved(Role::Rook).plies(place))
            };
            moves.iter().copied().max_by_key(|&m| left(m).expect("lost")).expect("there are moves")
        };
        root.play(m);
    }
}

#[test]
fn lines_with_a_better_tablebase_rank_come_first() {
    let root = root("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    let mut seen = Vec::new();
    let limits = Limits { depth: Some(3), multipv: 30, ..Limits::default() };
    searcher().search(&root, &limits, &AtomicBool::new(false), &mut |progress| {
        seen.push((progress.depth, progress.score));
        std::ops::ControlFlow::Continue(())
    });
    let scores: Vec<Score> =
        seen.into_iter().filter(|(depth, _)| *depth == 3).map(|(_, score)| score).collect();
    assert_eq!(scores.len(), root.position().count_legal_moves());
    // Some squares lose the queen, or are stalemate.
    let draws = scores.iter().filter(|&&score| score == Score::Centipawns(0)).count();
    assert!(draws > 0 && draws < scores.len());
    assert!(scores[scores.len() - draws..].iter().all(|&score| score == Score::Centipawns(0)));
}

#[test]
fn a_damaged_file_is_reported_once_and_does_no_harm() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    tablebases::write_all(folder.path());
    let path = folder.path().join("KQvK.rtbw");
    let mut bytes = fs::read(&path).expect("readable");
    bytes.truncate(64 + 16);
    fs::write(&path, &bytes).expect("writable");
    fs::write(folder.path().join("KRvK.rtbw"), b"nonsense").expect("writable");
    fs::write(folder.path().join("README"), b"no table").expect("writable");

    let (tables, errors) = Tablebases::open(folder.path().display().to_string());
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].to_string().contains("KRvK.rtbw"), "{errors:?}");
    let tables = Arc::new(tables);
    let mut searcher = Searcher::new(Fixed, 1);
    searcher.set_tablebases(TablebaseOptions {
        tablebases: Some(tables),
        ..TablebaseOptions::default()
    });
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let outcome = search(&mut searcher, &root("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), &limits);
    assert!(outcome.best_move.is_some());
    let damage = searcher.tablebase_damage().expect("damage").to_owned();
    assert!(damage.contains("KQvK"), "{damage}");
    assert_eq!(searcher.tablebase_damage(), None);
}
