//! PNG, JPEG and WebP, within limits: the size that a file claims is looked at before anything is
//! decoded, so that no file can ask for more memory than [`MAX_PIXELS`] need.

use std::io::Cursor;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;
use zune_png::PngDecoder;

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
    let pixels = width.saturating_mul(height);
    if pixels > MAX_PIXELS {
        return Err(PictureError::LargePicture { width, height });
    }
    Ok(())
}

/// Shortest side: eight squares in which pieces can be read.
const MIN_SIDE: usize = 96;

fn decode_png(bytes: &[u8]) -> Result<Image, PictureError> {
    let damaged = |error: zune_png::error::PngDecodeErrors| PictureError::damaged("PNG", &error);
    let options = DecoderOptions::default()
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
        .set_strict_mode(true)
        .png_set_confirm_crc(true)
        .png_set_strip_to_8bit(true)
        .inflate_set_limit(MAX_PIXELS * 9);
    let mut decoder = PngDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let (width, height) = decoder.dimensions().ok_or(PictureError::Incomplete)?;
    check_size(width, height)?;
    let data = decoder.decode().map_err(damaged)?.u8().ok_or(PictureError::Incomplete)?;
    match decoder.colorspace() {
        Some(ColorSpace::Luma) => {
            opaque(width, height, data.iter().flat_map(|&grey| [grey; 3]).collect())
        }
        Some(ColorSpace::LumaA) => {
            let data = data.chunks_exact(2).flat_map(|it| [it[0], it[0], it[0], it[1]]).collect();
            transparent(width, height, data)
        }
        Some(ColorSpace::RGBA) => transparent(width, height, data),
        _ => opaque(width, height, data),
    }
}

fn decode_jpeg(bytes: &[u8]) -> Result<Image, PictureError> {
    let damaged = |error: zune_jpeg::errors::DecodeErrors| PictureError::damaged("JPEG", &error);
    let options = DecoderOptions::default()
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
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

    /// A PNG of this size and kind (4 for grey with opacity, 0 for grey) with these rows, which are not
    /// compressed.
    fn png(width: u32, height: u32, kind: u8, rows: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
        header.extend([8, kind, 0, 0, 0]);
        let mut data = vec![0x78, 1];
        let blocks: Vec<&[u8]> = rows.chunks(60_000).collect();
        for (at, block) in blocks.iter().enumerate() {
            let length = block.len() as u16;
            data.push(u8::from(at + 1 == blocks.len()));
            data.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
            data.extend(*block);
        }
        let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
            let a = (a + u32::from(byte)) % 65_521;
            (a, (b + a) % 65_521)
        });
        data.extend((b << 16 | a).to_be_bytes());
        for (name, content) in [(b"IHDR", &header), (b"IDAT", &data), (b"IEND", &Vec::new())] {
            bytes.extend((content.len() as u32).to_be_bytes());
            let chunk = [name.as_slice(), content].concat();
            bytes.extend(&chunk);
            bytes.extend(crc(&chunk).to_be_bytes());
        }
        bytes
    }

    /// The checksum of a PNG's chunks (ISO 3309).
    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32, &byte: &u8| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
            })
        };
        !bytes.iter().fold(!0, step)
    }

    /// A PNG that claims this size and has no pixels.
    fn claimed(width: u32, height: u32) -> Vec<u8> {
        png(width, height, 0, &[])
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
        let bytes = png(4200, 100, 4, &[0; 100 * (1 + 2 * 4200)]);
        let decoded = decode(&bytes).expect("a PNG");
        assert_eq!((decoded.shrunk, decoded.pixels.width()), (3, 1400));
        assert_eq!(decoded.pixels.at(0, 0), [255; 3]);
    }
}
