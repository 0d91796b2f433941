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
use super::pages::live;
use harness_base::sync::lock;
use harness_ledger::{Ledger, RunFacts, Status};
use harness_outcome::{CurvePoint, MatchSummary};
use harness_report::html::match_page;
use harness_runs::kinds;
use harness_runs::report::match_so_far;

/// Results that are kept.
const MOST_KEPT: usize = 64;

/// How often the games of workers are counted while a run goes on.
const COUNT_WORKERS: Duration = Duration::from_secs(10);

/// How often a curve is drawn again while a run goes on, once it has some points.
const DRAW: Duration = Duration::from_secs(5);

/// A curve of so few points is drawn again each time.
const FEW_POINTS: usize = 20;

/// Games that are counted while a page waits.
const QUICK: u64 = 2000;

/// What tells whether a result is still the same: state, newest game, positions.
type Key = (Status, i64, i64);

/// A match as the ledger has it.
type Stored = (MatchSummary, Vec<CurvePoint>);

/// The results that are known.
#[derive(Default)]
pub struct Results {
    pages: Mutex<HashMap<String, (Key, String)>>,
    /// Of matches that run, as they stood when somebody first looked.
    stored: Mutex<HashMap<String, (Instant, Arc<Stored>)>>,
    /// Curves of matches that run, as they were drawn last.
    curves: Mutex<HashMap<String, (Instant, Vec<CurvePoint>)>>,
}

impl Results {
    /// The result of a run. Without `wait`, a note where it would take long.
    pub fn of(&self, ledger: &Ledger, hub: &Hub, run: &RunFacts, wait: bool) -> Markup {
        let content = match hub.run(&run.id).filter(|_| run.status == Status::Running) {
            Some(live) => self.running(ledger, run, &live, wait),
            None => self.page(ledger, run, wait),
        };
        content.unwrap_or_else(|error| {
            html! { section.card { p.soft { (error.to_string()) } } }
        })
    }

    fn page(&self, ledger: &Ledger, run: &RunFacts, wait: bool) -> Result<Markup, StudioError> {
        let key = ledger.progress_of(&run.id)?;
        if let Some((known, html)) = lock(&self.pages).get(&run.id)
            && *known == key
        {
            return Ok(PreEscaped(html.clone()));
        }
        if !wait && is_slow(ledger, run)? {
            return Ok(computing(run));
        }
        let html = kinds::page(ledger, run)?.content.into_string();
        let mut pages = lock(&self.pages);
        if pages.len() >= MOST_KEPT {
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
        if !matches!(run.command.as_str(), "match" | "sprt") {
            return live::running(ledger, run, live);
        }
        let known = lock(&self.stored).get(&run.id).cloned();
        // What each worker contributes is not told live.
        let known = known.filter(|(counted, stored)| {
            stored.0.workers.is_empty() || counted.elapsed() < COUNT_WORKERS
        });
        let stored = match known {
            Some((_, stored)) => stored,
            None if !wait && is_slow(ledger, run)? => return Ok(computing(run)),
            None => {
                let stored = Arc::new(match_so_far(ledger, run)?);
                let mut kept = lock(&self.stored);
                if kept.len() >= MOST_KEPT {
                    kept.clear();
                }
                kept.insert(run.id.clone(), (Instant::now(), Arc::clone(&stored)));
                stored
            }
        };
        let (before, curve) = &*stored;
        let mut summary = live.summary.as_deref().unwrap_or(before).clone();
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
        if let Some((drawn, curve)) = curves.get(run)
            && drawn.elapsed() < DRAW
            && curve.len() > FEW_POINTS
        {
            return curve.clone();
        }
        let known = before.last().map_or(0, |point| point.games);
        let since = live.curve.iter().filter(|point| point.games > known);
        let curve: Vec<CurvePoint> = before.iter().chain(since).copied().collect();
        if curves.len() >= MOST_KEPT {
            curves.clear();
        }
        curves.insert(run.to_owned(), (Instant::now(), curve.clone()));
        curve
    }
}

/// Whether a page should not wait for the result of a run.
fn is_slow(ledger: &Ledger, run: &RunFacts) -> Result<bool, StudioError> {
    let counted = matches!(run.command.as_str(), "match" | "sprt" | "tune");
    Ok(counted && ledger.count_games(&run.id)? > QUICK)
}

fn computing(run: &RunFacts) -> Markup {
    html! {
        header { h1 { (super::pages::run::title(run)) } }
        section.card.computing role="status" { p.soft { "The games are being counted ..." } }
    }
}
