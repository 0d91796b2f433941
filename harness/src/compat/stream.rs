//! Which line of fastchess or cutechess-cli is printed when: events of a run in, lines out.
//!
//! As there, a line is printed when it happens: the start of a game when it starts, its end when it is kept, a
//! block of results when a pair is complete. Two rules are ours. What a thread does after a game waits until
//! the end of that game is printed, so that lines of one thread are in order. And the pairs of a test count in
//! the order of their numbers, so that each block has the counts by which the test is decided.

mod held;
mod settings;
mod state;

use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use self::settings::is_due;
pub use self::settings::{Dialect, End, LineSettings};
pub use self::state::Unwritten;
use self::state::{Owned, State, scored};
use super::lines::counts::{Counts, Scored};
use super::lines::reason::reason;
use super::lines::warnings::{Named, Place};
use super::lines::{cutechess, fastchess, warnings};
use super::outputs::GameFiles;
use super::saved::Saved;
use crate::arena::{self, Flaw, Leg, Termination};
use crate::output;
use crate::runs::games::{Event, KeptGame};
use crate::session::InterruptSetter;
use crate::stats::{Decision, GameScore};
use crate::sync::lock;

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
        let state = State::new(files);
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
                state.count_earlier();
                self.say_beginning(&mut state);
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
                state.held.end(thread::current().id(), (game.pair, game.leg));
            }
            Event::Kept(game) => self.kept(game),
            _ => {}
        }
    }

    /// Prints what fastchess says before the first game.
    fn say_beginning(&self, state: &mut State) {
        if self.settings.dialect == Dialect::Cutechess {
            return;
        }
        if self.settings.discards {
            self.say(state, fastchess::DISCARDING);
        }
        if self.settings.shuffles {
            self.say(state, fastchess::SHUFFLING);
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

    /// Counts a game of an earlier process, which has written it; before the run continues.
    pub fn count_earlier(&self, game: &KeptGame<'_>) {
        lock(&self.state).earlier.push(Owned { is_written: true, ..Owned::new(game) });
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
        if let Some(line) = state.held.hold(thread::current().id(), line) {
            self.say(state, &line);
        }
    }

    fn kept(&self, game: &KeptGame<'_>) {
        let mut state = lock(&self.state);
        if !state.is_over {
            self.print_end(&mut state, game);
        }
        let state = &mut *state;
        let lines = state.held.keep((game.pair, game.leg));
        if !state.is_over {
            self.say(state, &lines);
        }
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
        if is_cutechess && is_due(self.settings.outcome_interval, state.kept) {
            let text = state.outcomes();
            self.say(state, &text);
        }
        if is_due(self.settings.save_interval, state.kept) {
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
        while let Some(games) = state.next_pair() {
            for game in games.iter().filter(|game| !game.is_written) {
                self.write(state, &game.view());
            }
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
        let due = state.kept == state.games || is_due(self.settings.score_interval, state.kept);
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
        let due = is_due(self.settings.rating_interval, number);
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
        let waiting = std::mem::take(&mut state.waiting).into_values().flatten();
        for game in waiting.filter(|game| !game.is_written) {
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
