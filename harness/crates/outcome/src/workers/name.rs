//! A worker in one text, as the ledger has it: `NAME@TOKEN KEY`. Its name and its public key are its own
//! choice; the token is that of its connection, which the server vouches for.

/// The text of a worker. The name has neither white space nor `@`.
pub fn worker_text(name: &str, token: &str, key: &str) -> String {
    format!("{name}@{token} {key}")
}

/// Name and public key of a worker.
///
/// # Examples
///
/// ```
/// use harness_outcome::name_and_key;
///
/// assert_eq!(name_and_key("box@worker1 UABC"), ("box", "UABC"));
/// assert_eq!(name_and_key("box UABC"), ("box", "UABC"));
/// ```
pub fn name_and_key(worker: &str) -> (&str, &str) {
    let (name, key) = worker.rsplit_once(' ').unwrap_or((worker, ""));
    (name.rsplit_once('@').map_or(name, |(name, _)| name), key)
}

/// The token of a worker: who is responsible for it. `None` in a ledger of an earlier version.
pub fn token_of(worker: &str) -> Option<&str> {
    let (name, _) = worker.rsplit_once(' ')?;
    name.rsplit_once('@').map(|(_, token)| token)
}
