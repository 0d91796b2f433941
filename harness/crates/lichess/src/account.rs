//! Whose token it is, the upgrade of an account to a bot, and what `--check` looks at.

use std::time::Duration;

use miette::Diagnostic;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::book::open_book;
use super::client::{Body, CallError, Client};
use super::rate_limit::Priority;
use super::settings::Settings;
use super::token::Token;
use harness_arena::open_tablebases;
use harness_base::session::Interrupt;
use harness_player::{self as player, EngineSpec, Go, Line, StartSettings, unobserved};

/// The scope that a bot's token needs.
const SCOPE: &str = "bot:play";

/// Wait for the engine's answer in a check.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(20);

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Its name in small letters.
    pub id: String,
    /// Its name as its owner writes it.
    pub name: String,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// Games that it has played.
    pub games: u64,
}

/// An account that cannot play.
#[derive(Debug, Error, Diagnostic)]
pub enum AccountError {
    /// The request failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Call(#[from] CallError),
    /// The server's answer has no account name.
    #[error("the server does not say whose token it is")]
    #[diagnostic(help("is it a server with the interface of Lichess?"))]
    Nameless,
    /// It is no bot.
    #[error("the account {0} is no bot")]
    #[diagnostic(help(
        "an account that has played no game can become one, for good: \
         `harness lichess --upgrade {0}`"
    ))]
    NoBot(String),
    /// It is one.
    #[error("the account {0} is a bot already")]
    #[diagnostic(help("`harness lichess ENGINE --check` looks at the rest"))]
    BotAlready(String),
    /// Another account than the one that was named.
    #[error("the token is that of {0}, and `{1}` was named")]
    #[diagnostic(help("the upgrade cannot be undone: name the account that is meant"))]
    Another(String, String),
    /// It has played.
    #[error("the account {0} has played {1} games")]
    #[diagnostic(help("only an account without a game can become a bot: make a new one"))]
    HasPlayed(String, u64),
}

/// Whose token it is.
///
/// # Errors
/// When the server does not say.
pub fn read(client: &Client) -> Result<Account, AccountError> {
    let value = client.get("/api/account")?;
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let id = text("id").ok_or(AccountError::Nameless)?;
    Ok(Account {
        name: text("username").unwrap_or_else(|| id.clone()),
        is_bot: value["title"] == "BOT",
        games: value["count"]["all"].as_u64().unwrap_or(0),
        id,
    })
}

/// Makes a bot of the account with this name, for good.
///
/// # Errors
/// When the token is another's, the account has played, or the server refuses.
pub fn upgrade(client: &Client, named: &str) -> Result<Account, AccountError> {
    let account = read(client)?;
    if !account.name.eq_ignore_ascii_case(named) {
        return Err(AccountError::Another(account.name, named.to_owned()));
    }
    if account.is_bot {
        return Err(AccountError::BotAlready(account.name));
    }
    if account.games > 0 {
        return Err(AccountError::HasPlayed(account.name, account.games));
    }
    let path = "/api/bot/account/upgrade";
    client.post(path, Body::Empty, Priority::Background, &|| true)?;
    Ok(Account { is_bot: true, ..account })
}

/// A thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Name of the check.
    pub what: &'static str,
    /// Whether it is all right.
    pub passed: bool,
    /// Result of the check.
    pub found: String,
}

/// Looks at the token, the account, the engine, the book and the tablebases, and plays nothing.
pub fn check(
    client: &Client,
    token: &Token,
    settings: &Settings,
    spec: Option<&EngineSpec>,
    interrupt: &Interrupt,
) -> Vec<Check> {
    let check = |what, found: Result<String, String>| {
        let passed = found.is_ok();
        Check { what, passed, found: found.unwrap_or_else(|error| error) }
    };
    let mut checks = vec![check("token", Ok(format!("from {}", token.source)))];
    let account = read(client).map_err(|error| error.to_string());
    let is_known = account.is_ok();
    let shown = account.and_then(|account| match account.is_bot {
        true => Ok(format!("{}, a bot with {} games", account.name, account.games)),
        false => Err(AccountError::NoBot(account.name).to_string()),
    });
    checks.push(check("account", shown));
    if is_known {
        let facts = client.token_facts().map_err(|error| error.to_string());
        checks.push(check("scopes", facts.and_then(|facts| scopes(&facts))));
    }
    if let Some(spec) = spec {
        checks.push(check("engine", engine(spec, settings, interrupt)));
    }
    if let Some(book) = &settings.book {
        let opened = open_book(&book.file).map_err(|error| error.to_string());
        checks.push(check("book", opened.map(|book| format!("{} entries", book.len()))));
    }
    if let Some(tables) = &settings.tablebases {
        let opened = open_tablebases(&tables.folders).map_err(|error| error.to_string());
        let found = opened.map(|tables| {
            let missing = tables.missing().map_or_else(String::new, |it| format!("; {it}"));
            format!("{} files, of at most {} men{missing}", tables.count(), tables.max_men())
        });
        checks.push(check("tablebases", found));
    }
    checks
}

fn scopes(facts: &Value) -> Result<String, String> {
    let scopes = facts["scopes"].as_str().unwrap_or_default();
    let has = scopes.split(',').any(|scope| scope.trim() == SCOPE);
    match has {
        true => Ok(scopes.to_owned()),
        false => Err(format!("`{scopes}` lacks {SCOPE}: make a token that has it")),
    }
}

/// Starts the engine and lets it make a move.
fn engine(spec: &EngineSpec, settings: &Settings, interrupt: &Interrupt) -> Result<String, String> {
    let failed = |fault: player::Fault| fault.to_string();
    let mut player = player::start(spec, &StartSettings::default(), interrupt).map_err(failed)?;
    let ponders = settings.search.ponder && player.allow_pondering().map_err(failed)?;
    player.new_game(false).map_err(failed)?;
    let line = Line { fen: None, moves: &[] };
    let go = Go::MoveTime(Duration::from_millis(100));
    let reply = player.go(line, &go, ENGINE_TIMEOUT, &mut unobserved).map_err(failed)?;
    let depth = reply.info.depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
    let how = if ponders { ", and it can ponder" } else { "" };
    Ok(format!("{} plays {}{depth} in 100 ms{how}", spec.name, reply.best_move))
}
