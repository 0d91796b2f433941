//! `harness hooks`: the commands that get events of runs, and whether those of `harness.yaml` may run.

use std::num::NonZeroU64;

use clap::{Args, Subcommand};
use miette::miette;
use serde_json::json;

use crate::config::{Config, Hook, HookEvent};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::hooks::allowed::Allowed;
use crate::hooks::{EVENT_VARIABLE, Hooks, Notice, PlacedHook, deliver};
use crate::text::path::encode_path;

/// The flag's value for no hooks at all.
const NONE: &str = "none";

/// Shows, allows and tries the hooks of harness.yaml.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness hooks                 # those of harness.yaml, and whether they are run
  harness hooks allow           # run them, as they stand there now
  harness hooks deny
  harness hooks test            # give each of them a test event
  harness hooks test './tell-the-chat'

A hook is a shell command that gets events of runs as JSON on its standard input: `--on-event COMMAND`,
or `on-event:` of harness.yaml. As that file may come with a foreign repository, its hooks are run only
after `harness hooks allow`, and again only when they have not changed since. `harness docs hooks` lists
the events and their keys.")]
pub struct HooksArgs {
    #[command(subcommand)]
    command: Option<HooksCommand>,
}

#[derive(Debug, Subcommand)]
enum HooksCommand {
    /// Allow the hooks of harness.yaml, as they stand there now.
    Allow,
    /// Allow them no longer.
    Deny,
    /// Give each hook a test event, and say what came of it.
    Test {
        /// A command [default: those of harness.yaml].
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
}

/// The hooks of the flags of a command line.
pub fn of_flags(commands: &[String], every: NonZeroU64) -> Hooks {
    let hooks = Hooks::default();
    let named = commands.iter().filter(|command| *command != NONE);
    hooks.add(named.map(|command| {
        let hook = Hook { every, ..Hook::new(command.clone()) };
        PlacedHook { hook, folder: None }
    }));
    if commands.iter().any(|command| command == NONE) {
        hooks.refuse_more();
    }
    hooks
}

/// Adds the hooks of `harness.yaml`, if the user has allowed them.
pub fn add_those_of_file(context: &Context) {
    // The command has reported what is wrong with the file, if it needs it. A hook that starts a run would
    // be started by it again.
    let Ok(config) = Config::find() else { return };
    if config.hooks.is_empty() || context.hooks.takes_no_more() {
        return;
    }
    if std::env::var_os(EVENT_VARIABLE).is_some() {
        tracing::debug!("a hook started this run: the hooks of harness.yaml are not run");
        return;
    }
    match Allowed::of_user().and_then(|allowed| allowed.has(&config)) {
        Ok(true) => context.hooks.add(placed(&config)),
        Ok(false) => context.say(&format!(
            "note: the commands of `on-event` in {} are not run: you have not allowed them as they \
             are (`harness hooks` shows them, `harness hooks allow` allows them)",
            file_of(&config)
        )),
        Err(error) => context.warn(&format!("the hooks of harness.yaml are not run: {error}")),
    }
}

fn placed(config: &Config) -> Vec<PlacedHook> {
    let folder = std::path::absolute(config.folder()).ok();
    let hooks = config.hooks.iter().cloned();
    hooks.map(|hook| PlacedHook { hook, folder: folder.clone() }).collect()
}

fn file_of(config: &Config) -> String {
    config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default()
}

/// Runs the command.
///
/// # Errors
/// When harness.yaml or the list of what is allowed cannot be read, or there is nothing to allow or try.
pub fn run(args: &HooksArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::find().or_usage()?;
    match &args.command {
        None => list(&config, context),
        Some(HooksCommand::Allow) => {
            let hooks = some_hooks(&config)?;
            Allowed::of_user()?.set(&config, true)?;
            context.say(&format!("{hooks} of {} are run from now on", file_of(&config)));
            list(&config, context)
        }
        Some(HooksCommand::Deny) => {
            Allowed::of_user()?.set(&config, false)?;
            list(&config, context)
        }
        Some(HooksCommand::Test { command: Some(command) }) => {
            let hook = Hook::new(command.clone());
            try_hooks(&[PlacedHook { hook, folder: None }], context)
        }
        Some(HooksCommand::Test { command: None }) => {
            some_hooks(&config)?;
            if !Allowed::of_user()?.has(&config)? {
                return Err(Failure::Usage(miette!(
                    help = "`harness hooks` shows them, `harness hooks allow` allows them",
                    "the hooks of {} are not allowed as they are",
                    file_of(&config)
                )));
            }
            try_hooks(&placed(&config), context)
        }
    }
}

/// How many hooks the file has, in words.
fn some_hooks(config: &Config) -> Result<String, Failure> {
    match (config.hooks.len(), &config.file) {
        (0, None) => Err(Failure::Usage(miette!(
            help =
                "`on-event: COMMAND` in harness.yaml makes one, `--on-event COMMAND` one of a run",
            "there is no harness.yaml here, and so no hook"
        ))),
        (0, Some(file)) => Err(Failure::Usage(miette!(
            help = "`on-event: COMMAND` makes one",
            "{} has no hook",
            file.display()
        ))),
        (1, _) => Ok("the hook".to_owned()),
        (count, _) => Ok(format!("the {count} hooks")),
    }
}

fn list(config: &Config, context: &Context) -> Result<Exit, Failure> {
    let is_allowed = !config.hooks.is_empty() && Allowed::of_user()?.has(config)?;
    let value = json!({ "file": config.file.as_deref().map(encode_path), "allowed": is_allowed, "hooks": config.hooks });
    context.show(&value, || {
        if config.hooks.is_empty() {
            return "no hooks (`harness docs hooks`)\n".to_owned();
        }
        let state = if is_allowed { "allowed" } else { "not allowed: none of them is run" };
        let lines = config.hooks.iter().map(|hook| format!("  {}\n", line(hook)));
        format!("{}: {state}\n{}", file_of(config), lines.collect::<String>())
    })
}

fn line(hook: &Hook) -> String {
    let events: Vec<&str> = hook.events.iter().map(|event| event.name()).collect();
    let events = if events.is_empty() { "all events".to_owned() } else { events.join(", ") };
    format!("{} ({events}; every {}; {} s)", hook.command, hook.every, hook.timeout)
}

/// Gives a test event to hooks; the exit status is bad if one fails.
fn try_hooks(hooks: &[PlacedHook], context: &Context) -> Result<Exit, Failure> {
    let object = json!({
        "event": HookEvent::Finished, "test": true, "time": null, "run": "test", "command": "test",
        "title": "a test of the hook", "done": 0, "of": 0, "unit": "games", "seconds": 0.0,
        "summary": null, "status": 0,
    });
    let notice =
        Notice { event: HookEvent::Finished, run: "test".to_owned(), line: format!("{object}\n") };
    let mut results = Vec::new();
    for placed in hooks {
        let error = deliver(placed, &notice, &|| None).err().map(|error| error.to_string());
        results.push(json!({ "command": placed.hook.command, "error": error }));
    }
    let is_bad = results.iter().any(|result| !result["error"].is_null());
    context.show(&json!({ "hooks": results }), || {
        let lines = results.iter().map(|result| {
            let command = result["command"].as_str().unwrap_or_default();
            format!("{command}: {}\n", result["error"].as_str().unwrap_or("took the event"))
        });
        lines.collect()
    })?;
    Ok(if is_bad { Exit::Bad } else { Exit::Good })
}
