//! Suites, books and data read one line of EPD as one position.

use crate::flaws::Flaws;
use harness_arena::{Openings, OpeningsSpec};
use harness_notation::epd;

/// The FEN that each reader of such lines makes of a text with one position.
fn by_every_reader(text: &str) -> [(&'static str, Result<String, String>); 4] {
    let written = |ending| {
        let file = tempfile::Builder::new().suffix(ending).tempfile().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        file
    };
    let suite = epd::read("test.epd", text.as_bytes());
    let suite = suite.map(|mut all| all.remove(0).fen).map_err(|error| error.errors[0].to_string());
    let book = written(".epd");
    let spec = OpeningsSpec { file: Some(book.path().to_owned()), ..OpeningsSpec::default() };
    let opening = Openings::load(&spec).and_then(|book| book.get(0));
    let opening = opening.map(|opening| opening.fen.expect("a FEN")).map_err(|it| it.to_string());
    let data = |format| {
        let mut records = super::records_from(format, "test", text.as_bytes(), &Flaws::default());
        let record = records.next().expect("a position").map_err(|it| it.to_string());
        record.map(|record| record.position.fen(false))
    };
    [
        ("suite", suite),
        ("book", opening),
        ("epd", data(super::epd::FORMAT)),
        ("txt", data(super::text::FORMAT)),
    ]
}

#[test]
fn every_reader_gives_one_answer() {
    const BOARD: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR";
    let cases = [
        ("w KQkq - 4 9; c0 \"x\";", "4 9"),
        ("w KQkq - 4 9 c0 \"x\";", "4 9"),
        ("w KQkq -;c0 \"x\"", "0 1"),
        ("w KQkq -", "0 1"),
        ("w KQkq - 4", "4 1"),
        ("w KQkq - 4 9", "4 9"),
        ("w KQkq - 4 9;", "4 9"),
        ("w\tKQkq   -\t4  9 ;\tid \"a; hmvc 5\"", "4 9"),
        ("w KQkq - hmvc 4; fmvn 9;", "4 9"),
        ("w KQkq -; fmvn 9; c0 \"hmvc 2;\"; hmvc 4", "4 9"),
        ("w KQkq - fmvn \"9\"; hmvc \"4\";", "4 9"),
        ("w KQkq - 4 9; hmvc 5; fmvn 6;", "4 9"),
        ("w KQkq - bm exd5 e5!; c0 \"a|b|c\"; noop; c1 \"x\"; c2 \"\";", "0 1"),
    ];
    for (rest, counters) in cases {
        let line = format!("{BOARD} {rest}");
        for text in [line.clone(), format!("\u{feff}# Zoë\r\n\r\n  # x\r\n{line}\r\n")] {
            for (reader, fen) in by_every_reader(&text) {
                assert_eq!(fen, Ok(format!("{BOARD} w KQkq - {counters}")), "{reader}: {text}");
            }
        }
    }
    for rest in ["w KQkq - 70000 1", "w KQkq - fmvn x;", "w KQkq - id \"x;", "w KQkq - 3+3 0 1"] {
        for (reader, fen) in by_every_reader(&format!("{BOARD} {rest}")) {
            assert!(fen.is_err(), "{reader}: {rest}: {fen:?}");
        }
    }
}
