//! Insight into a position without a search: value of each piece in the evaluation, reasons why a
//! side is better, what the tablebases know.

use engine::board::Position as EnginePosition;
use engine::eval::{Coefficients, Evaluation, Evaluator, Group, Handcrafted, PHASE_START, phase};
use engine::tablebase::{Dtz, Tablebases, Wdl};
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position, Role, Square};

use super::game::name;

/// Centipawns from which a difference of two sides is a reason.
const REASON: i32 = 20;

/// Most reasons that are given.
const REASONS: usize = 2;

/// Value of a piece on its square.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// Where it stands.
    pub square: String,
    /// Its letter, as in FEN.
    pub piece: char,
    /// The evaluation for its side, less that without it, in centipawns.
    pub worth: i32,
}

/// Evaluation of a position by the built-in engine's network, or by its hand-crafted evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Insight {
    /// The evaluation from White's view, in centipawns, without a search.
    pub value: i32,
    /// The pieces but the kings; those without which the position could not be are missing.
    pub pieces: Vec<Worth>,
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn white_value(evaluation: &mut Evaluation, position: &EnginePosition) -> i32 {
    let value = evaluation.evaluate(position);
    if position.side() == Color::White { value } else { -value }
}

/// Takes each piece away in turn and evaluates what is left. `None` in check, where an evaluation
/// without a search means nothing.
pub fn evaluation(position: &Chess) -> Option<Insight> {
    if position.is_check() {
        return None;
    }
    let text = fen(position);
    let (_, rest) = text.split_once(' ')?;
    let mut evaluation = Evaluation::default();
    let value = white_value(&mut evaluation, &EnginePosition::from_fen(&text).ok()?);
    let board = position.board();
    let others = board.occupied() & !board.kings();
    let pieces = others.into_iter().filter_map(|square: Square| {
        let piece = board.piece_at(square)?;
        let mut without = board.clone();
        without.discard_piece_at(square);
        let text = format!("{} {rest}", without.board_fen());
        let left = EnginePosition::from_fen(&text).ok()?;
        // The side to move would be in check.
        if left.in_check() {
            return None;
        }
        let worth = value - white_value(&mut evaluation, &left);
        let worth = if piece.color.is_white() { worth } else { -worth };
        Some(Worth { square: square.to_string(), piece: piece.char(), worth })
    });
    Some(Insight { value, pieces: pieces.collect() })
}

/// Why a side is better, but for material: `White's king is safer.` Empty where nothing stands out.
pub fn reasons(position: &Chess, leader: Color) -> String {
    let Ok(position) = EnginePosition::from_fen(&fen(position)) else { return String::new() };
    let mut coefficients = Coefficients::new();
    Handcrafted::new().evaluate_traced(&position, &mut coefficients);
    let middlegame = phase(&position).min(PHASE_START);
    let value = |color, group| {
        let (mg, eg) = coefficients.group_value(color, group);
        (mg * middlegame + eg * (PHASE_START - middlegame)) / PHASE_START
    };
    let reason = |group| {
        Some(match group {
            Group::Placement => "has the better placed pieces",
            Group::Mobility => "has more room for its pieces",
            Group::Pieces => "has the better squares for its pieces",
            Group::Pawns => "has the sounder pawns",
            Group::Passed => "has the more dangerous passed pawns",
            Group::King => "has the safer king",
            Group::Threats => "attacks more",
            Group::Material | Group::Endgame | Group::Tempo => return None,
        })
    };
    let mut leads: Vec<(i32, &str)> = Group::ALL
        .into_iter()
        .filter_map(|group| {
            let lead = value(leader, group) - value(leader.other(), group);
            reason(group).filter(|_| lead >= REASON).map(|text| (lead, text))
        })
        .collect();
    leads.sort_unstable_by(|a, b| b.cmp(a));
    let texts: Vec<&str> = leads.iter().take(REASONS).map(|(_, text)| *text).collect();
    if texts.is_empty() {
        String::new()
    } else {
        format!("{} {}.", name(leader), texts.join(" and "))
    }
}

/// Tablebase result of a position: `White wins; 13 plies to the next capture or pawn move.`
pub fn tablebase(tables: &Tablebases, position: &Chess) -> Option<String> {
    if position.board().occupied().count() as u32 > tables.max_men() {
        return None;
    }
    let own = EnginePosition::from_fen(&fen(position)).ok()?;
    let dtz = tables.probe_dtz(&own);
    let turn = position.turn();
    let result = match dtz {
        Some(plies) => Wdl::from_dtz(Dtz(plies)),
        None => tables.probe_wdl_of(position)?,
    };
    let plies = dtz.map_or_else(String::new, |plies| {
        format!("; {} plies to the next capture or pawn move", plies.abs())
    });
    Some(match result {
        Wdl::Draw => "Tablebase: a draw.".to_owned(),
        Wdl::Win => format!("Tablebase: {} wins{plies}.", name(turn)),
        Wdl::Loss => format!("Tablebase: {} wins{plies}.", name(turn.other())),
        Wdl::CursedWin => {
            format!("Tablebase: a draw by the fifty-move rule; {} would win.", name(turn))
        }
        Wdl::BlessedLoss => {
            format!("Tablebase: a draw by the fifty-move rule; {} would win.", name(turn.other()))
        }
    })
}

/// `a rook`, `2 pawns`.
pub fn counted(count: u32, role: Role) -> String {
    let name = match role {
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
        Role::King => "king",
    };
    if count == 1 { format!("a {name}") } else { format!("{count} {name}s") }
}

#[cfg(test)]
#[path = "../../../../../engine/tests/tablebases/mod.rs"]
mod tables;

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("a FEN");
        fen.into_position(CastlingMode::Standard).expect("legal")
    }

    #[test]
    fn a_queen_is_worth_more_than_a_pawn_and_a_piece_that_blocks_a_check_is_left_out() {
        let seen =
            super::evaluation(&position("3qk3/8/8/8/8/8/4P3/3QK3 w - - 0 1")).expect("no check");
        let worth = |square: &str| {
            let found = seen.pieces.iter().find(|piece| piece.square == square);
            found.map(|piece| piece.worth)
        };
        assert_eq!(seen.pieces.len(), 3);
        assert!(worth("d1").expect("there") > worth("e2").expect("there") + 200);
        assert!(worth("d8").expect("there") > 200, "of its own side");
        let pinned =
            super::evaluation(&position("4r1k1/8/8/8/8/8/4P3/4K3 w - - 0 1")).expect("no check");
        assert!(pinned.pieces.iter().all(|piece| piece.square != "e2"), "{pinned:?}");
        assert_eq!(super::evaluation(&position("4r1k1/8/8/8/8/8/8/4K3 w - - 0 1")), None);
    }

    #[test]
    fn the_reasons_are_those_of_the_side_that_leads() {
        let passed = position("6k1/5ppp/8/2P5/8/8/5PPP/6K1 w - - 0 1");
        let text = reasons(&passed, Color::White);
        assert!(text.starts_with("White has") && text.contains("passed pawns"), "{text}");
        assert_eq!(reasons(&Chess::default(), Color::White), "");
    }

    #[test]
    fn tablebases_tell_who_wins() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        tables::write_all(folder.path());
        let (tablebases, errors) = Tablebases::open(folder.path().display().to_string());
        assert!(errors.is_empty() && tablebases.count() > 0);
        let result = |fen| tablebase(&tablebases, &position(fen));
        let won = result("8/8/8/4k3/8/8/8/KQ6 b - - 0 1").expect("known");
        assert!(won.starts_with("Tablebase: White wins"), "{won}");
        let drawn = result("8/8/8/8/8/1k6/2Q5/K7 b - - 0 1").expect("known");
        assert_eq!(drawn, "Tablebase: a draw.");
        assert_eq!(result("8/8/8/4k3/8/8/8/KQQQ4 w - - 0 1"), None);
    }
}
