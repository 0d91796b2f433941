//! Shared parts of pages: the frame, cards, bars, numbers.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::super::board::piece_symbols;
use super::super::chart::{MAX_OVERLAID, Series, overlay_chart, series_chart};
use super::super::text::{grouped, plus};
use super::viewer;
use harness_outcome::{Estimate, ViewedGame};
use harness_stats::{self as stats, Verdict};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("style.css");

/// A page without its frame: a file of its own has one, the studio another.
///
/// The content has no `style` attribute, which the studio's content security policy refuses.
pub struct Page {
    /// The title of the window.
    pub title: String,
    /// Content of `main`.
    pub content: Markup,
    /// It needs the game viewer and the shapes of the pieces.
    has_games: bool,
}

/// Which games of a run are on its page.
pub(super) const SHOWN_GAMES: &str = "The games of the first hundred pairs in which the loser's \
    score fell most at once; the studio has all of them under “Games”.";

impl Page {
    pub fn new(title: impl Into<String>, content: Markup) -> Page {
        Page { title: title.into(), content, has_games: false }
    }

    /// The same with the game viewer, if there are games.
    pub(super) fn with_games(self, games: &[ViewedGame]) -> Page {
        Page { has_games: !games.is_empty(), ..self }
    }

    /// One self-contained file.
    pub fn file(&self) -> String {
        self.with_origin(None)
    }

    /// One self-contained file that says when its run was started (RFC 3339), and by whom, if that is known.
    pub fn file_of_run(&self, started: &str, started_by: Option<&str>) -> String {
        let time = started.replace('T', " ").replace('Z', " UTC");
        let by = started_by.map_or_else(String::new, |starter| format!(" by {starter}"));
        self.with_origin(Some(&format!("Started {time}{by}")))
    }

    fn with_origin(&self, origin: Option<&str>) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                    @if self.has_games { style { (PreEscaped(viewer::STYLE)) } }
                }
                body {
                    @if self.has_games { (piece_symbols()) }
                    main {
                        @if let Some(origin) = origin { p.soft { (origin) } }
                        (self.content)
                    }
                    @if self.has_games { script { (PreEscaped(viewer::script())) } }
                }
            }
        };
        page.into_string()
    }
}

/// A command line of which no word is broken at its hyphens.
pub fn command_words(line: &str) -> Markup {
    html! {
        @for (number, word) in line.split(' ').enumerate() {
            @if number > 0 { " " }
            span.word { (word) }
        }
    }
}

/// The sentence of an error as pages show it: its first word has a capital, unless it is a name, a path or code.
///
/// ```
/// use harness_report::html::as_sentence;
///
/// assert_eq!(as_sentence("there is no run `a`"), "There is no run `a`");
/// assert_eq!(as_sentence("book.pgn: no game"), "book.pgn: no game");
/// ```
pub fn as_sentence(error: &str) -> String {
    let word = error.split(' ').next().unwrap_or_default();
    let is_word = word.trim_end_matches([',', ':']).bytes().all(|byte| byte.is_ascii_lowercase());
    match (is_word, error.split_at_checked(1)) {
        (true, Some((first, rest))) => first.to_ascii_uppercase() + rest,
        _ => error.to_owned(),
    }
}

/// A text in which what stands between backticks is code.
pub fn with_code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

pub(super) fn warnings(texts: &[String]) -> Markup {
    html! {
        @if !texts.is_empty() {
            section.card.warning {
                @for text in texts { p { (with_code(text)) } }
            }
        }
    }
}

/// `--reports DIR ` if the command line names the folder.
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

pub(super) fn how_to_repeat(run: &str, command_line: Option<&str>) -> Markup {
    html! {
        section.card {
            h2 { "How to repeat" }
            @if let Some(command_line) = command_line {
                pre { (command_words(command_line)) }
            }
            p {
                a href="run.yaml" { "run.yaml" }
                " has everything this run was made of: engines with their hashes, limits, \
                 openings, seed, versions and the machine. The numbers on this page are in "
                a href="summary.json" { "summary.json" }
                ". "
                code { (command_words(&format!("harness {}report {run}", reports_flag(command_line)))) }
                " makes this page again."
            }
        }
    }
}

/// A row a name: a bar with its share of the longest one, and a text.
pub(super) fn bars<'a>(rows: impl IntoIterator<Item = (&'a str, f64, String)>) -> Markup {
    html! {
        div.bars {
            @for (name, share, text) in rows {
                div { (name) }
                svg.bar aria-hidden="true" { rect width=(format!("{:.1}%", 100.0 * share)) height="100%" {} }
                div.count { (text) }
            }
        }
    }
}

/// One of the numbers at the top.
pub(super) fn number(label: &str, value: &str, beside: &str) -> Markup {
    html! {
        div {
            dt { (label) }
            dd { (value) @if !beside.is_empty() { " " small { (beside) } } }
        }
    }
}

pub(super) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "good",
        Verdict::Rejected => "bad",
        Verdict::Inconclusive => "even",
    }
}

/// An estimate with its interval.
pub(super) fn estimate(label: &str, estimate: Estimate) -> Markup {
    let value = estimate.value.map_or_else(|| "–".to_owned(), |value| plus(value, 1));
    let error = match estimate.interval() {
        Some([low, high]) if estimate.is_skewed() => {
            format!("[{}, {}]", stats::signed(low, 1), stats::signed(high, 1))
        }
        _ => estimate.error95.map_or_else(String::new, |error| format!("± {error:.1}")),
    };
    number(label, &value.replace('-', "−"), &error.replace('-', "−"))
}

/// `+12.3`, with the minus sign of typography.
pub(super) fn signed(value: f64, digits: usize) -> String {
    plus(value, digits).replace('-', "−")
}

/// A number with about three digits: `75`, `12.3`, `0.042`.
pub(super) fn plain(value: f64) -> String {
    let digits = match value.abs() {
        _ if value.fract() == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}").replace('-', "−")
}

/// `12 – 3 – 4`: won, drawn, lost.
pub(super) fn score_text(wins: u64, draws: u64, losses: u64) -> String {
    format!("{} – {} – {}", grouped(wins), grouped(draws), grouped(losses))
}

/// A card with a curve over what is counted, if there are two points.
pub(super) fn chart(title: &str, caption: &str, points: Vec<(f64, f64, f64)>) -> Markup {
    series_card(title, caption, &Series { points, counted: true })
}

/// A card with a curve, if it has two points.
pub(super) fn series_card(title: &str, caption: &str, series: &Series) -> Markup {
    html! {
        @if let Some(svg) = series_chart(series) {
            section.card {
                h2 { (title) }
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption { (caption) }
                }
            }
        }
    }
}

/// A card with curves over the same axes and their names, if any has two points. One without points keeps its
/// colour. `has_zero`: whether the axis reaches zero.
pub fn overlaid(
    title: &str,
    caption: &str,
    curves: &[(&str, Vec<(f64, f64)>)],
    has_zero: bool,
) -> Markup {
    let points: Vec<Vec<(f64, f64)>> = curves.iter().map(|(_, points)| points.clone()).collect();
    html! {
        @if let Some(svg) = overlay_chart(&points, has_zero) {
            section.card {
                h2 { (title) }
                figure.chart {
                    (PreEscaped(svg))
                    figcaption {
                        @for (number, (name, points)) in (1..=MAX_OVERLAID).zip(curves) {
                            @if !points.is_empty() { div {
                                svg.series viewBox="0 0 34 10" aria-hidden="true" {
                                    line x1="0" y1="5" x2="34" y2="5" stroke-width="3"
                                        stroke={ "#" (format!("{:02x}", 10 + number).repeat(3)) } {}
                                }
                                (name)
                            } }
                        }
                        (caption)
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_curve_keeps_its_colour() {
        let curves = [("first", Vec::new()), ("second", vec![(0.0, 0.0), (1.0, 1.0)])];
        let card = overlaid("Elo", "", &curves, true).into_string().to_lowercase();
        assert!(card.contains("#0c0c0c") && !card.contains("#0b0b0b"), "{card}");
        assert!(card.contains("second") && !card.contains("first"), "{card}");
    }

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
