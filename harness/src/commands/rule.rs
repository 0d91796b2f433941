//! The flags of a test's rule: the form of its bounds, and when it gives up.

use clap::Args;
use thiserror::Error;

use crate::commands::choice::choice;
use crate::stats::{PLANNED_DRAWS, PLANNED_GAMES, Shape, Sprt, SprtError};

/// Conditional power below which a test is futile, where the flag has no value.
pub const LEVEL: &str = "0.1";

/// The flags of a test's rule.
#[derive(Clone, Copy, Debug, Args)]
pub struct RuleArgs {
    /// Form of the bounds: those of Wald stand still; falling ones meet, after a proven number of games.
    #[arg(long, value_name = "FORM", value_parser = choice::<Shape>(), default_value_t)]
    pub bounds: Shape,
    /// Reject as soon as the test would accept within its games with less than this probability even if
    /// --elo1 were the truth [default with the flag: 0.1].
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = LEVEL,
        value_parser = level
    )]
    pub stop_futile: Option<f64>,
}

/// A text that is no level.
#[derive(Debug, Error)]
#[error("a conditional power lies above 0 and below 1; 0.1 is usual")]
pub struct ParseLevelError;

/// Reads a level of conditional power.
///
/// # Errors
/// When it does not lie between 0 and 1.
pub fn level(text: &str) -> Result<f64, ParseLevelError> {
    text.parse().ok().filter(|level| *level > 0.0 && *level < 1.0).ok_or(ParseLevelError)
}

/// A test with its rule, and the games after which it ends.
pub struct Ruled {
    /// The test.
    pub sprt: Sprt,
    /// Most games.
    pub max_games: u64,
}

impl RuleArgs {
    /// A test with this rule, whose bounds are computed for a share of drawn games. Without a number of
    /// games it ends where its bounds meet.
    ///
    /// # Errors
    /// When there are no such bounds.
    pub fn apply(
        &self,
        sprt: &Sprt,
        draw_ratio: Option<f64>,
        max_games: Option<u64>,
    ) -> Result<Ruled, SprtError> {
        let draw_ratio = draw_ratio.unwrap_or(PLANNED_DRAWS);
        let mut sprt = sprt.with_bounds(self.bounds, draw_ratio)?;
        let last = sprt.last_pair().map(|last| last.saturating_mul(2));
        let max_games = match (max_games, last) {
            (Some(asked), Some(last)) => asked.min(last),
            (Some(asked), None) => asked,
            (None, last) => last.unwrap_or(PLANNED_GAMES),
        };
        if let Some(level) = self.stop_futile {
            sprt = sprt.with_futility(level, draw_ratio, max_games.div_ceil(2))?;
        }
        Ok(Ruled { sprt, max_games })
    }
}
