use std::collections::HashMap;

use engine::board::Position;

use super::*;
use crate::game::Game;
use crate::game::{MoveEval, Turn};
use harness_player::Score;
use harness_stats::GameScore;

/// Different games of 6 to 45 plies, with names and rounds of their own.
fn games(count: u64) -> Vec<Game> {
    let game = |number: u64| {
        let mut chance = random::stream("games", 1, number);
        let mut position = Position::startpos();
        let mut turns = Vec::new();
        for ply in 0..6 + number % 40 {
            let legal = position.legal_moves();
            let Some(&played) = legal.get(chance.random_range(0..legal.len().max(1))) else {
                break;
            };
            let eval = MoveEval { score: Score::Centipawns(ply as i32), depth: 9 };
            turns.push(Turn { played, eval: Some(eval) });
            position.play(played);
        }
        let names = ["a", "b"].map(|name| format!("{name}{}", number % 3));
        let result = Some(GameScore::ALL[(number % 3) as usize]);
        Game { turns, names, result, round: number.to_string(), ..Game::default() }
    };
    (0..count).map(game).collect()
}

/// On which sides each placement of a split of `inputs` into CSV files is, by its FEN.
fn sides(inputs: &[PathBuf], share: f64) -> (Vec<u64>, HashMap<String, [u64; 2]>) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
    let writers = [&paths[0], &paths[1]].map(|path| Writer::create(path).expect("created"));
    let (interrupt, _setter) = Interrupt::manual().expect("an interrupt");
    let split = split(inputs, writers, share, 1, &interrupt).expect("split");
    let mut sides: HashMap<String, [u64; 2]> = HashMap::new();
    for (side, path) in paths.iter().enumerate() {
        for record in formats::records(path, &Flaws::default()).expect("opened") {
            let record = record.expect("sound");
            // The first plies are those of many games.
            if record.ply.is_none_or(|ply| ply >= 5) {
                sides.entry(record.position.fen(true)).or_default()[side] += 1;
            }
        }
    }
    (split.positions.to_vec(), sides)
}

fn write(path: &Path, games: &[Game]) {
    let mut writer = Writer::create(path).expect("created");
    for (number, game) in (1..).zip(games) {
        if writer.format().has_games() {
            writer.game(game).expect("written");
        } else {
            game.records(number).for_each(|record| writer.record(&record).expect("written"));
        }
    }
    writer.finish().expect("finished");
}

#[test]
fn copies_of_a_game_come_into_one_file_whatever_the_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let once = games(300);
    let renamed = |game: &Game| Game {
        names: ["x".to_owned(), "y".to_owned()],
        round: "7".to_owned(),
        result: Some(GameScore::Draw),
        ..game.clone()
    };
    // Three copies: as they are, backwards, and with other names and results.
    let again = once.iter().rev().cloned().chain(once.iter().map(renamed));
    let all: Vec<Game> = once.iter().cloned().chain(again).collect();
    for name in ["a.games", "a.vf", "a.binpack", "a.csv", "a.epd", "a.txt", "a.bin", "a.marlin"] {
        let path = folder.path().join(name);
        write(&path, &all);
        let (positions, sides) = sides(&[path], 0.5);
        assert!(positions.iter().all(|&count| count > 5_000), "{name}: {positions:?}");
        let torn = sides.values().filter(|sides| sides.iter().all(|&count| count > 0)).count();
        // Different games may share a position.
        assert!(torn <= sides.len() / 100, "{name}: {torn} of {}", sides.len());
    }
}

#[test]
fn positions_of_one_game_stay_together_where_the_format_has_no_games() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.csv", "a.epd", "a.txt", "a.bin", "a.marlin"] {
        let path = folder.path().join(name);
        let mut kept = Vec::new();
        let mut writer = Writer::create(&path).expect("created");
        for (number, game) in (1..).zip(games(200)) {
            // A filter drops every fifth position.
            for (at, record) in game.records(number).enumerate().filter(|(at, _)| at % 5 != 3) {
                kept.push((number, at, record.position.fen(true)));
                writer.record(&record).expect("written");
            }
        }
        writer.finish().expect("finished");
        let mut runs = Runs::new(formats::records(&path, &Flaws::default()).expect("opened"));
        let mut begun = 0;
        let mut lengths = Vec::new();
        loop {
            let run = runs.next_run().expect("sound");
            if run.is_empty() {
                break;
            }
            let of = |at: usize| kept[at].0;
            assert_eq!(of(begun), of(begun + run.len() - 1), "{name}: a run of two games");
            begun += run.len();
            lengths.push(run.len());
        }
        assert_eq!(begun, kept.len());
        // In the first two plies, whose counters say nothing, nothing is missing.
        assert_eq!(lengths.len(), 200, "{name}");
    }
}

#[test]
fn shuffled_positions_come_where_their_copies_come() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let mut records: Vec<Record> = games(100).iter().flat_map(|game| game.records(1)).collect();
    records.extend(records.clone());
    let mut chance = random::stream("shuffle", 1, 0);
    for at in (1..records.len()).rev() {
        records.swap(at, chance.random_range(0..=at));
    }
    let mut writer = Writer::create(&path).expect("created");
    for record in &records {
        let bare = Record { source: None, played: None, ..record.clone() };
        writer.record(&bare).expect("written");
    }
    writer.finish().expect("finished");
    let (_, sides) = sides(&[path], 0.5);
    let torn = sides.values().filter(|sides| sides.iter().all(|&count| count > 0)).count();
    assert!(torn <= sides.len() / 50, "{torn} of {}", sides.len());
}

#[test]
fn games_stay_together_where_the_move_is_the_engines_best_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    // With the number of the game, and without names and number.
    for has_source in [true, false] {
        let mut writer = Writer::create(&path).expect("created");
        for (number, game) in (1..).zip(games(200)) {
            for record in game.records(number) {
                let source = record.source.clone().filter(|_| has_source);
                let best = record.position.legal_moves().last().copied();
                writer.record(&Record { played: best, source, ..record }).expect("written");
            }
        }
        writer.finish().expect("finished");
        let mut runs = Runs::new(formats::records(&path, &Flaws::default()).expect("opened"));
        let mut count = 0;
        while !runs.next_run().expect("sound").is_empty() {
            count += 1;
        }
        assert_eq!(count, 200, "{has_source}");
    }
}

#[test]
fn games_without_names_are_numbered_in_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let [games_file, csv] = ["a.games", "a.csv"].map(|name| folder.path().join(name));
    write(&games_file, &games(3));
    let mut writer = Writer::create(&csv).expect("created");
    for record in formats::records(&games_file, &Flaws::default()).expect("opened") {
        writer.record(&record.expect("sound")).expect("written");
    }
    writer.finish().expect("finished");
    for record in formats::records(&csv, &Flaws::default()).expect("opened") {
        let source = record.expect("sound").source.expect("a game");
        assert!(["1", "2", "3"].contains(&&*source.game), "{source:?}");
    }
}
