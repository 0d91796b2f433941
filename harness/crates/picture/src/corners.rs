//! Points where four squares of a board meet: two of them light, two dark, across from each other.
//!
//! Such saddle points are rare in text, buttons and photographs, and a board has 49 of them in a
//! lattice. The measure is that of the ChESS detector (S. Bennett and J. Lasenby, "ChESS - quick and
//! robust detection of chess-board features", 2014) with means of four blocks instead of a ring.

use crate::pixels::{Pixels, Plane};

/// A point where four squares may meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Boundary between the columns left and right of it.
    pub x: i32,
    /// Boundary between the rows above and below it.
    pub y: i32,
    /// Whether the squares to the upper left and lower right are the lighter ones.
    pub falling: bool,
    /// Difference in brightness across the boundaries, less what opposite squares differ by.
    pub strength: f32,
}

/// Sides of the four blocks around a point.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Pixels between the point and the blocks, for lines between squares and blurred edges.
    pub gap: i32,
    /// Pixels of a block's side.
    pub side: i32,
}

/// Scales to search with: squares of about 12, 30 and 70 pixels upwards.
pub const SCALES: [Scale; 3] =
    [Scale { gap: 1, side: 3 }, Scale { gap: 2, side: 6 }, Scale { gap: 4, side: 12 }];

/// Weakest corner: two colours of a board that a viewer can still tell apart.
const MIN_STRENGTH: f32 = 5.0;

/// Most corners that are looked at, the strongest first.
const MAX_CORNERS: usize = 6000;

/// Sums of all values above and to the left of each point.
struct Sums {
    width: usize,
    height: usize,
    data: Vec<u32>,
}

impl Sums {
    fn new(values: &[u8], width: usize, height: usize) -> Self {
        let stride = width + 1;
        let mut data = vec![0_u32; stride * (height + 1)];
        for (y, row) in values.chunks_exact(width).enumerate() {
            let mut sum = 0;
            for (x, &value) in row.iter().enumerate() {
                sum += u32::from(value);
                data[(y + 1) * stride + x + 1] = data[y * stride + x + 1] + sum;
            }
        }
        Self { width, height, data }
    }

    /// Sum of the block with this upper left point, which is inside.
    fn block(&self, x: i32, y: i32, side: i32) -> f32 {
        let stride = self.width + 1;
        let (x, y, side) = (x as usize, y as usize, side as usize);
        let (above, below) = (y * stride, (y + side) * stride);
        let sum = self.data[below + x + side] + self.data[above + x];
        // The sums are of at most 2048 x 2048 bytes, which fit.
        (sum.wrapping_sub(self.data[below + x]).wrapping_sub(self.data[above + x + side])) as f32
    }
}

/// The corners of a picture in one plane at one scale, the strongest first.
pub fn find(pixels: &Pixels, plane: Plane, scale: Scale) -> Vec<Corner> {
    let (width, height) = (pixels.width(), pixels.height());
    let sums = Sums::new(&pixels.plane(plane), width, height);
    let strengths = measure(&sums, scale);
    let mut corners = local_maxima(&strengths, &sums, scale);
    corners.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    corners.truncate(MAX_CORNERS);
    corners
}

/// Signed strength at every point: positive where the upper left is lighter.
fn measure(sums: &Sums, scale: Scale) -> Vec<f32> {
    let reach = scale.gap + scale.side;
    let area = (scale.side * scale.side) as f32;
    let (width, height) = (sums.width as i32, sums.height as i32);
    let mut strengths = vec![0.0; sums.width * sums.height];
    for y in reach..=height - reach {
        for x in reach..=width - reach {
            let (left, right) = (x - reach, x + scale.gap);
            let (top, bottom) = (y - reach, y + scale.gap);
            let upper_left = sums.block(left, top, scale.side);
            let upper_right = sums.block(right, top, scale.side);
            let lower_left = sums.block(left, bottom, scale.side);
            let lower_right = sums.block(right, bottom, scale.side);
            let contrast = (upper_left + lower_right - upper_right - lower_left) / 2.0;
            let uneven = (upper_left - lower_right).abs().max((upper_right - lower_left).abs());
            let strength = (contrast.abs() - uneven) / area;
            if strength > MIN_STRENGTH && x < width && y < height {
                strengths[y as usize * sums.width + x as usize] = strength.copysign(contrast);
            }
        }
    }
    strengths
}

/// Points that are the strongest within a block's side.
fn local_maxima(strengths: &[f32], sums: &Sums, scale: Scale) -> Vec<Corner> {
    let (width, height) = (sums.width as i32, sums.height as i32);
    let at = |x: i32, y: i32| strengths[(y * width + x) as usize].abs();
    let mut corners = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let signed = strengths[(y * width + x) as usize];
            let strength = signed.abs();
            if strength == 0.0 {
                continue;
            }
            let radius = scale.side;
            let columns = (x - radius).max(0)..=(x + radius).min(width - 1);
            let rows = (y - radius).max(0)..=(y + radius).min(height - 1);
            // Of equal ones, the first in reading order.
            let stronger = rows.into_iter().any(|row| {
                columns.clone().any(|column| {
                    let other = at(column, row);
                    other > strength || (other == strength && (row, column) < (y, x))
                })
            });
            if !stronger {
                corners.push(Corner { x, y, falling: signed > 0.0, strength });
            }
        }
    }
    corners
}
