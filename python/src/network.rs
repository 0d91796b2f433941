//! The engine's static evaluation, of many positions at once.

use std::str::FromStr;

use engine::board::Position;
use engine::eval::{EvalFile, Evaluation, Evaluator};
use harness::data::formats::board::unpack;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::buffer::Buffer;
use crate::data::copied;
use crate::failure::{RunError, UsageError};

/// An evaluation: a network, or the hand-crafted terms.
#[pyclass(frozen, module = "tench._tench")]
pub struct Network {
    evaluation: Evaluation,
    /// The architecture with its sizes, and the note in the file.
    #[pyo3(get)]
    architecture: String,
    #[pyo3(get)]
    note: String,
}

#[pymethods]
impl Network {
    /// What the engine's option `EvalFile` takes: a file, `embedded` or `classical`.
    #[new]
    fn new(file: &str) -> PyResult<Network> {
        let Ok(choice) = EvalFile::from_str(file);
        let loaded = choice.load().map_err(|error| {
            let text = error.to_string();
            RunError::new_err(if text.contains(file) { text } else { format!("{file}: {text}") })
        })?;
        let described =
            loaded.as_ref().map(|it| (it.network.shape().to_string(), it.note.to_string()));
        let (architecture, note) =
            described.unwrap_or_else(|| ("classical".to_owned(), String::new()));
        Ok(Network { evaluation: Evaluation::new(loaded.map(|it| it.network)), architecture, note })
    }

    /// Centipawns for the side to move.
    fn evaluate(&self, py: Python<'_>, fens: Vec<String>) -> PyResult<Buffer> {
        let values = py.detach(|| {
            self.each(&fens, |number, fen| {
                Position::from_fen(fen)
                    .map_err(|error| format!("position {number}, {fen}: {error}"))
            })
        });
        values.map_err(UsageError::new_err)
    }

    /// The same of rows of 32 bytes.
    fn evaluate_rows(&self, py: Python<'_>, rows: PyBuffer<u8>) -> PyResult<Buffer> {
        let rows = copied(py, &rows)?;
        let values = py.detach(|| {
            self.each(&rows, |number, row| match unpack(row) {
                Ok((position, _)) => Ok(position),
                Err(error) => Err(format!("row {number}: {error}")),
            })
        });
        values.map_err(UsageError::new_err)
    }
}

impl Network {
    /// Evaluates all, in parallel.
    fn each<T: Sync>(
        &self,
        items: &[T],
        position: impl Fn(usize, &T) -> Result<Position, String> + Sync,
    ) -> Result<Buffer, String> {
        let value = |evaluation: &mut Evaluation, (number, item)| {
            Ok(evaluation.evaluate(&position(number, item)?))
        };
        let values = items.par_iter().enumerate().map_init(|| self.evaluation.clone(), value);
        Ok(Buffer::of_i32(&values.collect::<Result<Vec<i32>, String>>()?))
    }
}

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Network>()
}
