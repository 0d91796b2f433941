//! `harness perft`: the linked engine's move generator against known counts.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use clap::Args;
use engine::board::{FenError, Position, perft};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::{Diagnostic, NamedSource, SourceSpan};
use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};
use serde::Serialize;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};

/// Move-generator counts: the leaves of the legal move tree against known ones.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness perft                         both built-in suites, standard chess and Chess960
  harness perft perft960 --max-nodes 1M
  harness perft my.epd --jobs 8 --json

A line of a file is a FEN and the counts by depth: `FEN ;D1 20 ;D2 400 ;D3 8902`.

The exit status is 1 when a count differs.")]
pub struct PerftArgs {
    /// `perft`, `perft960` or a file; both built-in suites when none is given.
    #[arg(value_name = "SUITE|FILE.epd")]
    suites: Vec<String>,
    /// Leave out counts above this; k, M and G may follow the number.
    #[arg(long, value_name = "NODES", default_value = "100M", value_parser = parse_nodes)]
    max_nodes: u64,
    /// How many counts at a time; all cores when not given.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// The suites that are built in.
const BUILT_IN: [(&str, &str); 2] = [
    ("perft", include_str!("../../../suites/perft.epd")),
    ("perft960", include_str!("../../../suites/perft960.epd")),
];

/// One count to be checked.
#[derive(Clone, Debug)]
struct Count {
    suite: String,
    line: usize,
    position: Position,
    fen: String,
    depth: u32,
    expected: u64,
}

/// A count that is not what it should be.
#[derive(Clone, Debug, Serialize)]
struct Mismatch {
    suite: String,
    line: usize,
    fen: String,
    depth: u32,
    expected: u64,
    found: u64,
}

/// The JSON object of `harness perft --json`.
#[derive(Debug, Serialize)]
struct Output {
    suites: Vec<String>,
    counts: usize,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    mismatches: Vec<Mismatch>,
}

/// Why there is nothing to count.
#[derive(Debug, Error, Diagnostic)]
enum PerftError {
    #[error("cannot read `{}`: {error}", .path.display())]
    #[diagnostic(help(
        "give `perft`, `perft960`, or the path of a file of lines like `FEN ;D1 20`"
    ))]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{what} in line {line}, column {column} of `{suite}`")]
    #[diagnostic(help("a line is a FEN and counts by depth: `FEN ;D1 20 ;D2 400`"))]
    Syntax {
        what: String,
        suite: String,
        line: usize,
        column: usize,
        #[source_code]
        source_code: Arc<NamedSource<String>>,
        #[label("here")]
        span: SourceSpan,
    },
    #[error("no count of up to {max_nodes} nodes in {suites}")]
    #[diagnostic(help("raise --max-nodes"))]
    Nothing { max_nodes: u64, suites: String },
}

/// Runs the command.
///
/// # Errors
/// When a suite cannot be read, when there is nothing to count, or on interruption.
pub fn run(args: &PerftArgs, context: &Context) -> Result<Exit, Failure> {
    let suites = if args.suites.is_empty() {
        BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect()
    } else {
        args.suites.clone()
    };
    let mut counts = Vec::new();
    for suite in &suites {
        counts.extend(read_suite(suite).or_usage()?);
    }
    counts.retain(|count| count.expected <= args.max_nodes);
    if counts.is_empty() {
        let suites = suites.join(", ");
        return Err(PerftError::Nothing { max_nodes: args.max_nodes, suites }).or_usage();
    }
    // The longest first, so that no thread is left alone with one at the end.
    counts.sort_by_key(|count| std::cmp::Reverse(count.expected));

    let start = Instant::now();
    let mut mismatches = check(&counts, jobs(args), context)?;
    mismatches.sort_by(|a, b| (&a.suite, a.line, a.depth).cmp(&(&b.suite, b.line, b.depth)));
    let seconds = start.elapsed().as_secs_f64();
    let nodes = counts.iter().map(|count| count.expected).sum();
    let nodes_per_second = nodes as f64 / seconds;
    let counts = counts.len();
    let output = Output { suites, counts, nodes, seconds, nodes_per_second, mismatches };
    if context.json {
        context.print(&format!("{}\n", serde_json::json!(output)))?;
    } else {
        context.print(&text(&output))?;
    }
    Ok(if output.mismatches.is_empty() { Exit::Good } else { Exit::Bad })
}

fn jobs(args: &PerftArgs) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    args.jobs.map_or_else(cores, NonZeroUsize::get)
}

/// Computes all counts, `jobs` at a time, and gives those that differ, in no order.
fn check(counts: &[Count], jobs: usize, context: &Context) -> Result<Vec<Mismatch>, Failure> {
    let progress = progress_bar(counts, context);
    let threads = ThreadPoolBuilder::new().num_threads(jobs.min(counts.len())).build();
    let threads = threads.map_err(|error| Failure::Failed(miette::miette!("{error}")))?;
    let mismatch = |count: &Count| {
        if context.interrupt.is_set() {
            return None;
        }
        let found = perft(&count.position, count.depth);
        progress.inc(count.expected);
        (found != count.expected).then(|| Mismatch {
            suite: count.suite.clone(),
            line: count.line,
            fen: count.fen.clone(),
            depth: count.depth,
            expected: count.expected,
            found,
        })
    };
    // A bridge takes them in their order, the longest first.
    let mismatches = threads.install(|| counts.iter().par_bridge().filter_map(mismatch).collect());
    progress.finish_and_clear();
    if context.interrupt.is_set() {
        return Err(Failure::Interrupted("`harness perft` starts anew".to_owned()));
    }
    Ok(mismatches)
}

fn progress_bar(counts: &[Count], context: &Context) -> ProgressBar {
    if context.quiet {
        return ProgressBar::hidden();
    }
    let nodes = counts.iter().map(|count| count.expected).sum();
    let style = "{elapsed_precise} {wide_bar} {percent:>3} %  {per_sec}  {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is well-formed");
    ProgressBar::with_draw_target(Some(nodes), ProgressDrawTarget::stderr()).with_style(style)
}

fn text(output: &Output) -> String {
    let mut text = String::new();
    for mismatch in &output.mismatches {
        let Mismatch { suite, line, fen, depth, expected, found } = mismatch;
        text += &format!("{suite}:{line}: depth {depth}: {found} instead of {expected}: {fen}\n");
    }
    let verdict = match output.mismatches.len() {
        0 => "all as expected".to_owned(),
        1 => "1 differs".to_owned(),
        n => format!("{n} differ"),
    };
    text += &format!(
        "{} counts, {verdict}; {:.1} G nodes in {:.1} s, {:.0} Mnps\n",
        output.counts,
        output.nodes as f64 / 1e9,
        output.seconds,
        output.nodes_per_second / 1e6
    );
    text
}

fn read_suite(name: &str) -> Result<Vec<Count>, PerftError> {
    if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        return read_counts(name, text);
    }
    let text = crate::input::read(Path::new(name))
        .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
        .map_err(|error| PerftError::Read { path: PathBuf::from(name), error })?;
    read_counts(name, &text)
}

/// All counts of a suite, with what is wrong told by line and column.
fn read_counts(suite: &str, text: &str) -> Result<Vec<Count>, PerftError> {
    let mut counts = Vec::new();
    let mut line_start = 0;
    for (index, line) in text.split('\n').enumerate() {
        let error = |what: String, offset: usize, length: usize| PerftError::Syntax {
            what,
            suite: suite.to_owned(),
            line: index + 1,
            column: line[..offset].chars().count() + 1,
            source_code: Arc::new(NamedSource::new(suite, text.to_owned())),
            span: (line_start + offset, length).into(),
        };
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            let mut fields = line.split(';');
            let fen = fields.next().unwrap_or_default();
            let position = Position::from_fen(fen)
                .map_err(|wrong: FenError| error(wrong.to_string(), 0, fen.len()))?;
            let mut offset = fen.len();
            for field in fields {
                offset += 1;
                let (depth, expected) = read_count(field)
                    .ok_or_else(|| error(format!("`{field}` is no count"), offset, field.len()))?;
                offset += field.len();
                let (suite, fen) = (suite.to_owned(), fen.trim().to_owned());
                counts.push(Count { suite, line: index + 1, position, fen, depth, expected });
            }
        }
        line_start += line.len() + 1;
    }
    Ok(counts)
}

/// Depth and nodes of a field like `D4 197281`.
fn read_count(field: &str) -> Option<(u32, u64)> {
    let (depth, nodes) = field.trim().split_once(' ')?;
    Some((depth.strip_prefix('D')?.parse().ok()?, nodes.trim().parse().ok()?))
}

/// A number of nodes like `5000`, `100k`, `100M` or `2G`.
fn parse_nodes(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 =
        digits.parse().map_err(|_| "expected a number like 5000, 100k, 100M or 2G".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too many nodes".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::context::{Interrupt, Session};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn context() -> Context {
        let (interrupt, _setter) = Interrupt::manual().unwrap();
        let reports = PathBuf::from("unused");
        Context { session: Session { reports, probe: true, quiet: true, interrupt }, json: false }
    }

    #[test]
    fn a_wrong_count_is_reported_with_its_line() {
        let text = format!("# comment\n\n{START} ;D1 20 ;D2 401 ;D3 8902\n");
        let counts = read_counts("some.epd", &text).unwrap();
        assert_eq!(counts.len(), 3);
        let found = check(&counts, 2, &context()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].depth, found[0].found), (3, 2, 400));
        let output = Output {
            suites: vec!["some.epd".to_owned()],
            counts: 3,
            nodes: 9_323,
            seconds: 1.0,
            nodes_per_second: 9_323.0,
            mismatches: found,
        };
        assert!(super::text(&output).starts_with("some.epd:3: depth 2: 400 instead of 401: rnbq"));
    }

    #[test]
    fn the_exit_status_tells_whether_all_counts_agree() {
        let cases = [("D2 400", Exit::Good), ("D2 401", Exit::Bad)];
        for (count, expected) in cases {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            writeln!(file, "{START} ;D1 20 ;{count} ;D6 119060324").unwrap();
            let suites = vec![file.path().to_str().unwrap().to_owned()];
            let args = PerftArgs { suites, max_nodes: 1_000, jobs: NonZeroUsize::new(2) };
            assert_eq!(run(&args, &context()).unwrap(), expected, "{count}");
        }
    }

    #[test]
    fn without_a_count_there_is_nothing_to_say() {
        let args =
            |suite: &str| PerftArgs { suites: vec![suite.to_owned()], max_nodes: 0, jobs: None };
        for suite in ["perft", "no-such-file.epd"] {
            assert!(matches!(run(&args(suite), &context()), Err(Failure::Usage(_))), "{suite}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_line_and_column() {
        let cases = [
            (format!("{START} ;D1 20\nrubbish ;D1 20\n"), "line 2, column 1"),
            (format!("{START} ;D1 20 ;D2\n"), "line 1, column 66"),
            (format!("{START} ;D1 20 ;2 400\n"), "line 1, column 66"),
            (format!("{START} ;D1 twenty\n"), "line 1, column 59"),
            ("k7/8/8/8/8/8/8/8 w - - ;D1 1".to_owned(), "0 kings instead of one in line 1"),
        ];
        for (text, part) in cases {
            let error = read_counts("some.epd", &text).expect_err(&text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn nodes_are_read_with_their_unit() {
        assert_eq!(parse_nodes("5000"), Ok(5_000));
        assert_eq!(parse_nodes("100M"), Ok(100_000_000));
        for bad in ["", "M", "1T", "-1", "1.5M", "é", "99999999999999999999", "99999999999G"] {
            assert!(parse_nodes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_interrupted_check_has_no_result() {
        let (interrupt, setter) = Interrupt::manual().unwrap();
        setter.set();
        let mut context = context();
        context.session.interrupt = interrupt;
        let counts = read_counts("some.epd", &format!("{START} ;D1 20")).unwrap();
        assert!(matches!(check(&counts, 1, &context), Err(Failure::Interrupted(_))));
    }

    #[test]
    fn the_built_in_suites_are_well_formed() {
        let counts: Vec<usize> =
            BUILT_IN.iter().map(|(name, _)| read_suite(name).unwrap().len()).collect();
        assert_eq!(counts, [126 * 6, 960 * 6]);
    }
}
