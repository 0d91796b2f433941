//! The search of captures at the leaves, until the position is quiet enough to be evaluated.

use super::frame::NO_DRAW;
use super::picker::Picker;
use super::score::{DECIDED, DRAW, INFINITE, MAX_PLY, Value, is_decided, mated_in};
use super::table::{Bound, Entry};
use super::tree::{CutNode, Node, PvNode, Tree, Window};
use crate::board::{Position, exchange_value};
use crate::eval::Evaluator;
use crate::params::Params;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a position when only captures and queen promotions are looked at, and, in
    /// check, every evasion.
    pub fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
    ) -> Value {
        if !self.enter::<N>(ply) {
            return DRAW;
        }
        if let Some(value) = self.draw(position, ply) {
            return value;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { DRAW } else { self.static_eval(position, ply).1 };
        }
        let entry = self.table.probe(position.key(), ply);
        if let Some(entry) = entry
            && !N::PV
            && match entry.bound {
                Bound::None => false,
                Bound::Exact => true,
                Bound::Lower => entry.value >= window.beta,
                Bound::Upper => entry.value <= window.alpha,
            }
        {
            return entry.value;
        }

        let mut best = -INFINITE;
        let mut raw_eval = None;
        let mut futile_below = -INFINITE;
        self.frames[ply].eval = None;
        if !in_check {
            let raw = match entry.and_then(|entry| entry.eval) {
                Some(raw) => raw,
                None => self.static_eval(position, ply).0,
            };
            raw_eval = Some(raw);
            best = self.corrected(position, ply, raw);
            self.frames[ply].eval = Some(best);
            if let Some(entry) = entry
                && !is_decided(entry.value)
                && (entry.bound == Bound::Exact
                    || entry.bound == Bound::Lower && entry.value > best
                    || entry.bound == Bound::Upper && entry.value < best)
            {
                best = entry.value;
            }
            // Standing pat: nobody has to capture.
            if best >= window.beta {
                return best;
            }
            futile_below = best + self.params.delta_margin();
        }
        self.capture::<N>(
            position,
            ply,
            window,
            Leaf { best, raw_eval, futile_below, in_check, entry },
        )
    }

    fn capture<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        leaf: Leaf,
    ) -> Value {
        let Leaf { mut best, futile_below, in_check, entry, .. } = leaf;
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;
        let mut tried = 0;
        let mut reach = NO_DRAW;
        let setting =
            if in_check { self.setting(position, ply) } else { self.setting_of_captures() };
        let hash_move = entry.and_then(|entry| entry.best_move);
        let mut picker = if in_check {
            let legal = hash_move.filter(|&m| position.is_legal(m));
            Picker::new(self.buffers, position, legal, [None; 2], None)
        } else {
            let noisy = |&m: &_| position.is_legal(m) && position.is_noisy(m);
            Picker::noisy(self.buffers, position, hash_move.filter(noisy), 0)
        };
        while let Some(m) = picker.next(position, self.histories, &setting) {
            if !in_check || best > -DECIDED {
                if picker.loses_exchange() {
                    break;
                }
                if in_check && !position.is_noisy(m) && tried > 2 {
                    picker.skip_quiets();
                    continue;
                }
                // Even winning the piece would not reach alpha.
                let gain = position.captured(m).map_or(0, exchange_value)
                    + m.promotion().map_or(0, exchange_value);
                if !in_check && futile_below + gain <= alpha && !position.gives_check(m) {
                    best = best.max(futile_below + gain);
                    continue;
                }
            }
            tried += 1;
            self.table.prefetch(position.likely_key_after(m));
            let mut child = *position;
            child.play(m);
            self.frames[ply].set_move(position, m);
            self.keys.push(position.key());
            let child_window = Window { alpha, beta: window.beta }.reversed();
            let value = if N::PV {
                -self.quiescence::<PvNode>(&child, ply + 1, child_window)
            } else {
                -self.quiescence::<CutNode>(&child, ply + 1, child_window)
            };
            self.keys.pop();
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                reach = self.frames[ply + 1].draw_reach;
                if value > alpha {
                    alpha = value;
                    best_move = Some(m);
                    if N::PV {
                        self.extend_line(ply, m);
                    }
                    if value >= window.beta {
                        break;
                    }
                }
            }
        }
        self.buffers.recycle(picker);
        if in_check && tried == 0 && best == -INFINITE {
            return mated_in(ply);
        }
        self.frames[ply].draw_reach = reach;
        let path_dependent = best == DRAW && reach < ply as i32;
        let bound = if path_dependent {
            Bound::None
        } else if best >= window.beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best_move,
            value: best,
            eval: leaf.raw_eval,
            depth: 0,
            bound,
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
        };
        self.table.store(position.key(), ply, entry);
        best
    }
}

/// What is known of a leaf before its captures are tried.
struct Leaf {
    /// The value of not capturing; nothing in check.
    best: Value,
    raw_eval: Option<Value>,
    /// Captures that bring less than what is missing from here to alpha are skipped.
    futile_below: Value,
    in_check: bool,
    entry: Option<Entry>,
}
