//! The option `EvalFile`: which evaluation to use.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use super::nnue::{FileError, Network};

/// The embedded network; `nets/default.md` describes its origin.
const EMBEDDED: &[u8] = include_bytes!("../../nets/default.nnue");

/// Parsed once and shared by all searchers of the process.
static SHARED: LazyLock<Loaded> = LazyLock::new(|| {
    let read = Network::from_bytes(EMBEDDED);
    let (network, note) = read.expect("a test reads the very bytes that are part of the program");
    Loaded { network: Arc::new(network), note: note.into() }
});

/// A network and the note on its origin.
#[derive(Clone)]
pub struct Loaded {
    /// The network.
    pub network: Arc<Network>,
    /// The note in its file.
    pub note: Arc<str>,
}

/// The embedded network.
pub fn embedded() -> Loaded {
    SHARED.clone()
}

/// The values of the option `EvalFile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalFile {
    /// The hand-crafted evaluation.
    Classical,
    /// The embedded network.
    Embedded,
    /// The network in a file.
    File(PathBuf),
}

impl EvalFile {
    /// The default.
    pub const DEFAULT: EvalFile = EvalFile::Embedded;

    /// Loads the network; `None` for the hand-crafted evaluation.
    ///
    /// # Errors
    /// If the file holds no network that this engine can use.
    pub fn load(&self) -> Result<Option<Loaded>, FileError> {
        match self {
            EvalFile::Classical => Ok(None),
            EvalFile::Embedded => Ok(Some(embedded())),
            EvalFile::File(path) => {
                let (network, note) = Network::read_with_note(path)?;
                Ok(Some(Loaded { network: Arc::new(network), note: note.into() }))
            }
        }
    }

    /// The network of [`EvalFile::DEFAULT`].
    pub fn default_network() -> Option<Arc<Network>> {
        let loaded = EvalFile::DEFAULT.load();
        loaded
            .expect("the default is no file, so nothing can be wrong with it")
            .map(|it| it.network)
    }
}

/// A path or one of two words; a file of such a name is `./classical`. UCI's word for an empty string
/// is the default.
impl FromStr for EvalFile {
    type Err = Infallible;

    fn from_str(value: &str) -> Result<EvalFile, Infallible> {
        Ok(match value {
            "" | "<empty>" => EvalFile::DEFAULT,
            "classical" => EvalFile::Classical,
            "embedded" => EvalFile::Embedded,
            path => EvalFile::File(path.into()),
        })
    }
}

impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalFile::Classical => f.write_str("classical"),
            EvalFile::Embedded => f.write_str("embedded"),
            EvalFile::File(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_is_valid_and_parsed_once() {
        let first = embedded();
        let second = embedded();
        assert!(Arc::ptr_eq(&first.network, &second.network));
        assert!(EMBEDDED.len() <= 2 << 20, "{} bytes are too many", EMBEDDED.len());
        assert!(!matches!(EvalFile::DEFAULT, EvalFile::File(_)));
    }

    #[test]
    fn words_and_paths_are_told_apart() {
        let parse = |value: &str| value.parse::<EvalFile>().expect("never fails");
        for choice in [EvalFile::Classical, EvalFile::Embedded, EvalFile::File("a net".into())] {
            assert_eq!(parse(&choice.to_string()), choice);
        }
        assert_eq!(parse("<empty>"), EvalFile::DEFAULT);
        assert_eq!(parse("./embedded"), EvalFile::File("./embedded".into()));
    }
}
