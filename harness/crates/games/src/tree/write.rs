//! A tree as PGN.

use super::GameTree;
use super::marks::with_commands;
use super::node::{Node, NodeId};

/// Lines are broken before this column.
const WIDTH: usize = 80;

/// The tags that every game has, in their order.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Pending output, the next last: nested variations need no recursion.
enum Step {
    /// The moves after a node; with a number before a move of Black where something stood between.
    After(NodeId, bool),
    /// A variation that begins with this node.
    Variation(NodeId),
    Close,
}

impl GameTree {
    /// The game in PGN, with an empty line at its end.
    pub fn to_pgn(&self) -> String {
        let mut text = self.tag_section();
        text.push('\n');
        text.push_str(&self.movetext());
        text.push_str("\n\n");
        text
    }

    fn tag_section(&self) -> String {
        let mut text = String::new();
        let mut write = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("[{name} \"{value}\"]\n"));
        };
        for name in ROSTER {
            let unknown = if name == "Date" { "????.??.??" } else { "?" };
            let known = if name == "Result" { Some(self.result()) } else { self.tag(name) };
            write(name, known.unwrap_or(unknown));
        }
        for (name, value) in self.tags().iter().filter(|(name, _)| !ROSTER.contains(&&**name)) {
            write(name, value);
        }
        if self.is_chess960() {
            write("Variant", "Chess960");
        }
        if self.is_chess960() || !self.is_usual_start() {
            write("SetUp", "1");
            write("FEN", &self.start_fen());
        }
        text
    }

    fn movetext(&self) -> String {
        let mut lines = Lines::default();
        let said = self.write_comment(&mut lines, &with_commands(&self.nodes[0].annotations));
        let mut steps = vec![Step::After(GameTree::ROOT, said)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Close => lines.close(),
                Step::Variation(id) => {
                    lines.open();
                    let node = &self.nodes[id.0 as usize];
                    self.write_comment(&mut lines, &node.annotations.before);
                    let said = self.write_move(&mut lines, node, true);
                    steps.push(Step::After(id, said));
                }
                Step::After(id, interrupted) => {
                    let children = &self.nodes[id.0 as usize].children;
                    let Some((&main, others)) = children.split_first() else { continue };
                    let number = interrupted || id == GameTree::ROOT;
                    let said = self.write_move(&mut lines, &self.nodes[main.0 as usize], number);
                    steps.push(Step::After(main, said || !others.is_empty()));
                    for &other in others.iter().rev() {
                        steps.push(Step::Close);
                        steps.push(Step::Variation(other));
                    }
                }
            }
        }
        lines.word(self.result());
        lines.text
    }

    /// Writes a move and what is said of it. Was something said after it?
    fn write_move(&self, lines: &mut Lines, node: &Node, numbered: bool) -> bool {
        let Some(played) = &node.played else { return false };
        let (number, white) = node.number();
        if white {
            lines.word(&format!("{number}."));
        } else if numbered {
            lines.word(&format!("{number}..."));
        }
        lines.word(&played.san);
        for nag in &node.annotations.nags {
            lines.word(&format!("${nag}"));
        }
        self.write_comment(lines, &with_commands(&node.annotations))
    }

    fn write_comment(&self, lines: &mut Lines, comment: &str) -> bool {
        if !comment.is_empty() {
            // Programs differ about line ends inside a comment: it has none.
            lines.word(&format!("{{ {comment} }}"));
        }
        !comment.is_empty()
    }
}

/// Words in lines of at most [`WIDTH`] columns, unless a word is longer.
#[derive(Default)]
struct Lines {
    text: String,
    column: usize,
    /// The next word follows without a space.
    glued: bool,
}

impl Lines {
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        let space = usize::from(self.column > 0 && !self.glued);
        if self.column > 0 && self.column + space + length > WIDTH && !self.glued {
            self.text.push('\n');
            self.column = 0;
        } else if space == 1 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += length;
        self.glued = false;
    }

    fn open(&mut self) {
        self.word("(");
        self.glued = true;
    }

    fn close(&mut self) {
        self.text.push(')');
        self.column += 1;
    }
}
