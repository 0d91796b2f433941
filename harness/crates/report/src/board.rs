//! A chess board as inline SVG, with arrows for moves.
//!
//! Pieces are our own shapes, defined once a page by [`piece_symbols`]; no font is needed.

use maud::{Markup, PreEscaped, html};

use harness_base::text::fen::is_black_to_move;

/// Side of a square, in units of the drawing; the pieces are drawn in a box of this size.
const SQUARE: f64 = 45.0;

/// Meaning of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// A solution.
    Expected,
    /// The move played.
    Played,
}

impl Arrow {
    fn class(self) -> &'static str {
        match self {
            Arrow::Expected => "expected",
            Arrow::Played => "played",
        }
    }
}

/// The shapes of the six pieces; once a page, before any [`board`].
pub fn piece_symbols() -> Markup {
    const BASE: &str = r#"<rect x="10" y="34.5" width="25" height="4.5" rx="1.5"/>"#;
    let shapes = [
        (
            'p',
            r#"<path d="M17.5 20h10l-2 2.6c.8 5.8 3 8.7 5.8 11.9H13.7c2.8-3.2 5-6.1 5.8-11.9z"/>
               <circle cx="22.5" cy="14.5" r="5.6"/>"#,
        ),
        (
            'n',
            r#"<path d="M13.5 34.5c.2-8 6.6-10.2 7-15.4-2.4 2-4.4 3.2-6.3 3.9l-1.9 2.2-3.2-1.7
               c-.5-3.2.5-5.5 2.7-8.1 1.9-3.3 4.6-5.6 7.6-6.5L20.3 5l3.9 3.4
               c6.4 1.7 9.8 8 9.8 16.3 0 4-.4 7-1 9.8z"/>
               <circle class="detail" cx="17.8" cy="14.4" r="1.2"/>"#,
        ),
        (
            'b',
            r#"<circle cx="22.5" cy="7.6" r="2.5"/>
               <path d="M22.5 10c5.6 3.8 8.6 8.3 8.6 12.5 0 2.9-1.5 5.3-3.7 6.9h-9.8
               c-2.2-1.6-3.7-4-3.7-6.9 0-4.2 3-8.7 8.6-12.5z"/>
               <path d="M16.5 29.4h12l2.5 5.1H14z"/>
               <path class="detail" d="M22.5 15.5v8M18.8 19h7.4"/>"#,
        ),
        (
            'r',
            r#"<path d="M12 8.5h5v3.2h3.2V8.5h4.6v3.2H28V8.5h5V16l-3.2 2.8v11H15.2v-11L12 16z"/>
               <path d="M14.5 29.8h16l2 4.7h-20z"/>"#,
        ),
        (
            'q',
            r#"<path d="M9.8 14l5 15.6h15.4l5-15.6-6.4 8.2-2-11.2-4.3 10.2-4.3-10.2-2 11.2z"/>
               <path d="M14.8 29.6h15.4l2 4.9H12.8z"/>
               <circle cx="9.6" cy="12.4" r="2.3"/><circle cx="18" cy="9" r="2.3"/>
               <circle cx="27" cy="9" r="2.3"/><circle cx="35.4" cy="12.4" r="2.3"/>"#,
        ),
        (
            'k',
            r#"<path d="M21.2 4h2.6v2.9h2.9v2.6h-2.9V13h-2.6V9.5h-2.9V6.9h2.9z"/>
               <path d="M22.5 12.6c-2.3 0-3.8 1.6-3.8 3.6 0 .8.2 1.5.6 2.1-1.5-1.2-3.4-1.9-5.4-1.9
               -3.9 0-6.5 2.8-6.5 6.1 0 3.2 2.6 5.2 5.2 7.1h19.8c2.6-1.9 5.2-3.9 5.2-7.1
               0-3.3-2.6-6.1-6.5-6.1-2 0-3.9.7-5.4 1.9.4-.6.6-1.3.6-2.1 0-2-1.5-3.6-3.8-3.6z"/>
               <path d="M13 29.6h19l1 4.9H12z"/>"#,
        ),
    ];
    html! {
        svg.symbols width="0" height="0" aria-hidden="true" {
            @for (letter, shape) in shapes {
                symbol id={ "piece-" (letter) } viewBox="0 0 45 45" {
                    (PreEscaped(shape)) (PreEscaped(BASE))
                }
            }
        }
    }
}

/// The position of a FEN, seen from the side to move, with arrows for moves in UCI notation. Text
/// that is not a move has no arrow. `None` when the FEN has no readable board.
pub fn board(fen: &str, arrows: &[(Arrow, &str)]) -> Option<Markup> {
    let pieces = placement(fen)?;
    let side = 8.0 * SQUARE;
    let view = View::from_fen(fen);
    let to_move = match view {
        View::White => "white to move",
        View::Black => "black to move",
    };
    Some(html! {
        svg.board viewBox={ "0 0 " (side) " " (side) } role="img"
            aria-label={ "chess position, " (to_move) }
        {
            rect.light width=(side) height=(side) {}
            path.dark d=(dark_squares()) {}
            @for file in 0..8_u8 {
                text.coordinate x=(f64::from(view.turn(file) + 1) * SQUARE - 3.0) y=(side - 4.0)
                    text-anchor="end" { (char::from(b'a' + file)) }
            }
            @for row in 0..8_u8 {
                text.coordinate x="3" y=(f64::from(view.turn(row)) * SQUARE + 12.0) { (8 - row) }
            }
            @for &(column, row, piece) in &pieces {
                use class=(if piece.is_ascii_uppercase() { "white" } else { "black" })
                    href={ "#piece-" (piece.to_ascii_lowercase()) }
                    x=(f64::from(view.turn(column)) * SQUARE) y=(f64::from(view.turn(row)) * SQUARE)
                    width=(SQUARE) height=(SQUARE) {}
            }
            @for (kind, text) in arrows {
                @if let Some(outline) = arrow(text, view) {
                    path class={ "arrow " (kind.class()) } d=(outline) {}
                }
            }
        }
    })
}

/// From which side a board is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    White,
    Black,
}

impl View {
    /// From the side to move of a FEN; White where the FEN does not say.
    fn from_fen(fen: &str) -> View {
        if is_black_to_move(fen) { View::Black } else { View::White }
    }

    /// The place on the drawing, from the top left, of a column (from file a) or a row (from rank 8).
    fn turn(self, index: u8) -> u8 {
        match self {
            View::White => index,
            View::Black => 7 - index,
        }
    }
}

fn dark_squares() -> String {
    let dark = (0..64).filter(|square| (square / 8 + square % 8) % 2 == 1);
    dark.map(|square| {
        let x = f64::from(square % 8) * SQUARE;
        let y = f64::from(square / 8) * SQUARE;
        format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
    })
    .collect()
}

/// Column and row (from the top left) and letter of each piece.
fn placement(fen: &str) -> Option<Vec<(u8, u8, char)>> {
    let mut pieces = Vec::new();
    // Behind a bracket stands what can be dropped in crazyhouse; `~` marks what was a pawn.
    let board = fen.split([' ', '[']).next()?.replace('~', "");
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != 8 {
        return None;
    }
    for (row, text) in (0..8).zip(rows) {
        let mut column = 0;
        for letter in text.chars() {
            if let Some(empty) = letter.to_digit(10) {
                column += u8::try_from(empty).ok()?;
            } else if "pnbrqkPNBRQK".contains(letter) && column < 8 {
                pieces.push((column, row, letter));
                column += 1;
            } else {
                return None;
            }
        }
        if column != 8 {
            return None;
        }
    }
    Some(pieces)
}

/// The outline of an arrow from the middle of one square to that of another.
fn arrow(text: &str, view: View) -> Option<String> {
    let bytes = text.as_bytes();
    let from = centre(bytes.get(..2)?, view)?;
    let to = centre(bytes.get(2..4)?, view)?;
    let dx = to.0 - from.0;
    let dy = to.1 - from.1;
    let length = dx.hypot(dy);
    if length == 0.0 {
        return None;
    }
    let dx = dx / length;
    let dy = dy / length;
    // Along the arrow and across it, from its start.
    let outline = [
        (12.0, -3.5),
        (length - 20.0, -3.5),
        (length - 20.0, -11.0),
        (length - 2.0, 0.0),
        (length - 20.0, 11.0),
        (length - 20.0, 3.5),
        (12.0, 3.5),
    ];
    let corners: Vec<String> = outline
        .into_iter()
        .map(|(along, across)| {
            let x = from.0 + along * dx - across * dy;
            let y = from.1 + along * dy + across * dx;
            format!("{x:.1} {y:.1}")
        })
        .collect();
    Some(format!("M{}z", corners.join("L")))
}

/// The middle of a square like `e4`.
fn centre(square: &[u8], view: View) -> Option<(f64, f64)> {
    let &[file @ b'a'..=b'h', rank @ b'1'..=b'8'] = square else { return None };
    let middle = |index: u8| (f64::from(view.turn(index)) + 0.5) * SQUARE;
    Some((middle(file - b'a'), middle(b'8' - rank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn all_pieces_of_a_position_are_drawn() {
        let svg = board(START, &[]).expect("a board").into_string();
        assert_eq!(svg.matches("<use").count(), 32);
        assert_eq!(svg.matches("#piece-q").count(), 2);
        assert_eq!(svg.matches("arrow").count(), 0);
    }

    #[test]
    fn a_fen_without_a_board_gives_no_drawing() {
        for fen in ["", "8/8", "9/8/8/8/8/8/8/8 w", "8/8/8/8/8/8/8/7x w", "8/8/8/8/8/8/8/ppppppppp"]
        {
            assert!(board(fen, &[]).is_none(), "{fen}");
        }
    }

    #[test]
    fn only_moves_between_two_squares_have_an_arrow() {
        for text in ["", "0000", "e2e2", "e9e4", "(none)", "é2e4", "e2"] {
            assert_eq!(arrow(text, View::White), None, "{text}");
        }
        let up = arrow("e2e4", View::White).expect("a move");
        assert!(up.starts_with("M199.0 280.5L"), "{up}");
        let svg = board(START, &[(Arrow::Played, "e7e8q")]).expect("a board").into_string();
        assert!(svg.contains("arrow played"), "{svg}");
    }

    #[test]
    fn a_board_is_seen_from_the_side_to_move() {
        let king = |side: &str| {
            let fen = format!("8/8/8/8/8/8/8/K6k {side} - - 0 1");
            board(&fen, &[(Arrow::Played, "a1a2")]).expect("a board").into_string()
        };
        let white = king("w");
        let black = king("b");
        let at = |x: u32, y: u32| format!(r##"class="white" href="#piece-k" x="{x}" y="{y}""##);
        assert!(white.contains(&at(0, 315)), "{white}");
        assert!(black.contains(&at(315, 0)), "{black}");
        // The arrow goes up for the side to move, and down for the other side's view of it.
        assert!(
            white.contains("M19.0 325.5L") && black.contains("M341.0 34.5L"),
            "{white} {black}"
        );
        assert!(black.contains("black to move"), "{black}");
    }
}
