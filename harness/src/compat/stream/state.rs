//! What a stream of lines knows of its run.

use std::collections::{BTreeMap, HashMap};

use super::super::lines::counts::{Counts, Scoreboard, Scored};
use super::super::lines::cutechess::{self, ByColour};
use super::super::lines::reason::reason;
use super::super::outputs::{GameFiles, OutputError};
use super::held::HeldLines;
use crate::arena::{Leg, Termination};
use crate::output;
use crate::runs::games::KeptGame;
use crate::stats::{GameScore, Sprt};

/// What could not be written.
#[derive(Debug, Default)]
pub struct Unwritten {
    /// A line.
    pub line: Option<output::OutputError>,
    /// A game.
    pub game: Option<OutputError>,
}

/// What a stream knows of its run.
pub(super) struct State {
    pub names: Vec<String>,
    /// Games at most.
    pub games: u64,
    pub sprt: Option<Sprt>,
    pub files: GameFiles,
    /// Pairs: of a test in the order of their numbers.
    pub board: Scoreboard,
    /// All games as they end.
    pub live: Scoreboard,
    pub sides: HashMap<usize, ByColour>,
    /// The ends of games, by engine, in the words of cutechess-cli.
    pub outcomes: BTreeMap<usize, BTreeMap<String, u64>>,
    /// Losses by time and by crashes, by engine.
    pub losses: BTreeMap<usize, (u64, u64)>,
    /// Games that are kept.
    pub kept: u64,
    /// Counted pairs of a test: those before this number.
    pub next_pair: u64,
    /// Pairs of a test that wait for those before them.
    pub waiting: BTreeMap<u64, Vec<Owned>>,
    /// Games of an earlier process.
    pub earlier: Vec<Owned>,
    /// Nothing more is printed of games: the test is decided, or the match has to end.
    pub is_over: bool,
    /// The match was ended by a crash.
    pub is_broken: bool,
    /// The block of results that was printed last, by the number of games.
    pub block_at: Option<u64>,
    /// Lines of threads whose games are not kept yet.
    pub held: HeldLines,
    pub run: String,
    pub unwritten: Unwritten,
}

/// A kept game that waits.
pub(super) struct Owned {
    /// The files have it already.
    pub is_written: bool,
    pub scored: Scored,
    pub leg: Leg,
    pub termination: Termination,
    pub reason: String,
    pub pgn: String,
}

impl State {
    /// Before the first event.
    pub fn new(files: GameFiles) -> State {
        State {
            names: Vec::new(),
            games: 0,
            sprt: None,
            files,
            board: Scoreboard::new(true),
            live: Scoreboard::new(false),
            sides: HashMap::new(),
            outcomes: BTreeMap::new(),
            losses: BTreeMap::new(),
            kept: 0,
            next_pair: 0,
            waiting: BTreeMap::new(),
            earlier: Vec::new(),
            is_over: false,
            is_broken: false,
            block_at: None,
            held: HeldLines::default(),
            run: String::new(),
            unwritten: Unwritten::default(),
        }
    }

    /// Counts of pairs, or of single games and of pairs.
    pub fn counts(&self, by_pairs: bool, of: impl Fn(&Scoreboard) -> Counts) -> Counts {
        let pairs = of(&self.board);
        if by_pairs {
            return pairs;
        }
        let Counts { wins, losses, draws, .. } = of(&self.live);
        Counts { wins, losses, draws, ..pairs }
    }

    /// Counts the games of an earlier process, as they were counted there.
    pub fn count_earlier(&mut self) {
        for game in std::mem::take(&mut self.earlier) {
            self.note(&game.view());
            self.kept += 1;
            self.live.add(&game.scored);
            if self.sprt.is_some() {
                self.waiting.entry(game.scored.pair).or_default().push(game);
            } else {
                self.board.add(&game.scored);
            }
        }
        while self.next_pair().is_some() {}
    }

    /// Counts the next pair of a test, if both of its games are there; gives them in their order.
    pub fn next_pair(&mut self) -> Option<Vec<Owned>> {
        let pair = self.waiting.first_entry()?;
        if *pair.key() != self.next_pair || pair.get().len() != 2 {
            return None;
        }
        let mut games = pair.remove();
        games.sort_by_key(|game| game.leg);
        for game in &games {
            self.board.add(&game.scored);
        }
        self.next_pair += 1;
        Some(games)
    }

    /// Notes what a game says of its engines, whether it counts or not.
    pub fn note(&mut self, game: &KeptGame<'_>) {
        let place = |result: GameScore| [1, 2, 0][result.half_points()];
        self.sides.entry(game.white).or_default().white[place(game.result)] += 1;
        self.sides.entry(game.black).or_default().black[place(game.result.reversed())] += 1;
        let words = reason(game.termination, game.result, game.reason, true);
        for (engine, score) in [(game.white, game.result), (game.black, game.result.reversed())] {
            let prefix = ["Loss: ", "", "Win: "][score.half_points()];
            let outcomes = self.outcomes.entry(engine).or_default();
            *outcomes.entry(format!("{prefix}{words}")).or_default() += 1;
        }
        let loser = if game.result == GameScore::Win { game.black } else { game.white };
        match game.termination {
            Termination::TimeForfeit => self.losses.entry(loser).or_default().0 += 1,
            Termination::Crash | Termination::Disconnect | Termination::Stall => {
                self.losses.entry(loser).or_default().1 += 1;
            }
            _ => {}
        }
    }
}

impl State {
    /// The ends of games of all engines, for cutechess-cli.
    pub fn outcomes(&self) -> String {
        let of_engine = |(&engine, counts): (&usize, &BTreeMap<String, u64>)| {
            (self.names[engine].as_str(), counts.clone())
        };
        let engines: Vec<(&str, BTreeMap<String, u64>)> =
            self.outcomes.iter().map(of_engine).collect();
        cutechess::outcomes(&engines)
    }
}

impl Owned {
    pub fn new(game: &KeptGame<'_>) -> Owned {
        Owned {
            is_written: false,
            scored: scored(game),
            leg: game.leg,
            termination: game.termination,
            reason: game.reason.to_owned(),
            pgn: game.pgn.to_owned(),
        }
    }

    pub fn view(&self) -> KeptGame<'_> {
        let Scored { pair, white, black, result } = self.scored;
        let (leg, termination) = (self.leg, self.termination);
        let (reason, pgn) = (self.reason.as_str(), self.pgn.as_str());
        KeptGame { pair, leg, white, black, result, termination, reason, pgn }
    }
}

pub(super) fn scored(game: &KeptGame<'_>) -> Scored {
    let KeptGame { pair, white, black, result, .. } = *game;
    Scored { pair, white, black, result }
}

#[cfg(test)]
mod tests {
    use super::super::super::outputs::Outputs;
    use super::*;
    use crate::stats::Model;

    fn game(pair: u64, leg: Leg, is_written: bool) -> Owned {
        let [white, black] = if leg == Leg::First { [0, 1] } else { [1, 0] };
        let scored = Scored { pair, white, black, result: GameScore::Win };
        let (termination, reason, pgn) = (Termination::Checkmate, String::new(), String::new());
        Owned { is_written, scored, leg, termination, reason, pgn }
    }

    #[test]
    fn the_pairs_of_a_continued_test_count_in_their_order_and_no_game_is_written_twice() {
        let mut state = State::new(Outputs::default().open(false).expect("no file"));
        state.sprt = Some(Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid"));
        state.earlier =
            [(0, Leg::Second), (0, Leg::First), (1, Leg::First), (2, Leg::First), (2, Leg::Second)]
                .map(|(pair, leg)| game(pair, leg, true))
                .into();
        state.count_earlier();
        assert_eq!((state.kept, state.next_pair, state.board.of(0, 1).pairs()), (5, 1, 1));
        state.waiting.entry(1).or_default().push(game(1, Leg::Second, false));
        let pair = state.next_pair().expect("it is complete");
        assert_eq!(pair.iter().map(|game| game.is_written).collect::<Vec<_>>(), [true, false]);
        assert!(state.next_pair().is_some_and(|pair| pair.iter().all(|game| game.is_written)));
        assert!(state.next_pair().is_none());
        assert_eq!(state.board.of(0, 1).pentanomial().0, [0, 0, 3, 0, 0]);
        assert_eq!(state.live.of(0, 1).games(), 5);
    }
}
