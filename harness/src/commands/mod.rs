//! One file a subcommand: its flags, and what it prints. The work is done in the rooms of the
//! library.

pub mod bisect;
pub mod calibrate;
pub mod check;
pub mod completions;
pub mod data;
pub mod docs;
mod engines;
pub mod fastchess;
pub mod gate;
pub mod history;
pub mod init;
pub mod lichess;
pub mod loop_;
pub mod match_;
pub mod openings;
pub mod perft;
pub mod play;
mod plies;
pub mod pool;
mod print;
pub mod report;
pub mod resume;
pub mod runs;
pub mod serve;
pub mod speed;
pub mod sprt;
pub mod stats;
pub mod stop;
pub mod studio;
pub mod suite;
pub mod train;
pub mod tune;
mod watch;
pub mod watch_branch;
pub mod work;
pub mod workers;
