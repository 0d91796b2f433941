//! Numbers for people.

/// `3,112`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 game`, `3,112 games`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number to two digits: `240`, `24`, `2.4`, `0.24`.
pub fn two_digits(number: f64) -> String {
    let magnitude = number.abs().max(1e-9).log10().floor();
    let unit = 10f64.powf(magnitude - 1.0);
    let digits = (1.0 - magnitude).max(0.0) as usize;
    format!("{:.digits$}", (number / unit).round() * unit)
}

/// `8.3 s`, `12 min 5 s`, `3 h 20 min`, `2 d 4 h`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".to_owned();
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let minutes = whole / 60;
    let hours = whole / 3_600;
    let days = whole / 86_400;
    match (days, hours) {
        (0, 0) => format!("{minutes} min {} s", whole % 60),
        (0, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// `97.3 %`; a dash for what is unknown. Never 0 or 100 for something that is not.
pub fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".to_owned(),
        Some(share) if share > 0.9995 && share < 1.0 => "> 99.9 %".to_owned(),
        Some(share) if share > 0.0 && share < 0.0005 => "< 0.1 %".to_owned(),
        Some(share) => format!("{:.1} %", 100.0 * share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_share_is_rounded_but_not_to_certainty() {
        let cases = [
            (1.0, "100.0 %"),
            (0.99999, "> 99.9 %"),
            (0.0, "0.0 %"),
            (1e-9, "< 0.1 %"),
            (0.5, "50.0 %"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(Some(share)), text);
        }
    }

    #[test]
    fn durations_are_short() {
        let cases = [
            (0.04, "0.0 s"),
            (59.96, "1 min 0 s"),
            (725.0, "12 min 5 s"),
            (12_000.0, "3 h 20 min"),
            (190_000.0, "2 d 4 h"),
            (f64::NAN, "?"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }
}
