//! Who has White, and which openings a pairing gets.

use std::collections::BTreeMap;

use crate::matches::bench::Bench;

fn tag<'a>(pgn: &'a str, name: &str) -> &'a str {
    let start = format!("[{name} \"");
    pgn.split(&*start).nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("")
}

#[test]
fn colours_are_swapped_fixed_or_reversed_and_counted_for_the_right_engine() {
    // White always wins: the one with the better score.
    let bench = Bench::new(&[("strong", "--score 900"), ("weak", "--score -900 --seed 2")]);
    let rest = "--nodes 1 --resign-score 500 --resign-moves 1 --games 6 --jobs 1";
    for (flags, whites) in [
        ("", ["strong", "weak", "strong", "weak"]),
        ("--reverse", ["weak", "strong", "weak", "strong"]),
        ("--no-swap", ["strong"; 4]),
        ("--no-swap --reverse", ["weak"; 4]),
    ] {
        let summary = bench.json(&format!("match strong weak {rest} {flags}"));
        let mut games = bench.games();
        games.sort_by_key(|game| (game.pair, game.game));
        let white: Vec<&str> = games.iter().map(|game| game.white.as_str()).take(4).collect();
        assert_eq!(white, whites, "{flags}");
        assert_eq!((&summary["wins"], &summary["losses"]), (&6.into(), &0.into()), "{flags}");
        let starts: Vec<&str> = games.iter().map(|game| tag(&game.pgn, "FEN")).collect();
        let is_swapped = !flags.contains("no-swap");
        assert_eq!(starts[0] == starts[1], is_swapped, "{flags}: no game is played twice");
        bench.assert_whole(3);
    }
}

#[test]
fn every_pairing_has_as_many_openings_shared_or_its_own() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2"), ("c", "--seed 3")]);
    let line = "match a b c --nodes 1 --games 8 --max-moves 2 --format round-robin";
    for (flags, distinct) in [("", 4), ("--own-openings", 12)] {
        bench.json(&format!("{line} {flags}"));
        let mut of_pairing: BTreeMap<[String; 2], Vec<String>> = BTreeMap::new();
        for game in bench.games() {
            let mut names = [game.white.clone(), game.black.clone()];
            names.sort();
            of_pairing.entry(names).or_default().push(tag(&game.pgn, "FEN").to_owned());
        }
        let mut all = Vec::new();
        for starts in of_pairing.values_mut() {
            starts.sort();
            starts.dedup();
            assert_eq!(starts.len(), 4, "{flags}");
            all.append(starts);
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), distinct, "{flags}");
    }
}

#[test]
fn several_seeds_play_a_gauntlet_and_a_pyramid_adds_one_engine_after_the_other() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2"), ("c", "--seed 3"), ("d", "--seed 4")]);
    for (format, met) in [
        ("gauntlet --seeds 2", ["ac", "ad", "bc", "bd"].as_slice()),
        ("pyramid", &["ab", "ac", "bc", "ad", "bd", "cd"]),
    ] {
        bench.json(&format!("match a b c d --nodes 1 --games 2 --max-moves 2 --format {format}"));
        let mut games = bench.games();
        games.sort_by_key(|game| (game.pair, game.game));
        let pairings: Vec<String> =
            games.iter().step_by(2).map(|game| format!("{}{}", game.white, game.black)).collect();
        assert_eq!(pairings, met);
    }
    bench
        .run("match a b --nodes 1 --format gauntlet --seeds 2")
        .assert_fails(2, &["leaves no opponent"]);
}
