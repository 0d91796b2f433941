//! The UCI options: their declaration and `setoption`.

use std::fmt::Write;
use std::time::Duration;

use thiserror::Error;

use super::{DEFAULT_HASH, shortened};
use crate::eval::EvalFile;
use crate::eval::nnue::FileError;
use crate::params::{Fixed, PARAMETERS, ParamError, Parameter, Params, Values};
use crate::search::{Algorithm, Strength};
use crate::tablebase::MAX_MEN;

/// Default of `Move Overhead`.
pub(super) const DEFAULT_OVERHEAD: Duration = Duration::from_millis(20);
const MAX_OVERHEAD: i64 = 5000;
const MAX_HASH: i64 = 65_536;
const MAX_SEED: i64 = i32::MAX as i64;
const MAX_THREADS: i64 = 256;
/// UCI's word for an empty string.
const NO_FILE: &str = "<empty>";
/// Above the number of legal moves of any position.
const MAX_MULTIPV: i64 = 256;

/// Search parameters as UCI options.
pub trait Tunable: Params + Default + 'static {
    /// The parameters that are offered.
    const OFFERED: &'static [Parameter];

    /// Sets an offered parameter.
    ///
    /// # Errors
    /// If there is no such parameter or the value is out of its bounds.
    fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError>;
}

impl Tunable for Fixed {
    const OFFERED: &'static [Parameter] = &[];

    fn set(&mut self, name: &str, _value: i64) -> Result<(), ParamError> {
        Err(ParamError::Unknown(name.to_owned()))
    }
}

impl Tunable for Values {
    const OFFERED: &'static [Parameter] = PARAMETERS;

    fn set(&mut self, name: &str, value: i64) -> Result<(), ParamError> {
        Values::set(self, name, value)
    }
}

/// The response to `uci`.
pub(super) fn uci_response<P: Tunable>() -> String {
    let mut text = format!(
        "id name Tench {}\nid author the Tench authors\n\
         option name Hash type spin default {DEFAULT_HASH} min 1 max {MAX_HASH}\n\
         option name Clear Hash type button\n\
         option name Threads type spin default 1 min 1 max {MAX_THREADS}\n\
         option name Ponder type check default false\n\
         option name MultiPV type spin default 1 min 1 max {MAX_MULTIPV}\n\
         option name Move Overhead type spin default {} min 0 max {MAX_OVERHEAD}\n\
         option name UCI_Chess960 type check default false\n\
         option name UCI_ShowWDL type check default false\n\
         option name UCI_AnalyseMode type check default false\n\
         option name UCI_LimitStrength type check default false\n\
         option name UCI_Elo type spin default {} min {} max {}\n\
         option name Seed type spin default 0 min 0 max {MAX_SEED}\n\
         option name Debug type check default false\n\
         option name EvalFile type string default {}\n\
         option name OwnBook type check default false\n\
         option name BookFile type string default {NO_FILE}\n\
         option name Best Opening type check default false\n\
         option name SyzygyPath type string default {NO_FILE}\n\
         option name SyzygyProbeDepth type spin default 1 min 1 max 100\n\
         option name SyzygyProbeLimit type spin default {MAX_MEN} min 0 max {MAX_MEN}\n\
         option name Syzygy50MoveRule type check default true\n\
         option name Algorithm type combo default {}",
        env!("CARGO_PKG_VERSION"),
        DEFAULT_OVERHEAD.as_millis(),
        Strength::MAX,
        Strength::MIN,
        Strength::MAX,
        EvalFile::DEFAULT,
        Algorithm::default(),
    );
    // Writing to a string cannot fail.
    for algorithm in Algorithm::ALL {
        let _ = write!(text, " var {algorithm}");
    }
    for Parameter { name, default, min, max, .. } in P::OFFERED {
        let _ =
            write!(text, "\noption name {name} type spin default {default} min {min} max {max}");
    }
    text + "\nuciok"
}

/// The UCI options of a search job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JobOptions {
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// Win, draw and loss probabilities are printed with each score.
    pub wdl: bool,
    /// Details for debugging are printed.
    pub debug: bool,
    /// Limited strength.
    pub strength: Option<Strength>,
}

/// The effect of a `setoption`, by option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `Hash`, in MiB.
    Hash(usize),
    /// `Clear Hash`.
    ClearHash,
    /// `Threads`.
    Threads(usize),
    /// `Ponder`, which has no effect.
    Ponder,
    /// `MultiPV`.
    MultiPv(u32),
    /// `Move Overhead`.
    MoveOverhead(Duration),
    /// `UCI_Chess960`.
    Chess960(bool),
    /// `UCI_ShowWDL`.
    ShowWdl(bool),
    /// `UCI_AnalyseMode`.
    AnalyseMode(bool),
    /// `UCI_LimitStrength`.
    LimitStrength(bool),
    /// `UCI_Elo`.
    Elo(u32),
    /// `Seed`.
    Seed(u64),
    /// `Debug`.
    Debug(bool),
    /// `EvalFile`.
    EvalFile(EvalFile),
    /// `Algorithm`.
    Algorithm(Algorithm),
    /// `OwnBook`.
    OwnBook(bool),
    /// `BookFile`; `None`: no book.
    BookFile(Option<String>),
    /// `Best Opening`.
    BestOpening(bool),
    /// `SyzygyPath`: folders of tablebases; empty for none.
    SyzygyPath(String),
    /// `SyzygyProbeDepth`, in plies.
    SyzygyProbeDepth(u32),
    /// `SyzygyProbeLimit`.
    SyzygyProbeLimit(u32),
    /// `Syzygy50MoveRule`.
    Syzygy50MoveRule(bool),
    /// A search parameter, by its name.
    Parameter(&'static str, i64),
}

/// Why a `setoption` has no effect.
#[derive(Debug, Error)]
pub enum OptionError {
    /// Not of the form that UCI defines.
    #[error("`setoption` wants `name NAME value VALUE`")]
    Form,
    /// The file holds no network.
    #[error("{file}: {reason}; the evaluation stays as it was")]
    EvalFile { file: EvalFile, reason: FileError },
    /// No option of this name.
    #[error("there is no option `{}`", shortened(.0))]
    Unknown(String),
    /// A value outside of the option's range.
    #[error("option {name} must be {wanted}, not `{}`", shortened(.value))]
    Value { name: &'static str, wanted: String, value: String },
}

/// Parses the arguments of `setoption`; names are case-insensitive.
///
/// # Errors
/// If there is no such option or the value is outside of its range.
pub fn parse<P: Tunable>(arguments: &str) -> Result<Setting, OptionError> {
    let rest = arguments.trim().strip_prefix("name ").ok_or(OptionError::Form)?;
    let (name, value) = match rest.split_once(" value") {
        Some((name, value)) => (name.trim(), value.trim()),
        None => (rest.trim(), ""),
    };
    Ok(match name.to_ascii_lowercase().as_str() {
        "hash" => Setting::Hash(spin("Hash", value, 1, MAX_HASH)? as usize),
        "clear hash" => Setting::ClearHash,
        "threads" => Setting::Threads(spin("Threads", value, 1, MAX_THREADS)? as usize),
        "ponder" => {
            check("Ponder", value)?;
            Setting::Ponder
        }
        "multipv" => Setting::MultiPv(spin("MultiPV", value, 1, MAX_MULTIPV)? as u32),
        "move overhead" => {
            let time = spin("Move Overhead", value, 0, MAX_OVERHEAD)?;
            Setting::MoveOverhead(Duration::from_millis(time as u64))
        }
        "uci_chess960" => Setting::Chess960(check("UCI_Chess960", value)?),
        "evalfile" => {
            let Ok(file) = value.parse();
            Setting::EvalFile(file)
        }
        "ownbook" => Setting::OwnBook(check("OwnBook", value)?),
        "bookfile" => {
            let named = !value.is_empty() && value != NO_FILE;
            Setting::BookFile(named.then(|| value.to_owned()))
        }
        "best opening" => Setting::BestOpening(check("Best Opening", value)?),
        "syzygypath" => {
            Setting::SyzygyPath(if value == NO_FILE { String::new() } else { value.into() })
        }
        "syzygyprobedepth" => {
            Setting::SyzygyProbeDepth(spin("SyzygyProbeDepth", value, 1, 100)? as u32)
        }
        "syzygyprobelimit" => {
            Setting::SyzygyProbeLimit(spin("SyzygyProbeLimit", value, 0, MAX_MEN.into())? as u32)
        }
        "syzygy50moverule" => Setting::Syzygy50MoveRule(check("Syzygy50MoveRule", value)?),
        "uci_showwdl" => Setting::ShowWdl(check("UCI_ShowWDL", value)?),
        "uci_analysemode" => Setting::AnalyseMode(check("UCI_AnalyseMode", value)?),
        "uci_limitstrength" => Setting::LimitStrength(check("UCI_LimitStrength", value)?),
        "uci_elo" => {
            let (min, max) = (Strength::MIN.into(), Strength::MAX.into());
            Setting::Elo(spin("UCI_Elo", value, min, max)? as u32)
        }
        "seed" => Setting::Seed(spin("Seed", value, 0, MAX_SEED)? as u64),
        "debug" => Setting::Debug(check("Debug", value)?),
        "algorithm" => Setting::Algorithm(value.parse().map_err(|()| OptionError::Value {
            name: "Algorithm",
            wanted: Algorithm::ALL.map(|algorithm| algorithm.to_string()).join(", "),
            value: value.to_owned(),
        })?),
        lower => {
            let parameter = P::OFFERED
                .iter()
                .find(|parameter| parameter.name == lower)
                .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
            let (min, max) = (parameter.min.into(), parameter.max.into());
            Setting::Parameter(parameter.name, spin(parameter.name, value, min, max)?)
        }
    })
}

fn check(name: &'static str, value: &str) -> Result<bool, OptionError> {
    value.to_ascii_lowercase().parse().map_err(|_| OptionError::Value {
        name,
        wanted: "true or false".to_owned(),
        value: value.to_owned(),
    })
}

fn spin(name: &'static str, value: &str, min: i64, max: i64) -> Result<i64, OptionError> {
    value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        OptionError::Value { name, wanted: format!("{min} to {max}"), value: value.to_owned() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tuning_build_offers_parameters() {
        assert!(!uci_response::<Fixed>().contains("rfp_margin"));
        assert!(parse::<Fixed>("name rfp_margin value 80").is_err());
        assert!(uci_response::<Values>().contains("option name rfp_margin type spin default"));
        assert_eq!(
            parse::<Values>("name RFP_Margin value 80").ok(),
            Some(Setting::Parameter("rfp_margin", 80))
        );
    }

    #[test]
    fn options_are_checked_before_they_are_set() {
        assert_eq!(parse::<Fixed>("name hash value 64").ok(), Some(Setting::Hash(64)));
        assert_eq!(parse::<Fixed>("name Clear Hash").ok(), Some(Setting::ClearHash));
        let file = Setting::EvalFile(EvalFile::File("my net".into()));
        assert_eq!(parse::<Fixed>("name EvalFile value my net").ok(), Some(file));
        let default = Setting::EvalFile(EvalFile::DEFAULT);
        assert_eq!(parse::<Fixed>("name EvalFile value <empty>").ok(), Some(default));
        for arguments in [
            "",
            "name",
            "Hash 64",
            "name Hash value 0",
            "name Hash value x",
            "name Algorithm value x",
            "name Ponder value perhaps",
            "name Threads value 0",
        ] {
            assert!(parse::<Fixed>(arguments).is_err(), "{arguments}");
        }
    }
}
