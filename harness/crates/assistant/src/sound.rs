//! How words sound: codes of Double Metaphone (L. Philips, 2000), which are alike for words that an
//! English speaker pronounces alike.

use rphonetic::{DoubleMetaphone, Encoder};

/// Code of a folded word, without its vowels but the first: `caro` and `karo` have `KR`. Words with
/// signs other than letters have no code.
pub fn code(word: &str) -> Option<String> {
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let code = DoubleMetaphone::new(Some(8)).encode(word);
    (!code.is_empty()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_sound_alike_have_one_code() {
        for (one, other) in
            [("caro", "karo"), ("kann", "can"), ("sicilian", "sissilian"), ("knight", "night")]
        {
            assert_eq!(code(one), code(other), "{one} {other}");
        }
        assert_ne!(code("bishop"), code("rook"));
        assert_eq!(code("e4"), None);
        assert_eq!(code(""), None);
    }
}
