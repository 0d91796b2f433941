//! Players: UCI and xboard engines, and the linked engine.
//!
//! An [`EngineSpec`] is an engine as plain data, found by [`resolve`] from what the user wrote;
//! [`start`] makes a [`Player`] of it, which searches positions. A [`pool`] runs jobs of several
//! players at the same time. Knows `harness.yaml` and the interrupt, and nothing of games; processes
//! and their pipes are those of [`platform`](harness_base::platform).

mod addresses;
pub mod bench;
mod build;
mod builtin;
mod capture;
mod child;
mod cmake;
mod executable;
mod git;
mod hash;
mod history;
mod info;
mod interface;
mod kept_files;
mod limit;
mod lock;
mod log;
pub mod mock;
mod named_files;
mod option_line;
mod options;
mod output_layer;
pub mod pool;
pub mod probe;
mod process;
mod program_output;
pub mod project;
mod recipe;
mod reply;
mod resolve;
mod revision;
pub mod search;
mod spec;
mod start;
pub mod transcript;
mod tree_state;
pub mod uci;
mod wire;
mod xboard;

pub use addresses::Addresses;
pub use build::BuildError;
pub use builtin::Builtin;
pub use capture::{CaptureError, Captured, capture, run_to_end};
pub use child::StartSettings;
pub use git::{GitTrouble, commit_words, git_here, is_same_commit};
pub use harness_outcome::Commit;
pub use hash::sha256;
pub use history::{
    HistoryError, commit_before, commit_of, commits_between, dated_commits, fetch, last_commits,
    root as repository_root, tags,
};
pub use interface::{Line, Observer, Player, unobserved};
pub use limit::{Clocks, Go, Limit, ParseLimitError, TimeControl, Timed, parse_movetime, respects};
pub use lock::lock;
pub use log::UciLogs;
pub use named_files::{FileChanged, NamedFiles, check_unchanged};
pub use options::{DeclaredOption, OptionError, OptionKind, check_option};
pub use output_layer::{OutputLayerError, is_offset, output_options, with_offsets};
pub use process::UciProcess;
pub mod printed;
pub use program_output::program_output;
pub use recipe::{Recipe as BuildRecipe, RecipeError, detected_build};
pub use reply::{Fault, FaultKind, Info, Reply, Score};
pub use resolve::{
    OptionArg, ParseOptionError, ResolveError, add_variants, look_up, resolve, resolve_all,
};
pub use revision::with_sources;
pub use spec::{EngineSpec, Program, Protocol, Revision};
pub use start::{StartAgain, start, start_unchanged};
pub use xboard::{NO_NODE_LIMIT, XboardProcess};
