//! Secrets: keys and tokens, the files that hold them, and where they may be sent in the open.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;

use serde::Deserialize;

use crate::platform;

/// Variables of the environment that hold secrets. Engines do not get them.
pub const VARIABLES: [&str; 2] = ["LICHESS_TOKEN", "TENCH_ASSISTANT_KEY"];

/// A key or a token. It is never printed.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// From its text.
    pub fn new(text: String) -> Key {
        Key(text)
    }

    /// For the request that it is sent with alone.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }

    /// A text of another program, without the key.
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "***") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Whether others than its owner can do anything with a file. One that is not there can be read by
/// nobody.
pub fn is_open_to_others(file: &Path) -> bool {
    file.metadata().is_ok_and(|facts| !platform::is_private(&facts))
}

/// The host and port of an address.
pub fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Whether a host with its port is this machine. Its name is read in full: `127.0.0.1.example.org` and
/// `localhost.example.org` are elsewhere.
pub fn is_this_machine(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or((rest, "")),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_port = port.trim_start_matches(':').bytes().all(|byte| byte.is_ascii_digit());
    let is_loopback = name.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    is_port && (is_loopback || name.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_printed_and_not_repeated() {
        let key = Key::new("lip_secret".to_owned());
        assert_eq!(format!("{key:?}"), "***");
        assert_eq!(key.hide_in("no such token: lip_secret"), "no such token: ***");
    }

    #[test]
    fn a_file_is_open_to_others_unless_it_is_made_private() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("key");
        assert!(!is_open_to_others(&file), "it is not there");
        platform::private_file().write(true).create_new(true).open(&file).expect("made");
        assert!(!is_open_to_others(&file));
        platform::make_readable(&file).expect("set");
        assert!(is_open_to_others(&file));
    }
}
