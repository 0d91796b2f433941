//! Pairs that workers played for an earlier process of a run: before the result stands, some of them are played again
//! here, as those of this process are.

use std::collections::BTreeMap;

use super::record::KeepError;
use crate::stored::with_worker;
use harness_arena::{BookError, Leg, PairJob, Stopped, Unplayed};
use harness_cluster::reservoir::Reservoir;
use harness_cluster::work::{GamePairs, moves_of};
use harness_cluster::{Backend, EarlierAnswer, FINAL_REPLAYS};
use harness_ledger::{Ledger, LedgerError, Run};
use harness_outcome::token_of;

/// A pair, by its number, and the worker that played both of its games.
struct PlayedPair {
    pair: u64,
    worker: String,
}

/// The whole pairs that the ledger has of the workers of each token: their number, and a sample of them.
pub(super) struct EarlierPairs(BTreeMap<String, Reservoir<PlayedPair>>);

impl EarlierPairs {
    /// Those of a run.
    pub fn from_ledger(ledger: &Ledger, run: &Run) -> Result<EarlierPairs, LedgerError> {
        let mut halves = BTreeMap::<u64, String>::new();
        let mut tokens = BTreeMap::<String, Reservoir<PlayedPair>>::new();
        ledger.each_result_of_workers(run.id(), |game| {
            with_worker(&game, |game| {
                let (pair, worker) = (game.pair, game.worker.to_owned());
                if halves.remove(&pair).is_some_and(|other| other == worker) {
                    let token = token_of(&worker).unwrap_or_default().to_owned();
                    let pairs =
                        tokens.entry(token).or_insert_with(|| Reservoir::new(FINAL_REPLAYS));
                    pairs.add(|| PlayedPair { pair, worker });
                } else {
                    halves.insert(pair, worker);
                }
            });
            Ok::<_, LedgerError>(())
        })?;
        Ok(EarlierPairs(tokens))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Passes them to the backend, with their moves and their tasks, which `job` gives by their numbers.
    pub fn note(
        self,
        ledger: &Ledger,
        run: &Run,
        job: &dyn Fn(u64) -> Result<Option<PairJob>, BookError>,
        backend: &mut Backend<'_, GamePairs>,
    ) -> Result<(), Stopped<KeepError>> {
        let answer = |PlayedPair { pair, worker }| {
            let job = job(pair).map_err(Unplayed::from)?;
            let mut moves = Vec::new();
            for leg in Leg::BOTH {
                let game = ledger.game(run.id(), pair, leg.index()).map_err(not_kept)?;
                moves.extend(game.map(|game| moves_of(&game.pgn)));
            }
            let answer = job.map(|job| EarlierAnswer { task: Box::new(job), worker, moves });
            Ok::<_, Stopped<KeepError>>(answer)
        };
        for (token, pairs) in self.0 {
            // What is in the ledger and not of the plan is left out.
            backend.note_earlier(&token, pairs.try_map(answer)?.filter_map(|answer| answer));
        }
        Ok(())
    }
}

/// The error of a ledger that cannot be read.
fn not_kept(error: LedgerError) -> Stopped<KeepError> {
    Stopped::NotKept(KeepError::from(error))
}
