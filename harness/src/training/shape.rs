//! Which network is trained: an architecture, and the sizes that it has.

use engine::eval::nnue::{HalfKp, Nnueu, Perspective, Shape, TwoPath};
use serde::{Deserialize, Serialize};

/// An architecture of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// Both sides' views, one layer, squared.
    #[default]
    Perspective,
    /// Tal's Hand's: few numbers, and a second layer chosen by the kings' squares.
    Nnueu,
    /// Bread's: pieces with the own king's square, two layers behind.
    #[serde(rename = "halfkp")]
    HalfKp,
    /// Sturddle's: averages of a wide path times factors that pawns and kings give.
    TwoPath,
}

/// The network that a training asks for. What is not said is as usual for the architecture.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Which kind of network.
    pub architecture: Architecture,
    /// Width of the inner layer, for one side where both have one.
    pub hidden: Option<usize>,
    /// `perspective`: left and right are exchanged so that one's own king is on the files a to d.
    pub mirroring: Option<bool>,
    /// `perspective`: output layers, chosen by the number of pieces.
    pub buckets: Option<usize>,
    /// `nnueu`: numbers that each king's block gives.
    pub block: Option<usize>,
    /// `nnueu`: width of the layer behind the blocks.
    pub second: Option<usize>,
    /// `halfkp`, `two-path`: widths of the two layers that lead to the output.
    pub dense: Option<[usize; 2]>,
    /// `two-path`: so many numbers of the main path are averaged.
    pub pool: Option<usize>,
    /// `two-path`: width of the path of pawns and kings.
    pub pawns: Option<usize>,
    /// `two-path`: factors that it gives.
    pub attention: Option<usize>,
    /// `two-path`: with more material than this ahead, in centipawns, material alone is the value.
    pub material_limit: Option<i32>,
    /// Centipawns of an output of 1.
    pub scale: i32,
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig {
            architecture: Architecture::default(),
            hidden: None,
            mirroring: None,
            buckets: None,
            block: None,
            second: None,
            dense: None,
            pool: None,
            pawns: None,
            attention: None,
            material_limit: None,
            scale: 400,
        }
    }
}

impl NetworkConfig {
    /// A network of the usual architecture with this width.
    pub fn perspective(hidden: usize) -> NetworkConfig {
        NetworkConfig { hidden: Some(hidden), ..NetworkConfig::default() }
    }

    /// The same for the engine.
    pub fn shape(&self) -> Shape {
        let NetworkConfig { hidden, scale, .. } = *self;
        match self.architecture {
            Architecture::Perspective => {
                let usual = Perspective::new(hidden.unwrap_or(64));
                let mirroring = self.mirroring.unwrap_or(true);
                let buckets = self.buckets.unwrap_or(usual.buckets);
                Perspective { mirroring, buckets, scale, ..usual }.into()
            }
            Architecture::Nnueu => {
                let usual = Nnueu::new(hidden.unwrap_or(8));
                let block = self.block.unwrap_or(usual.block);
                let second = self.second.unwrap_or(usual.second);
                Nnueu { block, second, scale, ..usual }.into()
            }
            Architecture::HalfKp => {
                let usual = HalfKp::new(hidden.unwrap_or(256));
                let dense = self.dense.unwrap_or(usual.dense);
                HalfKp { dense, scale, ..usual }.into()
            }
            Architecture::TwoPath => {
                let usual = TwoPath::new(hidden.unwrap_or(640));
                TwoPath {
                    hidden: usual.hidden,
                    pool: self.pool.unwrap_or(usual.pool),
                    pawns: self.pawns.unwrap_or(usual.pawns),
                    attention: self.attention.unwrap_or(usual.attention),
                    dense: self.dense.unwrap_or(usual.dense),
                    material_limit: self.material_limit.unwrap_or(usual.material_limit),
                    scale,
                }
                .into()
            }
        }
    }

    /// Whether the side to move is an input of the network: it tells a position from the same one with the
    /// board turned and colours exchanged.
    pub fn sees_side_to_move(&self) -> bool {
        self.architecture == Architecture::TwoPath
    }

    /// Whether the architecture has all the sizes that are named, and allows them.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), String> {
        use Architecture::{HalfKp, Nnueu, Perspective, TwoPath};
        let keys: [(_, _, &[Architecture]); 9] = [
            ("mirroring", self.mirroring.is_some(), &[Perspective]),
            ("buckets", self.buckets.is_some(), &[Perspective]),
            ("block", self.block.is_some(), &[Nnueu]),
            ("second", self.second.is_some(), &[Nnueu]),
            ("dense", self.dense.is_some(), &[HalfKp, TwoPath]),
            ("pool", self.pool.is_some(), &[TwoPath]),
            ("pawns", self.pawns.is_some(), &[TwoPath]),
            ("attention", self.attention.is_some(), &[TwoPath]),
            ("material_limit", self.material_limit.is_some(), &[TwoPath]),
        ];
        let shape = self.shape();
        let foreign =
            keys.into_iter().find(|(_, said, of)| *said && !of.contains(&self.architecture));
        if let Some((key, ..)) = foreign {
            return Err(format!("network: `{}` has no `{key}`", shape.name()));
        }
        shape.check().map_err(|error| format!("network: {error}"))
    }
}
