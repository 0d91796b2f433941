//! Training data of Leela Chess Zero, against a program in Python that shares nothing with ours.

use std::fs;
use std::path::Path;

use engine::board::{Move, Position};
use harness::data::formats::leela::{self, Sample, Step, Value};
use harness::data::record::number_of;
use serde_json::{Map, Value as Json, json};

use crate::common::{self, shown};
use crate::needs::python_with_chess;

fn number(value: f32) -> Json {
    if value.is_nan() { Json::Null } else { json!(f64::from(value)) }
}

const VALUES: [(&str, Value); 17] = [
    ("root_q", Value::RootQ),
    ("best_q", Value::BestQ),
    ("root_d", Value::RootD),
    ("best_d", Value::BestD),
    ("root_m", Value::RootM),
    ("best_m", Value::BestM),
    ("plies_left", Value::PliesLeft),
    ("result_q", Value::ResultQ),
    ("result_d", Value::ResultD),
    ("played_q", Value::PlayedQ),
    ("played_d", Value::PlayedD),
    ("played_m", Value::PlayedM),
    ("orig_q", Value::OrigQ),
    ("orig_d", Value::OrigD),
    ("orig_m", Value::OrigM),
    ("policy_kld", Value::PolicyKld),
    ("q_standard_deviation", Value::QStandardDeviation),
];

/// Everything of a record, as the Python program prints it; score and result are added from the
/// games that the harness reads.
fn told(sample: &Sample<'_>, step: &Step) -> Json {
    let name = |m: Move| step.position.uci(m, true).to_string();
    let policy: Map<String, Json> =
        sample.policy(&step.position).map(|(m, share)| (name(m), number(share))).collect();
    let values: Map<String, Json> = VALUES
        .into_iter()
        .map(|(name, value)| (name.to_owned(), number(sample.value(value))))
        .collect();
    json!({
        "input_format": sample.input_format(),
        "fen": without_move_number(&step.position),
        "policy": policy,
        "planes": (0..104).map(|at| format!("{:016x}", sample.plane(at))).collect::<Vec<_>>(),
        "castling": sample.castling(),
        "side_or_en_passant": sample.side_or_en_passant(),
        "flags": sample.flags(),
        "values": values,
        "visits": sample.visits(),
        "played": name(step.played),
        "best": name(step.best),
    })
}

fn without_move_number(position: &Position) -> String {
    let fen = position.fen(true);
    fen.rsplit_once(' ').map(|(before, _)| before.to_owned()).expect("six fields")
}

/// The records of a file: as they are stored, and as positions of games.
fn ours(path: &Path) -> Vec<Json> {
    let mut all = Vec::new();
    leela::each(path, &mut |sample, step| all.push(told(sample, step))).expect("sound");
    let records = harness::data::formats::records(path, &Default::default()).expect("a format");
    let records: Vec<_> = records.collect::<Result<_, _>>().expect("sound");
    assert_eq!(records.len(), all.len(), "{}", path.display());
    for (record, one) in records.iter().zip(&mut all) {
        assert_eq!(one["fen"], without_move_number(&record.position));
        let played = record.played.map(|m| record.position.uci(m, true).to_string());
        assert_eq!(one["played"], json!(played));
        one["result"] = json!(record.result.map(|result| f64::from(result as u8) / 2.0));
        one["score"] = json!(record.score.map(number_of));
    }
    all
}

fn theirs(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn chunks_read_back_as_an_independent_program_wrote_and_reads_them() {
    let Some(python) = python_with_chess() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |word: &str, path: &Path| {
        common::python(&python, "leela_chunks.py", &[word.as_ref(), path.as_ref()])
    };
    run("write", folder);
    let mut formats = std::collections::BTreeSet::new();
    let mut files = 0;
    for file in fs::read_dir(folder).expect("written").map(|file| file.expect("a file").path()) {
        if file.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        files += 1;
        let ours = ours(&file);
        let written = fs::read_to_string(format!("{}.json", file.display())).expect("told");
        let read = run("read", &file);
        for (from, theirs) in [("wrote", theirs(&written)), ("reads", theirs(&read))] {
            assert_eq!(ours.len(), theirs.len(), "{}", file.display());
            for (at, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(a, b, "{}: record {}, as it {from}", file.display(), at + 1);
            }
        }
        formats.extend(ours.iter().map(|record| record["input_format"].as_u64()));
    }
    assert!(files > 10 && formats.len() == 7, "{files} files, {formats:?}");

    // By the command line: into games, and what is broken is named by its record.
    let output = common::run(folder, "data import training.tar game_000001.gz -o all.games --json");
    let imported = common::json(&output);
    let count = |name: &str| theirs(&fs::read_to_string(folder.join(name)).expect(name)).len();
    let wanted = count("training.tar.json") + count("game_000001.gz.json");
    assert_eq!(imported["positions"], wanted);
    let back = common::json(&common::run(folder, "data stats all.games --json"));
    assert_eq!(back["positions"], wanted);
    let mut broken = fs::read(folder.join("all.leela")).expect("read");
    let skipped: Vec<u8> = [&broken[..4 * leela::SIZE], &broken[5 * leela::SIZE..]].concat();
    fs::write(folder.join("gap.leela"), skipped).expect("written");
    broken[2 * leela::SIZE] = 5;
    fs::write(folder.join("old.leela"), &broken[..3 * leela::SIZE - 48]).expect("written");
    broken[2 * leela::SIZE..2 * leela::SIZE + 8].copy_from_slice(&[6, 0, 0, 0, 9, 0, 0, 0]);
    fs::write(folder.join("format.leela"), &broken).expect("written");
    fs::write(folder.join("short.leela"), &broken[..2 * leela::SIZE - 1]).expect("written");
    for (file, says) in [
        ("gap.leela", "record 5: not the position after"),
        ("old.leela", "record 3: version 5 of Leela's training data"),
        ("format.leela", "record 3: input format 9"),
        ("short.leela", "byte 8356: the file ends too soon"),
    ] {
        let output = common::run(folder, &format!("data import {file} -o x.games"));
        assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
        let text = shown(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(says), "{says}: {text}");
    }
}
