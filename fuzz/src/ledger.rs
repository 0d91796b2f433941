//! Damaged ledgers.

use harness_ledger::Ledger;

use crate::scratch::path;

/// More runs than a listing shows on a screen.
const MAX_RUNS: usize = 8;

/// Bytes in place of `ledger.db`: refused, or each run can be listed and its parts read or refused.
/// SQLite checks pages when it needs them, so that damage may show late.
pub fn ledger(data: &[u8]) {
    let Ok(ledger) = Ledger::in_memory(data, &path("reports")) else { return };
    let Ok(runs) = ledger.runs() else { return };
    for run in runs.into_iter().take(MAX_RUNS) {
        assert!(!run.status.to_string().is_empty());
        if let Ok(facts) = ledger.facts(&run.run) {
            assert_eq!(facts.id, run.run);
        }
        if let Ok(games) = ledger.games(&run.run) {
            assert!(games.iter().all(|game| [game.first(), game.second()].contains(&&*game.white)));
        }
        // Damage in a payload is an error.
        let _ = ledger.solutions(&run.run);
        let _ = ledger.summary(&run.run);
    }
    // Unknown ids are compared with the existing ones.
    for query in ["last", "", "2026", "nothing-like-it"] {
        if let Err(error) = ledger.facts(query) {
            assert!(!error.to_string().is_empty());
        }
    }
}
