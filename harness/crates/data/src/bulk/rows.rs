//! Positions as rows of a fixed size, for external sorting.

use std::collections::HashMap;
use std::sync::Arc;

use engine::board::Move;

use crate::formats::RecordError;
use crate::formats::board::{self, Label};
use crate::formats::bullet::{self, Packed};
use crate::record::{Record, Source, score_of};
use harness_stats::GameScore;

/// Bytes of a row with everything: a packed board with score, result and depth, then the Zobrist
/// key, the ply, the move, the game, and the number of the source.
const FULL: usize = 56;

/// Score of a row whose position has none.
pub const NO_SCORE: i16 = i16::MIN;

/// No ply, and no result.
const NO_PLY: u16 = u16::MAX;
const NO_RESULT: u8 = 3;

/// Content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The fields of bulletformat: nothing has to be unpacked where files of it are read and written.
    Bullet,
    /// All fields.
    Full,
}

impl Kind {
    /// Bytes of a row.
    pub fn size(self) -> usize {
        if self == Kind::Bullet { bullet::SIZE } else { FULL }
    }

    /// Equal for equal positions, and spread evenly.
    pub fn key(self, row: &[u8]) -> u64 {
        match self {
            Kind::Bullet => [0, 8, 16].into_iter().fold(0, |key, at| mix(key ^ number(row, at))),
            Kind::Full => mix(number(row, 32)),
        }
    }

    /// Bytes of the position, which decide between equal keys.
    pub fn position(self, row: &[u8]) -> &[u8] {
        &row[..if self == Kind::Bullet { 24 } else { 25 }]
    }

    /// Depth of the label.
    pub fn depth(self, row: &[u8]) -> u8 {
        row[if self == Kind::Bullet { 29 } else { 31 }]
    }

    /// The result, in half points for White or for the side to move; 3 or more: unknown.
    pub fn result(self, row: &mut [u8]) -> &mut u8 {
        &mut row[if self == Kind::Bullet { 26 } else { 30 }]
    }
}

fn number(row: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(row[at..at + 8].try_into().unwrap_or_default())
}

/// Spreads a number over all bits (the finaliser of SplitMix64, G. Steele, D. Lea, C. Flood, 2014).
pub fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A position with score, result and depth in the 32 bytes of a `.marlin` file; without a score
/// [`NO_SCORE`] stands for it.
pub fn packed(record: &Record) -> [u8; board::SIZE] {
    let label = Label {
        score: record.number().unwrap_or(NO_SCORE),
        result: record.result.map_or(NO_RESULT, |points| points as u8),
        extra: record.depth,
    };
    board::pack(&record.position, label)
}

/// Source in a row of a game without names whose number the row has anyway.
const ITS_GAME: u32 = u32::MAX;

/// Makes rows of records and back; keeps the names of the sources, which are few besides the
/// games' own.
#[derive(Default)]
pub struct Packer {
    sources: Vec<Arc<Source>>,
    numbers: HashMap<Arc<Source>, u32>,
}

impl Packer {
    /// Packs everything.
    pub fn pack(&mut self, record: &Record) -> [u8; FULL] {
        let mut row = [0; FULL];
        row[..32].copy_from_slice(&packed(record));
        row[32..40].copy_from_slice(&record.position.key().to_le_bytes());
        row[40..42].copy_from_slice(&record.ply.unwrap_or(NO_PLY).to_le_bytes());
        row[42..44].copy_from_slice(&record.played.map_or(0, Move::raw).to_le_bytes());
        row[44..52].copy_from_slice(&record.game.to_le_bytes());
        let source = match &record.source {
            None => 0,
            Some(source) if source.is_number_alone(record.game) => ITS_GAME,
            Some(source) => self.number(source),
        };
        row[52..].copy_from_slice(&source.to_le_bytes());
        row
    }

    /// From 1.
    fn number(&mut self, source: &Arc<Source>) -> u32 {
        if let Some(&number) = self.numbers.get(source) {
            return number;
        }
        self.sources.push(Arc::clone(source));
        let number = u32::try_from(self.sources.len()).unwrap_or(ITS_GAME - 1);
        self.numbers.insert(Arc::clone(source), number);
        number
    }

    /// Unpacks what was packed here.
    pub fn unpack(&self, kind: Kind, row: &[u8]) -> Result<Record, RecordError> {
        let head = row[..32].try_into().map_err(|_| RecordError::Contradiction("no row"))?;
        if kind == Kind::Bullet {
            return Packed(head).record(1);
        }
        let (position, label) = board::unpack(&head)?;
        let small = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let source = match u32::from_le_bytes([row[52], row[53], row[54], row[55]]) {
            ITS_GAME => Some(Arc::new(Source::of_number(number(row, 44)))),
            source => (source as usize).checked_sub(1).and_then(|at| self.sources.get(at)).cloned(),
        };
        Ok(Record {
            score: (label.score != NO_SCORE).then(|| score_of(label.score)),
            result: GameScore::from_half_points(label.result),
            played: Move::from_raw(small(42)),
            ply: Some(small(40)).filter(|&ply| ply != NO_PLY),
            depth: label.extra,
            source,
            ..Record::bare(position, number(row, 44))
        })
    }
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;
    use harness_player::Score;

    #[test]
    fn a_record_survives_being_a_row() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 12 34";
        let position = Position::from_fen(fen).expect("legal");
        let bare = Record::bare(position, 77);
        let full = Record {
            score: Some(Score::Mate(-3)),
            result: Some(GameScore::Loss),
            played: position.legal_moves().first().copied(),
            ply: Some(67),
            depth: 12,
            source: Some(Arc::new(Source { engine: "a".into(), ..Source::default() })),
            ..bare.clone()
        };
        let mut packer = Packer::default();
        for record in [bare, full.clone(), full] {
            let row = packer.pack(&record);
            assert_eq!(packer.unpack(Kind::Full, &row), Ok(record));
        }
        assert_eq!(packer.sources.len(), 1);
    }
}
