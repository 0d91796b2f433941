//! Sentences of people of all walks of life: reasons, people who take part, corrections, and what newcomers say.

use super::*;

#[test]
fn sentences_of_all_walks_of_life_are_right() {
    let (right, silent) = scored(include_str!("../../../../tests/assistant/walks_of_life.tsv"));
    assert!(right >= 199, "{right} of 200");
    assert!(silent.is_empty(), "{silent:#?}");
}

fn found(text: &str) -> Understood {
    understand(text, &Context::default())
}

#[test]
fn a_clause_that_says_why_changes_nothing_and_one_with_a_detail_is_named() {
    for (text, shown) in [
        ("flip it, otherwise I get confused", "Turn the board"),
        ("stop run 4 because the room is hot", "harness stop 4"),
        ("as my eyes are bad, say the moves", "Say the moves"),
        ("a rook ending although I hate pawn endings", "Practice: ending, rook"),
        (
            "match weiss toga2 100 games because my friend does not believe me",
            "harness match weiss toga2 --games 100",
        ),
        ("turn the board so that I can see it from black's side", "Turn the board: black below"),
        ("new game because I want black", "New game as black"),
        ("mark move 13 with ?!, because I was too generous", "Mark move 13 with ?!"),
    ] {
        let found = found(text);
        assert_eq!(found.shown, shown, "{text}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
    for (text, shown, named) in [
        (
            "stop the last match because run 12 needs the cores",
            "harness stop last",
            "because run 12 needs the cores",
        ),
        (
            "new game against weiss because toga2 is boring",
            "New game against weiss",
            "because toga2 is boring",
        ),
        (
            "new game at level 4 because level 3 was too easy",
            "New game, level 4 (Elo 1400)",
            "because level 3 was too easy",
        ),
        (
            "run wac with toga2 because 500 ms per move is enough",
            "harness suite wac toga2",
            "because 500 ms per move is enough",
        ),
        (
            "new game as white since I had black last time",
            "New game as white",
            "since I had black last time",
        ),
        ("sprt HEAD main because b-fix is slow", "harness sprt HEAD main", "because b-fix is slow"),
        (
            "sprt HEAD main because lmr-fix is slow",
            "harness sprt HEAD main",
            "because lmr-fix is slow",
        ),
    ] {
        let found = found(text);
        assert_eq!(found.shown, shown, "{text}");
        assert_eq!(
            (found.unread.as_slice(), found.confirm),
            ([named.to_owned()].as_slice(), Confirm::Always),
            "{text}"
        );
    }
}

#[test]
fn a_reason_may_be_the_wish_and_what_it_narrows_or_denies_is_named() {
    for (text, shown) in [
        ("copy the game because I need the fen", "Copy the FEN"),
        ("show games because I want only draws", "The drawn games"),
        ("turn the board because black should be below", "Turn the board: black below"),
        ("because I want black, new game", "New game as black"),
        ("match weiss toga2 because I want 40 games", "harness match weiss toga2 --games 40"),
        (
            "match weiss toga2 since my boss wants a gauntlet",
            "harness match weiss toga2 --format gauntlet",
        ),
        (
            "match weiss toga2, because it should be a gauntlet",
            "harness match weiss toga2 --format gauntlet",
        ),
    ] {
        assert_eq!(found(text).shown, shown, "{text}");
    }
    for (wish, why) in [
        ("practise", "because I want rook endings"),
        ("practise", "because my rook endings are weak"),
        ("new game", "because I do not want a clock"),
        ("new game", "because she needs an increment"),
        ("delete run 7", "although I do not want to"),
        ("turn the board", "because I am not black"),
        ("turn the board", "because white should not be below"),
        ("match weiss toga2", "because he wins without a book"),
        ("match weiss toga2", "because it is late and use no book"),
        ("match weiss toga2", "because I would like the book noob"),
        ("match weiss toga2", "since we need falling bounds"),
        ("match weiss toga2", "although not now"),
        ("sprt HEAD main", "because we want no book"),
        ("sprt HEAD main", "because it needs a book"),
        ("sprt HEAD main", "because slow-branch is slower"),
        ("sprt dev-branch main", "because slow-branch is slower"),
    ] {
        let text = format!("{wish} {why}");
        let understood = found(&text);
        assert_eq!(understood.shown, found(wish).shown, "{text}");
        assert_eq!(
            (understood.unread.as_slice(), understood.confirm),
            ([why.to_owned()].as_slice(), Confirm::Always),
            "{text}"
        );
    }
    // The side is in the slots, and what is left over is asked about.
    let found = found("new game since my wife wants the black pieces");
    assert_eq!((found.slots["colour"].as_str(), found.confirm), (Some("black"), Confirm::Always));
}

#[test]
fn an_engine_is_not_spoken_to_and_a_run_goes_on() {
    let named = |text: &str, context: &Context| understand(text, context).shown;
    let default = Context::default();
    for (text, shown) in [
        ("match weiss, tench", "harness match weiss tench"),
        ("tench, match weiss", "harness match tench weiss"),
        (
            "start a gauntlet: tench, weiss, toga2",
            "harness match tench weiss toga2 --format gauntlet",
        ),
        ("boss, turn the board", "Turn the board"),
        ("go on, run 4", "harness resume 4"),
        ("go on: the last sprt", "harness resume last"),
        ("go on, run wac with toga2", "harness suite wac toga2"),
        ("go on, run 100 games of weiss against toga2", "harness match weiss toga2 --games 100"),
        ("go on, match weiss toga2", "harness match weiss toga2"),
        ("go on, a hint", "Hint"),
        ("show games, I lost", "The lost games"),
        ("call the last run slow, so I test it", "Name slow, so I test it: run last"),
    ] {
        assert_eq!(named(text, &default), shown, "{text}");
    }
    let engines = ["boss", "champ", "chief", "computer"];
    let context = Context { engines: engines.map(str::to_owned).to_vec(), ..Context::default() };
    for engine in engines {
        let shown = format!("harness match weiss {engine}");
        assert_eq!(named(&format!("match weiss, {engine}"), &context), shown);
    }
}

#[test]
fn a_remark_behind_a_wish_leaves_it_as_it_is() {
    for (text, intent) in [
        ("talk to me while we play, I can't see a thing without my glasses", Intent::SpeechOn),
        ("go on, give me a hint, I promise I won't tell the lads", Intent::Hint),
        ("don't show me those engine lines, they only make me sad", Intent::EngineOff),
        ("open my games, I want to show my wife the one with the queen sac", Intent::OpenPage),
        ("what's still running, my laptop sounds like a hairdryer", Intent::OpenPage),
        ("throw away the last run, I only wanted to see what happens", Intent::DeleteRun),
        ("what are all those numbers on the side, turn them off", Intent::EngineOff),
        ("why is black at the bottom, turn it around", Intent::Flip),
        ("why is black at the bottom, flip it round", Intent::Flip),
        ("what is this, take that back", Intent::TakeBack),
        ("why are you talking, shut up", Intent::SpeechOff),
    ] {
        let found = found(text);
        assert_eq!(found.intent, intent, "{text}: {found:?}");
        assert!(found.unread.is_empty() && found.slots.get("side").is_none(), "{text}: {found:?}");
    }
    for (text, shown) in [
        (
            "sprt HEAD main at stc, my laptop sounds like a hairdryer",
            "harness sprt HEAD main --tc 8+0.08",
        ),
        (
            "match weiss toga2 50 games, I promise I won't complain",
            "harness match weiss toga2 --games 50",
        ),
        ("hint please, I'm lost", "Hint"),
        ("who is better, I have no clue", "Who is better?"),
        ("delete run 4, no, not that, run 5", "Delete run 5"),
    ] {
        let found = found(text);
        assert_eq!(found.shown, shown, "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
    for (text, named) in [
        ("sprt HEAD main, he likes zork", "zork"),
        ("match weiss toga2, they never swap colours", "never swap colours"),
        ("stop the last run because it hangs and show me the games", "show me the games"),
        ("copy the pgn so that it has no comments", "no comments"),
        ("new game as white, I want zork", "zork"),
        ("set your strength to onne", "onne"),
        ("which was the first mistake, the opening aside?", "aside"),
    ] {
        let found = found(text);
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
    }
}

#[test]
fn another_one_who_plays_is_oneself() {
    for (text, shown) in [
        ("let my pupil play white at level 2", "New game as white, level 2 (Elo 1000)"),
        (
            "show my class the catalan, but from white's side, not from black's",
            "Play the Catalan Opening, you are white",
        ),
        ("the boy wants to undo", "Take back 1 move"),
        ("mate, turn the board", "Turn the board"),
        ("who is winning here, me or the old man?", "Who is better?"),
        ("the puzzles my kids failed", "Practice: mistakes"),
    ] {
        assert_eq!(found(text).shown, shown, "{text}");
    }
}

#[test]
fn what_is_corrected_counted_twice_or_denied_is_understood() {
    for (text, shown) in [
        ("take back the last three moves, no, only the last two", "Take back 2 moves"),
        (
            "sprt HEAD main at long rather than short time control",
            "harness sprt HEAD main --tc 40+0.4",
        ),
        (
            "the caro kann from black's side instead of white's",
            "Play the Caro-Kann Defense, you are black",
        ),
        (
            "match weiss toga2 ethereal, everybody plays everybody twice",
            "harness match weiss toga2 ethereal --format round-robin --games 2",
        ),
        ("diff last sprt and the one before", "Compare runs: last two, sprt alone"),
        ("honestly White's 22nd deserves two exclamation marks", "Mark move 22 of white with !!"),
        ("new game, 3 minutes with two seconds on top", "New game, 3+2"),
        ("new game with a rating of about 1700", "New game, level 5 (Elo 1600, nearest to 1700)"),
        (
            "match weiss toga2 20 games, one second per turn",
            "harness match weiss toga2 --games 20 --movetime 1s",
        ),
        ("test the engine called ethereal on wac", "harness suite wac ethereal"),
        ("one where I can win in two moves", "Practice: mate in 2"),
        ("bring me back to how it was before anybody moved", "Go to the start"),
        (
            "let the program play itself for 2000 games and save them in data/baby.vf",
            "harness data generate --output data/baby.vf --games 2000",
        ),
    ] {
        let found = found(text);
        assert_eq!(found.shown, shown, "{text}");
        assert!(found.unread.iter().all(|part| part == "honestly"), "{text}: {found:?}");
    }
    for text in ["i resign no wait i do not resign", "stop the last match, no, leave it running"] {
        assert_eq!(found(text).intent, Intent::Unknown, "{text}");
    }
    // Which engine is not meant is named.
    assert!(found("match dev weiss instead of toga2").unread.join(" ").contains("toga2"));
}
