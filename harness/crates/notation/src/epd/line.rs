//! Parsing of a line: FEN fields and operations, each with its place.

use std::ops::Range;

use shakmaty::fen::ParseFenError;

use super::error::LineError;

/// The largest counter of a position.
const MAX_COUNTER: u32 = 65_535;

/// A line with a position and its operations.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Board, side to move, castling rights, en passant square.
    required: [Field<'a>; 4],
    /// Halfmove clock and move number, as fields of a FEN.
    counters: [Option<Field<'a>>; 2],
    /// Checks of three-check: those left, `3+3`, or those given, `+0+0`.
    checks: Option<Field<'a>>,
    /// All operations in order.
    pub operations: Vec<Operation>,
}

/// A piece of a line.
#[derive(Clone, Debug)]
struct Field<'a> {
    text: &'a str,
    span: Range<usize>,
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

    /// Bytes from the opcode to the end of the last operand.
    fn whole(&self) -> Range<usize> {
        self.span.start..self.operands.last().unwrap_or(&Operand::none(&self.span)).span.end
    }
}

impl Operand {
    fn none(opcode: &Range<usize>) -> Operand {
        Operand { text: String::new(), span: opcode.clone() }
    }
}

/// The first operation with this opcode.
pub(super) fn operation<'a>(operations: &'a [Operation], opcode: &str) -> Option<&'a Operation> {
    operations.iter().find(|operation| operation.opcode == opcode)
}

impl<'a> Line<'a> {
    /// Parses a line that is neither empty nor a comment.
    ///
    /// # Errors
    /// When a required field is missing, or an operation has no opcode or never ends.
    pub fn parse(text: &'a str) -> Result<Line<'a>, LineError> {
        let mut cursor = Cursor { line: text, at: 0 };
        let mut line = cursor.fields()?;
        while let Some(operation) = cursor.operation()? {
            line.operations.push(operation);
        }
        Ok(line)
    }

    /// The first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        operation(&self.operations, opcode)
    }

    /// All six fields, and the checks of three-check. The counters are those of the FEN part, else
    /// of `hmvc` and `fmvn`, else 0 and 1.
    ///
    /// # Errors
    /// When a counter is no number, or too large.
    pub fn fen(&self) -> Result<String, LineError> {
        let [board, turn, castling, en_passant] = self.required.each_ref().map(|field| field.text);
        let halfmoves = self.counter(0, "hmvc", "halfmove clock", 0)?;
        let fullmoves = self.counter(1, "fmvn", "move number", 1)?;
        let checks = self.checks.as_ref().map_or("", |checks| checks.text);
        let (before, behind) = match checks {
            "" => (String::new(), String::new()),
            given if given.starts_with('+') => (String::new(), format!(" {given}")),
            left => (format!(" {left}"), String::new()),
        };
        Ok(format!(
            "{board} {turn} {castling} {en_passant}{before} {halfmoves} {fullmoves}{behind}"
        ))
    }

    fn counter(
        &self,
        place: usize,
        opcode: &str,
        name: &str,
        default: u32,
    ) -> Result<u32, LineError> {
        let (text, span) = match (&self.counters[place], self.operation(opcode)) {
            (Some(field), _) => (field.text.to_owned(), field.span.clone()),
            (None, Some(operation)) => (operation.text(), operation.whole()),
            (None, None) => return Ok(default),
        };
        let number = text.parse().ok().filter(|&number: &u32| number <= MAX_COUNTER);
        number.ok_or_else(|| {
            let what = format!("the {name} is `{text}` instead of a number up to {MAX_COUNTER}");
            LineError::at(span, what)
        })
    }

    /// The board of the line.
    pub fn board(&self) -> Range<usize> {
        self.required[0].span.clone()
    }

    /// Refuses the checks of three-check, which other games do not have.
    ///
    /// # Errors
    /// When the line has them.
    pub fn has_no_checks(&self) -> Result<(), LineError> {
        let Some(Field { text, span }) = &self.checks else { return Ok(()) };
        let what = format!("`{text}` counts checks, which three-check alone has");
        Err(LineError::at(span.clone(), what))
    }

    /// The problem of the field that a FEN error is about.
    pub(super) fn problem(&self, error: &ParseFenError) -> LineError {
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
        LineError::at(field.span.clone(), format!("`{}` {what}", field.text)).with_help(help)
    }
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

    /// Text up to a blank, a semicolon or another one of `ends`; `None` where there is none.
    fn token(&mut self, ends: &[char]) -> Option<Field<'a>> {
        self.skip(char::is_whitespace);
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || c == ';' || ends.contains(&c);
        let span = self.at..self.at + rest.find(is_end).unwrap_or(rest.len());
        self.at = span.end;
        (!span.is_empty()).then(|| Field { text: &self.line[span.clone()], span })
    }

    /// The next token, if it is one of these.
    fn token_if(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<Field<'a>> {
        let before = self.at;
        let token = self.token(&[]).filter(|token| is_wanted(token.text));
        if token.is_none() {
            self.at = before;
        }
        token
    }

    fn fields(&mut self) -> Result<Line<'a>, LineError> {
        const NAMES: [&str; 4] =
            ["the board", "the side to move", "the castling rights", "the en passant square"];
        let mut next = |name: &str| {
            self.token(&[]).ok_or_else(|| {
                LineError::at(self.at..self.at, format!("{name} is missing"))
                    .with_help("a position is `BOARD SIDE CASTLING EN-PASSANT`, as in a FEN")
            })
        };
        let required = [next(NAMES[0])?, next(NAMES[1])?, next(NAMES[2])?, next(NAMES[3])?];
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let checks = self.token_if(counts_checks);
        let halfmoves = self.token_if(is_number);
        let fullmoves = halfmoves.as_ref().and_then(|_| self.token_if(is_number));
        let checks = checks.or_else(|| self.token_if(counts_checks));
        Ok(Line { required, counters: [halfmoves, fullmoves], checks, operations: Vec::new() })
    }

    fn operation(&mut self) -> Result<Option<Operation>, LineError> {
        self.skip(|c| c.is_whitespace() || c == ';');
        let is_quote = self.rest().starts_with('"');
        let Some(opcode) = self.token(if is_quote { &[] } else { &['"'] }) else { return Ok(None) };
        if opcode.text.contains('/') {
            return Err(LineError::at(opcode.span, format!("`{}` is no opcode", opcode.text))
                .with_help("it looks like the board of another position: begin a line with it"));
        }
        if !opcode.text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(LineError::at(opcode.span, format!("`{}` is no opcode", opcode.text))
                .with_help(
                    "after the position come operations such as `bm Qd1+; id \"BK.01\";`, \
                     each of which starts with a letter and ends with a semicolon",
                ));
        }
        let mut operands = Vec::new();
        loop {
            self.skip(char::is_whitespace);
            if self.rest().starts_with('"') {
                operands.push(self.quoted()?);
                continue;
            }
            match self.token(&[]) {
                Some(Field { text, span }) => operands.push(Operand { text: text.into(), span }),
                None => break,
            }
        }
        Ok(Some(Operation { opcode: opcode.text.to_owned(), operands, span: opcode.span }))
    }

    fn quoted(&mut self) -> Result<Operand, LineError> {
        let open = self.at;
        let inner = &self.line[open + 1..];
        let Some(length) = closing_quote(inner) else {
            return Err(LineError::at(open..self.line.trim_end().len(), "the text never ends")
                .with_help("close it with a second `\"`"));
        };
        let span = open + 1..open + 1 + length;
        self.at = span.end + 1;
        let text = self.line[span.clone()].replace("\\\"", "\"").replace("\\\\", "\\");
        Ok(Operand { text, span })
    }
}

/// The place of the quote that ends a text. Quotes behind a backslash are part of it, as python-chess
/// writes them, unless the text would then end within a word: names of folders end in a backslash.
fn closing_quote(text: &str) -> Option<usize> {
    let ends = |at: usize| {
        text[at + 1..].chars().next().is_none_or(|next| next.is_whitespace() || next == ';')
    };
    let mut is_escaped = false;
    let plain = text.bytes().position(|byte| {
        let closes = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        closes
    });
    if plain.is_some_and(ends) {
        return plain;
    }
    let before = &text[..plain.unwrap_or(text.len())];
    let escaped = before.match_indices('"').map(|(at, _)| at).find(|&at| ends(at));
    escaped.or(plain)
}

/// Whether a word counts the checks of three-check.
fn counts_checks(word: &str) -> bool {
    word.contains('+') && word.bytes().all(|byte| byte == b'+' || byte.is_ascii_digit())
}
