//! Workloads: work of two amounts, and how much of it was done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::tuning::methods::METHODS;
use serde_json::Value;
use tempfile::TempDir;

use crate::counting::{count, counting};
use crate::{Failure, random_games};

const HARNESS: &str = env!("CARGO_BIN_EXE_harness");
const MOCK: &str = env!("CARGO_BIN_EXE_mock-engine");

/// Instructions and units of some work.
pub type Done = (u64, u64);

/// How work of an amount is done.
type Work = Box<dyn Fn(&Workshop, u64) -> Result<Done, Failure>>;

/// Something whose cost is measured.
pub struct Cost {
    /// Its name in the file of budgets.
    pub name: &'static str,
    /// The unit and the work.
    pub about: &'static str,
    /// A little of the work, and more.
    amounts: [u64; 2],
    work: Work,
}

impl Cost {
    /// Instructions for a unit.
    pub fn measure(&self, workshop: &Workshop) -> Result<f64, Failure> {
        let [less, more] = self.amounts.map(|amount| {
            (self.work)(workshop, amount).map_err(|error| format!("{}: {error}", self.name))
        });
        let ((little, few), (much, many)) = (less?, more?);
        match (much.checked_sub(little), many.checked_sub(few)) {
            (Some(instructions), Some(units)) if units > 0 => {
                Ok(instructions as f64 / units as f64)
            }
            _ => {
                Err(format!("{}: {many} units cost {much}, {few} cost {little}", self.name).into())
            }
        }
    }
}

/// A folder with what the work needs.
pub struct Workshop {
    folder: TempDir,
}

impl Workshop {
    /// An empty one.
    pub fn new() -> Result<Workshop, Failure> {
        Ok(Workshop { folder: tempfile::tempdir()? })
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in it.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.path(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Where instructions are counted to.
    pub fn log(&self) -> PathBuf {
        self.path("valgrind.log")
    }

    /// Runs a program of ours, by the words of a line.
    fn count(&self, program: &Path, line: &str) -> Result<(u64, String), Failure> {
        let log = self.log();
        let mut command: Command = counting(program, &log);
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        count(command, &log)
    }

    /// Runs the harness, which prints a JSON object.
    fn count_json(&self, line: &str) -> Result<(u64, Value), Failure> {
        let (instructions, printed) =
            self.count(HARNESS.as_ref(), &format!("{line} --json --quiet"))?;
        Ok((instructions, serde_json::from_str(&printed)?))
    }
}

/// All costs.
pub fn costs() -> Vec<Cost> {
    let cost = |name, about, amounts, work: fn(&Workshop, u64) -> Result<Done, Failure>| Cost {
        name,
        about,
        amounts,
        work: Box::new(work),
    };
    let mut costs = vec![
        cost("ply", "a ply of a match at a clock, everything that a game takes", [10, 90], play),
        cost("ply-nodes", "the same at fixed nodes, two games at a time", [10, 90], play_two),
        cost("record", "a record of a PGN file that `data view` reads and writes", [40, 200], view),
        cost("position-trained", "a position in a step of a training", [1, 3], train),
        cost("perft-leaf", "a leaf of `tench perft`", [3, 4], perft),
        cost("bench-node", "a node of `tench bench`", [3, 6], bench),
    ];
    costs.extend(METHODS.iter().map(|method| Cost {
        name: Box::leak(format!("tuner-{}", method.name).into_boxed_str()),
        about: "a game of `tune bench` with six parameters",
        // The Gaussian processes of these take their time.
        amounts: match method.name {
            "bayes" | "pso" | "nelder-mead" | "annealing" => [40, 80],
            _ => [500, 1_000],
        },
        work: Box::new(|workshop, games| tune(workshop, method.name, games)),
    }));
    costs
}

fn play(workshop: &Workshop, games: u64) -> Result<Done, Failure> {
    play_with(workshop, games, "--tc 60+1 --jobs 1")
}

fn play_two(workshop: &Workshop, games: u64) -> Result<Done, Failure> {
    play_with(workshop, games, "--nodes 1000 --jobs 2")
}

/// Games of a do-nothing engine with itself: a unit is a ply.
fn play_with(workshop: &Workshop, games: u64, how: &str) -> Result<Done, Failure> {
    let reports = workshop.path("reports");
    // What a run finds in the ledger must not depend on those before.
    if reports.exists() {
        fs::remove_dir_all(&reports)?;
    }
    let line =
        format!("match {MOCK} {MOCK} --games {games} --max-moves 60 --no-probe --seed 1 {how}");
    let (instructions, outcome) = workshop.count_json(&format!("{line} --reports reports"))?;
    let run = outcome["run"].as_str().ok_or("a run has an id")?;
    let pgn = fs::read_to_string(reports.join("runs").join(run).join("games.pgn"))?;
    let counts = pgn.lines().filter_map(|line| line.strip_prefix("[PlyCount \""));
    let plies = counts.filter_map(|rest| rest.trim_end_matches("\"]").parse::<u64>().ok()).sum();
    Ok((instructions, plies))
}

/// Games of random moves become a training set: a unit is a record that is read.
fn view(workshop: &Workshop, games: u64) -> Result<Done, Failure> {
    let file = workshop.write("games.pgn", &random_games::games(games as usize))?;
    let line = format!("data view {} -o records.bin", file.display());
    let (instructions, counts) = workshop.count_json(&line)?;
    let records = counts["positions"].as_u64().ok_or("it counts what it has read")?;
    Ok((instructions, records))
}

/// A unit is a position in one epoch.
fn train(workshop: &Workshop, epochs: u64) -> Result<Done, Failure> {
    workshop.write("train.pgn", &random_games::games(100))?;
    for name in ["net.nnue", "net.json", "net.html", "net.checkpoint"] {
        // Those of the training before.
        let _ = fs::remove_file(workshop.path(name));
    }
    let text = format!(
        "data: [train.pgn]\nnetwork: {{ hidden: 32 }}\nepochs: {epochs}\nbatch: 512\n\
         validation: 0.1\nseed: 1\njobs: 1\noutput: net\n"
    );
    workshop.write("net.yaml", &text)?;
    let (instructions, trained) = workshop.count_json("train net.yaml")?;
    let positions = trained["positions"]["train"].as_u64().ok_or("it counts its positions")?;
    Ok((instructions, positions * epochs))
}

/// A unit is a leaf of the usual start position.
fn perft(workshop: &Workshop, depth: u64) -> Result<Done, Failure> {
    let (instructions, printed) = workshop.count(&tench()?, &format!("perft {depth}"))?;
    let leaves = printed.split_whitespace().last().and_then(|word| word.parse().ok());
    Ok((instructions, leaves.ok_or("it ends with the count")?))
}

/// A unit is a node.
fn bench(workshop: &Workshop, depth: u64) -> Result<Done, Failure> {
    let (instructions, printed) = workshop.count(&tench()?, &format!("bench {depth}"))?;
    let nodes = printed.split_whitespace().next().and_then(|word| word.parse().ok());
    Ok((instructions, nodes.ok_or("it begins with the count")?))
}

/// The engine, which is built beside the harness.
fn tench() -> Result<PathBuf, Failure> {
    let path = Path::new(HARNESS).with_file_name("tench");
    match path.exists() {
        true => Ok(path),
        false => Err("there is no `tench` beside `harness`: build it in the same profile, \
            `cargo build -p tench` or `cargo build --release -p tench`"
            .into()),
    }
}

/// A unit is a game of a simulated match.
fn tune(workshop: &Workshop, method: &str, games: u64) -> Result<Done, Failure> {
    let line = format!("tune bench --method {method} --random 6 --seeds 1 --games {games}");
    let (instructions, _) = workshop.count_json(&line)?;
    Ok((instructions, games))
}
