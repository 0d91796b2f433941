//! Coordinates of a board: whether the rank labels count up or down.
//!
//! No label is read. Digits differ in how much ink they have: a `1` has least, an `8` most. So the ink
//! of each label is compared with that of the label as far from the other end.

use crate::grid::Grid;
use crate::pixels::Pixels;

/// Ink of the digits 1 to 8, in parts of their mean: about the length of their strokes.
const INK: [f32; 8] = [0.66, 0.99, 1.02, 1.0, 1.06, 1.16, 0.76, 1.26];

/// A label.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    /// Ink, in squares of its height.
    ink: f32,
    /// Rows between the first and last with ink, in parts of a square.
    height: f32,
}

/// Whether the ranks count from the top (Black below); `None` if no labels are found.
pub(crate) fn black_below(pixels: &Pixels, grid: &Grid) -> Option<bool> {
    places(grid)
        .into_iter()
        .find_map(|areas| tell(&areas.map(|area| label(pixels, area, grid.square_height))))
}

/// Areas in which the eight rank labels may stand, from the top: inside the squares of the left and
/// of the right border, and beside the board.
fn places(grid: &Grid) -> [[[f32; 4]; 8]; 5] {
    let (width, height) = (grid.square_width, grid.square_height);
    let right = grid.left + 8.0 * width;
    let rows = |left: f32, across: f32, down: f32, tall: f32| {
        std::array::from_fn(|row| {
            let top = grid.top + (row as f32 + down) * height;
            [left, top, left + across * width, top + tall * height]
        })
    };
    [
        rows(grid.left + 0.02 * width, 0.2, 0.02, 0.32),
        rows(right - 0.22 * width, 0.2, 0.02, 0.32),
        rows(grid.left - 0.3 * width, 0.27, 0.25, 0.5),
        rows(grid.left - 0.5 * width, 0.47, 0.2, 0.6),
        rows(right + 0.03 * width, 0.27, 0.25, 0.5),
    ]
}

/// The ink of an area: what differs from the colour that most of its border has. `None` if it has
/// hardly any, or it reaches the border: then it is no label.
fn label(pixels: &Pixels, [left, top, right, bottom]: [f32; 4], square: f32) -> Option<Label> {
    /// Difference in brightness that is ink.
    const LEAST: i32 = 20;
    let (x0, y0, x1, y1) = (left as isize, top as isize, right as isize, bottom as isize);
    let inside =
        x0 >= 0 && y0 >= 0 && x1 <= pixels.width() as isize && y1 <= pixels.height() as isize;
    if !inside || x1 - x0 < 4 || y1 - y0 < 6 {
        return None;
    }
    let brightness = |x: isize, y: isize| {
        let [red, green, blue] = pixels.at(x, y).map(i32::from);
        (red * 3 + green * 6 + blue) / 10
    };
    let sides = (y0..y1).flat_map(|y| [brightness(x0, y), brightness(x1 - 1, y)]);
    let mut border: Vec<i32> = sides.collect();
    border.sort_unstable();
    let ground = border[border.len() / 2];
    let depth = |x: isize, y: isize| (brightness(x, y) - ground).abs();
    let is_ink = |x: isize, y: isize| depth(x, y) > LEAST;
    let columns: Vec<isize> = (x0..x1).filter(|&x| (y0..y1).any(|y| is_ink(x, y))).collect();
    let rows: Vec<isize> = (y0..y1).filter(|&y| (x0..x1).any(|x| is_ink(x, y))).collect();
    let (&first_x, &last_x) = (columns.first()?, columns.last()?);
    let (&first_y, &last_y) = (rows.first()?, rows.last()?);
    let touches = first_x == x0 || last_x == x1 - 1 || first_y == y0 || last_y == y1 - 1;
    let (width, height) = ((last_x - first_x + 1) as f32, (last_y - first_y + 1) as f32);
    if touches || height < 5.0 || width > 1.1 * height {
        return None;
    }
    let depths = (y0..y1).flat_map(|y| (x0..x1).map(move |x| depth(x, y) as f32));
    let deepest = depths.clone().fold(1.0, f32::max);
    Some(Label { ink: depths.sum::<f32>() / deepest / (height * height), height: height / square })
}

/// Whether labels from the top are 1 to 8 (rather than 8 to 1). The first, the last and some of the
/// others must be seen, and all that are seen must be alike.
fn tell(labels: &[Option<Label>; 8]) -> Option<bool> {
    /// Evidence of labels that are digits in order is about 0.4.
    const CLEAR: f32 = 0.1;
    let seen: Vec<&Label> = labels.iter().flatten().collect();
    let mean =
        |of: fn(&Label) -> f32| seen.iter().map(|it| of(it)).sum::<f32>() / seen.len() as f32;
    let (height, ink) = (mean(|it| it.height), mean(|it| it.ink));
    let alike = |label: &&Label| (label.height - height).abs() < 0.2 * height;
    if labels[0].is_none() || labels[7].is_none() || seen.len() < 5 || !seen.iter().all(alike) {
        return None;
    }
    let pairs = (0..4).filter_map(|at| Some((at, labels[at]?, labels[7 - at]?)));
    let evidence: f32 = pairs
        .map(|(at, upper, lower)| (INK[7 - at] - INK[at]) * (lower.ink - upper.ink) / ink)
        .sum();
    (evidence.abs() > CLEAR).then_some(evidence > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(inks: [f32; 8]) -> [Option<Label>; 8] {
        inks.map(|ink| Some(Label { ink: 0.3 * ink, height: 0.2 }))
    }

    #[test]
    fn the_ink_of_digits_tells_the_side_below() {
        let mut up = INK;
        up.reverse();
        assert_eq!(tell(&labels(INK)), Some(true));
        assert_eq!(tell(&labels(up)), Some(false));
        assert_eq!(tell(&labels([1.0; 8])), None, "digits of one ink");
        let mut some = labels(up);
        (some[2], some[5]) = (None, None);
        assert_eq!(tell(&some), Some(false), "pieces cover some");
        some[0] = None;
        assert_eq!(tell(&some), None, "the first must be seen");
        let mut uneven = labels(INK);
        uneven[3] = Some(Label { ink: 0.3, height: 0.5 });
        assert_eq!(tell(&uneven), None, "not labels");
    }
}
