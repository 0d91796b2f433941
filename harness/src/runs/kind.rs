//! The kinds of runs, as the ledger names them.

/// What a run in the ledger is: `resume` and `report` know it by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The checks of a change.
    Gate,
    /// Self-play, training and tests of networks in turn.
    Loop,
    /// Games between engines.
    Match,
    /// Games until a sequential test decides.
    Sprt,
    /// Positions of a test suite.
    Suite,
    /// Parameters tuned through games.
    Tune,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Gate, Kind::Loop, Kind::Match, Kind::Sprt, Kind::Suite, Kind::Tune];

    /// The command that starts it, as the ledger keeps it.
    pub fn key(self) -> &'static str {
        match self {
            Kind::Gate => "gate",
            Kind::Loop => "loop",
            Kind::Match => "match",
            Kind::Sprt => "sprt",
            Kind::Suite => "suite",
            Kind::Tune => "tune",
        }
    }

    /// The kind of this key; `None` if this version does not know it.
    pub fn from_key(key: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.key() == key)
    }
}
