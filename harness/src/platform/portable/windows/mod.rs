//! What only Windows has.

pub mod family;
pub mod warden;
