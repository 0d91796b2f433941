//! `harness install-as`: a link by which this program answers in the place of another runner.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::Diagnostic;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::platform::link_program;

/// A runner in whose place this program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Runner {
    /// fastchess, which fishtest's worker and weather-factory start.
    Fastchess,
    /// fastchess under the name by which OpenBench's client starts it.
    FastchessOb,
    /// cutechess-cli, which chess-tuning-tools and Lakas start.
    CutechessCli,
}

impl Runner {
    const ALL: [Runner; 3] = [Runner::Fastchess, Runner::FastchessOb, Runner::CutechessCli];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Runner::Fastchess => "fastchess",
            Runner::FastchessOb => "fastchess-ob",
            Runner::CutechessCli => "cutechess-cli",
        }
    }

    /// The runner of this name, whatever the folder, the case and the ending of a program.
    pub fn of_program(program: &Path) -> Option<Runner> {
        let name = program.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        Runner::ALL.into_iter().find(|runner| runner.name() == name)
    }

    /// The words of our command line before those of the runner.
    pub fn words(self) -> Vec<String> {
        let output = if self == Runner::CutechessCli { "cutechess" } else { "fastchess" };
        let words = ["fastchess", "--called", self.name(), "--output", output, "--"];
        words.map(str::to_owned).into()
    }
}

/// Makes a link by which this program answers as another runner.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness install-as fastchess ~/.local/bin
  harness install-as fastchess-ob OpenBench/Client     # where its client looks for it
  harness install-as cutechess-cli ~/.local/bin

Called by one of these names, the program takes that runner's command line, prints its lines and ends
with its exit status; `harness docs runner-for-others` has the tools that this is for. On Windows, where
links need rights, it is copied.")]
pub struct InstallAsArgs {
    /// The runner's name.
    #[arg(value_name = "NAME")]
    runner: Runner,
    /// The folder of the link.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace a file of that name.
    #[arg(long)]
    force: bool,
}

/// Why there is no link.
#[derive(Debug, Error, Diagnostic)]
enum InstallError {
    #[error("{} exists", path.display())]
    #[diagnostic(help("--force replaces it"))]
    Exists { path: PathBuf },
    #[error("{} is a folder", path.display())]
    #[diagnostic(help("remove it, or name another folder for the link"))]
    IsFolder { path: PathBuf },
    #[error("there is no folder {}", path.display())]
    #[diagnostic(help("make it, or name one that is on PATH"))]
    NoFolder { path: PathBuf },
    #[error("cannot make {}: {source}", path.display())]
    #[diagnostic(help("name a folder that can be written"))]
    NotMade { path: PathBuf, source: io::Error },
}

/// Runs the command.
///
/// # Errors
/// When the link cannot be made, or a file of its name is there.
pub fn run(args: &InstallAsArgs, context: &Context) -> Result<Exit, Failure> {
    let InstallAsArgs { runner, folder, force } = args;
    if !folder.is_dir() {
        return Err(InstallError::NoFolder { path: folder.clone() }).or_usage();
    }
    let mut path = folder.join(runner.name());
    path.set_extension(std::env::consts::EXE_EXTENSION);
    let failed = |source| InstallError::NotMade { path: path.clone(), source };
    let program = own_program().map_err(failed).or_failed()?;
    let made = path.display().to_string();
    if leads_to(&path, &program) {
        return context.print(&format!("{made} is this program already\n"));
    }
    if path.is_dir() {
        return Err(InstallError::IsFolder { path }).or_usage();
    }
    if path.symlink_metadata().is_ok() && !force {
        return Err(InstallError::Exists { path }).or_usage();
    }
    install(&program, &path).map_err(failed).or_failed()?;
    context.print(&format!("{made} answers as {}\n", runner.name()))
}

/// This program, not by a link.
fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().and_then(fs::canonicalize)
}

/// Whether a path is the program, by links or not.
fn leads_to(path: &Path, program: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path == program)
}

/// Puts the link in its place in one step, so that what is there stays if it cannot be made.
fn install(program: &Path, path: &Path) -> io::Result<()> {
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let made = link_program(program, &part).and_then(|()| fs::rename(&part, path));
    if made.is_err() {
        // The first error is reported; a leftover link is harmless.
        let _ = fs::remove_file(&part);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_runner_by_its_name_alone() {
        for (program, runner) in [
            ("fastchess", Some(Runner::Fastchess)),
            ("./fastchess-ob", Some(Runner::FastchessOb)),
            ("/usr/bin/cutechess-cli", Some(Runner::CutechessCli)),
            ("FastChess.EXE", Some(Runner::Fastchess)),
            ("harness", None),
            ("fastchess2", None),
            ("fastchess/harness", None),
            ("", None),
        ] {
            assert_eq!(Runner::of_program(Path::new(program)), runner, "{program}");
        }
    }
}
