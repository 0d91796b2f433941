//! The players of a worker, kept from job to job.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use miette::Diagnostic;
use shakmaty::ByColor;
use thiserror::Error;

use super::super::child::StartSettings;
use super::super::{EngineSpec, Fault, FaultKind, NamedFiles, Player, start_unchanged};
use harness_base::session::Interrupt;

/// Failures in a row after which a player is given up.
const MAX_FAILURES: u32 = 5;

/// Starts a player that respects an interrupt.
pub type Start<'a> =
    dyn Fn(&EngineSpec, &Interrupt) -> Result<Box<dyn Player + Send>, Fault> + Sync + 'a;

/// UCI options by name.
pub type Settings = BTreeMap<String, String>;

/// Starts players with these settings, as long as their programs are those that were found.
pub fn start_with(
    settings: StartSettings,
) -> impl Fn(&EngineSpec, &Interrupt) -> Result<Box<dyn Player + Send>, Fault> + Sync {
    move |spec, interrupt| start_unchanged(spec, &NamedFiles::default(), &settings, interrupt)
}

/// An engine that failed several jobs in a row.
#[derive(Debug, Error, Diagnostic)]
#[error("{engine} failed at {times} positions in a row; the last time: {last}")]
#[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
pub struct GivenUp {
    /// The engine.
    pub engine: String,
    /// How many jobs.
    pub times: u32,
    /// Its last failure.
    pub last: String,
}

/// A player that a job needs.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Its number in the run: a player of the same number is kept.
    pub number: usize,
    /// The engine to start.
    pub engine: &'a EngineSpec,
    /// Options that change from job to job; the same ones are named each time.
    pub settings: &'a Settings,
}

/// The players of a worker, at most two; they stay while they are wanted.
pub struct Seats<'a> {
    start: &'a Start<'a>,
    interrupt: Interrupt,
    taken: Vec<(usize, Box<dyn Player + Send>)>,
    /// Numbers of players that were started before.
    known: BTreeSet<usize>,
    failures: u32,
}

impl<'a> Seats<'a> {
    /// Empty ones.
    pub fn new(start: &'a Start<'a>, interrupt: &Interrupt) -> Seats<'a> {
        let interrupt = interrupt.clone();
        let taken = Vec::with_capacity(2);
        let known = BTreeSet::new();
        Seats { start, interrupt, taken, known, failures: 0 }
    }

    /// One player; others are ended.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn one(&mut self, number: usize, engine: &EngineSpec) -> Result<&mut dyn Player, Fault> {
        const NONE: &Settings = &Settings::new();
        self.taken.retain(|(taken, _)| *taken == number);
        self.seat(Wanted { number, engine, settings: NONE })?;
        Ok(self.taken[0].1.as_mut())
    }

    /// Two players of different numbers; others are ended.
    ///
    /// # Errors
    /// When one of them cannot be started.
    pub fn two(
        &mut self,
        wanted: ByColor<Wanted<'_>>,
    ) -> Result<ByColor<&mut (dyn Player + 'static)>, Fault> {
        let white = wanted.white.number;
        let black = wanted.black.number;
        self.taken.retain(|(taken, _)| *taken == white || *taken == black);
        self.seat(wanted.white)?;
        self.seat(wanted.black)?;
        if self.taken[0].0 != white {
            self.taken.reverse();
        }
        let [(_, white), (_, black)] = &mut self.taken[..] else {
            panic!("a game is between two different players")
        };
        Ok(ByColor { white: white.as_mut(), black: black.as_mut() })
    }

    /// Whether this player sits there.
    pub fn has(&self, number: usize) -> bool {
        self.taken.iter().any(|(taken, _)| *taken == number)
    }

    /// Starts a player that does not sit there.
    fn seat(&mut self, wanted: Wanted<'_>) -> Result<(), Fault> {
        if !self.has(wanted.number) {
            let mut engine = Cow::Borrowed(wanted.engine);
            if !wanted.settings.is_empty() {
                engine.to_mut().options.extend(wanted.settings.clone());
            }
            let player = match (self.start)(&engine, &self.interrupt) {
                // It has started before: the machine may be busy for a moment.
                Err(fault)
                    if self.known.contains(&wanted.number) && fault.kind == FaultKind::Start =>
                {
                    tracing::warn!("{fault}; trying again");
                    (self.start)(&engine, &self.interrupt)?
                }
                started => started?,
            };
            self.known.insert(wanted.number);
            self.taken.push((wanted.number, player));
        }
        Ok(())
    }

    /// Sets the options of a player that sits there already, between two games.
    ///
    /// # Errors
    /// When it does not take them. A player that died between the games is dropped: the next one
    /// is started with them.
    pub fn set(&mut self, wanted: Wanted<'_>) -> Result<(), Fault> {
        let sits = self.taken.iter_mut().find(|(taken, _)| *taken == wanted.number);
        let (false, Some((_, player))) = (wanted.settings.is_empty(), sits) else { return Ok(()) };
        match player.set_options(wanted.settings) {
            // A fresh player would refuse the value, too.
            Err(fault) if matches!(fault.kind, FaultKind::Setting | FaultKind::Interrupted) => {
                Err(fault)
            }
            Err(_died_between_games) => {
                self.dismiss(wanted.number);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Ends a player, so that the next job gets a fresh one.
    pub fn dismiss(&mut self, number: usize) {
        self.taken.retain(|(taken, _)| *taken != number);
    }

    /// Ends the players whose process plays one game only.
    pub fn dismiss_used(&mut self) {
        self.taken.retain(|(_, player)| player.is_reusable());
    }

    /// Resets the count of failures: the player's reply could be used.
    pub fn answered(&mut self) {
        self.failures = 0;
    }

    /// Counts a failed job; the next job gets a fresh player.
    ///
    /// # Errors
    /// When it failed too many jobs in a row.
    pub fn failed(&mut self, number: usize, engine: &str, last: &str) -> Result<(), GivenUp> {
        self.dismiss(number);
        self.failures += 1;
        if self.failures < MAX_FAILURES {
            return Ok(());
        }
        let engine = engine.to_owned();
        let times = self.failures;
        let last = last.to_owned();
        Err(GivenUp { engine, times, last })
    }
}
