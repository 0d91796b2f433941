//! Parsing of a line: FEN fields and operations, each with its place.

use std::ops::Range;

use shakmaty::fen::ParseFenError;

use super::error::Problem;

/// A piece of a line.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub text: &'a str,
    pub span: Range<usize>,
}

/// The position part of a line.
pub(super) struct Fields<'a> {
    /// Board, side to move, castling rights, en passant square.
    pub required: [Field<'a>; 4],
    pub halfmoves: Option<&'a str>,
    pub fullmoves: Option<&'a str>,
}

impl Fields<'_> {
    /// The problem of the field that a FEN error is about.
    pub(super) fn problem(&self, error: &ParseFenError) -> Problem {
        let [board, turn, castling, en_passant] = &self.required;
        let (field, what, help) = match error {
            ParseFenError::InvalidTurn => (turn, "is no side to move", "use `w` or `b`"),
            ParseFenError::InvalidCastling => (
                castling,
                "are no castling rights",
                "use some of `KQkq`, the files of the rooks, or `-`",
            ),
            ParseFenError::InvalidEpSquare => {
                (en_passant, "is no en passant square", "use a square such as `e3`, or `-`")
            }
            _ => (
                board,
                "is no board",
                "eight ranks from the eighth down, joined by `/`; each adds up to eight squares",
            ),
        };
        Problem::at(field.span.clone(), format!("`{}` {what}", field.text)).with_help(help)
    }
}

/// An operation: an opcode and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// `bm`, `id`, `c0`, ...
    pub opcode: String,
    /// Operands between the opcode and the semicolon.
    pub operands: Vec<Operand>,
    /// Bytes of the opcode within the line.
    pub span: Range<usize>,
}

/// One operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Without quotes.
    pub text: String,
    /// Bytes within the line, without quotes.
    pub span: Range<usize>,
}

impl Operation {
    /// The operands as one text.
    pub fn text(&self) -> String {
        let operands: Vec<&str> =
            self.operands.iter().map(|operand| operand.text.as_str()).collect();
        operands.join(" ").trim().to_owned()
    }
}

/// The first operation with this opcode.
pub(super) fn operation<'a>(operations: &'a [Operation], opcode: &str) -> Option<&'a Operation> {
    operations.iter().find(|operation| operation.opcode == opcode)
}

/// Parses a line.
pub(super) fn split(line: &str) -> Result<(Fields<'_>, Vec<Operation>), Problem> {
    let mut cursor = Cursor { line, at: 0 };
    let fields = cursor.fields()?;
    let mut operations = Vec::new();
    while let Some(operation) = cursor.operation()? {
        operations.push(operation);
    }
    Ok((fields, operations))
}

struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.at += self.rest().len() - self.rest().trim_start_matches(what).len();
    }

    /// Text up to a blank or semicolon; `None` where there is none.
    fn token(&mut self) -> Option<Field<'a>> {
        self.skip(char::is_whitespace);
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
        let span = self.at..self.at + end;
        self.at = span.end;
        (end > 0).then(|| Field { text: &self.line[span.clone()], span })
    }

    fn fields(&mut self) -> Result<Fields<'a>, Problem> {
        const NAMES: [&str; 4] =
            ["the board", "the side to move", "the castling rights", "the en passant square"];
        let mut next = |name: &str| {
            self.token().ok_or_else(|| {
                Problem::at(self.at..self.at, format!("{name} is missing"))
                    .with_help("a position is `BOARD SIDE CASTLING EN-PASSANT`, as in a FEN")
            })
        };
        let required = [next(NAMES[0])?, next(NAMES[1])?, next(NAMES[2])?, next(NAMES[3])?];
        let halfmoves = self.counter();
        let fullmoves = halfmoves.and_then(|_| self.counter());
        Ok(Fields { required, halfmoves, fullmoves })
    }

    /// The next token, if it is a number.
    fn counter(&mut self) -> Option<&'a str> {
        let before = self.at;
        let token = self.token().filter(|token| token.text.bytes().all(|b| b.is_ascii_digit()));
        if token.is_none() {
            self.at = before;
        }
        token.map(|token| token.text)
    }

    fn operation(&mut self) -> Result<Option<Operation>, Problem> {
        self.skip(|c| c.is_whitespace() || c == ';');
        let Some(opcode) = self.token() else { return Ok(None) };
        if !opcode.text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(Problem::at(opcode.span, format!("`{}` is no opcode", opcode.text))
                .with_help(
                    "after the position come operations such as `bm Qd1+; id \"BK.01\";`, \
                     each of which starts with a letter and ends with a semicolon",
                ));
        }
        let mut operands = Vec::new();
        loop {
            self.skip(char::is_whitespace);
            if self.rest().is_empty() || self.rest().starts_with(';') {
                break;
            }
            operands.push(if self.rest().starts_with('"') { self.quoted()? } else { self.bare() });
        }
        Ok(Some(Operation { opcode: opcode.text.to_owned(), operands, span: opcode.span }))
    }

    fn quoted(&mut self) -> Result<Operand, Problem> {
        let open = self.at;
        let inner = open + 1;
        let Some(length) = self.line[inner..].find('"') else {
            return Err(Problem::at(open..self.line.trim_end().len(), "the text never ends")
                .with_help("close it with a second `\"`"));
        };
        let span = inner..inner + length;
        self.at = span.end + 1;
        Ok(Operand { text: self.line[span.clone()].to_owned(), span })
    }

    /// The next token, which the caller has checked to exist.
    fn bare(&mut self) -> Operand {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
        let span = self.at..self.at + end;
        self.at = span.end;
        Operand { text: self.line[span.clone()].to_owned(), span }
    }
}
