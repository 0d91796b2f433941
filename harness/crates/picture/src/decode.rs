//! PNG, JPEG and WebP, within limits: the size that a file claims is looked at before anything is
//! decoded, so that no file can ask for more memory than [`MAX_PIXELS`] need.

use std::io::Cursor;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::error::PictureError;
use crate::pixels::Pixels;

/// Most pixels of a picture: a screenshot of a screen of 6,000 by 4,000 pixels.
pub const MAX_PIXELS: usize = 24_000_000;

/// Most bytes of a file of a picture.
pub const MAX_BYTES: usize = 16 << 20;

/// Longest side that is looked at; a larger picture is shrunk to it.
const WORKING_SIDE: usize = 2048;

/// A picture with transparency: four bytes a pixel.
#[derive(Clone, Debug)]
pub struct Transparent {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel.
    pub data: Vec<u8>,
}

impl Transparent {
    /// The picture on a white ground, as a page shows it.
    fn on_white(self) -> Option<Pixels> {
        let blend = |pixel: &[u8]| {
            let opacity = u32::from(pixel[3]);
            [0, 1, 2].map(|at| {
                ((u32::from(pixel[at]) * opacity + 255 * (255 - opacity) + 127) / 255) as u8
            })
        };
        let data = self.data.chunks_exact(4).flat_map(blend).collect();
        Pixels::new(self.width, self.height, data)
    }
}

/// A picture ready to be searched, and by how much it was shrunk.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The picture, with transparent parts on white.
    pub pixels: Pixels,
    /// Pixels of the file a pixel, in each direction.
    pub shrunk: usize,
}

/// Reads a PNG, JPEG or WebP file.
///
/// # Errors
/// If it is none of them, damaged, too large or too small.
pub fn decode(bytes: &[u8]) -> Result<Decoded, PictureError> {
    let pixels = match decode_any(bytes)? {
        Image::Opaque(pixels) => pixels,
        Image::Transparent(image) => image.on_white().ok_or(PictureError::Incomplete)?,
    };
    let (width, height) = (pixels.width(), pixels.height());
    if width.min(height) < MIN_SIDE {
        return Err(PictureError::Small { width, height });
    }
    let longest = width.max(height);
    let shrunk = longest.div_ceil(WORKING_SIDE);
    let pixels = if shrunk > 1 { pixels.shrink(shrunk) } else { pixels };
    Ok(Decoded { pixels, shrunk })
}

/// Reads a PNG, JPEG or WebP file with its transparency, in full size.
///
/// # Errors
/// As [`decode`].
pub fn decode_transparent(bytes: &[u8]) -> Result<Transparent, PictureError> {
    Ok(match decode_any(bytes)? {
        Image::Transparent(image) => image,
        Image::Opaque(pixels) => Transparent {
            width: pixels.width(),
            height: pixels.height(),
            data: pixels.data().chunks_exact(3).flat_map(|it| [it[0], it[1], it[2], 255]).collect(),
        },
    })
}

enum Image {
    Opaque(Pixels),
    Transparent(Transparent),
}

fn decode_any(bytes: &[u8]) -> Result<Image, PictureError> {
    if bytes.len() > MAX_BYTES {
        return Err(PictureError::LargeFile { bytes: bytes.len() });
    }
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => decode_png(bytes),
        [0xff, 0xd8, ..] => decode_jpeg(bytes),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => decode_webp(bytes),
        _ => Err(PictureError::format(bytes)),
    }
}

/// Refuses sizes that take too much memory.
fn check_size(width: usize, height: usize) -> Result<(), PictureError> {
    let pixels = width.checked_mul(height).unwrap_or(usize::MAX);
    if pixels > MAX_PIXELS {
        return Err(PictureError::LargePicture { width, height });
    }
    Ok(())
}

/// Shortest side: eight squares in which pieces can be told apart.
const MIN_SIDE: usize = 96;

fn decode_png(bytes: &[u8]) -> Result<Image, PictureError> {
    let damaged = |error: png::DecodingError| PictureError::damaged("PNG", &error);
    let limits = png::Limits { bytes: MAX_PIXELS * 8 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    let header = decoder.read_header_info().map_err(damaged)?;
    check_size(header.width as usize, header.height as usize)?;
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader.output_buffer_size().ok_or(PictureError::Incomplete)?;
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(damaged)?;
    data.truncate(frame.buffer_size());
    let (width, height) = (frame.width as usize, frame.height as usize);
    match frame.color_type {
        png::ColorType::Grayscale => {
            opaque(width, height, data.iter().flat_map(|&grey| [grey; 3]).collect())
        }
        png::ColorType::GrayscaleAlpha => {
            let data = data.chunks_exact(2).flat_map(|it| [it[0], it[0], it[0], it[1]]).collect();
            transparent(width, height, data)
        }
        png::ColorType::Rgba => transparent(width, height, data),
        png::ColorType::Rgb | png::ColorType::Indexed => opaque(width, height, data),
    }
}

fn decode_jpeg(bytes: &[u8]) -> Result<Image, PictureError> {
    let damaged = |error: zune_jpeg::errors::DecodeErrors| PictureError::damaged("JPEG", &error);
    let options = DecoderOptions::default()
        .set_max_width(MAX_PIXELS)
        .set_max_height(MAX_PIXELS)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let (width, height) = decoder.dimensions().ok_or(PictureError::Incomplete)?;
    check_size(width, height)?;
    opaque(width, height, decoder.decode().map_err(damaged)?)
}

fn decode_webp(bytes: &[u8]) -> Result<Image, PictureError> {
    let damaged = |error: image_webp::DecodingError| PictureError::damaged("WebP", &error);
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    check_size(width, height)?;
    decoder.set_memory_limit(MAX_PIXELS * 8);
    let mut data = vec![0; decoder.output_buffer_size().ok_or(PictureError::Incomplete)?];
    decoder.read_image(&mut data).map_err(damaged)?;
    if decoder.has_alpha() { transparent(width, height, data) } else { opaque(width, height, data) }
}

fn opaque(width: usize, height: usize, data: Vec<u8>) -> Result<Image, PictureError> {
    Pixels::new(width, height, data).map(Image::Opaque).ok_or(PictureError::Incomplete)
}

fn transparent(width: usize, height: usize, data: Vec<u8>) -> Result<Image, PictureError> {
    if data.len() != width * height * 4 {
        return Err(PictureError::Incomplete);
    }
    Ok(Image::Transparent(Transparent { width, height, data }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &[u8] = include_bytes!("reading/pictures/ending.png");

    /// A PNG that claims this size and has no pixels.
    fn claimed(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        drop(encoder.write_header().expect("in memory"));
        bytes
    }

    /// A JPEG that claims this size and ends behind its header.
    fn claimed_jpeg(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = vec![0xff, 0xd8, 0xff, 0xc0, 0, 11, 8];
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes.extend([1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
        bytes
    }

    #[test]
    fn a_picture_is_read_with_its_size() {
        let decoded = decode(BOARD).expect("a PNG");
        assert_eq!((decoded.pixels.width(), decoded.pixels.height()), (320, 320));
        assert_eq!(decoded.shrunk, 1);
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_refused_in_words() {
        let truncated = &BOARD[..BOARD.len() / 2];
        let mut damaged = BOARD.to_vec();
        damaged[60] ^= 0x55;
        let large = vec![0; MAX_BYTES + 1];
        for (bytes, words) in [
            (&b""[..], "an empty file"),
            (b"[Event \"x\"]\n\n1. e4 *", "this is text"),
            (b"GIF89a", "a GIF file"),
            (b"BM\0\0\0\0", "a BMP file"),
            (b"%PDF-1.7", "a PDF file"),
            (b"\0\0\0\x20ftypavif", "an AVIF"),
            (b"<?xml version=\"1.0\"?><svg xmlns=\"\"/>", "an SVG drawing"),
            (&[0xf0, 0x9f, 0xff, 0xfe, 0x80], "a file of an unknown kind"),
            (truncated, "damaged or incomplete"),
            (&damaged, "damaged or incomplete"),
            (&large, "bytes"),
            (&claimed(100_000, 100_000), "100000 x 100000 pixels"),
            (&claimed(6_001, 4_000), "24000000 are read at most"),
            (&claimed(100, 100), "damaged or incomplete"),
            (&claimed_jpeg(65_000, 65_000), "65000 x 65000 pixels"),
            (&claimed_jpeg(200, 200), "JPEG"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "WebP"),
        ] {
            let error = decode(bytes).expect_err(words).to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn large_pictures_are_shrunk_and_transparent_ones_lie_on_white() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4200, 100);
        encoder.set_color(png::ColorType::GrayscaleAlpha);
        let mut writer = encoder.write_header().expect("in memory");
        writer.write_image_data(&[0; 4200 * 100 * 2]).expect("in memory");
        writer.finish().expect("in memory");
        let decoded = decode(&bytes).expect("a PNG");
        assert_eq!((decoded.shrunk, decoded.pixels.width()), (3, 1400));
        assert_eq!(decoded.pixels.at(0, 0), [255; 3]);
    }
}
