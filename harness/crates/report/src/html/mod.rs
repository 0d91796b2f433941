//! One self-contained page a run, without scripts or external files.
//!
//! A file a page; `layout.rs` is what they share.

mod bisect_page;
mod boards_page;
mod book_page;
mod data_page;
mod dependence;
mod effects;
mod gate_page;
mod history_page;
mod layout;
mod loop_page;
mod match_page;
mod race_section;
mod recorded_page;
mod running;
mod side_by_side;
mod strength;
mod suite_page;
mod training_page;
mod tune_page;
pub mod viewer;

pub use super::board::{Arrow, board, piece_symbols};
pub use bisect_page::bisect_page;
pub use boards_page::boards_page;
pub use book_page::book_page;
pub use data_page::data_page;
pub(crate) use data_page::{name as bar_name, visible_bars};
pub use gate_page::gate_page;
pub use history_page::history_page;
pub use layout::Page;
pub use layout::{STYLE, as_sentence, command_words, overlaid, with_code};
pub use loop_page::loop_page;
pub use match_page::match_page;
pub use recorded_page::{RecordedPosition, RecordedWork, recorded_page};
pub use running::{Shown, suite_positions, waiting};
pub use suite_page::suite_page;
pub use training_page::{loss_curve, training_page};
pub use tune_page::tune_page;
