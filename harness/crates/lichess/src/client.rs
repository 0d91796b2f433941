//! Requests and streams over HTTP.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use miette::Diagnostic;
use serde_json::Value;
use thiserror::Error;

use super::rate_limit::{Priority, RequestQueue};
use super::settings::Settings;
use harness_base::secret::Key;
use harness_base::text::duration;
use harness_http::{self as http, Timeouts};

/// Longest time of a request that is no stream, and of the head of a stream.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest line of a stream, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Largest answer of a request, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// Longest text of the server in a message, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// Longest pause that a server may ask for.
const MAX_PAUSE: u64 = 3600;

/// Longest time until a named quota is full again, in seconds: those of Lichess last a day.
const MAX_QUOTA_PAUSE: u64 = 7 * 24 * 3600;

/// Longest part of a stream's line in a log, in characters.
const EXCERPT: usize = 80;

/// A request that did not succeed. No text holds the token.
#[derive(Clone, Debug, Error, Diagnostic)]
pub enum CallError {
    /// The token is not valid any more.
    #[error("the server refuses the token (status 401)")]
    #[diagnostic(help(
        "make a new one at https://lichess.org/account/oauth/token; `harness lichess ENGINE --check` \
         tries it"
    ))]
    Token,
    /// The server says no.
    #[error("the server refuses it with status {0}: {1}")]
    #[diagnostic(help(
        "`harness lichess ENGINE --check` looks at the account and the token's scopes"
    ))]
    Refused(u16, String),
    /// Too many requests; nothing was done.
    #[error("the server asks for a pause (status 429)")]
    Limited,
    /// A quota of this kind of request is used up; nothing was done. Other requests continue.
    #[error("{0}")]
    Quota(Quota),
    /// The connection failed, or the server did: it may have been done or not.
    #[error("{0}")]
    #[diagnostic(help("is the network up? https://lichess.org/api says where the server is"))]
    Unclear(String),
    /// It was cancelled before it was sent.
    #[error("it was cancelled")]
    Cancelled,
}

impl CallError {
    /// Whether it may succeed if it is sent again.
    pub fn may_pass(&self) -> bool {
        matches!(self, CallError::Limited | CallError::Quota(_) | CallError::Unclear(_))
    }

    /// Whether the watcher of a game's stream gives up: the token is invalid, or the server has no such
    /// game. Other refusals may come from a proxy or a server that is being restarted.
    pub fn ends_stream(&self) -> bool {
        matches!(self, CallError::Token | CallError::Refused(404, _))
    }
}

/// A quota that is used up, as the body of an answer 429 names it (`ratelimit`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Its name: `bot.vsBot.day`.
    pub key: String,
    /// Time until it is full again.
    pub wait: Duration,
    /// The server's sentence.
    pub text: String,
}

impl Quota {
    /// Whether it is one of games between bots: games with people have none.
    pub fn is_of_bots(&self) -> bool {
        self.key.to_ascii_lowercase().contains("vsbot")
    }
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quota { key, wait, text } = self;
        let wait = duration(wait.as_secs_f64());
        write!(f, "the quota `{key}` is used up for {wait} (status 429): {text}")
    }
}

/// A server, as seen by the owner of a token.
#[derive(Debug)]
pub struct Client {
    calls: ureq::Agent,
    streams: ureq::Agent,
    url: String,
    key: Key,
    queue: RequestQueue,
    rate_limit_wait: Duration,
}

/// Body of a request.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Nothing.
    Empty,
    /// Fields of a form.
    Form(&'a [(&'a str, &'a str)]),
}

impl Client {
    /// Connects to nothing yet.
    pub fn new(settings: &Settings, key: Key) -> Client {
        let step = Some(REQUEST_TIMEOUT);
        let read = Some(settings.silence);
        Client {
            calls: http::agent(Timeouts { whole: Some(REQUEST_TIMEOUT), step, read: None }),
            streams: http::agent(Timeouts { whole: None, step, read }),
            url: settings.url.clone(),
            key,
            queue: RequestQueue::default(),
            rate_limit_wait: settings.rate_limit_wait,
        }
    }

    /// The address of a page of the server, for people.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Whether the server has asked for a pause that is not over.
    pub fn is_paused(&self) -> bool {
        self.queue.is_paused()
    }

    /// Gets a JSON value.
    ///
    /// # Errors
    /// When the server does not answer with one.
    pub fn get(&self, path: &str) -> Result<Value, CallError> {
        let _permit =
            self.queue.enter(Priority::Background, &|| true).ok_or(CallError::Cancelled)?;
        let request = self.calls.get(self.address(path)).header("Authorization", self.bearer());
        let text = self.text(self.checked(request.call())?)?;
        serde_json::from_str(&text)
            .map_err(|_| CallError::Unclear("the server's answer is no JSON".to_owned()))
    }

    /// The token's scopes and end of validity, as the server has them, or null.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn token_facts(&self) -> Result<Value, CallError> {
        let _permit =
            self.queue.enter(Priority::Background, &|| true).ok_or(CallError::Cancelled)?;
        let request = self.calls.post(self.address("/api/token/test"));
        let request = request.header("Content-Type", "text/plain");
        let text = self.text(self.checked(request.send(self.key.secret()))?)?;
        let mut value: Value = serde_json::from_str(&text)
            .map_err(|_| CallError::Unclear("the server's answer is no JSON".to_owned()))?;
        Ok(value[self.key.secret()].take())
    }

    /// Sends a request, once; it waits for its turn while `wanted` is true.
    ///
    /// # Errors
    /// When it was not answered with success.
    pub fn post(
        &self,
        path: &str,
        body: Body<'_>,
        priority: Priority,
        wanted: &dyn Fn() -> bool,
    ) -> Result<(), CallError> {
        // The answer is read, so that the connection can be used again.
        self.send(path, body, priority, wanted).map(drop)
    }

    /// Sends a request, once, in the background; gives the JSON of its answer.
    ///
    /// # Errors
    /// When it was not answered with success, or the answer is no JSON.
    pub fn post_for(
        &self,
        path: &str,
        body: Body<'_>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Value, CallError> {
        let text = self.send(path, body, Priority::Background, wanted)?;
        serde_json::from_str(&text)
            .map_err(|_| CallError::Unclear("the server's answer is no JSON".to_owned()))
    }

    fn send(
        &self,
        path: &str,
        body: Body<'_>,
        priority: Priority,
        wanted: &dyn Fn() -> bool,
    ) -> Result<String, CallError> {
        let _permit = self.queue.enter(priority, wanted).ok_or(CallError::Cancelled)?;
        let request = self.calls.post(self.address(path)).header("Authorization", self.bearer());
        let answer = match body {
            Body::Empty => request.send_empty(),
            Body::Form(fields) => request.send_form(fields.iter().copied()),
        };
        self.text(self.checked(answer)?)
    }

    /// The lines of a stream that ends, which must come within the time of a request; at most this many.
    ///
    /// # Errors
    /// When they do not come.
    pub fn list(
        &self,
        path: &str,
        most: usize,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, CallError> {
        let mut lines = self.open_in(&self.calls, path, Priority::Background, wanted)?;
        let mut list = Vec::new();
        while list.len() < most {
            match lines.next_line() {
                Ok(Some(line)) if line.is_empty() => {}
                Ok(Some(line)) => list.push(line),
                Ok(None) => break,
                Err(error) => return Err(CallError::Unclear(self.one_line(&error.to_string()))),
            }
        }
        Ok(list)
    }

    /// Opens a stream; it waits for its turn while `wanted` is true.
    ///
    /// # Errors
    /// When the server does not open it.
    pub fn open(&self, path: &str, wanted: &dyn Fn() -> bool) -> Result<Lines, CallError> {
        self.open_in(&self.streams, path, Priority::Move, wanted)
    }

    /// The first line of a stream, which must come within the time of a request.
    ///
    /// # Errors
    /// When it does not come.
    pub fn first_line(&self, path: &str, wanted: &dyn Fn() -> bool) -> Result<String, CallError> {
        let mut lines = self.open_in(&self.calls, path, Priority::Move, wanted)?;
        loop {
            match lines.next_line() {
                Ok(Some(line)) if line.is_empty() => {}
                Ok(Some(line)) => return Ok(line),
                Ok(None) => return Err(CallError::Unclear("the stream is empty".to_owned())),
                Err(error) => return Err(CallError::Unclear(self.one_line(&error.to_string()))),
            }
        }
    }

    fn open_in(
        &self,
        agent: &ureq::Agent,
        path: &str,
        priority: Priority,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Lines, CallError> {
        let _permit = self.queue.enter(priority, wanted).ok_or(CallError::Cancelled)?;
        let request = agent.get(self.address(path)).header("Authorization", self.bearer());
        let request = request.header("Accept", "application/x-ndjson");
        let answer = self.checked(request.call())?;
        let body = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Lines(BufReader::new(Box::new(body))))
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.key.secret())
    }

    /// An answer of success; after one of 429 that names no quota nothing more is sent for a while.
    fn checked(
        &self,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<ureq::http::Response<ureq::Body>, CallError> {
        let answer = answer.map_err(|error| self.cut(&error))?;
        let status = answer.status().as_u16();
        match status {
            200..=299 => Ok(answer),
            401 => Err(CallError::Token),
            429 => {
                let header = answer.headers().get("Retry-After");
                let asked = header.and_then(|text| text.to_str().ok()?.parse().ok());
                // A text that cannot be read names no quota.
                let text = self.text(answer).unwrap_or_default();
                if let Some(quota) = self.quota(&text, asked) {
                    return Err(CallError::Quota(quota));
                }
                let asked = Duration::from_secs(u64::min(asked.unwrap_or(0), MAX_PAUSE));
                self.queue.pause(self.rate_limit_wait.max(asked));
                Err(CallError::Limited)
            }
            500..=599 => Err(CallError::Unclear(format!("the server fails with status {status}"))),
            _ => {
                let text = self.text(answer).unwrap_or_default();
                let said: Value = serde_json::from_str(&text).unwrap_or_default();
                let said = said["error"].as_str().unwrap_or(&text);
                Err(CallError::Refused(status, self.one_line(said)))
            }
        }
    }

    /// The quota that the body of an answer 429 names, `asked` being its `Retry-After`.
    fn quota(&self, text: &str, asked: Option<u64>) -> Option<Quota> {
        let said: Value = serde_json::from_str(text).ok()?;
        let key = said["ratelimit"]["key"].as_str().filter(|key| !key.is_empty())?;
        let seconds = said["ratelimit"]["seconds"].as_u64().or(asked);
        let wait = seconds.map_or(self.rate_limit_wait, |seconds| {
            Duration::from_secs(seconds.min(MAX_QUOTA_PAUSE))
        });
        let text = self.one_line(said["error"].as_str().unwrap_or("no reason is given"));
        Some(Quota { key: self.one_line(key), wait, text })
    }

    fn text(&self, mut answer: ureq::http::Response<ureq::Body>) -> Result<String, CallError> {
        let read = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string();
        read.map_err(|error| self.cut(&error))
    }

    fn cut(&self, error: &ureq::Error) -> CallError {
        let reason = self.one_line(&http::reason(error, Some(&self.key)));
        CallError::Unclear(format!("no answer of {}: {reason}", self.url))
    }

    /// The beginning of a line that cannot be read, for a log, without the token.
    pub fn excerpt(&self, line: &str) -> String {
        let hidden = self.key.hide_in(line);
        let shown: String = hidden.chars().take(EXCERPT).collect();
        if shown.len() < hidden.len() { format!("{shown}…") } else { shown }
    }

    /// A text of the server in one line, without the token.
    fn one_line(&self, text: &str) -> String {
        let hidden = self.key.hide_in(text);
        let line = hidden.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(MAX_TEXT_CHARS).collect()
    }
}

/// The lines of a stream, as they come.
pub struct Lines(BufReader<Box<dyn Read + Send>>);

impl Lines {
    /// The next line without its end, empty for a keep-alive; `None` at the end of the stream.
    ///
    /// # Errors
    /// When the connection was cut, the server was silent for too long, or a line has no end.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = self.0.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
        if bytes.pop() != Some(b'\n') {
            let cut = "the connection was cut in the middle of a line";
            let cut = || Err(io::Error::new(io::ErrorKind::UnexpectedEof, cut));
            return if read == 0 { Ok(None) } else { cut() };
        }
        Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
    }
}
