//! The files of a command, and how much memory and disk it may use.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::data::bulk::Workspace;
use crate::data::flaws::Flaws;
use crate::data::formats::{Format, Writer};
use crate::failure::{Failure, OrFail};
use crate::files::refuse_of_ledger;

/// Inputs and an output.
#[derive(Debug, Args)]
pub struct Files {
    /// What to read.
    #[arg(value_name = "IN", required = true)]
    pub inputs: Vec<PathBuf>,
    /// What to write; `-` is CSV on standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// End at the first game of a PGN that cannot be read; without it such games are left out and
    /// counted.
    #[arg(long)]
    pub strict: bool,
}

impl Files {
    /// Begins the output, once the formats of all inputs are known.
    pub fn open<'a>(&self) -> Result<Writer<'a>, Failure> {
        check(&self.inputs)?;
        begin(&self.output)
    }

    /// Counts the games with flaws.
    pub fn flaws(&self) -> Flaws {
        if self.strict { Flaws::strict() } else { Flaws::default() }
    }

    /// Whether the result goes to standard output, so that nothing else may.
    pub fn prints(&self) -> bool {
        self.output.as_os_str() == "-"
    }
}

/// Begins an output; `-` is CSV on standard output.
pub fn begin<'a>(output: &Path) -> Result<Writer<'a>, Failure> {
    refuse_of_ledger(output)?;
    Writer::create(output).or_usage()
}

/// Checks the formats of inputs.
pub fn check(inputs: &[PathBuf]) -> Result<(), Failure> {
    inputs.iter().try_for_each(|input| Format::from_path(input).map(drop)).or_usage()
}

/// Memory and disk.
#[derive(Clone, Debug, Args)]
pub struct WorkspaceArgs {
    /// Memory for positions, in MiB; what does not fit is kept on disk meanwhile.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,
    /// Where it is kept [default: the folder of the output].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl WorkspaceArgs {
    /// For an output file.
    pub fn workspace<'a>(&'a self, output: &'a Path) -> Workspace<'a> {
        let beside = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = self.folder.as_deref().or(beside).unwrap_or(Path::new("."));
        Workspace { memory: self.memory << 20, folder }
    }
}
