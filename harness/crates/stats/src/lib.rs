//! Statistics of engine testing.
//!
//! ```
//! use harness_stats::{Elo, Model, Pentanomial, Sprt};
//!
//! let counts = Pentanomial([12, 118, 250, 141, 19]);
//! let elo = Elo::from_counts(&counts)?;
//! assert_eq!(format!("{elo}"), "11.91 ± 12.32");
//!
//! let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05)?;
//! assert_eq!(sprt.decide(&counts), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod book;
mod bounds;
mod brownian;
mod counts;
mod design;
pub mod draw_chance;
mod elo;
mod game;
mod lattice;
mod likelihood;
mod mcnemar;
mod paired;
mod plan;
mod posterior;
pub mod race;
pub mod random;
mod ratings;
mod replay;
mod sequential;
mod sprt;
pub mod strength;
mod summary;
mod win_rate;

pub use bounds::{Bounds, Futility, Shape};
pub use counts::{GameScore, ParseCountsError, Pentanomial, Sample, Wdl};
pub use design::{Change, ChangeError, DrawnCourse, ErrorRates};
pub use elo::{
    Elo, Method, NormalizedElo, Undefined, elo_of_score, logistic, los, normal_cdf, normal_los,
    score_of_elo, signed,
};
pub use lattice::PairModel;
pub use mcnemar::{mcnemar, visible_change};
pub use paired::{Incomparable, PairedRatio, SignedRank, log_ratios, paired_ratio, wilcoxon};
pub use plan::{
    DRAW_RATIOS, Expectation, PLANNED_DRAWS, PLANNED_GAMES, Remaining, RulePlan, SprtPlan,
    SprtSpread, sigma_of_draws, smallest_effect, visible_effect,
};
pub use posterior::{NORMAL_FROM, Posterior};
pub use ratings::{
    Anchored, Favoured, Meeting, Rated, Ratings, Reference, ReferenceGames, Results, Unrated,
    WhiteAdvantage, WhiteUndefined,
};
pub use replay::{Replayed, SumRatio};
pub use sequential::{Sequential, SequentialElo};
pub use sprt::{Decision, Model, Sprt, SprtError};
pub use summary::{Stop, Summary, Verdict};
pub use win_rate::{Cell, Cubic, WinRate};
