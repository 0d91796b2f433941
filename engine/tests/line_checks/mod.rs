//! Checks of the lines that the program reports, by the rules of chess as shakmaty knows them: the
//! engine's own board has no part in it.
//!
//! The rules are those of fastchess (`-check-mate-pvs`) and of python-chess, whichever ends a game first.
//! `tests/lines.rs` runs some seconds of it, `cargo bench -p tench --bench lines` all.

pub mod check;
pub mod game;
pub mod positions;
pub mod searches;

/// A deterministic source of numbers (SplitMix64, S. Vigna).
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}
