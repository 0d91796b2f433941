//! Pictures as users give them: a board, what surrounds it, and what became of the file.

use harness_picture::{Grid, LETTERS, Pixels};
use rand::Rng;
use rand_pcg::Pcg64Mcg;
use shakmaty::{Chess, Position};

use crate::canvas::{Canvas, mix};
use crate::draw::{Marks, Placement, board, glyph};
use crate::sets::Set;

/// A picture with what it shows.
pub struct Scene {
    pub pixels: Pixels,
    /// Where the board is.
    pub grid: Grid,
    /// What stands on it, as seen.
    pub placement: Placement,
    /// Whether Black is below.
    pub flipped: bool,
}

/// Squares with independent contents, every piece equally often.
pub fn mixed_placement(rng: &mut Pcg64Mcg) -> Placement {
    std::array::from_fn(|_| if rng.random_bool(0.3) { 0 } else { rng.random_range(1..13) })
}

/// A position of a game of random moves, seen from White.
pub fn game_placement(rng: &mut Pcg64Mcg) -> Placement {
    let mut position = Chess::default();
    for _ in 0..rng.random_range(0..160) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let captures: Vec<_> = moves.iter().filter(|it| it.is_capture()).collect();
        let chosen = match captures.as_slice() {
            [] => moves[rng.random_range(0..moves.len())],
            _ if rng.random_bool(0.7) => moves[rng.random_range(0..moves.len())],
            some => *some[rng.random_range(0..some.len())],
        };
        position.play_unchecked(chosen);
    }
    let mut placement = [0; 64];
    for (square, piece) in position.board().clone() {
        let at = (7 - usize::from(square.rank())) * 8 + usize::from(square.file());
        let colour = if piece.color.is_white() { 0 } else { 6 };
        placement[at] = colour + piece.role as usize;
    }
    placement
}

/// A position of a real game, most of them middlegames: of the test suites that come with the program.
fn suite_placement(rng: &mut Pcg64Mcg) -> Placement {
    const SUITES: [&str; 3] = [
        include_str!("../../../../../suites/wac.epd"),
        include_str!("../../../../../suites/eret.epd"),
        include_str!("../../../../../suites/bk.epd"),
    ];
    let lines = || SUITES.iter().flat_map(|suite| suite.lines());
    let line = lines().nth(rng.random_range(0..lines().count())).unwrap_or_default();
    let mut placement = [0; 64];
    let mut at = 0;
    for letter in line.split(' ').next().unwrap_or_default().chars() {
        match letter.to_digit(10) {
            Some(empty) => at += empty as usize,
            None => {
                if let Some(class) = LETTERS.iter().position(|it| *it == letter) {
                    placement[at] = class;
                    at += 1;
                }
            }
        }
    }
    placement
}

/// Where the positions of pictures for a report are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Games of random moves.
    Random,
    /// Real games.
    Suites,
}

/// A picture of a board of training with many marks.
pub fn training(set: &Set, placement: Placement, rng: &mut Pcg64Mcg) -> Scene {
    let side =
        if rng.random_bool(0.85) { rng.random_range(18..52) } else { rng.random_range(52..100) };
    let marks = match rng.random_range(0..4) {
        0 => Marks::Few,
        1 => Marks::Usual,
        _ => Marks::Many,
    };
    let flipped = rng.random_bool(0.5);
    let board = board(set, &placement, side, flipped, marks, rng);
    damaged(board, placement, flipped, [0.0, 0.0, 8.0 * side as f32], 0.5, rng)
}

/// A picture as a user may give it: a position of a game, with what is usual around it.
pub fn usual(set: &Set, source: Source, rng: &mut Pcg64Mcg) -> Scene {
    let flipped = rng.random_bool(0.35);
    let mut placement = match source {
        Source::Random => game_placement(rng),
        Source::Suites => suite_placement(rng),
    };
    if flipped {
        placement.reverse();
    }
    let side = rng.random_range(24..100);
    let marks = if rng.random_bool(0.8) { Marks::Usual } else { Marks::Few };
    let board = board(set, &placement, side, flipped, marks, rng);
    let (page, left, top) =
        if rng.random_bool(0.3) { (board, 0, 0) } else { page(&board, side, flipped, rng) };
    damaged(page, placement, flipped, [left as f32, top as f32, 8.0 * side as f32], 0.3, rng)
}

/// The board in a page: a margin with coordinates, perhaps text beside it.
fn page(board: &Canvas, side: usize, flipped: bool, rng: &mut Pcg64Mcg) -> (Canvas, usize, usize) {
    let small = rng.random_range(2..side);
    let (left, top, right, bottom) = if rng.random_bool(0.5) {
        (small, small, small, small)
    } else {
        let mut margin = || rng.random_range(0..6 * side);
        (margin(), margin() / 2, margin() * 2, margin() / 2)
    };
    let ground = if rng.random_bool(0.6) {
        [rng.random_range(0.85..1.0_f32); 3]
    } else {
        [rng.random_range(0.05..0.5_f32), rng.random_range(0.05..0.5), rng.random_range(0.05..0.5)]
    };
    let mut page = Canvas::new(board.width + left + right, board.height + top + bottom, ground);
    let ink = if ground[0] > 0.6 { [0.15; 3] } else { [0.85; 3] };
    for line in (0..page.height.saturating_sub(20)).step_by(22) {
        let mut x = rng.random_range(4.0..40.0_f32);
        while x < page.width as f32 - 10.0 && rng.random_bool(0.97) {
            glyph(&mut page, rng.random_range(0..16), x, line as f32 + 4.0, 11.0, ink);
            x += if rng.random_bool(0.2) { 18.0 } else { 9.0 };
        }
    }
    let frame = rng.random_range(0..small.min(side / 2).max(1)) as f32;
    let (x, y) = (left as f32, top as f32);
    let area =
        [x - frame, y - frame, x + board.width as f32 + frame, y + board.height as f32 + frame];
    page.fill(area, mix(ground, ink, rng.random_range(0.0..1.0)), 1.0);
    page.place(board, left, top);
    if frame > 9.0 {
        for at in 0..8 {
            let (file, rank) = if flipped { (7 - at, at) } else { (at, 7 - at) };
            let middle = (at as f32 + 0.5) * side as f32 - 3.0;
            glyph(&mut page, file, x + middle, y + board.height as f32 + 1.0, 8.0, ink);
            glyph(&mut page, 8 + rank, x - 8.0, y + middle, 8.0, ink);
        }
    }
    (page, left, top)
}

/// What scaling, compression and screens do to a picture with a board at this place.
fn damaged(
    mut canvas: Canvas,
    placement: Placement,
    flipped: bool,
    [left, top, side]: [f32; 3],
    rate: f64,
    rng: &mut Pcg64Mcg,
) -> Scene {
    let mut grid = Grid { left, top, square_width: side / 8.0, square_height: side / 8.0 };
    if rng.random_bool(rate) {
        let scale = rng.random_range(0.6..1.5_f32).max(18.0 / grid.square_width);
        let (width, height) = (canvas.width as f32 * scale, canvas.height as f32 * scale);
        if width < 1800.0 && height < 1800.0 {
            canvas = canvas.resized(width as usize, height as usize);
            grid = grid.scaled(scale);
        }
    }
    if rng.random_bool(rate * 0.4) {
        canvas = canvas.blurred(rng.random_range(0.1..0.6));
    }
    if rng.random_bool(rate * 0.6) {
        let contrast = rng.random_range(0.75..1.15);
        canvas.adjust(contrast, rng.random_range(-0.08..0.08), rng.random_range(0.8..1.25));
    }
    if rng.random_bool(rate * 0.4) {
        canvas.add_noise(rng.random_range(0.005..0.06), rng);
    }
    if rng.random_bool(rate) {
        canvas.compress(rng.random_range(35.0..95.0));
    }
    Scene { pixels: canvas.pixels(), grid, placement, flipped }
}
