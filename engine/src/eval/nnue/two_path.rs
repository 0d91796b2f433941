//! The architecture `two-path`: a wide path, and one of pawns and kings that says what counts.
//!
//! From Sturddle as of January 2024: 897 inputs, the pieces and the occupied squares of
//! both colours and whose turn it is, as White sees them, make `hidden` numbers, of which every
//! `pool` are averaged. Pawns and kings alone go through two small layers and, repeated as often as
//! it takes, are factors of the averages. Two small layers lead to the output. All layers but the
//! output and that of the factors keep what is above 0. When one side has much more material than
//! the other, material alone is the value.
//!
//! There most layers compute in fractions; here all are integers, so that every path gives the same
//! number.

use super::accumulator::{Half, Pieces};
use super::dense::{Activated, Dense, centipawns};
use super::first_layer::{FirstLayer, check_sums, lanes, numbers};
use super::network::{Architecture, Asked, MOST_PIECES, NetworkError};
use super::shape::{LayerWeights, Weights};
use super::two_path_shape::{MAIN_INPUTS, PAWN_INPUTS, PIECE_INPUTS, PawnView, PieceView, TURN};
use super::two_path_shape::{MAX_PAWNS, MAX_POOLED, NUMBER_ONE, SQUARES, TwoPath, WEIGHT_ONE};
use super::vectors::{LANE, Lane, Vectors};
use crate::board::{Color, Position, Role};

/// Pawns and kings on a board at most.
const MOST_PAWNS: usize = 18;
/// Numbers between layers are at most so large, and so far below 0 where they can be.
const MOST: i32 = i16::MAX as i32;

/// The layers of a network.
pub(super) struct Layers {
    shape: TwoPath,
    /// A piece's row and that of the square that it occupies as one.
    main: FirstLayer,
    /// The rows of occupied squares.
    squares: Vec<Lane>,
    /// What is added when White is to move.
    turn: Vec<Lane>,
    pawns: FirstLayer,
    attention: Dense,
    dense: [Dense; 2],
    output: Dense,
}

impl Layers {
    /// Layers of weights whose number and kind is right.
    pub fn new(shape: TwoPath, weights: &Weights) -> Result<Layers, NetworkError> {
        let (main, pawns) = (&weights.0[0], &weights.0[1]);
        let rows: Vec<&[i32]> = main.weights.chunks_exact(shape.hidden).collect();
        debug_assert_eq!(rows.len(), MAIN_INPUTS, "as counted");
        let folded = with_squares(&rows);
        let turn = rows[TURN];
        let add = |bias: &i32, turn: &i32| bias + turn;
        let white = main.biases.iter().zip(turn).map(|(bias, turn)| add(bias, turn)).collect();
        let black = LayerWeights { weights: folded, biases: main.biases.clone() };
        check_sums(&black, PIECE_INPUTS, MOST_PIECES)?;
        let white = LayerWeights { biases: white, ..black };
        check_sums(&white, PIECE_INPUTS, MOST_PIECES)?;
        check_sums(pawns, PAWN_INPUTS, MOST_PAWNS)?;
        let black = LayerWeights { biases: main.biases.clone(), ..white };
        let layers = shape.layers();
        let dense = |number: usize| Dense::new(&layers[number], &weights.0[number], MOST);
        Ok(Layers {
            shape,
            main: FirstLayer::new(&black, shape.hidden),
            squares: rows[SQUARES..].iter().flat_map(|row| lanes(row)).collect(),
            turn: lanes(turn).collect(),
            pawns: FirstLayer::new(pawns, shape.pawns),
            attention: dense(2)?,
            dense: [dense(3)?, dense(4)?],
            output: dense(5)?,
        })
    }

    /// The averages of the main path times their factors.
    #[inline(always)]
    fn combine(
        &self,
        sums: &[Lane],
        white: bool,
        factors: &Activated,
    ) -> [Lane; MAX_POOLED / LANE] {
        let TwoPath { pool, attention, .. } = self.shape;
        let mut kept = [0_i16; LANE];
        let mut combined = [Lane([0; LANE]); MAX_POOLED / LANE];
        let (mut place, mut sum, mut left) = (0, 0, pool);
        for (sums, turn) in sums.iter().zip(&self.turn) {
            for ((kept, &number), &turn) in kept.iter_mut().zip(&sums.0).zip(&turn.0) {
                *kept = number.wrapping_add(if white { turn } else { 0 }).max(0);
            }
            for &number in &kept {
                sum += i32::from(number);
                left -= 1;
                if left == 0 {
                    let average = (sum + pool as i32 / 2) / pool as i32;
                    let factor = place % attention;
                    let factor = i32::from(factors[factor / LANE].0[factor % LANE]);
                    let product = (average * factor + NUMBER_ONE / 2) >> NUMBER_ONE.ilog2();
                    combined[place / LANE].0[place % LANE] = product.clamp(-MOST, MOST) as i16;
                    (place, sum, left) = (place + 1, 0, pool);
                }
            }
        }
        combined
    }

    /// The value for White by the layers.
    #[inline(always)]
    fn output<V: Vectors>(&self, vectors: V, main: &[Lane], pawns: &[Lane], white: bool) -> i32 {
        let mut kept = [Lane([0; LANE]); MAX_PAWNS / LANE];
        for (kept, sums) in kept.iter_mut().zip(pawns) {
            kept.0 = sums.0.map(|sum| sum.max(0));
        }
        let factors = self.attention.activated(vectors, &kept, -MOST, MOST);
        let combined = self.combine(main, white, &factors);
        let first = self.dense[0].activated(vectors, &combined, 0, MOST);
        let second = self.dense[1].activated(vectors, &first, 0, MOST);
        let sum = self.output.sums(vectors, &second)[0];
        centipawns(sum, WEIGHT_ONE * NUMBER_ONE, self.shape.scale)
    }
}

impl Architecture for Layers {
    fn halves(&self, plies: usize) -> [Half; 2] {
        [Half::new(self.main.bias(), plies, 1), Half::new(self.pawns.bias(), plies, 1)]
    }

    #[inline(always)]
    fn value<V: Vectors>(&self, vectors: V, asked: Asked<'_>) -> i32 {
        let Asked { halves, at, ply } = asked;
        let white = at.side() == Color::White;
        let material = material(at);
        let value = if material.abs() > self.shape.material_limit {
            material
        } else {
            let pieces = Pieces::of(at);
            let [main, pawns] = halves;
            main.refresh(vectors, &self.main, PieceView, &pieces, ply);
            pawns.refresh(vectors, &self.pawns, PawnView, &pieces, ply);
            self.output(vectors, main.sums(ply), pawns.sums(ply), white)
        };
        if white { value } else { -value }
    }

    fn weights(&self) -> Weights {
        let LayerWeights { mut weights, biases } = self.main.weights();
        let hidden = self.shape.hidden;
        let squares: Vec<i32> = numbers(&self.squares, usize::MAX).collect();
        for (input, row) in weights.chunks_exact_mut(hidden).enumerate() {
            let square = &squares[input % 128 * hidden..][..hidden];
            for (weight, square) in row.iter_mut().zip(square) {
                // What was added up wrapped around where it was beyond 16 bits.
                *weight = i32::from((*weight as i16).wrapping_sub(*square as i16));
            }
        }
        weights.extend(numbers(&self.turn, usize::MAX));
        weights.extend(squares);
        let main = LayerWeights { weights, biases };
        let [first, second] = &self.dense;
        let dense = [&self.attention, first, second, &self.output].map(Dense::weights);
        Weights([main, self.pawns.weights()].into_iter().chain(dense).collect())
    }
}

/// Rows of the pieces, with those of the squares that they occupy added.
fn with_squares(rows: &[&[i32]]) -> Vec<i32> {
    let add = |(weight, square): (&i32, &i32)| weight + square;
    let row = |input: usize| rows[input].iter().zip(rows[SQUARES + input % 128]).map(add);
    (0..PIECE_INPUTS).flat_map(row).collect()
}

/// What White has more than Black, in centipawns.
#[inline(always)]
fn material(position: &Position) -> i32 {
    let values = [
        (Role::Pawn, 100),
        (Role::Knight, 300),
        (Role::Bishop, 300),
        (Role::Rook, 500),
        (Role::Queen, 900),
    ];
    let more = |role| {
        let count = |color| position.pieces(color, role).count() as i32;
        count(Color::White) - count(Color::Black)
    };
    values.into_iter().map(|(role, value)| value * more(role)).sum()
}
