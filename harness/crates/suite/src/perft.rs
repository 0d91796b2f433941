//! Perft: the leaves of the legal move tree of the linked engine against known counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use engine::board::{FenError, Position, perft};
use harness_base::excerpt::Excerpt;
use harness_base::text::brief;
use miette::{Diagnostic, SourceSpan};
use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};
use thiserror::Error;

use harness_base::context::Interrupt;
use harness_base::failure::Failure;
use harness_base::text::decode_file;
use harness_notation::epd::{self, Line, LineError, Operation};
use harness_outcome::perft::{PerftCount, PerftReport};

/// The suites that are built in.
const BUILT_IN: [(&str, &str); 2] = [("perft", suites::PERFT), ("perft960", suites::PERFT960)];

/// Operations that files of counts have beside them.
const OTHER_OPERATIONS: [&str; 14] =
    ["id", "hmvc", "fmvn", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "noop"];

/// A position with a known count.
#[derive(Clone, Debug)]
struct Task {
    /// The count beside the known one; 0 before it is computed.
    count: PerftCount,
    position: Position,
}

/// Most characters of what is wrong, which may quote the line.
const MAX_REASON: usize = 300;

/// Why there is no result.
#[derive(Debug, Error, Diagnostic)]
pub enum PerftError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    #[diagnostic(help(
        "give `perft`, `perft960`, or the path of a file of lines like `FEN ;D1 20`"
    ))]
    Read(PathBuf, std::io::Error),
    /// A line is no position with counts.
    #[error("{what} in line {line}, column {column} of `{suite}`")]
    #[diagnostic(help("a line is a FEN and counts by depth: `FEN ;D1 20 ;D2 400`"))]
    Syntax {
        /// The error.
        what: String,
        /// The suite.
        suite: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The line in the suite.
        #[source_code]
        source_code: Arc<Excerpt>,
        /// Where it is wrong.
        #[label("here")]
        span: SourceSpan,
    },
    /// No count is left.
    #[error("no count of up to {0} nodes in {1}")]
    #[diagnostic(help("raise --max-nodes"))]
    Nothing(u64, String),
}

/// The counts of some suites.
#[derive(Debug)]
pub struct PerftRun {
    suites: Vec<String>,
    /// The longest first, so that no thread is left alone with one at the end.
    counts: Vec<Task>,
}

impl PerftRun {
    /// Reads the suites: `perft`, `perft960` or files; both built-in ones if none is named. Counts
    /// above `max_nodes` are left out.
    ///
    /// # Errors
    /// When a suite cannot be read, or no count is left.
    pub fn plan(suites: &[String], max_nodes: u64) -> Result<PerftRun, PerftError> {
        let suites = match suites {
            [] => BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect(),
            suites => suites.to_vec(),
        };
        let mut counts = Vec::new();
        for suite in &suites {
            counts.extend(read_suite(suite)?);
        }
        counts.retain(|Task { count, .. }| count.expected <= max_nodes);
        if counts.is_empty() {
            return Err(PerftError::Nothing(max_nodes, suites.join(", ")));
        }
        counts.sort_by_key(|Task { count, .. }| std::cmp::Reverse(count.expected));
        Ok(PerftRun { suites, counts })
    }

    /// Nodes of all counts.
    pub fn nodes(&self) -> u64 {
        self.counts.iter().map(|Task { count, .. }| count.expected).sum()
    }

    /// Computes all counts, `jobs` at a time; `step` is called with the nodes of each.
    ///
    /// # Errors
    /// When the threads cannot be started, or the user interrupts.
    pub fn start(
        self,
        jobs: usize,
        interrupt: &Interrupt,
        step: &(dyn Fn(u64) + Sync),
    ) -> Result<PerftReport, Failure> {
        let begun = Instant::now();
        let jobs = jobs.min(self.counts.len());
        let threads = ThreadPoolBuilder::new().num_threads(jobs).build();
        let threads = threads.map_err(|error| Failure::Failed(miette::miette!("{error}")))?;
        let mismatch = |Task { count, position }: &Task| {
            if interrupt.is_set() {
                return None;
            }
            let found = perft(position, count.depth);
            step(count.expected);
            (found != count.expected).then(|| PerftCount { found, ..count.clone() })
        };
        // A bridge takes them in their order.
        let counts = self.counts.iter().par_bridge();
        let mut mismatches: Vec<PerftCount> =
            threads.install(|| counts.filter_map(mismatch).collect());
        if interrupt.is_set() {
            return Err(Failure::Interrupted("`harness perft` starts again".to_owned()));
        }
        mismatches.sort_by(|a, b| (&a.suite, a.line, a.depth).cmp(&(&b.suite, b.line, b.depth)));
        let nodes = self.nodes();
        let seconds = begun.elapsed().as_secs_f64();
        Ok(PerftReport {
            suites: self.suites,
            counts: self.counts.len(),
            nodes,
            seconds,
            nodes_per_second: nodes as f64 / seconds,
            mismatches,
        })
    }
}

fn read_suite(name: &str) -> Result<Vec<Task>, PerftError> {
    if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        return read_counts(name, text);
    }
    let bytes = harness_base::input::read(Path::new(name))
        .map_err(|error| PerftError::Read(PathBuf::from(name), error))?;
    read_counts(name, &decode_file(&bytes))
}

/// All counts of a suite, with errors by line and column.
fn read_counts(suite: &str, text: &str) -> Result<Vec<Task>, PerftError> {
    let mut counts = Vec::new();
    for (number, start, line) in epd::lines(text) {
        let error = |LineError { span, what, .. }: LineError| {
            let place = start + span.start..start + span.end;
            let excerpt = Excerpt::new(suite, text, number, place);
            PerftError::Syntax {
                what: brief(&what, MAX_REASON),
                suite: suite.to_owned(),
                line: number,
                column: line[..span.start].chars().count() + 1,
                span: excerpt.span(),
                source_code: Arc::new(excerpt),
            }
        };
        let read = Line::parse(line).map_err(error)?;
        let fen = read.fen().map_err(error)?;
        let position = Position::from_fen(&fen)
            .map_err(|wrong: FenError| error(LineError::at(read.board(), wrong.to_string())))?;
        for operation in &read.operations {
            if let Some((depth, expected)) = read_count(operation).map_err(error)? {
                let suite = suite.to_owned();
                let fen = fen.clone();
                let count = PerftCount { suite, line: number, fen, depth, expected, found: 0 };
                counts.push(Task { count, position });
            }
        }
    }
    Ok(counts)
}

/// Depth and nodes of an operation like `D4 197281`; `None` for the other operations of EPD.
fn read_count(operation: &Operation) -> Result<Option<(u32, u64)>, LineError> {
    let Operation { opcode, span, .. } = operation;
    let text = operation.text();
    let nodes = text.parse().ok();
    let depth = opcode.strip_prefix(['D', 'd']).and_then(|depth| depth.parse().ok());
    match (depth, nodes) {
        (Some(depth), Some(nodes)) => Ok(Some((depth, nodes))),
        (None, _) if OTHER_OPERATIONS.contains(&&**opcode) => Ok(None),
        _ => Err(LineError::at(span.clone(), format!("`{opcode} {text}` is no count"))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use harness_base::failure::OrFail;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Checks a file with this text, counts above 1,000 nodes left out.
    fn checked(text: &str, is_interrupted: bool) -> Result<PerftReport, Failure> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let (interrupt, setter) = Interrupt::manual().unwrap();
        if is_interrupted {
            setter.set();
        }
        let run = PerftRun::plan(&[file.path().display().to_string()], 1_000).or_usage()?;
        run.start(2, &interrupt, &|_| ())
    }

    #[test]
    fn a_wrong_count_is_reported_with_its_line() {
        let report =
            checked(&format!("# comment\n\n{START} ;D1 20 ;D2 401 ;D6 119060324\n"), false);
        let report = report.unwrap();
        let found = &report.mismatches;
        assert_eq!((report.counts, report.nodes, found.len()), (2, 421, 1));
        assert_eq!((found[0].line, found[0].depth, found[0].found), (3, 2, 400));
        assert!(found[0].fen.starts_with("rnbq") && found[0].expected == 401);
    }

    #[test]
    fn without_a_count_there_is_no_result() {
        for suite in ["perft", "no-such-file.epd"] {
            let error = PerftRun::plan(&[suite.to_owned()], 0).expect_err(suite);
            assert!(matches!(error, PerftError::Nothing(..) | PerftError::Read(..)), "{suite}");
        }
    }

    #[test]
    fn errors_have_line_and_column() {
        let cases = [
            (
                format!("{START} ;D1 20\nrubbish ;D1 20\n"),
                "the side to move is missing in line 2, column 9",
            ),
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
    fn an_interrupted_check_has_no_result() {
        let checked = checked(&format!("{START} ;D1 20"), true);
        assert!(matches!(checked, Err(Failure::Interrupted(_))));
    }

    #[test]
    fn the_built_in_suites_are_well_formed() {
        let counts: Vec<usize> =
            BUILT_IN.iter().map(|(name, _)| read_suite(name).unwrap().len()).collect();
        assert_eq!(counts, [126 * 6, 960 * 6]);
    }
}
