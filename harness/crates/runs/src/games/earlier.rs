//! Games that workers played for an earlier process of a run: before the result stands, some of them are played again
//! here, as those of this process are.

use std::collections::BTreeMap;

use rand::Rng;

use super::record::KeepError;
use crate::stored::with_worker;
use harness_arena::{Leg, Schedule};
use harness_cluster::work::{GamePairs, moves_of};
use harness_cluster::{Backend, FINAL_REPLAYS};
use harness_ledger::{Ledger, LedgerError, Run};
use harness_outcome::token_of;

/// Pairs of a token: their number, and a uniform sample.
#[derive(Default)]
struct Pairs {
    count: usize,
    sample: Vec<(u64, String)>,
}

impl Pairs {
    /// Reservoir sampling: each pair is in the sample with the same probability.
    fn add(&mut self, pair: u64, worker: &str) {
        self.count += 1;
        let place = match self.count {
            ..=FINAL_REPLAYS => self.count - 1,
            count => rand::rng().random_range(0..count),
        };
        let entry = (pair, worker.to_owned());
        match self.sample.get_mut(place) {
            Some(old) => *old = entry,
            None if place < FINAL_REPLAYS => self.sample.push(entry),
            None => {}
        }
    }
}

/// Tells the backend of the whole pairs that the ledger has of each token.
pub(super) fn note_earlier(
    ledger: &Ledger,
    run: &Run,
    schedule: &Schedule,
    backend: &mut Backend<'_, GamePairs>,
) -> Result<(), KeepError> {
    let mut halves = BTreeMap::<u64, String>::new();
    let mut tokens = BTreeMap::<String, Pairs>::new();
    ledger.each_result_of_workers(run.id(), |game| {
        with_worker(&game, |game| match halves.remove(&game.pair) {
            Some(worker) if worker == game.worker => {
                let token = token_of(game.worker).unwrap_or_default();
                tokens.entry(token.to_owned()).or_default().add(game.pair, game.worker);
            }
            _ => drop(halves.insert(game.pair, game.worker.to_owned())),
        });
        Ok::<_, LedgerError>(())
    })?;
    for (token, pairs) in tokens {
        let mut sample = Vec::new();
        for (pair, worker) in pairs.sample {
            let Ok(Some(job)) = schedule.pair(pair) else { continue };
            let mut moves = Vec::new();
            for leg in Leg::BOTH {
                moves.extend(
                    ledger.game(run.id(), pair, leg.index())?.map(|game| moves_of(&game.pgn)),
                );
            }
            sample.push((Box::new(job), worker, moves));
        }
        backend.note_earlier(&token, pairs.count, sample);
    }
    Ok(())
}
