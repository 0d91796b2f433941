//! The file format of Syzygy tables, as far as three different men without pawns need it.
//!
//! Source: R. de Man's description and probing code (<https://github.com/syzygy1/tb>), as far as a
//! reader sees it. Values are coded with codes of one length instead of Huffman's, and no pairs of
//! symbols are formed, which any reader must understand as well.

use engine::board::{Color, Role, Square};

use super::solve::{Place, Solved};

/// Placements of three different men, symmetric ones counted once.
const PLACES: usize = 31_332;
/// Two raised to this are the bytes of a block.
const BLOCK_BITS: u8 = 5;
/// Two raised to this are the values between two entries of the index.
const SPAN_BITS: u8 = 6;
/// Distances are exact plies, not full moves.
const EXACT: u8 = 4 | 8;

/// The file that tells who wins: a table of each side to move.
pub fn results(role: Role, solved: &Solved) -> Vec<u8> {
    let won = 4;
    let drawn = 2;
    let lost = 0;
    let white =
        values(role, Color::White, |place| if solved.plies(place).is_some() { won } else { drawn });
    let black =
        values(
            role,
            Color::Black,
            |place| {
                if solved.plies(place).is_some() { lost } else { drawn }
            },
        );
    file([0x71, 0xe8, 0x23, 0x5d], role, &[Pairs::new(0, &white), Pairs::new(0, &black)])
}

/// The file that tells the plies to mate: a table of White to move.
pub fn distances(role: Role, solved: &Solved) -> Vec<u8> {
    let plies =
        values(role, Color::White, |place| solved.plies(place).map_or(0, |plies| plies - 1));
    file([0xd7, 0x66, 0x0c, 0xa5], role, &[Pairs::new(EXACT, &plies)])
}

/// The values of all placements in the order of the format.
fn values(role: Role, side: Color, value: impl Fn(Place) -> u8) -> Vec<u8> {
    let mut values = vec![None; PLACES];
    for place in Place::all().filter(|place| place.side == side && place.is_legal(role)) {
        let index = index([place.king, place.piece, place.bare]);
        let value = value(place);
        let known = *values[index].get_or_insert(value);
        assert_eq!(known, value, "positions that are mirrored are worth the same: {place:?}");
    }
    values.into_iter().map(Option::unwrap_or_default).collect()
}

/// The number of a placement: the first man is mirrored into the a1-d1-d4 triangle, and the first
/// man off the diagonal below it.
fn index(mut men: [Square; 3]) -> usize {
    if men[0] as u32 % 8 > 3 {
        men = men.map(Square::flip_horizontal);
    }
    if men[0] as u32 / 8 > 3 {
        men = men.map(Square::flip_vertical);
    }
    let off_diagonal = |square: &Square| file_of(*square) != rank_of(*square);
    if let Some(first) = men.iter().find(|square| off_diagonal(square))
        && rank_of(*first) > file_of(*first)
    {
        men = men.map(Square::flip_diagonal);
    }
    let [a, b, c] = men;
    let second = b as usize - usize::from(b > a);
    let third = c as usize - usize::from(c > a) - usize::from(c > b);
    let rank_before = |square: Square, others: &[Square]| {
        rank_of(square) - others.iter().filter(|&&other| square > other).count()
    };
    if off_diagonal(&a) {
        (below_diagonal(a, 4) * 63 + second) * 62 + third
    } else if off_diagonal(&b) {
        6 * 63 * 62 + (rank_of(a) * 28 + below_diagonal(b, 8)) * 62 + third
    } else if off_diagonal(&c) {
        let start = (6 * 63 + 4 * 28) * 62;
        start + (rank_of(a) * 7 + rank_before(b, &[a])) * 28 + below_diagonal(c, 8)
    } else {
        let start = (6 * 63 + 4 * 28) * 62 + 4 * 7 * 28;
        start + (rank_of(a) * 7 + rank_before(b, &[a])) * 6 + rank_before(c, &[a, b])
    }
}

fn file_of(square: Square) -> usize {
    square as usize % 8
}

fn rank_of(square: Square) -> usize {
    square as usize / 8
}

/// The number of a square below the diagonal of a board of this width.
fn below_diagonal(square: Square, width: usize) -> usize {
    let file = file_of(square);
    let rank = rank_of(square);
    rank * (2 * width - 1 - rank) / 2 + file - rank - 1
}

/// One table in the form of the file's four sections.
struct Pairs {
    header: Vec<u8>,
    index: Vec<u8>,
    lengths: Vec<u8>,
    blocks: Vec<u8>,
}

impl Pairs {
    fn new(flags: u8, values: &[u8]) -> Pairs {
        let symbols = u16::from(*values.iter().max().expect("values")) + 1;
        let code_bits = symbols.next_power_of_two().ilog2() as u8;
        let in_block = (8 << BLOCK_BITS) / usize::from(code_bits);
        let blocks: Vec<&[u8]> = values.chunks(in_block).collect();

        let mut header = vec![flags, BLOCK_BITS, SPAN_BITS, 0];
        header.extend((blocks.len() as u32).to_le_bytes());
        header.extend([code_bits, code_bits, 0, 0]);
        header.extend(symbols.to_le_bytes());
        for value in 0..symbols as u8 {
            // A symbol that is a value and no pair.
            header.extend([value, 0xf0, 0xff]);
        }
        header.resize(header.len().next_multiple_of(2), 0);

        let span = 1 << SPAN_BITS;
        let mut index = Vec::new();
        for middle in (span / 2..values.len() + span / 2).step_by(span) {
            let block = (middle / in_block).min(blocks.len() - 1);
            index.extend((block as u32).to_le_bytes());
            index.extend(((middle - block * in_block) as u16).to_le_bytes());
        }
        Pairs {
            header,
            index,
            lengths: blocks
                .iter()
                .flat_map(|block| (block.len() as u16 - 1).to_le_bytes())
                .collect(),
            blocks: blocks.iter().flat_map(|block| packed(block, code_bits)).collect(),
        }
    }
}

/// A block of codes, the highest bit first.
fn packed(values: &[u8], code_bits: u8) -> [u8; 1 << BLOCK_BITS] {
    let mut block = [0; 1 << BLOCK_BITS];
    let width = usize::from(code_bits);
    for (number, value) in values.iter().enumerate() {
        for bit in 0..width {
            let at = number * width + bit;
            block[at / 8] |= (value >> (width - 1 - bit) & 1) << (7 - at % 8);
        }
    }
    block
}

fn file(magic: [u8; 4], role: Role, tables: &[Pairs]) -> Vec<u8> {
    // Two-sided material; the order of the men, the same for both sides to move.
    let mut bytes = magic.to_vec();
    bytes.extend([1, 0]);
    for man in [Role::King.of(Color::White), role.of(Color::White), Role::King.of(Color::Black)] {
        let code = man.role as u8 | if man.color.is_black() { 8 } else { 0 };
        bytes.push(code | code << 4);
    }
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    let sections: [fn(&Pairs) -> &[u8]; 3] =
        [|table| &table.header, |table| &table.index, |table| &table.lengths];
    for section in sections {
        for table in tables {
            bytes.extend(section(table));
        }
    }
    for table in tables {
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        bytes.extend(&table.blocks);
    }
    // Where the checksum stands in the real files.
    bytes.resize(bytes.len().next_multiple_of(64) + 16, 0);
    bytes
}
