//! A tuned output layer as a network file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::Deserialize;
use thiserror::Error;

use super::Plan;
use engine::eval::{EvalFile, Loaded};
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_base::text::path::encode_path;
use harness_ledger::{Run, RunFacts};
use harness_outcome::TuneSummary;
use harness_player::{
    DeclaredOption, EngineSpec, OutputLayerError, is_offset, output_options, with_offsets,
};

/// The file in a run's folder.
const FILE: &str = "network.nnue";

/// A network that is not there or cannot be written.
#[derive(Debug, Error, Diagnostic)]
pub enum NetworkFileError {
    /// `EvalFile` holds no network.
    #[error("the network `{0}`: {1}")]
    Unreadable(EvalFile, #[source] engine::eval::nnue::FileError),
    /// The evaluation has no network.
    #[error("the hand-crafted evaluation has no output layer")]
    #[diagnostic(help("`options: {{ EvalFile: NETWORK }}` names the network to tune"))]
    Classical,
    /// Offsets that do not fit the network.
    #[error(transparent)]
    Offsets(#[from] OutputLayerError),
    /// The plan is of another version.
    #[error("the run's plan is not one of this version: {0}")]
    Plan(#[from] serde_json::Error),
    /// The file cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Unwritable(PathBuf, #[source] std::io::Error),
}

/// The options of the output layer of the network of an engine; none with the hand-crafted evaluation.
pub(super) fn options_of(engine: &EngineSpec) -> Result<Vec<DeclaredOption>, NetworkFileError> {
    match load(engine) {
        Ok(loaded) => Ok(output_options(&loaded.network)),
        Err(NetworkFileError::Classical) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn load(engine: &EngineSpec) -> Result<Loaded, NetworkFileError> {
    let named = engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("EvalFile"));
    let parsed = named.map_or(Ok(EvalFile::DEFAULT), |(_, value)| value.parse());
    let file = parsed.unwrap_or(EvalFile::DEFAULT);
    let loaded = file.load().map_err(|error| NetworkFileError::Unreadable(file, error))?;
    loaded.ok_or(NetworkFileError::Classical)
}

/// Writes the network that a run tuned, with these values of its parameters.
///
/// # Errors
/// When the run's plan is not one of this version, there is no network, the values do not fit it, or the
/// file cannot be written.
pub fn write_tuned_network(
    run: &RunFacts,
    values: &BTreeMap<String, String>,
    path: &Path,
) -> Result<(), NetworkFileError> {
    let plan = Plan::deserialize(&run.plan)?;
    write_network(path, &plan.engine, values, &run.id)
}

/// Writes the network of an engine with offsets of its output layer; other values are passed over.
fn write_network(
    path: &Path,
    engine: &EngineSpec,
    values: &BTreeMap<String, String>,
    run: &str,
) -> Result<(), NetworkFileError> {
    let Loaded { network, note } = load(engine)?;
    let tuned = with_offsets(&network, values)?;
    let offsets = values.iter().filter(|(name, value)| is_offset(name) && *value != "0").count();
    let note = format!("{note}\noutput layer tuned by games: {offsets} offsets of run {run}");
    write_atomically(path, &tuned.to_bytes(note.trim_start()))
        .map_err(|source| NetworkFileError::Unwritable(path.to_owned(), source))
}

/// Writes the network of the values found into the run's folder, if the run tunes one; its path.
pub(super) fn keep_network(
    run: &Run,
    plan: &Plan,
    summary: &TuneSummary,
) -> Result<Option<String>, Failure> {
    if !summary.candidate.keys().any(|name| is_offset(name)) {
        return Ok(None);
    }
    let path = run.folder().join(FILE);
    write_network(&path, &plan.engine, &summary.candidate, run.id()).or_failed()?;
    Ok(Some(encode_path(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_network_has_the_offsets_and_says_where_they_come_from() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.nnue");
        let values = [("network.output.bias.2", "5"), ("network.output.weight.9", "0")];
        let values: BTreeMap<String, String> =
            values.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let engine = EngineSpec::builtin("builtin");
        write_network(&path, &engine, &values, "r1").expect("written");
        let read = engine::eval::nnue::Network::read_with_note(&path).expect("a network");
        assert!(read.1.ends_with("1 offsets of run r1"), "{}", read.1);
        let before = load(&engine).expect("the default").network.weights();
        let after = read.0.weights();
        let bias =
            |weights: &engine::eval::nnue::Weights| weights.0.last().expect("a layer").biases[2];
        assert_eq!(bias(&after) - bias(&before), 5);

        let mut classical = engine.clone();
        classical.options.insert("evalfile".to_owned(), "classical".to_owned());
        assert!(options_of(&classical).expect("none").is_empty());
        assert!(matches!(
            write_network(&path, &classical, &values, "r1"),
            Err(NetworkFileError::Classical)
        ));
        classical.options.insert("evalfile".to_owned(), folder.path().display().to_string());
        assert!(options_of(&classical).expect_err("a folder").to_string().contains("the network"));
    }
}
