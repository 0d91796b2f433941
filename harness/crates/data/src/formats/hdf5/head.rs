//! The header of the HDF5 files that are written: a superblock, a root group
//! with one link, and a dataset in one piece.
//!
//! Source: The HDF Group, "HDF5 File Format Specification Version 3.0"; the oldest version of each
//! part is written, which every library reads.

use super::{COLUMNS, NAME};

/// Bytes before the first row.
pub const SIZE: usize = 2_048;

/// An address of nothing.
const NOWHERE: u64 = u64::MAX;

/// Offsets of the parts, and entries of a group's tree and leaf.
const ROOT: u64 = 96;
const TREE: u64 = 136;
const HEAP: u64 = 680;
const NAMES: u64 = 712;
const LEAF: u64 = 800;
const DATASET: u64 = 1_128;
const TREE_RANK: usize = 16;
const LEAF_RANK: usize = 4;

/// Size of the local heap, and the offset of the dataset's name in it.
const NAMES_SIZE: u64 = 88;
const NAME_AT: u64 = 8;

/// The header of a file with `rows` rows.
pub fn head(rows: u64) -> [u8; SIZE] {
    let mut head = Head { bytes: [0; SIZE], at: 0 };
    let size = rows * COLUMNS as u64 * 8;
    head.superblock(SIZE as u64 + size);
    head.root();
    head.tree();
    head.names();
    head.leaf();
    head.dataset(rows, size);
    head.bytes
}

struct Head {
    bytes: [u8; SIZE],
    at: usize,
}

impl Head {
    fn go_to(&mut self, at: u64) {
        self.at = at as usize;
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.put(&number.to_le_bytes()));
    }

    /// Version 0, with addresses and lengths of 8 bytes; in it the entry of the root group, whose
    /// tree and names it names.
    fn superblock(&mut self, end: u64) {
        self.put(b"\x89HDF\r\n\x1a\n");
        self.put(&[0, 0, 0, 0, 0, 8, 8, 0, LEAF_RANK as u8, 0, TREE_RANK as u8, 0, 0, 0, 0, 0]);
        self.numbers(&[0, NOWHERE, end, NOWHERE]);
        self.numbers(&[0, ROOT, 1, TREE, HEAP]);
    }

    /// An object header of version 1: its messages with their bytes.
    fn object(&mut self, at: u64, messages: &[(u8, &[u8])]) {
        self.go_to(at);
        let size: usize = messages.iter().map(|(_, bytes)| 8 + bytes.len()).sum();
        self.put(&[1, 0, messages.len() as u8, 0, 1, 0, 0, 0]);
        self.numbers(&[size as u64]);
        for (kind, bytes) in messages {
            self.put(&[*kind, 0, bytes.len() as u8, 0, 0, 0, 0, 0]);
            self.put(bytes);
        }
    }

    fn root(&mut self) {
        self.object(ROOT, &[(0x11, &of_numbers::<16>(&[TREE, HEAP]))]);
    }

    /// One leaf between the empty name and the dataset's.
    fn tree(&mut self) {
        self.go_to(TREE);
        self.put(b"TREE\0\0\x01\0");
        self.numbers(&[NOWHERE, NOWHERE, 0, LEAF, NAME_AT]);
    }

    fn names(&mut self) {
        let free = NAME_AT + 8;
        self.go_to(HEAP);
        self.put(b"HEAP\0\0\0\0");
        self.numbers(&[NAMES_SIZE, free, NAMES]);
        self.go_to(NAMES + NAME_AT);
        self.put(NAME.as_bytes());
        self.go_to(NAMES + free);
        // The last free block (1) with its size.
        self.numbers(&[1, NAMES_SIZE - free]);
    }

    fn leaf(&mut self) {
        self.go_to(LEAF);
        self.put(b"SNOD\x01\0\x01\0");
        self.numbers(&[NAME_AT, DATASET]);
    }

    fn dataset(&mut self, rows: u64, size: u64) {
        let mut space = [0; 24];
        space[..2].copy_from_slice(&[1, 2]);
        space[8..].copy_from_slice(&of_numbers::<16>(&[rows, COLUMNS as u64]));
        // Whole numbers of 64 bits without a sign, little-endian.
        let kind = [0x10, 0, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0];
        // Late allocation, fill value on demand.
        let fill = [2, 2, 2, 1, 0, 0, 0, 0];
        let mut layout = [0; 24];
        layout[..2].copy_from_slice(&[3, 1]);
        let place = if rows == 0 { NOWHERE } else { SIZE as u64 };
        layout[2..18].copy_from_slice(&of_numbers::<16>(&[place, size]));
        self.object(DATASET, &[(0x01, &space), (0x03, &kind), (0x05, &fill), (0x08, &layout)]);
    }
}

fn of_numbers<const N: usize>(numbers: &[u64]) -> [u8; N] {
    let mut bytes = [0; N];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
