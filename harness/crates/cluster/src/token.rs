//! Tokens: who may do what on a server.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The role of a token's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Starts runs: publishes jobs and artifacts, reads and removes results.
    Coordinator,
    /// Takes jobs, and publishes results.
    Worker,
}

/// Access to a server: `ROLE.SECRET`, or with the certificate's fingerprint
/// `ROLE.SECRET.FINGERPRINT`. Its `Debug` does not show the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The user's name on the server: `coordinator`, or `worker` with a number.
    pub user: String,
    /// The password.
    pub secret: String,
    /// SHA-256 of the server's certificate in hex; `None`: no TLS, or a certificate that an
    /// authority has signed.
    pub fingerprint: Option<String>,
}

/// A text that is no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a token is what `harness serve` prints, such as worker1.8d3f...")]
pub struct ParseTokenError;

impl Token {
    /// The role of its holder.
    pub fn role(&self) -> Role {
        if self.user.starts_with("worker") { Role::Worker } else { Role::Coordinator }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.user, self.secret)?;
        self.fingerprint.as_ref().map_or(Ok(()), |fingerprint| write!(f, ".{fingerprint}"))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({}.***)", self.user)
    }
}

impl FromStr for Token {
    type Err = ParseTokenError;

    fn from_str(text: &str) -> Result<Token, ParseTokenError> {
        let mut parts = text.trim().split('.').map(str::to_owned);
        let (Some(user), Some(secret)) = (parts.next(), parts.next()) else {
            return Err(ParseTokenError);
        };
        let fingerprint = parts.next();
        let number = user.strip_prefix("worker").map(|number| number.parse::<u32>().is_ok());
        let is_user = number.unwrap_or(user == "coordinator");
        let is_hex = |text: &str, length: usize| {
            text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_fingerprint = fingerprint.as_ref().is_none_or(|text| is_hex(text, 64));
        if parts.next().is_some() || !is_user || !is_hex(&secret, 32) || !is_fingerprint {
            return Err(ParseTokenError);
        }
        Ok(Token { user, secret, fingerprint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_is_written_and_its_secret_is_not_logged() {
        let secret = "0123456789abcdef0123456789abcdef";
        for text in
            [format!("coordinator.{secret}"), format!("worker3.{secret}.{}", "ab".repeat(32))]
        {
            let token: Token = text.parse().unwrap();
            assert_eq!(token.to_string(), text);
            assert!(!format!("{token:?}").contains("0123"));
        }
        for wrong in
            ["", "worker3", "worker.1", "nobody.0123456789abcdef0123456789abcdef", "a.b.c.d"]
        {
            assert_eq!(wrong.parse::<Token>(), Err(ParseTokenError), "{wrong}");
        }
        assert_eq!(format!("worker1.{secret}").parse::<Token>().unwrap().role(), Role::Worker);
    }
}
