//! A record as it is stored.

use engine::board::{Bitboard, Color, Move, Piece, Position, Rank, Square};

use super::error::SampleError;
use super::moves::{self, MOVES, Transform};
use crate::formats::board::{Pieces, ROLES};
use harness_stats::GameScore;

/// Bytes of a record.
pub const SIZE: usize = 8356;

const POLICY: usize = 8;
const PLANES: usize = POLICY + 4 * MOVES;
const CASTLING: usize = PLANES + 8 * 104;
const SIDE_OR_EN_PASSANT: usize = CASTLING + 4;
const RULE50: usize = SIDE_OR_EN_PASSANT + 1;
const FLAGS: usize = RULE50 + 1;
const VISITS: usize = 8340;
const PLAYED: usize = VISITS + 4;
const BEST: usize = PLAYED + 2;

/// Planes of a position in the history: pieces of the side to move, of the other, repetition.
const PLANES_OF_POSITION: usize = 13;

/// Values of a record, by their offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Value of the position by its search, from -1 to 1, for the side to move.
    RootQ = 8280,
    /// Value of the best move.
    BestQ = 8284,
    /// Probability of a draw of the position.
    RootD = 8288,
    /// Probability of a draw after the best move.
    BestD = 8292,
    /// Estimated plies to the end of the game.
    RootM = 8296,
    /// The same after the best move.
    BestM = 8300,
    /// Plies to the end of the game.
    PliesLeft = 8304,
    /// Result for the side to move.
    ResultQ = 8308,
    /// 1 for a draw.
    ResultD = 8312,
    /// Value of the move that was played.
    PlayedQ = 8316,
    /// Its probability of a draw.
    PlayedD = 8320,
    /// Its estimated plies.
    PlayedM = 8324,
    /// Value by the network alone; not a number if unknown.
    OrigQ = 8328,
    /// Probability of a draw by the network alone.
    OrigD = 8332,
    /// Estimated plies by the network alone.
    OrigM = 8336,
    /// Divergence of the visits from the policy of the network, in nats.
    PolicyKld = 8348,
    /// Standard deviation of the value.
    QStandardDeviation = 8352,
}

/// How planes, castling rights and side to move are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputFormat {
    /// Whether castling rights are masks of the rook's file, rather than 0 or 1.
    rook_files: bool,
    /// A canonical input format: the board is transformed, and a mask of the en-passant file takes
    /// the place of the side to move.
    canonical: bool,
}

impl InputFormat {
    /// The format of this number in lc0's `net.proto`; `None` if it is not known.
    pub fn from_number(number: u32) -> Option<InputFormat> {
        match number {
            1 => Some(InputFormat { rook_files: false, canonical: false }),
            2 => Some(InputFormat { rook_files: true, canonical: false }),
            3..=5 | 132 | 133 => Some(InputFormat { rook_files: true, canonical: true }),
            _ => None,
        }
    }
}

/// A record of version 6.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    bytes: &'a [u8; SIZE],
    format: InputFormat,
}

impl<'a> Sample<'a> {
    /// Looks at the version and the input format.
    ///
    /// # Errors
    /// When one of them is another.
    pub fn new(bytes: &'a [u8; SIZE]) -> Result<Sample<'a>, SampleError> {
        let version = number(bytes, 0);
        let format = number(bytes, 4);
        if version != 6 {
            return Err(SampleError::version(version));
        }
        let format = InputFormat::from_number(format).ok_or(SampleError::InputFormat(format))?;
        Ok(Sample { bytes, format })
    }

    /// The number of the input format.
    pub fn input_format(&self) -> u32 {
        number(self.bytes, 4)
    }

    /// A value; it may be out of its range or not a number.
    pub fn value(&self, value: Value) -> f32 {
        f32::from_bits(number(self.bytes, value as usize))
    }

    /// A plane as it is stored: a byte a rank, file a in its highest bit, the side to move at the
    /// bottom.
    #[inline]
    pub fn plane(&self, number: usize) -> u64 {
        let bytes = self.bytes[PLANES + 8 * number..][..8].try_into();
        u64::from_le_bytes(bytes.unwrap_or_default())
    }

    /// Share of the visits that a move got, by its number; -1 if it is not legal.
    pub fn probability(&self, index: u16) -> Option<f32> {
        let at = usize::from(index);
        (at < MOVES).then(|| f32::from_bits(number(self.bytes, POLICY + 4 * at)))
    }

    /// Visits of the search.
    pub fn visits(&self) -> u32 {
        number(self.bytes, VISITS)
    }

    /// Number of the move that was played.
    pub fn played_index(&self) -> u16 {
        u16::from_le_bytes([self.bytes[PLAYED], self.bytes[PLAYED + 1]])
    }

    /// Number of the best move.
    pub fn best_index(&self) -> u16 {
        u16::from_le_bytes([self.bytes[BEST], self.bytes[BEST + 1]])
    }

    /// Plies since the last capture or move of a pawn.
    pub fn rule50(&self) -> u8 {
        self.bytes[RULE50]
    }

    /// Bits: 7 Black to move (canonical input formats only), 6 marked for deletion, 5 adjudicated, 4
    /// too long, 3 the best move is proven, 2 to 0 the transform of the board.
    pub fn flags(&self) -> u8 {
        self.bytes[FLAGS]
    }

    /// Castling rights as stored: of the side to move to the queen's and the king's side, and of the
    /// other side.
    pub fn castling(&self) -> [u8; 4] {
        [0, 1, 2, 3].map(|at| self.bytes[CASTLING + at])
    }

    /// The byte that is the side to move (1 for Black), or a mask of the en-passant file.
    pub fn side_or_en_passant(&self) -> u8 {
        self.bytes[SIDE_OR_EN_PASSANT]
    }

    /// The side to move.
    pub fn side(&self) -> Color {
        Color::from_black(if self.format.canonical {
            self.flags() & 128 != 0
        } else {
            self.side_or_en_passant() != 0
        })
    }

    /// Whether the rescorer excluded it from training.
    pub fn is_deleted(&self) -> bool {
        self.flags() & 64 != 0
    }

    /// Result for the side to move; `None` if it is a mixture, as the rescorer may make it.
    ///
    /// # Errors
    /// When it is no result.
    pub fn result(&self) -> Result<Option<GameScore>, SampleError> {
        let q = self.in_range("result_q", Value::ResultQ, -1)?;
        let d = self.in_range("result_d", Value::ResultD, 0)?;
        Ok(match (q, d) {
            (1.0, 0.0) => Some(GameScore::Win),
            (0.0, 1.0) => Some(GameScore::Draw),
            (-1.0, 0.0) => Some(GameScore::Loss),
            _ => None,
        })
    }

    /// A value that has to be a number from `least` to 1.
    ///
    /// # Errors
    /// When it is not.
    pub fn in_range(
        &self,
        field: &'static str,
        value: Value,
        least: i8,
    ) -> Result<f32, SampleError> {
        let value = self.value(value);
        if (f32::from(least)..=1.0).contains(&value) {
            return Ok(value);
        }
        Err(SampleError::Value { field, value: value.to_string(), least })
    }

    /// The legal moves with their share of the visits.
    pub fn policy(&self, position: &Position) -> impl Iterator<Item = (Move, f32)> {
        let transform = self.transform();
        (0..MOVES as u16).filter_map(move |index| {
            let share = self.probability(index).filter(|share| *share >= 0.0)?;
            Some((transform.move_of(position, index)?, share))
        })
    }

    /// A move by its number.
    ///
    /// # Errors
    /// When it is not legal.
    pub fn move_of(
        &self,
        position: &Position,
        field: &'static str,
        index: u16,
    ) -> Result<Move, SampleError> {
        self.transform().move_of(position, index).ok_or_else(|| SampleError::Move {
            field,
            index,
            name: moves::name(index),
            fen: position.fen(false),
        })
    }

    fn transform(&self) -> Transform {
        let bits = if self.format.canonical { self.flags() & 7 } else { 0 };
        Transform { bits, black: self.side().is_black() }
    }

    /// Whether all pieces stand on their own side and nothing has moved: only a game begins so.
    pub fn begins_game(&self) -> bool {
        self.rule50() == 0
            && self.side().is_white()
            && self.plane(0) == 0xff00
            && self.plane(6) == 0x00ff_0000_0000_0000
            && (0..12).map(|at| self.plane(at).count_ones()).sum::<u32>() == 32
    }

    /// The position of the planes.
    ///
    /// # Errors
    /// When it is no legal one.
    pub fn position(&self) -> Result<Position, SampleError> {
        let mut pieces = Pieces::default();
        pieces.side = self.side();
        let transform = self.transform();
        for color in [pieces.side, !pieces.side] {
            let first = if color == pieces.side { 0 } else { 6 };
            for (at, role) in ROLES.into_iter().enumerate() {
                let squares = Bitboard(transform.plane(self.plane(first + at)));
                squares.into_iter().for_each(|square| pieces.put(square, Piece { color, role }));
            }
        }
        pieces.castling = self.rooks()?;
        pieces.en_passant = self.en_passant();
        pieces.halfmoves = self.rule50().into();
        let position = pieces.position()?;
        self.differs(&position).map_or(Ok(position), |what| Err(SampleError::Planes(what)))
    }

    /// The rooks that may castle.
    fn rooks(&self) -> Result<Bitboard, SampleError> {
        let mut rooks = Bitboard::EMPTY;
        let side = self.side();
        let castling = self.castling();
        for (at, mask) in castling.into_iter().enumerate() {
            let rank = if at < 2 { side } else { !side }.relative_rank(Rank::First);
            let file = match (self.format.rook_files, mask) {
                (_, 0) => continue,
                (false, 1) => 7 * (at as u32 % 2),
                (true, mask) if mask.is_power_of_two() => mask.trailing_zeros(),
                _ => return Err(SampleError::Castling(castling)),
            };
            rooks.add(Square::new(8 * rank as u32 + file));
        }
        Ok(rooks)
    }

    /// The square behind a pawn that has just moved two ranks: stored in canonical input formats; in
    /// others such a pawn stood on its first square in the position before.
    fn en_passant(&self) -> Option<Square> {
        let rank = self.side().relative_rank(Rank::Sixth);
        let square = |file: u32| Square::new(8 * rank as u32 + file);
        if self.format.canonical {
            let mask = self.side_or_en_passant();
            let mask = if self.flags() & 1 != 0 { mask.reverse_bits() } else { mask };
            return mask.is_power_of_two().then(|| square(mask.trailing_zeros()));
        }
        let [now, before] = [self.plane(6), self.plane(PLANES_OF_POSITION + 6)];
        let came = now & !before;
        let left = before & !now;
        // One pawn only, from the seventh to the fifth rank.
        let two_ranks = came.count_ones() == 1 && left == came << 16 && left >> 48 != 0;
        // The highest bit of a rank is file a.
        two_ranks.then(|| square(7 - came.trailing_zeros() % 8))
    }

    /// The first field in which the record differs from a position; `None` if it is the same.
    pub fn differs(&self, position: &Position) -> Option<&'static str> {
        let side = self.side();
        if position.side() != side {
            return Some("side to move");
        }
        let transform = self.transform();
        let same = |first: usize, color: Color| {
            ROLES.into_iter().enumerate().all(|(at, role)| {
                transform.plane(self.plane(first + at)) == position.pieces(color, role).0
            })
        };
        if !same(0, side) || !same(6, !side) {
            return Some("pieces");
        }
        if self.rooks() != Ok(position.castling_rights().rooks()) {
            return Some("castling rights");
        }
        if u16::from(self.rule50()) != position.halfmove_clock() {
            return Some("count of the fifty-move rule");
        }
        // It is stored wherever a pawn has moved two ranks, also where no pawn can take it.
        let en_passant = self.format.canonical.then(|| position.en_passant()).flatten();
        let differs = en_passant.is_some() && self.en_passant() != en_passant;
        differs.then_some("en-passant square")
    }
}

fn number(bytes: &[u8; SIZE], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default())
}
