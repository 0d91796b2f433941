//! Decoding of a board as a whole: all pieces of a kind look alike, and two kinds do not.
//!
//! The network sees one square at a time, and may take a piece of an unusual shape for another. So
//! squares of the same look are put together in clusters, what the network says of them is pooled, and
//! the clusters are given kinds together: no two clusters of a colour the same one, except where
//! that costs more; one king; no more pieces than a game can have. A strange bishop comes right when
//! the other five kinds are taken.

use std::cmp::Ordering;
use std::ops::Range;

use crate::contacts::Contacts;
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

/// A symmetric table, computed once for each pair.
fn table(count: usize, value: impl Fn(usize, usize) -> f32) -> Vec<Vec<f32>> {
    let lower: Vec<Vec<f32>> = (0..count).map(|a| (0..a).map(|b| value(a, b)).collect()).collect();
    let entry = |a: usize, b: usize| match a.cmp(&b) {
        Ordering::Less => lower[b][a],
        Ordering::Equal => 0.0,
        Ordering::Greater => lower[a][b],
    };
    (0..count).map(|a| (0..count).map(|b| entry(a, b)).collect()).collect()
}

fn mean(a: &[usize], b: &[usize], value: impl Fn(usize, usize) -> f32) -> f32 {
    let sum: f32 = a.iter().map(|&a| b.iter().map(|&b| value(a, b)).sum::<f32>()).sum();
    sum / (a.len() * b.len()) as f32
}

/// Groups of places whose mean distance is below a limit, by average linkage (R. Sokal and C.
/// Michener, 1958).
fn clustered(distances: &[Vec<f32>], limit: f32) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..distances.len()).map(|at| vec![at]).collect();
    loop {
        let mut nearest = (limit, 0, 0);
        for a in 0..groups.len() {
            for b in 0..a {
                let apart = mean(&groups[a], &groups[b], |x, y| distances[x][y]);
                if apart < nearest.0 {
                    nearest = (apart, a, b);
                }
            }
        }
        let (_, a, b) = nearest;
        if a == b {
            return groups;
        }
        let group = groups.swap_remove(a);
        groups[b].extend(group);
    }
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
mod tests {
    use super::*;
    use crate::network::{CLASSES, LETTERS};
    use crate::square::{INPUTS, SIDE};

    /// A drawing by number, in white or black on a light or dark ground: bars of another width each.
    fn look(drawing: usize, white: bool, dark: bool) -> Look {
        let ground = if dark { -0.3 } else { 0.6 };
        let piece: f32 = if white { 1.0 } else { -1.0 };
        let mut input = vec![0.0; INPUTS];
        for at in 0..SIDE * SIDE {
            let (x, y) = (at % SIDE, at / SIDE);
            let half = 2 + (drawing * 3 + y * (drawing + 2) / 6) % 11;
            let inside = (5..27).contains(&y) && x.abs_diff(16) < half;
            let value = if inside { piece } else { ground };
            for channel in 0..3 {
                input[channel * SIDE * SIDE + at] = value;
            }
            let difference = (value - ground).abs() * 127.5 / 64.0;
            input[3 * SIDE * SIDE + at] = difference.min(2.0) - 1.0;
        }
        // The network sees drawings and colours, and some of the ground.
        let mut features = vec![0.0; 20];
        features[drawing] = 1.0;
        features[6 + drawing + if white { 0 } else { 6 }] = 1.0;
        features[19] = if dark { 0.3 } else { 0.0 };
        Look::new(&input, &features)
    }

    /// A board of a placement whose squares say what `said` makes of their own class.
    fn board(
        placement: &str,
        said: impl Fn(usize, usize) -> Vec<(char, f32)>,
    ) -> (Logs, Vec<Option<Look>>) {
        let mut classes = Vec::new();
        for letter in placement.chars().filter(|letter| *letter != '/') {
            match letter.to_digit(10) {
                Some(empty) => classes.extend(std::iter::repeat_n(0, empty as usize)),
                None => classes.extend(LETTERS.iter().position(|it| *it == letter)),
            }
        }
        let class = |letter: char| LETTERS.iter().position(|it| *it == letter).expect("a piece");
        let logs = std::array::from_fn(|at| {
            let mut probabilities = [0.0005_f32; CLASSES];
            for (letter, probability) in said(at, classes[at]) {
                probabilities[class(letter)] = probability;
            }
            let sum: f32 = probabilities.iter().sum();
            probabilities.map(|it| (it / sum).ln())
        });
        let looks = (0..64).map(|at| {
            let class = classes[at].checked_sub(1)?;
            Some(look(class % KINDS, class < KINDS, (at % 8 + at / 8) % 2 == 1))
        });
        (logs, looks.collect())
    }

    fn decoded(logs: &Logs, looks: &[Option<Look>]) -> Logs {
        Joint::new(logs, looks).decoded(false)
    }

    fn read(logs: &Logs) -> String {
        let best = |logs: &[f32; CLASSES]| {
            (0..CLASSES).max_by(|&a, &b| logs[a].total_cmp(&logs[b])).unwrap_or(0)
        };
        crate::placement::fen_placement(&logs.each_ref().map(best))
    }

    #[test]
    fn drawings_of_one_kind_are_alike_on_any_ground() {
        for white in [true, false] {
            for a in 0..KINDS {
                for b in 0..KINDS {
                    let apart = look(a, white, true).distance(&look(b, white, false));
                    assert_eq!(apart < WEIGHTS.same, a == b, "{a} {b} {white}: {apart}");
                }
            }
            let apart = look(2, white, true).distance(&look(2, !white, true));
            assert!(apart > WEIGHTS.same, "the other colour: {apart}");
        }
        for b in 0..KINDS {
            let kin = look(2, true, true).kinship(&look(b, false, false));
            assert_eq!(kin > 0.5, b == 2, "{b}: {kin}");
        }
    }

    #[test]
    fn pieces_that_single_squares_take_for_others_come_right_together() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        // White's bishops look like pawns and like a queen, more than like bishops.
        let said = |at: usize, class: usize| match (LETTERS[class], at) {
            ('B', 58) => vec![('P', 0.6), ('B', 0.25), ('Q', 0.1)],
            ('B', _) => vec![('Q', 0.7), ('B', 0.2)],
            (letter, _) => vec![(letter, 0.97)],
        };
        let (logs, looks) = board(start, said);
        assert_eq!(read(&logs), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNPQKQNR");
        let decoded = decoded(&logs, &looks);
        assert_eq!(read(&decoded), start);
        let rook = decoded[56][4].exp();
        assert!(rook > 0.95, "what was clear stays so: {rook}");
    }

    #[test]
    fn two_kinds_that_are_taken_for_one_come_apart_by_the_rules() {
        // Every queen of White is taken for a king, which the real kings are more clearly.
        let said = |_: usize, class: usize| match LETTERS[class] {
            'Q' => vec![('K', 0.7), ('Q', 0.28)],
            'K' => vec![('K', 0.9), ('Q', 0.08)],
            letter => vec![(letter, 0.97)],
        };
        let placement = "3qk3/3p4/8/8/8/2Q5/3P4/4K3";
        let (logs, looks) = board(placement, said);
        assert_eq!(read(&decoded(&logs, &looks)), placement);
    }

    #[test]
    fn a_king_is_not_where_it_would_be_attacked_and_a_queen_seldom_where_kings_stand() {
        // Neither can be told from the other by its drawing.
        let said = |_: usize, class: usize| match LETTERS[class] {
            letter @ ('K' | 'Q') => {
                vec![('K', 0.5), ('Q', 0.5 + if letter == 'K' { 0.01 } else { 0.0 })]
            }
            letter => vec![(letter, 0.97)],
        };
        for placement in [
            // The black rooks attack both squares of the queen's row and column.
            "4k3/8/2r5/8/r1Q5/8/8/3K4",
            "r2q1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R4RK1",
        ] {
            let (logs, looks) = board(placement, said);
            assert_eq!(read(&decoded(&logs, &looks)), placement);
        }
    }

    #[test]
    fn two_bishops_on_squares_of_one_colour_are_seldom_two_bishops() {
        let placement = "4k3/4p3/8/8/8/2N1N3/4P3/4K3";
        let said = |_: usize, class: usize| match LETTERS[class] {
            'N' => vec![('B', 0.55), ('N', 0.45)],
            letter => vec![(letter, 0.97)],
        };
        let (logs, looks) = board(placement, said);
        assert_eq!(read(&decoded(&logs, &looks)), placement);
    }

    #[test]
    fn the_side_below_is_seen_by_the_squares_of_the_pieces() {
        for (placement, below) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false),
            ("6k1/5ppp/8/8/8/8/1r3PPP/4R1K1", false),
            ("8/1p3k2/p7/8/4K3/P7/1P6/8", false),
        ] {
            let (mut logs, mut looks) = board(placement, |_, class| vec![(LETTERS[class], 0.98)]);
            assert_eq!(Joint::new(&logs, &looks).black_below() > 0.0, below, "{placement}");
            logs.reverse();
            looks.reverse();
            assert_eq!(Joint::new(&logs, &looks).black_below() > 0.0, !below, "turned {placement}");
        }
    }

    #[test]
    fn promoted_pieces_and_boards_without_kings_are_left() {
        for placement in ["4k3/8/8/8/8/QQQ5/8/4K3", "8/8/8/3N4/8/8/3pp3/8", "8/8/8/8/8/8/8/8"] {
            let (logs, looks) = board(placement, |_, class| vec![(LETTERS[class], 0.99)]);
            assert_eq!(read(&decoded(&logs, &looks)), placement);
        }
    }
}
