//! The words of a text between its spaces, some of which are rewritten.

/// Signs at the end of a word that are no part of it.
const ENDS: [char; 6] = [',', ';', '.', '!', '?', ':'];

/// A word as it is typed or written, and without its signs in lower case.
#[derive(Clone, Debug)]
struct Token {
    typed: String,
    plain: String,
}

/// The words of a text up to the first quotation mark or colon, and the rest as it is.
#[derive(Debug)]
pub struct Tokens {
    words: Vec<Token>,
    rest: String,
    is_changed: bool,
}

impl Tokens {
    /// Splits a text at its spaces.
    pub fn read(text: &str) -> Tokens {
        let is_quote = |sign: char| matches!(sign, '"' | '\u{201c}' | '\u{ab}');
        let colon = text.find(": ").map(|at| at + 1);
        let end = text.find(is_quote).into_iter().chain(colon).min().unwrap_or(text.len());
        let words = text[..end].split_whitespace().map(Token::new).collect();
        Tokens { words, rest: text[end..].to_owned(), is_changed: false }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether nothing stands behind the words.
    pub fn is_whole(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// A word without its signs in lower case; empty where there is none.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |token| token.plain.as_str())
    }

    /// The word before a place.
    pub fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    /// All words without their signs, from one on.
    pub fn from(&self, at: usize) -> Vec<String> {
        self.words.iter().skip(at).map(|token| token.plain.clone()).collect()
    }

    /// Whether words follow each other from a place on, without signs between them.
    pub fn says(&self, at: usize, said: &[&str]) -> bool {
        let is_plain = |at: usize| self.words[at].typed.len() == self.words[at].plain.len();
        at + said.len() <= self.words.len()
            && said.iter().enumerate().all(|(by, word)| self.word(at + by) == *word)
            && (at..at + said.len() - 1).all(is_plain)
    }

    /// Whether a part of the sentence ends behind a word.
    pub fn ends(&self, at: usize) -> bool {
        at + 1 == self.words.len()
            || self.words.get(at).is_some_and(|token| token.typed.ends_with(ENDS))
    }

    /// Puts a text in the place of some words; signs behind the last of them stay.
    pub fn replace(&mut self, from: usize, to: usize, text: &str) {
        let signs: String = self.words[to - 1].signs().to_owned();
        let token = Token { typed: format!("{text}{signs}"), plain: text.to_lowercase() };
        self.words.splice(from..to, [token]);
        self.is_changed = true;
    }

    /// Puts a sign behind a word instead of the words that say it.
    pub fn attach(&mut self, at: usize, count: usize, sign: &str) {
        let before = &mut self.words[at - 1];
        before.typed = format!("{}{sign}", before.typed.trim_end_matches(ENDS));
        self.words.drain(at..at + count);
        self.is_changed = true;
    }

    /// Puts words between quotation marks instead of those that say so, and leaves what is between as it is.
    pub fn quote(&mut self, open: usize, opening: usize, close: usize, closing: usize) {
        let typed = |words: &[Token]| -> String {
            let words: Vec<&str> = words.iter().map(|token| token.typed.as_str()).collect();
            words.join(" ")
        };
        let quoted = typed(&self.words[open + opening..close]);
        let behind = typed(&self.words[close + closing..]);
        let space = if behind.is_empty() { "" } else { " " };
        let before = if open == 0 { "" } else { " " };
        self.rest = format!("{before}\"{quoted}\"{space}{behind}{}", self.rest);
        self.words.truncate(open);
        self.is_changed = true;
    }

    /// Leaves the words from a place on as they are.
    pub fn keep_from(&mut self, at: usize) {
        let typed: Vec<&str> = self.words[at..].iter().map(|token| token.typed.as_str()).collect();
        self.rest = format!(" {}{}", typed.join(" "), self.rest);
        self.words.truncate(at);
    }

    /// The text with what was rewritten in it.
    pub fn text(self, text: &str) -> String {
        if !self.is_changed {
            return text.to_owned();
        }
        let words: Vec<&str> = self.words.iter().map(|token| token.typed.as_str()).collect();
        format!("{}{}", words.join(" "), self.rest)
    }
}

impl Token {
    fn new(typed: &str) -> Token {
        let plain = typed.trim_end_matches(ENDS).to_lowercase();
        Token { typed: typed.to_owned(), plain }
    }

    fn signs(&self) -> &str {
        let plain = self.typed.trim_end_matches(ENDS).len();
        &self.typed[plain..]
    }
}
