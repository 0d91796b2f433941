//! Quiescence search: captures at the leaves, until the position is quiet enough for the evaluation.

use super::frame::NO_REPETITION;
use super::history::HistoryContext;
use super::node::{Node, NonPvNode, PvNode};
use super::picker::Picker;
use super::score::{DRAW, INFINITE, MAX_PLY, TB_WIN_IN_MAX_PLY, Value, Window, mated_in};
use super::tree::Tree;
use super::tt::{Bound, Entry};
use crate::board::{Position, exchange_value};
use crate::eval::Evaluator;
use crate::params::Params;

/// Evasions searched in check before quiet ones are skipped.
const MAX_QUIET_EVASIONS: i32 = 2;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a position with captures and queen promotions only, and in check with every
    /// evasion.
    pub fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
    ) -> Value {
        if !self.enter_node(ply) {
            return DRAW;
        }
        if let Some(value) = self.draw(position, ply) {
            return value;
        }
        self.find_corrections(position, ply);
        let in_check = position.in_check();
        if ply >= MAX_PLY - 1 {
            return self.value_at_max_ply(position, ply);
        }
        let entry = self.tt.probe(position.key(), ply);
        if !N::PV
            && let Some(value) = entry.and_then(|entry| entry.cutoff(window))
        {
            return value;
        }

        let mut best = -INFINITE;
        let mut futility_base = -INFINITE;
        self.frames[ply].eval = None;
        if !in_check {
            best = self.evaluate(position, ply, entry);
            // Stand pat: captures are not compulsory.
            if best >= window.beta {
                return best;
            }
            futility_base = best + self.params.delta_margin();
        }
        let raw_eval = (!in_check).then_some(self.frames[ply].raw_eval);
        let state = QuiescenceState { best, raw_eval, futility_base, in_check, entry };
        self.search_captures::<N>(position, ply, window, state)
    }

    /// A picker of captures and queen promotions, or in check of all moves.
    fn quiescence_picker(
        &mut self,
        position: &Position,
        in_check: bool,
        entry: Option<Entry>,
    ) -> Picker {
        let hash_move = entry.and_then(|entry| entry.best_move);
        if in_check {
            let legal = hash_move.filter(|&m| position.is_legal(m));
            Picker::new(self.buffers, position, legal, [None; 2], None)
        } else {
            let noisy = |&m: &_| position.is_legal(m) && position.is_noisy(m);
            Picker::noisy(self.buffers, position, hash_move.filter(noisy), 0)
        }
    }

    /// Searches the captures, or in check the evasions, and stores the result.
    fn search_captures<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        state: QuiescenceState,
    ) -> Value {
        let QuiescenceState { mut best, raw_eval, futility_base, in_check, entry } = state;
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;
        let mut move_count = 0;
        let mut repetition_ply = NO_REPETITION;
        let keys =
            if in_check { self.history_context(position, ply) } else { HistoryContext::EMPTY };
        let mut picker = self.quiescence_picker(position, in_check, entry);
        while let Some(m) = picker.next(position, self.histories, &keys) {
            if self.overlooks(position, m, ply, in_check) {
                continue;
            }
            if !in_check || best > -TB_WIN_IN_MAX_PLY {
                if picker.is_losing_capture() {
                    break;
                }
                if in_check && !position.is_noisy(m) && move_count > MAX_QUIET_EVASIONS {
                    picker.skip_quiets();
                    continue;
                }
                // Futility (delta) pruning: even winning the piece would not reach alpha.
                let gain = position.captured(m).map_or(0, exchange_value)
                    + m.promotion().map_or(0, exchange_value);
                if !in_check && futility_base + gain <= alpha && !position.gives_check(m) {
                    best = best.max(futility_base + gain);
                    continue;
                }
            }
            move_count += 1;
            self.tt.prefetch(position.likely_key_after(m));
            let value = self.with_move(position, ply, m, |tree, child| {
                let window = Window { alpha, beta: window.beta }.reversed();
                if N::PV {
                    -tree.quiescence::<PvNode>(child, ply + 1, window)
                } else {
                    -tree.quiescence::<NonPvNode>(child, ply + 1, window)
                }
            });
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                repetition_ply = self.frames[ply + 1].repetition_ply;
                if value > alpha {
                    alpha = value;
                    best_move = Some(m);
                    if N::PV {
                        self.update_pv(ply, m);
                    }
                    if value >= window.beta {
                        break;
                    }
                }
            }
        }
        self.buffers.recycle(picker);
        if in_check && move_count == 0 && best == -INFINITE {
            return mated_in(ply);
        }
        self.frames[ply].repetition_ply = repetition_ply;
        let bound = if self.frames[ply].is_path_dependent(ply, best) {
            Bound::None
        } else if best >= window.beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        let was_pv = N::PV || entry.is_some_and(|entry| entry.was_pv);
        let entry = Entry { best_move, value: best, eval: raw_eval, depth: 0, bound, was_pv };
        self.tt.store(position.key(), ply, entry);
        best
    }
}

/// State of a quiescence node before its moves are tried.
struct QuiescenceState {
    /// The stand-pat value; minus infinity in check.
    best: Value,
    /// Static evaluation before correction; `None` in check.
    raw_eval: Option<Value>,
    /// Futility base: a capture is skipped if this plus its gain does not reach alpha.
    futility_base: Value,
    in_check: bool,
    entry: Option<Entry>,
}
