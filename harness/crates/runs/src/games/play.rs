//! Plays what is left of a run, and sums it up.

use std::time::Instant;

use serde_json::json;

use super::earlier::EarlierPairs;
use super::event::{Event, Sink};
use super::finished::{Finished, how_to_resume};
use super::memory::jobs_in_memory;
use super::pins::Pins;
use super::record::{self, Record};
use super::stored_plan::StoredPlan;
use super::warnings::{repetition, twins};
use super::{cores, tournament};
use crate::backend;
use crate::backend::quarantine::{self, Dependence};
use crate::stored::{shown_games, worker_shares};
use crate::write_page;
use harness_arena::{
    self as arena, BookError, Executor, Jobs, Leg, PairJob, RaceCourse, Schedule, Stopped,
    Unplayed, course, play_all,
};
use harness_base::budget;
use harness_base::failure::{Failure, OrFail};
use harness_base::platform::memory_mib;
use harness_base::session::{Interrupt, Session};
use harness_cluster::Backend;
use harness_cluster::work::GamePairs;
use harness_data::filter::Filters;
use harness_data::view::Collected;
use harness_ledger::{Ledger, Run};
use harness_outcome::{MatchFacts, Suspect};
use harness_player::{self as player, EngineSpec};
use harness_report::html;

/// Plays some jobs into the record.
type PlayJobs<'a> =
    dyn FnMut(&mut Record<'_>, &mut Jobs<'_>) -> Result<(), Stopped<record::KeepError>> + 'a;

/// Who plays the games of a run, in this process or elsewhere.
struct Player<'a> {
    begun: Instant,
    session: &'a Session,
    sink: &'a Sink<'a>,
    start: &'a dyn Fn() -> Result<Backend<'a, GamePairs>, Unplayed>,
    /// It is started when there is something to play. It stays when a worker is found out, since it knows
    /// who is still to be checked.
    executor: Option<Backend<'a, GamePairs>>,
}

/// A run with what is left of it.
pub(super) struct Part<'a> {
    pub ledger: &'a Ledger,
    pub run: &'a Run,
    pub kept: &'a StoredPlan,
    pub schedule: &'a Schedule,
}

impl Part<'_> {
    /// Plays the missing games, and sums up.
    pub fn play_rest(
        &self,
        probed: Vec<String>,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<Finished, Failure> {
        let Part { ledger, run, kept, .. } = *self;
        let StoredPlan { plan, facts, starting, showing, .. } = kept;
        let begun = Instant::now();
        let dependence = match plan.depends_on_results() {
            true => Dependence::OnEarlier,
            false => Dependence::None,
        };
        let warn = |text: &str| sink(&Event::Warning(text));
        quarantine::warn(
            &quarantine::take_out_quarantined(ledger, run, dependence, session)?,
            &warn,
        );
        let mut record = Record::open(ledger, run, plan, facts).or_failed()?;
        // Workers elsewhere have cores of their own.
        let crowding = session
            .on
            .is_none()
            .then(|| cores::crowding(plan.jobs, &plan.engines, &plan.limits, plan.conduct.ponder));
        let crowding = crowding.flatten();
        let (jobs, tight) = match session.on {
            Some(_) => (plan.jobs, None),
            None => jobs_in_memory(plan, memory_mib()),
        };
        let twins = twins(plan);
        let unlogged = (session.on.is_some() && kept.starting.log_uci.is_some())
            .then(|| "workers on other machines write no logs (--log-uci)".to_owned());
        sink(&Event::Started { run: run.id(), facts, plan, done: record.tally().games(), showing });
        for warning in crowding.iter().chain(&twins).chain(&unlogged).chain(&tight) {
            sink(&Event::Warning(warning));
        }
        let settings = starting.settings_in(run.folder());
        let pins = starting.affinity.then(Pins::new);
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            // Each worker starts its players itself.
            pins.iter().for_each(Pins::pin_this_thread);
            player::start_unchanged(engine, &kept.files, &settings, interrupt)
        };
        let emit = |event: &arena::Event<'_>| sink(&Event::Game(event));
        let pairs = GamePairs { event: plan.event.clone(), conduct: plan.conduct.clone() };
        let games = || backend::Games {
            ledger,
            run,
            pairs: &pairs,
            engines: &plan.engines,
            limits: &plan.limits,
            jobs,
            settings: settings.clone(),
            start: &start,
        };
        let mut player = Player {
            begun,
            session,
            sink,
            start: &|| games().executor(session, Some(&emit)),
            executor: None,
        };
        // Who is found out leaves the statistics, and others play these pairs again.
        while let Some(suspects) = self.play_unless_over(&mut record, &mut player)? {
            let out = quarantine::take_out_suspects(ledger, run, &suspects, dependence, session)?;
            let more = quarantine::take_out_quarantined(ledger, run, dependence, session)?;
            quarantine::warn(&[out, more].concat(), &warn);
            record = Record::open(ledger, run, plan, facts).or_failed()?;
        }
        if let Some(executor) = &player.executor {
            record.note_warnings(executor.warnings());
            record.note_doubt(executor.doubt());
        }
        // Its workers are free for other runs.
        drop(player);
        let seconds = begun.elapsed().as_secs_f64();
        let warnings = probed.into_iter().chain(crowding).chain(twins).chain(unlogged).chain(tight);
        self.sum_up(&mut record, seconds, warnings.collect(), sink)
    }

    /// Sums up what was played, `seconds` of it in this process, and writes the page.
    fn sum_up(
        &self,
        record: &mut Record<'_>,
        seconds: f64,
        warnings: Vec<String>,
        sink: &Sink<'_>,
    ) -> Result<Finished, Failure> {
        let Part { ledger, run, kept, schedule } = *self;
        let StoredPlan { plan, facts, showing, collect, .. } = kept;
        let doubt = record.doubt().map(|doubt| doubt.text()).or_else(|| record.noted_doubt());
        record.end_test(facts).or_failed()?;
        let seconds = record.earlier_seconds() + seconds;
        let mut summary = record.summary(facts, seconds);
        summary.warnings.extend(record.warnings());
        summary.warnings.extend(warnings);
        let games = record.tally().games();
        let rounds = record.race().map(|race| race.course().rounds());
        let rounds = rounds.unwrap_or_else(|| plan.openings_of(games));
        summary.warnings.extend(repetition(plan, schedule, rounds));
        summary.tournament = tournament::summary(plan, &|pair| record.score_of(pair));
        summary.workers = worker_shares(ledger, run.id()).or_failed()?;
        summary.reference_nps = backend::kept_reference(run.folder());
        summary.note_workers(quarantine::taken_out(run)?, doubt);
        let filters = collect.map(|keep| Filters { keep, ..Filters::default() });
        let collected = Collected::of_run(ledger, run, filters.as_ref()).or_failed()?;
        ledger.finish(run, &json!(summary)).or_failed()?;
        let games = shown_games(ledger, run.id()).or_failed()?;
        let curve = match record.race() {
            Some(race) => race.curve(),
            None => record.tally().curve(facts.sprt.as_ref()),
        };
        let page = html::match_page(&summary, &curve, &games);
        write_page(run, &page)?;
        budget::give_back();
        sink(&Event::Finished(&summary));
        Ok(Finished { summary, collected, showing: showing.clone() })
    }

    /// Plays the missing games; gives the workers that were found out, or none if one was quarantined by
    /// another process, if they are to be played again.
    fn play_unless_over(
        &self,
        record: &mut Record<'_>,
        player: &mut Player<'_>,
    ) -> Result<Option<Vec<Suspect>>, Failure> {
        // Results of an earlier process.
        let suspects = record.suspects();
        if !suspects.is_empty() {
            return Ok(Some(suspects));
        }
        let earlier = self.earlier(player)?;
        // What an earlier process has decided is checked by this one.
        if record.is_over() && earlier.is_none() {
            return Ok(None);
        }
        match self.play(record, player, earlier) {
            Ok(()) => {}
            Err(Stopped::Unplayed(Unplayed::Interrupted)) => {
                return Err(interrupted(record, self.run, &self.kept.facts, player.session));
            }
            Err(Stopped::Unplayed(reason)) if quarantine::is_quarantine(&reason) => {
                return Ok(Some(Vec::new()));
            }
            Err(reason) => return Err(reason).or_failed(),
        }
        let suspects = record.suspects();
        Ok((!suspects.is_empty()).then_some(suspects))
    }

    /// Pairs that workers played for an earlier process and this one has to check, before it plays itself.
    fn earlier(&self, player: &Player<'_>) -> Result<Option<EarlierPairs>, Failure> {
        if player.session.on.is_none() || player.executor.is_some() {
            return Ok(None);
        }
        let pairs = EarlierPairs::from_ledger(self.ledger, self.run).or_failed()?;
        Ok(Some(pairs).filter(|pairs| !pairs.is_empty()))
    }

    /// A pair that was played, by its number, as it follows from the plan and from the results before it.
    fn pair(&self, record: &Record<'_>, pair: u64) -> Result<Option<PairJob>, BookError> {
        let StoredPlan { plan, .. } = self.kept;
        let before = |other: u64| record.score_of(other).filter(|_| other < pair);
        let stage = match &plan.race {
            Some(rule) => {
                let mut course = RaceCourse::new(rule.clone());
                course.advance(&before);
                course.stage().cloned()
            }
            None if plan.depends_on_results() => course(plan, &before).next,
            None => return self.schedule.pair(pair),
        };
        let stage = stage.filter(|stage| stage.pairs().contains(&pair));
        stage.map(|stage| self.schedule.stage_pair(&stage, pair)).transpose()
    }

    /// Plays the missing games into the record, if the run is not over, and makes sure of them and of earlier ones.
    fn play(
        &self,
        record: &mut Record<'_>,
        player: &mut Player<'_>,
        earlier: Option<EarlierPairs>,
    ) -> Result<(), Stopped<record::KeepError>> {
        let StoredPlan { facts, .. } = self.kept;
        let Player { begun, sink, start, executor, .. } = player;
        let executor = match executor {
            Some(executor) => executor,
            none => none.insert(start()?),
        };
        if let Some(earlier) = earlier {
            earlier.note(self.ledger, self.run, &|pair| self.pair(record, pair), executor)?;
        }
        let mut play = |record: &mut Record<'_>, jobs: &mut Jobs<'_>| {
            play_all(executor, jobs, &mut |games| {
                let decided = record.keep(games, sink)?;
                let seconds = record.earlier_seconds() + begun.elapsed().as_secs_f64();
                let summary = || record.summary(facts, seconds);
                sink(&Event::Statistics { games: record.tally().games(), summary: &summary });
                Ok::<_, record::KeepError>(decided)
            })
        };
        if !record.is_over() {
            self.play_missing(record, &mut play)?;
        }
        Ok(Executor::settle(executor)?)
    }

    /// Plays what is missing, as the plan says.
    fn play_missing(
        &self,
        record: &mut Record<'_>,
        play: &mut PlayJobs<'_>,
    ) -> Result<(), Stopped<record::KeepError>> {
        let StoredPlan { plan, .. } = self.kept;
        if plan.race.is_some() {
            self.play_race(record, play)
        } else if plan.depends_on_results() {
            self.play_stages(record, play)
        } else {
            let done = record.done().clone();
            play(record, &mut self.schedule.jobs(&done))
        }
    }

    /// Plays the heats of a race, and its final.
    fn play_race(
        &self,
        record: &mut Record<'_>,
        play: &mut PlayJobs<'_>,
    ) -> Result<(), Stopped<record::KeepError>> {
        let mut latest = None;
        while !record.is_over()
            && let Some(stage) = record.race().and_then(|race| race.course().stage()).cloned()
        {
            let done = record.done().clone();
            let is_played =
                stage.pairs().all(|pair| Leg::BOTH.iter().all(|&leg| done.contains(&(pair, leg))));
            if is_played {
                break;
            }
            // An executor that leaves games out without a reason was stopped.
            if latest.replace(stage.first) == Some(stage.first) {
                return Err(Unplayed::Interrupted.into());
            }
            play(record, &mut self.schedule.stage_jobs(&stage, &done))?;
        }
        Ok(())
    }

    /// Plays the stages of a tournament, each of which depends on the results of those before it.
    fn play_stages(
        &self,
        record: &mut Record<'_>,
        play: &mut PlayJobs<'_>,
    ) -> Result<(), Stopped<record::KeepError>> {
        let mut latest = None;
        while let Some(stage) = course(&self.kept.plan, &|pair| record.score_of(pair)).next {
            // An executor that leaves games out without a reason was stopped.
            if latest.replace(stage.first) == Some(stage.first) {
                return Err(Unplayed::Interrupted.into());
            }
            let done = record.done().clone();
            play(record, &mut self.schedule.stage_jobs(&stage, &done))?;
        }
        Ok(())
    }
}

fn interrupted(record: &Record<'_>, run: &Run, facts: &MatchFacts, session: &Session) -> Failure {
    let games = record.tally().games();
    let asked = facts.games_asked.map_or_else(String::new, |asked| format!(" of {asked}"));
    Failure::Interrupted(format!("{games}{asked} games are kept; {}", how_to_resume(run, session)))
}
