//! Tuned options without effect: searches with both ends of their ranges, beside those with their
//! start.
//!
//! A run in which one option of many does nothing looks like any other one, and tunes noise along it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use super::super::search::SearchResult;
use super::super::{Fault, FaultKind, Limit, Line, Player, StartAgain, unobserved};
use super::alternatives::respected_limits;

/// Openings, middlegames and endgames, in and out of check; the phases in turns, as most options show
/// an effect in the first ones.
const POSITIONS: [&str; 16] = [
    "r2q1rk1/pp1bbppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 5 10",
    "8/1p3k2/p1p2p2/P1P1p3/1P2P1K1/5P2/8/8 w - - 0 45",
    "r1b1k2r/1pq2ppp/p1n1pn2/2b5/4P3/2NB1N2/PPPBQPPP/R3K2R b KQkq - 6 10",
    "3r2k1/pp2r1pp/2p5/4b3/2P1N3/1P4P1/P3RP1P/3R2K1 b - - 1 25",
    "1k1r3r/pp3p2/4p1qp/2p1P1p1/3PQ3/2P1R3/PP3PPP/4R1K1 w - - 0 24",
    "8/pp3kpp/2p5/4n3/4P3/P3BP2/1P3KPP/8 w - - 0 30",
    "2rq1rk1/pb2bppp/1p2pn2/2np4/3P4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 0 14",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQ - 4 6",
    "2r3k1/1p2bppp/p3p3/3rP3/3q4/1B1R2P1/PP1R1P1P/3Q2K1 w - - 0 25",
    "6rk/pp4pp/2p2p2/4n3/4P2q/2N1R3/PPQ2P1P/3R3K w - - 0 26",
    "5k2/ppp2p2/2nb3p/6p1/3P4/2P1BN1P/PP3PP1/6K1 w - - 0 27",
    "r2q1rk1/3bbppp/p2p1n2/1p1Pp3/4P3/2P2N1P/PPB2PP1/R1BQR1K1 b - - 0 17",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "3q1rk1/5p1p/p3p1p1/1p1bP3/3P4/P5QP/1P3PP1/2R2BK1 w - - 0 30",
];

/// Fewer positions than this say nothing.
const MIN_POSITIONS: usize = 4;
/// Time after which no further position is tried ...
const TIME_BUDGET: Duration = Duration::from_secs(10);
/// ... and after which the comparison is given up.
const COMPARISON_TIMEOUT: Duration = Duration::from_secs(30);
/// Searches that take longer are made smaller.
const MAX_SEARCH_TIME: Duration = Duration::from_millis(100);
/// Time after which a search counts as hung.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest limits: deeper searches cost more than they show.
const MAX_NODES: u64 = 50_000;
const MAX_DEPTH: u8 = 10;
/// Limits in place of one in time, whose searches never repeat.
const FALLBACK_LIMITS: [Limit; 2] = [Limit::Nodes(10_000), Limit::Depth(6)];

/// An option with its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunedOption {
    /// Its name.
    pub name: String,
    /// The value before tuning.
    pub start: String,
    /// The smallest and the largest value.
    pub ends: [String; 2],
}

/// Options without a visible effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Effects {
    /// All options were compared.
    Compared {
        /// Those whose searches at both ends are those at the start.
        without: Vec<String>,
        /// Number of positions searched.
        positions: usize,
        /// Limit of the searches.
        limit: Limit,
        /// The parts of their results that are the same.
        what: &'static str,
    },
    /// They cannot be compared.
    Unknown(String),
}

/// Compares the searches of each option's ends with those of its start, all others at their start.
/// `limit` is that of the run; searches are of nodes or depth alone, and not large.
///
/// # Errors
/// A [`Fault`] when the engine cannot be started, or the user interrupts.
pub fn effects(
    options: &[TunedOption],
    limit: Limit,
    chess960: bool,
    start: &StartAgain<'_>,
) -> Result<Effects, Fault> {
    let Some(limit) = repeatable(limit, chess960, start)? else {
        return Ok(Effects::Unknown("it respects neither nodes nor depth".to_owned()));
    };
    let of_start = options.iter().map(|option| (option.name.clone(), option.start.clone()));
    let at_start = of_start.collect();
    let mut bench = Bench { start, chess960, limit, at_start, keeps: true, kept: None };
    match bench.compare(options) {
        Err(fault) if [FaultKind::Interrupted, FaultKind::Start].contains(&fault.kind) => {
            Err(fault)
        }
        Err(fault) => Ok(Effects::Unknown(format!("{} at its start values", fault.kind))),
        Ok(effects) => Ok(effects),
    }
}

/// The part of a limit whose searches repeat, within bounds; `None` if the engine respects none.
fn repeatable(
    limit: Limit,
    chess960: bool,
    start: &StartAgain<'_>,
) -> Result<Option<Limit>, Fault> {
    let bounded = |part| match part {
        Limit::Nodes(nodes) => Some(Limit::Nodes(nodes.min(MAX_NODES))),
        Limit::Depth(depth) => Some(Limit::Depth(depth.min(MAX_DEPTH))),
        Limit::Clock(_) | Limit::MoveTime(_) | Limit::Combined { .. } => None,
    };
    let parts: Vec<Limit> = limit.parts().into_iter().filter_map(bounded).collect();
    match (limit.time(), &parts[..]) {
        // The probe has tried it.
        (None, [only]) => Ok(Some(*only)),
        (None, _) => Ok(parts.into_iter().find(|part| matches!(part, Limit::Nodes(_)))),
        (Some(_), []) => Ok(respected_limits(&FALLBACK_LIMITS, chess960, start)?.first().copied()),
        (Some(_), parts) => Ok(respected_limits(parts, chess960, start)?.first().copied()),
    }
}

/// A search and its line.
struct SearchedLine {
    search: SearchResult,
    pv: Vec<UciMove>,
}

impl SearchedLine {
    /// Whether two searches have the same result.
    fn repeats(&self, other: &SearchedLine) -> bool {
        self.search.repeats(&other.search) && self.pv == other.pv
    }

    /// Parts of it that the engine prints.
    fn what(&self) -> &'static str {
        match (self.search.nodes, self.search.score) {
            (Some(_), Some(_)) => "nodes, score or line",
            (None, Some(_)) => "score or line",
            (_, None) => "move",
        }
    }
}

/// An engine at the start values.
struct Bench<'a> {
    start: &'a StartAgain<'a>,
    chess960: bool,
    limit: Limit,
    at_start: BTreeMap<String, String>,
    /// Whether a process searches several times; not where `ucinewgame` leaves something behind.
    keeps: bool,
    kept: Option<Box<dyn Player + Send>>,
}

impl Bench<'_> {
    fn compare(&mut self, options: &[TunedOption]) -> Result<Effects, Fault> {
        let begun = Instant::now();
        self.make_fast()?;
        if !self.repeats()? {
            (self.keeps, self.kept) = (false, None);
            if !self.repeats()? {
                return Ok(Effects::Unknown("the same search gives different results".to_owned()));
            }
        }
        let mut left = options.iter().collect::<Vec<_>>();
        let mut what = "move";
        let mut positions = 0;
        for fen in POSITIONS {
            if left.is_empty() || (positions >= MIN_POSITIONS && begun.elapsed() > TIME_BUDGET) {
                break;
            }
            let expected = self.search(fen, None)?;
            what = expected.what();
            let mut same = Vec::new();
            for option in left {
                if begun.elapsed() > COMPARISON_TIMEOUT {
                    let seconds = COMPARISON_TIMEOUT.as_secs();
                    return Ok(Effects::Unknown(format!("it takes more than {seconds} s")));
                }
                if self.is_same(fen, option, &expected)? {
                    same.push(option);
                }
            }
            left = same;
            positions += 1;
        }
        let without = left.into_iter().map(|option| option.name.clone()).collect();
        Ok(Effects::Compared { without, positions, limit: self.limit, what })
    }

    /// Makes the limit smaller until a search takes little time.
    fn make_fast(&mut self) -> Result<(), Fault> {
        while self.search(POSITIONS[0], None)?.search.elapsed > MAX_SEARCH_TIME {
            self.limit = match self.limit {
                Limit::Nodes(nodes) if nodes >= 4_000 => Limit::Nodes(nodes / 4),
                Limit::Depth(depth) if depth > 3 => Limit::Depth(depth - 2),
                _ => break,
            };
        }
        Ok(())
    }

    /// Whether a search repeats after another one.
    fn repeats(&mut self) -> Result<bool, Fault> {
        let before = self.search(POSITIONS[0], None)?;
        self.search(POSITIONS[1], None)?;
        Ok(self.search(POSITIONS[0], None)?.repeats(&before))
    }

    /// Whether both ends of an option give the search of the start. A search that fails is another one.
    fn is_same(
        &mut self,
        fen: &str,
        option: &TunedOption,
        expected: &SearchedLine,
    ) -> Result<bool, Fault> {
        // The larger value first: many options are off at 0, where they start.
        for value in option.ends.iter().rev().filter(|value| **value != option.start) {
            match self.search(fen, Some((&option.name, value))) {
                Ok(found) if found.repeats(expected) => {}
                Err(fault) if fault.kind == FaultKind::Interrupted => return Err(fault),
                Ok(_) | Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Searches a position, with an option at another value than its start.
    fn search(&mut self, fen: &str, changed: Option<(&str, &str)>) -> Result<SearchedLine, Fault> {
        let mut player = match self.kept.take() {
            Some(player) => player,
            None => self.start_player()?,
        };
        if let Some((name, value)) = changed {
            player.set_options(&BTreeMap::from([(name.to_owned(), value.to_owned())]))?;
        }
        player.new_game(self.chess960)?;
        let (go, _) = self.limit.single_search();
        let line = Line { fen: Some(fen), moves: &[] };
        let reply = player.go(line, &go, SEARCH_TIMEOUT, &mut unobserved)?;
        if self.keeps {
            if changed.is_some() {
                player.set_options(&self.at_start)?;
            }
            self.kept = Some(player);
        }
        Ok(SearchedLine { search: SearchResult::from_reply(&reply), pv: reply.info.pv })
    }

    fn start_player(&self) -> Result<Box<dyn Player + Send>, Fault> {
        let mut player = (self.start)()?;
        player.set_options(&self.at_start)?;
        Ok(player)
    }
}

/// Advice about an option without effect.
const ADVICE: &str = "Games that are spent on it say nothing: check that the engine reads the value \
                      in every game, and whether it needs another option (`options:` in the \
                      experiment), or leave it out";

impl Effects {
    /// Warning about options without effect in a run with this limit, or about a comparison that cannot
    /// be made; `None` where all have one.
    pub fn warning(&self, of_run: Limit) -> Option<String> {
        let (without, positions, limit, what) = match self {
            Effects::Unknown(reason) => {
                return Some(format!(
                    "whether every parameter has an effect was not tried before the first game: \
                     {reason}"
                ));
            }
            Effects::Compared { without, .. } if without.is_empty() => return None,
            Effects::Compared { without, positions, limit, what } => {
                (without, positions, *limit, what)
            }
        };
        let names: Vec<String> = without.iter().map(|name| format!("`{name}`")).collect();
        let which = match &names[..] {
            [one] => format!("{one} seems to have no effect"),
            _ => format!("{} seem to have no effect", names.join(", ")),
        };
        let only = match of_run.time() {
            Some(_) => " (what matters only by the clock does not show)".to_owned(),
            None if limit == of_run => String::new(),
            None => format!(" (what matters only at {of_run} does not show)"),
        };
        Some(format!(
            "{which}: no change of {what} in {positions} positions at {limit}{only}, with the least \
             and the greatest value. {ADVICE}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::super::interface::Observer;
    use super::super::super::{Go, Info, Reply, Score};
    use super::*;

    /// How an engine searches.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Habit {
        Plain,
        /// Searches before change the nodes, whatever `ucinewgame` says.
        Remembers,
        /// No search is like another one.
        Random,
        /// Prints neither nodes nor score.
        Silent,
        /// It dies where `live` has its greatest value.
        Dies,
        /// Longer than a search of the comparison may take, in all but small limits.
        Slow,
    }

    thread_local! {
        static SEARCHES: Cell<u64> = const { Cell::new(0) };
    }

    /// An engine of which `live` changes the nodes, `late` the score of a few positions at its greatest
    /// value, and `dead` nothing.
    struct Toy {
        habit: Habit,
        values: BTreeMap<String, i64>,
        searches: u64,
    }

    impl Player for Toy {
        fn name(&self) -> &str {
            "toy"
        }

        fn new_game(&mut self, _: bool) -> Result<(), Fault> {
            Ok(())
        }

        fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
            for (name, value) in options {
                self.values.insert(name.clone(), value.parse().expect("a number"));
            }
            Ok(())
        }

        fn go_among(
            &mut self,
            line: Line<'_>,
            _: &[UciMove],
            go: &Go,
            _: Duration,
            _: &mut Observer<'_>,
        ) -> Result<Reply, Fault> {
            self.searches += 1;
            let all = SEARCHES.get() + 1;
            SEARCHES.set(all);
            let value = |name: &str| self.values.get(name).copied().unwrap_or(50);
            let live = value("live");
            let late = value("late");
            if self.habit == Habit::Dies && live == 100 {
                let player = "toy".to_owned();
                let detail = String::new();
                return Err(Fault { player, kind: FaultKind::Crash, detail });
            }
            let (_, nodes, depth) = go.parts();
            let asked = nodes.unwrap_or(1_000 * u64::from(depth.unwrap_or(1)));
            let more = match self.habit {
                Habit::Remembers => self.searches,
                Habit::Random => all,
                _ => 0,
            };
            let endgame = line.fen.is_some_and(|fen| fen.starts_with("8/2p5"));
            let score = if endgame && late == 100 { 7 } else { 0 };
            let is_silent = self.habit == Habit::Silent;
            let info = Info {
                nodes: (!is_silent).then_some(asked + live.unsigned_abs() + more),
                score: (!is_silent).then_some(Score::Centipawns(score)),
                ..Info::default()
            };
            let slow = self.habit == Habit::Slow && asked > 3_000;
            let elapsed = if slow { 2 * MAX_SEARCH_TIME } else { Duration::from_millis(1) };
            let best_move = UciMove::from_ascii(b"e2e4").expect("a move");
            Ok(Reply { best_move, ponder: None, info, elapsed })
        }
    }

    fn compare(habit: Habit, limit: &str) -> Effects {
        let option = |name: &str| TunedOption {
            name: name.to_owned(),
            start: "50".to_owned(),
            ends: ["0".to_owned(), "100".to_owned()],
        };
        let options = ["live", "dead", "late"].map(option);
        let start = || {
            let toy = Toy { habit, values: BTreeMap::new(), searches: 0 };
            Ok(Box::new(toy) as Box<dyn Player + Send>)
        };
        effects(&options, limit.parse().expect(limit), false, &start).expect("it starts")
    }

    #[test]
    fn an_option_that_changes_no_search_is_found_among_others() {
        for (habit, limit, used) in [
            (Habit::Plain, "nodes=2000", "nodes=2000"),
            (Habit::Plain, "depth=4", "depth=4"),
            (Habit::Plain, "nodes=9000000", "nodes=50000"),
            (Habit::Plain, "tc=8+0.08,nodes=5000", "nodes=5000"),
            (Habit::Plain, "depth=40", "depth=10"),
            (Habit::Remembers, "nodes=2000", "nodes=2000"),
            (Habit::Dies, "nodes=2000", "nodes=2000"),
            (Habit::Slow, "nodes=40000", "nodes=2500"),
            (Habit::Slow, "depth=8", "depth=2"),
        ] {
            let found = compare(habit, limit);
            let Effects::Compared { without, positions, limit: by, what } = &found else {
                panic!("{habit:?} {limit}: {found:?}")
            };
            assert_eq!((&without[..], *positions), (&["dead".to_owned()][..], POSITIONS.len()));
            assert_eq!(
                (by.to_string().as_str(), *what),
                (used, "nodes, score or line"),
                "{habit:?}"
            );
            let warning = found.warning(limit.parse().expect(limit)).expect("an option is dead");
            assert!(warning.starts_with("`dead` seems to have no effect: "), "{warning}");
            let of_run: Limit = limit.parse().expect(limit);
            for (words, expected) in [
                (
                    format!("only at {limit} does not show"),
                    of_run.time().is_none() && limit != used,
                ),
                ("only by the clock does not show".to_owned(), of_run.time().is_some()),
            ] {
                assert_eq!(warning.contains(&words), expected, "{warning}");
            }
        }
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let limit = Limit::Nodes(2_000);
        let random = compare(Habit::Random, "nodes=2000").warning(limit).expect("not compared");
        assert!(random.contains("the same search gives different results"), "{random}");
        let silent = compare(Habit::Silent, "nodes=2000").warning(limit).expect("nothing differs");
        assert!(
            silent.starts_with("`live`, `dead`, `late` seem to have no effect: no change of move")
        );
        let none = Effects::Compared { without: Vec::new(), positions: 16, limit, what: "move" };
        assert_eq!(none.warning(limit), None);
    }

    #[test]
    fn positions_are_of_chess_and_not_over() {
        for fen in POSITIONS {
            let position = engine::board::Position::from_fen(fen).expect(fen);
            assert!(position.legal_moves().len() > 1, "{fen}");
        }
    }
}
