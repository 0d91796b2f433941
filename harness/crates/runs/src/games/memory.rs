//! How many games at a time the memory of this machine has room for.

use harness_arena::Plan;
use harness_base::text::grouped;
use harness_player::EngineSpec;

/// Games at a time for which the transposition tables fit into the memory of the machine, in MiB: those of
/// the plan, or fewer, with a warning. One game is always played.
pub(super) fn jobs_in_memory(plan: &Plan, memory: Option<u64>) -> (usize, Option<String>) {
    let jobs = plan.jobs;
    let Some(memory) = memory else { return (jobs, None) };
    let hash = |engine: usize| plan.engines.get(engine).map_or(0, EngineSpec::hash_mib);
    let a_game = plan.pairings().into_iter().map(|(a, b)| hash(a).saturating_add(hash(b))).max();
    let a_game = a_game.unwrap_or(0).max(1);
    let needed = a_game.saturating_mul(jobs as u64);
    if needed <= memory {
        return (jobs, None);
    }
    let room = usize::try_from(memory / a_game).unwrap_or(jobs);
    let played = room.clamp(1, jobs.max(1));
    let end = match (room, played == jobs) {
        (0, true) => "even one game does not fit".to_owned(),
        (0, false) => "even one game does not fit; 1 at a time is played".to_owned(),
        _ => format!("{played} at a time are played"),
    };
    let noun = if jobs == 1 { "game" } else { "games at a time" };
    let warning = format!(
        "the hash tables of {jobs} {noun} need {} MiB, and this machine has {}: {end} (less Hash, or \
         --jobs)",
        grouped(needed),
        grouped(memory)
    );
    (played, Some(warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{GamesRun, Request};

    fn plan(hashes: [Option<&str>; 2], jobs: usize) -> Plan {
        let engines = hashes.into_iter().zip(["a", "b"]).map(|(hash, name)| {
            let options = hash.map(|hash| ("hash".to_owned(), hash.to_owned()));
            EngineSpec { options: options.into_iter().collect(), ..EngineSpec::builtin(name) }
        });
        let limit = "nodes=1".parse().expect("a limit");
        let request = Request { jobs: Some(jobs), ..Request::new(engines.collect(), limit) };
        GamesRun::plan(request).expect("a plan").into_plan().0
    }

    #[test]
    fn fewer_games_are_played_where_their_tables_need_more_than_the_memory() {
        for (hashes, jobs, memory, played, says) in [
            ([None, None], 4, Some(128), 4, None),
            (
                [None, None],
                4,
                Some(127),
                3,
                Some("need 128 MiB, and this machine has 127: 3 at a time"),
            ),
            ([None, None], 4, None, 4, None),
            ([Some("1024"), Some("2048")], 8, Some(16_000), 5, Some("need 24,576 MiB")),
            ([Some("1024"), None], 2, Some(2_100), 2, None),
            (
                [Some("4096"), Some("4096")],
                3,
                Some(4_000),
                1,
                Some("even one game does not fit; 1"),
            ),
            ([Some("4096"), Some("4096")], 1, Some(4_000), 1, Some("even one game does not fit (")),
            ([Some("18446744073709551615"), Some("1")], 2, Some(1), 1, Some("even one")),
        ] {
            let (jobs, warning) = jobs_in_memory(&plan(hashes, jobs), memory);
            assert_eq!(jobs, played, "{hashes:?}: {warning:?}");
            match says {
                None => assert_eq!(warning, None),
                Some(text) => {
                    let warning = warning.expect(text);
                    assert!(warning.contains(text), "{warning}");
                }
            }
        }
    }
}
