//! Resources that a worker offers.

use std::path::PathBuf;

use super::sandbox::Sandbox;

/// Resources that a worker offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// Cores.
    pub cores: usize,
    /// Limit of an engine's memory in bytes; `None`: the run's.
    pub memory: Option<u64>,
    /// Dispersion of the speed above which time limits are not played here.
    pub most_noise: f64,
    /// The sandbox of engines.
    pub sandbox: Sandbox,
    /// Folder of engines and networks, by SHA-256.
    pub cache: PathBuf,
    /// Whether builds of engines may use the network.
    pub build_network: bool,
    /// Processors that other programs may use before this worker pauses; `None`: it never does.
    pub pause_above: Option<f64>,
    /// Folders of tablebases, separated as in PATH.
    pub syzygy: Option<String>,
}
