//! The engine as a program: UCI, or one of the commands of [`USAGE`].

use std::process::ExitCode;

use engine::board::Position;
use engine::params::{Export, Format};
use engine::{bench, uci};

#[cfg(feature = "tuning")]
type Params = engine::params::Values;
#[cfg(not(feature = "tuning"))]
type Params = engine::params::Fixed;

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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("tench: {reason}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    match words {
        [] => uci::run::<Params>(),
        ["--help" | "-h" | "help"] => print!("{USAGE}"),
        ["--version" | "-V"] => println!("tench {}", env!("CARGO_PKG_VERSION")),
        ["bench"] => println!("{}", bench::run(Params::default(), bench::DEPTH)),
        ["bench", depth] => println!("{}", bench::run(Params::default(), number(depth)?.max(1))),
        ["perft", depth, fen @ ..] => count_leaves(number(depth)?, &fen.join(" "))?,
        ["params"] => print!("{}", Export(Format::Yaml)),
        ["params", "--format", name] => {
            let (_, format) = Format::ALL
                .into_iter()
                .find(|(known, _)| known == name)
                .ok_or_else(|| format!("`{name}` is not a format"))?;
            print!("{}", Export(format));
        }
        _ => return Err(format!("cannot understand `{}`", words.join(" "))),
    }
    Ok(())
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a depth"))
}

fn count_leaves(depth: u32, fen: &str) -> Result<(), String> {
    let position = if fen.is_empty() {
        Position::startpos()
    } else {
        Position::from_fen(fen).map_err(|error| error.to_string())?
    };
    let started = std::time::Instant::now();
    let (text, leaves) = uci::divide(&position, depth, false);
    let speed = leaves as f64 / started.elapsed().as_secs_f64().max(1e-6);
    println!("{text}");
    eprintln!("{speed:.0} leaves a second");
    Ok(())
}
