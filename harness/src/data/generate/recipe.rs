//! What decides the games that are made: the same recipe makes the same games.

use serde::{Deserialize, Serialize};

use crate::arena::{Adjudication, DrawOffer, Resign};
use crate::player::EngineSpec;

/// What decides the games. Game number i follows from it and i alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Version of the harness, and so of the linked engine.
    pub harness: String,
    /// Who plays both sides, with its options.
    pub engine: EngineSpec,
    /// SHA-256 of each file that an option names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Random plies of an opening, least and most.
    pub plies: [u32; 2],
    /// The largest score of an opening for either side, in centipawns.
    pub balance: u32,
    /// Nodes of the search that judges an opening.
    pub balance_nodes: u64,
    /// A move is played after the iteration in which so many nodes are passed.
    pub nodes: u64,
    /// Nodes after which a search ends at once.
    pub hard_nodes: u64,
    /// When a game ends before its end.
    pub adjudication: Adjudication,
}

impl Recipe {
    /// What is usual: a game ends when both sides see 2,500 centipawns for two moves each, or
    /// nothing for six moves each from move 40 on. As Viridithas does.
    pub fn usual_adjudication() -> Adjudication {
        Adjudication {
            resign: Some(Resign { score: 2_500, moves: 2, two_sided: true }),
            draw: Some(DrawOffer { score: 4, moves: 6, from: 40 }),
            max_moves: Some(400),
            tables: None,
        }
    }
}
