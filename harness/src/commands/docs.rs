//! `harness docs`: the pages of `harness/docs/`, for who has the program only.

use clap::Args;
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::terminal::table;
use crate::text::nearest;

/// Name and text of every page; `build.rs` lists the folder.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// Prints a page of the documentation, or lists the pages.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness docs                        lists the pages
  harness docs gate                   prints one, as Markdown
  harness docs data | less")]
pub struct DocsArgs {
    /// The page [default: the list of pages].
    #[arg(value_name = "PAGE")]
    page: Option<String>,
}

/// A page that is not there.
#[derive(Debug, Error, Diagnostic)]
#[error("there is no page `{page}`")]
#[diagnostic(help("{hint}"))]
struct NoPage {
    page: String,
    hint: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no such page.
pub fn run(args: &DocsArgs, context: &Context) -> Result<Exit, Failure> {
    let Some(asked) = &args.page else {
        list(context)?;
        return Ok(Exit::Good);
    };
    let text = page(asked).ok_or_else(|| no_page(asked)).or_usage()?;
    if context.json {
        context.print(&format!("{}\n", json!({ "page": asked, "markdown": text })))?;
    } else {
        context.print(text)?;
    }
    Ok(Exit::Good)
}

/// The Markdown of a page, by its name with or without `.md`.
pub fn page(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    PAGES.iter().find(|(page, _)| *page == name).map(|&(_, text)| text)
}

fn list(context: &Context) -> Result<(), Failure> {
    if context.json {
        let pages: Vec<_> = PAGES
            .iter()
            .map(|&(page, text)| json!({ "page": page, "title": title(text) }))
            .collect();
        return context.print(&format!("{}\n", json!({ "pages": pages })));
    }
    let rows = PAGES.iter().map(|&(page, text)| vec![page.to_owned(), title(text).to_owned()]);
    let text = table(["Page", "About"], rows, 2);
    context.print(&format!("{text}\n`harness docs PAGE` prints one.\n"))
}

/// The first heading.
fn title(text: &str) -> &str {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default()
}

fn no_page(asked: &str) -> NoPage {
    let names = || PAGES.iter().map(|&(page, _)| page);
    let hint = match nearest(asked, names()) {
        Some(near) => format!("did you mean `{near}`? `harness docs` lists the pages"),
        None => format!("the pages are {}", names().collect::<Vec<_>>().join(", ")),
    };
    NoPage { page: asked.to_owned(), hint }
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
                let text = page(name).unwrap_or_else(|| panic!("{name} is not listed"));
                assert_eq!(text, std::fs::read_to_string(&path).expect("readable"));
                assert!(!title(text).is_empty(), "{name} has no heading `# ...`");
                found += 1;
            }
        }
        assert_eq!(found, PAGES.len());
    }

    #[test]
    fn messages_name_pages_by_the_command_that_prints_them() {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut named = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("a source file");
                // Written so that this test does not find itself.
                for rest in text.split(concat!("`harness ", "docs ")).skip(1) {
                    let name = rest.split('`').next().unwrap_or_default();
                    assert!(name == "PAGE" || page(name).is_some(), "{}: {name}", path.display());
                    named += 1;
                }
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
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
}
