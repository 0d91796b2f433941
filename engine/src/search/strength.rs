//! Limited strength (`UCI_LimitStrength`, `UCI_Elo`).

use super::limits::{Limits, Root};
use super::report::Progress;
use super::score::Score;
use crate::board::Move;

/// A limited strength and the seed of its mistakes.
///
/// A weak player searches few nodes and plays the move whose value plus noise is the highest. The
/// noise is a function of the seed, the position and the move, so that games with one thread are
/// reproducible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    elo: u32,
    seed: u64,
}

/// A level of the scale.
struct Level {
    elo: f64,
    /// Nodes per move.
    nodes: f64,
    /// Amplitude of the noise, in centipawns.
    noise: f64,
}

/// Lines to choose from.
const CANDIDATES: u32 = 6;

/// Calibrated by 30 or 40 games per pairing (`harness match`, fixed nodes) against Stockfish 15.1
/// with `UCI_Elo`, whose scale this is, and between neighbouring levels. Measured: the first level
/// 117 +- 114 below 1350, the second 382 +- 253 below 1800 and 381 +- 209 above one between it and
/// the first, the third 301 +- 189 above 1700 and 636 +- 358 above the second, the fourth 83 +- 139
/// below 2000 (30 games). The levels are a compromise: each may be off by 150 Elo.
const LEVELS: [Level; 4] = [
    Level { elo: 1250.0, nodes: 100.0, noise: 300.0 },
    Level { elo: 1400.0, nodes: 2_000.0, noise: 30.0 },
    Level { elo: 1800.0, nodes: 10_000.0, noise: 20.0 },
    Level { elo: 2000.0, nodes: 50_000.0, noise: 0.0 },
];

impl Strength {
    /// The lowest strength, in Elo.
    pub const MIN: u32 = LEVELS[0].elo as u32;
    /// The highest strength, in Elo.
    pub const MAX: u32 = LEVELS[LEVELS.len() - 1].elo as u32;

    /// A strength of about `elo`, clamped to [`Strength::MIN`] and [`Strength::MAX`].
    pub fn new(elo: u32, seed: u64) -> Strength {
        Strength { elo: elo.clamp(Strength::MIN, Strength::MAX), seed }
    }

    /// The level, interpolated between those of the table.
    fn level(self) -> Level {
        let elo = f64::from(self.elo);
        let above = LEVELS.iter().skip(1).position(|level| elo <= level.elo);
        let lower = above.unwrap_or(LEVELS.len() - 2);
        let [from, to] = [&LEVELS[lower], &LEVELS[lower + 1]];
        let part = (elo - from.elo) / (to.elo - from.elo);
        Level {
            elo,
            nodes: from.nodes * (to.nodes / from.nodes).powf(part),
            noise: from.noise + part * (to.noise - from.noise),
        }
    }

    /// Lowers the node limit to that of this strength, and asks for several lines.
    pub fn limit(self, limits: &mut Limits) {
        let nodes = self.level().nodes as u64;
        limits.nodes = Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes)));
        limits.multipv = limits.multipv.max(CANDIDATES);
    }

    /// The line with the highest value plus noise.
    pub fn choose<'a>(self, root: &Root, lines: &'a [Progress]) -> Option<&'a Progress> {
        let noise = self.level().noise;
        let key = root.position().key();
        let noisy_value = |line: &Progress| {
            let m = line.pv.first().copied()?;
            Some(value(line.score) + noise * random(self.seed, key, m))
        };
        let valued = lines.iter().filter_map(|line| Some((line, noisy_value(line)?)));
        valued.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(line, _)| line)
    }
}

/// The lines that a weak player chooses from: those of one iteration, since values of different
/// iterations are not comparable. It is the last iteration, unless that was stopped with fewer lines
/// than the previous one.
#[derive(Debug, Default)]
pub struct CandidateLines {
    current: Vec<Progress>,
    previous: Vec<Progress>,
}

impl CandidateLines {
    /// Adds a report, in the order of the reports.
    pub fn add(&mut self, progress: &Progress) {
        if progress.multipv == 1 {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.push(progress.clone());
    }

    /// The lines to choose from.
    pub fn lines(&self) -> &[Progress] {
        if self.current.len() >= self.previous.len() { &self.current } else { &self.previous }
    }
}

fn value(score: Score) -> f64 {
    /// Far above any noise.
    const MATE: f64 = 1e6;
    match score {
        Score::Centipawns(value) => f64::from(value),
        Score::Mate(moves) if moves > 0 => MATE - f64::from(moves),
        Score::Mate(moves) => -MATE - f64::from(moves),
    }
}

/// A pseudorandom number between -1 and 1 with a triangular distribution, as a function of seed,
/// position and move.
fn random(seed: u64, key: u64, m: Move) -> f64 {
    let mixed = mix(mix(seed ^ key) ^ u64::from(m.raw()));
    let [low, high] = [mixed as u32, (mixed >> 32) as u32];
    (f64::from(low) + f64::from(high)) / f64::from(u32::MAX) - 1.0
}

/// The finisher of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
fn mix(mut state: u64) -> u64 {
    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::board::Position;
    use crate::params::Fixed;
    use crate::search::Searcher;

    fn play(fen: &str, strength: Strength) -> Move {
        let root = Root::new(Position::from_fen(fen).expect("valid"));
        let mut limits = Limits::default();
        strength.limit(&mut limits);
        let mut candidates = CandidateLines::default();
        Searcher::new(Fixed, 1).search(&root, &limits, &AtomicBool::new(false), &mut |progress| {
            candidates.add(progress);
            ControlFlow::Continue(())
        });
        strength.choose(&root, candidates.lines()).expect("there are moves").pv[0]
    }

    #[test]
    fn levels_lie_between_those_of_the_table_and_rise() {
        assert!(
            LEVELS.is_sorted_by(|a, b| a.elo < b.elo && a.nodes < b.nodes && a.noise >= b.noise)
        );
        for elo in 0..4000 {
            let (level, next) = (Strength::new(elo, 0).level(), Strength::new(elo + 1, 0).level());
            assert!(level.nodes >= LEVELS[0].nodes && level.noise >= 0.0, "{elo}");
            assert!(level.nodes <= next.nodes && level.noise >= next.noise, "{elo}");
        }
    }

    #[test]
    fn mistakes_depend_on_the_seed_and_can_be_repeated() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let choice = |seed| play(start, Strength::new(Strength::MIN, seed));
        assert_eq!(choice(7), choice(7));
        assert!((0..20).any(|seed| choice(seed) != choice(7)));
    }

    #[test]
    fn no_noise_hides_a_mate() {
        for seed in 0..20 {
            let weakest = Strength::new(Strength::MIN, seed);
            let m = play("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", weakest);
            assert_eq!(format!("{:?}{:?}", m.from(), m.to()).to_lowercase(), "d1d8");
        }
    }
}
