//! `harness studio`: the local web interface.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};

use clap::{Arg, Args, CommandFactory, Parser};

use crate::assistant::endpoint::Endpoint;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::secret::without_secrets;
use crate::studio::{Flag, Launcher, Studio, StudioSettings};
use crate::system;

/// Shows runs, live and finished, in a web browser.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness studio --open
  harness studio --port 9000 --reports /data/reports
  ssh -L 8080:localhost:8080 box harness studio      # the runs of another machine

It prints two addresses: with the first one runs are started, stopped and deleted, too; the second
one is for looking. A run that was started in a terminal is live on the page, and one that was
started on the page is a process of its own, which outlives the studio. `harness docs studio` has
the rest.

It listens on this machine only. With --host 0.0.0.0 others reach it: whoever has the first address
can start programs here, and the connection is not encrypted.")]
pub struct StudioArgs {
    /// Port to listen at; 0 takes any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    /// Address to listen at.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// A further host name under which browsers reach it.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Open it in the browser.
    #[arg(long)]
    open: bool,
    /// Folders of Syzygy tablebases, with `:` between them: boards show their results.
    #[arg(long, value_name = "FOLDERS", default_value = "", hide_default_value = true)]
    tb: OsString,
}

/// Runs the command; pages start commands of the command line `C`.
///
/// # Errors
/// When the port is taken.
pub fn run<C: Parser>(args: &StudioArgs, context: &Context) -> Result<Exit, Failure> {
    let settings = StudioSettings {
        reports: context.reports.clone(),
        host: args.host,
        port: args.port,
        name: args.name.clone(),
        launcher: Launcher { check: check::<C>, flag: flag::<C> },
        tablebases: args.tb.clone(),
        endpoint: endpoint()?,
    };
    let studio = Studio::open(settings, &context.interrupt)?;
    let [control, view] = studio.urls();
    let shown = serde_json::json!({ "url": control, "view_url": view });
    context.show(&shown, || format!("{control}\n\nTo look only: {view}\nCtrl-C ends it.\n"))?;
    if args.open {
        open(&control, context);
    }
    let going_on = studio.serve();
    for line in going_on {
        context.say(&format!("continues: harness {line}"));
    }
    Ok(Exit::Good)
}

/// The language model that is asked what the assistant does not understand, if one is configured.
fn endpoint() -> Result<Option<Endpoint>, Failure> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let file = system::settings().map(|folder| folder.join("assistant.yaml"));
    Endpoint::find(&variable, file.as_deref()).map_err(|error| Failure::Usage(error.into()))
}

/// Opens an address in the browser of the desktop.
fn open(url: &str, context: &Context) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        context.warn(&format!("cannot start {program}: {error}; open the address by hand"));
    }
}

/// What is wrong with the words of a command line.
fn check<C: Parser>(words: &[String]) -> Result<(), String> {
    let words = std::iter::once("harness").chain(words.iter().map(String::as_str));
    C::try_parse_from(words).map(drop).map_err(|error| {
        let text = without_secrets(&error.to_string());
        // The last line is for a terminal.
        text.trim_end()
            .trim_end_matches("For more information, try '--help'.")
            .trim_end()
            .to_owned()
    })
}

/// The flag of a command by its long name or its letter.
fn flag<C: CommandFactory>(command: &str, name: &str) -> Flag {
    let unknown = || Flag { long: name.to_owned(), takes_value: true };
    let cli = C::command();
    let mut words = command.split_whitespace();
    let found = words.try_fold(&cli, |command, word| command.find_subcommand(word));
    let Some(command) = found else { return unknown() };
    let is_named = |known: &&Arg| {
        let letter = known.get_short().map(String::from);
        known.get_long() == Some(name) || letter.as_deref() == Some(name)
    };
    let known = command.get_arguments().chain(cli.get_arguments()).find(is_named);
    known.map_or_else(unknown, |known| Flag {
        long: known.get_long().unwrap_or(name).to_owned(),
        takes_value: known.get_action().takes_values(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::kinds::Kind;
    use crate::studio::{templates, words};

    #[test]
    fn every_template_of_the_page_is_a_command_line() {
        for (command, yaml) in templates() {
            let words = words(&yaml).unwrap_or_else(|error| panic!("{command}: {error}"));
            assert_eq!(check::<Cli>(&words), Ok(()), "{words:?}");
            let line = std::iter::once("harness").chain(words.iter().map(String::as_str));
            let parsed = Cli::try_parse_from(line).expect("it was checked");
            let kind = Kind::by_key(command).expect("a kind");
            assert_eq!(parsed.command.plays_elsewhere(), kind.plays_elsewhere, "{command}");
        }
        assert!(check::<Cli>(&["sprt".to_owned()]).is_err());
        let flag = |command, name| flag::<Cli>(command, name);
        assert!(flag("tune run", "games").takes_value && !flag("sprt", "affinity").takes_value);
        let output = Flag { long: "output".to_owned(), takes_value: true };
        assert_eq!(flag("data generate", "o"), output);
        assert!(flag("sprt", "q").long == "quiet" && flag("sprt", "z").takes_value);
    }
}
