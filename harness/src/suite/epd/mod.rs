//! Extended Position Description: one position a line, with operations.
//!
//! Accepts the dialects of published suites: four FEN fields or all six; moves in SAN with or without
//! `+`, `x`, `=`, with zeros for castling, or in UCI notation; scored moves as `c0 "f5=10, Be5=2"`
//! or as scores in `c8` for moves in `c9`; comments, blank lines, any line ends, a byte order
//! mark. Unknown operations are kept.
//!
//! ```
//! use harness::suite::epd;
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
use std::sync::Arc;

use miette::NamedSource;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move};

pub use error::{EpdError, EpdErrors};
pub use line::{Operand, Operation};

use error::Problem;
use line::Fields;

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
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    let file = NamedSource::new(name, Arc::clone(&text));
    let mut positions = Vec::new();
    let mut errors = Vec::new();
    let mut used = HashMap::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        let body = line.trim_start_matches('\u{feff}');
        let first = start + line.len() - body.len();
        start += line.len() + 1;
        if body.trim().is_empty() || body.trim_start().starts_with('#') {
            continue;
        }
        match read_line(number, body) {
            Ok(mut position) => {
                make_unique(&mut position.id, &mut used);
                positions.push(position);
            }
            Err(problem) => {
                let id = line::split(body).ok().and_then(|(_, operations)| id(&operations));
                errors.push(EpdError::new(&file, number, id, problem.shifted(first)));
            }
        }
    }
    (positions, errors)
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

fn read_line(number: usize, text: &str) -> Result<EpdPosition, Problem> {
    let (fields, operations) = line::split(text)?;
    let (position, castling, forgiven) = set_up(&fields, &operations)?;
    let moves = |opcode: &str| -> Result<Vec<Move>, Problem> {
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

fn set_up(fields: &Fields<'_>, operations: &[Operation]) -> Result<SetUp, Problem> {
    let counter = |field: Option<&str>, opcode: &str, default: u32| {
        let operation = line::operation(operations, opcode).map(Operation::text);
        field
            .and_then(|text| text.parse().ok())
            .or_else(|| operation.and_then(|text| text.parse().ok()))
            .unwrap_or(default)
    };
    let halfmoves = counter(fields.halfmoves, "hmvc", 0);
    let fullmoves = counter(fields.fullmoves, "fmvn", 1);
    let [board, turn, castling, en_passant] = &fields.required;
    let fen = format!(
        "{} {} {} {} {halfmoves} {fullmoves}",
        board.text, turn.text, castling.text, en_passant.text
    );
    let setup =
        Fen::from_ascii(fen.as_bytes()).map_err(|error| fields.problem(&error))?.into_setup();
    let mode = CastlingMode::detect(&setup);
    // Published suites have these errors, and engines accept them.
    let mut forgiven = None;
    let position = Fen::try_from_setup(setup)
        .map_err(|_| Problem::at(board.span.clone(), "the board cannot be written as a FEN"))?
        .into_position::<Chess>(mode)
        .inspect_err(|error| forgiven = Some(error.to_string()))
        .or_else(shakmaty::PositionError::ignore_invalid_castling_rights)
        .or_else(shakmaty::PositionError::ignore_invalid_ep_square)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .map_err(|error| {
            Problem::at(board.span.clone(), format!("the position cannot be: {error}"))
        })?;
    Ok((position, mode, forgiven))
}

#[cfg(test)]
mod tests;
