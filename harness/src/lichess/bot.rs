//! The loop of a bot: challenges are answered, games begin, and those that are over are kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
use super::challenges::{Load, Reason, objection};
use super::client::{CallError, Client};
use super::game::{self, Task};
use super::keys::Variant;
use super::messages::{Challenge, Incoming, incoming, is_id};
use super::record::Finished;
use super::resources::{open_book, open_tables};
use super::settings::Settings;
use super::summary::Summary;
use super::watcher::{Told, Wanted, beginning, watch};
use crate::failure::{Failure, OrFail};
use crate::ledger::{GamesFile, GamesFileError, Ledger, LedgerError, Run};
use crate::player::{self, EngineSpec, StartSettings};
use crate::session::Session;

/// How often the loop looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// A challenge that was accepted is a game within this time, or was taken back.
const BEGINS_WITHIN: Duration = Duration::from_secs(30);

/// A bot to run.
pub struct Plan {
    /// What the user wants.
    pub settings: Settings,
    /// The engine.
    pub spec: EngineSpec,
    /// The account.
    pub account: Account,
    /// End after so many games.
    pub total: Option<u64>,
}

/// Something that happened, to be shown.
pub enum Event<'a> {
    /// The bot is there.
    Ready { account: &'a str, run: &'a str },
    /// A challenge was accepted, or declined for a reason.
    Challenge { challenge: &'a Challenge, declined: Option<Reason> },
    /// A game begins, or goes on.
    GameStart { address: String },
    /// A game is over.
    GameOver { game: &'a Finished, address: String },
    /// Something went wrong, and is looked after.
    Note(&'a str),
    /// No further game is begun; these are still on.
    Ending { left: Vec<String> },
}

/// Shows what happens.
pub type Sink<'a> = dyn FnMut(&Event<'_>) + 'a;

/// What the loop is told by other threads.
enum News {
    Stream(Told),
    Answered(Answered),
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
    let tables = plan.settings.tablebases.as_ref().map(|tables| open_tables(&tables.folders));
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
    let (sender, news) = channel();
    let wanted = Wanted::default();
    let wrap = |told, _| News::Stream(told);
    watch(client, "/api/stream/event".to_owned(), &wanted, sender.clone(), wrap);
    let answers = answers::start(client, &wanted, sender.clone(), News::Answered);
    sink(&Event::Ready { account: &plan.account.name, run: run.id() });
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
        kept: Kept { ledger: &ledger, run: &run, pgn },
        running: BTreeSet::new(),
        accepted: BTreeMap::new(),
        opponents: BTreeMap::new(),
        answered: HashSet::new(),
        over: HashSet::new(),
        no_bots_until: None,
        is_ending: false,
        failure: None,
        summary,
    };
    let begun = Instant::now();
    bot.serve(&news, session, sink);
    wanted.end();
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
struct Kept<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    pgn: GamesFile,
}

impl Kept<'_> {
    fn add(&mut self, game: &Finished, number: u64, server: &str) -> Result<(), KeepError> {
        let Some(stored) = game.stored(number, server) else { return Ok(()) };
        let games = [stored];
        self.ledger.record_games(self.run, &games)?;
        Ok(self.pgn.append(&games)?)
    }
}

struct Bot<'a> {
    plan: &'a Plan,
    client: &'a Arc<Client>,
    settings: Arc<Settings>,
    spec: Arc<EngineSpec>,
    tables: Option<Arc<Tablebases>>,
    sender: Sender<News>,
    answers: SyncSender<Answer>,
    kept: Kept<'a>,
    /// Games under way.
    running: BTreeSet<String>,
    /// Challenges that were accepted and are no games yet.
    accepted: BTreeMap<String, Instant>,
    /// The opponents of games whose challenge was seen.
    opponents: BTreeMap<String, String>,
    /// Challenges with an answer: all are told again when the stream is opened anew.
    answered: HashSet<String>,
    /// Games that are over.
    over: HashSet<String>,
    no_bots_until: Option<Instant>,
    is_ending: bool,
    failure: Option<Failure>,
    summary: Summary,
}

impl Bot<'_> {
    fn serve(&mut self, news: &Receiver<News>, session: &Session, sink: &mut Sink<'_>) {
        loop {
            match news.recv_timeout(LOOK) {
                Ok(news) => self.take(news, sink),
                Err(RecvTimeoutError::Timeout) => {}
                // It has a sender itself.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.accepted.retain(|_, at| at.elapsed() < BEGINS_WITHIN);
            let played = self.summary.games + self.summary.without_result;
            let enough = self.plan.total.is_some_and(|total| played >= total);
            let ends = session.interrupt.is_finishing() || enough || self.failure.is_some();
            if ends && !std::mem::replace(&mut self.is_ending, true) {
                sink(&Event::Ending { left: self.left() });
            }
            let waits = !enough && self.failure.is_none() && !self.accepted.is_empty();
            if self.is_ending && self.running.is_empty() && !waits {
                return;
            }
        }
    }

    /// The addresses of the games under way.
    fn left(&self) -> Vec<String> {
        self.running.iter().map(|id| self.client.address(&format!("/{id}"))).collect()
    }

    fn take(&mut self, news: News, sink: &mut Sink<'_>) {
        match news {
            News::Stream(Told::Line(line)) => match incoming(&line) {
                Ok(incoming) => self.take_incoming(incoming, sink),
                Err(error) => {
                    tracing::warn!("an event is skipped ({error}): {}", beginning(&line));
                }
            },
            News::Stream(Told::Cut(why)) => {
                sink(&Event::Note(&format!("events: {why}; the stream is opened again")));
            }
            News::Stream(Told::Refused(error)) => {
                self.failure = Some(Failure::Failed(Report::new(error)));
            }
            News::Answered(answered) => self.note_answer(answered, sink),
            News::Over(id, game) => self.end_game(&id, game.as_deref(), sink),
            News::Note(text) => sink(&Event::Note(&text)),
        }
    }

    fn take_incoming(&mut self, incoming: Incoming, sink: &mut Sink<'_>) {
        match incoming {
            Incoming::GameStart(id) => self.begin_game(id, sink),
            Incoming::GameFinish(id) => {
                // The game's own stream tells how it ended.
                self.accepted.remove(&id);
            }
            Incoming::Challenge(challenge) => self.answer(&challenge, sink),
            Incoming::Canceled(id) => {
                self.accepted.remove(&id);
                self.opponents.remove(&id);
            }
            Incoming::Other(kind) => tracing::debug!("an event of type `{kind}` is ignored"),
        }
    }

    fn answer(&mut self, challenge: &Challenge, sink: &mut Sink<'_>) {
        let own = |user: &super::messages::User| user.id.as_deref() == Some(&*self.plan.account.id);
        // The bot's own challenges are told, too.
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
            self.accepted.insert(challenge.id.clone(), Instant::now());
            let opponent = challenge.challenger.id.clone().unwrap_or_default();
            self.opponents.insert(challenge.id.clone(), opponent);
        }
        sink(&Event::Challenge { challenge, declined });
    }

    fn objection(&self, challenge: &Challenge) -> Option<Reason> {
        let mut games: BTreeSet<&String> = self.running.iter().collect();
        games.extend(self.accepted.keys());
        let opponent = challenge.challenger.id.as_ref();
        let with_challenger =
            games.iter().filter(|id| opponent.is_some() && self.opponents.get(**id) == opponent);
        let played = self.summary.games + self.summary.without_result + games.len() as u64;
        let load = Load {
            games: games.len(),
            with_challenger: with_challenger.count(),
            is_ending: self.is_ending || self.plan.total.is_some_and(|total| played >= total),
            no_bots: self.no_bots_until.is_some_and(|until| Instant::now() < until),
        };
        objection(&self.settings.challenges, self.settings.games, challenge, load)
    }

    fn note_answer(&mut self, answered: Answered, sink: &mut Sink<'_>) {
        let counts = &mut self.summary.challenges;
        let Some(error) = answered.error else {
            let count = if answered.accepts { &mut counts.accepted } else { &mut counts.declined };
            *count += 1;
            return;
        };
        if let CallError::Limited(Some(seconds)) = error {
            let pause = Duration::from_secs(seconds);
            self.no_bots_until = Some(Instant::now() + pause);
        }
        self.accepted.remove(&answered.id);
        if error.may_pass() {
            // If it is told again, it may be answered again.
            self.answered.remove(&answered.id);
        }
        sink(&Event::Note(&format!("challenge {}: {error}", answered.id)));
    }

    fn begin_game(&mut self, id: String, sink: &mut Sink<'_>) {
        if !is_id(&id) || self.over.contains(&id) || !self.running.insert(id.clone()) {
            return;
        }
        self.accepted.remove(&id);
        sink(&Event::GameStart { address: self.client.address(&format!("/{id}")) });
        let notes = self.sender.clone();
        let task = Task {
            client: Arc::clone(self.client),
            settings: Arc::clone(&self.settings),
            spec: Arc::clone(&self.spec),
            tables: self.tables.clone(),
            me: self.plan.account.id.as_str().into(),
            id,
            note: Arc::new(move |text| {
                // The loop may have ended.
                let _ = notes.send(News::Note(text));
            }),
        };
        let over = self.sender.clone();
        thread::spawn(move || {
            // A game that fails by a fault of ours ends alone.
            let game = catch_unwind(AssertUnwindSafe(|| game::play(&task))).unwrap_or(None);
            let _ = over.send(News::Over(task.id, game.map(Box::new)));
        });
    }

    fn end_game(&mut self, id: &str, game: Option<&Finished>, sink: &mut Sink<'_>) {
        self.running.remove(id);
        self.opponents.remove(id);
        let Some(game) = game else {
            // If it is told again, it is tried again.
            self.summary.without_result += 1;
            return;
        };
        self.over.insert(id.to_owned());
        let kept = self.kept.add(game, self.summary.games, &self.settings.url);
        self.summary.add(game);
        sink(&Event::GameOver { game, address: self.client.address(&format!("/{id}")) });
        if let Err(error) = kept {
            self.failure = Some(error.into());
        }
        if self.is_ending && !self.running.is_empty() {
            sink(&Event::Ending { left: self.left() });
        }
    }
}
