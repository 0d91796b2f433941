//! Syzygy tablebases with a valid magic and a damaged body.

use std::fs;

use engine::board::Position;
use engine::tablebase::{MAX_MEN, Tablebases};

use crate::choice;
use crate::scratch::path;

const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

/// The material of a table, and positions that have it.
const TABLES: [(&str, [&str; 4]); 4] = [
    (
        "KQvK",
        [
            "8/8/8/8/8/2k5/8/KQ6 w - - 0 1",
            "7Q/8/8/3k4/8/8/8/K7 b - - 0 1",
            "8/8/8/8/3K4/8/5q2/7k w - - 0 1",
            "4k3/8/8/8/8/8/3q4/1K6 w - - 90 99",
        ],
    ),
    (
        "KRvK",
        [
            "8/8/8/8/8/2k5/8/KR6 w - - 0 1",
            "7R/8/8/3k4/8/8/8/K7 b - - 0 1",
            "8/8/8/8/3K4/8/5r2/7k w - - 0 1",
            "4k3/8/8/8/8/8/3r4/1K6 w - - 90 99",
        ],
    ),
    (
        "KPvK",
        [
            "8/8/8/8/8/2k5/P7/K7 w - - 0 1",
            "8/7P/8/3k4/8/8/8/K7 b - - 0 1",
            "8/8/8/8/3K4/8/5p2/7k w - - 0 1",
            "4k3/8/8/8/8/8/3p4/1K6 b - - 0 1",
        ],
    ),
    (
        "KRPvKR",
        [
            "8/8/8/8/8/2k5/P7/KR5r w - - 0 1",
            "1r6/7P/8/3k4/8/8/6R1/K7 b - - 0 1",
            "r7/8/8/8/3K4/5p2/1R6/7k w - - 0 1",
            "2r1k3/3R4/8/8/8/8/3p4/1K6 b - - 0 1",
        ],
    ),
];

/// The first byte chooses the material and whether the rest is its table of results or of
/// distances, whose magic it gets. Positions are then looked up in it.
pub fn syzygy(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let (material, fens) = TABLES[kind / 2 % TABLES.len()];
    let (ending, magic) = [("rtbw", WDL_MAGIC), ("rtbz", DTZ_MAGIC)][kind % 2];
    let folder = path("tables");
    fs::create_dir_all(&folder).expect("a temporary folder");
    let mut file = bytes.to_vec();
    for (byte, wanted) in file.iter_mut().zip(magic) {
        *byte = wanted;
    }
    let table = folder.join(format!("{material}.{ending}"));
    fs::write(&table, file).expect("a temporary file can be written");
    probe(&folder.display().to_string(), &fens);
    fs::remove_file(&table).expect("it was just written");
}

fn probe(folder: &str, fens: &[&str; 4]) {
    let (tables, errors) = Tablebases::open(folder);
    errors.iter().for_each(|error| assert!(!error.to_string().is_empty()));
    assert!(tables.max_men() <= MAX_MEN && tables.count() <= 1);
    for fen in fens {
        let position = Position::from_fen(fen).expect("legal");
        // Any result is valid; damage is reported once.
        let _ = (tables.probe_wdl(&position), tables.probe_dtz(&position));
    }
    if let Some(damage) = tables.damage() {
        assert!(!damage.is_empty());
        assert!(tables.damage().is_none());
    }
}
