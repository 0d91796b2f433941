//! PGN: the one reader of the harness.
//!
//! A [`Lexer`] gives the [`Event`]s of a source one after the other: where games begin and end, tags,
//! moves as they are written, comments, numeric annotation glyphs (NAGs), variations and results. It
//! says of everything where it stands, leaves nothing out without an event, and needs a bounded
//! amount of memory whatever it reads. [`find_move`] (or [`find_shakmaty_move`]) then reads a move in
//! its position.
//!
//! | module | subject |
//! |---|---|
//! | [`lexer`] | where games begin and end |
//! | [`window`] | the part of the source that is in memory |
//! | [`tag`] | `[Name "value"]` |
//! | [`token`] | words of the movetext: numbers, results, signs |
//! | [`glyphs`] | `!?`, `±` and other signs, and their numbers |
//! | [`notation`], [`moves`] | moves as people and programs write them |
//! | [`san`] | the fast way, of standard algebraic notation |
//!
//! `harness docs pgn` has the rules.

pub mod glyphs;
pub mod lexer;
pub mod moves;
pub mod notation;
pub mod san;
pub mod tag;
pub mod token;
mod window;

pub use glyphs::Nags;
pub use lexer::{Comment, Event, Lexer};
pub use moves::{NoMove, find_move, find_shakmaty_move, why_no_move};
pub use tag::Tag;
pub use window::line_ends;
