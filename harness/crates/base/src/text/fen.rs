//! Fields of a FEN, legal or not, without setting its position up.

/// Whether Black is to move; White is where the FEN does not say.
pub fn is_black_to_move(fen: &str) -> bool {
    fen.split_whitespace().nth(1) == Some("b")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_field_names_the_side_to_move() {
        for (fen, black) in [
            ("8/8/8/8/8/8/8/8 b - - 0 1", true),
            ("8/8/8/8/8/8/8/8 w - - 0 1", false),
            ("  8/8/8/8/8/8/8/8   b", true),
            ("8/8/8/8/8/8/8/8", false),
            ("8/8/8/8/8/8/8/8 B", false),
            ("b", false),
            ("", false),
        ] {
            assert_eq!(is_black_to_move(fen), black, "{fen}");
        }
    }
}
