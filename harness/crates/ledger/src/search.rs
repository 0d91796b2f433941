//! The search of runs by words: in what people wrote of a run, and among the values of its plan.

/// Whether each of the words, in small letters, occurs in a text or among the values of the plan beside it.
pub(super) fn has_words(
    words: &[String],
    texts: impl FnOnce() -> rusqlite::Result<(String, String)>,
) -> rusqlite::Result<bool> {
    if words.is_empty() {
        return Ok(true);
    }
    let (text, plan) = texts()?;
    let searched = (text + " " + &values(&plan)).to_lowercase();
    Ok(words.iter().all(|word| searched.contains(word.as_str())))
}

/// The texts and numbers of a JSON object that may be cut off, with blanks between them. Keys are left out: every
/// plan has `games` and `limit`. So are hashes of files.
fn values(json: &str) -> String {
    let mut found = String::new();
    let mut rest = json;
    while let Some(start) = rest.find(|letter: char| letter == '"' || letter.is_ascii_digit()) {
        rest = &rest[start..];
        let is_text = rest.starts_with('"');
        let (value, after) = if is_text { text_of(&rest[1..]) } else { number_of(rest) };
        rest = after;
        let is_key = is_text && rest.trim_start().starts_with(':');
        let is_hash = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_key && !is_hash {
            found.push(' ');
            found.push_str(&value);
        }
    }
    found
}

/// The text behind a quotation mark, and what follows it.
fn text_of(json: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = json.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, &json[at + 1..]),
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\\' | '/'))) => text.push(escaped),
                // A control character.
                _ => text.push(' '),
            },
            _ => text.push(letter),
        }
    }
    (text, "")
}

/// The number at the beginning, and what follows it.
fn number_of(json: &str) -> (String, &str) {
    let is_over =
        |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '+' | '-');
    let (number, rest) = json.split_at(json.find(is_over).unwrap_or(json.len()));
    (number.to_owned(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_a_plan_are_searched_and_its_keys_are_not() {
        let hash = "0".repeat(64);
        for (json, text) in [
            ("{}", ""),
            (r#"{"sprt":null,"name":"a","nodes":200,"is":true}"#, " a 200"),
            (r#"{"line":["x \"q\" \\ y\nz"], "e": -1.5e3}"#, r#" x "q" \ y z 1.5e3"#),
            // Cut off.
            (r#"{"a":"begi"#, " begi"),
            (r#"{"a":"ä\"#, " ä "),
            (&format!(r#"{{"sha256":"{hash}","b":"c"}}"#), " c"),
        ] {
            assert_eq!(values(json), text, "{json}");
        }
    }
}
