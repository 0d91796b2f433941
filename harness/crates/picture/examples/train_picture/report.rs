//! How well the network and the search for boards do on sets, and pictures to look at.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use harness_picture::{LETTERS, Network, Pixels, read_with};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use zune_png::PngEncoder;
use zune_png::zune_core::colorspace::ColorSpace;
use zune_png::zune_core::options::EncoderOptions;

use crate::scene::{self, Scene, Source};
use crate::sets::Set;
use crate::style;

/// What became of the boards of a set.
#[derive(Default)]
struct Tally {
    boards: usize,
    /// Boards whose place was found.
    found: usize,
    /// Boards read without an error, the side below included.
    right: usize,
    /// Boards on which every square that was read wrong is marked, or none is wrong.
    marked: usize,
    /// Squares of the boards that were found.
    squares: usize,
    wrong: usize,
    /// Squares that are marked though they are right.
    needless: usize,
    turned: usize,
    milliseconds: f64,
    /// Number of squares by class and class read.
    confusions: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.boards += other.boards;
        self.found += other.found;
        self.right += other.right;
        self.marked += other.marked;
        self.squares += other.squares;
        self.wrong += other.wrong;
        self.needless += other.needless;
        self.turned += other.turned;
        self.milliseconds += other.milliseconds;
        for (what, count) in &other.confusions {
            *self.confusions.entry(what.clone()).or_default() += count;
        }
    }

    fn row(&self, name: &str) -> String {
        let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        format!(
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} | {:.0} |",
            self.boards,
            share(self.found, self.boards),
            share(self.right, self.boards),
            share(self.marked, self.boards),
            share(self.wrong, self.squares),
            self.needless as f64 / self.found.max(1) as f64,
            share(self.turned, self.found),
            self.milliseconds / self.boards as f64,
        )
    }
}

/// Prints a table of the sets that were not trained with: the whole way from a picture to a position.
pub fn report(sets: &[Set], arguments: &[&str]) -> Result<(), String> {
    let boards = arguments.get(1).map_or(Ok(100), |it| it.parse());
    let boards: u64 = boards.map_err(|_| "boards are a number")?;
    let network = match arguments.first() {
        Some(path) => std::fs::read(path).ok().and_then(|bytes| Network::from_bytes(&bytes)),
        None => Network::embedded(),
    };
    let network = network.ok_or("the weights cannot be read")?;
    let source = if arguments.contains(&"suites") { Source::Suites } else { Source::Random };
    println!(
        "| set | boards | found % | no error % | no unmarked error % | squares wrong % \
         | needless marks a board | turned % | ms |\n|---|---|---|---|---|---|---|---|---|"
    );
    let mut all = Tally::default();
    for set in sets {
        let mut tally = Tally::default();
        for board in 0..boards {
            let mut rng = Pcg64Mcg::seed_from_u64(1_000_000 + set.line * 10_000 + board);
            read_one(&network, &scene::usual(set, source, &mut rng), &mut tally);
        }
        println!("{}", tally.row(&set.name));
        all.add(&tally);
    }
    println!("{}\n", all.row("all"));
    let mut worst: Vec<_> = all.confusions.iter().collect();
    worst.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let worst: Vec<String> =
        worst.iter().take(12).map(|(what, count)| format!("{what} {count}")).collect();
    println!("squares read wrong: {}", worst.join(", "));
    Ok(())
}

/// Reads a picture; gives the squares that were read wrong, as `e4:N>B`, and what else went wrong.
fn read_one(network: &Network, scene: &Scene, tally: &mut Tally) -> Vec<String> {
    let start = Instant::now();
    let reading = read_with(&scene.pixels, network);
    tally.milliseconds += start.elapsed().as_secs_f64() * 1000.0;
    tally.boards += 1;
    let Ok(reading) = reading else { return vec!["no-board".to_owned()] };
    if (reading.board.left - scene.grid.left).abs() > 0.3 * scene.grid.square_width
        || (reading.board.top - scene.grid.top).abs() > 0.3 * scene.grid.square_height
    {
        return vec!["elsewhere".to_owned()];
    }
    tally.found += 1;
    let turned = reading.black_below != scene.flipped;
    let mut misses: Vec<String> =
        turned.then(|| format!("turned by {:?}", reading.orientation)).into_iter().collect();
    let (mut wrong, mut unmarked) = (0, 0);
    for (at, square) in reading.squares.iter().enumerate() {
        let seen = if reading.black_below { 63 - at } else { at };
        let shown = LETTERS[scene.placement[seen]];
        let right = square.piece == shown;
        if !right {
            let what = format!("{shown}>{}", square.piece);
            // Where it is in the picture, from the upper left.
            misses.push(format!("row{}column{}:{what}", seen / 8 + 1, seen % 8 + 1));
            *tally.confusions.entry(what).or_default() += 1;
        }
        wrong += usize::from(!right);
        unmarked += usize::from(!right && !square.uncertain);
        tally.needless += usize::from(right && square.uncertain);
    }
    tally.squares += 64;
    tally.wrong += wrong;
    tally.turned += usize::from(turned);
    tally.right += usize::from(wrong == 0 && !turned);
    tally.marked += usize::from(unmarked == 0);
    misses
}

/// Writes the pictures that are not read without an error, and prints what was wrong in them.
pub fn draw_misses(sets: &[Set], folder: &Path, boards: u64) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let network = Network::embedded().ok_or("the weights cannot be read")?;
    for set in sets {
        for board in 0..boards {
            let mut rng = Pcg64Mcg::seed_from_u64(1_000_000 + set.line * 10_000 + board);
            let scene = scene::usual(set, Source::Random, &mut rng);
            let misses = read_one(&network, &scene, &mut Tally::default());
            if misses.is_empty() {
                continue;
            }
            let name = format!("{}-{board}.png", set.name);
            println!("{name}: {}", misses.join(" "));
            std::fs::write(folder.join(name), png(&scene.pixels)?)
                .map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Writes a picture of training and one of use for each set.
pub fn draw_samples(sets: &[Set], folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for set in sets {
        let mut rng = Pcg64Mcg::seed_from_u64(set.line);
        let looks = style::restyled(set, &[set], &mut rng);
        for (kind, scene) in [
            ("training", scene::training(&looks, scene::mixed_placement(&mut rng), &mut rng)),
            ("usual", scene::usual(set, Source::Random, &mut rng)),
        ] {
            let path = folder.join(format!("{}-{kind}.png", set.name));
            std::fs::write(&path, png(&scene.pixels)?).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// A PNG file of a picture.
fn png(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let options = EncoderOptions::default()
        .set_width(pixels.width())
        .set_height(pixels.height())
        .set_colorspace(ColorSpace::RGB);
    let mut bytes = Vec::new();
    let mut encoder = PngEncoder::new(pixels.data(), options);
    encoder.encode(&mut bytes).map_err(|error| format!("{error:?}"))?;
    Ok(bytes)
}
