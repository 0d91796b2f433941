use std::process::ExitCode;

use clap::Parser;
use harness::cli::Cli;
use harness::context::{Context, Interrupt};
use harness::failure::Failure;
use miette::{IntoDiagnostic, MietteHandlerOpts, WrapErr};

fn main() -> ExitCode {
    harness::player::warden::enter();
    let cli = Cli::parse();
    // Every error says in its own sentence what caused it.
    let handler = || Box::new(MietteHandlerOpts::new().without_cause_chain().build());
    miette::set_hook(Box::new(move |_| handler())).expect("it is set once");
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            match &failure {
                Failure::Usage(report) | Failure::Failed(report) => eprintln!("{report:?}"),
                Failure::Interrupted(how_to_go_on) => eprintln!("interrupted: {how_to_go_on}"),
            }
            ExitCode::from(failure.code())
        }
    }
}

fn run(cli: Cli) -> Result<u8, Failure> {
    log_to_stderr(cli.verbose, cli.quiet);
    let interrupt = Interrupt::install()
        .into_diagnostic()
        .wrap_err("cannot install the signal handlers")
        .map_err(Failure::Failed)?;
    let context = Context { reports: cli.reports, json: cli.json, quiet: cli.quiet, interrupt };
    cli.command.run(&context).map(|exit| exit.code())
}

fn log_to_stderr(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "debug",
        (false, _) => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
