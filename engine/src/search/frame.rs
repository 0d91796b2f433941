//! The search stack: per-ply state of the current line.

use super::correction::CorrectionSlots;
use super::history::PieceTo;
use super::picker::Buffers;
use super::score::{DRAW, MAX_PLY, Value};
use crate::board::{Move, Position};

/// The value of a node does not rest on a repetition.
pub(super) const NO_REPETITION: i32 = i32::MAX;
/// The value rests on a repetition of a position before the root, or on the fifty-move rule.
pub(super) const BEFORE_ROOT: i32 = -1;

/// Frames of the search stack: those of all plies, and of the killers two plies ahead.
const STACK_SIZE: usize = MAX_PLY + 4;

/// State of one ply of the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Static evaluation before correction.
    pub raw_eval: Value,
    /// Static evaluation after correction; `None` in check.
    pub eval: Option<Value>,
    /// Where the corrections of the evaluation are; set where the position is not in check.
    pub correction_slots: CorrectionSlots,
    /// The move being searched; `None` for a null move.
    pub piece_to: Option<PieceTo>,
    pub null_move: bool,
    /// The move excluded by a singular search.
    pub excluded: Option<Move>,
    pub killers: [Option<Move>; 2],
    /// Extensions by more than one ply so far in this line.
    pub double_extensions: u8,
    /// Where the node's value is a draw by repetition: the ply of the repeated position, or
    /// [`BEFORE_ROOT`], [`NO_REPETITION`].
    pub repetition_ply: i32,
}

impl Frame {
    pub const START: Frame = Frame {
        raw_eval: 0,
        eval: None,
        correction_slots: CorrectionSlots::NONE,
        piece_to: None,
        null_move: false,
        excluded: None,
        killers: [None; 2],
        double_extensions: 0,
        repetition_ply: NO_REPETITION,
    };

    /// Sets the move to be played.
    pub fn set_move(&mut self, position: &Position, m: Move) {
        self.piece_to = PieceTo::new(position, m);
        self.null_move = false;
    }

    /// Sets a null move as the move to be played.
    pub fn set_null_move(&mut self) {
        self.piece_to = None;
        self.null_move = true;
    }

    /// Whether the value of this frame's node, at `ply`, is a draw by the repetition of a position
    /// above it: another path to the node may have another value.
    pub fn is_path_dependent(&self, ply: usize, value: Value) -> bool {
        value == DRAW && self.repetition_ply < ply as i32
    }
}

/// A principal variation.
#[derive(Clone, Debug)]
pub(super) struct PvLine {
    moves: [Option<Move>; MAX_PLY],
    len: usize,
}

impl PvLine {
    pub const EMPTY: PvLine = PvLine { moves: [None; MAX_PLY], len: 0 };

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Sets the line to a move and its continuation.
    pub fn set(&mut self, m: Move, rest: &PvLine) {
        let len = rest.len.min(MAX_PLY - 1);
        self.moves[0] = Some(m);
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len + 1;
    }

    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied().flatten()
    }
}

/// The search stack. It is kept from search to search: allocating it takes longer than a search of
/// few nodes.
pub(super) struct Stack {
    pub frames: Vec<Frame>,
    /// The principal variation from each ply on (triangular PV table).
    pub pv_table: Vec<PvLine>,
    pub buffers: Buffers,
}

impl Stack {
    pub fn new() -> Stack {
        Stack {
            frames: vec![Frame::START; STACK_SIZE],
            pv_table: vec![PvLine::EMPTY; STACK_SIZE],
            buffers: Buffers::default(),
        }
    }

    /// Resets the frames. Lines and buffers are always written before they are read.
    pub fn reset(&mut self) {
        self.frames.fill(Frame::START);
    }
}
