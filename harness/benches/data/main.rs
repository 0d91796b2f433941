//! From PGN to deduplicated records for training: plies a CPU-second and a second.
//!
//! `cargo bench -p tench-harness --bench data [-- FILE.pgn...]`
//!
//! Without files, games of random moves with scores in their comments are written first. A row is
//! one pass: read and filter (quiet, not in check, with a score), keep each position once, pack to
//! 32 bytes; in one thread and in as many as there are cores. CPU time is user and system of this
//! process, as the kernel accounts for it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod leela;
mod random_games;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use harness::data::chunks;
use harness::data::filter::{Filters, Keep};
use harness::data::flaws::Flaws;
use harness::data::formats::bullet::{self, Packed};
use harness::data::pgn;
use harness::outcome::positions::Counts;

/// Games that are written where none are given.
const GAMES: usize = 5_000;

fn main() -> ExitCode {
    let named = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let mut files: Vec<PathBuf> = named.map(PathBuf::from).collect();
    let own = std::env::temp_dir().join(format!("harness-bench-data-{}.pgn", std::process::id()));
    let done = measure(&mut files, &own);
    // It is this bench's own file, and there may be none.
    let _ = fs::remove_file(&own);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(files: &mut Vec<PathBuf>, own: &Path) -> Result<(), String> {
    if files.is_empty() {
        fs::write(own, random_games::games(GAMES))
            .map_err(|error| format!("{}: {error}", own.display()))?;
        files.push(own.to_owned());
    }
    leela::measure()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("threads      plies       kept      unique  plies/s  plies/CPU-s  MB/CPU-s");
    for jobs in [1, cores] {
        for _ in 0..3 {
            row(files, jobs)?;
        }
    }
    Ok(())
}

fn row(files: &[PathBuf], jobs: usize) -> Result<(), String> {
    let (started, cpu) = (Instant::now(), cpu_seconds()?);
    let mut counts = Counts::default();
    let mut unique: HashMap<u64, Packed> = HashMap::new();
    let mut bytes = 0;
    let filters = Filters { keep: Keep::All, min_ply: 0, max_score: 10_000, ..Filters::default() };
    for path in files {
        let name = path.display().to_string();
        let file = fs::File::open(path).map_err(|error| format!("{name}: {error}"))?;
        bytes += file.metadata().map_or(0, |file| file.len());
        let work = |chunk: chunks::Chunk<'_>| packed(&name, chunk.text, &filters);
        chunks::each(file, jobs, work, |chunk: Result<_, String>| {
            let (some, packed) = chunk.map_err(io::Error::other)?;
            counts.add(&some);
            for (key, packed) in packed {
                let kept = unique.entry(key).or_insert(packed);
                if packed.depth() > kept.depth() {
                    *kept = packed;
                }
            }
            Ok::<(), io::Error>(())
        })
        .map_err(|error| error.to_string())?;
    }
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu);
    println!(
        "{jobs:>7} {:>10} {:>10} {:>11} {:>8.0} {:>12.0} {:>9.0}",
        counts.positions,
        counts.kept,
        unique.len(),
        counts.positions as f64 / wall,
        counts.positions as f64 / cpu,
        bytes as f64 / cpu / 1e6,
    );
    Ok(())
}

type Keyed = Vec<(u64, Packed)>;

fn packed(name: &str, chunk: &[u8], filters: &Filters) -> Result<(Counts, Keyed), String> {
    let mut counts = Counts::default();
    let mut packed = Vec::with_capacity(chunk.len() / 40);
    for game in pgn::Reader::new(name, chunk, &Flaws::default()) {
        let game = game.map_err(|error| error.to_string())?;
        counts.games += 1;
        for record in game.records(1) {
            if counts.sift(filters.refuse(&record))
                && let Ok(row) = bullet::pack(&record)
            {
                packed.push((record.position.key(), row));
            }
        }
    }
    Ok((counts, packed))
}

/// User and system time of this process, in seconds: fields 14 and 15 of `/proc/self/stat`, in
/// hundredths (proc_pid_stat(5); the kernel's USER_HZ is 100 on every platform of today).
fn cpu_seconds() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    let behind = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> =
        behind.split_whitespace().skip(11).take(2).filter_map(|text| text.parse().ok()).collect();
    Ok(fields.iter().sum::<f64>() / 100.0)
}
