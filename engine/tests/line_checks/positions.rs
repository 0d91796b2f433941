//! Positions whose lines are checked: from the suites of the repository and drawn at random, as they are,
//! near the fifty-move rule, and after histories that repeat.

use shakmaty::{Chess, Position as _};

use super::Numbers;
use super::game::Game;

/// The first `count` of the positions; in 500 of them every kind comes.
pub fn positions(count: usize) -> Vec<Game> {
    let mut numbers = Numbers(51);
    let suites = [suites::WAC, suites::ERET, suites::BK, suites::PERFT, suites::OPENINGS];
    let tactical: Vec<String> = suites.iter().flat_map(|suite| fens(suite)).collect();
    let chess960: Vec<String> = fens(suites::PERFT960).collect();
    let mut found = Vec::new();
    for number in 0.. {
        if found.len() == count {
            break;
        }
        let game = match number % 5 {
            0 | 1 => Game::new(&tactical[numbers.below(tactical.len())], false),
            2 => Game::new(&chess960[numbers.below(chess960.len())], true),
            _ => Game::new(&few_pieces(&mut numbers), false),
        };
        let treated = game.and_then(|game| treated(game, number / 5 % 5, &mut numbers));
        found.extend(treated.filter(|game| game.ending().is_none()));
    }
    found
}

/// Positions of an EPD file, as FEN.
fn fens(suite: &str) -> impl Iterator<Item = String> + '_ {
    suite.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        format!("{} 0 1", words.join(" "))
    })
}

/// The FEN of kings and one to four other pieces on random squares: of some, the position is none.
fn few_pieces(numbers: &mut Numbers) -> String {
    const PIECES: [char; 14] =
        ['P', 'P', 'P', 'p', 'p', 'p', 'N', 'n', 'B', 'b', 'R', 'r', 'Q', 'q'];
    let mut board = [None; 64];
    let others = 1 + numbers.below(4);
    let drawn = (0..others).map(|_| PIECES[numbers.below(PIECES.len())]).collect::<Vec<_>>();
    for piece in ['K', 'k'].into_iter().chain(drawn) {
        board[numbers.below(64)] = Some(piece);
    }
    let ranks: Vec<String> = board.chunks(8).map(rank).collect();
    let side = ['w', 'b'][numbers.below(2)];
    format!("{} {side} - - 0 60", ranks.join("/"))
}

/// A rank as FEN has it.
fn rank(squares: &[Option<char>]) -> String {
    let runs = squares.chunk_by(|one, next| one.is_none() && next.is_none());
    let text = |run: &[Option<char>]| match run[0] {
        Some(piece) => piece.to_string(),
        None => run.len().to_string(),
    };
    runs.map(text).collect()
}

/// A position as it is, with a clock of 90 to 99, or after moves there and back.
fn treated(game: Game, kind: usize, numbers: &mut Numbers) -> Option<Game> {
    match kind {
        1 => {
            let clock = 90 + numbers.below(10);
            // What could be captured en passant was a pawn's move.
            let fields: Vec<&str> = game.fen.split(' ').collect();
            let fen = format!("{} {} {} - {clock} 90", fields[0], fields[1], fields[2]);
            Game::new(&fen, game.chess960)
        }
        2 => there_and_back(game, 4, numbers),
        3 => {
            let plies = 5 + numbers.below(3);
            there_and_back(game, plies, numbers)
        }
        _ => Some(game),
    }
}

/// The game after each side has moved a piece there and back, over and over, for `plies` plies. `None`
/// where it cannot.
fn there_and_back(game: Game, plies: usize, numbers: &mut Numbers) -> Option<Game> {
    let first = quiet_moves(&game);
    let away = first.get(numbers.below(first.len().max(1)))?.clone();
    let game = game.played(&away);
    let second = quiet_moves(&game);
    let reply = second.get(numbers.below(second.len().max(1)))?.clone();
    let back = |text: &str| format!("{}{}", &text[2..4], &text[..2]);
    let cycle = [away.clone(), reply.clone(), back(&away), back(&reply)];
    let mut game = game;
    for m in cycle.iter().cycle().take(plies).skip(1) {
        if game.ending().is_some() || !game.play(m) {
            return None;
        }
    }
    Some(game)
}

/// Moves of pieces that neither capture nor give check, and can be taken back.
fn quiet_moves(game: &Game) -> Vec<String> {
    let position: &Chess = game.position();
    let quiet = |m: &&shakmaty::Move| !m.is_zeroing() && !m.is_castle() && !m.is_promotion();
    let mode = shakmaty::CastlingMode::Standard;
    let texts = position
        .legal_moves()
        .iter()
        .filter(quiet)
        .map(|m| m.to_uci(mode).to_string())
        .collect::<Vec<_>>();
    texts.into_iter().filter(|text| !game.clone().played(text).position().is_check()).collect()
}
