//! `harness docs`: the pages of the documentation.

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::manual::{PAGES, page, printed, title};
use crate::report::terminal::table;

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

/// Runs the command.
///
/// # Errors
/// When there is no such page.
pub fn run(args: &DocsArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(asked) = &args.page {
        let text = page(asked).or_usage()?;
        return context.show(&json!({ "page": asked, "markdown": text }), || printed(text));
    }
    let pages = PAGES.iter().map(|&(page, text)| (page, title(text)));
    let object = pages.clone().map(|(page, title)| json!({ "page": page, "title": title }));
    context.show(&json!({ "pages": object.collect::<Vec<_>>() }), || {
        let rows = pages.map(|(page, title)| vec![page.to_owned(), title.to_owned()]);
        let text = table(["Page", "About"], rows, 2);
        format!("{text}\n`harness docs PAGE` prints one.\n")
    })
}
