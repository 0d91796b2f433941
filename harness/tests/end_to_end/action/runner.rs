//! Runs the steps of `action.yml` as a runner of GitHub does: their scripts with the variables, inputs and
//! outputs that they ask for. Steps that use other actions (caches, artifacts) are noted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::common::texts;

/// The parts of `action.yml` that count.
#[derive(Deserialize)]
struct Action {
    inputs: HashMap<String, Input>,
    runs: Runs,
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    default: String,
}

#[derive(Deserialize)]
struct Runs {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    name: String,
    id: Option<String>,
    #[serde(rename = "if")]
    condition: Option<String>,
    #[serde(default)]
    env: HashMap<String, String>,
    run: Option<String>,
    #[serde(default)]
    with: HashMap<String, serde_json::Value>,
}

/// What a job is given.
pub struct Job<'a> {
    /// The repository that is checked out.
    pub repository: &'a Path,
    /// A folder of the runner, whose parts stay from job to job.
    pub home: &'a Path,
    pub inputs: &'a [(&'a str, &'a str)],
    /// Further variables.
    pub variables: &'a [(&'a str, &'a str)],
}

/// What came of a job.
pub struct Done {
    /// Exit status of the step that ended it, or 0.
    pub status: i32,
    /// Names of the steps that ran.
    pub steps: Vec<String>,
    /// Outputs by `steps.ID.outputs.NAME`.
    pub values: HashMap<String, String>,
    /// Everything that was printed.
    pub log: String,
    /// The job's summary.
    pub summary: String,
}

/// Runs all steps; one that fails ends the job.
pub fn run(job: &Job<'_>) -> Done {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("there");
    let text = std::fs::read_to_string(root.join("action.yml")).expect("readable");
    let action: Action = serde_yaml::from_str(&text).expect("an action");
    let mut values = values(job, &action, &root);
    let files = Files::new(job.home);
    let mut done = Done {
        status: 0,
        steps: Vec::new(),
        values: HashMap::new(),
        log: String::new(),
        summary: String::new(),
    };
    for step in &action.runs.steps {
        if step.condition.as_ref().is_some_and(|condition| !holds(condition, &values)) {
            continue;
        }
        done.steps.push(step.name.clone());
        let Some(script) = &step.run else {
            for value in step.with.values().filter_map(|value| value.as_str()) {
                // An expression that names nothing is a mistake.
                expand(value, &values);
            }
            continue;
        };
        std::fs::write(&files.output, "").expect("writable");
        let output = command(job, script, &files)
            .envs(step.env.iter().map(|(name, value)| (name, expand(value, &values))))
            .output()
            .expect("bash");
        let (status, out, errors) = texts(&output);
        done.log += &format!("== {}\n{out}{errors}", step.name);
        if let Some(id) = &step.id {
            let outputs = std::fs::read_to_string(&files.output).expect("readable");
            for (name, value) in outputs.lines().filter_map(|line| line.split_once('=')) {
                values.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        done.status = status;
        if status != 0 {
            break;
        }
    }
    done.values = values;
    done.summary = std::fs::read_to_string(&files.summary).unwrap_or_default();
    done
}

/// Files by which a step talks to the runner.
struct Files {
    output: PathBuf,
    summary: PathBuf,
    temporary: PathBuf,
}

impl Files {
    fn new(home: &Path) -> Files {
        let temporary = home.join("temporary");
        // Fresh for each job.
        let _ = std::fs::remove_dir_all(&temporary);
        std::fs::create_dir_all(&temporary).expect("created");
        let [output, summary] = ["output", "summary"].map(|name| temporary.join(name));
        Files { output, summary, temporary }
    }
}

fn command(job: &Job<'_>, script: &str, files: &Files) -> Command {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
    command.current_dir(job.repository);
    command.env("HOME", job.home).env("RUNNER_TEMP", &files.temporary);
    command.env("GITHUB_OUTPUT", &files.output).env("GITHUB_STEP_SUMMARY", &files.summary);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_REPOSITORY", "owner/engine");
    command.envs(job.variables.iter().copied());
    command
}

/// What expressions can name.
fn values(job: &Job<'_>, action: &Action, root: &Path) -> HashMap<String, String> {
    let mut values = HashMap::new();
    let mut add = |name: &str, value: &str| values.insert(name.to_owned(), value.to_owned());
    add("github.action_path", &root.display().to_string());
    add("github.action_repository", "owner/tench");
    add("github.repository", "owner/engine");
    add("github.server_url", "http://server");
    add("github.run_id", "77");
    add("github.token", "secret-token");
    add("runner.os", "Linux");
    add("runner.arch", "X64");
    for (name, input) in &action.inputs {
        let given = job.inputs.iter().find(|(given, _)| given == name);
        let value = given.map_or_else(|| input.default.clone(), |(_, value)| (*value).to_owned());
        add(&format!("inputs.{name}"), &value);
    }
    assert!(job.inputs.iter().all(|(name, _)| action.inputs.contains_key(*name)), "unknown input");
    let own: HashMap<String, String> = values.clone();
    values.iter_mut().for_each(|(_, value)| *value = expand(value, &own));
    values
}

/// The value of a name; an output that no step set is empty.
fn value(name: &str, values: &HashMap<String, String>) -> String {
    let known = values.get(name).cloned();
    known.unwrap_or_else(|| {
        assert!(name.starts_with("steps."), "nothing is called {name}");
        String::new()
    })
}

/// A text with its expressions replaced.
fn expand(text: &str, values: &HashMap<String, String>) -> String {
    let mut parts = text.split("${{ ");
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" }}").expect("an expression that ends");
        expanded += &value(name, values);
        expanded += rest;
    }
    expanded
}

/// Whether a condition holds: comparisons with a text, joined by `&&`.
fn holds(condition: &str, values: &HashMap<String, String>) -> bool {
    condition.split(" && ").all(|part| {
        let [name, operator, text] = part.split(' ').collect::<Vec<_>>()[..] else {
            panic!("a condition that this runner does not know: {condition}");
        };
        let is_equal = value(name, values) == text.trim_matches('\'');
        match operator {
            "==" => is_equal,
            "!=" => !is_equal,
            _ => panic!("{condition}"),
        }
    })
}
