//! A loop: self-play, training and a test of each network, generation after generation.
//!
//! [`LoopRun::plan`] checks a configuration; [`LoopRun::start`] plays, trains and tests with a sink
//! of [`Event`]s; [`resume`] continues a run that ended early. Every step that is done is found
//! done in the [`folder`] of its generation and skipped.

pub mod config;
mod cost;
mod event;
mod folder;
mod games;
mod network;
mod test;

use std::fs;
use std::path::{Path, PathBuf};

use engine::eval::nnue::Network;
use serde_json::{Value, json};

use self::config::{Config, StoredPlan};
use self::cost::Meter;
pub use self::event::{Event, Sink, Step};
use self::folder::{COST, DONE, Folder, NETWORK, unusable};
use self::network::Training;
use crate::games::{cores, interruption, of_whole};
use crate::report::{self, ReportError};
use crate::{read_plan, train};
use harness_arena::{Openings, OpeningsSpec};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::text::counted;
use harness_ledger::{Ledger, Run, RunFacts};
use harness_outcome::loop_summary::{Generation, LoopSummary, sum};
use harness_outcome::positions::Counts;
use harness_report::html::loop_page;

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "loop";

/// A planned loop: everything is known, nothing is started.
pub struct LoopRun(StoredPlan);

impl LoopRun {
    /// Reads a configuration, and checks the first network and the openings.
    ///
    /// # Errors
    /// When the configuration or a file that it names cannot be used.
    pub fn plan(path: &Path) -> Result<LoopRun, Failure> {
        let config = Config::read(path).or_usage()?;
        if let Some(start) = config.starts_by()
            && let Err(reason) = start.load()
        {
            return Err(Failure::Usage(miette::miette!(
                help = "`start` is classical, embedded, random or the file of a network",
                "{start}: {reason}"
            )));
        }
        untrained(&config)?;
        let openings = Openings::load(&OpeningsSpec {
            file: config.test.openings.clone(),
            seed: config.seed,
            ..OpeningsSpec::default()
        });
        let openings = openings.or_usage()?.spec().or_usage()?;
        let jobs = config.jobs.map_or_else(cores, usize::from);
        Ok(LoopRun(StoredPlan { config, openings, jobs }))
    }

    /// Starts a run in the ledger, and goes through its generations.
    ///
    /// # Errors
    /// When a player fails, a file cannot be written, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<LoopSummary, Failure> {
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run(COMMAND, &json!(self.0)).or_failed()?;
        Part { ledger: &ledger, run: &run, kept: &self.0, session, sink }.run_steps()
    }
}

/// Resumes a run that ended early.
///
/// # Errors
/// As [`LoopRun::start`].
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<LoopSummary, Failure> {
    let kept: StoredPlan = read_plan(run, plan)?;
    Part { ledger, run, kept: &kept, session, sink }.run_steps()
}

/// The result so far of a run that is not finished, by the generations in its folder.
///
/// # Errors
/// When its configuration is not what this version expects.
pub fn so_far(run: &RunFacts) -> Result<LoopSummary, ReportError> {
    let config: Config = report::read(run, "configuration", &run.plan["config"])?;
    let mut summary = LoopSummary::begun(&run.id, config.start);
    for done in finished(&run.folder) {
        let network = folder::path_of(&run.folder, done.number).join(NETWORK);
        summary.add(done, &network);
    }
    Ok(summary)
}

/// A loop in a few words, by its configuration: how many networks, and who plays the first games.
pub fn title(config: &Value) -> String {
    let number = config["generations"].as_u64();
    let start = config["start"].as_str().unwrap_or_default();
    let network = Path::new(start).file_name().unwrap_or_default().to_string_lossy();
    let from = if start == config::RANDOM { "random weights" } else { &network };
    match number {
        Some(number) if !from.is_empty() => {
            format!("{} from {from}", counted(number, "generation", "generations"))
        }
        _ => String::new(),
    }
}

/// The finished generations of the folder of a run.
pub fn finished(run: &Path) -> impl Iterator<Item = Generation> {
    let read = |number| {
        let text = fs::read(folder::path_of(run, number).join(DONE)).ok()?;
        serde_json::from_slice(&text).ok()
    };
    (1..).map_while(read)
}

/// A network of random weights. The engine takes it only if its sizes are valid.
fn untrained(config: &Config) -> Result<Network, Failure> {
    train::untrained(&config.network, config.seed).map_err(|error| {
        Failure::Usage(miette::miette!(
            help = "`harness train --help` tells what `network` may be",
            "there is no such network: {error}"
        ))
    })
}

/// A run in progress.
struct Part<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    kept: &'a StoredPlan,
    session: &'a Session,
    sink: &'a Sink<'a>,
}

impl Part<'_> {
    fn run_steps(&self) -> Result<LoopSummary, Failure> {
        let Part { run, kept: StoredPlan { config, .. }, sink, .. } = *self;
        sink(&Event::Started { run: run.id(), generations: config.generations });
        let start = self.first_network()?;
        let mut summary = LoopSummary::begun(run.id(), start);
        for number in 1..=config.generations {
            let done = self
                .generation(number, &summary)
                .map_err(|failure| of_whole(failure, run, self.session))?;
            (self.sink)(&Event::Done { generation: &done, of: config.generations });
            summary.add(done, &self.folder(number)?.file(NETWORK));
            let page = run.folder().join("report.html");
            folder::write(&page, loop_page(&summary).file().as_bytes()).or_failed()?;
        }
        publish(config, &summary)?;
        self.ledger.finish(run, &json!(summary)).or_failed()?;
        Ok(summary)
    }

    fn folder(&self, generation: u32) -> Result<Folder, Failure> {
        Folder::create(self.run, generation, self.kept.config.positions_ending()).or_failed()
    }

    /// The value of `EvalFile` in the first games.
    fn first_network(&self) -> Result<String, Failure> {
        let config = &self.kept.config;
        if config.starts_by().is_some() {
            return Ok(config.start.clone());
        }
        let path = folder::absolute(&self.run.folder().join("start.nnue"));
        if !path.exists() {
            let network = untrained(config)?;
            folder::write(&path, &network.to_bytes("random weights")).or_failed()?;
        }
        Ok(path.display().to_string())
    }

    fn begin(&self, generation: u32, step: Step) -> Result<(), Failure> {
        (self.sink)(&Event::Step { generation, of: self.kept.config.generations, step });
        if self.session.interrupt.is_finishing() {
            return Err(interruption(self.run, self.session));
        }
        Ok(())
    }

    /// One generation: games, a network, its test.
    fn generation(&self, number: u32, before: &LoopSummary) -> Result<Generation, Failure> {
        let Part { ledger, run, kept, session, .. } = *self;
        let (config, best) = (&kept.config, &before.best);
        let folder = self.folder(number)?;
        if let Some(done) = folder.read(DONE).or_failed()? {
            return Ok(done);
        }
        self.begin(number, Step::Games(best.generation))?;
        let played = self.metered(
            &folder,
            |cost| &mut cost.games,
            |sink| games::play(config, number, &best.eval_file, kept.jobs, &folder, session, sink),
        )?;

        self.begin(number, Step::Training)?;
        let first = (number + 1).saturating_sub(config.keep as u32).max(1);
        let sources = (first..=number).map(|number| self.folder(number));
        let sources: Vec<Folder> = sources.collect::<Result<_, _>>()?;
        let mut counts = Counts::default();
        let earlier = &before.generations[first as usize - 1..];
        for played in earlier.iter().map(|generation| &generation.played).chain([&played]) {
            counts.add(&played.counts);
        }
        let training = Training { number, folder: &folder, sources: &sources, best, counts };
        let trained = self.metered(
            &folder,
            |cost| &mut cost.training,
            |sink| network::train(config, &training, session, sink),
        )?;

        self.begin(number, Step::Test(best.generation))?;
        let players = test::Players { new: number, best, folder: &folder };
        let (tested, chosen) = self.metered(
            &folder,
            |cost| &mut cost.test,
            |sink| test::test(ledger, run, kept, &players, session, sink),
        )?;
        network::choose(&folder, chosen)?;
        let trained = trained.into_iter().nth(chosen as usize).ok_or_else(|| {
            Failure::Failed(miette::miette!("generation {number} has no network {}", chosen + 1))
        })?;
        let (promoted, elo) = (tested.is_better(), sum(best.elo, tested.elo));
        let against = best.generation;
        let cost = folder.read(COST).or_failed()?.unwrap_or_default();
        let done = Generation { number, against, played, trained, tested, promoted, elo, cost };
        folder.write(DONE, &done).or_failed()?;
        Ok(done)
    }

    /// A step whose cost is counted, also when it is interrupted.
    fn metered<T>(
        &self,
        folder: &Folder,
        part: cost::Part,
        step: impl FnOnce(&Sink<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let meter = Meter::start(folder, part).or_failed()?;
        let done = step(&|event| {
            meter.tick();
            (self.sink)(event);
        });
        let counted = meter.stop().or_failed();
        done.and_then(|done| counted.map(|()| done))
    }
}

/// Copies the best network, and what is known of it, to the `output` of the configuration.
fn publish(config: &Config, summary: &LoopSummary) -> Result<(), Failure> {
    let Some(output) = &config.output else { return Ok(()) };
    let best = summary.generations.iter().find(|done| done.number == summary.best.generation);
    let Some(best) = best else { return Ok(()) };
    let with = |extension: &str| {
        let mut path = output.clone().into_os_string();
        path.push(extension);
        PathBuf::from(path)
    };
    let network = Path::new(&summary.best.eval_file);
    let bytes = std::fs::read(network).map_err(unusable("read", network)).or_failed()?;
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder).map_err(unusable("make", folder)).or_failed()?;
    }
    folder::write(&with(".nnue"), &bytes).or_failed()?;
    let card =
        json!({ "run": summary.run, "start": summary.start, "generation": best, "recipe": config });
    folder::write_json(&with(".json"), &card).or_failed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_named_by_its_networks_and_its_start() {
        for (config, title) in [
            (json!({ "generations": 5, "start": "embedded" }), "5 generations from embedded"),
            (json!({ "generations": 1, "start": "nets/a.nnue" }), "1 generation from a.nnue"),
            (json!({ "generations": 2, "start": "random" }), "2 generations from random weights"),
            (json!({}), ""),
        ] {
            assert_eq!(super::title(&config), title);
        }
    }
}
