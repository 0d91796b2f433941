//! The compiled part of the Python module `tench`.
//!
//! Thin glue over the library `harness`, one file a subject: arguments come in as Python has them,
//! results go out as plain dictionaries, numbers and buffers. The classes that users see, with their
//! types and documentation, are in `tench/*.py`.

mod buffer;
mod commands;
mod data;
mod failure;
mod network;
mod runs;
mod stats;
mod tuner;

use pyo3::prelude::*;

/// The compiled part of `tench`.
#[pymodule]
#[pyo3(name = "_tench")]
fn tench(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    failure::register(module)?;
    stats::register(module)?;
    runs::register(module)?;
    commands::register(module)?;
    tuner::register(module)?;
    data::register(module)?;
    network::register(module)
}
