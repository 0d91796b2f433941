//! The user's folders, and programs.

use std::path::PathBuf;

use crate::platform;

/// Folder of what can be made again: `TENCH_CACHE`, else `tench` in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    variable("TENCH_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("tench")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/tench")))
}

/// Folder of what a service keeps between its starts: `tench` in the user's state folder.
pub fn state() -> Option<PathBuf> {
    variable("XDG_STATE_HOME")
        .or_else(|| variable("HOME").map(|folder| folder.join(".local/state")))
        .map(|folder| folder.join("tench"))
}

/// Folder of what a user sets for all projects: `tench` in the user's configuration folder.
pub fn settings() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME")
        .or_else(|| variable("HOME").map(|folder| folder.join(".config")))
        .map(|folder| folder.join("tench"))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A program in one of the folders of PATH, or else in one of `others`.
pub fn program(name: &str, others: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .chain(others.iter().map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| platform::is_program(file))
}
