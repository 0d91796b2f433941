//! The methods by name: a file (or folder) each, and what several of them share.

pub mod auto;
pub mod bayes;
pub mod checked;
pub mod cmaes;
#[cfg(test)]
mod contract;
pub mod direct;
pub mod fishtest;
mod iterate;
mod measure;
pub mod openbench;
pub mod screen;
pub mod spsa;
mod widening;

use miette::Diagnostic;
use thiserror::Error;

use self::bayes::Bayes;
use self::checked::Checked;
use self::cmaes::CmaEs;
use self::direct::{Annealing, DirectSearch, Simplex, Swarm};
use self::fishtest::Fishtest;
use self::openbench::OpenBench;
use self::screen::Screen;
use self::spsa::Spsa;
use crate::space::Space;
use crate::trial::Tuner;

/// A tuning method by name.
pub struct Method {
    /// Its name on the command line and in experiments.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    make: fn(Space, u64, u64) -> Box<dyn Tuner + Send>,
    check: Check,
}

/// When the values that a method found have to be shown to be better than the start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Always,
    /// In runs. Benchmarks have the rules of another tool as that runs them.
    InRuns,
    /// It finds no values.
    Never,
}

/// All methods, the default one first.
pub const METHODS: &[Method] = &[
    Method {
        name: "auto",
        about: "regression on all pairs, or with few of them a Gaussian process; the default",
        make: auto::start,
        check: Check::Always,
    },
    Method {
        name: "screened",
        about: "auto, which after a fifth of the games keeps parameters that do not matter",
        make: |space, games, seed| auto::regression(space, games, seed, true),
        check: Check::Always,
    },
    Method {
        name: "spsa",
        about: "SPSA with hyperparameters from the number of games: for hundreds of parameters",
        make: |space, games, seed| Box::new(Spsa::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "cmaes",
        about: "CMA-ES with mirrored samples that play each other: a second opinion",
        make: |space, games, seed| Box::new(CmaEs::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "bayes",
        about: "Gaussian process of differences: few parameters, up to a few thousand games",
        make: |space, games, seed| Box::new(Bayes::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "pso",
        about: "particle swarm optimisation on a Gaussian process surrogate of all matches",
        make: |space, games, seed| Box::new(DirectSearch::<Swarm>::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "nelder-mead",
        about: "the Nelder-Mead simplex on the same surrogate",
        make: |space, games, seed| Box::new(DirectSearch::<Simplex>::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "annealing",
        about: "simulated annealing on the same surrogate",
        make: |space, games, seed| Box::new(DirectSearch::<Annealing>::new(space, games, seed)),
        check: Check::Always,
    },
    Method {
        name: "fishtest",
        about: "SPSA as in fishtest: a reference",
        make: |space, games, seed| {
            Box::new(Fishtest::new(space, fishtest::Settings::usual(games), seed))
        },
        check: Check::InRuns,
    },
    Method {
        name: "openbench",
        about: "SPSA as in OpenBench: a reference",
        make: |space, games, seed| {
            Box::new(OpenBench::new(space, openbench::Settings::usual(games), seed))
        },
        check: Check::InRuns,
    },
];

/// `auto` before it took a Gaussian process for few parameters and games: runs that began so end so.
pub const REGRESSION: Method = Method {
    name: METHODS[0].name,
    about: METHODS[0].about,
    make: |space, games, seed| auto::regression(space, games, seed, false),
    check: Check::Always,
};

/// The method that estimates effects and tunes nothing.
pub const SCREEN: Method = Method {
    name: harness_outcome::tune_summary::SCREEN,
    about: "finds which parameters matter, and tunes none: `harness tune screen`",
    make: |space, _, seed| Box::new(Screen::new(space, seed)),
    check: Check::Never,
};

/// An unknown name of a method.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("there is no tuning method `{name}`")]
#[diagnostic(help("the methods are {known}"))]
pub struct UnknownMethod {
    name: String,
    known: String,
}

impl Method {
    /// A method by its name.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn find(name: &str) -> Result<&'static Method, UnknownMethod> {
        METHODS.iter().chain([&SCREEN]).find(|method| method.name == name).ok_or_else(|| {
            let known: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
            UnknownMethod { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// A tuner for a benchmark: the rules of other tools as these run them, without the check against
    /// the start.
    pub fn start_in_bench(&self, space: Space, games: u64, seed: u64) -> Box<dyn Tuner + Send> {
        match self.check {
            Check::InRuns => (self.make)(space, games, seed),
            Check::Always | Check::Never => self.start(space, games, seed),
        }
    }

    /// A tuner for a run of `games` games, whose values are [`checked`] against the start.
    pub fn start(&self, space: Space, games: u64, seed: u64) -> Box<dyn Tuner + Send> {
        match self.check {
            Check::Never => (self.make)(space, games, seed),
            Check::Always | Check::InRuns => {
                Box::new(Checked::new(space, games, |space, games| (self.make)(space, games, seed)))
            }
        }
    }
}
