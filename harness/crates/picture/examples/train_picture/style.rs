//! Other looks of piece sets for training: deformed shapes, other colours, lines and shades.
//!
//! A drawing is split into its silhouette and the detail inside of it, and drawn again. So a set of
//! which there is one drawing is seen filled, as an outline, thick, slim, mirrored and in relief.

use std::f32::consts::TAU;

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64Mcg;

use crate::canvas::{Colour, mix};
use crate::sets::{Raster, Set};

/// Points of a side of the drawings that are made here.
const SIDE: usize = 64;

/// A set of training in another look; in one of four cases the set as it is.
pub fn restyled(set: &Set, others: &[&Set], rng: &mut Pcg64Mcg) -> Set {
    let mut pieces = set.pieces.clone();
    if !rng.random_bool(0.25) {
        if rng.random_bool(0.12) {
            let other = others.choose(rng).expect("there are sets");
            exchange_bases(&mut pieces, &other.pieces, rng);
        }
        let mut small: Vec<Raster> = pieces.iter().map(|piece| piece.resized(SIDE)).collect();
        if rng.random_bool(0.65) {
            redraw(&mut small, rng);
        } else if rng.random_bool(0.4) {
            tint(&mut small, rng);
        }
        pieces = deformed(&small, rng);
    }
    Set { name: set.name.clone(), group: set.group, line: set.line, pieces }
}

/// Puts the upper part of each piece on the lower part of another set's piece of the same kind.
fn exchange_bases(pieces: &mut [Raster], others: &[Raster], rng: &mut Pcg64Mcg) {
    let cut = rng.random_range(0.5..0.75);
    for (piece, other) in pieces.iter_mut().zip(others) {
        if piece.side == other.side {
            let from = (piece.side as f32 * cut) as usize * piece.side;
            piece.data[from..].copy_from_slice(&other.data[from..]);
        }
    }
}

/// Another light for all pieces: a tint, less contrast.
fn tint(pieces: &mut [Raster], rng: &mut Pcg64Mcg) {
    let factors: [f32; 3] = [0; 3].map(|_| rng.random_range(0.7..1.0));
    let lift = rng.random_range(0.0..0.2);
    for value in pieces.iter_mut().flat_map(|piece| &mut piece.data) {
        let opacity = value[3];
        for (channel, factor) in value.iter_mut().zip(factors) {
            *channel = (*channel * factor + lift * opacity * factor).min(opacity);
        }
    }
}

/// Values of a piece's points, from 0 to 1.
type Mask = Vec<f32>;

/// Silhouette of a drawing: what cannot be reached from the border without crossing it.
pub fn silhouette(raster: &Raster) -> Mask {
    let side = raster.side;
    let solid = |at: usize| raster.data[at][3] > 0.4;
    let mut outside = vec![false; side * side];
    let mut stack: Vec<usize> = (0..side)
        .flat_map(|at| [at, at * side, at * side + side - 1, (side - 1) * side + at])
        .filter(|&at| !solid(at))
        .collect();
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut outside[at], true) {
            continue;
        }
        let (x, y) = (at % side, at / side);
        let near = [
            (x > 0).then(|| at - 1),
            (x + 1 < side).then_some(at + 1),
            (y > 0).then(|| at - side),
            (y + 1 < side).then_some(at + side),
        ];
        stack.extend(near.into_iter().flatten().filter(|&next| !outside[next] && !solid(next)));
    }
    (0..side * side).map(|at| if outside[at] { raster.data[at][3] } else { 1.0 }).collect()
}

/// How far each point of a silhouette differs from what most of it looks like.
pub fn detail(raster: &Raster, silhouette: &Mask) -> Mask {
    let inside = || (0..silhouette.len()).filter(|&at| silhouette[at] > 0.9);
    let luma = |at: usize| {
        let [red, green, blue, opacity] = raster.data[at];
        (0.3 * red + 0.6 * green + 0.1 * blue) / opacity.max(0.01)
    };
    let clear = inside().filter(|&at| raster.data[at][3] < 0.5).count();
    let raw: Mask = if clear * 3 > inside().count() {
        // Lines on the ground: what is drawn is the detail.
        raster.data.iter().map(|it| it[3]).collect()
    } else {
        let mut lumas: Vec<f32> =
            inside().filter(|&at| raster.data[at][3] > 0.5).map(luma).collect();
        lumas.sort_by(f32::total_cmp);
        let fill = lumas.get(lumas.len() / 2).copied().unwrap_or(0.5);
        let differs = |at: usize| {
            let opacity = raster.data[at][3];
            (luma(at) - fill).abs() * opacity + (1.0 - opacity) * 0.5
        };
        (0..silhouette.len())
            .map(|at| if silhouette[at] > 0.5 { differs(at) } else { 0.0 })
            .collect()
    };
    let mut sorted: Vec<f32> = inside().map(|at| raw[at]).collect();
    sorted.sort_by(f32::total_cmp);
    let high = sorted.get(sorted.len() * 97 / 100).copied().unwrap_or(1.0).max(0.25);
    raw.iter().map(|value| (value / high).min(1.0)).collect()
}

/// The largest (or smallest) value near each point, mixed with its own by `part`.
fn spread(mask: &Mask, side: usize, part: f32, largest: bool) -> Mask {
    let value = |x: isize, y: isize| {
        let inside = |it: isize| (0..side as isize).contains(&it);
        if inside(x) && inside(y) { mask[y as usize * side + x as usize] } else { 0.0 }
    };
    let pick = |a: f32, b: f32| if largest { a.max(b) } else { a.min(b) };
    (0..side * side)
        .map(|at| {
            let (x, y) = ((at % side) as isize, (at / side) as isize);
            let near = [value(x - 1, y), value(x + 1, y), value(x, y - 1), value(x, y + 1)];
            let own = mask[at];
            let most = near.into_iter().fold(own, pick);
            own + (most - own) * part
        })
        .collect()
}

/// Grows (or shrinks, if negative) what a mask shows, by points.
fn grown(mask: &Mask, side: usize, points: f32) -> Mask {
    let mut mask = mask.clone();
    let mut rest = points.abs();
    while rest > 0.0 {
        mask = spread(&mask, side, rest.min(1.0), points > 0.0);
        rest -= 1.0;
    }
    mask
}

/// How the pieces of a colour are drawn.
struct Look {
    fill: Colour,
    line: Colour,
    contour: Colour,
    /// Width of the contour and strength of the detail.
    width: f32,
    detail: f32,
    /// Opacity of the fill: 0 for outlines on the ground.
    opacity: f32,
    /// A border of another colour around all.
    halo: Option<(Colour, f32)>,
    /// Strength of shades, across or downwards.
    shade: f32,
    across: bool,
}

fn tone(level: f32, colourful: f32, rng: &mut Pcg64Mcg) -> Colour {
    [0; 3].map(|_| (level + rng.random_range(-colourful..=colourful)).clamp(0.0, 1.0))
}

/// Looks of both colours. White is always the lighter one.
fn looks(rng: &mut Pcg64Mcg) -> [Look; 2] {
    let colourful = if rng.random_bool(0.6) { 0.04 } else { rng.random_range(0.05..0.3_f32) };
    let light_level = if rng.random_bool(0.75) {
        rng.random_range(0.85..1.0)
    } else {
        rng.random_range(0.6..0.9_f32)
    };
    let dark_level = if rng.random_bool(0.7) {
        rng.random_range(0.0..0.2)
    } else {
        rng.random_range(0.1..(light_level - 0.35_f32).max(0.15))
    };
    let light = tone(light_level, colourful, rng);
    let dark = tone(dark_level, colourful, rng);
    let ink = tone(rng.random_range(0.0..0.25), 0.05, rng);
    let pale = tone(rng.random_range(0.75..1.0), 0.05, rng);
    let width = rng.random_range(0.6..3.0);
    let style = rng.random_range(0..10);
    let shade = if rng.random_bool(0.35) { rng.random_range(0.1..0.5) } else { 0.0 };
    let across = rng.random_bool(0.5);
    let no_detail = style == 0;
    let white = Look {
        fill: light,
        line: mix(light, ink, rng.random_range(0.5..1.0)),
        contour: if rng.random_bool(0.8) { ink } else { mix(light, ink, 0.5) },
        width: if style == 1 { 0.0 } else { width },
        detail: if no_detail { 0.0 } else { rng.random_range(0.6..1.0) },
        opacity: if style == 2 { 0.0 } else { 1.0 },
        halo: None,
        shade,
        across,
    };
    let line = match rng.random_range(0..4) {
        0 => mix(dark, pale, 0.35),
        1 => ink,
        _ => pale,
    };
    let halo = rng.random_bool(0.2).then(|| (pale, rng.random_range(0.7..2.5)));
    let black = Look {
        fill: dark,
        line,
        contour: match rng.random_range(0..4) {
            0 => pale,
            1 => mix(dark, pale, 0.5),
            _ => ink,
        },
        width: if rng.random_bool(0.3) { 0.0 } else { width },
        detail: if no_detail || rng.random_bool(0.1) { 0.0 } else { rng.random_range(0.5..1.0) },
        opacity: 1.0,
        halo,
        shade,
        across,
    };
    let halo = halo.filter(|_| rng.random_bool(0.7)).map(|(_, width)| (pale, width));
    [Look { halo, ..white }, black]
}

/// Draws all pieces again from silhouettes and detail.
fn redraw(pieces: &mut [Raster], rng: &mut Pcg64Mcg) {
    let mut looks = looks(rng);
    if rng.random_bool(0.03) {
        // Black pieces that are outlines in a colour, as of two-coloured print.
        looks[1].opacity = 0.0;
        looks[1].width = looks[1].width.max(1.5);
        looks[1].contour = tone(0.2, 0.2, rng);
        looks[1].line = looks[1].contour;
    }
    // Sets whose black pieces are drawn as the white ones, and the other way round.
    let source = rng.random_range(0..4);
    let thick = if rng.random_bool(0.4) { rng.random_range(-1.2..1.6) } else { 0.0 };
    let lines = if rng.random_bool(0.4) { rng.random_range(-0.8..1.2) } else { 0.0 };
    let before = pieces.to_vec();
    for (at, piece) in pieces.iter_mut().enumerate() {
        let from = match source {
            0 => at % 6,
            1 => at % 6 + 6,
            _ => at,
        };
        let raster = &before[from];
        let shape = silhouette(raster);
        let drawn = detail(raster, &shape);
        let shape = grown(&shape, SIDE, thick);
        let drawn = grown(&drawn, SIDE, lines);
        *piece = draw(&shape, &drawn, &looks[at / 6]);
    }
}

fn draw(shape: &Mask, drawn: &Mask, look: &Look) -> Raster {
    let inner = grown(shape, SIDE, -look.width);
    let halo = look.halo.map(|(colour, width)| (colour, grown(shape, SIDE, width)));
    let mut data = Vec::with_capacity(SIDE * SIDE);
    for at in 0..SIDE * SIDE {
        let along = if look.across { at % SIDE } else { at / SIDE } as f32 / SIDE as f32 - 0.5;
        let light = 1.0 - look.shade * (0.5 + along);
        let line = look.detail * drawn[at];
        let contour = if look.width > 0.0 { (shape[at] - inner[at]).clamp(0.0, 1.0) } else { 0.0 };
        let colour = mix(look.fill.map(|it| it * light), look.line, line);
        let colour = mix(colour, look.contour, contour);
        let opacity = shape[at] * (look.opacity + (1.0 - look.opacity) * line.max(contour));
        let mut value = [0.0; 4];
        for channel in 0..3 {
            value[channel] = colour[channel] * opacity;
        }
        value[3] = opacity;
        if let Some((colour, mask)) = &halo {
            let below = mask[at] * (1.0 - opacity);
            for channel in 0..3 {
                value[channel] += colour[channel] * below;
            }
            value[3] += below;
        }
        data.push(value);
    }
    Raster { side: SIDE, data }
}

/// A smooth change of a piece's shape.
struct Warp {
    turn: f32,
    shear: f32,
    wide: f32,
    tall: f32,
    waist: f32,
    bulge: (f32, f32, f32),
    waves: [(f32, f32, f32, f32); 2],
    mirrored: bool,
}

impl Warp {
    fn new(mirrored: bool, strength: f32, rng: &mut Pcg64Mcg) -> Self {
        let mut part = |most: f32| rng.random_range(-most..most) * strength;
        Self {
            turn: part(0.06),
            shear: part(0.08),
            wide: part(0.14),
            tall: part(0.1),
            waist: part(0.14),
            bulge: (part(0.16), 2.0 + part(1.2), part(3.0)),
            waves: [0; 2].map(|_| (part(0.035), 3.0 + part(2.5), 3.0 + part(2.5), part(3.0))),
            mirrored,
        }
    }

    /// Where a point comes from; both within -1 to 1.
    fn source(&self, x: f32, y: f32) -> (f32, f32) {
        let (sin, cos) = self.turn.sin_cos();
        let (x, y) = (x * cos - y * sin, x * sin + y * cos);
        let x = x * (1.0 + self.wide) + self.shear * y;
        // The foot stays where it is.
        let y = 0.8 + (y - 0.8) * (1.0 + self.tall);
        let y = y + self.waist * (1.0 - y * y);
        let (bulge, frequency, phase) = self.bulge;
        let x = x * (1.0 + bulge * (frequency * y + phase).sin());
        let [(a, ax, ay, ap), (b, bx, by, bp)] = self.waves;
        let (right, down) = ((ax * x + ay * y + ap).sin() * a, (bx * x - by * y + bp).sin() * b);
        let x = if self.mirrored { -x } else { x };
        (x + right, y + down)
    }
}

fn deformed(pieces: &[Raster], rng: &mut Pcg64Mcg) -> Vec<Raster> {
    let mirrored = rng.random_bool(0.25);
    let strength = if rng.random_bool(0.2) { 0.0 } else { rng.random_range(0.3..1.3) };
    let size = rng.random_range(0.85..1.1_f32);
    // Sizes that tell the kinds less: large pawns, small kings.
    let sizes: [f32; 6] =
        [0; 6].map(|_| size * (1.0 + 0.12 * strength * rng.random_range(-1.0..1.0_f32)));
    let warps: Vec<Warp> = (0..6).map(|_| Warp::new(mirrored, strength, rng)).collect();
    let centred = rng.random_range(0.0..TAU) < 1.0;
    pieces
        .iter()
        .enumerate()
        .map(|(at, piece)| warped(piece, &warps[at % 6], sizes[at % 6], centred))
        .collect()
}

fn warped(piece: &Raster, warp: &Warp, size: f32, centred: bool) -> Raster {
    let half = piece.side as f32 / 2.0;
    let foot = if centred { 0.0 } else { 0.8 };
    let mut data = Vec::with_capacity(piece.data.len());
    for at in 0..piece.data.len() {
        let x = ((at % piece.side) as f32 + 0.5) / half - 1.0;
        let y = ((at / piece.side) as f32 + 0.5) / half - 1.0;
        let (x, y) = warp.source(x / size, foot + (y - foot) / size);
        let (column, row) = ((x + 1.0) * half - 0.5, (y + 1.0) * half - 0.5);
        let last = piece.side as f32 - 0.5;
        let inside = |it: f32| (-0.5..last).contains(&it);
        data.push(if inside(column) && inside(row) { piece.sample(column, row) } else { [0.0; 4] });
    }
    Raster { side: piece.side, data }
}
