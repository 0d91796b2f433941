//! A distribution of random landscapes, on which tuners are developed and compared.
//!
//! A list of landscapes is soon known by heart; a distribution is not. [`draw`] gives landscape
//! number `seed` of it. Half of the seeds (the odd ones) serve to choose constants, the even ones to
//! report results.
//!
//! | property | distribution |
//! |---|---|
//! | start | 10 to 150 Elo below the optimum, log-uniform; each value uniform in the middle 80 %, drawn again where that needs a curvature above 3,000 |
//! | optimum | uniform in the middle 70 %; one in eight at a bound or up to 20 % of the range beyond |
//! | curvatures | log-uniform, condition number up to 1,000; one parameter in eight does not matter (`--idle`) |
//! | rotations | in half of the landscapes: as many plane rotations as parameters |
//! | skew | up to 0.45; bends in a quarter of the parameters, up to 1; a dead zone in one of ten |
//! | values | integers (a third), integers with 3 to 16 values (a fifth), real numbers |
//! | tail | linear beyond 100 to 400 Elo |
//! | further optimum | in one landscape of eight, 3 to 30 Elo below the global one |
//! | cliff | in one landscape of six: 100 to 600 Elo lost beyond a value |
//! | draws | 20 to 95 % between equal engines; in a quarter, they depend on the place |
//!
//! These are hills that a tuner can climb. Real strength often is none: it saturates, a parameter
//! only hurts, or the start is the best there is. Such landscapes are [`Shape`]s of the same family.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::landscape::{Axis, Cliff, DrawModel, Landscape, Optimum};
use super::space::Kind;
use harness_stats::random;

/// Shape of the landscapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Shape {
    /// Hills with the start on a slope.
    #[default]
    Hill,
    /// The loss approaches a ceiling, 1.1 to 3 times what the start lacks.
    Saturating,
    /// Half of the parameters, one at least, hurt up to four times as much on one side and 0 to 0.3
    /// times as much on the other; half of these are best at the bound of the side that hardly hurts.
    OneSided,
    /// The start is at the optimum.
    AtOptimum,
    /// Each of the three with a probability of a half, one at least.
    Mixed,
}

/// Modification of one landscape by its [`Shape`].
#[derive(Clone, Copy, Debug, Default)]
struct Traits {
    saturates: bool,
    one_sided: bool,
    at_optimum: bool,
}

impl Shape {
    fn traits(self, random: &mut Pcg64Mcg) -> Traits {
        let none = Traits::default();
        match self {
            Shape::Hill => none,
            Shape::Saturating => Traits { saturates: true, ..none },
            Shape::OneSided => Traits { one_sided: true, ..none },
            Shape::AtOptimum => Traits { at_optimum: true, ..none },
            Shape::Mixed => {
                let drawn = random.random_range(1..8_u8);
                let [saturates, one_sided, at_optimum] = [1, 2, 4].map(|bit| drawn & bit != 0);
                Traits { saturates, one_sided, at_optimum }
            }
        }
    }
}

/// Share of the parameters that do not matter, usually.
pub const IDLE: f64 = 0.125;
/// Starts that are tried for a curvature below the bound.
const MAX_STARTS: usize = 1_000;
/// Bound on the curvature along an axis, in Elo a squared range.
const STEEPEST: f64 = 3_000.0;

/// A random landscape of this many parameters, of which each does not matter with the probability
/// `idle` (usually [`IDLE`]), and the model of its games.
pub fn draw(dimension: usize, seed: u64, idle: f64, shape: Shape) -> (Landscape, DrawModel) {
    let mut random = random::stream("landscape", seed, dimension as u64);
    // Of its own, so that the hills are the same whatever the shapes.
    let mut bends = random::stream("shape", seed, dimension as u64);
    let traits = shape.traits(&mut bends);
    let mut params: Vec<Axis> =
        (0..dimension).map(|i| axis(i, dimension, idle, &mut random)).collect();
    // One parameter at least matters.
    params[0].k = 1.0;
    if traits.one_sided {
        one_sided(&mut params, &mut bends);
    }
    let mut landscape = Landscape {
        name: format!("R{dimension}-{seed}"),
        softening: log_uniform(100.0, 400.0, &mut random),
        ceiling: 0.0,
        form: form(&params, &mut random),
        params,
        interactions: Vec::new(),
        others: Vec::new(),
        cliffs: Vec::new(),
        best: 0.0,
        draw_slope: if random.random_bool(0.25) { random.random_range(-0.8..0.8) } else { 0.0 },
    };
    let gap = log_uniform(10.0, 150.0, &mut random);
    if traits.saturates {
        landscape.ceiling = gap * bends.random_range(1.1..3.0);
        // Beyond the range, the best candidate would saturate as well.
        for axis in &mut landscape.params {
            axis.opt = axis.opt.clamp(axis.min, axis.max);
        }
    }
    let further = random.random_bool(0.125);
    let unscaled = landscape.form.clone();
    for _ in 0..MAX_STARTS {
        scale_to_gap(&mut landscape, gap, &unscaled);
        let steepest = (0..dimension).map(|i| landscape.form[i][i]).fold(0.0, f64::max);
        if steepest < STEEPEST {
            break;
        }
        for axis in &mut landscape.params {
            axis.start = within(axis, 0.1, 0.9, &mut random);
        }
    }
    if further {
        let place = landscape.params.iter().map(|axis| within(axis, 0.1, 0.9, &mut random));
        let place = place.collect();
        let below = log_uniform(3.0, 30.0, &mut random);
        let curvature = log_uniform(0.5, 3.0, &mut random);
        landscape.others.push(Optimum { place, below, curvature });
    }
    if random.random_bool(1.0 / 6.0) {
        landscape.cliffs.extend(cliff(&landscape.params, &mut random));
    }
    if traits.at_optimum {
        start_at_optimum(&mut landscape);
    }
    (landscape, draws(random.random_range(0.2..0.95)))
}

/// Makes some of the parameters, the first one among them, hurt on one side more than on the other.
fn one_sided(params: &mut [Axis], random: &mut Pcg64Mcg) {
    for (number, axis) in params.iter_mut().enumerate() {
        if number > 0 && random.random() {
            continue;
        }
        let hurts = log_uniform(1.0, 4.0, random);
        let other = if random.random_bool(0.25) { 0.0 } else { log_uniform(0.01, 0.3, random) };
        // An optimum beyond the range would leave one side alone, perhaps the flat one.
        let at_bound = random.random() || axis.opt <= axis.min || axis.opt >= axis.max;
        let below: bool = random.random();
        axis.sides = if below { [hurts, other] } else { [other, hurts] };
        if at_bound {
            axis.opt = if below { axis.max } else { axis.min };
        }
    }
}

/// Makes the best candidate the start.
fn start_at_optimum(landscape: &mut Landscape) {
    let best = landscape.optimum();
    for (axis, best) in landscape.params.iter_mut().zip(&best) {
        // The search for the optimum of integers may end between two of them.
        axis.start = if axis.kind == Kind::Integer { (best + 0.5).floor() } else { *best };
    }
    landscape.best = landscape.elo(&best);
}

fn log_uniform(low: f64, high: f64, random: &mut Pcg64Mcg) -> f64 {
    low * (high / low).powf(random.random::<f64>())
}

/// A value between two shares of a range, allowed by the parameter's kind.
fn within(axis: &Axis, low: f64, high: f64, random: &mut Pcg64Mcg) -> f64 {
    let value = axis.min + random.random_range(low..high) * (axis.max - axis.min);
    if axis.kind == Kind::Integer { value.round() } else { value }
}

fn axis(number: usize, dimension: usize, idle: f64, random: &mut Pcg64Mcg) -> Axis {
    let (kind, max) = match random.random::<f64>() {
        x if x < 0.2 => (Kind::Integer, random.random_range(2..=15) as f64),
        x if x < 0.53 => (Kind::Integer, log_uniform(30.0, 3000.0, random).round()),
        _ => (Kind::Real, 1.0),
    };
    let bent = dimension > 1 && random.random_bool(0.25);
    let mut axis = Axis {
        name: format!("p{number:02}"),
        kind,
        min: 0.0,
        max,
        start: 0.0,
        opt: 0.0,
        k: if random.random_bool(idle) { 0.0 } else { 1.0 },
        skew: random.random_range(-0.45..0.45),
        sides: [1.0; 2],
        dead: if random.random_bool(0.1) { random.random_range(0.02..0.1) } else { 0.0 },
        bend: if bent { random.random_range(-1.0..1.0) } else { 0.0 },
        bend_from: if bent {
            ((number + random.random_range(1..dimension)) % dimension) as i64
        } else {
            -1
        },
    };
    axis.start = within(&axis, 0.1, 0.9, random);
    axis.opt = within(&axis, 0.15, 0.85, random);
    if random.random_bool(0.125) {
        let beyond = random.random_range(0.0..0.2) * max;
        axis.opt = if random.random() { -beyond } else { max + beyond };
    }
    axis
}

/// The quadratic form: curvatures, rotated in half of the draws.
fn form(params: &[Axis], random: &mut Pcg64Mcg) -> Vec<Vec<f64>> {
    let d = params.len();
    let condition = log_uniform(3.0, 1000.0, random);
    let mut form = vec![vec![0.0; d]; d];
    for (i, axis) in params.iter().enumerate() {
        form[i][i] = axis.k * log_uniform(1.0, condition, random);
    }
    if random.random_bool(0.5) && d > 1 {
        for _ in 0..d {
            let i = random.random_range(0..d);
            let j = (i + random.random_range(1..d)) % d;
            let (sin, cos) = random.random_range(-0.8..0.8_f64).sin_cos();
            if params[i].k > 0.0 && params[j].k > 0.0 {
                rotate(&mut form, i, j, sin, cos);
            }
        }
    }
    form
}

/// Rotates a symmetric form in the plane of two axes.
fn rotate(form: &mut [Vec<f64>], i: usize, j: usize, sin: f64, cos: f64) {
    for row in form.iter_mut() {
        let a = row[i];
        let b = row[j];
        (row[i], row[j]) = (cos * a - sin * b, sin * a + cos * b);
    }
    let Ok([first, second]) = form.get_disjoint_mut([i, j]) else { return };
    for (x, y) in first.iter_mut().zip(second) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
}

/// Scales the form so that the start is `gap` below the best candidate in the ranges.
fn scale_to_gap(landscape: &mut Landscape, gap: f64, unscaled: &[Vec<f64>]) {
    let start: Vec<f64> = landscape.params.iter().map(|axis| axis.start).collect();
    let mut low = 1e-3_f64;
    let mut high = 1e6_f64;
    for _ in 0..40 {
        let scale = (low * high).sqrt();
        for (row, from) in landscape.form.iter_mut().zip(unscaled) {
            for (value, from) in row.iter_mut().zip(from) {
                *value = scale * from;
            }
        }
        landscape.best = landscape.elo(&landscape.optimum());
        if landscape.gap(&start) < gap { low = scale } else { high = scale }
    }
}

/// A cliff beyond both the start and the optimum.
fn cliff(params: &[Axis], random: &mut Pcg64Mcg) -> Option<Cliff> {
    let parameter = random.random_range(0..params.len());
    let axis = &params[parameter];
    let above = random.random();
    let share = random.random_range(0.2..0.7);
    let value = if above {
        let from = axis.start.max(axis.opt);
        from + share * (axis.max - from)
    } else {
        let from = axis.start.min(axis.opt);
        from - share * (from - axis.min)
    };
    let drop = log_uniform(100.0, 600.0, random);
    (axis.min < value && value < axis.max).then_some(Cliff { parameter, value, above, drop })
}

/// The draw model with this share of draws between equal engines, in openings that favour White.
fn draws(share: f64) -> DrawModel {
    let mut model = DrawModel {
        drawelo: 0.0,
        bias: vec![60.0, 140.0, 220.0],
        bias_p: vec![0.25, 0.5, 0.25],
        scale: 1.0,
    };
    let mut low = 0.0;
    let mut high = 2000.0;
    for _ in 0..40 {
        model.drawelo = 0.5 * (low + high);
        if model.draw_rate() < share { low = model.drawelo } else { high = model.drawelo }
    }
    // The slope of the score at equality becomes that of logistic Elo.
    model.scale = std::f64::consts::LN_10 / 1600.0 / (model.score(1.0) - 0.5);
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_landscape_of_the_family_is_as_it_is_described() {
        for (dimension, seed) in (1..20).flat_map(|seed| [(2, seed), (12, seed)]) {
            let (landscape, model) = draw(dimension, seed, IDLE, Shape::Hill);
            let space = landscape.space().expect("valid ranges");
            assert_eq!(space.dimension(), dimension);
            // The gap is set before further optima and cliffs are added, which can only raise the
            // start or leave it.
            let gap = landscape.gap(&space.start());
            assert!(gap < 151.0, "{}: {gap}", landscape.name);
            if landscape.others.is_empty() {
                assert!(gap > 9.0, "{}: {gap}", landscape.name);
            }
            assert!((0.19..0.96).contains(&model.draw_rate()), "{}", model.draw_rate());
            let again = draw(dimension, seed, IDLE, Shape::Hill).0;
            assert_eq!(landscape.form, again.form);
        }
    }

    #[test]
    fn the_other_shapes_are_as_they_are_described() {
        for (dimension, seed) in (1..20).flat_map(|seed| [(2, seed), (12, seed)]) {
            let of = |shape| draw(dimension, seed, IDLE, shape).0;
            let start = |landscape: &Landscape| landscape.space().expect("valid ranges").start();
            let hill = of(Shape::Hill);
            let at_optimum = of(Shape::AtOptimum);
            let gap = at_optimum.gap(&start(&at_optimum));
            assert!(gap.abs() < 1e-6 && at_optimum.form == hill.form, "{}: {gap}", hill.name);
            let saturating = of(Shape::Saturating);
            let gap = saturating.gap(&start(&saturating));
            assert!(gap < 1.01 * saturating.ceiling && saturating.ceiling < 450.0, "{gap}");
            let one_sided = of(Shape::OneSided);
            let [low, high] = one_sided.params[0].sides;
            assert!(low.min(high) <= 0.3 && low.max(high) >= 1.0, "{low} {high}");
            let mixed = of(Shape::Mixed);
            let is_hill = mixed.ceiling == 0.0
                && mixed.params[0].sides == [1.0; 2]
                && start(&mixed) == start(&hill);
            assert!(!is_hill, "{}", mixed.name);
        }
    }
}
