//! Limits of searches in words: `nodes=20000` is for command lines.

use super::number::grouped;

/// A text in which limits are written as command lines have them, with these in words: `8 s + 0.08 s a move`
/// for `tc=8+0.08`, `20,000 nodes a move` for `nodes=20000`. What is no limit stays. A suite has `position`
/// for `of`, which is `move` elsewhere.
pub fn limit_words(text: &str, of: &str) -> String {
    let words = text.split(' ').map(|word| {
        let bare = word.trim_matches(['(', ')', ',', ':', ';']);
        in_words(bare, of).map_or_else(|| word.to_owned(), |words| word.replacen(bare, &words, 1))
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The words of one limit, of which several parts may have commas between; `None` of another text.
fn in_words(limit: &str, of: &str) -> Option<String> {
    let parts: Option<Vec<String>> = limit.split(',').map(|part| part_words(part, of)).collect();
    Some(parts?.join(" or "))
}

fn part_words(part: &str, of: &str) -> Option<String> {
    let (kind, value) = part.split_once('=')?;
    match kind {
        "tc" => clock_words(value, of),
        "movetime" => Some(format!("{} a {of}", milliseconds_words(movetime(value)?))),
        "nodes" => {
            let nodes: u64 = value.parse().ok()?;
            Some(format!("{} {} a {of}", grouped(nodes), if nodes == 1 { "node" } else { "nodes" }))
        }
        "depth" => Some(format!("depth {}", value.parse::<u8>().ok()?)),
        _ => None,
    }
}

/// `8+0.08`, `40/60+0.6`, `60hg`.
fn clock_words(clock: &str, of: &str) -> Option<String> {
    if let Some(base) = clock.strip_suffix("hg") {
        return Some(format!("an hourglass of {}", seconds_words(base)?));
    }
    let (moves, rest) =
        clock.split_once('/').map_or((None, clock), |(moves, rest)| (Some(moves), rest));
    let (base, increment) =
        rest.split_once('+').map_or((rest, None), |(base, rest)| (base, Some(rest)));
    let base = seconds_words(base)?;
    let base = match (moves, increment) {
        (Some(moves), _) => format!("{base} for {} moves", moves.parse::<u32>().ok()?),
        (None, Some(_)) => base,
        (None, None) => format!("{base} a game"),
    };
    Some(match increment {
        Some(increment) => format!("{base} + {} a {of}", seconds_words(increment)?),
        None => base,
    })
}

/// Milliseconds of `1s`, `100ms` or `100`.
fn movetime(text: &str) -> Option<f64> {
    let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => (text, 1.0),
    };
    number.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * unit)
}

fn milliseconds_words(milliseconds: f64) -> String {
    match milliseconds < 1000.0 {
        true => format!("{milliseconds} ms"),
        false => in_seconds(milliseconds / 1000.0),
    }
}

fn seconds_words(text: &str) -> Option<String> {
    text.parse::<f64>().ok().filter(|seconds| seconds.is_finite()).map(in_seconds)
}

/// Whole minutes from two on as such.
fn in_seconds(seconds: f64) -> String {
    match seconds >= 120.0 && seconds % 60.0 == 0.0 {
        true => format!("{} min", seconds / 60.0),
        false => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_in_words_and_other_words_stay() {
        for (text, words) in [
            ("tc=8+0.08", "8 s + 0.08 s a move"),
            ("tc=180+2", "3 min + 2 s a move"),
            ("tc=40/60+0.6", "60 s for 40 moves + 0.6 s a move"),
            ("tc=40/60", "60 s for 40 moves"),
            ("tc=10", "10 s a game"),
            ("tc=60hg", "an hourglass of 60 s"),
            ("movetime=100ms", "100 ms a move"),
            ("movetime=1500ms", "1.5 s a move"),
            ("movetime=2s", "2 s a move"),
            ("movetime=50", "50 ms a move"),
            ("nodes=20000", "20,000 nodes a move"),
            ("nodes=1", "1 node a move"),
            ("depth=8", "depth 8"),
            ("movetime=100ms,nodes=5000,depth=8", "100 ms a move or 5,000 nodes a move or depth 8"),
            ("new: tc=8+0.08, old: nodes=40", "new: 8 s + 0.08 s a move, old: 40 nodes a move"),
            ("a (nodes=9, Hash=1)", "a (9 nodes a move, Hash=1)"),
            ("bk, nodes=9: 2 of 3", "bk, 9 nodes a move: 2 of 3"),
            ("nodes=5000 against nodes=4000", "5,000 nodes a move against 4,000 nodes a move"),
            ("", ""),
            ("a=b nodes=many tc=x", "a=b nodes=many tc=x"),
        ] {
            assert_eq!(limit_words(text, "move"), words);
        }
        assert_eq!(limit_words("nodes=20000", "position"), "20,000 nodes a position");
    }
}
