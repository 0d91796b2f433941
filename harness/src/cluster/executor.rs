//! The executor of many machines: a run's coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use futures_util::StreamExt;

use super::ClusterError;
use super::artifacts::Published;
use super::keys::is_signed;
use super::link::{LEASE, Link};
use super::message::{
    Assignment, Batch, FailureReport, KEY, PROTOCOL, PairResult, SIGNATURE, Shared, Start,
};
use super::presence::Presence;
use super::quarantine;
use super::results::{self, Results, fits, signed_by};
use super::second_play::{self, Finding, SECOND, SecondPlays};
use super::subjects::{self, JOBS};
use super::worker::linked_signature;
use crate::arena::{Conduct, Executor, GameRecord, Jobs, KeepGames, Unplayed};
use crate::player::{EngineSpec, Program, StartSettings};
use crate::session::{ClusterAddress, Interrupt};

/// A batch is as many pairs as a worker plays in about this time.
const BATCH_TIME: Duration = Duration::from_secs(8);

/// The largest batch, in pairs.
const LARGEST_BATCH: usize = 64;

/// Batches given out for each core: the one that is played, and one that waits.
const BATCHES_A_CORE: usize = 2;

/// Cores that are assumed before a worker was heard of.
const ASSUMED_CORES: usize = 4;

/// How often it is looked whether jobs were lost.
const LOOK: Duration = Duration::from_secs(5);

/// Results that arrive within this time are kept together: the ledger is written to disk once.
const LINGER: Duration = Duration::from_millis(20);

/// Results that are taken together at most.
const TOGETHER: usize = 2_000;

/// What the pairs of a run have in common.
pub struct Common<'a> {
    /// The run's name on the server: letters, digits and dashes.
    pub run: String,
    /// The engines of all pairs.
    pub engines: &'a [EngineSpec],
    /// Rules of the games.
    pub conduct: &'a Conduct,
    /// The event of the PGN.
    pub event: &'a str,
    /// How engines are started.
    pub settings: &'a StartSettings,
    /// Cores that a game needs.
    pub threads: usize,
}

/// Gives pair jobs to workers on other machines.
pub struct ClusterExecutor {
    link: Link,
    run: String,
    shared: Shared,
    published: Published,
    presence: Presence,
    results: Results,
    /// To publish them again.
    engines: Vec<EngineSpec>,
    interrupt: Interrupt,
    /// Pairs that are given out.
    under_way: BTreeMap<u64, Assignment>,
    /// Results of an earlier process, of pairs that this one has not given out yet.
    early: BTreeMap<u64, Message>,
    /// The pair that is given out next is not before this one.
    next: u64,
    /// Results kept since the server was last told to remove them, and the last one's number.
    kept: (usize, u64),
    /// Time and number of the pairs whose results are known.
    played: (Duration, u32),
    /// Workers that cannot play the run, by key.
    failures: BTreeMap<String, FailureReport>,
    /// Public keys of workers whose results count.
    contributors: BTreeSet<String>,
    /// Quarantined workers: names by key.
    quarantined: BTreeMap<String, String>,
    second_plays: SecondPlays,
}

impl ClusterExecutor {
    /// Connects, and publishes the engines of a run.
    ///
    /// # Errors
    /// When the server cannot be reached, or the run needs what only this machine has.
    pub fn new(
        address: &ClusterAddress,
        common: &Common<'_>,
        interrupt: &Interrupt,
    ) -> Result<ClusterExecutor, ClusterError> {
        let Common { run, engines, conduct, event, settings, threads } = common;
        if conduct.adjudication.tablebases.is_some() {
            return Err(ClusterError::OnlyHere { what: "tablebases" });
        }
        let link = Link::connect(address, &format!("harness, run {run}"))?;
        link.make_streams(LEASE)?;
        let published = Published::new(&link, engines)?;
        let linked = engines.iter().any(|engine| engine.program == Program::Builtin);
        let shared = Shared {
            event: (*event).to_owned(),
            conduct: (*conduct).clone(),
            start: Start::of(settings),
            threads: *threads,
            builtin: linked.then(linked_signature),
            bucket: published.bucket.clone(),
            objects: published.objects.clone(),
            files: published.files.clone(),
        };
        let presence = Presence::listen(&link)?;
        // What kept workers from playing may be over.
        results::remove(&link, &subjects::failure(run, "*"), None);
        let results = Results::listen(&link, run)?;
        Ok(ClusterExecutor {
            link,
            run: run.clone(),
            shared,
            published,
            presence,
            results,
            engines: engines.to_vec(),
            interrupt: interrupt.clone(),
            under_way: BTreeMap::new(),
            early: BTreeMap::new(),
            next: 0,
            kept: (0, 0),
            played: (Duration::ZERO, 0),
            failures: BTreeMap::new(),
            contributors: BTreeSet::new(),
            quarantined: BTreeMap::new(),
            second_plays: SecondPlays::default(),
        })
    }

    /// Cores of all workers.
    fn cores(&self) -> usize {
        let cores: usize = self.presence.workers().iter().map(|worker| worker.cores).sum();
        if cores == 0 { ASSUMED_CORES } else { cores }
    }

    /// Pairs of a batch.
    fn batch_size(&self) -> usize {
        let (time, pairs) = self.played;
        if pairs == 0 {
            return 1;
        }
        let one = time.as_secs_f64() / f64::from(pairs);
        ((BATCH_TIME.as_secs_f64() / one.max(1e-6)) as usize).clamp(1, LARGEST_BATCH)
    }

    /// Gives out pairs until each core has enough; `false` once there is no further pair. Results
    /// that are there already are added to `games`.
    fn fill(&mut self, jobs: &mut Jobs<'_>, games: &mut Vec<GameRecord>) -> Result<bool, Unplayed> {
        let games_at_once = self.cores().div_ceil(self.shared.threads.max(1));
        loop {
            // Small ones at the end, so that no core waits for long for the last of another.
            let left = jobs.size_hint().1.unwrap_or(usize::MAX);
            let size = self.batch_size().min(left.div_ceil(2 * games_at_once)).max(1);
            if self.under_way.len() + size > (BATCHES_A_CORE * size * games_at_once).max(size) {
                return Ok(true);
            }
            let mut batch = Vec::with_capacity(size);
            let mut is_last = true;
            for (count, job) in (1..).zip((&mut *jobs).take(size)) {
                let assignment = Assignment { attempt: 0, job: job? };
                let pair = assignment.job.pair;
                is_last = count < size;
                self.next = pair + 1;
                self.under_way.insert(pair, assignment.clone());
                match self.early.remove(&pair) {
                    Some(message) => games.extend(self.take(message)?),
                    None => batch.push(assignment),
                }
            }
            self.early.retain(|&pair, _| pair >= self.next);
            self.publish(batch)?;
            if is_last {
                return Ok(false);
            }
        }
    }

    /// Publishes a batch; tries again until the server takes it or the user interrupts.
    fn publish(&self, pairs: Vec<Assignment>) -> Result<(), Unplayed> {
        if pairs.is_empty() {
            return Ok(());
        }
        let (run, common) = (self.run.clone(), self.shared.clone());
        let batch = Batch { protocol: PROTOCOL, run, common, pairs };
        let text = serde_json::to_vec(&batch).expect("a batch is plain data");
        loop {
            let sent = self.link.wait(async {
                let subject = subjects::jobs(&self.run);
                let sent = self.link.jetstream.publish(subject, text.clone().into()).await;
                sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
            });
            let Err(reason) = sent else { return Ok(()) };
            if self.interrupt.is_set() {
                return Err(Unplayed::Interrupted);
            }
            tracing::warn!("the NATS server takes no jobs: {reason}; trying again");
            std::thread::sleep(Duration::from_millis(500));
            // It may have lost its streams with its disk.
            if let Err(error) = self.link.make_streams(LEASE) {
                tracing::debug!("{error}");
            }
        }
    }

    /// The games of results that arrived; waits a moment for the first.
    fn receive(&mut self) -> Result<Vec<GameRecord>, Unplayed> {
        let mut games = Vec::new();
        let mut next = self.results.messages.recv_timeout(Duration::from_millis(100));
        let begun = Instant::now();
        for _ in 0..TOGETHER {
            match next {
                Ok(message) => games.extend(self.take(message)?),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.results = Results::listen(&self.link, &self.run).map_err(elsewhere)?;
                    break;
                }
            }
            let linger = LINGER.saturating_sub(begun.elapsed());
            next = self.results.messages.recv_timeout(linger);
        }
        Ok(games)
    }

    /// The games of a message, if it is the result of a pair that is under way.
    fn take(&mut self, message: Message) -> Result<Vec<GameRecord>, Unplayed> {
        if let Ok(info) = message.info() {
            self.kept.1 = self.kept.1.max(info.stream_sequence);
        }
        let headers = message.headers.as_ref();
        let header = |name| headers.and_then(|headers| headers.get(name)).map(|it| it.as_str());
        let key = header(KEY).unwrap_or("?").to_owned();
        let is_signed = is_signed(&key, &message.payload, header(SIGNATURE).unwrap_or_default());
        let mut parts = message.subject.as_str().rsplit('.');
        let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if before == "failure" {
            if is_signed && let Ok(report) = serde_json::from_slice(&message.payload) {
                self.note_failure(&key, report)?;
            }
            return Ok(Vec::new());
        }
        let (Ok(pair), Ok(attempt)) = (before.parse::<u64>(), last.parse::<u32>()) else {
            return Ok(Vec::new());
        };
        if attempt >= SECOND {
            self.compare(pair, &message.payload, &key, is_signed);
            return Ok(Vec::new());
        }
        let Some(assignment) = self.under_way.get(&pair).filter(|it| it.attempt == attempt) else {
            // Else of a pair that is kept already, or of an attempt that was refused.
            if pair >= self.next {
                self.early.insert(pair, message);
            }
            return Ok(Vec::new());
        };
        let result = serde_json::from_slice::<PairResult>(&message.payload);
        let result = result.ok().filter(|result| is_signed && fits(result, assignment, &self.run));
        let quarantined = self.quarantined.get(&key);
        let Some(result) = result.filter(|_| quarantined.is_none()) else {
            // Its subject is taken: the pair is played again under the next.
            match quarantined {
                None => {
                    tracing::warn!("a result of pair {pair} is forged or damaged; signed by {key}");
                }
                Some(name) => {
                    tracing::warn!("pair {pair} is played again: {name} is quarantined");
                    if let Err(error) = quarantine::add(&self.link, &key, name) {
                        tracing::debug!("{error}");
                    }
                }
            }
            let again = Assignment { attempt: attempt + 1, job: assignment.job.clone() };
            self.under_way.insert(pair, again.clone());
            self.publish(vec![again])?;
            return Ok(Vec::new());
        };
        let job = self.under_way.remove(&pair).map(|assignment| assignment.job);
        self.kept.0 += 1;
        self.played.0 += result.games.iter().map(|game| game.took).sum::<Duration>();
        self.played.1 += 1;
        let games = signed_by(result, &key);
        self.contributors.insert(key);
        if let Some(job) = job
            && second_play::is_wanted(&job, self.shared.threads)
            && self.presence.workers().len() > 1
        {
            self.second_plays.first(pair, &games);
            self.publish(vec![Assignment { attempt: SECOND, job }])?;
        }
        Ok(games)
    }

    /// Compares a second play of a pair with the first.
    fn compare(&mut self, pair: u64, payload: &[u8], key: &str, is_signed: bool) {
        let result = serde_json::from_slice::<PairResult>(payload);
        let Some(result) = result.ok().filter(|result| is_signed && result.run == self.run) else {
            return;
        };
        match self.second_plays.second(pair, &signed_by(result, key)) {
            Some(Finding::Differ(one, other)) => tracing::warn!(
                "{one} and {other} played different moves in pair {pair}: one of them has another \
                 engine, or lies"
            ),
            Some(Finding::Wrong(worker)) => tracing::warn!(
                "the moves of {worker} differ from those of several others; `harness workers \
                 --quarantine` takes its pairs out"
            ),
            Some(Finding::Agree) | None => {}
        }
    }

    /// Asks who is quarantined; an error if one of them has contributed to the run.
    fn look_for_quarantine(&mut self) -> Result<(), Unplayed> {
        match quarantine::list(&self.link) {
            Ok(workers) => self.quarantined = workers,
            Err(error) => tracing::debug!("{error}"),
        }
        let mut workers = self.quarantined.iter();
        match workers.find(|(key, _)| self.contributors.contains(*key)) {
            Some((key, name)) => {
                Err(elsewhere(ClusterError::Quarantined { worker: format!("{name} {key}") }))
            }
            None => Ok(()),
        }
    }

    /// Notes that a worker cannot play; an error if none can.
    fn note_failure(&mut self, key: &str, report: FailureReport) -> Result<(), Unplayed> {
        let FailureReport { worker, reason, is_final, .. } = report.clone();
        tracing::warn!("worker {worker} cannot play: {reason}");
        self.failures.insert(key.to_owned(), report);
        let workers = self.presence.workers();
        let is_last = workers.iter().all(|worker| self.failures.contains_key(&worker.key));
        if is_final || is_last {
            return Err(elsewhere(ClusterError::CannotPlay { worker, reason }));
        }
        Ok(())
    }

    /// Gives out again what the server has lost.
    fn give_out_again(&mut self) -> Result<(), Unplayed> {
        let queued = self.link.wait(async {
            let stream = self.link.jetstream.get_stream(JOBS).await.ok()?;
            let mut info = stream.info_with_subjects(subjects::jobs(&self.run)).await.ok()?;
            let mut count = 0;
            while let Some(Ok((_, messages))) = info.next().await {
                count += messages;
            }
            Some(count)
        });
        match queued {
            Some(0) => {
                tracing::debug!("{} pairs are given out again", self.under_way.len());
                if let Err(error) = self.restore() {
                    // Tried again at the next look.
                    tracing::warn!("{error}");
                    return Ok(());
                }
                self.publish(self.under_way.values().cloned().collect())
            }
            Some(_) => Ok(()),
            None => {
                if let Err(error) = self.link.make_streams(LEASE) {
                    tracing::debug!("{error}");
                }
                Ok(())
            }
        }
    }

    /// Publishes the engines again if the server has lost them with its disk, and reads the results
    /// from the first.
    fn restore(&mut self) -> Result<(), ClusterError> {
        let bucket = self.link.jetstream.get_object_store(&self.published.bucket);
        if !self.published.objects.is_empty() && self.link.wait(bucket).is_err() {
            self.published = Published::new(&self.link, &self.engines)?;
            self.shared.bucket.clone_from(&self.published.bucket);
        }
        self.results = Results::listen(&self.link, &self.run)?;
        Ok(())
    }

    /// Takes back the jobs that are queued, and lets workers abandon those that they play.
    fn withdraw(&mut self) {
        self.under_way.clear();
        let ended = self.link.wait(async {
            let stream = self.link.jetstream.get_stream(JOBS).await.map_err(|e| e.to_string())?;
            let purge = stream.purge().filter(subjects::jobs(&self.run));
            purge.await.map_err(|error| error.to_string())?;
            let stop = self.link.client.publish(subjects::stop(&self.run), "".into());
            stop.await.map_err(|error| error.to_string())?;
            self.link.client.flush().await.map_err(|error| error.to_string())
        });
        if let Err(error) = ended {
            tracing::debug!("cannot take jobs back: {error}");
        }
    }

    /// Lets the server remove results that the ledger has.
    fn remove_kept(&mut self) {
        let (results, last) = self.kept;
        if results >= TOGETHER {
            self.kept.0 = 0;
            results::remove(&self.link, &subjects::results(&self.run), Some(last));
        }
    }

    fn play_all(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed> {
        let (mut more, mut heard, mut looked) = (true, Instant::now(), Instant::now());
        self.look_for_quarantine()?;
        let mut alone = false;
        let mut connections = self.link.connections();
        loop {
            if self.interrupt.is_set() {
                return Err(Unplayed::Interrupted);
            }
            if connections != self.link.connections() {
                // It would take a minute until the reader finds that the server was away.
                match self.restore() {
                    Ok(()) => connections = self.link.connections(),
                    Err(error) => tracing::debug!("{error}"),
                }
            }
            let mut games = Vec::new();
            if more {
                more = self.fill(jobs, &mut games)?;
            }
            if self.under_way.is_empty() && games.is_empty() {
                return Ok(());
            }
            if !self.under_way.is_empty() {
                games.extend(self.receive()?);
            }
            if !games.is_empty() {
                heard = Instant::now();
                if keep(games).is_break() {
                    return Ok(());
                }
                self.remove_kept();
            }
            if looked.elapsed() <= LOOK {
                continue;
            }
            looked = Instant::now();
            self.look_for_quarantine()?;
            if heard.elapsed() > LOOK {
                let there = self.presence.workers().len();
                if there == 0 && !alone {
                    tracing::warn!("no worker is there; `harness work` on any machine joins");
                }
                alone = there == 0;
                self.give_out_again()?;
            }
        }
    }
}

impl Executor for ClusterExecutor {
    fn play(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed> {
        let ended = self.play_all(jobs, keep);
        if !self.under_way.is_empty() || ended.is_err() {
            self.withdraw();
        }
        ended
    }
}

impl Drop for ClusterExecutor {
    fn drop(&mut self) {
        self.withdraw();
        self.published.remove(&self.link);
        if !self.interrupt.is_set() {
            // The ledger has them.
            results::remove(&self.link, &subjects::results(&self.run), None);
        }
    }
}

fn elsewhere(error: ClusterError) -> Unplayed {
    Unplayed::Elsewhere(Box::new(error))
}
