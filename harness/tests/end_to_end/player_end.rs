//! However the harness ends, nothing that it started is left.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{MOCK, harness, until};

/// Processes, seen in /proc, whose command line holds a text that only this test uses.
fn processes_with(mark: &str) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(mark)
    })
    .filter_map(Pid::from_raw)
    .collect()
}

/// How the engine's child is started: in the engine's group, or in a session of its own, where no
/// signal to the group reaches it.
const CHILDREN: [&str; 2] = ["", "setsid"];

/// A harness that waits for an engine which hangs, ignores `quit` and has a child.
struct Scene {
    folder: tempfile::TempDir,
    harness: Child,
    engine_mark: String,
    grandchild_mark: String,
}

impl Drop for Scene {
    /// A test that failed leaves no harness either.
    fn drop(&mut self) {
        let _ended_before = self.harness.kill();
    }
}

impl Scene {
    fn set(flags: &str, start_child: &str) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        // The grandchild is found by its name too, which is this test's own.
        let sleeper = format!("sleeper-{number}");
        let shell = format!(
            "cp \"$(command -v sleep)\" {sleeper} && {start_child} ./{sleeper} 1000 & \
             exec {MOCK} --name {number} {flags}"
        );
        let yaml = format!("engines:\n  m:\n    cmd: sh\n    args: [-c, '{shell}']\n    dir: .\n");
        std::fs::write(folder.path().join("harness.yaml"), yaml).unwrap();
        let mut harness = harness(folder.path(), ["check", "m", "--patience", "1000"]);
        let harness = harness.stdout(Stdio::piped()).spawn().unwrap();
        let engine_mark = format!("--name\0{number}");
        Scene { folder, harness, engine_mark, grandchild_mark: sleeper }
    }

    fn wait_until_it_plays(&mut self) {
        // The first check passes, the third one hangs.
        let mut output = BufReader::new(self.harness.stdout.as_mut().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.starts_with('✓'), "{line}");
        let grandchild = format!("{}\u{0}1000", self.grandchild_mark);
        until("the engine runs", || processes_with(&self.engine_mark).len() == 1);
        until("its child runs", || processes_with(&grandchild).len() == 1);
    }

    fn wait_until_a_check_fails(&mut self) {
        let mut text = String::new();
        self.harness.stdout.as_mut().unwrap().read_to_string(&mut text).unwrap();
        assert!(text.contains('✗') && text.contains("exit status 3"), "{text}");
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.harness.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// The one warden that does not end just now.
    fn warden(&self) -> Pid {
        let mark = format!("__warden\0{}-", self.harness.id());
        let mut found = Vec::new();
        until("there is one warden", || {
            found = processes_with(&mark);
            found.len() == 1
        });
        found[0]
    }

    fn assert_no_process_is_left(&self) {
        until("the engine ends", || processes_with(&self.engine_mark).is_empty());
        until("its child ends", || processes_with(&self.grandchild_mark).is_empty());
        assert!(self.folder.path().exists());
    }
}

#[test]
fn a_killed_harness_leaves_no_engine_and_no_grandchild() {
    for child in CHILDREN {
        let mut scene = Scene::set("--hang go --ignore-quit", child);
        scene.wait_until_it_plays();
        scene.signal(Signal::KILL);
        scene.harness.wait().unwrap();
        scene.assert_no_process_is_left();
    }
}

#[test]
fn a_killed_warden_is_replaced_and_the_next_one_ends_all() {
    let mut scene = Scene::set("--hang go --ignore-quit", "");
    scene.wait_until_it_plays();
    let first = scene.warden();
    kill_process(first, Signal::KILL).unwrap();
    until("the warden is replaced", || scene.warden() != first);
    scene.signal(Signal::KILL);
    scene.harness.wait().unwrap();
    scene.assert_no_process_is_left();
}

/// Only Linux kills a child when its parent has ended.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
#[test]
fn an_engine_dies_with_the_harness_even_without_a_warden() {
    let mut scene = Scene::set("--hang go --ignore-quit", "");
    scene.wait_until_it_plays();
    // Stopped, the harness cannot start another warden.
    scene.signal(Signal::STOP);
    kill_process(scene.warden(), Signal::KILL).unwrap();
    scene.signal(Signal::KILL);
    scene.harness.wait().unwrap();
    until("the engine ends", || processes_with(&scene.engine_mark).is_empty());
    // No process is left that would end its child.
    for child in processes_with(&scene.grandchild_mark) {
        kill_process(child, Signal::KILL).unwrap();
    }
}

#[test]
fn an_interrupted_harness_ends_soon_and_leaves_no_process() {
    for (signal, child) in [(Signal::INT, ""), (Signal::TERM, "setsid"), (Signal::HUP, "")] {
        let mut scene = Scene::set("--hang go --ignore-quit", child);
        scene.wait_until_it_plays();
        scene.signal(signal);
        assert_eq!(scene.harness.wait().unwrap().code(), Some(130));
        scene.assert_no_process_is_left();
    }
}

#[test]
fn a_failed_check_is_a_bad_verdict_and_leaves_no_process() {
    let mut scene = Scene::set("--crash go --ignore-quit", "setsid");
    scene.wait_until_a_check_fails();
    assert_eq!(scene.harness.wait().unwrap().code(), Some(1));
    scene.assert_no_process_is_left();
}
