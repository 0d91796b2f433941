//! How busy the machine is.

use std::thread;

use crate::platform::load_average;

/// Tolerated load above the number of processors: the harness itself is not idle.
const SLACK: f64 = 0.5;

/// A warning if more programs run than there are processors, which disturbs times and speeds; `None`
/// also if the load is unknown.
pub fn overload() -> Option<String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    overload_of(load_average()?, cores)
}

fn overload_of(load: f64, cores: usize) -> Option<String> {
    (load > cores as f64 + SLACK).then(|| {
        let noun = if cores == 1 { "core" } else { "cores" };
        format!("the load is {load:.1} on {cores} {noun}: other programs take time from the games")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overloaded_machine_gets_a_warning() {
        assert!(overload_of(5.21, 2).is_some_and(|text| text.contains("5.2 on 2 cores")));
        assert_eq!((overload_of(5.21, 8), overload_of(2.4, 2)), (None, None));
    }
}
