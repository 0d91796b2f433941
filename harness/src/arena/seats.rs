//! The two players of a worker, kept from pair to pair.

use shakmaty::ByColor;

use super::pool::Start;
use super::schedule::Plan;
use crate::context::Interrupt;
use crate::player::{Fault, Player};

/// At most two players, which stay while their engines are wanted.
pub struct Seats<'a> {
    plan: &'a Plan,
    start: &'a Start<'a>,
    interrupt: Interrupt,
    taken: Vec<(usize, Box<dyn Player + Send>)>,
}

impl<'a> Seats<'a> {
    /// Empty ones.
    pub fn new(plan: &'a Plan, start: &'a Start<'a>, interrupt: &Interrupt) -> Seats<'a> {
        Seats { plan, start, interrupt: interrupt.clone(), taken: Vec::with_capacity(2) }
    }

    /// The players of two different engines; whoever else was there is ended.
    ///
    /// # Errors
    /// When one of them cannot be started.
    pub fn take(&mut self, engines: ByColor<usize>) -> Result<ByColor<&mut dyn Player>, Fault> {
        self.taken.retain(|(engine, _)| *engine == engines.white || *engine == engines.black);
        for engine in [engines.white, engines.black] {
            if !self.taken.iter().any(|(taken, _)| *taken == engine) {
                let player = (self.start)(&self.plan.engines[engine], &self.interrupt)?;
                self.taken.push((engine, player));
            }
        }
        if self.taken[0].0 != engines.white {
            self.taken.reverse();
        }
        let [(_, white), (_, black)] = &mut self.taken[..] else {
            panic!("a game is between two different engines")
        };
        Ok(ByColor { white: white.as_mut(), black: black.as_mut() })
    }

    /// Ends a player, so that the next game gets a fresh one.
    pub fn dismiss(&mut self, engine: usize) {
        self.taken.retain(|(taken, _)| *taken != engine);
    }
}
