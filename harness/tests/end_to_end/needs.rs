//! What a test needs of the machine: programs of others and abilities of the system.
//!
//! A test that lacks something says so on standard error and passes, so that everybody can run the tests.
//! With the environment variable `NO_SKIPPED_TESTS` it fails where a program is missing: CI sets it, and then
//! a test that has silently stopped testing is found. What the system forbids no CI can install.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that a test, or the rest of it, is skipped because of what is `missing`.
///
/// # Panics
/// Where tests must not be skipped.
pub fn skip(missing: &str) {
    eprintln!("skipped: {missing}");
    let allowed = std::env::var_os("NO_SKIPPED_TESTS").is_none();
    assert!(allowed, "NO_SKIPPED_TESTS is set, and this test is skipped: {missing}");
}

/// Says that a test is skipped because the system does not permit `what` it needs.
pub fn skip_forbidden(what: &str) {
    eprintln!("skipped: this process may not {what}");
}

/// The first of these files that exists. `None`, and a message that `name` is missing, where none does.
pub fn first_file(name: &str, paths: &[&str]) -> Option<PathBuf> {
    let found = paths.iter().map(PathBuf::from).find(|path| path.is_file());
    if found.is_none() {
        skip(&format!("{name} is not installed"));
    }
    found
}

/// The path of an engine of Debian. `None`, and a message, where it is not installed.
pub fn debian_engine(name: &str) -> Option<String> {
    let path = format!("/usr/games/{name}");
    first_file(name, &[&path]).map(|_| path)
}

/// Whether there is a NATS server; a message where there is none.
pub fn nats_server() -> bool {
    let paths = ["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/usr/bin/nats-server"];
    first_file("nats-server", &paths).is_some()
}

/// A Python that has python-chess: `$CHESS_PYTHON`, or the usual one. `None`, and a message, if neither
/// has it.
pub fn python_with_chess() -> Option<PathBuf> {
    let named = std::env::var_os("CHESS_PYTHON").map(PathBuf::from);
    let python = named.into_iter().chain([PathBuf::from("python3")]).find(|python| {
        let tried = Command::new(python).args(["-c", "import chess"]).output();
        tried.is_ok_and(|output| output.status.success())
    });
    if python.is_none() {
        skip("no Python has python-chess; CHESS_PYTHON names one");
    }
    python
}

/// The script of axe-core: of the environment variable `AXE`, or of a `node_modules` folder. `None`, and a
/// message, where there is none.
pub fn axe() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = std::env::var_os("AXE").map(PathBuf::from);
    let path = named.unwrap_or_else(|| root.join("node_modules/axe-core/axe.min.js"));
    let script = std::fs::read_to_string(&path).ok();
    if script.is_none() {
        skip(&format!("there is no axe-core at {}; `npm pack axe-core` gets it", path.display()));
    }
    script
}
