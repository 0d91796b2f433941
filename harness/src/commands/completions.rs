//! `harness completions`: completions for shells, and manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Prints completions for a shell, or writes the manual pages.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness completions bash > ~/.local/share/bash-completion/completions/harness
  harness completions zsh > ~/.zfunc/_harness
  harness completions fish > ~/.config/fish/completions/harness.fish
  harness completions --man ~/.local/share/man/man1      # man harness, man harness-sprt, ...")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write a manual page for each command into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

/// Runs the command, for the command line `C`.
///
/// # Errors
/// When a page cannot be written.
pub fn run<C: CommandFactory>(args: &CompletionsArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(folder) = &args.man {
        let pages = write_pages(folder, C::command())?;
        return context.print(&format!("{pages} pages in {}\n", folder.display()));
    }
    let Some(shell) = args.shell else { return Ok(Exit::Good) };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut C::command(), "harness", &mut text);
    context.print(&String::from_utf8_lossy(&text))
}

/// Writes `harness.1` and a page for each command; gives their number.
fn write_pages(folder: &Path, mut cli: clap::Command) -> Result<usize, Failure> {
    cli.build();
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut pages = 1;
    write_page(folder, "harness", cli.clone())?;
    for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("harness-{}", command.get_name());
        write_page(folder, &name, command.clone())?;
        pages += 1;
    }
    Ok(pages)
}

fn write_page(folder: &Path, name: &str, command: clap::Command) -> Result<(), Failure> {
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    let command = command.name(name.to_owned()).disable_help_subcommand(true);
    Man::new(command).render(&mut text).map_err(|error| unwritable(&path, &error))?;
    fs::write(&path, text).map_err(|error| unwritable(&path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(miette::miette!("cannot write {}: {error}", path.display()))
}
