//! Letters of pieces in other languages than English.

/// A language, by its letters of king, queen, rook, bishop and knight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its name, with the others that have the same letters.
    pub name: &'static str,
    pieces: [&'static str; 5],
}

/// Languages by how often games are written in them.
pub const LANGUAGES: [Language; 12] = [
    Language { name: "German", pieces: ["K", "D", "T", "L", "S"] },
    Language { name: "Spanish or Italian", pieces: ["R", "D", "T", "A", "C"] },
    Language { name: "French", pieces: ["R", "D", "T", "F", "C"] },
    Language { name: "Russian", pieces: ["Кр", "Ф", "Л", "С", "К"] },
    Language { name: "Dutch", pieces: ["K", "D", "T", "L", "P"] },
    Language { name: "Polish", pieces: ["K", "H", "W", "G", "S"] },
    Language { name: "Portuguese", pieces: ["R", "D", "T", "B", "C"] },
    Language { name: "Czech", pieces: ["K", "D", "V", "S", "J"] },
    Language { name: "Hungarian", pieces: ["K", "V", "B", "F", "H"] },
    Language { name: "Romanian", pieces: ["R", "D", "T", "N", "C"] },
    Language { name: "Finnish", pieces: ["K", "D", "T", "L", "R"] },
    Language { name: "Turkish", pieces: ["Ş", "V", "K", "F", "A"] },
];

const ENGLISH: [char; 5] = ['K', 'Q', 'R', 'B', 'N'];

impl Language {
    /// The text with English letters in its moves; comments and tags stay.
    pub fn translate(self, text: &str) -> String {
        let mut translated = String::with_capacity(text.len());
        let (mut rest, mut begins_line) = (text, true);
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
                ';' => rest.find('\n').unwrap_or(rest.len()),
                '[' if begins_line => rest.find('\n').unwrap_or(rest.len()),
                _ if first.is_whitespace() || "()}".contains(first) => first.len_utf8(),
                _ => {
                    let end = |c: char| c.is_whitespace() || "(){};".contains(c);
                    let word = &rest[..rest.find(end).unwrap_or(rest.len())];
                    translated.push_str(&self.word(word));
                    rest = &rest[word.len()..];
                    begins_line = false;
                    continue;
                }
            };
            begins_line = first == '\n' || (begins_line && first.is_whitespace());
            translated.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        translated
    }

    /// A word, which may have a number before its move.
    fn word(self, word: &str) -> String {
        let begin = word.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '…');
        let (number, written) = word.split_at(begin.unwrap_or(word.len()));
        let piece = self.piece(written);
        let (letter, behind) = match piece {
            Some((letter, behind)) => (letter.to_string(), behind),
            None => (String::new(), written),
        };
        // The piece of a promotion stands behind a rank, or a sign.
        let place = behind.char_indices().find(|(at, _)| {
            let before = behind[..*at].chars().next_back();
            before.is_some_and(|c| matches!(c, '1' | '8' | '=' | '/'))
                && self.letter(&behind[*at..]).is_some()
        });
        match place.and_then(|(at, _)| Some((at, self.letter(&behind[at..])?))) {
            Some((at, (promoted, rest))) => {
                format!("{number}{letter}{}{promoted}{rest}", &behind[..at])
            }
            None => format!("{number}{letter}{behind}"),
        }
    }

    /// The English letter of the piece of a move, and what stands behind it.
    fn piece(self, written: &str) -> Option<(char, &str)> {
        let (letter, behind) = self.letter(written)?;
        let next = behind.chars().next()?;
        // `Schwarz` goes to no square.
        let has_rank = behind.contains(|c| matches!(c, '1'..='8'));
        (matches!(next, 'a'..='h' | '1'..='8' | 'x' | ':' | '×' | '-') && has_rank)
            .then_some((letter, behind))
    }

    fn letter(self, text: &str) -> Option<(char, &str)> {
        let named = ENGLISH.into_iter().zip(self.pieces);
        // The king of Russian begins as its knight does.
        named
            .filter_map(|(english, piece)| Some((english, text.strip_prefix(piece)?)))
            .min_by_key(|(_, rest)| rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_moves_are_translated_and_nothing_else() {
        let named = |name: &str| LANGUAGES.into_iter().find(|language| language.name == name);
        for (name, text, expected) in [
            (
                "German",
                "1. e4 Sf6 2.Lb5 {Dame Sf3} Dxd8+ 3. e8D",
                "1. e4 Nf6 2.Bb5 {Dame Sf3} Qxd8+ 3. e8Q",
            ),
            (
                "German",
                "[White \"Sf3\"]\n\n1. Sf3 ; Sf3\nTfe1",
                "[White \"Sf3\"]\n\n1. Nf3 ; Sf3\nRfe1",
            ),
            ("French", "1.Cf3 Rg8 (1... Fxg7) 2. h8=D", "1.Nf3 Kg8 (1... Bxg7) 2. h8=Q"),
            ("Russian", "1. Кf3 Крf8 2. Фd4", "1. Nf3 Kf8 2. Qd4"),
            ("German", "Sieg fuer Schwarz", "Sieg fuer Schwarz"),
            // A brace that closes nothing.
            ("German", "{{7*7}} Sf3 }", "{{7*7}} Nf3 }"),
        ] {
            let language = named(name).expect("a language");
            assert_eq!(language.translate(text), expected, "{name}");
        }
    }
}
