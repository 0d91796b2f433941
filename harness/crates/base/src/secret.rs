//! Secrets: keys and tokens, the files that hold them, and where they may be sent in the open.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use url::Url;

use crate::address::{GivenAddress, is_loopback};
use crate::platform;
use crate::text::{shell_split, shell_words};

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
#[derive(Clone, PartialEq, Eq, Deserialize)]
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
    let invalid = || {
        let shown = if url.contains('@') { "…@…" } else { url };
        UrlFault::Invalid(shown.to_owned())
    };
    // Parsers of addresses do not agree on such characters, and another one sends the request.
    let is_odd = |letter: char| "@\\?#".contains(letter) || letter.is_control();
    if url.contains(is_odd) || url.contains(char::is_whitespace) {
        return Err(invalid());
    }
    let parsed = Url::parse(url).map_err(|_| invalid())?;
    // Written in full: the parser fills up `https:x.org` and `https:///x.org`.
    let is_full = !host_of(url).is_empty() && host_of(url).is_ascii();
    match (parsed.scheme(), parsed.host()) {
        ("https", Some(_)) if is_full => Ok(()),
        ("http", Some(host)) if is_full => match has_secret && !is_loopback(&host) {
            true => Err(UrlFault::Unencrypted(url.to_owned())),
            false => Ok(()),
        },
        _ => Err(invalid()),
    }
}

/// The host and port of an address that [`check_url`] has let through.
pub fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Whether a host with its port is this machine. Its name is read in full: `127.0.0.1.example.org` and
/// `localhost.example.org` are elsewhere.
pub fn is_this_machine(host: &str) -> bool {
    if host.contains(['@', '\\', '/']) {
        return false;
    }
    let parsed = Url::parse(&format!("http://{host}"));
    parsed.is_ok_and(|url| url.host().is_some_and(|host| is_loopback(&host)))
}

/// A text without the user names and passwords of the addresses in it: `https://me:pass@host` becomes
/// `https://host`.
pub fn without_secrets(text: &str) -> String {
    replace_secrets(text, |_| String::new())
}

/// As [`without_secrets`], with stars in their place, so that every place of the text stays.
pub fn mask_urls(text: &str) -> String {
    replace_secrets(text, |secret| "*".repeat(secret.len()))
}

fn replace_secrets(text: &str, put: impl Fn(&str) -> String) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at + 3);
        let (secret, behind) = address.split_at(length_of_secret(address));
        result.push_str(before);
        result.push_str(&put(secret));
        rest = behind;
    }
    result.push_str(rest);
    result
}

/// Length of what stands before the host of an address, of which the scheme is cut off.
fn length_of_secret(address: &str) -> usize {
    let ends = |letter: char| letter.is_whitespace() || "'\"`<>".contains(letter);
    let word = &address[..address.find(ends).unwrap_or(address.len())];
    let authority = &word[..word.find(['/', '?', '#', '\\']).unwrap_or(word.len())];
    if let Some(at) = authority.rfind('@') {
        return at + 1;
    }
    // A password with a slash in it: what stands behind the colon is no port.
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) || port.ends_with(']');
    match word.rfind('@') {
        Some(at) if !is_port => at + 1,
        _ => 0,
    }
}

/// The words of a command line as they are kept and shown: without what is secret in addresses. A run
/// that is repeated from them takes it from the environment.
pub fn shown_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for word in words {
        let word = word.as_ref();
        let follows = shown.last().is_some_and(|flag| flag == "--on");
        // The scheme may be left out there.
        let (flag, value) = match word.strip_prefix("--on=") {
            Some(value) => ("--on=", value),
            None if follows => ("", word),
            None => (word, ""),
        };
        let given = value.parse::<GivenAddress>().ok().filter(|it| it.credentials.is_some());
        shown.push(match given {
            Some(given) => format!("{flag}{}", given.server),
            None => without_secrets(word),
        });
    }
    shown
}

/// As [`shown_words`], of a command line in one text.
pub fn shown_line(line: &str) -> String {
    if !line.contains('@') {
        return line.to_owned();
    }
    match shell_split(line) {
        Some(words) => {
            let shown = shown_words(&words);
            // A line that holds no secret stays as it was written.
            if shown == words { line.to_owned() } else { shell_words(shown) }
        }
        None => without_secrets(line),
    }
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
        for odd in ["https:x.org", "http://127.0.0.1\\.x.org", "http://[::1]x.org", "https://x y"] {
            assert_eq!(check_url(odd, true), invalid(odd));
        }
        assert_eq!(check_url("http://127.1:80/v1", true), Ok(()));
        assert_eq!(check_url("http://[::1]:80", true), Ok(()));
        for wrong in ["https://me:pass@x.org", "http://127.0.0.1@x.org", "http://x.org\\@localhost"]
        {
            assert_eq!(check_url(wrong, true), invalid("…@…"));
        }
    }

    #[test]
    fn what_is_secret_in_an_address_is_taken_out_of_a_text() {
        for (text, stripped) in [
            ("https://me:pass@x.org/a", "https://x.org/a"),
            ("see https://pass@x.org, nats://u:pass@y", "see https://x.org, nats://y"),
            ("a 'nats://me:p@pass@x:1' b", "a 'nats://x:1' b"),
            ("nats://me:pa/ss@box", "nats://box"),
            ("https://[::1]:80/@name", "https://[::1]:80/@name"),
            ("https://x.org/@name me@x.org", "https://x.org/@name me@x.org"),
            ("://", "://"),
            ("é://é@é", "é://é"),
        ] {
            assert_eq!(without_secrets(text), stripped, "{text}");
            assert_eq!(mask_urls(text).len(), text.len());
            assert!(!mask_urls(text).contains("pass"), "{text}");
        }
    }

    #[test]
    fn a_command_line_is_kept_without_what_is_secret_in_it() {
        for (line, kept) in [
            ("harness sprt a b --on nats://me:pass@box", "harness sprt a b --on nats://box:4222"),
            ("harness sprt a b --on me:pass@box:1", "harness sprt a b --on nats://box:1"),
            ("harness --on=pass@box match a", "harness --on=nats://box:4222 match a"),
            ("harness match 'a b' --on box", "harness match 'a b' --on box"),
            ("harness match \"a b\" x@y", "harness match \"a b\" x@y"),
            ("harness match 'https://me:pass@x/y'", "harness match https://x/y"),
            ("harness 'https://me:pass@x/y", "harness 'https://x/y"),
        ] {
            assert_eq!(shown_line(line), kept, "{line}");
        }
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
