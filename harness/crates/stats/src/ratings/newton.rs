//! The maximum of a concave log-likelihood, by Newton's method with a backtracking line search.

use super::matrix::Symmetric;

/// Bound on Newton's steps, of which far fewer are needed.
const MAX_STEPS: usize = 200;

/// The values that maximise `log_likelihood`, from `start` on; `derivatives` gives its gradient and
/// the Fisher information. `None` where the information is singular: the games do not determine the
/// values.
pub(crate) fn maximise(
    start: Vec<f64>,
    log_likelihood: impl Fn(&[f64]) -> f64,
    derivatives: impl Fn(&[f64]) -> (Vec<f64>, Symmetric),
) -> Option<Vec<f64>> {
    let mut values = start;
    let mut likelihood = log_likelihood(&values);
    for _ in 0..MAX_STEPS {
        let (gradient, information) = derivatives(&values);
        let step = information.factor()?.solve(&gradient);
        let largest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        // The likelihood is concave, so a short enough step raises it, up to rounding.
        let mut scale = 1.0;
        loop {
            let tried: Vec<f64> =
                values.iter().zip(&step).map(|(value, step)| value + scale * step).collect();
            let better = log_likelihood(&tried);
            if better >= likelihood || scale * largest < 1e-6 {
                (values, likelihood) = (tried, better);
                break;
            }
            scale /= 2.0;
        }
        if largest < 1e-10 {
            break;
        }
    }
    Some(values)
}
