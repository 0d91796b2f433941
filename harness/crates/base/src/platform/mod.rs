//! The operating system: child processes and their pipes, wake-ups, signals, processors,
//! facts of the machine, permissions of files. No other module makes a system call of its own.
//!
//! There are two implementations of the same functions and types. `linux` is what Linux has: `poll`,
//! process file descriptors, a signal at the parent's death, `/proc`. `portable` is the standard
//! library and maintained crates, for macOS, Windows and other systems; on Linux it is built with the
//! feature `portable`, so that its tests run there too. A pipe is read by a thread of its own in it.

mod features;
mod files;
mod group;
mod spawner;
mod types;
#[cfg(unix)]
mod unix;
mod unnamed;
mod user;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
use linux as system;

#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
mod portable;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
use portable as system;

pub use features::processor_features;
pub use files::{
    OPEN_FILES, OUTPUTS, file_state, is_private, is_program, link_program, make_program,
    make_readable, make_writable, max_open_files, most_open_files, open_beneath, path_of_bytes,
    private_file, private_folder, read_at, read_exact_at, runs_foreign_programs,
};
pub use group::{Group, Pipes};
pub use system::machine::{
    Used, end_process, host_name, is_root, keep_in_background, load_average, memory_mib,
    operating_system, process_times, processor, processor_time, reload_process, used_by, words_of,
};
pub use system::processors::{physical_cores, pin_this_thread, share_a_core, usable};
pub use system::scratch::{read_ahead, scratch_file};
pub use system::sockets::{Listener, Stream, connect};
pub use system::streams::Streams;
pub use system::wakeup::{Wakeup, on_end_signals};
pub use system::warden;
pub use types::{Moved, ProcessTime, Ready};
pub use unnamed::unnamed_file;
pub use user::user_name;
