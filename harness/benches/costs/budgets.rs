//! The file of budgets.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::Failure;

/// Share by which a cost may differ from its budget.
const ALLOWED: f64 = 0.03;

/// Instructions by which two counts of one tuner differ: allocations and page faults of the process are among them.
const NOISE_OF_TUNERS: f64 = 100.0;

const PROFILE: &str = if cfg!(debug_assertions) { "dev" } else { "release" };

const HEAD: &str = "\
# Instructions for a unit of work, by profile. `cargo test -p tench-harness --bench costs -- --update` writes
# those of the profile `dev`, which CI compares, and `cargo bench -p tench-harness --bench costs -- --update`
# those of `release`. Compilers differ: all are written anew with a new one.
";

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
pub struct Budgets {
    compiler: String,
    #[serde(default)]
    profiles: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A cost beside its budget.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it was.
    Within,
    /// It costs more.
    Over,
    /// It costs less.
    Under,
    /// It has no budget yet.
    New,
}

impl Verdict {
    /// The verdict on the cost of this name.
    pub fn of(name: &str, budget: Option<f64>, now: f64) -> Verdict {
        let noise = if name.starts_with("tuner-") { NOISE_OF_TUNERS } else { 0.0 };
        match budget {
            None => Verdict::New,
            Some(budget) if now > budget * (1.0 + ALLOWED) + noise => Verdict::Over,
            Some(budget) if now < budget * (1.0 - ALLOWED) - noise => Verdict::Under,
            Some(_) => Verdict::Within,
        }
    }

    /// In words; nothing where nothing is to be done.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Within => "",
            Verdict::Over => "over its budget",
            Verdict::Under => "cheaper: lower the budget",
            Verdict::New => "without a budget",
        }
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/costs/budgets.yaml")
}

fn compiler() -> Result<String, Failure> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let printed = Command::new(&rustc).arg("--version").output();
    let printed = printed.map_err(|error| format!("{rustc}: {error}"))?;
    Ok(String::from_utf8_lossy(&printed.stdout).trim().to_owned())
}

impl Budgets {
    /// Reads the file; empty where there is none.
    pub fn read() -> Result<Budgets, Failure> {
        let path = path();
        if !path.exists() {
            return Ok(Budgets::default());
        }
        let text = fs::read_to_string(&path)?;
        serde_yaml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    /// Note that the budgets are those of another compiler and are not compared; `None` if they are this one's.
    /// With `update` they are given up.
    pub fn check_compiler(&mut self, update: bool) -> Result<Option<String>, Failure> {
        let compiler = compiler()?;
        if self.compiler == compiler {
            return Ok(None);
        }
        if update || self.profiles.is_empty() {
            *self = Budgets { compiler, profiles: BTreeMap::new() };
            return Ok(None);
        }
        let before = &self.compiler;
        Ok(Some(format!("the budgets are of `{before}`, this is `{compiler}`: nothing fails")))
    }

    /// The budget of a cost in this profile.
    pub fn of(&self, name: &str) -> Option<f64> {
        Some(*self.profiles.get(PROFILE)?.get(name)? as f64)
    }

    /// Sets it.
    pub fn set(&mut self, name: &str, now: f64) {
        let costs = self.profiles.entry(PROFILE.to_owned()).or_default();
        costs.insert(name.to_owned(), now.round() as u64);
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), Failure> {
        let text = format!("{HEAD}{}", serde_yaml::to_string(self)?);
        Ok(fs::write(path(), text)?)
    }
}
