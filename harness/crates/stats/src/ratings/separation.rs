//! Whether games determine the advantage of the white pieces.
//!
//! A maximum of the likelihood of a logistic model exists unless a direction of the parameters
//! explains every result ("separation", A. Albert and J. A. Anderson, 1984). Among players who are
//! linked by points won both ways such a direction changes the advantage. It is a solution of
//! difference constraints, one for each result: the loser gains no more on the winner than the
//! colours give him. These have one exactly if no cycle of results, each of the next one's winner
//! over its loser, has a negative sum (R. Bellman, 1958).

use std::fmt;

use super::games::MeetingCounts;

/// Evidence of games for the advantage of the white pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// They determine it.
    Determined,
    /// Colours go with the players: any advantage explains the results.
    Confounded,
    /// The larger the advantage (or, for Black, the disadvantage), the better it explains them.
    Separating(Favoured),
}

/// The colour that separated results favour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favoured {
    /// White.
    White,
    /// Black.
    Black,
}

impl fmt::Display for Favoured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Favoured::White => "White",
            Favoured::Black => "Black",
        })
    }
}

impl Favoured {
    /// 1 for White, -1 for Black.
    pub(super) fn sign(self) -> f64 {
        match self {
            Favoured::White => 1.0,
            Favoured::Black => -1.0,
        }
    }
}

/// Of the games of `players` players that are linked by points won both ways.
pub(super) fn colours(players: usize, games: &[MeetingCounts]) -> Colours {
    let rises = |favoured| is_explained(players, &results(games, favoured));
    match (rises(Favoured::White), rises(Favoured::Black)) {
        (true, true) => Colours::Confounded,
        (true, false) => Colours::Separating(Favoured::White),
        (false, true) => Colours::Separating(Favoured::Black),
        (false, false) => Colours::Determined,
    }
}

/// A result: the rating of the loser rises by at most `gain` more than that of the winner.
struct Won {
    winner: usize,
    loser: usize,
    gain: i64,
}

/// The results that points show, a draw being half a win of each, where the advantage of the
/// favoured colour rises by 1.
fn results(games: &[MeetingCounts], favoured: Favoured) -> Vec<Won> {
    let mut results = Vec::new();
    for games in games {
        let gain = (games.white * favoured.sign()) as i64;
        let winner = games.first;
        let loser = games.second;
        if games.points > 0.0 {
            results.push(Won { winner, loser, gain });
        }
        if games.points < games.count {
            results.push(Won { winner: loser, loser: winner, gain: -gain });
        }
    }
    results
}

/// Whether changes of the ratings explain all results: whether no cycle has a negative sum.
fn is_explained(players: usize, results: &[Won]) -> bool {
    let mut changes = vec![0_i64; players];
    loop {
        let mut is_over = true;
        for &Won { winner, loser, gain } in results {
            let most = changes[winner] + gain;
            if most < changes[loser] {
                changes[loser] = most;
                is_over = false;
            }
        }
        if is_over {
            return true;
        }
        // A path without a cycle has fewer results than there are players.
        if changes.iter().any(|&change| change <= -(players as i64)) {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::counts::Wdl;
    use super::super::games::{Meeting, Results};
    use super::*;

    /// Games of White's number, Black's number and White's half points.
    fn colours_of(players: usize, all: &[(usize, usize, u8)]) -> Colours {
        let game = |&(first, second, half_points): &(usize, usize, u8)| {
            let mut results = Wdl::default();
            match half_points {
                0 => results.losses = 1,
                1 => results.draws = 1,
                _ => results.wins = 1,
            }
            MeetingCounts::from(&Meeting { first, second, results: Results::White(results) })
        };
        colours(players, &all.iter().map(game).collect::<Vec<_>>())
    }

    #[test]
    fn colours_determine_separate_or_go_with_the_players() {
        use Colours::{Confounded, Determined, Separating};
        let white = Separating(Favoured::White);
        let black = Separating(Favoured::Black);
        for (players, games, expected) in [
            (2, &[(0, 1, 2), (1, 0, 2)][..], white),
            (2, &[(0, 1, 0), (1, 0, 0)], black),
            (2, &[(0, 1, 2), (1, 0, 2), (0, 1, 1)], white),
            (2, &[(0, 1, 2), (1, 0, 2), (0, 1, 1), (1, 0, 1)], Determined),
            (2, &[(0, 1, 1), (1, 0, 1)], Determined),
            // One of them always had the white pieces.
            (2, &[(0, 1, 2), (0, 1, 0)], Confounded),
            (2, &[(0, 1, 1)], Confounded),
            // A cycle of wins by White, and one game won by Black.
            (3, &[(0, 1, 2), (1, 2, 2), (2, 0, 2), (1, 0, 0)], white),
            (3, &[(0, 1, 2), (1, 2, 2), (2, 0, 2), (1, 0, 0), (2, 1, 0), (0, 2, 0)], Determined),
            // As many wins by White as by Black in the only cycle.
            (4, &[(0, 1, 2), (2, 1, 0), (2, 3, 2), (0, 3, 0)], Confounded),
        ] {
            assert_eq!(colours_of(players, games), expected, "{games:?}");
        }
    }
}
