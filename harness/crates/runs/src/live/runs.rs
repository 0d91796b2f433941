//! State of the runs of this process, from their events.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::board::{Board, Game, MAX_BOARDS};
use super::message::{Message, Progress};
use crate::games;
use crate::kinds::games::title_of;
use crate::kinds::{Begun, Kind, RunEvent};
use crate::recorder::losses_of;
use harness_arena::{self as arena, Rules};
use harness_outcome::training::Losses;
use harness_outcome::{MatchSummary, PathPoint};

/// A result is computed for listeners in at most this share of the time.
const SHARE: u32 = 50;

/// The runs of this process; a gate, say, has one for its SPRT.
#[derive(Default)]
pub struct Runs {
    runs: Vec<Run>,
    /// The match or SPRT whose games are played now.
    playing: Option<usize>,
    /// When the next result may be computed.
    next_result: Option<Instant>,
    /// The event that is applied should be heard of at once.
    urgent: bool,
}

/// A run.
#[derive(Default)]
struct Run {
    id: String,
    command: String,
    title: String,
    /// The run of which it is a part.
    part_of: Option<String>,
    /// Of the engines.
    names: Vec<String>,
    rules: Rules,
    /// The last move came too soon to be followed.
    fast: bool,
    games: BTreeMap<(u64, u8), Game>,
    summary: Option<Box<MatchSummary>>,
    path: Vec<PathPoint>,
    progress: Progress,
    losses: Vec<Losses>,
    finished: bool,
    news: News,
}

/// Changes that were not sent to listeners.
#[derive(Default)]
struct News {
    run: bool,
    summary: bool,
    /// Points of the path that they know.
    path: usize,
    progress: bool,
    losses: bool,
    finished: bool,
}

impl Runs {
    /// Something happened. `heard`: there are subscribers. Gives whether listeners should hear of it
    /// at once: a move of a game that they can follow.
    pub fn apply(&mut self, event: &RunEvent<'_>, heard: bool) -> bool {
        self.urgent = false;
        match event {
            RunEvent::Games(event) => self.games(event, heard, None),
            RunEvent::Part(event) => {
                let whole = self.main().map(|run| run.id.clone());
                self.games(event, heard, whole);
            }
            RunEvent::Begun(begun) => {
                let Begun { run, key, title, done, of, unit } = begun;
                self.begin(run, key, title.clone(), progress(*done, *of, unit));
            }
            event => self.main().into_iter().for_each(|run| run.apply(event)),
        }
        self.urgent
    }

    /// All that is known now, for a listener that has just come.
    pub fn snapshot(&mut self) -> Vec<Message> {
        self.runs.iter_mut().flat_map(Run::all).collect()
    }

    /// Changes since the last call.
    pub fn news(&mut self) -> Vec<Message> {
        self.runs.iter_mut().flat_map(Run::news).collect()
    }

    /// Whether a request to finish ends the process at once: it has no games in progress.
    pub fn ends_at_once(&self) -> bool {
        let kind = self.runs.first().and_then(|run| Kind::by_key(&run.command));
        kind.is_some_and(|kind| kind.finishes_at_once)
    }

    /// The games that are over are forgotten: there is no subscriber.
    pub fn forget_ended(&mut self) {
        for run in &mut self.runs {
            run.games.retain(|_, game| !game.has_ended());
        }
    }

    fn begin(&mut self, id: &str, command: &str, title: String, progress: Progress) -> &mut Run {
        self.runs.retain(|run| run.id != id);
        let (id, command) = (id.to_owned(), command.to_owned());
        let news = News { run: true, progress: true, ..News::default() };
        self.runs.push(Run { id, command, title, progress, news, ..Run::default() });
        self.runs.last_mut().expect("one was added")
    }

    /// The run that began first: the others are parts of it.
    fn main(&mut self) -> Option<&mut Run> {
        self.runs.first_mut()
    }

    fn games(&mut self, event: &games::Event<'_>, heard: bool, part_of: Option<String>) {
        use games::Event;
        if let Event::Started { run, facts, plan, done, .. } = event {
            let names: Vec<&str> = facts.engines.iter().map(|one| one.name.as_str()).collect();
            let progress = progress(*done, facts.games_asked, "games");
            let begun = self.begin(run, &facts.command, title_of(&facts.command, &names), progress);
            begun.names = names.into_iter().map(str::to_owned).collect();
            begun.rules = plan.conduct.rules;
            begun.part_of = part_of;
            self.playing = Some(self.runs.len() - 1);
        }
        let may_compute = heard && self.next_result.is_none_or(|next| Instant::now() >= next);
        let Some(run) = self.playing.and_then(|playing| self.runs.get_mut(playing)) else { return };
        match event {
            Event::Game(event) => self.urgent = run.game(event, heard),
            Event::Counted(tally) => run.has_done(tally.games()),
            Event::Statistics { summary, .. } if may_compute => {
                let begun = Instant::now();
                run.summary = Some(Box::new(summary()));
                run.news.summary = true;
                self.next_result = Some(begun + SHARE * begun.elapsed());
            }
            Event::Finished(summary) => {
                run.summary = Some(Box::new((*summary).clone()));
                run.news.summary = true;
                run.finish();
            }
            Event::Started { .. }
            | Event::Statistics { .. }
            | Event::Warning(_)
            | Event::Broken { .. }
            | Event::Race(_)
            | Event::Kept(_) => {}
        }
    }
}

fn progress(done: u64, of: Option<u64>, unit: &str) -> Progress {
    Progress { done, of, unit: unit.to_owned(), text: String::new() }
}

impl Run {
    /// Something happened in the run of this process.
    fn apply(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Done(done) => self.has_done(*done),
            RunEvent::OneMore => self.has_done(self.progress.done + 1),
            RunEvent::Extent { done, of, unit } => {
                self.progress = progress(*done, Some(*of), unit);
                self.news.progress = true;
            }
            RunEvent::Doing(text) if self.progress.text != *text => {
                (*text).clone_into(&mut self.progress.text);
                self.news.progress = true;
            }
            RunEvent::Path(path) => {
                let known = self.path.len().min(path.len());
                self.path.extend_from_slice(&path[known..]);
            }
            RunEvent::Losses(epochs) if self.losses.len() != epochs.len() => {
                self.losses = epochs.iter().map(losses_of).collect();
                self.news.losses = true;
            }
            // For terminals and programs, or known already.
            _ => {}
        }
    }

    fn has_done(&mut self, done: u64) {
        self.news.progress |= self.progress.done != done;
        self.progress.done = done;
    }

    fn finish(&mut self) {
        (self.finished, self.news.finished) = (true, true);
        self.games.clear();
    }

    /// Gives whether it should be heard of at once.
    fn game(&mut self, event: &arena::Event<'_>, heard: bool) -> bool {
        use arena::Event;
        let number = match *event {
            Event::Started { pair, leg, .. } | Event::Moved { pair, leg, .. } => {
                (pair, leg.number())
            }
            Event::Ended(game) => (game.pair, game.leg.number()),
            // For those who read lines.
            Event::Flawed { .. } => return false,
        };
        match *event {
            Event::Started { pair, leg, engines, opening } => {
                let names =
                    [engines.white, engines.black].map(|number| self.names[number].as_str());
                let key = format!("{}.{}", pair + 1, leg.number());
                let game = Game::new(key, names, opening, self.rules, self.fast);
                self.games.insert(number, game);
            }
            Event::Moved { side, uci, played, .. } => {
                if let Some(game) = self.games.get_mut(&number) {
                    game.push(uci, played, side);
                    self.fast = !game.is_followed();
                }
            }
            Event::Ended(game) => {
                if !heard {
                    self.games.remove(&number);
                } else if let Some(board) = self.games.get_mut(&number) {
                    board.end(game.result.pgn(), &game.reason);
                }
            }
            Event::Flawed { .. } => {}
        }
        heard && self.games.get(&number).is_some_and(Game::is_followed)
    }

    /// All that is known.
    fn all(&mut self) -> Vec<Message> {
        let run = self.id.clone();
        let mut all = vec![self.message()];
        all.extend(self.summary.clone().map(|summary| Message::Result { run, summary }));
        let id = self.id.clone();
        let run = || id.clone();
        if !self.path.is_empty() {
            all.push(Message::Path { run: run(), points: self.path.clone() });
        }
        if !self.losses.is_empty() {
            all.push(Message::Losses { run: run(), epochs: self.losses.clone() });
        }
        all.push(Message::Progress { run: run(), progress: self.progress.clone() });
        if self.finished {
            all.push(Message::Finished { run: run() });
        }
        let boards: Vec<Board> =
            self.games.values_mut().take(MAX_BOARDS).filter_map(Game::board).collect();
        all.push(Message::Boards { run: run(), boards });
        all
    }

    fn message(&self) -> Message {
        let Run { id, command, title, part_of, .. } = self;
        let (run, command, title) = (id.clone(), command.clone(), title.clone());
        Message::Run { run, command, title, part_of: part_of.clone() }
    }

    /// Changes since the last call.
    fn news(&mut self) -> Vec<Message> {
        let next = News { path: self.path.len(), ..News::default() };
        let news = std::mem::replace(&mut self.news, next);
        let id = self.id.clone();
        let run = || id.clone();
        let mut new = Vec::new();
        if news.run {
            new.push(self.message());
        }
        if let Some(summary) = self.summary.clone().filter(|_| news.summary) {
            new.push(Message::Result { run: run(), summary });
        }
        if let Some(points) = self.path.get(news.path..).filter(|points| !points.is_empty()) {
            new.push(Message::Path { run: run(), points: points.to_vec() });
        }
        if news.losses {
            new.push(Message::Losses { run: run(), epochs: self.losses.clone() });
        }
        if news.progress {
            new.push(Message::Progress { run: run(), progress: self.progress.clone() });
        }
        new.extend(self.boards());
        if news.finished {
            new.push(Message::Finished { run: self.id.clone() });
        }
        new
    }

    /// The boards that are to be sent now.
    fn boards(&mut self) -> Option<Message> {
        let shown = self.games.values_mut().take(MAX_BOARDS).filter(|game| game.is_due());
        let boards: Vec<Board> = shown
            .filter_map(|game| {
                game.mark_sent();
                game.board()
            })
            .collect();
        self.games.retain(|_, game| !game.is_over());
        (!boards.is_empty()).then(|| Message::Boards { run: self.id.clone(), boards })
    }
}

/// How often listeners are notified of changes that are not urgent.
pub const TICK: Duration = Duration::from_millis(50);
