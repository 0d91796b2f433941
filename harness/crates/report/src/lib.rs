//! Renders outcomes for people and for other programs: terminal, HTML with charts, Markdown, CSV,
//! JUnit.
//!
//! It owns no result: it renders the plain data of [`outcome`](harness_outcome). Start reading at
//! [`terminal`] and [`html`].

mod board;
mod calculator;
mod calibration;
mod chart;
pub mod csv;
mod dependence_chart;
pub mod history;
pub mod html;
pub mod junit;
mod live;
mod load;
mod loop_text;
mod markdown;
mod positions;
mod progress;
mod ratings;
mod suite_progress;
mod table;
pub mod terminal;
pub mod text;
mod win_rate;

pub use calculator::{sprt_plan_text, summary_text};
pub use calibration::calibration_text;
pub use live::MatchProgress;
pub use load::Machine;
pub use loop_text::{generation_line, loop_text};
pub use markdown::{match_markdown, suite_markdown};
pub use positions::{counts_text, shape_text};
pub use progress::{Pace, Progress, bar, clock};
pub use ratings::standings_text;
pub use suite_progress::suite_lines;
pub use win_rate::{win_rate_chart, win_rate_text};
