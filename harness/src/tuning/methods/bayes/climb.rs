//! Climbing to the nearest maximum of a smooth function within a box.

/// Steps are halved so often at most before the climb gives up.
const HALVINGS: usize = 20;
/// Share of the gain that the slope promises which a step has to make (L. Armijo).
const SUFFICIENT: f64 = 1e-4;

/// Climbs from `start` by at most `steps` steps of the spectral projected gradient method
/// (E. Birgin, J. Martínez and M. Raydan, "Nonmonotone spectral projected gradient methods on
/// convex sets", here monotone). `function` gives value and slope; the place stays within
/// `lower` and `upper`.
pub fn climb(
    start: Vec<f64>,
    (lower, upper): (&[f64], &[f64]),
    steps: usize,
    mut function: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> (Vec<f64>, f64) {
    let inside = |mut place: Vec<f64>| {
        for ((x, low), high) in place.iter_mut().zip(lower).zip(upper) {
            *x = x.clamp(*low, *high);
        }
        place
    };
    let mut place = inside(start);
    let (mut value, mut slope) = function(&place);
    let steepest = slope.iter().fold(0.0f64, |most, s| most.max(s.abs()));
    let mut stride = 0.1 / steepest.max(1e-12);
    for _ in 0..steps {
        let target = inside(place.iter().zip(&slope).map(|(x, s)| x + stride * s).collect());
        let way: Vec<f64> = target.iter().zip(&place).map(|(to, from)| to - from).collect();
        let promised = dot(&way, &slope);
        if promised.is_nan() || promised <= 1e-9 * (1.0 + value.abs()) {
            break;
        }
        let mut part = 1.0;
        let stepped = (0..HALVINGS).find_map(|_| {
            let next: Vec<f64> = place.iter().zip(&way).map(|(x, way)| x + part * way).collect();
            let (height, slope) = function(&next);
            let enough = height >= value + SUFFICIENT * part * promised;
            part *= 0.5;
            enough.then_some((next, height, slope))
        });
        let Some((next, height, next_slope)) = stepped else { break };
        let moved: Vec<f64> = next.iter().zip(&place).map(|(to, from)| to - from).collect();
        let turned: Vec<f64> = slope.iter().zip(&next_slope).map(|(was, is)| was - is).collect();
        let bend = dot(&moved, &turned);
        stride =
            if bend > 0.0 { (dot(&moved, &moved) / bend).clamp(1e-12, 1e12) } else { stride * 4.0 };
        (place, value, slope) = (next, height, next_slope);
    }
    (place, value)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The top of a tilted ridge lies outside the box: the climb ends at the wall beside it.
    #[test]
    fn a_climb_ends_at_the_top_or_at_the_wall_beside_it() {
        let ridge = |x: &[f64]| {
            let (a, b) = (x[0] - 0.3, x[1] - 2.0 * x[0]);
            (-a * a - 10.0 * b * b, vec![-2.0 * a + 40.0 * b, -20.0 * b])
        };
        let (top, height) = climb(vec![1.0, 0.0], (&[0.0; 2], &[1.0; 2]), 200, ridge);
        assert!((top[0] - 0.3).abs() < 1e-3 && (top[1] - 0.6).abs() < 1e-3, "{top:?}");
        assert!(height > -1e-6);
        let (top, _) = climb(vec![1.0, 0.0], (&[0.0; 2], &[1.0, 0.2]), 200, ridge);
        assert_eq!(top[1], 0.2);
        assert!((top[0] - 4.3 / 41.0).abs() < 1e-3, "{top:?}");
    }
}
