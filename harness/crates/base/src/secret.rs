//! Secrets: keys and tokens, the files that hold them, and where they may be sent in the open.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::platform;

/// Variable of the environment with the token of a bot on Lichess.
pub const LICHESS_TOKEN: &str = "LICHESS_TOKEN";

/// Variable of the environment with a token of a cluster.
pub const CLUSTER_TOKEN: &str = "TENCH_TOKEN";

/// Variable of the environment with the key of the assistant's language model.
pub const ASSISTANT_KEY: &str = "TENCH_ASSISTANT_KEY";

/// Variables of the environment that hold secrets. Engines, builds and checks do not get them.
pub const VARIABLES: [&str; 3] = [LICHESS_TOKEN, CLUSTER_TOKEN, ASSISTANT_KEY];

/// Keeps the secrets of the environment from another program.
pub fn remove_from(command: &mut Command) {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
}

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
    pub fn secret(&self) -> &str {
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

/// Whether others than its owner can do anything with a file; false where there is none.
pub fn is_open_to_others(file: &Path) -> bool {
    file.metadata().is_ok_and(|facts| !platform::is_private(&facts))
}

/// An address that a secret is not sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlFault {
    /// It is no `http` or `https` address of a host, or holds a name or a password. It is given
    /// without them.
    Invalid(String),
    /// The secret would be sent without encryption to another machine.
    Unencrypted(String),
}

/// Checks the address of a server. `has_secret`: a secret is sent there, which needs `https` or this
/// machine.
///
/// # Errors
/// When it is no address, or the secret would be sent in the open.
pub fn check_url(url: &str, has_secret: bool) -> Result<(), UrlFault> {
    let plain = url.strip_prefix("http://");
    let rest = plain.or(url.strip_prefix("https://")).unwrap_or_default();
    if rest.is_empty() || host_of(url).is_empty() || rest.contains(['@', ' ', '\n', '?', '#']) {
        let shown = if url.contains('@') { "…@…" } else { url };
        return Err(UrlFault::Invalid(shown.to_owned()));
    }
    if plain.is_some() && has_secret && !is_this_machine(host_of(url)) {
        return Err(UrlFault::Unencrypted(url.to_owned()));
    }
    Ok(())
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
    fn no_secret_of_the_environment_reaches_another_program() {
        let mut command = Command::new("x");
        for variable in VARIABLES {
            command.env(variable, "secret");
        }
        remove_from(&mut command);
        assert!(command.get_envs().all(|(_, value)| value.is_none()));
        assert_eq!(command.get_envs().count(), VARIABLES.len());
    }

    #[test]
    fn a_secret_goes_to_https_or_this_machine_and_a_password_is_not_repeated() {
        let invalid = |shown: &str| Err(UrlFault::Invalid(shown.to_owned()));
        assert_eq!(check_url("https://x.org/v1", true), Ok(()));
        assert_eq!(check_url("http://localhost:8080", true), Ok(()));
        assert_eq!(check_url("http://x.org", false), Ok(()));
        let plain = "http://localhost.x.org";
        assert_eq!(check_url(plain, true), Err(UrlFault::Unencrypted(plain.to_owned())));
        for wrong in ["", "x.org", "ftp://x.org", "https://", "https:///v1", "https://x.org?a"] {
            assert_eq!(check_url(wrong, true), invalid(wrong));
        }
        assert_eq!(check_url("https://me:pass@x.org", true), invalid("…@…"));
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
