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
        ("give me a mate in 3", Intent::Practice, r#"{"theme":"mate","mate_in":3}"#),
        ("a rook ending please", Intent::Practice, r#"{"theme":"ending","piece":"rook"}"#),
        ("why did we lose game 14", Intent::WhyLost, r#"{"game":14}"#),
        ("undo my last two moves", Intent::TakeBack, r#"{"count":2}"#),
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
