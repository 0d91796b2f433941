//! The rounds of a knockout or a Swiss tournament, for reports.

use harness_arena::{Format, Plan, course};
use harness_outcome::{
    TournamentEncounter, TournamentRound, TournamentStanding, TournamentSummary,
};

/// The rounds of a tournament whose pairings depend on its results; `scores` gives the half points of
/// the first engine of a pair. `None` of another format.
pub fn summary(plan: &Plan, scores: &dyn Fn(u64) -> Option<u8>) -> Option<TournamentSummary> {
    let format = match plan.format {
        Format::Knockout => "knockout",
        Format::Swiss => "swiss",
        Format::Gauntlet | Format::RoundRobin | Format::Pyramid => return None,
    };
    let course = course(plan, scores);
    let name = |engine: usize| plan.engines[engine].name.clone();
    let rounds = course.rounds.into_iter().map(|round| TournamentRound {
        encounters: round
            .encounters
            .into_iter()
            .map(|encounter| TournamentEncounter {
                engines: encounter.engines.map(name),
                points: encounter.half_points.map(|points| points as f64 / 2.0),
                winner: encounter.winner.map(name),
            })
            .collect(),
        byes: round.byes.into_iter().map(name).collect(),
    });
    // Points of a Swiss tournament are counted in halves.
    let unit = if plan.format == Format::Swiss { 2.0 } else { 1.0 };
    let standings = course.standings.into_iter().map(|(engine, points)| TournamentStanding {
        engine: name(engine),
        points: points as f64 / unit,
    });
    let (rounds, standings) = (rounds.collect(), standings.collect());
    Some(TournamentSummary { format: format.to_owned(), rounds, standings })
}
