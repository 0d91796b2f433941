//! Renders outcomes for people and for other programs: terminal, HTML with charts, Markdown, CSV,
//! JUnit.
//!
//! It owns no result: it renders the plain data of [`outcome`](harness_outcome). Start reading at
//! [`terminal`] and [`html`].

mod audit_text;
mod bisect_text;
mod board;
mod book_text;
mod calculator;
mod calibration;
mod chart;
pub mod csv;
mod dependence_chart;
mod gate_text;
pub mod history;
pub mod html;
pub mod junit;
mod live;
mod load;
mod loop_text;
mod made_suite_text;
mod markdown;
mod mermaid;
mod perft_text;
mod plain_table;
mod plot;
mod positions;
mod progress;
mod race_text;
mod rating_text;
mod ratings;
mod speed_text;
pub mod strength;
mod suite_progress;
mod suite_text;
mod table;
pub mod terminal;
pub mod text;
mod training_text;
mod tune_progress;
mod tune_text;
mod win_rate;

pub use audit_text::audit_text;
pub use bisect_text::bisect_text;
pub use book_text::book_text;
pub use calculator::{ReplayLine, ReplayTotals, replay_text, sprt_plan_text, summary_text};
pub use calibration::calibration_text;
pub use gate_text::{check_verdict, gate_annotations, gate_junit, gate_markdown, gate_text};
pub use live::MatchProgress;
pub use load::Machine;
pub use loop_text::{generation_line, loop_text};
pub use made_suite_text::made_suite_text;
pub use markdown::{match_markdown, suite_markdown};
pub use perft_text::perft_text;
pub use positions::{counts_text, shape_text};
pub use progress::{Pace, Progress, bar, clock};
pub use race_text::{race_plan_text, race_text};
pub use rating_text::{rating_line, rating_text};
pub use ratings::standings_text;
pub use speed_text::speed_text;
pub use suite_progress::suite_lines;
pub use suite_text::suite_text;
pub use training_text::training_text;
pub use tune_progress::tune_progress;
pub use tune_text::{parameters_text, tune_text};
pub use win_rate::{win_rate_chart, win_rate_text};
