//! One game, from its first line to its end.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use engine::tablebase::Tablebases;
use shakmaty::Color;

use super::client::{Body, CallError, Client};
use super::gate::Urgency;
use super::messages::{GameFull, GameLine, game_line};
use super::position::Position;
use super::record::{Finished, Said};
use super::settings::Settings;
use super::thinking::{Chosen, Decision, NoMove, Thinker, adjudication};
use super::watcher::{Told, Wanted, beginning, watch};
use crate::arena::Termination;
use crate::player::EngineSpec;
use crate::session::{Interrupt, InterruptSetter};

/// Longest wait for a line before deadlines are looked at.
const TICK: Duration = Duration::from_secs(1);

/// Pause before something is asked for again that the server refused.
const AGAIN: Duration = Duration::from_secs(10);

/// Endings without a legal move.
const ENDS: [Termination; 2] = [Termination::Checkmate, Termination::Stalemate];

/// What a game needs.
#[derive(Clone)]
pub struct Task {
    /// The server.
    pub client: Arc<Client>,
    /// What the user wants.
    pub settings: Arc<Settings>,
    /// The engine.
    pub spec: Arc<EngineSpec>,
    /// Tablebases, open.
    pub tables: Option<Arc<Tablebases>>,
    /// The account's id.
    pub me: Arc<str>,
    /// The game's id.
    pub id: String,
    /// Something is to be shown to the user.
    pub note: Arc<dyn Fn(String) + Send + Sync>,
}

/// A line of the stream and when its connection was opened.
type Message = (Told, Instant);

/// A move that the server took, and its state has not shown yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Plies before it.
    pub plies: usize,
    /// When the server's answer came.
    pub at: Instant,
}

/// A game under way.
pub(super) struct Game<'a> {
    pub(super) task: &'a Task,
    pub(super) thinker: Thinker<'a>,
    pub(super) position: Option<Position>,
    pub(super) me: Color,
    pub(super) sent: Option<Sent>,
    lines: Receiver<Message>,
    pub(super) wanted: Wanted,
    /// Ends a search.
    stop: InterruptSetter,
    /// What was said of each of the bot's moves, by ply.
    said: Vec<(usize, Said)>,
    /// The opponent is still to be greeted.
    greets: bool,
    /// The opponent does not begin: the game is aborted then.
    abort_at: Option<Instant>,
    /// The opponent has left: the game can be claimed then.
    claim_at: Option<Instant>,
    /// Why it is given up, once it is.
    given_up: Option<String>,
    /// The server has no such game, or nothing more to say of it.
    vanished: Option<String>,
    begun: Instant,
}

/// Plays a game to its end. `None`: the game was not there, or nothing is known of its end.
pub fn play(task: &Task) -> Option<Finished> {
    let (interrupt, stop) = match Interrupt::manual() {
        Ok(pair) => pair,
        Err(error) => {
            (task.note)(format!("game {}: no pipe for it: {error}", task.id));
            return None;
        }
    };
    let rules = adjudication(&task.settings);
    let thinker = Thinker::new(&task.settings, &rules, &task.spec, task.tables.clone(), interrupt);
    let (sender, lines) = channel();
    let wanted = Wanted::default();
    let path = format!("/api/bot/game/stream/{}", task.id);
    let setter = stop.clone();
    watch(&task.client, path, &wanted, sender, move |told, at| {
        // A search ends with the game, not with the clock.
        if let Told::Line(line) = &told {
            let is_over = match game_line(line) {
                Ok(GameLine::Full(full)) => !full.state.is_on(),
                Ok(GameLine::State(state)) => !state.is_on(),
                _ => false,
            };
            if is_over {
                setter.set();
            }
        }
        (told, at)
    });
    let mut game = Game {
        task,
        thinker,
        position: None,
        me: Color::White,
        sent: None,
        lines,
        wanted: wanted.clone(),
        stop,
        said: Vec::new(),
        greets: false,
        abort_at: None,
        claim_at: None,
        given_up: None,
        vanished: None,
        begun: Instant::now(),
    };
    game.run();
    wanted.end();
    game.finished()
}

impl Game<'_> {
    fn run(&mut self) {
        while !self.is_over() {
            match self.lines.recv_timeout(self.patience()) {
                Ok((told, at)) => self.take(told, at),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.take_all();
            if self.is_over() {
                return;
            }
            self.keep_deadlines();
            if self.is_my_turn() {
                self.make_move();
            }
            // A greeting takes no time from the bot's own clock.
            if !self.is_my_turn() {
                self.greet();
            }
        }
    }

    /// Whether nothing is to be done any more.
    pub(super) fn is_over(&self) -> bool {
        self.vanished.is_some()
            || self.position.as_ref().is_some_and(|position| !position.state.is_on())
    }

    fn patience(&self) -> Duration {
        let now = Instant::now();
        let deadlines = [self.abort_at, self.claim_at].into_iter().flatten();
        let next = deadlines.map(|at| at.saturating_duration_since(now)).min();
        next.unwrap_or(TICK).min(TICK)
    }

    /// Takes what has come meanwhile.
    pub(super) fn take_all(&mut self) {
        while let Ok((told, at)) = self.lines.try_recv() {
            self.take(told, at);
        }
    }

    fn take(&mut self, told: Told, opened_at: Instant) {
        match told {
            Told::Line(line) => match game_line(&line) {
                Ok(GameLine::Full(full)) => self.take_full(*full, opened_at),
                Ok(GameLine::State(state)) => {
                    // One that lacks a move that is known is older.
                    let known = self.known_plies();
                    if state.plies() >= known || !state.is_on() {
                        let updated = self.position.as_mut().map(|position| position.update(state));
                        self.check(updated.unwrap_or(Ok(())));
                    }
                }
                Ok(GameLine::OpponentGone(seconds)) => {
                    self.claim_at =
                        seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
                }
                Ok(GameLine::Other(kind)) => {
                    tracing::debug!("game {}: a line of type `{kind}` is ignored", self.task.id);
                }
                Err(error) => {
                    let shown = beginning(&line);
                    tracing::warn!("game {}: a line is skipped ({error}): {shown}", self.task.id);
                }
            },
            Told::Cut(why) => {
                (self.task.note)(format!("game {}: {why}; it is opened again", self.task.id));
            }
            Told::Refused(error) => self.vanished = Some(error.to_string()),
        }
        self.note_deadlines();
    }

    /// The whole game: after a stream was cut, or when it was asked for.
    pub(super) fn take_full(&mut self, full: GameFull, opened_at: Instant) {
        let plies = full.state.plies();
        let newer = self.sent.is_none_or(|sent| opened_at > sent.at);
        if plies < self.known_plies() && full.state.is_on() && !newer {
            return;
        }
        if self.sent.is_some_and(|sent| sent.plies >= plies) {
            // The server lost a move that it had taken.
            self.sent = None;
        }
        let state = full.state.clone();
        let taken = match &mut self.position {
            Some(position) => position.update(state),
            None => Position::new(full).and_then(|position| {
                let colour = position.colour_of(&self.task.me);
                self.me = colour.ok_or("the account does not play it")?;
                self.greets = position.plies() <= 2;
                self.position = Some(position);
                Ok(())
            }),
        };
        self.check(taken);
    }

    fn check(&mut self, taken: Result<(), String>) {
        if let Err(error) = taken {
            self.give_up(&error);
            self.vanished = Some(error);
        }
    }

    /// Plies that the server is known to have.
    fn known_plies(&self) -> usize {
        let shown = self.position.as_ref().map_or(0, Position::plies);
        shown.max(self.sent.map_or(0, |sent| sent.plies + 1))
    }

    /// Asks the server for the state of the game, until it answers; the watcher's lines count, too.
    pub(super) fn ask(&mut self) {
        let path = format!("/api/bot/game/stream/{}", self.task.id);
        let mut backoff = super::backoff::Backoff::default();
        let before = self.known_plies();
        while !self.is_over() {
            let opened_at = Instant::now();
            let wanted = self.wanted.clone();
            let opened = self.task.client.open(&path, &|| wanted.is_so());
            let line = match opened {
                Ok(mut lines) => lines.next_line().ok().flatten(),
                Err(error @ (CallError::Token | CallError::Refused(..))) => {
                    self.vanished = Some(error.to_string());
                    return;
                }
                Err(_) => None,
            };
            if let Some(Ok(GameLine::Full(full))) = line.as_deref().map(game_line) {
                self.take_full(*full, opened_at);
                return;
            }
            self.wanted.sleep(backoff.pause());
            self.take_all();
            if self.known_plies() > before {
                return;
            }
        }
    }

    fn is_my_turn(&self) -> bool {
        let Some(position) = &self.position else { return false };
        let sent = self.sent.is_some_and(|sent| sent.plies >= position.plies());
        position.state.is_on()
            && position.referee.turn() == self.me
            // A draw that the server does not see yet is played on.
            && position.referee.ending().is_none_or(|(_, by)| !ENDS.contains(&by))
            && self.given_up.is_none()
            && !sent
    }

    fn make_move(&mut self) {
        let Some(position) = self.position.clone() else { return };
        let decision = self.thinker.choose(&position);
        self.take_all();
        let same = self.position.as_ref().map(Position::plies) == Some(position.plies());
        if self.is_over() || !same {
            return;
        }
        match decision {
            Ok(Decision::Move(chosen)) => {
                self.said.retain(|(ply, _)| *ply != position.plies());
                self.said.push((position.plies(), Said::of(&chosen, self.me)));
                self.deliver(&position, &chosen);
                self.pondered(&position, &chosen);
            }
            Ok(Decision::Resign(why)) => self.give_up(why),
            Err(NoMove::Interrupted) => {}
            Err(NoMove::Failed(why)) => self.give_up(&why),
        }
    }

    fn pondered(&mut self, position: &Position, chosen: &Chosen) {
        self.take_all();
        if self.sent.is_some() && !self.is_over() {
            self.thinker.ponder(position, chosen);
        }
    }

    /// Aborts a game that has not begun, and resigns another one.
    fn give_up(&mut self, why: &str) {
        let began = self.position.as_ref().is_some_and(|position| position.plies() >= 2);
        let action = if began { "resign" } else { "abort" };
        (self.task.note)(format!("game {}: {action}, as {why}", self.task.id));
        self.given_up = Some(why.to_owned());
        self.insist(action);
    }

    /// Sends a request until the server takes or refuses it, or the game is over.
    fn insist(&mut self, action: &str) -> bool {
        let path = format!("/api/bot/game/{}/{action}", self.task.id);
        let mut backoff = super::backoff::Backoff::default();
        while !self.is_over() {
            let wanted = self.wanted.clone();
            let sent = self.task.client.post(&path, Body::Empty, Urgency::Now, &|| wanted.is_so());
            match sent {
                Ok(()) => return true,
                Err(error) if error.may_pass() => {
                    tracing::warn!("game {}: {action}: {error}", self.task.id);
                    self.wanted.sleep(backoff.pause());
                    self.take_all();
                }
                Err(error) => {
                    (self.task.note)(format!("game {}: {action}: {error}", self.task.id));
                    return false;
                }
            }
        }
        false
    }

    fn note_deadlines(&mut self) {
        let Some(position) = &self.position else { return };
        let not_begun = position.plies() < 2 && position.full.clock.is_some();
        let theirs = position.referee.turn() != self.me || self.sent.is_some();
        if !not_begun || !theirs {
            self.abort_at = None;
        } else if self.abort_at.is_none() {
            self.abort_at = Some(Instant::now() + self.task.settings.abort_after);
        }
    }

    fn keep_deadlines(&mut self) {
        self.note_deadlines();
        let now = Instant::now();
        if self.abort_at.is_some_and(|at| at <= now) {
            let seconds = self.task.settings.abort_after.as_secs_f64();
            let id = &self.task.id;
            (self.task.note)(format!("game {id}: no first move for {seconds} s: it is aborted"));
            self.insist("abort");
            self.abort_at = Some(now + AGAIN);
        }
        if self.claim_at.is_some_and(|at| at <= now) {
            self.claim_at = None;
            (self.task.note)(format!("game {}: the opponent has left: claimed", self.task.id));
            self.insist("claim-victory");
        }
    }

    /// Greets once.
    fn greet(&mut self) {
        if std::mem::take(&mut self.greets)
            && let Some(text) = &self.task.settings.chat.greeting
        {
            self.say(text);
        }
    }

    fn say(&self, text: &str) {
        let path = format!("/api/bot/game/{}/chat", self.task.id);
        let fields = [("room", "player"), ("text", text)];
        let said = self.task.client.post(&path, Body::Form(&fields), Urgency::Later, &|| true);
        if let Err(error) = said {
            tracing::warn!("game {}: the chat: {error}", self.task.id);
        }
    }

    fn finished(self) -> Option<Finished> {
        self.stop.set();
        if let Some(why) = &self.vanished {
            (self.task.note)(format!("game {}: it cannot be followed: {why}", self.task.id));
            return None;
        }
        if let Some(text) = &self.task.settings.chat.farewell {
            self.say(text);
        }
        let (said, took) = (self.said, self.begun.elapsed());
        self.position.map(|position| Finished { position, me: self.me, said, took })
    }
}
