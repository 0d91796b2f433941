//! Boards as programs and sites draw them: colours, textures, marks, arrows, coordinates.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64Mcg;

use crate::canvas::{Canvas, Colour, mix};
use crate::sets::{Raster, Set};

/// Classes of the 64 squares, in the picture's rows from the upper left.
pub type Placement = [usize; 64];

/// How much is drawn over the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Nothing but coordinates.
    Few,
    /// What a screenshot of a game has: a last move, perhaps an arrow.
    Usual,
    /// As much as can be read.
    Many,
}

/// Two colours of squares that programs use.
const PAIRS: [([u8; 3], [u8; 3]); 14] = [
    ([240, 217, 181], [181, 136, 99]),
    ([222, 227, 230], [140, 162, 173]),
    ([238, 238, 210], [118, 150, 86]),
    ([255, 255, 221], [134, 166, 102]),
    ([255, 255, 255], [150, 150, 150]),
    ([236, 236, 215], [77, 109, 146]),
    ([234, 233, 210], [75, 115, 153]),
    ([245, 219, 195], [187, 87, 70]),
    ([239, 239, 239], [136, 119, 183]),
    ([200, 192, 96], [114, 160, 114]),
    ([255, 206, 158], [209, 139, 71]),
    ([220, 220, 220], [171, 171, 171]),
    ([255, 255, 255], [200, 200, 200]),
    ([112, 102, 119], [70, 60, 80]),
];

fn colour(bytes: [u8; 3]) -> Colour {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// A light and a dark colour.
fn pair(rng: &mut Pcg64Mcg) -> (Colour, Colour) {
    if rng.random_bool(0.5) {
        let &(light, dark) = PAIRS.choose(rng).expect("there are some");
        let shift: [f32; 3] = [0; 3].map(|_| rng.random_range(-0.05..0.05));
        let shifted = |it: [u8; 3]| {
            let it = colour(it);
            [0, 1, 2].map(|at| (it[at] + shift[at]).clamp(0.0, 1.0))
        };
        return (shifted(light), shifted(dark));
    }
    let light_level = rng.random_range(0.45..1.0_f32);
    let dark_level = light_level - rng.random_range(0.12..0.55_f32).min(light_level - 0.1);
    (tinted(light_level, rng), tinted(dark_level, rng))
}

/// A colour of about this brightness.
fn tinted(level: f32, rng: &mut Pcg64Mcg) -> Colour {
    let amount = rng.random_range(0.0..0.25_f32).powf(1.3);
    [0; 3].map(|_| (level + rng.random_range(-amount..=amount)).clamp(0.0, 1.0))
}

/// Smooth noise: a few waves of random direction.
struct Waves(Vec<(f32, f32, f32, f32)>);

impl Waves {
    fn new(count: usize, stretch: f32, size: f32, rng: &mut Pcg64Mcg) -> Self {
        let wave = |at: usize| {
            let frequency = rng.random_range(0.5..3.0) * (1.0 + at as f32) / size;
            let angle = rng.random_range(0.0..std::f32::consts::TAU);
            let phase = rng.random_range(0.0..std::f32::consts::TAU);
            (
                frequency * angle.cos() * stretch,
                frequency * angle.sin() / stretch,
                phase,
                1.0 / (1.0 + at as f32),
            )
        };
        Self((0..count).map(wave).collect())
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let sum: f32 =
            self.0.iter().map(|(fx, fy, phase, size)| size * (fx * x + fy * y + phase).sin()).sum();
        sum / 2.0
    }
}

/// Draws a board whose squares have this side.
pub fn board(
    set: &Set,
    placement: &Placement,
    side: usize,
    flipped: bool,
    marks: Marks,
    rng: &mut Pcg64Mcg,
) -> Canvas {
    let mut canvas = Canvas::new(8 * side, 8 * side, [0.5; 3]);
    let (light, dark) = pair(rng);
    squares(&mut canvas, side, light, dark, rng);
    if marks != Marks::Few {
        highlights(&mut canvas, side, marks, rng);
    }
    if rng.random_bool(0.55) {
        coordinates(&mut canvas, side, flipped, light, dark, rng);
    }
    pieces(&mut canvas, set, placement, side, rng);
    if marks != Marks::Few {
        overlays(&mut canvas, placement, side, marks, rng);
    }
    canvas
}

fn area(at: usize, side: usize) -> [f32; 4] {
    let (left, top) = ((at % 8 * side) as f32, (at / 8 * side) as f32);
    [left, top, left + side as f32, top + side as f32]
}

fn is_dark(at: usize) -> bool {
    (at % 8 + at / 8) % 2 == 1
}

fn squares(canvas: &mut Canvas, side: usize, light: Colour, dark: Colour, rng: &mut Pcg64Mcg) {
    let texture = rng.random_range(0..10);
    let (width, strength) = (side as f32 * 8.0, rng.random_range(0.02..0.12_f32));
    let stretch = rng.random_range(1.0..5.0_f32);
    let waves = [0, 1].map(|_| Waves::new(6, stretch, side as f32 / 4.0, rng));
    let gradient = rng.random_range(-0.15..0.15_f32);
    let frame = rng.random_bool(0.1).then(|| mix(dark, [0.0; 3], rng.random_range(0.2..1.0)));
    let hatch = rng.random_range(4..8);
    for at in 0..64 {
        let dark_square = is_dark(at);
        let (base, waves) = if dark_square { (dark, &waves[1]) } else { (light, &waves[0]) };
        let [left, top, ..] = area(at, side);
        let (offset_x, offset_y) = (at as f32 * 17.0, at as f32 * 31.0);
        canvas.paint(area(at, side), |x, y, _| {
            let shade = match texture {
                0..4 => 0.0,
                4 | 5 => strength * waves.at(x, y),
                6 => strength * waves.at(x + offset_x, y + offset_y),
                7 => gradient * ((y - top) / side as f32 - 0.5),
                8 => gradient * ((x + y) / width - 1.0),
                _ if dark_square => return hatched(x, y, hatch, light, dark),
                _ => 0.0,
            };
            base.map(|value| value + shade)
        });
        if let Some(frame) = frame {
            canvas.fill([left, top, left + 1.0, top + side as f32], frame, 1.0);
            canvas.fill([left, top, left + side as f32, top + 1.0], frame, 1.0);
        }
    }
}

/// Slanted lines, as in printed diagrams.
fn hatched(x: f32, y: f32, step: i32, light: Colour, dark: Colour) -> Colour {
    if ((x + y) as i32) % step < 1 + step / 6 { mix(dark, [0.0; 3], 0.5) } else { light }
}

const MARKS: [[u8; 3]; 7] = [
    [155, 199, 0],
    [255, 255, 50],
    [20, 85, 30],
    [235, 97, 80],
    [82, 176, 220],
    [255, 170, 0],
    [180, 180, 90],
];

fn mark_colour(rng: &mut Pcg64Mcg) -> Colour {
    colour(*MARKS.choose(rng).expect("there are some"))
}

/// Marks below the pieces: a last move, a check, a selected square.
fn highlights(canvas: &mut Canvas, side: usize, marks: Marks, rng: &mut Pcg64Mcg) {
    let count = match marks {
        Marks::Many => rng.random_range(0..14),
        _ if rng.random_bool(0.75) => 2,
        _ => 0,
    };
    let (tone, opacity) = (mark_colour(rng), rng.random_range(0.25..0.8));
    let framed = rng.random_bool(0.15);
    for _ in 0..count {
        let tone = if marks == Marks::Many { mark_colour(rng) } else { tone };
        let square = area(rng.random_range(0..64), side);
        if framed {
            outline(canvas, square, tone, (side as f32 * rng.random_range(0.03..0.09)).max(1.0));
        } else if rng.random_bool(0.06) {
            let (x, y, radius) = centre(square);
            canvas.paint(square, |px, py, below| {
                let part = 1.0 - ((px - x).hypot(py - y) / radius / 1.3).min(1.0);
                mix(below, [1.0, 0.0, 0.0], part)
            });
        } else {
            canvas.fill(square, tone, opacity);
        }
    }
}

fn centre([left, top, right, bottom]: [f32; 4]) -> (f32, f32, f32) {
    ((left + right) / 2.0, (top + bottom) / 2.0, (right - left) / 2.0)
}

fn outline(canvas: &mut Canvas, square: [f32; 4], tone: Colour, width: f32) {
    let [left, top, right, bottom] = square;
    canvas.paint(square, |x, y, below| {
        let inner = x - left < width || y - top < width || right - x < width || bottom - y < width;
        if inner { tone } else { below }
    });
}

fn pieces(canvas: &mut Canvas, set: &Set, placement: &Placement, side: usize, rng: &mut Pcg64Mcg) {
    let scale = rng.random_range(0.78..1.04_f32);
    let size = ((side as f32 * scale) as usize).max(4);
    let shift = ((side as f32 - size as f32) / 2.0) as i32;
    let lift = (side as f32 * rng.random_range(-0.05..0.04)) as i32;
    let shadow = rng.random_bool(0.12).then(|| rng.random_range(0.2..0.5));
    let rasters: Vec<Raster> = set.pieces.iter().map(|piece| piece.resized(size)).collect();
    for (at, &class) in placement.iter().enumerate() {
        if class == 0 {
            continue;
        }
        let [left, top, ..] = area(at, side);
        let (x, y) = (left as i32 + shift, top as i32 + shift + lift);
        if let Some(opacity) = shadow {
            let below = side as i32 / 20 + 1;
            let black = |it: &[f32; 4]| [0.0, 0.0, 0.0, it[3] * opacity];
            let data = rasters[class - 1].data.iter().map(black).collect();
            canvas.draw(&Raster { side: size, data }, x + below, y + below);
        }
        canvas.draw(&rasters[class - 1], x, y);
    }
}

/// What lies over the pieces: arrows, circles, dots of legal moves, a mouse pointer.
fn overlays(
    canvas: &mut Canvas,
    placement: &Placement,
    side: usize,
    marks: Marks,
    rng: &mut Pcg64Mcg,
) {
    let many = marks == Marks::Many;
    let arrows = if many { rng.random_range(0..4) } else { usize::from(rng.random_bool(0.3)) };
    for _ in 0..arrows {
        let (from, to) = (rng.random_range(0..64), rng.random_range(0..64));
        if from != to {
            arrow(canvas, area(from, side), area(to, side), rng);
        }
    }
    if rng.random_bool(if many { 0.3 } else { 0.08 }) {
        let (tone, opacity) = (mix(mark_colour(rng), [0.0; 3], 0.4), rng.random_range(0.2..0.7));
        for at in (0..64).filter(|&at| placement[at] == 0) {
            if rng.random_bool(0.25) {
                let (x, y, radius) = centre(area(at, side));
                let radius = radius * rng.random_range(0.22..0.42);
                disc(canvas, area(at, side), (x, y), 0.0..radius, tone, opacity);
            }
        }
    }
    let circles = if many { rng.random_range(0..3) } else { usize::from(rng.random_bool(0.05)) };
    for _ in 0..circles {
        let square = area(rng.random_range(0..64), side);
        let (x, y, radius) = centre(square);
        disc(canvas, square, (x, y), radius * 0.86..radius, mark_colour(rng), 0.8);
    }
    if rng.random_bool(0.1) {
        pointer(canvas, side, rng);
    }
}

fn disc(
    canvas: &mut Canvas,
    square: [f32; 4],
    (x, y): (f32, f32),
    radii: std::ops::Range<f32>,
    tone: Colour,
    opacity: f32,
) {
    canvas.paint(square, |px, py, below| {
        let inside = radii.contains(&(px - x).hypot(py - y));
        mix(below, tone, if inside { opacity } else { 0.0 })
    });
}

fn arrow(canvas: &mut Canvas, from: [f32; 4], to: [f32; 4], rng: &mut Pcg64Mcg) {
    let ((x0, y0, half), (x1, y1, _)) = (centre(from), centre(to));
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx.hypot(dy);
    let width = half * rng.random_range(0.14..0.42);
    let head = half * rng.random_range(0.5..0.9);
    let (tone, opacity) = (mark_colour(rng), rng.random_range(0.35..0.85));
    let bounds = [x0.min(x1) - half, y0.min(y1) - half, x0.max(x1) + half, y0.max(y1) + half];
    canvas.paint(bounds, |x, y, below| {
        let along = ((x - x0) * dx + (y - y0) * dy) / length;
        let across = ((x - x0) * dy - (y - y0) * dx).abs() / length;
        let shaft = (0.0..length - head).contains(&along) && across < width / 2.0;
        let tip = (length - head..length).contains(&along) && across < (length - along) * 0.7;
        mix(below, tone, if shaft || tip { opacity } else { 0.0 })
    });
}

/// A mouse pointer: a white triangle with a black border.
fn pointer(canvas: &mut Canvas, side: usize, rng: &mut Pcg64Mcg) {
    let (x, y) =
        (rng.random_range(0.0..8.0) * side as f32, rng.random_range(0.0..8.0) * side as f32);
    let size = rng.random_range(10.0..20.0_f32);
    canvas.paint([x, y, x + size, y + size * 1.4], |px, py, below| {
        let (across, down) = (px - x, py - y);
        let border = across < 1.2 || down - across < 1.6 || down > size * 1.25 - across * 0.6;
        if across > down || down > size * 1.4 - across * 0.6 {
            below
        } else if border {
            [0.0; 3]
        } else {
            [1.0; 3]
        }
    });
}

/// Letters a to h and digits 1 to 8, five by seven points each.
const GLYPHS: [[u8; 7]; 16] = [
    [0, 0, 14, 1, 15, 17, 15],
    [16, 16, 22, 25, 17, 17, 30],
    [0, 0, 14, 16, 16, 17, 14],
    [1, 1, 13, 19, 17, 17, 15],
    [0, 0, 14, 17, 31, 16, 14],
    [6, 9, 8, 28, 8, 8, 8],
    [0, 15, 17, 17, 15, 1, 14],
    [16, 16, 22, 25, 17, 17, 17],
    [4, 12, 4, 4, 4, 4, 14],
    [14, 17, 1, 2, 4, 8, 31],
    [31, 2, 4, 2, 1, 17, 14],
    [2, 6, 10, 18, 31, 2, 2],
    [31, 16, 30, 1, 1, 17, 14],
    [6, 8, 16, 30, 17, 17, 14],
    [31, 1, 2, 4, 8, 8, 8],
    [14, 17, 17, 14, 17, 17, 14],
];

/// Writes a letter (0 to 7) or digit (8 to 15) of this height.
pub fn glyph(canvas: &mut Canvas, which: usize, x: f32, y: f32, height: f32, tone: Colour) {
    let step = height / 7.0;
    for (row, bits) in GLYPHS[which].iter().enumerate() {
        for column in 0..5 {
            if bits >> (4 - column) & 1 == 1 {
                let (left, top) = (x + column as f32 * step, y + row as f32 * step);
                canvas.paint([left, top, left + step, top + step], |_, _, _| tone);
            }
        }
    }
}

/// Coordinates inside the squares of the border.
fn coordinates(
    canvas: &mut Canvas,
    side: usize,
    flipped: bool,
    light: Colour,
    dark: Colour,
    rng: &mut Pcg64Mcg,
) {
    let height = (side as f32 * rng.random_range(0.14..0.26_f32)).max(6.0);
    let right_ranks = rng.random_bool(0.3);
    let black = rng.random_bool(0.2);
    for line in 0..8 {
        let (file, rank) = if flipped { (7 - line, line) } else { (line, 7 - line) };
        let tone = |at: usize| match (black, is_dark(at)) {
            (true, _) => [0.1; 3],
            (_, true) => light,
            (_, false) => dark,
        };
        let [left, top, right, bottom] = area(56 + line, side);
        let _ = top;
        let x = if rng.random_bool(0.9) { right - height * 0.85 } else { left + height * 0.2 };
        glyph(canvas, file, x, bottom - height * 1.15, height, tone(56 + line));
        let at = line * 8 + if right_ranks { 7 } else { 0 };
        let [left, top, right, _] = area(at, side);
        let x = if right_ranks { right - height * 0.85 } else { left + height * 0.2 };
        glyph(canvas, 8 + rank, x, top + height * 0.15, height, tone(at));
    }
}
