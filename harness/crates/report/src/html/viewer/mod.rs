//! The game viewer: a script of our own, compiled in, on the pages of runs and in the studio.

use maud::{Markup, PreEscaped, html};

use harness_outcome::ViewedGame;

/// Styles of the viewer, its buttons and boards.
pub const STYLE: &str = include_str!("viewer.css");
/// The board: pieces that move, arrows, dragging.
pub const BOARD: &str = include_str!("board.js");
/// The evaluation graph.
pub const GRAPH: &str = include_str!("graph.js");
/// The viewer: moves, buttons, keys.
pub const VIEWER: &str = include_str!("viewer.js");

/// The element in which the script shows a game. Those of a group can move together.
pub fn viewer(game: &ViewedGame, group: Option<&str>) -> Markup {
    // In a script element `<` could end it.
    let data = serde_json::to_string(game).unwrap_or_default().replace('<', "\\u003c");
    html! {
        div data-viewer data-synchronous=[group] role="group" aria-label={ "Game " (game.key) } {
            script type="application/json" { (PreEscaped(data)) }
            noscript { p { @for ply in &game.plies { (ply.san) " " } (game.result) } }
        }
    }
}

/// Games of a run, of which the chosen one is shown; nothing without games.
pub(super) fn games(games: &[ViewedGame], caption: &str) -> Markup {
    html! {
        @if !games.is_empty() {
            section.card {
                h2 { "Games" }
                p.soft { (caption) }
                @for (index, game) in games.iter().enumerate() {
                    details.game open[index == 0] name="game" {
                        summary {
                            (game.key) " · " (game.white) " – " (game.black) " · "
                            (game.result) " · " (game.ending)
                        }
                        (viewer(game, None))
                    }
                }
            }
        }
    }
}

/// The modules as one, for a page that is a file of its own: such a page cannot import.
pub(super) fn script() -> String {
    let mut script = String::new();
    for module in [BOARD, GRAPH, VIEWER] {
        for line in module.lines().filter(|line| !line.starts_with("import ")) {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script + "mountViewers(document);\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_a_file_imports_nothing_and_cannot_end_its_element() {
        let script = script();
        for forbidden in ["\nimport ", "\nexport ", "</script", "<!--"] {
            assert!(!script.contains(forbidden), "{forbidden}");
        }
        // A name twice at the top would be an error.
        let mut names: Vec<&str> = script
            .lines()
            .filter_map(|line| {
                let rest = ["const ", "let ", "class ", "function "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word))?;
                rest.split([' ', '(', '{']).next()
            })
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
