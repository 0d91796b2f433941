//! The members of a tar archive, read as a stream.
//!
//! A header of 512 bytes (name, size in octal, checksum, kind), then the member, filled up to a
//! multiple of 512; zeros at the end.
//!
//! Source: POSIX.1-2017, `pax`, "ustar Interchange Format".

use std::io::{self, ErrorKind, Read};

const BLOCK: usize = 512;

/// Largest regular file: members are read as a whole. A game of 1,000 plies is 8 MB.
const MAX_MEMBER: u64 = 64 << 20;

/// Reads members one after the other.
pub struct Members<R> {
    source: R,
    /// Bytes read.
    pub offset: u64,
}

impl<R: Read> Members<R> {
    pub fn new(source: R) -> Members<R> {
        Members { source, offset: 0 }
    }

    /// Reads the next regular file into a buffer, and gives its name; `None` at the end of the
    /// archive.
    ///
    /// # Errors
    /// When it cannot be read, or is no tar archive.
    pub fn member(&mut self, content: &mut Vec<u8>) -> io::Result<Option<String>> {
        loop {
            let mut header = [0; BLOCK];
            if !self.header(&mut header)? {
                return Ok(None);
            }
            let size = octal(&header[124..136])
                .filter(|size| *size <= u64::MAX - BLOCK as u64)
                .ok_or_else(|| damaged("a member with a size that cannot be read".to_owned()))?;
            let padded = size.next_multiple_of(BLOCK as u64);
            // A regular file; the others are folders, links and notes to the member behind them.
            let is_file = matches!(header[156], b'0' | 0);
            if is_file && size > MAX_MEMBER {
                return Err(damaged(format!(
                    "a member of {size} bytes; a chunk of training data has at most {MAX_MEMBER}"
                )));
            }
            let mut member = self.source.by_ref().take(padded);
            content.clear();
            let read = if is_file {
                member.read_to_end(content)? as u64
            } else {
                io::copy(&mut member, &mut io::sink())?
            };
            self.offset += read;
            if read < padded {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if is_file {
                content.truncate(size as usize);
                let name = &header[..100];
                let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
                return Ok(Some(String::from_utf8_lossy(&name[..end]).into_owned()));
            }
        }
    }

    /// Reads a header; false at the zeros that end the archive.
    fn header(&mut self, header: &mut [u8; BLOCK]) -> io::Result<bool> {
        let mut filled = 0;
        while filled < BLOCK {
            match self.source.read(&mut header[filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.offset += BLOCK as u64;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(false);
        }
        // The checksum counts itself as spaces.
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        let own: u64 = header[148..156].iter().map(|byte| u64::from(*byte)).sum();
        if octal(&header[148..156]) == Some(sum - own + 8 * u64::from(b' ')) {
            return Ok(true);
        }
        let what = "no tar archive, or a damaged one: the checksum of a header does not fit";
        Err(damaged(what.to_owned()))
    }
}

fn damaged(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// A number in octal digits, or, with the highest bit set, in bytes (GNU tar).
fn octal(field: &[u8]) -> Option<u64> {
    if let [128, bytes @ ..] = field {
        return bytes.iter().try_fold(0_u64, |number, byte| {
            number.checked_mul(256).map(|number| number + u64::from(*byte))
        });
    }
    let text = std::str::from_utf8(field).ok()?;
    u64::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::archive::{entry, header, with_checksum};
    use super::*;

    #[test]
    fn numbers_are_octal_or_bytes() {
        assert_eq!(octal(b"00000001750\0"), Some(1000));
        assert_eq!(octal(b"  1750 \0"), Some(1000));
        assert_eq!(octal(&[128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 232]), Some(1000));
        assert_eq!(octal(&[255; 12]), None);
    }

    fn names(archive: &[u8]) -> io::Result<Vec<(String, usize)>> {
        let mut members = Members::new(archive);
        let mut content = Vec::new();
        let mut all = Vec::new();
        while let Some(name) = members.member(&mut content)? {
            all.push((name, content.len()));
        }
        Ok(all)
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let error = names(&[7; 2000]).expect_err("no archive");
        assert!(error.to_string().contains("no tar archive"), "{error}");
        let error = names(&[7; 100]).expect_err("too short");
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert_eq!(names(&[0; 1024]).expect("empty"), []);
    }

    #[test]
    fn an_archive_that_is_cut_is_not_read_as_whole() {
        let archive =
            [entry("a", b'0', b"some"), entry("b", b'0', b"more"), [0; 2 * BLOCK].to_vec()]
                .concat();
        let wanted = [("a".to_owned(), 4), ("b".to_owned(), 4)];
        assert_eq!(names(&archive).expect("whole"), wanted);
        for cut in (0..=4 * BLOCK).step_by(BLOCK / 2) {
            let error = names(&archive[..cut]).expect_err("cut");
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{cut}");
        }
    }

    #[test]
    fn only_regular_files_are_read_and_those_up_to_a_size() {
        let note = vec![b'x'; 3 * BLOCK + 1];
        let archive =
            [entry("run/", b'5', b""), entry("note", b'x', &note), entry("a", b'0', b"some")];
        let whole = [archive.concat(), [0; 2 * BLOCK].to_vec()].concat();
        assert_eq!(names(&whole).expect("whole"), [("a".to_owned(), 4)]);
        // A note may be larger than a file, and is not kept; here the source ends in it.
        let error = names(&header("note", b'x', MAX_MEMBER + 1)).expect_err("cut");
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        let error = names(&header("a", b'0', MAX_MEMBER + 1)).expect_err("too large");
        assert!(error.to_string().contains("a member of 67108865 bytes"), "{error}");
        let mut endless = header("note", b'x', 0);
        endless[124..136].copy_from_slice(&[128, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
        let error = names(&with_checksum(endless)).expect_err("endless");
        assert!(error.to_string().contains("a size that cannot be read"), "{error}");
    }
}

/// Archives for tests.
#[cfg(test)]
pub mod archive {
    use super::BLOCK;

    /// A header.
    pub fn header(name: &str, kind: u8, size: u64) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        header[156] = kind;
        with_checksum(header)
    }

    /// A header with its checksum.
    pub fn with_checksum(mut header: Vec<u8>) -> Vec<u8> {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    /// A header with its content.
    pub fn entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = header(name, kind, content.len() as u64);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }
}
