//! Completions and manual pages.

use std::process::Command;

use crate::common::{harness, run, shown};

#[test]
fn completions_are_valid_scripts_that_know_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = run(folder.path(), &format!("completions {shell}"));
        assert!(output.status.success(), "{}", shown(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("bisect") && text.contains("max-games"), "{shell}");
        let script = folder.path().join(shell);
        std::fs::write(&script, text).unwrap();
        // Other shells may not be installed.
        if shell == "bash" {
            let checked = Command::new("bash").arg("-n").arg(&script).status().unwrap();
            assert!(checked.success());
        }
    }
}

#[test]
fn every_command_has_a_manual_page_with_its_examples() {
    let folder = tempfile::tempdir().unwrap();
    let output = harness(folder.path(), ["completions", "--man", "man"]).output().unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    let page = |name: &str| std::fs::read_to_string(folder.path().join("man").join(name)).unwrap();
    assert!(page("harness.1").contains("sprt"));
    assert!(page("harness-sprt.1").contains("harness sprt HEAD main"));
    assert!(std::fs::read_dir(folder.path().join("man")).unwrap().count() > 25);
}

#[test]
fn the_version_tells_target_and_processor() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(run(folder.path(), "--version").stdout).unwrap();
    for part in [std::env::consts::ARCH, "this processor has", "\nfeatures: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let short = String::from_utf8(run(folder.path(), "-V").stdout).unwrap();
    assert_eq!(short.trim(), format!("harness {}", env!("CARGO_PKG_VERSION")));
}
