//! Sentences as words: lower case, without accents and apostrophes, one spelling for British and
//! American English.

mod long_forms;

use std::ops::Range;

use self::long_forms::LONG_FORMS;

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as it is compared.
    pub text: String,
    /// Bytes of the sentence that the user wrote without a space in it: of `lmr-tweak`, both words
    /// have the whole.
    pub chunk: (usize, usize),
}

/// Short forms with a sign.
const SHORT_WITH: [(&str, &str); 2] = [("w/", "with"), ("w/o", "without")];

/// Words with a second spelling.
const SPELLINGS: &[(&str, &str)] = &[
    ("center", "centre"),
    ("centered", "centred"),
    ("color", "colour"),
    ("colors", "colours"),
    ("defense", "defence"),
    ("defenses", "defences"),
    ("endgames", "endings"),
    ("endgame", "ending"),
    ("favorite", "favourite"),
    ("practice", "practise"),
    ("practicing", "practising"),
    ("grey", "gray"),
    ("draught", "draft"),
];

/// The words of a sentence.
pub fn split(sentence: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in sentence.char_indices().chain([(sentence.len(), ' ')]) {
        if !character.is_whitespace() {
            start = start.or(Some(at));
        } else if let Some(from) = start.take() {
            for part in names_of(&sentence[from..at]) {
                push_chunk(&mut words, sentence, from + part.start, from + part.end);
            }
        }
    }
    words
}

/// The names that a chunk lists without spaces, "stockfish,ethereal,weiss", or all of it.
fn names_of(chunk: &str) -> impl Iterator<Item = Range<usize>> {
    let is_of_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '~' | '.');
    let listed = chunk.trim_end_matches(['.', '!', '?', ',', ';', ':']);
    let is_list = file_extension(listed).is_none()
        && listed
            .split(',')
            .all(|name| name.starts_with(char::is_alphabetic) && name.chars().all(is_of_name));
    let commas = listed.match_indices(',').filter(move |_| is_list).map(|(at, _)| at + 1);
    let mut start = 0;
    commas.chain([chunk.len()]).map(move |end| std::mem::replace(&mut start, end)..end)
}

/// The words of a sentence, as text only.
pub fn texts(sentence: &str) -> Vec<String> {
    split(sentence).into_iter().map(|word| word.text).collect()
}

/// A text without spaces and signs, as names are compared.
pub fn letters(text: &str) -> String {
    texts(text).concat().replace("defence", "defense")
}

/// The words of one chunk without spaces.
fn push_chunk(words: &mut Vec<Word>, sentence: &str, from: usize, to: usize) {
    let outside =
        |c: char| !(c.is_alphanumeric() || matches!(c, '+' | '/' | '{' | '}' | '^' | '~'));
    let whole = &sentence[from..to];
    if whole.starts_with('$') && sign(whole).is_some() {
        words.push(Word { text: SIGN.to_owned(), chunk: (from, to) });
        return;
    }
    if is_path(whole) {
        let path = whole.trim_end_matches([',', ';', '.', '!', '?', ')']);
        words.push(Word { text: fold(path), chunk: (from, from + path.len()) });
        return;
    }
    let chunk = whole.trim_matches(outside);
    // A half move such as `14...` keeps nothing of its dots; a check sign is no increment.
    let chunk = chunk.trim_end_matches(['+', '/']).trim_start_matches(['+', '/']);
    if let Some((_, long)) = SHORT_WITH.iter().find(|(short, _)| whole.eq_ignore_ascii_case(short))
    {
        words.push(Word { text: (*long).to_owned(), chunk: (from, to) });
        return;
    }
    if chunk.is_empty() {
        // `+` alone stands between numbers.
        if whole == "+" {
            words.push(Word { text: "plus".to_owned(), chunk: (from, to) });
        }
        if is_sign(words, whole, &sentence[to..]) {
            words.push(Word { text: SIGN.to_owned(), chunk: (from, to) });
        }
        if whole == "." && is_folder(words, &sentence[to..]) {
            words.push(Word { text: ".".to_owned(), chunk: (from, to) });
        }
        return;
    }
    // "3 min +2".
    let is_added = whole.starts_with('+') && chunk.starts_with(|c: char| c.is_ascii_digit());
    if is_added
        && words
            .last()
            .is_some_and(|word| matches!(&*word.text, "min" | "minutes" | "m" | "s" | "sec"))
    {
        words.push(Word { text: "plus".to_owned(), chunk: (from, to) });
    }
    // "Run 20's third defeat": no seconds.
    let owner = chunk.strip_suffix("'s").or_else(|| chunk.strip_suffix("\u{2019}s"));
    let is_number = |owner: &&str| owner.bytes().all(|byte| byte.is_ascii_digit());
    let is_owner = words.last().is_some_and(|word| matches!(&*word.text, "run" | "test" | "game"));
    let chunk = owner.filter(is_number).filter(|_| is_owner).unwrap_or(chunk);
    let start = from + whole.find(chunk).unwrap_or(0);
    let range = (start, start + chunk.len());
    let decimal = decimal(words.last(), &sentence[..start], chunk, &sentence[to..]);
    for part in decimal.map_or_else(|| parts(&fold(chunk)), |number| vec![number]) {
        for text in canonical(&part).split(' ') {
            words.push(Word { text: text.to_owned(), chunk: range });
        }
    }
}

/// A number that is written with a comma, "plus 0,4", "alpha 0,05", "0,5 s", or without a zero, `.05`, as others write it.
/// `0,4` elsewhere is two bounds.
fn decimal(last: Option<&Word>, before: &str, chunk: &str, behind: &str) -> Option<String> {
    const LEADING: [&str; 4] = ["plus", "alpha", "beta", "increment"];
    const UNITS: [&str; 8] = ["s", "sec", "secs", "second", "seconds", "ms", "min", "minutes"];
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(chunk) {
        let is_part = before.ends_with('.')
            && before[..before.len() - 1].chars().next_back().is_none_or(char::is_whitespace);
        return is_part.then(|| format!("0.{chunk}"));
    }
    let (base, clock) = chunk.rsplit_once('+').map_or(("", chunk), |(base, last)| (base, last));
    let (whole, part) =
        clock.split_once(',').filter(|(whole, part)| is_number(whole) && is_number(part))?;
    if !base.is_empty() {
        return Some(format!("{}+{whole}.{part}", fold(base).replace(',', ".")));
    }
    let next = fold(behind.split_ascii_whitespace().next().unwrap_or_default());
    let next = next.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    let is_led = last.is_some_and(|word| LEADING.contains(&word.text.as_str()));
    (is_led || UNITS.contains(&next)).then(|| format!("{whole}.{part}"))
}

/// Token of the sign of a move that stands alone: `!?`.
pub const SIGN: &str = "{sign}";

/// The sign of a move that a chunk is, if it is one.
pub fn sign(chunk: &str) -> Option<&str> {
    // Signs by their numbers in PGN.
    const NAGS: [(&str, &str); 6] =
        [("$1", "!"), ("$2", "?"), ("$3", "!!"), ("$4", "??"), ("$5", "!?"), ("$6", "?!")];
    let bare = chunk.trim_matches(['"', '(', ')', ',', '.', '\'', ':', ';']);
    if let Some((_, sign)) = NAGS.iter().find(|(nag, _)| *nag == bare) {
        return Some(sign);
    }
    matches!(bare, "!" | "?" | "!!" | "??" | "!?" | "?!").then_some(bare)
}

/// Whether a chunk is the sign of a move, and not the end of a sentence with a space before it.
fn is_sign(before: &[Word], chunk: &str, behind: &str) -> bool {
    const BEFORE: [&str; 9] = ["a", "an", "the", "with", "as", "by", "sign", "mark", "get"];
    let last = before.last().map_or("", |word| word.text.as_str());
    let is_end = behind.trim().is_empty();
    let is_mixed = |sign: &str| matches!(sign, "!?" | "?!");
    let first = before.first().map_or("", |word| word.text.as_str());
    let gives = matches!(
        first,
        "give"
            | "put"
            | "mark"
            | "add"
            | "set"
            | "attach"
            | "annotate"
            | "change"
            | "replace"
            | "correct"
    );
    sign(chunk).is_some_and(|sign| {
        !is_end || gives || BEFORE.contains(&last) || (is_mixed(sign) && !before.is_empty())
    })
}

/// Whether a dot that stands alone is the working tree and no end of a sentence: "sprt . v1.2", "wac with .".
fn is_folder(before: &[Word], behind: &str) -> bool {
    const BEFORE: [&str; 15] = [
        "against", "with", "by", "of", "on", "for", "and", "than", "between", "sprt", "match",
        "test", "run", "suite", "compare",
    ];
    const BEHIND: [&str; 9] =
        ["against", "vs", "vs.", "versus", "and", "with", "main", "master", "dev"];
    let last = before.last().map_or("", |word| word.text.as_str());
    let next = fold(behind.split_ascii_whitespace().next().unwrap_or_default());
    BEFORE.contains(&last)
        || BEHIND.contains(&next.as_str())
        || next.starts_with("head")
        || is_version(&next)
}

/// Parts of a chunk at hyphens and other signs, unless they belong to a number, a limit, a file or
/// castling.
fn parts(chunk: &str) -> Vec<String> {
    if matches!(chunk, "o-o" | "0-0") {
        return vec!["o-o".to_owned()];
    }
    if matches!(chunk, "o-o-o" | "0-0-0") {
        return vec!["o-o-o".to_owned()];
    }
    let chunk = &grouped_digits(chunk);
    if let Some((number, unit)) = number_and_unit(chunk) {
        let unit = if unit == "g" { "games" } else { unit };
        return vec![number.to_owned(), unit.to_owned()];
    }
    // Bounds: `0,2.5`.
    if let Some((low, high)) = chunk.split_once(',')
        && [low, high].iter().all(|number| number.trim_start_matches('-').parse::<f64>().is_ok())
    {
        let unsigned = [low, high].map(|number| number.trim_start_matches('-').to_owned());
        return unsigned.to_vec();
    }
    let is_code = chunk.contains(['=', '~', '_', '{', '^'])
        || is_moves_in_time(chunk)
        || is_version(chunk)
        || (chunk.starts_with(|c: char| c.is_ascii_digit()) && chunk.contains(['+', '.', ':']))
        || file_extension(chunk).is_some();
    if is_code {
        return vec![chunk.to_owned()];
    }
    chunk
        .split(|c: char| !(c.is_alphanumeric()))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Units that people write behind a number without a space.
const JOINED_UNITS: [&str; 15] = [
    "mb", "mib", "gb", "gib", "threads", "thread", "thr", "cores", "games", "gms", "lines",
    "nodes", "plies", "rounds", "g",
];

/// The number and the unit of `16mb` and `20knodes`.
fn number_and_unit(chunk: &str) -> Option<(&str, &str)> {
    let unit = JOINED_UNITS.iter().find(|unit| chunk.ends_with(**unit))?;
    let number = &chunk[..chunk.len() - unit.len()];
    let digits = number.strip_suffix(['k', 'm']).unwrap_or(number);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((number, *unit))
}

/// `40/60`, moves and seconds.
pub fn is_moves_in_time(chunk: &str) -> bool {
    let digits = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    chunk.split_once('/').is_some_and(|(moves, time)| digits(moves) && digits(time))
}

/// Whether a chunk is the path of a file: `./engine`, `/usr/games/stockfish`.
pub fn is_path(chunk: &str) -> bool {
    let begins = ["./", "../", "~/", "/"].iter().any(|begin| chunk.starts_with(begin));
    begins && chunk.contains(char::is_alphanumeric)
}

/// Whether a folded chunk is a version: `v2`, `v1.2`, `v1.2.0-rc1`.
pub fn is_version(chunk: &str) -> bool {
    let Some(numbers) = chunk.strip_prefix('v') else { return false };
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    numbers.starts_with(|c: char| c.is_ascii_digit()) && numbers.chars().all(known)
}

/// `20,000` without its comma.
fn grouped_digits(chunk: &str) -> String {
    let groups: Vec<&str> = chunk.split(',').collect();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = groups.len() > 1
        && groups.iter().all(|group| digits(group))
        && groups[1..].iter().all(|group| group.len() == 3)
        && (1..=3).contains(&groups[0].len());
    if is_grouped { groups.concat() } else { chunk.to_owned() }
}

/// Extensions of the files that the test bench reads or writes.
const EXTENSIONS: [&str; 26] = [
    "png", "data", "dat", "params", "conf", "cfg", "ini", "txt", "yaml", "yml", "epd", "pgn",
    "json", "toml", "csv", "fen", "bin", "binpack", "games", "vf", "nnue", "zst", "gz", "plain",
    "log", "xml",
];

/// Extension of a file name that the test bench reads or writes.
pub fn file_extension(chunk: &str) -> Option<&str> {
    let (name, extension) = chunk.rsplit_once('.')?;
    (EXTENSIONS.contains(&extension) && !name.is_empty()).then_some(extension)
}

/// Lower case, without accents and apostrophes.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        match character {
            '\'' | '\u{2019}' | '\u{2018}' | '`' | '\u{b4}' => {}
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => folded.push('a'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'è' | 'é' | 'ê' | 'ë' => folded.push('e'),
            'ì' | 'í' | 'î' | 'ï' => folded.push('i'),
            'ñ' | 'ń' => folded.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => folded.push('o'),
            'š' | 'ś' => folded.push('s'),
            'ù' | 'ú' | 'û' | 'ü' | 'ű' => folded.push('u'),
            'ß' => folded.push_str("ss"),
            // "α = 0.05, β = 0.1".
            'α' => folded.push_str("alpha"),
            'β' => folded.push_str("beta"),
            'ž' | 'ź' | 'ż' => folded.push('z'),
            '\u{2013}' | '\u{2014}' | '\u{2212}' => folded.push('-'),
            // Combining accents.
            '\u{300}'..='\u{36f}' => {}
            other => folded.push(other),
        }
    }
    folded
}

/// The one spelling of a folded word; two words for a contraction.
pub fn canonical(word: &str) -> String {
    if let Some((_, long)) = LONG_FORMS.iter().find(|(short, _)| *short == word) {
        return (*long).to_owned();
    }
    if let Some((_, british)) = SPELLINGS.iter().find(|(american, _)| *american == word) {
        return (*british).to_owned();
    }
    for (american, british) in [
        ("ize", "ise"),
        ("izes", "ises"),
        ("ized", "ised"),
        ("izing", "ising"),
        ("ization", "isation"),
        ("yze", "yse"),
        ("yzes", "yses"),
        ("yzed", "ysed"),
        ("yzing", "ysing"),
    ] {
        if let Some(stem) = word.strip_suffix(american)
            && stem.len() >= 3
        {
            return format!("{stem}{british}");
        }
    }
    word.to_owned()
}

/// The text between a word and the one before it.
pub fn between<'a>(text: &'a str, split: &[Word], at: usize) -> &'a str {
    let before = at.checked_sub(1).and_then(|at| split.get(at));
    let range = before.zip(split.get(at)).map(|(before, word)| before.chunk.1..word.chunk.0);
    range.and_then(|range| text.get(range)).unwrap_or_default()
}

/// Whether a sign of a sentence stands before a word; a hyphen and a bracket are none.
pub fn has_sign(text: &str, split: &[Word], at: usize) -> bool {
    between(text, split, at).contains([',', ';', '.', '!', '?', ':', '\u{2013}', '\u{2014}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_spelling() {
        for (sentence, expected) in [
            ("What's the Grünfeld Defense?", "what is the grunfeld defence"),
            ("Analyze it, please!", "analyse it please"),
            ("don’t read them", "do not read them"),
            ("Caro-Kann vs. me", "caro kann against me"),
            ("sprt HEAD~1 main 8+0.08", "sprt head~1 main 8+0.08"),
            ("run tune.yaml with nodes=20,000", "run tune.yaml with nodes=20,000"),
            ("20,000 nodes", "20000 nodes"),
            ("3 + 2", "3 plus 2"),
            ("0-0-0!", "o-o-o"),
            ("Nf3+", "nf3"),
            ("game #14", "game 14"),
            ("is v1.2 better than v1.1?", "is v1.2 better than v1.1"),
            ("run ./new, please", "run ./new please"),
            ("  ", ""),
            ("?!", ""),
        ] {
            assert_eq!(texts(sentence).join(" "), expected, "{sentence}");
        }
    }

    #[test]
    fn a_word_knows_the_chunk_that_was_typed() {
        let sentence = "sprt LMR-tweak main";
        let words = split(sentence);
        assert_eq!(words.len(), 4);
        let (from, to) = words[1].chunk;
        assert_eq!((&sentence[from..to], words[1].chunk), ("LMR-tweak", words[2].chunk));
    }
}
