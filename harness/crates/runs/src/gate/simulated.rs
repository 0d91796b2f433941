//! How often the checks are wrong, by simulation with known truth. `harness/docs/gate.md` states the
//! rates that are held here.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::config::{Speed, Sprt, Undecided};
use super::speed::evaluate_all;
use harness_outcome::gate::Verdict;
use harness_stats::{Decision, Model, Pentanomial, mcnemar};
use harness_tuning::landscape::Landscapes;

/// Share of trials in which `fails` does.
///
/// Printed, too: `cargo test -p tench-harness --lib gate::simulated -- --nocapture`.
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

/// The speed check, when the truth is `ratio` and each run has `noise` of its own on top of a
/// machine that wanders by 10 %.
fn speed_verdict(ratio: f64, noise: f64, rng: &mut SmallRng) -> Verdict {
    let speed = Speed::default();
    let (mut before, mut now) = (Vec::new(), Vec::new());
    for _ in 0..speed.most_runs() {
        let machine = 1.5e6 * (0.1 * normal(rng)).exp();
        before.push(machine * (noise * normal(rng)).exp());
        now.push(ratio * machine * (noise * normal(rng)).exp());
    }
    evaluate_all(&speed, &before, &now).expect("pairs")
}

#[test]
fn an_engine_that_is_as_fast_fails_as_rarely_as_stated_and_a_slow_one_is_caught() {
    let trials = 4000;
    let share_of = |ratio: f64, noise: f64, verdict| {
        let what = format!("speed {ratio}, noise {noise}, {verdict:?}");
        share(&what, trials, |rng| speed_verdict(ratio, noise, rng) == verdict)
    };
    let at_the_bound = share_of(0.97, 0.02, Verdict::Failed);
    let error = (0.01 * 0.99 / 4000_f64).sqrt();
    assert!(at_the_bound < 0.01 + 4.0 * error, "{at_the_bound}");
    assert!(share_of(1.0, 0.02, Verdict::Failed) < 0.002);
    assert!(share_of(0.9, 0.02, Verdict::Failed) > 0.99);
    assert!(share_of(0.8, 0.02, Verdict::Failed) > 0.999);
    // The budget lets 2 % of noise come to a decision, but not 20 %, and noise alone is no pass.
    assert!(share_of(1.0, 0.02, Verdict::Undecided) < 0.002);
    assert!(share_of(0.97, 0.2, Verdict::Undecided) > 0.9);
    assert!(share_of(0.97, 0.2, Verdict::Failed) < 0.01 + 4.0 * error);
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

/// An SPRT, when the truth is this many Elo: does the check fail? The LLR is looked at every eight
/// pairs.
fn sprt_fails(settings: &Sprt, elo: f64, rng: &mut SmallRng) -> bool {
    let sprt =
        harness_stats::Sprt::new(Model::Normalized, settings.elo0, settings.elo1, 0.05, 0.05)
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
fn an_engine_that_is_as_strong_fails_as_rarely_as_stated_and_a_weaker_one_is_caught() {
    let trials = 400;
    let error = (0.05 * 0.95 / f64::from(trials)).sqrt();
    // The default, and what `harness gate init` writes.
    let sized = Sprt { elo0: -40.0, max_games: 600, ..Sprt::default() };
    for (settings, weaker) in [(Sprt::default(), -30.0), (sized, -60.0)] {
        let fails = |elo: f64| {
            let what = format!("sprt [{}, 0], {elo} Elo", settings.elo0);
            share(&what, trials, |rng| sprt_fails(&settings, elo, rng))
        };
        let alarms = fails(0.0);
        assert!(alarms < 0.05 + 3.0 * error, "{alarms}");
        let caught = fails(weaker);
        assert!(caught > 0.98, "{caught}");
    }
}
