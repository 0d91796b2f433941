//! The progress line on standard error.
//!
//! On a terminal it is redrawn in place; elsewhere it is a plain line now and then, so that a log
//! stays short; with `--quiet` there is none.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::text::{grouped, rounded};
use super::{Estimate, MatchFacts, Tally};
use crate::output::{self, visible};
use crate::stats::Elo;

/// How often a line is written where it cannot be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// How often a line is redrawn at most.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// Pairs from which on the games that a test still takes are told.
const FEWEST_PAIRS: u64 = 20;

/// The progress line of anything that has steps. It goes away when dropped.
pub struct Progress {
    mode: Mode,
    total: Option<u64>,
    already: u64,
    start: Instant,
    shown: Option<Instant>,
}

enum Mode {
    Quiet,
    Plain,
    Bar(ProgressBar),
}

/// How fast it goes, from the steps done by this process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Steps a minute; `None` before the first.
    pub per_minute: Option<f64>,
    /// Seconds to the end; `None` while that is unknown.
    pub seconds_left: Option<f64>,
}

impl Progress {
    /// `already`: steps of a resumed run, done by another process.
    pub fn start(total: Option<u64>, already: u64, quiet: bool) -> Progress {
        let mode = match (quiet, output::messages_are_seen()) {
            (true, _) => Mode::Quiet,
            (false, false) => Mode::Plain,
            (false, true) => Mode::Bar(bar(total, already)),
        };
        Progress { mode, total, already, start: Instant::now(), shown: None }
    }

    /// Shows how far it is, if it is time to. Of several lines all but the first one are only
    /// for terminals.
    pub fn show(&mut self, done: u64, text: impl FnOnce(Pace) -> String) {
        let every = match self.mode {
            Mode::Quiet => return,
            Mode::Plain => PLAIN_EVERY,
            Mode::Bar(_) => REDRAW_EVERY,
        };
        if self.shown.unwrap_or(self.start).elapsed() < every {
            return;
        }
        self.shown = Some(Instant::now());
        let text = visible(&text(pace(self.total, self.already, done, self.start.elapsed())));
        let first = text.lines().next().unwrap_or_default();
        match &self.mode {
            Mode::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(first.to_owned());
                bar.set_prefix(text[first.len()..].to_owned());
            }
            _ => output::message(first),
        }
    }

    /// Says something that stays, above the line.
    pub fn note(&self, text: &str) {
        match &self.mode {
            Mode::Bar(bar) => bar.suspend(|| output::message(text)),
            Mode::Plain => output::message(text),
            Mode::Quiet => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Mode::Bar(bar) = &self.mode {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>, already: u64) -> ProgressBar {
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    // No bar: the numbers say more, and there are just enough columns for them.
    // The prefix is what stands below.
    let template = "{spinner} {wide_msg}{prefix}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position(already);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn pace(total: Option<u64>, already: u64, done: u64, elapsed: Duration) -> Pace {
    let own = done.saturating_sub(already) as f64;
    let seconds = elapsed.as_secs_f64();
    if own == 0.0 || seconds == 0.0 {
        return Pace { per_minute: None, seconds_left: None };
    }
    let left = total.map(|total| total.saturating_sub(done) as f64);
    Pace {
        per_minute: Some(60.0 * own / seconds),
        seconds_left: left.map(|left| left * seconds / own),
    }
}

/// The progress line of a match or an SPRT.
pub struct MatchProgress {
    progress: Progress,
    facts: MatchFacts,
}

impl MatchProgress {
    /// `already`: games of a resumed run, played by another process.
    pub fn start(facts: &MatchFacts, already: u64, quiet: bool) -> MatchProgress {
        let progress = Progress::start(facts.games_asked, already, quiet);
        MatchProgress { progress, facts: facts.clone() }
    }

    /// Shows the games so far, if it is time to.
    pub fn show(&mut self, tally: &Tally) {
        let facts = &self.facts;
        self.progress.show(tally.games(), |pace| line(facts, tally, pace));
    }

    /// Says something that stays, above the line.
    pub fn note(&self, text: &str) {
        self.progress.note(text);
    }
}

fn line(facts: &MatchFacts, tally: &Tally, pace: Pace) -> String {
    let games = grouped(tally.games());
    let asked = facts.games_asked.map_or_else(String::new, |asked| format!("/{}", grouped(asked)));
    let (wdl, pairs) = (tally.wdl(), tally.pairs());
    let elo: Estimate = Elo::of(&pairs).ok().into();
    let elo = format!("{elo:.1}").replace("+-", "±");
    let mut text =
        format!("{games}{asked}  +{} ={} -{}  Elo {elo}", wdl.wins, wdl.draws, wdl.losses);
    if let Some(sprt) = &facts.sprt {
        let [lower, upper] = sprt.bounds();
        let llr = sprt.llr(&pairs).unwrap_or(0.0);
        text += &format!("  LLR {llr:.2} [{lower:.2}, {upper:.2}]");
    }
    // Of a few pairs the estimate would be noise.
    let enough = pairs.pairs() >= FEWEST_PAIRS;
    let remaining = facts.sprt.filter(|_| enough).and_then(|sprt| sprt.remaining(&pairs));
    if let Some(remaining) = remaining {
        text += &format!("  ~{} left", rounded(remaining.games));
    }
    if let Some(rate) = pace.per_minute {
        text += &format!("  {rate:.0}/min");
    }
    if let Some(seconds) = pace.seconds_left {
        let expected = remaining.zip(pace.per_minute);
        let expected = expected.map(|(remaining, rate)| 60.0 * remaining.games / rate);
        let (sign, seconds) = match expected {
            Some(expected) if expected < seconds => ("~", expected),
            // A test mostly ends long before its last game.
            _ if facts.sprt.is_some() => ("≤ ", seconds),
            _ => ("", seconds),
        };
        text += &format!("  ETA {sign}{}", clock(seconds));
    }
    text
}

/// `1:02:05`, the shortest way to write hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3_600, whole / 60 % 60, whole % 60);
    if hours == 0 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;
    use crate::stats::{GameScore, Model, Sprt};

    #[test]
    fn the_pace_counts_only_what_this_process_did() {
        let minute = Duration::from_secs(60);
        let resumed = pace(Some(1_000), 800, 900, minute);
        assert_eq!(resumed, Pace { per_minute: Some(100.0), seconds_left: Some(60.0) });
        let fresh = Pace { per_minute: None, seconds_left: None };
        assert_eq!(pace(Some(1_000), 800, 800, minute), fresh);
        assert_eq!(pace(None, 0, 30, minute).seconds_left, None);
        assert_eq!(pace(Some(10), 0, 20, minute).seconds_left, Some(0.0));
    }

    #[test]
    fn times_are_written_as_on_a_clock() {
        let cases =
            [(0.4, "0:00"), (725.0, "12:05"), (3_725.0, "1:02:05"), (400_000.0, "111:06:40")];
        for (seconds, text) in cases {
            assert_eq!(clock(seconds), text);
        }
    }

    #[test]
    fn the_line_of_a_test_says_where_it_stands() {
        let facts = MatchFacts {
            command: "sprt".to_owned(),
            engines: Vec::new(),
            limit: "nodes=100".to_owned(),
            games_asked: Some(20_000),
            openings: None,
            jobs: 1,
            seed: None,
            sprt: Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).ok(),
            command_line: None,
        };
        let mut tally = Tally::new("a");
        for (pair, score) in [(0, GameScore::Win), (0, GameScore::Draw), (1, GameScore::Loss)] {
            let (first, second) = ("a".to_owned(), "b".to_owned());
            let termination = "checkmate".to_owned();
            tally.add(&Outcome { pair, first, second, score, termination });
        }
        let pace = Pace { per_minute: Some(82.4), seconds_left: Some(725.0) };
        let text = line(&facts, &tally, pace);
        assert!(text.starts_with("3/20,000  +1 =1 -1  Elo "), "{text}");
        assert!(text.contains("[-2.94, 2.94]  82/min  ETA ≤ 12:05"), "{text}");
        assert!(text.chars().count() <= 100, "{text}");
        let scores = [GameScore::Loss, GameScore::Draw, GameScore::Win];
        for pair in 2..1_000 {
            for score in [GameScore::Draw, scores[(pair % 7 % 3) as usize]] {
                let (first, second) = ("a".to_owned(), "b".to_owned());
                let termination = "checkmate".to_owned();
                tally.add(&Outcome { pair, first, second, score, termination });
            }
        }
        let text = line(&facts, &tally, Pace { per_minute: Some(82.4), seconds_left: Some(1e6) });
        assert!(text.contains(" left  82/min  ETA ~"), "{text}");
        assert!(text.chars().count() <= 100, "{text}");
    }
}
