//! A game that is continued along a line, and where it ends.

use super::limits::Root;
use crate::board::{Move, Position};
use crate::tablebase::FIFTY_MOVES;

/// The game up to the root of a search, continued along a line.
#[derive(Clone, Debug)]
pub(super) struct GameLine {
    position: Position,
    /// Keys of the positions before this one, oldest first.
    keys: Vec<u64>,
}

impl GameLine {
    /// The game up to the root.
    pub fn new(root: &Root) -> GameLine {
        GameLine { position: *root.position(), keys: root.earlier_keys().to_vec() }
    }

    /// The position reached.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.keys.push(self.position.key());
        self.position.play(m);
    }

    /// Takes back the last move; `before` is the position that it was played in.
    pub fn take_back(&mut self, before: Position) {
        self.keys.pop();
        self.position = before;
    }

    /// Keys of the positions before the last `moves` moves, oldest first.
    pub fn keys_from(&self, moves: usize) -> &[u64] {
        &self.keys[self.keys.len().saturating_sub(moves)..]
    }

    /// Whether the side to move is checkmated.
    pub fn is_mate(&self) -> bool {
        self.position.in_check() && !self.position.has_legal_move()
    }

    /// Whether the game is over: by checkmate or stalemate, or drawn by insufficient material, the
    /// fifty-move rule or a third occurrence of the position.
    pub fn is_over(&self) -> bool {
        self.is_drawn_with_moves_left() || !self.position.has_legal_move()
    }

    /// Whether the game is drawn where there are legal moves; a mate on the hundredth ply counts.
    pub fn is_drawn_with_moves_left(&self) -> bool {
        self.position.is_insufficient_material()
            || self.position.halfmove_clock() >= FIFTY_MOVES as u16
            || self.is_third_occurrence()
    }

    /// Whether the position has occurred twice before. No irreversible move lies between.
    fn is_third_occurrence(&self) -> bool {
        let back = usize::from(self.position.halfmove_clock());
        let reversible = self.keys.iter().rev().take(back);
        reversible.filter(|&&key| key == self.position.key()).count() >= 2
    }

    /// The moves of a line up to the end of the game, and the game at their end. The first move
    /// counts even if the game was over before it: it is the one that is played.
    pub fn play_to_the_end(mut self, line: &[Move]) -> (Vec<Move>, GameLine) {
        let mut played = Vec::with_capacity(line.len());
        for &m in line {
            if !played.is_empty() && self.is_over() {
                break;
            }
            self.play(m);
            played.push(m);
        }
        (played, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of moves of a line up to the end of the game.
    fn length(fen: &str, before: &str, line: &str) -> usize {
        let mut root = Root::new(Position::from_fen(fen).expect("valid"));
        for text in before.split_whitespace() {
            root.play(root.position().parse_uci(text, false).expect("legal"));
        }
        let mut position = *root.position();
        let parse = |text: &str| {
            let m = position.parse_uci(text, false).expect("legal");
            position.play(m);
            m
        };
        let line: Vec<Move> = line.split_whitespace().map(parse).collect();
        GameLine::new(&root).play_to_the_end(&line).0.len()
    }

    #[test]
    fn a_line_ends_where_the_game_ends() {
        let queen = "7k/8/8/8/8/8/Q7/K7 w - - 0 1";
        let shuffle = "a2a3 h8h7 a3a2 h7h8";
        let cases = [
            // The position after the fourth move occurs for the third time in the line itself.
            (queen, "", &*format!("{shuffle} {shuffle} a2b2"), 8),
            // Once, or twice, in the game before.
            (queen, shuffle, &*format!("{shuffle} a2b2"), 4),
            (queen, &*format!("{shuffle} a2a3"), "h8h7 a3a2 h7h8 a2b2", 3),
            // Over before the line begins: the move that is played stays.
            (queen, &*format!("{shuffle} {shuffle}"), "a2b2 h8g8", 2),
            ("7k/8/8/8/8/8/Q7/K7 w - - 98 90", "", "a2b2 h8g8 b2b8", 2),
            ("7k/8/8/8/8/8/Q7/K7 w - - 100 90", "", "a2b2 h8g8", 1),
            // A mate on the hundredth ply ends the game before the fifty-move rule does.
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90", "", "d1d8", 1),
            ("8/8/8/8/8/k7/1p6/1K6 b - - 0 1", "", "a3b3", 1),
            ("8/8/8/8/8/8/1k1p4/3K4 w - - 0 1", "", "d1d2 b2b3 d2d3", 1),
            ("8/8/8/4k3/8/8/4K1Nn/8 w - - 0 1", "", "g2f4 h2f3 e2f3 e5f5 f3e2", 3),
        ];
        for (fen, before, line, expected) in cases {
            assert_eq!(length(fen, before, line), expected, "{fen} {before}: {line}");
        }
    }
}
