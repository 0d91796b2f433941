use std::fs;

use rusqlite::Connection;
use serde_json::Value;

use super::*;
use harness_games::viewed::view;
use harness_ledger::Run;

/// Beginnings of games with the names of their openings.
const LINES: [(&str, Option<&str>); 4] = [
    ("1. e4 {book} e5 {book} 2. f4 {book} exf4 {book} ", Some("King's Gambit Accepted")),
    ("1. d4 {book} d5 {book} 2. c4 {book} e6 {book} ", Some("Queen's Gambit Declined")),
    ("1. a3 {book} a6 {book} 2. h3 {book} h6 {book} ", Some("Anderssen's Opening")),
    ("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Ke7 2. e5 Ke6 ", None),
];

const ENDINGS: [&str; 3] = ["checkmate", "time_forfeit", "repetition"];

/// A game in which everything depends on `number`.
fn game(number: u64) -> StoredGame {
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % bound
    };
    let (line, _) = LINES[below(4) as usize];
    let scores: Vec<i64> = (0..4).map(|_| below(500) as i64 - 250).collect();
    let king_moves = match line.starts_with('[') {
        true => ["Kf2", "Kf5", "Kf3", "Kg5"],
        false => ["Nc3", "Nc6", "Nb1", "Nb8"],
    };
    let moves = king_moves.iter().zip(&scores);
    let moves: String = moves
        .map(|(san, score)| format!("{san} {{{:+.2}/9 0.001s 5n}} ", *score as f64 / 100.0))
        .collect();
    let first_is_white = number.is_multiple_of(2);
    let players = ["new".to_owned(), format!("old {}", below(3))];
    let [white, black] = if first_is_white { [0, 1] } else { [1, 0] };
    StoredGame {
        pair: number / 2,
        game: (number % 2) as u8,
        white: players[white].clone(),
        black: players[black].clone(),
        first_is_white,
        first_half_points: below(3) as u8,
        termination: ENDINGS[below(3) as usize].to_owned(),
        plies: 10 + below(120) as u32,
        milliseconds: below(5_000),
        pgn: format!("{}{line}{moves} *\n\n", format_args!("[Round \"{number}\"]\n")),
        worker: (below(2) == 1).then(|| "lab key1".to_owned()),
    }
}

struct Fixture {
    folder: tempfile::TempDir,
    ledger: Ledger,
    run: Run,
}

impl Fixture {
    fn with_games(count: u64) -> Fixture {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &Value::Null).expect("starts");
        let games: Vec<StoredGame> = (0..count).map(game).collect();
        ledger.record_games(&run, &games).expect("recorded");
        Fixture { folder, ledger, run }
    }

    fn open(&self) -> GameIndex {
        GameIndex::open(self.folder.path()).expect("opens")
    }

    fn indexed(&self) -> GameIndex {
        let mut index = self.open();
        self.complete(&mut index);
        index
    }

    fn complete(&self, index: &mut GameIndex) {
        while index.update(&self.ledger, self.run.id(), 5_000).expect("updates") > 0 {}
    }

    /// The rows as they have to be, by their numbers, made from the ledger alone.
    fn expected(&self) -> Vec<GameRow> {
        let mut games = self.ledger.games(self.run.id()).expect("readable");
        games.sort_by_key(|game| (game.pair, game.game));
        games.into_iter().map(|game| expected(self.run.id(), game)).collect()
    }
}

fn expected(run: &str, game: StoredGame) -> GameRow {
    let viewed = view(&game).expect("sound");
    let fall = harness_games::viewed::falls(&viewed, 47).into_iter().next();
    let (_, name) =
        LINES.iter().find(|(line, _)| game.pgn.contains(line)).expect("one of the lines");
    GameRow {
        run: run.to_owned(),
        pair: game.pair,
        game: game.game,
        first_is_white: game.first_is_white,
        result: match viewed.result {
            "1-0" => 2,
            "0-1" => 0,
            _ => 1,
        },
        first_half_points: game.first_half_points,
        ending: game.termination,
        plies: game.plies,
        milliseconds: game.milliseconds,
        opening: name.map(|name| {
            let named = openings().names().iter().find(|opening| opening.name == name);
            *named.expect("of the list")
        }),
        swing: fall.map(|fall| fall.size as u32),
        swing_ply: viewed.swing.map(|ply| ply as u32),
        white: game.white,
        black: game.black,
        worker: game.worker,
    }
}

/// The obvious answer to a query, without its offset and limit.
fn naive<'a>(rows: &'a [GameRow], query: &GameQuery) -> Vec<&'a GameRow> {
    let is_in = |row: &&GameRow| {
        let player = query.player.as_ref();
        let (half_points, is_white) = match player {
            Some(name) if *name == row.white => (row.result, true),
            Some(name) if *name == row.black => (2 - row.result, false),
            _ => (row.first_half_points, row.first_is_white),
        };
        let colour = query.with_white.is_none_or(|white| white == is_white);
        let outcome = query.outcome.is_none_or(|outcome| outcome as u8 == half_points);
        let player = player.is_none_or(|name| [&row.white, &row.black].contains(&name));
        let opening = query.opening.as_ref().is_none_or(|text| {
            let text = text.to_lowercase();
            row.opening.is_some_and(|opening| {
                opening.eco.to_lowercase().starts_with(&text)
                    || opening.name.to_lowercase().contains(&text)
            })
        });
        outcome
            && colour
            && player
            && opening
            && query.ending.as_ref().is_none_or(|ending| *ending == row.ending)
            && query.min_plies.is_none_or(|least| row.plies >= least)
            && query.max_plies.is_none_or(|most| row.plies <= most)
            && query.min_swing.is_none_or(|least| row.swing.unwrap_or(0) >= least)
    };
    let mut found: Vec<&GameRow> = rows.iter().filter(is_in).collect();
    let Sort { by, descending } = query.sort;
    let signed = |value: u64| if descending { -(value as i64) } else { value as i64 };
    found.sort_by_key(|row| match by {
        SortKey::Plies => signed(u64::from(row.plies)),
        SortKey::Swing => row.swing.map_or(i64::MAX, |swing| signed(u64::from(swing))),
        SortKey::Time => signed(row.milliseconds),
        SortKey::Result => signed(u64::from(row.result)),
        SortKey::Opening => i64::from(row.opening.is_none()),
        _ => 0,
    });
    let text = |row: &GameRow| match by {
        SortKey::White => row.white.clone(),
        SortKey::Black => row.black.clone(),
        SortKey::Ending => row.ending.clone(),
        SortKey::Opening => row
            .opening
            .map(|opening| format!("{} {}", opening.eco, opening.name))
            .unwrap_or_default(),
        _ => String::new(),
    };
    // Those without an opening are last already.
    let named = found.iter().take_while(|row| by != SortKey::Opening || row.opening.is_some());
    let named = named.count();
    found[..named].sort_by(|a, b| {
        let order = text(a).cmp(&text(b));
        if descending { order.reverse() } else { order }
    });
    if by == SortKey::Number && descending {
        found.reverse();
    }
    found
}

fn filters(run: &str) -> Vec<GameQuery> {
    let all = GameQuery { run: Some(run.to_owned()), ..GameQuery::default() };
    let text = |text: &str| Some(text.to_owned());
    vec![
        GameQuery { run: None, ..all.clone() },
        GameQuery { player: text("new"), ..all.clone() },
        GameQuery { player: text("old 1"), outcome: Some(GameResult::Lost), ..all.clone() },
        GameQuery { player: text("nobody"), ..all.clone() },
        GameQuery { outcome: Some(GameResult::Won), ending: text("checkmate"), ..all.clone() },
        GameQuery { ending: text("no such ending"), ..all.clone() },
        GameQuery { opening: text("c3"), ..all.clone() },
        GameQuery { opening: text("gambit"), min_swing: Some(200), ..all.clone() },
        GameQuery { min_plies: Some(40), max_plies: Some(60), ..all.clone() },
        GameQuery { outcome: Some(GameResult::Drawn), min_swing: Some(1), ..all.clone() },
        GameQuery { with_white: Some(true), ..all.clone() },
        GameQuery {
            player: text("old 1"),
            outcome: Some(GameResult::Won),
            with_white: Some(false),
            ..all.clone()
        },
        all,
    ]
}

const KEYS: [SortKey; 10] = [
    SortKey::Number,
    SortKey::Run,
    SortKey::Plies,
    SortKey::Swing,
    SortKey::Time,
    SortKey::White,
    SortKey::Black,
    SortKey::Result,
    SortKey::Ending,
    SortKey::Opening,
];

#[test]
fn pages_are_those_of_an_obvious_filter_and_sort() {
    let fixture = Fixture::with_games(20_000);
    let index = fixture.indexed();
    assert_eq!(index.count(fixture.run.id()).expect("readable"), 20_000);
    let rows = fixture.expected();
    assert!(rows.iter().filter(|row| row.swing.is_some()).count() > 5_000);
    for filter in filters(fixture.run.id()) {
        for by in KEYS {
            for descending in [false, true] {
                let sort = Sort { by, descending };
                let all = naive(&rows, &GameQuery { sort, ..filter.clone() });
                let total = all.len() as u64;
                for offset in [0, 7, 1_234, total.saturating_sub(10), total, u64::MAX] {
                    let query = GameQuery { sort, offset, limit: 25, ..filter.clone() };
                    let page = index.page(&query).expect("readable");
                    let skip = usize::try_from(offset).expect("64 bits");
                    let shown = all.iter().skip(skip).take(25).copied().cloned().collect();
                    assert_eq!(page, GamePage { rows: shown, total }, "{query:?}");
                }
            }
        }
    }
}

#[test]
fn facets_count_what_there_is() {
    let fixture = Fixture::with_games(3_000);
    let index = fixture.indexed();
    let rows = fixture.expected();
    let facets = index.facets(Some(fixture.run.id())).expect("readable");
    assert_eq!((facets.games, facets.outcomes.iter().sum::<u64>()), (3_000, 3_000));
    assert_eq!(facets.players[0], Facet { name: "new".to_owned(), games: 3_000 });
    let old: u64 = facets.players[1..].iter().map(|facet| facet.games).sum();
    assert_eq!((facets.players.len(), old), (4, 3_000));
    for facet in &facets.endings {
        let games = rows.iter().filter(|row| row.ending == facet.name).count();
        assert_eq!(facet.games, games as u64);
    }
    assert_eq!((facets.endings.len(), facets.openings.len()), (3, 3));
    assert!(facets.openings.iter().all(|opening| opening.games > 500));
    assert_eq!(index.facets(None).expect("readable"), facets);
    assert_eq!(index.facets(Some("no such run")).expect("readable"), Facets::default());
}

#[test]
fn games_are_taken_over_in_pieces_and_an_open_index_shows_the_newer_ones() {
    let fixture = Fixture::with_games(500);
    let run = fixture.run.id();
    let mut index = fixture.open();
    let other = fixture.open();
    let query = GameQuery { run: Some(run.to_owned()), limit: 1, ..GameQuery::default() };
    let mut shown = Vec::new();
    for _ in 0..4 {
        shown.push((
            index.update(&fixture.ledger, run, 200).expect("updates"),
            other.page(&query).expect("readable").total,
        ));
    }
    assert_eq!(shown, [(200, 200), (200, 400), (100, 500), (0, 500)]);
    fixture.ledger.record_games(&fixture.run, &[game(500), game(501)]).expect("recorded");
    assert_eq!(index.update(&fixture.ledger, run, 200).expect("updates"), 2);
    drop(index);
    assert_eq!(fixture.open().page(&query).expect("readable").total, 502, "after opening again");
    let error = fixture.open().update(&fixture.ledger, "20000101", 1).expect_err("no such run");
    assert!(matches!(error, IndexError::Ledger(LedgerError::UnknownRun { .. })), "{error}");
}

#[test]
fn a_run_whose_games_were_removed_is_taken_over_again() {
    let fixture = Fixture::with_games(1_000);
    let mut index = fixture.indexed();
    let check = |index: &mut GameIndex| {
        fixture.complete(index);
        let all = GameQuery { limit: u32::MAX, ..GameQuery::default() };
        let page = index.page(&all).expect("readable");
        assert!(page.rows == fixture.expected(), "{} games", page.total);
    };
    check(&mut index);
    // The end of a test; those after it are gone.
    fixture.ledger.remove_games_from(&fixture.run, 450).expect("removed");
    check(&mut index);
    // A worker's games, and as many others, which take the numbers of rows that became free.
    let removed = fixture.ledger.remove_games_of(&fixture.run, "key1").expect("removed");
    assert!(removed > 500);
    let replayed = |number| StoredGame { worker: None, ..game(number) };
    let again: Vec<StoredGame> =
        (0..900).map(|number| StoredGame { milliseconds: 1, ..replayed(number) }).collect();
    assert_eq!(fixture.ledger.record_games(&fixture.run, &again).expect("recorded"), removed);
    check(&mut index);
    // The last pair alone, played again.
    fixture.ledger.remove_games_from(&fixture.run, 449).expect("removed");
    let pgn = |number| game(number).pgn.replace("Round", "Site");
    let again =
        [898, 899].map(|number| StoredGame { pgn: pgn(number), plies: 7, ..replayed(number) });
    fixture.ledger.record_games(&fixture.run, &again).expect("recorded");
    check(&mut index);
    fixture.ledger.remove_games_from(&fixture.run, 0).expect("removed");
    check(&mut index);
    assert_eq!(index.count(fixture.run.id()).expect("readable"), 0);
}

#[test]
fn a_forgotten_run_is_gone_until_it_is_taken_over_again() {
    let fixture = Fixture::with_games(10);
    let mut index = fixture.indexed();
    index.forget(fixture.run.id()).expect("forgets");
    assert_eq!(index.page(&GameQuery::default()).expect("readable").total, 0);
    fixture.complete(&mut index);
    assert_eq!(index.page(&GameQuery::default()).expect("readable").total, 10);
}

#[test]
fn the_games_of_all_runs_come_run_after_run_by_their_numbers() {
    let fixture = Fixture::with_games(3);
    let second = fixture.ledger.start_run("sprt", &Value::Null).expect("starts");
    fixture.ledger.record_games(&second, &[game(8), game(7)]).expect("recorded");
    let mut index = fixture.open();
    // Whichever is indexed first.
    index.update(&fixture.ledger, second.id(), 10).expect("updates");
    fixture.complete(&mut index);
    let sort = Sort { by: SortKey::Number, descending: true };
    let page = index.page(&GameQuery { sort, ..GameQuery::default() }).expect("readable");
    let keys: Vec<String> = page.rows.iter().map(GameRow::key).collect();
    assert_eq!(
        (page.total, keys),
        (5, ["5.1", "4.2", "2.1", "1.2", "1.1"].map(String::from).into())
    );
    assert_eq!((&*page.rows[0].run, &*page.rows[4].run), (second.id(), fixture.run.id()));
    // By their run, the games of each stay in the order of their numbers.
    for (descending, expected) in
        [(true, ["4.2", "5.1", "1.1", "1.2", "2.1"]), (false, ["1.1", "1.2", "2.1", "4.2", "5.1"])]
    {
        let sort = Sort { by: SortKey::Run, descending };
        let page = index.page(&GameQuery { sort, ..GameQuery::default() }).expect("readable");
        let keys: Vec<String> = page.rows.iter().map(GameRow::key).collect();
        assert_eq!(keys, expected.map(String::from));
    }
}

#[test]
fn a_file_of_another_version_or_damaged_is_replaced() {
    let fixture = Fixture::with_games(10);
    drop(fixture.indexed());
    let path = fixture.folder.path().join("studio.db");
    let other = Connection::open(&path).expect("opens");
    other.execute_batch("PRAGMA user_version = 2000000000; DROP TABLE names").expect("changed");
    drop(other);
    let mut index = fixture.open();
    assert!(!index.is_in_memory());
    assert_eq!(index.count(fixture.run.id()).expect("readable"), 0);
    fixture.complete(&mut index);
    drop(index);
    fs::write(&path, "not a database ".repeat(1_000)).expect("written");
    let index = fixture.indexed();
    assert!(!index.is_in_memory());
    assert_eq!(index.count(fixture.run.id()).expect("readable"), 10);
}

#[test]
fn without_a_file_the_index_is_in_memory() {
    let fixture = Fixture::with_games(10);
    let path = fixture.folder.path().join("studio.db");
    fs::create_dir(&path).expect("made");
    let index = fixture.indexed();
    assert!(index.is_in_memory() && path.is_dir());
    assert_eq!(index.page(&GameQuery::default()).expect("readable").total, 10);
    fs::remove_dir(&path).expect("removed");
    // A database of another program stays as it is.
    let other = Connection::open(&path).expect("opens");
    other.execute_batch("CREATE TABLE bookmarks (url TEXT)").expect("made");
    assert!(fixture.indexed().is_in_memory());
    other.execute_batch("INSERT INTO bookmarks VALUES ('x')").expect("still there");
}

#[test]
fn a_file_that_becomes_full_gives_way_to_memory() {
    let fixture = Fixture::with_games(2_000);
    let mut index = fixture.open();
    index.store.limit_pages();
    fixture.complete(&mut index);
    assert!(index.is_in_memory());
    assert_eq!(index.page(&GameQuery::default()).expect("readable").total, 2_000);
}

#[test]
fn an_index_can_move_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<GameIndex>();
}

#[test]
fn a_damaged_game_is_indexed_without_opening_and_swing() {
    let fixture = Fixture::with_games(0);
    let texts =
        ["", "1. e4 {+", "[FEN \"x\"]\n\n1. e4 {+9.99/1} *", "\u{0}", "1. Zz9 {+1.00/1 } Qh8 *"];
    let games = texts.iter().zip(0..).map(|(pgn, pair)| StoredGame {
        pair,
        pgn: (*pgn).to_owned(),
        milliseconds: u64::MAX,
        plies: u32::MAX,
        ..game(0)
    });
    let games: Vec<StoredGame> = games.collect();
    fixture.ledger.record_games(&fixture.run, &games).expect("recorded");
    let page = fixture.indexed().page(&GameQuery::default()).expect("readable");
    assert_eq!(page.total, texts.len() as u64);
    assert!(page.rows.iter().all(|row| row.swing.is_none()), "{page:?}");
    assert_eq!(page.rows[2].opening, None);
}
