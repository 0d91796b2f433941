//! `harness serve`: a NATS server for runs on many machines.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cluster::Token;
use crate::cluster::server::{Server, Setup, TokenChange, Tokens, change_tokens, default_folder};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::player::parse_movetime;

/// Starts a server by way of which many machines play.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness serve                                     # prints the commands to join
  harness work nats://box:4222 -t worker1.3fa9...   # on each other machine
  harness sprt HEAD main --on nats://box            # on any machine with the coordinator's token
  harness serve --new-token                         # of a server that runs, or else starts one
  harness serve --revoke 1                          # who has worker1's is disconnected

It runs `nats-server` (Debian: `apt install nats-server`) as its child, with JetStream on disk,
encrypted connections, and two kinds of tokens: with a coordinator's, runs are started; with a
worker's, jobs are taken and results published, and nothing else. `harness docs many-machines` has
the details. Ctrl-C ends it; queued jobs and results are on disk and outlive it.")]
pub struct ServeArgs {
    /// Address to listen at.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    host: String,
    /// Port to listen at.
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Folder of the server's state [default: ~/.local/state/tench/server].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Most space for jobs, results and engines, such as 500MB or 20GB [default: three quarters of
    /// what is free].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    disk: Option<u64>,
    /// Do not encrypt connections.
    #[arg(long)]
    no_tls: bool,
    /// A worker that is silent for TIME loses its batch to another one.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_movetime)]
    lease: Duration,
    /// Make another token for workers, also while the server runs.
    #[arg(long)]
    new_token: bool,
    /// Revoke the workers' token of this number, also while the server runs: 3 for worker3.
    #[arg(long, value_name = "NUMBER", conflicts_with = "new_token")]
    revoke: Option<usize>,
    /// The program to start [default: nats-server on PATH].
    #[arg(long, value_name = "FILE")]
    nats_server: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When `nats-server` is not there or does not start.
pub fn run(args: &ServeArgs, context: &Context) -> Result<Exit, Failure> {
    let folder = args.dir.clone().unwrap_or_else(default_folder);
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let setup = Setup {
        folder: folder.clone(),
        host: args.host.trim_matches(['[', ']']).to_owned(),
        port: args.port,
        tls: !args.no_tls,
        lease: args.lease,
        disk: args.disk,
        program: args.nats_server.clone(),
    };
    let change = match (args.new_token, args.revoke) {
        (true, _) => Some(TokenChange::New),
        (false, Some(number)) => Some(TokenChange::Revoke(number)),
        (false, None) => None,
    };
    let running = change.map(|change| change_tokens(&folder, change)).transpose()?.flatten();
    let revoked = args.revoke.map(|number| format!("worker{number} is revoked.\n\n"));
    let revoked = revoked.unwrap_or_default();
    let say = |tokens: &Tokens, text: &str| {
        let lines = || format!("{revoked}{text}{}", join_lines(args, &folder, tokens));
        context.show(&as_json(tokens, &folder), lines)
    };
    if let Some(tokens) = running {
        return say(&tokens, "");
    }
    let server = Server::start(setup, change)?;
    say(&server.tokens(), &format!("serving, state in {}\n\n", folder.display()))?;
    server.run(&context.interrupt, &|text| context.warn(text))?;
    Ok(Exit::Good)
}

/// Address and tokens, for scripts.
fn as_json(tokens: &Tokens, folder: &Path) -> serde_json::Value {
    let text = |token: &Option<Token>| token.as_ref().map(Token::to_string);
    json!({
        "url": tokens.url, "dir": folder.display().to_string(),
        "worker": text(&tokens.worker), "coordinator": text(&tokens.coordinator),
    })
}

/// The commands that join a server.
fn join_lines(args: &ServeArgs, folder: &Path, tokens: &Tokens) -> String {
    let there = if matches!(&*args.host, "0.0.0.0" | "::" | "[::]") {
        let port = tokens.url.rsplit(':').next().unwrap_or_default();
        format!("nats://THIS-MACHINE:{port}")
    } else {
        tokens.url.clone()
    };
    let mut text = match &tokens.worker {
        Some(token) => {
            format!("On each machine that plays:\n  harness work {there} -t {token}\n\n")
        }
        None => "All tokens of workers are revoked; --new-token makes one.\n\n".to_owned(),
    };
    let start = |url: &str| format!("harness sprt HEAD main --on {url}\n");
    let Some(token) = &tokens.coordinator else { return text };
    let with_token = format!("TENCH_TOKEN={token} ");
    // That of the usual folder is found.
    let here = if folder == default_folder() { "" } else { &with_token };
    text += &format!("On this machine:\n  {here}{}\n", start(&tokens.url));
    text + &format!("On another machine, to start runs:\n  {with_token}{}", start(&there))
}

/// Bytes of a text such as 500MB.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" => 1,
        "K" | "KB" => 1 << 10,
        "M" | "MB" => 1 << 20,
        "G" | "GB" => 1 << 30,
        _ => return Err("a size is a number with KB, MB or GB".to_owned()),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| "a size is a number such as 20GB".to_owned())
}
