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
mod counts;
pub mod draw_chance;
mod elo;
mod game;
mod mcnemar;
mod paired;
mod posterior;
pub mod race;
pub mod random;
mod ratings;
mod sequential;
pub mod strength;
mod summary;
mod win_rate;

pub use counts::{GameScore, ParseCountsError, Pentanomial, Sample, Wdl};
pub use elo::{
    Elo, Method, NormalizedElo, Undefined, elo_of_score, logistic, los, normal_cdf, normal_los,
    score_of_elo, sigma_of_draws, signed,
};
pub use mcnemar::{mcnemar, visible_change};
pub use paired::{Incomparable, PairedRatio, SignedRank, log_ratios, paired_ratio, wilcoxon};
pub use posterior::{NORMAL_FROM, Posterior};
pub use ratings::{
    Anchored, Favoured, Meeting, Rated, Ratings, Reference, ReferenceGames, Results, Unrated,
    WhiteAdvantage, WhiteUndefined,
};
pub use sequential::bounds::{Bounds, Futility, Shape};
pub use sequential::change::{Change, ChangeError};
pub use sequential::design::{DrawnCourse, ErrorRates, PLANNED_DRAWS};
pub use sequential::estimate::{Sequential, SequentialElo};
pub use sequential::lattice::PairModel;
pub use sequential::plan::{
    DRAW_RATIOS, Expectation, PLANNED_GAMES, Remaining, RulePlan, SprtPlan, SprtSpread,
    games_for_error, smallest_effect, visible_effect,
};
pub use sequential::replay::{Replayed, Rule, SumRatio, TestTotals, consecutive};
pub use sequential::sprt::{Decision, Model, Sprt, SprtError, Stop};
pub use summary::{Summary, Verdict};
pub use win_rate::{Cell, Cubic, WinRate};
