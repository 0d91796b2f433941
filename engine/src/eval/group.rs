//! Groups of the hand-crafted terms.

/// Groups of terms, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Pieces on the board, the bishop pair.
    Material,
    /// Piece-square tables.
    Placement,
    /// Mobility.
    Mobility,
    /// Outposts, open files and the like.
    Pieces,
    /// Pawn structure.
    Pawns,
    /// Passed pawns.
    Passed,
    /// King shelter and king danger.
    King,
    /// Attacked pieces.
    Threats,
    /// Mop-up evaluation of won endgames.
    Endgame,
    /// The side to move.
    Tempo,
}

impl Group {
    /// All groups, in the order of display.
    pub const ALL: [Group; 10] = [
        Group::Material,
        Group::Placement,
        Group::Mobility,
        Group::Pieces,
        Group::Pawns,
        Group::Passed,
        Group::King,
        Group::Threats,
        Group::Endgame,
        Group::Tempo,
    ];

    /// The displayed name.
    pub fn name(self) -> &'static str {
        match self {
            Group::Material => "material",
            Group::Placement => "placement",
            Group::Mobility => "mobility",
            Group::Pieces => "pieces",
            Group::Pawns => "pawns",
            Group::Passed => "passed",
            Group::King => "king",
            Group::Threats => "threats",
            Group::Endgame => "endgame",
            Group::Tempo => "tempo",
        }
    }
}
