//! Pictures in memory: eight bits each of red, green and blue.

/// A picture: rows from the top, three bytes (red, green, blue) a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

impl Pixels {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        let data = std::iter::repeat_n(colour, width * height).flatten().collect();
        Self { width, height, data }
    }

    /// A picture of these bytes; `None` if they are not three a pixel.
    pub fn new(width: usize, height: usize, data: Vec<u8>) -> Option<Self> {
        (data.len() == width.checked_mul(height)?.checked_mul(3)?).then_some(Self {
            width,
            height,
            data,
        })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Bytes of all pixels.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Colour at column `x` and row `y`; beyond an edge, that of the edge.
    pub fn at(&self, x: isize, y: isize) -> [u8; 3] {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        let start = (y * self.width + x) * 3;
        [self.data[start], self.data[start + 1], self.data[start + 2]]
    }

    /// Sets the colour at column `x` and row `y`, which are inside.
    pub fn set(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        let start = (y * self.width + x) * 3;
        self.data[start..start + 3].copy_from_slice(&colour);
    }

    /// One value a pixel: the brightness, or a single channel.
    pub fn plane(&self, plane: Plane) -> Vec<u8> {
        let value = |pixel: &[u8]| match plane {
            Plane::Luma => {
                let sum = 77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]);
                ((sum + 29 * u32::from(pixel[2])) >> 8) as u8
            }
            Plane::Red => pixel[0],
            Plane::Blue => pixel[2],
        };
        self.data.chunks_exact(3).map(value).collect()
    }

    /// The picture with both sides divided by `factor` (at least 1): the mean colour of each block.
    pub fn shrink(&self, factor: usize) -> Self {
        let factor = factor.max(1);
        let (width, height) = (self.width / factor, self.height / factor);
        let mut data = Vec::with_capacity(width * height * 3);
        let area = (factor * factor) as u32;
        for y in 0..height {
            for x in 0..width {
                let mut sums = [area / 2; 3];
                for row in y * factor..(y + 1) * factor {
                    let start = (row * self.width + x * factor) * 3;
                    for pixel in self.data[start..start + factor * 3].chunks_exact(3) {
                        for (sum, &byte) in sums.iter_mut().zip(pixel) {
                            *sum += u32::from(byte);
                        }
                    }
                }
                data.extend(sums.map(|sum| (sum / area) as u8));
            }
        }
        Self { width, height, data }
    }

    /// Mean colour of an area with fractional borders, for [`super::square`].
    pub fn mean(&self, left: f32, top: f32, right: f32, bottom: f32) -> [f32; 3] {
        let columns = Span::new(left, right);
        let rows = Span::new(top, bottom);
        let mut sums = [0.0; 3];
        for (y, row_weight) in rows.weights() {
            for (x, weight) in columns.weights() {
                let weight = weight * row_weight;
                for (sum, byte) in sums.iter_mut().zip(self.at(x, y)) {
                    *sum += weight * f32::from(byte);
                }
            }
        }
        sums.map(|sum| sum / (rows.length() * columns.length()))
    }
}

/// Which single value of a pixel is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Brightness.
    Luma,
    /// Red.
    Red,
    /// Blue.
    Blue,
}

/// Pixels of one direction that an interval covers, each with the covered part; at least one pixel
/// wide, so that small pictures are enlarged without holes.
struct Span {
    from: f32,
    to: f32,
}

impl Span {
    fn new(from: f32, to: f32) -> Self {
        let middle = (from + to) / 2.0;
        let half = ((to - from) / 2.0).max(0.5);
        Self { from: middle - half, to: middle + half }
    }

    fn length(&self) -> f32 {
        self.to - self.from
    }

    fn weights(&self) -> impl Iterator<Item = (isize, f32)> + use<> {
        let (from, to) = (self.from, self.to);
        let pixels = from.floor() as isize..to.ceil() as isize;
        pixels.map(move |at| (at, (at as f32 + 1.0).min(to) - (at as f32).max(from)))
    }
}
