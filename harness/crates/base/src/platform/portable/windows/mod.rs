//! What only Windows has.

pub mod tree;
pub mod warden;
