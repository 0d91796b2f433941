//! The speed that time limits are scaled to on workers of different speeds.

use std::path::Path;

use crate::games::cores;
use harness_base::files::write_atomically;
use harness_base::session::Scaling;
use harness_cluster::ClusterError;
use harness_cluster::speed::Speed;
use harness_ledger::Run;
use harness_player::Limit;

/// File of a run's folder with the speed that its time limits are scaled to.
const REFERENCE: &str = "reference-speed";

/// The speed that the time limits of a run are scaled to; `None`: to nothing, or it has none. It is
/// decided when workers first play the run; a resumed one continues with it.
///
/// # Errors
/// When it cannot be kept.
pub fn reference(
    run: &Run,
    scaling: Scaling,
    limits: &[Limit],
) -> Result<Option<f64>, ClusterError> {
    if limits.iter().all(|limit| limit.time().is_none()) {
        return Ok(None);
    }
    let path = run.folder().join(REFERENCE);
    if path.is_file() {
        return Ok(kept_reference(run.folder()));
    }
    let speed = measured_reference(scaling, limits);
    let text = speed.map_or_else(|| "off".to_owned(), |speed| speed.to_string());
    write_atomically(&path, text.as_bytes())
        .map_err(|source| ClusterError::file("write", &path, source))?;
    Ok(speed)
}

/// The speed that time limits are scaled to from now on; `None`: to nothing, or there are none.
pub fn measured_reference(scaling: Scaling, limits: &[Limit]) -> Option<f64> {
    match scaling {
        _ if limits.iter().all(|limit| limit.time().is_none()) => None,
        Scaling::Off => None,
        Scaling::Here => Some(Speed::measured(cores()).nodes_a_second().round()),
        Scaling::To(speed) => Some(speed),
    }
}

/// The speed that the time limits of a run with this folder are scaled to, if they are.
pub fn kept_reference(folder: &Path) -> Option<f64> {
    std::fs::read_to_string(folder.join(REFERENCE)).ok()?.trim().parse().ok()
}
