use proptest::prelude::*;
use shakmaty::san::San;

use super::*;

const KNIGHT: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";

fn one(line: &str) -> EpdPosition {
    read("test.epd", line.as_bytes()).expect("valid").remove(0)
}

fn first_error(text: &str) -> (usize, usize, String) {
    let mut errors = read("test.epd", text.as_bytes()).expect_err("faulty");
    let error = errors.errors.remove(0);
    (error.line, error.column, error.what)
}

fn sans(position: &EpdPosition, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| San::from_move(&position.position, m).to_string()).collect()
}

#[test]
fn operations_are_read_and_unknown_ones_are_kept() {
    let position = one(&format!(
        "{KNIGHT} bm Bb5 d4; am a3; id \"Spanish; or Scotch\"; ce 30; zz 1 \"two; 3\" four; last"
    ));
    assert_eq!(sans(&position, &position.best), ["Bb5", "d4"]);
    assert_eq!(sans(&position, &position.avoid), ["a3"]);
    assert_eq!(position.id, "Spanish; or Scotch");
    let operands = |opcode| {
        let operation = position.operation(opcode).expect("kept");
        operation.operands.iter().map(|operand| operand.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(operands("ce"), ["30"]);
    assert_eq!(operands("zz"), ["1", "two; 3", "four"]);
    assert_eq!(operands("last"), [""; 0]);
}

#[test]
fn the_counters_come_from_fields_or_operations() {
    let cases = [
        (format!("{KNIGHT} bm d4;"), "0 1"),
        (format!("{KNIGHT} 7 12 bm d4;"), "7 12"),
        (format!("{KNIGHT} 7 12; bm d4;"), "7 12"),
        (format!("{KNIGHT} 7 bm d4"), "7 1"),
        (format!("{KNIGHT}; bm d4; hmvc 5; fmvn 9;"), "5 9"),
        (format!("{KNIGHT} 0 1 ;D1 27 ;D2 803"), "0 1"),
        (format!("{KNIGHT} 4 9; c0 \"x\";"), "4 9"),
        (format!("{KNIGHT};c0 \"x\""), "0 1"),
        (format!("{KNIGHT}  4\t9\tc0 \"x 1 2\";"), "4 9"),
        (format!("{KNIGHT} fmvn 9; c9 \"hmvc 3;\"; hmvc 4;"), "4 9"),
    ];
    for (line, counters) in cases {
        assert!(one(&line).fen.ends_with(counters), "{line}: {}", one(&line).fen);
    }
    assert_eq!(one(&format!("{KNIGHT} 0 1 ;D1 27 ;D2 803")).operations.len(), 2);
}

#[test]
fn comments_blank_lines_line_ends_and_a_byte_order_mark_do_not_matter() {
    let text =
        format!("\u{feff}# a comment\r\n\r\n   \n{KNIGHT} bm d4;\r\n  # more\n{KNIGHT} bm a3");
    let positions = read("test.epd", text.as_bytes()).expect("valid");
    let lines: Vec<usize> = positions.iter().map(|position| position.line).collect();
    assert_eq!(lines, [4, 6]);
    assert_eq!(positions[1].id, "line 6");
}

#[test]
fn an_id_used_twice_is_made_unique() {
    let line = format!("{KNIGHT} bm d4; id \"same\";\n");
    let positions = read("test.epd", line.repeat(3).as_bytes()).expect("valid");
    let ids: Vec<&str> = positions.iter().map(|position| position.id.as_str()).collect();
    assert_eq!(ids, ["same", "same (2)", "same (3)"]);
}

#[test]
fn an_id_that_is_made_unique_is_not_another_ones() {
    let named = |id: &str| format!("{KNIGHT} bm d4; id \"{id}\";\n");
    for (written, wanted) in [
        (["a (2)", "a", "a", "a"], ["a (2)", "a", "a (3)", "a (4)"]),
        (["a", "a", "a (2)", "a"], ["a", "a (2)", "a (2) (2)", "a (3)"]),
    ] {
        let text = written.map(named).concat();
        let positions = read("test.epd", text.as_bytes()).expect("valid");
        let ids: Vec<&str> = positions.iter().map(|position| position.id.as_str()).collect();
        assert_eq!(ids, wanted);
    }
}

#[test]
fn scored_moves_are_read_in_both_forms() {
    let forms = [
        "bm Bb5; c0 \"Bb5=10, d4=6, Nc3=2\"; ",
        "bm Bb5; c0 \"Bb5=10,d4=6, b1c3=2\"; ",
        "bm Bb5; c7 \"Bb5 d4 Nc3\"; c8 \"10 6 2\";",
        "bm Bb5; c0 \"a comment\"; c7 \"Bb5 d4 Nc3\"; c8 \"10 6 2\"; c9 \"f1b5 d2d4 b1c3\";",
    ];
    for form in forms {
        let position = one(&format!("{KNIGHT} {form}"));
        let moves: Vec<Move> = position.points.iter().map(|&(m, _)| m).collect();
        let points: Vec<u32> = position.points.iter().map(|&(_, points)| points).collect();
        assert_eq!(sans(&position, &moves), ["Bb5", "d4", "Nc3"], "{form}");
        assert_eq!(points, [10, 6, 2], "{form}");
    }
    for comment in [
        "c0 \"mate in 3, x=y\";",
        "c0 \"d5=1.5\";",
        "c0 \"elo=2500, year=1999\";",
        "c8 \"about 1.5\"; c9 \"d2d4 x\";",
    ] {
        assert!(one(&format!("{KNIGHT} bm d4; {comment}")).points.is_empty(), "{comment}");
    }
    let promotion = one("4k3/P7/8/8/8/8/8/4K3 w - - bm a8=Q; c0 \"a8=Q=10, a8=R+=3\";");
    assert_eq!(promotion.points.len(), 2);
}

#[test]
fn errors_name_line_column_and_what_is_wrong() {
    let at = KNIGHT.len();
    let cases = [
        (format!("\n{KNIGHT} bm Qh6; id \"x\";"), (2, at + 5, "`Qh6` is not legal here")),
        (format!("{KNIGHT} bm Hallo;"), (1, at + 5, "`Hallo` is not written as a move")),
        (format!("\u{feff}{KNIGHT} bm d4 Zz9;"), (1, at + 8, "`Zz9` is not written as a move")),
        // What is taken off the end of a line does not move places.
        (
            format!("{KNIGHT} bm Hallö;\u{1a}\u{1a}"),
            (1, at + 5, "`Hallö` is not written as a move"),
        ),
        ("8/8/8/8/8/8/8/8 w €\u{1a}".into(), (1, 20, "the en passant square is missing")),
        // Points that would be taken for a comment.
        (format!("{KNIGHT} c0 \"Bb5=10, d4=6.5\";"), (1, at + 17, "`6.5` is no number of points")),
        (format!("{KNIGHT} c0 \"Bb5=10, d4=-5\";"), (1, at + 17, "`-5` is no number of points")),
        (
            format!("{KNIGHT} c8 \"10 -6\"; c9 \"f1b5 d2d4\";"),
            (1, at + 9, "`-6` is no number of points"),
        ),
        (format!("{KNIGHT} bm #4;"), (1, at + 5, "`#4` is the length of a mate and not a move")),
        (format!("{KNIGHT} bm #-4;"), (1, at + 5, "`#-4` is the length of a mate and not a move")),
        (format!("{KNIGHT} bm ; id \"x\";"), (1, at + 2, "`bm` without a move")),
        (format!("{KNIGHT} bm d4; id \"never ends;"), (1, at + 12, "the text never ends")),
        (format!("{KNIGHT} bm d4; \"what\";"), (1, at + 9, "`\"what\"` is no opcode")),
        (
            format!("{KNIGHT} bm d4; rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - -"),
            (1, at + 9, "`rnbqkbnr/8/8/8/8/8/8/RNBQKBNR` is no opcode"),
        ),
        (
            format!("{KNIGHT} 99999999999999999999 1 bm d4;"),
            (
                1,
                at + 2,
                "the halfmove clock is `99999999999999999999` instead of a number up to 65535",
            ),
        ),
        (
            format!("{KNIGHT} bm d4; fmvn soon;"),
            (1, at + 9, "the move number is `soon` instead of a number up to 65535"),
        ),
        (
            format!("{KNIGHT} 3+3 0 1 bm d4;"),
            (1, at + 2, "`3+3` counts checks, which three-check alone has"),
        ),
        ("8/8/8/8 w - - bm a4;".into(), (1, 1, "`8/8/8/8` is no board")),
        ("8/8/8/8/8/8/8/8 x - -".into(), (1, 17, "`x` is no side to move")),
        ("4k3/8/8/8/8/8/8/4K3 w X -".into(), (1, 23, "`X` are no castling rights")),
        ("4k3/8/8/8/8/8/8/4K3 w - e9".into(), (1, 25, "`e9` is no en passant square")),
        ("4k3/8/8/8/8/8/8/4K3 w -".into(), (1, 24, "the en passant square is missing")),
        ("# ü\n  hello".into(), (2, 8, "the side to move is missing")),
    ];
    for (text, (line, column, what)) in cases {
        assert_eq!(first_error(&text), (line, column, what.to_owned()), "{text}");
    }
    let (.., what) = first_error("4k3/8/8/8/8/8/8/8 w - - bm Kd1;");
    assert!(what.starts_with("the position cannot be"), "{what}");
}

#[test]
fn all_faulty_lines_are_counted() {
    let text = format!("{KNIGHT} bm d4;\nbroken\n").repeat(20);
    let errors = read("test.epd", text.as_bytes()).expect_err("faulty");
    assert_eq!((errors.count, errors.errors.len()), (20, 5));
    assert_eq!(errors.to_string(), "test.epd has 20 faulty lines; these are the first 5");
    let report = format!("{:?}", miette::Report::new(errors));
    assert!(report.contains("test.epd:2:7") && report.contains("broken"), "{report}");
}

#[test]
fn careless_castling_rights_are_forgiven_and_chess960_is_seen() {
    let careless = one("4k3/8/8/8/8/8/8/4K3 w KQkq - bm Kd1;");
    assert!(careless.fen.contains(" w - - "), "{}", careless.fen);
    let shuffled = one("4k3/8/8/8/8/8/8/1R2K1R1 w GB - bm O-O;");
    assert_eq!(shuffled.castling, CastlingMode::Chess960);
    assert!(shuffled.best[0].is_castle());
}

#[test]
fn texts_may_hold_semicolons_and_quotes() {
    let cases = [
        (r#"id "a; b";"#, "a; b"),
        (r#"id "say \"x\"; or not""#, r#"say "x"; or not"#),
        (r#"id "C:\games\"; c0 "x";"#, r"C:\games\"),
        (r#"id "a\\b";"#, r"a\b"),
        (r#"id"no blank";"#, "no blank"),
        ("id two words", "two words"),
        ("noop; id \"x\"", "x"),
    ];
    for (operations, id) in cases {
        assert_eq!(one(&format!("{KNIGHT} bm d4; {operations}")).id, id, "{operations}");
    }
}

#[test]
fn a_file_is_read_whatever_its_encoding_and_line_ends() {
    let line = |id: &str| format!("{KNIGHT} bm d4; id \"{id}\";");
    let ids = |bytes: &[u8]| -> Vec<(usize, String)> {
        let positions = read("test.epd", bytes).expect("valid").into_iter();
        positions.map(|position| (position.line, position.id)).collect()
    };
    let wanted = [(1, "Zoë".to_owned()), (3, "2".to_owned())];
    let text = |end: &str| format!("{}{end}# Zoë{end}{}{end}", line("Zoë"), line("2"));
    for end in ["\n", "\r\n", "\r"] {
        let latin: Vec<u8> = text(end).chars().map(|c| c as u8).collect();
        let utf16: Vec<u8> =
            format!("\u{feff}{}", text(end)).encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text(end).into_bytes(), latin, utf16] {
            assert_eq!(ids(&bytes), wanted, "{end:?}");
        }
    }
    // Two files with marks, joined.
    let joined = format!("\u{feff}{}\n\u{feff}# b\n\u{feff}{}", line("1"), line("2"));
    assert_eq!(ids(joined.as_bytes()), [(1, "1".into()), (3, "2".into())]);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read("test.epd", &bytes).map_err(|errors| format!("{:?}", miette::Report::new(errors)));
    }

    #[test]
    fn arbitrary_operations_never_panic(tail in "[ -~\u{fc}\u{feff}\r\n;\"=]{0,80}") {
        let text = format!("{KNIGHT} {tail}");
        let _ = read("test.epd", text.as_bytes())
            .map_err(|errors| format!("{:?}", miette::Report::new(errors)));
    }

    #[test]
    fn arbitrary_moves_never_panic(text in "[KQRBNOa-h1-8x0=+#! ,♘.ep-]{0,12}") {
        let line = format!("{KNIGHT} bm {text}; c0 \"{text}=3\"; c8 \"1 2\"; c9 \"{text}\";");
        let _ = read("test.epd", line.as_bytes());
    }
}
