//! A whole game analysed: accuracy, mistakes, better lines.

use std::sync::Arc;

use shakmaty::Position;

use super::analysis::{LineView, Question, lines};
use super::board::{Board, Search, State};
use super::engines::{Cancel, Engines};
use super::scores;
use harness_games::tree::{GameTree, NodeId, eval_text};
use harness_player::{Go, Score};

/// Chances in percent that a move must lose to be called an inaccuracy, a mistake or a blunder, with
/// the sign of each (Lichess has the same limits).
const SIGNS: [(f64, u8, &str); 3] =
    [(30.0, 4, "blunder"), (20.0, 2, "mistake"), (10.0, 6, "inaccuracy")];

/// Moves of the better line that are added as a variation.
const BETTER: usize = 6;

/// An engine's evaluation of a position of the game.
struct Evaluated {
    score: Score,
    line: LineView,
}

/// Reviews the main line of a board, on a thread of its own.
pub fn begin(board: &Arc<Board>, engines: &Arc<Engines>, engine: String, nodes: u64) {
    let cancel = board.supersede(Search::Review);
    let board = Arc::clone(board);
    let engines = Arc::clone(engines);
    std::thread::spawn(move || {
        let done = review(&board, &engines, &engine, nodes, &cancel);
        if !cancel.is_set() {
            board.tell_busy(done.err().map(|error| format!("The review failed: {error}")));
        }
    });
}

fn review(
    board: &Board,
    engines: &Engines,
    engine: &str,
    nodes: u64,
    cancel: &Arc<Cancel>,
) -> Result<(), String> {
    let tree = board.state().tree.clone();
    let mut steps = vec![GameTree::ROOT];
    steps.extend(tree.main_line());
    let mut evaluated = Vec::new();
    for (done, id) in steps.iter().enumerate() {
        if cancel.is_set() {
            return Ok(());
        }
        board.tell_busy(Some(format!("{engine} reviews the game: {done} of {}", steps.len())));
        evaluated.push(evaluate(&tree, *id, engines, engine, nodes, cancel)?);
    }
    board.change(|state| {
        if !has_steps(&state.tree, &tree, &steps) {
            return Err("the moves were changed meanwhile".to_owned());
        }
        write(state, &steps, &evaluated)
    })?;
    Ok(())
}

/// Whether a tree still has the positions that were evaluated: their numbers may be those of another game.
fn has_steps(now: &GameTree, evaluated: &GameTree, steps: &[NodeId]) -> bool {
    let position = |tree: &GameTree, id| tree.node(id).ok().map(|node| node.position.clone());
    steps
        .iter()
        .all(|id| position(now, *id).is_some_and(|now| Some(now) == position(evaluated, *id)))
}

fn evaluate(
    tree: &GameTree,
    id: NodeId,
    engines: &Engines,
    engine: &str,
    nodes: u64,
    cancel: &Arc<Cancel>,
) -> Result<Option<Evaluated>, String> {
    let question = question(tree, id, 1)?;
    if question.position.is_game_over() {
        return Ok(None);
    }
    let found = lines(engines, engine, &question, &Go::Nodes(nodes), cancel)?;
    Ok(found.into_iter().next().map(|(score, line)| Evaluated { score, line }))
}

/// The question of a node's position.
///
/// # Errors
/// When there is no such node.
pub fn question(tree: &GameTree, id: NodeId, lines: u32) -> Result<Question, String> {
    let path = tree.path(id)?;
    let played = path.iter().filter_map(|id| tree.node(*id).ok()?.played.as_ref());
    Ok(Question {
        start: tree.start_fen(),
        moves: played.map(|played| played.uci).collect(),
        position: tree.node(id)?.position.clone(),
        chess960: tree.is_chess960(),
        lines,
    })
}

/// Writes scores, signs, better lines and the accuracy of both players into the tree.
fn write(
    state: &mut State,
    steps: &[NodeId],
    evaluated: &[Option<Evaluated>],
) -> Result<(), String> {
    let mut accuracies = [Vec::new(), Vec::new()];
    for index in 1..steps.len() {
        let from = steps[index - 1];
        let id = steps[index];
        let Some(before) = &evaluated[index - 1] else { continue };
        let mover = state.tree.node(from)?.position.turn();
        let white = mover.is_white();
        let ended = state.tree.node(id)?.position.clone();
        let after = match &evaluated[index] {
            Some(after) => after.score.for_white(!mover),
            None if ended.is_checkmate() => Score::Mate(if white { 1 } else { -1 }),
            None => Score::Centipawns(0),
        };
        let own = |seen: Score| scores::chances(seen.for_white(mover));
        let had = scores::chances(before.score);
        let has = own(after);
        accuracies[usize::from(!white)].push(scores::accuracy(had, has));
        let depth = evaluated[index].as_ref().and_then(|after| after.line.depth);
        state.tree.annotations_mut(id)?.eval = Some(eval_text(after, depth));
        mark(&mut state.tree, from, id, had - has, &before.line)?;
    }
    for (side, list) in ["White", "Black"].into_iter().zip(&accuracies) {
        if !list.is_empty() {
            let mean = list.iter().sum::<f64>() / list.len() as f64;
            state.tree.set_tag(&format!("{side}Accuracy"), &format!("{mean:.1}"))?;
        }
    }
    Ok(())
}

/// Signs a move that lost chances, and adds the better line.
fn mark(
    tree: &mut GameTree,
    from: NodeId,
    id: NodeId,
    lost: f64,
    better: &LineView,
) -> Result<(), String> {
    let own = tree.node(id)?.played.as_ref().map(|played| played.uci.to_string());
    let best = better.moves.first();
    let sign = SIGNS.iter().find(|(limit, _, _)| lost >= *limit);
    let (Some((_, nag, word)), Some(best)) = (sign, best) else { return Ok(()) };
    if own.as_deref() == Some(&best.uci) {
        return Ok(());
    }
    let annotations = tree.annotations_mut(id)?;
    annotations.nags.retain(|known| !(1..=6).contains(known));
    annotations.nags.push((*nag).into());
    annotations.nags.sort_unstable();
    let remark = format!("{word}; {} was better ({})", best.san, better.score);
    if !annotations.comment.contains(&remark) {
        annotations.comment = format!("{} {remark}", annotations.comment).trim().to_owned();
    }
    let mut at = from;
    for step in better.moves.iter().take(BETTER) {
        let uci = step.uci.parse().map_err(|_| format!("{} is no move", step.uci))?;
        at = tree.play(at, uci)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scores_of_a_game_are_not_written_into_another_one() {
        let play = |moves: &str| {
            let mut tree = GameTree::default();
            let mut at = GameTree::ROOT;
            for text in moves.split(' ') {
                at = tree.play(at, text.parse().expect("a move")).expect("legal");
            }
            tree
        };
        let game = play("e2e4 e7e5");
        let mut steps = vec![GameTree::ROOT];
        steps.extend(game.main_line());
        assert!(has_steps(&play("e2e4 e7e5 g1f3"), &game, &steps));
        assert!(!has_steps(&play("d2d4 d7d5"), &game, &steps));
        let mut shorter = game.clone();
        shorter.delete(steps[2]).expect("there");
        assert!(!has_steps(&shorter, &game, &steps));
    }
}
