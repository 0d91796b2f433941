//! Training data as rows of 32 bytes, those of a `.marlin` file.

use std::ops::ControlFlow;
use std::path::PathBuf;

use harness::data::bulk::Workspace;
use harness::data::filter::Filters;
use harness::data::formats::Writer;
use harness::data::formats::board::{SIZE, squares, unpack};
use harness::data::sources::Source;
use harness::data::view::{NO_SCORE, rows, view};
use harness::failure::{Failure, OrFail};
use harness::outcome::positions::Counts;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use rayon::prelude::*;

use crate::buffer::Buffer;
use crate::failure::{UsageError, exception};

/// Memory for positions when each is taken once; what does not fit is on disk meanwhile.
const MEMORY: u64 = 1 << 30;

/// The positions that the filters keep, each once with `unique`, and their counts.
#[pyfunction]
fn collect<'py>(
    py: Python<'py>,
    sources: Vec<String>,
    reports: PathBuf,
    filters: &Bound<'py, PyAny>,
    unique: bool,
) -> PyResult<(Buffer, Bound<'py, PyAny>)> {
    let filters = wanted(filters)?;
    let (rows, counts) = reading(py, |progress| {
        let sources = Source::find_all(&sources, &reports)?;
        let folder = std::env::temp_dir();
        let unique = unique.then_some(Workspace { memory: MEMORY, folder: &folder });
        Ok(rows(&sources, &filters, unique, progress)?)
    })?;
    Ok((Buffer::new(rows), pythonize(py, &counts)?))
}

/// Writes the positions that the filters keep to a file, each once with `unique`; their counts.
#[pyfunction]
fn write<'py>(
    py: Python<'py>,
    sources: Vec<String>,
    reports: PathBuf,
    filters: &Bound<'py, PyAny>,
    unique: bool,
    output: PathBuf,
) -> PyResult<Bound<'py, PyAny>> {
    let filters = wanted(filters)?;
    let counts = reading(py, |progress| {
        let sources = Source::find_all(&sources, &reports)?;
        let writer = Writer::create(&output).or_usage()?;
        let folder = output.parent().unwrap_or(&output);
        let unique = unique.then_some(Workspace { memory: MEMORY, folder });
        Ok(view(&sources, &filters, writer, unique, progress)?)
    })?;
    Ok(pythonize(py, &counts)?)
}

/// The filters of keywords; a wrong name or value is the caller's.
fn wanted(filters: &Bound<'_, PyAny>) -> PyResult<Filters> {
    depythonize(filters).map_err(|error| UsageError::new_err(format!("filters: {error}")))
}

/// Reads without the interpreter lock; a signal (Ctrl-C) ends it.
fn reading<T: Send>(
    py: Python<'_>,
    read: impl FnOnce(&mut dyn FnMut(&Counts) -> ControlFlow<()>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let mut raised = None;
    let result = py.detach(|| {
        read(&mut |_| match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        })
    });
    match raised {
        Some(error) => Err(error),
        None => result.map_err(exception),
    }
}

/// Copies rows that Python has.
pub fn copied(py: Python<'_>, rows: &PyBuffer<u8>) -> PyResult<Vec<[u8; SIZE]>> {
    let count = rows.item_count();
    if !count.is_multiple_of(SIZE) {
        let text = format!("{count} bytes are no rows of {SIZE} bytes");
        return Err(UsageError::new_err(text));
    }
    let mut copy = vec![[0; SIZE]; count / SIZE];
    rows.copy_to_slice(py, copy.as_flattened_mut())?;
    Ok(copy)
}

/// The pieces of rows: 64 numbers a position.
#[pyfunction]
fn boards(py: Python<'_>, rows: PyBuffer<u8>) -> PyResult<Buffer> {
    let rows = copied(py, &rows)?;
    let boards = py.detach(|| {
        let pieces = rows.par_iter().flat_map_iter(|row| squares(row).map(i8::cast_unsigned));
        pieces.collect::<Vec<u8>>()
    });
    Ok(Buffer::new(boards))
}

/// The positions of rows as FEN.
#[pyfunction]
fn fens(py: Python<'_>, rows: PyBuffer<u8>) -> PyResult<Vec<String>> {
    let rows = copied(py, &rows)?;
    let fens = py.detach(|| {
        let fen = |(number, row)| match unpack(row) {
            Ok((position, _)) => Ok(position.fen(false)),
            Err(error) => Err(format!("row {number}: {error}")),
        };
        rows.par_iter().enumerate().map(fen).collect::<Result<Vec<String>, String>>()
    });
    fens.map_err(UsageError::new_err)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Buffer>()?;
    module.add("NO_SCORE", NO_SCORE)?;
    module.add_function(wrap_pyfunction!(collect, module)?)?;
    module.add_function(wrap_pyfunction!(write, module)?)?;
    module.add_function(wrap_pyfunction!(boards, module)?)?;
    module.add_function(wrap_pyfunction!(fens, module)?)
}
