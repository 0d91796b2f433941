//! The implementation for every system, on the standard library and maintained crates.

pub mod machine;
pub mod processors;
pub mod scratch;
pub mod sockets;
pub mod streams;
pub mod wakeup;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use super::unix::{tree, warden};
#[cfg(windows)]
pub use windows::{tree, warden};
