//! Running the checks.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bench::{self, Bench};
use super::config::{Config, SameBench, Speed, Sprt, Suite, Undecided};
use crate::context::Interrupt;
use crate::stats::paired_ratio;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Well.
    Passed,
    /// Not well.
    Failed,
    /// Neither within its budget.
    Undecided,
}

/// A check and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Result {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// What was seen, and what would have been right.
    pub detail: String,
    /// The same as numbers, for whoever follows them over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// How long it took.
    pub seconds: f64,
}

/// What a check measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// Nodes of the bench.
    Bench {
        /// Nodes.
        nodes: u64,
    },
    /// Nodes a second over the base's.
    Speed {
        /// The ratio.
        ratio: f64,
        /// Ends of its 95 % interval.
        ci95: [f64; 2],
    },
    /// Positions of a suite.
    Suite {
        /// Its name.
        suite: String,
        /// Nodes a position.
        nodes: u64,
        /// Solved.
        solved: u64,
        /// Of so many.
        positions: u64,
    },
    /// Strength beside the base.
    Elo {
        /// Elo; `None` where it is not defined.
        value: Option<f64>,
        /// Half its 95 % interval.
        error95: Option<f64>,
        /// Games played.
        games: u64,
    },
}

/// All checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The run in the ledger, once it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The commit that was checked; `None` for a working tree or a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How it all ended: the worst of the checks.
    pub verdict: Verdict,
    /// The revision that was checked.
    pub revision: String,
    /// What it was compared with.
    pub base: String,
    /// The checks in their order.
    pub checks: Vec<Result>,
}

/// What the checks need to know.
pub struct Gate<'a> {
    /// What is checked.
    pub config: &'a Config,
    /// Folder of the configuration: commands run there.
    pub folder: &'a Path,
    /// Folder of the ledger.
    pub reports: &'a Path,
    /// The commit of the change, if it is one.
    pub commit: Option<String>,
    /// The engine of the change, and its revision.
    pub engine: (PathBuf, String),
    /// The engine of the base, and its revision.
    pub base: (PathBuf, String),
    /// The commit messages of the change, the newest last.
    pub message: String,
    /// Set when the user wants to stop.
    pub interrupt: &'a Interrupt,
}

/// A verdict with what was seen.
pub(super) struct Seen {
    pub(super) verdict: Verdict,
    detail: String,
    measured: Option<Measured>,
}

impl Seen {
    fn new(verdict: Verdict, detail: String) -> Seen {
        Seen { verdict, detail, measured: None }
    }

    fn with(self, measured: Measured) -> Seen {
        Seen { measured: Some(measured), ..self }
    }
}

impl Gate<'_> {
    /// Runs every check, told to `show` as they end; stops early when interrupted.
    pub fn run(&self, show: &mut dyn FnMut(&Result)) -> Report {
        let mut checks = Vec::new();
        let mut check = |name: String, run: &dyn Fn() -> std::result::Result<Seen, String>| {
            if self.interrupt.is_set() {
                return;
            }
            let begun = Instant::now();
            // What cannot be checked is not in order.
            let seen = run().unwrap_or_else(|error| Seen::new(Verdict::Failed, error));
            let Seen { verdict, detail, measured } = seen;
            let seconds = begun.elapsed().as_secs_f64();
            let result = Result { name, verdict, detail, measured, seconds };
            show(&result);
            checks.push(result);
        };
        let config = self.config;
        if let Some(bench) = &config.bench {
            check("bench".to_owned(), &|| self.signature(&bench.args));
        }
        let args = config.bench.as_ref().map_or(&[][..], |bench| &bench.args);
        for build in &config.same_bench {
            check(format!("bench of {}", build.name), &|| self.same_bench(build, args));
        }
        if let Some(speed) = &config.speed {
            check("speed".to_owned(), &|| self.speed(speed, args));
        }
        if config.conformance.is_some() {
            check("conformance".to_owned(), &|| self.conformance());
        }
        for suite in &config.suites {
            check(format!("suite {}", suite.suite), &|| self.suite(suite));
        }
        if let Some(sprt) = &config.sprt {
            check("sprt".to_owned(), &|| self.sprt(sprt));
        }
        let any = |verdict| checks.iter().any(|check: &Result| check.verdict == verdict);
        let verdict = if any(Verdict::Failed) {
            Verdict::Failed
        } else if any(Verdict::Undecided) {
            Verdict::Undecided
        } else {
            Verdict::Passed
        };
        let (revision, base) = (self.engine.1.clone(), self.base.1.clone());
        Report { run: None, commit: self.commit.clone(), verdict, revision, base, checks }
    }

    fn signature(&self, args: &[String]) -> std::result::Result<Seen, String> {
        let now = run_bench(&self.engine.0, args)?.nodes;
        if let Some(declared) = bench::declared(&self.message) {
            let verdict = if now == declared { Verdict::Passed } else { Verdict::Failed };
            let detail = format!("{now} nodes; the commit message says {declared}");
            return Ok(Seen::new(verdict, detail).with(Measured::Bench { nodes: now }));
        }
        let before = run_bench(&self.base.0, args)?.nodes;
        let seen = if now == before {
            Seen::new(Verdict::Passed, format!("{now} nodes, as before"))
        } else {
            let detail = format!(
                "{now} nodes instead of {before}; if that is meant, say `Bench: {now}` in the \
                 commit message"
            );
            Seen::new(Verdict::Failed, detail)
        };
        Ok(seen.with(Measured::Bench { nodes: now }))
    }

    fn same_bench(&self, build: &SameBench, args: &[String]) -> std::result::Result<Seen, String> {
        let output = Command::new("sh")
            .args(["-c", &build.build])
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{}` cannot be run: {error}", build.build))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last: Vec<&str> = said.lines().rev().take(5).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            return Err(format!(
                "`{}` failed ({}): {}",
                build.build,
                output.status,
                last.join(" ")
            ));
        }
        let (now, other) =
            (run_bench(&self.engine.0, args)?, run_bench(&self.folder.join(&build.binary), args)?);
        let verdict = if now.nodes == other.nodes { Verdict::Passed } else { Verdict::Failed };
        Ok(Seen::new(verdict, format!("{} nodes; the engine itself {}", other.nodes, now.nodes)))
    }

    /// Both in turns, so that what the machine does meanwhile hits both alike.
    fn speed(&self, speed: &Speed, args: &[String]) -> std::result::Result<Seen, String> {
        let nps = |bench: Bench| bench.nps.ok_or("its bench tells no nodes a second".to_owned());
        let (mut before, mut now) = (Vec::new(), Vec::new());
        for turn in 0..speed.runs {
            if self.interrupt.is_set() {
                return Err("interrupted".to_owned());
            }
            // Who is first changes: the first one may find the machine cooler.
            for first in [turn % 2 == 0, turn % 2 != 0] {
                match first {
                    true => before.push(nps(run_bench(&self.base.0, args)?)?),
                    false => now.push(nps(run_bench(&self.engine.0, args)?)?),
                }
            }
        }
        judge_speed(speed, &before, &now)
    }

    fn conformance(&self) -> std::result::Result<Seen, String> {
        let engine = self.engine.0.display().to_string();
        let (status, told) = self.harness(&["check", &engine])?;
        let checks = told["checks"].as_array().cloned().unwrap_or_default();
        let failed: Vec<String> = checks
            .iter()
            .filter(|check| check["status"] == "failed" || check["passed"] == false)
            .map(|check| {
                let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
                format!("{} ({})", text("name"), text("detail"))
            })
            .collect();
        Ok(match status {
            0 => Seen::new(Verdict::Passed, format!("{} checks", checks.len())),
            _ => Seen::new(Verdict::Failed, failed.join("; ")),
        })
    }

    fn suite(&self, suite: &Suite) -> std::result::Result<Seen, String> {
        let baseline = self.folder.join(&suite.baseline).display().to_string();
        let (nodes, engine) = (suite.nodes.to_string(), self.engine.0.display().to_string());
        let line = ["suite", &suite.suite, "--nodes", &nodes, "--baseline", &baseline, &engine];
        let (status, told) = self.harness(&line)?;
        let ids = |key: &str| {
            let list = told["baseline"][key].as_array().cloned().unwrap_or_default();
            list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        };
        let detail = format!(
            "{} of {} solved, {} before; lost: {}; gained: {}; p = {:.3}",
            told["solved"],
            told["positions"],
            told["baseline"]["solved"],
            dash(&ids("lost")),
            dash(&ids("gained")),
            told["baseline"]["p_value"].as_f64().unwrap_or(1.0)
        );
        let measured = Measured::Suite {
            suite: suite.suite.clone(),
            nodes: suite.nodes,
            solved: told["solved"].as_u64().unwrap_or_default(),
            positions: told["positions"].as_u64().unwrap_or_default(),
        };
        let verdict = if status == 0 { Verdict::Passed } else { Verdict::Failed };
        Ok(Seen::new(verdict, detail).with(measured))
    }

    fn sprt(&self, sprt: &Sprt) -> std::result::Result<Seen, String> {
        // Engines that search the same nodes play the same games.
        let args = self.config.bench.as_ref().map_or(&[][..], |bench| &bench.args);
        let count = |program| run_bench(program, args).map(|bench| bench.nodes);
        if let (Ok(now), Ok(before)) = (count(&self.engine.0), count(&self.base.0))
            && now == before
        {
            let detail = "the same bench as the base: no game needed".to_owned();
            let measured = Measured::Elo { value: Some(0.0), error95: Some(0.0), games: 0 };
            return Ok(Seen::new(Verdict::Passed, detail).with(measured));
        }
        let (new, old) = (self.engine.0.display().to_string(), self.base.0.display().to_string());
        let numbers = [
            format!("--nodes={}", sprt.nodes),
            format!("--elo0={}", sprt.elo0),
            format!("--elo1={}", sprt.elo1),
            format!("--max-games={}", sprt.max_games),
        ];
        let line: Vec<&str> =
            ["sprt", &new, &old].into_iter().chain(numbers.iter().map(String::as_str)).collect();
        let (status, told) = self.harness(&line)?;
        let number = |value: &Value| value.as_f64().map_or("–".to_owned(), |n| format!("{n:.2}"));
        let detail = format!(
            "[{}, {}] nElo: LLR {} after {} games, Elo {} ± {}",
            sprt.elo0,
            sprt.elo1,
            number(&told["llr"]),
            told["games"],
            number(&told["elo"]["value"]),
            number(&told["elo"]["error95"])
        );
        let verdict = match (status, sprt.undecided) {
            (0, _) | (3, Undecided::Pass) => Verdict::Passed,
            (3, Undecided::Undecided) => Verdict::Undecided,
            _ => Verdict::Failed,
        };
        let measured = Measured::Elo {
            value: told["elo"]["value"].as_f64(),
            error95: told["elo"]["error95"].as_f64(),
            games: told["games"].as_u64().unwrap_or_default(),
        };
        let detail = if status == 3 { format!("undecided: {detail}") } else { detail };
        Ok(Seen::new(verdict, detail).with(measured))
    }

    /// Runs one of our own commands; its exit status and JSON.
    fn harness(&self, line: &[&str]) -> std::result::Result<(i32, Value), String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new(program)
            .args(line)
            .args(["--json", "--quiet", "--reports"])
            .arg(self.reports)
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("the harness cannot be run: {error}"))?;
        let status = output.status.code().unwrap_or(-1);
        let said = String::from_utf8_lossy(&output.stderr);
        if !matches!(status, 0 | 1 | 3) {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(format!("`harness {}` ended with status {status}: {said}", line.join(" ")));
        }
        let told = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("`harness {}`: {error}", line.join(" ")))?;
        Ok((status, told))
    }
}

/// Fails only when the ratio is shown to be below the bound.
pub(super) fn judge_speed(
    speed: &Speed,
    before: &[f64],
    now: &[f64],
) -> std::result::Result<Seen, String> {
    let ratio = paired_ratio(before, now).map_err(|error| error.to_string())?;
    let slower = ratio.p_below(speed.at_least) < speed.alpha;
    let detail = format!(
        "{:.3} of the base's nodes a second, 95 % in [{:.3}, {:.3}], at least {} asked for",
        ratio.value, ratio.ci95[0], ratio.ci95[1], speed.at_least
    );
    let verdict = if slower { Verdict::Failed } else { Verdict::Passed };
    let measured = Measured::Speed { ratio: ratio.value, ci95: ratio.ci95 };
    Ok(Seen::new(verdict, detail).with(measured))
}

fn run_bench(program: &Path, args: &[String]) -> std::result::Result<Bench, String> {
    bench::run(program, args).map_err(|error| error.to_string())
}

fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
