use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::board::Position;

use super::*;
use crate::flaws::Flaws;
use crate::formats::{Writer, records};
use crate::record::Record;
use harness_player::Score;
use harness_stats::GameScore;

/// Positions of a random walk, with labels that follow from their number.
fn walk(count: usize) -> Vec<Record> {
    let mut position = Position::startpos();
    let mut records = Vec::new();
    for number in 0..count {
        let moves = position.legal_moves();
        if moves.is_empty() || number % 60 == 59 {
            position = Position::startpos();
            continue;
        }
        position.play(moves[(number * number + 7) % moves.len()]);
        records.push(Record {
            score: Some(Score::Centipawns(number as i32 % 900 - 450)),
            result: Some(GameScore::ALL[number % 3]),
            depth: (number % 11) as u8,
            ply: Some((number % 60) as u16),
            ..Record::bare(position, 1 + number as u64 / 60)
        });
    }
    records
}

fn write(path: &Path, records: &[Record]) {
    let mut writer = Writer::create(path).expect("begun");
    records.iter().for_each(|record| writer.record(record).expect("written"));
    writer.finish().expect("finished");
}

fn read(path: &Path) -> Vec<Record> {
    records(path, &Flaws::default()).expect("opened").collect::<Result<_, _>>().expect("sound")
}

/// Applies a rule to files with a memory budget.
fn apply(rule: Rule, inputs: &[PathBuf], output: &Path, memory: u64) -> Tally {
    let folder = tempfile::tempdir().expect("a folder");
    let mut progress = |_, _| {
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "parts have no names");
        ControlFlow::Continue(())
    };
    let writer = Writer::create(output).expect("begun");
    let workspace = Workspace { memory, folder: folder.path() };
    super::apply(rule, inputs, writer, workspace, &Flaws::default(), &mut progress).expect("done")
}

fn sorted(records: &[Record]) -> Vec<String> {
    let mut texts: Vec<String> = records
        .iter()
        .map(|record| format!("{:?}", Record { game: 0, ..record.clone() }))
        .collect();
    texts.sort();
    texts
}

#[test]
fn shuffling_keeps_every_position_and_its_seed_decides_the_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    write(&at("a.csv"), &walk(500));
    write(&at("b.bin"), &walk(700));
    for (input, output, memory) in
        [("a.csv", "c.csv", 1 << 30), ("a.csv", "d.csv", 5_000), ("b.bin", "e.bin", 4_000)]
    {
        let tally = apply(Rule::Shuffle(3), &[at(input)], &at(output), memory);
        let before = read(&at(input));
        let after = read(&at(output));
        assert_eq!((tally.read, tally.written), (before.len() as u64, before.len() as u64));
        assert_eq!(sorted(&before), sorted(&after), "{output}");
        let in_place = before.iter().zip(&after).filter(|(a, b)| a.position == b.position);
        assert!(in_place.count() < before.len() / 10, "{output}");
        apply(Rule::Shuffle(3), &[at(input)], &at("again.bin"), memory);
        apply(Rule::Shuffle(4), &[at(input)], &at("other.bin"), memory);
        let [again, other] = ["again.bin", "other.bin"].map(|name| read(&at(name)));
        assert_ne!(again, other);
    }
}

#[test]
fn of_equal_positions_the_deepest_label_stays_with_the_mean_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let records = walk(900);
    // The reference implementation: one map in memory.
    let mut wanted: BTreeMap<u64, (u8, u32, u32)> = BTreeMap::new();
    for record in &records {
        let (depth, halves, count) = wanted.entry(record.position.key()).or_default();
        *depth = record.depth.max(*depth);
        *halves += record.result.map_or(0, |result| result as u32);
        *count += 1;
    }
    assert!(wanted.len() < records.len() - 20, "a walk with repeated positions");
    write(&at("a.csv"), &records);
    for memory in [1 << 30, 3_000] {
        let tally = apply(Rule::Unique, &[at("a.csv")], &at("b.csv"), memory);
        let kept = read(&at("b.csv"));
        assert_eq!((tally.read, tally.written), (records.len() as u64, wanted.len() as u64));
        for record in &kept {
            let (depth, halves, count) = wanted[&record.position.key()];
            assert_eq!(record.depth, depth);
            let result = record.result.map_or(9, |result| result as u32);
            assert!((halves / count..=halves.div_ceil(count)).contains(&result), "{record:?}");
        }
        let again = apply(Rule::Unique, &[at("b.csv")], &at("c.csv"), memory);
        assert_eq!(again.written, tally.written);
    }
}

#[test]
fn mirrored_positions_are_one_in_bulletformat() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let lines =
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 9 | 80 | 1\n4k3/4p3/8/8/8/8/8/4K3 b - - 0 9 | -90 | 0.5\n";
    std::fs::write(at("a.txt"), lines).expect("written");
    assert_eq!(apply(Rule::Unique, &[at("a.txt")], &at("b.txt"), 1 << 20).written, 2);
    assert_eq!(apply(Rule::Unique, &[at("a.txt")], &at("b.bin"), 1 << 20).written, 1);
    let halves = read(&at("b.bin"))[0].result;
    assert!(halves == Some(GameScore::Draw) || halves == Some(GameScore::Win), "{halves:?}");
}

#[test]
fn damaged_records_end_every_rule_with_their_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for ending in ["bin", "marlin"] {
        let input = at(&format!("a.{ending}"));
        write(&input, &walk(60));
        let mut bytes = std::fs::read(&input).expect("readable");
        bytes[648] = 0xff;
        std::fs::write(&input, bytes).expect("written");
        for rule in [Rule::Shuffle(1), Rule::Unique] {
            let workspace = Workspace { memory: 1 << 20, folder: folder.path() };
            let writer = Writer::create(&at(&format!("b.{ending}"))).expect("begun");
            let (flaws, progress) = (Flaws::default(), &mut |_, _| ControlFlow::Continue(()));
            let inputs = std::slice::from_ref(&input);
            let done = super::apply(rule, inputs, writer, workspace, &flaws, progress);
            let error = done.expect_err("damaged").to_string();
            assert!(error.contains("byte 640: record 21: piece code"), "{error}");
        }
    }
}
