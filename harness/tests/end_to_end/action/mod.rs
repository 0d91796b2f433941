//! The GitHub action: its steps, run as a runner runs them, against a server in GitHub's place.

mod runner;
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use self::runner::{Done, Job, run};
use self::server::Server;
use crate::common::{MOCK, git, texts, write_program};
use crate::needs::first_file;

const CONFIG: &str = "bench: {}\nsuites: [{ suite: bk, nodes: 50 }]\n\
                      sprt: { nodes: 50, elo0: -400, elo1: 0, max_games: 20 }\n";

/// A repository of an engine on a pull request, a server, and the home of a runner.
struct Place {
    folder: tempfile::TempDir,
    server: Server,
}

impl Place {
    /// With the released program on the server. `None`, and a message, without the programs that a
    /// runner of GitHub has.
    fn new() -> Option<Place> {
        for name in ["curl", "jq"] {
            first_file(name, &[&format!("/usr/bin/{name}"), &format!("/usr/local/bin/{name}")])?;
        }
        let place =
            Place { folder: tempfile::tempdir().expect("a folder"), server: Server::start() };
        std::fs::create_dir_all(place.home()).expect("created");
        std::fs::create_dir_all(place.repository()).expect("created");
        place.git(&["init", "-q", "-b", "main", "."]);
        let makefile = "EXE ?= engine\nall:\n\tcp engine.sh $(EXE)\n\tchmod +x $(EXE)\n";
        place.write("Makefile", makefile);
        place.write("gate.yaml", CONFIG);
        place.commit("", "base");
        place.git(&["checkout", "-q", "-b", "change"]);
        place.event(&json!({ "pull_request": { "number": 7 } }));
        place.release(&format!("exec {:?} \"$@\"", env!("CARGO_BIN_EXE_harness")));
        Some(place)
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("engine")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.repository(), arguments);
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.repository().join(name), text).expect("written");
    }

    /// Commits an engine: the mock engine with these flags.
    fn commit(&self, flags: &str, message: &str) {
        let bench = "if [ \"$1\" = bench ]; then echo 1234 nodes 5678 nps; exit; fi";
        self.write("engine.sh", &format!("#!/bin/sh\n# {message}\n{bench}\nexec {MOCK} {flags}\n"));
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn event(&self, event: &Value) {
        std::fs::write(self.folder.path().join("event.json"), event.to_string()).expect("written");
    }

    /// Puts a release on the server whose `harness` is this script, with its sum.
    fn release(&self, harness: &str) {
        let version = env!("CARGO_PKG_VERSION");
        let name = format!("tench-{version}-{}-unknown-linux-gnu", std::env::consts::ARCH);
        let folder = self.folder.path().join("release").join(&name);
        std::fs::create_dir_all(&folder).expect("created");
        write_program(&folder.join("harness"), &format!("#!/bin/sh\n{harness}\n"));
        write_program(&folder.join("tench"), "#!/bin/sh\n");
        let pack = format!("tar czf {name}.tar.gz {name} && sha256sum {name}.tar.gz > SHA256SUMS");
        let parent = folder.parent().expect("a folder");
        let packed = Command::new("sh").args(["-c", &pack]).current_dir(parent).status();
        assert!(packed.expect("sh").success());
        for file in [format!("{name}.tar.gz"), "SHA256SUMS".to_owned()] {
            let bytes = std::fs::read(parent.join(&file)).expect("packed");
            let path = format!("/owner/tench/releases/download/v{version}/{file}");
            self.server.state.lock().expect("sound").files.insert(path, bytes);
        }
    }

    fn run(&self, inputs: &[(&str, &str)]) -> Done {
        let event = self.folder.path().join("event.json").display().to_string();
        run(&Job {
            repository: &self.repository(),
            home: &self.home(),
            inputs,
            variables: &[
                ("GITHUB_API_URL", &self.server.address),
                ("GITHUB_SERVER_URL", &self.server.address),
                ("GITHUB_EVENT_PATH", &event),
            ],
        })
    }

    /// Runs a script of the action in a folder.
    fn script(
        &self,
        folder: &Path,
        line: &str,
        variables: &[(&str, &str)],
    ) -> (i32, String, String) {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/action");
        let programs = Path::new(env!("CARGO_BIN_EXE_harness")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("bash");
        command.args(["-c", &format!("{}/{line}", scripts.display())]).current_dir(folder);
        command.env("PATH", format!("{}:{path}", programs.display()));
        command.env("GITHUB_API_URL", &self.server.address).env("GITHUB_TOKEN", "secret-token");
        command.env("GITHUB_REPOSITORY", "owner/engine").env_remove("GITHUB_OUTPUT");
        command.env_remove("GITHUB_STEP_SUMMARY").envs(variables.iter().copied());
        texts(&command.output().expect("bash"))
    }
}

#[test]
fn a_sound_change_passes_a_planted_fault_fails_and_both_are_one_comment() {
    let Some(place) = Place::new() else { return };
    place.commit("--seed 2", "another seed");
    // A hundred comments come first, one of them a quotation of ours.
    let other = |number: usize| {
        let body = if number == 3 { "<!-- tench: tench -->\nas they say" } else { "hello" };
        json!({ "id": number, "user": { "login": "somebody" }, "body": body })
    };
    place.server.state.lock().expect("sound").comments = (0..100).map(other).collect();

    let passed = place.run(&[]);
    assert_eq!(passed.status, 0, "{}", passed.log);
    assert!(!passed.steps.contains(&"Build the harness".to_owned()), "{:?}", passed.steps);
    let bodies = place.server.bodies();
    assert_eq!(bodies.len(), 101);
    let comment = &bodies[100];
    assert!(comment.starts_with("<!-- tench: tench -->\n### Gate passed"), "{comment}");
    for part in ["| bench | passed |", "| check | verdict |", "```mermaid\n", "y-axis \"LLR\""] {
        assert!(comment.contains(part), "{part} is not in {comment}");
        assert!(passed.summary.contains(part), "{part} is not in {}", passed.summary);
    }
    assert_eq!(passed.summary.matches("### Gate").count(), 1, "{}", passed.summary);

    place.commit("--crash go --on 5", "a fault");
    let failed = place.run(&[]);
    assert_eq!(failed.status, 1, "{}", failed.log);
    assert_eq!(failed.values["steps.check.outputs.status"], "1");
    let bodies = place.server.bodies();
    assert_eq!(bodies.len(), 101, "the comment is replaced");
    assert!(bodies[100].contains("### Gate FAILED"), "{}", bodies[100]);
    assert!(bodies[3].ends_with("as they say"));
    assert!(
        failed.steps.ends_with(&["Comment on the pull request".to_owned(), "Verdict".to_owned()])
    );
}

#[test]
fn a_suite_and_an_sprt_are_reported_beside_each_other() {
    let Some(place) = Place::new() else { return };
    place.commit("--seed 2", "another seed");
    let inputs = [
        ("config", ""),
        ("suite", "bk --nodes 20"),
        ("sprt", "--nodes 20 --elo0=-900 --elo1=-500 --max-games 40"),
        ("key", "two words"),
    ];
    let done = place.run(&inputs);
    assert!([0, 3].contains(&done.status), "{}", done.log);
    let bodies = place.server.bodies();
    assert!(bodies[0].starts_with("<!-- tench: two-words -->"), "{}", bodies[0]);
    for part in ["Bratko-Kopec", "| LLR |", "```mermaid"] {
        assert!(bodies[0].contains(part), "{part}: {}", bodies[0]);
    }
}

#[test]
fn what_cannot_be_run_is_in_the_comment_with_its_reason() {
    let Some(place) = Place::new() else { return };
    place.commit("", "two");
    let done = place.run(&[("suite", "no-such-suite"), ("config", "none.yaml")]);
    assert_eq!(done.status, 2, "{}", done.log);
    let body = &place.server.bodies()[0];
    for part in ["### Gate could not be run (exit status 2)", "none.yaml", "no-such-suite"] {
        assert!(body.contains(part), "{part}: {body}");
    }
}

#[test]
fn without_a_pull_request_or_the_right_to_write_the_summary_is_there_and_no_comment() {
    let Some(place) = Place::new() else { return };
    place.commit("", "two");
    let inputs = [("config", ""), ("suite", "bk --nodes 20")];
    for (event, reads_only, reason) in [
        (json!({ "ref": "refs/heads/main" }), false, "no pull request"),
        (json!({ "issue": { "number": 3 } }), false, "no pull request"),
        (json!({ "pull_request": { "number": 7 } }), true, "not accessible"),
    ] {
        place.event(&event);
        place.server.state.lock().expect("sound").reads_only = reads_only;
        let done = place.run(&inputs);
        assert_eq!(done.status, 0, "{}", done.log);
        assert!(done.log.contains("::notice") && done.log.contains(reason), "{}", done.log);
        assert!(done.summary.contains("Bratko-Kopec"), "{}", done.summary);
        assert_eq!(place.server.bodies().len(), 0);
    }
}

#[test]
fn a_report_that_is_too_long_for_a_comment_is_cut_at_a_line_and_closed() {
    let Some(place) = Place::new() else { return };
    let report = place.folder.path().join("report.md");
    let lines: String = (0..9_000).map(|number| format!("line {number} é\n")).collect();
    std::fs::write(&report, format!("```\n{lines}```\n")).expect("written");
    let event = place.folder.path().join("event.json").display().to_string();
    let variables = [("GITHUB_EVENT_PATH", event.as_str()), ("REPORT_URL", "http://run")];
    let (status, out, errors) =
        place.script(place.folder.path(), &format!("comment {}", report.display()), &variables);
    assert_eq!(status, 0, "{out}{errors}");
    let body = &place.server.bodies()[0];
    assert!(body.chars().count() < 65_536 && body.contains("line 100 é\n"));
    assert!(body.ends_with("```\n\nThe report is longer: http://run\n"), "{}", &body[59_000..]);
}

#[test]
fn a_release_is_installed_by_its_sum_and_its_absence_asks_for_a_build() {
    let Some(place) = Place::new() else { return };
    let version = env!("CARGO_PKG_VERSION");
    let address = place.server.address.clone();
    let variables = [("ACTION_REPOSITORY", "owner/tench"), ("GITHUB_SERVER_URL", address.as_str())];
    let sums = place.folder.path().join("release/SHA256SUMS");
    let sums = std::fs::read_to_string(sums).expect("packed");
    let sum = sums.split(' ').next().expect("a sum").to_uppercase();
    let wrong = "0".repeat(64);
    let cases = [
        ("''".to_owned(), String::new(), 0, "release"),
        (format!("v{version}"), String::new(), 0, "release"),
        (version.to_owned(), sum, 0, "release"),
        (version.to_owned(), wrong, 4, "it is not installed"),
        ("9.9.9".to_owned(), String::new(), 0, "none"),
    ];
    for (asked, sum, expected, said) in cases {
        let to = place.folder.path().join("installed");
        let _ = std::fs::remove_dir_all(&to);
        let line = format!("install {asked} {} {sum}", to.display());
        let (status, out, errors) = place.script(place.folder.path(), &line, &variables);
        assert_eq!(status, expected, "{line}: {out}{errors}");
        assert!(out.trim() == said || errors.contains(said), "{line}: {out}{errors}");
        assert_eq!(to.join("bin/harness").exists(), said == "release", "{line}");
    }
    // A sum of another file in the list, and a program that does not start here.
    let path = format!("/owner/tench/releases/download/v{version}/SHA256SUMS");
    let mut state = place.server.state.lock().expect("sound");
    state.files.insert(path, b"00  another-file\n".to_vec());
    drop(state);
    let line = format!("install '' {}", place.folder.path().join("never").display());
    let (status, _, errors) = place.script(place.folder.path(), &line, &variables);
    assert!(status == 4 && errors.contains("does not name"), "{errors}");
    place.release("exit 127");
    let (status, out, errors) = place.script(place.folder.path(), &line, &variables);
    assert!(status == 0 && out.trim() == "none", "{errors}");
    assert!(errors.contains("does not start"), "{errors}");
}

/// The folder as an artifact of this name on the server.
fn keep_artifact(place: &Place, name: &str, folder: &Path) {
    let file = place.folder.path().join("kept.zip");
    let _ = std::fs::remove_file(&file);
    let line = format!("cd {} && python3 -m zipfile -c {} *", folder.display(), file.display());
    assert!(Command::new("sh").args(["-c", &line]).status().expect("sh").success());
    let mut state = place.server.state.lock().expect("sound");
    let id = state.artifacts.len() + 1;
    let facts =
        json!({ "id": id, "name": name, "expired": false, "created_at": format!("2026-01-0{id}") });
    state.artifacts.push((facts, std::fs::read(file).expect("zipped")));
}

#[test]
fn an_sprt_whose_time_is_over_is_continued_by_the_next_run_of_the_same_commits() {
    let Some(place) = Place::new() else { return };
    place.commit("--seed 2", "another seed");
    let long = "--nodes 20 --elo0=-1 --elo1=1 --max-games 8000 --jobs 1";
    let inputs = |sprt, minutes| [("config", ""), ("sprt", sprt), ("minutes", minutes)];
    let first = place.run(&inputs(long, "0.03"));
    assert_eq!(first.status, 3, "{}", first.log);
    assert!(first.steps.contains(&"Keep the SPRT for the next run".to_owned()));
    let artifact = first.values["steps.names.outputs.artifact"].clone();
    let played = games(&sprt_of(&first));
    assert!(played.1 < 8_000 && first.summary.contains("not finished"), "{}", first.summary);
    keep_artifact(&place, &artifact, &sprt_of(&first));

    let second = place.run(&inputs(long, "0.05"));
    assert!(second.log.contains(&format!("continues from {artifact}")), "{}", second.log);
    assert_eq!(second.status, 3, "{}", second.log);
    let now = games(&sprt_of(&second));
    assert!(now.0 == 1 && now.1 > played.1, "{played:?}, {now:?}");
    // The token goes to the interface and not to the host that has the file.
    let state = place.server.state.lock().expect("sound");
    let (_, token) =
        state.requests.iter().find(|(line, _)| line.contains("/stored/")).expect("fetched");
    assert_eq!(*token, None);
    drop(state);

    // Another test of the same commits has nothing to continue; once finished, it is not played again.
    let short = "--nodes 21 --max-games 4";
    let other = place.run(&inputs(short, "5"));
    assert!(other.log.contains("no earlier run has left"), "{}", other.log);
    assert_eq!(other.status, 3, "{}", other.log);
    keep_artifact(&place, &other.values["steps.names.outputs.artifact"], &sprt_of(&other));
    let again = place.run(&inputs(short, "5"));
    assert!(again.status == 3 && again.log.contains("is finished"), "{}", again.log);
}

/// The folder of a job's SPRT.
fn sprt_of(done: &Done) -> PathBuf {
    PathBuf::from(&done.values["steps.names.outputs.folder"]).join("sprt")
}

/// Runs of a folder, and games of the first.
fn games(folder: &Path) -> (usize, u64) {
    let ledger = harness::ledger::Ledger::open_existing(folder).expect("a ledger");
    let runs = ledger.runs().expect("readable");
    (runs.len(), runs[0].games)
}

#[test]
fn shards_are_pooled_when_all_are_finished() {
    let Some(place) = Place::new() else { return };
    place.commit("--seed 2", "another seed");
    let sprt = "--nodes 20 --elo0=-900 --elo1=-500 --max-games 40 --jobs 1";
    let cache = place.home().display().to_string();
    let folders = [1, 2].map(|number| place.repository().join(format!("shard-{number}")));
    let play = |number: usize, minutes: &str| {
        let shard = format!("{number}/2");
        let folder = folders[number - 1].join("reports").display().to_string();
        let variables = [
            ("ENGINE", "HEAD"),
            ("SPRT", sprt),
            ("SHARD", &shard),
            ("MINUTES", minutes),
            ("REPORTS", &folder),
            ("TENCH_CACHE", &cache),
        ];
        let (status, out, errors) = place.script(&place.repository(), "shard", &variables);
        assert_eq!(status, 0, "{out}{errors}");
        out + &errors
    };
    let pool = || {
        let line = "pool report shard-1/reports shard-2/reports";
        let (status, out, errors) = place.script(&place.repository(), line, &[]);
        assert_eq!(status, 0, "{out}{errors}");
        let report = std::fs::read_to_string(place.repository().join("report/report.md"));
        (out, report.expect("written"))
    };
    play(1, "5");
    let said = play(2, "0.0005");
    assert!(said.contains("to continue shard 2/2"), "{said}");
    let (out, report) = pool();
    assert!(out.contains("status=3") && report.contains("not all shards are finished"), "{report}");
    play(2, "5");
    let (out, report) = pool();
    assert!(out.contains("status=0") && report.contains("**accepted.**"), "{out}{report}");
    assert!(report.contains("```mermaid"), "{report}");
}

/// `TENCH_FOREIGN=/path/of/a/clone cargo test -p tench-harness --test end_to_end -- --ignored --nocapture
/// any_engine`: the gate of the revision that is checked out there against `TENCH_FOREIGN_BASE`, with its comment.
#[test]
#[ignore = "it wants a repository of an engine"]
fn any_engine_is_checked_and_commented_on() {
    let repository = std::env::var_os("TENCH_FOREIGN").expect("TENCH_FOREIGN is a repository");
    let base = std::env::var("TENCH_FOREIGN_BASE").unwrap_or_default();
    let Some(place) = Place::new() else { return };
    let event = place.folder.path().join("event.json").display().to_string();
    let done = run(&Job {
        repository: Path::new(&repository),
        home: &place.home(),
        inputs: &[("base", &base)],
        variables: &[
            ("GITHUB_API_URL", &place.server.address),
            ("GITHUB_SERVER_URL", &place.server.address),
            ("GITHUB_EVENT_PATH", &event),
        ],
    });
    println!("status {}\n{}\n{}", done.status, done.log, place.server.bodies().concat());
    assert!([0, 1, 3].contains(&done.status));
    assert_eq!(place.server.bodies().len(), 1);
}
