//! The files of this folder, for programs that carry them.

/// Which suites there are, and how each is scored.
pub const CATALOG: &str = include_str!("catalog.yaml");

/// Win at Chess.
pub const WAC: &str = include_str!("wac.epd");

/// The Eigenmann Rapid Engine Test.
pub const ERET: &str = include_str!("eret.epd");

/// The Bratko-Kopec Test.
pub const BK: &str = include_str!("bk.epd");

/// Balanced openings of matches.
pub const OPENINGS: &str = include_str!("openings.epd");

/// Known counts of move paths.
pub const PERFT: &str = include_str!("perft.epd");

/// Those of Chess960.
pub const PERFT960: &str = include_str!("perft960.epd");

/// Positions on which speed is measured.
pub const SPEED: &str = include_str!("speed.epd");
