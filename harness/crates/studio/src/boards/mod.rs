//! Boards: games that are played, analysed and annotated in the browser.
//!
//! A board is a tree of moves and, while it is played on, a game: players, clocks, a result.
//! Every page of a board shows the same state; where its user looks at is the page's own matter.
//! Boards are kept in `reports/boards`, one file each, written after every change.
//!
//! | module | subject |
//! |---|---|
//! | [`board`] | the state of a board, its changes, and the pages that are notified |
//! | [`file`] | the file of a board, which several studios may write |
//! | [`game`] | players, turns, clocks, draws and endings; plain data |
//! | [`action`], [`new_game`] | what a page may ask of a board |
//! | [`act`] | changes of a board |
//! | [`book`] | the opening that engines play into |
//! | [`opponent`] | moves of engines in a game |
//! | [`engines`] | started engines, kept for the next search |
//! | [`analysis`] | a position analysed by several engines while a page shows it |
//! | [`review`] | a whole game analysed: accuracy, mistakes, better lines |
//! | [`insight`] | what is known without a search: the worth of pieces, reasons, tablebases |
//! | [`record`] | finished games in the ledger |
//! | [`advice`] | one search for an answer: a hint, a threat, who is better |
//! | [`levels`] | strengths of the built-in engine |
//! | [`take_back`] | moves that are taken back, and what is lost with them |
//! | [`shelf`] | all boards, and their files |

pub mod act;
pub mod action;
pub mod advice;
pub mod analysis;
pub mod board;
pub mod book;
pub mod engines;
pub mod file;
pub mod game;
pub mod insight;
pub mod levels;
pub mod new_game;
pub mod opponent;
pub mod record;
pub mod review;
pub mod scores;
pub mod shelf;
pub mod take_back;

pub use engines::Engines;
pub use shelf::Shelf;
