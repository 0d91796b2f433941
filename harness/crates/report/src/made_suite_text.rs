//! A suite that was made, as text.

use super::plain_table::{table, words};
use super::text::counted;
use harness_outcome::made_suite::{MadeSuite, MakeTally};

/// The counts as a table.
pub fn made_suite_text(made: &MadeSuite) -> String {
    let MakeTally { searched, kept, verified, failed } = made.tally;
    let header = ["Games", "Candidates", "Searched", "Kept at first search", "Verified"];
    let mut table = table(words(header), 0);
    let counts = [made.games, made.candidates, searched, kept, verified];
    table.add_row(counts.map(|count| count.to_string()));
    let mut text = format!("{}\n", table.trim_fmt());
    if made.faulty > 0 {
        text += &format!(
            "Other variants or illegal moves: {}\n",
            counted(made.faulty, "game", "games")
        );
    }
    if failed > 0 {
        text += &format!("The engine failed at {failed} candidates\n");
    }
    text + &format!(
        "\n{} in {}\n",
        counted(made.positions as u64, "position", "positions"),
        made.file
    )
}
