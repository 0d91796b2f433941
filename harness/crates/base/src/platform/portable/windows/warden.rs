//! Nothing of a killed harness continues: its jobs are closed, and Windows then kills what is in them.

use std::ffi::OsString;
use std::path::PathBuf;

/// For the first line of `main`: on Unix it may serve as a warden.
pub fn enter() {}

/// Names the program to start as a warden, where there are wardens.
pub fn use_program(_program: PathBuf) {}

/// As [`use_program`], with arguments.
pub fn use_command(_program: PathBuf, _arguments: Vec<OsString>) {}

/// Serves as a warden, where there are wardens.
pub fn serve(_harness: &str) {}
