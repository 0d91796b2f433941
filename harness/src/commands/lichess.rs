//! `harness lichess`: any engine as a bot on Lichess.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use miette::miette;
use serde_json::json;

use super::watch::watched;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{Begun, RunEvent, RunSink};
use crate::lichess::account::{self, AccountError, Check};
use crate::lichess::settings::LICHESS;
use crate::lichess::token::{self, Sources, Token};
use crate::lichess::{self, BotEvent, Client, Plan, Settings, Summary};
use crate::player::{self, EngineSpec, OptionArg};
use crate::runs::notices::Ending;
use crate::secret;
use crate::stats::GameScore;
use crate::system;

/// Plays on Lichess as a bot, with any engine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  export LICHESS_TOKEN=$(cat token)              or a file of mode 600: --token-file FILE
  harness lichess stockfish --check              is all in order? plays nothing
  harness lichess --upgrade MyBot                makes the account a bot, for good
  harness lichess stockfish --option Threads=2   plays until Ctrl-C
  harness lichess ./my-engine --settings bot.yaml --total 20
  harness lichess builtin --url http://localhost:8080    another server

What is accepted, clocks, book, tablebases, resignation and chat are set in lichess.yaml: `harness
docs lichess` has every key, and each step from a new account on.

With `seek:` in the settings it sends challenges to other bots, too, by rules: rating, clocks, how often,
how many a day.

Ctrl-C or `harness stop last` begins no further game and ends after those under way; a second one, or
`harness stop last --now`, leaves at once: the games that are left continue without the bot, until it is
started again or its time is over.")]
pub struct LichessArgs {
    /// A name in harness.yaml, a path, a program on PATH, a git revision or `builtin`.
    #[arg(value_name = "ENGINE", required_unless_present = "upgrade")]
    engine: Option<String>,
    /// Set an option of the engine.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<OptionArg>,
    /// Settings of the bot [default: lichess.yaml, if it is there].
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Server [default: that of the settings, else https://lichess.org].
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// File with the token, for its owner only; it goes before LICHESS_TOKEN.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Most nodes a move, beside the clock.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// End after this many games.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    total: Option<u64>,
    /// Look at the token, the account and the engine, and play nothing.
    #[arg(long)]
    check: bool,
    /// Make a bot of the account with this name. That cannot be undone.
    #[arg(long, value_name = "ACCOUNT", conflicts_with_all = ["engine", "check", "total"])]
    upgrade: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When a setting, the token, the account or the engine cannot be used, or a game cannot be kept.
pub fn run(args: &LichessArgs, context: &Context) -> Result<Exit, Failure> {
    let mut settings = Settings::read(args.settings.as_deref()).or_usage()?;
    if let Some(url) = &args.url {
        settings = settings.at(url).or_usage()?;
    }
    settings.search.nodes = args.nodes.or(settings.search.nodes);
    let usual = system::settings().map(|folder| folder.join(token::FILE_NAME));
    let sources = Sources {
        flag: args.token_file.as_deref(),
        variable: std::env::var(secret::LICHESS_TOKEN).ok(),
        setting: settings.token_file.as_deref(),
        usual: usual.as_deref(),
    };
    let token = Token::find(sources).or_usage()?;
    let client = Arc::new(Client::new(&settings, token.key.clone()));
    if let Some(name) = &args.upgrade {
        let account = account::upgrade(&client, name).map_err(failure)?;
        return context.show(&account, || format!("{} is a bot now\n", account.name));
    }
    let spec = engine(args, context)?;
    if args.check {
        let spec = Some(&spec);
        let checks = account::check(&client, &token, &settings, spec, &context.interrupt);
        return show_checks(&checks, &settings, context);
    }
    let account = account::read(&client).map_err(failure)?;
    if !account.is_bot {
        return Err(failure(AccountError::NoBot(account.name)));
    }
    let plan = Plan { settings, spec, account, total: args.total };
    let playing = |sink: &RunSink<'_>| {
        let mut shown = |event: &BotEvent<'_>| {
            context.say(&event_line(event));
            tell(event, &plan, sink);
        };
        lichess::run(&plan, &client, context, &mut shown)
    };
    let ending = |summary: &Summary| Ending {
        summary: serde_json::to_value(summary).ok(),
        exit: Some(Exit::Good),
    };
    let summary = watched(context, playing, ending)?;
    context.show(&summary, || summary.text())
}

/// Tells pages, hooks and `harness stop` how far the bot is.
fn tell(event: &BotEvent<'_>, plan: &Plan, sink: &RunSink<'_>) {
    match event {
        BotEvent::Ready { account, run } => {
            let title = format!("{} as {account}", plan.spec.name);
            let (key, of, unit) = (lichess::COMMAND, plan.total, "games");
            sink(&RunEvent::Begun(Begun { run, key, title, done: 0, of, unit }));
        }
        BotEvent::GameOver { .. } => sink(&RunEvent::OneMore),
        _ => {}
    }
}

fn failure(error: AccountError) -> Failure {
    match error {
        AccountError::Call(_) | AccountError::Nameless => Failure::Failed(error.into()),
        _ => Failure::Usage(error.into()),
    }
}

fn engine(args: &LichessArgs, context: &Context) -> Result<EngineSpec, Failure> {
    // The command line does not come here without one.
    let name = args.engine.as_deref().ok_or_else(|| {
        Failure::Usage(miette!(help = "`harness lichess ENGINE`", "no engine was named"))
    })?;
    let config = Config::find()?;
    Ok(player::resolve_all(&[name], &[], &args.option, &config, context)?.remove(0))
}

fn show_checks(checks: &[Check], settings: &Settings, context: &Context) -> Result<Exit, Failure> {
    let passed = checks.iter().all(|check| check.passed);
    let object = json!({ "server": settings.url, "passed": passed, "checks": checks });
    context.show(&object, || {
        let mut text = format!("{}\n", settings.url);
        for Check { what, passed, found } in checks {
            let mark = if *passed { '✓' } else { '✗' };
            text.push_str(&format!("{mark} {what:<11} {found}\n"));
        }
        if passed && settings.url == LICHESS {
            text.push_str("without `--check` it plays\n");
        }
        text
    })?;
    Ok(if passed { Exit::Good } else { Exit::Bad })
}

/// An event in a line.
fn event_line(event: &BotEvent<'_>) -> String {
    match event {
        BotEvent::Ready { account, run } => {
            format!("{account} is there; run {run}; Ctrl-C ends it")
        }
        BotEvent::Challenge { challenge, declined } => {
            let answer = declined
                .map_or("accepted".to_owned(), |reason| format!("declined ({})", reason.key()));
            format!("challenge {}: {answer}", challenge.summary())
        }
        BotEvent::Sent { text } => format!("challenge to {text}: sent"),
        BotEvent::GameStart { address } => format!("game {address} begins"),
        BotEvent::GameOver { game, address } => {
            let result = match game.score() {
                Some(GameScore::Win) => "won",
                Some(GameScore::Draw) => "drawn",
                Some(GameScore::Loss) => "lost",
                None => "without a result",
            };
            let ending = game.ending().key.replace('_', " ");
            format!("game {address} against {}: {result}, {ending}", game.opponent().display_name())
        }
        BotEvent::Note(text) => (*text).to_owned(),
        BotEvent::Ending { left } if left.is_empty() => "it ends: no game is under way".to_owned(),
        BotEvent::Ending { left } => format!(
            "it ends after {} under way; a second Ctrl-C leaves at once, and these continue without the \
             bot:\n  {}",
            if left.len() == 1 { "the game".to_owned() } else { format!("{} games", left.len()) },
            left.join("\n  ")
        ),
    }
}
