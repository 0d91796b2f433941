//! Playing trials: pairs of games between two settings of one engine.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use shakmaty::ByColor;

use crate::arena::pgn::{self, Tags};
use crate::arena::{
    BookError, Conduct, Endings, EndingsError, GameRecord, GameResult, Leg, NoGame, Opening,
    OpeningError, Openings, Setup, play,
};
use crate::context::Interrupt;
use crate::player::{self, EngineSpec, Fault, FaultKind, Limit, Player, StartSettings};
use crate::stats::GameScore;

/// UCI options by name.
pub type Settings = BTreeMap<String, String>;

/// A pair to be played: plain data, and as good when it is played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairTask {
    /// Number of the pair within the run, from 0: it says which opening.
    pub pair: u64,
    /// What the two players are set to; the first one has White in the first game.
    pub sides: [Settings; 2],
}

/// A finished pair.
#[derive(Clone, Debug)]
pub struct PlayedPair {
    /// Its number.
    pub pair: u64,
    /// Both games.
    pub games: [GameRecord; 2],
}

impl PlayedPair {
    /// What the first player got in both games; `None` if one of them did not count, because a
    /// player crashed, hung or answered nonsense: that says nothing of its settings.
    pub fn scores(&self) -> Option<[GameScore; 2]> {
        let [first, second] = &self.games;
        let counts = |game: &GameRecord| {
            !game.termination.needs_restart()
                && !matches!(
                    game.termination,
                    crate::arena::Termination::IllegalMove | crate::arena::Termination::NoMove
                )
        };
        (counts(first) && counts(second))
            .then(|| [first.result.for_white(), second.result.for_white().reversed()])
    }
}

/// Why not all pairs were played.
#[derive(Debug)]
pub enum Trouble {
    /// The user asked for it.
    Interrupted,
    /// The engine could not be started or set.
    Fault(Fault),
    /// An opening could not be read.
    Book(BookError),
    /// An opening could not be played from.
    Opening(u64, OpeningError),
    /// An endgame table could not be read.
    Endings(EndingsError),
}

/// What all pairs of a run have in common.
pub struct Crew<'a> {
    engine: &'a EngineSpec,
    limit: Limit,
    conduct: &'a Conduct,
    openings: &'a Openings,
    endings: Option<&'a Endings>,
    event: String,
    interrupt: Interrupt,
    workers: Vec<Mutex<Table>>,
}

/// Ends the work of all, when a panic drops it before it is forgotten.
struct EndOnPanic<'a>(&'a AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A worker's two players; they stay from pair to pair.
type Table = [Option<Box<dyn Player + Send>>; 2];

/// The players' names in the PGN.
const NAMES: [&str; 2] = ["first", "second"];

impl<'a> Crew<'a> {
    /// `jobs` workers; players are started when they are needed.
    pub fn new(
        engine: &'a EngineSpec,
        limit: Limit,
        conduct: &'a Conduct,
        openings: &'a Openings,
        jobs: usize,
        interrupt: &Interrupt,
    ) -> Crew<'a> {
        let workers = (0..jobs.max(1)).map(|_| Mutex::new([None, None])).collect();
        let event = format!("tuning {}", engine.name);
        let interrupt = interrupt.clone();
        Crew { engine, limit, conduct, openings, endings: None, event, interrupt, workers }
    }

    /// The same, whose games endgame tables may end.
    pub fn with_endings(self, endings: Option<&'a Endings>) -> Crew<'a> {
        Crew { endings, ..self }
    }

    /// Plays pairs, in parallel; `keep` gets each when it is finished, one at a time.
    ///
    /// # Errors
    /// [`Trouble`] says why not all were played, or what `keep` said; those that were kept are
    /// finished.
    pub fn play<E: Send>(
        &self,
        tasks: &[PairTask],
        keep: impl FnMut(PlayedPair) -> Result<(), E> + Send,
    ) -> Result<Result<(), E>, Trouble> {
        let next = AtomicUsize::new(0);
        let over = AtomicBool::new(false);
        let keep = Mutex::new((keep, Ok(())));
        let trouble = Mutex::new(None);
        thread::scope(|scope| {
            for table in &self.workers {
                scope.spawn(|| {
                    let on_panic = EndOnPanic(&over);
                    // A worker that panicked is the only one that leaves a poisoned lock.
                    let mut table = table.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    while !over.load(Ordering::Relaxed) {
                        let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else {
                            break;
                        };
                        match self.play_pair(task, &mut table) {
                            Ok(pair) => {
                                let mut guard = keep.lock().unwrap_or_else(|p| p.into_inner());
                                let (keep, kept) = &mut *guard;
                                if kept.is_ok() {
                                    *kept = keep(pair);
                                }
                                if kept.is_err() {
                                    over.store(true, Ordering::Relaxed);
                                }
                            }
                            Err(reason) => {
                                over.store(true, Ordering::Relaxed);
                                let mut first = trouble.lock().unwrap_or_else(|p| p.into_inner());
                                first.get_or_insert(reason);
                            }
                        }
                    }
                    std::mem::forget(on_panic);
                });
            }
        });
        if let Some(trouble) = trouble.into_inner().unwrap_or_else(|p| p.into_inner()) {
            return Err(trouble);
        }
        Ok(keep.into_inner().unwrap_or_else(|p| p.into_inner()).1)
    }

    fn play_pair(&self, task: &PairTask, table: &mut Table) -> Result<PlayedPair, Trouble> {
        let opening = self.openings.get(task.pair).map_err(Trouble::Book)?;
        for (seat, settings) in table.iter_mut().zip(&task.sides) {
            self.seat(seat, settings)?;
        }
        let first = self.play_game(task, &opening, Leg::First, table)?;
        for (seat, settings) in table.iter_mut().zip(&task.sides) {
            if seat.is_none() {
                self.seat(seat, settings)?;
            }
        }
        let second = self.play_game(task, &opening, Leg::Second, table)?;
        Ok(PlayedPair { pair: task.pair, games: [first, second] })
    }

    /// A player with these settings: the one that sits there, or a fresh one.
    fn seat(
        &self,
        seat: &mut Option<Box<dyn Player + Send>>,
        settings: &Settings,
    ) -> Result<(), Trouble> {
        let sort = |fault: Fault| match fault.kind {
            FaultKind::Interrupted => Trouble::Interrupted,
            _ => Trouble::Fault(fault),
        };
        if let Some(player) = seat {
            match player.set_options(settings) {
                Ok(()) => return Ok(()),
                // A value that it does not take would not be taken by a fresh one.
                Err(fault) if matches!(fault.kind, FaultKind::Setting | FaultKind::Interrupted) => {
                    return Err(sort(fault));
                }
                Err(_died_between_games) => *seat = None,
            }
        }
        let mut spec = self.engine.clone();
        spec.options.extend(settings.clone());
        let player = player::start(&spec, &StartSettings::default(), &self.interrupt);
        *seat = Some(player.map_err(sort)?);
        Ok(())
    }

    fn play_game(
        &self,
        task: &PairTask,
        opening: &Opening,
        leg: Leg,
        table: &mut Table,
    ) -> Result<GameRecord, Trouble> {
        let setup = Setup {
            opening,
            limits: ByColor { white: self.limit, black: self.limit },
            conduct: self.conduct,
            endings: self.endings,
        };
        let seats = match leg {
            Leg::First => ByColor { white: 0, black: 1 },
            Leg::Second => ByColor { white: 1, black: 0 },
        };
        let game = {
            let [Some(first), Some(second)] = table else {
                unreachable!("both seats were taken before the game")
            };
            let players: ByColor<&mut dyn Player> = match leg {
                Leg::First => ByColor { white: first.as_mut(), black: second.as_mut() },
                Leg::Second => ByColor { white: second.as_mut(), black: first.as_mut() },
            };
            play(setup, players, &mut |_, _, _| {}).map_err(|reason| match reason {
                NoGame::Player(fault) if fault.kind == FaultKind::Interrupted => {
                    Trouble::Interrupted
                }
                NoGame::Player(fault) => Trouble::Fault(fault),
                NoGame::Opening(error) => Trouble::Opening(task.pair, error),
            })?
        };
        self.endings.map_or(Ok(()), Endings::check).map_err(Trouble::Endings)?;
        if let Some(side) = game.unusable() {
            table[seats[side]] = None;
        }
        let names = seats.map(|seat| NAMES[seat]);
        let tags = Tags { event: &self.event, pair: task.pair, leg, names };
        let plies = game.moves.len() - opening.moves.len();
        Ok(GameRecord {
            pair: task.pair,
            leg,
            white: seats.white,
            black: seats.black,
            result: game.result,
            termination: game.termination,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            took: game.took,
            nodes: [game.nodes.white, game.nodes.black],
            pgn: pgn::write(&tags, &setup, &game),
            reason: game.reason,
        })
    }
}

/// What White got, as the ledger keeps it for the first player of a pair.
pub fn first_half_points(leg: Leg, result: GameResult) -> u8 {
    let white = result.for_white();
    let first = if leg == Leg::First { white } else { white.reversed() };
    u8::try_from(first.half_points()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use super::*;
    use crate::arena::{Adjudication, OpeningsSpec, Order, Strictness};
    use crate::player::Program;

    fn builtin() -> EngineSpec {
        EngineSpec {
            name: "builtin".to_owned(),
            program: Program::Builtin,
            options: [("Hash".to_owned(), "1".to_owned())].into(),
        }
    }

    fn settings(value: i32) -> Settings {
        [("rfp_margin".to_owned(), value.to_string())].into()
    }

    #[test]
    fn equal_sides_draw_every_pair_and_results_do_not_depend_on_the_workers() {
        let spec = OpeningsSpec {
            file: None,
            sha256: None,
            order: Order::Random,
            skip: 0,
            plies: None,
            seed: 1,
            chess960: false,
        };
        let openings = Openings::load(&spec).expect("the book");
        let conduct = Conduct {
            chess960: false,
            adjudication: Adjudication { max_moves: Some(40), ..Default::default() },
            strictness: Strictness { margin: None, watchdog: Duration::from_secs(60) },
            restart: false,
        };
        let tasks: Vec<PairTask> = (0..6)
            .map(|pair| {
                let other = if pair < 3 { 75 } else { 30 };
                PairTask { pair, sides: [settings(75), settings(other)] }
            })
            .collect();
        let engine = builtin();
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let played = |jobs| {
            let crew = Crew::new(&engine, Limit::Nodes(200), &conduct, &openings, jobs, &interrupt);
            let mut scores = BTreeMap::new();
            let kept = crew.play(&tasks, |pair| {
                scores.insert(pair.pair, pair.scores());
                Ok::<(), Infallible>(())
            });
            assert!(matches!(kept, Ok(Ok(()))));
            scores
        };
        let alone = played(1);
        assert_eq!(alone, played(3));
        assert_eq!(alone.len(), 6);
        for pair in 0..3 {
            let [first, second] = alone[&pair].expect("no fault");
            assert_eq!(first, second.reversed(), "pair {pair}");
        }
    }
}
