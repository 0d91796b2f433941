//! Frame of every page.

use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::assets::{address, build, modules};
use super::role::Role;
use harness_report::html::piece_symbols;

/// A page to be framed.
pub struct FramedPage<'a> {
    /// The title of the window.
    pub title: &'a str,
    /// The path of the page in the navigation that it belongs to.
    pub tab: &'a str,
    /// The topic whose events change the page; none of a page that stays.
    pub topic: Option<String>,
    /// May things be started?
    pub role: Role,
    /// Content of `main`.
    pub content: Markup,
}

const TABS: [(&str, &str); 6] = [
    ("/", "Runs"),
    ("/games", "Games"),
    ("/compare", "Compare"),
    ("/history", "History"),
    ("/boards", "Boards"),
    ("/practice", "Practice"),
];

impl FramedPage<'_> {
    /// The whole page.
    pub fn page(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(self.title, &self.scripts()))
                body data-topic=[&self.topic] data-build=(build()) {
                    a.skip href="#content" { "Skip to the content" }
                    (self.navigation())
                    (piece_symbols())
                    main.wide #content { (self.content) }
                    (keys())
                }
            }
        };
        page.into_string()
    }

    /// The scripts that are executed before the page is seen: what is not there has none.
    fn scripts(&self) -> Vec<&'static str> {
        let own = OWN_SCRIPTS.iter().filter(|(part, _)| self.content.0.contains(part));
        std::iter::once(SCRIPT).chain(own.map(|(_, script)| *script)).collect()
    }

    fn navigation(&self) -> Markup {
        html! {
            nav.bar aria-label="Studio" {
                a.brand href="/" { "Tench" }
                @for (path, name) in TABS {
                    a href=(path) aria-current=[(path == self.tab).then_some("page")] { (name) }
                }
                @if self.role == Role::Control {
                    a.button href="/start" aria-current=[(self.tab == "/start").then_some("page")] {
                        "New run"
                    }
                }
                @if self.topic.is_some() { span #connection role="status" {} }
            }
        }
    }
}

/// The script of every page.
const SCRIPT: &str = "studio.js";

/// The script for what a page may wait for.
const LATER: &str = "later.js";

/// Scripts of parts that only some pages have.
const OWN_SCRIPTS: [(&str, &str); 4] = [
    ("id=\"board-page\"", "boardpage.js"),
    ("id=\"practice\"", "practice.js"),
    ("id=\"yaml\"", "start.js"),
    ("id=\"pgn-upload\"", "pgnfiles.js"),
];

/// An answer that is a page.
pub fn response(page: String) -> Response {
    Html(page).into_response()
}

/// The page of an error, which may be shown without a token: nothing of it needs one.
pub fn error_page(title: &str, content: &Markup, with_tabs: bool) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &[SCRIPT]))
            body {
                @if with_tabs {
                    nav.bar aria-label="Studio" {
                        a.brand href="/" { "Tench" }
                        @for (path, name) in TABS { a href=(path) { (name) } }
                    }
                }
                main.wide { (content) }
            }
        }
    };
    page.into_string()
}

fn head(title: &str, scripts: &[&'static str]) -> Markup {
    let mut modules: Vec<&str> =
        scripts.iter().flat_map(|script| modules(script)).copied().collect();
    modules.sort_unstable();
    modules.dedup();
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) " · Tench" }
            link rel="icon" href="data:,";
            @for name in ["report.css", "viewer.css", "studio.css", "play.css"] {
                link rel="stylesheet" href=(address(name));
            }
            @for name in modules { link rel="modulepreload" href=(address(name)); }
            @for name in scripts { script type="module" blocking="render" src=(address(name)) {} }
            script type="module" src=(address(LATER)) {}
        }
    }
}

fn keys() -> Markup {
    let keys = [
        ("/", "search"),
        ("j, k", "next and previous row"),
        ("←, →", "previous and next move"),
        ("Home, End", "first and last move"),
        ("Space", "play the moves"),
        ("f", "turn the board"),
        ("Tab to the board, then ←, →, ↑, ↓", "go from square to square"),
        ("Enter, Space", "there: pick a piece up, put it down"),
        ("Escape", "there: put it back, leave the board"),
        ("s", "jump to the swing"),
        ("Tab to a chart, then ←, →", "its values"),
        ("+, -, 0", "there: nearer, farther, the whole chart"),
        ("?", "this list"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl.keys {
                @for (key, does) in keys { dt { kbd { (key) } } dd { (does) } }
            }
            form method="dialog" { button.button { "Close" } }
        }
    }
}
