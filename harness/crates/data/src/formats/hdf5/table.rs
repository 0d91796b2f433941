//! Location of the rows of an HDF5 file: as much of the format as a file with a dataset in one
//! piece needs, whichever version of the library wrote it.
//!
//! Source: The HDF Group, "HDF5 File Format Specification Version 3.0".

use super::{COLUMNS, NAME, OLD_COLUMNS};

/// An address of nothing.
const NOWHERE: u64 = u64::MAX;

/// Most pieces of an object header, and most nodes, leaves and names of a group's tree: a damaged
/// file may go round in circles.
const MAX_PIECES: usize = 16;
const MAX_NODES: u32 = 10_000;

/// Messages of an object header.
const DATASPACE: u16 = 0x01;
const LINK_INFO: u16 = 0x02;
const DATATYPE: u16 = 0x03;
const LINK: u16 = 0x06;
const EXTERNAL: u16 = 0x07;
const LAYOUT: u16 = 0x08;
const CONTINUED: u16 = 0x10;
const SYMBOL_TABLE: u16 = 0x11;

/// Location of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Offset of the first.
    pub at: u64,
    /// How many.
    pub rows: u64,
    /// Numbers of each.
    pub columns: usize,
}

/// An error and its place.
#[derive(Debug)]
pub struct Wrong {
    /// Offset.
    pub at: u64,
    /// The error.
    pub reason: String,
}

fn wrong<T>(at: u64, reason: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at, reason: reason.into() })
}

/// Counts a node of a tree against the remaining budget.
fn count(at: u64, left: &mut u32) -> Result<(), Wrong> {
    match left.checked_sub(1) {
        Some(fewer) => *left = fewer,
        None => return wrong(at, format!("more than {MAX_NODES} names in its root group")),
    }
    Ok(())
}

/// Finds the rows by the first bytes of a file.
pub fn find(bytes: &[u8]) -> Result<Table, Wrong> {
    let file = File { bytes };
    let group = file.messages(file.root()?)?;
    let Some(dataset) = file.link(&group)? else {
        return wrong(0, format!("there is no dataset `{NAME}` in its root group"));
    };
    file.table(dataset)
}

/// A message of an object header.
struct Message {
    kind: u16,
    at: u64,
    shared: bool,
}

struct File<'a> {
    bytes: &'a [u8],
}

impl File<'_> {
    fn slice(&self, at: u64, size: u64) -> Result<&[u8], Wrong> {
        let end = at.checked_add(size).filter(|&end| end <= self.bytes.len() as u64);
        match end {
            Some(end) => Ok(&self.bytes[at as usize..end as usize]),
            None => {
                let known = self.bytes.len();
                wrong(at, format!("its description is not within its first {known} bytes"))
            }
        }
    }

    fn number(&self, at: u64, size: u64) -> Result<u64, Wrong> {
        let bytes = self.slice(at, size)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn byte(&self, at: u64) -> Result<u8, Wrong> {
        Ok(self.slice(at, 1)?[0])
    }

    fn signed(&self, at: u64, signature: &[u8; 4]) -> Result<(), Wrong> {
        if self.slice(at, 4)? == signature {
            return Ok(());
        }
        wrong(at, format!("`{}` is missing", String::from_utf8_lossy(signature)))
    }

    /// The root group's object header.
    fn root(&self) -> Result<u64, Wrong> {
        if self.slice(0, 8).ok() != Some(b"\x89HDF\r\n\x1a\n") {
            return wrong(0, "this is no HDF5 file");
        }
        let version = self.byte(8)?;
        let (sizes, base, root) = match version {
            0 => (13, 24, 64),
            1 => (13, 28, 68),
            2 | 3 => (9, 12, 36),
            _ => return wrong(8, format!("superblock of version {version}")),
        };
        if self.slice(sizes, 2)? != [8, 8] {
            return wrong(sizes, "addresses of other than 8 bytes");
        }
        if self.number(base, 8)? != 0 {
            return wrong(base, "the HDF5 signature is not at the start");
        }
        self.number(root, 8)
    }

    /// All messages of an object header.
    fn messages(&self, at: u64) -> Result<Vec<Message>, Wrong> {
        let mut messages = Vec::new();
        let (mut pieces, layout) = if self.slice(at, 4)? == b"OHDR" {
            let flags = self.byte(at + 5)?;
            let times = if flags & 0x20 != 0 { 16 } else { 0 };
            let limits = if flags & 0x10 != 0 { 4 } else { 0 };
            let size_at = at + 6 + times + limits;
            let bytes = 1 << (flags & 3);
            let size = self.number(size_at, bytes)?;
            let order = if flags & 4 != 0 { 2 } else { 0 };
            (vec![(size_at + bytes, size)], Headers::Short { order })
        } else {
            let version = self.byte(at)?;
            if version != 1 {
                return wrong(at, format!("object header of version {version}"));
            }
            (vec![(at + 16, self.number(at + 8, 4)?)], Headers::Long)
        };
        let mut done = 0;
        while let Some(&(at, size)) = pieces.get(done) {
            done += 1;
            if done > MAX_PIECES {
                return wrong(at, "an object header without end");
            }
            let from = messages.len();
            self.piece(at, size, layout, &mut messages)?;
            for message in messages[from..].iter().filter(|message| message.kind == CONTINUED) {
                let at = self.number(message.at, 8)?;
                let size = self.number(message.at + 8, 8)?;
                pieces.push(match layout {
                    Headers::Long => (at, size),
                    Headers::Short { .. } => {
                        self.signed(at, b"OCHK")?;
                        // A signature precedes the messages, a checksum follows.
                        (at + 4, size.saturating_sub(8))
                    }
                });
            }
        }
        Ok(messages)
    }

    fn piece(
        &self,
        mut at: u64,
        size: u64,
        layout: Headers,
        messages: &mut Vec<Message>,
    ) -> Result<(), Wrong> {
        self.slice(at, size)?;
        let end = at + size;
        let head = match layout {
            Headers::Long => 8,
            Headers::Short { order } => 4 + order,
        };
        while at + head <= end {
            let (kind, size, flags) = match layout {
                Headers::Long => (self.number(at, 2)?, self.number(at + 2, 2)?, self.byte(at + 4)?),
                Headers::Short { .. } => {
                    (self.number(at, 1)?, self.number(at + 1, 2)?, self.byte(at + 3)?)
                }
            };
            // Two bytes at most.
            let kind = kind as u16;
            messages.push(Message { kind, at: at + head, shared: flags & 2 != 0 });
            self.slice(at + head, size)?;
            at += head + size;
        }
        Ok(())
    }

    /// The dataset's object header, by the group's messages.
    fn link(&self, group: &[Message]) -> Result<Option<u64>, Wrong> {
        for message in group {
            let found = match message.kind {
                SYMBOL_TABLE => {
                    let heap = self.number(message.at + 8, 8)?;
                    self.signed(heap, b"HEAP")?;
                    let names = self.number(heap + 24, 8)?;
                    let mut left = MAX_NODES;
                    self.in_tree(self.number(message.at, 8)?, names, &mut left)?
                }
                LINK => self.in_link(message)?,
                LINK_INFO => {
                    let counted = if self.byte(message.at + 1)? & 1 != 0 { 8 } else { 0 };
                    if self.number(message.at + 2 + counted, 8)? != NOWHERE {
                        return wrong(
                            message.at,
                            "its root group has too many links to be read here",
                        );
                    }
                    None
                }
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn in_tree(&self, node: u64, names: u64, left: &mut u32) -> Result<Option<u64>, Wrong> {
        self.signed(node, b"TREE")?;
        if self.byte(node + 4)? != 0 {
            return wrong(node, "no tree of names");
        }
        count(node, left)?;
        let level = self.byte(node + 5)?;
        for child in 0..self.number(node + 6, 2)? {
            let at = self.number(node + 32 + 16 * child, 8)?;
            let found = match level {
                0 => self.in_leaf(at, names, left)?,
                _ => self.in_tree(at, names, left)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn in_leaf(&self, at: u64, names: u64, left: &mut u32) -> Result<Option<u64>, Wrong> {
        self.signed(at, b"SNOD")?;
        count(at, left)?;
        for entry in 0..self.number(at + 6, 2)? {
            count(at, left)?;
            let entry = at + 8 + 40 * entry;
            let name = names.saturating_add(self.number(entry, 8)?);
            let wanted = [NAME.as_bytes(), b"\0"].concat();
            if self.slice(name, wanted.len() as u64).is_ok_and(|found| found == wanted) {
                return self.number(entry + 8, 8).map(Some);
            }
        }
        Ok(None)
    }

    fn in_link(&self, message: &Message) -> Result<Option<u64>, Wrong> {
        let flags = self.byte(message.at + 1)?;
        let mut at = message.at + 2;
        let kind = if flags & 8 != 0 { self.byte(at)? } else { 0 };
        let before = [(8, 1), (4, 8), (0x10, 1)];
        at +=
            before.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, size)| size).sum::<u64>();
        let bytes = 1 << (flags & 3);
        let length = self.number(at, bytes)?;
        let name = self.slice(at + bytes, length)?;
        if name != NAME.as_bytes() {
            return Ok(None);
        }
        if kind != 0 {
            return wrong(message.at, format!("`{NAME}` is a link to another file or place"));
        }
        self.number(at + bytes + length, 8).map(Some)
    }

    /// Location of the rows of a dataset.
    fn table(&self, dataset: u64) -> Result<Table, Wrong> {
        let messages = self.messages(dataset)?;
        let of = |kind: u16, what: &str| match messages.iter().find(|one| one.kind == kind) {
            Some(message) if message.shared => {
                wrong(message.at, format!("the {what} of `{NAME}` is stored elsewhere"))
            }
            Some(message) => Ok(message.at),
            None => wrong(dataset, format!("`{NAME}` is no dataset: it has no {what}")),
        };
        let (rows, columns) = self.shape(of(DATASPACE, "shape")?)?;
        self.check_type(of(DATATYPE, "type")?)?;
        if let Some(message) = messages.iter().find(|message| message.kind == EXTERNAL) {
            return wrong(message.at, "its rows are in another file");
        }
        let layout = of(LAYOUT, "layout")?;
        let version = self.byte(layout)?;
        let class = self.byte(layout + 1)?;
        match (version, class) {
            (3.., 1) => {}
            (3.., 0) => return wrong(layout, format!("{SHAPE}; these are within the header")),
            (3.., 2) => return wrong(layout, format!("{SHAPE}; these are chunked")),
            (3.., 3) => return wrong(layout, format!("{SHAPE}; these are of other files")),
            _ => return wrong(layout, format!("a layout of version {version}, class {class}")),
        }
        let at = self.number(layout + 2, 8)?;
        let size = self.number(layout + 10, 8)?;
        let needed = rows.checked_mul(8 * columns as u64);
        if needed.is_none_or(|needed| size != needed) {
            return wrong(layout, format!("{rows} rows of {columns} numbers in {size} bytes"));
        }
        if at == NOWHERE && rows > 0 {
            return wrong(layout, format!("nothing was ever written into the {rows} rows"));
        }
        Ok(Table { at, rows, columns })
    }

    fn shape(&self, at: u64) -> Result<(u64, usize), Wrong> {
        let version = self.byte(at)?;
        let rank = self.byte(at + 1)?;
        let sizes = match version {
            1 => at + 8,
            2 => at + 4,
            _ => return wrong(at, format!("a shape of version {version}")),
        };
        if rank != 2 {
            return wrong(at, format!("{SHAPE}; this has {rank} dimensions"));
        }
        let rows = self.number(sizes, 8)?;
        let columns = self.number(sizes + 8, 8)?;
        match usize::try_from(columns) {
            Ok(columns @ (OLD_COLUMNS | COLUMNS)) => Ok((rows, columns)),
            _ => wrong(at, format!("{SHAPE}; here they have {columns}")),
        }
    }

    fn check_type(&self, at: u64) -> Result<(), Wrong> {
        let class = self.byte(at)? & 15;
        let bits = self.byte(at + 1)?;
        let size = self.number(at + 4, 4)?;
        // Whole numbers, little-endian; a sign changes none of the bits.
        if class != 0 || bits & 1 != 0 || size != 8 {
            return wrong(at, format!("{SHAPE}; these are of another type"));
        }
        Ok(())
    }
}

/// The supported shape.
const SHAPE: &str =
    "supported are rows of 14 or 17 little-endian numbers of 64 bits, contiguous in the file";

/// How messages begin.
#[derive(Clone, Copy)]
enum Headers {
    /// Version 1.
    Long,
    /// Version 2, with this many bytes of creation order.
    Short { order: u64 },
}
