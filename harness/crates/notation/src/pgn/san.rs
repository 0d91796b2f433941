//! Standard algebraic notation (SAN): resolving and writing moves.

use engine::board::{
    Bitboard, CastlingSide, Color, Move, Position, Rank, Role, Square, bishop_attacks,
    king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, PositionError};

/// The legal move that `san` names; `None` if there is none, or more than one.
pub fn resolve(position: &Position, san: &San) -> Option<Move> {
    match *san {
        San::Normal { role: Role::Pawn, file, rank, to, promotion, .. } => {
            let from = match file {
                Some(file) if file != to.file() => {
                    pawn_attacks(!position.side(), to) & Bitboard::from_file(file)
                }
                _ => push_origin(position, to),
            };
            let from = only(from & of_rank(rank) & ours(position, Role::Pawn))?;
            let passes = from.file() != to.file() && position.en_passant() == Some(to);
            legal(
                position,
                match promotion {
                    Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => {
                        Move::promoting(from, to, role)
                    }
                    Some(_) => return None,
                    None if passes => Move::en_passant(from, to),
                    None => Move::normal(from, to),
                },
            )
        }
        San::Normal { role, file, rank, to, promotion: None, .. } => {
            let files = file.map_or(Bitboard::FULL, Bitboard::from_file);
            let from = ours(position, role) & reach(position, role, to) & files & of_rank(rank);
            let mut moves = from
                .into_iter()
                .filter(|&from| from != to)
                .filter_map(|from| legal(position, Move::normal(from, to)));
            let first = moves.next();
            if moves.next().is_some() { None } else { first }
        }
        San::Castle(side) => {
            let king = position.king(position.side());
            let rooks = position.castling_rights().rooks_of(position.side());
            let matches_side = |&rook: &Square| CastlingSide::from_king_side(rook > king) == side;
            let rook = rooks.into_iter().find(matches_side)?;
            legal(position, Move::castling(king, rook))
        }
        _ => None,
    }
}

fn legal(position: &Position, m: Move) -> Option<Move> {
    position.is_legal(m).then_some(m)
}

fn ours(position: &Position, role: Role) -> Bitboard {
    position.pieces(position.side(), role)
}

fn of_rank(rank: Option<Rank>) -> Bitboard {
    rank.map_or(Bitboard::FULL, Bitboard::from_rank)
}

fn only(squares: Bitboard) -> Option<Square> {
    squares.single_square()
}

/// The square from which a pawn is pushed to `to`.
fn push_origin(position: &Position, to: Square) -> Bitboard {
    let back = if position.side() == Color::White { -8 } else { 8 };
    let Some(one) = to.offset(back) else { return Bitboard::EMPTY };
    match position.role_at(one) {
        Some(_) => one.into(),
        None => one.offset(back).map_or(Bitboard::EMPTY, Bitboard::from_square),
    }
}

fn reach(position: &Position, role: Role, to: Square) -> Bitboard {
    let occupied = position.occupied();
    match role {
        Role::Knight => knight_attacks(to),
        Role::Bishop => bishop_attacks(to, occupied),
        Role::Rook => rook_attacks(to, occupied),
        Role::Queen => queen_attacks(to, occupied),
        Role::King => king_attacks(to),
        Role::Pawn => Bitboard::EMPTY,
    }
}

/// A legal move in SAN; slow, as it converts to shakmaty.
pub fn write(position: &Position, played: Move) -> Option<String> {
    let fen: Fen = position.fen(true).parse().ok()?;
    // More material than a game can have is no obstacle: the engine plays on from it, too.
    let board: Chess = fen
        .into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()?;
    let uci: UciMove = position.uci(played, true).to_string().parse().ok()?;
    Some(San::from_move(&board, uci.to_move(&board).ok()?).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_is_found_by_its_san() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 3",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "6k1/8/8/Q7/8/8/8/Q3K2Q w - - 0 1",
            "4k3/8/8/8/1b6/8/3N4/4K1N1 w - - 0 1",
            // Eight pawns and two bishops on squares of one colour.
            "r3k2r/p2pppqb/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).expect(fen);
            for m in &position.legal_moves() {
                let text = write(&position, m).expect("legal");
                let san = San::from_ascii(text.as_bytes()).expect("SAN");
                assert_eq!(resolve(&position, &san), Some(m), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn what_is_illegal_or_ambiguous_is_no_move() {
        let position = Position::from_fen("6k1/8/8/Q7/8/8/8/Q3K2Q w - - 0 1").expect("legal");
        for text in ["Qd5", "e4", "O-O", "Kd3", "Nf3", "Q8d5"] {
            let san = San::from_ascii(text.as_bytes()).expect("SAN");
            assert_eq!(resolve(&position, &san), None, "{text}");
        }
    }
}
