//! Clocks of games and limits of searches, in figures and in words.

use super::numbers::{self, Number, short};
use super::words;

/// A limit at some place of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenLimit {
    /// The limit as it was said.
    pub meant: Meant,
    /// How many words it takes.
    pub words: usize,
}

/// A clock or a limit as it was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// Two numbers with a plus, `5+3`, as they stand; the unit of the first is the listener's.
    Clock {
        /// Time for the game.
        base: f64,
        /// Seconds added after each move.
        increment: f64,
    },
    /// Minutes for the game, and seconds added after each move.
    Minutes {
        /// Minutes for the game.
        base: f64,
        /// Seconds added after each move.
        increment: f64,
    },
    /// Seconds; whether a move or for the game is the listener's to decide.
    Seconds(f64),
    /// Seconds a move.
    MoveSeconds(f64),
    /// Seconds for the game, and seconds added after each move.
    GameSeconds {
        /// Seconds for the game.
        base: f64,
        /// Seconds added after each move.
        increment: f64,
    },
    /// Nodes a move.
    Nodes(f64),
    /// Plies a move.
    Depth(f64),
    /// In the notation of the test bench: `40/60+0.6`, `movetime=100ms`.
    Written(String),
}

impl Meant {
    /// As the limit of an engine's search: `8+0.08`, `nodes=20000`, `movetime=1s`.
    pub fn limit(&self) -> String {
        match self {
            Meant::Clock { base, increment } | Meant::GameSeconds { base, increment } => {
                clock(*base, *increment)
            }
            Meant::Minutes { base, increment } => clock(base * 60.0, *increment),
            Meant::Seconds(seconds) | Meant::MoveSeconds(seconds) if *seconds < 1.0 => {
                format!("movetime={}ms", short(seconds * 1000.0))
            }
            Meant::Seconds(seconds) | Meant::MoveSeconds(seconds) => {
                format!("movetime={}s", short(*seconds))
            }
            Meant::Nodes(nodes) => format!("nodes={}", short(*nodes)),
            Meant::Depth(plies) => format!("depth={}", short(*plies)),
            Meant::Written(text) => text.clone(),
        }
    }

    /// As a player's clock, minutes and seconds a move: `5+3`. `None` for a limit that is none.
    pub fn clock(&self) -> Option<String> {
        match self {
            Meant::Clock { base, increment } | Meant::Minutes { base, increment } => {
                Some(format!("{}+{}", short(*base), short(*increment)))
            }
            // A quarter of a second is no clock of a player.
            Meant::Seconds(seconds) if *seconds < 1.0 => None,
            Meant::Seconds(seconds) => Some(format!("{}+0", short(seconds / 60.0))),
            Meant::GameSeconds { base, increment } => {
                Some(format!("{}+{}", short(base / 60.0), short(*increment)))
            }
            // `tc=180+2` has seconds; what is less than a minute may be meant as minutes.
            Meant::Written(text) => {
                let (base, increment) = text.split_once('+')?;
                let base: f64 = base.parse().ok().filter(|base| *base >= 60.0)?;
                let increment: f64 = increment.parse().ok()?;
                Some(format!("{}+{}", short(base / 60.0), short(increment)))
            }
            Meant::MoveSeconds(_) | Meant::Nodes(_) | Meant::Depth(_) => None,
        }
    }
}

/// The presets of a new run by their names.
pub const PRESETS: [(&str, &str); 2] = [("stc", "8+0.08"), ("ltc", "40+0.4")];

/// The same in words.
const SPOKEN_PRESETS: [(&str, &str); 4] = [
    ("short time control", "8+0.08"),
    ("long time control", "40+0.4"),
    ("short tc", "8+0.08"),
    ("long tc", "40+0.4"),
];

/// Whether words are the name of a preset: "STC", "long time control".
pub fn is_preset(words: &[String]) -> bool {
    let is_it = |said: &str| words.iter().eq(said.split(' '));
    PRESETS.iter().chain(&SPOKEN_PRESETS).any(|(said, _)| is_it(said))
}

/// A limit as a flag of a command and its value: `8+0.08` is `tc`, `nodes=20000` is `nodes`.
pub fn flag(limit: &str) -> (&'static str, &str) {
    match limit.split_once('=') {
        Some(("nodes", value)) => ("nodes", value),
        Some(("depth", value)) => ("depth", value),
        Some(("movetime", value)) => ("movetime", value),
        Some((_, value)) => ("tc", value),
        None => ("tc", limit),
    }
}

/// A clock in the notation of the test bench.
fn clock(base: f64, increment: f64) -> String {
    if increment == 0.0 { short(base) } else { format!("{}+{}", short(base), short(increment)) }
}

/// The limit that begins with a word of a sentence.
pub fn at(words: &[String], start: usize) -> Option<SpokenLimit> {
    written_at(words, start).or_else(|| named_at(words, start)).or_else(|| spoken_at(words, start))
}

/// A limit in one word: `8+0.08`, `nodes=20000`, `40/60`, `500ms`, `1s`.
fn written_at(words: &[String], start: usize) -> Option<SpokenLimit> {
    let word = words.get(start)?.as_str();
    let said = |meant| Some(SpokenLimit { meant, words: 1 });
    if let Some((name, value)) = word.split_once('=') {
        let known = matches!(name, "movetime" | "depth");
        return match name {
            "tc" | "limit" => said(Meant::Written(value.to_owned())),
            "nodes" => said(Meant::Nodes(numbers::at(&[value.to_owned()], 0)?.value)),
            // Of fastchess and cutechess-cli, in seconds.
            "st" => said(Meant::MoveSeconds(value.trim_end_matches('s').parse().ok()?)),
            _ if known => said(Meant::Written(word.to_owned())),
            _ => None,
        };
    }
    if let Some((_, limit)) = PRESETS.iter().find(|(name, _)| *name == word) {
        return said(Meant::Written((*limit).to_owned()));
    }
    // "d10": no square has this rank.
    let plies = word.strip_prefix('d').and_then(|plies| plies.parse::<u8>().ok());
    if let Some(plies) = plies.filter(|plies| (9..=60).contains(plies)) {
        return said(Meant::Depth(f64::from(plies)));
    }
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if words::is_moves_in_time(word) {
        return said(Meant::Written(word.to_owned()));
    }
    if let Some((base, increment)) = word.split_once('+') {
        let seconds = |text: &str| text.trim_end_matches(|c: char| "sec".contains(c)).parse();
        let minutes = |text: &str| text.trim_end_matches(|c: char| "min".contains(c)).parse();
        return match (seconds(base), minutes(base), seconds(increment)) {
            (Ok(base), Ok(_), Ok(increment)) => said(Meant::Clock { base, increment }),
            (Ok(base), _, Ok(increment)) => said(Meant::GameSeconds { base, increment }),
            (_, Ok(base), Ok(increment)) => said(Meant::Minutes { base, increment }),
            _ => said(Meant::Written(word.to_owned())),
        };
    }
    // `0.5s/move`
    let each = ["/move", "/mv", "/position", "/pos"];
    let timed = each.iter().find_map(|each| word.strip_suffix(each));
    let word = timed.unwrap_or(word);
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let value: f64 = word[..word.len() - unit.len()].parse().ok()?;
    let meant = match unit {
        "ms" => Meant::Seconds(value / 1000.0),
        "s" | "sec" | "secs" => Meant::Seconds(value),
        "min" | "mins" => Meant::Minutes { base: value, increment: 0.0 },
        _ => return None,
    };
    let meant = match (timed, meant) {
        (Some(_), Meant::Seconds(seconds)) => Meant::MoveSeconds(seconds),
        (_, meant) => meant,
    };
    said(meant)
}

/// A name before its number: `depth 12`, `nodes 20000`, `movetime 100`.
fn named_at(words: &[String], start: usize) -> Option<SpokenLimit> {
    let name = words.get(start)?.as_str();
    let is_said = |said: &str| {
        let words = words.get(start..start + said.split(' ').count());
        words.is_some_and(|words| words.iter().eq(said.split(' ')))
    };
    if let Some((said, limit)) = SPOKEN_PRESETS.iter().find(|(said, _)| is_said(said)) {
        let words = said.split(' ').count();
        return Some(SpokenLimit { meant: Meant::Written((*limit).to_owned()), words });
    }
    if name == "st" {
        let number = numbers::at(words, start + 1)?;
        return Some(SpokenLimit {
            meant: Meant::MoveSeconds(number.value),
            words: 1 + number.words,
        });
    }
    if !matches!(name, "depth" | "nodes" | "movetime") {
        return None;
    }
    let of = usize::from(words.get(start + 1).is_some_and(|word| word == "of"));
    let value = start + 1 + of;
    // "Movetime 100ms", "movetime 50 ms".
    let with_unit = (name == "movetime")
        .then(|| written_at(words, value).or_else(|| spoken_at(words, value)))
        .flatten();
    if let Some(SpokenLimit { meant: Meant::Seconds(seconds), words }) = with_unit {
        return Some(SpokenLimit { meant: Meant::MoveSeconds(seconds), words: 1 + of + words });
    }
    let number = numbers::at(words, value)?;
    let meant = match name {
        "depth" => Meant::Depth(number.value),
        "nodes" => Meant::Nodes(number.value),
        _ => Meant::Seconds(number.value / 1000.0),
    };
    Some(SpokenLimit { meant, words: 1 + of + number.words })
}

/// Numbers with units: `three plus two`, `five minutes`, `20k nodes`, `half a second`.
fn spoken_at(words: &[String], start: usize) -> Option<SpokenLimit> {
    let word = |at: usize| words.get(at).map(String::as_str);
    if let Some(found) = moves_in_time_at(words, start) {
        return Some(found);
    }
    let first = match (word(start), word(start + 1).and_then(unit)) {
        // `a second a move`, but not the second game.
        (Some("a"), Some(Unit::Seconds)) if word(start + 1) != Some("seconds") => {
            Number { value: 1.0, words: 1 }
        }
        (Some("a"), Some(Unit::Minutes)) => Number { value: 1.0, words: 1 },
        _ => numbers::amount_at(words, start)?,
    };
    let mut first = first;
    let mut at = start + first.words;
    let first_unit = word(at).and_then(unit);
    at += usize::from(first_unit.is_some());
    // `a second and a half`.
    if first_unit.is_some()
        && [word(at), word(at + 1), word(at + 2)] == [Some("and"), Some("a"), Some("half")]
        && word(at + 3).and_then(unit).is_none()
    {
        first.value += 0.5;
        at += 3;
    }
    // "Five minutes each plus three seconds".
    let each = match [word(at), word(at + 1)] {
        [Some("each" | "apiece"), _] => 1,
        [Some("per"), Some("side" | "player")] | [Some("a"), Some("side")] => 2,
        [Some("for"), Some("each" | "everyone" | "everybody" | "both")] => 2,
        _ => 0,
    };
    let has_increment = increment_at(words, at + each, first_unit.is_some()).is_some();
    at += if has_increment { each } else { 0 };
    if let Some((increment, used)) = increment_at(words, at, first_unit.is_some()) {
        let base = first.value;
        let meant = match first_unit {
            Some(Unit::Minutes) => Meant::Minutes { base, increment },
            Some(Unit::Hours) => Meant::Minutes { base: base * 60.0, increment },
            None => Meant::Clock { base, increment },
            Some(Unit::Seconds) => Meant::GameSeconds { base, increment },
            Some(_) => return None,
        };
        return Some(SpokenLimit { meant, words: at + used - start });
    }
    let meant = match first_unit? {
        Unit::Milliseconds => Meant::Seconds(first.value / 1000.0),
        Unit::Seconds => Meant::Seconds(first.value),
        Unit::Minutes => Meant::Minutes { base: first.value, increment: 0.0 },
        Unit::Hours => Meant::Minutes { base: first.value * 60.0, increment: 0.0 },
        Unit::Nodes => Meant::Nodes(first.value),
        Unit::Kilonodes => Meant::Nodes(first.value * 1e3),
        Unit::Meganodes => Meant::Nodes(first.value * 1e6),
        Unit::Plies => Meant::Depth(first.value),
    };
    Some(SpokenLimit { meant, words: at - start })
}

/// `40 moves in 5 minutes`.
fn moves_in_time_at(words: &[String], start: usize) -> Option<SpokenLimit> {
    let moves = numbers::at(words, start)?;
    let mut at = start + moves.words;
    let word = |at: usize| words.get(at).map(String::as_str);
    if (word(at), word(at + 1)) != (Some("moves"), Some("in")) {
        return None;
    }
    let time = numbers::amount_at(words, at + 2)?;
    at += 2 + time.words;
    let seconds = match word(at).and_then(unit)? {
        Unit::Seconds => time.value,
        Unit::Minutes => time.value * 60.0,
        _ => return None,
    };
    let meant = Meant::Written(format!("{}/{}", moves.count()?, short(seconds)));
    Some(SpokenLimit { meant, words: at + 1 - start })
}

/// Seconds that are added after each move, and the words that say so: `plus a tenth`, `and 3 seconds`,
/// `and 0.6 increment`, `with an increment of half a second`.
fn increment_at(words: &[String], start: usize, after_unit: bool) -> Option<(f64, usize)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let named = |at: usize| matches!(word(at), Some("increment" | "inc" | "extra" | "bonus"));
    let is_plus = word(start) == Some("plus");
    let joined = is_plus || (after_unit && matches!(word(start), Some("and" | "with")));
    // `5 min 3 sec`.
    let follows = after_unit && numbers::at(words, start).is_some();
    if !joined && !follows {
        return None;
    }
    let mut at = start + usize::from(joined);
    let article = usize::from(matches!(word(at), Some("a" | "an")));
    let before = named(at + article);
    if before {
        at += article + 1;
        at += usize::from(word(at) == Some("of"));
    }
    // "With a ten second increment".
    let counted = numbers::at(words, at + 1).filter(|_| article > 0 && !before);
    let is_counted = counted
        .is_some_and(|number| word(at + 1 + number.words).and_then(unit) == Some(Unit::Seconds));
    at += usize::from(is_counted);
    let number = match (word(at), word(at + 1)) {
        (Some("a"), Some("second")) => Number { value: 1.0, words: 1 },
        _ => numbers::amount_at(words, at)?,
    };
    at += number.words;
    let value = match word(at).and_then(unit) {
        Some(Unit::Seconds) => Some(number.value),
        Some(Unit::Milliseconds) => Some(number.value / 1000.0),
        Some(_) => return None,
        None => None,
    };
    at += usize::from(value.is_some());
    at += usize::from(matches!((word(at), word(at + 1)), (Some("of"), Some("increment"))));
    at += usize::from(value.is_some() && word(at) == Some("more"));
    let behind = named(at);
    at += usize::from(behind);
    let is_move =
        matches!((word(at), word(at + 1)), (Some("per" | "a" | "each" | "every"), Some("move")));
    at += if is_move && after_unit { 2 } else { 0 };
    // Of `5 seconds and 3` the unit of the three is unknown.
    // "With half the hash" adds nothing.
    let is_part = number.value < 1.0 && word(at) != Some("the");
    (value.is_some() || is_plus || before || behind || is_part)
        .then_some((value.unwrap_or(number.value), at - start))
}

/// Unit of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Nodes,
    Kilonodes,
    Meganodes,
    Plies,
}

fn unit(word: &str) -> Option<Unit> {
    match word {
        "ms" | "millisecond" | "milliseconds" | "millis" => Some(Unit::Milliseconds),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(Unit::Seconds),
        "min" | "mins" | "minute" | "minutes" => Some(Unit::Minutes),
        "hour" | "hours" => Some(Unit::Hours),
        "node" | "nodes" => Some(Unit::Nodes),
        "knodes" | "knode" | "kilonodes" | "kilonode" => Some(Unit::Kilonodes),
        "mnodes" | "meganodes" | "meganode" => Some(Unit::Meganodes),
        "ply" | "plies" => Some(Unit::Plies),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Option<(String, usize)> {
        at(&words::texts(text), 0).map(|said| (said.meant.limit(), said.words))
    }

    #[test]
    fn limits_are_read_in_figures_and_words() {
        for (text, expected, words) in [
            ("8+0.08", "8+0.08", 1),
            ("8 + 0.08", "8+0.08", 3),
            ("eight plus zero point zero eight", "8+0.08", 6),
            ("10 seconds plus 0.1", "10+0.1", 4),
            ("10 seconds plus a tenth", "10+0.1", 5),
            ("ten seconds and a tenth of a second", "10+0.1", 8),
            ("60 seconds and 0.6 increment", "60+0.6", 5),
            ("60 seconds with an increment of 0.6", "60+0.6", 7),
            ("8 seconds plus eight hundredths", "8+0.08", 5),
            ("3 seconds plus 30 ms", "3+0.03", 5),
            ("60s+0.6s", "60+0.6", 1),
            ("5min+3s", "300+3", 1),
            ("5 minutes plus 3 seconds", "300+3", 5),
            ("40 moves in 5 minutes", "40/300", 5),
            ("half a second", "movetime=500ms", 3),
            ("a quarter of a second", "movetime=250ms", 5),
            ("a tenth of a second", "movetime=100ms", 5),
            ("one and a half seconds", "movetime=1.5s", 5),
            ("a second and a half", "movetime=1.5s", 5),
            ("nodes=20000", "nodes=20000", 1),
            ("20k nodes", "nodes=20000", 2),
            ("200 k nodes", "nodes=200000", 3),
            ("50 knodes", "nodes=50000", 2),
            ("two meganodes", "nodes=2000000", 2),
            ("20,000 nodes a move", "nodes=20000", 2),
            ("depth 12", "depth=12", 2),
            ("movetime 100ms", "movetime=100ms", 2),
            ("movetime 50 ms", "movetime=50ms", 3),
            ("movetime 200", "movetime=200ms", 2),
            ("five plus point oh five seconds", "5+0.05", 6),
            ("tc=8+0.08", "8+0.08", 1),
            ("one second", "movetime=1s", 2),
            ("a second each", "movetime=1s", 2),
            ("500 ms", "movetime=500ms", 2),
            ("40/60+0.6", "40/60+0.6", 1),
            ("STC", "8+0.08", 1),
            ("ltc", "40+0.4", 1),
            ("long tc", "40+0.4", 2),
            ("short time control", "8+0.08", 3),
            ("ten plus zero point one two thousand games", "10+0.1", 5),
            ("ten plus zero point one two threads", "10+0.1", 5),
        ] {
            assert_eq!(limit(text), Some((expected.to_owned(), words)), "{text}");
        }
        for text in ["200 games", "a game", "second game", "e4", "tune.yaml", "a=b", "half moves"] {
            assert_eq!(limit(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_of_players_are_minutes_and_seconds() {
        for (text, expected) in [
            ("5+3", "5+3"),
            ("three plus two", "3+2"),
            ("five minutes", "5+0"),
            ("10 min", "10+0"),
            ("5 minutes and 3 seconds", "5+3"),
            ("3 minutes plus 2 seconds increment", "3+2"),
            ("15 minutes with 10 seconds increment", "15+10"),
            ("a minute", "1+0"),
            ("90 seconds plus one", "1.5+1"),
            ("half a minute", "0.5+0"),
        ] {
            let said = at(&words::texts(text), 0).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(said.meant.clock().as_deref(), Some(expected), "{text}");
        }
    }
}
