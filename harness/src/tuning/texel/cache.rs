//! Positions as sparse counts of the weights that are fitted, in flat arrays.

use engine::eval::{
    Coefficients, FULL_SCALE, Group, Handcrafted, PHASE_START, WEIGHTS, Weights, phase,
};

use engine::board::Color;

use crate::data::dataset::Sample;

/// How often a fitted weight counts: for White less for Black.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its place among the fitted weights.
    pub weight: u16,
    /// How often.
    pub count: i16,
}

/// What the evaluation of a position is made of besides its counts.
#[derive(Clone, Copy)]
pub struct Row {
    /// Where its entries end; they begin where those of the row before end.
    end: usize,
    /// What a middlegame centipawn is worth.
    mg: f32,
    /// What an endgame centipawn is worth, by phase and by the scale of the endgame.
    eg: f32,
    /// What no fitted weight changes, in centipawns for White.
    offset: f32,
    /// What White got.
    pub result: f32,
    /// What a search said, in centipawns for White; NaN: nothing.
    pub score: f32,
}

/// Positions with their counts.
#[derive(Default)]
pub struct Cache {
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

/// Middlegame and endgame value of a weight, in centipawns.
pub type Pair = [f64; 2];

/// All weights that the engine plays with, by number.
pub fn linked_weights() -> Vec<Pair> {
    let terms = WEIGHTS.terms().into_iter();
    terms.flat_map(|term| term.weights).map(|w| [f64::from(w.mg()), f64::from(w.eg())]).collect()
}

impl Row {
    /// The evaluation in centipawns for White.
    #[inline]
    fn value(&self, entries: &[Entry], weights: &[Pair]) -> f64 {
        let (mut mg, mut eg) = (0.0, 0.0);
        for entry in entries {
            let [weight_mg, weight_eg] = weights[usize::from(entry.weight)];
            let count = f64::from(entry.count);
            mg += count * weight_mg;
            eg += count * weight_eg;
        }
        f64::from(self.offset) + f64::from(self.mg) * mg + f64::from(self.eg) * eg
    }
}

impl Cache {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// In how many positions each of so many weights counts.
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

    /// Adds up the slopes by all weights of these positions: `slope` gets the row's number and
    /// evaluation, and gives the slope of its loss by the evaluation.
    pub fn slopes(
        &self,
        rows: std::ops::Range<usize>,
        weights: &[Pair],
        gradient: &mut [Pair],
        mut slope: impl FnMut(usize, f64) -> f64,
    ) {
        let mut begin = self.begin(rows.start);
        for number in rows {
            let row = &self.rows[number];
            let entries = &self.entries[begin..row.end];
            begin = row.end;
            let slope = slope(number, row.value(entries, weights));
            let (mg, eg) = (slope * f64::from(row.mg), slope * f64::from(row.eg));
            for entry in entries {
                let sum = &mut gradient[usize::from(entry.weight)];
                let count = f64::from(entry.count);
                sum[0] += mg * count;
                sum[1] += eg * count;
            }
        }
    }
}

/// Makes caches.
pub struct Builder {
    evaluator: Handcrafted,
    all: Vec<Pair>,
    /// By number of a weight, its place among the fitted ones.
    places: Vec<Option<u16>>,
}

impl Builder {
    /// For these weights, in order.
    pub fn new(fitted: &[usize]) -> Builder {
        let mut places = vec![None; Weights::COUNT];
        for (place, &number) in (0..).zip(fitted) {
            places[number] = Some(place);
        }
        Builder { evaluator: Handcrafted::new(), all: linked_weights(), places }
    }

    /// Adds a position, and gives its evaluation as the engine has it, for White.
    pub fn push(&mut self, sample: &Sample, cache: &mut Cache) -> i32 {
        let mut trace = Coefficients::new();
        let value = self.evaluator.evaluate_traced(&sample.position, &mut trace);
        let share = f64::from(phase(&sample.position)) / f64::from(PHASE_START);
        let scale = f64::from(trace.scale) / f64::from(FULL_SCALE);
        let (mg, eg) = (share, (1.0 - share) * scale);
        let mut fixed = fixed(&trace);
        let [black, white] = &trace.counts;
        for (number, (white, black)) in white.iter().zip(black).enumerate() {
            let count = white - black;
            match self.places[number] {
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

/// What no weight changes, for White.
fn fixed(trace: &Coefficients) -> Pair {
    let [black, white] = &trace.fixed;
    Group::ALL.iter().fold([0.0, 0.0], |sum, &group| {
        let (white, black) = (white[group as usize], black[group as usize]);
        [sum[0] + f64::from(white.mg() - black.mg()), sum[1] + f64::from(white.eg() - black.eg())]
    })
}
