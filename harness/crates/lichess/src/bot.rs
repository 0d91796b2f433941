//! The loop of a bot: challenges are answered, games begin, and those that are over are kept.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel};
use std::thread;
use std::time::{Duration, Instant};

use engine::tablebase::Tablebases;
use miette::Report;
use serde_json::json;

use super::COMMAND;
use super::account::Account;
use super::answers::{self, Answer, Answered};
use super::book::open_book;
use super::challenges::{Load, Reason, objection};
use super::chat::{self, ChatLine};
use super::client::{CallError, Client, Quota};
use super::game::{self, Task};
use super::keys::Variant;
use super::messages::{Challenge, Incoming, incoming, is_id};
use super::record::Finished;
use super::seek::{self, Seeker, Sought};
use super::settings::Settings;
use super::slots::Slots;
use super::summary::Summary;
use super::watcher::{Cancel, StreamEvent, watch};
use harness_arena::open_tablebases;
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_ledger::{GamesFile, GamesFileError, Ledger, LedgerError, Run};
use harness_player::{self as player, EngineSpec, StartSettings};

/// How often the loop looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A bot to run.
pub struct Plan {
    /// Settings of the user.
    pub settings: Settings,
    /// The engine.
    pub spec: EngineSpec,
    /// The account.
    pub account: Account,
    /// End after this many games.
    pub total: Option<u64>,
}

/// Something that happened, to be shown.
pub enum BotEvent<'a> {
    /// The bot is there.
    Ready { account: &'a str, run: &'a str },
    /// A challenge was accepted, or declined for a reason.
    Challenge { challenge: &'a Challenge, declined: Option<Reason> },
    /// The bot has sent a challenge.
    Sent { text: &'a str },
    /// A game begins, or continues.
    GameStart { address: String },
    /// A game is over.
    GameOver { game: &'a Finished, address: String },
    /// Something went wrong, and is looked after.
    Note(&'a str),
    /// No further game is begun; these are still on.
    Ending { left: Vec<String> },
}

/// Shows what happens.
pub type Sink<'a> = dyn FnMut(&BotEvent<'_>) + 'a;

/// A message of another thread to the loop.
enum BotMessage {
    Stream(StreamEvent),
    Answered(Answered),
    Sought(Sought),
    Withdrawn,
    Over(String, Option<Box<Finished>>),
    Note(String),
}

/// Runs a bot until the session is interrupted or enough games were played; games under way are played
/// to their end first.
///
/// # Errors
/// When the engine, the book or the tablebases cannot be used, the server refuses the token, or a game
/// cannot be kept.
pub fn run(
    plan: &Plan,
    client: &Arc<Client>,
    session: &Session,
    sink: &mut Sink<'_>,
) -> Result<Summary, Failure> {
    // What cannot work is better known before the first challenge.
    if let Some(book) = &plan.settings.book {
        open_book(&book.file).or_usage()?;
    }
    let tables = plan.settings.tablebases.as_ref().map(|tables| open_tablebases(&tables.folders));
    let tables = tables.transpose().or_usage()?.map(Arc::new);
    let mut player = player::start(&plan.spec, &StartSettings::default(), &session.interrupt)?;
    let chess960 = plan.settings.challenges.variants.contains(&Variant::Chess960);
    player.new_game(chess960)?;
    drop(player);

    let ledger = Ledger::open(&session.reports)?;
    let run = ledger.start_run(
        COMMAND,
        &json!({
            "server": plan.settings.url, "account": plan.account.name, "engine": plan.spec,
        }),
    )?;
    let pgn = GamesFile::rewrite::<KeepError>(&ledger, &run, |_| Ok(()))?;
    let (sender, messages) = channel();
    let cancel = Cancel::default();
    let path = "/api/stream/event".to_owned();
    watch(client, path, &cancel, sender.clone(), |_| true, BotMessage::Stream);
    let answers = answers::start(client, &cancel, sender.clone(), BotMessage::Answered);
    let (chat, chat_thread) = chat::start(client, &cancel);
    sink(&BotEvent::Ready { account: &plan.account.name, run: run.id() });
    let summary = Summary {
        run: run.id().to_owned(),
        account: plan.account.name.clone(),
        server: plan.settings.url.clone(),
        ..Summary::default()
    };
    let mut bot = Bot {
        plan,
        client,
        settings: Arc::new(plan.settings.clone()),
        spec: Arc::new(plan.spec.clone()),
        tables,
        sender,
        answers,
        chat,
        kept: GamesStore { ledger: &ledger, run: &run, pgn },
        seeker: plan
            .settings
            .seek
            .as_ref()
            .map(|rules| Seeker::new(rules, &plan.account.id, &plan.settings.url)),
        withdrawing: 0,
        cancel: cancel.clone(),
        slots: Slots::default(),
        answered: HashSet::new(),
        over: HashSet::new(),
        quotas: UsedUp::default(),
        is_ending: false,
        ending: Cancel::default(),
        failure: None,
        summary,
    };
    let begun = Instant::now();
    bot.serve(&messages, session, sink);
    // The last lines of the chat are sent before the bot ends; games that it leaves hold the chat.
    drop(bot.chat);
    if !session.interrupt.leaves_at_once() {
        chat_thread.finish();
    }
    cancel.cancel();
    let mut summary = bot.summary;
    summary.seconds = begun.elapsed().as_secs_f64();
    ledger.finish(&run, &json!(summary))?;
    bot.failure.map_or(Ok(summary), Err)
}

/// A game that cannot be kept.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
enum KeepError {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pgn(#[from] GamesFileError),
}

impl From<KeepError> for Failure {
    fn from(error: KeepError) -> Failure {
        Failure::Failed(Report::new(error))
    }
}

/// Where games are kept.
struct GamesStore<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    pgn: GamesFile,
}

impl GamesStore<'_> {
    fn add(&mut self, game: &Finished, number: u64, server: &str) -> Result<(), KeepError> {
        let Some(stored) = game.stored(number, server) else { return Ok(()) };
        let games = [stored];
        self.ledger.record_games(self.run, &games)?;
        Ok(self.pgn.append(&games)?)
    }
}

/// Until when quotas of games are used up: challenges are declined until then.
#[derive(Default)]
struct UsedUp {
    /// Of all games.
    all: Option<Instant>,
    /// Of games with bots.
    bots: Option<Instant>,
}

impl UsedUp {
    fn is_in_force(&self, challenger_is_bot: bool) -> bool {
        let bots = self.bots.filter(|_| challenger_is_bot);
        self.all.max(bots).is_some_and(|until| Instant::now() < until)
    }
}

struct Bot<'a> {
    plan: &'a Plan,
    client: &'a Arc<Client>,
    settings: Arc<Settings>,
    spec: Arc<EngineSpec>,
    tables: Option<Arc<Tablebases>>,
    sender: Sender<BotMessage>,
    answers: SyncSender<Answer>,
    chat: SyncSender<ChatLine>,
    kept: GamesStore<'a>,
    /// Sends challenges.
    seeker: Option<Seeker>,
    /// Challenges that are being taken back.
    withdrawing: usize,
    /// Cancelled when the bot has ended.
    cancel: Cancel,
    slots: Slots,
    /// Challenges with an answer: all are sent again when the stream is opened again.
    answered: HashSet<String>,
    /// Games that are over.
    over: HashSet<String>,
    /// Quotas of games that are used up.
    quotas: UsedUp,
    is_ending: bool,
    /// Cancelled when no further game is begun.
    ending: Cancel,
    failure: Option<Failure>,
    summary: Summary,
}

impl Bot<'_> {
    fn serve(&mut self, messages: &Receiver<BotMessage>, session: &Session, sink: &mut Sink<'_>) {
        loop {
            match messages.recv_timeout(POLL_INTERVAL) {
                Ok(message) => self.take(message, sink),
                Err(RecvTimeoutError::Timeout) => {}
                // It has a sender itself.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.slots.expire(Instant::now());
            let played = self.summary.games + self.summary.without_result;
            let enough = self.plan.total.is_some_and(|total| played >= total);
            let ends = session.interrupt.is_finishing() || enough || self.failure.is_some();
            if ends && !std::mem::replace(&mut self.is_ending, true) {
                self.ending.cancel();
                sink(&BotEvent::Ending { left: self.left() });
            }
            self.seek(sink);
            let seeks = self.seeker.as_ref().is_some_and(Seeker::is_busy);
            let may_begin =
                !enough && self.failure.is_none() && (self.slots.awaits_games() || seeks);
            let waits = may_begin || self.withdrawing > 0;
            if self.is_ending && self.slots.is_idle() && !waits {
                return;
            }
            if session.interrupt.leaves_at_once() {
                let left = self.left().join(" ");
                self.failure = Some(Failure::Interrupted(match left.is_empty() {
                    true => "no game was under way".to_owned(),
                    false => format!("these games continue without the bot: {left}"),
                }));
                return;
            }
        }
    }

    /// Sends the next challenge where it is time and there is room, and takes back the one that waited
    /// long enough.
    fn seek(&mut self, sink: &mut Sink<'_>) {
        let has_room = self.has_room();
        let Some(seeker) = &mut self.seeker else { return };
        if let Some(id) = seeker.withdrawn(self.is_ending) {
            self.slots.release(&id);
            self.withdrawing += 1;
            let withdrawn = || BotMessage::Withdrawn;
            seek::withdraw(self.client, &self.cancel, id, self.sender.clone(), withdrawn);
        }
        if let Some(text) = seeker.says_full() {
            sink(&BotEvent::Note(&text));
        }
        if !self.is_ending && has_room && seeker.is_due() {
            seeker.begin(self.client, &self.cancel, self.sender.clone(), BotMessage::Sought);
        }
    }

    /// Whether another game may begin, as far as the bot can tell.
    fn has_room(&self) -> bool {
        let games = self.slots.used();
        let played = self.summary.games + self.summary.without_result + games as u64;
        games < self.settings.games
            && self.plan.total.is_none_or(|total| played < total)
            && !self.quotas.is_in_force(true)
    }

    fn note_sought(&mut self, sought: &Sought, sink: &mut Sink<'_>) {
        let Some(seeker) = &mut self.seeker else { return };
        seeker.take(sought);
        match sought {
            Sought::Sent(sent) => {
                self.summary.challenges.sent += 1;
                // The game may have begun before the answer was read.
                if self.slots.is_running(&sent.id) || self.over.contains(&sent.id) {
                    seeker.settle(&sent.id);
                } else {
                    self.slots.accept(sent.id.clone(), Some(sent.opponent.clone()));
                }
                sink(&BotEvent::Sent { text: &sent.text });
            }
            Sought::NoFit { online } => {
                sink(&BotEvent::Note(&format!(
                    "of {online} bots that are there none fits the rules of `seek`"
                )));
            }
            Sought::Failed(CallError::Cancelled) => {}
            Sought::Failed(error) => {
                if let CallError::Quota(quota) = error {
                    let until = Instant::now() + quota.wait;
                    self.quotas.bots = self.quotas.bots.max(Some(until));
                }
                sink(&BotEvent::Note(&format!("no challenge is sent: {error}")));
            }
        }
    }

    /// The addresses of the games under way.
    fn left(&self) -> Vec<String> {
        self.slots.running().map(|id| self.client.address(&format!("/{id}"))).collect()
    }

    fn take(&mut self, message: BotMessage, sink: &mut Sink<'_>) {
        match message {
            BotMessage::Stream(StreamEvent::Line(line)) => match incoming(&line.text) {
                Ok(incoming) => self.take_incoming(incoming, sink),
                Err(error) => {
                    let excerpt = self.client.excerpt(&line.text);
                    tracing::warn!("an event is skipped ({error}): {excerpt}");
                }
            },
            BotMessage::Stream(StreamEvent::Cut(why)) => {
                sink(&BotEvent::Note(&format!("events: {why}; the stream is opened again")));
            }
            BotMessage::Stream(StreamEvent::Refused(error)) => {
                self.failure = Some(Failure::Failed(Report::new(error)));
            }
            BotMessage::Sought(sought) => self.note_sought(&sought, sink),
            BotMessage::Withdrawn => self.withdrawing = self.withdrawing.saturating_sub(1),
            BotMessage::Answered(answered) => self.note_answer(answered, sink),
            BotMessage::Over(id, game) => self.end_game(&id, game.as_deref(), sink),
            BotMessage::Note(text) => sink(&BotEvent::Note(&text)),
        }
    }

    fn take_incoming(&mut self, incoming: Incoming, sink: &mut Sink<'_>) {
        match incoming {
            Incoming::GameStart { id, opponent } => self.begin_game(id, opponent, sink),
            Incoming::GameFinish(id) => self.slots.note_finish(&id),
            Incoming::Challenge(challenge) => self.answer(&challenge, sink),
            Incoming::Canceled(id) => {
                self.slots.release(&id);
                if self.seeker.as_mut().is_some_and(|seeker| seeker.settle(&id)) {
                    sink(&BotEvent::Note(&format!("challenge {id} was declined")));
                }
            }
            Incoming::Other(kind) => tracing::debug!("an event of type `{kind}` is ignored"),
        }
    }

    fn answer(&mut self, challenge: &Challenge, sink: &mut Sink<'_>) {
        let own = |user: &super::messages::User| user.id.as_deref() == Some(&*self.plan.account.id);
        // The bot's own challenges are sent, too.
        if own(&challenge.challenger)
            || challenge.dest_user.as_ref().is_some_and(|user| !own(user))
            || !is_id(&challenge.id)
            || self.answered.contains(&challenge.id)
        {
            return;
        }
        let declined = self.objection(challenge);
        match self.answers.try_send((challenge.id.clone(), declined)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.summary.challenges.ignored += 1;
                return;
            }
            Err(TrySendError::Disconnected(_)) => return,
        }
        self.answered.insert(challenge.id.clone());
        if declined.is_none() {
            self.slots.accept(challenge.id.clone(), challenge.challenger.id.clone());
        }
        sink(&BotEvent::Challenge { challenge, declined });
    }

    fn objection(&self, challenge: &Challenge) -> Option<Reason> {
        // A challenge that is being sent may become a game.
        let seeks = self.seeker.as_ref().is_some_and(Seeker::is_busy);
        let games = self.slots.used() + usize::from(seeks);
        let played = self.summary.games + self.summary.without_result + games as u64;
        let load = Load {
            games,
            with_challenger: self.slots.used_with(challenge.challenger.id.as_deref()),
            is_ending: self.is_ending
                || self.plan.total.is_some_and(|total| played >= total)
                || self.quotas.is_in_force(challenge.challenger.is_bot()),
        };
        objection(&self.settings.challenges, self.settings.games, challenge, load)
    }

    fn note_answer(&mut self, answered: Answered, sink: &mut Sink<'_>) {
        let counts = &mut self.summary.challenges;
        let Some(error) = answered.error else {
            let count = if answered.accepts { &mut counts.accepted } else { &mut counts.declined };
            *count += 1;
            self.slots.note_answer(&answered.id, Instant::now());
            return;
        };
        self.slots.release(&answered.id);
        if let (CallError::Quota(quota), true) = (&error, answered.accepts) {
            self.note_quota(quota, &answered.id, sink);
            return;
        }
        if error.may_pass() {
            // If it is sent again, it may be answered again.
            self.answered.remove(&answered.id);
        }
        sink(&BotEvent::Note(&format!("challenge {}: {error}", answered.id)));
    }

    /// A challenge could not be accepted: as long as the quota is used up, none like it is.
    fn note_quota(&mut self, quota: &Quota, id: &str, sink: &mut Sink<'_>) {
        // It was declined instead.
        self.summary.challenges.declined += 1;
        let until = Instant::now() + quota.wait;
        let bots_only = quota.is_of_bots();
        let quota_until = if bots_only { &mut self.quotas.bots } else { &mut self.quotas.all };
        *quota_until = (*quota_until).max(Some(until));
        let whose = if bots_only { "challenges of bots are" } else { "challenges are" };
        sink(&BotEvent::Note(&format!("challenge {id}: {quota}; {whose} declined until then")));
    }

    fn begin_game(&mut self, id: String, opponent: Option<String>, sink: &mut Sink<'_>) {
        if !is_id(&id) || self.over.contains(&id) {
            return;
        }
        self.seeker.iter_mut().for_each(|seeker| {
            seeker.settle(&id);
        });
        let Some(finish) = self.slots.begin(&id, opponent) else { return };
        sink(&BotEvent::GameStart { address: self.client.address(&format!("/{id}")) });
        let notes = self.sender.clone();
        let task = Task {
            client: Arc::clone(self.client),
            settings: Arc::clone(&self.settings),
            spec: Arc::clone(&self.spec),
            tables: self.tables.clone(),
            me: self.plan.account.id.as_str().into(),
            id,
            chat: self.chat.clone(),
            finish,
            ending: self.ending.clone(),
            note: Arc::new(move |text| {
                // The loop may have ended.
                let _ = notes.send(BotMessage::Note(text));
            }),
        };
        let over = self.sender.clone();
        thread::spawn(move || {
            let game = game::follow(&task);
            let _ = over.send(BotMessage::Over(task.id, game.map(Box::new)));
        });
    }

    fn end_game(&mut self, id: &str, game: Option<&Finished>, sink: &mut Sink<'_>) {
        self.slots.end(id);
        let Some(game) = game else {
            // If the event comes again, it is retried, unless the bot is ending.
            self.summary.without_result += 1;
            if self.is_ending {
                self.over.insert(id.to_owned());
            }
            return;
        };
        self.over.insert(id.to_owned());
        let kept = self.kept.add(game, self.summary.games, &self.settings.url);
        self.summary.add(game);
        sink(&BotEvent::GameOver { game, address: self.client.address(&format!("/{id}")) });
        if let Err(error) = kept {
            self.failure = Some(error.into());
        }
        if self.is_ending && !self.slots.is_idle() {
            sink(&BotEvent::Ending { left: self.left() });
        }
    }
}
