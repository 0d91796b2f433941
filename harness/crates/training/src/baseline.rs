//! The material baseline: the loss of an evaluation by material alone, which a network must beat.

use std::path::Path;

use super::batch::Objective;
use super::loss::{Loss, Target};
use super::positions::PositionSet;
use harness_data::DataError;
use harness_data::bulk::{RowFile, RowWriter};

/// Bytes of a position's material balance and target.
const ROW: usize = 12;

/// The loss by material alone, with the output `k m` for the best `k` for these positions. `folder`: for a
/// file without a name.
///
/// # Errors
/// When the positions cannot be read, or the disk is full.
pub fn material_loss(
    objective: &Objective,
    samples: &PositionSet,
    folder: &Path,
) -> Result<f64, DataError> {
    let rows = rows(objective.loss, samples, folder)?;
    let loss = |k| loss(objective.loss, &rows, k);
    // Ternary search: the loss has one minimum.
    let mut low = 0.0;
    let mut high = 4.0;
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        if loss(low + third)? < loss(high - third)? {
            high -= third;
        } else {
            low += third;
        }
    }
    loss((low + high) / 2.0)
}

/// The material balance and the target of each position.
fn rows(loss: Loss, samples: &PositionSet, folder: &Path) -> Result<RowFile<ROW>, DataError> {
    let mut rows = RowWriter::create(folder)?;
    samples.each(&mut |sample| {
        let Target { score, result } = loss.target(sample);
        let mut row = [0; ROW];
        row[..4].copy_from_slice(&sample.material().to_le_bytes());
        row[4..8].copy_from_slice(&score.to_le_bytes());
        row[8..].copy_from_slice(&result.to_le_bytes());
        rows.push(&row)
    })?;
    rows.finish()
}

/// The mean loss with a factor `k`.
fn loss(loss: Loss, rows: &RowFile<ROW>, k: f64) -> Result<f64, DataError> {
    let mut sum = 0.0;
    rows.each(0..rows.count(), &mut |row| {
        let word = |at: usize| [row[at], row[at + 1], row[at + 2], row[at + 3]];
        let [score, result] = [4, 8].map(|at| f32::from_le_bytes(word(at)));
        let output = k * f64::from(i32::from_le_bytes(word(0)));
        sum += f64::from(loss.of(output as f32, Target { score, result }).0);
        Ok(())
    })?;
    Ok(sum / rows.count().max(1) as f64)
}
