//! The rating of an engine by games with references whose ratings are published.

use serde::{Deserialize, Serialize};

use super::{Estimate, Tally};
use harness_stats::{Pentanomial, Rated, Reference, ReferenceGames, Wdl};

/// A reference, as a run keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedReference {
    /// Its name in the run.
    pub name: String,
    /// The name that it gives itself; empty: it gives none.
    #[serde(default)]
    pub version: String,
    /// Published rating in Elo.
    pub rating: f64,
    /// Half of its published 95 % interval; 0: none was published.
    pub error: f64,
    /// The rating list.
    pub list: String,
    /// Date of the figure.
    pub date: String,
    /// Where the figure stands.
    pub source: String,
}

/// The games with a reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRow {
    /// The reference.
    #[serde(flatten)]
    pub reference: RatedReference,
    /// Games played.
    pub games: u64,
    /// Won by the rated engine.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Pairs by pair score of the rated engine.
    pub pentanomial: [u64; 5],
    /// The rating that these games alone show.
    pub performance: Estimate,
}

/// A rating, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingReport {
    /// The id of the run.
    pub run: String,
    /// The rated engine.
    pub engine: String,
    /// The rating list whose scale it is on.
    pub list: String,
    /// Limit of a search.
    pub limit: String,
    /// The rating, with all parts of its error.
    pub rating: Estimate,
    /// Why there is none, with a bound if there is one.
    pub rating_undefined: Option<String>,
    /// Half of the 95 % interval by the games alone.
    pub games95: Option<f64>,
    /// The same by the published ratings alone.
    pub references95: Option<f64>,
    /// By which factor the disagreement of the references widened both; 1 or above.
    pub disagreement: Option<f64>,
    /// The error that was asked for.
    pub wanted_error95: f64,
    /// Whether the interval is as narrow as that.
    pub reached: bool,
    /// Games played.
    pub games: u64,
    /// The references by their ratings.
    pub references: Vec<ReferenceRow>,
}

impl RatingReport {
    /// Rates the first engine of a run by its games.
    pub fn new(
        [run, engine, limit]: [&str; 3],
        references: &[RatedReference],
        wanted_error95: f64,
        tally: &Tally,
    ) -> RatingReport {
        let pairs: Vec<Pentanomial> =
            references.iter().map(|reference| pairs_with(tally, engine, &reference.name)).collect();
        let stated: Vec<Reference> = references
            .iter()
            .map(|reference| Reference { elo: reference.rating, error95: reference.error })
            .collect();
        let games = ReferenceGames { references: &stated, pairs: &pairs };
        let rated = games.rating();
        let mut rows: Vec<ReferenceRow> = (references.iter().zip(&pairs).enumerate())
            .map(|(number, (reference, pairs))| {
                let Wdl { wins, draws, losses } = tally.games_of(&reference.name).reversed();
                ReferenceRow {
                    reference: reference.clone(),
                    games: wins + draws + losses,
                    wins,
                    draws,
                    losses,
                    pentanomial: pairs.0,
                    performance: games.performance(number).ok().into(),
                }
            })
            .collect();
        rows.sort_by(|a, b| a.reference.rating.total_cmp(&b.reference.rating));
        let part = |of: fn(&Rated) -> f64| rated.as_ref().ok().map(of);
        RatingReport {
            run: run.to_owned(),
            engine: engine.to_owned(),
            list: references.first().map(|reference| reference.list.clone()).unwrap_or_default(),
            limit: limit.to_owned(),
            rating: rated.as_ref().ok().map(|rated| rated.elo).into(),
            rating_undefined: rated.as_ref().err().map(ToString::to_string),
            games95: part(|rated| rated.games95),
            references95: part(|rated| rated.references95),
            disagreement: part(|rated| rated.disagreement),
            wanted_error95,
            reached: rated.as_ref().is_ok_and(|rated| rated.elo.error95 <= wanted_error95),
            games: tally.games(),
            references: rows,
        }
    }
}

/// Pairs of two players, seen from the first.
fn pairs_with(tally: &Tally, first: &str, second: &str) -> Pentanomial {
    let mut all = Pentanomial::default();
    for (one, other, pairs) in tally.meetings() {
        match (one, other) {
            _ if (one, other) == (first, second) => all += *pairs,
            _ if (one, other) == (second, first) => all += pairs.reversed(),
            _ => {}
        }
    }
    all
}
