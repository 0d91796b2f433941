//! Making a suite from games: from the games to the file.

use std::ffi::OsStr;
use std::path::PathBuf;

use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use super::search::failure;
use super::{Event, Sink, preflight};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_file;
use harness_base::text::{self, shell_words};
use harness_outcome::made_suite::{MadeSuite, MakeTally};
use harness_player::pool::start_with;
use harness_player::{EngineSpec, Score, StartSettings};
use harness_suite::make::{Candidates, MakeError, Naming, Recipe, SuitePosition, make, to_epd};

/// A suite to be made.
#[derive(Debug)]
pub struct MakeRun {
    /// Who searches.
    pub engine: EngineSpec,
    /// Where the candidates are from, as the user named it.
    pub from: String,
    /// The candidates.
    pub candidates: Candidates,
    /// The positions that are kept.
    pub recipe: Recipe,
    /// Positions searched at the same time.
    pub jobs: usize,
    /// The file to write.
    pub output: PathBuf,
}

/// Nothing was found.
#[derive(Debug, Error, Diagnostic)]
#[error("no position is clear enough: {kept} of {searched} at first, none when verified")]
#[diagnostic(help("take more games, a smaller --margin, or more candidates with --every 1"))]
struct NothingFound {
    kept: u64,
    searched: u64,
}

/// A suite that was made and written; as JSON, the object of `harness suite make --json`.
#[derive(Debug, Serialize)]
pub struct SuiteMade {
    /// The file.
    #[serde(with = "harness_base::text::path")]
    pub file: PathBuf,
    /// Where the games are from.
    pub from: String,
    /// Who searched.
    pub engine: String,
    /// Games.
    pub games: u64,
    /// Candidates of these games.
    pub candidates: usize,
    /// How many of them came how far.
    #[serde(flatten)]
    pub tally: MakeTally,
    /// Positions of the suite.
    pub positions: usize,
    /// The positions.
    pub results: Vec<PositionMade>,
    /// Games of other variants or with an illegal move.
    #[serde(skip)]
    faulty: u64,
}

/// A position of a suite that was made.
#[derive(Debug, Serialize)]
pub struct PositionMade {
    id: String,
    epd: String,
    r#move: String,
    san: String,
    score: Score,
    second: Score,
    game: u64,
    ply: u32,
}

impl MakeRun {
    /// Probes the engine, searches the candidates and writes the suite. What was found until an
    /// interrupt is written, too.
    ///
    /// # Errors
    /// When the engine fails, nothing is found, the file cannot be written, or the user interrupts.
    pub fn start(
        &self,
        session: &Session,
        sink: &Sink<'_, MakeTally>,
    ) -> Result<SuiteMade, Failure> {
        let MakeRun { engine, candidates, recipe, .. } = self;
        let warn = |text: &str| sink(Event::Warning(text));
        preflight::probe_nodes(engine, recipe.nodes, session, &warn)?;
        let (start, interrupt) = (start_with(StartSettings::default()), &session.interrupt);
        let mut show = |tally: &MakeTally| sink(Event::Progress(*tally));
        let order = candidates.shuffled();
        let made = make(recipe, &order, self.jobs, engine, &start, interrupt, &mut show);
        let (found, tally) = made.map_err(|error| match error {
            MakeError::Engine(ref fault) => failure(fault.kind, error),
            MakeError::NoSecondBest { .. } => Failure::Usage(error.into()),
            error @ MakeError::GivenUp(_) => Failure::Failed(error.into()),
        })?;
        let naming = self.naming();
        match (found.len(), interrupt.is_set()) {
            (0, true) => return Err(Failure::Interrupted("nothing was found yet".to_owned())),
            (0, false) => {
                let MakeTally { kept, searched, .. } = tally;
                return Err(NothingFound { kept, searched }).or_failed();
            }
            (number, is_interrupted) => {
                let text = to_epd(&naming, recipe.verify_nodes, &found, candidates);
                write_file(&self.output, text, Some("name another file with --output"))?;
                if is_interrupted {
                    let file = self.output.display();
                    let kept = format!("{number} positions found so far are in {file}");
                    return Err(Failure::Interrupted(kept));
                }
            }
        }
        Ok(SuiteMade {
            file: self.output.clone(),
            from: self.from.clone(),
            games: candidates.games,
            candidates: candidates.len(),
            tally,
            positions: found.len(),
            results: (1..).zip(&found).map(|(at, found)| position(&naming, at, found)).collect(),
            engine: naming.engine,
            faulty: candidates.faulty,
        })
    }

    fn naming(&self) -> Naming {
        let stem = self.output.file_stem().unwrap_or(OsStr::new("suite"));
        let words = std::iter::once("harness".to_owned()).chain(text::arguments().skip(1));
        let header = format!(
            "One move is better than all others by {} centipawns at least.\n\
             Made by harness {} with: {}",
            self.recipe.margin,
            env!("CARGO_PKG_VERSION"),
            shell_words(words),
        );
        let name = stem.to_string_lossy().into_owned();
        Naming { name, engine: self.engine.name.clone(), header }
    }
}

fn position(naming: &Naming, number: usize, found: &SuitePosition) -> PositionMade {
    PositionMade {
        id: naming.id(number),
        epd: found.candidate.epd(),
        r#move: found.contrast.best.to_uci(found.candidate.castling).to_string(),
        san: found.san(),
        score: found.contrast.score,
        second: found.contrast.second,
        game: found.candidate.game + 1,
        ply: found.candidate.ply,
    }
}

impl SuiteMade {
    /// Its counts.
    pub fn counts(&self) -> MadeSuite {
        MadeSuite {
            file: self.file.display().to_string(),
            games: self.games,
            faulty: self.faulty,
            candidates: self.candidates as u64,
            tally: self.tally,
            positions: self.positions,
        }
    }
}
