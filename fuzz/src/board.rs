//! Positions.

use engine::board::Position;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

/// A FEN is read; the position is then checked against shakmaty.
pub fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Position::from_fen(&text) {
        Ok(position) => {
            sound(&position);
            agrees_with_shakmaty(&position);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    reads_what_shakmaty_writes(&text);
}

/// A position that was written and read again is the same.
pub fn sound(position: &Position) {
    for chess960 in [false, true] {
        let text = position.fen(chess960);
        assert_eq!(Position::from_fen(&text), Ok(*position), "{text}");
    }
}

/// The legal moves are shakmaty's, and so is the position after each of them.
fn agrees_with_shakmaty(position: &Position) {
    let Some(theirs) = position.to_shakmaty() else { return };
    let mut ours = Vec::new();
    for m in &position.legal_moves() {
        let text = position.uci(m, true).to_string();
        assert_eq!(position.parse_uci(&text, true), Some(m), "{text} in {}", position.fen(true));
        let mut after = *position;
        after.play(m);
        let uci: UciMove = text.parse().expect("a move as UCI writes it");
        let move_of_theirs = uci.to_move(&theirs).expect("legal for shakmaty");
        let mut theirs_after = theirs.clone();
        theirs_after.play_unchecked(move_of_theirs);
        let setup = |chess: &Chess| Fen::from_position(chess, EnPassantMode::Legal).to_string();
        let board = |fen: &str| fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert_eq!(board(&after.fen(false)), board(&setup(&theirs_after)), "{text}");
        ours.push(text);
    }
    let legal = theirs.legal_moves();
    assert_eq!(ours.len(), legal.len(), "{}", position.fen(true));
    assert_eq!(position.in_check(), theirs.is_check(), "{}", position.fen(true));
}

/// What shakmaty takes for a legal position and writes as FEN is read here, too.
fn reads_what_shakmaty_writes(text: &str) {
    let Ok(fen) = text.parse::<Fen>() else { return };
    let Ok(theirs) = fen.into_position::<Chess>(CastlingMode::Chess960) else { return };
    let clocks = [theirs.halfmoves(), theirs.fullmoves().get()];
    if clocks.iter().any(|&clock| clock > u16::MAX.into()) {
        return;
    }
    let written = Fen::from_position(&theirs, EnPassantMode::Legal).to_string();
    let read = Position::from_fen(&written);
    let ours = read.unwrap_or_else(|error| panic!("{written}: {error}"));
    assert_eq!(ours.legal_moves().len(), theirs.legal_moves().len(), "{written}");
}
