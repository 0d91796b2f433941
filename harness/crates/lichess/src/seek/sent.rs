//! The challenges of the last day.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness_base::files::write_atomically;
use harness_base::system;

/// How long a challenge counts.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Challenges that were sent: when, in seconds since 1970, and to whom.
#[derive(Debug, Default)]
pub(super) struct SentToday {
    /// `None`: there is no folder to keep them in.
    file: Option<PathBuf>,
    sent: Vec<(u64, String)>,
}

impl SentToday {
    /// Those of an account on a server, in the user's state folder.
    pub fn read(account: &str, server: &str) -> SentToday {
        let plain = |text: &str| -> String {
            text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect()
        };
        let name = format!("lichess-sent-{}-{}.json", plain(server), plain(account));
        let file = system::state().map(|folder| folder.join(name));
        SentToday { sent: Vec::new(), file }.with_stored()
    }

    fn with_stored(mut self) -> SentToday {
        let text = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        // One that cannot be read counts as empty: the server has limits of its own.
        self.sent = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        self
    }

    /// Adds one, and keeps all.
    pub fn add(&mut self, opponent: &str, now: SystemTime) {
        self.forget(now);
        self.sent.push((seconds(now), opponent.to_owned()));
        let Some(file) = &self.file else { return };
        let kept = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            write_atomically(file, serde_json::json!(self.sent).to_string().as_bytes())
        });
        if let Err(error) = kept {
            tracing::warn!("cannot write {}: {error}", file.display());
        }
    }

    /// Those of the last day.
    pub fn count(&mut self, now: SystemTime) -> usize {
        self.forget(now);
        self.sent.len()
    }

    /// The same by opponent.
    pub fn by_opponent(&mut self, now: SystemTime) -> BTreeMap<String, usize> {
        self.forget(now);
        let mut counts = BTreeMap::new();
        for (_, opponent) in &self.sent {
            *counts.entry(opponent.clone()).or_default() += 1;
        }
        counts
    }

    fn forget(&mut self, now: SystemTime) {
        let now = seconds(now);
        // Those of a clock that ran ahead count for a day from now on, and no longer.
        self.sent.iter_mut().for_each(|(at, _)| *at = (*at).min(now));
        self.sent.retain(|(at, _)| now - at < DAY.as_secs());
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_count_for_a_day_after_a_restart_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = Some(folder.path().join("state/sent.json"));
        let start = SystemTime::now();
        let mut sent = SentToday { file: file.clone(), sent: Vec::new() };
        sent.add("fish", start);
        sent.add("fish", start + Duration::from_secs(3600));
        sent.add("carp", start + Duration::from_secs(7200));
        let mut again = SentToday { file: file.clone(), sent: Vec::new() }.with_stored();
        assert_eq!(
            again.by_opponent(start + Duration::from_secs(7200)),
            sent.by_opponent(start + Duration::from_secs(7200))
        );
        for (hours, count) in [(2, 3), (23, 3), (24, 2), (25, 1), (26, 0)] {
            assert_eq!(again.count(start + Duration::from_secs(3600 * hours)), count, "{hours}");
        }
        std::fs::write(file.as_ref().expect("a file"), "nonsense").expect("written");
        assert_eq!(SentToday { file, sent: Vec::new() }.with_stored().count(start), 0);
    }
}
