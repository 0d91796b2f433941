//! Links of the manual and of the other pages lead somewhere: files of the repository, headings of pages.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Folders whose pages are checked, besides the files beside the README.
const FOLDERS: [&str; 7] =
    ["harness/docs", "harness/tests", "engine", "suites", "tuning", "python", "fuzz"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("there")
}

/// All pages of Markdown of a folder and below.
fn pages(folder: &Path, below: bool, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() && below {
            pages(&path, below, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The text outside of blocks and spans of code.
fn prose(page: &str) -> String {
    let mut text = String::new();
    let mut in_block = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let outside = line.split('`').enumerate().filter(|(number, _)| number % 2 == 0);
            text.extend(outside.map(|(_, part)| part));
        }
        text.push('\n');
    }
    text
}

/// Where links and images lead: `(TARGET)` behind `]`, and `src` of images in HTML.
fn targets(page: &str) -> Vec<String> {
    let text = prose(page);
    let of_markdown = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let of_html = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    of_markdown.chain(of_html).map(|target| target.split_whitespace().collect()).collect()
}

/// The names by which headings of a page are linked, as GitHub and mdBook make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut in_block = false;
    let mut names = BTreeSet::new();
    for line in page.lines() {
        in_block ^= line.starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !in_block) else { continue };
        let heading = heading.trim_start_matches('#').trim();
        let name: String = heading
            .to_lowercase()
            .chars()
            .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let number = seen.entry(name.clone()).or_default();
        names.insert(if *number == 0 { name } else { format!("{name}-{number}") });
        *number += 1;
    }
    names
}

/// What is wrong with a link; the page is that on which it stands.
fn fault(page: &Path, target: &str) -> Option<String> {
    // A page of the project's host, which is no file of the repository.
    let elsewhere = ["http://", "https://", "mailto:", "../../releases"];
    if elsewhere.iter().any(|beginning| target.starts_with(beginning)) {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path =
        if file.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(file) };
    if !path.exists() {
        return Some("there is no such file".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    let names = anchors(&std::fs::read_to_string(&path).expect("a page"));
    (!names.contains(anchor)).then(|| format!("no heading is called so; there are {names:?}"))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let root = root();
    let mut all = Vec::new();
    pages(&root, false, &mut all);
    FOLDERS.iter().for_each(|folder| pages(&root.join(folder), true, &mut all));
    assert!(all.len() > 35, "{}", all.len());
    let mut checked = 0;
    let mut faults = Vec::new();
    for page in &all {
        let text = std::fs::read_to_string(page).expect("readable");
        for target in targets(&text) {
            checked += 1;
            let shown = page.strip_prefix(&root).unwrap_or(page).display();
            faults.extend(fault(page, &target).map(|why| format!("{shown}: {target}: {why}")));
        }
    }
    assert!(checked > 100, "{checked}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_link_is_checked_in_all_its_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("a.md");
    let text = "# One `two`: three\n## Same\n## Same\n```\n# no heading [x](none.md)\n```\n`[y](none.md)`\n";
    std::fs::write(&page, text).expect("written");
    assert_eq!(targets(text), Vec::<String>::new());
    for (target, is_sound) in [
        ("a.md", true),
        ("#one-two-three", true),
        ("a.md#same-1", true),
        ("a.md#same-2", false),
        ("a.md#no-heading-x", false),
        ("b.md", false),
        ("https://example.org/none", true),
    ] {
        assert_eq!(fault(&page, target).is_none(), is_sound, "{target}");
    }
}

/// The contents of the manual as a site.
const SUMMARY: &str = include_str!("../../../packaging/book/SUMMARY.md");

#[test]
fn the_contents_of_the_site_name_pages_that_are_there_once() {
    let mut all = Vec::new();
    pages(&root().join("harness/docs"), false, &mut all);
    let pages: BTreeSet<String> = all
        .iter()
        .map(|page| page.file_name().expect("a file").to_string_lossy().into_owned())
        .collect();
    let mut named = BTreeSet::new();
    // `packaging/site` adds the pages that are not named, and brings the README and others along.
    let brought = [
        "index.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "engine.md",
        "network.md",
        "engine-experiments.md",
    ];
    for target in targets(SUMMARY) {
        assert!(pages.contains(&target) || brought.contains(&target.as_str()), "{target}");
        assert!(named.insert(target.clone()), "{target} is named twice");
    }
    assert!(named.len() > 25, "{named:?}");
}
