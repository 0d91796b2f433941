//! The table of several players, best first.

use super::table::table;
use harness_outcome::PlayerRow;

/// Most players whose matrix fits the terminal.
const WIDEST_MATRIX: usize = 12;

/// The table of players, then the matrix of likelihoods of superiority.
pub fn standings_text(rows: &[PlayerRow]) -> String {
    let header = ["", "Player", "Elo, 95%", "Points", "Games", "Won", "Drawn", "Lost"];
    let lines = rows.iter().enumerate().map(|(index, row)| {
        let elo =
            if row.elo.value.is_some() { format!("{:.1}", row.elo) } else { "none".to_owned() };
        vec![
            (index + 1).to_string(),
            row.name.clone(),
            elo,
            row.points.to_string(),
            row.games.to_string(),
            row.wins.to_string(),
            row.draws.to_string(),
            row.losses.to_string(),
        ]
    });
    let mut text = table(header, lines, 2);
    if rows.iter().any(|row| row.elo.value.is_some()) {
        text += "Elo: 0 is the average of the players who have one.\n";
    }
    for row in rows {
        if let Some(reason) = &row.elo_undefined {
            text += &format!("{} has no Elo: {reason}\n", row.name);
        }
    }
    if let Some(matrix) = matrix(rows) {
        text += &format!(
            "\nLikelihood of superiority over the player of a column, in percent:\n{matrix}"
        );
    }
    text
}

/// `None` where there is nothing to show, or too much.
fn matrix(rows: &[PlayerRow]) -> Option<String> {
    if rows.len() > WIDEST_MATRIX || rows.iter().all(|row| row.los.iter().all(Option::is_none)) {
        return None;
    }
    let numbers = (1..=rows.len()).map(|number| number.to_string());
    let header = ["".to_owned(), "Player".to_owned()].into_iter().chain(numbers);
    let lines = rows.iter().enumerate().map(|(index, row)| {
        let cells = row.los.iter().map(|los| los.map_or_else(String::new, rounded_percent));
        [(index + 1).to_string(), row.name.clone()].into_iter().chain(cells).collect()
    });
    Some(table(header, lines, 2))
}

/// `97`; never 0 or 100.
pub(super) fn rounded_percent(share: f64) -> String {
    format!("{:.0}", (100.0 * share).clamp(1.0, 99.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::{Estimate, Standings};
    use harness_stats::{Meeting, Pentanomial, Results, Wdl, WhiteAdvantage};

    #[test]
    fn players_without_a_rating_stand_where_their_points_put_them() {
        let pairs = |first, second, counts| Meeting {
            first,
            second,
            results: Results::Pairs(Pentanomial(counts)),
        };
        let meetings = [
            pairs(0, 1, [0, 3, 5, 2, 1]),
            pairs(2, 0, [0, 0, 0, 0, 4]),
            pairs(1, 3, [0, 0, 0, 0, 4]),
        ];
        let wdl = |wins, draws, losses| Wdl { wins, draws, losses };
        let players = [
            ("even".to_owned(), wdl(5, 12, 13)),
            ("odd".to_owned(), wdl(13, 12, 5)),
            ("best".to_owned(), wdl(8, 0, 0)),
            ("worst".to_owned(), wdl(0, 0, 8)),
        ];
        let Standings { rows, white, .. } =
            Standings::new(&players, &meetings, WhiteAdvantage::Ignored);
        assert_eq!(white, Estimate::default());
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!((names[0], names[3]), ("best", "worst"));
        let text = standings_text(&rows);
        assert!(text.contains("best has no Elo: every game was won"), "{text}");
        assert!(text.contains("Likelihood of superiority"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        let sum = rows[1].los[2].zip(rows[2].los[1]).map(|(a, b)| a + b);
        assert!(sum.is_some_and(|sum| (sum - 1.0).abs() < 1e-12), "{rows:?}");
    }

    #[test]
    fn a_long_table_has_no_matrix() {
        let wdl = Wdl { wins: 1, draws: 1, losses: 1 };
        let players: Vec<(String, Wdl)> = (0..13).map(|n| (format!("p{n}"), wdl)).collect();
        let meetings: Vec<Meeting> = (0..13)
            .map(|n| Meeting { first: n, second: (n + 1) % 13, results: Results::White(wdl) })
            .collect();
        let Standings { rows, .. } = Standings::new(&players, &meetings, WhiteAdvantage::Ignored);
        assert!(!standings_text(&rows).contains("superiority"));
        assert_eq!(rows[12].los.len(), 13);
    }
}
