//! Coordinates of a board: whether the rank labels count up or down.
//!
//! No letter is read. Digits differ in how much ink they have and how wide they are: a `1` is
//! narrow, an `8` is not. So the labels of the first and last row are compared, and those of the
//! other rows must look like labels, too.

use crate::grid::Grid;
use crate::pixels::Pixels;

/// Ink of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    /// Columns between the first and last with ink, in parts of its height.
    width: f32,
    /// Rows between the first and last with ink, in parts of a square.
    height: f32,
}

/// Whether the ranks count from the top (Black below); `None` if no labels are found.
pub(crate) fn black_below(pixels: &Pixels, grid: &Grid) -> Option<bool> {
    places(grid).into_iter().find_map(|areas| {
        let labels: Vec<Label> = areas
            .into_iter()
            .map(|area| label(pixels, area, grid.square_height))
            .collect::<Option<_>>()?;
        tell(&labels)
    })
}

/// Areas in which the eight rank labels may stand, from the top: inside the squares of the left and
/// of the right border, and beside the board.
fn places(grid: &Grid) -> Vec<Vec<[f32; 4]>> {
    let (width, height) = (grid.square_width, grid.square_height);
    let right = grid.left + 8.0 * width;
    let rows = |left: f32, across: f32, down: f32, tall: f32| {
        let area = |row: usize| {
            let top = grid.top + (row as f32 + down) * height;
            [left, top, left + across * width, top + tall * height]
        };
        (0..8).map(area).collect::<Vec<_>>()
    };
    vec![
        rows(grid.left + 0.02 * width, 0.2, 0.02, 0.3),
        rows(right - 0.22 * width, 0.2, 0.02, 0.3),
        rows(grid.left - 0.3 * width, 0.27, 0.25, 0.5),
        rows(grid.left - 0.5 * width, 0.47, 0.2, 0.6),
        rows(right + 0.03 * width, 0.27, 0.25, 0.5),
    ]
}

/// The ink of an area: what differs from the colour that most of its border has. `None` if it has
/// hardly any, or it reaches the border: then it is no label.
fn label(pixels: &Pixels, [left, top, right, bottom]: [f32; 4], square: f32) -> Option<Label> {
    let (x0, y0, x1, y1) = (left as isize, top as isize, right as isize, bottom as isize);
    if x0 < 0 || y0 < 0 || x1 > pixels.width() as isize || y1 > pixels.height() as isize {
        return None;
    }
    if x1 - x0 < 4 || y1 - y0 < 6 {
        return None;
    }
    let brightness = |x: isize, y: isize| {
        let [red, green, blue] = pixels.at(x, y).map(i32::from);
        (red * 3 + green * 6 + blue) / 10
    };
    let mut border: Vec<i32> =
        (y0..y1).flat_map(|y| [brightness(x0, y), brightness(x1 - 1, y)]).collect();
    border.sort_unstable();
    let ground = border[border.len() / 2];
    let ink = |x: isize, y: isize| (brightness(x, y) - ground).abs() > 28;
    let columns: Vec<isize> = (x0..x1).filter(|&x| (y0..y1).any(|y| ink(x, y))).collect();
    let rows: Vec<isize> = (y0..y1).filter(|&y| (x0..x1).any(|x| ink(x, y))).collect();
    let (&first_x, &last_x) = (columns.first()?, columns.last()?);
    let (&first_y, &last_y) = (rows.first()?, rows.last()?);
    let touches = first_x == x0 || last_x == x1 - 1 || first_y == y0 || last_y == y1 - 1;
    let (width, height) = ((last_x - first_x + 1) as f32, (last_y - first_y + 1) as f32);
    (!touches && height >= 5.0).then_some(Label { width: width / height, height: height / square })
}

/// Whether labels from the top are 1 to 8 (rather than 8 to 1).
fn tell(labels: &[Label]) -> Option<bool> {
    let mean = labels.iter().map(|label| label.height).sum::<f32>() / labels.len() as f32;
    let alike = |label: &Label| (label.height - mean).abs() < 0.25 * mean && label.width < 1.1;
    let (first, last) = (labels.first()?.width, labels.last()?.width);
    let others = labels[1..7].iter().map(|label| label.width).sum::<f32>() / 6.0;
    // A one that is as wide as other digits tells nothing.
    if !labels.iter().all(alike) || first.min(last) > 0.85 * others {
        return None;
    }
    (first.max(last) > 1.2 * first.min(last)).then_some(first < last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(widths: [f32; 8]) -> Vec<Label> {
        widths.map(|width| Label { width, height: 0.2 }).to_vec()
    }

    #[test]
    fn the_narrow_digit_is_the_one() {
        let down = [0.3, 0.6, 0.6, 0.62, 0.6, 0.6, 0.6, 0.6];
        let mut up = down;
        up.reverse();
        assert_eq!(tell(&labels(down)), Some(true));
        assert_eq!(tell(&labels(up)), Some(false));
        assert_eq!(tell(&labels([0.6; 8])), None, "digits of one width");
        let mut uneven = labels(down);
        uneven[3].height = 0.5;
        assert_eq!(tell(&uneven), None, "not labels");
    }
}
