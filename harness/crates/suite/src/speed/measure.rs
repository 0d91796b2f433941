//! Searches of an engine and their statistics.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use harness_notation::epd::EpdPosition;
use harness_outcome::Speed;
use harness_player::{Fault, Go, Info, Line, Player};
use harness_stats::paired_ratio;

/// Time after the limit until the engine counts as hung.
const GRACE: Duration = Duration::from_secs(10);

/// The search of each position.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Depth to reach, in plies.
    pub depth: u32,
    /// A search is stopped after this time.
    pub at_most: Duration,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Nodes visited until then.
    pub nodes: u64,
    /// From `go` to the end of the last iteration, or to the stop.
    pub seconds: f64,
    /// Whether it reached the depth.
    pub reached: bool,
}

/// Searches a position with an empty transposition table to the end of an iteration.
///
/// # Errors
/// A [`Fault`] when the engine fails, hangs, or the user interrupts.
pub fn search(
    player: &mut dyn Player,
    position: &EpdPosition,
    task: Task,
) -> Result<Search, Fault> {
    player.new_game(position.castling.is_chess960())?;
    let line = Line { fen: Some(&position.fen), moves: &[] };
    let started = Instant::now();
    let mut course = Course::to(task.depth);
    let mut observe = |info: &Info| course.add(info, started.elapsed().as_secs_f64());
    let go = Go::MoveTime(task.at_most);
    player.go(line, &go, task.at_most + GRACE, &mut observe)?;
    let mut search = course.search;
    if !search.reached {
        search.seconds = search.seconds.max(task.at_most.as_secs_f64());
    }
    Ok(search)
}

/// A search as its `info` lines report it.
struct Course {
    /// The depth to reach.
    goal: u32,
    /// The deepest iteration reported. Lines of a smaller depth may follow: an engine with several
    /// threads ends with the line of the best one.
    deepest: u32,
    search: Search,
}

impl Course {
    fn to(goal: u32) -> Course {
        Course { goal, deepest: 0, search: Search { nodes: 0, seconds: 0.0, reached: false } }
    }

    /// Adds a line, received `seconds` after `go`. An iteration may have several lines: the last one
    /// is its end, which the first line of the next iteration shows; then the search is stopped.
    fn add(&mut self, info: &Info, seconds: f64) -> ControlFlow<()> {
        let depth = info.depth.unwrap_or(0);
        if self.deepest > self.goal || depth < self.deepest {
            return ControlFlow::Continue(());
        }
        self.deepest = depth;
        let beyond = depth > self.goal;
        if !(beyond && self.search.reached) {
            let nodes = info.nodes.unwrap_or(self.search.nodes);
            self.search = Search { nodes, seconds, reached: depth >= self.goal };
        }
        if beyond { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The speeds of engines, from searches in the same order of turns; the others are compared with the
/// first one.
pub fn speeds(engines: &[String], searches: &[Vec<Search>]) -> Vec<Speed> {
    let sum_up = |(number, own): (usize, &Vec<Search>)| {
        let ratio = |of: fn(&Search) -> f64| {
            let numbers = |searches: &[Search]| searches.iter().map(of).collect::<Vec<f64>>();
            paired_ratio(&numbers(&searches[0]), &numbers(own)).ok().filter(|_| number > 0)
        };
        Speed {
            engine: engines[number].clone(),
            nodes_per_second: own.iter().map(|search| search.nodes as f64).sum::<f64>()
                / own.iter().map(|search| search.seconds).sum::<f64>(),
            speed_ratio: ratio(nodes_per_second),
            nodes: geometric_mean(own.iter().map(|search| search.nodes as f64)),
            seconds: geometric_mean(own.iter().map(|search| search.seconds)),
            time_ratio: ratio(|search| search.seconds),
            stopped: own.iter().filter(|search| !search.reached).count(),
        }
    };
    searches.iter().enumerate().map(sum_up).collect()
}

fn nodes_per_second(search: &Search) -> f64 {
    search.nodes as f64 / search.seconds
}

fn geometric_mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    (numbers.map(f64::ln).sum::<f64>() / count).exp()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use harness_base::session::Interrupt;
    use harness_notation::epd;
    use harness_player::{EngineSpec, Program, StartSettings, start};

    fn came(nodes: u64, seconds: f64) -> Search {
        Search { nodes, seconds, reached: true }
    }

    #[test]
    fn an_engine_that_is_twice_as_fast_at_each_position_is_twice_as_fast() {
        let slow = vec![came(1_000, 1.0), came(8_000, 4.0), came(90_000, 30.0)];
        let fast = slow.iter().map(|s| came(s.nodes, s.seconds / 2.0)).collect();
        let speeds = speeds(&["slow".to_owned(), "fast".to_owned()], &[slow, fast]);
        assert_eq!((speeds[0].speed_ratio, speeds[0].time_ratio), (None, None));
        let ratio = speeds[1].speed_ratio.expect("compared");
        assert!((ratio.value - 2.0).abs() < 1e-9 && ratio.pairs == 3);
        assert!((speeds[1].time_ratio.expect("compared").value - 0.5).abs() < 1e-9);
        assert!((speeds[0].nodes_per_second - 99_000.0 / 35.0).abs() < 1e-6);
    }

    #[test]
    fn a_search_is_measured_to_the_end_of_its_iteration_or_to_its_stop() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let spec = EngineSpec {
            name: "builtin".to_owned(),
            program: Program::Builtin,
            options: BTreeMap::new(),
        };
        let mut player = start(&spec, &StartSettings::default(), &interrupt).expect("started");
        let fen = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let position = &epd::read("one.epd", fen).expect("a position")[0];
        let mut to = |depth, at_most| {
            let task = Task { depth, at_most: Duration::from_millis(at_most) };
            search(player.as_mut(), position, task).expect("searched")
        };
        let near = to(3, 60_000);
        let far = to(7, 60_000);
        assert!(near.reached && far.reached && 0 < near.nodes && near.nodes < far.nodes);
        assert_eq!(to(3, 60_000).nodes, near.nodes);
        let endless = to(100, 50);
        assert!(!endless.reached && endless.seconds >= 0.05, "{endless:?}");
    }

    #[test]
    fn what_is_told_after_the_depth_was_passed_counts_no_more() {
        let after = |lines: &[(u32, u64)]| {
            let mut course = Course::to(20);
            for &(depth, nodes) in lines {
                let info = Info { depth: Some(depth), nodes: Some(nodes), ..Info::default() };
                let _ = course.add(&info, nodes as f64);
            }
            course.search
        };
        assert_eq!(after(&[(19, 1), (20, 2), (20, 3), (21, 4), (19, 5), (20, 6)]), came(3, 3.0));
        assert_eq!(after(&[(19, 1), (20, 2), (18, 3)]), came(2, 2.0));
        assert_eq!(after(&[(19, 1), (22, 2), (23, 3)]), came(2, 2.0), "it was passed over");
        assert!(!after(&[(18, 1), (19, 2)]).reached);
    }

    #[test]
    fn searches_that_were_stopped_are_counted() {
        let stopped = Search { nodes: 5_000, seconds: 60.0, reached: false };
        let speeds = speeds(&["a".to_owned()], &[vec![came(1_000, 1.0), stopped]]);
        assert_eq!(speeds[0].stopped, 1);
    }
}
