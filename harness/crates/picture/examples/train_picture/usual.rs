//! The table of the squares on which pieces usually stand.

use std::path::Path;

/// Kinds of pieces, in the order of the table.
const KINDS: &str = "PNBRQK";

/// Pieces of the mean mixture that are added to each square.
const ADDED: f64 = 60.0;

/// The largest number of eighths of a nat, either way.
const LARGEST: f64 = 32.0;

/// Prints the table of a file of positions.
pub fn print(positions: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(positions)
        .map_err(|error| format!("{}: {error}", positions.display()))?;
    for (kind, squares) in KINDS.chars().zip(table(&text)) {
        println!("    // {kind}.\n    [");
        for rank in squares.chunks_exact(8) {
            let numbers: Vec<String> = rank.iter().map(i32::to_string).collect();
            println!("        {},", numbers.join(", "));
        }
        println!("    ],");
    }
    Ok(())
}

/// By kind and square, from the side that a piece belongs to, eighths of the logarithm of how much more often a piece
/// there is of this kind and colour than pieces are on the whole.
fn table(positions: &str) -> [[i32; 64]; 6] {
    let mut counts = [[0.0; 64]; 6];
    for line in positions.lines() {
        for (row, squares) in line.split(' ').next().unwrap_or_default().split('/').enumerate() {
            let mut file = 0;
            for letter in squares.chars() {
                if let Some(empty) = letter.to_digit(10) {
                    file += empty as usize;
                } else if let Some(kind) = KINDS.find(letter.to_ascii_uppercase()) {
                    let rank =
                        if letter.is_uppercase() { 7_usize.saturating_sub(row) } else { row };
                    if let Some(count) = counts[kind].get_mut(8 * rank + file) {
                        *count += 1.0;
                    }
                    file += 1;
                }
            }
        }
    }
    let all: f64 = counts.as_flattened().iter().sum();
    let occupied = |square: usize| counts.iter().map(|kind| kind[square]).sum::<f64>();
    std::array::from_fn(|kind| {
        let share = counts[kind].iter().sum::<f64>() / all;
        std::array::from_fn(|square| {
            // By pieces of both colours: the square of the other one is mirrored.
            let pieces = occupied(square) + occupied(square ^ 56);
            let seen = (counts[kind][square] + ADDED * share / 2.0) / (pieces + ADDED);
            (8.0 * (2.0 * seen / share).ln()).round().clamp(-LARGEST, LARGEST) as i32
        })
    })
}
