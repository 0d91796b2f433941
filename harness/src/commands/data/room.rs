//! How much memory and disk a command may use.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::data::bulk::Workspace;

/// Memory and disk.
#[derive(Clone, Debug, Args)]
pub struct RoomArgs {
    /// Memory for positions, in MiB; what does not fit is kept on disk meanwhile.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,
    /// Where it is kept [default: the folder of the output].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl RoomArgs {
    /// For a file that is written.
    pub fn room<'a>(&'a self, output: &'a Path) -> Workspace<'a> {
        let beside = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = self.folder.as_deref().or(beside).unwrap_or(Path::new("."));
        Workspace { memory: self.memory << 20, folder }
    }
}
