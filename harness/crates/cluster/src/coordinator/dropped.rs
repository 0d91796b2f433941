//! Messages of workers that do not count: counted by token and reason, and shown.

use std::collections::BTreeMap;
use std::fmt;

/// Why a message of a worker does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its signature is not that of its key, or it cannot be read.
    Damaged,
    /// It is of a task that was not given out to workers of its token.
    NotGivenOut,
    /// It is no answer to its task: another opening, an illegal move, a result that the game does not have.
    Wrong,
    /// Its worker is quarantined.
    Quarantined,
}

impl Reason {
    /// Whether honest workers may cause it.
    fn is_harmless(self) -> bool {
        self == Reason::Quarantined
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Damaged => "damaged or forged",
            Reason::NotGivenOut => "of tasks that were not given out to it",
            Reason::Wrong => "no answer to their task",
            Reason::Quarantined => "of quarantined workers",
        })
    }
}

/// Messages that were dropped.
#[derive(Debug, Default)]
pub struct Dropped {
    /// By token and reason, with what was found first.
    counts: BTreeMap<(String, Reason), (u64, String)>,
}

impl Dropped {
    /// Counts a message; the first of a token and reason is logged.
    pub fn note(&mut self, token: &str, reason: Reason, detail: impl FnOnce() -> String) {
        let entry = self.counts.entry((token.to_owned(), reason));
        let (count, _) = entry.or_insert_with(|| {
            let detail = detail();
            tracing::warn!("a result of {token} does not count: it is {reason} ({detail})");
            (0, detail)
        });
        *count += 1;
    }

    /// In words, for the end of a run.
    pub fn warnings(&self) -> Vec<String> {
        let shown = self.counts.iter().filter(|((_, reason), _)| !reason.is_harmless());
        shown.map(|((token, reason), (count, detail))| {
            let (results, do_not) =
                if *count == 1 { ("result", "does") } else { ("results", "do") };
            format!(
                "{count} {results} of workers with the token of {token} {do_not} not count: {reason} \
                 (the first: {detail}); `harness serve --revoke` ends a token"
            )
        })
        .collect()
    }
}
