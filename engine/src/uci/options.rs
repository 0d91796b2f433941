//! The UCI options, in one table: [`OPTIONS`].
//!
//! A row declares an option and says which [`Setting`] its values are. The session has each setting
//! take effect; those of [`SearchOptions`] take effect in every search of a session and of a program
//! that links the engine.

use std::fmt::Write;
use std::time::Duration;

use super::option_type::{EMPTY, OptionError, UciOption, parse_spin};
use crate::eval::EvalFile;
use crate::params::{Fixed, PARAMETERS, ParamError, Parameter, Params, Values};
use crate::search::{Algorithm, Limits, Strength};
use crate::tablebase::MAX_MEN;

/// Default of `Hash`, in MiB.
pub const DEFAULT_HASH: usize = 16;
/// Default of `Seed` in a UCI session.
pub(super) const DEFAULT_SEED: u64 = 0;
/// Default of `Move Overhead`: a core that is taken away for 20 ms on a busy machine, after the last
/// check of the clock, and 10 ms until the move is with its receiver.
const DEFAULT_OVERHEAD: Duration = Duration::from_millis(30);
const MAX_OVERHEAD: i64 = 5000;
const MAX_HASH: i64 = 65_536;
const MAX_SEED: i64 = i32::MAX as i64;
const MAX_THREADS: i64 = 256;
const MAX_PROBE_DEPTH: i64 = 100;
/// Above the number of legal moves of any position.
const MAX_MULTIPV: i64 = 256;

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
    /// `UCI_Chess960`.
    Chess960(bool),
    /// `UCI_ShowWDL`.
    ShowWdl(bool),
    /// `UCI_AnalyseMode`.
    AnalyseMode(bool),
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
    /// An option that changes what limits a search.
    Search(SearchSetting),
    /// A search parameter, by its name.
    Parameter(&'static str, i64),
}

/// All options but the search parameters, in the order in which they are declared.
pub const OPTIONS: &[UciOption<Setting>] = &[
    UciOption::spin("Hash", (DEFAULT_HASH as i64, 1, MAX_HASH), |mib| Setting::Hash(mib as usize))
        .linked(),
    UciOption::button("Clear Hash", || Setting::ClearHash),
    UciOption::spin("Threads", (1, 1, MAX_THREADS), |count| Setting::Threads(count as usize))
        .linked(),
    UciOption::check("Ponder", false, |_| Setting::Ponder),
    UciOption::spin("MultiPV", (1, 1, MAX_MULTIPV), |lines| {
        Setting::Search(SearchSetting::MultiPv(lines as u32))
    })
    .linked(),
    UciOption::spin(
        "Move Overhead",
        (DEFAULT_OVERHEAD.as_millis() as i64, 0, MAX_OVERHEAD),
        |ms| Setting::Search(SearchSetting::MoveOverhead(Duration::from_millis(ms as u64))),
    )
    .linked(),
    UciOption::check("UCI_Chess960", false, Setting::Chess960),
    UciOption::check("UCI_ShowWDL", false, Setting::ShowWdl),
    UciOption::check("UCI_AnalyseMode", false, Setting::AnalyseMode),
    UciOption::check("UCI_LimitStrength", false, |on| {
        Setting::Search(SearchSetting::LimitStrength(on))
    })
    .linked(),
    UciOption::spin(
        "UCI_Elo",
        (Strength::MAX as i64, Strength::MIN as i64, Strength::MAX as i64),
        |elo| Setting::Search(SearchSetting::Elo(elo as u32)),
    )
    .linked(),
    UciOption::spin("Seed", (DEFAULT_SEED as i64, 0, MAX_SEED), |seed| {
        Setting::Search(SearchSetting::Seed(seed as u64))
    })
    .linked(),
    UciOption::check("Debug", false, Setting::Debug),
    UciOption::text(
        "EvalFile",
        || EvalFile::DEFAULT.to_string(),
        |value| {
            let Ok(file) = value.parse();
            Setting::EvalFile(file)
        },
    )
    .linked(),
    UciOption::check("OwnBook", false, Setting::OwnBook),
    UciOption::text("BookFile", || EMPTY.to_owned(), |value| Setting::BookFile(non_empty(value))),
    UciOption::check("Best Opening", false, Setting::BestOpening),
    UciOption::text(
        "SyzygyPath",
        || EMPTY.to_owned(),
        |value| Setting::SyzygyPath(non_empty(value).unwrap_or_default()),
    ),
    UciOption::spin("SyzygyProbeDepth", (1, 1, MAX_PROBE_DEPTH), |depth| {
        Setting::SyzygyProbeDepth(depth as u32)
    }),
    UciOption::spin("SyzygyProbeLimit", (MAX_MEN as i64, 0, MAX_MEN as i64), |men| {
        Setting::SyzygyProbeLimit(men as u32)
    }),
    UciOption::check("Syzygy50MoveRule", true, Setting::Syzygy50MoveRule),
    UciOption::combo(
        "Algorithm",
        || Algorithm::default().to_string(),
        || Algorithm::ALL.iter().map(Algorithm::to_string).collect(),
        |value| value.parse().map(Setting::Algorithm).ok(),
    )
    .linked(),
];

/// A text that is not UCI's empty one.
fn non_empty(value: &str) -> Option<String> {
    (!value.is_empty() && value != EMPTY).then(|| value.to_owned())
}

/// A setting of [`SearchOptions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchSetting {
    /// `MultiPV`.
    MultiPv(u32),
    /// `Move Overhead`.
    MoveOverhead(Duration),
    /// `UCI_LimitStrength`.
    LimitStrength(bool),
    /// `UCI_Elo`.
    Elo(u32),
    /// `Seed`.
    Seed(u64),
}

/// The options that change what limits a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// `Move Overhead`.
    pub overhead: Duration,
    multipv: u32,
    limit_strength: bool,
    elo: u32,
    /// `None`: it was not set.
    seed: Option<u64>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            overhead: DEFAULT_OVERHEAD,
            multipv: 1,
            limit_strength: false,
            elo: Strength::MAX,
            seed: None,
        }
    }
}

impl SearchOptions {
    /// Sets an option.
    pub fn set(&mut self, setting: SearchSetting) {
        match setting {
            SearchSetting::MultiPv(lines) => self.multipv = lines,
            SearchSetting::MoveOverhead(time) => self.overhead = time,
            SearchSetting::LimitStrength(on) => self.limit_strength = on,
            SearchSetting::Elo(elo) => self.elo = elo,
            SearchSetting::Seed(seed) => self.seed = Some(seed),
        }
    }

    /// Sets the limits that depend on options alone.
    pub fn limit(&self, limits: &mut Limits) {
        limits.overhead = self.overhead;
        limits.multipv = self.multipv;
    }

    /// The limited strength, if it is limited. `seed` is that of its mistakes where the option `Seed`
    /// was not set.
    pub fn strength(&self, seed: u64) -> Option<Strength> {
        self.limit_strength.then(|| Strength::new(self.elo, self.seed.unwrap_or(seed)))
    }
}

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
    let mut text =
        format!("id name Tench {}\nid author the Tench authors", env!("CARGO_PKG_VERSION"));
    // Writing to a string cannot fail.
    for option in OPTIONS {
        let _ = write!(text, "\noption {option}");
    }
    for Parameter { name, default, min, max, .. } in P::OFFERED {
        let _ =
            write!(text, "\noption name {name} type spin default {default} min {min} max {max}");
    }
    text + "\nuciok"
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
    setting::<P>(name, value)
}

/// The setting of an option's value; names are case-insensitive.
///
/// # Errors
/// If there is no such option or the value is outside of its range.
pub fn setting<P: Tunable>(name: &str, value: &str) -> Result<Setting, OptionError> {
    if let Some(option) = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name)) {
        return option.setting(value);
    }
    let parameter = P::OFFERED.iter().find(|offered| offered.name.eq_ignore_ascii_case(name));
    let &Parameter { name, min, max, .. } =
        parameter.ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
    let value = parse_spin(name, value, min.into(), max.into())?;
    Ok(Setting::Parameter(name, value))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Budget, Clock};
    use crate::uci::OptionType;

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
    fn every_option_is_declared_once_and_takes_its_default_and_nothing_beyond_its_range() {
        let text = uci_response::<Fixed>();
        for option in OPTIONS {
            let declared = format!("option name {} type ", option.name);
            assert_eq!(text.matches(&declared).count(), 1, "{}", option.name);
            let (default, wrong) = match option.kind {
                OptionType::Check { default, .. } => (default.to_string(), "yes".to_owned()),
                OptionType::Spin { default, max, .. } => {
                    (default.to_string(), (max + 1).to_string())
                }
                OptionType::Combo { default, .. } => (default(), "none of them".to_owned()),
                OptionType::Text { default, .. } => (default(), String::new()),
                OptionType::Button { .. } => (String::new(), String::new()),
            };
            let set = |value: &str| parse::<Fixed>(&format!("name {} value {value}", option.name));
            assert!(set(&default).is_ok(), "{}", option.name);
            assert!(wrong.is_empty() || set(&wrong).is_err(), "{}", option.name);
        }
    }

    #[test]
    fn by_default_a_core_taken_away_after_the_last_check_loses_no_game_on_time() {
        let stall = Duration::from_millis(20);
        let others = Duration::from_millis(5);
        let mut limits = Limits::default();
        SearchOptions::default().limit(&mut limits);
        for remaining in [26, 30, 45, 60, 100, 500, 1000, 10_000].map(Duration::from_millis) {
            for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                for increment in [0, 1, 5, 80].map(Duration::from_millis) {
                    let clock = Some(Clock { remaining, increment, moves_to_go });
                    let timed = Limits { clock, ..limits.clone() };
                    let hard = Budget::new(&timed, 60, &Fixed).hard.expect("a clock sets it");
                    assert!(hard + stall + others <= remaining, "{clock:?}: {hard:?}");
                }
            }
            let timed = Limits { move_time: Some(remaining), ..limits.clone() };
            let hard = Budget::new(&timed, 60, &Fixed).hard.expect("a time for the move sets it");
            assert!(hard + stall + others <= remaining, "{remaining:?}: {hard:?}");
        }
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
