//! Which line of fastchess or cutechess-cli is printed when: events of a run in, lines out.
//!
//! As there, a line is printed when it happens: the start of a game when it starts, its end when it is kept, a
//! block of results when a pair is complete. Two rules are ours. What a thread does after a game waits until
//! the end of that game is printed, so that lines of one thread are in order. And the pairs of a test count in
//! the order of their numbers, so that each block has the counts by which the test is decided.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::lines::counts::{Counts, Scoreboard, Scored};
use super::lines::cutechess::ByColour;
use super::lines::fastchess::Heading;
use super::lines::reason::reason;
use super::lines::warnings::{Named, Place};
use super::lines::{cutechess, fastchess, warnings};
use super::outputs::{GameFiles, OutputError};
use super::saved::Saved;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use crate::arena::{self, Flaw, Leg, Termination};
use crate::output;
use crate::runs::games::{Event, KeptGame};
use crate::session::InterruptSetter;
use crate::stats::{Decision, GameScore, Sprt};
use crate::sync::lock;

/// The program whose lines are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// fastchess.
    #[default]
    Fastchess,
    /// fastchess with `-output format=cutechess`.
    FastchessAsCutechess,
    /// cutechess-cli.
    Cutechess,
}

/// What is printed, and when.
#[derive(Clone, Debug)]
pub struct LineSettings {
    /// Whose lines.
    pub dialect: Dialect,
    /// Results after so many pairs, or games; `None`: at the end only.
    pub rating_interval: Option<u64>,
    /// They were asked for.
    pub has_rating_interval: bool,
    /// The score after so many games; `None`: at the end only.
    pub score_interval: Option<u64>,
    /// The ends of games, counted, after so many games; `None`: at the end only. Lines of cutechess-cli.
    pub outcome_interval: Option<u64>,
    /// Statistics from pairs, and games that count with their pair.
    pub by_pairs: bool,
    /// The openings of a file are shuffled.
    pub shuffles: bool,
    /// Continue after a crash.
    pub recovers: bool,
    /// Engines whose output is at fault end the match.
    pub strict: bool,
    /// Warnings of one line each.
    pub one_line_warnings: bool,
    /// The configuration is saved after so many games; `None`: at the end only.
    pub save_interval: Option<u64>,
    /// Parts of the heading of a block, but for the engines' options.
    pub heading: Heading,
}

impl Default for LineSettings {
    fn default() -> LineSettings {
        LineSettings {
            dialect: Dialect::Fastchess,
            rating_interval: Some(10),
            has_rating_interval: false,
            score_interval: Some(1),
            outcome_interval: None,
            by_pairs: true,
            shuffles: false,
            recovers: false,
            strict: false,
            one_line_warnings: false,
            save_interval: Some(20),
            heading: Heading::default(),
        }
    }
}

impl LineSettings {
    /// The same for cutechess-cli, which counts games one by one and has other intervals.
    #[must_use]
    pub fn of_cutechess(self) -> LineSettings {
        LineSettings {
            dialect: Dialect::Cutechess,
            by_pairs: false,
            rating_interval: self.rating_interval.filter(|_| self.has_rating_interval),
            save_interval: None,
            ..self
        }
    }
}

/// Prints the lines of a run.
pub struct Stream<'a> {
    settings: LineSettings,
    saved: Option<Saved>,
    /// Ends the run: after a crash without `-recover`.
    interrupt: InterruptSetter,
    print: &'a (dyn Fn(&str) -> Result<(), output::OutputError> + Sync),
    state: Mutex<State>,
    begun: Instant,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games were played, or the test is decided.
    Played,
    /// The user interrupted it, or it ended itself.
    Interrupted,
    /// Something failed.
    Failed,
}

/// What could not be written.
#[derive(Debug, Default)]
pub struct Unwritten {
    /// A line.
    pub line: Option<output::OutputError>,
    /// A game.
    pub game: Option<OutputError>,
}

struct State {
    names: Vec<String>,
    /// Games at most.
    games: u64,
    sprt: Option<Sprt>,
    files: GameFiles,
    /// Pairs: of a test in the order of their numbers.
    board: Scoreboard,
    /// All games as they end.
    live: Scoreboard,
    sides: HashMap<usize, ByColour>,
    /// The ends of games, by engine, in the words of cutechess-cli.
    outcomes: BTreeMap<usize, BTreeMap<String, u64>>,
    /// Losses by time and by crashes, by engine.
    losses: BTreeMap<usize, (u64, u64)>,
    /// Games that are kept.
    kept: u64,
    /// Counted pairs of a test: those before this number.
    next_pair: u64,
    /// Pairs of a test that wait for those before them.
    waiting: BTreeMap<u64, Vec<Owned>>,
    /// Nothing more is printed of games: the test is decided, or the match has to end.
    is_over: bool,
    /// The match was ended by a crash.
    is_broken: bool,
    /// The block of results that was printed last, by the number of games.
    block_at: Option<u64>,
    /// The game that a thread has ended, until it is kept.
    unkept: HashMap<ThreadId, (u64, Leg)>,
    /// Lines of threads whose game is not kept yet.
    held: HashMap<ThreadId, String>,
    run: String,
    unwritten: Unwritten,
}

/// A kept game that waits.
struct Owned {
    scored: Scored,
    leg: Leg,
    termination: Termination,
    reason: String,
    pgn: String,
}

/// The number of a game, from 1.
fn number(pair: u64, leg: Leg) -> u64 {
    2 * pair + u64::from(leg.number())
}

impl<'a> Stream<'a> {
    /// The stream of a run; lines go to `print`.
    pub fn new(
        settings: LineSettings,
        files: GameFiles,
        saved: Option<Saved>,
        interrupt: InterruptSetter,
        print: &'a (dyn Fn(&str) -> Result<(), output::OutputError> + Sync),
    ) -> Stream<'a> {
        let state = State {
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
            is_over: false,
            is_broken: false,
            block_at: None,
            unkept: HashMap::new(),
            held: HashMap::new(),
            run: String::new(),
            unwritten: Unwritten::default(),
        };
        let (state, begun) = (Mutex::new(state), Instant::now());
        Stream { settings, saved, interrupt, print, state, begun }
    }

    /// Takes an event.
    pub fn event(&self, event: &Event<'_>) {
        match event {
            Event::Started { run, facts, plan, .. } => {
                let mut state = lock(&self.state);
                state.names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
                state.games = facts.games_asked.unwrap_or(0);
                state.sprt = facts.sprt;
                state.run = (*run).to_owned();
                if self.settings.shuffles && self.settings.dialect != Dialect::Cutechess {
                    self.say(&mut state, fastchess::SHUFFLING);
                }
            }
            Event::Game(arena::Event::Started { pair, leg, engines, .. }) => {
                let mut state = lock(&self.state);
                let (white, black) = (&state.names[engines.white], &state.names[engines.black]);
                let line = fastchess::started(number(*pair, *leg), state.games, white, black);
                self.say_of_thread(&mut state, line);
            }
            Event::Game(arena::Event::Flawed { side, engines, flaw, opening, moves, .. }) => {
                self.flawed(*side, *engines, flaw, opening.fen.as_deref(), moves);
            }
            Event::Game(arena::Event::Ended(game)) => {
                let mut state = lock(&self.state);
                state.unkept.insert(thread::current().id(), (game.pair, game.leg));
            }
            Event::Kept(game) => self.kept(game),
            _ => {}
        }
    }

    /// A warning about what an engine printed; its parts are lines, or joined in one.
    fn flawed(
        &self,
        side: Color,
        engines: ByColor<usize>,
        flaw: &Flaw,
        fen: Option<&str>,
        moves: &[UciMove],
    ) {
        // cutechess-cli says nothing of the kind.
        if self.settings.dialect == Dialect::Cutechess {
            return;
        }
        let mut state = lock(&self.state);
        let named = |side: Color| Named {
            name: &state.names[engines[side]],
            colour: side.fold_wb("White", "Black"),
        };
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let place = Place { fen, moves: &moves.join(" ") };
        let parts = warnings::flaw(&flaw.kind, &flaw.line, named(side), named(!side), place);
        let separator = if self.settings.one_line_warnings { " :: " } else { "\n" };
        let text = format!("{}\n", parts.join(separator));
        self.say_of_thread(&mut state, text);
        self.end_if_strict(&mut state);
    }

    /// A warning ends the match with `-strict`.
    fn end_if_strict(&self, state: &mut State) {
        if self.settings.strict {
            state.is_broken = true;
            self.interrupt.set();
        }
    }

    /// Counts the games of an earlier process.
    pub fn count_earlier(&self, game: &KeptGame<'_>) {
        let mut state = lock(&self.state);
        state.note(game);
        state.kept += 1;
        state.live.add(&scored(game));
        let is_complete = state.board.add(&scored(game));
        state.next_pair += u64::from(is_complete && game.pair == state.next_pair);
    }

    /// Prints the last lines; gives what could not be written.
    pub fn end(self, end: End, program: &str) -> Unwritten {
        let mut state = lock(&self.state);
        if end == End::Interrupted {
            self.write_waiting(&mut state);
        }
        let is_fastchess = self.settings.dialect != Dialect::Cutechess;
        // An interrupted match ends with its results, too.
        let is_last_block_old = state.block_at != Some(state.kept);
        let ends_with_block = match self.settings.dialect {
            Dialect::Cutechess => end != End::Failed,
            _ => end == End::Interrupted,
        };
        if ends_with_block && is_last_block_old && state.kept > 0 {
            let block = self.block(&state, 0, 1);
            let has_games =
                state.counts(self.settings.by_pairs, |board| board.of_all(0)).games() > 0;
            self.say(&mut state, if has_games { &block } else { "" });
        }
        if self.settings.dialect == Dialect::Fastchess {
            let losses: Vec<(&str, u64, u64)> = state
                .losses
                .iter()
                .map(|(&engine, &(timeouts, crashes))| {
                    (state.names[engine].as_str(), timeouts, crashes)
                })
                .collect();
            let text = fastchess::losses(&losses);
            self.say(&mut state, &text);
        }
        self.save(&state);
        if is_fastchess {
            if end != End::Played {
                let config = self.saved.as_ref().map_or("config.json", |saved| saved.file());
                let text = fastchess::interrupted(program, config);
                self.say(&mut state, &text);
            }
            let text = fastchess::end(self.begun.elapsed().as_secs());
            self.say(&mut state, &text);
        } else {
            let text = state.outcomes();
            self.say(&mut state, &text);
            self.say(&mut state, "Finished match\n");
        }
        std::mem::take(&mut state.unwritten)
    }

    /// Whether the match was ended because an engine crashed.
    pub fn is_broken(&self) -> bool {
        lock(&self.state).is_broken
    }

    fn say(&self, state: &mut State, text: &str) {
        if !text.is_empty() && state.unwritten.line.is_none() {
            state.unwritten.line = (self.print)(text).err();
        }
    }

    /// Prints a line of this thread, behind the end of its latest game.
    fn say_of_thread(&self, state: &mut State, line: String) {
        if state.is_over {
            return;
        }
        let thread = thread::current().id();
        if state.unkept.contains_key(&thread) {
            state.held.entry(thread).or_default().push_str(&line);
        } else {
            self.say(state, &line);
        }
    }

    fn kept(&self, game: &KeptGame<'_>) {
        let mut state = lock(&self.state);
        if !state.is_over {
            self.print_end(&mut state, game);
        }
        let state = &mut *state;
        let key = (game.pair, game.leg);
        let thread = state.unkept.iter().find(|(_, unkept)| **unkept == key).map(|(id, _)| *id);
        let Some(thread) = thread else { return };
        state.unkept.remove(&thread);
        let lines = state.held.remove(&thread).filter(|_| !state.is_over);
        self.say(state, &lines.unwrap_or_default());
    }

    /// Prints the end of a game and what follows from it.
    fn print_end(&self, state: &mut State, game: &KeptGame<'_>) {
        state.note(game);
        state.kept += 1;
        if state.sprt.is_none() {
            self.write(state, game);
        }
        let is_cutechess = self.settings.dialect == Dialect::Cutechess;
        let loser = if game.result == GameScore::Win { game.black } else { game.white };
        let warnings = warnings::end(game, &state.names[loser]);
        if !is_cutechess && !warnings.is_empty() {
            self.say(state, &format!("{}\n", warnings.join("\n")));
            self.end_if_strict(state);
        }
        let is_crash = matches!(
            game.termination,
            Termination::Crash | Termination::Disconnect | Termination::Stall
        );
        if is_crash && !self.settings.recovers && !is_cutechess {
            self.say(state, &fastchess::not_recovered(number(game.pair, game.leg)));
        }
        let words = reason(game.termination, game.result, game.reason, is_cutechess);
        let (white, black) = (&state.names[game.white], &state.names[game.black]);
        let number = number(game.pair, game.leg);
        let line = fastchess::finished(number, white, black, game.result, &words);
        self.say(state, &line);
        self.count(state, game);
        if is_cutechess
            && self.settings.outcome_interval.is_some_and(|every| state.kept % every == 0)
        {
            let text = state.outcomes();
            self.say(state, &text);
        }
        if self.settings.save_interval.is_some_and(|every| state.kept % every == 0) {
            self.save(state);
        }
        if is_crash && !self.settings.recovers {
            state.is_over = true;
            state.is_broken = true;
            self.interrupt.set();
        }
    }

    /// Counts a game, and prints the score and the results where they are due.
    fn count(&self, state: &mut State, game: &KeptGame<'_>) {
        let by_pairs = self.settings.by_pairs;
        let scored = scored(game);
        state.live.add(&scored);
        let is_complete = state.sprt.is_none() && state.board.add(&scored);
        self.print_score(state, &scored);
        if !by_pairs {
            self.print_block(state, &scored, state.kept);
        } else if is_complete {
            self.print_block(state, &scored, scored.pair + 1);
        }
        if state.sprt.is_some() {
            self.count_in_order(state, game);
        }
    }

    /// Counts the game of a test with its pair, once all pairs before it have counted.
    fn count_in_order(&self, state: &mut State, game: &KeptGame<'_>) {
        state.waiting.entry(game.pair).or_default().push(Owned::new(game));
        while let Some(pair) = state
            .waiting
            .first_entry()
            .filter(|pair| *pair.key() == state.next_pair && pair.get().len() == 2)
        {
            let mut games = pair.remove();
            games.sort_by_key(|game| game.leg);
            for game in &games {
                self.write(state, &game.view());
                state.board.add(&game.scored);
            }
            state.next_pair += 1;
            let scored = games[1].scored;
            if self.settings.by_pairs {
                self.print_block(state, &scored, scored.pair + 1);
            }
            if self.print_decision(state, &scored) {
                return;
            }
        }
    }

    /// The score, where it is due.
    fn print_score(&self, state: &mut State, game: &Scored) {
        let (first, second) = game.pairing();
        let due = state.kept == state.games
            || self.settings.score_interval.is_some_and(|every| state.kept % every == 0);
        if due && self.settings.dialect != Dialect::Fastchess {
            let is_cutechess = self.settings.dialect == Dialect::Cutechess;
            // cutechess-cli has a score for matches of two engines only.
            if is_cutechess && state.names.len() > 2 {
                return;
            }
            let counts = state.live.of(first, second);
            let line = cutechess::score(&state.names[first], &state.names[second], &counts);
            self.say(state, &line);
        }
    }

    /// The results, where they are due after this number of pairs or games.
    fn print_block(&self, state: &mut State, game: &Scored, number: u64) {
        let (first, second) = game.pairing();
        let due = self.settings.rating_interval.is_some_and(|every| number % every == 0);
        let is_last = state.kept == state.games && state.waiting.is_empty();
        if due || (is_last && self.settings.dialect != Dialect::Cutechess) {
            let block = self.block(state, first, second);
            self.say(state, &block);
            state.block_at = Some(state.kept);
        }
    }

    /// The end of a test, if these counts decide it.
    fn print_decision(&self, state: &mut State, game: &Scored) -> bool {
        let (first, second) = game.pairing();
        let Some(sprt) = state.sprt else { return false };
        let counts = state.board.of(first, second);
        let Some(decision) = sprt.decide(&counts.pentanomial()) else { return false };
        match self.settings.dialect {
            Dialect::Cutechess => {}
            dialect => {
                if dialect == Dialect::FastchessAsCutechess {
                    let (one, other) = (&state.names[first], &state.names[second]);
                    let line = cutechess::score(one, other, &state.live.of(first, second));
                    self.say(state, &line);
                }
                let block = self.block(state, first, second);
                self.say(state, &block);
                let last = match dialect {
                    Dialect::Fastchess => fastchess::decided(&sprt, decision == Decision::Accepted),
                    _ => "Tournament finished\n".to_owned(),
                };
                self.say(state, &last);
                state.block_at = Some(state.kept);
            }
        }
        state.is_over = true;
        true
    }

    /// The block of results.
    fn block(&self, state: &State, first: usize, second: usize) -> String {
        let by_pairs = self.settings.by_pairs;
        let counts = state.counts(by_pairs, |board| board.of(first, second));
        let sprt = state.sprt.as_ref();
        let names = [state.names[first].as_str(), state.names[second].as_str()];
        if state.names.len() > 2 {
            let all: Vec<(&str, Counts)> = state
                .names
                .iter()
                .map(String::as_str)
                .enumerate()
                .map(|(engine, name)| (name, state.counts(by_pairs, |board| board.of_all(engine))))
                .collect();
            return match self.settings.dialect {
                Dialect::Fastchess => fastchess::ranking_block(&all, by_pairs),
                Dialect::FastchessAsCutechess => fastchess::ranking(&all, false, false),
                Dialect::Cutechess => cutechess::ranking(&all),
            };
        }
        match self.settings.dialect {
            Dialect::Fastchess => {
                fastchess::block(names, &self.settings.heading, &counts, by_pairs, sprt)
            }
            Dialect::FastchessAsCutechess => {
                let llr = sprt.map(|sprt| cutechess::fastchess_llr(sprt, &counts));
                cutechess::fastchess_elo(&counts) + &llr.unwrap_or_default()
            }
            Dialect::Cutechess => {
                let sides = state.sides.get(&first).copied().unwrap_or_default();
                cutechess::elo(names[0], &sides, &counts, sprt)
            }
        }
    }

    /// Writes a game into the files.
    fn write(&self, state: &mut State, game: &KeptGame<'_>) {
        if state.unwritten.game.is_some() {
            return;
        }
        match state.files.add(game) {
            Ok(Some(checksum)) if self.settings.dialect != Dialect::Cutechess => {
                let line = fastchess::checksum(&checksum.file, checksum.crc);
                self.say(state, &line);
            }
            Ok(_) => {}
            Err(error) => state.unwritten.game = Some(error),
        }
    }

    /// Writes the games of a test that wait for pairs before them, which will not come.
    fn write_waiting(&self, state: &mut State) {
        for game in std::mem::take(&mut state.waiting).into_values().flatten() {
            self.write(state, &game.view());
        }
    }

    /// Saves the configuration with the results.
    fn save(&self, state: &State) {
        let Some(saved) = &self.saved else { return };
        let mut stats = Vec::new();
        for (first, one) in state.names.iter().enumerate() {
            for (second, other) in state.names.iter().enumerate().skip(first + 1) {
                stats.push((format!("{one} vs {other}"), state.board.of(first, second)));
            }
        }
        saved.write(&stats, &state.run);
    }
}

impl State {
    /// Counts of pairs, or of single games and of pairs.
    fn counts(&self, by_pairs: bool, of: impl Fn(&Scoreboard) -> Counts) -> Counts {
        let pairs = of(&self.board);
        if by_pairs {
            return pairs;
        }
        let Counts { wins, losses, draws, .. } = of(&self.live);
        Counts { wins, losses, draws, ..pairs }
    }

    /// Notes what a game says of its engines, whether it counts or not.
    fn note(&mut self, game: &KeptGame<'_>) {
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
    fn outcomes(&self) -> String {
        let of_engine = |(&engine, counts): (&usize, &BTreeMap<String, u64>)| {
            (self.names[engine].as_str(), counts.clone())
        };
        let engines: Vec<(&str, BTreeMap<String, u64>)> =
            self.outcomes.iter().map(of_engine).collect();
        cutechess::outcomes(&engines)
    }
}

impl Owned {
    fn new(game: &KeptGame<'_>) -> Owned {
        Owned {
            scored: scored(game),
            leg: game.leg,
            termination: game.termination,
            reason: game.reason.to_owned(),
            pgn: game.pgn.to_owned(),
        }
    }

    fn view(&self) -> KeptGame<'_> {
        let Scored { pair, white, black, result } = self.scored;
        let (leg, termination) = (self.leg, self.termination);
        let (reason, pgn) = (self.reason.as_str(), self.pgn.as_str());
        KeptGame { pair, leg, white, black, result, termination, reason, pgn }
    }
}

fn scored(game: &KeptGame<'_>) -> Scored {
    let KeptGame { pair, white, black, result, .. } = *game;
    Scored { pair, white, black, result }
}
