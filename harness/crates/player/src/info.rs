//! Reports of a search: the `info` lines.
//!
//! Engines differ in what they print. What is not as UCI has it is read as far as it makes sense, is
//! named in the result, and costs nothing else of its line.
//!
//! Source: Stefan Meyer-Kahlen, "Description of the universal chess interface", April 2006.

use std::ops::RangeInclusive;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::{Info, Score};

/// Fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoLine<'a> {
    /// Whether it is of the best line; `None` without a score: then nothing was taken of it.
    pub is_best: Option<bool>,
    /// The first part that is not as UCI has it: passed over, or a number that was rounded.
    pub odd: Option<&'a [u8]>,
}

/// Parses what follows `info`, if it has a score: of the best line into `best`, of another one
/// (`multipv 2`) into `further`.
///
/// Free text (`string`) has none; then both are unchanged. A bound (`lowerbound`, `upperbound`) of the best line is
/// taken where no exact score of it is known, and counts as no score here: who watches the search does not see it.
/// A score that cannot be read is left out, and the rest of its line is taken. The memory of the PVs
/// is reused.
pub fn read_info<'a>(text: &'a [u8], best: &mut Info, further: &mut Info) -> InfoLine<'a> {
    let mut reader = Reader { text, words: Words { rest: text }, odd: None };
    let read = reader.line();
    let odd = reader.odd;
    let Some((info, pv_words)) = read else { return InfoLine { is_best: None, odd } };
    let is_best = info.line == 1;
    let is_bound = info.is_bound;
    if is_bound && !(is_best && (best.line == 0 || best.is_bound)) {
        return InfoLine { is_best: None, odd };
    }
    let into = if is_best { best } else { further };
    let mut pv = std::mem::take(&mut into.pv);
    pv.clear();
    if let Some(words) = pv_words {
        pv.extend(words.map_while(|word| UciMove::from_ascii(word).ok()));
    }
    *into = Info { pv, ..info };
    InfoLine { is_best: (!is_bound).then_some(is_best), odd }
}

/// Parts of `info` lines that are not as UCI has it, of all searches of a process.
#[derive(Debug, Default)]
pub(super) struct OddInfos {
    /// Lines with such a part.
    lines: u64,
    /// The first such part.
    first: String,
    is_reported: bool,
}

impl OddInfos {
    /// Notes such a part of a line.
    pub(super) fn note(&mut self, odd: &[u8]) {
        if self.lines == 0 {
            self.first = odd[..odd.len().min(MAX_SHOWN)].escape_ascii().to_string();
        }
        self.lines += 1;
    }

    /// Tells of the first one, once.
    pub(super) fn tell(&mut self, player: &str) {
        if self.lines > 0 && !std::mem::replace(&mut self.is_reported, true) {
            tracing::debug!(
                "{player}: `{}` in an `info` line is not as UCI has it; the rest of the line is kept",
                self.first
            );
        }
    }
}

/// Bytes shown of what is not as UCI has it.
const MAX_SHOWN: usize = 160;

/// Words between white space.
#[derive(Clone)]
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// Ranges of numbers.
const COUNT: RangeInclusive<i128> = 0..=u64::MAX as i128;
const SMALL_COUNT: RangeInclusive<i128> = 0..=u32::MAX as i128;
/// `i32::MIN` has no negation, which a change of sides needs.
const SCORE: RangeInclusive<i128> = -(i32::MAX as i128)..=i32::MAX as i128;

struct Reader<'a> {
    text: &'a [u8],
    words: Words<'a>,
    odd: Option<&'a [u8]>,
}

impl<'a> Reader<'a> {
    /// The line without its PV, and the words from the PV on; `None` without a score.
    fn line(&mut self) -> Option<(Info, Option<Words<'a>>)> {
        let mut info = Info { line: 1, ..Info::default() };
        let mut pv_words = None;
        let mut has_score = false;
        while let Some(key) = self.words.next() {
            match key {
                b"depth" => self.depth(key, &mut info),
                b"seldepth" => info.seldepth = self.small(key),
                b"nodes" => info.nodes = self.count(key),
                b"nps" => info.nps = self.count(key),
                b"hashfull" => info.hashfull = self.small(key),
                b"tbhits" => info.tbhits = self.count(key),
                b"time" => info.time = self.count(key).map(Duration::from_millis),
                b"multipv" => info.line = self.place(key),
                b"score" => {
                    has_score = true;
                    info.score = self.score(key);
                }
                b"lowerbound" | b"upperbound" => info.is_bound = true,
                b"pv" => {
                    pv_words = Some(self.words.clone());
                    // The PV is the last thing in a line; a few engines put more behind it.
                    self.skip(|word| UciMove::from_ascii(word).is_ok());
                }
                b"string" => break,
                // Known, and of no use here.
                b"currmove" | b"currmovenumber" | b"cpuload" | b"sbhits" | b"movesleft" => {
                    self.words.next();
                }
                b"wdl" => info.wdl = self.wdl(),
                b"refutation" | b"currline" => {
                    self.skip(|word| digits(word).is_some() || UciMove::from_ascii(word).is_ok());
                }
                _ => {
                    self.note(key, key);
                    self.skip(|word| !is_key(word));
                }
            }
        }
        let has_more = info.depth.is_some() || info.nodes.is_some() || pv_words.is_some();
        let is_taken = info.score.is_some() || (has_score && has_more);
        is_taken.then_some((info, pv_words))
    }

    /// Three chances in thousandths; further numbers are passed over.
    fn wdl(&mut self) -> Option<[u16; 3]> {
        let mut ahead = self.words.clone();
        let mut chance = || digits(ahead.next()?)?.try_into().ok().filter(|&chance| chance <= 1000);
        let chances = (|| Some([chance()?, chance()?, chance()?]))();
        self.skip(|word| digits(word).is_some());
        chances
    }

    /// Passes over words.
    fn skip(&mut self, is_meant: impl Fn(&[u8]) -> bool) {
        let mut ahead = self.words.clone();
        while ahead.next().is_some_and(&is_meant) {
            self.words = ahead.clone();
        }
    }

    /// Notes what is odd, from one word to another one behind it.
    fn note(&mut self, first: &'a [u8], last: &'a [u8]) {
        if self.odd.is_none() {
            let place = |word: &[u8]| word.as_ptr() as usize - self.text.as_ptr() as usize;
            self.odd = self.text.get(place(first)..place(last) + last.len());
        }
    }

    /// The next word where it is nothing but digits and fits, as nearly always; else it is left.
    fn plain<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let mut ahead = self.words.clone();
        let number = T::try_from(ahead.next().and_then(digits)?).ok()?;
        self.words = ahead;
        Some(number)
    }

    fn count(&mut self, key: &'a [u8]) -> Option<u64> {
        self.plain()
            .or_else(|| self.number(key, key, COUNT).and_then(|number| u64::try_from(number).ok()))
    }

    fn small(&mut self, key: &'a [u8]) -> Option<u32> {
        self.plain().or_else(|| {
            self.number(key, key, SMALL_COUNT).and_then(|number| u32::try_from(number).ok())
        })
    }

    /// The number behind `key`, rounded and brought into the range where it is not; `named` begins
    /// what is odd where it is none. Another key is left where it is.
    fn number(
        &mut self,
        named: &'a [u8],
        key: &'a [u8],
        range: RangeInclusive<i128>,
    ) -> Option<i128> {
        let mut ahead = self.words.clone();
        let Some(word) = ahead.next().filter(|word| !is_key(word)) else {
            self.note(named, key);
            return None;
        };
        self.words = ahead;
        let exact = digits(word).map(i128::from).or_else(|| text(word)?.parse().ok());
        let Some(number) = exact.or_else(|| rounded(word)) else {
            self.note(named, word);
            return None;
        };
        let within = number.clamp(*range.start(), *range.end());
        if exact != Some(within) {
            self.note(named, word);
        }
        // A count below zero is no count.
        (number >= 0 || *range.start() < 0).then_some(within)
    }

    /// `12`, and `12/20` of engines that put both depths into one word.
    fn depth(&mut self, key: &'a [u8], info: &mut Info) {
        let word = self.words.clone().next().unwrap_or_default();
        let mut parts = word.splitn(2, |&byte| byte == b'/');
        let both = parts.next().and_then(digits).zip(parts.next().and_then(digits));
        match both {
            None => info.depth = self.small(key),
            Some((depth, deepest)) => {
                self.words.next();
                self.note(key, word);
                info.depth = u32::try_from(depth).ok();
                info.seldepth = info.seldepth.or(u32::try_from(deepest).ok());
            }
        }
    }

    /// The place among several lines; a few engines count from 0.
    fn place(&mut self, key: &'a [u8]) -> u32 {
        let word = self.words.clone().next().unwrap_or_default();
        match self.small(key) {
            Some(0) => {
                self.note(key, word);
                1
            }
            place => place.unwrap_or(1),
        }
    }

    /// A score; `None` for what is none.
    fn score(&mut self, key: &'a [u8]) -> Option<Score> {
        let mut ahead = self.words.clone();
        match ahead.next() {
            // The unit comes behind it in a few engines.
            Some(b"lowerbound" | b"upperbound") => {}
            Some(unit @ (b"cp" | b"mate")) => {
                self.words = ahead;
                let number = self.number(key, unit, SCORE);
                let number = number.and_then(|number| i32::try_from(number).ok());
                let wrap = if unit == b"cp" { Score::Centipawns } else { Score::Mate };
                return number.map(wrap);
            }
            Some(word) if !is_key(word) => {
                self.words = ahead;
                self.note(key, word);
            }
            _ => self.note(key, key),
        }
        None
    }
}

/// Whether a word begins another part of the line.
fn is_key(word: &[u8]) -> bool {
    matches!(
        word,
        b"depth"
            | b"seldepth"
            | b"nodes"
            | b"nps"
            | b"hashfull"
            | b"tbhits"
            | b"time"
            | b"multipv"
            | b"score"
            | b"lowerbound"
            | b"upperbound"
            | b"pv"
            | b"string"
            | b"currmove"
            | b"currmovenumber"
            | b"cpuload"
            | b"sbhits"
            | b"movesleft"
            | b"wdl"
            | b"refutation"
            | b"currline"
    )
}

/// A whole number without a sign.
fn digits(word: &[u8]) -> Option<u64> {
    // More digits may not fit.
    let is_number = (1..=19).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
    is_number.then(|| word.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// The whole number nearest to one in any notation.
fn rounded(word: &[u8]) -> Option<i128> {
    let number: f64 = text(word)?.parse().ok()?;
    // The conversion takes the nearest end where a number is beyond it.
    number.is_finite().then(|| number.round() as i128)
}

fn text(word: &[u8]) -> Option<&str> {
    std::str::from_utf8(word).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    fn read(line: &[u8], info: &mut Info) -> Option<bool> {
        read_info(line, info, &mut Info::default()).is_best
    }

    #[test]
    fn an_info_with_a_score_is_read_whole() {
        let mut info = Info::default();
        let line = b" depth 12 seldepth 18 multipv 1 score cp -31 wdl 1 2 3 nodes 51234 nps 99 \
            hashfull 7 tbhits 3 time 42 pv e2e4 e7e5 g1f3";
        let found = read_info(line, &mut info, &mut Info::default());
        assert_eq!(found, InfoLine { is_best: Some(true), odd: None });
        assert_eq!(info.depth, Some(12));
        assert_eq!(info.seldepth, Some(18));
        assert_eq!(info.score, Some(Score::Centipawns(-31)));
        assert_eq!(info.nodes, Some(51234));
        assert_eq!((info.nps, info.hashfull, info.tbhits), (Some(99), Some(7), Some(3)));
        assert_eq!(info.time, Some(Duration::from_millis(42)));
        assert_eq!(info.pv, moves("e2e4 e7e5 g1f3"));
    }

    #[test]
    fn what_stands_behind_the_pv_counts_too() {
        let mut info = Info::default();
        let line = b"depth 3 pv e2e4 e7e5 score mate -2 nodes 7";
        assert_eq!(read(line, &mut info), Some(true));
        assert_eq!((info.score, info.nodes), (Some(Score::Mate(-2)), Some(7)));
        assert_eq!(info.pv, moves("e2e4 e7e5"));
    }

    #[test]
    fn every_score_has_an_opposite() {
        for (line, score) in [
            (&b"depth 1 score cp -2147483648"[..], Score::Centipawns(-i32::MAX)),
            (b"depth 1 score mate -2147483648", Score::Mate(-i32::MAX)),
            (b"depth 1 score cp 99999999999999999999", Score::Centipawns(i32::MAX)),
        ] {
            let mut info = Info::default();
            assert_eq!(read(line, &mut info), Some(true));
            assert_eq!(info.score, Some(score));
        }
    }

    #[test]
    fn a_further_line_leaves_the_best_one_as_it_was() {
        let mut best = Info::default();
        let mut further = Info::default();
        read_info(b"depth 3 multipv 1 score cp 7 pv e2e4", &mut best, &mut further);
        let before = best.clone();
        let line = b"depth 3 multipv 2 score cp 1 pv d2d4";
        assert_eq!(read_info(line, &mut best, &mut further).is_best, Some(false));
        assert_eq!((&best, further.line, &further.pv), (&before, 2, &moves("d2d4")));
    }

    #[test]
    fn a_bound_is_taken_where_nothing_else_is_known() {
        let mut info = Info::default();
        let cp = |score| Some(Score::Centipawns(score));
        assert_eq!(read(b"depth 1 score cp -44 lowerbound nodes 20 pv a7a6", &mut info), None);
        assert_eq!((info.score, info.is_bound, info.exact_score()), (cp(-44), true, None));
        assert_eq!((info.depth, info.nodes, &info.pv), (Some(1), Some(20), &moves("a7a6")));
        assert_eq!(read(b"depth 1 score cp 9 upperbound", &mut info), None);
        assert_eq!((info.score, info.nodes), (cp(9), None));
        // Of another line it says nothing of the best one.
        assert_eq!(read(b"depth 1 multipv 2 score cp 1 upperbound", &mut info), None);
        assert_eq!(info.score, cp(9));
        assert_eq!(read(b"depth 1 score cp 7", &mut info), Some(true));
        assert_eq!((info.score, info.is_bound, info.exact_score()), (cp(7), false, cp(7)));
    }

    #[test]
    fn bounds_and_text_are_no_scores_where_one_is_known() {
        let mut info = Info::default();
        assert_eq!(read(b"depth 3 score cp 7 pv e2e4", &mut info), Some(true));
        let before = info.clone();
        for line in [
            &b"depth 4 score cp 99 lowerbound nodes 1 pv d2d4"[..],
            b"depth 4 score cp 99 upperbound",
            b"depth 4 score lowerbound cp 12 nodes 3",
            b"depth 4 score mate 3 lowerbound",
            b"string score cp 5",
            b"depth 4 string score cp 5",
            b"depth 4 currmove e2e4 currmovenumber 1",
            b"score",
            b"score cp",
            b"",
        ] {
            assert_eq!(read(line, &mut info), None, "{}", line.escape_ascii());
            assert_eq!(info, before, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn what_is_not_as_uci_has_it_is_named_and_the_rest_of_the_line_is_kept() {
        let cp = |value| Some(Score::Centipawns(value));
        let with = |score| Info { line: 1, score, nodes: Some(5), ..Info::default() };
        let plain = with(cp(3));
        for (line, odd, read) in [
            ("score cp -900.5 nodes 5", "score cp -900.5", with(cp(-901))),
            ("score cp +12 nodes 5", "", with(cp(12))),
            ("score mate +3 nodes 5", "", with(Some(Score::Mate(3)))),
            ("score mate -0 nodes 5", "", with(Some(Score::Mate(0)))),
            ("score cp 1e3 nodes 5", "score cp 1e3", with(cp(1000))),
            ("score cp 3 nodes 0.5e1", "nodes 0.5e1", plain.clone()),
            ("score cp abc nodes 5", "score cp abc", with(None)),
            ("score cp nan nodes 5", "score cp nan", with(None)),
            ("score cp \u{fffd} nodes 5", "score cp \u{fffd}", with(None)),
            ("score cp nodes 5", "score cp", with(None)),
            ("score nodes 5", "score", with(None)),
            ("score 35 nodes 5", "score 35", with(None)),
            (
                "score cp 3 nodes 5 nps 18446744073709551616",
                "nps 18446744073709551616",
                Info { nps: Some(u64::MAX), ..plain.clone() },
            ),
            (
                "score cp 3 nodes 5 nps 18446744073709551615",
                "",
                Info { nps: Some(u64::MAX), ..plain.clone() },
            ),
            ("score cp 3 nodes 5 nps -1", "nps -1", plain.clone()),
            ("score cp 3 nodes 5 nps inf", "nps inf", plain.clone()),
            ("score cp 3 nodes 5 nps", "nps", plain.clone()),
            (
                "depth 12/20 score cp 3 nodes 5",
                "depth 12/20",
                Info { depth: Some(12), seldepth: Some(20), ..plain.clone() },
            ),
            ("depth 12/x score cp 3 nodes 5", "depth 12/x", plain.clone()),
            (
                "score cp 3 nodes 5 time 12.5",
                "time 12.5",
                Info { time: Some(Duration::from_millis(13)), ..plain.clone() },
            ),
            (
                "score cp 3 hashfull 1e99 nodes 5",
                "hashfull 1e99",
                Info { hashfull: Some(u32::MAX), ..plain.clone() },
            ),
            ("multipv 0 score cp 3 nodes 5", "multipv 0", plain.clone()),
            ("multipv x score cp 3 nodes 5", "multipv x", plain.clone()),
            ("score cp 3 ebf 1.8 foo depths nodes 5", "ebf", plain.clone()),
            ("score cp 3 nodes 5 pv e2e4 Nf3", "Nf3", Info { pv: moves("e2e4"), ..plain.clone() }),
            ("score cp 3 nodes 5 pv (none)", "(none)", plain.clone()),
            ("score cp 3 nodes 5 currline 1 e2e4 e7e5 cpuload 12 sbhits 0", "", plain.clone()),
            ("score cp 3 refutation d1h5 g6h5 nodes 5", "", plain.clone()),
            ("score cp 3 currmove depth nodes 5", "", plain.clone()),
            ("score cp 3 nodes 5 string depth nps x", "", plain.clone()),
        ] {
            let mut best = Info::default();
            let found = read_info(line.as_bytes(), &mut best, &mut Info::default());
            assert_eq!(
                found.odd.unwrap_or_default().escape_ascii().to_string(),
                odd.as_bytes().escape_ascii().to_string(),
                "{line}"
            );
            assert_eq!((found.is_best, best), (Some(true), read), "{line}");
        }
    }
}
