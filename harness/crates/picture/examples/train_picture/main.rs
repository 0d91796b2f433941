//! Trains the network that reads boards in pictures, on boards that it draws itself.
//!
//! ```text
//! cargo run --release -p tench-picture --example train_picture -- train SOURCES WEIGHTS MINUTES RATE
//! cargo run --release -p tench-picture --example train_picture -- report SOURCES [WEIGHTS] [BOARDS] [test] [suites]
//! cargo run --release -p tench-picture --example train_picture -- draw SOURCES FOLDER
//! cargo run --release -p tench-picture --example train_picture -- misses SOURCES FOLDER BOARDS
//! cargo run --release -p tench-picture --example train_picture -- usual POSITIONS
//! ```
//!
//! POSITIONS is a file with a FEN at the beginning of each line; `usual` prints the table of the squares on which pieces
//! usually stand. SOURCES is a folder with the files that `sets.tsv` names, which are not part of this repository.
#![allow(clippy::print_stdout, reason = "a tool of developers")]

mod canvas;
mod draw;
mod report;
mod scene;
mod sets;
mod style;
mod train;
mod usual;

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use harness_picture::{Grid, Network, square};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::sets::{Group, Set};
use crate::train::{Example, Trainer};

const TABLE: &str = include_str!("sets.tsv");

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["usual", positions] = arguments.as_slice() {
        return usual::print(Path::new(positions));
    }
    let [command, sources, rest @ ..] = arguments.as_slice() else {
        return Err("give train, report, draw or misses, and the folder of the sources".to_owned());
    };
    // The held-out sets are reported on only when that is asked for: constants are chosen by others.
    let groups: &[Group] = match (*command, rest.contains(&"test")) {
        ("report", false) => &[Group::Validate],
        ("report", true) => &[Group::Test],
        ("misses", _) => &[Group::Validate],
        ("train", _) => &[Group::Train, Group::Validate],
        _ => &[Group::Train, Group::Validate, Group::Test],
    };
    let (sets, missing) = sets::load(TABLE, Path::new(sources), groups);
    for line in missing {
        println!("left out: {line}");
    }
    match (*command, rest) {
        ("train", [weights, minutes, rate]) => {
            let minutes = minutes.parse().map_err(|_| "the minutes are a number")?;
            let rate = rate.parse().map_err(|_| "the learning rate is a number")?;
            train(&sets, Path::new(weights), minutes, rate)
        }
        ("report", rest) => report::report(&sets, rest),
        ("draw", [folder]) => report::draw_samples(&sets, Path::new(folder)),
        ("misses", [folder, boards]) => {
            let boards = boards.parse().map_err(|_| "the boards of a set are a number")?;
            report::draw_misses(&sets, Path::new(folder), boards)
        }
        _ => Err(format!("unknown command {command}, or its arguments are missing")),
    }
}

fn of(sets: &[Set], group: Group) -> Vec<&Set> {
    sets.iter().filter(|set| set.group == group).collect()
}

/// Squares of a batch.
const BATCH: usize = 48;

/// Trains for some minutes, from the weights of the file if there are any, with checkpoints; the
/// learning rate falls from `highest` to zero along a cosine.
fn train(sets: &[Set], weights: &Path, minutes: f32, highest: f32) -> Result<(), String> {
    let training = of(sets, Group::Train);
    let stored = std::fs::read(weights).ok().and_then(|bytes| Network::from_bytes(&bytes));
    // Weights that are continued see other boards.
    let seed = 1 + u64::from(stored.is_some());
    let mut trainer = stored
        .map_or_else(|| Trainer::new(&mut Pcg64Mcg::seed_from_u64(seed)), Trainer::from_network);
    println!("{} sets for training", training.len());
    // Boards are drawn beside the training.
    let (drawn, pools) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            // It ends with the training, which takes no more.
            while drawn.send(boards(&training, &mut rng)).is_ok() {}
        });
        learn(sets, weights, &mut trainer, (minutes, highest), pools)
    })
}

/// The steps of a training; what is left of the last squares is not used.
fn learn(
    sets: &[Set],
    weights: &Path,
    trainer: &mut Trainer,
    (minutes, highest): (f32, f32),
    pools: Receiver<Vec<Example>>,
) -> Result<(), String> {
    const REPORT_EVERY: usize = 500;
    let start = Instant::now();
    let (mut loss, mut right, mut batch) = (0.0, 0, 0);
    for pool in pools {
        for examples in pool.chunks_exact(BATCH) {
            let done = start.elapsed().as_secs_f32() / (60.0 * minutes);
            if done >= 1.0 {
                println!("{batch} batches");
                return store(weights, trainer.mean());
            }
            batch += 1;
            let warm = (batch as f32 / 200.0).min(1.0);
            let rate = highest * warm * (1.0 + (std::f32::consts::PI * done).cos()) / 2.0;
            let (one, hits) = trainer.step(examples, rate + 1e-5);
            (loss, right) = (loss + one, right + hits);
            if batch % REPORT_EVERY == 0 {
                let mean = loss / REPORT_EVERY as f32;
                let share = 100.0 * right as f64 / (REPORT_EVERY * BATCH) as f64;
                println!(
                    "{} s: {batch} batches, loss {mean:.4}, {share:.2} % right",
                    start.elapsed().as_secs()
                );
                (loss, right) = (0.0, 0);
                store(weights, trainer.mean())?;
            }
            if batch % (8 * REPORT_EVERY) == 0 {
                let others = of(sets, Group::Validate);
                println!("other sets: {}", report::squares(trainer.mean(), &others, 3, 7));
            }
        }
    }
    Ok(())
}

fn store(path: &Path, network: &Network) -> Result<(), String> {
    std::fs::write(path, network.to_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

/// The squares of some boards, in random order.
fn boards(sets: &[&Set], rng: &mut Pcg64Mcg) -> Vec<Example> {
    let mut pool = Vec::new();
    for _ in 0..96 {
        let set = sets.choose(rng).expect("there are sets");
        let scene = scene::training(&style::restyled(set, sets, rng), rng);
        let grid = jittered(scene.grid, rng);
        for (at, &class) in scene.placement.iter().enumerate() {
            let input = square::input(&scene.pixels, &grid, at % 8, at / 8);
            pool.push(Example { input, class });
        }
    }
    pool.shuffle(rng);
    pool
}

/// A grid that is found not quite exactly.
fn jittered(grid: Grid, rng: &mut Pcg64Mcg) -> Grid {
    let mut part = |most: f32| rng.random_range(-most..most);
    let scale = 1.0 + part(0.006);
    Grid {
        left: grid.left + part(0.05) * grid.square_width,
        top: grid.top + part(0.05) * grid.square_height,
        square_width: grid.square_width * scale,
        square_height: grid.square_height * scale,
    }
}
