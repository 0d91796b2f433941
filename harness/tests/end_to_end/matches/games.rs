//! What is played, and what is said about it.

use harness::ledger::StoredGame;

use crate::matches::bench::Bench;

/// A game without what differs from one time to the next.
pub fn moves(game: &StoredGame) -> (u64, u8, String) {
    let plain = |line: &&str| !line.starts_with("[Game") && !line.starts_with("[Date");
    let text: Vec<&str> = game.pgn.lines().filter(plain).collect();
    // Times are measured: `0.012s`, in braces of its own after a forced move.
    let is_time = |word: &&str| word.trim_matches(['{', '}', ',']).ends_with('s');
    let words: Vec<&str> =
        text.iter().flat_map(|line| line.split(' ')).filter(|word| !is_time(word)).collect();
    (game.pair, game.game, words.join(" "))
}

#[test]
fn the_linked_engine_draws_every_pair_against_itself_whatever_the_jobs() {
    let bench = Bench::new(&[]);
    let mut played = Vec::new();
    for jobs in [1, 3] {
        let line = format!("match builtin builtin --nodes 500 --games 12 --jobs {jobs} --seed 3");
        let summary = bench.json(&line);
        assert_eq!(summary["pentanomial"], serde_json::json!([0, 0, 6, 0, 0]));
        let mut games: Vec<_> = bench.games().iter().map(moves).collect();
        games.sort();
        played.push(games);
    }
    assert_eq!(played[0], played[1]);
}

#[test]
fn another_seed_plays_other_openings() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let openings = |seed: u64| {
        bench.json(&format!("match a b --nodes 1 --games 4 --max-moves 5 --seed {seed}"));
        let fen = |game: StoredGame| {
            game.pgn.lines().find(|line| line.starts_with("[FEN")).expect("a FEN").to_owned()
        };
        let mut fens: Vec<String> = bench.games().into_iter().map(fen).collect();
        fens.sort();
        fens
    };
    let first = openings(1);
    assert_eq!(first[0], first[1], "a pair shares its opening");
    assert_ne!(first[1], first[2]);
    assert_eq!(first, openings(1));
    assert_ne!(first, openings(2));
}

#[test]
fn odd_numbers_of_games_are_rounded_up_to_pairs() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let summary = bench.json("match a b --nodes 1 --games 3 --max-moves 5");
    assert_eq!(summary["games"], 4);
    bench.assert_whole(2);
}

#[test]
fn several_engines_meet_as_the_format_says() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2"), ("c", "--seed 3")]);
    for (format, pairings) in [("gauntlet", 2), ("round-robin", 3)] {
        let line = format!("match a b c --depth 1 --games 2 --max-moves 5 --format {format}");
        let summary = bench.json(&line);
        assert_eq!(summary["games"], 2 * pairings);
        assert_eq!(summary["players"].as_array().map(Vec::len), Some(3));
        bench.assert_whole(pairings);
    }
}

#[test]
fn limits_may_be_an_engines_own_and_adjudication_ends_games() {
    let bench = Bench::new(&[("a", "--score 900"), ("b", "--score -900 --seed 2")]);
    let line = "match a b --tc 5+0.1 --limit b:nodes=7 --resign-score 500 --resign-moves 3 \
                --games 2";
    let summary = bench.json(line);
    assert_eq!(summary["terminations"]["adjudicated_win"], 2);
    assert_eq!(summary["wins"], 2);
    let pgn = bench.pgn();
    for text in [
        "[Termination \"adjudication\"]",
        "wins by adjudication",
        "[WhiteTimeControl \"5+0.1\"]",
        "[BlackTimeControl \"nodes=7\"]",
        "{+9.00/1 ",
    ] {
        assert!(pgn.contains(text), "{text} is not in\n{pgn}");
    }
}

#[test]
fn chess960_is_played_from_its_start_positions() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    bench.json("match a b --nodes 1 --games 6 --chess960 --max-moves 30");
    bench.assert_whole(3);
    for game in bench.games() {
        assert!(game.pgn.contains("[Variant \"Chess960\"]"));
        assert!(!["illegal_move", "no_move"].contains(&game.termination.as_str()), "{game:?}");
    }
}

#[test]
fn a_book_of_pgn_games_gives_the_first_plies() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let book = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n";
    std::fs::write(bench.path().join("book.pgn"), book).unwrap();
    bench.json("match a b --nodes 1 --games 2 --openings book.pgn --opening-plies 3 --max-moves 3");
    let pgn = bench.pgn();
    let text = pgn.replace('\n', " ");
    assert!(text.contains("1. e4 {book} e5 {book} 2. Nf3 {book} "), "{pgn}");
    assert!(!text.contains("Nc6 {book}"));
}

#[test]
fn wrong_usage_is_told_before_anything_is_played() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    std::fs::write(bench.path().join("broken.epd"), "8/8/8/8/8/8/8/8 w - -\n").unwrap();
    for (line, says) in [
        ("match a", "2 values"),
        ("match a nobody --nodes 1", "nobody"),
        ("match a b --nodes 1 --depth 2", "cannot be used with"),
        ("match a b --tc x", "8+0.08"),
        ("match a b --limit c:nodes=1", "a, b"),
        ("match a b --openings broken.epd", "broken.epd, line 1"),
        ("match a b --openings missing.epd", "missing.epd"),
        ("match a b --games 0", "games"),
        ("sprt a b --elo0 5 --elo1 5", "elo"),
        ("sprt a b --alpha 0.7", "alpha"),
        ("resume last", "no runs"),
    ] {
        bench.run(line).assert_fails(2, &[says]);
        assert!(!bench.path().join("reports/runs").exists(), "{line}");
    }
}

#[test]
fn a_test_ends_with_its_verdict_as_exit_status() {
    let bench = Bench::new(&[("strong", "--score 900"), ("weak", "--score -900 --seed 2")]);
    let rest = "--nodes 1 --resign-score 500 --resign-moves 1 --elo1 50";
    for (line, status, verdict) in [
        (format!("sprt strong weak {rest}"), 0, "accepted"),
        (format!("sprt weak strong {rest}"), 1, "rejected"),
        (format!("sprt strong weak {rest} --max-games 4"), 3, "inconclusive"),
    ] {
        let ended = bench.run(&format!("{line} --json"));
        assert_eq!(ended.status, status, "{line}\n{}", ended.stderr);
        let summary: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(summary["verdict"], verdict);
        let [lower, upper] =
            [&summary["bounds"][0], &summary["bounds"][1]].map(|b| b.as_f64().unwrap());
        let llr = summary["llr"].as_f64().unwrap();
        assert_eq!(llr >= upper, verdict == "accepted", "{llr}");
        assert_eq!(llr <= lower, verdict == "rejected", "{llr}");
        // A run that is finished is not resumed.
        bench.run("resume last").assert_fails(2, &["finished"]);
    }
}
