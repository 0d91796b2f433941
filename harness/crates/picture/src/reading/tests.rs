//! Reading of drawn boards: where they are, and what is refused.

use super::*;
use crate::error::PictureError;

/// A board of two colours with squares of this side, at a place in a larger picture.
fn empty_board(side: usize, left: usize, top: usize, right: usize, bottom: usize) -> Pixels {
    let board = 8 * side;
    let mut pixels = Pixels::filled(left + board + right, top + board + bottom, [250, 250, 250]);
    for y in 0..board {
        for x in 0..board {
            let dark = (x / side + y / side) % 2 == 1;
            let colour = if dark { [120, 150, 90] } else { [235, 236, 208] };
            pixels.set(left + x, top + y, colour);
        }
    }
    pixels
}

/// Covers a rectangle.
fn cover(pixels: &mut Pixels, [left, top, right, bottom]: [usize; 4], colour: [u8; 3]) {
    for y in top..bottom {
        for x in left..right {
            pixels.set(x, y, colour);
        }
    }
}

fn assert_near(found: Grid, left: f32, top: f32, side: f32) {
    let near = |a: f32, b: f32, most: f32| (a - b).abs() <= most;
    let within = 0.05 * side + 0.6;
    assert!(
        near(found.left, left, within)
            && near(found.top, top, within)
            && near(found.square_width, side, within / 4.0)
            && near(found.square_height, side, within / 4.0),
        "{found:?} rather than {left}, {top}, {side}"
    );
}

#[test]
fn a_board_is_found_wherever_it_is() {
    for (side, left, top, right, bottom) in [
        (13, 0, 0, 0, 0),
        (40, 0, 0, 0, 0),
        (24, 13, 7, 30, 90),
        (60, 300, 55, 420, 10),
        (97, 1, 2, 3, 4),
        (125, 500, 20, 200, 20),
    ] {
        let pixels = empty_board(side, left, top, right, bottom);
        let boards = grid::find(&pixels);
        let context = format!("{side} {left} {top}");
        assert_eq!(boards.len(), 1, "{context}: {boards:?}");
        assert_near(boards[0].grid, left as f32, top as f32, side as f32);
    }
}

#[test]
fn a_board_with_hatched_squares_is_found() {
    for (side, step) in [(30, 4), (61, 5)] {
        let mut pixels = empty_board(side, 20, 12, 9, 30);
        for y in 0..8 * side {
            for x in 0..8 * side {
                let line = (x + y) % step == 0;
                if (x / side + y / side) % 2 == 1 {
                    let colour = if line { [60, 50, 70] } else { [235, 236, 208] };
                    pixels.set(20 + x, 12 + y, colour);
                }
            }
        }
        let boards = grid::find(&pixels);
        assert_eq!(boards.len(), 1, "{side}: {boards:?}");
        assert_near(boards[0].grid, 20.0, 12.0, side as f32);
    }
}

#[test]
fn covered_corners_and_marked_squares_do_not_hide_a_board() {
    let mut pixels = empty_board(40, 50, 30, 70, 20);
    // An arrow of a square's width, pieces that overlap their squares, a last move.
    cover(&mut pixels, [160, 90, 180, 330], [250, 160, 0]);
    cover(&mut pixels, [45, 75, 95, 105], [10, 10, 10]);
    cover(&mut pixels, [250, 110, 290, 150], [205, 210, 106]);
    cover(&mut pixels, [290, 110, 330, 150], [170, 162, 58]);
    let boards = grid::find(&pixels);
    assert_eq!(boards.len(), 1, "{boards:?}");
    assert_near(boards[0].grid, 50.0, 30.0, 40.0);
}

#[test]
fn of_two_boards_the_larger_is_read_and_the_other_named() {
    let mut pixels = empty_board(50, 0, 0, 200, 0);
    let small = empty_board(20, 0, 0, 0, 0);
    for y in 0..160 {
        for x in 0..160 {
            pixels.set(420 + x, 30 + y, small.at(x as isize, y as isize));
        }
    }
    let reading = read_pixels(&pixels).expect("a board");
    assert_near(reading.board, 0.0, 0.0, 50.0);
    assert!(reading.notes.iter().any(|note| note.contains("2 boards")), "{:?}", reading.notes);
}

#[test]
fn what_shows_no_whole_board_is_refused() {
    let board = empty_board(40, 0, 0, 0, 0);
    let part = |width: usize, height: usize| {
        let mut pixels = Pixels::filled(width, height, [0; 3]);
        for y in 0..height {
            for x in 0..width {
                pixels.set(x, y, board.at(x as isize, y as isize));
            }
        }
        pixels
    };
    let mut noise = Pixels::filled(300, 300, [0; 3]);
    let mut state = 1_u32;
    for at in 0..90_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.set(at % 300, at / 300, [(state >> 24) as u8; 3]);
    }
    for (what, pixels) in [
        ("one colour", Pixels::filled(400, 400, [200; 3])),
        ("noise", noise),
        ("five columns", part(200, 320)),
        ("five rows", part(320, 200)),
    ] {
        assert_eq!(read_pixels(&pixels), Err(PictureError::NoBoard), "{what}");
    }
}

/// Screenshots of our own boards: both piece sets, both sides, inside of pages, with a last move.
const PICTURES: [(&[u8], &str, bool); 3] = [
    (
        include_bytes!("pictures/white.png"),
        "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 1",
        false,
    ),
    (
        include_bytes!("pictures/black.png"),
        "2r3k1/5ppp/p3p3/1p1bP3/3Q4/P4N2/1P1q1PPP/4R1K1 w - - 0 1",
        true,
    ),
    (include_bytes!("pictures/ending.png"), "8/8/4k3/2p5/2P1K3/8/1r6/5R2 w - - 0 1", true),
];

#[test]
fn screenshots_of_our_own_boards_are_read_from_both_sides() {
    for (bytes, fen, black_below) in PICTURES {
        let reading = read(bytes).expect("a board");
        assert_eq!((&*reading.fen, reading.black_below), (fen, black_below));
        assert_eq!(reading.notes, [""; 0]);
        let wrong = |square: &&Square| square.piece != '.' && square.confidence < 0.5;
        assert_eq!(reading.squares.iter().find(wrong), None);
    }
}

#[test]
fn a_position_is_turned_with_its_squares_and_rights() {
    let mut reading = read(PICTURES[0].0).expect("a board");
    reading.turn();
    assert_eq!(reading.fen, format!("{} w - - 0 1", turned(PICTURES[0].1)));
    assert_eq!(reading.orientation, Orientation::Asked);
    assert_eq!((&*reading.squares[0].square, reading.squares[0].piece), ("a8", 'R'));
    reading.turn();
    reading.set_fields(true, true);
    assert_eq!(reading.fen, PICTURES[0].1.replace(" w KQ ", " b - "));
}

/// The first field of a FEN, read from its end.
fn turned(fen: &str) -> String {
    fen.split(' ').next().unwrap_or_default().chars().rev().collect()
}
