//! Time limits on workers of different speeds.

use std::path::Path;

use harness::ledger::Ledger;

use super::{Cluster, started};
use crate::common::{json, shown};
use crate::needs::nats_server;

/// The tag of the first game of the last run in a reports folder.
fn time_control(reports: &Path) -> String {
    let games = Ledger::open(reports).expect("a ledger").games("last").expect("games");
    let (_, rest) = games[0].pgn.split_once("[TimeControl \"").expect("a tag");
    rest.split('"').next().expect("its value").to_owned()
}

#[test]
fn a_worker_scales_time_limits_to_the_reference_speed() {
    let Some((folder, mut cluster)) = started(&[]) else { return };
    let folder = folder.path();
    // Other tests run at the same time.
    cluster.work_with("one", "--max-noise 1000");
    let play = |more: &str| {
        let line = format!("match builtin builtin --games 2 --no-probe --json {more}");
        json(&cluster.command(&line).output().expect("it runs"))
    };
    // No machine is as slow as a thousand nodes a second: all play shorter games than that.
    let scaled = play("--tc 100+1 --reference-speed 1");
    assert_eq!(scaled["reference_nps"], 1000.0, "{scaled}");
    let control = time_control(&folder.join("reports"));
    let (base, increment) = control.split_once('+').expect("both");
    let [base, increment]: [f64; 2] = [base, increment].map(|it| it.parse().expect("a number"));
    assert!(base < 20.0 && base > 0.01, "{control}");
    // Rounded to a millisecond.
    assert!((base / 100.0 - increment).abs() < 0.001, "{control}");

    let plain = play("--tc 0.5+0.005 --no-scale");
    assert!(plain.get("reference_nps").is_none(), "{plain}");
    assert_eq!(time_control(&folder.join("reports")), "0.5+0.005");

    let usual = play("--movetime 5ms");
    assert!(usual["reference_nps"].as_f64().is_some_and(|nps| nps > 1000.0), "{usual}");
}

#[test]
fn a_worker_whose_speed_varies_plays_fixed_nodes_only() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(folder.path());
    // No two samples take the same nanoseconds.
    cluster.work_with("noisy", "--max-noise 0");
    let line = "match builtin builtin --games 2 --no-probe --json";
    let timed = cluster.command(&format!("{line} --tc 1+0.01")).output().expect("it runs");
    assert_eq!(timed.status.code(), Some(4), "{}", shown(&timed));
    let text = shown(&timed).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("worker noisy cannot play: its speed varies by"), "{text}");
    json(&cluster.command(&format!("{line} --nodes 5")).output().expect("it runs"));
}
