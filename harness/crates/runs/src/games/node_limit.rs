//! Whether players respect a limit in nodes: a match of one that does not proves nothing.

use harness_arena::{GameRecord, Plan};
use harness_base::text::grouped;
use harness_player::{Limit, respects};

/// Games of a player before a warning.
const GAMES: u64 = 2;

/// Nodes that the players of a match visited.
pub struct NodeLimitCheck {
    players: Vec<Visited>,
}

struct Visited {
    name: String,
    /// Nodes that it may visit a move; `None` where another limit ends its searches.
    limit: Option<u64>,
    /// Sum of the games' mean nodes a move.
    nodes: u64,
    games: u64,
}

impl NodeLimitCheck {
    /// Of a match without games.
    pub fn new(plan: &Plan) -> NodeLimitCheck {
        let player = |(name, limit): (String, &Limit)| Visited {
            name,
            limit: if let Limit::Nodes(nodes) = *limit { Some(nodes) } else { None },
            nodes: 0,
            games: 0,
        };
        let names = plan.engines.iter().map(|engine| engine.name.clone());
        NodeLimitCheck { players: names.zip(&plan.limits).map(player).collect() }
    }

    /// Counts a game; returns a warning with the last of [`GAMES`].
    pub fn see(&mut self, game: &GameRecord) -> Option<String> {
        let mut warning = None;
        for (engine, nodes) in [game.white, game.black].into_iter().zip(game.nodes) {
            let (Some(player), Some(nodes)) = (self.players.get_mut(engine), nodes) else {
                continue;
            };
            player.nodes += nodes;
            player.games += 1;
            if player.games == GAMES {
                warning = warning.or_else(|| player.warning());
            }
        }
        warning
    }

    /// Warnings about players that do not respect their limit.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.players.iter().filter(|player| player.games >= GAMES).filter_map(Visited::warning)
    }
}

impl Visited {
    fn warning(&self) -> Option<String> {
        let (limit, mean) = (self.limit?, self.nodes / self.games.max(1));
        (!respects(limit, mean)).then(|| {
            format!(
                "{} visits {} nodes a move, and may visit {}: it does not respect `go nodes`; use \
                 --tc or --depth, or --limit for one engine",
                self.name,
                grouped(mean),
                grouped(limit),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(limit: Option<u64>, means: &[u64]) -> Visited {
        let (nodes, games) = (means.iter().sum(), means.len() as u64);
        Visited { name: "a".to_owned(), limit, nodes, games }
    }

    #[test]
    fn a_player_that_stops_at_once_or_goes_on_for_long_gets_a_warning() {
        assert!(visited(Some(100_000), &[8, 9]).warning().is_some_and(|text| text.contains("8")));
        assert!(visited(Some(1_000), &[900_000, 800_000]).warning().is_some());
    }

    #[test]
    fn a_player_that_overshoots_a_little_or_has_a_clock_gets_none() {
        assert_eq!(visited(Some(1_000), &[1_800, 990]).warning(), None);
        // Mates are found early, and few nodes are too few to stop at.
        assert_eq!(visited(Some(100_000), &[60_000, 31_000]).warning(), None);
        assert_eq!(visited(None, &[8, 9]).warning(), None);
    }
}
