//! The page "Your own engine in ten minutes": its commands, run as they are printed.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{MOCK, git};

const PAGE: &str = include_str!("../../docs/ten-minutes.md");

/// The commands of the page, in its order.
fn commands() -> Vec<&'static str> {
    let blocks = PAGE.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect()
}

/// A git repository of an engine that is built by `make`.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().expect("a folder") };
        let root = repository.root();
        std::fs::create_dir(&root).expect("created");
        repository.git(&["init", "-q", "-b", "main", "."]);
        // Two commits whose engines play differently, as those of a project do.
        for seed in [1, 2] {
            let engine =
                format!("#!/bin/sh\nexec {MOCK} --search-parameters --infos 5 --seed {seed}\n");
            std::fs::write(root.join("engine.sh"), engine).expect("written");
            let makefile = "EXE ?= engine\nall:\n\tcp engine.sh $(EXE)\n\tchmod +x $(EXE)\n";
            std::fs::write(root.join("Makefile"), makefile).expect("written");
            repository.git(&["add", "-A"]);
            repository.git(&["commit", "-q", "-m", "an engine"]);
        }
        repository
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("mine")
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.root(), arguments);
    }

    /// Runs a command line by the shell, with the harness on PATH.
    fn run(&self, line: &str) -> Output {
        let programs = Path::new(env!("CARGO_BIN_EXE_harness")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.root())
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("TENCH_CACHE", self.folder.path().join("cache"))
            .output()
            .expect("sh runs")
    }
}

#[test]
fn every_command_of_the_page_runs_as_printed() {
    let repository = Repository::new();
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for line in commands {
        let Output { status, stdout, stderr } = repository.run(line);
        let said = format!(
            "{line}\n{}\n{}",
            String::from_utf8_lossy(&stdout),
            String::from_utf8_lossy(&stderr)
        );
        // Two engines of random moves differ by chance: their test may end either way.
        let verdicts: &[i32] = if [" sprt ", " tune run "].iter().any(|part| line.contains(part))
            || line.ends_with(" gate")
        {
            &[0, 1, 3]
        } else {
            &[0]
        };
        assert!(status.code().is_some_and(|code| verdicts.contains(&code)), "{status}: {said}");
    }
    for file in ["harness.yaml", "tune.yaml", "gate.yaml", "reports/ledger.db"] {
        assert!(repository.root().join(file).exists(), "{file}");
    }
}

#[test]
fn init_writes_what_can_be_read_and_replaces_nothing_unasked() {
    let repository = Repository::new();
    let init = repository.run("harness init --dry-run");
    let text = String::from_utf8_lossy(&init.stdout).into_owned();
    assert!(init.status.success() && text.contains("make -C . EXE="), "{text}");
    assert!(!repository.root().join("harness.yaml").exists());
    assert!(repository.run("harness init").status.success());
    let again = repository.run("harness init");
    assert_eq!(again.status.code(), Some(2));
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("--force"), "{said}");
    assert!(repository.run("harness init --force").status.success());
}

#[test]
fn init_says_what_to_do_where_it_cannot_see_how_to_build() {
    let repository = Repository::new();
    std::fs::remove_file(repository.root().join("Makefile")).expect("removed");
    let init = repository.run("harness init");
    let said = String::from_utf8_lossy(&init.stderr).into_owned();
    assert_eq!(init.status.code(), Some(2), "{said}");
    assert!(said.contains("harness.yaml") && said.contains("Makefile"), "{said}");
}

#[test]
fn init_takes_a_python_script_as_it_is() {
    let repository = Repository::new();
    std::fs::remove_file(repository.root().join("Makefile")).expect("removed");
    let script = repository.root().join("mine.py");
    let text = format!("import os\n# answers uciok\nos.execv({MOCK:?}, [{MOCK:?}])\n");
    std::fs::write(&script, text).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o644)).expect("set");
    let init = repository.run("harness init");
    let said = String::from_utf8_lossy(&init.stderr).into_owned();
    assert!(init.status.success(), "{said}");
    assert!(repository.run("harness suite bk mine --nodes 100").status.success());
    // A revision of it is its checkout.
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "a script"]);
    let status = repository.run("git status --porcelain").stdout;
    assert_eq!(String::from_utf8_lossy(&status), "");
    let suite = repository.run("harness suite bk HEAD --nodes 100");
    assert!(suite.status.success(), "{}", String::from_utf8_lossy(&suite.stderr));
}

#[test]
fn a_harness_yaml_that_does_not_work_is_not_in_the_way_of_the_next_init() {
    let repository = Repository::new();
    let makefile = repository.root().join("Makefile");
    let sound = std::fs::read_to_string(&makefile).expect("read");
    let silent = "all:\n\tprintf '#!/bin/sh\\n' > $(EXE)\n\tchmod +x $(EXE)\n";
    for wrong in ["all:\n\texit 1\n", "all:\n\ttrue\n", silent] {
        std::fs::write(&makefile, wrong).expect("written");
        let init = repository.run("harness init");
        let said = String::from_utf8_lossy(&init.stderr).into_owned();
        assert!(!init.status.success() && said.contains("is taken back"), "{said}");
        assert!(!repository.root().join("harness.yaml").exists(), "{said}");
    }
    // One that was there is there again.
    std::fs::write(repository.root().join("harness.yaml"), "# mine\n").expect("written");
    assert!(!repository.run("harness init --force").status.success());
    let kept = std::fs::read_to_string(repository.root().join("harness.yaml")).expect("read");
    assert_eq!(kept, "# mine\n");
    std::fs::write(&makefile, sound).expect("written");
    assert!(repository.run("harness init --force").status.success());
}
