//! Command lines that cannot be translated.

use miette::Diagnostic;
use thiserror::Error;

/// A command line that cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
pub enum TranslationError {
    /// An argument that neither program knows.
    #[error("`{argument}` is not understood{place}")]
    #[diagnostic(help("{hint}"))]
    Unknown {
        /// The argument.
        argument: String,
        /// ` after -engine`; empty for a flag.
        place: String,
        /// The likely meaning, or where to look.
        hint: String,
    },
    /// An unsupported argument that would change results.
    #[error("`{argument}` is not supported: {reason}")]
    #[diagnostic(help("`harness docs from-fastchess` maps every flag"))]
    Unsupported {
        /// The argument with its value.
        argument: String,
        /// Why.
        reason: String,
    },
    /// A value that is missing, not wanted, or wrong.
    #[error("`{argument}` takes {takes}")]
    #[diagnostic(help("`harness docs from-fastchess` maps every flag"))]
    Value {
        /// The argument with its value.
        argument: String,
        /// The values that it takes.
        takes: String,
    },
    /// One file for two flags, of which one writes it at least.
    #[error("{first} and {second} name the same file, {file}")]
    #[diagnostic(help(
        "nothing was written: what one writes would destroy the other's; name two files"
    ))]
    SharedFile {
        /// A flag.
        first: &'static str,
        /// Another flag, which writes.
        second: &'static str,
        /// The file.
        file: String,
    },
    /// Too few engines for games, or too many for a test.
    #[error("{wanted} are needed, {given} given")]
    #[diagnostic(help("-engine cmd=./new name=new -engine cmd=./old name=old"))]
    Engines {
        /// How many there must be.
        wanted: &'static str,
        /// How many there are.
        given: usize,
    },
    /// An engine without a limit.
    #[error("nothing ends the searches of {0}")]
    #[diagnostic(help(
        "give -engine or -each one of tc=8+0.08, st=1, nodes=5000 and depth=8; tc=inf needs \
         nodes, depth or st beside it"
    ))]
    NoLimit(String),
}
