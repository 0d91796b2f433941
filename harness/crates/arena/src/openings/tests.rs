use std::io::Write;

use super::*;

fn spec(order: Order) -> OpeningsSpec {
    OpeningsSpec { order, ..OpeningsSpec::default() }
}

fn file(name: &str, content: &str) -> (tempfile::TempDir, OpeningsSpec) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, OpeningsSpec { file: Some(path), ..spec(Order::Sequential) })
}

const LINES: &str = "\
# a comment
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"King's pawn\"; fmvn 1; hmvc 3;\r

rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 7
5rk1/1p3ppp/8/8/8/3B4/1PQ2PPP/6K1 w - - bm Qxc8 Bxh7+; id \"x\";
";

#[test]
fn lines_are_fen_or_epd() {
    let (_folder, spec) = file("book.epd", LINES);
    let book = Openings::load(&spec).unwrap();
    assert_eq!(book.len(), 3);
    let fen = |round| book.get(round).unwrap().fen.unwrap();
    assert_eq!(fen(0), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 1");
    assert_eq!(fen(1), "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 7");
    assert_eq!(fen(2), "5rk1/1p3ppp/8/8/8/3B4/1PQ2PPP/6K1 w - - 0 1");
    assert_eq!(fen(3), fen(0), "after the last comes the first");
}

#[test]
fn moves_may_stand_behind_a_fen_and_a_comment_is_none() {
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    for (line, moves) in [
        (format!("{fen} moves e7e5 g1f3"), "e7e5 g1f3"),
        (format!("{epd} moves e7e5; id \"x\";"), "e7e5"),
        (format!("{epd} c0 \"Black moves next\"; id \"two moves later\";"), ""),
    ] {
        let (_folder, spec) = file("book.epd", &line);
        let opening = Openings::load(&spec).unwrap().get(0).unwrap();
        let found: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
        assert_eq!(
            (opening.fen.as_deref(), found.join(" ").as_str()),
            (Some(fen), moves),
            "{line}"
        );
    }
    let (_folder, spec) = file("book.epd", &format!("{fen} moves e7e5 e2e4"));
    let error = Openings::load(&spec).and_then(|book| book.get(0)).unwrap_err();
    assert!(error.to_string().contains("book move 2, `e2e4`"), "{error}");
}

/// A bisection plays many batches of one book.
#[test]
fn a_batch_begins_behind_the_openings_of_those_before() {
    let (_folder, spec) = file("book.epd", LINES);
    let of_batch = |spec: OpeningsSpec, batch: u64, rounds: u64| {
        let spec = Openings::load(&spec).unwrap().of_batch(batch, rounds);
        Openings::load(&spec).unwrap()
    };
    let first = |book: &Openings| book.get(0).unwrap().fen.unwrap();
    let book = Openings::load(&spec).unwrap();
    let fens: Vec<String> = (0..3).map(|at| book.get(at).unwrap().fen.unwrap()).collect();
    for (skip, rounds, begins) in [(0, 0, 0), (0, 2, 2), (0, 3, 0), (0, 7, 1), (1, 1, 2), (1, 2, 1)]
    {
        let spec = OpeningsSpec { skip, ..spec.clone() };
        assert_eq!(first(&of_batch(spec, 5, rounds)), fens[begins], "{skip} {rounds}");
    }
    let random = OpeningsSpec { order: Order::Random, ..OpeningsSpec::default() };
    let firsts: Vec<String> =
        (0..4).map(|batch| first(&of_batch(random.clone(), batch, 8))).collect();
    assert!(firsts.iter().any(|fen| *fen != firsts[0]), "{firsts:?}");
}

#[test]
fn three_check_reads_the_checks_that_are_left_or_given_and_operations_too() {
    let board = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    let lines = ["3+2 4 7", "4 7 +0+1", "3+2 bm Bb5+; hmvc 4; fmvn 7;", "bm Bb5+;"];
    let lines = lines.map(|rest| format!("{board} {rest}\n")).concat();
    let (_folder, spec) = file("book.epd", &lines);
    let rules = Rules::Variant(Variant::ThreeCheck);
    let book = Openings::load(&OpeningsSpec { rules, ..spec }).unwrap();
    let wanted = ["3+2 4 7", "4 7 +0+1", "3+2 4 7", "0 1"];
    for (round, rest) in (0..).zip(wanted) {
        assert_eq!(book.get(round).unwrap().fen.unwrap(), format!("{board} {rest}"));
    }
}

#[test]
fn a_wrong_line_is_named() {
    for (line, says) in [
        ("rnbqkbnr/pppppppp/8/8 w KQkq -", "line 7"),
        ("just words", "line 7"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "insufficient_material"),
        ("\u{0}\u{1}", "line 7"),
    ] {
        let (_folder, spec) = file("book.fen", &format!("{LINES}\n{line}\n"));
        let error = Openings::load(&spec).unwrap_err().to_string();
        assert!(error.contains("book.fen") && error.contains(says), "{error}");
    }
}

#[test]
fn an_empty_or_missing_book_is_an_error() {
    let (_folder, empty) = file("book.epd", "# nothing\n\n");
    assert!(matches!(Openings::load(&empty), Err(BookError::Empty(..))));
    let missing = OpeningsSpec { file: Some("nowhere.epd".into()), ..spec(Order::Random) };
    assert!(matches!(Openings::load(&missing), Err(BookError::Unreadable(..))));
    let folder = OpeningsSpec { file: Some("/".into()), ..spec(Order::Random) };
    assert!(matches!(Openings::load(&folder), Err(BookError::Unreadable(..))));
}

const GAMES: &str = "\
[Event \"one\"]
[Result \"*\"]

1. e4 {a comment
[with a bracket] at the start of a line} e5 (1... c5 2. Nf3) 2. Nf3 *

[Event \"two\"]
[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]
[SetUp \"1\"]

1. e3 Ke7 *
";

#[test]
fn pgn_games_give_their_first_plies() {
    let (_folder, spec) = file("book.PGN", GAMES);
    let book = Openings::load(&OpeningsSpec { plies: Some(2), ..spec }).unwrap();
    assert_eq!(book.len(), 2);
    let text = |round| serde_json::json!(book.get(round).unwrap()).to_string();
    assert_eq!(text(0), r#"{"moves":"e2e4 e7e5"}"#);
    assert_eq!(text(1), r#"{"fen":"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1","moves":"e2e3 e8e7"}"#);
}

#[test]
fn books_of_games_are_read_as_other_programs_write_them() {
    let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n";
    for (text, wanted) in [
        (
            "1. d4 d5 ; a { brace\n2. c4 *\n\n[A \"b\"]\n\n1. e4 *".to_owned(),
            &["d2d4 d7d5 c2c4", "e2e4"][..],
        ),
        ("%by { x\n[A \"b\"]\n\n1. d4\n% 9. Qh9 {\nd5 *\n".to_owned(), &["d2d4 d7d5"]),
        ("  [A \"b\"]\n\n1. d4 *\n\t[A \"b\"]\n1. e4 *".to_owned(), &["d2d4", "e2e4"]),
        ("1. d4 d5 1/2-1/2\n\n1. e4 *\n".to_owned(), &["d2d4 d7d5", "e2e4"]),
        ("[A \"b\"]\n\n{ so }\n\n1. d4 *\n[A \"c\"]\n\n*".to_owned(), &["d2d4", ""]),
        (
            "{ made by x }\n\n1. d4= (1. e4) 1... d7-d5 *\n\n{ the end }\n".to_owned(),
            &["d2d4 d7d5"],
        ),
        (format!("\u{feff}{fen}\n1. e3 *"), &["e2e3"]),
        (format!("{fen}\n1. e3 *\n").replace('\n', "\r\n"), &["e2e3"]),
        (format!("{fen}\n1. e3 *\n").replace('\n', "\r"), &["e2e3"]),
        (format!("1. e4{}", "[A \"b\"]\n*"), &["e2e4", ""]),
    ] {
        let (_folder, spec) = file("book.pgn", &text);
        let book = Openings::load(&spec).unwrap_or_else(|error| panic!("{error}: {text}"));
        let moves = |round| {
            let moves = book.get(round).unwrap().moves;
            moves.iter().map(ToString::to_string).collect::<Vec<String>>().join(" ")
        };
        let read: Vec<String> = (0..book.len() as u64).map(moves).collect();
        assert_eq!(read, wanted, "{text}");
        let has_fen = text.contains("FEN");
        assert_eq!(book.get(0).unwrap().fen.is_some(), has_fen, "{text}");
    }
    for (text, says) in [
        ("just words", "just"),
        ("[A \"b\"]\n\n1. e4 e5 2. Nf4 *", "Nf4"),
        ("{ a comment }\n", "no opening"),
        ("", "no opening"),
        ("1. e4 ] e5 *", "]"),
    ] {
        let (_folder, spec) = file("book.pgn", text);
        let error = Openings::load(&spec).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
}

/// Books have any name: `-openings format=pgn` of fastchess says what the name does not.
#[test]
fn the_content_of_a_book_says_whether_it_has_games_or_lines() {
    let tagless = "1. e4 e5 *\n\n1.d4 d5 *\n";
    for (name, text, openings) in [
        ("book.txt", GAMES, 2),
        ("book", GAMES, 2),
        ("book.epd", &*format!("\u{feff}\n% escaped\n; comment\n  {GAMES}"), 2),
        ("book.epd", &GAMES.replace('\n', "\r"), 2),
        ("book.txt", "{ made by x }\n1. e4 *\n", 1),
        ("book.txt", tagless, 2),
        ("book.pgn", LINES, 3),
        ("book.pgn", &*format!("\u{feff}{}", LINES.replace('\n', "\r\n")), 3),
        ("book.pgn", "8/8/8/8/8/4k3/4p3/4K2R w K - 0 1", 1),
    ] {
        let (_folder, spec) = file(name, text);
        let book = Openings::load(&spec).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
        assert_eq!(book.len(), openings, "{name}: {text}");
    }
}

#[test]
fn a_polyglot_book_without_a_move_in_the_start_position_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.bin");
    std::fs::write(&path, [[0; 7].as_slice(), &[1], &[0; 8]].concat()).unwrap();
    let error = Openings::load(&OpeningsSpec { file: Some(path), ..spec(Order::Random) });
    let error = error.unwrap_err();
    assert!(matches!(error, BookError::NoLine(..)), "{error}");
    assert!(error.to_string().contains("start position"), "{error}");
}

#[test]
fn a_fault_of_a_game_has_advice_for_games_and_one_of_a_line_for_lines() {
    for (name, text, advice) in [
        ("book.pgn", "1. e4 e5 2. Nf4 *", "mend the game"),
        ("book.pgn", "[Variant \"Atomic\"]\n\n1. e4 *", "--variant"),
        ("book.epd", "words", "FEN or EPD"),
    ] {
        let (_folder, spec) = file(name, text);
        let error = miette::Report::new(Openings::load(&spec).unwrap_err());
        let help = error.help().expect("advice").to_string();
        assert!(help.contains(advice), "{text}: {help}");
    }
}

#[test]
fn an_illegal_move_in_a_pgn_is_named_with_the_line_of_its_game() {
    let (_folder, spec) = file("book.pgn", &GAMES.replace("Ke7", "Ke4"));
    let error = Openings::load(&spec).unwrap_err().to_string();
    assert!(error.contains("line 7") && error.contains("Ke4"), "{error}");
}

#[test]
fn a_changed_book_is_noticed() {
    let (_folder, spec) = file("book.epd", LINES);
    let spec = Openings::load(&spec).unwrap().spec().unwrap();
    Openings::load(&spec).unwrap();
    let path = spec.file.as_ref().unwrap();
    let mut appended = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    appended.write_all(b"\n").unwrap();
    assert!(matches!(Openings::load(&spec), Err(BookError::Changed(..))));
}

#[test]
fn the_start_can_be_moved_but_not_beyond_the_end() {
    let (_folder, spec) = file("book.epd", LINES);
    let all = Openings::load(&spec).unwrap();
    let moved = Openings::load(&OpeningsSpec { skip: 1, ..spec.clone() }).unwrap();
    assert_eq!(moved.get(0).unwrap(), all.get(1).unwrap());
    assert_eq!(moved.get(2).unwrap(), all.get(0).unwrap());
    let count = std::num::NonZeroU64::new(2);
    let some = Openings::load(&OpeningsSpec { skip: 2, count, ..spec.clone() }).unwrap();
    assert_eq!((some.len(), some.title().contains("2 of 3 openings")), (2, true));
    assert_eq!([&all, &moved, &some].map(Openings::until_end), [3, 2, 1]);
    for (round, of_all) in [(0, 2), (1, 0), (2, 2), (5, 0)] {
        assert_eq!(some.get(round).unwrap(), all.get(of_all).unwrap(), "{round}");
    }
    let beyond = Openings::load(&OpeningsSpec { skip: 3, ..spec });
    assert!(matches!(beyond, Err(BookError::SkipsAll { .. })));
}

#[test]
fn our_own_book_has_4000_different_openings_and_each_can_be_played() {
    let book = Openings::load(&spec(Order::Random)).unwrap();
    assert!(book.len() >= 4000, "{}", book.title());
    let mut seen = std::collections::HashSet::new();
    for round in 0..book.len() as u64 {
        assert!(seen.insert(book.get(round).unwrap().fen), "round {round} repeats an opening");
    }
}

#[test]
fn chess960_starts_from_all_its_positions() {
    let spec = OpeningsSpec { rules: Rules::Chess960, ..spec(Order::Random) };
    let book = Openings::load(&spec).unwrap();
    assert_eq!(book.len(), 960);
    assert_ne!(book.get(0).unwrap(), book.get(1).unwrap());
}
