//! Proof that a task was given out to the workers of a token.

use sha2::{Digest, Sha256};

/// The key of a run's leases. Its nonces cannot be guessed by those who do not have a coordinator's token,
/// and are the same for each process that continues the run.
#[derive(Clone)]
pub struct LeaseKey(Sha256);

impl LeaseKey {
    /// Of a run, by the secret of the coordinators' token.
    pub fn new(secret: &str, run: &str) -> LeaseKey {
        LeaseKey(Sha256::new().chain_update(format!("lease\n{secret}\n{run}\n")))
    }

    /// The nonce of a task that is given out to the workers of a token: 128 bits in hex, of SHA-256.
    pub fn nonce(&self, token: &str, number: u64, attempt: u32) -> String {
        let of_task = self.0.clone().chain_update(format!("{token}\n{number}\n{attempt}\n"));
        of_task.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_nonce_is_of_one_run_token_task_and_attempt() {
        let key = LeaseKey::new("secret", "run");
        assert_eq!(
            key.nonce("worker1", 7, 0),
            LeaseKey::new("secret", "run").nonce("worker1", 7, 0)
        );
        let all: BTreeSet<String> = [("s", "run"), ("secret", "run"), ("secret", "other")]
            .into_iter()
            .flat_map(|(secret, run)| {
                let key = LeaseKey::new(secret, run);
                [("worker1", 1, 11), ("worker1", 11, 1), ("worker11", 1, 1), ("worker1", 1, 1)]
                    .map(|(token, number, attempt)| key.nonce(token, number, attempt))
            })
            .collect();
        assert_eq!(all.len(), 12);
        assert!(all.iter().all(|nonce| nonce.len() == 32));
    }
}
