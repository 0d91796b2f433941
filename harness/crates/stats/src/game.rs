//! Results of games in PGN notation, and seen from either side.

use shakmaty::Color;

use super::GameScore;

impl GameScore {
    /// White's result of a game that `winner` won.
    #[inline]
    pub fn won_by(winner: Color) -> GameScore {
        if winner.is_white() { GameScore::Win } else { GameScore::Loss }
    }

    /// White's result seen from a colour, or the reverse.
    #[inline]
    pub fn seen_from(self, color: Color) -> GameScore {
        if color.is_white() { self } else { self.reversed() }
    }

    /// Parses White's result in PGN notation or as a number, also in quotes or brackets, with any
    /// dash and blanks around it.
    #[inline]
    pub fn of_text(text: &str) -> Option<GameScore> {
        let known = |text: &str| match text {
            "1-0" | "1" | "1.0" => Some(GameScore::Win),
            "0-1" | "0" | "0.0" => Some(GameScore::Loss),
            "1/2-1/2" | "1/2" | "0.5" => Some(GameScore::Draw),
            _ => None,
        };
        let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '[' | ']'));
        known(text).or_else(|| {
            let plain = text.replace(['–', '—', '‐', '‑', '−'], "-").replace('½', "1/2");
            known(&plain.split_whitespace().collect::<String>())
        })
    }

    /// White's result as PGN writes it.
    #[inline]
    pub fn pgn(self) -> &'static str {
        ["0-1", "1/2-1/2", "1-0"][self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_pgn_and_as_numbers() {
        for (score, texts) in [
            (GameScore::Win, ["1-0", "\"1-0\"", "1.0"]),
            (GameScore::Draw, ["1/2-1/2", "0.5", "[0.5]"]),
            (GameScore::Loss, ["0-1", " 0 ", "0.0"]),
        ] {
            for text in texts {
                assert_eq!(GameScore::of_text(text), Some(score), "{text}");
            }
            assert_eq!(GameScore::of_text(score.pgn()), Some(score));
            assert_eq!(score.reversed().reversed(), score);
        }
        assert_eq!(GameScore::of_text("2"), None);
    }
}
