//! The page of games that were played on boards.

use std::collections::BTreeMap;

use maud::html;

use super::layout::Page;

/// Games won, drawn and lost by the first of two players.
pub fn boards_page(title: &str, results: &BTreeMap<[String; 2], [u64; 3]>) -> Page {
    let content = html! {
        section.card {
            h2 { "Results" }
            div.scroll tabindex="0" role="region" aria-label="Results" {
                table {
                    thead { tr {
                        th { "Player" } th { "Against" }
                        th.number { "Won" } th.number { "Drawn" } th.number { "Lost" }
                    } }
                    tbody {
                        @for ([first, second], counts) in results {
                            tr { td { (first) } td { (second) } @for count in counts { td.number { (count) } } }
                        }
                    }
                }
            }
        }
    };
    Page::new(title, content)
}
