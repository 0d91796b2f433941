//! Games as PGN, with comments in the form of cutechess and fastchess.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use shakmaty::{ByColor, Color};

use harness_player::{Limit, Score};

use super::game::Conduct;
use super::game::{PlayedGame, PlayedMove, Setup, Thought};
use super::opening_error::OpeningError;
use super::openings;
use super::record::{GameRecord, Leg, Opening};
use super::referee::Referee;
use super::variant::Rules;
use super::verify::is_short_tag;

/// The termination of a game in progress, as in the standard.
const UNTERMINATED: &str = "unterminated";

/// Longest line, as in the standard; a single tag or word may be longer.
const LINE: usize = 80;

/// The position at the end of a game that [`write`] wrote, as EPD.
///
/// # Errors
/// When the text is no game.
pub fn final_position(game: &str) -> Result<String, OpeningError> {
    let tag = game.split_once("[Variant \"").and_then(|(_, rest)| rest.split_once('"'));
    let rules = tag.and_then(|(tag, _)| Rules::of_tag(tag)).unwrap_or_default();
    let moves = openings::pgn_moves(game.as_bytes(), rules)?;
    let (referee, _) = Referee::after(&moves, rules)?;
    Ok(referee.position().epd())
}

/// A game that [`write`] wrote, without its comments.
pub fn without_comments(game: &str) -> String {
    let (tags, moves) = game.split_once("\n\n").unwrap_or((game, ""));
    let mut text = format!("{tags}\n\n");
    let mut lines = Lines { text: &mut text, column: 0 };
    let mut inside = false;
    for word in moves.split_whitespace() {
        inside |= word.starts_with('{');
        if !inside {
            lines.word(word);
        }
        inside &= !word.ends_with('}');
    }
    text.push('\n');
    text
}

/// Tags that are not part of the game.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a> {
    /// Name of the event.
    pub event: &'a str,
    /// Number of the pair, from 0.
    pub pair: u64,
    /// Which game of the pair.
    pub leg: Leg,
    /// The players' names.
    pub names: ByColor<&'a str>,
}

/// The text of a game, an empty line at its end.
pub fn write(tags: &Tags<'_>, setup: &Setup<'_>, game: &PlayedGame) -> String {
    let PlayedGame { started, moves, further, .. } = game;
    write_record(tags, setup, &Record { started: *started, moves, further, end: Some(game) })
}

/// The text of a game in progress, with the result `*`; an empty line at its end. `moves` begin with those
/// of the book.
pub fn write_unfinished(
    tags: &Tags<'_>,
    setup: &Setup<'_>,
    started: Timestamp,
    moves: &[PlayedMove],
) -> String {
    write_record(tags, setup, &Record { started, moves, further: &[], end: None })
}

/// The parts of a game that its text has.
struct Record<'a> {
    started: Timestamp,
    moves: &'a [PlayedMove],
    further: &'a [String],
    /// `None`: it is in progress.
    end: Option<&'a PlayedGame>,
}

impl Record<'_> {
    fn result(&self) -> &'static str {
        self.end.map_or("*", |game| game.result.pgn())
    }

    fn reason(&self) -> Option<&str> {
        self.end.map(|game| game.reason.as_str())
    }
}

fn write_record(tags: &Tags<'_>, setup: &Setup<'_>, game: &Record<'_>) -> String {
    let mut text = String::with_capacity(1024 + game.moves.len() * 40);
    write_tags(&mut text, tags, setup, game);
    text.push('\n');
    write_moves(&mut text, setup, game);
    text.push_str("\n\n");
    text
}

fn write_tags(text: &mut String, tags: &Tags<'_>, setup: &Setup<'_>, game: &Record<'_>) {
    let started = game.started.to_zoned(TimeZone::UTC);
    let mut tag = |name: &str, value: &str| write_tag(text, name, value);
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", &started.strftime("%Y.%m.%d").to_string());
    tag("Round", &round(tags));
    tag("White", tags.names.white);
    tag("Black", tags.names.black);
    tag("Result", game.result());
    if let Some(variant) = setup.conduct.rules.tag() {
        tag("Variant", variant);
    }
    if let Some(fen) = &setup.opening.fen {
        tag("SetUp", "1");
        tag("FEN", fen);
    }
    let time_form = "%Y-%m-%dT%H:%M:%S%.3f %z";
    tag("GameStartTime", &started.strftime(time_form).to_string());
    if let Some(game) = game.end {
        let took = jiff::SignedDuration::try_from(game.took).unwrap_or_default();
        let ended = started.saturating_add(took);
        tag("GameEndTime", &ended.strftime(time_form).to_string());
    }
    tag("PlyCount", &game.moves.len().to_string());
    tag("Termination", game.end.map_or(UNTERMINATED, |game| game.termination.pgn_tag()));
    let ByColor { white, black } = setup.limits;
    if white == black {
        tag("TimeControl", &time_control(white));
    } else {
        tag("WhiteTimeControl", &time_control(white));
        tag("BlackTimeControl", &time_control(black));
    }
}

/// Checks the tags of a game that [`write`] wrote elsewhere: those, in that order, of this game. Its times and
/// limits are those of the other machine, of which the form is checked.
///
/// # Errors
/// When there is another one, which is named.
pub(super) fn check_tags(
    text: &str,
    tags: &Tags<'_>,
    opening: &Opening,
    conduct: &Conduct,
    (game, plies): (&GameRecord, usize),
) -> Result<(), String> {
    let (round, plies) = (round(tags), plies.to_string());
    let mut expected = vec![
        ("Event", Some(tags.event)),
        ("Site", Some("?")),
        ("Date", None),
        ("Round", Some(&round)),
        ("White", Some(tags.names.white)),
        ("Black", Some(tags.names.black)),
        ("Result", Some(game.result.pgn())),
    ];
    expected.extend(conduct.rules.tag().map(|variant| ("Variant", Some(variant))));
    if let Some(fen) = &opening.fen {
        expected.extend([("SetUp", Some("1")), ("FEN", Some(fen))]);
    }
    expected.extend([
        ("GameStartTime", None),
        ("GameEndTime", None),
        ("PlyCount", Some(plies.as_str())),
        ("Termination", Some(game.termination.pgn_tag())),
    ]);
    let limits: &[&str] = match text.contains("\n[WhiteTimeControl ") {
        true => &["WhiteTimeControl", "BlackTimeControl"],
        false => &["TimeControl"],
    };
    expected.extend(limits.iter().map(|name| (*name, None)));
    let mut lines = text.lines();
    for (name, value) in expected {
        if !lines.next().is_some_and(|line| is_tag(line, name, value)) {
            return Err(name.to_owned());
        }
    }
    lines.next().map_or(Ok(()), |more| Err(more.chars().take(40).collect()))
}

/// Whether a line is a tag of this name with this value; without one, with a short value of any text.
fn is_tag(line: &str, name: &str, value: Option<&str>) -> bool {
    if let Some(value) = value {
        let mut expected = String::new();
        write_tag(&mut expected, name, value);
        return expected.strip_suffix('\n') == Some(line);
    }
    let own = line.strip_prefix('[').and_then(|line| line.strip_prefix(name));
    let own = own.and_then(|own| own.strip_prefix(" \"")).and_then(|own| own.strip_suffix("\"]"));
    own.is_some_and(|own| is_short_tag(own) && !own.contains(['"', '\\']))
}

/// The `Round` tag: the pair and the game in it, from 1.
fn round(tags: &Tags<'_>) -> String {
    format!("{}.{}", tags.pair + 1, tags.leg.number())
}

/// A clock as in the standard; other limits in our own form.
fn time_control(limit: Limit) -> String {
    match limit {
        Limit::Clock(control) => control.to_string(),
        other => other.to_string(),
    }
}

/// Writes one tag; backslashes and quotes are escaped, control characters become spaces.
fn write_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            _ if character.is_control() => text.push(' '),
            _ => text.push(character),
        }
    }
    text.push_str("\"]\n");
}

fn write_moves(text: &mut String, setup: &Setup<'_>, game: &Record<'_>) {
    let (mut turn, mut number) = first_move(setup);
    let mut lines = Lines { text, column: 0 };
    let mut word = String::with_capacity(LINE);
    for (index, played) in game.moves.iter().enumerate() {
        if turn == Color::White || index == 0 {
            word.clear();
            push_number(&mut word, number);
            word.push_str(turn.fold_wb(".", "..."));
            lines.word(&word);
        }
        word.clear();
        played.san.append_to_string(&mut word);
        lines.word(&word);
        word.clear();
        let further = game.further.get(index).map_or("", String::as_str);
        let reason = game.reason().filter(|_| index + 1 == game.moves.len());
        write_comment(&mut word, played, further, reason);
        lines.comment(&word);
        number += u32::from(turn == Color::Black);
        turn = !turn;
    }
    if let Some(reason) = game.reason().filter(|_| game.moves.is_empty()) {
        lines.comment(&format!("{{{}}}", as_comment(reason)));
    }
    lines.word(game.result());
}

/// The side and the number of the first move. The opening is legal: it was played.
fn first_move(setup: &Setup<'_>) -> (Color, u32) {
    Referee::new(setup.opening.fen.as_deref(), setup.conduct.rules)
        .map_or((Color::White, 1), |referee| (referee.turn(), referee.move_number()))
}

fn write_comment(word: &mut String, played: &PlayedMove, further: &str, reason: Option<&str>) {
    word.push('{');
    match &played.thought {
        None => word.push_str("book"),
        Some(thought) => write_thought(word, thought),
    }
    word.push_str(further);
    if let Some(reason) = reason {
        word.push_str(", ");
        word.push_str(&as_comment(reason));
    }
    word.push('}');
}

/// `+0.26/12 0.050s 12345n`: the mover's score in pawns, depth, seconds, nodes.
fn write_thought(word: &mut String, thought: &Thought) {
    match thought.score {
        None => {}
        Some(Score::Centipawns(value)) => {
            let sign = ["-", "", "+"][(value.signum() + 1) as usize];
            let size = value.unsigned_abs();
            word.push_str(sign);
            push_number(word, size / 100);
            word.push('.');
            push_padded(word, size % 100, 2);
        }
        Some(Score::Mate(moves)) => push_mate(word, moves),
    }
    if thought.score.is_some() {
        word.push('/');
        push_number(word, thought.depth.unwrap_or(0));
        word.push(' ');
    }
    // Whole milliseconds: numbers with a point take ten times as long to write.
    let thousandths = u64::from((thought.elapsed.subsec_nanos() + 500_000) / 1_000_000);
    let milliseconds = thought.elapsed.as_secs() * 1_000 + thousandths;
    push_number(word, milliseconds / 1_000);
    word.push('.');
    push_padded(word, (milliseconds % 1_000) as u32, 3);
    word.push('s');
    if let Some(nodes) = thought.nodes {
        word.push(' ');
        push_number(word, nodes);
        word.push('n');
    }
}

/// Mates are written in plies, as cutechess and fastchess do: mate in 3 moves is `+M5`.
fn push_mate(word: &mut String, moves: i32) {
    let moves = i64::from(moves);
    let (sign, plies) = if moves > 0 { ("+M", 2 * moves - 1) } else { ("-M", -2 * moves) };
    word.push_str(sign);
    push_number(word, plies);
}

/// Appends a number. The formatter of the standard library takes several times as long, and every
/// move of a game has five of them.
fn push_number(word: &mut String, number: impl itoa::Integer) {
    word.push_str(itoa::Buffer::new().format(number));
}

/// Appends a number with zeros before it, so that it has as many digits.
fn push_padded(word: &mut String, number: u32, digits: usize) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number);
    (text.len()..digits).for_each(|_| word.push('0'));
    word.push_str(text);
}

/// A comment without braces, as the first one would end it.
fn as_comment(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '{' => '(',
            '}' => ')',
            _ if character.is_control() => ' ',
            _ => character,
        })
        .collect()
}

/// Words set in lines.
struct Lines<'a> {
    text: &'a mut String,
    column: usize,
}

impl Lines<'_> {
    fn word(&mut self, word: &str) {
        self.put(word, width(word));
    }

    fn put(&mut self, word: &str, width: usize) {
        if self.column > 0 {
            if self.column + 1 + width > LINE {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(word);
        self.column += width;
    }

    /// A comment stays on one line where it can.
    fn comment(&mut self, comment: &str) {
        let width = width(comment);
        if width <= LINE {
            self.put(comment, width);
        } else {
            comment.split_whitespace().for_each(|word| self.word(word));
        }
    }
}

/// Characters of a text.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

#[cfg(test)]
mod tests;
