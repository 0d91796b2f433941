//! `harness picture`: the position of a chess board in a picture.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::input;
use crate::picture::{MAX_BYTES, Orientation, PictureError, Reading, Square, read};

/// Reads the position of a chess board in a picture: a screenshot or a diagram.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness picture screenshot.png
  harness picture board.webp --json
  harness picture diagram.jpg --turn --black-to-move
  wl-paste --type image/png | harness picture -

PNG, JPEG and WebP are read. The board may be a part of the picture, from either side, with
coordinates, arrows and marked squares; it must be seen from straight above. Squares in doubt are
listed and stand in brackets: look at them before the position is used. A picture tells neither who
moves nor what may castle: White moves, and kings and rooks at home may castle, unless flags say
otherwise.

The exit status is 2 when the file is no picture or no board is found, 3 when squares are in doubt.")]
pub struct PictureArgs {
    /// The picture; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The other side is below than what was read.
    #[arg(long)]
    turn: bool,
    /// Black is to move.
    #[arg(long)]
    black_to_move: bool,
    /// Nothing may castle.
    #[arg(long)]
    no_castling: bool,
}

#[derive(Debug, Error, Diagnostic)]
enum CommandError {
    #[error("cannot read {0}: {1}")]
    #[diagnostic(help("name a PNG, JPEG or WebP file, or `-` for standard input"))]
    Unreadable(String, #[source] std::io::Error),
    #[error("{0}: {1}")]
    NoPosition(String, #[source] PictureError),
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Object<'a> {
    file: String,
    #[serde(flatten)]
    reading: &'a Reading,
    uncertain: Vec<&'a Square>,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be read, is no picture, or shows no board.
pub fn run(args: &PictureArgs, context: &Context) -> Result<Exit, Failure> {
    let name = args.file.display().to_string();
    let unreadable = |error| CommandError::Unreadable(name.clone(), error);
    // A file is taken as it is, whatever its name ends with; one byte more than may be read shows
    // that it is too large.
    let source: Box<dyn Read> = if args.file.as_os_str() == "-" {
        input::open(&args.file).map_err(unreadable).or_usage()?
    } else {
        Box::new(std::fs::File::open(&args.file).map_err(unreadable).or_usage()?)
    };
    let mut bytes = Vec::new();
    source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable).or_usage()?;
    let failed = |error| CommandError::NoPosition(name.clone(), error);
    let mut reading = read(&bytes).map_err(failed).or_usage()?;
    if args.turn {
        reading.turn();
    }
    reading.set_fields(args.black_to_move, args.no_castling);
    let object = Object { file: name, uncertain: reading.uncertain().collect(), reading: &reading };
    context.show(&object, || text(&reading))?;
    Ok(if reading.uncertain().next().is_some() { Exit::Undecided } else { Exit::Good })
}

fn text(reading: &Reading) -> String {
    let side = if reading.black_below { "Black" } else { "White" };
    let reason = match reading.orientation {
        Orientation::Coordinates => "by its coordinates",
        Orientation::Pieces => "by its pieces",
        Orientation::Asked => "as asked for",
        Orientation::Assumed => "assumed: `--turn` turns it",
    };
    let mut lines = vec![reading.fen.clone(), String::new()];
    lines.extend(board(reading));
    lines.push(String::new());
    lines.push(format!("{side} is below in the picture ({reason})."));
    lines.extend(reading.notes.iter().map(|note| format!("Note: {note}.")));
    let doubts: Vec<String> = reading.uncertain().map(doubt).collect();
    if doubts.is_empty() {
        lines.push("No square is in doubt.".to_owned());
    } else {
        lines.push(format!("In doubt: {}.", doubts.join(", ")));
    }
    lines.join("\n") + "\n"
}

fn doubt(square: &Square) -> String {
    let named = |piece: char| if piece == '.' { "empty".to_owned() } else { piece.to_string() };
    let percent = 100.0 * square.confidence;
    let (first, second) = (named(square.piece), named(square.alternative));
    format!("{} ({first}, {percent:.0} %, or {second})", square.square)
}

/// The board from White's side, squares in doubt in brackets.
fn board(reading: &Reading) -> Vec<String> {
    let cell = |square: &Square| match square.uncertain {
        true => format!("[{}]", square.piece),
        false => format!(" {} ", square.piece),
    };
    let rows = reading.squares.chunks(8).zip((1..=8).rev());
    let mut lines: Vec<String> = rows
        .map(|(row, rank)| {
            format!("{rank} {}", row.iter().map(cell).collect::<String>().trim_end())
        })
        .collect();
    lines.push("   a  b  c  d  e  f  g  h".to_owned());
    lines
}
