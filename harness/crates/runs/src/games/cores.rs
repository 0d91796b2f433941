//! How many games this machine plays at a time without disturbing them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use harness_base::budget::{Budget, Share};
use harness_base::platform::physical_cores;
use harness_base::sync::lock;
use harness_player::{EngineSpec, Limit};

/// Physical cores that this process may use: two games on one core would disturb each other.
pub fn cores() -> usize {
    let usable = logical();
    physical_cores().map_or(usable, |physical| usable.min(physical))
}

/// Logical processors that this process may use.
fn logical() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Cores for a run whose number of games at a time is not said: those that no other run of this user on this
/// machine holds, and one at least. They are held until this process ends or a run of it is over.
pub fn free_cores() -> usize {
    let all = cores();
    let wants_all = std::env::var_os(SHARE_VARIABLE).is_some_and(|value| value == "no");
    let budget = if wants_all { None } else { Budget::of_user(all) };
    let Some(budget) = budget else { return all };
    let Share { held, others } = budget.hold(all);
    let mut note = lock(&SHARE_NOTE);
    *note = (others > 0).then(|| {
        let noun = if others == 1 { "core is" } else { "cores are" };
        format!(
            "{others} of {all} {noun} in use by other runs of the harness: this one takes {} (--jobs says \
             how many in any case)",
            held.max(1)
        )
    });
    held.max(1)
}

/// Why [`free_cores`] gave less than all, to be shown once by who plays here.
pub fn take_share_note() -> Option<String> {
    lock(&SHARE_NOTE).take()
}

static SHARE_NOTE: Mutex<Option<String>> = Mutex::new(None);

/// Holds cores for a run whose number of games at a time is said: as far as they are free.
pub fn hold_cores(wanted: usize) {
    if let Some(budget) = Budget::of_user(cores()) {
        budget.hold(wanted);
    }
}

/// With the value `no`, a run does not leave cores to other runs.
const SHARE_VARIABLE: &str = "TENCH_SHARE_CORES";

/// Default of games at a time: one a core, fewer if an engine uses several threads or both think at
/// the same time.
pub fn default_jobs(engines: &[EngineSpec], ponders: bool) -> usize {
    jobs_on(free_cores(), engines, ponders)
}

fn jobs_on(cores: usize, engines: &[EngineSpec], ponders: bool) -> usize {
    (cores / most_threads(engines) / thinking(ponders)).max(1)
}

/// Engines of a game that think at the same time.
fn thinking(ponders: bool) -> usize {
    if ponders { 2 } else { 1 }
}

/// A warning when more threads are asked for than the machine has, in games by the clock: those at
/// fixed nodes or depth only take longer.
pub fn crowding(
    jobs: usize,
    engines: &[EngineSpec],
    limits: &[Limit],
    ponders: bool,
) -> Option<String> {
    let threads = jobs.saturating_mul(most_threads(engines)).saturating_mul(thinking(ponders));
    let cores = logical();
    let is_timed = limits.iter().any(|limit| limit.time().is_some());
    (is_timed && threads > cores).then(|| {
        let advice = match cores / most_threads(engines) / thinking(ponders) {
            0 => "even one game at a time has more threads than there are cores".to_owned(),
            fair => format!("they are with --jobs {fair}"),
        };
        format!(
            "{threads} threads think at the same time on {cores} cores: clocks are not fair; {advice}"
        )
    })
}

/// Threads of the engine with the most; games of it need as many cores.
pub fn most_threads(engines: &[EngineSpec]) -> usize {
    engines.iter().map(|engine| threads(&engine.options)).max().unwrap_or(1)
}

fn threads(options: &BTreeMap<String, String>) -> usize {
    let named = options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    named.and_then(|(_, value)| value.parse().ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(threads: &str) -> EngineSpec {
        let options = BTreeMap::from([("threads".to_owned(), threads.to_owned())]);
        EngineSpec { options, ..EngineSpec::builtin("a") }
    }

    #[test]
    fn engines_with_many_threads_get_fewer_games_at_a_time() {
        assert!(cores() >= 1);
        assert_eq!(jobs_on(4, &[engine("100000")], false), 1);
        assert_eq!(jobs_on(4, &[engine("1"), engine("nonsense")], false), 4);
        assert_eq!(jobs_on(4, &[engine("1")], true), 2);
    }

    #[test]
    fn crowding_is_said_of_games_by_the_clock_alone() {
        let crowd = [engine("1"), engine("100000")];
        for (limits, is_said) in [
            (["tc=8+0.08", "tc=8+0.08"], true),
            (["movetime=100ms", "movetime=100ms"], true),
            (["nodes=5000", "tc=8+0.08"], true),
            (["tc=8,nodes=5000", "nodes=5000"], true),
            (["nodes=5000", "nodes=5000"], false),
            (["depth=8", "nodes=5000"], false),
            (["nodes=5000,depth=8", "depth=8"], false),
        ] {
            let limits = limits.map(|limit| limit.parse().expect(limit));
            assert_eq!(crowding(2, &crowd, &limits, false).is_some(), is_said, "{limits:?}");
            assert_eq!(crowding(1, &[engine("1")], &limits, false), None);
        }
    }
}
