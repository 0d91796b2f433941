//! What Linux has.

pub mod group;
pub mod machine;
pub mod processors;
pub mod sockets;
pub mod streams;
pub mod wakeup;

pub use super::unix::warden;
