//! Where the board is: the lattice of the 49 points where its squares meet.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use serde::Serialize;

use crate::corners::{self, Corner, SCALES};
use crate::pixels::{Pixels, Plane};

/// A board's place in a picture, in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Left border of the board.
    pub left: f32,
    /// Upper border of the board.
    pub top: f32,
    /// Width of a square.
    pub square_width: f32,
    /// Height of a square.
    pub square_height: f32,
}

impl Grid {
    /// The board that is the whole picture.
    pub fn whole(pixels: &Pixels) -> Self {
        Self {
            left: 0.0,
            top: 0.0,
            square_width: pixels.width() as f32 / 8.0,
            square_height: pixels.height() as f32 / 8.0,
        }
    }

    /// Left, upper, right and lower border of the square in a column and row of the picture.
    pub fn square(&self, column: usize, row: usize) -> [f32; 4] {
        let left = self.left + column as f32 * self.square_width;
        let top = self.top + row as f32 * self.square_height;
        [left, top, left + self.square_width, top + self.square_height]
    }

    /// The same board in a picture whose sides are `factor` times as long.
    pub fn scaled(self, factor: f32) -> Self {
        Self {
            left: self.left * factor,
            top: self.top * factor,
            square_width: self.square_width * factor,
            square_height: self.square_height * factor,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let meets =
            |a: f32, a_side: f32, b: f32, b_side: f32| a < b + 8.0 * b_side && b < a + 8.0 * a_side;
        meets(self.left, self.square_width, other.left, other.square_width)
            && meets(self.top, self.square_height, other.top, other.square_height)
    }
}

/// A board that was found, and how much of its lattice was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its place.
    pub grid: Grid,
    /// Inner corners that were seen, of 49.
    pub corners: usize,
    /// Squares whose ground is nearer to that of their own colour than to the other's, of 64.
    pub squares: usize,
}

/// Fewest corners of a board: arrows, large pieces and marked squares hide some.
const MIN_CORNERS: usize = 20;

/// Fewest squares of a board that are as light or dark as they should be.
const MIN_SQUARES: usize = 50;

/// Least difference in brightness of light and dark squares, of 255.
const MIN_CONTRAST: u8 = 5;

/// Smallest square in which pieces can be read, in pixels.
const MIN_SQUARE: i32 = 12;

/// The boards of a picture, the one with the largest squares first; none overlaps another.
pub fn find(pixels: &Pixels) -> Vec<Found> {
    for plane in [Plane::Luma, Plane::Red, Plane::Blue] {
        let boards = find_in(pixels, plane);
        if !boards.is_empty() {
            return boards;
        }
    }
    Vec::new()
}

fn find_in(pixels: &Pixels, plane: Plane) -> Vec<Found> {
    let ground = Ground { values: &pixels.plane(plane), pixels };
    let mut candidates: Vec<Found> = SCALES
        .iter()
        .flat_map(|&scale| lattices(&corners::find(pixels, plane, scale), &ground))
        .collect();
    let quality = |found: &Found| found.corners + found.squares;
    candidates.sort_by_key(|found| std::cmp::Reverse(quality(found)));
    let mut boards: Vec<Found> = Vec::new();
    for found in candidates {
        if !boards.iter().any(|board| board.grid.overlaps(&found.grid)) {
            boards.push(found);
        }
    }
    boards.sort_by(|a, b| b.grid.square_width.total_cmp(&a.grid.square_width));
    boards
}

/// Boards in the corners of one scale.
fn lattices(corners: &[Corner], ground: &Ground<'_>) -> Vec<Found> {
    let index = Index::new(corners);
    let pitches = pitches(corners, ground.pixels);
    let boards = pitches.into_iter().flat_map(|pitch| {
        let groups = components(corners, &index, pitch);
        groups.into_iter().filter_map(move |group| fit(corners, &group, pitch, ground))
    });
    boards.collect()
}

/// Corners by their place, in cells of some pixels.
struct Index<'a> {
    corners: &'a [Corner],
    cells: HashMap<(i32, i32), Vec<usize>>,
}

const CELL: i32 = 8;

impl<'a> Index<'a> {
    fn new(corners: &'a [Corner]) -> Self {
        let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for (at, corner) in corners.iter().enumerate() {
            cells
                .entry((corner.x.div_euclid(CELL), corner.y.div_euclid(CELL)))
                .or_default()
                .push(at);
        }
        Self { corners, cells }
    }

    /// The corner of this direction that is nearest to a point, within a distance along each axis.
    fn nearest(&self, x: i32, y: i32, falling: bool, within: i32) -> Option<usize> {
        let columns = (x - within).div_euclid(CELL)..=(x + within).div_euclid(CELL);
        let rows = (y - within).div_euclid(CELL)..=(y + within).div_euclid(CELL);
        let distance = |at: usize| {
            let corner = &self.corners[at];
            (corner.x - x).abs().max((corner.y - y).abs())
        };
        let cells = columns.flat_map(|column| rows.clone().map(move |row| (column, row)));
        let near = cells.filter_map(|cell| self.cells.get(&cell)).flatten().copied();
        near.filter(|&at| self.corners[at].falling == falling && distance(at) <= within)
            .min_by_key(|&at| distance(at))
    }
}

/// Likely sides of a square: the distances that occur most between opposite corners of a row or
/// column.
fn pitches(corners: &[Corner], pixels: &Pixels) -> Vec<i32> {
    const MOST: usize = 5;
    /// Corners whose distances are counted: the strongest.
    const COUNTED: usize = 1200;
    let longest = pixels.width().max(pixels.height()) as i32 / 7;
    let mut votes = vec![0_u32; longest.max(0) as usize + 3];
    let counted = &corners[..corners.len().min(COUNTED)];
    for (at, a) in counted.iter().enumerate() {
        for b in &counted[at + 1..] {
            let (dx, dy) = ((a.x - b.x).abs(), (a.y - b.y).abs());
            let distance = if dy <= 2 {
                dx
            } else if dx <= 2 {
                dy
            } else {
                continue;
            };
            if a.falling != b.falling && (MIN_SQUARE..=longest).contains(&distance) {
                votes[distance as usize] += 1;
            }
        }
    }
    let mut best = Vec::new();
    while best.len() < MOST {
        let smooth = |at: usize| votes[at - 1] + 2 * votes[at] + votes[at + 1];
        let peak = (1..votes.len() - 1).max_by_key(|&at| (smooth(at), std::cmp::Reverse(at)));
        let Some(peak) = peak.filter(|&at| smooth(at) >= 20) else { break };
        best.push(peak as i32);
        for vote in &mut votes[peak - 1..=peak + 1] {
            *vote = 0;
        }
    }
    best
}

/// Corners that stand in one lattice, each with its column and row in it.
type Group = HashMap<(i32, i32), usize>;

/// Splits the corners into lattices of a pitch: from a corner to those a square or two away.
fn components(corners: &[Corner], index: &Index<'_>, pitch: i32) -> Vec<Group> {
    const STEPS: [(i32, i32); 8] =
        [(1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (-2, 0), (0, 2), (0, -2)];
    let within = (pitch / 9).clamp(2, 6);
    let mut used = HashSet::new();
    let mut groups = Vec::new();
    for start in 0..corners.len() {
        if !used.insert(start) {
            continue;
        }
        let mut group = Group::from([((0, 0), start)]);
        let mut queue = VecDeque::from([((0, 0), start)]);
        while let Some(((column, row), at)) = queue.pop_front() {
            let corner = corners[at];
            for (right, down) in STEPS {
                let falling = corner.falling == ((right + down) % 2 == 0);
                let (x, y) = (corner.x + right * pitch, corner.y + down * pitch);
                let cell = (column + right, row + down);
                let Some(next) = index.nearest(x, y, falling, within) else { continue };
                if !group.contains_key(&cell) && used.insert(next) {
                    group.insert(cell, next);
                    queue.push_back((cell, next));
                }
            }
        }
        if group.len() >= MIN_CORNERS {
            groups.push(group);
        }
    }
    groups
}

/// The seven by seven corners of a group that make the best board.
fn fit(corners: &[Corner], group: &Group, pitch: i32, ground: &Ground<'_>) -> Option<Found> {
    /// Most columns and rows of a lattice: larger ones are patterns, such as what editors of pictures
    /// show for transparency.
    const MOST: i32 = 24;
    let columns = group.keys().map(|cell| cell.0);
    let rows = group.keys().map(|cell| cell.1);
    let (left, right) = (columns.clone().min()?, columns.max()?);
    let (top, bottom) = (rows.clone().min()?, rows.max()?);
    if right - left > MOST || bottom - top > MOST {
        return None;
    }
    let (first_columns, first_rows) = (left - 6..=right, top - 6..=bottom);
    let windows = first_columns.flat_map(|column| first_rows.clone().map(move |row| (column, row)));
    let fitted = windows.filter_map(|(column, row)| {
        let inside: Vec<((i32, i32), Corner)> = group
            .iter()
            .map(|(&(x, y), &at)| ((x - column, y - row), corners[at]))
            .filter(|((x, y), _)| (0..7).contains(x) && (0..7).contains(y))
            .collect();
        (inside.len() >= MIN_CORNERS).then(|| fit_window(&inside, pitch, ground)).flatten()
    });
    fitted.max_by_key(|found| found.corners + found.squares)
}

fn fit_window(inside: &[((i32, i32), Corner)], pitch: i32, ground: &Ground<'_>) -> Option<Found> {
    let horizontal = inside.iter().map(|((x, _), corner)| (*x as f32, corner.x as f32));
    let vertical = inside.iter().map(|((_, y), corner)| (*y as f32, corner.y as f32));
    let (first_x, square_width) = line(horizontal)?;
    let (first_y, square_height) = line(vertical)?;
    let near = |side: f32| (side - pitch as f32).abs() < 0.08 * pitch as f32 + 0.5;
    // Squares are squares; pictures are seldom stretched, and then by little.
    let stretched = (square_width / square_height - 1.0).abs() > 0.08;
    if !near(square_width) || !near(square_height) || stretched {
        return None;
    }
    let grid = Grid {
        left: first_x - square_width,
        top: first_y - square_height,
        square_width,
        square_height,
    };
    let squares = ground.matching_squares(&grid)?;
    (squares >= MIN_SQUARES).then_some(Found { grid, corners: inside.len(), squares })
}

/// Offset and slope of the straight line with the least squared distance.
fn line(points: impl Iterator<Item = (f32, f32)> + Clone) -> Option<(f32, f32)> {
    let count = points.clone().count() as f32;
    let sum = |of: fn((f32, f32)) -> f32| points.clone().map(of).sum::<f32>() / count;
    let (mean_x, mean_y) = (sum(|point| point.0), sum(|point| point.1));
    let covariance: f32 = points.clone().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f32 = points.map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    let slope = covariance / variance;
    slope.is_finite().then_some((mean_y - slope * mean_x, slope))
}

/// Brightness of the ground of squares.
struct Ground<'a> {
    values: &'a [u8],
    pixels: &'a Pixels,
}

impl Ground<'_> {
    /// How many of the 64 squares have the ground of their colour; `None` if the board reaches
    /// beyond the picture by more than a border that was cropped.
    fn matching_squares(&self, grid: &Grid) -> Option<usize> {
        let slack = 0.12;
        let (width, height) = (self.pixels.width() as f32, self.pixels.height() as f32);
        let fits = |first: f32, side: f32, whole: f32| {
            first >= -slack * side - 2.0 && first + 8.0 * side <= whole + slack * side + 2.0
        };
        if !fits(grid.left, grid.square_width, width) || !fits(grid.top, grid.square_height, height)
        {
            return None;
        }
        let mut grounds = [Vec::new(), Vec::new()];
        for row in 0..8 {
            for column in 0..8 {
                grounds[(row + column) % 2].push(self.brightness(grid.square(column, row)));
            }
        }
        let [light, dark] = grounds.each_ref().map(|values| median(values.clone()));
        if light.abs_diff(dark) < MIN_CONTRAST {
            return None;
        }
        let matches = |(own, other): (u8, u8), values: &[u8]| {
            values.iter().filter(|value| value.abs_diff(own) < value.abs_diff(other)).count()
        };
        Some(matches((light, dark), &grounds[0]) + matches((dark, light), &grounds[1]))
    }

    /// Brightness near the four corners of a square, where pieces seldom are: the mean of the two
    /// corners in the middle, each of which is the mean of an area, as dark squares may be hatched.
    fn brightness(&self, [left, top, right, bottom]: [f32; 4]) -> u8 {
        let (width, height) = (right - left, bottom - top);
        let area = |across: f32, down: f32| {
            let (mut sum, mut count) = (0, 0);
            for y in self.rows(top + down * height, top + (down + 0.13) * height) {
                for x in self.columns(left + across * width, left + (across + 0.13) * width) {
                    sum += u32::from(self.values[y * self.pixels.width() + x]);
                    count += 1;
                }
            }
            sum / count
        };
        let mut four = [area(0.07, 0.07), area(0.8, 0.07), area(0.07, 0.8), area(0.8, 0.8)];
        four.sort_unstable();
        ((four[1] + four[2]) / 2) as u8
    }

    fn columns(&self, from: f32, to: f32) -> Range<usize> {
        inside(from, to, self.pixels.width())
    }

    fn rows(&self, from: f32, to: f32) -> Range<usize> {
        inside(from, to, self.pixels.height())
    }
}

/// The pixels between two places, at least one, of this many.
fn inside(from: f32, to: f32, count: usize) -> Range<usize> {
    let first = (from.max(0.0) as usize).min(count - 1);
    first..(to.max(0.0).round() as usize).clamp(first + 1, count)
}

fn median(mut values: Vec<u8>) -> u8 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
