//! Commands of this program in hints: they can be copied as they are.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::text::shell_words;

/// The folder where runs are kept unless another is named.
pub const DEFAULT_REPORTS: &str = "reports";

/// The reports folder of this process, as its command line names it.
static REPORTS: OnceLock<PathBuf> = OnceLock::new();

/// Sets the reports folder that hints name; of several calls the first one counts. Without one it is
/// the default folder.
pub fn set_reports(folder: &Path) {
    REPORTS.get_or_init(|| folder.to_owned());
}

/// A command of this program that reads the reports folder, as a hint names it:
/// `` `harness --reports DIR resume last` ``, or without the folder if that is the default.
#[derive(Clone, Copy, Debug)]
pub struct ReportsCommand<'a, A> {
    folder: &'a Path,
    command: &'static str,
    arguments: A,
}

/// A command with its arguments, which may be empty, on the reports folder of this process.
pub fn reports_command<A: Display>(
    command: &'static str,
    arguments: A,
) -> ReportsCommand<'static, A> {
    let folder = REPORTS.get().map_or(Path::new(DEFAULT_REPORTS), PathBuf::as_path);
    ReportsCommand { folder, command, arguments }
}

/// The same on a folder of its own.
pub fn command_on<'a, A: Display>(
    folder: &'a Path,
    command: &'static str,
    arguments: A,
) -> ReportsCommand<'a, A> {
    ReportsCommand { folder, command, arguments }
}

impl<A: Display> Display for ReportsCommand<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReportsCommand { folder, command, arguments } = self;
        f.write_str("`harness ")?;
        let folder = folder.to_string_lossy();
        if folder != DEFAULT_REPORTS {
            write!(f, "--reports {} ", shell_words([folder]))?;
        }
        let arguments = arguments.to_string();
        let space = if arguments.is_empty() { "" } else { " " };
        write!(f, "{command}{space}{arguments}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_folder_unless_it_is_the_default() {
        for (folder, command, arguments, expected) in [
            ("reports", "runs", "", "`harness runs`"),
            ("reports", "resume", "last", "`harness resume last`"),
            ("my runs", "resume", "last", "`harness --reports 'my runs' resume last`"),
            ("my runs", "runs", "", "`harness --reports 'my runs' runs`"),
            ("/data", "data view", "RUN", "`harness --reports /data data view RUN`"),
        ] {
            assert_eq!(command_on(Path::new(folder), command, arguments).to_string(), expected);
        }
        assert_eq!(reports_command("report", 7).to_string(), "`harness report 7`");
    }
}
