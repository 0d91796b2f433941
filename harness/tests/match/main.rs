//! Matches as users play them: the real program with real engine processes.

mod bench;
mod endings;
mod faults;
mod games;
mod killed;
mod live;
mod matrix;
mod openings;
mod shared;
mod stopped;
mod wall_clock;
