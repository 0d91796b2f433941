//! Engines that a command line names.

use crate::config::Config;
use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::player::{EngineSpec, OptionArg, resolve_all};

/// Engines with their options; names are those of this folder's `harness.yaml`.
///
/// # Errors
/// When there is no such engine, or an option names none.
pub fn engines(
    names: &[impl AsRef<str>],
    options: &[OptionArg],
    context: &Context,
) -> Result<Vec<EngineSpec>, Failure> {
    let config = Config::find().or_usage()?;
    Ok(resolve_all(names, &[], options, &config, context)?)
}

/// One engine, as [`engines`].
///
/// # Errors
/// As [`engines`].
pub fn engine(name: &str, options: &[OptionArg], context: &Context) -> Result<EngineSpec, Failure> {
    Ok(engines(&[name], options, context)?.remove(0))
}
