mod bench;
mod boards;
mod described;
mod details;
mod games;
mod hurry;
mod kinds;
mod listeners;
mod moves;
mod outsiders;
mod people;
mod restrictions;
mod revised;
mod runs;

use serde_json::json;

use super::*;

fn context() -> Context {
    let legal = [
        ("e2e4", "e4"),
        ("g1f3", "Nf3"),
        ("e1g1", "O-O"),
        ("b2b4", "b4"),
        ("f1b4", "Bb4"),
        ("e4d5", "exd5"),
        ("a7a8q", "a8=Q"),
        ("a7a8n", "a8=N"),
    ];
    let legal = legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec();
    Context { legal, ..Context::default() }
}

#[test]
fn a_sentence_that_names_a_legal_move_is_that_move() {
    for (text, uci) in [
        ("e4", "e2e4"),
        ("E2E4", "e2e4"),
        ("knight f3", "g1f3"),
        ("night to f three", "g1f3"),
        ("kinght f3", "g1f3"),
        ("castle short", "e1g1"),
        ("0-0", "e1g1"),
        ("b4", "b2b4"),
        ("Bb4", "f1b4"),
        ("take on d5 with the pawn", "e4d5"),
        ("e takes d5", "e4d5"),
        ("a8", "a7a8q"),
        ("pawn a8 promote to a knight", "a7a8n"),
    ] {
        let understood = understand(text, &context());
        assert_eq!(understood.intent, Intent::Move, "{text}");
        assert_eq!(understood.slots["uci"], uci, "{text}");
    }
}

/// The position of a pawn on e7 that may advance or take on both sides, with a bishop and two knights.
fn promotions() -> Context {
    let mut legal = vec![
        ("b1d2".to_owned(), "Nbd2".to_owned()),
        ("f3d2".to_owned(), "Nfd2".to_owned()),
        ("b5e8".to_owned(), "Be8".to_owned()),
        ("c7d8q".to_owned(), "cxd8=Q".to_owned()),
    ];
    for (to, san) in [("e8", "e8"), ("d8", "exd8"), ("f8", "exf8")] {
        for (letter, piece) in [("q", "Q"), ("r", "R"), ("b", "B"), ("n", "N")] {
            legal.push((format!("e7{to}{letter}"), format!("{san}={piece}+")));
        }
    }
    Context { legal, ..Context::default() }
}

#[test]
fn a_pawn_becomes_what_the_sentence_says() {
    for (text, uci) in [
        ("e8", "e7e8q"),
        ("e7e8", "e7e8q"),
        ("e8=N", "e7e8n"),
        ("e8 = n", "e7e8n"),
        ("e8/B", "e7e8b"),
        ("e8(R)", "e7e8r"),
        ("e8=bishop", "e7e8b"),
        ("e8 bishop", "e7e8b"),
        ("e8 rook please", "e7e8r"),
        ("e eight knight", "e7e8n"),
        ("pawn to e8, make a knight", "e7e8n"),
        ("push to e8 and promote to a bishop", "e7e8b"),
        ("e8 and underpromote to a rook", "e7e8r"),
        ("underpromote to a knight on e8", "e7e8n"),
        ("knight promotion on e8", "e7e8n"),
        ("take on f8 and make a knight", "e7f8n"),
        ("take f8 with the pawn and promote to a rook", "e7f8r"),
        ("e takes d8 bishop", "e7d8b"),
        ("play exd8=N", "e7d8n"),
        ("exf8 knight", "e7f8n"),
        ("exf8", "e7f8q"),
        ("bishop e8", "b5e8"),
        ("make a bishop move to e8", "b5e8"),
        ("rook on e8", "e7e8r"),
        ("d8 and become a rook", "e7d8r"),
    ] {
        let found = understand(text, &promotions());
        assert_eq!(found.intent, Intent::Move, "{text}: {found:?}");
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
    }
}

#[test]
fn a_move_that_may_be_one_of_several_is_asked_about() {
    for (text, moves) in [
        ("promote to a bishop", &["e8=B+", "exd8=B+", "exf8=B+"][..]),
        ("make a knight", &["e8=N+", "exd8=N+", "exf8=N+"]),
        ("underpromote on e8", &["e8=R+", "e8=B+", "e8=N+"]),
        ("queen the pawn", &["cxd8=Q", "e8=Q+", "exd8=Q+", "exf8=Q+"]),
        ("take on d8", &["cxd8=Q", "exd8=Q+"]),
        ("knight d2", &["Nbd2", "Nfd2"]),
    ] {
        let found = understand(text, &promotions());
        assert_eq!(found.intent, Intent::Move, "{text}: {found:?}");
        let which = found.slots.get("which").and_then(|which| which.as_array()).cloned();
        let sans: Vec<_> = which.unwrap_or_default().iter().map(|m| m["san"].clone()).collect();
        assert_eq!(json!(sans), json!(moves), "{text}: {found:?}");
        assert!(found.shown.starts_with("Which move: "), "{}", found.shown);
    }
    // With one pawn there is one answer.
    let only = |(uci, _): &(String, String)| uci.starts_with("e7e8");
    let legal = promotions().legal.into_iter().filter(only).collect();
    let context = Context { legal, ..Context::default() };
    for (text, uci) in [
        ("promote", "e7e8q"),
        ("promote to a bishop", "e7e8b"),
        ("promte the pawn to a rook", "e7e8r"),
        ("make a knight", "e7e8n"),
        ("underpromote to a rook", "e7e8r"),
        ("queen the pawn", "e7e8q"),
    ] {
        let found = understand(text, &context);
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
    }
    // Nothing of the kind is possible here, or something else is wished for.
    let found = understand("promote to a bishop", &Context::default());
    assert_eq!(found.slots.get("uci"), None, "{found:?}");
    let found = understand("make a rook move", &context);
    assert_eq!(found.slots.get("uci"), None, "{found:?}");
}

#[test]
fn wishes_are_understood_with_their_slots() {
    for (text, intent, slots) in [
        (
            "show me the caro kann from black's side",
            Intent::PlayOpening,
            r#"{"opening":"Caro-Kann Defense","side":"black"}"#,
        ),
        (
            "lets play the sissilian najdorf",
            Intent::PlayOpening,
            r#"{"opening":"Sicilian Defense: Najdorf Variation"}"#,
        ),
        (
            "sprt head against main at 8+0.08",
            Intent::Sprt,
            r#"{"new":"HEAD","old":"main","limit":"8+0.08"}"#,
        ),
        (
            "I want to play the beoni defense: classical variation, full lyne as White",
            Intent::PlayOpening,
            r#"{"opening":"Benoni Defense: Classical Variation, Full Line","side":"white"}"#,
        ),
        (
            "what is the blackmar diemer gambit",
            Intent::PlayOpening,
            r#"{"opening":"Blackmar-Diemer Gambit"}"#,
        ),
        ("open the games page", Intent::OpenPage, r#"{"page":"games"}"#),
        ("sprt . HEAD at 5+0.05", Intent::Sprt, r#"{"new":".","old":"HEAD","limit":"5+0.05"}"#),
        ("sprt v1.2 against .", Intent::Sprt, r#"{"new":"v1.2","old":"."}"#),
        (". vs main, hash 1 gb", Intent::Sprt, r#"{"new":".","old":"main","hash":1024}"#),
        ("run wac with .", Intent::Suite, r#"{"suite":"wac","engine":"."}"#),
        ("analyse this .", Intent::EngineOn, r#"{}"#),
        (
            "sprt dev vs master 8 threads 256mb",
            Intent::Sprt,
            r#"{"new":"dev","old":"master","threads":8,"hash":256}"#,
        ),
        (
            "run an sprt of my last commit vs the one before",
            Intent::Sprt,
            r#"{"new":"HEAD","old":"HEAD~1"}"#,
        ),
        ("give me a mate in 3", Intent::Practice, r#"{"theme":"mate","mate_in":3}"#),
        ("a rook ending please", Intent::Practice, r#"{"theme":"ending","piece":"rook"}"#),
        ("why did we lose game 14", Intent::WhyLost, r#"{"game":14}"#),
        ("undo my last two moves", Intent::TakeBack, r#"{"count":2}"#),
        ("take the last four plies back", Intent::TakeBack, r#"{"count":4,"unit":"half-moves"}"#),
        ("take back three half moves", Intent::TakeBack, r#"{"count":3,"unit":"half-moves"}"#),
        (
            "run a sprt between main and dev where dev is the new one",
            Intent::Sprt,
            r#"{"new":"dev","old":"main"}"#,
        ),
        ("new game as black against level 5", Intent::NewGame, r#"{"level":5,"colour":"black"}"#),
        (
            "play the kings gambit against level 3",
            Intent::NewGame,
            r#"{"level":3,"opening":"King's Gambit"}"#,
        ),
        (
            "a game with the caro kan against stockfish",
            Intent::NewGame,
            r#"{"engine":"stockfish","opening":"Caro-Kann Defense"}"#,
        ),
        ("who is better?", Intent::Evaluate, "{}"),
        ("run wac with toga2", Intent::Suite, r#"{"suite":"wac","engine":"toga2"}"#),
    ] {
        let understood = understand(text, &context());
        assert_eq!(understood.intent, intent, "{text}: {understood:?}");
        let expected: Slots = serde_json::from_str(slots).expect("JSON");
        assert_eq!(understood.slots, expected, "{text}");
    }
    assert_eq!(understand("", &context()).intent, Intent::Unknown);
    assert_eq!(understand("xqzt blorf wumpus", &context()).intent, Intent::Unknown);
}

#[test]
fn a_command_is_shown_before_it_runs() {
    let understood = understand("sprt head against main at 8+0.08", &context());
    assert_eq!(understood.shown, "harness sprt HEAD main --tc 8+0.08");
    let understood = understand("run wac with toga2 with 20000 nodes", &context());
    assert_eq!(understood.shown, "harness suite wac toga2 --nodes 20000");
}

#[test]
fn every_intent_has_examples_for_the_help() {
    let examples = examples();
    for intent in Intent::ALL {
        assert!(examples.iter().any(|(of, _)| *of == intent), "{intent:?}");
    }
}

#[test]
fn the_sentences_and_names_to_work_with_are_understood() {
    let sentences = include_str!("../../../tests/assistant/dev.tsv");
    let understood = |line: &&str| {
        let columns: Vec<&str> = line.split('\t').collect();
        understand(columns[0], &Context::default()).intent.name() == columns[1]
    };
    let right = sentences.lines().filter(understood).count();
    assert!(100 * right >= 95 * sentences.lines().count(), "{right} sentences");
    let names = include_str!("../../../tests/assistant/names_work.tsv");
    let found = |line: &&str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let sentence = columns[3].replace("{}", columns[1]);
        let slots = understand(&sentence, &Context::default()).slots;
        slots.get("opening").and_then(|name| name.as_str()) == Some(columns[2])
    };
    // Both kinds of misspelling: one in ten of the whole file.
    let some = names.lines().step_by(10);
    let all = some.clone().count();
    let right = some.filter(found).count();
    assert!(100 * right >= 95 * all, "{right} of {all} names");
}

/// What became of the sentences of a file: how many are right, and which are wrong without a word.
fn scored(sentences: &str) -> (usize, Vec<String>) {
    let (mut right, mut silent) = (0, Vec::new());
    for line in sentences.lines() {
        let labelled = labelled::Labelled::read(line).expect("a sentence with its meaning");
        let found = understand(labelled.sentence, &Context::default());
        let outcome = labelled.outcome(&found);
        right += usize::from(outcome.right);
        if outcome.silent {
            silent.push(format!("{}: {found:?}", labelled.sentence));
        }
    }
    (right, silent)
}

#[test]
fn sentences_about_every_function_are_right_and_no_detail_is_dropped_without_a_word() {
    let (right, silent) = scored(include_str!("../../../tests/assistant/functions_work.tsv"));
    assert!(right >= 95, "{right} of 100");
    assert!(silent.is_empty(), "{silent:#?}");
    let (right, silent) = scored(include_str!("../../../tests/assistant/testers_work.tsv"));
    assert!(right >= 186, "{right} of 200");
    assert!(silent.is_empty(), "{silent:#?}");
    let (right, silent) = scored(include_str!("../../../tests/assistant/users.tsv"));
    assert!(right >= 198, "{right} of 208");
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_position_is_set_up_in_words() {
    let fen = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1";
    for (text, slots) in [
        ("put a white queen on d1 and a black king on e8", json!({ "edits": ["Qd1", "ke8"] })),
        (
            "white king on e1, black king on e8, white pawns on a2 and b2",
            json!({ "edits": ["Ke1", "ke8", "Pa2", "Pb2"] }),
        ),
        ("remove the knight from g1", json!({ "edits": ["-g1"] })),
        ("clear e4 and e5", json!({ "edits": ["-e4", "-e5"] })),
        (
            "clear the board and put a white rook on h1",
            json!({ "edits": ["Rh1"], "preset": "empty" }),
        ),
        ("clear the board", json!({ "preset": "empty" })),
        ("black to move", json!({ "turn": "black" })),
        ("hand the move over to black", json!({ "turn": "black" })),
        (
            "put a white queen on d5 and drop the black pawn from a7",
            json!({ "edits": ["Qd5", "-a7"] }),
        ),
        (
            "clear the whole board then white king g1 black king g8 white pawn a7",
            json!({ "edits": ["Kg1", "kg8", "Pa7"], "preset": "empty" }),
        ),
        (
            "white king on e1 and rook on h1 against a lone black king on e8",
            json!({ "edits": ["Ke1", "Rh1", "ke8"], "preset": "empty" }),
        ),
        (&format!("load this fen: {fen}"), json!({ "fen": fen })),
        (fen, json!({ "fen": fen })),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::EditPosition, "{text}: {found:?}");
        assert_eq!(json!(found.slots), slots, "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
    // Of which colour it is not said.
    let found = understand("put a queen on d1", &Context::default());
    assert!(found.intent != Intent::EditPosition || !found.unread.is_empty(), "{found:?}");
}

#[test]
fn what_is_not_understood_of_a_sentence_is_named() {
    for (text, intent, unread) in [
        ("sprt head against v1.2 at 8+0.08 with purple pieces", Intent::Sprt, "purple"),
        ("match stockfish against ethereal, 100 games, 3 lines", Intent::Match, "3"),
        ("turn the board so that black is below and undo", Intent::Flip, "undo"),
        ("new game against stockfish at 3500 elo", Intent::NewGame, "3500"),
        ("match stockfish against ethereal without adjudication", Intent::Match, "adjudication"),
        ("match stockfish against ethereal, no book, 20 games", Intent::Match, "book"),
        ("remove the h-pawns of black", Intent::EditPosition, "pawns"),
        ("show me a tactic with a fork", Intent::Practice, "fork"),
        ("test HEAD against main overnight", Intent::Sprt, "overnight"),
        ("new game with the same colours", Intent::NewGame, "same"),
        ("copy the FEN and then turn on the engine", Intent::Export, "engine"),
        ("delete run 77 but keep its games", Intent::DeleteRun, "keep"),
        ("stop everything", Intent::StopRun, "everything"),
        ("match stockfish against itself with 1 and 2 threads", Intent::Match, "2"),
        ("set the level to 14", Intent::SetLevel, "14"),
        ("tune search.json with 5000 iterations", Intent::Tune, "5000"),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, intent, "{text}: {found:?}");
        assert!(found.unread.iter().any(|part| part.contains(unread)), "{text}: {found:?}");
        assert_eq!(found.confirm, Confirm::Always, "{text}: {found:?}");
    }
}

#[test]
fn what_changes_a_game_is_asked_about_and_nothing_else_is() {
    for (text, confirm) in [
        ("I resign", Confirm::Always),
        ("offer a draw", Confirm::Always),
        ("undo my last two moves", Confirm::InGame),
        ("can I have my last move back?", Confirm::InGame),
        ("turn the board", Confirm::No),
        ("who is better?", Confirm::No),
        ("e4", Confirm::No),
    ] {
        assert_eq!(understand(text, &context()).confirm, confirm, "{text}");
    }
}

#[test]
fn negations_questions_and_markup_start_nothing() {
    for text in [
        "don't resign",
        "never offer a draw",
        "do not start an sprt",
        "please do not undo anything",
        "I will not resign",
        "what is an SPRT?",
        "what does resign mean",
        "what does SPRT stand for?",
        "no need to turn the board",
        "there is no need to resign",
        "why is the Sicilian named after an island?",
        "<script>sprt head main</script>",
        "$(harness sprt HEAD main)",
        "sprt head main | tee log",
        "`sprt head main`",
        "don't play e4",
    ] {
        let found = understand(text, &context());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
    }
    for text in
        ["is this a draw?", "should I resign here?", "is it drawn?", "would that be a draw?"]
    {
        let found = understand(text, &context());
        assert!(!found.intent.acts(), "{text}: {found:?}");
    }
}

#[test]
fn each_detail_of_a_run_is_a_flag() {
    for (text, shown) in [
        (
            "sprt HEAD~3 against main, STC 10+0.1, 2 threads, hash 256, 8 games at once",
            "harness sprt HEAD~3 main --jobs 8 --tc 10+0.1 --option Threads=2 --option Hash=256",
        ),
        (
            "test dev against main: elo0 -3 elo1 0, 64 MB, one thread, book uho.epd, 30 000 games at most",
            "harness sprt dev main --elo0 -3 --elo1 0 --openings uho.epd --max-games 30000 --option Threads=1 --option Hash=64",
        ),
        (
            "swiss tournament of stockfish, ethereal, weiss and toga2, 5 rounds, 40/60",
            "harness match stockfish ethereal weiss toga2 --format swiss --swiss-rounds 5 --tc 40/60",
        ),
        (
            "atomic match of my engine against stockfish, 20 games, a tenth of a second a move",
            "harness match . stockfish --variant atomic --games 20 --movetime 100ms",
        ),
        (
            "wac with toga2 and weiss at half a second per position, 3 lines",
            "harness suite wac toga2 weiss --multipv 3 --movetime 500ms",
        ),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.shown, shown, "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_a_board_does_not_have_and_a_bare_name_start_nothing() {
    for (text, reason) in [
        ("bisect between v1.0 and HEAD", "harness bisect"),
        ("perft 6 from here", "harness perft"),
        ("HEAD", "what is to be done"),
        ("10+0.1", "what is to be done"),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains(reason), "{text}: {found:?}");
    }
}

#[test]
fn a_text_of_any_length_is_answered() {
    for text in
        ["a ".repeat(5000), "1 ".repeat(4000), "new=HEAD ".repeat(1000), "sprt, ".repeat(90)]
    {
        let found = understand(&text, &Context::default());
        assert!(found.unread.iter().all(|part| part.chars().count() < 200), "{found:?}");
    }
    let found = understand(&format!("sprt HEAD main {}", "x".repeat(10_000)), &Context::default());
    assert_eq!(found.confirm, Confirm::Always);
    assert!(found.unread[0].len() < 200, "{:?}", found.unread[0].len());
}

#[test]
fn a_value_that_nothing_is_made_of_is_named() {
    for (text, named) in [
        ("sprt head against main with elo0 7", "7"),
        ("match weiss against toga2 at a tenth of a second at ltc", "ltc"),
        ("undo it at ltc", "ltc"),
        ("take the last three half moves back at depth 13", "13"),
        ("compare the last two runs with contempt 22", "22"),
        ("round robin of 5 engines: weiss, toga2 and ethereal", "5"),
        ("wac on 4 engines: weiss and toga2", "4"),
        ("open with the english 10 times", "10"),
        ("find the lost games in the kings indian, tomorrow", "tomorrow"),
        ("arrange 30 games of weiss against demolito over 21 rounds", "21"),
    ] {
        let found = understand(text, &Context::default());
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
    }
}

#[test]
fn words_that_say_nothing_more_are_not_asked_about() {
    for text in [
        "wac 1s/move my branch nmp-tweak",
        "nonregression main against v2.0, [-3, 1], ltc",
        "knockout of stockfish, weiss, toga2, glaurung, 4 games per pairing",
        "HEAD v main until 10000 games, tc 3+0.03, concurrency 12",
    ] {
        let found = understand(text, &Context::default());
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

/// Bytes are no letters.
#[test]
fn letters_of_any_script_are_read() {
    for text in [
        "\u{fb00}2",
        "rook \u{ff11}e",
        "e4 I\u{ff11} want to",
        "kn\u{e9} to \u{e9}4",
        "ab\u{ff11} \u{130}4",
    ] {
        understand(text, &Context::default());
        kind_of_run(text);
    }
    let found = understand("flip the board\u{fb00}", &Context::default());
    assert_eq!((found.intent, found.confirm), (Intent::Flip, Confirm::Always), "{found:?}");
}
