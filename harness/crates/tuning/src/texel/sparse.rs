//! Coefficients of the fitted weights by position, as sparse rows (CSR).

use engine::eval::{
    Coefficients, FULL_SCALE, Group, Handcrafted, PHASE_START, WEIGHTS, Weights, phase,
};

use engine::board::Color;

use harness_data::dataset::Sample;

/// A non-zero coefficient of a fitted weight: its count for White less that for Black.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Index among the fitted weights.
    pub weight: u16,
    /// The coefficient.
    pub count: i16,
}

/// The evaluation of a position besides its coefficients.
#[derive(Clone, Copy)]
pub struct Row {
    /// End of its entries; they begin at the end of the row before.
    end: usize,
    /// Factor of the middlegame value.
    mg: f32,
    /// Factor of the endgame value: phase and endgame scale.
    eg: f32,
    /// The part of the evaluation without fitted weights, in centipawns for White.
    offset: f32,
    /// Result for White, 0 to 1.
    pub result: f32,
    /// Search score in centipawns for White; NaN: none.
    pub score: f32,
}

/// Positions as rows of coefficients.
#[derive(Default)]
pub struct SparseRows {
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

/// Middlegame and endgame value of a weight, in centipawns.
pub type Pair = [f64; 2];

/// All weights of the linked engine, by number.
pub fn linked_weights() -> Vec<Pair> {
    let terms = WEIGHTS.terms().into_iter();
    terms.flat_map(|term| term.weights).map(|w| [f64::from(w.mg()), f64::from(w.eg())]).collect()
}

impl Row {
    /// The evaluation in centipawns for White.
    #[inline]
    fn value(&self, entries: &[Entry], weights: &[Pair]) -> f64 {
        let mut mg = 0.0;
        let mut eg = 0.0;
        for entry in entries {
            let [weight_mg, weight_eg] = weights[usize::from(entry.weight)];
            let count = f64::from(entry.count);
            mg += count * weight_mg;
            eg += count * weight_eg;
        }
        f64::from(self.offset) + f64::from(self.mg) * mg + f64::from(self.eg) * eg
    }
}

impl SparseRows {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of positions in which each of `weights` weights has a coefficient.
    pub fn occurrences(&self, weights: usize) -> Vec<u64> {
        let mut positions = vec![0; weights];
        for entry in &self.entries {
            positions[usize::from(entry.weight)] += 1;
        }
        positions
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn begin(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.rows[before].end)
    }

    /// The evaluation of a position in centipawns for White.
    pub fn value(&self, row: usize, weights: &[Pair]) -> f64 {
        let entries = &self.entries[self.begin(row)..self.rows[row].end];
        self.rows[row].value(entries, weights)
    }

    /// Adds the gradient of the loss over these positions: `derivative` maps a row's number and
    /// evaluation to the derivative of its loss by the evaluation.
    pub fn add_gradient(
        &self,
        rows: std::ops::Range<usize>,
        weights: &[Pair],
        gradient: &mut [Pair],
        mut derivative: impl FnMut(usize, f64) -> f64,
    ) {
        let mut begin = self.begin(rows.start);
        for number in rows {
            let row = &self.rows[number];
            let entries = &self.entries[begin..row.end];
            begin = row.end;
            let derivative = derivative(number, row.value(entries, weights));
            let mg = derivative * f64::from(row.mg);
            let eg = derivative * f64::from(row.eg);
            for entry in entries {
                let sum = &mut gradient[usize::from(entry.weight)];
                let count = f64::from(entry.count);
                sum[0] += mg * count;
                sum[1] += eg * count;
            }
        }
    }
}

/// Builds sparse rows.
pub struct Builder {
    evaluator: Handcrafted,
    all: Vec<Pair>,
    /// By number of a weight, its index among the fitted ones.
    fitted_index: Vec<Option<u16>>,
}

impl Builder {
    /// For these weights, in order.
    pub fn new(fitted: &[usize]) -> Builder {
        let mut fitted_index = vec![None; Weights::COUNT];
        for (place, &number) in (0..).zip(fitted) {
            fitted_index[number] = Some(place);
        }
        Builder { evaluator: Handcrafted::new(), all: linked_weights(), fitted_index }
    }

    /// Adds a position, and returns the engine's evaluation of it for White.
    pub fn push(&mut self, sample: &Sample, cache: &mut SparseRows) -> i32 {
        let mut trace = Coefficients::new();
        let value = self.evaluator.evaluate_traced(&sample.position, &mut trace);
        let share = f64::from(phase(&sample.position)) / f64::from(PHASE_START);
        let scale = f64::from(trace.scale) / f64::from(FULL_SCALE);
        let mg = share;
        let eg = (1.0 - share) * scale;
        let mut fixed = fixed(&trace);
        let [black, white] = &trace.counts;
        for (number, (white, black)) in white.iter().zip(black).enumerate() {
            let count = white - black;
            match self.fitted_index[number] {
                _ if count == 0 => {}
                // No count comes near the limit: the greatest are distances times pawns.
                Some(weight) => cache.entries.push(Entry { weight, count: count as i16 }),
                None => {
                    fixed[0] += f64::from(count) * self.all[number][0];
                    fixed[1] += f64::from(count) * self.all[number][1];
                }
            }
        }
        cache.rows.push(Row {
            end: cache.entries.len(),
            mg: mg as f32,
            eg: eg as f32,
            offset: (mg * fixed[0] + eg * fixed[1]) as f32,
            result: sample.result as f32,
            score: sample.score.map_or(f32::NAN, |score| score as f32),
        });
        if sample.position.side() == Color::White { value } else { -value }
    }
}

/// The evaluation without weights, for White.
fn fixed(trace: &Coefficients) -> Pair {
    let [black, white] = &trace.fixed;
    Group::ALL.iter().fold([0.0, 0.0], |sum, &group| {
        let white = white[group as usize];
        let black = black[group as usize];
        [sum[0] + f64::from(white.mg() - black.mg()), sum[1] + f64::from(white.eg() - black.eg())]
    })
}
