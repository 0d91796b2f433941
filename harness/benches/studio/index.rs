//! The index of games with a run of a million games: times of updates and of parts of the list.
//!
//! Each part is asked for five times; the table has the median and the slowest.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use harness::games::eco;
use harness::ledger::{Ledger, Run, StoredGame};
use harness::studio::games::GameIndex;
use harness::studio::games::index::{GameQuery, GameResult, Sort, SortKey};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position as _};

use crate::Failure;

/// Games with texts of their own; the others have the same moves with another round.
const TEXTS: u64 = 1_000;

const ENDINGS: [&str; 5] =
    ["checkmate", "repetition", "adjudicated_win", "adjudicated_draw", "time_forfeit"];

/// Measures the index of a ledger with one large run.
pub fn measure(folder: &Path, ledger: &Ledger, run: &Run, count: u64) -> Result<(), Failure> {
    let took = timed(|| Ok::<_, Failure>(eco::openings()))?;
    println!("names of openings: {}", milliseconds(took));
    update(folder, ledger, run, count)?;
    pages(folder, run)
}

/// Takes over all games, then one more, then none.
fn update(folder: &Path, ledger: &Ledger, run: &Run, count: u64) -> Result<(), Failure> {
    let mut index = GameIndex::open(folder)?;
    let (cpu, mut slowest) = (cpu_seconds()?, Duration::ZERO);
    let took = timed(|| {
        loop {
            let started = Instant::now();
            let taken = index.update(ledger, run.id(), 1_000)?;
            if taken == 0 {
                return Ok::<_, Failure>(());
            }
            slowest = slowest.max(started.elapsed());
        }
    })?;
    let cpu = cpu_seconds()? - cpu;
    println!(
        "update: {:.1} s, {:.0} games a CPU-second, slowest thousand {}",
        took.as_secs_f64(),
        count as f64 / cpu,
        milliseconds(slowest)
    );
    let idle = timed(|| index.update(ledger, run.id(), 1_000))?;
    ledger.record_games(run, &[game(count, &text(count))])?;
    let one = timed(|| index.update(ledger, run.id(), 1_000))?;
    let size = std::fs::metadata(folder.join("studio.db"))?.len() >> 20;
    println!(
        "update without a new game: {}; with one: {}; studio.db: {size} MiB",
        milliseconds(idle),
        milliseconds(one)
    );
    Ok(())
}

fn pages(folder: &Path, run: &Run) -> Result<(), Failure> {
    let index = GameIndex::open(folder)?;
    let all = GameQuery { run: Some(run.id().to_owned()), ..GameQuery::default() };
    let text = |text: &str| Some(text.to_owned());
    let cpu = cpu_seconds()?;
    let first = timed(|| index.page(&all))?;
    let cpu = Duration::try_from_secs_f64(cpu_seconds()? - cpu)?;
    println!("first page after opening: {}, CPU {}", milliseconds(first), milliseconds(cpu));
    let facets = timed(|| index.facets(Some(run.id())))?;
    println!("facets: {}\n", milliseconds(facets));
    let filters = [
        ("no filter", all.clone()),
        ("all runs", GameQuery { run: None, ..all.clone() }),
        ("player", GameQuery { player: text("old"), ..all.clone() }),
        ("won", GameQuery { outcome: Some(GameResult::Won), ..all.clone() }),
        ("ending", GameQuery { ending: text("repetition"), ..all.clone() }),
        ("opening", GameQuery { opening: text("defense"), ..all.clone() }),
        (
            "100 to 140 plies",
            GameQuery { min_plies: Some(100), max_plies: Some(140), ..all.clone() },
        ),
        ("swing of 150", GameQuery { min_swing: Some(150), ..all.clone() }),
        (
            "all filters",
            GameQuery {
                player: text("new"),
                outcome: Some(GameResult::Lost),
                ending: text("checkmate"),
                opening: text("gambit"),
                min_plies: Some(60),
                min_swing: Some(100),
                ..all
            },
        ),
    ];
    println!("{:<18}{:<14}{:>9}  first page  last page  slowest", "filter", "sort", "games");
    for (name, filter) in filters {
        for by in [SortKey::Number, SortKey::Plies, SortKey::Swing, SortKey::Time] {
            for descending in [false, true] {
                row(&index, name, GameQuery { sort: Sort { by, descending }, ..filter.clone() })?;
            }
        }
    }
    Ok(())
}

fn row(index: &GameIndex, name: &str, query: GameQuery) -> Result<(), Failure> {
    let total = index.page(&query)?.total;
    let last = GameQuery { offset: total.saturating_sub(50), ..query.clone() };
    let times = |query: &GameQuery| -> Result<Vec<Duration>, Failure> {
        let mut times = Vec::new();
        for _ in 0..5 {
            times.push(timed(|| index.page(query))?);
        }
        times.sort();
        Ok(times)
    };
    let (first, last) = (times(&query)?, times(&last)?);
    let arrow = if query.sort.descending { "down" } else { "up" };
    println!(
        "{name:<18}{:<14}{total:>9}{:>12}{:>11}{:>9}",
        format!("{:?} {arrow}", query.sort.by),
        milliseconds(first[2]),
        milliseconds(last[2]),
        milliseconds(first[4].max(last[4])),
    );
    Ok(())
}

/// Records games of random moves, with scores in their comments: some 4 KB a game.
pub fn record(ledger: &Ledger, run: &Run, count: u64) -> Result<(), Failure> {
    let texts: Vec<String> = (0..TEXTS).map(text).collect();
    let mut number = 0;
    while number < count {
        let end = count.min(number + 10_000);
        let games: Vec<StoredGame> = (number..end)
            .map(|number| game(number, &texts[(mixed(number) % TEXTS) as usize]))
            .collect();
        ledger.record_games(run, &games)?;
        number = end;
    }
    Ok(())
}

fn game(number: u64, text: &str) -> StoredGame {
    let random = mixed(number);
    let first_is_white = number.is_multiple_of(2);
    let names = ["new".to_owned(), "old".to_owned()];
    let [white, black] = if first_is_white { names } else { [names[1].clone(), names[0].clone()] };
    StoredGame {
        pair: number / 2,
        game: (number % 2) as u8,
        white,
        black,
        first_is_white,
        first_half_points: (random >> 8) as u8 % 3,
        termination: ENDINGS[(random >> 16) as usize % ENDINGS.len()].to_owned(),
        plies: 20 + (random >> 24) as u32 % 250,
        milliseconds: (random >> 32) % 30_000,
        pgn: format!(
            "[Event \"bench\"]\n[Round \"{}.{}\"]\n{text}",
            number / 2 + 1,
            number % 2 + 1
        ),
        worker: (random >> 60 < 8).then(|| format!("worker-{} UAKEY", random >> 61)),
    }
}

/// Tags and moves of a game: a line of the list of openings, then random moves with scores.
fn text(number: u64) -> String {
    let lines: Vec<&str> = eco::LIST.lines().skip(1).collect();
    let line = lines[mixed(number) as usize % lines.len()].rsplit('\t').next().unwrap_or_default();
    let mut text = "[White \"new\"]\n[Black \"old\"]\n[Result \"*\"]\n[GameStartTime \
        \"2026-11-23T18:48:46.206 +0000\"]\n[GameEndTime \"2026-11-23T18:48:46.375 +0000\"]\n\
        [PlyCount \"120\"]\n[Termination \"normal\"]\n[TimeControl \"8+0.08\"]\n\n"
        .to_owned();
    let mut position = Chess::default();
    let mut score = [0_i64; 2];
    for ply in 0..130 {
        let legal = position.legal_moves();
        let random = mixed(number << 20 | ply);
        let booked = line.split(' ').nth(ply as usize).and_then(|uci| uci.parse().ok());
        let booked = booked.and_then(|uci: shakmaty::uci::UciMove| uci.to_move(&position).ok());
        let Some(played) =
            booked.or_else(|| legal.get(random as usize % legal.len().max(1)).copied())
        else {
            break;
        };
        let san = SanPlus::from_move_and_play_unchecked(&mut position, played);
        let score = &mut score[ply as usize % 2];
        *score += (random >> 20) as i64 % 401 - 200;
        let (depth, nodes) = (random >> 40 & 15, random >> 50);
        let pawns = *score as f64 / 100.0;
        // A string takes what is written.
        let _ = match booked {
            Some(_) => write!(text, "{san} {{book}} "),
            None => writeln!(text, "{san} {{{pawns:+.2}/{depth} 0.050s {nodes}n}}"),
        };
    }
    text.push_str("*\n\n");
    text
}

/// A number without pattern (SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

pub fn timed<T, E: Into<Failure>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<Duration, Failure> {
    let started = Instant::now();
    work().map_err(Into::into)?;
    Ok(started.elapsed())
}

pub fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// User and system time of this process.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}
