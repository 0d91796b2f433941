//! Pre-flight probe: whether an engine respects a limit, takes the values of a tuning range, and
//! clears its state on `ucinewgame`.
//!
//! A few short searches before a run find what would otherwise show after hours: an engine that
//! ignores `go nodes` searches until the watchdog ends each of its moves.

mod alternatives;
mod compliance;
mod effect;
mod finding;
mod ignored_limit;

use std::collections::BTreeMap;
use std::time::Duration;

use alternatives::note_fault;
pub use alternatives::{alternatives, respected_limits};
pub use compliance::Compliance;
use compliance::{MIDDLE_GAME, OTHER_GAME, search, shortened};
pub use effect::{Effects, TunedOption, effects};
pub use finding::{Finding, RetainedState};
pub use ignored_limit::{Pair, find_ignored_limit};

use super::search::SearchResult;
use super::{EngineSpec, Fault, FaultKind, Limit, Player, Program, StartAgain, StartSettings};
use harness_base::session::Interrupt;

/// Requirements of a run on an engine.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The limit of its searches.
    pub limit: Limit,
    /// Whether games are Chess960.
    pub chess960: bool,
    /// Options, each with the smallest and the largest value that it must take.
    pub ranges: Vec<(String, [String; 2])>,
    /// Whether one process plays several games or searches several positions, so that state kept
    /// over `ucinewgame` matters.
    pub keeps_process: bool,
}

impl Probe {
    /// The probe of a run with this limit and no ranges.
    pub fn new(limit: Limit) -> Probe {
        Probe { limit, chess960: false, ranges: Vec::new(), keeps_process: true }
    }
}

/// Searches slower than this are not repeated with as many nodes.
const SLOW_SEARCH: Duration = Duration::from_millis(500);
/// Nodes for an engine that is slow.
const SLOW_NODES: u64 = 2_000;

/// Probes an engine, started for the purpose. Of the linked engine only `ranges` are tried.
///
/// # Errors
/// A [`Fault`] when it cannot be started, its options cannot be set, or the user interrupts.
/// Any other failure is a finding.
pub fn probe(
    spec: &EngineSpec,
    request: &Probe,
    settings: &StartSettings,
    interrupt: &Interrupt,
) -> Result<Vec<Finding>, Fault> {
    let start = || super::start(spec, settings, interrupt);
    probe_started(start()?, spec.program == Program::Builtin, request, &start)
}

/// As [`probe`], with a player that was just started; consumes it.
///
/// # Errors
/// As [`probe`].
pub fn probe_started(
    mut player: Box<dyn Player + Send>,
    is_builtin: bool,
    request: &Probe,
    start: &StartAgain<'_>,
) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    if !is_builtin {
        let limit = shortened(request.limit);
        let mut failure = None;
        let first = search(player.as_mut(), MIDDLE_GAME, limit, request.chess960);
        let first = note_fault(first, |fault| failure = Some(fault))?;
        if let Some(fault) = failure {
            let always = is_end(&fault) && ends_again(limit, request.chess960, start)?;
            findings.push(Finding::Fails { limit, fault, always });
            if always {
                return Ok(findings);
            }
        }
        if let Some(seen) = first {
            let finding = of_limit(player, (limit, seen), request, start)?;
            let is_refused = finding.as_ref().is_some_and(Finding::is_refusal);
            findings.extend(finding);
            if is_refused {
                return Ok(findings);
            }
        }
        if request.ranges.is_empty() {
            return Ok(findings);
        }
        player = start()?;
    }
    if !request.ranges.is_empty() {
        ranges(player, is_builtin, request, start, &mut findings)?;
    }
    Ok(findings)
}

/// Whether the process ended.
fn is_end(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Crash | FaultKind::Disconnect)
}

/// Whether a fresh process ends in its first search, too, here of another position.
fn ends_again(limit: Limit, chess960: bool, start: &StartAgain<'_>) -> Result<bool, Fault> {
    let mut fault = None;
    let mut player = start()?;
    note_fault(search(player.as_mut(), OTHER_GAME, limit, chess960), |seen| fault = Some(seen))?;
    Ok(fault.is_some_and(|fault| is_end(&fault)))
}

/// Finding about the limit of the run; `first` is the first search of the player's process, which is
/// ended before other limits are tried: it may still search.
fn of_limit(
    mut player: Box<dyn Player + Send>,
    first: (Limit, SearchResult),
    request: &Probe,
    start: &StartAgain<'_>,
) -> Result<Option<Finding>, Fault> {
    let (limit, seen) = first;
    let name = player.name().to_owned();
    let found = limit_or_state(player.as_mut(), first, request, start);
    drop(player);
    let mut fails = None;
    let found = note_fault(found, |fault| {
        fails = Some(Finding::Fails { limit, fault, always: false });
    })?;
    let (compliance, other) = match found {
        None => return Ok(fails),
        Some(LimitResult::Respected(finding)) => return Ok(finding),
        Some(LimitResult::Broken(compliance, other)) => (compliance, other),
    };
    let respects = match compliance {
        Compliance::NeverStops | Compliance::StopsShort | Compliance::Ignores => {
            respected_limits(&alternatives(limit), request.chess960, start)?
        }
        Compliance::Overshoots | Compliance::Respects => Vec::new(),
    };
    Ok(Some(Finding::Limit { player: name, limit, seen, compliance, other, respects }))
}

/// Whether a limit is respected.
enum LimitResult {
    /// It is not, and another value of it gave this.
    Broken(Compliance, Option<(Limit, SearchResult)>),
    /// It is; what else is wrong.
    Respected(Option<Finding>),
}

fn limit_or_state(
    player: &mut dyn Player,
    first: (Limit, SearchResult),
    request: &Probe,
    start: &StartAgain<'_>,
) -> Result<LimitResult, Fault> {
    let (limit, seen) = first;
    let compliance = Compliance::from_search(limit, &seen);
    if compliance != Compliance::Respects {
        return Ok(LimitResult::Broken(compliance, None));
    }
    if let Some(pair) = find_ignored_limit(limit, seen, request.chess960, start)? {
        let other = pair.limits.into_iter().zip(pair.seen).find(|(other, _)| *other != limit);
        return Ok(LimitResult::Broken(Compliance::Ignores, other));
    }
    if !request.keeps_process {
        return Ok(LimitResult::Respected(None));
    }
    state(player, first, request, start).map(LimitResult::Respected)
}

/// Whether a search repeats after another position and `ucinewgame`. `first` is the
/// first search of this process. `None` for limits in time, which never repeat.
fn state(
    player: &mut dyn Player,
    first: (Limit, SearchResult),
    request: &Probe,
    start: &StartAgain<'_>,
) -> Result<Option<Finding>, Fault> {
    let (mut limit, mut before) = first;
    let mut fresh;
    let mut player = player;
    match limit {
        Limit::Nodes(nodes) if before.elapsed > SLOW_SEARCH && nodes > SLOW_NODES => {
            limit = Limit::Nodes(SLOW_NODES);
            fresh = start()?;
            player = fresh.as_mut();
            before = search(player, MIDDLE_GAME, limit, request.chess960)?;
        }
        Limit::Nodes(_) | Limit::Depth(_) => {}
        _ if limit.time().is_some() => return Ok(None),
        Limit::Combined { .. } | Limit::Clock(_) | Limit::MoveTime(_) => {}
    }
    search(player, OTHER_GAME, limit, request.chess960)?;
    let after = search(player, MIDDLE_GAME, limit, request.chess960)?;
    if after.repeats(&before) {
        return Ok(None);
    }
    let name = player.name().to_owned();
    let fresh_process = search(start()?.as_mut(), MIDDLE_GAME, limit, request.chess960)?;
    let kept = if fresh_process.repeats(&before) {
        RetainedState::InProcess
    } else {
        RetainedState::Nothing
    };
    Ok(Some(Finding::DoesNotRepeat { player: name, limit, before, after, kept }))
}

/// Sets each option to both ends of its range; then searches with all of them at one end.
fn ranges(
    mut player: Box<dyn Player + Send>,
    is_builtin: bool,
    request: &Probe,
    start: &StartAgain<'_>,
    findings: &mut Vec<Finding>,
) -> Result<(), Fault> {
    for (option, ends) in &request.ranges {
        for value in ends {
            let set = player.set_options(&BTreeMap::from([(option.clone(), value.clone())]));
            let Err(fault) = set else { continue };
            let died = fault.kind != FaultKind::Setting;
            if fault.kind == FaultKind::Interrupted {
                return Err(fault);
            }
            findings.push(Finding::NotTaken {
                option: option.clone(),
                value: value.clone(),
                fault,
            });
            if died {
                player = start()?;
            }
        }
    }
    if is_builtin || findings.iter().any(Finding::is_refusal) {
        return Ok(());
    }
    let limit = shortened(request.limit);
    for end in 0..2 {
        let all = request.ranges.iter().map(|(name, ends)| (name.clone(), ends[end].clone()));
        let mut player = start()?;
        let searched = player
            .set_options(&all.collect())
            .and_then(|()| search(player.as_mut(), MIDDLE_GAME, limit, request.chess960));
        note_fault(searched, |fault| {
            findings.push(Finding::FailsAtEnds { largest: end == 1, fault });
        })?;
    }
    Ok(())
}
