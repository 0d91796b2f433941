//! The events of PGN, and moves as people write them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};

use engine::board::Position;
use harness_base::text::{decode_file, is_utf16};
use harness_notation::pgn::{Event, Lexer, find_move, find_shakmaty_move};

/// Bytes of an input that are read in other steps, too; more only take time.
const MAX_BYTES: usize = 4096;

/// Two inputs that are joined are cut at this byte.
const CUT: &[u8] = b"\xff\xfe";

/// The events of a text: they come in order, whatever the steps in which it is read; games that are
/// joined are read as each by itself.
pub fn pgn_events(data: &[u8]) {
    utf16(data);
    let plain = |data| Lexer::within(data, 0, 0);
    let all = events(plain(data));
    let mut last = 0;
    let mut open = false;
    for Seen { offset, kind, .. } in &all {
        assert!((last..=data.len() as u64).contains(offset), "{kind:?} at {offset} behind {last}");
        last = *offset;
        match kind {
            Kind::Begin => assert!(!std::mem::replace(&mut open, true)),
            Kind::End => assert!(std::mem::take(&mut open)),
            Kind::Result | Kind::Other => assert!(open, "what stands at {offset} is in no game"),
        }
    }
    assert!(!open, "every game ends");
    let main = events(plain(data).main_line());
    let mut rest = all.iter();
    assert!(main.iter().all(|event| rest.any(|other| other == event)), "a part, in order");
    if data.len() <= MAX_BYTES {
        let step = 1 + usize::from(data.first().copied().unwrap_or(0)) % 7;
        assert_eq!(events(Lexer::within(Steps { data, step }, 0, 0)), all, "in steps of {step}");
    }
    joined(data);
    moves(data);
}

/// UTF-16 is decoded, and all else is read as it is.
fn utf16(data: &[u8]) {
    let text = decode_file(data);
    let text = if is_utf16(data) { text.as_bytes() } else { data };
    assert_eq!(events(Lexer::new(data)), events(Lexer::within(text, 0, 0)));
}

/// Texts that end with a result or within no comment are the same when others follow.
fn joined(data: &[u8]) {
    let Some(at) = data.windows(CUT.len()).position(|window| window == CUT) else { return };
    let (one, other) = (&data[..at], &data[at + CUT.len()..]);
    let next = [b"\n\n[Event \"next\"]\n\n".as_slice(), other].concat();
    let mut first = events(Lexer::within(one, 0, 0));
    // What is open at the end goes on.
    if one.contains(&b'{') || one.contains(&b'[') || one.contains(&b';') || !ends(&first) {
        return;
    }
    let whole = events(Lexer::within([one, next.as_slice()].concat().as_slice(), 0, 0));
    let behind = events(Lexer::within(next.as_slice(), one.len() as u64, 0));
    // The last game ends where the next one begins.
    if let (Some(last), Some(next)) = (first.last_mut(), behind.first()) {
        last.offset = next.offset;
    }
    assert_eq!(whole, [first, behind].concat());
}

/// Whether the last thing that is read is a result.
fn ends(events: &[Seen]) -> bool {
    let before = events.len().checked_sub(2).and_then(|place| events.get(place));
    before.is_some_and(|seen| seen.kind == Kind::Result)
}

/// An event: where it stands, and a hash of what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    offset: u64,
    kind: Kind,
    hash: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Begin,
    Result,
    Other,
    End,
}

/// Both boards find the same moves.
fn moves(data: &[u8]) {
    let mut position = Position::startpos();
    for word in data.split(u8::is_ascii_whitespace).take(16) {
        let Some(theirs) = position.to_shakmaty() else { return };
        let one = find_move(&position, word);
        let other = find_shakmaty_move(&theirs, word);
        let uci =
            |legal: shakmaty::Move| legal.to_uci(shakmaty::CastlingMode::Chess960).to_string();
        assert_eq!(
            one.map(|(m, nags)| (position.uci(m, true).to_string(), nags)),
            other.map(|(legal, nags)| (uci(legal), nags)),
            "{} in {}",
            word.escape_ascii(),
            position.fen(true)
        );
        if let Some((m, _)) = one {
            assert!(position.is_legal(m));
            position.play(m);
        }
    }
}

/// The events with their places.
fn events(mut lexer: Lexer<impl Read>) -> Vec<Seen> {
    let mut events = Vec::new();
    while let Some(event) = lexer.next_event().expect("memory can be read") {
        let is_known = !matches!(event, Event::Move([]) | Event::Unknown([]));
        assert!(is_known, "a word has bytes");
        let kind = match event {
            Event::Begin => Kind::Begin,
            Event::Result(_) => Kind::Result,
            Event::End { .. } => Kind::End,
            _ => Kind::Other,
        };
        let mut hasher = DefaultHasher::new();
        event.hash(&mut hasher);
        events.push(Seen { offset: lexer.offset(), kind, hash: hasher.finish() });
    }
    assert!(lexer.next_event().expect("memory can be read").is_none());
    events
}

/// Gives a few bytes at a time.
struct Steps<'a> {
    data: &'a [u8],
    step: usize,
}

impl Read for Steps<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(self.data.len()).min(buffer.len());
        let (now, later) = self.data.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.data = later;
        Ok(length)
    }
}
