//! The parts of Linux alone.

pub mod machine;
pub mod processors;
pub mod scratch;
pub mod sockets;
pub mod streams;
mod timespec;
pub mod tree;
pub mod wakeup;

pub use super::unix::warden;
