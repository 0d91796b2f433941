//! The settings of generated games: the same recipe gives the same games.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::StateError;
use harness_arena::{Adjudication, DrawOffer, Resign};
use harness_player::{EngineSpec, sha256};

/// SHA-256 of each file that an option of the engine names: another net of the same name is noticed.
///
/// # Errors
/// When one of them cannot be read.
pub fn named_files(engine: &EngineSpec) -> Result<Vec<String>, StateError> {
    let named = engine.options.values().map(Path::new).filter(|path| path.is_file());
    let help = Some("an option of the engine names it, and its hash is stored");
    named.map(|path| sha256(path).map_err(StateError::unusable_but("read", path, help))).collect()
}

/// The settings of generated games. A game follows from them and its number alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Version of the harness, and so of the linked engine.
    pub harness: String,
    /// The engine of both sides, with its options.
    pub engine: EngineSpec,
    /// SHA-256 of each file that an option names; see [`named_files`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Random plies of an opening, least and most.
    pub plies: [u32; 2],
    /// The largest score of an opening for either side, in centipawns.
    pub balance: u32,
    /// Nodes of the search that scores an opening.
    pub balance_nodes: u64,
    /// Soft limit: a search ends after the iteration that passes this number of nodes.
    pub nodes: u64,
    /// Hard limit: nodes after which a search ends at once.
    pub hard_nodes: u64,
    /// Which games are decided before their end.
    pub adjudication: Adjudication,
}

impl Recipe {
    /// Searches of `nodes` nodes, after openings of 8 or 9 random plies. As in Viridithas's
    /// training data, a game is won at 2,500 centipawns for two moves of both sides, and drawn at
    /// 4 or fewer for six moves of both from move 40 on.
    ///
    /// # Errors
    /// When a file that an option names cannot be read.
    pub fn new(mut engine: EngineSpec, nodes: u64) -> Result<Recipe, StateError> {
        if !engine.options.keys().any(|name| name.eq_ignore_ascii_case("hash")) {
            // Searches are short, and there are two hash tables a thread to clear before a game.
            engine.options.insert("Hash".to_owned(), "4".to_owned());
        }
        Ok(Recipe {
            harness: env!("CARGO_PKG_VERSION").to_owned(),
            files: named_files(&engine)?,
            engine,
            seed: 1,
            plies: [8, 9],
            balance: 400,
            balance_nodes: nodes,
            nodes,
            hard_nodes: nodes.saturating_mul(8),
            adjudication: Adjudication {
                resign: Some(Resign { score: 2_500, moves: 2, two_sided: true }),
                draw: Some(DrawOffer { score: 4, moves: 6, from: 40 }),
                ..Adjudication::move_limit(400)
            },
        })
    }
}
