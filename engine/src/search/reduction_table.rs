//! The table of base late move reductions.

use crate::params::Params;

/// The depth up to which reductions grow with the logarithm of the depth. Beyond it they grow more
/// slowly: base and divisor are tuned in games at a few thousand nodes per move, which hardly reach
/// higher depths; extrapolated, they miss tactics that a search of a second has time for.
const SHALLOW: f64 = 8.0;

/// Rows and columns of the table: larger depths and move counts have the reduction of the largest.
const SIZE: usize = 64;

/// Base late move reductions, in hundredths of a ply, by depth and move count.
pub(super) struct ReductionTable {
    /// The inputs of the table: base, divisor and growth beyond [`SHALLOW`], in hundredths.
    inputs: [i32; 3],
    table: Box<[[i16; SIZE]; SIZE]>,
}

impl ReductionTable {
    /// base + ln(depth) ln(moves) / divisor, with less of ln(depth) beyond [`SHALLOW`].
    pub fn new<P: Params>(params: &P) -> ReductionTable {
        let inputs = ReductionTable::inputs(params);
        let [base, divisor, deep] = inputs.map(|hundredths| f64::from(hundredths) / 100.0);
        let logarithms: [f64; SIZE] = std::array::from_fn(|number| (number as f64).ln());
        let shallow = SHALLOW.ln();
        let mut table = Box::new([[0; SIZE]; SIZE]);
        for (row, depth) in table.iter_mut().zip(&logarithms).skip(1) {
            let growth = depth.min(shallow) + deep * (depth - shallow).max(0.0);
            for (entry, moves) in row.iter_mut().zip(&logarithms).skip(1) {
                let plies = base + growth * moves / divisor;
                *entry = (100.0 * plies) as i16;
            }
        }
        ReductionTable { inputs, table }
    }

    /// Recomputes the table if its inputs have changed.
    pub fn update<P: Params>(&mut self, params: &P) {
        if self.inputs != ReductionTable::inputs(params) {
            *self = ReductionTable::new(params);
        }
    }

    fn inputs<P: Params>(params: &P) -> [i32; 3] {
        [params.lmr_base(), params.lmr_divisor(), params.lmr_deep()]
    }

    /// The reduction of a move, in hundredths of a ply.
    #[inline]
    pub fn get(&self, depth: i32, moves: usize) -> i32 {
        let last = SIZE - 1;
        i32::from(self.table[depth.clamp(0, last as i32) as usize][moves.min(last)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Fixed, Values};

    #[test]
    fn beyond_shallow_depths_reductions_grow_more_slowly() {
        let mut unbent = Values::default();
        unbent.set("lmr_deep", 100).expect("in its range");
        let mut reductions = ReductionTable::new(&unbent);
        let before = |depth: i32, moves: i32| {
            let [base, divisor] = [unbent.lmr_base(), unbent.lmr_divisor()].map(f64::from);
            (base + 10_000.0 * f64::from(depth).ln() * f64::from(moves).ln() / divisor) as i32
        };
        for depth in 1..SIZE as i32 {
            assert!((reductions.get(depth, 20) - before(depth, 20)).abs() <= 1, "{depth}");
        }
        reductions.update(&Fixed);
        for depth in 1..SIZE as i32 {
            let [now, was] = [reductions.get(depth, 20), before(depth, 20)];
            assert!(
                if f64::from(depth) <= SHALLOW { (now - was).abs() <= 1 } else { now < was },
                "{depth}"
            );
            assert!(reductions.get(depth - 1, 20) <= now, "{depth}");
        }
    }
}
