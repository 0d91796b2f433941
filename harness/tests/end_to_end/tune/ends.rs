//! Values at the end of their range, and ranges that grow.

use super::*;

/// Two values of each parameter, where the engine takes more: every one of them is an end.
fn narrow() -> String {
    let (before, rest) = EXPERIMENT.split_once("parameters:\n").expect("it has parameters");
    let (_, validation) = rest.split_once("validation:").expect("behind them");
    format!(
        "{before}parameters:\n  rfp_margin: {{ min: 60, start: 60, max: 61 }}\n  \
         lmr_base: {{ min: 60, start: 61, max: 61, widen: false }}\nvalidation:{validation}"
    )
}

#[test]
fn values_at_the_end_of_a_range_are_named_and_the_range_grows_where_it_may() {
    for (head, method) in [("", "spsa"), ("widen: true\n", "spsa"), ("widen: true\n", "auto")] {
        let folder = folder_with(&format!("{head}{}", narrow()));
        let (status, text, stderr) =
            output(folder.path(), &format!("tune {method} try.yaml --quiet"));
        assert_played(status, &stderr);
        let text = flat(&text);
        let (_, json, _) = output(folder.path(), "report last --format json");
        let summary: serde_json::Value = serde_json::from_str(&json).expect("one object");
        let [margin, base] = [0, 1].map(|index| &summary["parameters"][index]);
        assert_eq!((&base["min"], &base["max"]), (&60.0.into(), &61.0.into()), "{summary}");
        assert_eq!(base["at_bound"]["whose"], "experiment", "{summary}");
        assert!(text.contains("`widen: true`, lets the next run go there"), "{text}");
        let page = run_folder(folder.path()).expect("a run").join("report.html");
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("stands at the end of its range"), "{page}");
        let (_, _, stderr) = output(folder.path(), "tune apply last --format uci --untested");
        assert!(flat(&stderr).contains("at the end of"), "{stderr}");
        if head.is_empty() {
            assert_eq!(margin["at_bound"]["whose"], "experiment", "{summary}");
            assert!(margin["planned"].is_null() && !text.contains("was widened"), "{text}");
        } else {
            assert_eq!(margin["planned"], serde_json::json!([60.0, 61.0]), "{summary}");
            assert!(text.contains("`rfp_margin`: its range 60 to 61 was widened to"), "{text}");
            let [min, max] = ["min", "max"].map(|key| margin[key].as_f64().expect("a number"));
            assert!(min >= 20.0 && max <= 160.0 && max - min > 1.0, "{summary}");
        }
    }
}

#[test]
fn a_run_that_widens_its_ranges_does_the_same_after_a_kill() {
    let undisturbed = folder_with(&format!("widen: true\n{}", narrow()));
    let (status, _, stderr) = output(undisturbed.path(), "tune run try.yaml --jobs 1 --quiet");
    assert_played(status, &stderr);
    let killed = folder_with(&format!("widen: true\n{}", narrow()));
    let mut command = "tune run try.yaml --jobs 1 --quiet";
    for life in (1..60).map(|attempt| Duration::from_millis(300 + 300 * attempt)) {
        let mut child = harness(killed.path(), command)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        thread::sleep(life);
        if child.try_wait().expect("waited").is_some() {
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        match run_folder(killed.path()) {
            Some(run) if run.join("run.yaml").exists() => command = "resume last --quiet",
            Some(_) => std::fs::remove_dir_all(killed.path().join("reports")).expect("removed"),
            None => {}
        }
    }
    assert_eq!(steps(killed.path()), steps(undisturbed.path()));
}
