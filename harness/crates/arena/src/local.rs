//! The executor of this process: threads with players of their own.

use std::convert::Infallible;
use std::thread;
use std::time::{Duration, Instant};

use super::event::{Event, Watch};
use super::executor::{Executor, Jobs, KeepGames, Unplayed};
use super::game::{self, Conduct, NoGame, Seen, Setup};
use super::pgn::{self, Tags};
use super::record::{GameRecord, Leg, PairJob, Side};
use super::tablebases::TablebaseAdjudicator;
use harness_base::session::Interrupt;
use harness_player::pool::{Hand, Pool, Seats, Start};

/// Longest time between two looks at the interrupt during a pause.
const PAUSE_STEP: Duration = Duration::from_millis(50);

/// Plays pair jobs on threads of this process.
pub struct LocalExecutor<'a> {
    pool: Pool<Seats<'a>>,
    games: PairPlayer<'a>,
}

/// Plays single pairs: what all games share.
pub struct PairPlayer<'a> {
    conduct: &'a Conduct,
    event: String,
    tablebases: Option<TablebaseAdjudicator>,
    watch: Option<&'a Watch<'a>>,
    interrupt: Interrupt,
}

impl<'a> LocalExecutor<'a> {
    /// Plays `at_once` pairs at the same time, with the tablebases that `conduct` names; `event` is
    /// the event of the PGN. Players are started when they are needed.
    ///
    /// # Errors
    /// When the tablebases cannot be used.
    pub fn new(
        conduct: &'a Conduct,
        event: &str,
        at_once: usize,
        start: &'a Start<'a>,
        interrupt: &Interrupt,
    ) -> Result<LocalExecutor<'a>, Unplayed> {
        let games = PairPlayer::new(conduct, event, interrupt)?;
        let pool = Pool::new(at_once, interrupt, |interrupt| Seats::new(start, interrupt));
        Ok(LocalExecutor { pool: pool.map_err(Unplayed::NotStarted)?, games })
    }

    /// The same, with an observer of the games' events, called from several threads at once.
    #[must_use]
    pub fn watched_by(mut self, watch: &'a Watch<'a>) -> LocalExecutor<'a> {
        self.games = self.games.watched_by(watch);
        self
    }
}

impl Executor for LocalExecutor<'_> {
    fn play(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed> {
        let LocalExecutor { pool, games } = self;
        let work = |seats: &mut Seats<'_>, job: Result<PairJob, _>, hand: &Hand<'_, GameRecord>| {
            games.play(&job?, seats, hand)
        };
        pool.run_batched(jobs, work, &mut |games| Ok::<_, Infallible>(keep(games)))?;
        Ok(())
    }
}

impl<'a> PairPlayer<'a> {
    /// With the tablebases that `conduct` names; `event` is the event of the PGN.
    ///
    /// # Errors
    /// When the tablebases cannot be used.
    pub fn new(
        conduct: &'a Conduct,
        event: &str,
        interrupt: &Interrupt,
    ) -> Result<PairPlayer<'a>, Unplayed> {
        let tablebases =
            conduct.adjudication.tablebases.as_ref().map(TablebaseAdjudicator::open).transpose()?;
        let (event, interrupt) = (event.to_owned(), interrupt.clone());
        Ok(PairPlayer { conduct, event, tablebases, watch: None, interrupt })
    }

    /// The same, with an observer of the games' events, called from several threads at once.
    #[must_use]
    pub fn watched_by(mut self, watch: &'a Watch<'a>) -> PairPlayer<'a> {
        self.watch = Some(watch);
        self
    }

    /// Plays the games of a pair; ends early when no more results are wanted.
    ///
    /// # Errors
    /// When a player cannot be started, or the opening not be played.
    pub fn play(
        &self,
        job: &PairJob,
        seats: &mut Seats<'_>,
        hand: &Hand<'_, GameRecord>,
    ) -> Result<(), Unplayed> {
        for side in &job.sides {
            seats.set(side.wanted()).map_err(Unplayed::NotStarted)?;
        }
        for leg in Leg::BOTH {
            if job.only.is_some_and(|only| only != leg) {
                continue;
            }
            let game = self.play_game(job, leg, seats)?;
            self.emit(&Event::Ended(&game));
            if hand(game).is_break() {
                break;
            }
            self.pause();
        }
        Ok(())
    }

    /// The pause after a game, which an interrupt ends.
    fn pause(&self) {
        let until = self.conduct.wait.map(|wait| Instant::now() + wait);
        while let Some(left) = until.and_then(|until| until.checked_duration_since(Instant::now()))
            && !left.is_zero()
            && !self.interrupt.is_set()
        {
            thread::sleep(left.min(PAUSE_STEP));
        }
    }

    fn emit(&self, event: &Event<'_>) {
        if let Some(watch) = self.watch {
            watch(event);
        }
    }

    fn play_game(
        &self,
        job: &PairJob,
        leg: Leg,
        seats: &mut Seats<'_>,
    ) -> Result<GameRecord, Unplayed> {
        let pair = job.pair;
        let opening = job.opening(leg);
        let sides = job.sides(leg);
        let engines = sides.map(|side| side.number);
        let setup = Setup {
            opening,
            limits: sides.map(|side| side.limit),
            conduct: self.conduct,
            tablebases: self.tablebases.as_ref(),
        };
        self.emit(&Event::Started { pair, leg, engines, opening });
        let players = seats.two(sides.map(Side::wanted)).map_err(Unplayed::NotStarted)?;
        let players = players.map(|player| player as _);
        let game = game::play(setup, players, &mut |seen| match seen {
            Seen::Move { side, uci, played } => {
                self.emit(&Event::Moved { pair, leg, side, uci, played });
            }
            Seen::Flaw { side, flaw, moves } => {
                self.emit(&Event::Flawed { pair, leg, side, engines, flaw, opening, moves });
            }
        });
        let game = game.map_err(|reason| match reason {
            NoGame::Player(fault) => Unplayed::NotStarted(fault),
            NoGame::Opening(source) => Unplayed::Opening(pair, source),
            NoGame::Lines(reason) => Unplayed::Lines(reason),
        })?;
        self.tablebases.as_ref().map_or(Ok(()), TablebaseAdjudicator::check)?;
        if let Some(side) = game.unusable() {
            seats.dismiss(engines[side]);
        }
        if self.conduct.restart {
            engines.into_iter().for_each(|engine| seats.dismiss(engine));
        }
        seats.dismiss_used();
        let names = sides.map(|side| side.name.as_str());
        let tags = Tags { event: &self.event, pair, leg, names };
        Ok(GameRecord {
            pair,
            leg,
            white: engines.white,
            black: engines.black,
            result: game.result,
            termination: game.termination,
            plies: u32::try_from(game.moves.len() - opening.moves.len()).unwrap_or(u32::MAX),
            took: game.took,
            nodes: [game.nodes.white, game.nodes.black],
            pgn: pgn::write(&tags, &setup, &game),
            reason: game.reason,
            worker: None,
        })
    }
}

#[cfg(test)]
mod tests;
