//! Values of flags in our words.

use super::error::TranslationError;
use super::lex::WrittenFlag;
use crate::arena::Variant;

/// The model of Elo of an SPRT.
pub(super) fn sprt_model(given: WrittenFlag<'_>) -> Result<&str, TranslationError> {
    match given.value() {
        "bayesian" => Err(given.unsupported(
            "it ignores pairs; logistic bounds of (1 - d²) times its own, d being the share of \
             draws, test the same hypotheses",
        )),
        model => Ok(model),
    }
}

/// The flag that asks for a variant, and its value; `None` for chess.
pub(super) fn variant(
    given: WrittenFlag<'_>,
) -> Result<Option<(&'static str, Option<String>)>, TranslationError> {
    match given.value() {
        "standard" => Ok(None),
        "fischerandom" | "chess960" => Ok(Some(("--chess960", None))),
        name => {
            let known = Variant::of_name(name).map(<&str>::from);
            let known = known.ok_or_else(|| {
                given.unsupported(
                    "there are standard, fischerandom, atomic, antichess, crazyhouse, \
                     kingofthehill, racingkings, 3check and horde",
                )
            })?;
            Ok(Some(("--variant", Some(known.to_owned()))))
        }
    }
}

/// The results of tablebases that end a game, in the words of `--tb-results`.
pub(super) fn tablebase_results(value: &str) -> &'static str {
    match value {
        "WIN_LOSS" => "wins",
        "DRAW" => "draws",
        _ => "all",
    }
}

/// The processors of a list; none without a list.
pub(super) fn processors(given: WrittenFlag<'_>) -> Result<Vec<usize>, TranslationError> {
    let Some(list) = given.value else { return Ok(Vec::new()) };
    cpus(list).ok_or_else(|| TranslationError::Value {
        argument: given.text(),
        takes: "processors, such as 3,5,7-11".to_owned(),
    })
}

/// Reads `3,5,7-11`.
fn cpus(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 65_535 {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}
