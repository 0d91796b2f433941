//! The output layer of a network as parameters.

use super::*;

#[test]
fn the_output_layer_of_a_network_is_tuned_into_a_network_file() {
    for (method, parameters, count) in
        [("spsa", "network.output", 520), ("auto", "['network.output.bias.*', lmr_base]", 9)]
    {
        let experiment = format!(
            "engine: builtin\noptions: {{ Hash: 1 }}\nlimit: nodes=60\ngames: 24\nbatch: 4\n\
             max_moves: 30\nparameters: {parameters}\nvalidation: {{ games: 0 }}\n"
        );
        let folder = folder_with(&experiment);
        let (status, stdout, stderr) =
            output(folder.path(), &format!("tune {method} try.yaml --json"));
        assert_played(status, &stderr);
        assert!(stderr.lines().count() < 80, "{stderr}");
        let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one object");
        assert_eq!(summary["candidate"].as_object().map(serde_json::Map::len), Some(count));
        let kept = PathBuf::from(summary["network"].as_str().expect("a network"));
        let folder_of_run = run_folder(folder.path()).expect("a run");
        assert_eq!(kept.file_name(), Some("network.nnue".as_ref()));
        assert!(folder_of_run.join("report.html").exists());
        let (status, _, stderr) =
            output(folder.path(), "tune apply last --untested --network tuned.nnue");
        assert_eq!(status, 0, "{stderr}");
        let [kept, tuned] = [folder_of_run.join("network.nnue"), folder.path().join("tuned.nnue")]
            .map(|path| std::fs::read(path).expect("a file"));
        assert!(kept == tuned && kept.starts_with(b"TENCHNET"));
        let (network, note) = engine::eval::nnue::Network::from_bytes(&tuned).expect("a network");
        assert!(note.contains("output layer tuned by games"), "{note}");
        let before = engine::eval::embedded().network.weights();
        assert_eq!(network.weights().0.len(), before.0.len());
        let (status, _, stderr) = output(folder.path(), "tune apply last --untested");
        assert!(status == 2 && flat(&stderr).contains("--network FILE writes"), "{stderr}");
    }
}

#[test]
fn an_output_layer_that_is_not_there_is_an_error_before_the_first_game() {
    for (engine, parameters, expected) in [
        ("builtin\noptions: { EvalFile: classical }", "network.output", "with a network"),
        ("builtin", "network.output.9", "network.output.bias.0"),
        ("builtin", "{ network.output.bias.0: { max: 999999 } }", "is outside the engine's"),
        ("builtin\noptions: { EvalFile: none.nnue }", "network.output", "none.nnue"),
    ] {
        let folder = folder_with(&format!(
            "engine: {engine}\nlimit: nodes=60\ngames: 24\nparameters: {parameters}\n"
        ));
        let (status, _, stderr) = output(folder.path(), "tune run try.yaml");
        assert!(status == 2 && flat(&stderr).contains(expected), "{status}: {stderr}");
        assert!(run_folder(folder.path()).is_none(), "{stderr}");
    }
}
