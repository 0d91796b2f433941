//! `harness picture`: positions of screenshots, in doubt and refused.

use std::path::{Path, PathBuf};

use crate::common::{harness, texts};

fn picture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/picture/src/reading/pictures");
    folder.join(name)
}

#[test]
fn a_screenshot_gives_its_position_in_words_and_as_json() {
    let file = picture("black.png");
    let fen = "2r3k1/5ppp/p3p3/1p1bP3/3Q4/P4N2/1P1q1PPP/4R1K1";
    let folder = tempfile::tempdir().expect("temporary folder");
    let run = |flags: &[&str]| {
        let mut command = harness(folder.path(), ["picture"]);
        texts(&command.arg(&file).args(flags).output().expect("it starts"))
    };
    let (_, text, _) = run(&[]);
    assert!(text.starts_with(&format!("{fen} w - - 0 1\n")), "{text}");
    assert!(text.contains("Black is below in the picture"), "{text}");
    let (status, text, _) = run(&["--json", "--black-to-move"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("one object");
    assert_eq!(value["fen"], format!("{fen} b - - 0 1"));
    assert_eq!(value["black_below"], true);
    assert_eq!(value["squares"].as_array().map(Vec::len), Some(64));
    let marked = value["squares"].as_array().expect("squares").iter();
    let marked = marked.filter(|square| square["uncertain"] == true).count();
    assert_eq!(value["uncertain"].as_array().map(Vec::len), Some(marked));
    assert_eq!(status, if marked == 0 { 0 } else { 3 });
}

#[test]
fn what_is_no_picture_of_a_board_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path.display().to_string()
    };
    let whole = std::fs::read(picture("white.png")).expect("readable");
    for (file, words) in [
        (folder.path().join("none.png").display().to_string(), "cannot read"),
        (write("empty.png", b""), "an empty file"),
        (write("game.pgn", b"1. e4 e5 *"), "this is text"),
        (write("half.png", &whole[..whole.len() / 2]), "damaged or incomplete"),
        (write("large.png", &vec![0; (16 << 20) + 1]), "crop the picture to the board"),
    ] {
        let output = harness(folder.path(), ["picture", &file]).output().expect("it starts");
        let (status, _, error) = texts(&output);
        assert_eq!(status, 2, "{file}");
        assert!(error.contains(words), "{file}: {error}");
    }
}
