//! Static exchange evaluation (SEE): the value of a sequence of captures on one square.

use super::check::en_passant_victim;
use super::{Bitboard, Move, Position, Role, bishop_attacks, rook_attacks};

/// The value of a piece in an exchange, in centipawns; a king is never given up.
pub const fn exchange_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 960,
        Role::King => 20_000,
    }
}

/// Roles from the least valuable attacker to the most valuable one.
const CHEAPEST_FIRST: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

impl Position {
    /// Whether the move wins at least `threshold` centipawns on its square, if both sides then
    /// capture there with their least valuable attacker for as long as it pays.
    ///
    /// X-ray attackers join in. Pins and promotions of later captures are ignored.
    /// Swap algorithm: Chess Programming Wiki, "SEE - The Swap Algorithm".
    pub fn see_at_least(&self, m: Move, threshold: i32) -> bool {
        if m.is_castling() {
            return threshold <= 0;
        }
        let from = m.from();
        let to = m.to();
        let mut gain = self.captured(m).map_or(0, exchange_value);
        let Some(mut standing) = self.role_at(from) else { return false };
        if let Some(role) = m.promotion() {
            gain += exchange_value(role) - exchange_value(Role::Pawn);
            standing = role;
        }
        // The gain of the side that just captured beyond the threshold, if the exchange ends here.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= exchange_value(standing);
        if balance >= 0 {
            return true;
        }
        let mut occupied =
            self.occupied() & !Bitboard::from_square(from) | Bitboard::from_square(to);
        if m.is_en_passant() {
            occupied &= !Bitboard::from_square(en_passant_victim(to));
        }
        let diagonal = self.diagonal_sliders();
        let straight = self.straight_sliders();
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = !self.side;
        loop {
            let own = attackers & self.by_color(side);
            let Some(role) = CHEAPEST_FIRST.into_iter().find(|&r| own.intersects(self.by_role(r)))
            else {
                break;
            };
            occupied &= !(own & self.by_role(role)).isolate_first();
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
            side = !side;
            balance = -balance - 1 - exchange_value(role);
            if balance >= 0 {
                // A king may not capture what is still defended: that capture did not happen.
                if role == Role::King && attackers.intersects(self.by_color(side)) {
                    side = !side;
                }
                break;
            }
        }
        // The side that has no further capture that pays loses the exchange.
        side != self.side
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Color, Square};

    /// The value of the exchange by trying all of it: after each capture, the other side takes
    /// back with its cheapest piece, or stops.
    fn exchange(position: &Position, m: Move) -> i32 {
        let mut pieces: Vec<(Square, Color, Role)> = position
            .occupied()
            .into_iter()
            .map(|square| (square, position.piece_at(square).unwrap()))
            .map(|(square, piece)| (square, piece.color, piece.role))
            .collect();
        let mut gain = position.captured(m).map_or(0, exchange_value);
        let mut standing = position.role_at(m.from()).unwrap();
        if let Some(role) = m.promotion() {
            gain += exchange_value(role) - exchange_value(Role::Pawn);
            standing = role;
        }
        let gone = if m.is_en_passant() { en_passant_victim(m.to()) } else { m.to() };
        pieces.retain(|&(square, ..)| square != m.from() && square != gone);
        gain - recapture(&pieces, m.to(), standing, !position.side())
    }

    fn recapture(pieces: &[(Square, Color, Role)], to: Square, standing: Role, side: Color) -> i32 {
        let occupied: Bitboard = pieces.iter().map(|&(square, ..)| square).chain([to]).collect();
        let attacks = |&&(square, color, role): &&(Square, Color, Role)| {
            shakmaty::attacks::attacks(square, role.of(color), occupied).contains(to)
        };
        let mut attackers = pieces.iter().filter(attacks).filter(|piece| piece.1 == side);
        let Some(&(from, _, role)) = attackers.by_ref().min_by_key(|piece| piece.2) else {
            return 0;
        };
        let rest: Vec<_> = pieces.iter().copied().filter(|piece| piece.0 != from).collect();
        let occupied_after: Bitboard =
            rest.iter().map(|&(square, ..)| square).chain([to]).collect();
        let defended = rest.iter().any(|&(square, color, role)| {
            color != side
                && shakmaty::attacks::attacks(square, role.of(color), occupied_after).contains(to)
        });
        if role == Role::King && defended {
            return 0;
        }
        (exchange_value(standing) - recapture(&rest, to, role, !side)).max(0)
    }

    #[test]
    fn the_swap_agrees_with_trying_all_captures() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "2r1r1k1/2q2ppp/1p1bbn2/p2p4/3N1P2/PPN1B1P1/1B2Q2P/2RR2K1 b - - 0 1",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "r1b1r1k1/pp3ppp/2nq1n2/3pp3/3P4/2P1PN2/PPB2PPP/R1BQ1RK1 w - - 0 1",
            "4r1k1/4r3/8/4p3/3K4/8/8/4R3 w - - 0 1",
        ];
        let mut compared = 0;
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            for first in &position.legal_moves() {
                let mut next = position;
                next.play(first);
                for m in next.legal_moves().iter().copied().filter(|m| !m.is_castling()) {
                    let value = exchange(&next, m);
                    assert!(next.see_at_least(m, value), "{m:?} wins {value}: {}", next.fen(false));
                    assert!(!next.see_at_least(m, value + 1), "{m:?} {value}: {}", next.fen(false));
                    compared += 1;
                }
            }
        }
        assert!(compared > 5_000, "only {compared} moves compared");
    }

    #[test]
    fn known_exchanges_have_their_value() {
        let cases = [
            // A rook takes an undefended pawn.
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            // A knight takes a defended pawn and is lost for it: 100 - 320.
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
        ];
        for (fen, text, value) in cases {
            let position = Position::from_fen(fen).unwrap();
            let m = position.parse_uci(text, false).unwrap();
            assert!(position.see_at_least(m, value), "{text}");
            assert!(!position.see_at_least(m, value + 1), "{text}");
        }
    }
}
