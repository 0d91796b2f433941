//! A bisection as a run: planned, executed with events, resumed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::posterior::{Answer, Posterior, Question};
use super::steps::{Step, StepResult, Steps};
use crate::games::{self, GamesRun, Starting, interruption, of_whole};
use crate::read_plan;
use crate::report::{self, ReportError};
use harness_arena::{Openings, Plan};
use harness_base::config::Config;
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_ledger::{Ledger, Resumed, Run, RunFacts, Status};
use harness_outcome::MatchSummary;
use harness_outcome::bisection::{BisectReport, Loss, Tested, Tests, Verdict};
use harness_player::{self as player, Commit, EngineSpec};
use harness_stats::Pentanomial;

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "bisect";

/// How a commit is found good or bad.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// By games against the good commit.
    Games {
        /// The bad engine, the good one, and how they play; its rounds are the pairs of a batch.
        plan: Box<Plan>,
        /// How engines are started.
        starting: Starting,
        /// Most games of the run.
        max_games: u64,
    },
    /// By a shell command, `{}` in it is the program: exit status 0 is good, 125 skips the commit,
    /// another one below 126 is bad.
    Test(String),
}

/// A planned bisection; no commit has been built for it but the ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BisectRun {
    /// The root of the repository.
    #[serde(with = "harness_base::text::path")]
    pub repository: PathBuf,
    /// The good commit.
    pub good: Commit,
    /// Those after it, oldest first; the last one is bad.
    pub commits: Vec<Commit>,
    /// The loss that is looked for, in Elo.
    pub elo: f64,
    /// Probability that the answer is wrong.
    pub error: f64,
    /// How a commit is found good or bad.
    pub measure: Measure,
}

/// Something that happens in a bisection.
pub enum Event<'a> {
    /// The run begins or continues.
    Started {
        /// Its id.
        run: &'a str,
        /// The good commit.
        good: &'a Commit,
        /// Commits that may have brought the loss.
        commits: &'a [Commit],
        /// Games or tests of the run that are kept.
        done: u64,
        /// Most games of the run; `None` of tests.
        of: Option<u64>,
        /// What these are.
        unit: &'static str,
    },
    /// The number of games or tests of the run that are kept.
    Kept(u64),
    /// A commit is about to be built and tested.
    Step {
        /// The commit.
        commit: &'a Commit,
        /// Its number from 1.
        number: usize,
        /// Commits of the run.
        of: usize,
        /// The commit that is most probably the first bad one.
        suspect: &'a Commit,
        /// That probability.
        probability: f64,
        /// The probability that none is.
        no_loss: f64,
    },
    /// A commit is about to be built, and the command run.
    Test {
        /// The commit.
        commit: &'a Commit,
        /// How often it was tested before.
        before: usize,
    },
    /// A commit cannot be tested.
    Skipped {
        /// The commit.
        commit: &'a Commit,
        /// Why.
        reason: &'a str,
    },
    /// Something happened in its games.
    Games(&'a games::Event<'a>),
}

/// Takes every event; those of games from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;

impl BisectRun {
    /// Starts a run in the ledger, and tests commits until the answer is sure.
    ///
    /// # Errors
    /// When a result cannot be kept, an engine fails, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<BisectReport, Failure> {
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run(COMMAND, &json!(self)).or_failed()?;
        self.run_steps(&ledger, &run, session, sink)
    }

    fn question(&self) -> Question {
        let known_bad = matches!(self.measure, Measure::Test(_));
        Question { elo: self.elo, error: self.error, known_bad }
    }

    fn run_steps(
        &self,
        ledger: &Ledger,
        run: &Run,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<BisectReport, Failure> {
        let steps = Steps::open(run.folder()).or_failed()?;
        let mut part = Part { bisect: self, ledger, run, session, sink, steps };
        let (good, commits, done) = (&self.good, &self.commits[..], part.done());
        let (of, unit) = match self.measure {
            Measure::Games { max_games, .. } => (Some(max_games), "games"),
            Measure::Test(_) => (None, "tests"),
        };
        sink(&Event::Started { run: run.id(), good, commits, done, of, unit });
        match &self.measure {
            Measure::Games { max_games, .. } => part.play_all(*max_games)?,
            Measure::Test(command) => part.test_all(command)?,
        }
        let report = part.report();
        ledger.finish(run, &json!(report)).or_failed()?;
        Ok(report)
    }
}

/// Resumes a run that ended early.
///
/// # Errors
/// As [`BisectRun::start`]; and outside of the repository.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<BisectReport, Failure> {
    let bisect: BisectRun = read_plan(run, plan)?;
    let here = player::repository_root().or_usage()?;
    if here != bisect.repository {
        return Err(Failure::Usage(miette::miette!(
            help = "commits are built by the `harness.yaml` of the current folder",
            "`{}` is resumed in {}",
            run.id(),
            bisect.repository.display()
        )));
    }
    bisect.run_steps(ledger, run, session, sink)
}

/// How many steps of the run in a folder have come to their end; 0 where that cannot be read.
pub fn finished_steps(folder: &Path) -> usize {
    Steps::open(folder).map_or(0, |steps| steps.finished())
}

/// The run whose games had begun when an unfinished bisection ended; they do not count before they end.
pub fn open_games(folder: &Path) -> Option<String> {
    Steps::open(folder).ok()?.begun().map(|(_, run)| run.to_owned())
}

/// The result so far of a run that is not finished.
///
/// # Errors
/// When its plan or its steps cannot be read.
pub fn so_far(run: &RunFacts) -> Result<BisectReport, ReportError> {
    let bisect: BisectRun = report::read(run, "plan", &run.plan)?;
    let steps = Steps::open(&run.folder)?;
    Ok(bisect.report(&run.id, &steps))
}

impl BisectRun {
    fn report(&self, run: &str, steps: &Steps) -> BisectReport {
        let evidence = steps.evidence(self.commits.len());
        let posterior = Posterior::new(self.question(), &evidence);
        let last = self.commits.len().checked_sub(1);
        let is_games = matches!(self.measure, Measure::Games { .. });
        let flaky = self.flaky(steps);
        // A test that says now one thing and now the other has no answer.
        let answer = if flaky.is_empty() { posterior.answer() } else { None };
        let (verdict, found, probability) = match answer {
            _ if !is_games && steps.is_good(last) => (Verdict::NoLoss, Vec::new(), 1.0),
            Some(Answer::Found { first, last, probability }) => {
                (Verdict::Found, self.commits[first..=last].to_vec(), probability)
            }
            Some(Answer::NoLoss { probability }) => (Verdict::NoLoss, Vec::new(), probability),
            None => {
                let best = posterior.first_bad().iter().copied().fold(0.0, f64::max);
                (Verdict::Undecided, Vec::new(), best)
            }
        };
        let (elo, interval) = posterior.loss();
        let largest = Some(posterior.largest_loss());
        let tested = (0..self.commits.len()).filter(|&commit| {
            let known = &evidence[commit];
            let is_found = posterior.first_bad()[commit] > 0.01;
            known.pairs.pairs() > 0 || known.is_bad.is_some() || known.skipped || is_found
        });
        let good = steps.tests(None);
        BisectReport {
            run: run.to_owned(),
            good: self.good.clone(),
            verdict,
            found,
            probability,
            loss: is_games.then_some(Loss { elo, interval, largest }),
            games: evidence.iter().map(|known| known.pairs.games()).sum(),
            flaky,
            good_tests: (!good.is_empty()).then(|| Tests::from_answers(&good)),
            tested: tested
                .map(|commit| Tested {
                    commit: self.commits[commit].clone(),
                    pentanomial: evidence[commit].pairs,
                    runs: steps.runs(commit),
                    bad: evidence[commit].is_bad,
                    tests: evidence[commit]
                        .is_bad
                        .map(|_| Tests::from_answers(&steps.tests(Some(commit)))),
                    skipped: steps.skipped(commit).map(str::to_owned),
                    probability: posterior.first_bad()[commit],
                })
                .collect(),
        }
    }
}

/// A run in progress.
pub(super) struct Part<'a> {
    pub(super) bisect: &'a BisectRun,
    ledger: &'a Ledger,
    pub(super) run: &'a Run,
    pub(super) session: &'a Session,
    pub(super) sink: &'a Sink<'a>,
    pub(super) steps: Steps,
}

impl Part<'_> {
    /// Plays until the answer is sure, no commit is left, or the games run out.
    fn play_all(&mut self, max_games: u64) -> Result<(), Failure> {
        self.finish_begun()?;
        while self.posterior().answer().is_none() && self.games() < max_games {
            self.check_interrupt()?;
            let Some(commit) = self.posterior().next() else { break };
            let (run, session) = (self.run, self.session);
            self.step(commit).map_err(|failure| of_whole(failure, run, session))?;
        }
        Ok(())
    }

    pub(super) fn check_interrupt(&self) -> Result<(), Failure> {
        match self.session.interrupt.is_finishing() {
            true => Err(interruption(self.run, self.session)),
            false => Ok(()),
        }
    }

    pub(super) fn posterior(&self) -> Posterior {
        let count = self.bisect.commits.len();
        let mut evidence = self.steps.evidence(count);
        // The plan has built it.
        if let (Measure::Games { .. }, Some(last)) = (&self.bisect.measure, evidence.last_mut()) {
            last.built = true;
        }
        Posterior::new(self.bisect.question(), &evidence)
    }

    fn games(&self) -> u64 {
        let evidence = self.steps.evidence(self.bisect.commits.len());
        evidence.iter().map(|known| known.pairs.games()).sum()
    }

    /// Games that are kept; of a bisection by a test, tests.
    fn done(&self) -> u64 {
        match self.bisect.measure {
            Measure::Games { .. } => self.games(),
            Measure::Test(_) => self.steps.finished() as u64,
        }
    }

    fn report(&self) -> BisectReport {
        self.bisect.report(self.run.id(), &self.steps)
    }

    /// Builds and tests a commit.
    fn step(&mut self, number: usize) -> Result<(), Failure> {
        let commit = &self.bisect.commits[number];
        let posterior = self.posterior();
        let probabilities = posterior.first_bad().iter().enumerate();
        let (suspect, probability) =
            probabilities.max_by(|a, b| a.1.total_cmp(b.1)).unwrap_or((number, &0.0));
        (self.sink)(&Event::Step {
            commit,
            number: number + 1,
            of: self.bisect.commits.len(),
            suspect: &self.bisect.commits[suspect],
            probability: *probability,
            no_loss: posterior.no_loss(),
        });
        let Measure::Games { plan, starting, .. } = &self.bisect.measure else { return Ok(()) };
        let Some(mut engine) = self.build(Some(number))? else { return Ok(()) };
        let [bad, good] = [0, 1].map(|side| (&plan.engines[side], plan.limits[side]));
        engine.options = bad.0.options.clone();
        // Most commits of many histories do not touch the program: the same games.
        if engine.is_same_player(good.0) && bad.1 == good.1 {
            return self.keep(Some(number), StepResult::Tested { bad: false });
        }
        self.play(number, engine, plan, *starting)
    }

    /// The engine of a commit, `None` is the good one; one that does not build is skipped.
    pub(super) fn build(&mut self, number: Option<usize>) -> Result<Option<EngineSpec>, Failure> {
        let config = Config::find().or_usage()?;
        match player::resolve(&self.bisect.commit(number).hash, &config, self.session) {
            Ok(engine) => Ok(Some(engine)),
            Err(error) if error.is_failed_build() && number.is_some() => {
                self.skip(number, error.to_string()).map(|()| None)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn skip(&mut self, number: Option<usize>, reason: String) -> Result<(), Failure> {
        let commit = self.bisect.commit(number);
        (self.sink)(&Event::Skipped { commit, reason: &reason });
        self.keep(number, StepResult::Skipped { reason })
    }

    pub(super) fn keep(
        &mut self,
        commit: Option<usize>,
        result: StepResult,
    ) -> Result<(), Failure> {
        self.steps.keep(Step { commit, result }).or_failed()?;
        (self.sink)(&Event::Kept(self.done()));
        Ok(())
    }

    /// Plays a batch of a commit against the good one.
    fn play(
        &mut self,
        number: usize,
        mut engine: EngineSpec,
        plan: &Plan,
        starting: Starting,
    ) -> Result<(), Failure> {
        let mut plan = plan.clone();
        let commit = &self.bisect.commits[number];
        engine.name = commit.short().to_owned();
        plan.engines[0] = engine;
        plan.event = format!("{} of {}", commit.short(), self.run.id());
        let batch = self.steps.list().len() as u64;
        plan.openings =
            Openings::load(&plan.openings).or_usage()?.of_batch(batch, self.games() / 2);
        if let Measure::Games { max_games, .. } = self.bisect.measure {
            plan.rounds = pairs_of_batch(plan.rounds, max_games.saturating_sub(self.games()));
        }
        let batch = GamesRun::of_plan(plan, None, starting)?;
        let (ledger, whole, session, sink) = (self.ledger, self.run, self.session, self.sink);
        let steps = &mut self.steps;
        let begun = &mut |run: &Run| {
            let result = StepResult::Begun { run: run.id().to_owned() };
            steps.keep(Step { commit: Some(number), result }).or_failed()
        };
        let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
        let finished = batch.start_in(ledger, whole, session, &watch, begun)?;
        self.keep_pairs(number, &finished.summary)
    }

    fn keep_pairs(&mut self, number: usize, summary: &MatchSummary) -> Result<(), Failure> {
        let result = StepResult::Pairs {
            run: summary.run.clone(),
            pentanomial: Pentanomial(summary.pentanomial),
        };
        self.keep(Some(number), result)
    }

    /// Finishes the games that had begun when the run ended.
    fn finish_begun(&mut self) -> Result<(), Failure> {
        let Some((number, id)) = self.steps.begun() else { return Ok(()) };
        let facts = self.ledger.facts(id).or_failed()?;
        let summary = if facts.status == Status::Finished {
            serde_json::from_value(facts.summary.unwrap_or_default()).map_err(|error| {
                Failure::Failed(miette::miette!("the summary of `{id}` cannot be read: {error}"))
            })?
        } else {
            let Resumed { run, plan, .. } = self.ledger.resume_run(id).or_failed()?;
            let sink = self.sink;
            let watch = |event: &games::Event<'_>| sink(&Event::Games(event));
            games::resume(self.ledger, &run, plan, self.session, &watch)
                .map_err(|failure| of_whole(failure, self.run, self.session))?
                .summary
        };
        self.keep_pairs(number, &summary)
    }
}

/// Pairs of a batch, cut to the games that are left: a pair at least.
fn pairs_of_batch(pairs: u64, games_left: u64) -> u64 {
    pairs.min((games_left / 2).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_cut_to_the_games_that_are_left() {
        for (pairs, left, expected) in
            [(50, 40_000, 50), (50, 2, 1), (50, 99, 49), (50, 1, 1), (50, 0, 1), (3, 100, 3)]
        {
            assert_eq!(pairs_of_batch(pairs, left), expected, "{pairs} {left}");
        }
    }
}
