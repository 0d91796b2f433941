//! The result of a calibration: how strong an engine is at its stated strengths.

use serde::{Deserialize, Serialize};

use super::{Estimate, Tally};
use harness_stats::{Anchored, Meeting, Pentanomial, Results, Wdl};

/// A player of a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// The name in the run.
    pub name: String,
    /// Stated strength, in Elo.
    pub stated: f64,
    /// Whether the statement is taken as true.
    pub is_anchor: bool,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// The name in the run.
    pub name: String,
    /// Stated strength, in Elo.
    pub stated: f64,
    /// Measured strength. Of an anchor: by the games of all but this anchor's statement.
    pub elo: Estimate,
    /// Why there is none.
    #[serde(default)]
    pub elo_undefined: Option<String>,
    /// Games played.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// Games of two players, with the score that the ratings expect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// The player whose results these are.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// Pairs by pair score.
    pub pentanomial: [u64; 5],
    /// Share of the points.
    pub score: f64,
    /// Expected share of the points.
    pub expected: Option<f64>,
}

/// A calibration, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The id of the run.
    pub run: String,
    /// Seed of the openings and of the mistakes.
    pub seed: Option<u64>,
    /// Finished games.
    pub games: u64,
    /// The levels, weakest first.
    pub levels: Vec<Calibrated>,
    /// The fixed opponents.
    pub anchors: Vec<Calibrated>,
    /// See [`Anchored::stretch`].
    pub stretch: Estimate,
    /// See [`Anchored::dispersion`].
    pub dispersion: f64,
    /// Who met whom.
    pub pairings: Vec<Pairing>,
}

impl Calibration {
    /// Rates the levels of a run by its games.
    pub fn new(run: &str, seed: Option<u64>, entrants: &[Entrant], tally: &Tally) -> Calibration {
        let number = |name: &str| entrants.iter().position(|entrant| entrant.name == name);
        let meetings: Vec<Meeting> = tally
            .meetings()
            .filter_map(|(first, second, &pairs)| {
                let first = number(first)?;
                let second = number(second)?;
                Some(Meeting { first, second, results: Results::Pairs(pairs) })
            })
            .collect();
        let stated: Vec<Option<f64>> =
            entrants.iter().map(|entrant| entrant.is_anchor.then_some(entrant.stated)).collect();
        let ratings = Anchored::from_meetings(&stated, &meetings);
        let row = |player: usize| {
            let entrant = &entrants[player];
            let rating = if entrant.is_anchor {
                without_statement(&stated, player, &meetings).players[player]
            } else {
                ratings.players[player]
            };
            let Wdl { wins, draws, losses } = tally.games_of(&entrant.name);
            Calibrated {
                name: entrant.name.clone(),
                stated: entrant.stated,
                elo: rating.ok().into(),
                elo_undefined: rating.err().map(|why| why.to_string()),
                games: wins + draws + losses,
                wins,
                draws,
                losses,
            }
        };
        let rows = |is_anchor: bool| {
            let players = (0..entrants.len()).filter(|&at| entrants[at].is_anchor == is_anchor);
            let mut rows: Vec<Calibrated> = players.map(row).collect();
            rows.sort_by(|a, b| a.stated.total_cmp(&b.stated));
            rows
        };
        let pairing = |meeting: &Meeting| {
            let Results::Pairs(pairs) = meeting.results else { return None };
            Some(Pairing {
                first: entrants[meeting.first].name.clone(),
                second: entrants[meeting.second].name.clone(),
                pentanomial: pairs.0,
                score: share(&pairs)?,
                expected: ratings.expected(meeting.first, meeting.second),
            })
        };
        Calibration {
            run: run.to_owned(),
            seed,
            games: tally.games(),
            levels: rows(false),
            anchors: rows(true),
            stretch: ratings.stretch.into(),
            dispersion: ratings.dispersion,
            pairings: meetings.iter().filter_map(pairing).collect(),
        }
    }

    /// Levels that are further from their statement than `elo`.
    pub fn off_by_more_than(&self, elo: f64) -> impl Iterator<Item = &Calibrated> {
        self.levels.iter().filter(move |level| {
            level.elo.value.is_none_or(|measured| (measured - level.stated).abs() > elo)
        })
    }
}

/// Ratings in which one anchor is rated by its games.
fn without_statement(stated: &[Option<f64>], anchor: usize, meetings: &[Meeting]) -> Anchored {
    let mut others = stated.to_vec();
    others[anchor] = None;
    let own = |meeting: &&Meeting| {
        // Games with other anchors would count as games of kin.
        meeting.first != anchor && meeting.second != anchor
    };
    let without: Vec<Meeting> = meetings.iter().filter(own).copied().collect();
    let levels = Anchored::from_meetings(&others, &without);
    // Its opponents as they are rated without it.
    let fixed: Vec<Option<f64>> = (0..stated.len())
        .map(|player| levels.players[player].ok().filter(|_| player != anchor))
        .map(|rating| rating.map(|rating| rating.value))
        .collect();
    let games: Vec<Meeting> = meetings.iter().filter(|meeting| !own(meeting)).copied().collect();
    Anchored::from_meetings(&fixed, &games)
}

fn share(pairs: &Pentanomial) -> Option<f64> {
    let points: u64 = (0..).zip(pairs.0).map(|(half_points, count)| half_points * count).sum();
    (pairs.pairs() > 0).then(|| points as f64 / (4 * pairs.pairs()) as f64)
}
