//! A calibration: games of an engine's stated strengths with each other and with fixed opponents.
//!
//! The run is a match with pairings of its own, so that it is resumed as any match;
//! [`Calibration`] rates its games.

use std::collections::BTreeMap;
use std::str::FromStr;

use miette::Diagnostic;
use thiserror::Error;

use crate::games::{CalibrationShowing, GamesRun, Request, Showing, counted};
use crate::report;
use harness_arena::{Adjudication, Conduct, OpeningsSpec};
use harness_base::failure::{Failure, OrFail};
use harness_ledger::{Ledger, LedgerError};
use harness_outcome::calibration::{Calibration, Entrant};
use harness_outcome::{MatchFacts, Tally};
use harness_player::{EngineSpec, Limit, ParseLimitError, Program};

/// Between the name of an engine and its stated Elo.
const LEVEL_MARK: &str = " level ";
const ANCHOR_MARK: &str = "@";

/// An anchor further from a level than this tells little about it.
const REACH: f64 = 450.0;
/// Anchors that a level plays at most: the nearest.
const ANCHORS_EACH: usize = 2;

/// An opponent whose strength is stated: `ENGINE@ELO:LIMIT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// As the harness names engines.
    pub engine: String,
    /// Its strength.
    pub elo: u32,
    /// Its limit.
    pub limit: Limit,
}

/// A text that is no anchor.
#[derive(Debug, Error)]
pub enum ParseAnchorError {
    /// It has another form.
    #[error("write ENGINE@ELO:LIMIT, such as stockfish@1500:nodes=6000")]
    Form,
    /// The limit is none.
    #[error(transparent)]
    Limit(#[from] ParseLimitError),
}

impl FromStr for Anchor {
    type Err = ParseAnchorError;

    fn from_str(text: &str) -> Result<Anchor, ParseAnchorError> {
        let (engine, rest) = text.rsplit_once(ANCHOR_MARK).ok_or(ParseAnchorError::Form)?;
        let (elo, limit) = rest.split_once(':').ok_or(ParseAnchorError::Form)?;
        let elo = elo.parse().map_err(|_| ParseAnchorError::Form)?;
        if engine.is_empty() {
            return Err(ParseAnchorError::Form);
        }
        Ok(Anchor { engine: engine.to_owned(), elo, limit: limit.parse()? })
    }
}

/// The games of a calibration.
pub struct CalibrationRequest {
    /// The engine.
    pub engine: EngineSpec,
    /// Its limit besides that of its strength.
    pub limit: Limit,
    /// Values of `UCI_Elo`.
    pub levels: Vec<u32>,
    /// The fixed opponents: engine, Elo and limit. `UCI_Elo` is set where the spec has no other
    /// option of that name and the engine has one.
    pub anchors: Vec<(EngineSpec, Anchor)>,
    /// Games of each two players that meet.
    pub games: u64,
    /// Of the openings and of the engine's mistakes.
    pub seed: u64,
    /// Games at the same time.
    pub jobs: Option<usize>,
    /// Adjudication of the games.
    pub adjudication: Adjudication,
    /// See [`CalibrationShowing::within`].
    pub within: Option<f64>,
}

/// A run that cannot be rated.
#[derive(Debug, Error, Diagnostic)]
#[error("`{0}` is not the run of a calibration: it has no {1}")]
#[diagnostic(help("`harness calibrate` plays one"))]
struct NotACalibration(String, &'static str);

impl CalibrationRequest {
    /// The match that is played.
    ///
    /// # Errors
    /// When the openings cannot be read.
    pub fn plan(self) -> Result<GamesRun, Failure> {
        let name = self.engine.name.clone();
        let mut levels = self.levels;
        levels.sort_unstable();
        levels.dedup();
        let mut engines = Vec::new();
        let mut limits = Vec::new();
        // Each player has mistakes of its own: what both overlook would go unpunished.
        let mut seeds = (0..).map(|number| self.seed.wrapping_mul(1000).wrapping_add(number));
        let mut limited = |spec: &EngineSpec, name: String, elo: u32| {
            let seed = seeds.next().filter(|_| takes_seed(spec)).map(|seed| seed % (1 << 31));
            let seed = seed.map(|seed| ("Seed", seed.to_string()));
            with(spec, name, limited(elo).into_iter().chain(seed))
        };
        for &elo in &levels {
            engines.push(limited(&self.engine, format!("{name}{LEVEL_MARK}{elo}"), elo));
            limits.push(self.limit);
        }
        for (spec, anchor) in &self.anchors {
            let named = format!("{}{ANCHOR_MARK}{}", spec.name, anchor.elo);
            engines.push(limited(spec, named, anchor.elo));
            limits.push(anchor.limit);
        }
        let anchors: Vec<f64> = self.anchors.iter().map(|(_, anchor)| anchor.elo.into()).collect();
        let levels: Vec<f64> = levels.into_iter().map(f64::from).collect();
        let conduct = Conduct { adjudication: self.adjudication, ..Conduct::default() };
        GamesRun::plan(Request {
            limits,
            pairings: pairings(&levels, &anchors),
            games: self.games,
            openings: OpeningsSpec { seed: self.seed, ..OpeningsSpec::default() },
            conduct,
            jobs: self.jobs,
            event: Some(format!("calibration of {name}")),
            showing: Showing {
                calibration: Some(CalibrationShowing { within: self.within }),
                ..Showing::default()
            },
            ..Request::new(engines, self.limit)
        })
    }
}

/// An engine under another name and with further options; those that it has stay.
fn with<'a>(
    spec: &EngineSpec,
    name: String,
    options: impl IntoIterator<Item = (&'a str, String)>,
) -> EngineSpec {
    let mut all: BTreeMap<String, String> =
        options.into_iter().map(|(option, value)| (option.to_owned(), value)).collect();
    all.extend(spec.options.clone());
    EngineSpec { name, options: all, ..spec.clone() }
}

/// Whether the mistakes of an engine follow from an option `Seed`.
fn takes_seed(spec: &EngineSpec) -> bool {
    matches!(spec.program, Program::Builtin) || spec.options.contains_key("Seed")
}

fn limited(elo: u32) -> [(&'static str, String); 2] {
    [("UCI_LimitStrength", "true".to_owned()), ("UCI_Elo", elo.to_string())]
}

/// Each level with the next one and with the nearest anchors; levels come before anchors.
fn pairings(levels: &[f64], anchors: &[f64]) -> Vec<(usize, usize)> {
    let chain = (1..levels.len()).map(|level| (level, level - 1));
    let mut pairings: Vec<(usize, usize)> = chain.collect();
    for (level, elo) in levels.iter().enumerate() {
        let apart = |anchor: &usize| (anchors[*anchor] - elo).abs();
        let mut near: Vec<usize> =
            (0..anchors.len()).filter(|anchor| apart(anchor) <= REACH).collect();
        near.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
        near.truncate(ANCHORS_EACH);
        pairings.extend(near.into_iter().map(|anchor| (level, levels.len() + anchor)));
    }
    pairings
}

/// Rates the games of a run, finished or not.
///
/// # Errors
/// When there is no such run, or it is no calibration.
pub fn rate(ledger: &Ledger, run: &str) -> Result<Calibration, Failure> {
    let run = ledger.facts(run)?;
    let facts: MatchFacts = report::facts(&run)?;
    let entrants: Vec<Entrant> =
        facts.engines.iter().filter_map(|engine| entrant(&engine.name)).collect();
    for (is_anchor, what) in [(false, "level"), (true, "anchor")] {
        if !entrants.iter().any(|entrant| entrant.is_anchor == is_anchor) {
            return Err(NotACalibration(run.id, what)).or_usage();
        }
    }
    let mut tally = Tally::new(&entrants[0].name);
    let each = ledger.each_result(&run.id, |game| {
        if let Some(score) = game.score() {
            tally.add(&counted(&game, score));
        }
        Ok::<(), LedgerError>(())
    });
    each?;
    Ok(Calibration::new(&run.id, facts.seed, &entrants, &tally))
}

/// A player by its name.
fn entrant(name: &str) -> Option<Entrant> {
    let level = name.rsplit_once(LEVEL_MARK).map(|(_, elo)| (elo, false));
    let anchor = name.rsplit_once(ANCHOR_MARK).map(|(_, elo)| (elo, true));
    let (elo, is_anchor) = level.or(anchor)?;
    Some(Entrant { name: name.to_owned(), stated: elo.parse().ok()?, is_anchor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_meet_their_neighbours_and_the_nearest_anchors() {
        let met = pairings(&[800.0, 1400.0, 1900.0], &[1350.0, 1500.0, 1600.0, 2100.0]);
        assert_eq!(met, [(1, 0), (2, 1), (1, 3), (1, 4), (2, 6), (2, 5)]);
    }

    #[test]
    fn an_anchor_is_an_engine_its_elo_and_its_limit() {
        let anchor: Anchor = "./my@engine@1500:tc=8+0.08".parse().expect("well formed");
        assert_eq!((anchor.engine.as_str(), anchor.elo), ("./my@engine", 1500));
        assert_eq!(anchor.limit.to_string(), "tc=8+0.08");
        for wrong in ["stockfish", "stockfish@1500", "@1500:nodes=5", "a@b:nodes=5", "a@1:nodes=x"]
        {
            assert!(wrong.parse::<Anchor>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn players_are_known_by_their_names() {
        let level = entrant("builtin level 800").expect("a level");
        assert_eq!((level.stated, level.is_anchor), (800.0, false));
        let anchor = entrant("stockfish@1350").expect("an anchor");
        assert_eq!((anchor.stated, anchor.is_anchor), (1350.0, true));
        assert_eq!(entrant("stockfish"), None);
    }
}
