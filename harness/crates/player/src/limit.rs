//! Limits of a search.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The limit of a search, in a game or a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// A game clock a side.
    Clock(TimeControl),
    /// Wall time a move.
    MoveTime(Duration),
    /// Nodes a move.
    Nodes(u64),
    /// Iterative deepening to this depth.
    Depth(u8),
    /// Several at once: the first that is reached ends the search.
    Combined {
        /// A clock or a time a move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<Timed<TimeControl>>,
        /// Nodes a move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nodes: Option<u64>,
        /// Plies a move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        depth: Option<u8>,
    },
}

/// A limit in time: of a whole game, in the form `C`, or of each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timed<C> {
    /// A game clock.
    Clock(C),
    /// Wall time a move.
    MoveTime(Duration),
}

/// Both clocks before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Time left of White.
    pub white: Duration,
    /// Time left of Black.
    pub black: Duration,
    /// Added after each move of White.
    pub white_increment: Duration,
    /// Added after each move of Black.
    pub black_increment: Duration,
    /// Moves until time is added; `None`: the time left is for the whole game.
    pub moves_to_go: Option<u32>,
}

/// Whether a search that visits `visited` nodes respects a limit of `nodes`: within a factor of
/// five, since engines poll it.
pub fn respects(nodes: u64, visited: u64) -> bool {
    (nodes / 5..=nodes.saturating_mul(5)).contains(&visited)
}

/// A game clock: `[MOVES/]BASE[+INCREMENT]` in seconds, or `BASEhg`, an hourglass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// Moves until `base` is added again; `None`: the base is for the whole game.
    pub moves: Option<u32>,
    /// Time on the clock at the start.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// An hourglass: the time that a move takes is added to the opponent's clock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hourglass: bool,
}

/// The longest time that is accepted, some 34 years.
const MAX_TIME: Duration = Duration::from_millis(1 << 40);

/// Why an infinite clock alone is no limit.
const INFINITE: &str = "an infinite clock ends no search; with nodes or depth it is left out, \
                        as in `tc=inf,nodes=5000`";

/// The limits of one `go` command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Both clocks as they stand now.
    Clock(Clocks),
    /// Wall time.
    MoveTime(Duration),
    /// Nodes.
    Nodes(u64),
    /// To this depth.
    Depth(u8),
    /// Several at once: the first that is reached ends the search.
    Combined { time: Option<Timed<Clocks>>, nodes: Option<u64>, depth: Option<u8> },
}

impl Go {
    /// Time, nodes and depth of the command, each where it has one.
    pub fn parts(&self) -> (Option<Timed<Clocks>>, Option<u64>, Option<u8>) {
        match *self {
            Go::Clock(clocks) => (Some(Timed::Clock(clocks)), None, None),
            Go::MoveTime(time) => (Some(Timed::MoveTime(time)), None, None),
            Go::Nodes(nodes) => (None, Some(nodes), None),
            Go::Depth(depth) => (None, None, Some(depth)),
            Go::Combined { time, nodes, depth } => (time, nodes, depth),
        }
    }
}

impl Limit {
    /// The time limit; `None` where only nodes or depth end a search, whose results then do not
    /// depend on the machine.
    pub fn time(self) -> Option<Timed<TimeControl>> {
        match self {
            Limit::Clock(control) => Some(Timed::Clock(control)),
            Limit::MoveTime(time) => Some(Timed::MoveTime(time)),
            Limit::Nodes(_) | Limit::Depth(_) => None,
            Limit::Combined { time, .. } => time,
        }
    }

    /// With all times multiplied by `factor`, in whole milliseconds and none of them zero that was
    /// not; nodes and depth stay.
    pub fn scaled(self, factor: f64) -> Limit {
        let scale = |time: Duration| {
            let scaled = (time.as_secs_f64() * factor * 1000.0).round();
            let least = u64::from(!time.is_zero());
            Duration::from_millis((scaled as u64).clamp(least, MAX_TIME.as_millis() as u64))
        };
        let scale_control = |TimeControl { moves, base, increment, hourglass }| TimeControl {
            hourglass,
            moves,
            base: scale(base),
            increment: scale(increment),
        };
        match self {
            Limit::Clock(control) => Limit::Clock(scale_control(control)),
            Limit::MoveTime(time) => Limit::MoveTime(scale(time)),
            Limit::Combined { time, nodes, depth } => {
                let time = time.map(|time| match time {
                    Timed::Clock(control) => Timed::Clock(scale_control(control)),
                    Timed::MoveTime(time) => Timed::MoveTime(scale(time)),
                });
                Limit::Combined { time, nodes, depth }
            }
            Limit::Nodes(_) | Limit::Depth(_) => self,
        }
    }

    /// The limits that a combined one consists of, each of one kind; itself for any other.
    pub fn parts(self) -> Vec<Limit> {
        let Limit::Combined { time, nodes, depth } = self else { return vec![self] };
        let time = time.map(|time| match time {
            Timed::Clock(control) => Limit::Clock(control),
            Timed::MoveTime(time) => Limit::MoveTime(time),
        });
        [time, nodes.map(Limit::Nodes), depth.map(Limit::Depth)].into_iter().flatten().collect()
    }

    /// The `go` command with the time left, `time`; that is `None` only where [`Limit::time`] is.
    pub fn go(self, time: Option<Timed<Clocks>>) -> Go {
        match self {
            Limit::Nodes(nodes) => Go::Nodes(nodes),
            Limit::Depth(depth) => Go::Depth(depth),
            Limit::Combined { nodes, depth, .. } => Go::Combined { time, nodes, depth },
            Limit::Clock(_) | Limit::MoveTime(_) => match time {
                Some(Timed::Clock(clocks)) => Go::Clock(clocks),
                Some(Timed::MoveTime(time)) => Go::MoveTime(time),
                None => Go::Combined { time: None, nodes: None, depth: None },
            },
        }
    }

    /// The `go` command of a search outside a game, with a full clock, and its time limit.
    pub fn single_search(self) -> (Go, Option<Duration>) {
        match self.time() {
            None => (self.go(None), None),
            Some(Timed::MoveTime(time)) => (self.go(Some(Timed::MoveTime(time))), Some(time)),
            Some(Timed::Clock(control)) => {
                let clocks = Clocks {
                    white: control.base,
                    black: control.base,
                    white_increment: control.increment,
                    black_increment: control.increment,
                    moves_to_go: control.moves,
                };
                (self.go(Some(Timed::Clock(clocks))), Some(control.base))
            }
        }
    }
}

/// A limit that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a limit: {reason}")]
pub struct ParseLimitError {
    /// The text given.
    pub text: String,
    /// Its error and an example.
    pub reason: &'static str,
}

impl FromStr for TimeControl {
    type Err = ParseLimitError;

    /// Reads `8+0.08`, `40/60+0.6`, `1:30+1`, `10`, `60hg`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |reason| ParseLimitError { text: text.to_owned(), reason };
        if matches!(text, "inf" | "infinite") {
            return Err(error(INFINITE));
        }
        let sand = text.strip_suffix("hg").or_else(|| text.strip_prefix("hg"));
        let hourglass = sand.is_some();
        let plain = sand.unwrap_or(text);
        let (moves, clock) = match plain.split_once('/') {
            None => (None, plain),
            Some((moves, clock)) => {
                let moves: u32 =
                    moves.parse().map_err(|_| error("the moves before `/` are not a number"))?;
                if moves == 0 {
                    return Err(error(
                        "the moves before `/` must be at least 1; without them the time is for the whole game",
                    ));
                }
                (Some(moves), clock)
            }
        };
        let (base, increment) = clock.split_once('+').unwrap_or((clock, "0"));
        let base = match base.split_once(':') {
            None => seconds(base),
            Some((minutes, rest)) => seconds(minutes)
                .and_then(|minutes| minutes.checked_mul(60))
                .zip(seconds(rest))
                .and_then(|(minutes, rest)| minutes.checked_add(rest))
                .filter(|base| *base <= MAX_TIME),
        };
        let base =
            base.ok_or_else(|| error("the base is not a number of seconds; try `8+0.08`"))?;
        let increment = seconds(increment)
            .ok_or_else(|| error("the increment is not a number of seconds; try `8+0.08`"))?;
        if base.is_zero() && increment.is_zero() {
            return Err(error("the base or the increment must be above zero"));
        }
        if hourglass && (moves.is_some() || !increment.is_zero()) {
            return Err(error("an hourglass has only a base, such as `60hg`"));
        }
        Ok(TimeControl { moves, base, increment, hourglass })
    }
}

impl FromStr for Limit {
    type Err = ParseLimitError;

    /// Reads what [`Limit`] prints: `tc=8+0.08`, `movetime=100ms`, `nodes=5000`, `depth=8`, and
    /// several of them with commas between: `tc=8+0.08,nodes=5000`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An infinite clock beside another limit is no limit.
        let text = ["tc=inf,", "tc=infinite,"]
            .iter()
            .find_map(|infinite| text.strip_prefix(infinite))
            .unwrap_or(text);
        let Some((first, others)) = text.split_once(',') else { return one_limit(text) };
        let error = |reason| ParseLimitError { text: text.to_owned(), reason };
        let mut time = None;
        let mut nodes = None;
        let mut depth = None;
        for part in std::iter::once(first).chain(others.split(',')) {
            let is_new = match one_limit(part)? {
                Limit::Clock(control) => time.replace(Timed::Clock(control)).is_none(),
                Limit::MoveTime(duration) => time.replace(Timed::MoveTime(duration)).is_none(),
                Limit::Nodes(count) => nodes.replace(count).is_none(),
                Limit::Depth(plies) => depth.replace(plies).is_none(),
                Limit::Combined { .. } => false,
            };
            if !is_new {
                return Err(error("a clock or a time a move, nodes and depth, each at most once"));
            }
        }
        Ok(Limit::Combined { time, nodes, depth })
    }
}

fn one_limit(text: &str) -> Result<Limit, ParseLimitError> {
    let error = |reason| ParseLimitError { text: text.to_owned(), reason };
    match text.split_once('=') {
        Some(("tc", control)) => control.parse().map(Limit::Clock),
        Some(("movetime", time)) => parse_movetime(time).map(Limit::MoveTime),
        Some(("nodes", nodes)) => match nodes.parse() {
            Ok(nodes) if nodes > 0 => Ok(Limit::Nodes(nodes)),
            _ => Err(error("nodes must be a number of at least 1")),
        },
        Some(("depth", depth)) => match depth.parse() {
            Ok(depth) if depth > 0 => Ok(Limit::Depth(depth)),
            _ => Err(error("depth must be a number from 1 to 255")),
        },
        _ => Err(error("try `tc=8+0.08`, `movetime=100ms`, `nodes=5000` or `depth=8`")),
    }
}

/// Reads a time a move: `1s`, `0.5s`, `100ms`, or a plain number of milliseconds.
///
/// # Errors
/// When it is not a time, or zero.
pub fn parse_movetime(text: &str) -> Result<Duration, ParseLimitError> {
    let (number, milliseconds) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => (text, 1.0),
    };
    // UCI counts whole milliseconds.
    number
        .trim()
        .parse::<f64>()
        .ok()
        .map(|number| (number * milliseconds).round())
        .filter(|number| (1.0..=MAX_TIME.as_millis() as f64).contains(number))
        .map(|number| Duration::from_millis(number as u64))
        .ok_or_else(|| ParseLimitError {
            text: text.to_owned(),
            reason: "a time a move is `1s`, `100ms` or a number of milliseconds above zero",
        })
}

/// Seconds to the microsecond, which is what [`TimeControl`] prints without loss.
fn seconds(text: &str) -> Option<Duration> {
    let micros = (text.parse::<f64>().ok()? * 1e6).round();
    let possible = (0.0..=MAX_TIME.as_micros() as f64).contains(&micros);
    possible.then(|| Duration::from_micros(micros as u64))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        f.write_str(if self.hourglass { "hg" } else { "" })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Clock(control) => write!(f, "tc={control}"),
            Limit::MoveTime(time) => write!(f, "movetime={}ms", time.as_millis()),
            Limit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Limit::Depth(depth) => write!(f, "depth={depth}"),
            Limit::Combined { .. } => {
                for (index, part) in self.parts().into_iter().enumerate() {
                    write!(f, "{}{part}", if index > 0 { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_and_printed_alike() {
        for text in ["8+0.08", "40/60+0.6", "10", "0.2+0.002", "1/1", "0+1", "60hg"] {
            let control: TimeControl = text.parse().expect("valid");
            assert_eq!(control.to_string(), text);
        }
        let minutes: TimeControl = "1:30+1".parse().expect("valid");
        assert_eq!(minutes.base, Duration::from_secs(90));
        assert_eq!("hg1:30".parse::<TimeControl>().expect("valid").to_string(), "90hg");
    }

    #[test]
    fn a_scaled_limit_has_other_times_and_nothing_else() {
        for (text, factor, scaled) in [
            ("tc=8+0.08", 0.5, "tc=4+0.04"),
            ("tc=40/60+0.6", 1.25, "tc=40/75+0.75"),
            ("tc=10", 1.3333, "tc=13.333"),
            ("movetime=100ms", 2.0, "movetime=200ms"),
            // Never nothing.
            ("movetime=1ms", 0.001, "movetime=1ms"),
            ("nodes=5000", 3.0, "nodes=5000"),
            ("tc=8+0.08,nodes=5000", 2.0, "tc=16+0.16,nodes=5000"),
        ] {
            let limit: Limit = text.parse().expect("valid");
            assert_eq!(limit.scaled(factor).to_string(), scaled);
        }
    }

    #[test]
    fn limits_are_read_and_printed_alike() {
        for text in [
            "tc=8+0.08",
            "movetime=100ms",
            "movetime=100999999999ms",
            "tc=1000000000.000001",
            "nodes=5000",
            "depth=8",
            "tc=8+0.08,nodes=5000",
            "movetime=100ms,nodes=5000,depth=8",
            "nodes=5000,depth=8",
        ] {
            let limit: Limit = text.parse().expect("valid");
            assert_eq!(limit.to_string(), text);
        }
        for text in [
            "",
            "depth",
            "depth=0",
            "depth=256",
            "nodes=0",
            "movetime=x",
            "speed=3",
            "nodes=5,nodes=6",
            "tc=1,movetime=5",
            "nodes=5,",
        ] {
            assert!(text.parse::<Limit>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_infinite_clock_needs_another_limit() {
        assert_eq!("tc=inf,nodes=5000".parse(), Ok(Limit::Nodes(5000)));
        let both: Limit = "tc=infinite,nodes=50,depth=3".parse().expect("valid");
        assert_eq!(both.to_string(), "nodes=50,depth=3");
        for text in ["tc=inf", "tc=infinite", "nodes=5,tc=inf"] {
            let error = text.parse::<Limit>().expect_err(text);
            assert!(error.to_string().contains("ends no search"), "{error}");
        }
    }

    #[test]
    fn a_time_a_move_has_a_unit_or_is_in_milliseconds() {
        for text in ["1s", "1000ms", "1000", "1.0s", "1e3"] {
            assert_eq!(parse_movetime(text), Ok(Duration::from_secs(1)), "{text}");
        }
        for text in ["", "0", "-1s", "s", "ms", "1m", "nan", "inf", "1e300s", "0.4", "2e12"] {
            assert!(parse_movetime(text).is_err(), "{text}");
        }
    }

    #[test]
    fn wrong_time_controls_are_refused() {
        for text in [
            "", "+", "0", "x+1", "1+x", "-3", "0+0", "0/60", "x/60", "1e400", "nan", "inf", "1:x",
            "2e9", "2e7:0", "60hg+1", "40/60hg", "hg",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
