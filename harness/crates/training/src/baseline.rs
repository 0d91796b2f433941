//! The material baseline: the loss of an evaluation by material alone, which a network must beat.

use std::path::Path;

use super::batch::Objective;
use super::positions::PositionSet;
use harness_data::DataError;
use harness_data::bulk::{RowFile, RowWriter};
use harness_stats::logistic;

/// Bytes of a position's material balance and target.
const ROW: usize = 8;

/// The mean squared error of the expected score by material alone, `1 / (1 + exp(-k m))` with the
/// best `k` for these positions. `folder`: for a file without a name.
///
/// # Errors
/// When the positions cannot be read, or the disk is full.
pub fn material_loss(
    objective: &Objective,
    samples: &PositionSet,
    folder: &Path,
) -> Result<f64, DataError> {
    let rows = rows(objective, samples, folder)?;
    // Ternary search: the loss has one minimum.
    let mut low = 0.0;
    let mut high = 4.0;
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        if loss(&rows, low + third)? < loss(&rows, high - third)? {
            high -= third;
        } else {
            low += third;
        }
    }
    loss(&rows, (low + high) / 2.0)
}

/// The material balance and the target of each position.
fn rows(
    objective: &Objective,
    samples: &PositionSet,
    folder: &Path,
) -> Result<RowFile<ROW>, DataError> {
    let mut rows = RowWriter::create(folder)?;
    samples.each(&mut |sample| {
        let mut row = [0; ROW];
        row[..4].copy_from_slice(&sample.material().to_le_bytes());
        row[4..].copy_from_slice(&objective.target(sample).to_le_bytes());
        rows.push(&row)
    })?;
    rows.finish()
}

/// The mean squared error with a factor `k`.
fn loss(rows: &RowFile<ROW>, k: f64) -> Result<f64, DataError> {
    let mut sum = 0.0;
    rows.each(0..rows.count(), &mut |&[a, b, c, d, e, f, g, h]| {
        let material = f64::from(i32::from_le_bytes([a, b, c, d]));
        let error = logistic(k * material) - f64::from(f32::from_le_bytes([e, f, g, h]));
        sum += error * error;
        Ok(())
    })?;
    Ok(sum / rows.count().max(1) as f64)
}
