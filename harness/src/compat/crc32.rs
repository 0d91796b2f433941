//! The checksum CRC-32 of IEEE 802.3, by which fishtest checks the games that it is sent.

/// The polynomial, its bits in reverse order.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// The remainder of each byte.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let divisor = if remainder & 1 == 1 { POLYNOMIAL } else { 0 };
            remainder = (remainder >> 1) ^ divisor;
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

/// The checksum of bytes that come one part after the other.
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Crc32 {
        Crc32(u32::MAX)
    }
}

impl Crc32 {
    /// Adds a part.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |remainder, &byte| {
            (remainder >> 8) ^ TABLE[usize::from(remainder as u8 ^ byte)]
        });
    }

    /// The checksum of all parts so far.
    pub fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard_in_parts_too() {
        for (text, expected) in [
            ("", 0),
            ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] {
            for cut in [0, text.len() / 2, text.len()] {
                let mut crc = Crc32::default();
                crc.add(&text.as_bytes()[..cut]);
                crc.add(&text.as_bytes()[cut..]);
                assert_eq!(crc.value(), expected, "{text:?} {cut}");
            }
        }
    }
}
