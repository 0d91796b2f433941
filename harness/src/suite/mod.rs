//! EPD test suites: reading, solving, scoring.

mod catalog;
pub mod epd;

pub use catalog::{Catalog, Entry, Scoring};
