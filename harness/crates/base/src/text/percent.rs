//! Percent-encoding: bytes as text, by `%` and two hexadecimal digits where they may not stand as they are.

/// Encodes all bytes but those that `is_plain` lets stand.
pub fn encode(bytes: &[u8], is_plain: impl Fn(u8) -> bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if is_plain(byte) && byte.is_ascii() && byte != b'%' {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The bytes of an encoded text; `None` where `%` has no two digits behind it.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.as_bytes().split_at_checked(2)?;
        for &digit in digits {
            char::from(digit).to_digit(16)?;
        }
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        bytes.extend(rest);
    }
    Some(bytes)
}

/// Whether a byte stands for itself in every part of an address (the unreserved ones of RFC 3986).
pub fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives() {
        let all: Vec<u8> = (0..=255).collect();
        for is_plain in [is_unreserved, |_| true, |_| false] {
            let text = encode(&all, is_plain);
            assert!(text.is_ascii());
            assert_eq!(decode(&text), Some(all.clone()), "{text}");
        }
        assert_eq!(encode("a b/ä%".as_bytes(), is_unreserved), "a%20b%2F%C3%A4%25");
        for wrong in ["%", "%4", "a%zz", "%+1", "%é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
