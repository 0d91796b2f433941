//! Details that have a place: games of a list, moves of a game, files, limits, bounds, rights to castle.

use serde_json::json;

use super::*;

fn read(text: &str) -> (Intent, serde_json::Value) {
    let context = Context { plays: Some("white"), ..Context::default() };
    let found = understand(text, &context);
    assert!(found.unread.is_empty(), "{text}: {found:?}");
    (found.intent, json!(found.slots))
}

#[test]
fn games_are_chosen_by_ending_length_colour_and_order() {
    for (text, slots) in [
        (
            "all draws under 30 moves, run 10",
            json!({ "result": "drawn", "max_plies": 58, "run": "10" }),
        ),
        ("games of at most 30 moves in the last match", json!({ "max_plies": 60, "run": "last" })),
        ("games of run 7 with more than 100 moves", json!({ "min_plies": 201, "run": "7" })),
        ("games between 20 and 40 moves", json!({ "min_plies": 39, "max_plies": 80 })),
        (
            "losses of HEAD as White in 23",
            json!({ "colour": "white", "player": "HEAD", "result": "lost", "run": "23" }),
        ),
        (
            "in the last SPRT, which games were lost on time by HEAD",
            json!({ "ending": "time_forfeit", "player": "HEAD", "result": "lost", "run": "last" }),
        ),
        ("which games of 16 ended on time", json!({ "ending": "time_forfeit", "run": "16" })),
        (
            "list the ten shortest games that weiss won in run fourteen",
            json!({
                "most": 10, "player": "weiss", "result": "won", "run": "14", "sort": "plies",
            }),
        ),
    ] {
        assert_eq!(read(text), (Intent::ListGames, slots), "{text}");
    }
    let two = understand("games of run 4 with time losses or crashes", &Context::default());
    assert!(!two.unread.is_empty(), "{two:?}");
}

#[test]
fn one_game_is_found_by_what_it_is() {
    for (text, slots) in [
        (
            "show the shortest win of v1.2 in run 20",
            json!({ "player": "v1.2", "result": "won", "run": "20", "sort": "plies" }),
        ),
        ("open the last game of the newest sprt", json!({ "run": "last", "sort": "-number" })),
        (
            "open the game before last of the last match",
            json!({ "nth": 2, "run": "last", "sort": "-number" }),
        ),
        (
            "bring up the longest draw out of run 9",
            json!({ "result": "drawn", "run": "9", "sort": "-plies" }),
        ),
        ("game 112, run 16, at move 33", json!({ "at": 33, "game": 112, "run": "16" })),
        ("open game 204 of run 19", json!({ "game": 204, "run": "19" })),
    ] {
        assert_eq!(read(text), (Intent::OpenGame, slots), "{text}");
    }
    let lost = read("why did weiss lose the shortest one it lost in run twelve?");
    let slots = json!({ "player": "weiss", "result": "lost", "run": "12", "sort": "plies" });
    assert_eq!(lost, (Intent::WhyLost, slots));
    for (text, player) in [
        ("explain to me how weiss managed to lose game 4 of run 12", "weiss"),
        ("run 12, game 4, HEAD was beaten, tell me why", "HEAD"),
    ] {
        let slots = json!({ "game": 4, "player": player, "run": "12" });
        assert_eq!(read(text), (Intent::WhyLost, slots), "{text}");
    }
    let numbered = read("why was 19/204 lost?");
    assert_eq!(numbered, (Intent::WhyLost, json!({ "game": 204, "run": "19" })));
}

#[test]
fn moves_of_a_game_are_found_by_what_they_did() {
    for (text, intent, slots) in [
        (
            "where did I capture on d4? show that",
            Intent::GoTo,
            json!({ "capture": true, "side": "white", "to": "d4" }),
        ),
        (
            "go to the position just before he took on d4",
            Intent::GoTo,
            json!({ "before": true, "capture": true, "side": "black", "to": "d4" }),
        ),
        ("jump to where Nxd4 was played", Intent::GoTo, json!({ "san": "Nxd4" })),
        (
            "undo 5...a6 and my 5.Nc3",
            Intent::TakeBack,
            json!({ "move": 5, "san": "Nc3", "side": "white" }),
        ),
        (
            "take back everything from 12...Rxe4 on",
            Intent::TakeBack,
            json!({ "move": 12, "san": "Rxe4", "side": "black" }),
        ),
        (
            "take the ?? off my third move",
            Intent::MarkMove,
            json!({ "move": 3, "remove": true, "side": "white", "sign": "??" }),
        ),
        (
            "erase the question mark behind move 12",
            Intent::MarkMove,
            json!({ "move": 12, "remove": true, "sign": "?" }),
        ),
        (
            "double question mark, Black's second",
            Intent::MarkMove,
            json!({ "move": 2, "side": "black", "sign": "??" }),
        ),
        (
            "give 3.d4 a $5",
            Intent::MarkMove,
            json!({ "move": 3, "san": "d4", "side": "white", "sign": "!?" }),
        ),
    ] {
        assert_eq!(read(text), (intent, slots), "{text}");
    }
    let meant = understand("take back my last move, I meant Nf3", &Context::default());
    assert!(meant.slots.get("san").is_none() && !meant.unread.is_empty(), "{meant:?}");
}

#[test]
fn files_pictures_and_limits_of_answers_have_their_place() {
    for (text, intent, slots) in [
        (
            "save the game as lesson7.pgn",
            Intent::Export,
            json!({ "file": "lesson7.pgn", "what": "pgn" }),
        ),
        ("copy the pgn", Intent::Export, json!({ "what": "pgn" })),
        (
            "a picture of the board please, black at the bottom",
            Intent::Export,
            json!({ "side": "black", "what": "picture" }),
        ),
        ("best move at depth 24?", Intent::Hint, json!({ "limit": "depth=24" })),
        (
            "evaluate the position with 2M nodes",
            Intent::Evaluate,
            json!({ "limit": "nodes=2000000" }),
        ),
        (
            "new game from this position, me as black, level 4",
            Intent::NewGame,
            json!({ "colour": "black", "here": true, "level": 4 }),
        ),
        (
            "new game as black 3 min +2 lvl 5",
            Intent::NewGame,
            json!({ "clock": "3+2", "colour": "black", "level": 5 }),
        ),
        ("the page of run 30", Intent::OpenPage, json!({ "run": "30" })),
        (
            "training games: 1,000,000 of them at 3000 nodes into the file learn1.bin",
            Intent::Generate,
            json!({ "games": 1_000_000, "limit": "nodes=3000", "output": "learn1.bin" }),
        ),
    ] {
        assert_eq!(read(text), (intent, slots), "{text}");
    }
    // What cannot be done is named.
    let huge = understand("a picture of the board, 20000 px wide", &Context::default());
    assert!(huge.slots.get("pixels").is_none() && !huge.unread.is_empty(), "{huge:?}");
    let other = understand("a picture of bobby fischer", &Context::default());
    assert_eq!(other.intent, Intent::Unknown, "{other:?}");
    let above = read("a picture of the position with white at the top");
    assert_eq!(above, (Intent::Export, json!({ "side": "black", "what": "picture" })));
    let sides = "let weiss with black and toga2 with white play 4 games from this position";
    let slots = json!({ "against": "weiss", "engine": "toga2", "games": 4, "no_swap": true });
    assert_eq!(read(sides), (Intent::PlayOut, slots));
    let open = "let weiss and toga2 play 4 games from this position, white to move";
    assert!(understand(open, &Context::default()).slots.get("no_swap").is_none());
    let read_from = understand("generate training data from games.pgn", &Context::default());
    assert!(read_from.slots.get("output").is_none(), "{read_from:?}");
}

#[test]
fn bounds_of_a_test_are_read_however_they_are_written() {
    for (text, bounds) in [
        ("sprt HEAD main [0, 3]", [0.0, 3.0]),
        ("sprt HEAD main 0..5", [0.0, 5.0]),
        ("sprt HEAD against main, bounds -5/0", [-5.0, 0.0]),
        ("sprt HEAD main <-1.75, 0.25>", [-1.75, 0.25]),
        ("sprt HEAD against main, null hypothesis 0 Elo, alternative 2.5", [0.0, 2.5]),
        ("sprt HEAD against main, H0 0 Elo, H1 5 Elo", [0.0, 5.0]),
        ("sprt HEAD against main from minus five to zero", [-5.0, 0.0]),
        ("sprt HEAD against main, elo1 = 5", [0.0, 5.0]),
    ] {
        let (intent, slots) = read(text);
        assert_eq!(intent, Intent::Sprt, "{text}");
        let read: Vec<f64> = serde_json::from_value(slots["bounds"].clone())
            .unwrap_or_else(|error| panic!("{text}: {slots} {error}"));
        assert_eq!(read, bounds, "{text}");
    }
    let games = understand("match HEAD main 40/60", &Context::default());
    assert!(games.slots.get("bounds").is_none(), "{games:?}");
}

#[test]
fn rights_to_castle_and_sides_behind_their_pieces_are_edits() {
    for (text, slots) in [
        (
            "black to move and no castling for either side",
            json!({ "rights": "-KQkq", "turn": "black" }),
        ),
        ("black to move and he can't castle any more", json!({ "rights": "-kq", "turn": "black" })),
        ("set up the position without castling long for black", json!({ "rights": "-q" })),
        (
            "empty board, Kg1 Rd1 for White, Kg8 pawn g7 for Black, Black to move",
            json!({
                "edits": ["Kg1", "Rd1", "kg8", "pg7"], "preset": "empty", "turn": "black",
            }),
        ),
        (
            "put the white king on e1, a white rook on h1, the black king on e8 and a black pawn on a2, with White to \
             move and only kingside castling permitted for White",
            json!({ "edits": ["Ke1", "Rh1", "ke8", "pa2"], "rights": "=K", "turn": "white" }),
        ),
    ] {
        assert_eq!(read(text), (Intent::EditPosition, slots), "{text}");
    }
}

#[test]
fn texts_stand_before_and_behind_their_runs_and_moves() {
    for (text, intent, slots) in [
        (
            "rename 8 to baseline-v1.1",
            Intent::DescribeRun,
            json!({ "name": "baseline-v1.1", "run": "8" }),
        ),
        (
            "to the last sprt please add a note the fan was loud",
            Intent::DescribeRun,
            json!({ "note": "the fan was loud", "run": "last" }),
        ),
        (
            "late move reductions second try should be the name of run five please",
            Intent::DescribeRun,
            json!({ "name": "late move reductions second try", "run": "5" }),
        ),
        (
            "write here the centre is opened at my third move please",
            Intent::CommentMove,
            json!({ "move": 3, "side": "white", "text": "here the centre is opened" }),
        ),
    ] {
        assert_eq!(read(text), (intent, slots), "{text}");
    }
}

#[test]
fn names_in_short_are_those_that_people_mean_by_them() {
    let english = |text: &str| understand(text, &Context::default()).shown;
    for (text, shown) in [
        ("play the budapest", "Play the Indian Defense: Budapest Gambit"),
        ("play the budapest gambit accepted", "Play the Indian Defense: Budapest Gambit Accepted"),
        ("play the qgd", "Play the Queen's Gambit Declined"),
        ("match glaurung against toga, 40 games", "harness match glaurung toga2 --games 40"),
        ("match toga against weiss, 40 games", "harness match toga2 weiss --games 40"),
        ("sprt main~1 -> main", "harness sprt main main~1"),
        ("sprt main~1 against main", "harness sprt main~1 main"),
        ("sprt HEAD main st=0.2", "harness sprt HEAD main --movetime 200ms"),
        ("sprt HEAD main st=10", "harness sprt HEAD main --movetime 10s"),
        (
            "do a non-regression SPRT from -3 to 1 of my engine against main",
            "harness sprt . main --elo0 -3 --elo1 1",
        ),
        ("sprt from -3 to 1 HEAD main", "harness sprt HEAD main --elo0 -3 --elo1 1"),
    ] {
        assert_eq!(english(text), shown, "{text}");
    }
}

#[test]
fn moves_are_taken_back_until_a_piece_stands_where_it_stood() {
    for (text, slots) in [
        (
            "take back till I have the knight on f3 again",
            json!({ "piece": "N", "side": "white", "stands": true, "to": "f3" }),
        ),
        (
            "take back until his queen is on d8 again",
            json!({ "piece": "Q", "side": "black", "stands": true, "to": "d8" }),
        ),
        (
            "take back until the black queen is on d8",
            json!({ "piece": "Q", "side": "black", "stands": true, "to": "d8" }),
        ),
        ("take back my knight to f3", json!({ "piece": "N", "side": "white", "to": "f3" })),
    ] {
        let context = Context { plays: Some("white"), ..Context::default() };
        assert_eq!(json!(understand(text, &context).slots), slots, "{text}");
    }
}

#[test]
fn a_tag_is_no_plain_english_and_other_signs_are() {
    for text in
        ["<script>sprt HEAD main</script>", "sprt HEAD main; `rm`", "match {a} b", "sprt $(x) main"]
    {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains("no plain English"), "{text}: {found:?}");
    }
}

#[test]
fn numbers_names_and_places_that_are_said_in_other_forms_are_theirs() {
    for (text, intent, slots) in [
        (
            "sprt main dev 40 000 games at 12 500 nodes",
            Intent::Sprt,
            json!({ "games": 40_000, "limit": "nodes=12500", "new": "main", "old": "dev" }),
        ),
        ("open game 1 204 of run 22", Intent::OpenGame, json!({ "game": 1204, "run": "22" })),
        ("open 16 game 2", Intent::OpenGame, json!({ "game": 2, "run": "16" })),
        (
            "match main against the branch new eval four hundred games",
            Intent::Match,
            json!({ "first": "main", "games": 400, "second": "new-eval" }),
        ),
        (
            "sprt main dev at the long time control, 60 s + 0.6 s",
            Intent::Sprt,
            json!({ "limit": "60+0.6", "new": "main", "old": "dev" }),
        ),
        (
            "sprt main dev and use eight threads I mean concurrency eight",
            Intent::Sprt,
            json!({ "jobs": 8, "new": "main", "old": "dev" }),
        ),
        ("name 12 lmr-final", Intent::DescribeRun, json!({ "name": "lmr-final", "run": "12" })),
        ("Open the page of run 23", Intent::OpenPage, json!({ "run": "23" })),
        (
            "get me out of this board and over to the list of runs",
            Intent::OpenPage,
            json!({ "page": "runs" }),
        ),
        (
            "set the engine's Elo to 2150 for the rest of the game",
            Intent::SetLevel,
            json!({ "level": 8, "rating": 2150 }),
        ),
        ("no castling for black", Intent::EditPosition, json!({ "rights": "-kq" })),
        (
            "analyse with ethereal to depth 30, 5 principal variations",
            Intent::EngineOn,
            json!({ "engine": "ethereal", "limit": "depth=30", "lines": 5 }),
        ),
        (
            "analyse with ethereal to depth 30, only the main line",
            Intent::EngineOn,
            json!({ "engine": "ethereal", "limit": "depth=30", "lines": 1 }),
        ),
        (
            "undo everything back to where I pushed d4",
            Intent::TakeBack,
            json!({ "side": "white", "to": "d4" }),
        ),
    ] {
        assert_eq!(read(text), (intent, slots), "{text}");
    }
    // How old somebody is, is no level.
    let easier = understand("My student is only nine, make it easier", &Context::default());
    assert_eq!(easier.slots.get("level"), Some(&json!("lower")), "{easier:?}");
}
