//! What the network sees of a square: 32 by 32 points of four channels.

use crate::grid::Grid;
use crate::pixels::Pixels;

/// Points of a side.
pub const SIDE: usize = 32;

/// Red, green and blue, and the difference from the square's ground.
pub const CHANNELS: usize = 4;

/// Values of a square.
pub const INPUTS: usize = CHANNELS * SIDE * SIDE;

/// The input of a square: channel by channel, rows from the top, between -1 and 1.
pub fn input(pixels: &Pixels, grid: &Grid, column: usize, row: usize) -> Vec<f32> {
    input_of(pixels, grid.square(column, row))
}

/// The input of any area: left, upper, right and lower border.
pub fn input_of(pixels: &Pixels, [left, top, right, bottom]: [f32; 4]) -> Vec<f32> {
    let (step_x, step_y) = ((right - left) / SIDE as f32, (bottom - top) / SIDE as f32);
    let mut colours = Vec::with_capacity(SIDE * SIDE);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let (x, y) = (left + x as f32 * step_x, top + y as f32 * step_y);
            colours.push(pixels.mean(x, y, x + step_x, y + step_y));
        }
    }
    let ground = ground(&colours);
    let mut input = vec![0.0; INPUTS];
    for (at, colour) in colours.iter().enumerate() {
        let mut difference = 0.0_f32;
        for channel in 0..3 {
            input[channel * SIDE * SIDE + at] = colour[channel] / 127.5 - 1.0;
            difference = difference.max((colour[channel] - ground[channel]).abs());
        }
        input[3 * SIDE * SIDE + at] = (difference / 64.0).min(2.0) - 1.0;
    }
    input
}

/// Colour of the ground: the median of each channel near the border, where pieces seldom are.
fn ground(colours: &[[f32; 3]]) -> [f32; 3] {
    let border = |at: usize| !(3..SIDE - 3).contains(&at);
    let outer = || (0..colours.len()).filter(|at| border(at % SIDE) && border(at / SIDE));
    [0, 1, 2].map(|channel| {
        let mut values: Vec<f32> = outer().map(|at| colours[at][channel]).collect();
        values.sort_by(f32::total_cmp);
        values[values.len() / 2]
    })
}
