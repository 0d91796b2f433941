//! Leela's training data: chunks of random games, with the visits of 800 nodes, in an archive of
//! gzip files as its server keeps them, and not compressed.

use std::fs;
use std::io::Write;
use std::path::Path;

use engine::board::{Color, Position, Role};
use flate2::{Compression, write::GzEncoder};
use harness::data::flaws::Flaws;
use harness::data::formats;
use harness::data::formats::leela::{SIZE, Sample};

use super::cpu_seconds;

const GAMES: u64 = 100;
const PLIES: usize = 120;
/// Times that each file is read.
const PASSES: u32 = 20;

/// Prints records a CPU-second.
pub fn measure() -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("harness-bench-leela-{}", std::process::id()));
    let of = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(of)?;
    let done = files(&folder).map_err(of).and_then(|()| {
        println!("Leela's chunks       records  records/CPU-s  MB/CPU-s decompressed");
        ["training.tar", "all.leela"].iter().try_for_each(|name| row(&folder.join(name)))
    });
    fs::remove_dir_all(&folder).map_err(of)?;
    done
}

fn row(path: &Path) -> Result<(), String> {
    for _ in 0..3 {
        let cpu = cpu_seconds()?;
        let mut records = 0;
        for _ in 0..PASSES {
            for game in
                formats::games(path, &Flaws::default()).map_err(|error| error.to_string())?
            {
                records += game.map_err(|error| error.to_string())?.turns.len();
            }
        }
        let rate = records as f64 / (cpu_seconds()? - cpu);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = rate * SIZE as f64 / 1e6;
        println!("{name:<16} {records:>11} {rate:>14.0} {bytes:>9.0}");
    }
    Ok(())
}

/// Writes the archive and the file.
fn files(folder: &Path) -> std::io::Result<()> {
    let mut archive = Vec::new();
    let mut all = Vec::new();
    for number in 0..GAMES {
        let game = game(number);
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&game)?;
        let packed = packed.finish()?;
        archive.extend(header(&format!("training.{number}.gz"), packed.len()));
        archive.extend(&packed);
        archive.resize(archive.len().next_multiple_of(512), 0);
        all.extend(game);
    }
    archive.extend([0; 1024]);
    fs::write(folder.join("training.tar"), archive)?;
    fs::write(folder.join("all.leela"), all)
}

fn header(name: &str, size: usize) -> [u8; 512] {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    };
    put(0, name);
    put(124, &format!("{size:011o}"));
    put(148, "        ");
    put(156, "0");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header
}

/// The records of a random game.
fn game(number: u64) -> Vec<u8> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ (number + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mut position = Position::startpos();
    let mut history: Vec<[u64; 13]> = Vec::new();
    let mut bytes = Vec::new();
    for _ in 0..PLIES {
        let mut record = [0; SIZE];
        record[0] = 6;
        record[4] = 1;
        history.insert(0, planes(&position));
        for (number, planes) in history.iter().take(8).enumerate() {
            for at in 0..12 {
                // Positions of the other side's move are seen from this side.
                let odd = number % 2 == 1;
                let plane = if odd { planes[(at + 6) % 12].swap_bytes() } else { planes[at] };
                let place = 7440 + 8 * (13 * number + at);
                record[place..place + 8].copy_from_slice(&plane.to_le_bytes());
            }
        }
        let (us, rights) = (position.side(), position.castling_rights());
        for (at, color) in [us, us, !us, !us].into_iter().enumerate() {
            let file = if at % 2 == 0 { 0 } else { 7 };
            let may = rights.rooks_of(color).into_iter().any(|rook| rook as u32 % 8 == file);
            record[8272 + at] = u8::from(may);
        }
        record[8276] = u8::from(us.is_black());
        record[8277] = position.halfmove_clock() as u8;
        // With its own number for each move, the policy tells the numbers of the legal ones.
        for index in 0..1858_usize {
            put(&mut record, 8 + 4 * index, index as f32);
        }
        let sample = Sample::new(&record).map_err(|error| error.to_string());
        let legal: Vec<_> =
            sample.map(|sample| sample.policy(&position).collect()).unwrap_or_default();
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let weights: Vec<f64> =
            legal.iter().map(|_| ((next() >> 40) as f64 / 1e7).powi(6)).collect();
        let sum: f64 = weights.iter().sum();
        for index in 0..1858_usize {
            put(&mut record, 8 + 4 * index, -1.0);
        }
        for ((_, index), weight) in legal.iter().zip(&weights) {
            let visits = (800.0 * weight / sum).round() as f32;
            put(&mut record, 8 + 4 * *index as usize, visits / 800.0);
        }
        for at in (8280..8340).step_by(4) {
            put(&mut record, at, (next() >> 41) as f32 / 8_388_608.0);
        }
        put(&mut record, 8308, 0.0);
        put(&mut record, 8312, 1.0);
        let Some((played, index)) = legal.get(next() as usize % legal.len().max(1)) else { break };
        for at in [8344, 8346] {
            record[at..at + 2].copy_from_slice(&(*index as u16).to_le_bytes());
        }
        bytes.extend(record);
        position.play(*played);
        if position.halfmove_clock() >= 100 {
            break;
        }
    }
    bytes
}

/// A position for its mover, as planes.
fn planes(position: &Position) -> [u64; 13] {
    let us = position.side();
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
    let mut planes = [0; 13];
    for (at, plane) in planes[..12].iter_mut().enumerate() {
        let color = if at < 6 { us } else { !us };
        let squares = position.pieces(color, roles[at % 6]).0;
        let seen = if us == Color::Black { squares.swap_bytes() } else { squares };
        // A byte a rank, file a in its highest bit.
        *plane = seen.reverse_bits().swap_bytes();
    }
    planes
}

fn put(record: &mut [u8; SIZE], at: usize, value: f32) {
    record[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
