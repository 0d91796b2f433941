//! Addresses of servers, which cannot hold a secret, and what a user wrote as one, which may.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use url::{Host, Url};

use crate::secret::{CLUSTER_TOKEN, Key};
use crate::text::percent;

/// The port of a server whose address names none.
const DEFAULT_PORT: u16 = 4222;

/// Address of a NATS server: a host and a port. It cannot hold a user name, a password or a token, so
/// that it may be printed, stored and sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerAddress {
    /// `tls://`: a connection without encryption is refused.
    is_encrypted: bool,
    host: Host,
    port: u16,
}

/// Name and password of a user, or a token, that stood in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// `nats://TOKEN@HOST`.
    Token(Key),
    /// `nats://USER:PASSWORD@HOST`.
    User(String, Key),
}

/// An address as a user gives it on a command line: what is secret in it is taken out at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAddress {
    /// The server.
    pub server: ServerAddress,
    /// The part before the `@`.
    pub credentials: Option<Credentials>,
}

/// A text that is no address of a server. It does not repeat the text, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseAddressError {
    /// Another scheme, no host, or more than that.
    #[error("an address is nats://HOST or nats://HOST:PORT")]
    Form,
    /// It has a user name, a password or a token.
    #[error(
        "the address holds a name or a password (what stands before `@`), and it is no place for a \
         secret: write nats://HOST:PORT, and set the token in the variable {CLUSTER_TOKEN}"
    )]
    Secret,
}

impl ServerAddress {
    /// The host without brackets: a name, or an address of IPv4 or IPv6.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether a connection without encryption is refused.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Whether it is this machine by its number: in 127.0.0.0/8, `::1`, or `localhost`.
    pub fn is_this_machine(&self) -> bool {
        is_loopback(&self.host)
    }

    /// Whether both lead to the same port of the same host, or of this machine.
    pub fn is_same_server(&self, other: &ServerAddress) -> bool {
        let same_host =
            self.host == other.host || self.is_this_machine() && other.is_this_machine();
        self.port == other.port && same_host
    }
}

/// Whether a host is this machine. A name is compared in full: `localhost.example.org` is elsewhere.
pub fn is_loopback(host: &Host<impl AsRef<str>>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref().eq_ignore_ascii_case("localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => {
            let mapped = address.to_ipv4_mapped();
            *address == Ipv6Addr::LOCALHOST || mapped.is_some_and(|address| address.is_loopback())
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "tls" } else { "nats" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl FromStr for ServerAddress {
    type Err = ParseAddressError;

    /// `nats://` and the port may be left out.
    fn from_str(text: &str) -> Result<ServerAddress, ParseAddressError> {
        // Before all else: of a text with a secret that is said even where its rest is wrong, too.
        if text.contains('@') {
            return Err(ParseAddressError::Secret);
        }
        Ok(text.parse::<GivenAddress>()?.server)
    }
}

impl FromStr for GivenAddress {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<GivenAddress, ParseAddressError> {
        let wrong = ParseAddressError::Form;
        // The parser takes such characters out, or for others.
        if text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
            || text.contains('\\')
        {
            return Err(wrong);
        }
        let whole = if text.contains("://") { text.to_owned() } else { format!("nats://{text}") };
        let url = Url::parse(&whole).map_err(|_| wrong.clone())?;
        let is_encrypted = match url.scheme() {
            "nats" => false,
            "tls" => true,
            _ => return Err(wrong),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong);
        }
        let name = url.host_str().filter(|name| !name.is_empty()).ok_or_else(|| wrong.clone())?;
        // The parser knows numbers in hosts of the web's schemes only.
        let host = Host::parse(name).map_err(|_| wrong)?;
        let port = url.port().unwrap_or(DEFAULT_PORT);
        let server = ServerAddress { is_encrypted, host, port };
        Ok(GivenAddress { server, credentials: credentials(&url)? })
    }
}

/// The part of an address before the `@`.
fn credentials(url: &Url) -> Result<Option<Credentials>, ParseAddressError> {
    let plain = |text: &str| {
        let bytes = percent::decode(text).and_then(|bytes| String::from_utf8(bytes).ok());
        bytes.ok_or(ParseAddressError::Form)
    };
    let user = plain(url.username())?;
    Ok(match url.password() {
        Some(password) => Some(Credentials::User(user, Key::new(plain(password)?))),
        None if user.is_empty() => None,
        None => Some(Credentials::Token(Key::new(user))),
    })
}

impl Serialize for ServerAddress {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ServerAddress {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ServerAddress, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> Result<String, ParseAddressError> {
        text.parse::<ServerAddress>().map(|address| address.to_string())
    }

    #[test]
    fn the_scheme_and_the_port_of_a_server_may_be_left_out() {
        for (text, full) in [
            ("box", "nats://box:4222"),
            ("BOX:80", "nats://box:80"),
            ("nats://box", "nats://box:4222"),
            ("tls://box/", "tls://box:4222"),
            ("nats://box:4222", "nats://box:4222"),
            ("127.1", "nats://127.0.0.1:4222"),
            ("nats://0x7f000001:5", "nats://127.0.0.1:5"),
            ("[::1]:5", "nats://[::1]:5"),
            ("nats://[0:0::1]", "nats://[::1]:4222"),
        ] {
            assert_eq!(server(text).as_deref(), Ok(full), "{text}");
        }
        for wrong in [
            "",
            "http://box",
            "nats://",
            "nats://:4222",
            "box:port",
            "box:70000",
            "a b",
            "box/run",
            "box?x",
            "box#x",
            "box\\x",
            "nats:box",
            "bo\tx",
            "nats://[::1",
        ] {
            assert_eq!(server(wrong), Err(ParseAddressError::Form), "{wrong}");
        }
    }

    #[test]
    fn an_address_cannot_hold_a_secret() {
        for text in [
            "nats://me:hush@box",
            "me:hush@box:1",
            "nats://token@box",
            "nats://127.0.0.1@box",
            "nats://127.0.0.1:4222@box",
            "nats://me:hu@sh@box",
            "http://me:hush@box",
            "nats://box/@x",
        ] {
            let error = text.parse::<ServerAddress>().expect_err(text);
            assert_eq!(error, ParseAddressError::Secret, "{text}");
            assert!(!error.to_string().contains("hu"), "{error}");
            assert!(serde_json::from_value::<ServerAddress>(text.into()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_secret_in_a_given_address_is_taken_out_and_not_shown() {
        for (text, full, secret) in [
            ("nats://me:hush@box:1", "nats://box:1", "hush"),
            ("me:hush@box", "nats://box:4222", "hush"),
            ("nats://hush@box", "nats://box:4222", "hush"),
            ("nats://me:h%40sh@box", "nats://box:4222", "h@sh"),
            ("nats://me:h@sh@box", "nats://box:4222", "h@sh"),
            ("nats://127.0.0.1@box", "nats://box:4222", "127.0.0.1"),
        ] {
            let given: GivenAddress = text.parse().expect(text);
            assert_eq!(given.server.to_string(), full, "{text}");
            let (Credentials::Token(key) | Credentials::User(_, key)) =
                given.credentials.as_ref().expect(text);
            assert_eq!(key.secret(), secret, "{text}");
            assert!(!format!("{given:?}").contains(secret), "{given:?}");
        }
        assert_eq!("box".parse::<GivenAddress>().map(|given| given.credentials), Ok(None));
        assert!("nats://me:hush@".parse::<GivenAddress>().is_err());
    }

    #[test]
    fn a_host_is_this_machine_by_its_whole_name_or_number() {
        let is_here =
            |text: &str| text.parse::<GivenAddress>().expect(text).server.is_this_machine();
        for here in [
            "127.0.0.1",
            "127.1.2.3:5",
            "localhost",
            "LocalHost:1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "0x7f.1",
        ] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "box",
            "127.0.0.1.example.org",
            "localhost.example.org",
            "nats://127.0.0.1@box",
            "nats://localhost:4222@box:4222",
            "128.0.0.1",
            "[::2]",
            "xlocalhost",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn a_server_is_the_same_by_host_and_port() {
        let address = |text: &str| text.parse::<ServerAddress>().expect(text);
        for (one, other, same) in [
            ("127.0.0.1:5", "localhost:5", true),
            ("127.0.0.1:5", "localhost:6", false),
            ("box:5", "tls://BOX:5", true),
            ("box:5", "localhost:5", false),
            ("10.0.0.1", "10.0.0.1:4222", true),
        ] {
            assert_eq!(address(one).is_same_server(&address(other)), same, "{one} {other}");
        }
    }
}
