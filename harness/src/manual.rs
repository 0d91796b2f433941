//! The pages of `harness/docs/`, for users who have the program only.

use miette::Diagnostic;
use thiserror::Error;

use crate::output;
use crate::report::terminal::wrap_indented;
use crate::text::nearest;

/// Name and text of every page; `build.rs` lists the folder.
pub const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// A page that is not there.
#[derive(Debug, Error, Diagnostic)]
#[error("there is no page `{page}`")]
#[diagnostic(help("{hint}"))]
pub struct NoPage {
    page: String,
    hint: String,
}

/// The Markdown of a page, by its name with or without `.md`.
///
/// # Errors
/// When there is none; the error has a similar name.
pub fn page(asked: &str) -> Result<&'static str, NoPage> {
    let name = asked.strip_suffix(".md").unwrap_or(asked);
    let names = || PAGES.iter().map(|&(page, _)| page);
    PAGES.iter().find(|(page, _)| *page == name).map(|&(_, text)| text).ok_or_else(|| {
        let hint = match nearest(asked, names()) {
            Some(near) => format!("did you mean `{near}`? `harness docs` lists the pages"),
            None => format!("the pages are {}", names().collect::<Vec<_>>().join(", ")),
        };
        NoPage { page: asked.to_owned(), hint }
    })
}

/// The first heading of a page.
pub fn title(text: &str) -> &str {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default()
}

/// A page as it is printed: [for the terminal](for_terminal) on one, elsewhere as Markdown.
pub fn printed(markdown: &str) -> String {
    match output::results_are_seen() {
        true => for_terminal(markdown),
        false => markdown.to_owned(),
    }
}

/// A page for the terminal: paragraphs and lists are broken at its width, all else is as it was written.
fn for_terminal(markdown: &str) -> String {
    let mut text = String::new();
    let mut paragraph: Option<(String, usize)> = None;
    let mut is_code = false;
    for line in markdown.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_fence = words.starts_with("```");
        let begins = item(words);
        let is_text = !is_code
            && !is_fence
            && !words.is_empty()
            && !words.starts_with(['|', '#', '!', '<', '>'])
            && (indent < 4 || begins.is_some() || paragraph.is_some());
        if is_text
            && begins.is_none()
            && let Some((paragraph, _)) = &mut paragraph
        {
            paragraph.push(' ');
            paragraph.push_str(words.trim_end());
            continue;
        }
        if let Some((paragraph, indent)) = paragraph.take() {
            text += &wrap_indented(&paragraph, indent);
        }
        if is_text {
            paragraph = Some((line.trim_end().to_owned(), indent + begins.unwrap_or_default()));
        } else {
            text += line;
            text.push('\n');
        }
        is_code ^= is_fence;
    }
    paragraph
        .into_iter()
        .for_each(|(paragraph, indent)| text += &wrap_indented(&paragraph, indent));
    text
}

/// The width of the sign that begins an item of a list: `- `, `12. `.
fn item(words: &str) -> Option<usize> {
    let (sign, _) = words.split_once(' ')?;
    let is_number =
        |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_sign = matches!(sign, "-" | "*" | "+") || sign.strip_suffix('.').is_some_and(is_number);
    is_sign.then_some(sign.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_folder_is_there_with_a_title() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        let mut found = 0;
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(".md") {
                let text = page(name).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(text, std::fs::read_to_string(&path).expect("readable"));
                assert!(!title(text).is_empty(), "{name} has no heading `# ...`");
                found += 1;
            }
        }
        assert_eq!(found, PAGES.len());
    }

    #[test]
    fn a_page_fits_the_terminal_and_says_the_same() {
        let text = "# A\n\n- one\n  two\n  - nested\n- three\n\n```sh\nharness  x\n```\n    indented\n1. a\n2. b\n";
        let wanted = "# A\n\n- one two\n  - nested\n- three\n\n```sh\nharness  x\n```\n    indented\n1. a\n2. b\n";
        assert_eq!(for_terminal(text), wanted);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for &(name, text) in PAGES {
            let shown = for_terminal(text);
            assert_eq!(words(&shown), words(text), "{name}");
            let mut is_code = false;
            for line in shown.lines() {
                is_code ^= line.starts_with("```");
                let is_long = line.chars().count() > 100 && line.trim().contains(' ');
                let is_kept =
                    is_code || line.starts_with(['|', '#', '!', '<']) || line.starts_with("    ");
                assert!(
                    !is_long || is_kept || line.split(' ').any(|word| word.len() > 50),
                    "{name}: {line}"
                );
            }
        }
    }

    #[test]
    fn messages_name_pages_by_the_command_that_prints_them() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = vec![root.join("src"), root.join("crates")];
        let mut named = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("a source file");
                // Written so that this test does not find itself.
                for rest in text.split(concat!("`harness ", "docs ")).skip(1) {
                    let name = rest.split('`').next().unwrap_or_default();
                    assert!(name == "PAGE" || page(name).is_ok(), "{}: {name}", path.display());
                    named += 1;
                }
                // What is compiled in needs its path.
                let is_code = |line: &&str| !line.trim_start().starts_with("//");
                let code =
                    text.lines().filter(is_code).filter(|line| !line.contains("include_str!"));
                for line in code {
                    let path_only = line.contains(concat!("docs", "/")) && line.contains(".md");
                    assert!(
                        !path_only,
                        "{}: `harness docs` works everywhere: {line}",
                        path.display()
                    );
                }
            }
        }
        assert!(named > 0);
    }

    #[test]
    fn commands_of_the_page_for_users_of_other_programs_are_commands() {
        use clap::Parser as _;

        // A span may go on in the next line.
        let page = page("from-others").expect("the page").replace('\n', " ");
        let lines: Vec<&str> = page
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|span| span.starts_with("harness ") && !span.contains("fastchess"))
            .collect();
        assert!(lines.len() > 25, "{lines:?}");
        for line in lines {
            let parsed = crate::cli::Cli::try_parse_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{line}: {}", parsed.expect_err("refused"));
        }
    }
}
