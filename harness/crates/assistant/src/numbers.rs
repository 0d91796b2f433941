//! Numbers, in digits and in words.

/// A number at some place of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its value.
    pub value: f64,
    /// How many words it takes.
    pub words: usize,
}

impl Number {
    /// The value as a count; `None` when it is no whole number below four billion.
    pub fn count(self) -> Option<u32> {
        let possible =
            self.value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&self.value);
        possible.then_some(self.value as u32)
    }
}

/// The number that begins with a word of a sentence, the longest there is.
pub fn at(words: &[String], start: usize) -> Option<Number> {
    scaled_at(words, start).or_else(|| whole_at(words, start))
}

/// A number without parts of thousands.
fn whole_at(words: &[String], start: usize) -> Option<Number> {
    digits_at(words, start).or_else(|| spoken_at(words, start))
}

/// "Seven and a half thousand", "half a million", "three quarters of a million", "one point five million".
fn scaled_at(words: &[String], start: usize) -> Option<Number> {
    let amount = part_at(words, start, whole_at)?;
    let end = start + amount.words;
    let factor = scale(words.get(end)?)?;
    // "Zero point one thousand games": the thousand is of the games.
    let is_spoken_part = amount.value < 1.0 && words[start..end].iter().any(|word| word == "point");
    (amount.value.fract() != 0.0 && !is_spoken_part)
        .then(|| Number { value: amount.value * factor, words: amount.words + 1 })
}

/// An amount of something that can be divided: a number, or `half a`, `a tenth of a`, `two hundredths`,
/// `one and a half`.
pub fn amount_at(words: &[String], start: usize) -> Option<Number> {
    scaled_at(words, start).or_else(|| part_at(words, start, at))
}

/// The same of a number that is read by `number`.
fn part_at(
    words: &[String],
    start: usize,
    number: impl Fn(&[String], usize) -> Option<Number>,
) -> Option<Number> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let part = |at: usize| match word(at)? {
        "half" | "halves" => Some(0.5),
        "quarter" | "quarters" => Some(0.25),
        "fifth" | "fifths" => Some(0.2),
        "tenth" | "tenths" => Some(0.1),
        "twentieth" | "twentieths" => Some(0.05),
        "hundredth" | "hundredths" => Some(0.01),
        "thousandth" | "thousandths" => Some(0.001),
        _ => None,
    };
    let before = match word(start)? {
        "half" => Number { value: 1.0, words: 0 },
        // "Quarter of a second".
        "quarter" | "tenth" | "hundredth" if word(start + 1) == Some("of") => {
            Number { value: 1.0, words: 0 }
        }
        "a" | "an" if part(start + 1).is_some() => Number { value: 1.0, words: 1 },
        _ => number(words, start)?,
    };
    let next = start + before.words;
    if let Some(part) = part(next) {
        // `of a second`, `a second`.
        let of = usize::from(word(next + 1) == Some("of"));
        let article = usize::from(matches!(word(next + 1 + of), Some("a" | "an")));
        let value = (before.value * part * 1e6).round() / 1e6;
        return Some(Number { value, words: before.words + 1 + of + article });
    }
    if [word(next), word(next + 1), word(next + 2)] == [Some("and"), Some("a"), Some("half")] {
        return Some(Number { value: before.value + 0.5, words: before.words + 3 });
    }
    Some(before)
}

/// A number in digits: `12`, `0.08`, `20k`, `14th`.
fn digits_at(words: &[String], start: usize) -> Option<Number> {
    let word = words.get(start)?;
    if !word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let (digits, factor) = if let Some(digits) = word.strip_suffix('k') {
        (digits, 1e3)
    } else if let Some(digits) = word.strip_suffix('m') {
        (digits, 1e6)
    } else {
        let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
        (ordinal.unwrap_or(word), 1.0)
    };
    // `1.e4` is a move.
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    let mut number = Number { value: value * factor, words: 1 };
    if let Some(grouped) = grouped_at(words, start) {
        return Some(grouped);
    }
    // `200 k nodes`.
    if [1, 2].map(|by| words.get(start + by).map(String::as_str)) == [Some("k"), Some("nodes")] {
        return Some(Number { value: value * 1e3, words: 2 });
    }
    // `20 thousand`.
    if let Some(factor) = words.get(start + 1).and_then(|word| scale(word)) {
        number = Number { value: value * factor, words: 2 };
    }
    Some(number)
}

/// `30 000` and `7 500 nodes`, as some languages write them: groups of three digits.
fn grouped_at(words: &[String], start: usize) -> Option<Number> {
    let is_digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let first = words[start].as_str();
    if first.len() > 3 || first.starts_with('0') || !is_digits(first) {
        return None;
    }
    let groups = words[start + 1..].iter().take_while(|word| word.len() == 3 && is_digits(word));
    let groups: Vec<&str> = groups.map(String::as_str).collect();
    // "100 960 games" are of Chess960.
    if groups.contains(&"960") {
        return None;
    }
    let end = start + 1 + groups.len();
    let before = start.checked_sub(1).map(|at| words[at].as_str());
    let behind = words.get(end).map(String::as_str);
    // No number of its own begins with a zero. "WAC 1 100 games", "stockfish 16 100 games" have two numbers.
    let is_one = groups.last()?.starts_with('0')
        || behind.is_some_and(|unit| IN_THOUSANDS.contains(&unit))
            && before.is_none_or(|word| {
                BEFORE_THOUSANDS.contains(&word) || IN_THOUSANDS.contains(&word)
            })
        || matches!(before, Some("game" | "position" | "number"))
            && behind.is_none_or(|word| {
                !IN_THOUSANDS.contains(&word) && !matches!(word, "games" | "ms")
            });
    let text = std::iter::once(first).chain(groups.iter().copied()).collect::<String>();
    is_one.then_some(Number { value: text.parse().ok()?, words: 1 + groups.len() })
}

/// Nouns that are counted in thousands.
const IN_THOUSANDS: [&str; 9] =
    ["nodes", "games", "positions", "iterations", "steps", "pairs", "evaluations", "knodes", "elo"];

/// Words before such a count: a number behind one of them belongs to nothing before it.
const BEFORE_THOUSANDS: [&str; 32] = [
    "with", "at", "of", "for", "to", "in", "on", "a", "about", "over", "every", "each", "play",
    "after", "most", "least", "than", "and", "or", "by", "make", "generate", "roughly", "around",
    "some", "max", "maximum", "first", "up", "only", "the", "per",
];

/// A number in words: `two hundred`, `zero point zero eight`, `a dozen`.
fn spoken_at(words: &[String], start: usize) -> Option<Number> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let mut at = start;
    let mut total = 0.0;
    let mut group = 0.0;
    let mut found = false;
    if let (Some("a" | "an"), Some("hundred" | "thousand" | "million" | "dozen")) =
        (word(at), word(at + 1))
    {
        group = 1.0;
        at += 1;
    }
    if let (Some("half"), Some("a"), Some(scaled)) = (word(at), word(at + 1), word(at + 2))
        && let Some(factor) = scale(scaled)
    {
        return Some(Number { value: factor / 2.0, words: 3 });
    }
    if let (Some("a"), Some("couple")) = (word(at), word(at + 1)) {
        return Some(Number { value: 2.0, words: 2 });
    }
    while let Some(text) = word(at) {
        if let Some(value) = small(text) {
            // Digits that are spoken one by one stay apart, but `twenty five` is one number.
            if found
                && !(group % 10.0 == 0.0 && group > 0.0 && value < 10.0 || group % 100.0 == 0.0)
            {
                break;
            }
            group += value;
        } else if let Some(factor) = scale(text) {
            if factor > 100.0 {
                total += group.max(1.0) * factor;
                group = 0.0;
            } else if found || group > 0.0 {
                group = group.max(1.0) * factor;
            } else {
                group = factor;
            }
        } else if text == "and"
            && found
            && word(at + 1).is_some_and(|next| small(next).is_some())
            && group >= 100.0
        {
            // `a hundred and twenty`.
        } else {
            break;
        }
        found = true;
        at += 1;
    }
    if found && group >= 20.0 && group % 10.0 == 0.0 && group < 100.0 {
        // "The twenty-first move"; "twenty seconds" are another number.
        let ordinal = match (word(at), word(at + 1)) {
            (Some("first"), _) => 1.0,
            (Some("second"), Some("move")) => 2.0,
            (Some("third"), _) => 3.0,
            _ => 0.0,
        };
        group += ordinal;
        at += usize::from(ordinal > 0.0);
    }
    let mut value = total + group;
    if let Some((fraction, used)) = fraction_at(words, at) {
        value += fraction;
        at += used;
        found = true;
    }
    found.then_some(Number { value, words: at - start })
}

/// Nouns that are counted in whole numbers: a digit before one of them is no digit of a fraction.
const COUNTED_BEHIND: [&str; 9] =
    ["games", "threads", "cores", "rounds", "pairs", "lines", "engines", "workers", "jobs"];

/// `point zero eight`.
fn fraction_at(words: &[String], start: usize) -> Option<(f64, usize)> {
    if !matches!(words.get(start).map(String::as_str), Some("point" | "dot")) {
        return None;
    }
    let mut digits = String::from("0.");
    let mut used = 0;
    for (index, word) in words[start + 1..].iter().enumerate() {
        let behind = words.get(start + 2 + index).map_or("", String::as_str);
        // "Point one two thousand games", "point one two threads": the two is another number.
        let is_of_next = scale(behind).is_some() || COUNTED_BEHIND.contains(&behind);
        if is_of_next && digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
            break;
        }
        match small(word) {
            Some(value) if value < 10.0 => digits.push_str(&value.to_string()),
            // "Point oh five".
            _ if matches!(word.as_str(), "oh" | "o") => digits.push('0'),
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => digits.push_str(word),
            _ => break,
        }
        used += 1;
        if digits.len() > 10 {
            break;
        }
    }
    let value = digits.parse().ok()?;
    (used > 0).then_some((value, used + 1))
}

/// The numbers below twenty, by value.
const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// The tens from twenty on.
const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Words that multiply what stands before them.
const SCALES: [(&str, f64); 6] = [
    ("dozen", 12.0),
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("mln", 1e6),
    ("mio", 1e6),
];

/// The words of numbers, without abbreviations.
pub fn words() -> impl Iterator<Item = &'static &'static str> {
    let scales = SCALES.iter().map(|(word, _)| word).filter(|word| word.len() > 3);
    UNITS.iter().chain(&TENS).chain(scales)
}

/// Numbers below a hundred that are one word.
fn small(word: &str) -> Option<f64> {
    const ORDINALS: [(&str, f64); 25] = [
        ("nought", 0.0),
        ("naught", 0.0),
        ("twice", 2.0),
        ("thrice", 3.0),
        // "Mate in twos".
        ("twos", 2.0),
        ("threes", 3.0),
        ("fours", 4.0),
        ("fives", 5.0),
        ("fourth", 4.0),
        ("fifth", 5.0),
        ("sixth", 6.0),
        ("seventh", 7.0),
        ("eighth", 8.0),
        ("ninth", 9.0),
        ("tenth", 10.0),
        ("eleventh", 11.0),
        ("twelfth", 12.0),
        ("thirteenth", 13.0),
        ("fourteenth", 14.0),
        ("fifteenth", 15.0),
        ("sixteenth", 16.0),
        ("seventeenth", 17.0),
        ("eighteenth", 18.0),
        ("nineteenth", 19.0),
        ("twentieth", 20.0),
    ];
    let unit = UNITS.iter().position(|unit| *unit == word).map(|at| at as f64);
    let ten = || TENS.iter().position(|ten| *ten == word).map(|at| (at as f64 + 2.0) * 10.0);
    let ordinal = || ORDINALS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    unit.or_else(ten).or_else(ordinal)
}

/// The number of an ordinal, up to the twentieth in words: `third`, `20th`.
pub fn ordinal(word: &str) -> Option<u32> {
    const FIRST: [&str; 3] = ["first", "second", "third"];
    if let Some(before) = FIRST.iter().position(|ordinal| *ordinal == word) {
        return Some(before as u32 + 1);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end))?;
    let digits = digits.parse().ok();
    digits.or_else(|| small(word).filter(|_| word.ends_with("th")).map(|number| number as u32))
}

/// The factor of a word that multiplies what stands before it.
fn scale(word: &str) -> Option<f64> {
    SCALES.iter().find(|(name, _)| *name == word).map(|(_, factor)| *factor)
}

/// A number as short as it can be written: `0.08`, `20000`.
pub fn short(value: f64) -> String {
    // Six digits after the point are more than any clock has.
    let rounded = (value * 1e6).round() / 1e6;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<(f64, usize)> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        at(&words, 0).map(|number| (number.value, number.words))
    }

    #[test]
    fn numbers_are_read_in_digits_and_words() {
        for (text, expected, words) in [
            ("12", 12.0, 1),
            ("20k nodes", 20_000.0, 1),
            ("20 thousand", 20_000.0, 2),
            ("14th", 14.0, 1),
            ("0.08", 0.08, 1),
            ("three", 3.0, 1),
            ("twenty five games", 25.0, 2),
            ("two hundred", 200.0, 2),
            ("a hundred and twenty", 120.0, 4),
            ("hundred", 100.0, 1),
            ("half a million nodes", 500_000.0, 3),
            ("seven and a half thousand", 7_500.0, 5),
            ("three quarters of a million", 750_000.0, 5),
            ("one point five million", 1_500_000.0, 4),
            ("nought", 0.0, 1),
            ("twenty thousand nodes", 20_000.0, 2),
            ("one thousand five hundred", 1500.0, 4),
            ("zero point zero eight", 0.08, 4),
            ("point one", 0.1, 2),
            ("a couple of", 2.0, 2),
            ("a dozen", 12.0, 2),
            ("five three", 5.0, 1),
            ("zero point one two thousand games", 0.1, 3),
            ("zero point zero eight seconds", 0.08, 4),
            ("twos", 2.0, 1),
            ("point oh five", 0.05, 3),
            ("eighteenth move", 18.0, 1),
            ("30 000", 30_000.0, 2),
            ("2 000 000 positions", 2e6, 3),
            ("12 050 games", 12_050.0, 2),
            ("7 500 nodes", 7_500.0, 2),
            ("7 500", 7.0, 1),
            ("100 960 games", 100.0, 1),
            ("5 200 000", 5_200_000.0, 3),
            ("twenty first move", 21.0, 2),
            ("twenty second move", 22.0, 2),
            ("thirty second games", 30.0, 1),
        ] {
            let (found, used) = value(text).unwrap_or_else(|| panic!("{text} is a number"));
            assert!((found - expected).abs() < 1e-9 && used == words, "{text}: {found} {used}");
        }
        for text in ["knight", "a game", "and", "point", "k"] {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(short(0.08), "0.08");
        assert_eq!(short(20_000.0), "20000");
    }
}
