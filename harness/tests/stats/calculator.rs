//! `harness stats`, as users and programs see it.

use assert_cmd::Command;

fn stats(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("harness").expect("built").arg("stats").args(args).output().expect("ran")
}

#[test]
fn the_calculator_prints_one_object_with_the_documented_keys() {
    let output = stats(&["--json", "--pentanomial", "5,40,165,33,7", "--elo0=-5", "--elo1", "0"]);
    assert!(output.status.success());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["games"], 500);
    assert_eq!(object["pentanomial"], serde_json::json!([5, 40, 165, 33, 7]));
    assert_eq!(object["verdict"], "inconclusive");
    for key in ["value", "error95"] {
        assert!(object["elo"][key].is_f64() && object["nelo"][key].is_f64(), "{object}");
    }
    assert!(object["llr"].is_f64() && object["los"].is_f64() && object["bounds"][1].is_f64());
}

#[test]
fn the_calculator_explains_what_it_cannot_compute() {
    let output = stats(&["--wdl", "12,0,0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("every game was won"), "{text}");
    let output = stats(&["--json", "--wdl", "12,0,0"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(object["elo"].is_null() && object["elo_undefined"].is_string(), "{object}");
}

#[test]
fn the_calculator_refuses_wrong_usage_with_status_2() {
    for args in [
        &["--pentanomial", "1,2,3"][..],
        &["--wdl", "1,2,x"],
        &["--wdl", "1,2,3", "--pentanomial", "1,2,3,4,5"],
        &["--wdl", "1,2,3", "--elo0", "0"],
        &["--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"],
        &["--wdl", "1,2,3", "--elo0", "0", "--elo1", "5", "--alpha", "0.7"],
        &["--wdl", "1,2,3", "--elo0", "nan", "--elo1", "5"],
        &[],
    ] {
        let output = stats(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn counts_of_a_test_have_an_estimate_without_its_bias() {
    let asked = ["--pentanomial", "120,1180,2500,1410,190", "--elo0", "0", "--elo1", "5"];
    let output = stats(&asked);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nSequential   11.41, 95% in [4.98, 17.82]"), "{text}");
    let output = stats(&[&["--json"], &asked[..]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for estimate in [&object["sequential"], &object["sequential"]["overshoot_corrected"]] {
        let low = estimate["ci95"][0].as_f64().expect("a number");
        assert!(low > 0.0 && estimate["median_unbiased"].as_f64() > Some(low), "{object}");
    }
    assert_eq!(object["remaining"], serde_json::json!({ "games": 0.0, "pass": 1.0 }));
}
