//! Moves in their positions.
//!
//! A word is a move if exactly one legal move is written like it, once its signs are taken off.

use engine::board::{CastlingSide, Position};
use shakmaty::Role;
use shakmaty::san::San;

use super::glyphs::{self, Nags};
use super::notation::{Reading, Step, readings};
use super::san;
use harness_base::text::decode;

/// The legal move that a word names, and the signs behind it; `None` if there is none, or more than
/// one.
#[inline]
pub fn find_move(position: &Position, word: &[u8]) -> Option<(engine::board::Move, Nags)> {
    let usual = usual(word).and_then(|(san, nags)| Some((san::resolve(position, &san)?, nags)));
    usual.or_else(|| find_unusual(position, word))
}

/// As [`find_move`], for chess and its variants as shakmaty plays them.
pub fn find_shakmaty_move<P>(position: &P, word: &[u8]) -> Option<(shakmaty::Move, Nags)>
where
    P: shakmaty::Position,
{
    let usual = usual(word).and_then(|(san, nags)| Some((san.to_move(position).ok()?, nags)));
    usual.or_else(|| {
        let legal = position.legal_moves();
        unique(word, || legal.iter().filter_map(|&legal| Some((shakmaty_step(legal)?, legal))))
    })
}

/// Why a word names no move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// It is not written as a move.
    Unreadable,
    /// It names no legal move.
    Illegal,
    /// It names more than one.
    Ambiguous,
}

/// Why [`find_shakmaty_move`] finds no move.
pub fn why_no_move<P: shakmaty::Position>(position: &P, word: &[u8]) -> NoMove {
    let text = decode(word);
    let steps: Vec<Step> = position.legal_moves().into_iter().filter_map(shakmaty_step).collect();
    let fits = |Reading { shape, .. }: Reading| {
        steps.iter().filter(|step| shape.fits(step) || shape.fits_castling(step)).count()
    };
    match readings(&text).map(fits).max() {
        None => NoMove::Unreadable,
        Some(0) => NoMove::Illegal,
        Some(_) => NoMove::Ambiguous,
    }
}

/// Standard algebraic notation with `!` and `?` behind it.
#[inline]
fn usual(word: &[u8]) -> Option<(San, Nags)> {
    let signs = word.iter().rev().take_while(|byte| matches!(byte, b'!' | b'?')).count();
    let (san, signs) = word.split_at(word.len() - signs);
    let nags = match signs {
        [] => Nags::default(),
        _ => glyphs::all(std::str::from_utf8(signs).ok()?)?,
    };
    Some((San::from_ascii(san).ok()?, nags))
}

#[cold]
fn find_unusual(position: &Position, word: &[u8]) -> Option<(engine::board::Move, Nags)> {
    let legal = position.legal_moves();
    let steps = || legal.into_iter().map(|m| (step(position, m), m));
    unique(word, steps)
}

fn step(position: &Position, m: engine::board::Move) -> Step {
    let castles = m.is_castling().then(|| CastlingSide::from_king_side(m.to() > m.from()));
    Step {
        role: position.role_at(m.from()).unwrap_or(Role::King),
        from: m.from(),
        to: m.to(),
        promotion: m.promotion(),
        castles,
    }
}

/// `None` for a piece that is dropped: it has no square to come from.
fn shakmaty_step(legal: shakmaty::Move) -> Option<Step> {
    Some(Step {
        role: legal.role(),
        from: legal.from()?,
        to: legal.to(),
        promotion: legal.promotion(),
        castles: legal.castling_side(),
    })
}

/// The move of the first reading that fits any; `None` if it fits several.
fn unique<M: Copy, I>(word: &[u8], legal: impl Fn() -> I) -> Option<(M, Nags)>
where
    I: Iterator<Item = (Step, M)>,
{
    let text = decode(word);
    readings(&text).find_map(|Reading { shape, nags }| {
        let mut fits = legal().filter(|(step, _)| shape.fits(step)).map(|(_, m)| m);
        let mut castles = legal().filter(|(step, _)| shape.fits_castling(step)).map(|(_, m)| m);
        let found = match (fits.next(), fits.next()) {
            (None, _) => (castles.next(), castles.next()),
            found => found,
        };
        match found {
            (None, _) => None,
            (Some(_), Some(_)) => Some(None),
            (Some(m), None) => Some(Some((m, nags))),
        }
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const CASTLES: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    const PASSES: &str = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3";
    const PROMOTES: &str = "1n6/P3k3/8/8/8/8/8/4K3 w - - 0 1";
    const KNIGHTS: &str = "4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1";
    const BISHOP: &str = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1";
    const MATES: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
    const CHESS960: &str = "4k3/8/8/8/8/8/8/R4K1R w HA - 0 1";
    const NEIGHBOUR: &str = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";

    #[test]
    fn a_word_names_the_one_move_that_is_written_like_it() {
        for (fen, words, wanted) in [
            (
                START,
                "e4 e4! e2e4 e2-e4 e2–e4 Pe4 pe4 ♙e4 e4= e4+/- e4± e4N e4!?⩲ e2e4!? e4=N",
                "e2e4",
            ),
            (
                START,
                "Nf3 Ng1f3 Ng1-f3 N1f3 Ngf3 nf3 ♘f3 ♞f3 ♘\u{fe0e}f3 g1f3 Nf3+/- Nf3?! Nxf3",
                "g1f3",
            ),
            (CASTLES, "O-O 0-0 o-o OO oo 0–0 O-O! 0-0+ e1g1 e1h1 Kg1 Ke1-g1", "e1h1"),
            (CASTLES, "O-O-O 0-0-0 o-o-o OOO O-O-O+= e1c1 e1a1 Kc1", "e1a1"),
            (
                PASSES,
                "exd6 exd6e.p. exd6ep exd6e.p ed6 e:d6 e5d6 exd6/ep e5xd6 e5×d6 exd6e.p.+!",
                "e5d6",
            ),
            (
                PROMOTES,
                "a8=Q a8Q a8q a8(Q) a8/Q a7a8q a7-a8=Q a8=Q+ a8Q!! a8=q a8=♕ a8(q)+",
                "a7a8q",
            ),
            (PROMOTES, "a8=N a8N a7a8n", "a7a8n"),
            (PROMOTES, "axb8=Q+ ab8Q a7b8q axb8(Q) a:b8Q", "a7b8q"),
            (KNIGHTS, "Nab3 Nab3! Na1b3 a1b3", "a1b3"),
            (BISHOP, "bxc3 bc3 b2c3 b:c3 bc bxc b:c bc3: bxc!? bc, bxc3.", "b2c3"),
            (BISHOP, "Bc3: Bc3x Bd2c3:", "d2c3"),
            (BISHOP, "Bxc3 d2c3 Bd2xc3", "d2c3"),
            (BISHOP, "be3 Be3", "d2e3"),
            (MATES, "Qh4 Qh4# Qh4mate Qh4++ Qh4mate! d8h4 Qd8-h4# Qh4‡", "d8h4"),
            (CHESS960, "O-O f1h1", "f1h1"),
            (CHESS960, "O-O-O f1a1 Kc1", "f1a1"),
            // The king goes there without castling, too.
            (CHESS960, "Kg1 f1g1", "f1g1"),
            (NEIGHBOUR, "O-O f1g1", "f1g1"),
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let theirs = position.to_shakmaty().expect("legal");
            for word in words.split(' ') {
                let (found, nags) = find_move(&position, word.as_bytes()).expect(word);
                assert_eq!(position.uci(found, true).to_string(), wanted, "{word} in {fen}");
                let (legal, same) = find_shakmaty_move(&theirs, word.as_bytes()).expect(word);
                let uci = legal.to_uci(shakmaty::CastlingMode::Chess960).to_string();
                assert_eq!((uci.as_str(), same), (wanted, nags), "{word} in {fen}");
            }
        }
    }

    #[test]
    fn what_is_illegal_or_names_several_moves_is_none() {
        for (fen, words) in [
            (
                START,
                "e5 Nd2 O-O e4e5 e9 x e4xe5 e4.e5 Nf3Nc6 -- Z0 @@@@ 0000 Ke2 rubbish N e2 e4=Q Nf3N4",
            ),
            (KNIGHTS, "Nb3 Nxb3 Nb3:"),
            (PASSES, "exf ee ex d"),
            (PROMOTES, "a8 a8=K a8=P a7a8 a8=QQ"),
            (CASTLES, "O-O-O-O O -O-O Kxh1x"),
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let theirs = position.to_shakmaty().expect("legal");
            for word in words.split(' ') {
                assert_eq!(find_move(&position, word.as_bytes()), None, "{word} in {fen}");
                assert_eq!(find_shakmaty_move(&theirs, word.as_bytes()), None, "{word} in {fen}");
            }
        }
    }

    #[test]
    fn signs_behind_a_move_are_kept() {
        let position = Position::startpos();
        for (word, wanted) in [
            ("e4", &[][..]),
            ("e4!", &[1]),
            ("e4?!", &[6]),
            ("e4+/-", &[16]),
            ("e4±", &[16]),
            ("e4!?+-", &[5, 18]),
            ("e4N", &[146]),
            ("e4=", &[10]),
        ] {
            let (_, nags) = find_move(&position, word.as_bytes()).expect(word);
            assert_eq!(nags.iter().collect::<Vec<u8>>(), wanted, "{word}");
        }
        let latin1 = find_move(&position, b"e4\xb1").expect("a move");
        assert_eq!(latin1.1.iter().collect::<Vec<u8>>(), [16]);
    }
}
