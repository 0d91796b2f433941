//! Challenges that the bot sends, by rules: to whom, how often, how many a day.
//!
//! [`Seeker`] decides; a thread of its own asks the server who is there, and sends the challenge. What was
//! sent in the last day is kept in a file, so that a bot that is started again keeps to its limits.

mod choice;
mod sent;

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rand::seq::IndexedRandom;
use serde_json::Value;

pub use self::choice::Clock;
use self::choice::{OnlineBot, fits};
use self::sent::SentToday;
use super::client::{Body, CallError, Client};
use super::keys::{Mode, Seek, Variant};
use super::messages::is_id;
use super::rate_limit::Priority;
use super::watcher::Cancel;

/// Bots that the server is asked for.
const MAX_BOTS: usize = 300;

/// Wait after a request that failed, and where no bot fits; it doubles up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// The longest such wait.
const MAX_PAUSE: Duration = Duration::from_secs(900);

/// A challenge that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its id, which is that of the game.
    pub id: String,
    /// Id of the opponent.
    pub opponent: String,
    /// In words: `Fish (2310), 180+2 s casual standard`.
    pub text: String,
}

/// Result of an attempt.
#[derive(Debug)]
pub enum Sought {
    /// A challenge was sent.
    Sent(Sent),
    /// Of the bots that are there, none fits.
    NoFit {
        /// Bots that are there.
        online: usize,
    },
    /// A request failed.
    Failed(CallError),
}

/// Sends challenges by rules.
pub struct Seeker {
    rules: Seek,
    /// Id of the bot's own account.
    own: String,
    sent: SentToday,
    /// When the next attempt may begin.
    next: Instant,
    pause: Duration,
    /// An attempt is under way.
    is_busy: bool,
    /// The challenge that waits for its answer, until when.
    pending: Option<(String, Instant)>,
    /// A limit of a day is reached, and it was said.
    is_full: bool,
}

impl Seeker {
    /// By these rules, for an account on a server.
    pub fn new(rules: &Seek, own: &str, server: &str) -> Seeker {
        Seeker {
            rules: rules.clone(),
            own: own.to_owned(),
            sent: SentToday::read(own, server),
            next: Instant::now(),
            pause: FIRST_PAUSE,
            is_busy: false,
            pending: None,
            is_full: false,
        }
    }

    /// Whether an attempt is under way: it may become a game.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Whether it is time for another challenge; the caller knows whether there is room for a game.
    pub fn is_due(&mut self) -> bool {
        !self.is_busy && self.pending.is_none() && Instant::now() >= self.next && {
            let is_full = self.sent.count(SystemTime::now()) >= self.rules.per_day;
            self.is_full &= is_full;
            !is_full
        }
    }

    /// A sentence when the limit of a day is reached, once.
    pub fn says_full(&mut self) -> Option<String> {
        let is_full = self.sent.count(SystemTime::now()) >= self.rules.per_day;
        (is_full && !std::mem::replace(&mut self.is_full, true)).then(|| {
            format!(
                "{} challenges were sent in 24 hours (`per_day`): none is sent for now",
                self.rules.per_day
            )
        })
    }

    /// Looks for an opponent and challenges it, in a thread of its own.
    pub fn begin<T: Send + 'static>(
        &mut self,
        client: &Arc<Client>,
        cancel: &Cancel,
        sender: Sender<T>,
        wrap: impl Fn(Sought) -> T + Send + 'static,
    ) {
        self.is_busy = true;
        let (client, cancel) = (Arc::clone(client), cancel.clone());
        let (rules, own) = (self.rules.clone(), self.own.clone());
        let already = self.sent.by_opponent(SystemTime::now());
        thread::spawn(move || {
            let mine = |id: &str| already.get(id).copied().unwrap_or(0);
            let sought = seek(&client, &cancel, &rules, &own, &mine).unwrap_or_else(Sought::Failed);
            // The loop may have ended.
            let _ = sender.send(wrap(sought));
        });
    }

    /// Takes what came of an attempt.
    pub fn take(&mut self, sought: &Sought) {
        self.is_busy = false;
        let now = Instant::now();
        match sought {
            Sought::Sent(sent) => {
                self.sent.add(&sent.opponent, SystemTime::now());
                self.pending = Some((sent.id.clone(), now + self.rules.waits));
                (self.next, self.pause) = (now + self.rules.every, FIRST_PAUSE);
            }
            Sought::Failed(CallError::Quota(quota)) => self.next = now + quota.wait,
            Sought::NoFit { .. } | Sought::Failed(_) => {
                self.next = now + self.pause.max(self.rules.every);
                self.pause = (2 * self.pause).min(MAX_PAUSE);
            }
        }
    }

    /// The challenge has become a game, or was declined.
    pub fn settle(&mut self, id: &str) -> bool {
        let is_it = self.pending.as_ref().is_some_and(|(pending, _)| pending == id);
        if is_it {
            self.pending = None;
        }
        is_it
    }

    /// The challenge that is to be taken back: it waited long enough, or the bot is ending.
    pub fn withdrawn(&mut self, is_ending: bool) -> Option<String> {
        let is_over = |(_, until): &(String, Instant)| is_ending || Instant::now() >= *until;
        self.pending.take_if(|pending| is_over(pending)).map(|(id, _)| id)
    }
}

/// Takes a challenge back, in a thread of its own, and says when it has. One that was accepted a moment ago
/// is a game.
pub fn withdraw<T: Send + 'static>(
    client: &Arc<Client>,
    cancel: &Cancel,
    id: String,
    sender: Sender<T>,
    wrap: impl FnOnce() -> T + Send + 'static,
) {
    let (client, cancel) = (Arc::clone(client), cancel.clone());
    thread::spawn(move || {
        let path = format!("/api/challenge/{id}/cancel");
        let wanted = || !cancel.is_cancelled();
        if let Err(error) = client.post(&path, Body::Empty, Priority::Background, &wanted) {
            tracing::debug!("challenge {id} is not taken back: {error}");
        }
        // The loop may have ended.
        let _ = sender.send(wrap());
    });
}

fn seek(
    client: &Client,
    cancel: &Cancel,
    rules: &Seek,
    own: &str,
    already: &dyn Fn(&str) -> usize,
) -> Result<Sought, CallError> {
    let wanted = || !cancel.is_cancelled();
    let lines = client.list(&format!("/api/bot/online?nb={MAX_BOTS}"), MAX_BOTS, &wanted)?;
    let bots: Vec<OnlineBot> =
        lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut random = rand::rng();
    let (Some(clock), Some(mode), Some(variant)) = (
        rules.clocks.choose(&mut random).copied(),
        rules.modes.choose(&mut random).copied(),
        rules.variants.choose(&mut random).copied(),
    ) else {
        return Ok(Sought::NoFit { online: bots.len() });
    };
    let fitting: Vec<&OnlineBot> = bots
        .iter()
        .filter(|bot| bot.id != own && is_name(&bot.username))
        .filter(|bot| fits(rules, bot, clock, variant) && already(&bot.id) < rules.per_opponent)
        .collect();
    let Some(bot) = fitting.choose(&mut random) else {
        return Ok(Sought::NoFit { online: bots.len() });
    };
    let rated = mode == Mode::Rated;
    let [limit, increment] = [clock.base, clock.increment].map(|seconds| seconds.to_string());
    let fields = [
        ("rated", if rated { "true" } else { "false" }),
        ("clock.limit", &limit),
        ("clock.increment", &increment),
        ("color", "random"),
        ("variant", variant_key(variant)),
    ];
    let path = format!("/api/challenge/{}", bot.username);
    let answer = client.post_for(&path, Body::Form(&fields), &wanted)?;
    let id = id_of(&answer)
        .ok_or_else(|| CallError::Unclear("the answer to a challenge has no id".to_owned()))?;
    let rating = bot.rating(clock, variant).map_or(String::new(), |rating| format!(" ({rating})"));
    let mode = if rated { "rated" } else { "casual" };
    let text = format!("{}{rating}, {clock} s {mode} {}", bot.username, variant_key(variant));
    Ok(Sought::Sent(Sent { id, opponent: bot.id.clone(), text }))
}

/// The id of the challenge, which earlier versions of the interface have one level deeper.
fn id_of(answer: &Value) -> Option<String> {
    let id = answer["id"].as_str().or(answer["challenge"]["id"].as_str())?;
    is_id(id).then(|| id.to_owned())
}

/// Whether a name can stand in an address.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=40).contains(&name.len()) && name.bytes().all(is_plain)
}

fn variant_key(variant: Variant) -> &'static str {
    match variant {
        Variant::Chess960 => "chess960",
        // A position is not chosen.
        Variant::Standard | Variant::FromPosition => "standard",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeker(yaml: &str) -> Seeker {
        let rules: Seek = serde_yaml::from_str(yaml).expect("rules");
        Seeker { sent: SentToday::default(), ..Seeker::new(&rules, "me", "http://none") }
    }

    fn sent(id: &str) -> Sought {
        Sought::Sent(Sent { id: id.to_owned(), opponent: "fish".to_owned(), text: String::new() })
    }

    #[test]
    fn one_challenge_waits_at_a_time_and_the_next_keeps_its_distance() {
        let mut seeker = seeker("{ every: 60s, waits: 20s }");
        assert!(seeker.is_due());
        seeker.take(&sent("a"));
        assert!(!seeker.is_due() && seeker.withdrawn(false).is_none());
        assert!(!seeker.settle("b") && seeker.settle("a") && !seeker.settle("a"));
        assert!(!seeker.is_due(), "a minute later");
        seeker.next = Instant::now();
        assert!(seeker.is_due());
        seeker.take(&sent("c"));
        assert_eq!(seeker.withdrawn(true).as_deref(), Some("c"));
        assert_eq!(seeker.withdrawn(true), None);
    }

    #[test]
    fn the_limit_of_a_day_is_kept_and_said_once() {
        let mut seeker = seeker("{ per_day: 2, every: 0s }");
        for id in ["a", "b"] {
            assert!(seeker.is_due() && seeker.says_full().is_none());
            seeker.take(&sent(id));
            seeker.settle(id);
        }
        assert!(!seeker.is_due());
        assert!(seeker.says_full().is_some() && seeker.says_full().is_none());
    }

    #[test]
    fn after_failures_and_where_none_fits_it_waits_for_longer_and_longer() {
        let mut seeker = seeker("{ every: 0s }");
        for expected in [30, 60, 120, 240, 480, 900, 900] {
            let before = Instant::now();
            seeker.take(&Sought::NoFit { online: 3 });
            let wait = seeker.next - before;
            assert!((wait.as_secs_f64() - f64::from(expected)).abs() < 1.0, "{wait:?} {expected}");
        }
        seeker.take(&sent("a"));
        assert_eq!(seeker.pause, FIRST_PAUSE);
    }

    #[test]
    fn ids_and_names_are_what_can_stand_in_an_address() {
        let id = |text: &str| id_of(&serde_json::from_str(text).expect("JSON"));
        assert_eq!(id(r#"{"id":"abc"}"#).as_deref(), Some("abc"));
        assert_eq!(id(r#"{"challenge":{"id":"abc"}}"#).as_deref(), Some("abc"));
        assert_eq!(id(r#"{"id":"../abc"}"#), None);
        assert_eq!(id("{}"), None);
        assert!(is_name("Fish_1-x") && !is_name("") && !is_name("a/b") && !is_name("a?b"));
    }
}
