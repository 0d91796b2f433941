//! A picture to draw on, and the damage that pictures suffer on their way.

use harness_picture::Pixels;
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use crate::sets::Raster;

/// Red, green and blue from 0 to 1.
pub type Colour = [f32; 3];

/// A picture in floating-point numbers.
#[derive(Clone)]
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    pub data: Vec<Colour>,
}

/// `a` with a part of `b`.
pub fn mix(a: Colour, b: Colour, part: f32) -> Colour {
    [0, 1, 2].map(|it| a[it] + (b[it] - a[it]) * part)
}

impl Canvas {
    pub fn new(width: usize, height: usize, colour: Colour) -> Self {
        Self { width, height, data: vec![colour; width * height] }
    }

    /// Lets `paint` change each pixel of a rectangle, as far as it is inside.
    pub fn paint(
        &mut self,
        [left, top, right, bottom]: [f32; 4],
        mut paint: impl FnMut(f32, f32, Colour) -> Colour,
    ) {
        let columns = left.max(0.0) as usize..(right.max(0.0).round() as usize).min(self.width);
        for y in top.max(0.0) as usize..(bottom.max(0.0).round() as usize).min(self.height) {
            for x in columns.clone() {
                let pixel = &mut self.data[y * self.width + x];
                *pixel = paint(x as f32 + 0.5, y as f32 + 0.5, *pixel);
            }
        }
    }

    /// Lays a colour over a rectangle.
    pub fn fill(&mut self, area: [f32; 4], colour: Colour, opacity: f32) {
        self.paint(area, |_, _, below| mix(below, colour, opacity));
    }

    /// Draws a raster with its upper left corner here.
    pub fn draw(&mut self, raster: &Raster, left: i32, top: i32) {
        for (at, &[red, green, blue, opacity]) in raster.data.iter().enumerate() {
            let x = left + (at % raster.side) as i32;
            let y = top + (at / raster.side) as i32;
            if opacity > 0.0
                && (0..self.width as i32).contains(&x)
                && (0..self.height as i32).contains(&y)
            {
                let pixel = &mut self.data[y as usize * self.width + x as usize];
                for (below, above) in pixel.iter_mut().zip([red, green, blue]) {
                    *below = *below * (1.0 - opacity) + above;
                }
            }
        }
    }

    /// Lays another picture over this one.
    pub fn place(&mut self, other: &Canvas, left: usize, top: usize) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            let width = other.width.min(self.width.saturating_sub(left));
            let start = (top + y) * self.width + left;
            self.data[start..start + width]
                .copy_from_slice(&other.data[y * other.width..y * other.width + width]);
        }
    }

    /// The picture in another size, by interpolation or means.
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let pixels = self.pixels();
        let (dx, dy) = (self.width as f32 / width as f32, self.height as f32 / height as f32);
        let mut data = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let (left, top) = (x as f32 * dx, y as f32 * dy);
                data.push(pixels.mean(left, top, left + dx, top + dy).map(|it| it / 255.0));
            }
        }
        Self { width, height, data }
    }

    /// Mean of each pixel and its neighbours, with this weight of the neighbours.
    pub fn blurred(&self, weight: f32) -> Self {
        let mut blurred = self.clone();
        for horizontal in [true, false] {
            let before = blurred.clone();
            let at = |x: usize, y: usize| before.data[y * before.width + x];
            for y in 0..self.height {
                for x in 0..self.width {
                    let (a, b) = if horizontal {
                        (at(x.saturating_sub(1), y), at((x + 1).min(self.width - 1), y))
                    } else {
                        (at(x, y.saturating_sub(1)), at(x, (y + 1).min(self.height - 1)))
                    };
                    let sum = mix(a, b, 0.5);
                    blurred.data[y * self.width + x] = mix(at(x, y), sum, weight);
                }
            }
        }
        blurred
    }

    /// Adds noise of this amplitude.
    pub fn add_noise(&mut self, amplitude: f32, rng: &mut Pcg64Mcg) {
        for value in self.data.iter_mut().flatten() {
            *value += (rng.random::<f32>() - 0.5) * 2.0 * amplitude;
        }
    }

    /// Contrast, brightness and gamma of another screen.
    pub fn adjust(&mut self, contrast: f32, brightness: f32, gamma: f32) {
        for value in self.data.iter_mut().flatten() {
            let bright = ((*value - 0.5) * contrast + 0.5 + brightness).clamp(0.0, 1.0);
            *value = bright.powf(gamma);
        }
    }

    pub fn pixels(&self) -> Pixels {
        let byte = |value: &f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        let data = self.data.iter().flatten().map(byte).collect();
        Pixels::new(self.width, self.height, data).expect("three bytes a pixel")
    }

    /// What a JPEG of this quality (1 to 100) loses: rounded cosine coefficients of blocks, colours
    /// at half the resolution.
    pub fn compress(&mut self, quality: f32) {
        let scale = if quality < 50.0 { 50.0 / quality } else { 2.0 - quality / 50.0 };
        let planes: [Vec<f32>; 3] = [0, 1, 2].map(|plane| {
            let row = [[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]][plane];
            self.data
                .iter()
                .map(|it| 255.0 * (0..3).map(|at| row[at] * it[at]).sum::<f32>())
                .collect()
        });
        let [luma, blue, red] = planes;
        let luma = quantise(&luma, self.width, self.height, scale, &LUMA);
        let chroma = |plane: &[f32]| {
            let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
            let halved: Vec<f32> = (0..width * height)
                .map(|at| plane[(at / width * 2) * self.width + at % width * 2])
                .collect();
            quantise(&halved, width, height, scale, &CHROMA)
        };
        let (blue, red) = (chroma(&blue), chroma(&red));
        let half = self.width.div_ceil(2);
        for (at, pixel) in self.data.iter_mut().enumerate() {
            let (x, y) = (at % self.width, at / self.width);
            let (luma, low) = (luma[at], y / 2 * half + x / 2);
            let (blue, red) = (blue[low], red[low]);
            let colour =
                [luma + 1.402 * red, luma - 0.344 * blue - 0.714 * red, luma + 1.772 * blue];
            *pixel = colour.map(|it| (it / 255.0).clamp(0.0, 1.0));
        }
    }
}

/// Rows of the standard's example tables (ITU-T T.81, annex K), by sum of frequencies.
const LUMA: [f32; 15] =
    [16.0, 11.0, 12.0, 15.0, 20.0, 30.0, 45.0, 60.0, 70.0, 80.0, 90.0, 95.0, 100.0, 100.0, 100.0];
const CHROMA: [f32; 15] =
    [17.0, 18.0, 24.0, 45.0, 80.0, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0];

fn quantise(plane: &[f32], width: usize, height: usize, scale: f32, table: &[f32; 15]) -> Vec<f32> {
    let cosine: Vec<f32> = (0..64)
        .map(|at| {
            let (frequency, x) = (at / 8, at % 8);
            let norm = if frequency == 0 { 0.125_f32.sqrt() } else { 0.5 };
            norm * ((2 * x + 1) as f32 * frequency as f32 * std::f32::consts::PI / 16.0).cos()
        })
        .collect();
    let mut output = plane.to_vec();
    for top in (0..height).step_by(8) {
        for left in (0..width).step_by(8) {
            let at =
                |x: usize, y: usize| (top + y).min(height - 1) * width + (left + x).min(width - 1);
            let mut block = [0.0; 64];
            for (it, value) in block.iter_mut().enumerate() {
                *value = plane[at(it % 8, it / 8)] - 128.0;
            }
            let mut frequencies = transform(&block, &cosine, false);
            for (it, value) in frequencies.iter_mut().enumerate() {
                let step = (table[it / 8 + it % 8] * scale).max(1.0);
                *value = (*value / step).round() * step;
            }
            for (it, value) in transform(&frequencies, &cosine, true).iter().enumerate() {
                if left + it % 8 < width && top + it / 8 < height {
                    output[at(it % 8, it / 8)] = value + 128.0;
                }
            }
        }
    }
    output
}

/// The cosine transform of a block of eight by eight, or its inverse.
fn transform(block: &[f32; 64], cosine: &[f32], inverse: bool) -> [f32; 64] {
    let factor = |a: usize, b: usize| if inverse { cosine[b * 8 + a] } else { cosine[a * 8 + b] };
    let (mut rows, mut output) = ([0.0; 64], [0.0; 64]);
    for y in 0..8 {
        for to in 0..8 {
            rows[y * 8 + to] = (0..8).map(|x| factor(to, x) * block[y * 8 + x]).sum();
        }
    }
    for to in 0..8 {
        for x in 0..8 {
            output[to * 8 + x] = (0..8).map(|y| factor(to, y) * rows[y * 8 + x]).sum();
        }
    }
    output
}
