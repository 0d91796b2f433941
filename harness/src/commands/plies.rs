//! Plies as an argument.

use std::ops::RangeInclusive;

use thiserror::Error;

/// A text that is no number of plies.
#[derive(Debug, Error)]
#[error("write a number of plies up to 100, or a range such as 6-8")]
pub struct ParsePliesError;

/// A number of plies, or a range such as `6-8`.
pub fn plies(text: &str) -> Result<RangeInclusive<u32>, ParsePliesError> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|&plies: &u32| plies <= 100);
    match (number(least), number(most)) {
        (Some(least), Some(most)) if least <= most => Ok(least..=most),
        _ => Err(ParsePliesError),
    }
}
