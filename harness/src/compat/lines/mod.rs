//! The lines that fastchess and cutechess-cli print, from results.
//!
//! Facts, from fastchess 1.8 and cutechess-cli 1.5: the forms of the lines, their order and the formulas of
//! their numbers. `counts.rs` counts games as fastchess does, `estimates.rs` has its numbers, `fastchess.rs`
//! and `cutechess.rs` the lines of each program, `reason.rs` and `warnings.rs` the words for
//! the ends of games and for faults of engines. They are plain
//! functions: when which line is printed is decided in `stream.rs`, beside this folder.

pub mod counts;
pub mod cutechess;
mod estimates;
pub mod fastchess;
pub mod reason;
pub mod warnings;

/// Number with this number of digits behind the point, as C++'s `fmt` writes it: what is not a number has a sign.
fn fixed(number: f64, digits: usize) -> String {
    match number {
        _ if number.is_nan() && number.is_sign_negative() => "-nan".to_owned(),
        _ if number.is_nan() => "nan".to_owned(),
        _ => format!("{number:.digits$}"),
    }
}

/// A quotient of counts: of nothing by nothing it is the `-nan` of an x86-64 processor.
fn quotient(numerator: f64, denominator: f64) -> f64 {
    if numerator == 0.0 && denominator == 0.0 { -f64::NAN } else { numerator / denominator }
}

/// Number with at most this number of significant digits, as `%g` of C writes it.
fn general(number: f64, digits: usize) -> String {
    if number == 0.0 || !number.is_finite() {
        return fixed(number, 0);
    }
    let scientific = format!("{number:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let behind = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    trim(&format!("{number:.behind$}"))
}

#[cfg(test)]
mod tests;
