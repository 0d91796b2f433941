//! The output of a bench, and the node count that a commit message declares.
//!
//! [`parse`] reads what OpenBench's client reads (its `Client/bench.py`, `parse_stream_output`):
//! from the last line to the first, the node count from `N nodes`, `nodes N` or `nodes searched N`
//! and the speed from `N nps`, `nps N` or `nodes second N`, whatever punctuation stands between.
//! Beyond that it understands thousands separators, decimals, `nodes per second`, lines of several
//! pairs of either order, and colours.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::capture::{CaptureError, Captured, capture};
use harness_base::session::Interrupt;
use harness_base::text::quote_variable;

/// A bench that takes longer counts as hung.
pub const BENCH_TIMEOUT: Duration = Duration::from_secs(600);

/// How a bench is run and read: `ENGINE bench`, if nothing else is said.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BenchCommand {
    /// Arguments after `bench`.
    pub args: Vec<String>,
    /// A shell command in place of `ENGINE bench`, run where the file is; `$ENGINE` is the engine.
    pub command: Option<String>,
    /// Finds the node count in what is printed: the last match's first group, or all of it.
    pub nodes: Option<String>,
    /// Finds the nodes a second in the same way.
    pub nps: Option<String>,
}

impl BenchCommand {
    /// The fault, in words.
    pub fn mistake(&self) -> Option<String> {
        if self.command.is_some() && !self.args.is_empty() {
            return Some("bench: `args` belong into `command`, which is used as it is".to_owned());
        }
        [("nodes", &self.nodes), ("nps", &self.nps)].into_iter().find_map(|(key, pattern)| {
            let error = Regex::new(pattern.as_deref()?).err()?;
            Some(format!("bench: {key}: {error}"))
        })
    }
}

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bench {
    /// Nodes searched: the signature.
    pub nodes: u64,
    /// Nodes a second: as printed, otherwise over the time from its start to its end.
    pub nps: f64,
}

/// The numbers that a bench printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchOutput {
    /// Nodes searched.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: Option<f64>,
}

/// A bench without a result.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The program did not come to its end.
    #[error("`{0}`: {1}")]
    NotRun(String, CaptureError),
    /// It ended badly.
    #[error("`{0}` failed ({1}): {2}")]
    Failed(String, String, String),
    /// It ran once and not again.
    #[error("its second run: {0}")]
    SecondRun(Box<BenchError>),
    /// It printed no node count.
    #[error(
        "`{0}` printed no node count that is understood; the last line was `{1}`. `bench: \
         {{command: ..., nodes: REGEX}}` in gate.yaml says how to run and read it"
    )]
    NoNodes(String, String),
}

/// Runs a bench to its end, in `folder`, for `patience` at most; `tell` gets the time since the start,
/// some times a second.
///
/// # Errors
/// When it does not run, fails, hangs or prints no node count.
pub fn run(
    program: &Path,
    how: &BenchCommand,
    folder: &Path,
    patience: Duration,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(Duration),
) -> Result<Bench, BenchError> {
    let (mut command, shown) = command(program, how);
    command.current_dir(folder);
    let done = capture(command, patience, interrupt, tell);
    read(done, shown, how)
}

/// Runs a command that prints what a bench prints; `shown` names it in errors.
///
/// # Errors
/// As [`run`].
pub fn measure(
    command: Command,
    shown: String,
    how: &BenchCommand,
    patience: Duration,
    interrupt: &Interrupt,
) -> Result<Bench, BenchError> {
    read(capture(command, patience, interrupt, &mut |_| ()), shown, how)
}

fn read(
    done: Result<Captured, CaptureError>,
    shown: String,
    how: &BenchCommand,
) -> Result<Bench, BenchError> {
    let done = done.map_err(|error| BenchError::NotRun(shown.clone(), error))?;
    if !done.status.success() {
        let last = last_line(&format!("{}\n{}", done.stdout, done.stderr));
        return Err(BenchError::Failed(shown, done.status.to_string(), last));
    }
    // Standard output last, where the result usually is; Stockfish's is on standard error.
    let text = format!("{}\n{}", done.stderr, done.stdout);
    let printed = parse(&text);
    let nodes = match &how.nodes {
        Some(pattern) => last_match(pattern, &text).map(|nodes| nodes as u64),
        None => printed.map(|printed| printed.nodes),
    };
    let nps = match &how.nps {
        Some(pattern) => last_match(pattern, &text),
        None => printed.and_then(|printed| printed.nps),
    };
    let nodes = nodes.ok_or_else(|| BenchError::NoNodes(shown, last_line(&text)))?;
    let seconds = done.elapsed.as_secs_f64().max(1e-3);
    Ok(Bench { nodes, nps: nps.filter(|&nps| nps > 0.0).unwrap_or(nodes as f64 / seconds) })
}

/// `PROGRAM bench ARGS...`, or the shell command in which `$ENGINE` is the program.
fn command(program: &Path, how: &BenchCommand) -> (Command, String) {
    if let Some(text) = &how.command {
        let mut command = Command::new("sh");
        command.args(["-c", &quote_variable(text, "ENGINE")]).env("ENGINE", program);
        return (command, text.clone());
    }
    let mut command = Command::new(program);
    command.arg("bench").args(&how.args);
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let words = ["bench"].into_iter().chain(how.args.iter().map(String::as_str));
    (command, format!("{name} {}", words.collect::<Vec<_>>().join(" ")))
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

/// The number of the last match of a pattern: its first group, or the whole match without one.
fn last_match(pattern: &str, text: &str) -> Option<f64> {
    // [`BenchCommand::mistake`] finds a pattern that does not compile.
    let pattern = Regex::new(pattern).ok()?;
    let found = pattern.captures_iter(text).last()?;
    number(&plain(found.get(1).or_else(|| found.get(0))?.as_str()).join(" "))
}

/// The last node count and the last speed that a bench printed.
///
/// A search's `info` lines are read only without other counts: standard output may hold them and
/// standard error the total.
pub fn parse(text: &str) -> Option<BenchOutput> {
    let is_info = |line: &&str| line.trim_start().starts_with("info ");
    let total = last(text.lines().filter(|line| !is_info(line)));
    // `Bench: N`, as in commit messages.
    let declared = || Some(BenchOutput { nodes: declared(text)?, nps: total.nps });
    total
        .bench_output()
        .or_else(declared)
        .or_else(|| last(text.lines().filter(is_info)).bench_output())
}

/// The last node count and the last speed of some lines.
fn last<'a>(lines: impl DoubleEndedIterator<Item = &'a str>) -> Line {
    lines.rev().map(Line::read).fold(Line::default(), |last, line| Line {
        nodes: last.nodes.or(line.nodes),
        nps: last.nps.or(line.nps),
    })
}

/// The counts of one line.
#[derive(Default)]
struct Line {
    nodes: Option<f64>,
    nps: Option<f64>,
}

impl Line {
    fn bench_output(&self) -> Option<BenchOutput> {
        self.nodes.map(|nodes| BenchOutput { nodes: nodes as u64, nps: self.nps })
    }

    fn read(line: &str) -> Line {
        let words = plain(line);
        let keys: Vec<(usize, usize, bool)> =
            (0..words.len()).filter_map(|at| key(&words[at..]).map(|(n, s)| (at, n, s))).collect();
        let at = |index: usize| words.get(index).and_then(|word| number(word));
        // `time 8986 nodes 9122778 nps 1015221`, not `5163 ms 10408355 nodes 2015950 nps`.
        let values_follow = words.first().is_some_and(|word| word == "info")
            || keys.last().is_some_and(|&(last, length, _)| at(last + length).is_some())
                && at(words.len() - 1).is_some();
        let mut line = Line::default();
        for (index, length, is_speed) in keys {
            let before = index.checked_sub(1).and_then(at);
            let after = at(index + length);
            let value = if values_follow { after.or(before) } else { before.or(after) };
            let place = if is_speed { &mut line.nps } else { &mut line.nodes };
            *place = place.or(value);
        }
        line
    }
}

/// The key at the beginning of these words: its length in words, and whether it is a speed's.
fn key(words: &[String]) -> Option<(usize, bool)> {
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let is_second = |word: &str| matches!(word, "second" | "sec" | "s");
    match word(0) {
        "nps" => Some((1, true)),
        "nodes" if is_second(word(1)) => Some((2, true)),
        "nodes" if word(1) == "per" && is_second(word(2)) => Some((3, true)),
        "nodes" if word(1) == "searched" => Some((2, false)),
        "nodes" => Some((1, false)),
        _ => None,
    }
}

/// The words of a line in small letters, without punctuation, colours and thousands separators.
fn plain(line: &str) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    let digit = |index: usize| letters.get(index).is_some_and(char::is_ascii_digit);
    // Three digits and no fourth.
    let group = |index: usize| (1..=3).all(|step| digit(index + step)) && !digit(index + 4);
    let point = |index: usize| letters.get(index) == Some(&'.') && group(index);
    let mut words = Vec::new();
    let mut word = String::new();
    let mut index = 0;
    while let Some(&letter) = letters.get(index) {
        let in_number = index.checked_sub(1).is_some_and(digit);
        // `10.408.355` has two points, `1512.345` is a decimal number.
        let is_thousands = is_separator(letter)
            || point(index) && (point(index + 4) || index.checked_sub(4).is_some_and(point));
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        } else if in_number && is_thousands && group(index) {
            // What follows belongs to the same number.
        } else if in_number && letter == '.' && digit(index + 1) {
            word.push('.');
        } else {
            words.push(std::mem::take(&mut word));
            if letter == '\u{1b}' && letters.get(index + 1) == Some(&'[') {
                // A colour: it ends with its first letter.
                while letters.get(index).is_some_and(|letter| !letter.is_ascii_alphabetic()) {
                    index += 1;
                }
            }
        }
        index += 1;
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn is_separator(letter: char) -> bool {
    matches!(letter, ',' | '\'' | '_' | '\u{2019}' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

fn number(word: &str) -> Option<f64> {
    let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
    word.parse().ok().filter(|_| is_number)
}

/// The count that a commit message declares: `Bench: 1234567` or `bench 1,234,567` at the beginning
/// of a line, the last one if there are several.
pub fn declared(message: &str) -> Option<u64> {
    message.lines().rev().find_map(|line| {
        let line = line.trim();
        let rest = line.get(..5).filter(|word| word.eq_ignore_ascii_case("bench"))?;
        let rest = line[rest.len()..].trim_start_matches([':', ' ', '=', '\t']);
        let [count] = &plain(rest)[..] else { return None };
        count.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(nodes: u64, nps: u64) -> Option<BenchOutput> {
        Some(BenchOutput { nodes, nps: Some(nps as f64) })
    }

    fn count(nodes: u64) -> Option<BenchOutput> {
        Some(BenchOutput { nodes, nps: None })
    }

    /// The formats of engines' benches, as they stand in their sources or came out of them.
    #[test]
    fn the_formats_of_many_engines_are_understood() {
        let table = [
            // Tench, Smallbrain, Alexandria and others: what OpenBench asks for.
            ("1890060 nodes 1605644 nps\n", both(1_890_060, 1_605_644)),
            // akimbo
            ("Bench: 5122 nodes 1702000 nps", both(5_122, 1_702_000)),
            ("bench: 5122 nodes 1702000 nps", both(5_122, 1_702_000)),
            // Weiss
            (
                "[# 50]   299 cp   h1h7     206423 nodes    1306474 nps\n\
                 ======================================================\n\
                 OVERALL:    5163 ms      10408355 nodes    2015950 nps\n",
                both(10_408_355, 2_015_950),
            ),
            // Ethereal
            (
                "Bench [# 50]   -12 cp  Best:h1h7  Ponder:c5c3     21437 nodes  1429133 nps\n\
                 ===============================================================\n\
                 OVERALL:                                  4208117 nodes      1512345 nps\n",
                both(4_208_117, 1_512_345),
            ),
            // Demolito
            (
                "info depth 12 score cp 113 time 76 nodes 85694 nps 1127552 hashfull 315 pv h1h7\n\
                 bestmove h1h7 ponder c5c3\n\ntime  : 8986ms\nnodes : 9122778\nnps   : 1929522\n",
                both(9_122_778, 1_929_522),
            ),
            // Stockfish and what comes from it
            (
                "\n===========================\nTotal time (ms) : 1234\nNodes searched  : 1234567\n\
                 Nodes/second    : 1000459\n",
                both(1_234_567, 1_000_459),
            ),
            (
                "Nodes searched  : 77\nNodes/second    : 35\n\ninfo depth 3 nodes 5 nps 9 pv e2e4\n",
                both(77, 35),
            ),
            ("Nodes searched: 77\nNodes/second: 35\n", both(77, 35)),
            ("Nodes: 77\nNPS: 35\n", both(77, 35)),
            ("Total nodes: 77, nodes per second: 35", both(77, 35)),
            ("Nodes: 77 nps 35", both(77, 35)),
            ("time 8986 nodes 9122778 nps 1015221", both(9_122_778, 1_015_221)),
            ("info depth 5 time 8986 nodes 77 nps 35 pv e2e4", both(77, 35)),
            ("77 nodes, 2.5 s, 35 nodes/sec", both(77, 35)),
            ("77 nodes in 2200 ms (35 nps)", both(77, 35)),
            (
                "4208117 nodes 1512345.7 nps",
                Some(BenchOutput { nodes: 4_208_117, nps: Some(1_512_345.7) }),
            ),
            // Thousands separators
            ("Nodes searched: 1,234,567\nNPS: 1'000'459", both(1_234_567, 1_000_459)),
            ("10_408_355 nodes 2_015_950 nps", both(10_408_355, 2_015_950)),
            ("10.408.355 nodes 2.015.950 nps", both(10_408_355, 2_015_950)),
            ("10\u{202f}408\u{202f}355 nodes 2\u{a0}015\u{a0}950 nps", both(10_408_355, 2_015_950)),
            // Colours, Windows' line ends, capitals
            ("\u{1b}[1m77\u{1b}[0m NODES \u{1b}[32m35\u{1b}[0m NPS\r\n", both(77, 35)),
            // The count alone
            ("4208117 nodes", count(4_208_117)),
            ("Bench: 1,234,567", count(1_234_567)),
            // The last one is the total.
            ("1 nodes\n2 nodes\n3 nodes 4 nps\nNodes searched : 6", both(6, 4)),
        ];
        for (text, bench) in table {
            assert_eq!(parse(text), bench, "{text}");
        }
    }

    #[test]
    fn what_is_no_bench_is_not_taken_for_one() {
        for text in [
            "nothing of the kind: 7",
            "id name Engine 5\nuciok\n",
            "Unknown command: bench",
            "1605644 nodes/second",
            "nodes",
            "bench marks are 7",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_commit_message_declares_its_bench_on_a_line_of_its_own() {
        assert_eq!(declared("Search: better\n\nPassed.\n\nBench: 123\n"), Some(123));
        assert_eq!(declared("x\nbench 5\nBENCH: 6"), Some(6));
        assert_eq!(declared("bench=10,408,355"), Some(10_408_355));
        assert_eq!(declared("Bench marks are 7"), None);
        assert_eq!(declared("The bench: 7"), None);
        assert_eq!(declared("é"), None);
    }

    fn run_shell(
        command: &str,
        nodes: Option<&str>,
        nps: Option<&str>,
    ) -> Result<Bench, BenchError> {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let bench = BenchCommand {
            command: Some(command.to_owned()),
            nodes: nodes.map(str::to_owned),
            nps: nps.map(str::to_owned),
            ..BenchCommand::default()
        };
        run(Path::new("/my engine"), &bench, Path::new("/"), BENCH_TIMEOUT, &interrupt, &mut |_| ())
    }

    #[test]
    fn a_command_and_patterns_of_ones_own_are_used() {
        let total = "echo \"$ENGINE\"; echo 'Signature 0x1, visited 1,234 and 5 at 20 a ms'";
        let bench = run_shell(total, Some("visited ([0-9,]+)"), Some(r"at (\d+)")).expect("read");
        assert_eq!(bench, Bench { nodes: 1234, nps: 20.0 });
        // The last match counts; without a group, the whole match.
        let bench = run_shell("printf 'n=5\\nn=6\\n'", Some("[0-9]+"), None).expect("read");
        assert_eq!(bench.nodes, 6);
        // Without a printed speed it is that of the whole command.
        assert!(bench.nps > 0.0);
        // The path reaches the command as one word.
        let bench = run_shell("set -- \"$ENGINE\"; echo $# nodes 7 nps", None, None).expect("read");
        assert_eq!(bench, Bench { nodes: 1, nps: 7.0 });
    }

    #[test]
    fn a_bench_without_a_result_says_what_it_printed_and_how_to_help() {
        for (command, parts) in [
            ("echo what; echo ever", ["`ever`", "nodes: REGEX"]),
            ("echo 5 nodes 5 nps; exit 3", ["failed", "exit status: 3"]),
            ("kill -SEGV $$", ["failed", "signal: 11"]),
        ] {
            let error = run_shell(command, None, None).expect_err(command).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
    }
}
