//! How much two squares of a board look alike, whatever they show.
//!
//! All pieces of a kind and colour on a board are one drawing. On another ground it looks the same
//! where it covers the ground; so two squares differ at a point by the difference of their colours,
//! but not where both show their ground.

use crate::square::{INPUTS, SIDE as POINTS};

/// Cells of a side: means of two by two points.
const SIDE: usize = POINTS / 2;

/// Shifts of one square against the other, in points: pieces stand on whole pixels, squares need not.
const SHIFTS: [(isize, isize); 9] =
    [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];

/// Difference of colours that is noise, and that at which two points differ wholly, less the noise; in
/// parts of 64 levels of 255.
const NOISE: f32 = 0.15;

/// From values of -1 to 1 to parts of 64 levels.
const SCALE: f32 = 127.5 / 64.0;

/// A square's drawing, prepared for comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// For each shift, the cells: colour and how far it differs from the ground.
    cells: Vec<Vec<Cell>>,
    /// The network's features, with a length of 1.
    features: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    colour: [f32; 3],
    /// How far the colour differs from the ground.
    drawn: f32,
    /// How much of the cell the silhouette covers, and the colour less what the ground brings in.
    shape: f32,
    own: [f32; 3],
}

impl Cell {
    /// How much two cells differ: by their colours, or without their grounds, if those shine through.
    fn difference(&self, other: &Self) -> f32 {
        let most = |a: &[f32; 3], b: &[f32; 3]| {
            (0..3).map(|it| (a[it] - b[it]).abs()).fold(0.0, f32::max) - NOISE
        };
        let own = most(&self.own, &other.own).max((self.shape - other.shape).abs());
        let least = most(&self.colour, &other.colour).min(own).clamp(0.0, 1.0);
        least.min(self.drawn.max(other.drawn))
    }
}

impl Look {
    /// The look of an input of the network in which it sees these features.
    pub(crate) fn new(input: &[f32], features: &[f32]) -> Self {
        debug_assert_eq!(input.len(), INPUTS);
        let plane =
            |channel: usize| &input[channel * POINTS * POINTS..(channel + 1) * POINTS * POINTS];
        let drawn: Vec<f32> =
            plane(3).iter().map(|value| (value + 1.0 - NOISE).clamp(0.0, 1.0)).collect();
        let silhouette = silhouette(&drawn);
        let ground = [0, 1, 2].map(|channel| ground(plane(channel), &drawn));
        let colours = [plane(0), plane(1), plane(2)];
        let cells = SHIFTS.iter().map(|&shift| {
            let [red, green, blue] = colours.map(|channel| shrunk(channel, shift));
            let drawn = shrunk(&drawn, shift);
            let shape = shrunk(&silhouette, shift);
            let cell = |at: usize| {
                let colour = [red[at], green[at], blue[at]];
                let own = |it: usize| (colour[it] - (1.0 - shape[at]) * ground[it]) * SCALE;
                Cell {
                    colour: colour.map(|value| value * SCALE),
                    drawn: drawn[at],
                    shape: shape[at],
                    own: [own(0), own(1), own(2)],
                }
            };
            (0..SIDE * SIDE).map(cell).collect()
        });
        let length = features.iter().map(|it| it * it).sum::<f32>().sqrt().max(1e-9);
        let features = features.iter().map(|it| it / length).collect();
        Self { cells: cells.collect(), features }
    }

    /// How much two squares differ, from 0 to about 1.3: for the network most of all, which is trained
    /// to see through marks and noise, and point by point.
    pub(crate) fn distance(&self, other: &Self) -> f32 {
        /// Weight of the points, which separates kinds best on the sets for choosing.
        const POINTS: f32 = 0.3;
        let points = self.least(other, |a, b| {
            let (mut sum, mut whole) = (0.0, 4.0);
            for (a, b) in a.iter().zip(b) {
                sum += a.difference(b);
                whole += a.drawn.max(b.drawn);
            }
            sum / whole
        });
        self.angle(other) + POINTS * points
    }

    /// Mean brightness inside of the silhouette, from 0 to 1.
    pub(crate) fn brightness(&self) -> f32 {
        let (mut sum, mut whole) = (0.0, 1e-6);
        for cell in &self.cells[0] {
            let [red, green, blue] = cell.colour;
            sum += cell.shape * (0.3 * red + 0.6 * green + 0.1 * blue);
            whole += cell.shape;
        }
        (sum / whole / SCALE + 1.0) / 2.0
    }

    /// How much what the network sees differs, from 0 to 1.
    fn angle(&self, other: &Self) -> f32 {
        1.0 - self.features.iter().zip(&other.features).map(|(a, b)| a * b).sum::<f32>()
    }

    /// The least distance over the shifts.
    fn least(&self, other: &Self, distance: impl Fn(&[Cell], &[Cell]) -> f32) -> f32 {
        let distances = other.cells.iter().map(|cells| distance(&self.cells[0], cells));
        distances.fold(f32::INFINITY, f32::min)
    }

    /// How much a white and a black piece look like one kind, from -1 to 1: by their silhouettes,
    /// and by what the network sees.
    pub(crate) fn kinship(&self, other: &Self) -> f32 {
        /// Values that tell nothing, and distances from them that tell most.
        const SHAPE: (f32, f32) = (0.24, 0.24);
        const ANGLE: (f32, f32) = (0.74, 0.25);
        let shape = (SHAPE.0 - self.shape_distance(other)) / SHAPE.1;
        let angle = (ANGLE.0 - self.angle(other)) / ANGLE.1;
        (0.5 * (shape + angle)).clamp(-1.0, 1.0)
    }

    /// How much the silhouettes of two squares differ, from 0 to 1.
    fn shape_distance(&self, other: &Self) -> f32 {
        self.least(other, |a, b| {
            let (mut apart, mut whole) = (0.0, 4.0);
            for (a, b) in a.iter().zip(b) {
                apart += (a.shape - b.shape).abs();
                whole += a.shape.max(b.shape);
            }
            apart / whole
        })
    }
}

/// Means of two by two points of a shifted plane; beyond an edge, the values of the edge.
fn shrunk(plane: &[f32], (right, down): (isize, isize)) -> Vec<f32> {
    let at = |x: usize, y: usize| {
        let inside =
            |it: usize, by: isize| (it as isize + by).clamp(0, POINTS as isize - 1) as usize;
        plane[inside(y, down) * POINTS + inside(x, right)]
    };
    (0..SIDE * SIDE)
        .map(|cell| {
            let (x, y) = (cell % SIDE * 2, cell / SIDE * 2);
            (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4.0
        })
        .collect()
}

/// Mean of a channel where nothing is drawn.
fn ground(channel: &[f32], drawn: &[f32]) -> f32 {
    let clear = channel.iter().zip(drawn).filter(|(_, drawn)| **drawn <= 0.0);
    let (sum, count) =
        clear.fold((0.0, 0.0), |(sum, count), (value, _)| (sum + value, count + 1.0));
    sum / f32::max(count, 1.0)
}

/// The points that cannot be reached from the border over the ground: lines, and their inside.
fn silhouette(drawn: &[f32]) -> Vec<f32> {
    /// How far a point differs from the ground that is no ground.
    const LINE: f32 = 0.2;
    let mut outside = vec![false; drawn.len()];
    let mut stack: Vec<usize> = (0..POINTS)
        .flat_map(|at| [at, at * POINTS, at * POINTS + POINTS - 1, (POINTS - 1) * POINTS + at])
        .filter(|&at| drawn[at] < LINE)
        .collect();
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut outside[at], true) {
            continue;
        }
        let (x, y) = (at % POINTS, at / POINTS);
        let near = [
            (x > 0).then(|| at - 1),
            (x + 1 < POINTS).then_some(at + 1),
            (y > 0).then(|| at - POINTS),
            (y + 1 < POINTS).then_some(at + POINTS),
        ];
        stack.extend(near.into_iter().flatten().filter(|&to| !outside[to] && drawn[to] < LINE));
    }
    (0..drawn.len()).map(|at| if outside[at] { drawn[at] } else { 1.0 }).collect()
}
