//! Signs that annotate moves, and their numbers (NAGs).

/// Signs, the longest of those that begin alike first, and their NAGs; 0 has none (check, mate, en
/// passant, punctuation).
const GLYPHS: [(&str, u8); 69] = [
    ("e.p.", 0),
    ("e.p", 0),
    ("ep.", 0),
    ("ep", 0),
    ("/ep", 0),
    ("mate", 0),
    ("mat", 0),
    ("dblch.", 0),
    ("dblch", 0),
    ("disch.", 0),
    ("disch", 0),
    ("dis.ch.", 0),
    ("dbl.ch.", 0),
    ("check", 0),
    ("ch.", 0),
    ("ch", 0),
    ("!!", 3),
    ("!?", 5),
    ("!", 1),
    ("??", 4),
    ("?!", 6),
    ("?", 2),
    ("+/-", 16),
    ("+/−", 16),
    ("-/+", 17),
    ("−/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("=/∞", 44),
    ("+=", 14),
    ("=+", 15),
    ("+-", 18),
    ("+−", 18),
    ("+–", 18),
    ("-+", 19),
    ("−+", 19),
    ("–+", 19),
    ("++", 0),
    ("+", 0),
    ("##", 0),
    ("#", 0),
    ("‡", 0),
    ("†", 0),
    ("≠", 0),
    ("==", 10),
    ("=", 10),
    ("∞", 13),
    ("⩲", 14),
    ("±", 16),
    ("⩱", 15),
    ("∓", 17),
    ("□", 7),
    ("⨀", 22),
    ("⊙", 22),
    ("○", 26),
    ("⟳", 32),
    ("↑", 36),
    ("→", 40),
    ("⇆", 132),
    ("⊕", 138),
    ("⨁", 138),
    ("∆", 140),
    ("⌓", 142),
    ("TN", 146),
    ("N", 146),
    ("D", 220),
    (",", 0),
    (".", 0),
    ("\u{fe0e}", 0),
];

/// NAGs of a move, at most eight, in the order of their signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Nags([u8; 8]);

impl Nags {
    /// Without those without a number.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().filter(|nag| *nag != 0)
    }

    /// With a sign before the others.
    fn behind(self, nag: u8) -> Nags {
        let [a, b, c, d, e, f, g, _] = self.0;
        if nag == 0 { self } else { Nags([nag, a, b, c, d, e, f, g]) }
    }
}

/// Most bytes of a text of signs.
const MAX_BYTES: usize = 32;

/// The NAGs of a text that consists of signs and nothing else; empty where it has no other sign
/// than those of check and mate.
///
/// Where signs begin alike the longest counts that leaves other signs: `++-` is a check and `+-`.
pub fn all(text: &str) -> Option<Nags> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut from = [None; MAX_BYTES + 1];
    from[text.len()] = Some(Nags::default());
    for begin in (0..text.len()).rev().filter(|&at| text.is_char_boundary(at)) {
        let read = |(sign, nag): &(&str, u8)| {
            let rest: Option<Nags> = *from.get(begin + sign.len())?;
            text[begin..].starts_with(sign).then_some(rest?.behind(*nag))
        };
        from[begin] = GLYPHS.iter().find_map(read);
    }
    from[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_have_their_numbers() {
        for (text, wanted) in [
            ("!", &[1][..]),
            ("?", &[2]),
            ("!!", &[3]),
            ("??", &[4]),
            ("!?", &[5]),
            ("?!", &[6]),
            ("=", &[10]),
            ("∞", &[13]),
            ("⩲", &[14]),
            ("+=", &[14]),
            ("⩱", &[15]),
            ("=+", &[15]),
            ("±", &[16]),
            ("+/-", &[16]),
            ("∓", &[17]),
            ("-/+", &[17]),
            ("+-", &[18]),
            ("-+", &[19]),
            ("N", &[146]),
            ("+", &[]),
            ("++", &[]),
            ("#", &[]),
            ("e.p.", &[]),
            ("e.p.+", &[]),
            ("mate", &[]),
            ("+!", &[1]),
            ("!+-", &[1, 18]),
            ("++-", &[18]),
            ("#!!", &[3]),
            ("!?±", &[5, 16]),
            ("=N", &[10, 146]),
            ("TN", &[146]),
            ("!?,", &[5]),
            (".", &[]),
        ] {
            let read: Vec<u8> = all(text).expect(text).iter().collect();
            assert_eq!(read, wanted, "{text}");
        }
        for text in ["x", "!x", "/", "mated", "-", "e"] {
            assert_eq!(all(text), None, "{text}");
        }
    }
}
