//! The program: UCI, or one of the commands of [`USAGE`].

use std::io;
use std::process::ExitCode;

use engine::board::Position;
use engine::params::{Export, Format};
use engine::{bench, uci};

#[cfg(feature = "tuning")]
type Params = engine::params::Values;
#[cfg(not(feature = "tuning"))]
type Params = engine::params::Fixed;

/// Cargo features of this build, behind the version.
const FEATURES: &str = if cfg!(feature = "tuning") { " (features: tuning)" } else { "" };

const USAGE: &str = "\
Tench, a UCI chess engine.

Usage:
  tench                     speak UCI on standard input and output
  tench bench [DEPTH]       search fixed positions; the node count is the signature
  tench perft N [FEN]       count the leaves of the move tree, a line a root move
  tench params [--format yaml|json|openbench|weather-factory]
                            print the search parameters for other tools
  tench --version | --help
";

/// Why a command failed.
enum Failure {
    /// Wrong usage.
    Usage(String),
    /// The result could not be written.
    Output(io::Error),
}

fn main() -> ExitCode {
    // What is not UTF-8 is no command, and shown with marks in its place.
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(reason)) => {
            uci::message(&format!("tench: {reason}\n\n{USAGE}"));
            ExitCode::from(2)
        }
        Err(Failure::Output(reason)) => {
            uci::message(&format!("tench: cannot write to standard output: {reason}"));
            ExitCode::from(4)
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    let text = match words {
        [] => {
            uci::run::<Params>();
            return Ok(());
        }
        ["--help" | "-h" | "help"] => USAGE.to_owned(),
        ["--version" | "-V"] => format!("tench {}{FEATURES}\n", env!("CARGO_PKG_VERSION")),
        ["bench"] => format!("{}\n", bench::run(Params::default(), bench::DEPTH)),
        ["bench", depth] => {
            format!("{}\n", bench::run(Params::default(), number(depth)?.max(1)))
        }
        ["perft", depth, fen @ ..] => count_leaves(number(depth)?, &fen.join(" "))?,
        ["params"] => Export(Format::Yaml).to_string(),
        ["params", "--format", name] => {
            let (_, format) = Format::ALL
                .into_iter()
                .find(|(known, _)| known == name)
                .ok_or_else(|| Failure::Usage(format!("`{name}` is not a format")))?;
            Export(format).to_string()
        }
        _ => return Err(Failure::Usage(format!("cannot understand `{}`", words.join(" ")))),
    };
    uci::print(&text).map_err(Failure::Output)
}

fn number(text: &str) -> Result<u32, Failure> {
    text.parse().map_err(|_| Failure::Usage(format!("`{text}` is not a depth")))
}

fn count_leaves(depth: u32, fen: &str) -> Result<String, Failure> {
    let position = if fen.is_empty() {
        Position::startpos()
    } else {
        Position::from_fen(fen).map_err(|error| Failure::Usage(error.to_string()))?
    };
    let started = std::time::Instant::now();
    let (text, leaves) = uci::divide(&position, depth, false);
    let speed = leaves as f64 / started.elapsed().as_secs_f64().max(1e-6);
    uci::message(&format!("{speed:.0} leaves a second"));
    Ok(format!("{text}\n"))
}
