//! Which evaluation to use, as the option `EvalFile` names it.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use super::nnue::{FileError, Network};

/// The network that is part of the program; `nets/default.md` tells where it comes from.
const EMBEDDED: &[u8] = include_bytes!("../../nets/default.nnue");

/// It is read once, and all searchers of the process share it.
static SHARED: LazyLock<Loaded> = LazyLock::new(|| {
    let read = Network::from_bytes(EMBEDDED);
    let (network, note) = read.expect("a test reads the very bytes that are part of the program");
    Loaded { network: Arc::new(network), note: note.into() }
});

/// A network and what is said of where it comes from.
#[derive(Clone)]
pub struct Loaded {
    /// The network.
    pub network: Arc<Network>,
    /// The note in its file.
    pub note: Arc<str>,
}

/// The network that is part of the program.
pub fn embedded() -> Loaded {
    SHARED.clone()
}

/// What the option `EvalFile` may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalFile {
    /// The hand-crafted evaluation.
    Classical,
    /// The network that is part of the program.
    Embedded,
    /// The network in a file.
    File(PathBuf),
}

impl EvalFile {
    /// What is used unless something else is asked for.
    pub const DEFAULT: EvalFile = EvalFile::Embedded;

    /// Reads what it names; `None` for the hand-crafted evaluation.
    ///
    /// # Errors
    /// When a file holds no network that this engine can use.
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

/// A path, or one of two words; a file of such a name is `./classical`. UCI's word for an empty
/// text is the default.
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
    fn the_network_of_the_program_can_be_used_and_is_read_once() {
        let (first, second) = (embedded(), embedded());
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
