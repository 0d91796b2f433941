//! Whole games: viriformat (`.vf`), and the same with depths (`.games`).
//!
//! viriformat is a packed [`board`] with the game's result, then for each move two bytes of move
//! and two of score for White, then four zero bytes. A score of -32,768 is none (a book move): every
//! filter on scores drops it. `.games` begins with eight bytes of magic, and has a fifth byte a move:
//! the depth in plies.
//!
//! A move: six bits of origin, six of destination, two of the promotion piece (knight to queen), two
//! of kind: 1 en passant, 2 castling as the king taking its rook, 3 promotion.
//!
//! Source: the crate `viriformat` 3.0, `dataformat.rs` and `chess/chessmove.rs`.

use std::io::{self, Read, Write};

use engine::board::{Move, Role, Square};

use super::board::{self, Label, game_score};
use super::bytes::Bytes;
use super::error::FormatError;
use super::format::{Format, Reads, Spec, Writes, fused};
use crate::game::{Game, MoveEval, Turn};
use crate::record::{number_of, score_of};

/// Magic bytes of a file of games with depths.
const MAGIC: [u8; 8] = *b"TENCHG1\n";

/// No score.
const NO_SCORE: i16 = i16::MIN;

const EN_PASSANT: u16 = 1 << 14;
const CASTLING: u16 = 2 << 14;
const PROMOTION: u16 = 3 << 14;

/// With or without depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// viriformat.
    Plain,
    /// With depths.
    WithDepths,
}

/// viriformat.
pub const PLAIN: Format = Format(&Spec::new(
    "games of viriformat",
    &["vf", "viri"],
    Reads::Games(|path, source, _| fused(Reader::new(path, source, Flavour::Plain))),
    Writes::Games { head: |_| Ok(()), game: |game, sink| write(game, sink, Flavour::Plain) },
));

/// viriformat with depths.
pub const WITH_DEPTHS: Format = Format(&Spec::new(
    "games of viriformat with depths",
    &["games"],
    Reads::Games(|path, source, _| fused(Reader::new(path, source, Flavour::WithDepths))),
    Writes::Games {
        head: |sink| write_head(sink, Flavour::WithDepths),
        game: |game, sink| write(game, sink, Flavour::WithDepths),
    },
));

impl Flavour {
    /// The format.
    pub fn format(self) -> Format {
        match self {
            Flavour::Plain => PLAIN,
            Flavour::WithDepths => WITH_DEPTHS,
        }
    }

    /// The flavour of a format; `None` for another one.
    pub fn from_format(format: Format) -> Option<Flavour> {
        [Flavour::Plain, Flavour::WithDepths].into_iter().find(|flavour| flavour.format() == format)
    }
}

fn encode(m: Move) -> u16 {
    let squares = m.from() as u16 | (m.to() as u16) << 6;
    match m.promotion() {
        Some(role) => squares | PROMOTION | (role as u16 - Role::Knight as u16) << 12,
        None if m.is_castling() => squares | CASTLING,
        None if m.is_en_passant() => squares | EN_PASSANT,
        None => squares,
    }
}

fn decode(bits: u16) -> Option<Move> {
    let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
    let from = square(0);
    let to = square(6);
    if from == to {
        return None;
    }
    Some(match bits & PROMOTION {
        0 => Move::normal(from, to),
        EN_PASSANT => Move::en_passant(from, to),
        CASTLING => Move::castling(from, to),
        _ => {
            let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
            Move::promoting(from, to, roles[usize::from(bits >> 12 & 3)])
        }
    })
}

/// Reads games one after the other.
pub struct Reader<R> {
    bytes: Bytes<R>,
    flavour: Flavour,
    begun: bool,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R, flavour: Flavour) -> Reader<R> {
        Reader { bytes: Bytes::new(path, source), flavour, begun: false }
    }

    /// Bytes read: a game ends here.
    pub fn offset(&self) -> u64 {
        self.bytes.offset()
    }

    fn game(&mut self) -> Result<Option<Game>, FormatError> {
        if !self.begun && self.flavour == Flavour::WithDepths {
            match self.bytes.block::<8>()? {
                None => return Ok(None),
                Some(MAGIC) => {}
                Some(_) => {
                    let what = "not a file of games with depths; viriformat has the extension .vf";
                    return Err(self.bytes.bad(0, what.to_owned()));
                }
            }
        }
        self.begun = true;
        let at = self.bytes.offset();
        let Some(head) = self.bytes.block()? else { return Ok(None) };
        let (start, label) = board::unpack(&head)
            .map_err(|reason| self.bytes.bad(at, format!("no game starts here: {reason}")))?;
        let result = game_score(label.result.into());
        let result = result.map_err(|reason| self.bytes.bad(at, reason.to_string()))?;
        let mut game = Game { start, result: Some(result), ..Game::default() };
        let mut position = start;
        loop {
            let at = self.bytes.offset();
            let [a, b, c, d] = self.bytes.exact::<4>()?;
            let depth = match self.flavour {
                Flavour::Plain => 0,
                Flavour::WithDepths => self.bytes.exact::<1>()?[0],
            };
            if [a, b, c, d] == [0; 4] {
                return Ok(Some(game));
            }
            if game.turns.len() >= usize::from(u16::MAX - game.first_ply()) {
                return Err(self.bytes.bad(at, "a game of more than 65,535 plies".to_owned()));
            }
            let bits = u16::from_le_bytes([a, b]);
            let played = decode(bits).filter(|&m| position.is_legal(m)).ok_or_else(|| {
                let fen = position.fen(false);
                self.bytes.bad(at, format!("move {bits:#06x} is not legal in `{fen}`"))
            })?;
            let score = i16::from_le_bytes([c, d]);
            let eval = (score != NO_SCORE)
                .then(|| MoveEval { score: score_of(score).for_white(position.side()), depth });
            game.turns.push(Turn { played, eval });
            position.play(played);
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.game().transpose()
    }
}

/// Writes the file header.
///
/// # Errors
/// When the file cannot be written.
pub fn write_head(sink: &mut impl Write, flavour: Flavour) -> io::Result<()> {
    match flavour {
        Flavour::Plain => Ok(()),
        Flavour::WithDepths => sink.write_all(&MAGIC),
    }
}

/// Writes a game.
///
/// # Errors
/// When it has no result, or the file cannot be written.
pub fn write(game: &Game, sink: &mut impl Write, flavour: Flavour) -> io::Result<()> {
    let without = || io::Error::new(io::ErrorKind::InvalidInput, "a game without a result");
    let result = game.result.ok_or_else(without)? as u8;
    sink.write_all(&board::pack(&game.start, Label { result, ..Label::default() }))?;
    let mut mover = game.start.side();
    for turn in &game.turns {
        sink.write_all(&encode(turn.played).to_le_bytes())?;
        let score = turn.eval.map_or(NO_SCORE, |eval| number_of(eval.score.for_white(mover)));
        sink.write_all(&score.to_le_bytes())?;
        if flavour == Flavour::WithDepths {
            sink.write_all(&[turn.eval.map_or(0, |eval| eval.depth)])?;
        }
        mover = !mover;
    }
    let zeros = [0; 5];
    sink.write_all(&zeros[..if flavour == Flavour::Plain { 4 } else { 5 }])
}
