//! The secrets of a server, in a file of its folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::ClusterError;
use crate::token::{Role, Token};
use harness_base::address::ServerAddress;
use harness_base::files::write_private;
use harness_base::system;

/// The folder of the server's state unless another is named.
pub fn default_folder() -> PathBuf {
    system::state().unwrap_or_default().join("server")
}

/// The token of a server that was started on this machine, if it is at this address.
pub fn token_of_this_machine(server: &ServerAddress, role: Role) -> Option<Token> {
    Secrets::read(&default_folder()).ok()?.token_for(server, role)
}

/// The secrets of a server, in its folder.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Secrets {
    /// Its address, as programs on this machine reach it.
    pub(super) url: String,
    /// Secret of the coordinators.
    pub(super) coordinator: String,
    /// Secrets of workers by number; `None`: revoked.
    pub(super) workers: Vec<Option<String>>,
    /// Fingerprint of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fingerprint: Option<String>,
}

/// Change of the workers' tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenChange {
    /// Makes another one.
    New,
    /// Revokes that of a number.
    Revoke(usize),
}

/// The tokens of a server.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Address for programs on this machine.
    pub url: String,
    /// Of coordinators.
    pub coordinator: Option<Token>,
    /// The newest of workers.
    pub worker: Option<Token>,
}

impl Secrets {
    pub(super) fn new(url: String, fingerprint: Option<String>) -> Secrets {
        Secrets { url, coordinator: secret(), workers: vec![Some(secret())], fingerprint }
    }

    pub(super) fn file(folder: &Path) -> PathBuf {
        folder.join("tokens.json")
    }

    pub(super) fn read(folder: &Path) -> io::Result<Secrets> {
        serde_json::from_slice(&fs::read(Secrets::file(folder))?).map_err(io::Error::other)
    }

    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        write_private(&Secrets::file(folder), &text)
    }

    /// Changes the workers' tokens.
    pub(super) fn apply(&mut self, change: TokenChange) -> Result<(), ClusterError> {
        match change {
            TokenChange::New => self.workers.push(Some(secret())),
            TokenChange::Revoke(number) => {
                let at = number.checked_sub(1);
                match at.and_then(|at| self.workers.get_mut(at)).filter(|it| it.is_some()) {
                    Some(worker) => *worker = None,
                    None => return Err(self.no_such_token(number)),
                }
            }
        }
        Ok(())
    }

    fn no_such_token(&self, number: usize) -> ClusterError {
        let workers = self.workers.iter().enumerate().filter(|(_, secret)| secret.is_some());
        let valid: Vec<String> = workers.map(|(at, _)| format!("worker{}", at + 1)).collect();
        let valid = if valid.is_empty() { "none".to_owned() } else { valid.join(", ") };
        ClusterError::NoSuchToken { number, valid }
    }

    pub(super) fn tokens(&self) -> Tokens {
        let coordinator = self.token(Role::Coordinator);
        let worker = self.token(Role::Worker);
        Tokens { url: self.url.clone(), coordinator, worker }
    }

    /// The token of a role for the server at an address: this one's own, or its port on this machine,
    /// whatever the address of it that others use.
    fn token_for(&self, server: &ServerAddress, role: Role) -> Option<Token> {
        let own: ServerAddress = self.url.parse().ok()?;
        let is_here = server.is_this_machine() && server.port() == own.port();
        if is_here || server.is_same_server(&own) { self.token(role) } else { None }
    }

    /// The token of a role; of workers the newest.
    pub(super) fn token(&self, role: Role) -> Option<Token> {
        let (user, secret) = match role {
            Role::Coordinator => ("coordinator".to_owned(), Some(self.coordinator.clone())),
            Role::Worker => {
                let newest = self.workers.iter().rposition(Option::is_some)?;
                (format!("worker{}", newest + 1), self.workers[newest].clone())
            }
        };
        Some(Token { user, secret: secret?, fingerprint: self.fingerprint.clone() })
    }
}

fn secret() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

#[cfg(test)]
mod tests {
    use harness_base::address::GivenAddress;

    use super::*;

    #[test]
    fn the_token_of_this_machine_is_for_its_own_server_alone() {
        let get = |own: &str, at: &str| {
            let given: GivenAddress = at.parse().expect(at);
            let secrets = Secrets::new(own.to_owned(), None);
            secrets.token_for(&given.server, Role::Coordinator).is_some()
        };
        let here = "nats://127.0.0.1:4222";
        for at in ["127.0.0.1", "localhost:4222", "nats://[::1]", "tls://127.9.9.9", "0x7f.1"] {
            assert!(get(here, at), "{at}");
        }
        for at in [
            "nats://127.0.0.1@evil.example.org",
            "nats://127.0.0.1:4222@evil.example.org:4222",
            "nats://x:127.0.0.1@evil.example.org:4222",
            "nats://localhost@evil.example.org",
            "nats://127.0.0.1.example.org",
            "localhost.example.org",
            "127.0.0.1:4223",
            "10.0.0.1",
        ] {
            assert!(!get(here, at), "{at}");
        }
        let outside = "nats://10.0.0.1:4222";
        assert!(get(outside, "10.0.0.1") && get(outside, "localhost"));
        assert!(!get(outside, "10.0.0.2") && !get(outside, "10.0.0.1:4223"));
    }
}
