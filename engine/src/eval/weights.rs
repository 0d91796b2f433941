//! Every number of the evaluation, in one table.
//!
//! The values come from plain principles, not from another engine: squares from centrality and
//! advancement, mobility as a square root (the first squares matter most), passed pawns growing
//! about twofold every two ranks. They are there to be tuned: a position's evaluation is the sum
//! of count times weight over this table, as far as terms are linear, and a
//! [`Coefficients`](super::Coefficients) trace gives the counts.

use super::Group;
use super::score::{Score, s};

/// Declares [`Weights`], its values, and the enumeration of its terms.
macro_rules! weights {
    ($($(#[$attribute:meta])* $name:ident: $group:ident, [$($value:expr),* $(,)?];)*) => {
        /// The weights of the evaluation by term; a term has one weight or several.
        #[repr(C)]
        pub struct Weights {
            $($(#[$attribute])* pub $name: [Score; [$($value),*].len()],)*
        }

        /// The weights that the engine plays with.
        pub static WEIGHTS: Weights = Weights { $($name: [$($value),*],)* };

        impl Weights {
            /// How many weights there are.
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
    /// What the term is shown under.
    pub group: Group,
    /// Its weights: one, or one a square, rank, count or role.
    pub weights: &'a [Score],
}

weights! {
    /// What a pawn, knight, bishop, rook and queen are worth.
    material: Material, [s(85, 106), s(340, 305), s(355, 322), s(480, 535), s(1000, 970)];
    /// Two bishops or more.
    bishop_pair: Material, [s(34, 48)];
    /// The side to move.
    tempo: Tempo, [s(18, 10)];
    /// Where a pawn stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    pawn_square: Placement, [
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
        s(-4, -2), s(-2, -2), s(-4, -2), s(-8, -2),
        s(-4, -2), s(0, -2), s(-2, -2), s(0, -2),
        s(-4, 0), s(-2, 0), s(4, 0), s(8, 0),
        s(0, 4), s(0, 4), s(8, 4), s(20, 4),
        s(4, 12), s(6, 12), s(12, 12), s(24, 12),
        s(8, 24), s(10, 24), s(16, 24), s(24, 24),
        s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    ];
    /// Where a knight stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    knight_square: Placement, [
        s(-39, -20), s(-31, -14), s(-23, -8), s(-15, -2),
        s(-23, -14), s(-15, -8), s(-7, -2), s(1, 4),
        s(-15, -8), s(-7, -2), s(1, 4), s(9, 10),
        s(-1, -2), s(7, 4), s(15, 10), s(23, 16),
        s(-1, -2), s(7, 4), s(15, 10), s(23, 16),
        s(-9, -8), s(-1, -2), s(7, 4), s(15, 10),
        s(-23, -14), s(-15, -8), s(-7, -2), s(1, 4),
        s(-31, -20), s(-23, -14), s(-15, -8), s(-7, -2),
    ];
    /// Where a bishop stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    bishop_square: Placement, [
        s(-19, -9), s(-15, -6), s(-11, -3), s(-7, 0),
        s(-7, -6), s(1, -3), s(1, 0), s(5, 3),
        s(-3, -3), s(1, 0), s(5, 3), s(9, 6),
        s(1, 0), s(5, 3), s(9, 6), s(13, 9),
        s(1, 0), s(5, 3), s(9, 6), s(13, 9),
        s(-3, -3), s(1, 0), s(5, 3), s(9, 6),
        s(-7, -6), s(-3, -3), s(1, 0), s(5, 3),
        s(-11, -9), s(-7, -6), s(-3, -3), s(1, 0),
    ];
    /// Where a rook stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    rook_square: Placement, [
        s(-6, 0), s(-2, 0), s(2, 0), s(6, 0),
        s(-6, 0), s(-2, 0), s(2, 0), s(6, 0),
        s(-12, 0), s(-8, 0), s(-4, 0), s(0, 0),
        s(-12, 0), s(-8, 0), s(-4, 0), s(0, 0),
        s(-12, 0), s(-8, 0), s(-4, 0), s(0, 0),
        s(-6, 0), s(-2, 0), s(2, 0), s(6, 0),
        s(-6, 0), s(-2, 0), s(2, 0), s(6, 0),
        s(-6, 0), s(-2, 0), s(2, 0), s(6, 0),
    ];
    /// Where a queen stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    queen_square: Placement, [
        s(-9, -15), s(-7, -10), s(-5, -5), s(1, 0),
        s(-3, -10), s(-1, -5), s(1, 0), s(3, 5),
        s(-1, -5), s(1, 0), s(3, 5), s(5, 10),
        s(1, 0), s(3, 5), s(5, 10), s(7, 15),
        s(1, 0), s(3, 5), s(5, 10), s(7, 15),
        s(-1, -5), s(1, 0), s(3, 5), s(5, 10),
        s(-3, -10), s(-1, -5), s(1, 0), s(3, 5),
        s(-5, -15), s(-3, -10), s(-1, -5), s(1, 0),
    ];
    /// Where a king stands: ranks from its own side, files from a (or h) to the middle.
    #[rustfmt::skip]
    king_square: Placement, [
        s(14, -34), s(20, -23), s(2, -12), s(-4, -1),
        s(-18, -23), s(-12, -12), s(-30, -1), s(-36, 10),
        s(-34, -12), s(-28, -1), s(-46, 10), s(-52, 21),
        s(-50, 5), s(-44, 16), s(-62, 27), s(-68, 38),
        s(-66, 5), s(-60, 16), s(-78, 27), s(-84, 38),
        s(-76, -6), s(-70, 5), s(-88, 16), s(-94, 27),
        s(-76, -23), s(-70, -12), s(-88, -1), s(-94, 10),
        s(-76, -34), s(-70, -23), s(-88, -12), s(-94, -1),
    ];
    /// How many squares a knight can go to, not counting those that enemy pawns attack.
    knight_mobility: Mobility, [s(-36, -48), s(-18, -24), s(-11, -14), s(-5, -6), s(0, 0), s(4, 6), s(8, 11), s(12, 15), s(15, 20)];
    /// How many squares a bishop can go to, not counting those that enemy pawns attack.
    bishop_mobility: Mobility, [s(-54, -73), s(-32, -43), s(-23, -31), s(-16, -22), s(-10, -13), s(-5, -6), s(0, 0), s(4, 6), s(8, 11), s(12, 17), s(16, 21), s(19, 26), s(22, 30), s(25, 35)];
    /// How many squares a rook can go to, not counting those that enemy pawns attack.
    rook_mobility: Mobility, [s(-53, -53), s(-33, -33), s(-25, -25), s(-18, -18), s(-13, -13), s(-8, -8), s(-4, -4), s(0, 0), s(4, 4), s(7, 7), s(10, 10), s(13, 13), s(16, 16), s(19, 19), s(22, 22)];
    /// How many squares a queen can go to, not counting those that enemy pawns attack.
    queen_mobility: Mobility, [s(-50, -43), s(-36, -31), s(-31, -26), s(-26, -22), s(-22, -19), s(-19, -16), s(-16, -14), s(-13, -12), s(-11, -9), s(-8, -7), s(-6, -5), s(-4, -3), s(-2, -2), s(0, 0), s(2, 2), s(4, 3), s(6, 5), s(7, 6), s(9, 8), s(11, 9), s(12, 10), s(14, 12), s(15, 13), s(17, 14), s(18, 16), s(20, 17), s(21, 18), s(22, 19)];

    /// A knight in the enemy's half that no pawn can drive away: alone, protected by a pawn.
    knight_outpost: Pieces, [s(12, 6), s(28, 18)];
    /// The same for a bishop.
    bishop_outpost: Pieces, [s(6, 3), s(18, 10)];
    /// Each own pawn on squares of a bishop's colour.
    bishop_own_pawns: Pieces, [s(-3, -5)];
    /// A knight or bishop right behind a pawn.
    minor_behind_pawn: Pieces, [s(6, 3)];
    /// A rook on a file without own pawns: with enemy pawns, without any.
    rook_file: Pieces, [s(14, 2), s(34, 4)];
    /// A rook on the seventh rank that confines the king or attacks pawns.
    rook_seventh: Pieces, [s(14, 24)];

    /// A pawn behind another one on its file.
    pawn_doubled: Pawns, [s(-8, -20)];
    /// A pawn without own pawns on the files beside it: opposed by an enemy pawn, or not.
    pawn_isolated: Pawns, [s(-5, -9), s(-13, -13)];
    /// A pawn that its neighbours have passed and that cannot safely follow: opposed, or not.
    pawn_backward: Pawns, [s(-6, -12), s(-13, -18)];
    /// A pawn beside another one, by rank.
    #[rustfmt::skip]
    pawn_phalanx: Pawns, [
        s(0, 0), s(2, -2), s(6, 2), s(10, 6), s(22, 18), s(45, 50), s(60, 90), s(0, 0),
    ];
    /// A pawn protected by another one, by rank.
    #[rustfmt::skip]
    pawn_supported: Pawns, [
        s(0, 0), s(0, 0), s(10, 6), s(9, 7), s(14, 14), s(32, 32), s(60, 50), s(0, 0),
    ];

    /// A passed pawn, by rank.
    #[rustfmt::skip]
    passed: Passed, [
        s(0, 0), s(0, 8), s(0, 14), s(2, 30), s(14, 56), s(36, 95), s(70, 145), s(0, 0),
    ];
    /// Another pawn protects it or stands beside it.
    #[rustfmt::skip]
    passed_supported: Passed, [
        s(0, 0), s(0, 0), s(2, 4), s(4, 8), s(10, 16), s(20, 28), s(25, 35), s(0, 0),
    ];
    /// Each step from the own king to the square before it.
    #[rustfmt::skip]
    passed_own_king: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(0, -4), s(0, -9), s(0, -14), s(0, -12), s(0, 0),
    ];
    /// Each step from the enemy king to the square before it.
    #[rustfmt::skip]
    passed_enemy_king: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(0, 6), s(0, 13), s(0, 20), s(0, 23), s(0, 0),
    ];
    /// A piece stands before it.
    #[rustfmt::skip]
    passed_blocked: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(-3, -4), s(-8, -14), s(-16, -30), s(-25, -50), s(0, 0),
    ];
    /// The enemy neither attacks nor occupies any square up to promotion.
    #[rustfmt::skip]
    passed_free: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(4, 10), s(10, 26), s(22, 55), s(40, 100), s(0, 0),
    ];
    /// The enemy does not attack the square before it.
    #[rustfmt::skip]
    passed_can_step: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(2, 5), s(5, 13), s(12, 28), s(20, 40), s(0, 0),
    ];
    /// The enemy attacks the square before it, but an own piece does too.
    #[rustfmt::skip]
    passed_escorted: Passed, [
        s(0, 0), s(0, 0), s(0, 0), s(0, 3), s(3, 8), s(8, 16), s(14, 20), s(0, 0),
    ];

    /// The own pawn on the king's file, by rank; 0 when there is none.
    #[rustfmt::skip]
    shelter_king_file: King, [
        s(-20, 0), s(18, 0), s(10, 0), s(0, 0), s(-6, 0), s(-8, 0), s(-8, 0), s(0, 0),
    ];
    /// The own pawn on a file beside the king's, by rank; 0 when there is none.
    #[rustfmt::skip]
    shelter_side_file: King, [
        s(-14, 0), s(14, 0), s(8, 0), s(0, 0), s(-4, 0), s(-6, 0), s(-6, 0), s(0, 0),
    ];
    /// The nearest enemy pawn on the three files at the king, by rank from the king's side.
    #[rustfmt::skip]
    storm: King, [
        s(0, 0), s(-4, 0), s(-24, 0), s(-16, 0), s(-6, 0), s(0, 0), s(0, 0), s(0, 0),
    ];
    /// The same when an own pawn blocks it.
    #[rustfmt::skip]
    storm_blocked: King, [
        s(0, 0), s(0, 0), s(-8, -4), s(-4, -2), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    ];

    /// A pawn attacks a knight, bishop, rook or queen.
    threat_by_pawn: Threats, [s(55, 40), s(55, 45), s(75, 45), s(75, 45)];
    /// A knight or bishop attacks a rook or queen.
    threat_by_minor: Threats, [s(38, 25), s(45, 35)];
    /// A rook attacks a queen.
    threat_by_rook: Threats, [s(45, 25)];
    /// A pawn that is attacked and not defended.
    hanging_pawn: Threats, [s(12, 22)];
    /// A piece that is attacked and not defended.
    hanging_piece: Threats, [s(36, 30)];
    /// A piece that a pawn could attack by a safe step.
    threat_by_push: Threats, [s(18, 10)];

    /// Each step that the kings are nearer than seven, against a bare king.
    mop_up_near: Endgame, [s(0, 8)];
    /// Each step that a bare king is nearer to an edge or a mating corner.
    mop_up_corner: Endgame, [s(0, 14)];
}

/// Numbers of the king's danger, which is not linear: units are added up, and their square is
/// what the danger costs.
pub struct KingDanger {
    /// A pawn (never counted), knight, bishop, rook, queen or king (never counted) attacks a
    /// square at the king; in units.
    pub attacker: [i32; 6],
    /// Each square at the king that a piece attacks; in units.
    pub zone_square: i32,
    /// Each such square that only king or queen defend; in units.
    pub weak_square: i32,
    /// A role that can check without being taken; in units, by role.
    pub safe_check: [i32; 6],
    /// What is nothing to worry about; in units.
    pub calm: i32,
    /// What the danger is less without an enemy queen; in units.
    pub no_queen: i32,
    /// The danger that nothing adds to; in units.
    pub most: i32,
    /// The square of the units by this is the middlegame cost in centipawns.
    pub divisor: i32,
    /// The units by this are the endgame cost in centipawns.
    pub eg_divisor: i32,
}

/// The king's danger as the engine plays with it.
pub static KING_DANGER: KingDanger = KingDanger {
    attacker: [0, 24, 16, 20, 14, 0],
    zone_square: 8,
    weak_square: 20,
    safe_check: [0, 70, 40, 75, 60, 0],
    calm: 35,
    no_queen: 90,
    most: 450,
    divisor: 240,
    eg_divisor: 14,
};
