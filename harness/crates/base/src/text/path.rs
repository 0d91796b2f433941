//! Paths in JSON: as text, also those that are not UTF-8.
//!
//! `#[serde(with = "crate::text::path")]` at a field of paths. Serde refuses paths that are not UTF-8;
//! here such a one is `percent:` and its bytes, those beyond ASCII and `%` as `%FF`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::platform;
use crate::text::percent;

/// Prefix of a path in which bytes are written as `%FF`.
const MARK: &str = "percent:";

/// A path, or several.
pub trait Paths: Sized {
    /// As text.
    type Text: Serialize + DeserializeOwned;

    /// The text of the paths.
    fn to_text(&self) -> Self::Text;

    /// The paths of a text.
    fn of_text(text: Self::Text) -> Self;
}

impl Paths for PathBuf {
    type Text = String;

    fn to_text(&self) -> String {
        encode_path(self)
    }

    fn of_text(text: String) -> PathBuf {
        decode_path(&text)
    }
}

impl Paths for Option<PathBuf> {
    type Text = Option<String>;

    fn to_text(&self) -> Option<String> {
        self.as_deref().map(encode_path)
    }

    fn of_text(text: Option<String>) -> Option<PathBuf> {
        text.as_deref().map(decode_path)
    }
}

impl Paths for BTreeMap<PathBuf, String> {
    type Text = BTreeMap<String, String>;

    fn to_text(&self) -> BTreeMap<String, String> {
        self.iter().map(|(path, value)| (encode_path(path), value.clone())).collect()
    }

    fn of_text(text: BTreeMap<String, String>) -> BTreeMap<PathBuf, String> {
        text.into_iter().map(|(path, value)| (decode_path(&path), value)).collect()
    }
}

impl Paths for Vec<PathBuf> {
    type Text = Vec<String>;

    fn to_text(&self) -> Vec<String> {
        self.iter().map(|path| encode_path(path)).collect()
    }

    fn of_text(text: Vec<String>) -> Vec<PathBuf> {
        text.iter().map(|text| decode_path(text)).collect()
    }
}

/// Serializes paths.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<P: Paths, S: Serializer>(paths: &P, serializer: S) -> Result<S::Ok, S::Error> {
    paths.to_text().serialize(serializer)
}

/// Reads paths.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, P: Paths, D: Deserializer<'de>>(deserializer: D) -> Result<P, D::Error> {
    P::Text::deserialize(deserializer).map(P::of_text)
}

/// A path as text: as it is, or behind a mark with escaped bytes.
pub fn encode_path(path: &Path) -> String {
    if let Some(text) = path.to_str().filter(|text| !text.starts_with(MARK)) {
        return text.to_owned();
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    format!("{MARK}{}", percent::encode(bytes, |_| true))
}

/// The path of a text of [`encode_path`].
pub fn decode_path(text: &str) -> PathBuf {
    match text.strip_prefix(MARK).and_then(percent::decode) {
        Some(bytes) => platform::path_of_bytes(bytes),
        // A plain path, or one behind the mark that this harness has not written.
        None => PathBuf::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct StoredPaths {
        #[serde(with = "super")]
        one: PathBuf,
        #[serde(default, with = "super", skip_serializing_if = "Option::is_none")]
        other: Option<PathBuf>,
        #[serde(with = "super")]
        all: Vec<PathBuf>,
        #[serde(default, with = "super")]
        named: BTreeMap<PathBuf, String>,
    }

    #[test]
    fn every_path_survives_being_text() {
        let strange = platform::path_of_bytes(b"/a%b/\xff\xc3/x \xe9".to_vec());
        let paths = ["/usr/games/a%20b", "Zoë", "percent:%41"].map(PathBuf::from);
        let paths: Vec<PathBuf> = paths.into_iter().chain([strange]).collect();
        for path in &paths {
            let named = BTreeMap::from([(path.clone(), "a".to_owned())]);
            let (one, other, all) = (path.clone(), Some(path.clone()), paths.clone());
            let kept = StoredPaths { one, other, all, named };
            let value = serde_json::to_value(&kept).expect("paths are text");
            assert_eq!(serde_json::from_value::<StoredPaths>(value).expect("read"), kept);
        }
        let plain: StoredPaths = serde_json::from_str(r#"{"one":"a%b","all":[]}"#).expect("read");
        let one = PathBuf::from("a%b");
        assert_eq!(
            plain,
            StoredPaths { one, other: None, all: Vec::new(), named: BTreeMap::new() }
        );
        assert_eq!(decode_path("percent:%zz"), PathBuf::from("percent:%zz"));
    }
}
