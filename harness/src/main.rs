use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use harness::cli::Cli;
use harness::commands::hooks;
use harness::context::{Context, Interrupt, Session};
use harness::failure::{ErrorObject, Failure};
use harness::hint::set_reports;
use harness::output;
use harness::secret::without_secrets;
use miette::{IntoDiagnostic, MietteHandlerOpts, WrapErr};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The exit status when something failed.
const FAILED: u8 = 4;

fn main() -> ExitCode {
    harness::platform::warden::enter();
    // Every error says in its own sentence what caused it.
    let handler = || Box::new(MietteHandlerOpts::new().without_cause_chain().build());
    miette::set_hook(Box::new(move |_| handler())).expect("it is set once");
    // Whatever was in use when it panicked is not used again.
    ExitCode::from(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        if asks_for_json() {
            print_error(&ErrorObject::new("a fault of the harness".to_owned(), FAILED));
        }
        output::message(
            "this is a fault of the harness: please report it with the lines above; what was \
             finished is kept, and `harness runs` shows what can be resumed",
        );
        FAILED
    }))
}

/// Runs the command of the command line; gives the exit status.
fn run() -> u8 {
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(asked) => return usage(&asked),
    };
    let json = cli.json;
    set_reports(&cli.reports);
    log_to_stderr(cli.verbose, cli.quiet);
    let installed = Interrupt::install()
        .into_diagnostic()
        .wrap_err("cannot install the signal handlers")
        .map_err(Failure::Failed);
    // They are waited for behind what is printed.
    let hooks = Arc::new(hooks::of_flags(&cli.on_event, cli.on_event_every));
    let ended = installed.and_then(|interrupt| {
        let on = cli.server()?;
        let unused = if on.is_none() { cli.unused_without_workers() } else { Vec::new() };
        let hooks = Arc::clone(&hooks);
        let Cli { reports, json, quiet, no_probe, .. } = cli;
        let session = Session { reports, probe: !no_probe, quiet, on, interrupt };
        let context = Context { session, json, hooks };
        if !unused.is_empty() {
            let flags = unused.join(", ");
            context.warn(&format!("without --on, no workers play: {flags} changes nothing"));
        }
        cli.command.run::<Cli>(&context).map_err(|failure| match failure.shortened() {
            // An engine that the same Ctrl-C has ended, say.
            Failure::Usage(report) | Failure::Failed(report) if context.interrupt.is_set() => {
                Failure::Interrupted(format!("nothing more was done: {report}"))
            }
            failure => failure,
        })
    });
    if ended.is_ok() && hooks.were_idle() {
        output::message("note: this command started no run: --on-event had no event to pass on");
    }
    match ended {
        Ok(exit) => exit.code(),
        Err(failure) => {
            if json {
                print_error(&ErrorObject::from_failure(&failure));
            }
            match &failure {
                Failure::Usage(report) | Failure::Failed(report) => {
                    output::styled_message(&format!("{report:?}"));
                }
                Failure::Interrupted(how_to_go_on) => {
                    output::message(&format!("interrupted: {how_to_go_on}"));
                }
            }
            failure.code()
        }
    }
}

/// Prints the help or the version, or what is wrong with the command line.
fn usage(asked: &clap::Error) -> u8 {
    let status = u8::try_from(asked.exit_code()).unwrap_or(FAILED);
    if asked.use_stderr() {
        if asks_for_json() {
            let text = without_secrets(&asked.render().to_string());
            print_error(&ErrorObject::from_usage(&text, status));
        }
        // It quotes the command line.
        let text = without_secrets(&asked.render().ansi().to_string());
        output::styled_message(text.trim_end());
        return status;
    }
    match asked.print().and_then(|()| output::flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            output::message(&format!("cannot write to standard output: {error}"));
            FAILED
        }
        _ => status,
    }
}

/// Whether the command line, which may not be understood, has `--json`.
fn asks_for_json() -> bool {
    let mut words = std::env::args_os().skip(1).take_while(|word| word != "--");
    words.any(|word| word == "--json")
}

/// Prints the one object of `--json`, unless the command has printed its own before.
fn print_error(error: &ErrorObject) {
    if !output::has_results() {
        // The error itself is on standard error; what cannot be written there is not reported again.
        let _ = output::result(&format!("{}\n", error.json()));
    }
}

fn log_to_stderr(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    let format = tracing_subscriber::fmt::layer()
        .with_ansi(output::messages_are_seen())
        .with_writer(output::log);
    // Libraries log what only their authors understand; what NATS says is in our errors.
    let filter = Targets::new()
        .with_target("harness", level)
        .with_target("async_nats", LevelFilter::OFF)
        .with_default(LevelFilter::ERROR);
    tracing_subscriber::registry().with(format.with_filter(filter)).init();
}
