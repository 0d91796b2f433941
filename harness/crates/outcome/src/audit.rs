//! Findings of the audit of a suite.

use serde::Serialize;

/// The audit of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// The name in the catalogue, or the file.
    pub suite: String,
    /// The engine.
    pub engine: String,
    /// Nodes a search.
    pub nodes: u64,
    /// Valid positions.
    pub positions: usize,
    /// How many findings there are of each kind.
    #[serde(flatten)]
    pub counts: Counts,
    /// By line.
    pub findings: Vec<Finding>,
    /// Wall time.
    pub seconds: f64,
}

/// How many findings there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// [`FindingKind::Illegal`].
    pub illegal: usize,
    /// [`FindingKind::Duplicate`].
    pub duplicate: usize,
    /// [`FindingKind::Unsolvable`].
    pub unsolvable: usize,
    /// [`FindingKind::Unsound`].
    pub unsound: usize,
    /// [`FindingKind::Ambiguous`].
    pub ambiguous: usize,
    /// [`FindingKind::Unscored`].
    pub unscored: usize,
}

/// Kind of a fault of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The line cannot be read, or its position or a move of it is illegal.
    Illegal,
    /// An earlier line has the same position.
    Duplicate,
    /// No move solves it.
    Unsolvable,
    /// The move to find is clearly worse than another, or the move to avoid is as good as any.
    Unsound,
    /// A move that does not solve it is as good as those that do, or nearly.
    Ambiguous,
    /// Not known: the engine answers without a score, or with no legal move.
    Unscored,
}

/// A fault of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Line in the file, from 1.
    pub line: usize,
    /// The position's id; `line N` where there is none.
    pub id: String,
    /// Its kind.
    pub kind: FindingKind,
    /// In words.
    pub what: String,
    /// The position, if it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Scores of the engine, if it searched.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// The best solving and the best failing move of an engine.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// Nodes of each search.
    pub nodes: u64,
    /// The best move that solves the position.
    pub solving: Opinion,
    /// The best move that does not.
    pub failing: Opinion,
}

/// Score of a move.
#[derive(Clone, Debug, Serialize)]
pub struct Opinion {
    /// The move, in UCI notation.
    pub r#move: String,
    /// The move, in SAN.
    pub san: String,
    /// For the side to move.
    #[serde(flatten)]
    pub score: AuditScore,
    /// Depth of the last iteration in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// A score for the side to move: `"cp": 35` or `"mate": 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditScore {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Moves to mate; negative when being mated.
    Mate(i32),
}

impl Counts {
    /// Counts findings.
    pub fn count(findings: &[Finding]) -> Counts {
        let mut counts = Counts::default();
        for finding in findings {
            *match finding.kind {
                FindingKind::Illegal => &mut counts.illegal,
                FindingKind::Duplicate => &mut counts.duplicate,
                FindingKind::Unsolvable => &mut counts.unsolvable,
                FindingKind::Unsound => &mut counts.unsound,
                FindingKind::Ambiguous => &mut counts.ambiguous,
                FindingKind::Unscored => &mut counts.unscored,
            } += 1;
        }
        counts
    }

    /// Whether there are faults that make results of the suite wrong: not the ambiguous positions.
    pub fn is_bad(self) -> bool {
        self.illegal + self.duplicate + self.unsolvable + self.unsound > 0
    }
}

impl Evidence {
    /// Both scores, that of the suite's moves first.
    pub fn text(&self, names_moves_to_find: bool) -> String {
        let Evidence { nodes, solving, failing } = self;
        if names_moves_to_find {
            format!("{}, but {} ({nodes} nodes)", solving.text(), failing.text())
        } else {
            format!("{}, to be avoided, and {} ({nodes} nodes)", failing.text(), solving.text())
        }
    }
}

impl Opinion {
    /// `Qd1+ +3.20`, `Rxb7 mates in 3`
    fn text(&self) -> String {
        let score = match self.score {
            AuditScore::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
            AuditScore::Mate(moves) if moves > 0 => format!("mates in {moves}"),
            AuditScore::Mate(moves) => format!("is mated in {}", moves.unsigned_abs()),
        };
        format!("{} {score}", self.san)
    }
}
