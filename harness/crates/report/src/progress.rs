//! The progress line on standard error.
//!
//! On a terminal it is redrawn in place; elsewhere it is a plain line every ten seconds; with
//! `--quiet` there is none.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use harness_base::output::{self, visible};

/// Interval of lines where they cannot be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Shortest interval of redrawing.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

/// Window of the pace: the load of a machine changes.
const RECENT: Duration = Duration::from_secs(120);

/// A progress line; removed when dropped.
pub struct Progress {
    mode: Mode,
    total: Option<u64>,
    recent: Recent,
    start: Instant,
    shown: Option<Instant>,
}

enum Mode {
    Quiet,
    Plain,
    Bar(ProgressBar),
}

/// Pace of the steps that this process did in the last minutes.
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
            (false, true) => Mode::Bar(spinner(total, already)),
        };
        let recent = Recent::new(already);
        Progress { mode, total, recent, start: Instant::now(), shown: None }
    }

    /// Shows the progress, if an update is due. Lines after the first are for terminals only.
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
        let text = visible(&text(self.recent.pace(self.total, done, self.start.elapsed())));
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

    /// Prints a line that stays, above the progress line.
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

fn spinner(total: Option<u64>, already: u64) -> ProgressBar {
    // No bar: the numbers say more, and there are just enough columns for them.
    // The prefix is what stands below.
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let bar = bar.with_style(style("{spinner} {wide_msg}{prefix}"));
    bar.set_position(already);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A progress bar on standard error, after a template of indicatif; for work that takes minutes.
pub fn bar(total: u64, template: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style(template));
    if template.contains("{elapsed}") {
        bar.enable_steady_tick(Duration::from_millis(500));
    }
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// When how many steps were done, of the last minutes.
struct Recent(VecDeque<(Duration, u64)>);

impl Recent {
    /// `already`: steps done before the start.
    fn new(already: u64) -> Recent {
        Recent([(Duration::ZERO, already)].into())
    }

    /// Adds a measurement, and returns the pace.
    fn pace(&mut self, total: Option<u64>, done: u64, elapsed: Duration) -> Pace {
        self.0.push_back((elapsed, done));
        // The oldest that is kept is as old as the window or older.
        while self.0.get(1).is_some_and(|&(at, _)| elapsed.saturating_sub(at) >= RECENT) {
            self.0.pop_front();
        }
        let (since, before) = self.0.front().copied().unwrap_or((elapsed, done));
        let steps = done.saturating_sub(before) as f64;
        let seconds = elapsed.saturating_sub(since).as_secs_f64();
        if steps == 0.0 || seconds == 0.0 {
            return Pace { per_minute: None, seconds_left: None };
        }
        let left = total.map(|total| total.saturating_sub(done) as f64);
        Pace {
            per_minute: Some(60.0 * steps / seconds),
            seconds_left: left.map(|left| left * seconds / steps),
        }
    }
}

/// `1:02:05`, the shortest way to write hours, minutes and seconds.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let hours = whole / 3_600;
    let minutes = whole / 60 % 60;
    let seconds = whole % 60;
    if hours == 0 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_counts_only_what_this_process_did() {
        let minute = Duration::from_secs(60);
        let resumed = Recent::new(800).pace(Some(1_000), 900, minute);
        assert_eq!(resumed, Pace { per_minute: Some(100.0), seconds_left: Some(60.0) });
        let fresh = Pace { per_minute: None, seconds_left: None };
        assert_eq!(Recent::new(800).pace(Some(1_000), 800, minute), fresh);
        assert_eq!(Recent::new(0).pace(None, 30, minute).seconds_left, None);
        assert_eq!(Recent::new(0).pace(Some(10), 20, minute).seconds_left, Some(0.0));
    }

    #[test]
    fn the_pace_is_that_of_the_last_minutes_and_not_of_the_whole_run() {
        // Ten steps a second for an hour, and then, on a busy machine, one.
        let mut recent = Recent::new(0);
        for second in (10..=3_600).step_by(10) {
            recent.pace(None, 10 * second, Duration::from_secs(second));
        }
        let mut pace = None;
        for second in (10..=150).step_by(10) {
            let at = Duration::from_secs(3_600 + second);
            pace = recent.pace(Some(40_000), 36_000 + second, at).per_minute;
        }
        assert!(pace.is_some_and(|pace| (pace - 60.0).abs() < 1.0), "{pace:?}");
        assert!(recent.0.len() < 20, "{}", recent.0.len());
    }

    #[test]
    fn times_are_written_as_on_a_clock() {
        let cases =
            [(0.4, "0:00"), (725.0, "12:05"), (3_725.0, "1:02:05"), (400_000.0, "111:06:40")];
        for (seconds, text) in cases {
            assert_eq!(clock(seconds), text);
        }
    }
}
