//! Piece sets from files of others: pictures of the twelve pieces with transparency.

use std::path::Path;
use std::process::Command;

use harness_picture::{Transparent, decode_transparent};

use crate::style;

/// Points of a piece's side in memory.
pub const SIDE: usize = 128;

/// What a set is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The network is trained with it.
    Train,
    /// Constants are chosen by it.
    Validate,
    /// Held out: it is only reported on.
    Test,
}

/// A piece set.
pub struct Set {
    pub name: String,
    pub group: Group,
    /// Its line in the table, by which its pictures are drawn.
    pub line: u64,
    /// Rasters in the order of the classes 1 to 12.
    pub pieces: Vec<Raster>,
}

/// A picture of a piece: premultiplied red, green, blue and opacity, each from 0 to 1.
#[derive(Clone)]
pub struct Raster {
    pub side: usize,
    pub data: Vec<[f32; 4]>,
}

impl Raster {
    fn new(image: &Transparent) -> Self {
        let side = image.width.max(image.height);
        let (left, top) = ((side - image.width) / 2, side - image.height);
        let mut data = vec![[0.0; 4]; side * side];
        for (at, pixel) in image.data.chunks_exact(4).enumerate() {
            let (x, y) = (at % image.width + left, at / image.width + top);
            let opacity = f32::from(pixel[3]) / 255.0;
            let [red, green, blue] = [0, 1, 2].map(|it| f32::from(pixel[it]) / 255.0 * opacity);
            data[y * side + x] = [red, green, blue, opacity];
        }
        Self { side, data }
    }

    /// The raster with sides of `side` points: means of what each point covers, or interpolation.
    pub fn resized(&self, side: usize) -> Self {
        let step = self.side as f32 / side as f32;
        let mut data = Vec::with_capacity(side * side);
        for y in 0..side {
            for x in 0..side {
                data.push(self.mean(x as f32 * step, y as f32 * step, step));
            }
        }
        Self { side, data }
    }

    fn mean(&self, left: f32, top: f32, step: f32) -> [f32; 4] {
        let samples = (step.ceil() as usize).max(1);
        let part = step / samples as f32;
        let mut sums = [0.0; 4];
        for row in 0..samples {
            for column in 0..samples {
                let x = left + (column as f32 + 0.5) * part - 0.5;
                let y = top + (row as f32 + 0.5) * part - 0.5;
                for (sum, value) in sums.iter_mut().zip(self.sample(x, y)) {
                    *sum += value;
                }
            }
        }
        sums.map(|sum| sum / (samples * samples) as f32)
    }

    /// Value between points, by bilinear interpolation.
    pub fn sample(&self, x: f32, y: f32) -> [f32; 4] {
        let last = self.side as f32 - 1.0;
        let (x, y) = (x.clamp(0.0, last), y.clamp(0.0, last));
        let (column, row) = (x as usize, y as usize);
        let (right, below) = ((column + 1).min(self.side - 1), (row + 1).min(self.side - 1));
        let (dx, dy) = (x - column as f32, y - row as f32);
        let at = |column: usize, row: usize| self.data[row * self.side + column];
        let (a, b) = (at(column, row), at(right, row));
        let (c, d) = (at(column, below), at(right, below));
        [0, 1, 2, 3].map(|it| {
            let upper = a[it] + (b[it] - a[it]) * dx;
            let lower = c[it] + (d[it] - c[it]) * dx;
            upper + (lower - upper) * dy
        })
    }
}

/// Reads the table of sets and those of these groups that stand under `sources`; others are named.
pub fn load(table: &str, sources: &Path, groups: &[Group]) -> (Vec<Set>, Vec<String>) {
    let (mut sets, mut missing) = (Vec::new(), Vec::new());
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for (number, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [group, name, kind, path, ..] = cells[..] else {
            missing.push(format!("five columns are expected: {line}"));
            continue;
        };
        let group = match group {
            "train" => Group::Train,
            "validate" => Group::Validate,
            _ => Group::Test,
        };
        if !groups.contains(&group) {
            continue;
        }
        let line = number as u64;
        match pieces(kind, path, sources) {
            Ok(pieces) => sets.push(Set { name: name.to_owned(), group, line, pieces }),
            Err(error) => missing.push(format!("{name}: {error}")),
        }
    }
    (sets, missing)
}

fn pieces(kind: &str, path: &str, sources: &Path) -> Result<Vec<Raster>, String> {
    let rasters = match kind {
        "files" => (0..12).map(|at| file(&sources.join(expand(path, at)))).collect(),
        "ids" => {
            let (file, id) = path.split_once('#').ok_or("a `#` is expected")?;
            (0..12).map(|at| element(&sources.join(file), &expand(id, at))).collect()
        }
        "font" => (0..12).map(|at| glyph(path, at)).collect(),
        "outline" => (0..12).map(|at| outline(path, at)).collect(),
        "atlas" => atlas(&sources.join(path)),
        "grid" => grid(&sources.join(path)),
        "strip" => strip(&sources.join(path)),
        _ => Err(format!("unknown kind {kind}")),
    };
    Ok(rasters?.into_iter().map(|raster: Raster| raster.resized(SIDE)).collect())
}

const NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
const LETTERS: [&str; 6] = ["P", "N", "B", "R", "Q", "K"];

/// A name with the words of a piece (0 to 11) in the place of `{w}`, `{White}`, `{P}` and so on.
fn expand(pattern: &str, at: usize) -> String {
    let (white, piece) = (at < 6, at % 6);
    let title = NAMES[piece][..1].to_uppercase() + &NAMES[piece][1..];
    let case = if white { LETTERS[piece].to_owned() } else { LETTERS[piece].to_lowercase() };
    pattern
        .replace("{w}", if white { "w" } else { "b" })
        .replace("{W}", if white { "W" } else { "B" })
        .replace("{white}", if white { "white" } else { "black" })
        .replace("{nibbler}", &(if white { "" } else { "_" }.to_owned() + LETTERS[piece]))
        .replace("{White}", if white { "White" } else { "Black" })
        .replace("{fen}", &case)
        .replace("{P}", LETTERS[piece])
        .replace("{p}", &LETTERS[piece].to_lowercase())
        .replace("{pawn}", NAMES[piece])
        .replace("{Pawn}", &title)
}

fn file(path: &Path) -> Result<Raster, String> {
    if path.extension().is_some_and(|it| it == "svg") {
        return rasterise(&[path.as_os_str()], None);
    }
    read(path).map(|image| Raster::new(&image))
}

fn read(path: &Path) -> Result<Transparent, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    decode_transparent(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// A raster of an SVG by `rsvg-convert` (of librsvg).
fn rasterise(arguments: &[&std::ffi::OsStr], input: Option<&str>) -> Result<Raster, String> {
    use std::io::Write;
    let mut command = Command::new("rsvg-convert");
    command.args(["-w", "128", "-h", "128", "-a"]).args(arguments);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("rsvg-convert: {error}"))?;
    if let (Some(text), Some(stdin)) = (input, child.stdin.as_mut()) {
        stdin.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let image = decode_transparent(&output.stdout).map_err(|error| error.to_string())?;
    Ok(Raster::new(&image))
}

/// One element of an SVG file with all pieces, in the middle of its square.
fn element(path: &Path, id: &str) -> Result<Raster, String> {
    let id = std::ffi::OsString::from(format!("--export-id={id}"));
    let tight = rasterise(&[&id, path.as_os_str()], None)?;
    Ok(padded(&tight, 0.86))
}

/// A raster in the middle of a larger one, of which it takes this part.
fn padded(raster: &Raster, part: f32) -> Raster {
    let side = (raster.side as f32 / part) as usize;
    let offset = (side - raster.side) / 2;
    let mut data = vec![[0.0; 4]; side * side];
    for (at, value) in raster.data.iter().enumerate() {
        let (x, y) = (at % raster.side + offset, at / raster.side + offset);
        data[y * side + x] = *value;
    }
    Raster { side, data }
}

/// A glyph of a font's chess symbols, black as in a text, white ones on a white ground.
fn glyph(family: &str, at: usize) -> Result<Raster, String> {
    let outlined = ['\u{2659}', '\u{2658}', '\u{2657}', '\u{2656}', '\u{2655}', '\u{2654}'][at % 6];
    let filled = ['\u{265f}', '\u{265e}', '\u{265d}', '\u{265c}', '\u{265b}', '\u{265a}'][at % 6];
    let text = |glyph: char, colour: &str| {
        format!(
            "<text x='50' y='82' font-size='88' text-anchor='middle' font-family='{family}' \
             fill='{colour}'>{glyph}</text>"
        )
    };
    let body = if at < 6 {
        text(filled, "white") + &text(outlined, "black")
    } else {
        text(filled, "black")
    };
    let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>{body}</svg>");
    rasterise(&[], Some(&svg))
}

/// A glyph of a font that has outlines only: white on a white ground, black filled with light lines.
fn outline(family: &str, at: usize) -> Result<Raster, String> {
    let outlined = ['\u{2659}', '\u{2658}', '\u{2657}', '\u{2656}', '\u{2655}', '\u{2654}'][at % 6];
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><text x='50' y='82' \
         font-size='88' text-anchor='middle' font-family='{family}'>{outlined}</text></svg>"
    );
    let mut raster = rasterise(&[], Some(&svg))?;
    let shape = style::silhouette(&raster);
    let side = raster.side;
    let border = |at: usize| {
        let near = [at.saturating_sub(3), at + 3, at.saturating_sub(3 * side), at + 3 * side];
        near.into_iter().any(|it| shape.get(it).is_none_or(|value| *value < 0.5))
    };
    for (point, value) in raster.data.iter_mut().enumerate() {
        let line = value[3];
        let light = match (at < 6, border(point)) {
            (true, _) => 1.0 - line,
            (false, true) => 0.0,
            (false, false) => line,
        };
        let opacity = shape[point];
        *value = [light * opacity, light * opacity, light * opacity, opacity];
    }
    Ok(raster)
}

/// Rows of white and of black pieces (rook, knight, bishop, queen, king, pawn) with transparency.
fn grid(path: &Path) -> Result<Vec<Raster>, String> {
    const ORDER: [usize; 6] = [5, 1, 2, 0, 3, 4];
    let image = read(path)?;
    let (width, height) = (image.width / 6, image.height / 2);
    let piece = |at: usize| cut(&image, ORDER[at % 6] * width, at / 6 * height, width, height);
    Ok((0..12).map(piece).collect())
}

/// Rows of white and of black pieces (rook, knight, bishop, queen, king, pawn) on one colour that
/// stands for the ground.
fn atlas(path: &Path) -> Result<Vec<Raster>, String> {
    const ORDER: [usize; 6] = [5, 1, 2, 0, 3, 4];
    let mut image = read(path)?;
    let key = [image.data[0], image.data[1], image.data[2]];
    for pixel in image.data.chunks_exact_mut(4) {
        if pixel[..3] == key {
            pixel[3] = 0;
        }
    }
    let (width, height) = (image.width / 7, image.height / 2);
    let piece = |at: usize| cut(&image, ORDER[at % 6] * width, at / 6 * height, width, height);
    Ok((0..12).map(piece).collect())
}

/// A row of white, then black pieces: pawn, knight, bishop, rook, queen, king.
fn strip(path: &Path) -> Result<Vec<Raster>, String> {
    let image = read(path)?;
    Ok((0..12).map(|at| cut(&image, at * image.height, 0, image.height, image.height)).collect())
}

fn cut(image: &Transparent, left: usize, top: usize, width: usize, height: usize) -> Raster {
    let row = |y: usize| {
        let start = ((top + y) * image.width + left) * 4;
        &image.data[start..start + width * 4]
    };
    let data = (0..height).flat_map(row).copied().collect();
    Raster::new(&Transparent { width, height, data })
}
