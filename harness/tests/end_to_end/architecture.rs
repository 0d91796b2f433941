//! The page on the architecture names files that exist.

use std::path::Path;

const PAGE: &str = include_str!("../../docs/architecture.md");

#[test]
fn every_path_of_the_page_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let quoted = PAGE.split('`').skip(1).step_by(2);
    let paths: Vec<&str> =
        quoted.filter(|text| text.starts_with("harness/") || text.starts_with("engine/")).collect();
    assert!(paths.len() > 30, "{paths:?}");
    for path in paths {
        assert!(root.join(path).exists(), "{path} does not exist");
    }
}
