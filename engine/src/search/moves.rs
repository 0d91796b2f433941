//! The moves of a node: tried in order, and what is learnt from them.

use super::frame::NO_DRAW;
use super::picker::Picker;
use super::score::{DECIDED, DRAW, INFINITE, Value, Window, is_decided, mated_in};
use super::setting::Setting;
use super::table::{Bound, Entry};
use super::tree::{Context, CutNode, Node, PvNode, Tree};
use crate::board::{Move, MoveList, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// A move as the picker handed it out.
pub(super) struct Candidate {
    pub m: Move,
    pub quiet: bool,
    pub history: i32,
    /// A capture that loses material.
    pub loses_exchange: bool,
}

/// A move as it is about to be tried.
pub(super) struct Step {
    pub candidate: Candidate,
    /// How many moves were tried, this one among them.
    pub tried: usize,
    /// Depth of the child without reduction.
    pub depth: i32,
    /// The best value so far.
    pub best: Value,
}

/// Plies to take off once a move is better than alpha: another one that is better still is rare.
fn less_to_do(context: &Context, alpha: Value) -> i32 {
    i32::from(alpha > context.window.alpha && (3..=12).contains(&context.depth))
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Tries the moves in order, and keeps what was learnt.
    pub fn try_moves<N: Node>(&mut self, position: &Position, context: Context) -> Value {
        let Context { ply, depth, window, proven, .. } = context;
        let mut alpha = window.alpha.max(proven.alpha);
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut reach = NO_DRAW;
        let mut tried = 0;
        let mut quiets = MoveList::new();
        let mut captures = MoveList::new();
        let excluded = self.frames[ply].excluded;
        let setting = self.setting(position, ply);
        let counter = self.histories.counter(&setting);
        let killers = self.frames[ply].killers;
        let mut picker = Picker::new(self.buffers, position, context.hash_move(), killers, counter);

        while let Some(m) = picker.next(position, self.histories, &setting) {
            if Some(m) == excluded || N::ROOT && !self.root_moves.contains(&m) {
                continue;
            }
            // This early, since the entry takes longer to come than the move to be judged.
            self.table.prefetch(position.likely_key_after(m));
            let candidate = self.candidate(position, m, &picker, &setting);
            let quiet = candidate.quiet;
            if !N::ROOT && best > -DECIDED {
                if quiet && self.enough_quiets(&context, tried) {
                    picker.skip_quiets();
                    continue;
                }
                if self.prune_move(position, &context, &candidate, tried, alpha) {
                    continue;
                }
            }
            let extension = self.extension::<N>(position, &context, m);
            if self.stopped {
                return DRAW;
            }
            if let Some(value) = extension.multi_cut {
                return value;
            }
            tried += 1;
            let window = Window { alpha, beta: window.beta };
            let less = less_to_do(&context, alpha);
            let step = Step { candidate, tried, depth: depth - 1 - less + extension.plies, best };
            let value = self.try_move::<N>(position, &context, window, &step);
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                reach = self.frames[ply + 1].draw_reach;
                if value > alpha {
                    best_move = Some(m);
                    alpha = value;
                    if N::ROOT {
                        self.root_best = Some((m, value));
                    }
                    if N::PV {
                        self.extend_line(ply, m);
                    }
                    if value >= window.beta {
                        break;
                    }
                }
            }
            if quiet { quiets.push(m) } else { captures.push(m) }
        }

        self.buffers.recycle(picker);

        if tried == 0 {
            return if excluded.is_some() {
                window.alpha
            } else if context.in_check {
                mated_in(ply)
            } else {
                DRAW
            };
        }
        best = best.clamp(proven.alpha, proven.beta);
        self.frames[ply].draw_reach = reach;
        if let Some(m) = best_move
            && best >= window.beta
        {
            self.reward(position, &context, &setting, m, &quiets, &captures);
        }
        if excluded.is_none() && !(N::ROOT && self.root_moves.len() < position.count_legal_moves())
        {
            self.learn(position, &context, best, best_move, reach);
        }
        best
    }

    fn candidate(
        &self,
        position: &Position,
        m: Move,
        picker: &Picker,
        setting: &Setting,
    ) -> Candidate {
        let quiet = !position.is_noisy(m);
        let history = if quiet {
            self.histories.quiet(position, m, setting)
        } else {
            self.histories.capture(position, m)
        };
        Candidate { m, quiet, history, loses_exchange: picker.loses_exchange() }
    }

    /// The value of a move.
    fn try_move<N: Node>(
        &mut self,
        position: &Position,
        context: &Context,
        window: Window,
        step: &Step,
    ) -> Value {
        let ply = context.ply;
        self.frames[ply + 1].double_extensions =
            self.frames[ply].double_extensions + u8::from(step.depth > context.depth);
        self.with_move(position, ply, step.candidate.m, |tree, child| {
            tree.search_child::<N>(child, context, window, step)
        })
    }

    /// Principal variation search of a child: reduced and with a zero window as long as that
    /// suffices, then again as the result demands.
    fn search_child<N: Node>(
        &mut self,
        child: &Position,
        context: &Context,
        window: Window,
        step: &Step,
    ) -> Value {
        let ply = context.ply + 1;
        let mut value = -INFINITE;
        let mut decided = false;
        let mut full_depth = step.depth;
        if step.tried > 1 {
            let reduction = self.reduction::<N>(context, step, child.in_check());
            if reduction > 0 {
                let depth = (step.depth - reduction).max(1);
                let scout = window.scout().reversed();
                value = -self.search::<CutNode>(child, ply, scout, depth, true);
                decided = value <= window.alpha;
                full_depth += self.second_thoughts::<N>(step, value);
            }
            if !decided && self.scout && N::PV && !self.stopped {
                let (scout, cut_node) = (window.scout().reversed(), !context.cut_node);
                value = -self.search::<CutNode>(child, ply, scout, full_depth, cut_node);
                decided = value <= window.alpha || value >= window.beta;
            }
        }
        if !decided && !self.stopped {
            value = if N::PV {
                -self.search::<PvNode>(child, ply, window.reversed(), full_depth, false)
            } else {
                let cut_node = !context.cut_node;
                -self.search::<CutNode>(child, ply, window.reversed(), full_depth, cut_node)
            };
        }
        value
    }

    /// Stores a value, unless it is a draw that depends on how the position was reached: then
    /// only the move is kept.
    fn learn(
        &mut self,
        position: &Position,
        context: &Context,
        best: Value,
        best_move: Option<Move>,
        reach: i32,
    ) {
        let Context { ply, depth, window, .. } = *context;
        let mut bound = if best >= window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if best == DRAW && reach < ply as i32 {
            bound = Bound::None;
        }
        let eval = (!context.in_check).then_some(self.frames[ply].raw_eval);
        let was_pv = context.was_pv;
        let entry = Entry { best_move, value: best, eval, depth, bound, was_pv };
        self.table.store(position.key(), ply, entry);

        let quiet = best_move.is_none_or(|m| !position.is_noisy(m));
        if let Some(static_eval) = self.frames[ply].eval
            && quiet
            && !is_decided(best)
            && bound.refines(best, static_eval)
        {
            let error = best - self.frames[ply].raw_eval;
            let last = self.last_moves(ply);
            self.histories.corrections.update(position, last, error.clamp(-300, 300), depth);
        }
    }

    /// Histories and killers learn from a move that cut.
    fn reward(
        &mut self,
        position: &Position,
        context: &Context,
        setting: &Setting,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let bonus =
            (self.params.history_bonus() * context.depth).min(self.params.history_bonus_max());
        if position.is_noisy(best) {
            self.histories.update_capture(position, best, bonus);
        } else {
            let killers = &mut self.frames[context.ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.histories.reward_quiet(position, best, quiets, setting, bonus);
        }
        for &m in captures {
            self.histories.update_capture(position, m, -bonus);
        }
    }

    /// The best line from here: the move, and the child's line.
    pub fn extend_line(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        head[ply].set(m, &tail[0]);
    }
}
