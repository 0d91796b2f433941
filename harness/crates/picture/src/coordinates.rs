//! Coordinates of a board: whether the rank labels count up or down.
//!
//! Each label is compared with the digit that it would be if White were below, and with the one
//! from the other side. No label must be seen, and pieces may cover some.

use crate::grid::Grid;
use crate::pixels::Pixels;

/// Rows and columns of a digit's cells.
const ROWS: usize = 7;
const COLUMNS: usize = 5;

/// The digits 1 to 8: ink of their cells in ninths, the mean of nine common fonts.
const DIGITS: [[u8; ROWS * COLUMNS]; 8] = [
    [
        1, 3, 6, 4, 0, 1, 3, 8, 4, 0, 0, 1, 6, 4, 0, 0, 0, 5, 4, 0, 0, 0, 5, 4, 0, 0, 1, 5, 4, 0,
        1, 3, 5, 6, 2,
    ],
    [
        3, 7, 7, 6, 1, 3, 2, 1, 6, 5, 1, 0, 0, 5, 5, 0, 0, 2, 7, 1, 0, 3, 7, 2, 0, 3, 7, 2, 1, 1,
        6, 8, 7, 7, 5,
    ],
    [
        3, 6, 7, 7, 1, 2, 2, 1, 6, 4, 0, 1, 1, 6, 3, 0, 3, 7, 7, 1, 0, 0, 0, 4, 6, 3, 2, 1, 4, 6,
        4, 7, 6, 6, 1,
    ],
    [
        0, 0, 3, 8, 1, 0, 1, 6, 8, 1, 0, 6, 2, 8, 1, 4, 4, 1, 8, 1, 8, 5, 5, 9, 5, 3, 3, 4, 8, 3,
        0, 0, 1, 7, 1,
    ],
    [
        3, 7, 7, 7, 2, 3, 5, 1, 1, 0, 4, 7, 6, 4, 0, 2, 3, 3, 7, 4, 0, 0, 0, 3, 6, 3, 2, 1, 5, 5,
        4, 7, 6, 6, 1,
    ],
    [
        0, 4, 7, 6, 2, 3, 6, 1, 1, 1, 6, 4, 4, 3, 0, 7, 7, 3, 6, 5, 7, 3, 0, 3, 7, 5, 5, 1, 4, 6,
        1, 6, 6, 6, 1,
    ],
    [
        6, 7, 7, 8, 7, 1, 1, 1, 5, 4, 0, 0, 1, 7, 1, 0, 0, 4, 5, 0, 0, 1, 7, 2, 0, 0, 3, 6, 0, 0,
        0, 5, 3, 0, 0,
    ],
    [
        1, 6, 6, 6, 1, 5, 5, 0, 5, 5, 3, 7, 2, 6, 3, 1, 7, 7, 7, 1, 6, 4, 0, 4, 6, 6, 4, 0, 4, 7,
        2, 6, 6, 6, 2,
    ],
];

/// A label: the ink of its cells, and its height in parts of a square.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    cells: [f32; ROWS * COLUMNS],
    height: f32,
}

/// Whether the ranks count from the top (Black below); `None` if too few labels are found.
pub(crate) fn black_below(pixels: &Pixels, grid: &Grid) -> Option<bool> {
    places(grid)
        .into_iter()
        .find_map(|areas| tell(&areas.map(|area| label(pixels, area, grid.square_height))))
}

/// Areas in which the eight rank labels may stand, from the top: inside the squares of the left and
/// of the right border, beside the board, and right at it.
fn places(grid: &Grid) -> [[[f32; 4]; 8]; 7] {
    let (width, height) = (grid.square_width, grid.square_height);
    let right = grid.left + 8.0 * width;
    let rows = |left: f32, across: f32, down: f32, tall: f32| {
        std::array::from_fn(|row| {
            let top = grid.top + (row as f32 + down) * height;
            [left, top, left + across * width, top + tall * height]
        })
    };
    [
        rows(grid.left, 0.34, 0.0, 0.42),
        rows(right - 0.34 * width, 0.34, 0.0, 0.42),
        rows(grid.left - 0.3 * width, 0.28, 0.2, 0.6),
        rows(grid.left - 0.6 * width, 0.57, 0.2, 0.6),
        rows(right + 0.03 * width, 0.3, 0.2, 0.6),
        rows(grid.left - 0.3 * width, 0.3, 0.2, 0.6),
        rows(right, 0.3, 0.2, 0.6),
    ]
}

/// How much each pixel of an area differs from its ground.
struct Ink {
    depths: Vec<f32>,
    width: usize,
    height: usize,
}

impl Ink {
    fn new(pixels: &Pixels, [left, top, right, bottom]: [f32; 4]) -> Option<Self> {
        let (x0, y0, x1, y1) =
            (left.round() as isize, top.round() as isize, right as isize, bottom as isize);
        let (width, height) = ((x1 - x0).max(0) as usize, (y1 - y0).max(0) as usize);
        let inside =
            x0 >= 0 && y0 >= 0 && x1 <= pixels.width() as isize && y1 <= pixels.height() as isize;
        if !inside || width < 4 || height < 6 {
            return None;
        }
        let brightness = |at: usize| {
            let (x, y) = (x0 + (at % width) as isize, y0 + (at / width) as isize);
            let [red, green, blue] = pixels.at(x, y).map(f32::from);
            0.3 * red + 0.6 * green + 0.1 * blue
        };
        let values: Vec<f32> = (0..width * height).map(brightness).collect();
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let ground = sorted[sorted.len() / 2];
        let depths = values.iter().map(|value| (value - ground).abs()).collect();
        Some(Self { depths, width, height })
    }

    /// Connected pixels of ink that do not touch the border of the area, as digits do not; pieces do.
    fn parts(&self) -> Vec<Vec<usize>> {
        /// Difference in brightness that is ink, and the part of the largest that is: the rest is texture
        /// and blur.
        const LEAST: f32 = 14.0;
        const PART: f32 = 0.3;
        let inner = |at: &usize| {
            let (x, y) = (at % self.width, at / self.width);
            x > 0 && y > 0 && x + 1 < self.width && y + 1 < self.height
        };
        let depths = (0..self.depths.len()).filter(inner).map(|at| self.depths[at]);
        let least = (PART * depths.fold(0.0, f32::max)).max(LEAST);
        let mut seen = vec![false; self.depths.len()];
        let mut parts = Vec::new();
        for start in 0..self.depths.len() {
            let (mut part, mut stack, mut touches) = (Vec::new(), vec![start], false);
            while let Some(at) = stack.pop() {
                if self.depths[at] < least || std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                part.push(at);
                let (x, y) = (at % self.width, at / self.width);
                touches |= x == 0 || y == 0 || x + 1 == self.width || y + 1 == self.height;
                for row in y.saturating_sub(1)..(y + 2).min(self.height) {
                    for column in x.saturating_sub(1)..(x + 2).min(self.width) {
                        stack.push(row * self.width + column);
                    }
                }
            }
            if !touches && !part.is_empty() {
                parts.push(part);
            }
        }
        parts
    }

    /// A part as a label, if it has the form of a digit.
    fn label(&self, part: &[usize], square: f32) -> Option<Label> {
        let columns = part.iter().map(|at| at % self.width);
        let rows = part.iter().map(|at| at / self.width);
        let (left, right) = (columns.clone().min()?, columns.max()? + 1);
        let (top, bottom) = (rows.clone().min()?, rows.max()? + 1);
        let (width, height) = ((right - left) as f32, (bottom - top) as f32);
        if height < 5.0 || !(0.15..0.95).contains(&(width / height)) || height > 0.4 * square {
            return None;
        }
        let step = height / ROWS as f32;
        let first = (left + right) as f32 / 2.0 - step * COLUMNS as f32 / 2.0;
        let deepest = part.iter().map(|&at| self.depths[at]).fold(1.0, f32::max);
        let value = |x: f32, y: f32| {
            let inside = x >= 0.0 && y >= 0.0;
            let (column, row) = (x as usize, y as usize);
            let inside = inside && column < self.width && row < self.height;
            if inside { (self.depths[row * self.width + column] / deepest).min(1.0) } else { 0.0 }
        };
        let cells = std::array::from_fn(|cell| {
            let (x, y) = ((cell % COLUMNS) as f32, (cell / COLUMNS) as f32);
            let mut sum = 0.0;
            for point in 0..16 {
                let (dx, dy) = ((point % 4) as f32 + 0.5, (point / 4) as f32 + 0.5);
                sum += value(first + (x + dx / 4.0) * step, top as f32 + (y + dy / 4.0) * step);
            }
            sum / 16.0
        });
        Some(Label { cells, height: height / square })
    }
}

/// The label of an area: the part with most ink.
fn label(pixels: &Pixels, area: [f32; 4], square: f32) -> Option<Label> {
    let ink = Ink::new(pixels, area)?;
    let parts = ink.parts();
    let part = parts.iter().max_by_key(|part| part.len())?;
    ink.label(part, square)
}

/// How well a label fits a digit from 1 to 8: the correlation of their cells.
fn fit(label: &Label, digit: usize) -> f32 {
    let drawn = DIGITS[digit - 1].map(f32::from);
    let mean = |cells: &[f32]| cells.iter().sum::<f32>() / cells.len() as f32;
    let (a, b) = (mean(&label.cells), mean(&drawn));
    let sum = |of: fn(f32, f32) -> f32| -> f32 {
        label.cells.iter().zip(drawn).map(|(x, y)| of(x - a, y - b)).sum()
    };
    sum(|x, y| x * y) / (sum(|x, _| x * x) * sum(|_, y| y * y)).sqrt().max(1e-6)
}

/// Whether labels from the top are 1 to 8 (rather than 8 to 1). At least three must be of one height
/// and fit.
fn tell(labels: &[Option<Label>; 8]) -> Option<bool> {
    /// Least sum of differences, and least mean correlation with the digits of the better side. Labels
    /// that are digits have about 0.8 each.
    const CLEAR: f32 = 0.9;
    const ALIKE: f32 = 0.45;
    let mut heights: Vec<f32> = labels.iter().flatten().map(|label| label.height).collect();
    heights.sort_by(f32::total_cmp);
    let height = *heights.get(heights.len() / 2)?;
    let alike = |label: &Label| (label.height - height).abs() < 0.2 * height;
    let (mut evidence, mut fits, mut count) = (0.0, [0.0; 2], 0);
    for (row, label) in labels.iter().enumerate() {
        let Some(label) = label.filter(alike) else { continue };
        let (down, up) = (fit(&label, row + 1), fit(&label, 8 - row));
        evidence += down - up;
        fits = [fits[0] + up, fits[1] + down];
        count += 1;
    }
    let below = evidence > 0.0;
    let fits = fits[usize::from(below)] / count.max(1) as f32;
    (count >= 3 && evidence.abs() > CLEAR && fits > ALIKE).then_some(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board of squares of 50 pixels with digits in the upper left of the left squares, in
    /// some rows only.
    fn board(digits: [usize; 8], rows: &[usize]) -> (Pixels, Grid) {
        let mut pixels = Pixels::filled(400, 400, [200; 3]);
        for &row in rows {
            for (cell, ink) in DIGITS[digits[row] - 1].iter().enumerate() {
                for point in 0..4 {
                    let x = 3 + cell % COLUMNS * 2 + point % 2;
                    let y = row * 50 + 4 + cell / COLUMNS * 2 + point / 2;
                    pixels.set(x, y, [200 - 15 * ink; 3]);
                }
            }
        }
        let grid = Grid { left: 0.0, top: 0.0, square_width: 50.0, square_height: 50.0 };
        (pixels, grid)
    }

    #[test]
    fn labels_that_end_right_at_the_board_are_read() {
        let digits = [8, 7, 6, 5, 4, 3, 2, 1];
        let (inside, grid) = board(digits, &[0, 1, 2, 3, 4, 5, 6, 7]);
        // The labels are 10 pixels wide, from the 13th on: the board begins a pixel behind them.
        let mut pixels = Pixels::filled(430, 400, [200; 3]);
        for y in 0..388 {
            for x in 0..14 {
                pixels.set(x + 10, y + 12, inside.at(x as isize, y as isize));
            }
        }
        let grid = Grid { left: 24.0, ..grid };
        assert_eq!(black_below(&pixels, &grid), Some(false));
    }

    #[test]
    fn ranks_that_count_up_or_down_tell_the_side_below() {
        let (up, down) = ([8, 7, 6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6, 7, 8]);
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        for (digits, rows, below) in [
            (up, &all[..], Some(false)),
            (down, &all[..], Some(true)),
            (up, &all[2..6], Some(false)),
            (down, &[1, 3, 4][..], Some(true)),
            (up, &[0, 7][..], None),
            ([4; 8], &all[..], None),
            (up, &[][..], None),
        ] {
            let (pixels, grid) = board(digits, rows);
            assert_eq!(black_below(&pixels, &grid), below, "{digits:?} {rows:?}");
        }
    }
}
