//! The position of a chess board in a picture: a screenshot, a diagram of a page or book.
//!
//! [`grid`] finds the board by the points where its squares meet, [`square`] makes the squares inputs
//! of the network, which names their pieces; [`read`] applies the rules of chess, tells the side
//! below by pieces and coordinates, and marks the squares that a user should look at.

mod contacts;
mod coordinates;
pub mod corners;
mod decode;
mod error;
pub mod grid;
mod groups;
mod joint;
mod look;
mod network;
mod pixels;
mod placement;
mod reading;
pub mod square;
mod transformer;
mod usual_squares;

pub use decode::{Decoded, MAX_BYTES, MAX_PIXELS, Transparent, decode, decode_transparent};
pub use error::PictureError;
pub use grid::Grid;
pub use network::{CLASSES, LETTERS, Network};
pub use pixels::{Pixels, Plane};
pub use placement::{SURE, Square};
pub use reading::{Orientation, Reading, read, read_pixels, read_with};
