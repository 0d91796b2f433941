//! Why no position could be read.

use thiserror::Error;

use crate::decode::{MAX_BYTES, MAX_PIXELS};

/// Why no position could be read from a picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither PNG, JPEG nor WebP.
    #[error("this is {found}, not a picture that can be read: give a PNG, JPEG or WebP file")]
    Format {
        /// What the bytes look like.
        found: &'static str,
    },
    /// A file of one of the formats that its decoder refuses.
    #[error(
        "the {format} file is damaged or incomplete ({reason}): save or copy the picture again"
    )]
    Damaged {
        /// Its format.
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
    /// The data of a picture are shorter than its size says.
    #[error("the picture is incomplete: save or copy it again")]
    Incomplete,
    /// A file of too many bytes.
    #[error(
        "the file has {bytes} bytes, and {most} are read at most: crop the picture to the board",
        most = MAX_BYTES
    )]
    LargeFile {
        /// Its size.
        bytes: usize,
    },
    /// A picture of too many pixels.
    #[error(
        "the picture has {width} x {height} pixels, and {most} are read at most: crop it to the \
         board",
        most = MAX_PIXELS
    )]
    LargePicture {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
    },
    /// A picture in which squares are too small.
    #[error(
        "the picture has {width} x {height} pixels: a board needs 96 x 96, better 300 x 300, to \
         be read"
    )]
    Small {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
    },
    /// No eight by eight squares of two colours.
    #[error(
        "no chess board was found in the picture: it should show all 64 squares from straight \
         above; crop it to the board if there is much else in it"
    )]
    NoBoard,
    /// The weights of the network have another shape than this program expects.
    #[error("the network of this program is damaged: install the program again")]
    NoNetwork,
}

impl PictureError {
    /// The error for bytes of none of the formats.
    pub(crate) fn format(bytes: &[u8]) -> Self {
        let found = match bytes {
            [] => "an empty file",
            [b'G', b'I', b'F', ..] => "a GIF file",
            [b'B', b'M', ..] => "a BMP file",
            [b'%', b'P', b'D', b'F', ..] => "a PDF file",
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => "a TIFF file",
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => "an AVIF, HEIC or video file",
            _ if is_svg(bytes) => "an SVG drawing",
            _ if std::str::from_utf8(&bytes[..bytes.len().min(256)]).is_ok() => "text",
            _ => "a file of an unknown kind",
        };
        Self::Format { found }
    }

    /// The error for a file that a decoder refuses.
    pub(crate) fn damaged(format: &'static str, reason: &dyn std::fmt::Display) -> Self {
        let reason: String = reason.to_string().chars().take(200).collect();
        Self::Damaged { format, reason }
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]);
    start.contains("<svg")
}
