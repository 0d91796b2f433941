//! Strongly connected players in the graph of points won.

use super::games::MeetingCounts;

/// The players of the strongly connected component with most games: each has a chain of at least
/// half points against each other one. In the order of their numbers; of several components that
/// with the first player.
pub(super) fn largest(players: usize, games: &[MeetingCounts]) -> Vec<usize> {
    let groups = groups_of(players, games);
    let count = groups.iter().copied().max().map_or(0, |most| most + 1);
    let mut played = vec![0.0; count];
    for games in games.iter().filter(|games| groups[games.first] == groups[games.second]) {
        played[groups[games.first]] += games.count;
    }
    // Of several that with the first player: components have no order of their own.
    let best = (0..players)
        .rev()
        .map(|player| groups[player])
        .max_by(|&a, &b| played[a].total_cmp(&played[b]));
    (0..players).filter(|&player| Some(groups[player]) == best).collect()
}

/// Whether each player is in the strongly connected component of `player`.
pub(super) fn component_of(player: usize, players: usize, games: &[MeetingCounts]) -> Vec<bool> {
    let groups = groups_of(players, games);
    groups.iter().map(|group| *group == groups[player]).collect()
}

/// Each player's strongly connected component by number, in the graph of points won.
fn groups_of(players: usize, games: &[MeetingCounts]) -> Vec<usize> {
    let mut beaten: Vec<Vec<usize>> = vec![Vec::new(); players];
    let mut beaten_by = beaten.clone();
    let mut link = |above: usize, below: usize| {
        beaten[above].push(below);
        beaten_by[below].push(above);
    };
    for games in games {
        if games.points > 0.0 {
            link(games.first, games.second);
        }
        if games.points < games.count {
            link(games.second, games.first);
        }
    }
    groups(&beaten, &beaten_by)
}

/// Each player's strongly connected component by number (S. R. Kosaraju's algorithm).
fn groups(forward: &[Vec<usize>], backward: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; forward.len()];
    let mut finished = Vec::with_capacity(forward.len());
    for start in 0..forward.len() {
        // A player and the next of its links to follow.
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((player, next)) = path.pop() {
            match forward[player].get(next) {
                None => finished.push(player),
                Some(&other) => {
                    path.push((player, next + 1));
                    if !std::mem::replace(&mut seen[other], true) {
                        path.push((other, 0));
                    }
                }
            }
        }
    }
    let mut groups = vec![usize::MAX; forward.len()];
    let mut count = 0;
    for &start in finished.iter().rev() {
        if groups[start] != usize::MAX {
            continue;
        }
        let mut open = vec![start];
        groups[start] = count;
        while let Some(player) = open.pop() {
            for &other in &backward[player] {
                if groups[other] == usize::MAX {
                    groups[other] = count;
                    open.push(other);
                }
            }
        }
        count += 1;
    }
    groups
}
