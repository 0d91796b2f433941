//! Plies as an argument.

use std::ops::RangeInclusive;

/// A number of plies, or a range such as `6-8`.
pub fn plies(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&plies| plies <= 100);
    match (number(least), number(most)) {
        (Some(least), Some(most)) if least <= most => Ok(least..=most),
        _ => Err("write a number of plies up to 100, or a range such as 6-8".to_owned()),
    }
}
