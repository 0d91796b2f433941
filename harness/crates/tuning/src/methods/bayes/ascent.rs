//! Projected gradient ascent of a smooth function within a box.

/// Bound on the halvings of a line search.
const HALVINGS: usize = 20;
/// Share of the linear gain that a step must reach (L. Armijo).
const SUFFICIENT: f64 = 1e-4;

/// Ascends from `start` by at most `steps` steps of the spectral projected gradient method (E.
/// Birgin, J. Martínez and M. Raydan, "Nonmonotone spectral projected gradient methods on convex
/// sets", here monotone). `function` returns value and gradient; the place stays within `lower` and
/// `upper`.
pub fn ascend(
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
    let (mut value, mut gradient) = function(&place);
    let largest = gradient.iter().fold(0.0f64, |most, s| most.max(s.abs()));
    let mut step_length = 0.1 / largest.max(1e-12);
    for _ in 0..steps {
        let target =
            inside(place.iter().zip(&gradient).map(|(x, s)| x + step_length * s).collect());
        let direction: Vec<f64> = target.iter().zip(&place).map(|(to, from)| to - from).collect();
        let linear_gain = dot(&direction, &gradient);
        if linear_gain.is_nan() || linear_gain <= 1e-9 * (1.0 + value.abs()) {
            break;
        }
        let mut fraction = 1.0;
        let stepped = (0..HALVINGS).find_map(|_| {
            let next: Vec<f64> = place
                .iter()
                .zip(&direction)
                .map(|(x, direction)| x + fraction * direction)
                .collect();
            let (value_there, gradient) = function(&next);
            let enough = value_there >= value + SUFFICIENT * fraction * linear_gain;
            fraction *= 0.5;
            enough.then_some((next, value_there, gradient))
        });
        let Some((next, value_there, next_gradient)) = stepped else { break };
        let moved: Vec<f64> = next.iter().zip(&place).map(|(to, from)| to - from).collect();
        let gradient_change: Vec<f64> =
            gradient.iter().zip(&next_gradient).map(|(was, is)| was - is).collect();
        let curvature = dot(&moved, &gradient_change);
        step_length = if curvature > 0.0 {
            (dot(&moved, &moved) / curvature).clamp(1e-12, 1e12)
        } else {
            step_length * 4.0
        };
        (place, value, gradient) = (next, value_there, next_gradient);
    }
    (place, value)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximum of a tilted ridge is outside the box: the ascent ends at the bound beside it.
    #[test]
    fn an_ascent_ends_at_the_maximum_or_at_the_bound_beside_it() {
        let ridge = |x: &[f64]| {
            let a = x[0] - 0.3;
            let b = x[1] - 2.0 * x[0];
            (-a * a - 10.0 * b * b, vec![-2.0 * a + 40.0 * b, -20.0 * b])
        };
        let (top, value_there) = ascend(vec![1.0, 0.0], (&[0.0; 2], &[1.0; 2]), 200, ridge);
        assert!((top[0] - 0.3).abs() < 1e-3 && (top[1] - 0.6).abs() < 1e-3, "{top:?}");
        assert!(value_there > -1e-6);
        let (top, _) = ascend(vec![1.0, 0.0], (&[0.0; 2], &[1.0, 0.2]), 200, ridge);
        assert_eq!(top[1], 0.2);
        assert!((top[0] - 4.3 / 41.0).abs() < 1e-3, "{top:?}");
    }
}
