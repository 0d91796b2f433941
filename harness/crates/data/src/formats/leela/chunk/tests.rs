use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::SIZE;
use super::super::tar::archive::entry;
use super::*;
use crate::record::number_of;

// Written by `harness/tests/leela_chunks.py`, which also says what is in them; the first byte is for the
// fuzzer.
const CLASSICAL: &[u8] = include_bytes!("../../../../../../../fuzz/corpus/leela/classical");
const CANONICAL: &[u8] = include_bytes!("../../../../../../../fuzz/corpus/leela/canonical");
const ARCHIVE: &[u8] = include_bytes!("../../../../../../../fuzz/corpus/leela/archive");

const CLASSICAL_GAME: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1: \
                              c2c4 -12780, h7h5 12780, g1h3 -12780, 0-1";
const ARCHIVED_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1: \
     c3b5 -13, c7c6 12780, 1/2-1/2";

/// The start, the moves with the scores for the mover, and the result of each game.
fn game_texts(format: Format, bytes: &[u8]) -> Result<Vec<String>, FormatError> {
    let games = reader::games_from(format, "x", bytes, &Default::default())?;
    let text = |game: Game| {
        let mut position = game.start;
        let mut text = format!("{}: ", position.fen(false));
        for turn in &game.turns {
            let score = turn.eval.map(|eval| number_of(eval.score)).expect("a score");
            text += &format!("{} {score}, ", position.uci(turn.played, false));
            position.play(turn.played);
        }
        text + game.result.expect("a result").pgn()
    };
    games.map(|game| game.map(text)).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn decompressed(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut all)
        .expect("gzip");
    all
}

#[test]
fn positions_moves_scores_and_results_are_those_that_were_written() {
    let canonical = "8/8/3k4/8/2q5/8/1R2K3/5B2 w - - 3 1: \
                       e2f2 -12780, c4e6 12780, f2g2 -5, 0-1";
    for (format, bytes, wanted) in [
        (CHUNK, CLASSICAL, CLASSICAL_GAME),
        (CHUNK, CANONICAL, canonical),
        (TAR, ARCHIVE, ARCHIVED_GAME),
    ] {
        assert_eq!(game_texts(format, &bytes[1..]).expect("sound"), [wanted]);
    }
}

#[test]
fn a_chunk_may_be_of_two_gzip_members_or_not_compressed() {
    let records = decompressed(&CLASSICAL[1..]);
    let halves = [gzip(&records[..SIZE]), gzip(&records[SIZE..])].concat();
    for bytes in [&records, &halves, &gzip(&records)] {
        assert_eq!(game_texts(CHUNK, bytes).expect("sound"), [CLASSICAL_GAME]);
    }
}

#[test]
fn an_archive_may_hold_folders_a_licence_and_chunks_of_any_kind() {
    let records = decompressed(&CLASSICAL[1..]);
    let halves = [gzip(&records[..SIZE]), gzip(&records[SIZE..])].concat();
    let [first, second] = [&ARCHIVE[1..], &CLASSICAL[1..]];
    // The member of the other archive without the zeros behind it.
    let member = &first[..first.len() - 1024];
    let whole = [
        entry("run/", b'5', b""),
        entry("run/LICENSE", b'0', b"Terms of the data, which are no chunk.\n"),
        entry("run/1.gz", b'0', second),
        entry("run/2", b'0', &records),
        member.to_vec(),
        entry("run/3.gz", b'0', &halves),
        entry("run/4.gz", b'0', second),
    ]
    .concat();
    let wanted = [CLASSICAL_GAME, CLASSICAL_GAME, ARCHIVED_GAME, CLASSICAL_GAME, CLASSICAL_GAME];
    assert_eq!(game_texts(TAR, &[&whole[..], &[0; 1024]].concat()).expect("sound"), wanted);
    let error = game_texts(TAR, &whole).expect_err("cut").to_string();
    assert_eq!(error, format!("x: byte {}: the file ends too soon", whole.len()));
    let wrong = [entry("README", b'0', b"no chunk"), vec![0; 1024]].concat();
    let error = game_texts(TAR, &wrong).expect_err("no chunk").to_string();
    assert_eq!(error, "x, README: byte 0: record 1: not a chunk of Leela's training data");
}

#[test]
fn what_is_no_chunk_is_told_apart_from_another_version() {
    for (bytes, says) in [
        (&gzip(b"[Event \"x\"]\n\n1. e4 *\n")[..], "not a chunk of Leela's training data"),
        (&[5, 0, 0, 0], "version 5 of Leela's training data"),
        (&[0, 0, 0, 0], "not a chunk"),
        (&[6, 0, 0, 0], "the file ends too soon"),
    ] {
        let error = game_texts(CHUNK, bytes).expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
}
