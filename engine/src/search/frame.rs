//! What a search remembers of each ply of the line it is in.

use super::history::PieceTo;
use super::picker::Buffers;
use super::score::{MAX_PLY, Value};
use crate::board::{Move, Position};

/// The value of a node does not rest on a repetition.
pub(super) const NO_DRAW: i32 = i32::MAX;
/// It rests on a repetition of a position before the root, or on the fifty-move rule.
pub(super) const BEFORE_ROOT: i32 = -1;

/// One ply of the line that is being searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Static evaluation before and after correction; `None` in check.
    pub raw_eval: Value,
    pub eval: Option<Value>,
    /// The move that is being tried; `None` for a null move.
    pub piece_to: Option<PieceTo>,
    pub null_move: bool,
    /// The move left out while it is checked for being singular.
    pub excluded: Option<Move>,
    pub killers: [Option<Move>; 2],
    /// Extensions beyond one ply so far in this line.
    pub double_extensions: u8,
    /// Where the node's value is a draw by repetition: the ply of the position repeated. A value
    /// that reaches above its node depends on the way to it.
    pub draw_reach: i32,
}

impl Frame {
    pub const START: Frame = Frame {
        raw_eval: 0,
        eval: None,
        piece_to: None,
        null_move: false,
        excluded: None,
        killers: [None; 2],
        double_extensions: 0,
        draw_reach: NO_DRAW,
    };

    /// Notes the move that is about to be played.
    pub fn set_move(&mut self, position: &Position, m: Move) {
        self.piece_to = PieceTo::new(position, m);
        self.null_move = false;
    }

    /// Notes that a null move is about to be played.
    pub fn set_null_move(&mut self) {
        self.piece_to = None;
        self.null_move = true;
    }
}

/// A line of moves of bounded length.
#[derive(Clone, Debug)]
pub(super) struct Line {
    moves: [Option<Move>; MAX_PLY],
    len: usize,
}

impl Line {
    pub const EMPTY: Line = Line { moves: [None; MAX_PLY], len: 0 };

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// A move and what follows it.
    pub fn set(&mut self, m: Move, rest: &Line) {
        let len = rest.len.min(MAX_PLY - 1);
        self.moves[0] = Some(m);
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len + 1;
    }

    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied().flatten()
    }
}

/// Room for what a search notes at each ply, kept from search to search: making it anew takes
/// longer than a search of few nodes.
pub(super) struct Stack {
    pub frames: Vec<Frame>,
    /// The best line from each ply on.
    pub lines: Vec<Line>,
    pub buffers: Buffers,
}

impl Stack {
    pub fn new() -> Stack {
        Stack {
            frames: vec![Frame::START; MAX_PLY + 4],
            lines: vec![Line::EMPTY; MAX_PLY + 4],
            buffers: Buffers::default(),
        }
    }

    /// Forgets the search before. Nothing is read of a line or a buffer before it is written.
    pub fn reset(&mut self) {
        self.frames.fill(Frame::START);
    }
}
