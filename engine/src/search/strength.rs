//! Playing below one's strength.

use super::limits::{Limits, Root};
use super::score::Score;
use super::searcher::Progress;
use crate::board::Move;

/// A strength below the full one, and what its mistakes start from.
///
/// A weak player looks at few nodes, and takes for the best move the one whose value with some
/// noise is the highest. The noise depends on the seed, the position and the move alone, so that
/// with one thread a game can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    elo: u32,
    seed: u64,
}

/// A point of the scale.
struct Level {
    elo: f64,
    /// Nodes a move.
    nodes: f64,
    /// The most that a value is changed by, in centipawns.
    noise: f64,
}

/// Moves that are compared.
const LINES: u32 = 6;

/// Calibrated by 30 or 40 games a pairing (`harness match`, fixed nodes) against Stockfish 15.1 with
/// a limited `UCI_Elo`, whose scale this is, and of neighbours with each other. The first three
/// were found 117 +- 114 below 1350, 382 +- 253 below 1800 and 301 +- 189 above 1700; the second
/// 381 +- 209 above one between it and the first, the third 636 +- 358 above the second. The fourth
/// was 83 +- 139 below 2000 (30 games). The numbers are a compromise between these: a level may well
/// be off by 150 Elo.
const LEVELS: [Level; 4] = [
    Level { elo: 1250.0, nodes: 100.0, noise: 300.0 },
    Level { elo: 1400.0, nodes: 2_000.0, noise: 30.0 },
    Level { elo: 1800.0, nodes: 10_000.0, noise: 20.0 },
    Level { elo: 2000.0, nodes: 50_000.0, noise: 0.0 },
];

impl Strength {
    /// The weakest.
    pub const MIN: u32 = LEVELS[0].elo as u32;
    /// The strongest.
    pub const MAX: u32 = LEVELS[LEVELS.len() - 1].elo as u32;

    /// A strength of about so many Elo, within [`Strength::MIN`] and [`Strength::MAX`].
    pub fn new(elo: u32, seed: u64) -> Strength {
        Strength { elo: elo.clamp(Strength::MIN, Strength::MAX), seed }
    }

    /// The level between those of the table.
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

    /// What such a player sees under these limits.
    pub fn limit(self, limits: &mut Limits) {
        let nodes = self.level().nodes as u64;
        limits.nodes = Some(limits.nodes.map_or(nodes, |asked| asked.min(nodes)));
        limits.lines = limits.lines.max(LINES);
    }

    /// The line that such a player takes for the best one.
    pub fn choose<'a>(self, root: &Root, lines: &'a [Progress]) -> Option<&'a Progress> {
        let noise = self.level().noise;
        let key = root.position().key();
        let apparent = |line: &Progress| {
            let m = line.pv.first().copied()?;
            Some(worth(line.score) + noise * error(self.seed, key, m))
        };
        let compared = lines.iter().filter_map(|line| Some((line, apparent(line)?)));
        compared.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(line, _)| line)
    }
}

/// The lines of a search that a weak player compares: those of one iteration, since older values of
/// other moves are not comparable. It is the last one, unless that was cut off with fewer lines than
/// the one before.
#[derive(Debug, Default)]
pub struct Compared {
    now: Vec<Progress>,
    before: Vec<Progress>,
}

impl Compared {
    /// Takes in what is reported, in its order.
    pub fn note(&mut self, progress: &Progress) {
        if progress.line == 1 {
            self.before = std::mem::take(&mut self.now);
        }
        self.now.push(progress.clone());
    }

    /// The lines to compare.
    pub fn lines(&self) -> &[Progress] {
        if self.now.len() >= self.before.len() { &self.now } else { &self.before }
    }
}

fn worth(score: Score) -> f64 {
    /// More than noise can bridge.
    const MATE: f64 = 1e6;
    match score {
        Score::Centipawns(value) => f64::from(value),
        Score::Mate(moves) if moves > 0 => MATE - f64::from(moves),
        Score::Mate(moves) => -MATE - f64::from(moves),
    }
}

/// A number within -1 and 1, small ones being likelier, that looks random but is always the same
/// for the same seed, position and move.
fn error(seed: u64, key: u64, m: Move) -> f64 {
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
        let mut compared = Compared::default();
        Searcher::new(Fixed, 1).search(&root, &limits, &AtomicBool::new(false), &mut |progress| {
            compared.note(progress);
            ControlFlow::Continue(())
        });
        strength.choose(&root, compared.lines()).expect("there are moves").pv[0]
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
