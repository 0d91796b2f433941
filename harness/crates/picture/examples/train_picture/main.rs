//! Trains the network that reads boards in pictures, on boards that it draws itself.
//!
//! ```text
//! cargo run --release -p tench-picture --example train_picture -- squares SOURCES FILE BOARDS SEED
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
mod squares;
mod style;
mod usual;

use std::path::Path;

use harness_picture::Grid;
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use crate::sets::{Group, Set};

const TABLE: &str = include_str!("sets.tsv");

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["usual", positions] = arguments.as_slice() {
        return usual::print(Path::new(positions));
    }
    let [command, sources, rest @ ..] = arguments.as_slice() else {
        return Err(
            "give squares, report, draw or misses, and the folder of the sources".to_owned()
        );
    };
    // The held-out sets are reported on only when that is asked for: constants are chosen by others.
    let groups: &[Group] = match (*command, rest.contains(&"test")) {
        ("report", false) => &[Group::Validate],
        ("report", true) => &[Group::Test],
        ("misses", _) => &[Group::Validate],
        ("squares", _) => &[Group::Train],
        _ => &[Group::Train, Group::Validate, Group::Test],
    };
    let (sets, missing) = sets::load(TABLE, Path::new(sources), groups);
    for line in missing {
        println!("left out: {line}");
    }
    match (*command, rest) {
        ("squares", [file, boards, seed]) => {
            let boards = boards.parse().map_err(|_| "the boards are a number")?;
            let seed = seed.parse().map_err(|_| "the seed is a number")?;
            squares::write(&of(&sets, Group::Train), Path::new(file), boards, seed)
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
