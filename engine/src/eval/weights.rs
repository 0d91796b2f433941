//! The weights of the hand-crafted evaluation, in one table.
//!
//! The values started from plain principles, not from another engine: squares from centrality and
//! advancement, mobility as a square root (the first squares matter most), passed pawns growing
//! about twofold every two ranks. They were then fitted to the engine's own games by Texel tuning
//! with regularisation towards the initial values (`harness tune texel --apply` writes them here).
//! As far as terms are linear, an evaluation is the sum of count times weight over this table; a
//! [`Coefficients`](super::Coefficients) trace gives the counts.

use super::group::Group;
use super::score::{Score, s};

/// Declares [`Weights`], its values, and the enumeration of its terms.
macro_rules! weights {
    ($($(#[$attribute:meta])* $name:ident: $group:ident, [$($value:expr),* $(,)?];)*) => {
        /// The weights of the evaluation by term; a term has one weight or several.
        #[repr(C)]
        pub struct Weights {
            $($(#[$attribute])* pub $name: [Score; [$($value),*].len()],)*
        }

        /// The weights in use.
        pub static WEIGHTS: Weights = Weights { $($name: [$($value),*],)* };

        impl Weights {
            /// The number of weights.
            pub const COUNT: usize = size_of::<Weights>() / size_of::<Score>();

            /// All terms, in the order in which their weights are numbered from 0 on.
            pub fn terms(&self) -> Vec<Term<'_>> {
                vec![$(Term {
                    name: stringify!($name),
                    group: Group::$group,
                    weights: &self.$name,
                },)*]
            }
        }
    };
}

/// A named row of the table of weights.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The name of the field in [`Weights`].
    pub name: &'static str,
    /// The group that it is shown in.
    pub group: Group,
    /// Its weights: one, or one a square, rank, count or role.
    pub weights: &'a [Score],
}

weights! {
    /// Values of a pawn, knight, bishop, rook and queen.
    material: Material, [s(75, 112), s(323, 320), s(342, 338), s(457, 562), s(1004, 985)];
    /// Two bishops or more.
    bishop_pair: Material, [s(28, 46)];
    /// The side to move.
    tempo: Tempo, [s(29, 14)];
    /// Where a pawn stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    pawn_square: Placement, [
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        s(-4, 1), s(0, -4), s(-6, -1), s(-5, 0),
        s(-1, -1), s(0, -5), s(-5, -1), s(-2, -4),
        s(-6, 5), s(-8, 1), s(4, -4), s(9, -7),
        s(-2, 8), s(2, 7), s(1, 8), s(17, -3),
        s(4, 13), s(7, 8), s(13, 15), s(25, 13),
        s(8, 22), s(10, 22), s(17, 26), s(25, 26),
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    ];
    /// Where a knight stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    knight_square: Placement, [
        s(-41, -20), s(-23, -13), s(-21, -8), s(-12, -2),
        s(-24, -12), s(-16, -6), s(-11, -6), s(-5, 6),
        s(-20, -9), s(0, -1), s(-3, 2), s(10, 10),
        s(-2, -1), s(5, 5), s(16, 10), s(16, 18),
        s(1, -1), s(8, 7), s(12, 12), s(22, 21),
        s(-11, -8), s(6, 0), s(6, 3), s(17, 10),
        s(-22, -14), s(-19, -8), s(-8, -2), s(1, 6),
        s(-37, -24), s(-23, -14), s(-16, -8), s(-7, -2),
    ];
    /// Where a bishop stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    bishop_square: Placement, [
        s(-18, -6), s(-14, -4), s(-13, -3), s(-9, 1),
        s(-8, -5), s(5, -6), s(-1, -1), s(2, 3),
        s(-5, -3), s(9, 2), s(9, 2), s(4, 9),
        s(-1, -3), s(9, 1), s(8, 9), s(14, 8),
        s(-2, 0), s(6, 5), s(8, 7), s(7, 8),
        s(-4, -3), s(4, 2), s(6, 3), s(8, 4),
        s(-9, -4), s(-3, -2), s(-1, 1), s(4, 4),
        s(-12, -7), s(-7, -6), s(-5, -4), s(0, 3),
    ];
    /// Where a rook stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    rook_square: Placement, [
        s(-11, -6), s(-6, -5), s(-1, -4), s(5, -9),
        s(-14, -4), s(-12, -3), s(2, -6), s(5, -5),
        s(-14, -1), s(-8, 1), s(-9, -2), s(-2, -3),
        s(-14, 3), s(-8, 4), s(-6, 2), s(0, 2),
        s(-8, 7), s(-6, 6), s(-4, 4), s(2, 4),
        s(-2, 7), s(5, 8), s(4, 6), s(9, 4),
        s(-6, 0), s(-3, 0), s(0, 0), s(4, -2),
        s(-3, 5), s(0, 6), s(2, 2), s(5, 2),
    ];
    /// Where a queen stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    queen_square: Placement, [
        s(-8, -16), s(-10, -11), s(-7, -9), s(5, -12),
        s(-5, -11), s(8, -5), s(3, -3), s(5, 2),
        s(1, -4), s(5, 1), s(1, 6), s(0, 9),
        s(2, 3), s(5, 8), s(-1, 12), s(0, 17),
        s(6, 3), s(-2, 7), s(8, 13), s(2, 17),
        s(1, -3), s(4, 2), s(2, 7), s(3, 11),
        s(1, -8), s(-5, -3), s(1, 2), s(3, 7),
        s(-6, -15), s(-2, -9), s(-1, -5), s(2, 2),
    ];
    /// Where a king stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    king_square: Placement, [
        s(4, -36), s(17, -26), s(-2, -17), s(-16, -12),
        s(-14, -20), s(-11, -13), s(-22, -2), s(-32, 5),
        s(-34, -13), s(-26, 3), s(-44, 12), s(-51, 17),
        s(-49, 5), s(-43, 14), s(-61, 28), s(-70, 30),
        s(-66, 3), s(-60, 20), s(-78, 26), s(-85, 34),
        s(-75, -4), s(-69, 13), s(-87, 23), s(-94, 30),
        s(-76, -21), s(-69, -7), s(-87, 5), s(-93, 13),
        s(-77, -35), s(-70, -22), s(-88, -12), s(-94, -2),
    ];
    /// How many squares a knight can go to, not counting those that enemy pawns attack.
    knight_mobility: Mobility, [s(-28, -46), s(-20, -28), s(-13, -13), s(-9, -4), s(-3, 6), s(2, 13), s(5, 15), s(10, 16), s(8, 16)];
    /// How many squares a bishop can go to, not counting those that enemy pawns attack.
    bishop_mobility: Mobility, [s(-38, -69), s(-26, -42), s(-17, -31), s(-14, -19), s(-10, -8), s(-6, 3), s(-3, 6), s(-1, 10), s(1, 13), s(2, 15), s(12, 17), s(13, 22), s(20, 27), s(23, 30)];
    /// How many squares a rook can go to, not counting those that enemy pawns attack.
    rook_mobility: Mobility, [s(-58, -56), s(-33, -41), s(-21, -26), s(-17, -20), s(-11, -11), s(-10, -4), s(-10, 3), s(-4, 5), s(3, 5), s(2, 13), s(10, 14), s(11, 17), s(13, 20), s(17, 20), s(20, 22)];
    /// How many squares a queen can go to, not counting those that enemy pawns attack.
    queen_mobility: Mobility, [s(-50, -43), s(-31, -31), s(-31, -27), s(-24, -23), s(-20, -22), s(-20, -17), s(-17, -16), s(-14, -14), s(-11, -10), s(-8, -7), s(-7, -5), s(-4, -2), s(-3, 2), s(0, 4), s(0, 5), s(2, 8), s(3, 7), s(9, 9), s(11, 11), s(12, 12), s(13, 11), s(14, 12), s(15, 13), s(17, 13), s(18, 15), s(20, 17), s(21, 18), s(22, 19)];

    /// A knight in the enemy's half that no pawn can drive away: alone, protected by a pawn.
    knight_outpost: Pieces, [s(8, 2), s(20, 17)];
    /// The same for a bishop.
    bishop_outpost: Pieces, [s(4, 2), s(21, 11)];
    /// Each own pawn on squares of a bishop's colour.
    bishop_own_pawns: Pieces, [s(-4, -4)];
    /// A knight or bishop right behind a pawn.
    minor_behind_pawn: Pieces, [s(4, 12)];
    /// A rook on a file without own pawns: with enemy pawns, without any.
    rook_file: Pieces, [s(12, 14), s(29, 3)];
    /// A rook on the seventh rank that confines the king or attacks pawns.
    rook_seventh: Pieces, [s(13, 23)];

    /// A pawn behind another one on its file.
    pawn_doubled: Pawns, [s(-8, -18)];
    /// A pawn without own pawns on the files beside it: opposed by an enemy pawn, or not.
    pawn_isolated: Pawns, [s(-4, -8), s(-14, -10)];
    /// A pawn that its neighbours have passed and that cannot safely follow: opposed, or not.
    pawn_backward: Pawns, [s(-4, -10), s(-11, -13)];
    /// A pawn beside another one, by rank.
    #[rustfmt::skip]
    pawn_phalanx: Pawns, [
        s(0, 0), s(3, 3), s(5, -1), s(8, 6), s(18, 19), s(45, 48), s(60, 91), s(0, 0),
    ];
    /// A pawn protected by another one, by rank.
    #[rustfmt::skip]
    pawn_supported: Pawns, [
        s(0, 0), s(0, 0), s(11, 9), s(12, 9), s(17, 13), s(35, 31), s(61, 48), s(0, 0),
    ];

    /// A passed pawn, by rank.
    #[rustfmt::skip]
    passed: Passed, [
        s(0, 0), s(2, 10), s(1, 17), s(2, 36), s(11, 55), s(36, 93), s(71, 145), s(0, 0),
    ];
    /// Another pawn protects it or stands beside it.
    #[rustfmt::skip]
    passed_supported: Passed, [
        s(0, 0), s(0, 1), s(0, 1), s(7, 3), s(12, 10), s(20, 22), s(26, 33), s(0, 0),
    ];
    /// Each step from the own king to the square before it.
    #[rustfmt::skip]
    passed_own_king: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(1, -7), s(1, -15), s(1, -19), s(0, -18), s(0, 0),
    ];
    /// Each step from the enemy king to the square before it.
    #[rustfmt::skip]
    passed_enemy_king: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(-2, 9), s(-2, 22), s(-5, 35), s(2, 37), s(0, 0),
    ];
    /// A piece stands before it.
    #[rustfmt::skip]
    passed_blocked: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(-3, -3), s(-3, -12), s(-13, -25), s(-29, -52), s(0, 0),
    ];
    /// The enemy neither attacks nor occupies any square up to promotion.
    #[rustfmt::skip]
    passed_free: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(0, 15), s(8, 36), s(23, 67), s(41, 108), s(0, 0),
    ];
    /// The enemy does not attack the square before it.
    #[rustfmt::skip]
    passed_can_step: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(2, 3), s(4, 11), s(15, 28), s(20, 40), s(0, 0),
    ];
    /// The enemy attacks the square before it, but an own piece does too.
    #[rustfmt::skip]
    passed_escorted: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(1, 8), s(2, 15), s(11, 19), s(17, 25), s(0, 0),
    ];

    /// The own pawn on the king's file, by rank; 0 when there is none.
    #[rustfmt::skip]
    shelter_king_file: King, [
        s(-19, 3), s(18, 0), s(11, -4), s(1, 0), s(-7, -1), s(-10, 1), s(-7, 0), s(0, 0),
    ];
    /// The own pawn on a file beside the king's, by rank; 0 when there is none.
    #[rustfmt::skip]
    shelter_side_file: King, [
        s(-12, 1), s(13, -3), s(6, -1), s(-1, -1), s(-4, -4), s(-5, 0), s(-4, 6), s(0, 0),
    ];
    /// The nearest enemy pawn on the three files at the king, by rank from the king's side.
    #[rustfmt::skip]
    storm: King, [
        s(0, 0), s(-2, 6), s(-26, 9), s(-14, 4), s(-4, 5), s(0, 4), s(0, 2), s(0, 0),
    ];
    /// The same when an own pawn blocks it.
    #[rustfmt::skip]
    storm_blocked: King, [
        s(0, 0), s(0, 0), s(-1, -3), s(-2, 0), s(3, -6), s(1, -2), s(3, -1), s(0, 0),
    ];

    /// A pawn attacks a knight, bishop, rook or queen.
    threat_by_pawn: Threats, [s(59, 38), s(61, 46), s(72, 42), s(65, 43)];
    /// A knight or bishop attacks a rook or queen.
    threat_by_minor: Threats, [s(46, 27), s(48, 34)];
    /// A rook attacks a queen.
    threat_by_rook: Threats, [s(50, 24)];
    /// A pawn that is attacked and not defended.
    hanging_pawn: Threats, [s(18, 42)];
    /// A piece that is attacked and not defended.
    hanging_piece: Threats, [s(23, 28)];
    /// A piece that a pawn could attack by a safe step.
    threat_by_push: Threats, [s(19, 7)];

    /// Each step that the kings are nearer than seven, against a bare king.
    mop_up_near: Endgame, [s(-1, 2)];
    /// Each step that a bare king is nearer to an edge or a mating corner.
    mop_up_corner: Endgame, [s(-2, 12)];
}

/// Constants of the king danger, which is not linear: danger units are summed, and the penalty is
/// proportional to their square.
pub struct KingDanger {
    /// A pawn (never counted), knight, bishop, rook, queen or king (never counted) attacks a
    /// square at the king; in units.
    pub attacker: [i32; 6],
    /// Each square at the king that a piece attacks; in units.
    pub zone_square: i32,
    /// Each such square that only king or queen defend (weak square); in units.
    pub weak_square: i32,
    /// A safe check; in units, by role.
    pub safe_check: [i32; 6],
    /// Units up to which there is no danger.
    pub offset: i32,
    /// Reduction of the danger without an enemy queen; in units.
    pub no_queen: i32,
    /// Largest danger; in units.
    pub max: i32,
    /// The squared units divided by this are the middlegame penalty in centipawns.
    pub divisor: i32,
    /// The units divided by this are the endgame penalty in centipawns.
    pub eg_divisor: i32,
}

/// The constants in use.
pub static KING_DANGER: KingDanger = KingDanger {
    attacker: [0, 24, 16, 20, 14, 0],
    zone_square: 8,
    weak_square: 20,
    safe_check: [0, 70, 40, 75, 60, 0],
    offset: 35,
    no_queen: 90,
    max: 450,
    divisor: 240,
    eg_divisor: 14,
};
