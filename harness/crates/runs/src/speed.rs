//! Engines side by side on a set of positions: nodes a second, and the time to a depth.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::preflight;
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_notation::epd::{self, EpdPosition};
use harness_outcome::Speed;
use harness_player::probe::Probe;
use harness_player::{self as player, EngineSpec, Limit, StartSettings};
use harness_suite::speed::{Search, Task, search, speeds};

/// Ten positions, from the opening to a pawn ending.
const POSITIONS: &str = suites::SPEED;

/// Positions that cannot be read.
#[derive(Debug, Error, Diagnostic)]
enum PositionsError {
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("--positions wants a file of EPD or FEN lines"))]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("there is no position in {}", path.display())]
    #[diagnostic(help("--positions wants a file of EPD or FEN lines"))]
    Empty { path: PathBuf },
}

/// A comparison of speeds, planned. It is not kept in the ledger: what counts are ratios of
/// searches that were made within a minute.
#[derive(Clone, Debug)]
pub struct SpeedRun {
    /// The engines; the others are compared with the first.
    pub engines: Vec<EngineSpec>,
    /// The positions.
    pub positions: Vec<EpdPosition>,
    /// The search of each position.
    pub task: Task,
    /// How often each position is searched by each engine.
    pub rounds: u32,
}

/// Something that happened in a comparison of speeds.
pub enum Event<'a> {
    /// A reason to trust the result less.
    Warning(&'a str),
    /// A position was searched.
    Searched {
        /// Searches so far.
        done: u64,
        /// The position's id.
        position: &'a str,
        /// The engine's name.
        engine: &'a str,
    },
}

impl SpeedRun {
    /// Searches in all.
    pub fn searches(&self) -> u64 {
        (self.engines.len() * self.positions.len()) as u64 * u64::from(self.rounds)
    }

    /// Probes the engines and lets them search in turns.
    ///
    /// # Errors
    /// When an engine fails, or the user interrupts.
    pub fn start(
        &self,
        session: &Session,
        sink: &dyn Fn(&Event<'_>),
    ) -> Result<Vec<Speed>, Failure> {
        let limit = Limit::MoveTime(self.task.at_most);
        let asked = Probe { keeps_process: false, ..Probe::new(limit) };
        let asked = self.engines.iter().map(|engine| (engine, asked.clone()));
        preflight::probe_all(asked, session, &|text| sink(&Event::Warning(text)))?;
        let mut players = Vec::new();
        for engine in &self.engines {
            players.push(player::start(engine, &StartSettings::default(), &session.interrupt)?);
        }
        let mut searches: Vec<Vec<Search>> = vec![Vec::new(); players.len()];
        let mut done = 0;
        for turn in 0..self.positions.len() * self.rounds as usize {
            let position = &self.positions[turn % self.positions.len()];
            // The order rotates: the first one may find the machine cooler.
            for place in 0..players.len() {
                let number = (place + turn) % players.len();
                searches[number].push(search(players[number].as_mut(), position, self.task)?);
                done += 1;
                let engine = &self.engines[number].name;
                sink(&Event::Searched { done, position: &position.id, engine });
            }
        }
        let names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        Ok(speeds(&names, &searches))
    }
}

/// The positions of an EPD or FEN file; without one, ten that are built in.
///
/// # Errors
/// When the file cannot be read, or holds no position.
pub fn positions(file: Option<&Path>) -> Result<Vec<EpdPosition>, Failure> {
    let Some(path) = file else {
        return epd::read("speed.epd", POSITIONS.as_bytes()).or_failed();
    };
    let path = path.to_owned();
    let bytes = harness_base::input::read(&path)
        .map_err(|source| PositionsError::Unreadable { path: path.clone(), source })
        .or_usage()?;
    let positions = epd::read(&path.display().to_string(), &bytes).or_usage()?;
    if positions.is_empty() {
        return Err(PositionsError::Empty { path }).or_usage();
    }
    Ok(positions)
}
