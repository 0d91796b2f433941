//! Results of runs as pages show them, each computed once.
//!
//! The curve of a long match is counted from all of its games, and the path of a tuner is replayed:
//! that takes seconds. A page that opens does not wait for it; it comes as a fragment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use maud::{Markup, PreEscaped, html};

use super::error::StudioError;
use super::hub::{Hub, LiveRun};
use super::views::run;
use harness_base::sync::lock;
use harness_ledger::{Ledger, RunFacts, RunProgress, Status};
use harness_outcome::{CurvePoint, MatchSummary};
use harness_report::html::{match_page, with_code};
use harness_runs::kinds::{Games, Kind, LiveState, Running, render};
use harness_runs::report::match_so_far;

/// Results that are kept.
const MAX_RESULTS: usize = 64;

/// How often the games of workers of a running run are counted.
const WORKERS_INTERVAL: Duration = Duration::from_secs(10);

/// How often a curve of a running run is drawn again, once it has some points.
const CURVE_INTERVAL: Duration = Duration::from_secs(5);

/// A curve of so few points is drawn again each time.
const MIN_CACHED_POINTS: usize = 20;

/// Games that are counted while a page waits.
const MAX_QUICK_GAMES: u64 = 2000;

/// Version of a result: state, newest game, positions.
type Key = (Status, i64, i64);

/// A run and the process that executes it: one that was resumed has more in the ledger than before.
type Execution = (String, u32);

/// A match as the ledger has it.
type Stored = (MatchSummary, Vec<CurvePoint>);

/// The results that are known.
#[derive(Default)]
pub struct Results {
    pages: Mutex<HashMap<String, (Key, String)>>,
    /// Of matches that run, as they stood when a page first showed them.
    stored: Mutex<HashMap<Execution, (Instant, Arc<Stored>)>>,
    /// Curves of matches that run, as they were drawn last.
    curves: Mutex<HashMap<Execution, (Instant, Vec<CurvePoint>)>>,
}

impl Results {
    /// The result of a run. Without `wait`, a note where it would take long.
    pub fn render(&self, ledger: &Ledger, hub: &Hub, run: &RunFacts, wait: bool) -> Markup {
        let content = match hub.run(&run.id).filter(|_| run.status == Status::Running) {
            Some(live) => self.running(ledger, run, &live, wait),
            None => self.page(ledger, run, wait),
        };
        let content = content.unwrap_or_else(|error| {
            html! { section.card { p.soft { (with_code(&error.to_string())) } } }
        });
        html! {
            @if !content.0.contains("<h1") { header { h1 { (run::title(run)) } } }
            (content)
        }
    }

    fn page(&self, ledger: &Ledger, run: &RunFacts, wait: bool) -> Result<Markup, StudioError> {
        let RunProgress { status, newest_game, positions, .. } = ledger.progress_of(&run.id)?;
        let key = (status, newest_game, positions);
        if let Some((known, html)) = lock(&self.pages).get(&run.id)
            && *known == key
        {
            return Ok(PreEscaped(html.clone()));
        }
        if !wait && is_slow(ledger, run)? {
            return Ok(computing(run));
        }
        let html = render::page(ledger, run)?.content.into_string();
        let mut pages = lock(&self.pages);
        if pages.len() >= MAX_RESULTS {
            pages.clear();
        }
        pages.insert(run.id.clone(), (key, html.clone()));
        Ok(PreEscaped(html))
    }

    fn running(
        &self,
        ledger: &Ledger,
        run: &RunFacts,
        live: &LiveRun,
        wait: bool,
    ) -> Result<Markup, StudioError> {
        let kind = Kind::by_key(&run.command).unwrap_or(&Kind::PLAIN);
        if let Running::Page(content) = kind.running {
            let seconds = live.since.0.elapsed().as_secs_f64();
            let state = LiveState { path: &live.path, losses: &live.losses, seconds };
            return Ok(content(ledger, run, &state)?);
        }
        let execution = (run.id.clone(), live.pid);
        let known = lock(&self.stored).get(&execution).cloned();
        // What each worker contributes is no live message.
        let known = known.filter(|(counted, stored)| {
            stored.0.workers.is_empty() || counted.elapsed() < WORKERS_INTERVAL
        });
        let stored = match known {
            Some((_, stored)) => stored,
            None if !wait && is_slow(ledger, run)? => return Ok(computing(run)),
            None => {
                let stored = Arc::new(match_so_far(ledger, run)?);
                let mut kept = lock(&self.stored);
                if kept.len() >= MAX_RESULTS {
                    kept.clear();
                }
                kept.insert(execution, (Instant::now(), Arc::clone(&stored)));
                stored
            }
        };
        let (before, curve) = &*stored;
        // A process that has just resumed the run has not sent its games yet.
        let newer = live.summary.as_deref().filter(|newer| newer.games >= before.games);
        let mut summary = newer.unwrap_or(before).clone();
        summary.workers.clone_from(&before.workers);
        // It has not ended undecided: it has not ended.
        summary.verdict = None;
        let curve = self.curve(&run.id, curve, live);
        Ok(match_page(&summary, &curve, &[]).content)
    }
}

impl Results {
    /// The curve of a running match: that of the ledger and what was seen since. A longer one comes
    /// only now and then, since drawing it is most of what a page has to do.
    fn curve(&self, run: &str, before: &[CurvePoint], live: &LiveRun) -> Vec<CurvePoint> {
        let mut curves = lock(&self.curves);
        let execution = (run.to_owned(), live.pid);
        if let Some((drawn, curve)) = curves.get(&execution)
            && drawn.elapsed() < CURVE_INTERVAL
            && curve.len() > MIN_CACHED_POINTS
        {
            return curve.clone();
        }
        let known = before.last().map_or(0, |point| point.games);
        let since = live.curve.iter().filter(|point| point.games > known);
        let curve: Vec<CurvePoint> = before.iter().chain(since).copied().collect();
        if curves.len() >= MAX_RESULTS {
            curves.clear();
        }
        curves.insert(execution, (Instant::now(), curve.clone()));
        curve
    }
}

/// Whether a page should not wait for the result of a run.
fn is_slow(ledger: &Ledger, run: &RunFacts) -> Result<bool, StudioError> {
    let is_counted = Kind::by_key(&run.command).is_some_and(|kind| kind.games == Games::Counted);
    Ok(is_counted && ledger.has_more_games(&run.id, MAX_QUICK_GAMES)?)
}

fn computing(run: &RunFacts) -> Markup {
    html! {
        header { h1 { (run::title(run)) } }
        section.card.computing role="status" { p.soft { "The games are being counted ..." } }
    }
}
