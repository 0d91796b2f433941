//! The limit that ends a search.

use std::time::Duration;

use harness_base::text::decode;
use harness_player::uci::write_go;
use harness_player::{Clocks, Go};

/// Of a clock that stands in for a depth.
const STAND_IN_CLOCK: Duration = Duration::from_secs(2);

/// Limit of the searches of checks that need one to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ender {
    /// A depth.
    #[default]
    Depth,
    /// Nodes.
    Nodes,
    /// A time a move.
    MoveTime,
    /// A clock.
    Clock,
}

/// Limits to use instead of a depth, the best first.
pub(super) const STAND_INS: [Ender; 3] = [Ender::Nodes, Ender::MoveTime, Ender::Clock];

impl Ender {
    /// The limit of a search to this depth, or what stands in for it.
    pub(super) fn go(self, depth: u8) -> Go {
        match self {
            Ender::Depth => Go::Depth(depth),
            Ender::Nodes => Go::Nodes(1_000),
            Ender::MoveTime => Go::MoveTime(Duration::from_millis(100)),
            Ender::Clock => Go::Clock(Clocks {
                white: STAND_IN_CLOCK,
                black: STAND_IN_CLOCK,
                white_increment: Duration::ZERO,
                black_increment: Duration::ZERO,
                moves_to_go: None,
            }),
        }
    }
}

/// The words behind `go`.
pub(super) fn words(go: &Go) -> String {
    let mut command = Vec::new();
    write_go(&mut command, go, &[]);
    decode(&command).trim_start_matches("go ").trim_end().to_owned()
}
