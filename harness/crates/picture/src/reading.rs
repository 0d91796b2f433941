//! Reading a picture from its bytes to a position.

use std::sync::LazyLock;

use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup};

use crate::coordinates;
use crate::decode::decode;
use crate::error::PictureError;
use crate::grid::{self, Grid};
use crate::joint::Joint;
use crate::look::Look;
use crate::network::{CLASSES, LETTERS, Network};
use crate::pixels::Pixels;
use crate::placement::{self, Logs, SURE, Square};
use crate::square;

/// A position that was read from a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The position as a FEN, with White to move and the castling rights that kings and rooks at
    /// home allow: a picture tells neither.
    pub fen: String,
    /// Whether Black is below in the picture.
    pub black_below: bool,
    /// What the side below was taken from.
    pub orientation: Orientation,
    /// The squares in the order of a FEN, from a8.
    pub squares: Vec<Square>,
    /// Where the board is, in pixels of the picture.
    pub board: Grid,
    /// What a user should know: further boards, broken rules.
    pub notes: Vec<String>,
}

/// What the side below was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// The coordinates beside or inside the board.
    Coordinates,
    /// Where pawns and kings stand.
    Pieces,
    /// The user.
    Asked,
    /// Nothing: White is taken to be below.
    Assumed,
}

impl Reading {
    /// The position as if the other side were below.
    pub fn turn(&mut self) {
        self.black_below = !self.black_below;
        self.orientation = Orientation::Asked;
        self.squares.reverse();
        for (at, square) in self.squares.iter_mut().enumerate() {
            square.square = placement::name(at);
        }
        let classes: [usize; 64] = std::array::from_fn(|at| {
            let piece = self.squares[at].piece;
            LETTERS.iter().position(|letter| *letter == piece).unwrap_or(0)
        });
        self.notes.retain(|note| !note.starts_with(RULE) && note != ASSUMED);
        self.fen = fen(&classes);
        self.notes.extend(broken_rules(&self.fen));
    }

    /// Changes what a picture does not tell: who moves, and whether anything may castle.
    pub fn set_fields(&mut self, black_to_move: bool, no_castling: bool) {
        let mut fields: Vec<&str> = self.fen.split(' ').collect();
        if black_to_move {
            fields[1] = "b";
        }
        if no_castling {
            fields[2] = "-";
        }
        self.fen = fields.join(" ");
    }

    /// The squares that a user should look at.
    pub fn uncertain(&self) -> impl Iterator<Item = &Square> {
        self.squares.iter().filter(|square| square.uncertain)
    }
}

static NETWORK: LazyLock<Option<Network>> = LazyLock::new(Network::embedded);

/// Reads the position of the largest board of a PNG, JPEG or WebP file.
///
/// # Errors
/// If the file cannot be decoded, or shows no board.
pub fn read(bytes: &[u8]) -> Result<Reading, PictureError> {
    let decoded = decode(bytes)?;
    let mut reading = read_pixels(&decoded.pixels)?;
    reading.board = reading.board.scaled(decoded.shrunk as f32);
    Ok(reading)
}

/// Reads the position of the largest board of a picture.
///
/// # Errors
/// [`PictureError::NoBoard`].
pub fn read_pixels(pixels: &Pixels) -> Result<Reading, PictureError> {
    let network = NETWORK.as_ref().ok_or(PictureError::NoNetwork)?;
    read_with(pixels, network)
}

/// As [`read_pixels`], with other weights.
///
/// # Errors
/// [`PictureError::NoBoard`].
pub fn read_with(pixels: &Pixels, network: &Network) -> Result<Reading, PictureError> {
    let boards: Vec<Grid> = grid::find(pixels).into_iter().map(|found| found.grid).collect();
    let readings = boards.iter().map(|&grid| interpret(pixels, grid, network));
    let mut reading = readings.into_iter().find(is_board).ok_or(PictureError::NoBoard)?;
    if boards.len() > 1 {
        let text = format!("the picture shows {} boards; the largest was read", boards.len());
        reading.notes.insert(0, text);
    }
    Ok(reading)
}

/// Whether this may be a board, rather than a pattern that is much like one: it has no more pieces than
/// a game, or the network is sure of most.
fn is_board(reading: &Reading) -> bool {
    let pieces = reading.squares.iter().filter(|square| square.piece != '.').count();
    pieces <= 32 || reading.uncertain().count() <= 32
}

/// Logarithms of the probabilities of the squares, in the picture's order, each decoded with all others; whether
/// Black is below, and what says so.
fn decoded(pixels: &Pixels, grid: &Grid, network: &Network) -> (Logs, bool, Orientation) {
    let inputs: Vec<Vec<f32>> =
        (0..64).map(|at| square::input(pixels, grid, at % 8, at / 8)).collect();
    let features: Vec<Vec<f32>> = inputs.iter().map(|input| network.features(input)).collect();
    let classified = network.classify(&features);
    let logs: Logs = std::array::from_fn(|at| classified[at]);
    let look = |at: usize| {
        let empty = logs[at][0].exp() > 0.5;
        (!empty).then(|| Look::new(&inputs[at], &features[at]))
    };
    let looks: Vec<Option<Look>> = (0..64).map(look).collect();
    let joint = Joint::new(&logs, &looks);
    let (black_below, orientation) = orientation(pixels, grid, joint.black_below());
    (joint.decoded(black_below), black_below, orientation)
}

fn interpret(pixels: &Pixels, grid: Grid, network: &Network) -> Reading {
    let (mut logs, black_below, orientation) = decoded(pixels, &grid, network);
    let decided = placement::decide(&logs);
    let (mut classes, mut doubted) = (decided.classes, decided.doubted);
    if black_below {
        classes.reverse();
        doubted.reverse();
        logs.reverse();
    }
    let squares: Vec<Square> =
        (0..64).map(|at| describe(at, classes[at], &logs[at], doubted[at])).collect();
    let fen = fen(&classes);
    let assumed = (orientation == Orientation::Assumed).then(|| ASSUMED.to_owned());
    let notes = assumed.into_iter().chain(broken_rules(&fen)).collect();
    Reading { fen, black_below, orientation, squares, board: grid, notes }
}

fn describe(at: usize, class: usize, logs: &[f32; CLASSES], doubted: bool) -> Square {
    let confidence = logs[class].exp();
    let others = (0..CLASSES).filter(|&it| it != class);
    let alternative = others.max_by(|&a, &b| logs[a].total_cmp(&logs[b])).unwrap_or(0);
    Square {
        square: placement::name(at),
        piece: LETTERS[class],
        confidence,
        uncertain: doubted || confidence < SURE,
        alternative: LETTERS[alternative],
    }
}

/// Whether Black is below, and what says so. `evidence` is that of the pieces, in nats.
fn orientation(pixels: &Pixels, grid: &Grid, evidence: f32) -> (bool, Orientation) {
    /// Evidence of the pieces that needs no support, and that tells anything at all.
    const CLEAR: f32 = 12.0;
    const SOME: f32 = 0.5;
    if evidence.abs() >= CLEAR {
        return (evidence > 0.0, Orientation::Pieces);
    }
    if let Some(below) = coordinates::black_below(pixels, grid) {
        return (below, Orientation::Coordinates);
    }
    if evidence.abs() >= SOME {
        return (evidence > 0.0, Orientation::Pieces);
    }
    (false, Orientation::Assumed)
}

/// The FEN of classes from a8.
fn fen(classes: &[usize; 64]) -> String {
    format!("{} w {} - 0 1", placement::fen_placement(classes), placement::castling(classes))
}

/// How a note about a broken rule begins.
const RULE: &str = "the position breaks a rule: ";

/// The note on a side below that nothing tells.
const ASSUMED: &str = "nothing tells which side is below: White is assumed";

/// What is wrong with a position by the rules, in words.
fn broken_rules(fen: &str) -> Option<String> {
    let Ok(parsed) = Fen::from_ascii(fen.as_bytes()) else {
        return Some(format!("{RULE}it has no FEN"));
    };
    let white = parsed.into_setup();
    let mut black = white.clone();
    black.swap_turn();
    let fault = |setup| {
        Chess::from_setup(setup, CastlingMode::Standard).err().map(|error| error.to_string())
    };
    // A picture does not tell who moves: a position in which one side may is in order.
    fault(white).filter(|_| fault(black).is_some()).map(|error| format!("{RULE}{error}"))
}

#[cfg(test)]
mod tests;
