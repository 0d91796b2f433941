//! Squares of boards for the training of the network, in a file.

use std::io::{BufWriter, Write};
use std::path::Path;

use harness_picture::{Pixels, square};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::sets::Set;
use crate::{jittered, scene, style};

/// Boards that are drawn of a set in one look.
const BOARDS_OF_LOOK: usize = 3;

/// Writes the squares of boards: for each board the 64 classes, a byte each, then the colours of the squares, red, green
/// and blue, 32 rows of 32 bytes each.
pub fn write(sets: &[&Set], path: &Path, boards: usize, seed: u64) -> Result<(), String> {
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = BufWriter::new(std::fs::File::create(path).map_err(named)?);
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for board in 0..boards {
        if board % BOARDS_OF_LOOK != 0 {
            continue;
        }
        let set = sets.choose(&mut rng).ok_or("there are no sets for training")?;
        let look = style::restyled(set, sets, &mut rng);
        for _ in board..boards.min(board + BOARDS_OF_LOOK) {
            file.write_all(&squares(&look, &mut rng)).map_err(named)?;
        }
    }
    file.flush().map_err(named)
}

/// Classes and colours of the squares of a board.
fn squares(look: &Set, rng: &mut Pcg64Mcg) -> Vec<u8> {
    let mut placement = scene::mixed_placement(rng);
    if rng.random_bool(0.5) {
        placement = scene::game_placement(rng);
        if rng.random_bool(0.5) {
            placement.reverse();
        }
    }
    let scene = scene::training(look, placement, rng);
    let grid = jittered(scene.grid, rng);
    let mut bytes: Vec<u8> = placement.iter().map(|class| *class as u8).collect();
    for at in 0..64 {
        bytes.extend(colours(&scene.pixels, grid.square(at % 8, at / 8)));
    }
    bytes
}

/// Colours of a square, channel by channel.
fn colours(pixels: &Pixels, area: [f32; 4]) -> impl Iterator<Item = u8> {
    let input = square::input_of(pixels, area);
    let colours = 3 * square::SIDE * square::SIDE;
    input.into_iter().take(colours).map(|value| ((value + 1.0) * 127.5).round() as u8)
}
