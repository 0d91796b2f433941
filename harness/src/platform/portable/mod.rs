//! What every system has, by way of the standard library and of maintained crates.

pub mod group;
pub mod machine;
pub mod processors;
pub mod sockets;
pub mod streams;
pub mod wakeup;
#[cfg(windows)]
pub mod warden;

#[cfg(unix)]
pub use super::unix::warden;
