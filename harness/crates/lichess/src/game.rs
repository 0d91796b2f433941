//! One game, from its first line to its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel};
use std::time::{Duration, Instant};

use engine::tablebase::Tablebases;
use shakmaty::Color;

use super::backoff::Backoff;
use super::chat::ChatLine;
use super::client::{CallError, Client};
use super::messages::{GameFull, GameLine, game_line};
use super::position::Position;
use super::record::{Finished, MoveComment};
use super::settings::Settings;
use super::thinking::{Chosen, Decision, NoMove, Thinker, adjudication};
use super::watcher::{Cancel, StreamEvent, StreamLine, watch};
use harness_arena::Termination;
use harness_base::session::{Interrupt, InterruptSetter};
use harness_player::EngineSpec;

/// Longest wait for a line before deadlines are looked at.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Pause before something is asked for again that the server refused; it doubles.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// The same for a game that the bot itself gives up.
const SOON: Duration = Duration::from_secs(1);

/// An abort, a resignation and a claim are asked for so often.
const TRIES: u32 = 3;

/// Once the bot is ending, a game whose server has been silent for so long is left.
const MAX_DISCONNECTION: Duration = Duration::from_secs(60);

/// A game that could not be followed so often is left.
const ATTEMPTS: u32 = 5;

/// Endings without a legal move.
const ENDS: [Termination; 2] = [Termination::Checkmate, Termination::Stalemate];

/// Context of a game.
#[derive(Clone)]
pub struct Task {
    /// The server.
    pub client: Arc<Client>,
    /// Settings of the user.
    pub settings: Arc<Settings>,
    /// The engine.
    pub spec: Arc<EngineSpec>,
    /// Tablebases, open.
    pub tables: Option<Arc<Tablebases>>,
    /// The account's id.
    pub me: Arc<str>,
    /// The game's id.
    pub id: String,
    /// Lines for the chat.
    pub chat: SyncSender<ChatLine>,
    /// Cancelled once the stream of events has the game's end: nothing more is sent then.
    pub finish: Cancel,
    /// Cancelled once no further game is begun: a game that may last for days is left.
    pub ending: Cancel,
    /// Shows a text to the user.
    pub note: Arc<dyn Fn(String) + Send + Sync>,
}

/// Why a game is not followed any more.
#[derive(Debug)]
pub(super) struct Lost {
    why: String,
    /// No further attempt is made: it would fail, too.
    is_final: bool,
}

impl Lost {
    fn new(why: impl Into<String>) -> Lost {
        Lost { why: why.into(), is_final: false }
    }

    /// For good.
    fn finally(why: impl Into<String>) -> Lost {
        Lost { why: why.into(), is_final: true }
    }

    /// By an answer of the server.
    pub(super) fn by(error: &CallError) -> Lost {
        Lost { why: error.to_string(), is_final: matches!(error, CallError::Token) }
    }
}

/// A move that the server took, and its state has not shown yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Plies before it.
    pub plies: usize,
    /// When the server's answer came.
    pub at: Instant,
}

/// A game that is to end before its time.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// When the server is asked next.
    at: Instant,
    /// How often it was asked.
    tries: u32,
    /// The bot gives it up; otherwise the opponent does not begin, and may still do so.
    is_own: bool,
}

impl Exit {
    /// The next request for a game of that number of plies: it is aborted where it has not begun. A server
    /// that does not allow that (the rule `noAbort` of a challenge, a tournament) is asked to resign
    /// it. `None`: it took neither.
    fn action(&self, plies: usize) -> Option<&'static str> {
        let aborts = if plies < 2 { TRIES } else { 0 };
        match self.tries {
            tries if tries < aborts => Some("abort"),
            tries if tries < aborts + TRIES => Some("resign"),
            _ => None,
        }
    }

    /// The same once the server was asked.
    fn again(self) -> Exit {
        let pause = if self.is_own { SOON } else { RETRY_DELAY };
        let at = Instant::now() + pause * (1 << (self.tries % TRIES));
        Exit { at, tries: self.tries + 1, ..self }
    }
}

/// A game under way.
pub(super) struct Game<'a> {
    pub(super) task: &'a Task,
    pub(super) thinker: Thinker<'a>,
    pub(super) position: Option<Position>,
    pub(super) me: Color,
    pub(super) sent: Option<Sent>,
    lines: Receiver<StreamEvent>,
    /// Ends a search.
    stop: InterruptSetter,
    /// Comments on the bot's moves, by ply.
    comments: Vec<(usize, MoveComment)>,
    /// A line could not be used: the server is to be asked for the state.
    is_unsure: bool,
    /// The opponent is still to be greeted.
    greets: bool,
    /// It ends before its time: the bot gives it up, or the opponent does not begin.
    exit: Option<Exit>,
    /// The opponent has left: the game can be claimed then.
    claim_at: Option<Instant>,
    /// How often it was claimed.
    claims: u32,
    /// Since when the stream has been cut.
    cut_at: Option<Instant>,
    /// It is not followed any more.
    pub(super) lost: Option<Lost>,
    begun: Instant,
}

/// Plays a game to its end. One that fails by a fault of this program or a refusal of the server is taken
/// up again. `None`: the game was not there, or its end is unknown.
pub fn follow(task: &Task) -> Option<Finished> {
    let mut backoff = Backoff::default();
    for attempt in 1..=ATTEMPTS {
        let played = catch_unwind(AssertUnwindSafe(|| play(task)));
        let lost = match played.unwrap_or_else(|_| Err(Lost::new("an internal error"))) {
            Ok(finished) => return Some(finished),
            Err(lost) => lost,
        };
        let ends = lost.is_final || attempt == ATTEMPTS;
        let next = if ends { "it is not followed any more" } else { "it is taken up again" };
        (task.note)(format!("game {}: {}; {next}", task.id, lost.why));
        if ends {
            break;
        }
        task.finish.sleep(backoff.pause());
    }
    None
}

fn play(task: &Task) -> Result<Finished, Lost> {
    let pair = Interrupt::manual();
    let (interrupt, stop) = pair.map_err(|error| Lost::new(format!("no pipe for it: {error}")))?;
    let rules = adjudication(&task.settings);
    let thinker = Thinker::new(&task.settings, &rules, &task.spec, task.tables.clone(), interrupt);
    let (sender, lines) = channel();
    let mut game = Game {
        task,
        thinker,
        position: None,
        me: Color::White,
        sent: None,
        lines,
        stop: stop.clone(),
        comments: Vec::new(),
        is_unsure: false,
        greets: false,
        exit: None,
        claim_at: None,
        claims: 0,
        cut_at: None,
        lost: None,
        begun: Instant::now(),
    };
    let cancel = Cancel::default();
    let wrap = move |event| {
        // A search ends with the game, not with the clock.
        if ends_game(&event) {
            stop.set();
        }
        event
    };
    watch(&task.client, game.stream_path(), &cancel, sender, CallError::ends_stream, wrap);
    game.run();
    cancel.cancel();
    game.finished()
}

fn ends_game(event: &StreamEvent) -> bool {
    let StreamEvent::Line(line) = event else { return false };
    match game_line(&line.text) {
        Ok(GameLine::Full(full)) => !full.state.is_on(),
        Ok(GameLine::State(state)) => !state.is_on(),
        _ => false,
    }
}

impl Game<'_> {
    fn run(&mut self) {
        while !self.is_over() {
            match self.lines.recv_timeout(self.patience()) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.take_all();
            if std::mem::take(&mut self.is_unsure) {
                self.ask();
            }
            if self.is_over() {
                return;
            }
            self.keep_deadlines();
            if self.is_my_turn() {
                self.make_move();
            }
            // Before the bot's own move, the greeting would wait with it.
            if !self.is_my_turn() {
                self.greet();
            }
        }
    }

    /// Whether nothing is to be done any more.
    pub(super) fn is_over(&self) -> bool {
        self.lost.is_some()
            || self.position.as_ref().is_some_and(|position| !position.state.is_on())
    }

    /// Whether the game is not over, as far as either stream has shown.
    pub(super) fn is_ongoing(&self) -> bool {
        !self.is_over() && !self.task.finish.is_cancelled()
    }

    pub(super) fn stream_path(&self) -> String {
        format!("/api/bot/game/stream/{}", self.task.id)
    }

    fn patience(&self) -> Duration {
        let now = Instant::now();
        let deadlines = [self.exit.map(|exit| exit.at), self.claim_at].into_iter().flatten();
        let next = deadlines.map(|at| at.saturating_duration_since(now)).min();
        next.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL)
    }

    /// Takes what has come meanwhile.
    pub(super) fn take_all(&mut self) {
        while let Ok(event) = self.lines.try_recv() {
            self.take(event);
        }
        self.leave();
    }

    /// Leaves a game that may last for days once the bot is ending: it continues without the bot.
    fn leave(&mut self) {
        if !self.task.ending.is_cancelled() || self.is_over() {
            return;
        }
        let has_no_clock = self.position.as_ref().is_some_and(|now| now.full.clock.is_none());
        let why = if self.cut_at.is_some_and(|at| at.elapsed() >= MAX_DISCONNECTION) {
            "the server does not show it any more"
        } else if has_no_clock && !self.is_my_turn() {
            "it has no clock, and continues without the bot"
        } else {
            return;
        };
        self.lost = Some(Lost::finally(why));
    }

    fn take(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Line(line) => {
                self.cut_at = None;
                self.take_line(&line);
            }
            StreamEvent::Cut(why) => {
                self.cut_at.get_or_insert_with(Instant::now);
                (self.task.note)(format!("game {}: {why}; it is opened again", self.task.id));
            }
            StreamEvent::Refused(error) => self.lost = Some(Lost::by(&error)),
        }
        self.note_deadlines();
    }

    fn take_line(&mut self, line: &StreamLine) {
        let id = &self.task.id;
        let excerpt = || self.task.client.excerpt(&line.text);
        match game_line(&line.text) {
            Ok(GameLine::Full(full)) => self.take_full(*full, line.opened_at, line.read_at),
            Ok(GameLine::State(state)) => {
                // A state that lacks a known move is older.
                let is_new = state.plies() >= self.known_plies() || !state.is_on();
                let position = self.position.as_mut().filter(|_| is_new);
                let updated = position.map(|position| position.update(state, line.read_at));
                if let Some(Err(error)) = updated {
                    tracing::warn!("game {id}: a line is skipped ({error}): {}", excerpt());
                    self.is_unsure = true;
                }
            }
            Ok(GameLine::OpponentGone(seconds)) => {
                let at = seconds.map(|seconds| line.read_at + Duration::from_secs(seconds));
                // One that came back and leaves again can be claimed again.
                self.claims = if at.is_some() { self.claims } else { 0 };
                self.claim_at = at.filter(|_| self.claims < TRIES);
            }
            Ok(GameLine::Other(kind)) => {
                tracing::debug!("game {id}: a line of type `{kind}` is ignored");
            }
            Err(error) => {
                tracing::warn!("game {id}: a line is skipped ({error}): {}", excerpt());
            }
        }
    }

    /// The whole game: after a stream was opened, or when it was asked for.
    pub(super) fn take_full(&mut self, full: GameFull, opened_at: Instant, read_at: Instant) {
        let plies = full.state.plies();
        let newer = self.sent.is_none_or(|sent| opened_at > sent.at);
        if plies < self.known_plies() && full.state.is_on() && !newer {
            return;
        }
        if self.sent.is_some_and(|sent| sent.plies >= plies) {
            // The server lost a move that it had taken.
            self.sent = None;
        }
        let taken = match &mut self.position {
            Some(position) => position.update(full.state, read_at),
            None => self.begin(full, read_at),
        };
        if let Err(error) = taken {
            self.lost.get_or_insert(Lost::new(error));
        }
    }

    /// The first state of the game.
    fn begin(&mut self, full: GameFull, read_at: Instant) -> Result<(), String> {
        if full.variant.known().is_none() {
            let why = format!("`{}` is not played here", full.variant.key);
            let action = if full.state.plies() >= 2 { "resign" } else { "abort" };
            (self.task.note)(format!("game {}: {action}, as {why}", self.task.id));
            self.insist(action, |_| true);
            self.lost = Some(Lost::finally(why));
            return Ok(());
        }
        let position = Position::new(full, read_at)?;
        let colour = position.colour_of(&self.task.me);
        self.me = colour.ok_or("the account does not play it")?;
        self.greets = position.plies() <= 2;
        self.position = Some(position);
        Ok(())
    }

    /// Plies that the server is known to have.
    pub(super) fn known_plies(&self) -> usize {
        let shown = self.position.as_ref().map_or(0, Position::plies);
        shown.max(self.sent.map_or(0, |sent| sent.plies + 1))
    }

    fn is_my_turn(&self) -> bool {
        let Some(position) = &self.position else { return false };
        let sent = self.sent.is_some_and(|sent| sent.plies >= position.plies());
        self.is_ongoing()
            && position.referee.turn() == self.me
            // A draw that the server does not see yet is played on.
            && position.referee.ending().is_none_or(|(_, by)| !ENDS.contains(&by))
            && !self.is_given_up()
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
                self.comments.retain(|(ply, _)| *ply != position.plies());
                self.comments.push((position.plies(), MoveComment::new(&chosen, self.me)));
                self.deliver(&position, &chosen);
                self.ponder(&position, &chosen);
            }
            Ok(Decision::Resign(why)) => self.give_up(why),
            Err(NoMove::Interrupted) => {}
            Err(NoMove::Failed(why)) => self.give_up(&why),
        }
    }

    fn ponder(&mut self, position: &Position, chosen: &Chosen) {
        self.take_all();
        if self.sent.is_some() && !self.is_over() {
            self.thinker.ponder(position, chosen);
        }
    }

    /// Resigns the game, or aborts one that has not begun.
    fn give_up(&mut self, why: &str) {
        (self.task.note)(format!("game {}: it is given up, as {why}", self.task.id));
        self.exit = Some(Exit { at: Instant::now(), tries: 0, is_own: true });
        self.keep_deadlines();
    }

    fn is_given_up(&self) -> bool {
        self.exit.is_some_and(|exit| exit.is_own)
    }

    fn note_deadlines(&mut self) {
        let Some(position) = &self.position else { return };
        let not_begun = position.plies() < 2 && position.full.clock.is_some();
        let theirs = position.referee.turn() != self.me || self.sent.is_some();
        if self.is_given_up() {
            return;
        }
        if !not_begun || !theirs {
            self.exit = None;
        } else if let Some(exit) = &mut self.exit {
            // A bot that is ending gives the opponent no further time.
            if self.task.ending.is_cancelled() && exit.tries > 0 {
                exit.at = exit.at.min(Instant::now() + SOON);
            }
        } else {
            let at = Instant::now() + self.task.settings.abort_after;
            self.exit = Some(Exit { at, tries: 0, is_own: false });
        }
    }

    fn keep_deadlines(&mut self) {
        self.note_deadlines();
        let now = Instant::now();
        if let Some(exit) = self.exit.filter(|exit| exit.at <= now) {
            self.end_early(exit);
        }
        if self.claim_at.is_some_and(|at| at <= now) {
            self.claims += 1;
            (self.task.note)(format!("game {}: the opponent has left: claimed", self.task.id));
            self.insist("claim-victory", |game| game.claim_at.is_some());
            let again = Instant::now() + RETRY_DELAY * (1 << self.claims);
            self.claim_at = self.claim_at.map(|_| again).filter(|_| self.claims < TRIES);
        }
    }

    /// Asks the server to end the game; one that it does not end is left.
    fn end_early(&mut self, exit: Exit) {
        let plies = self.position.as_ref().map_or(0, Position::plies);
        let Some(action) = exit.action(plies) else {
            self.lost = Some(Lost::finally("the server takes neither an abort nor a resignation"));
            return;
        };
        let id = &self.task.id;
        if !exit.is_own && exit.tries == 0 {
            let seconds = self.task.settings.abort_after.as_secs_f64();
            (self.task.note)(format!("game {id}: no first move for {seconds} s: it is aborted"));
        } else if action == "resign" && exit.tries == TRIES && plies < 2 {
            (self.task.note)(format!("game {id}: it cannot be aborted: it is resigned"));
        }
        self.insist(action, |game| game.exit.is_some());
        // The opponent may have begun meanwhile.
        self.exit = self.exit.map(Exit::again);
    }

    /// Greets once.
    fn greet(&mut self) {
        if std::mem::take(&mut self.greets)
            && let Some(text) = &self.task.settings.chat.greeting
        {
            self.say(text);
        }
    }

    fn finished(self) -> Result<Finished, Lost> {
        self.stop.set();
        if let Some(lost) = self.lost {
            return Err(lost);
        }
        let position = self.position.as_ref().filter(|position| !position.state.is_on());
        let position = position.ok_or_else(|| Lost::new("its stream ended"))?.clone();
        if let Some(text) = &self.task.settings.chat.farewell {
            self.say(text);
        }
        Ok(Finished { position, me: self.me, comments: self.comments, took: self.begun.elapsed() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_aborted_then_resigned_and_then_left_within_minutes() {
        for (plies, is_own, expected, longest) in [
            (0, false, vec!["abort", "abort", "abort", "resign", "resign", "resign"], 200),
            (1, true, vec!["abort", "abort", "abort", "resign", "resign", "resign"], 20),
            (2, true, vec!["resign", "resign", "resign"], 10),
        ] {
            let begun = Instant::now();
            let mut exit = Exit { at: begun, tries: 0, is_own };
            let mut asked = Vec::new();
            let mut waited = Duration::ZERO;
            while let Some(action) = exit.action(plies) {
                asked.push(action);
                let now = Instant::now();
                exit = exit.again();
                waited += exit.at - now;
            }
            assert_eq!(asked, expected);
            assert!(waited < Duration::from_secs(longest), "{waited:?}");
        }
    }
}
