//! Players that are connected by comparisons.

/// The connected components of `players` players, each in increasing order, by union-find.
pub(super) fn components(
    players: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..players).collect();
    for (a, b) in edges {
        let a = root(&mut parent, a);
        let b = root(&mut parent, b);
        // The smaller number is the root, so that components come in the order of their first players.
        parent[a.max(b)] = a.min(b);
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); players];
    for player in 0..players {
        let root = root(&mut parent, player);
        groups[root].push(player);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn root(parent: &mut [usize], mut player: usize) -> usize {
    while parent[player] != player {
        parent[player] = parent[parent[player]];
        player = parent[player];
    }
    player
}
