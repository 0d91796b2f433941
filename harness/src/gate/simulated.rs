//! How often the checks are wrong, by simulation with known truth. `harness/docs/gate.md` states the
//! rates that are held here.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::checks::{Verdict, judge_speed};
use super::config::{Speed, Sprt, Undecided};
use crate::stats::{Decision, Model, Pentanomial, mcnemar};
use crate::tuning::landscape::Landscapes;

/// Share of trials in which `fails` does.
///
/// Printed, too: `cargo test -p harness --lib gate::simulated -- --nocapture`.
fn share(what: &str, trials: u32, mut fails: impl FnMut(&mut SmallRng) -> bool) -> f64 {
    let mut rng = SmallRng::seed_from_u64(7);
    let failed = (0..trials).filter(|_| fails(&mut rng)).count();
    let share = failed as f64 / f64::from(trials);
    println!("{what}: {failed} of {trials} fail, {:.2} %", 100.0 * share);
    share
}

fn normal(rng: &mut SmallRng) -> f64 {
    let (a, b): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// The speed check, when the truth is `ratio` and each run has 2 % of noise of its own on top of a
/// machine that wanders by 10 %.
fn speed_fails(ratio: f64, rng: &mut SmallRng) -> bool {
    let speed = Speed::default();
    let (mut before, mut now) = (Vec::new(), Vec::new());
    for _ in 0..speed.runs {
        let machine = 1.5e6 * (0.1 * normal(rng)).exp();
        before.push(machine * (0.02 * normal(rng)).exp());
        now.push(ratio * machine * (0.02 * normal(rng)).exp());
    }
    judge_speed(&speed, &before, &now).expect("pairs").verdict == Verdict::Failed
}

#[test]
fn an_engine_that_is_as_fast_fails_as_rarely_as_stated_and_a_slow_one_is_caught() {
    let trials = 4000;
    let (at_the_bound, error) = (
        share("speed 0.97", trials, |rng| speed_fails(0.97, rng)),
        (0.01 * 0.99 / 4000_f64).sqrt(),
    );
    assert!(at_the_bound < 0.01 + 4.0 * error, "{at_the_bound}");
    assert!(share("speed 1.0", trials, |rng| speed_fails(1.0, rng)) < 0.002);
    assert!(share("speed 0.9", trials, |rng| speed_fails(0.9, rng)) > 0.99);
    assert!(share("speed 0.8", trials, |rng| speed_fails(0.8, rng)) > 0.999);
}

/// The suite check, when `moved` positions change sides by chance, each either way with the same
/// probability, and `lost` more are lost for good.
fn suite_fails(moved: u64, lost: u64, rng: &mut SmallRng) -> bool {
    let gained = (0..moved).filter(|_| rng.random::<bool>()).count() as u64;
    let lost = lost + moved - gained;
    lost > gained && mcnemar(gained, lost) < 0.05
}

#[test]
fn a_suite_fails_as_rarely_as_stated_and_eight_fewer_positions_are_caught() {
    // Nothing moves in an unchanged engine at fixed nodes.
    assert_eq!(share("suite, nothing moved", 10, |rng| suite_fails(0, 0, rng)), 0.0);
    for moved in [6, 12, 24, 40] {
        let alarms =
            share(&format!("suite, {moved} moved"), 20_000, |rng| suite_fails(moved, 0, rng));
        assert!(alarms < 0.025 + 0.003, "{moved} positions moved: {alarms}");
    }
    assert_eq!(share("suite, 8 lost", 10, |rng| suite_fails(0, 8, rng)), 1.0);
    let with_some_noise = share("suite, 8 lost and 4 moved", 20_000, |rng| suite_fails(4, 8, rng));
    assert!(with_some_noise > 0.65, "{with_some_noise}");
}

/// The SPRT of `harness gate init`, when the truth is this many Elo: does the check fail? The LLR
/// is looked at every eight pairs.
fn sprt_fails(elo: f64, rng: &mut SmallRng) -> bool {
    let settings = Sprt::default();
    let sprt = crate::stats::Sprt::new(Model::Normalized, settings.elo0, settings.elo1, 0.05, 0.05)
        .expect("bounds");
    let model = Landscapes::built_in().model;
    let mut counts = Pentanomial::default();
    while counts.games() < settings.max_games {
        let played = model.play(elo, 8, rng);
        counts.0.iter_mut().zip(played.0).for_each(|(all, more)| *all += more);
        match sprt.decide(&counts) {
            Some(Decision::Accepted) => return false,
            Some(Decision::Rejected) => return true,
            None => {}
        }
    }
    settings.undecided == Undecided::Fail
}

#[test]
fn an_engine_that_is_as_strong_fails_as_rarely_as_stated_and_thirty_elo_less_are_caught() {
    let trials = 400;
    let (alarms, error) = (
        share("sprt, 0 Elo", trials, |rng| sprt_fails(0.0, rng)),
        (0.05 * 0.95 / f64::from(trials)).sqrt(),
    );
    assert!(alarms < 0.05 + 3.0 * error, "{alarms}");
    let caught = share("sprt, -30 Elo", trials, |rng| sprt_fails(-30.0, rng));
    assert!(caught > 0.98, "{caught}");
}
