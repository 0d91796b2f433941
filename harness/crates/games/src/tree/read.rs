//! Games from PGN, with all that is written about them.

use std::io::{self, Read};

use shakmaty::{Outcome, Position};

use super::error::TreeError;
use super::marks::take;
use super::node::NodeId;
use super::{GameTree, marks};
use harness_arena::{Rules, castling_of};
use harness_base::text::{brief, decode};
use harness_notation::pgn::{Comment, Event, Lexer, Tag, find_shakmaty_move};
use harness_stats::GameScore;

/// The first game of a text.
///
/// # Errors
/// When it holds none, or the game breaks the rules.
pub fn read_game(pgn: &[u8]) -> Result<GameTree, TreeError> {
    read_games(pgn).next().unwrap_or(Err(TreeError::NoGame))
}

/// The games of a source one after the other. One that cannot be read does not end the others.
pub fn read_games<R: Read>(source: R) -> impl Iterator<Item = Result<GameTree, TreeError>> {
    let mut game = 0;
    read_parts(source).map(move |read| {
        game += 1;
        let wrong = |reason: String| TreeError::Game { game, reason };
        match read {
            Ok(GamePart { tree, stopped: None, .. }) => Ok(tree),
            Ok(GamePart { stopped: Some(stopped), .. }) => Err(wrong(stopped.error.to_string())),
            Err(error) => Err(wrong(error.to_string())),
        }
    })
}

/// A game as far as it can be read.
#[derive(Clone, Debug)]
pub struct GamePart {
    /// Its tags, and its moves up to what cannot be read.
    pub tree: GameTree,
    /// Why variations are left out from some move on; a comment there says it, too.
    pub left_out: Vec<TreeError>,
    /// The unreadable part.
    pub stopped: Option<Stopped>,
}

impl GamePart {
    /// The game as far as it can be read; a comment at its last move says what is not.
    pub fn with_reason(mut self) -> GameTree {
        if let Some(Stopped { error, .. }) = &self.stopped {
            let last = self.tree.main_line().last().copied().unwrap_or(GameTree::ROOT);
            let annotations = &mut self.tree.nodes[last.0 as usize].annotations;
            let reason = format!("(the moves from here on cannot be read: {error})");
            annotations.comment = joined(&annotations.comment, &reason);
        }
        self.tree
    }
}

/// The unreadable part of a game.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// Why not.
    pub error: TreeError,
    /// Where it begins, in bytes of the source.
    pub from: u64,
}

/// The games of a source, each as far as it can be read.
pub fn read_parts<R: Read>(source: R) -> impl Iterator<Item = io::Result<GamePart>> {
    let mut lexer = Lexer::new(source);
    let mut over = false;
    std::iter::from_fn(move || {
        if over {
            return None;
        }
        let read = next_game(&mut lexer).transpose();
        // Of a source that cannot be read there is no more.
        over = matches!(read, Some(Err(_)) | None);
        read
    })
}

/// The next game that is more than a comment.
fn next_game(lexer: &mut Lexer<impl Read>) -> io::Result<Option<GamePart>> {
    let mut reading = Reading::Tags(Vec::new());
    let mut is_game = false;
    let mut first = String::new();
    while let Some(event) = lexer.next_event()? {
        is_game |= !matches!(event, Event::Begin | Event::Comment(_) | Event::End { .. });
        let is_end = matches!(event, Event::End { .. });
        let taken = match event {
            Event::Begin => {
                (reading, first) = (Reading::Tags(Vec::new()), String::new());
                Ok(())
            }
            Event::Tag(tag) => reading.tag(tag),
            // It stands before the tags, in their midst, or behind them.
            Event::Comment(comment) if reading.has_no_moves() => {
                first = joined(&first, &text_of(comment));
                Ok(())
            }
            Event::End { .. } if !is_game => Ok(()),
            Event::End { .. } => reading.moves(&first).map(drop),
            event => reading.moves(&first).and_then(|text| text.take(event)),
        };
        match taken {
            Ok(()) if is_end && is_game => {
                return Ok(Some(reading.part(None)));
            }
            Ok(()) => {}
            Err(error) => {
                let stopped = Some(Stopped { error, from: lexer.offset() });
                lexer.skip_game()?;
                return Ok(Some(reading.part(stopped)));
            }
        }
    }
    Ok(None)
}

/// A game that is read.
enum Reading {
    /// The tags that were read.
    Tags(Vec<(String, String)>),
    /// Behind the tags.
    Moves(Box<Movetext>),
}

struct Movetext {
    tree: GameTree,
    /// The last move of the line that is read.
    at: NodeId,
    /// Where the lines continue that are interrupted by a variation.
    interrupted: Vec<NodeId>,
    /// A variation has begun, and its first move is not read yet.
    begins: bool,
    /// A comment before that move.
    before: String,
    /// Variations within one that is a variation of no move, that one included, and within one that
    /// cannot be read any more.
    skipped: u32,
    /// The variation that is read cannot be read any more.
    lost: bool,
    /// Why.
    left_out: Vec<TreeError>,
}

impl Reading {
    fn has_no_moves(&self) -> bool {
        matches!(self, Reading::Tags(_))
    }

    fn tag(&mut self, tag: Tag<'_>) -> Result<(), TreeError> {
        if let Reading::Tags(tags) = self {
            let cut = if tag.cut { CUT } else { "" };
            tags.push((decode(tag.name).into_owned(), format!("{}{cut}", tag.text())));
        }
        Ok(())
    }

    /// The moves of the game; `first` is the comment before them.
    fn moves(&mut self, first: &str) -> Result<&mut Movetext, TreeError> {
        if let Reading::Tags(tags) = self {
            let tree = with_tags(tags)?;
            let mut text = Movetext {
                tree,
                at: GameTree::ROOT,
                interrupted: Vec::new(),
                begins: false,
                before: String::new(),
                skipped: 0,
                lost: false,
                left_out: Vec::new(),
            };
            text.comment_text(first);
            *self = Reading::Moves(Box::new(text));
        }
        match self {
            Reading::Moves(text) => Ok(text),
            Reading::Tags(_) => Err(TreeError::NoGame),
        }
    }

    /// The readable part.
    fn part(self, stopped: Option<Stopped>) -> GamePart {
        match self {
            Reading::Moves(text) => GamePart { tree: text.tree, left_out: text.left_out, stopped },
            Reading::Tags(_) => {
                GamePart { tree: GameTree::default(), left_out: Vec::new(), stopped }
            }
        }
    }
}

impl Movetext {
    fn take(&mut self, event: Event<'_>) -> Result<(), TreeError> {
        match event {
            Event::VariationBegin => self.begin_variation(),
            Event::VariationEnd => self.end_variation(),
            _ if self.skipped > 0 || self.lost => {}
            Event::Move(word) | Event::Unknown(word) => return self.play_or_leave(word),
            Event::Nag(nag) => self.nags([nag]),
            Event::Glyphs(nags) => self.nags(nags.iter().map(u16::from)),
            Event::Comment(comment) => self.comment(&text_of(comment)),
            // A game in progress may have a result by its tag.
            Event::Result(Outcome::Known(outcome)) => self.tree.result = outcome.to_string(),
            Event::Result(Outcome::Unknown) => {}
            Event::Begin | Event::Tag(_) | Event::End { .. } => {}
        }
        Ok(())
    }

    /// Plays a move. One that cannot be read ends a variation, not the game.
    fn play_or_leave(&mut self, word: &[u8]) -> Result<(), TreeError> {
        let played = self.play(word);
        let is_variation = !self.interrupted.is_empty();
        match played {
            Err(error @ TreeError::Illegal { .. }) if is_variation => {
                let text = brief(&decode(word), MAX_WORD);
                self.comment(&format!("(left out from `{text}` on, which is not a legal move)"));
                self.left_out.push(error);
                self.lost = true;
                Ok(())
            }
            played => played,
        }
    }

    fn play(&mut self, word: &[u8]) -> Result<(), TreeError> {
        let node = &self.tree.nodes[self.at.0 as usize];
        let Some((legal, nags)) = find_shakmaty_move(&node.position, word) else {
            let (number, dots) = next_number(&node.position);
            let text = format!("{number}{dots} {}", brief(&decode(word), MAX_WORD));
            return Err(TreeError::Illegal { text, fen: self.tree.fen(node) });
        };
        self.at = self.tree.add(self.at, legal)?;
        self.begins = false;
        self.nags(nags.iter().map(u16::from));
        if !self.before.is_empty() {
            let before = std::mem::take(&mut self.before);
            self.tree.nodes[self.at.0 as usize].annotations.before = before;
        }
        Ok(())
    }

    fn nags(&mut self, nags: impl IntoIterator<Item = u16>) {
        for nag in nags {
            // Without a move they are part of the comment there.
            if self.at == GameTree::ROOT || self.begins {
                self.comment(&format!("${nag}"));
                continue;
            }
            let known = &mut self.tree.nodes[self.at.0 as usize].annotations.nags;
            if !known.contains(&nag) {
                known.push(nag);
                known.sort_unstable();
            }
        }
    }

    fn comment(&mut self, text: &str) {
        if self.begins {
            self.before = joined(&self.before, text);
        } else {
            self.comment_text(text);
        }
    }

    fn comment_text(&mut self, text: &str) {
        let annotations = &mut self.tree.nodes[self.at.0 as usize].annotations;
        let more = take(text, annotations);
        annotations.comment = joined(&annotations.comment, &more);
    }

    fn begin_variation(&mut self) {
        let parent = self.tree.nodes[self.at.0 as usize].parent;
        match parent {
            // Another way to play the last move.
            Some(parent) if !self.begins && self.skipped == 0 && !self.lost => {
                self.interrupted.push(self.at);
                self.at = parent;
                self.begins = true;
            }
            // Without a move before it, it is a variation of nothing.
            _ => {
                if self.skipped == 0 && !self.lost {
                    self.comment(LEFT_OUT);
                }
                self.skipped += 1;
            }
        }
    }

    fn end_variation(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.lost = false;
        let Some(at) = self.interrupted.pop() else { return };
        self.at = at;
        // One without moves says something of the move before it.
        let before = std::mem::take(&mut self.before);
        if std::mem::take(&mut self.begins) {
            self.comment_text(&before);
        }
    }
}

/// Most characters of a word that is no move.
const MAX_WORD: usize = 40;

/// In place of a variation before the first move.
const LEFT_OUT: &str = "(a variation of no move is left out)";

/// Behind a text of which only the beginning is kept.
const CUT: &str = " (cut)";

fn text_of(comment: Comment<'_>) -> String {
    format!("{}{}", comment.text(), if comment.cut { CUT } else { "" })
}

/// Two comments as one.
fn joined(one: &str, other: &str) -> String {
    marks::normal(&format!("{one} {other}"))
}

fn next_number(position: &shakmaty::Chess) -> (u32, &'static str) {
    (position.fullmoves().get(), if position.turn().is_white() { "." } else { "..." })
}

/// A result as PGN has it, of one as other programs write it.
fn result_of(text: &str) -> &'static str {
    GameScore::of_text(text.trim()).map_or("*", GameScore::pgn)
}

/// A game without moves, with its tags.
fn with_tags(tags: &[(String, String)]) -> Result<GameTree, TreeError> {
    let mut tree = GameTree::default();
    let value = |name: &str| {
        let found = tags.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    if let Some(variant) = value("Variant") {
        match Rules::of_tag(variant) {
            Some(Rules::Chess) => {}
            Some(Rules::Chess960) => tree.set_chess960(),
            _ => {
                let reason = "the games of other variants have other rules".to_owned();
                return Err(TreeError::Position { fen: variant.to_owned(), reason });
            }
        }
    }
    if let Some(fen) = value("FEN").map(str::trim).filter(|fen| !fen.is_empty()) {
        if castling_of(fen).is_chess960() {
            tree.set_chess960();
        }
        tree.set_start(fen)?;
    }
    for (name, value) in tags {
        // The end of the moves says the result again; a word that is none is as good as `*`.
        let value = if name == "Result" { result_of(value) } else { value };
        tree.set_tag(name, value)?;
    }
    Ok(tree)
}
