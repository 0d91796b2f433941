//! Extended Position Description: one position a line, with operations.
//!
//! The one reader of such lines: of suites, books, perft counts and training data. [`Line`] is a line
//! as it is written; [`read`] checks the moves of whole files too.
//!
//! Accepts the dialects of published files: four FEN fields or all six; moves in SAN with or without
//! `+`, `x`, `=`, with zeros for castling, or in UCI notation; scored moves as `c0 "f5=10, Be5=2"`
//! or as scores in `c8` for moves in `c9`; comments, blank lines, any line ends, a byte order
//! mark, any encoding that [`decode_file`](harness_base::text::decode_file) knows. Unknown operations are
//! kept.
//!
//! ```
//! use harness_notation::epd;
//!
//! let text = b"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";";
//! let positions = epd::read("bk.epd", text)?;
//! assert_eq!(positions[0].id, "BK.01");
//! assert_eq!(positions[0].best.len(), 1);
//! # Ok::<(), epd::EpdErrors>(())
//! ```

mod error;
mod line;
mod moves;
mod scores;

use std::collections::HashMap;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move};

pub use error::{EpdError, EpdErrors, LineError};
pub use line::{Line, Operand, Operation};

use harness_base::text;

/// A position with its operations.
#[derive(Clone, Debug)]
pub struct EpdPosition {
    /// Line in the file, from 1.
    pub line: usize,
    /// The `id` operation, made unique within the file; `line N` where there is none.
    pub id: String,
    /// All six fields, without invalid castling rights.
    pub fen: String,
    /// The position.
    pub position: Chess,
    /// Tolerated errors of the position as written.
    pub forgiven: Option<String>,
    /// Whether its castling rights need Chess960.
    pub castling: CastlingMode,
    /// `bm`: the moves that solve it.
    pub best: Vec<Move>,
    /// `am`: the moves that do not.
    pub avoid: Vec<Move>,
    /// Points for moves, where moves are scored.
    pub points: Vec<(Move, u32)>,
    /// All operations in order, unknown ones included.
    pub operations: Vec<Operation>,
}

impl EpdPosition {
    /// The first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        line::operation(&self.operations, opcode)
    }
}

/// Reads a whole file. `name` is what errors call it.
///
/// # Errors
/// [`EpdErrors`] with the first faulty lines, by line and column, and their number.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<EpdPosition>, EpdErrors> {
    let (positions, errors) = read_all(name, bytes);
    if errors.is_empty() { Ok(positions) } else { Err(EpdErrors::new(name, errors)) }
}

/// Parses the valid lines of a file, and reports every faulty one.
pub fn read_all(name: &str, bytes: &[u8]) -> (Vec<EpdPosition>, Vec<EpdError>) {
    let text = text::decode_file(bytes);
    let mut positions = Vec::new();
    let mut errors = Vec::new();
    let mut used = HashMap::new();
    for (number, start, line) in lines(&text) {
        match read_line(number, line) {
            Ok(mut position) => {
                make_unique(&mut position.id, &mut used);
                positions.push(position);
            }
            Err(problem) => {
                let id = Line::parse(line).ok().and_then(|line| id(&line.operations));
                errors.push(EpdError::new(name, &text, number, id, problem.shifted(start)));
            }
        }
    }
    (positions, errors)
}

/// The lines of a text that hold positions, each with its number, from 1, and its offset. A line
/// ends with LF, CR or both.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut start = 0;
    let all = (1..).map_while(move |number| {
        let rest = text.get(start..)?;
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let from = start;
        start += end + if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        Some((number, from, &rest[..end]))
    });
    all.filter_map(|(number, start, line)| {
        let marks = line.len() - line.trim_start_matches('\u{feff}').len();
        Some((number, start + marks, content(line)?))
    })
}

/// A line without the byte order mark that joined files have in their midst and the end of file of DOS; `None`
/// for a blank one and a comment.
pub fn content(line: &str) -> Option<&str> {
    let content = line.trim_start_matches('\u{feff}').trim_end_matches(['\u{1a}', '\r', '\n']);
    let first = content.trim_start().chars().next()?;
    (first != '#').then_some(content)
}

/// Results are compared by id, so that no two positions may share one.
fn make_unique(id: &mut String, used: &mut HashMap<String, u32>) {
    let times = used.entry(id.clone()).or_insert(0);
    *times += 1;
    let mut number = *times;
    if number == 1 {
        return;
    }
    // The file may have the id with a number, too.
    let unused = loop {
        let candidate = format!("{id} ({number})");
        if !used.contains_key(&candidate) {
            break candidate;
        }
        number += 1;
    };
    used.insert(id.clone(), number);
    used.insert(unused.clone(), 1);
    *id = unused;
}

fn read_line(number: usize, text: &str) -> Result<EpdPosition, LineError> {
    let line = Line::parse(text)?;
    let (position, castling, forgiven) = set_up(&line)?;
    let Line { operations, .. } = line;
    let moves = |opcode: &str| -> Result<Vec<Move>, LineError> {
        let mut found = Vec::new();
        for operation in operations.iter().filter(|operation| operation.opcode == opcode) {
            found.extend(moves::of_operation(&position, operation)?);
        }
        Ok(found)
    };
    Ok(EpdPosition {
        line: number,
        id: id(&operations).unwrap_or_else(|| format!("line {number}")),
        fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
        castling,
        best: moves("bm")?,
        avoid: moves("am")?,
        points: scores::of_operations(&position, &operations)?,
        position,
        forgiven,
        operations,
    })
}

fn id(operations: &[Operation]) -> Option<String> {
    line::operation(operations, "id").map(Operation::text).filter(|id| !id.is_empty())
}

/// The position, its castling mode, and its tolerated errors.
type SetUp = (Chess, CastlingMode, Option<String>);

fn set_up(line: &Line<'_>) -> Result<SetUp, LineError> {
    line.has_no_checks()?;
    let fen = line.fen()?;
    let setup = Fen::from_ascii(fen.as_bytes()).map_err(|error| line.problem(&error))?.into_setup();
    let mode = CastlingMode::detect(&setup);
    // Published suites have these errors, and engines accept them.
    let mut forgiven = None;
    let position = Fen::try_from_setup(setup)
        .map_err(|_| LineError::at(line.board(), "the board cannot be written as a FEN"))?
        .into_position::<Chess>(mode)
        .inspect_err(|error| forgiven = Some(error.to_string()))
        .or_else(shakmaty::PositionError::ignore_invalid_castling_rights)
        .or_else(shakmaty::PositionError::ignore_invalid_ep_square)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .map_err(|error| LineError::at(line.board(), format!("the position cannot be: {error}")))?;
    Ok((position, mode, forgiven))
}

#[cfg(test)]
mod tests;
