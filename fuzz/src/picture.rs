//! Pictures of boards.

use harness_picture::{MAX_PIXELS, decode, read};

use crate::choice;

/// Pictures beyond this many pixels are decoded and not searched: that takes long and has no other code.
const SEARCHED: usize = 200_000;

/// A picture of any format. What is read is a FEN of 64 squares, each with a probability.
pub fn picture(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    match decode(bytes) {
        Ok(decoded) => {
            let pixels = decoded.pixels.width() * decoded.pixels.height();
            assert!(pixels <= MAX_PIXELS, "{pixels}");
            // To search a picture takes much longer than to decode it.
            if pixels <= SEARCHED && kind % 8 == 0 {
                search(bytes);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn search(bytes: &[u8]) {
    let reading = match read(bytes) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(reading.squares.len(), 64);
    assert!(reading.squares.iter().all(|square| (0.0..=1.0001).contains(&square.confidence)));
    let fen = shakmaty::fen::Fen::from_ascii(reading.fen.as_bytes());
    assert!(fen.is_ok(), "{}", reading.fen);
}
