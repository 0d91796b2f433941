//! Every target over its corpus and some thousand mutations of it, without a fuzzer: the same ones
//! each time, so that what fails here fails again. `MUTATIONS=10000000` tries that many of each.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fuzz::TARGETS;

/// Mutations of the corpus of each target, unless `MUTATIONS` is set. The slow targets take a tenth of
/// them.
const MUTATIONS: usize = 10_000;
const SLOW: [&str; 5] = ["session", "ledger", "network", "syzygy", "picture"];

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("readable")).collect()
}

/// SplitMix64 (G. Steele, D. Lea and C. Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % limit.max(1)
    }
}

/// Tokens that parsers handle specially.
const TOKENS: [&[u8]; 12] = [
    b"\0",
    b"\xff",
    b"\xff\xff\xff\xff",
    b"\x80",
    b"-",
    b" ",
    b"\n",
    b"\"",
    b"9",
    b"{",
    b":",
    b",",
];

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            2 if !bytes.is_empty() => drop(bytes.drain(at..end)),
            3 if !bytes.is_empty() => bytes.truncate(at),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, part));
            }
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                drop(bytes.splice(at..at, token.iter().copied()));
            }
        }
    }
    bytes
}

fn replay(name: &str) {
    let (_, run) = TARGETS.iter().find(|target| target.0 == name).expect("a target");
    let seeds = corpus(name);
    assert!(!seeds.is_empty(), "{name} has no corpus");
    let mut random = Random(1);
    let wanted = std::env::var("MUTATIONS").ok();
    let wanted = wanted.map_or(MUTATIONS, |count| count.parse().expect("MUTATIONS is a number"));
    let mutations = if SLOW.contains(&name) { wanted / 10 } else { wanted };
    for input in seeds.iter().cloned().chain((0..mutations).map(|_| mutated(&seeds, &mut random))) {
        if catch_unwind(AssertUnwindSafe(|| run(&input))).is_err() {
            panic!("{name} fails on \"{}\"", input.escape_ascii());
        }
    }
}

macro_rules! replayed {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_replayed() {
            let replayed = [$(stringify!($name)),*];
            assert_eq!(replayed, TARGETS.map(|(name, _)| name));
        }
    };
}

replayed!(
    fen, uci, session, replies, epd, pgn, pgn_events, bullet, lines, hdf5, viri, binpack, leela,
    packed, yaml, network, ledger, syzygy, polyglot, picture,
);
