//! Matches as users play them: the real program with real engine processes.

mod bench;
mod faults;
mod foreign;
pub mod games;
mod killed;
mod live;
mod matrix;
mod openings;
mod outputs;
mod shards;
mod shared;
mod stopped;
pub mod tablebases;
mod terminal;
mod wall_clock;
