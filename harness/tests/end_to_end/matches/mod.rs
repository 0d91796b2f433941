//! Matches as users play them: the real program with real engine processes.

mod bench;
mod bounds;
mod broadcast;
mod faults;
mod foreign;
pub mod games;
mod killed;
mod live;
mod logs;
mod matrix;
mod openings;
mod outputs;
mod pairing;
mod ponder;
mod race;
mod runner_lines;
mod shards;
mod shared;
mod stopped;
pub mod tablebases;
mod terminal;
mod tournaments;
mod variants;
mod wall_clock;
mod xboard;
