//! Engines from git revisions, by the real program.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::{MOCK, git, harness, json, shown, until, write_program};

/// A repository whose Makefile makes a mock engine of the name that a revision gives it.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(repository.root()).unwrap();
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("engine")
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.root(), arguments);
    }

    fn commit(&self, name: &str) {
        let rule = format!(
            "$(EXE):\n\tprintf '#!/bin/sh\\nexec {MOCK} --name {name}\\n' > $(EXE)\n\tchmod +x $(EXE)\n"
        );
        std::fs::write(self.root().join("Makefile"), rule).unwrap();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", name]);
    }

    fn check(&self, engine: &str) -> Command {
        let mut command = harness(&self.root(), ["check", engine, "--options", "--json"]);
        command.env("TENCH_CACHE", self.folder.path().join("cache"));
        command
    }

    /// The name that the built engine prints.
    fn id(&self, engine: &str) -> String {
        let output = self.check(engine).output().unwrap();
        json(&output)["id"].as_str().unwrap().to_owned()
    }
}

#[test]
fn every_way_to_name_a_revision_is_understood() {
    let repository = Repository::new();
    repository.commit("one");
    repository.git(&["tag", "v1.0"]);
    repository.commit("two");
    for (engine, id) in [("HEAD~1", "one"), ("v1.0", "one"), ("HEAD", "two"), ("main", "two")] {
        assert_eq!(repository.id(engine), id, "{engine}");
    }
    assert_eq!(repository.id("."), "two");
    let output = repository.check("v2.0").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(shown(&output).contains("did you mean `v1.0`?"), "{}", shown(&output));
}

#[test]
fn a_program_called_head_is_not_taken_for_the_revision() {
    let repository = Repository::new();
    repository.commit("revision");
    let programs = repository.folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    write_program(&programs.join("HEAD"), "#!/bin/sh\nexit 9\n");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = repository
        .check("HEAD")
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"id\":\"revision\""));
}

#[test]
fn a_failed_build_is_a_failure_that_shows_the_compiler() {
    let repository = Repository::new();
    repository.commit("one");
    let yaml = "build: {command: 'echo error in line 7 >&2; exit 1', binary: engine}\n";
    std::fs::write(repository.root().join("harness.yaml"), yaml).unwrap();
    let output = repository.check("HEAD").output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(shown(&output).contains("error in line 7"), "{}", shown(&output));
}

#[test]
fn a_build_gets_no_secret_of_the_environment() {
    let repository = Repository::new();
    repository.commit("one");
    let seen = repository.folder.path().join("environment");
    let script = format!("env > {}; make EXE=engine", seen.display());
    let yaml = format!("build: {{command: '{script}', binary: engine}}\n");
    std::fs::write(repository.root().join("harness.yaml"), yaml).unwrap();
    let mut command = repository.check("HEAD");
    for variable in ["LICHESS_TOKEN", "TENCH_TOKEN", "TENCH_ASSISTANT_KEY"] {
        command.env(variable, "never-to-be-seen");
    }
    let output = command.env("HARMLESS", "to-be-seen").output().unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    let environment = std::fs::read_to_string(&seen).unwrap();
    assert!(environment.contains("HARMLESS=to-be-seen"), "{environment}");
    assert!(!environment.contains("never-to-be-seen"), "{environment}");
}

#[test]
fn a_killed_build_leaves_no_process_and_is_built_again() {
    let repository = Repository::new();
    repository.commit("one");
    // The build sleeps as a program of its own name for as long as a file is not there.
    let [mark, go_on] = ["mark", "go-on"].map(|name| repository.folder.path().join(name));
    let script = format!(
        "echo $$ > {mark}; test -e {go_on} || sleep 1000; make EXE=engine",
        mark = mark.display(),
        go_on = go_on.display(),
    );
    let yaml = format!("build: {{command: '{script}', binary: engine}}\n");
    std::fs::write(repository.root().join("harness.yaml"), yaml).unwrap();
    let mut harness = repository.check("HEAD").stderr(Stdio::null()).spawn().unwrap();
    let mut build = 0;
    until("the build starts", || {
        let pid = std::fs::read_to_string(&mark).unwrap_or_default();
        build = pid.trim().parse::<i32>().unwrap_or(0);
        build > 0
    });
    harness.kill().unwrap();
    harness.wait().unwrap();
    until("the build ends", || {
        let stat = std::fs::read_to_string(format!("/proc/{build}/stat"));
        !stat.is_ok_and(|stat| !stat.contains(") Z "))
    });
    std::fs::write(&go_on, "").unwrap();
    assert_eq!(repository.id("HEAD"), "one");
}
