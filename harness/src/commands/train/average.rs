//! `harness train average`: the mean of networks' weights.

use std::path::PathBuf;

use clap::Args;
use engine::eval::nnue::{FileError, Network};
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use crate::context::Context;
use crate::data::StateError;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::{try_to_write, write_atomically};
use crate::text::path::encode_path;
use crate::training::average::average;

/// The mean of networks that were trained from the same one: every weight is the mean of theirs.
#[derive(Debug, Args)]
#[command(after_help = "\
Networks that started from one network and were trained on different data, or with different seeds,
have partly independent errors: their mean (a \"model soup\") can be stronger than the best of them,
and evaluates as fast as one. Do not expect it of networks that began with different random weights.

Examples:
  harness train average nets/a.nnue nets/b.nnue nets/c.nnue -o nets/mean.nnue
  harness sprt mean a --nodes 5000    # with `mean` and `a` in harness.yaml

For a configuration that is called average write `./average`.")]
pub struct AverageArgs {
    /// Networks of the same architecture and sizes.
    #[arg(value_name = "NETWORK.nnue", required = true, num_args = 2..)]
    networks: Vec<PathBuf>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE.nnue")]
    output: PathBuf,
}

/// A file that holds no network.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot average {}: {reason}", path.display())]
#[diagnostic(help("`harness train` makes networks: nets/NAME.nnue"))]
struct NoNetwork {
    path: PathBuf,
    reason: FileError,
}

/// Runs the command.
///
/// # Errors
/// When a file is no network, they differ in shape, or the mean cannot be written.
pub fn run(args: &AverageArgs, context: &Context) -> Result<Exit, Failure> {
    let AverageArgs { networks: paths, output } = args;
    try_to_write(output)?;
    let mut networks = Vec::with_capacity(paths.len());
    for path in paths {
        let read = Network::read(path);
        networks.push(read.map_err(|reason| NoNetwork { path: path.clone(), reason }).or_usage()?);
    }
    let mean = average(&networks).or_usage()?;
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let note = format!("mean of {}, by harness {}", names.join(", "), env!("CARGO_PKG_VERSION"));
    let unwritable = StateError::unusable_but("write", output, Some("name another path: -o"));
    write_atomically(output, &mean.to_bytes(&note)).map_err(unwritable).or_failed()?;
    let shape = mean.shape().to_string();
    let object =
        json!({ "network": shape, "networks": paths.len(), "files": [encode_path(output)] });
    context.show(&object, || {
        format!("Network {shape}, the mean of {}\n\nWritten: {}\n", paths.len(), output.display())
    })
}
