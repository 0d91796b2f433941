//! The rounds of a knockout or a Swiss tournament.

use serde::{Deserialize, Serialize};

/// A tournament whose pairings depend on its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TournamentSummary {
    /// `knockout` or `swiss`.
    pub format: String,
    /// Rounds that are over.
    pub rounds: Vec<TournamentRound>,
    /// The engines, the best one first.
    pub standings: Vec<TournamentStanding>,
}

/// A round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TournamentRound {
    /// Who met.
    pub encounters: Vec<TournamentEncounter>,
    /// Engines without an opponent.
    pub byes: Vec<String>,
}

/// Two engines that met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TournamentEncounter {
    /// Both names.
    pub engines: [String; 2],
    /// Their points, a game won counting one; tie-breaks included.
    pub points: [f64; 2],
    /// Who advances, or has won the encounter; `None` of a level one.
    pub winner: Option<String>,
}

/// An engine's place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TournamentStanding {
    /// Its name.
    pub engine: String,
    /// Of a knockout the rounds that it won; of a Swiss tournament its points: 1 an encounter won or
    /// a bye, 1/2 a level one.
    pub points: f64,
}

impl TournamentSummary {
    /// A line an encounter, and who won.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, round) in self.rounds.iter().enumerate() {
            for TournamentEncounter { engines: [first, second], points: [won, lost], winner } in
                &round.encounters
            {
                let decided = match winner {
                    Some(winner) if won == lost => format!(" ({winner} goes on, named earlier)"),
                    _ => String::new(),
                };
                text +=
                    &format!("Round {} | {first} {won} - {lost} {second}{decided}\n", number + 1);
            }
            for bye in &round.byes {
                text += &format!("Round {} | {bye} has no opponent\n", number + 1);
            }
        }
        let what = if self.format == "swiss" { "points" } else { "rounds won" };
        for (place, TournamentStanding { engine, points }) in self.standings.iter().enumerate() {
            text += &format!("{:>7} | {engine}: {what} {points}\n", place + 1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encounter_and_every_place_has_a_line() {
        let encounter = |first: &str, second: &str, points, winner: Option<&str>| {
            let engines = [first.to_owned(), second.to_owned()];
            TournamentEncounter { engines, points, winner: winner.map(str::to_owned) }
        };
        let standing =
            |engine: &str, points| TournamentStanding { engine: engine.to_owned(), points };
        let summary = TournamentSummary {
            format: "knockout".to_owned(),
            rounds: vec![
                TournamentRound {
                    encounters: vec![encounter("b", "c", [2.0, 2.0], Some("b"))],
                    byes: vec!["a".to_owned()],
                },
                TournamentRound {
                    encounters: vec![encounter("a", "b", [2.5, 1.5], Some("a"))],
                    byes: Vec::new(),
                },
            ],
            standings: vec![standing("a", 1.0), standing("b", 1.0), standing("c", 0.0)],
        };
        let expected = "\
Round 1 | b 2 - 2 c (b goes on, named earlier)
Round 1 | a has no opponent
Round 2 | a 2.5 - 1.5 b
      1 | a: rounds won 1
      2 | b: rounds won 1
      3 | c: rounds won 0
";
        assert_eq!(summary.text(), expected);
    }
}
