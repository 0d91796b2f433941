//! What `ENGINE bench` says, and what a commit message says of it.

use std::path::Path;
use std::process::{Command, Stdio};

use thiserror::Error;

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bench {
    /// Nodes searched: the signature.
    pub nodes: u64,
    /// Nodes a second, where they were told.
    pub nps: Option<f64>,
}

/// A bench without a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BenchError {
    /// The program would not run.
    #[error("`{0} bench` cannot be run: {1}")]
    NotRun(String, String),
    /// It ended badly.
    #[error("`{0} bench` failed ({1}): {2}")]
    Failed(String, String, String),
    /// It told no nodes.
    #[error("`{0} bench` told no node count; the last line was `{1}`")]
    NoNodes(String, String),
}

/// Runs `PROGRAM bench ARGS...` to its end.
///
/// # Errors
/// When it does not run, fails or tells no nodes.
pub fn run(program: &Path, args: &[String]) -> Result<Bench, BenchError> {
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let output = Command::new(program)
        .arg("bench")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| BenchError::NotRun(name.clone(), error.to_string()))?;
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        let last = stderr.lines().last().unwrap_or_default().to_owned();
        return Err(BenchError::Failed(name, output.status.to_string(), last));
    }
    // Stockfish writes its table to standard error.
    parse(&stdout).or_else(|| parse(&stderr)).ok_or_else(|| {
        BenchError::NoNodes(name, stdout.lines().last().unwrap_or_default().to_owned())
    })
}

/// `1890060 nodes 1605644 nps` as OpenBench wants it, or `Nodes searched : N` and `Nodes/second : N`
/// as Stockfish writes it.
pub fn parse(text: &str) -> Option<Bench> {
    let mut bench: Option<Bench> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [nodes, "nodes", nps, "nps"] = words[..]
            && let (Ok(nodes), Ok(nps)) = (nodes.parse(), nps.parse())
        {
            bench = Some(Bench { nodes, nps: Some(nps) });
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "nodes searched" => {
                bench = value.parse().ok().map(|nodes| Bench { nodes, nps: None });
            }
            "nodes/second" => {
                if let Some(bench) = &mut bench {
                    bench.nps = value.parse().ok();
                }
            }
            _ => {}
        }
    }
    bench
}

/// The count that a commit message declares: `Bench: 1234567` or `bench 1234567` at the beginning
/// of a line, the last one if there are several.
pub fn declared(message: &str) -> Option<u64> {
    message.lines().rev().find_map(|line| {
        let line = line.trim();
        let rest = line.get(..5).filter(|word| word.eq_ignore_ascii_case("bench"))?;
        line[rest.len()..].trim_start_matches([':', ' ', '=']).parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_understood() {
        let ours = parse("depth 1\n1890060 nodes 1605644 nps\n").expect("a bench");
        assert_eq!(ours, Bench { nodes: 1_890_060, nps: Some(1_605_644.0) });
        let theirs = "Total time (ms) : 2\nNodes searched  : 77\nNodes/second    : 35\n";
        assert_eq!(parse(theirs), Some(Bench { nodes: 77, nps: Some(35.0) }));
        assert_eq!(parse("nothing of the kind: 7"), None);
    }

    #[test]
    fn a_commit_message_declares_its_bench_on_a_line_of_its_own() {
        assert_eq!(declared("Search: better\n\nPassed.\n\nBench: 123\n"), Some(123));
        assert_eq!(declared("x\nbench 5\nBENCH: 6"), Some(6));
        assert_eq!(declared("Bench marks are 7"), None);
        assert_eq!(declared("The bench: 7"), None);
        assert_eq!(declared("é"), None);
    }
}
