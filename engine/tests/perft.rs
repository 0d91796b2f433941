//! The move generator against known perft counts, and against shakmaty move by move.

use engine::board::{Position, perft};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

#[test]
fn perft_of_standard_positions_is_as_known() {
    assert_counts(suites::PERFT, 2_000_000, 600);
}

#[test]
fn perft_of_chess960_positions_is_as_known() {
    assert_counts(suites::PERFT960, 100_000, 2_880);
}

/// Compares every count of the suite up to `most_nodes`, of which there must be `at_least`.
/// `harness perft` goes further.
fn assert_counts(suite: &str, most_nodes: u64, at_least: usize) {
    let lines = suite.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut counted = 0;
    for line in lines {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next().expect("split gives at least one field");
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        for field in fields {
            let (depth, nodes) = field.split_once(' ').expect("`D1 20`");
            let depth = depth[1..].parse().expect("a depth");
            let nodes: u64 = nodes.parse().expect("a count");
            if nodes <= most_nodes {
                assert_eq!(perft(&position, depth), nodes, "{fen} at depth {depth}");
                counted += 1;
            }
        }
    }
    assert!(counted >= at_least, "only {counted} counts compared");
}

/// Plays `choices` from the position, and compares with shakmaty what is legal at each step.
fn assert_agrees_with_shakmaty(fen: &str, choices: &[u16], mode: CastlingMode) {
    let chess960 = mode == CastlingMode::Chess960;
    let mut ours = Position::from_fen(fen).unwrap();
    let mut theirs: Chess = fen.parse::<Fen>().unwrap().into_position(mode).unwrap();
    for choice in choices {
        let their_fen = Fen::from_position(&theirs, EnPassantMode::Legal);
        assert_eq!(ours.fen(false), their_fen.to_string());
        assert_eq!(Position::from_fen(&ours.fen(chess960)), Ok(ours));
        assert_eq!(ours.is_insufficient_material(), theirs.is_insufficient_material());
        assert_eq!(ours.checkers(), theirs.checkers());
        let mut our_moves: Vec<String> =
            ours.legal_moves().iter().map(|&m| ours.uci(m, chess960).to_string()).collect();
        let mut their_moves: Vec<String> =
            theirs.legal_moves().iter().map(|&m| UciMove::from_move(m, mode).to_string()).collect();
        our_moves.sort();
        their_moves.sort();
        assert_eq!(our_moves, their_moves, "{}", ours.fen(chess960));
        if our_moves.is_empty() {
            return;
        }
        let text = &our_moves[usize::from(*choice) % our_moves.len()];
        let m = ours.parse_uci(text, chess960).expect("its own notation");
        assert_eq!(ours.uci(m, chess960).to_string(), *text);
        ours.play(m);
        let uci: UciMove = text.parse().unwrap();
        let m = uci.to_move(&theirs).unwrap();
        theirs.play_unchecked(m);
    }
}

/// The FEN of one of the 960 start arrays: bishops on squares of different colours and a king
/// between the rooks, by the numbering of R. Scharnagl.
fn chess960_start(number: u32) -> String {
    let mut row = [None; 8];
    let (number, light) = (number / 4, number % 4);
    let (number, dark) = (number / 4, number % 4);
    row[2 * light as usize + 1] = Some('B');
    row[2 * dark as usize] = Some('B');
    let mut fill = |nth: u32, piece| {
        let free = (0..8).filter(|&file| row[file].is_none()).nth(nth as usize);
        row[free.expect("enough free squares")] = Some(piece);
    };
    fill(number % 6, 'Q');
    let knights = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];
    // The second number counts free squares after the first knight is placed.
    let (first, second) = knights[(number / 6) as usize];
    fill(first, 'N');
    fill(second, 'N');
    for piece in ['R', 'K', 'R'] {
        fill(0, piece);
    }
    let white: String = row.into_iter().flatten().collect();
    format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1", white.to_lowercase())
}

#[test]
fn the_start_arrays_are_960_and_hold_the_standard_one() {
    let all: std::collections::BTreeSet<String> = (0..960).map(chess960_start).collect();
    assert_eq!(all.len(), 960);
    assert!(all.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_games_agree_with_shakmaty(choices in prop::collection::vec(any::<u16>(), 1..200)) {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_agrees_with_shakmaty(start, &choices, CastlingMode::Standard);
    }

    #[test]
    fn random_games_of_chess960_agree_with_shakmaty(
        number in 0..960_u32,
        choices in prop::collection::vec(any::<u16>(), 1..200),
    ) {
        assert_agrees_with_shakmaty(&chess960_start(number), &choices, CastlingMode::Chess960);
    }

    #[test]
    fn random_endgames_agree_with_shakmaty(choices in prop::collection::vec(any::<u16>(), 1..200)) {
        for fen in ["8/P1k5/8/8/8/8/5Kp1/8 w - - 0 1", "4k3/2p1p3/8/3P4/3p4/8/2P1P3/4K3 w - - 0 1"] {
            assert_agrees_with_shakmaty(fen, &choices, CastlingMode::Standard);
        }
    }
}
