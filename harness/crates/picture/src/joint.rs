//! Decoding of a board as a whole: all pieces of a kind look alike, and two kinds do not.
//!
//! The network may take a piece of an unusual shape for another, and two squares of one drawing for
//! different pieces. So squares of the same look are put together in clusters, what the network says of
//! them is pooled, and the clusters are given kinds together: no two clusters of a colour the same one, except where
//! that costs more; one king; no more pieces than a game can have. A strange bishop comes right when
//! the other five kinds are taken.

use std::cmp::Ordering;
use std::ops::Range;

use crate::contacts::Contacts;
use crate::groups::{clustered, mean, table};
use crate::look::Look;
use crate::network::log_softmax;
use crate::placement::Logs;
use crate::usual_squares;

/// Kinds of pieces, in the order of the classes: pawn, knight, bishop, rook, queen, king.
const KINDS: usize = 6;
/// Kinds of both colours, White's first: the classes of the network without the empty square.
const PIECES: usize = 2 * KINDS;
const PAWN: usize = 0;
const BISHOP: usize = 2;
const KING: usize = 5;

/// Constants of the decoding, in nats where they are costs; chosen on the sets for that.
#[derive(Clone, Copy, Debug)]
struct Weights {
    /// Mean distance below which clusters are one.
    same: f32,
    /// Exponent of the number of squares by which what the network says of a cluster counts: their errors
    /// are much alike.
    pooling: f32,
    /// Cost of one piece for two clusters, for each `same` that they are apart beyond the first.
    apart: f32,
    /// Most of that cost.
    most_apart: f32,
    /// Part of that cost that counts only how much farther they are apart than the smaller one is from its
    /// nearest: what an arrow covers is far from all.
    nearest: f32,
    /// Gain of one kind for a white and a black cluster that look like one.
    kinship: f32,
    /// Gain of a white cluster that is clearly lighter than all black ones.
    lighter: f32,
    /// Cost of each piece beyond those of the start.
    promoted: f32,
    /// Cost of each further king, of each pawn on the outer rows, and of each piece that no game can
    /// have; three eighths of it for a missing king.
    rule: f32,
    /// Cost of a king that a piece of the other side attacks.
    check: f32,
    /// Further cost where both are attacked, or stand side by side.
    illegal: f32,
    /// Factor of the logarithms of how usual the squares of pieces are.
    usual: f32,
    /// Factor from scores to logarithms of probabilities.
    confidence: f32,
}

const WEIGHTS: Weights = Weights {
    same: 0.22,
    pooling: 0.4,
    apart: 2.0,
    most_apart: 3.7,
    nearest: 0.4,
    kinship: 3.5,
    lighter: 4.0,
    promoted: 4.7,
    rule: 16.0,
    check: 1.6,
    illegal: 6.0,
    usual: 0.8,
    confidence: 0.7,
};

/// Squares of one look.
#[derive(Clone, Debug)]
struct Cluster {
    /// Squares, in the picture's order.
    squares: Vec<usize>,
    /// Pooled logarithms of the probabilities, by piece, with the rule about pawns.
    pieces: [f32; PIECES],
    /// Mean brightness.
    brightness: f32,
    /// Number of its squares whose row and column add up to an odd number, the dark ones.
    dark: usize,
}

/// A board whose squares are read together, from both sides.
pub(crate) struct Joint<'a> {
    logs: &'a Logs,
    /// None where there are not two pieces.
    board: Option<Board>,
    /// The best pieces of the clusters, if White is below and if Black is, and their scores.
    best: [(Vec<usize>, f32); 2],
}

impl<'a> Joint<'a> {
    /// `logs` are the logarithms of the probabilities of the squares; `looks` has what each shows, where that is
    /// not empty.
    pub(crate) fn new(logs: &'a Logs, looks: &[Option<Look>]) -> Self {
        let pieces: Vec<usize> =
            (0..64).filter(|&at| logs[at][0].exp() < 0.5 && looks[at].is_some()).collect();
        if pieces.is_empty() {
            return Self { logs, board: None, best: Default::default() };
        }
        let mut board = Board::new(logs, looks, &pieces);
        let best = [false, true].map(|black_below| {
            board.face(black_below);
            board.best()
        });
        Self { logs, board: Some(board), best }
    }

    /// Evidence that Black is below, in nats; negative that White is.
    pub(crate) fn black_below(&self) -> f32 {
        self.best[1].1 - self.best[0].1
    }

    /// The logarithms of the probabilities of the squares, each seen with all others.
    pub(crate) fn decoded(mut self, black_below: bool) -> Logs {
        let mut decoded = *self.logs;
        let Some(board) = &mut self.board else { return decoded };
        board.face(black_below);
        let best = &self.best[usize::from(black_below)].0;
        for (at, cluster) in board.clusters.iter().enumerate() {
            // The best score with each piece for this cluster, whatever the others then are.
            let scores: [f32; PIECES] = std::array::from_fn(|piece| {
                let mut pieces = best.clone();
                pieces[at] = piece;
                if piece != best[at] {
                    board.improve(&mut pieces, Some(at));
                }
                board.score(&pieces) * WEIGHTS.confidence
            });
            let pieces = log_softmax(scores);
            for &square in &cluster.squares {
                let piece = (1.0 - self.logs[square][0].exp()).max(1e-6).ln();
                for (log, one) in decoded[square][1..].iter_mut().zip(pieces) {
                    *log = piece + one;
                }
            }
        }
        decoded
    }
}

/// Clusters of a board, and what pieces for two of them mean together.
struct Board {
    clusters: Vec<Cluster>,
    /// What speaks for each piece of each cluster, seen from the side that is taken to be below.
    values: Vec<[f32; PIECES]>,
    /// Score of one piece for two clusters.
    same: Vec<Vec<f32>>,
    /// Score of one kind in both colours.
    kin: Vec<Vec<f32>>,
    /// Score of White for the first, Black for the second.
    lighter: Vec<Vec<f32>>,
    /// Pieces that could attack each other.
    contacts: Contacts,
}

impl Board {
    fn new(logs: &Logs, looks: &[Option<Look>], pieces: &[usize]) -> Self {
        let looks: Vec<&Look> = pieces.iter().filter_map(|&at| looks[at].as_ref()).collect();
        let distances = table(looks.len(), |a, b| looks[a].distance(looks[b]));
        let groups = clustered(&distances, WEIGHTS.same);
        let clusters: Vec<Cluster> = groups
            .iter()
            .map(|group| {
                let squares: Vec<usize> = group.iter().map(|&at| pieces[at]).collect();
                let sum: f32 = group.iter().map(|&at| looks[at].brightness()).sum();
                Cluster {
                    pieces: pooled(logs, &squares),
                    brightness: sum / squares.len() as f32,
                    dark: squares.iter().filter(|&&at| (at / 8 + at % 8) % 2 == 1).count(),
                    squares,
                }
            })
            .collect();
        let size = |a: usize, b: usize| {
            (groups[a].len().min(groups[b].len()) as f32).powf(WEIGHTS.pooling)
        };
        let count = groups.len();
        let apart = table(count, |a, b| mean(&groups[a], &groups[b], |a, b| distances[a][b]));
        let nearest = |a: usize| {
            (0..count).filter(|&b| b != a).map(|b| apart[a][b]).fold(f32::INFINITY, f32::min)
        };
        let same = table(count, |a, b| {
            let near = match groups[a].len().cmp(&groups[b].len()) {
                Ordering::Less => nearest(a),
                Ordering::Equal => nearest(a).max(nearest(b)),
                Ordering::Greater => nearest(b),
            };
            let from = WEIGHTS.same + WEIGHTS.nearest * (near - WEIGHTS.same);
            let apart = (apart[a][b] - from) / WEIGHTS.same;
            (-WEIGHTS.apart * apart).clamp(-WEIGHTS.most_apart, 0.0) * size(a, b)
        });
        let kin = table(count, |a, b| {
            let kin = mean(&groups[a], &groups[b], |a, b| looks[a].kinship(looks[b]));
            WEIGHTS.kinship * kin * size(a, b)
        });
        /// Difference of brightness, from 0 to 1, that tells most.
        const CLEAR: f32 = 0.2;
        let lighter = |a: usize, b: usize| {
            let by = (clusters[a].brightness - clusters[b].brightness) / CLEAR;
            // Each has about half of the clusters against it.
            WEIGHTS.lighter * by.clamp(-1.0, 1.0) * 2.0 / count as f32
        };
        let lighter = (0..count).map(|a| (0..count).map(|b| lighter(a, b)).collect()).collect();
        let contacts = Contacts::new(clusters.iter().map(|cluster| cluster.squares.as_slice()));
        Self { values: Vec::new(), clusters, same, kin, lighter, contacts }
    }

    /// Sees the board with this side below.
    fn face(&mut self, black_below: bool) {
        let value = |cluster: &Cluster| {
            std::array::from_fn(|piece| {
                let white = piece < KINDS;
                let usual = cluster
                    .squares
                    .iter()
                    .map(|&at| usual_squares::likelihood(piece % KINDS, white, at, black_below));
                cluster.pieces[piece] + WEIGHTS.usual * usual.sum::<f32>()
            })
        };
        self.values = self.clusters.iter().map(value).collect();
    }

    /// The pieces with the best score that are found from two starts: what the network says, and the
    /// same with the lighter half white; with that score.
    fn best(&self) -> (Vec<usize>, f32) {
        let mut said: Vec<usize> =
            self.values.iter().map(|values| likeliest(values, 0..PIECES)).collect();
        let mut levels: Vec<f32> = self.clusters.iter().map(|it| it.brightness).collect();
        levels.sort_by(f32::total_cmp);
        let widest = levels.windows(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
        let limit = widest.map_or(0.0, |pair| (pair[0] + pair[1]) / 2.0);
        let by_light = |(cluster, values): (&Cluster, &[f32; PIECES])| {
            let white = cluster.brightness > limit;
            likeliest(values, if white { 0..KINDS } else { KINDS..PIECES })
        };
        let mut split: Vec<usize> = self.clusters.iter().zip(&self.values).map(by_light).collect();
        let (a, b) = (self.improve(&mut said, None), self.improve(&mut split, None));
        if a >= b { (said, a) } else { (split, b) }
    }

    /// How well pieces fit all clusters together.
    fn score(&self, pieces: &[usize]) -> f32 {
        let mut score = self.rules_score(pieces);
        for (at, &piece) in pieces.iter().enumerate() {
            score += self.values[at][piece];
            score += (0..at).map(|other| self.pair(at, piece, other, pieces[other])).sum::<f32>();
        }
        score
    }

    fn pair(&self, a: usize, piece: usize, b: usize, other: usize) -> f32 {
        if piece == other {
            return self.same[a][b];
        }
        let (white, others_white) = (piece < KINDS, other < KINDS);
        if white == others_white {
            return 0.0;
        }
        let kin = if piece % KINDS == other % KINDS { self.kin[a][b] } else { 0.0 };
        kin + if white { self.lighter[a][b] } else { self.lighter[b][a] }
    }

    /// How much better another piece for a cluster is.
    fn gain(&self, pieces: &mut [usize], at: usize, piece: usize) -> f32 {
        let local = |piece: usize, pieces: &[usize]| {
            let others = (0..pieces.len()).filter(|&other| other != at);
            let pairs: f32 = others.map(|other| self.pair(at, piece, other, pieces[other])).sum();
            self.values[at][piece] + pairs
        };
        let old = pieces[at];
        let before = local(old, pieces) + self.rules_score(pieces);
        pieces[at] = piece;
        let after = local(piece, pieces) + self.rules_score(pieces);
        pieces[at] = old;
        after - before
    }

    /// How likely the pieces are in a game.
    fn rules_score(&self, pieces: &[usize]) -> f32 {
        self.count_score(pieces) + self.check_score(pieces)
    }

    /// How likely it is that kings stand where they do: seldom attacked, never both.
    fn check_score(&self, pieces: &[usize]) -> f32 {
        let (mut attacked, mut beside) = ([false; 2], false);
        for (king, &piece) in pieces.iter().enumerate().filter(|(_, piece)| **piece % KINDS == KING)
        {
            let others = pieces.iter().enumerate().filter(|(_, it)| **it / KINDS != piece / KINDS);
            for (other, &attacker) in others {
                let kind = attacker % KINDS;
                if self.contacts.attacks(other, kind, king) {
                    attacked[piece / KINDS] = true;
                    beside |= kind == KING;
                }
            }
        }
        let illegal = beside || attacked == [true; 2];
        let checks = attacked.iter().filter(|it| **it).count() as f32;
        -WEIGHTS.check * checks - if illegal { WEIGHTS.illegal } else { 0.0 }
    }

    /// How likely it is that both sides have this number of pieces of each kind.
    fn count_score(&self, pieces: &[usize]) -> f32 {
        const START: [usize; KINDS] = [8, 2, 2, 2, 1, 1];
        let mut counts = [0_usize; PIECES];
        // Bishops on light and on dark squares.
        let mut bishops = [[0_usize; 2]; 2];
        for (cluster, &piece) in self.clusters.iter().zip(pieces) {
            counts[piece] += cluster.squares.len();
            if piece % KINDS == BISHOP {
                let dark = cluster.dark;
                bishops[piece / KINDS][0] += cluster.squares.len() - dark;
                bishops[piece / KINDS][1] += dark;
            }
        }
        let side = |counts: &[usize], bishops: [usize; 2]| {
            let extra = (1..KING).map(|kind| match kind {
                BISHOP => bishops.iter().map(|count| count.saturating_sub(1)).sum(),
                _ => counts[kind].saturating_sub(START[kind]),
            });
            let (promoted, pawns) = (extra.sum::<usize>(), counts[PAWN]);
            let impossible = pawns.saturating_sub(8)
                + promoted.saturating_sub(8_usize.saturating_sub(pawns))
                + counts[KING].saturating_sub(1);
            // Exercises may have no king.
            let missing = if counts[KING] == 0 { 0.375 } else { 0.0 };
            WEIGHTS.rule * (impossible as f32 + missing) + WEIGHTS.promoted * promoted as f32
        };
        -side(&counts[..KINDS], bishops[0]) - side(&counts[KINDS..], bishops[1])
    }

    /// Changes pieces until no other piece of a cluster, no exchange of two clusters and none of
    /// two kinds is better; that of `fixed` stays. Returns the score.
    fn improve(&self, pieces: &mut [usize], fixed: Option<usize>) -> f32 {
        /// Least gain that is one, with rounding.
        const LEAST: f32 = 1e-3;
        let free: Vec<usize> = (0..pieces.len()).filter(|&at| Some(at) != fixed).collect();
        loop {
            let mut better = false;
            for (place, &a) in free.iter().enumerate() {
                for piece in 0..PIECES {
                    if piece != pieces[a] && self.gain(pieces, a, piece) > LEAST {
                        pieces[a] = piece;
                        better = true;
                    }
                }
                for &b in &free[..place] {
                    let (first, second) = (pieces[a], pieces[b]);
                    if first == second {
                        continue;
                    }
                    let gain = self.gain(pieces, a, second);
                    pieces[a] = second;
                    if gain + self.gain(pieces, b, first) > LEAST {
                        pieces[b] = first;
                        better = true;
                    } else {
                        pieces[a] = first;
                    }
                }
            }
            let score = self.score(pieces);
            if fixed.is_none() && !better {
                better = self.exchange_kinds(pieces, score + LEAST);
            }
            if !better {
                return score;
            }
        }
    }

    /// Exchanges two kinds of both colours if that is better than this score.
    fn exchange_kinds(&self, pieces: &mut [usize], score: f32) -> bool {
        for a in 0..KINDS {
            for b in 0..a {
                let other = |piece: usize| match piece % KINDS {
                    kind if kind == a => piece - a + b,
                    kind if kind == b => piece - b + a,
                    _ => piece,
                };
                let exchanged: Vec<usize> = pieces.iter().map(|&piece| other(piece)).collect();
                if self.score(&exchanged) > score {
                    pieces.copy_from_slice(&exchanged);
                    return true;
                }
            }
        }
        false
    }
}

fn likeliest(values: &[f32; PIECES], among: Range<usize>) -> usize {
    let (first, of) = (among.start, |piece: usize| values[piece]);
    among.max_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap_or(first)
}

/// Pooled logarithms of the probabilities of squares of one look, by piece.
fn pooled(logs: &Logs, squares: &[usize]) -> [f32; PIECES] {
    /// Least logarithm that one square can bring in.
    const FLOOR: f32 = -8.0;
    let factor = (squares.len() as f32).powf(WEIGHTS.pooling) / squares.len() as f32;
    let outer = squares.iter().filter(|&&at| !(8..56).contains(&at)).count();
    std::array::from_fn(|piece| {
        let of = |at: usize| {
            let all = (1.0 - logs[at][0].exp()).max(1e-6);
            (logs[at][1 + piece].exp() / all).max(1e-6).ln().max(FLOOR)
        };
        let pawns = if piece % KINDS == PAWN { outer } else { 0 };
        factor * squares.iter().map(|&at| of(at)).sum::<f32>() - WEIGHTS.rule * pawns as f32
    })
}

#[cfg(test)]
mod tests;
