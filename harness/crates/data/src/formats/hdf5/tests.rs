//! Round trips, and errors with their offset.

use std::fs;

use engine::board::{Position, Role};

use super::*;
use crate::flaws::Flaws;
use crate::formats::tests::{random_games, shuffled_starts};
use crate::formats::{Writer, records};
use harness_player::Score;
use harness_stats::GameScore;

fn samples() -> Vec<Record> {
    let rows = [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1", -37, GameScore::Win, "e7e5"),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 1200, GameScore::Draw, "b4f4"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 31_993, GameScore::Loss, "a7a8q"),
    ];
    let record = |(fen, score, result, played)| {
        let position = Position::from_fen(fen).expect(fen);
        Record {
            score: Some(crate::record::score_of(score)),
            result: Some(result),
            played: Some(position.parse_uci(played, false).expect("legal")),
            ..Record::bare(position, 1)
        }
    };
    rows.into_iter().map(record).collect()
}

fn bytes_of(name: &str, samples: &[Record]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let mut writer = Writer::create(&path).expect("begun");
    samples.iter().for_each(|record| writer.record(record).expect("written"));
    writer.finish().expect("finished");
    let back: Vec<Record> = records(&path, &Flaws::default())
        .expect("opened")
        .collect::<Result<_, _>>()
        .expect("sound");
    // Games have no numbers there.
    let samples: Vec<Record> = samples
        .iter()
        .cloned()
        .zip(&back)
        .map(|(sample, back)| Record { game: back.game, ..sample })
        .collect();
    assert_eq!(back, samples);
    fs::read(&path).expect("read")
}

fn read(bytes: &[u8]) -> Result<Vec<Record>, FormatError> {
    in_games(Box::new(Reader::new("x.h5", bytes))).collect()
}

#[test]
fn records_come_back_and_none_is_a_file_too() {
    let bytes = bytes_of("a.h5", &samples());
    assert_eq!(bytes.len(), 2_048 + 3 * 136);
    bytes_of("none.hdf5", &[]);
    assert!(Writer::to(FORMAT, "x", Vec::new()).is_err());
}

#[test]
fn what_the_format_does_not_store_is_unknown() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen).expect(fen);
    let castling = position.parse_uci("e1c1", false);
    let score = Some(Score::Centipawns(5));
    let result = Some(GameScore::Draw);
    let labelled = Record { score, result, played: castling, ..Record::bare(position, 1) };
    let row = row::row(&labelled).expect("labelled");
    assert_eq!(row[15..], [4, 2]);
    let back = row::record(&row).expect("sound");
    assert_eq!((back.played, back.position.castling_rights().rooks().count()), (None, 0));
    let old = row::record(&row[..OLD_COLUMNS]).expect("sound");
    assert_eq!((old.score, old.result), (score, None));
}

#[test]
fn moves_come_back_but_those_that_the_format_does_not_store() {
    let games = random_games(300, &shuffled_starts());
    let records = games.iter().flat_map(|game| game.records(1));
    let mut kept = 0;
    let mut castlings = 0;
    for record in records.filter(|record| record.score.is_some()) {
        let played = record.played.expect("of a game");
        let back = row::record(&row::row(&record).expect("labelled")).expect("sound");
        let takes = record.position.role_at(played.from()) == Some(Role::Pawn)
            && played.from().file() != played.to().file();
        let en_passant = takes && record.position.role_at(played.to()).is_none();
        let is_stored = !played.is_castling()
            && !en_passant
            && played.promotion().is_none_or(|role| role == Role::Queen);
        let text = |played: Option<_>| played.map(|m| record.position.uci(m, true).to_string());
        assert_eq!(text(back.played), text(Some(played).filter(|_| is_stored)));
        (kept, castlings) =
            (kept + u32::from(is_stored), castlings + u32::from(played.is_castling()));
    }
    assert!(kept > 5_000 && castlings > 50, "{kept} {castlings}");
}

/// Made by h5py 3.16 in the oldest and the newest layout of files: the same three positions.
#[test]
fn files_of_the_python_library_are_read() {
    for hex in [include_str!("h5py_earliest.hex"), include_str!("h5py_latest.hex")] {
        let head: Vec<u8> = (0..hex.trim().len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex"))
            .collect();
        let wanted = samples();
        let rows = &bytes_of("a.h5", &wanted)[2_048..];
        let bytes = [&head, rows].concat();
        let found = read(&bytes).expect("sound");
        let of_game =
            |(record, found): (&Record, &Record)| Record { game: found.game, ..record.clone() };
        let wanted: Vec<Record> = wanted.iter().zip(&found).map(of_game).collect();
        assert_eq!(found, wanted);
        // Whatever one byte of the description becomes, it is read or refused.
        for at in 0..head.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xff;
            // Read or refused, but no panic and no endless loop.
            let _ = read(&bytes);
        }
    }
}

#[test]
fn the_smallest_number_is_no_score() {
    let mut bytes = bytes_of("a.h5", &samples());
    bytes[2_048 + 8 * 13..][..8].copy_from_slice(&i64::MIN.to_le_bytes());
    let error = read(&bytes).expect_err("no score").to_string();
    assert!(error.contains("-9223372036854775808 is no score"), "{error}");
}

#[test]
fn a_group_that_has_the_same_names_again_and_again_is_refused_at_once() {
    let mut bytes = bytes_of("a.h5", &samples());
    let tree = bytes.windows(4).position(|window| window == b"TREE").expect("a tree");
    let address = (tree as u64).to_le_bytes();
    // The one in the object header of the root group; the superblock has it, too.
    let link = bytes[..tree].windows(8).rposition(|window| window == address).expect("a link");
    let [leaf, node] = [bytes.len(), bytes.len() + 8 + 40 * 5_000].map(|at| at as u64);
    bytes.extend(b"SNOD\x01\0");
    bytes.extend(5_000_u16.to_le_bytes());
    bytes.resize(node as usize, 0);
    bytes.extend(b"TREE\0\0");
    bytes.extend(50_000_u16.to_le_bytes());
    bytes.extend([0; 16]);
    for _ in 0..50_000 {
        bytes.extend(0_u64.to_le_bytes());
        bytes.extend(leaf.to_le_bytes());
    }
    bytes[link..][..8].copy_from_slice(&node.to_le_bytes());
    let error = read(&bytes).expect_err("refused").to_string();
    assert!(error.contains("more than 10000 names"), "{error}");
}

#[test]
fn damage_is_reported_with_its_offset() {
    let sound = bytes_of("a.h5", &samples());
    let changed = |at: usize, byte: u8| {
        let mut bytes = sound.clone();
        bytes[at] = byte;
        bytes
    };
    let mut empty = sound.clone();
    empty[2_048 + 136..2_048 + 272].fill(0);
    for (bytes, says) in [
        (b"a text, and no HDF5 file".to_vec(), "byte 0: this is no HDF5 file"),
        (changed(712 + 8, b'x'), "byte 0: there is no dataset `data`"),
        (changed(1_128 + 24 + 16, 18), "here they have 18"),
        (sound[..600].to_vec(), "its description is not within its first 600 bytes"),
        (sound[..2_048 + 200].to_vec(), "byte 2184: the file ends too soon"),
        (empty, "byte 2184: row 1: an empty row"),
        (changed(2_048 + 8 * 12, 2), "byte 2048: row 0: the side to move is 2"),
        (changed(2_048 + 8 * 14, 3), "byte 2048: row 0: the result is 3"),
        (changed(2_048 + 8 * 16, 63), "row 0: a move from square"),
        (changed(2_048 + 8 * 2, 1), "row 0: two pieces on"),
    ] {
        let error = read(&bytes).expect_err(says).to_string();
        assert!(error.starts_with("x.h5: byte ") && error.contains(says), "{says}: {error}");
    }
}
