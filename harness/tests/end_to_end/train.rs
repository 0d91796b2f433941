//! `harness train`, from labelled positions to a network that the engine reads.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Output;

use engine::board::{Move, Position};
use engine::eval::nnue::Network;
use engine::eval::{Evaluator, Handcrafted};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common::harness;

/// Lines of `FEN | score | result` from random games.
fn lines(count: usize) -> String {
    let mut chance = Pcg64Mcg::seed_from_u64(1);
    let mut evaluator = Handcrafted::new();
    let (mut text, mut written) = (String::new(), 0);
    while written < count {
        let mut position = Position::startpos();
        for ply in 0..100 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            let Some(&played) = moves.choose(&mut chance) else { break };
            position.play(played);
            if ply > 8 && !position.in_check() && chance.random_range(0..2) == 0 {
                let value = evaluator.evaluate(&position);
                let white = if position.side().is_white() { value } else { -value };
                writeln!(text, "{} | {white} | 0.5", position.fen(false)).expect("a string");
                written += 1;
            }
        }
    }
    text
}

fn train(folder: &Path, arguments: &[&str]) -> Output {
    harness(folder, ["train"]).args(arguments).output().expect("ran")
}

#[test]
fn a_network_comes_of_positions_and_is_the_same_again() {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::write(folder.path().join("data.txt"), lines(4_000)).expect("written");
    let config = "data: [data.txt]\nnetwork: { hidden: 32 }\nepochs: 3\nbatch: 512\n\
                  validation: 0.2\noutput: nets/first.try\n";
    fs::write(folder.path().join("net.yaml"), config).expect("written");
    let output = train(folder.path(), &["net.yaml", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["epochs"].as_array().map(Vec::len), Some(3), "{object}");
    assert!(object["positions"]["train"].as_u64() > Some(2_000), "{object}");
    let path = folder.path().join("nets/first.try.nnue");
    let first = fs::read(&path).expect("a network");
    let (network, note) = Network::from_bytes(&first).expect("the engine reads it");
    assert!(network.shape().to_string().contains("-> 32)x2"), "{}", network.shape());
    assert!(note.contains("validation: 0.2"), "{note}");
    let page = fs::read_to_string(folder.path().join("nets/first.try.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("first.try.nnue"));

    fs::remove_file(&path).expect("there");
    let output = train(folder.path(), &["net.yaml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read(&path).expect("a network"), first, "another network");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("material baseline"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // A finished training has nothing left to do, and says the same.
    assert!(train(folder.path(), &["net.yaml", "--resume"]).status.success());
    assert_eq!(fs::read(&path).expect("a network"), first, "another network");
}

#[test]
fn a_training_goes_on_from_a_network_and_leaves_what_is_frozen() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let read = |name: &str| {
        let bytes = fs::read(folder.path().join(name)).expect("a network");
        Network::from_bytes(&bytes).expect("the engine reads it").0.weights()
    };
    write("data.txt", &lines(3_000));
    let common = "data: [data.txt]\nbatch: 512\nvalidation: 0.2\n";
    let network = "network: { hidden: 32 }\n";
    write("first.yaml", &format!("{common}{network}epochs: 3\noutput: first\n"));
    let output = train(folder.path(), &["first.yaml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let second = format!(
        "{common}epochs: 2\nlearning_rate: 0.01\nstart: first.nnue\nfreeze: [inner]\noutput: second\n"
    );
    write("second.yaml", &format!("{second}{network}"));
    let output = train(folder.path(), &["second.yaml", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (before, after) = (read("first.nnue"), read("second.nnue"));
    assert!(before.0[0] == after.0[0], "the frozen layer changed");
    assert!(before.0[1].weights != after.0[1].weights, "the other layer did not");
    // What the first one knew is not lost.
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let first = fs::read(folder.path().join("first.json")).expect("there");
    let first: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    let loss = |object: &serde_json::Value, pass: usize| object["epochs"][pass]["train"].as_f64();
    assert!(loss(&object, 0) < loss(&first, 0), "{object}");
    // The loss of the start is the one that the first training ended with, but for the rounding of its weights.
    let [start, ended] =
        [&object["loss"]["start"], &first["loss"]["validation"]].map(|it| it.as_f64());
    let [start, ended] = [start, ended].map(|it| it.expect("a loss"));
    assert!((start / ended - 1.0).abs() < 0.02, "{start} {ended}");
    assert!(first["loss"].get("start").is_none(), "{first}");
    // What spoils the network is said.
    let spoiled = second
        .replace("0.01", "0.5")
        .replace("second", "spoiled")
        .replace("epochs: 2", "epochs: 1");
    write("spoiled.yaml", &format!("{spoiled}{network}"));
    let output = train(folder.path(), &["spoiled.yaml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the network it starts from"), "{text}");
    assert!(text.contains("started from is no worse"), "{text}");

    // The output's biases are not even corrected for what rounding does.
    write(
        "third.yaml",
        &format!("{second}{network}").replace("inner", "output").replace("second", "third"),
    );
    let output = train(folder.path(), &["third.yaml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let third = read("third.nnue");
    assert!(before.0[1] == third.0[1], "the frozen layer changed");
    assert!(before.0[0] != third.0[0], "the other layer did not");

    write("wide.yaml", &format!("{second}network: {{ hidden: 64 }}\n"));
    let output = train(folder.path(), &["wide.yaml"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("first.nnue") && text.contains("-> 64)x2"), "{text}");
    // Of one shape there is a mean.
    let average = ["average", "first.nnue", "second.nnue", "-o", "mean.nnue"];
    let output = train(folder.path(), &average);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mean, both) = (read("mean.nnue"), [&before.0[1].weights, &after.0[1].weights]);
    for (at, mean) in mean.0[1].weights.iter().enumerate() {
        assert!((both[0][at] + both[1][at] - 2 * mean).abs() <= 1, "weight {at}");
    }
    assert!(mean.0[0] == before.0[0], "the layer that both have is not that of the mean");
    // Without frozen layers a larger network begins where the smaller one was.
    for (name, larger) in
        [("wide", "hidden: 64, buckets: 8"), ("kings", "architecture: king-buckets, hidden: 32")]
    {
        let config = second.replace("freeze: [inner]\n", "").replace("second", name);
        write(&format!("{name}.yaml"), &format!("{config}network: {{ {larger} }}\n"));
        let output = train(folder.path(), &[&format!("{name}.yaml"), "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(loss(&object, 0) < loss(&first, 0), "{object}");
    }
    for (files, says) in [
        (["first.nnue", "wide.nnue"], "network 2 is perspective (768 -> 64)x2"),
        (["first.nnue", "data.txt"], "data.txt"),
    ] {
        let output = train(folder.path(), &["average", files[0], files[1], "-o", "none.nnue"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says) && !folder.path().join("none.nnue").exists(), "{text}");
    }
    write("scale.yaml", &format!("{second}network: {{ hidden: 32, scale: 350 }}\n"));
    let text = String::from_utf8_lossy(&train(folder.path(), &["scale.yaml"]).stderr).into_owned();
    assert!(text.contains("`scale` is 400") && text.contains("350"), "{text}");
    // The network in the program needs no file.
    let wide = "network: { hidden: 256, buckets: 8 }\n";
    write("embedded.yaml", &format!("{common}epochs: 1\nstart: embedded\noutput: e\n{wide}"));
    let output = train(folder.path(), &["embedded.yaml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_cannot_be_trained_is_explained_with_status_2() {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::write(folder.path().join("few.txt"), lines(50)).expect("written");
    for (config, arguments, says) in [
        ("data: [few.txt]\n", &["net.yaml"][..], "too few"),
        ("data: [nowhere.txt]\n", &["net.yaml"], "nowhere.txt"),
        (
            "data: [some.bin]\nnetwork: { architecture: two-path }\n",
            &["net.yaml"],
            "some.bin does not store the side to move",
        ),
        ("data: few.txt\n", &["net.yaml"], "write `data: [train.games]`"),
        ("data: [few.txt]\nfilters: 3\n", &["net.yaml"], "net.yaml:2:"),
        ("data: [few.txt]\nhidden: 3\n", &["net.yaml"], "hidden"),
        ("data: [few.txt]\n", &["none.yaml"], "none.yaml"),
    ] {
        fs::write(folder.path().join("net.yaml"), config).expect("written");
        let output = train(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_positions_is_named_before_anything_is_trained() {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::write(folder.path().join("data.txt"), lines(300)).expect("written");
    let config = "data: [data.txt]\noutput: /proc/self/net\n";
    fs::write(folder.path().join("net.yaml"), config).expect("written");
    let output = train(folder.path(), &["net.yaml"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("cannot keep the positions of the training in"), "{text}");
    assert!(words.contains("/proc/self"), "{text}");
}
