//! `harness gate init`: trial runs of an engine, and the `gate.yaml` that suits it.

use std::path::Path;
use std::time::{Duration, Instant};

use super::comparison::{Gate, Named};
use super::config::{self, Config};
use super::conformance::Faults;
use super::error::CheckError;
use super::trial::{Repeats, Searched, Trial};
use harness_base::session::{Interrupt, Session};
use harness_player::bench::{self, Bench, BenchError};
use harness_player::{EngineSpec, Fault, FaultKind, Limit, Program};

/// The longest bench, unless the user says otherwise.
pub const BENCH_PATIENCE: Duration = Duration::from_secs(60);
/// Between two lines about a bench that runs.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Nodes of a trial search.
const TRIAL_NODES: u64 = 10_000;
/// Depth of a trial search.
const TRIAL_DEPTH: u8 = 8;
/// Time a move of an SPRT whose engines do not stop at nodes.
const MOVE_TIME: Duration = Duration::from_millis(20);

/// For an engine that takes `bench` as a command only.
const BY_INPUT: &str = "printf 'bench\\nquit\\n' | \"$ENGINE\"";

/// Positions of the suite `wac`, and of the smaller one for slow engines.
const SUITES: [(&str, f64); 2] = [("wac", 300.0), ("bk", 24.0)];
/// Time budget of each part of a gate, in seconds.
const BUDGET: f64 = 240.0;
/// Moves of both sides in an average game.
const PLIES: f64 = 120.0;
/// Cost of starting an engine, in seconds.
const STARTING: f64 = 0.1;

/// Results of the trials of an engine.
#[derive(Debug)]
pub struct Tried {
    /// Its name and revision, for people.
    pub engine: String,
    /// Its bench, or why it has none.
    pub bench: Result<TriedBench, BenchError>,
    /// Searches at fixed nodes.
    pub at_nodes: Searched,
    /// Searches to a fixed depth, where those at fixed nodes are not exact or do not repeat.
    pub at_depth: Option<Searched>,
    /// Whether a time a move ends a search; tried where nodes do not.
    pub at_move_time: bool,
    /// Findings of `harness check`; or why it cannot run.
    pub conformance: Result<Faults, CheckError>,
    /// Games played at the same time.
    pub jobs: usize,
}

/// A bench that works.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedBench {
    /// How it is run.
    pub how: config::Bench,
    /// Nodes searched.
    pub nodes: u64,
    /// The other count, if a second run gave another one.
    pub other: Option<u64>,
    /// How long a run takes.
    pub seconds: f64,
}

/// Tries what a gate needs; `tell` gets a line before each part. `None` when interrupted.
///
/// # Errors
/// When the engine cannot be started at all.
pub fn try_out(
    engine: &EngineSpec,
    shown: &str,
    folder: &Path,
    bench_patience: Duration,
    session: &Session,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<Tried>, Fault> {
    let Program::Executable { path, sha256, .. } = &engine.program else { return Ok(None) };
    let interrupt = &session.interrupt;
    tell("trying whether it respects `go nodes`, and repeats itself");
    let trial = Trial { engine, interrupt };
    let searched = trial.run(Limit::Nodes(TRIAL_NODES)).and_then(|at_nodes| {
        let will_do = at_nodes.respects && at_nodes.repeats != Repeats::Never;
        let at_depth = if will_do { None } else { Some(trial.run(Limit::Depth(TRIAL_DEPTH))?) };
        let at_move_time = at_nodes.respects || trial.heeds(Limit::MoveTime(MOVE_TIME))?;
        Ok((at_nodes, at_depth, at_move_time))
    });
    let (at_nodes, at_depth, at_move_time) = match searched {
        Err(fault) if fault.kind == FaultKind::Interrupted => return Ok(None),
        searched => searched?,
    };
    tell(&format!("trying its bench, for at most {} s each way", bench_patience.as_secs()));
    let bench = try_bench(path, folder, bench_patience, interrupt, tell);
    if interrupt.is_set() {
        return Ok(None);
    }
    tell("trying whether it speaks UCI (`harness check`)");
    let config = Config::default();
    let named = || (path.clone(), Named { shown: shown.to_owned(), sha256: sha256.clone() });
    let gate = Gate::new(&config, folder, session, named(), named());
    let conformance = gate.faults(path);
    if interrupt.is_set() {
        return Ok(None);
    }
    Ok(Some(Tried {
        engine: shown.to_owned(),
        bench,
        at_nodes,
        at_depth,
        at_move_time,
        conformance,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
    }))
}

/// The first way to run the bench that gives a node count, run twice.
fn try_bench(
    path: &Path,
    folder: &Path,
    patience: Duration,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(&str),
) -> Result<TriedBench, BenchError> {
    let by_input = config::Bench { command: Some(BY_INPUT.to_owned()), ..config::Bench::default() };
    let mut first = None;
    for how in [config::Bench::default(), by_input] {
        let mut run = || {
            let begun = Instant::now();
            let mut next = TELL_EVERY;
            let mut running = |elapsed: Duration| {
                if elapsed >= next {
                    let way = how.command.as_deref().unwrap_or("ENGINE bench");
                    tell(&format!("`{way}` has run for {} s", elapsed.as_secs()));
                    next += TELL_EVERY;
                }
            };
            let bench = bench::run(path, &how, folder, patience, interrupt, &mut running);
            bench.map(|Bench { nodes, .. }| (nodes, begun.elapsed().as_secs_f64()))
        };
        match run() {
            Err(error) => first = first.or(Some(error)),
            Ok((nodes, seconds)) => {
                let again = run().map_err(|error| BenchError::SecondRun(Box::new(error)))?.0;
                let other = (again != nodes).then_some(again);
                return Ok(TriedBench { how, nodes, other, seconds });
            }
        }
    }
    // Both ways were tried.
    Err(first.unwrap_or_else(|| BenchError::NoNodes("bench".to_owned(), String::new())))
}

impl Tried {
    /// The `gate.yaml` that suits the engine, with a word on each check.
    pub fn yaml(&self) -> String {
        let parts = [
            self.head(),
            self.bench_part(),
            self.conformance_part(),
            self.suites_part(),
            self.sprt_part(),
        ];
        parts.join("\n")
    }

    fn head(&self) -> String {
        format!(
            "\
# What `harness gate` checks before a change goes in; found out by trying {}. Take out what you do
# not want. `harness gate init --template --output -` shows all that it may hold, `harness docs gate`
# what it means. How a revision is built stands in harness.yaml (`build:`), unless cargo, make or
# cmake do.

# What the change is compared with; default: where it left main, or the commit before.
# base: main
",
            self.engine
        )
    }

    fn bench_part(&self) -> String {
        let bench = match &self.bench {
            Ok(bench) => bench,
            Err(why) => {
                let why = comment(&why.to_string());
                return format!(
                    "\
# No bench was found, so neither the signature nor the speed is checked:
{why}
# bench: {{ command: '\"$ENGINE\" bench', nodes: 'Nodes: (\\d+)', nps: 'NPS: (\\d+)' }}
# speed: {{ at_least: 0.97, runs: 10 }}
"
                );
            }
        };
        let way = match &bench.how.command {
            Some(command) => format!("{{ command: {} }}", quoted(command)),
            None => "{}".to_owned(),
        };
        let (nodes, seconds) = (bench.nodes, bench.seconds);
        if let Some(other) = bench.other {
            return format!(
                "\
# The bench gave {nodes} nodes, then {other}: it is no signature until it repeats.
# bench: {way}
"
            );
        }
        let (runs, most) = speed_runs(seconds);
        format!(
            "\
# The bench's node count is the signature of the search ({nodes} today, in {seconds:.1} s). It is the
# same as before, or the one that the newest commit message with a line `Bench: N` declares.
bench: {way}

# Nodes a second beside the base, in turns: after {runs} runs of each and, while that is too noisy to
# say, up to {most}. Fails when the ratio is shown (at 1 %) to be below. Still too noisy then is
# `undecided`, which counts as pass, fail or undecided (exit status 3).
speed: {{ at_least: 0.97, runs: {runs}, max_runs: {most}, undecided: pass }}
"
        )
    }

    fn conformance_part(&self) -> String {
        match &self.conformance {
            Err(why) => format!(
                "# `harness check` could not be run:\n{}\n# conformance: {{}}\n",
                comment(&why.to_string())
            ),
            Ok(Faults { checks, failed }) if failed.is_empty() => {
                format!(
                    "# `harness check`: {checks} checks without a fault today.\nconformance: {{}}\n"
                )
            }
            Ok(Faults { checks, failed }) => {
                let faults: Vec<String> = (failed.iter())
                    .map(|(name, detail)| comment(&format!("- {name}: {detail}")))
                    .collect();
                format!(
                    "\
# `harness check`: a fault that the base has not fails. Of {checks} checks these fail today, which
# lets a change pass that leaves them as they are (`strict: true` does not):
{}
conformance: {{}}
",
                    faults.join("\n")
                )
            }
        }
    }

    fn suites_part(&self) -> String {
        if self.at_depth.is_some_and(|at_depth| !at_depth.respects) && !self.at_nodes.respects {
            return "\
# No suite: neither `go nodes` nor `go depth` ends its searches where it is asked to, and results by a
# clock differ from run to run. `harness suite wac ENGINE --movetime 100ms` shows what it solves.
# suites: [{ suite: wac, nodes: 20000 }]
"
            .to_owned();
        }
        let (suite, limit) = self.suite();
        let at = self.suite_searches();
        let note = match (self.at_nodes.respects, self.at_nodes.repeats) {
            (false, _) => {
                "# It does not stop after the nodes asked for, so a depth ends the searches.\n"
            }
            (true, Repeats::Never) => {
                "# It stops only about the nodes asked for, so a depth ends the searches and they repeat.\n"
            }
            (true, Repeats::Restarted) => {
                "# `ucinewgame` leaves it some memory of earlier searches: it is restarted each time.\n"
            }
            (true, Repeats::InProcess) => "",
        };
        let restart = restart(at.repeats);
        format!(
            "\
# A test suite at a fixed limit, by the change and its base. Fails when significantly fewer are
# solved (McNemar's exact test, 5 %), or the change gives no move where the base does.
{note}suites:
  - {{ suite: {suite}, {limit}{restart} }}
"
        )
    }

    fn sprt_part(&self) -> String {
        let (limit, games, minutes) = self.sprt();
        let restart = restart(self.at_nodes.repeats);
        format!(
            "\
# Not weaker than the base: an SPRT in normalized Elo, at most {games} games (about {minutes:.0} min
# here). No game is played where bench and searches are the same. Narrower bounds show smaller
# losses and take more games: [-10, 0] takes thousands.
sprt: {{ {limit}{restart}, elo0: -40, elo1: 0, max_games: {games}, undecided: pass }}
"
        )
    }

    /// The trial that decides how a suite is searched.
    fn suite_searches(&self) -> Searched {
        self.at_depth.unwrap_or(self.at_nodes)
    }

    /// Expected time of a search of `nodes` nodes, in seconds.
    fn seconds(&self, nodes: u64) -> f64 {
        self.at_nodes.seconds * nodes as f64 / TRIAL_NODES as f64
    }

    /// A suite, and the largest of the usual limits with which both engines end within the budget.
    fn suite(&self) -> (&'static str, String) {
        let at = self.suite_searches();
        let starting = if at.repeats == Repeats::Restarted { STARTING } else { 0.0 };
        let fits = |positions: f64, seconds| 2.0 * positions * (seconds + starting) <= BUDGET;
        for (suite, positions) in SUITES {
            if self.at_depth.is_some() {
                if fits(positions, at.seconds) {
                    return (suite, format!("depth: {TRIAL_DEPTH}"));
                }
                continue;
            }
            let nodes = [20_000, 10_000, 5_000];
            if let Some(nodes) = nodes.into_iter().find(|&n| fits(positions, self.seconds(n))) {
                return (suite, format!("nodes: {nodes}"));
            }
        }
        let (suite, _) = SUITES[1];
        let limit = if self.at_depth.is_some() { "depth: 5" } else { "nodes: 1000" };
        (suite, limit.to_owned())
    }

    /// Limit, most games, and the minutes that they take.
    fn sprt(&self) -> (String, u64, f64) {
        const MAX_GAMES: u64 = 600;
        const MIN_GAMES: u64 = 100;
        let is_restarted = self.at_nodes.repeats == Repeats::Restarted;
        let starting = if is_restarted { 2.0 * STARTING } else { 0.0 };
        let jobs = self.jobs.max(1) as f64;
        let games = |game: f64| even(BUDGET * jobs / game).clamp(MIN_GAMES, MAX_GAMES);
        let minutes = |games: u64, game: f64| games as f64 * game / jobs / 60.0;
        if !self.at_nodes.respects {
            let (limit, game) = match self.at_move_time {
                true => ("movetime: 20ms", PLIES * MOVE_TIME.as_secs_f64()),
                // The base and all increments of both sides.
                false => ("tc: 1+0.01", 2.0 + PLIES * 0.01),
            };
            return (limit.to_owned(), games(game), minutes(games(game), game));
        }
        let game = |nodes| PLIES * self.seconds(nodes) + starting;
        let fits = |nodes: &u64| MAX_GAMES as f64 * game(*nodes) / jobs <= BUDGET;
        let nodes = [5_000, 2_000, 1_000, 500, 200].into_iter().find(fits).unwrap_or(100);
        let (games, game) = (games(game(nodes)), game(nodes));
        (format!("nodes: {nodes}"), games, minutes(games, game))
    }
}

fn restart(repeats: Repeats) -> &'static str {
    if repeats == Repeats::Restarted { ", restart: true" } else { "" }
}

fn even(games: f64) -> u64 {
    games as u64 / 2 * 2
}

/// Runs before the first analysis, and most runs, for a bench that takes `seconds`.
fn speed_runs(seconds: f64) -> (u32, u32) {
    let both = 2.0 * seconds.max(0.05);
    let runs = ((BUDGET / 4.0 / both) as u32).clamp(3, 10);
    (runs, ((BUDGET / both) as u32).clamp(runs, 4 * runs))
}

/// Foreign text as a comment: one line, no control characters, at most 160 characters.
fn comment(text: &str) -> String {
    let one: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(160)
        .collect();
    format!("#   {}", one.trim())
}

/// A YAML string.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weiss() -> Tried {
        Tried {
            engine: "Weiss".to_owned(),
            bench: Ok(TriedBench {
                how: config::Bench::default(),
                nodes: 10_408_355,
                other: None,
                seconds: 5.2,
            }),
            at_nodes: Searched { respects: true, repeats: Repeats::Restarted, seconds: 0.006 },
            at_depth: None,
            at_move_time: true,
            conformance: Ok(Faults {
                checks: 38,
                failed: vec![("unknown options".to_owned(), "died\n: of\u{1b}it".to_owned())],
            }),
            jobs: 2,
        }
    }

    fn read(tried: &Tried) -> Config {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(config::FILE_NAME);
        let text = tried.yaml();
        std::fs::write(&path, &text).expect("written");
        assert!(text.lines().all(|line| !line.contains('\u{1b}')), "{text}");
        Config::read(&path).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn what_works_is_written_and_understood() {
        let config = read(&weiss());
        assert_eq!(config.bench, Some(config::Bench::default()));
        let speed = config.speed.expect("speed");
        assert_eq!((speed.runs, speed.max_runs), (5, Some(20)));
        let suite = &config.suites[0];
        assert_eq!((suite.suite.as_str(), suite.nodes, suite.restart), ("wac", Some(20_000), true));
        let sprt = config.sprt.expect("sprt");
        assert_eq!((sprt.nodes, sprt.restart, sprt.max_games), (Some(5_000), true, 600));
        assert_eq!(config.conformance, Some(config::Conformance::default()));
    }

    #[test]
    fn what_does_not_work_is_commented_out_with_the_reason() {
        let tried = Tried {
            bench: Err(BenchError::NoNodes("x bench".to_owned(), String::new())),
            at_nodes: Searched { respects: false, repeats: Repeats::Never, seconds: 10.0 },
            at_depth: Some(Searched { respects: true, repeats: Repeats::InProcess, seconds: 0.1 }),
            conformance: Ok(Faults { checks: 38, failed: Vec::new() }),
            ..weiss()
        };
        let config = read(&tried);
        assert_eq!((config.bench, config.speed), (None, None));
        assert_eq!(config.suites[0].depth, Some(TRIAL_DEPTH));
        assert_eq!(config.sprt.expect("sprt").movetime.as_deref(), Some("20ms"));
        assert!(tried.yaml().contains("`x bench` printed no node count"), "{}", tried.yaml());
        let bench = TriedBench { other: Some(5), ..weiss().bench.expect("a bench") };
        let moody = Tried { bench: Ok(bench), ..weiss() };
        assert_eq!(read(&moody).bench, None);
    }

    #[test]
    fn searches_that_stop_by_a_clock_are_ended_by_a_depth_where_they_must_repeat() {
        let demolito = Tried {
            at_nodes: Searched { respects: true, repeats: Repeats::Never, seconds: 0.02 },
            at_depth: Some(Searched { respects: true, repeats: Repeats::InProcess, seconds: 0.05 }),
            ..weiss()
        };
        let config = read(&demolito);
        let suite = &config.suites[0];
        assert_eq!((suite.nodes, suite.depth, suite.restart), (None, Some(TRIAL_DEPTH), false));
        let sprt = config.sprt.expect("sprt");
        assert_eq!((sprt.nodes, sprt.restart), (Some(2_000), false));
    }

    #[test]
    fn an_engine_that_heeds_only_a_clock_gets_no_suite_and_an_sprt_by_the_clock() {
        let fails = Searched { respects: false, repeats: Repeats::Never, seconds: 10.0 };
        let tried = |at_move_time| Tried {
            at_nodes: fails,
            at_depth: Some(fails),
            at_move_time,
            ..weiss()
        };
        let config = read(&tried(false));
        assert_eq!(config.suites, []);
        let sprt = config.sprt.expect("sprt");
        assert_eq!((sprt.tc.as_deref(), sprt.movetime), (Some("1+0.01"), None));
        let sprt = read(&tried(true)).sprt.expect("sprt");
        assert_eq!((sprt.tc, sprt.movetime.as_deref()), (None, Some("20ms")));
    }

    #[test]
    fn a_bench_by_input_reaches_the_file_as_it_is() {
        let how = config::Bench { command: Some(BY_INPUT.to_owned()), ..config::Bench::default() };
        let bench = TriedBench { how: how.clone(), ..weiss().bench.expect("a bench") };
        assert_eq!(read(&Tried { bench: Ok(bench), ..weiss() }).bench, Some(how));
    }

    #[test]
    fn slow_engines_get_a_gate_that_ends() {
        let at_nodes = Searched { respects: true, repeats: Repeats::InProcess, seconds: 1.7 };
        let slow = Tried { at_nodes, ..weiss() };
        let config = read(&slow);
        let sprt = config.sprt.expect("sprt");
        assert_eq!((sprt.nodes, sprt.max_games), (Some(100), 234));
        assert_eq!(config.suites[0].suite, "bk");
    }
}
