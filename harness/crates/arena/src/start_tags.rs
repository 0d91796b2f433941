//! The tags that tell where a game starts.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use super::variant::{Rules, chess_position};
use harness_notation::pgn::Tag;

/// Where a game starts and by which rules it is played, as its tags tell.
#[derive(Clone, Debug, Default)]
pub struct StartTags {
    fen: Option<String>,
    variant: String,
}

impl StartTags {
    /// Takes a tag over if it is one of these.
    pub fn take(&mut self, tag: Tag<'_>) {
        match tag.name {
            b"FEN" => self.fen = Some(tag.text().trim().to_owned()).filter(|fen| !fen.is_empty()),
            b"Variant" => self.variant = tag.text().into_owned(),
            _ => {}
        }
    }

    /// The FEN; `None` if the game starts at the usual position.
    pub fn fen(&self) -> Option<&str> {
        self.fen.as_deref()
    }

    /// The value of `Variant`; empty without one.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// The rules; `None` for a variant that is not known.
    pub fn rules(&self) -> Option<Rules> {
        Rules::of_tag(&self.variant)
    }

    /// Notation of castling, as the FEN has it where the variant is not named; `None` for other
    /// variants than chess and Chess960.
    pub fn castling(&self) -> Option<CastlingMode> {
        match self.rules()? {
            Rules::Chess => Some(self.fen().map_or(CastlingMode::Standard, castling_of)),
            Rules::Chess960 => Some(CastlingMode::Chess960),
            Rules::Variant(_) => None,
        }
    }

    /// The position of chess; `None` if it is not legal, or of another variant.
    pub fn chess(&self) -> Option<Chess> {
        let castling = self.castling()?;
        match self.fen() {
            None => Some(Chess::default()),
            Some(fen) => chess_position(fen, castling).ok(),
        }
    }
}

/// The notation of castling that a FEN needs.
pub fn castling_of(fen: &str) -> CastlingMode {
    let fen = fen.parse::<Fen>().ok();
    fen.map_or(CastlingMode::Standard, |fen| CastlingMode::detect(fen.as_setup()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBLE: &str = "1rk4r/8/8/8/8/8/8/1RK2R2 w FBhb - 0 1";

    fn tags(pairs: &[(&str, &str)]) -> StartTags {
        let mut tags = StartTags::default();
        for (name, value) in pairs {
            tags.take(Tag { name: name.as_bytes(), value: value.as_bytes(), cut: false });
        }
        tags
    }

    #[test]
    fn a_start_is_read_from_its_tags() {
        for (pairs, fen, castling) in [
            (&[("White", "a")][..], None, Some(CastlingMode::Standard)),
            (&[("FEN", " ")], None, Some(CastlingMode::Standard)),
            (&[("Variant", "fischerandom")], None, Some(CastlingMode::Chess960)),
            (&[("FEN", DOUBLE)], Some(DOUBLE), Some(CastlingMode::Chess960)),
            (&[("Variant", "Atomic")], None, None),
            (&[("Variant", "Shogi")], None, None),
        ] {
            let tags = tags(pairs);
            assert_eq!((tags.fen(), tags.castling()), (fen, castling), "{pairs:?}");
            assert_eq!(tags.chess().is_some(), castling.is_some(), "{pairs:?}");
        }
        assert!(tags(&[("FEN", "rubbish")]).chess().is_none());
    }
}
