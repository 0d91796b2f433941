//! The coordinator and the server are killed at many instants of a run.

use std::process::Child;
use std::thread;
use std::time::Duration;

use super::Cluster;
use super::faults::{same_games_despite, same_of_many_despite};
use crate::common::shown;

/// The time until kill number `time`, at another instant of a run each.
fn moment(time: u64) -> Duration {
    Duration::from_millis(150 + time * 389 % 900)
}

/// Kills the coordinator and resumes its run, `times` times, from kill number `first` on.
pub fn kill_coordinator(
    cluster: &Cluster,
    mut coordinator: Child,
    times: u64,
    first: u64,
) -> Child {
    for time in first..first + times {
        let ended = coordinator.try_wait().expect("it is ours");
        assert!(ended.is_none(), "it has ended after {time} kills");
        coordinator.kill().expect("it runs");
        coordinator.wait().expect("it is ours");
        coordinator = cluster.command("resume last --json").spawn().expect("it starts");
        thread::sleep(moment(time));
    }
    coordinator
}

/// Kills the server `times` times, each fourth time with `harness serve`.
fn kill_server(cluster: &mut Cluster, mut coordinator: Child, times: u64) -> Child {
    for time in 0..times {
        let ended = coordinator.try_wait().expect("it is ours");
        assert!(ended.is_none(), "it has ended after {time} kills");
        cluster.kill_server(time % 4 == 3);
        thread::sleep(2 * moment(time));
    }
    coordinator
}

#[test]
fn the_coordinator_is_killed_and_resumed() {
    same_games_despite(|cluster, coordinator| kill_coordinator(cluster, coordinator, 3, 0));
}

#[test]
fn the_server_is_killed_and_started_again() {
    same_of_many_despite(120, |cluster, coordinator| kill_server(cluster, coordinator, 3));
}

#[test]
#[ignore = "takes minutes: cargo test --test end_to_end killed_many_times -- --ignored --nocapture"]
fn coordinator_and_server_are_killed_many_times() {
    same_of_many_despite(1_000, |cluster, mut coordinator| {
        let (mut killed, mut failed) = (0, 0);
        while killed < 100 {
            match coordinator.try_wait().expect("it is ours").map(|status| status.code()) {
                // Its server was killed while it began: who sees that resumes the run.
                Some(Some(4)) => {
                    coordinator = cluster.command("resume last --json").spawn().expect("it starts");
                    thread::sleep(moment(killed));
                    failed += 1;
                    continue;
                }
                Some(_) => break,
                None => {}
            }
            coordinator = kill_coordinator(cluster, coordinator, 1, killed);
            killed += 1;
            if killed % 2 == 0 {
                cluster.kill_server(killed % 8 == 0);
            }
        }
        println!(
            "killed the coordinator {killed} times, the server {} times; resumed {failed} times that \
             had no server",
            killed / 2
        );
        assert!(failed <= killed, "the server does not come back");
        if killed < 50 {
            let ended = coordinator.wait_with_output().expect("it is ours");
            panic!("the run ended after {killed} kills: {}", shown(&ended));
        }
        coordinator
    });
}
