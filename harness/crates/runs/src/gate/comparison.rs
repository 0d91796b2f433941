//! A change beside its base: what the checks share, and what each has seen.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::config::{self, Config, Undecided};
use super::error::CheckError;
use crate::games;
use harness_base::session::Session;
use harness_outcome::gate::{Measured, Verdict};
use harness_outcome::{SuiteResult, SuiteSummary};
use harness_player::bench::{self, Bench};

/// An engine of a gate, for people and as a file.
#[derive(Clone, Debug)]
pub struct Named {
    /// The revision or the program, for people.
    pub shown: String,
    /// SHA-256 of the program.
    pub sha256: String,
}

/// State that the checks share.
pub struct Gate<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// Folder of the configuration: commands run there.
    pub folder: &'a Path,
    /// Folder of the ledger, and what else its runs need.
    pub session: &'a Session,
    /// Sees the games of its SPRT.
    pub games: &'a games::Sink<'a>,
    /// Takes how far a check without games is: `3 of at most 10 runs`.
    pub doing: &'a (dyn Fn(&str) + 'a),
    /// The commit of the change, if it is one.
    pub commit: Option<String>,
    /// The id of its run, if it is one in the ledger.
    pub run: Option<String>,
    /// The engine of the change.
    pub engine: (PathBuf, Named),
    /// The engine of the base.
    pub base: (PathBuf, Named),
    /// The node count that the newest commit message of the change declares.
    pub declared: Option<u64>,
    /// Benches that ran.
    benches: RefCell<HashMap<PathBuf, Bench>>,
    /// Suites that both engines were run on, by command line.
    pub(super) suites_of_both: RefCell<HashMap<String, Both>>,
}

/// The verdict of a check, with what it rests on.
pub(super) struct CheckOutcome {
    pub(super) verdict: Verdict,
    pub(super) counts_as: Option<Verdict>,
    pub(super) detail: String,
    pub(super) measured: Option<Measured>,
    pub(super) run: Option<String>,
}

impl CheckOutcome {
    pub(super) fn new(verdict: Verdict, detail: String) -> CheckOutcome {
        CheckOutcome { verdict, counts_as: None, detail, measured: None, run: None }
    }

    pub(super) fn with(self, measured: Measured) -> CheckOutcome {
        CheckOutcome { measured: Some(measured), ..self }
    }

    pub(super) fn of_run(self, run: Option<String>) -> CheckOutcome {
        CheckOutcome { run, ..self }
    }

    /// The verdict that counts if there is no decision.
    pub(super) fn counting(self, undecided: Undecided) -> CheckOutcome {
        let counts_as = match undecided {
            Undecided::Pass => Verdict::Passed,
            Undecided::Fail => Verdict::Failed,
            Undecided::Undecided => Verdict::Undecided,
        };
        CheckOutcome {
            counts_as: (self.verdict == Verdict::Undecided).then_some(counts_as),
            ..self
        }
    }
}

/// Results of both engines on a suite.
#[derive(Clone)]
pub(super) struct Both {
    pub(super) now: SuiteSummary,
    pub(super) before: SuiteSummary,
}

impl Both {
    /// Positions at which move, depth or nodes differ: the searches are not the same.
    pub(super) fn differing(&self) -> usize {
        let searched = |result: &SuiteResult| {
            (result.id.clone(), result.r#move.clone(), result.depth, result.nodes)
        };
        let pairs = self.now.results.iter().zip(&self.before.results);
        pairs.filter(|(now, before)| searched(now) != searched(before)).count()
    }
}

impl<'a> Gate<'a> {
    /// A gate of `engine` against `base`, before any check.
    pub fn new(
        config: &'a Config,
        folder: &'a Path,
        session: &'a Session,
        engine: (PathBuf, Named),
        base: (PathBuf, Named),
    ) -> Gate<'a> {
        Gate {
            config,
            folder,
            session,
            games: &|_| (),
            doing: &|_| (),
            commit: None,
            run: None,
            engine,
            base,
            declared: None,
            benches: RefCell::default(),
            suites_of_both: RefCell::default(),
        }
    }

    /// The paths of the engine and of its base, as command lines name them.
    pub(super) fn paths(&self) -> [String; 2] {
        [&self.engine, &self.base].map(|(path, _)| path.display().to_string())
    }

    /// A result of the base; an error names it.
    pub(super) fn of_base<T>(&self, seen: Result<T, CheckError>) -> Result<T, CheckError> {
        seen.map_err(|error| CheckError::OfBase(self.base.1.shown.clone(), Box::new(error)))
    }

    /// The bench of a program, run once.
    pub(super) fn bench(&self, program: &Path) -> Result<Bench, CheckError> {
        if let Some(bench) = self.benches.borrow().get(program) {
            return Ok(*bench);
        }
        self.measure(program)
    }

    /// The bench of a program, run again.
    pub(super) fn measure(&self, program: &Path) -> Result<Bench, CheckError> {
        let usual = config::Bench::default();
        let how = self.config.bench.as_ref().unwrap_or(&usual);
        let interrupt = &self.session.interrupt;
        let bench =
            bench::run(program, how, self.folder, bench::BENCH_TIMEOUT, interrupt, &mut |_| ())?;
        self.benches.borrow_mut().insert(program.to_owned(), bench);
        Ok(bench)
    }
}

pub(super) fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
