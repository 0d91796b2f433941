//! One self-contained page a run: no script, no font, no picture from anywhere else.

mod data_page;
mod dependence;
mod effects;
mod history_page;
mod loop_page;
mod match_page;
mod side_by_side;
mod suite_page;
mod training_page;
mod tune_page;

pub use data_page::data_page;
pub(crate) use data_page::{name as bar_name, shown as shown_bars};
pub use history_page::history_page;
pub use loop_page::loop_page;
pub use match_page::match_page;
pub use suite_page::suite_page;
pub use training_page::{TrainingFacts, training_page};
pub use tune_page::tune_page;

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// The frame of every page.
pub(crate) fn page(title: &str, content: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (content) } }
        }
    };
    page.into_string()
}

fn warnings(texts: &[String]) -> Markup {
    html! {
        @if !texts.is_empty() {
            section.card.warning {
                @for text in texts { p { (text) } }
            }
        }
    }
}

/// `--reports DIR ` if the command line names the folder: the page's own command needs it, too.
fn reports_flag(command_line: Option<&str>) -> String {
    let folder = command_line.and_then(|line| {
        let (_, rest) = line.split_once(" --reports")?;
        let rest = rest.strip_prefix([' ', '='])?;
        let end = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.find('\'')? + 2,
            None => rest.find(' ').unwrap_or(rest.len()),
        };
        rest.get(..end)
    });
    folder.map_or_else(String::new, |folder| format!("--reports {folder} "))
}

fn how_to_repeat(run: &str, command_line: Option<&str>) -> Markup {
    html! {
        section.card {
            h2 { "How to repeat" }
            @if let Some(command_line) = command_line {
                pre { (command_line) }
            }
            p {
                a href="run.yaml" { "run.yaml" }
                " has everything this run was made of: engines with their hashes, limits, \
                 openings, seed, versions and the machine. The numbers on this page are in "
                a href="summary.json" { "summary.json" }
                ". "
                code { "harness " (reports_flag(command_line)) "report " (run) }
                " makes this page again."
            }
        }
    }
}

/// A row a name: a bar as long as its share of the greatest, and a text.
fn bars<'a>(rows: impl IntoIterator<Item = (&'a str, f64, String)>) -> Markup {
    html! {
        div.bars {
            @for (name, share, text) in rows {
                div { (name) }
                div.bar { i style={ "width:" (format!("{:.1}%", 100.0 * share)) } {} }
                div.count { (text) }
            }
        }
    }
}

/// One of the numbers at the top.
fn number(label: &str, value: &str, beside: &str) -> Markup {
    html! {
        div {
            dt { (label) }
            dd { (value) @if !beside.is_empty() { " " small { (beside) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_makes_a_page_again_names_its_folder() {
        for (line, flag) in [
            ("harness match a b", ""),
            ("harness --reports other match a b", "--reports other "),
            ("harness match a b --reports=other", "--reports other "),
            ("harness --reports 'my runs' match a b", "--reports 'my runs' "),
        ] {
            assert_eq!(reports_flag(Some(line)), flag, "{line}");
        }
        assert_eq!(reports_flag(None), "");
    }
}
