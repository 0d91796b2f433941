//! Whether a `Termination` tag takes the meaning from a result.

/// Values of the standard, of Lichess, cutechess, fastchess and the harness, for games that ended off
/// the board, in small letters.
const OFF_THE_BOARD: [&str; 12] = [
    "abandoned",
    "crash",
    "death",
    "disconnect",
    "emergency",
    "illegal move",
    "no move",
    "rules infraction",
    "stalled connection",
    "time forfeit",
    "timeout",
    "unterminated",
];

/// Parts of longer texts (`alpha won - game abandoned`) that say the same.
const PARTS: [&str; 3] = ["abandoned", "unterminated", "rules infraction"];

/// Whether the result of a game is one of chess no more: it was abandoned, not finished, decided by
/// an arbiter, by the clock or by a crash. Texts that are not known (`alpha won by resignation`) do
/// not say so, and neither does the name of a player at their beginning.
pub(super) fn voids_result(text: &str, names: &[String; 2]) -> bool {
    let text = text.trim().to_lowercase();
    if OFF_THE_BOARD.contains(&&*text) {
        return true;
    }
    let behind_name = names.iter().find_map(|name| {
        text.strip_prefix(&name.trim().to_lowercase()).filter(|rest| rest.starts_with(' '))
    });
    let rest = behind_name.unwrap_or(&text);
    PARTS.iter().any(|part| rest.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_so_takes_the_meaning_from_a_result() {
        for (text, wanted) in [
            ("normal", false),
            ("Normal", false),
            ("adjudication", false),
            ("", false),
            ("?", false),
            ("alpha won by resignation", false),
            ("alpha won by checkmate", false),
            ("alpha won on time", false),
            ("Game drawn by repetition", false),
            ("Game drawn by timeout vs insufficient material", false),
            ("forfeited by no player", false),
            ("Time forfeit", true),
            (" time forfeit ", true),
            ("illegal move", true),
            ("crash", true),
            ("disconnect", true),
            ("stalled connection", true),
            ("no move", true),
            ("Abandoned", true),
            ("unterminated", true),
            ("Rules infraction", true),
            ("alpha won - game abandoned", true),
            ("unterminated: the server stopped", true),
            ("a won - game abandoned", true),
            ("Abandoned Soul won by resignation", false),
            ("Abandoned Soul won - game abandoned", true),
        ] {
            let names = ["alpha".to_owned(), "Abandoned Soul".to_owned()];
            assert_eq!(voids_result(text, &names), wanted, "{text}");
        }
        assert!(voids_result("abandoned", &[String::new(), "abandoned".to_owned()]));
    }
}
