//! Searches of the real program: at fixed nodes or depth, stopped, pondering, of some moves, with several
//! lines, by two threads; and games of the program against itself.

use super::Numbers;
use super::check::Search;
use super::game::Game;
use super::positions::positions;
use crate::client::Client;

/// Ways to search a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Nodes,
    Lines(usize),
    Depth,
    /// `go infinite`, then `stop`.
    Stopped(usize),
    /// Pondering, then `ponderhit`.
    PonderHit(usize),
    /// Pondering, then `stop`.
    PonderMiss,
    /// A part of the moves.
    SearchMoves(usize),
    Threads,
    /// A clock of 60 ms.
    Clock(usize),
}

impl Way {
    pub const ALL: [Way; 13] = [
        Way::Nodes,
        Way::Lines(4),
        Way::Depth,
        Way::Stopped(1),
        Way::Stopped(4),
        Way::PonderHit(1),
        Way::PonderHit(4),
        Way::PonderMiss,
        Way::SearchMoves(1),
        Way::SearchMoves(4),
        Way::Threads,
        Way::Clock(1),
        Way::Clock(4),
    ];

    fn multipv(self) -> usize {
        match self {
            Way::Lines(lines)
            | Way::Stopped(lines)
            | Way::PonderHit(lines)
            | Way::SearchMoves(lines)
            | Way::Clock(lines) => lines,
            Way::Nodes | Way::Depth | Way::PonderMiss | Way::Threads => 1,
        }
    }

    /// The arguments of `go`, without `searchmoves`.
    fn limit(self, nodes: u64) -> String {
        match self {
            Way::Depth => "depth 7".into(),
            Way::Stopped(_) => "infinite".into(),
            Way::PonderHit(_) => format!("ponder nodes {nodes}"),
            Way::PonderMiss => "ponder wtime 5000 btime 5000".into(),
            Way::Clock(_) => "wtime 60 btime 60 winc 1 binc 1".into(),
            _ => format!("nodes {nodes}"),
        }
    }

    /// What ends the search, after a line of this depth.
    fn ended_by(self, game: &Game) -> Option<(u32, &'static str)> {
        match self {
            Way::Stopped(_) => Some((4, "stop")),
            // The nodes may be too few for more.
            Way::PonderHit(_) => Some((1, "ponderhit")),
            // With a clock there is nothing to search where a move is forced.
            Way::PonderMiss if game.legal_moves().len() == 1 => Some((1, "stop")),
            Way::PonderMiss => Some((5, "stop")),
            _ => None,
        }
    }
}

/// A player: the program, with the options that it has.
pub struct Player {
    client: Client,
    chess960: bool,
    multipv: usize,
    threads: usize,
}

impl Player {
    pub fn new() -> Player {
        Player { client: Client::start(), chess960: false, multipv: 1, threads: 1 }
    }

    fn set(&mut self, game: &Game, multipv: usize, threads: usize) {
        let wanted = (game.chess960, multipv, threads);
        if (self.chess960, self.multipv, self.threads) != wanted {
            (self.chess960, self.multipv, self.threads) = wanted;
            self.client.send(&format!("setoption name UCI_Chess960 value {}", game.chess960));
            self.client.send(&format!("setoption name MultiPV value {multipv}"));
            self.client.send(&format!("setoption name Threads value {threads}"));
        }
    }

    /// Searches a position that is not the end of a game.
    pub fn search(&mut self, game: &Game, way: Way, nodes: u64, numbers: &mut Numbers) -> Search {
        let multipv = way.multipv();
        self.set(game, multipv, if way == Way::Threads { 2 } else { 1 });
        let mut go = format!("go {}", way.limit(nodes));
        let search_moves = match way {
            Way::SearchMoves(_) => some_of(game.legal_moves(), numbers),
            _ => Vec::new(),
        };
        if !search_moves.is_empty() {
            go = format!("{go} searchmoves {}", search_moves.join(" "));
        }
        self.client.send(&game.position_command());
        self.client.send(&go);
        let mut output = Vec::new();
        if let Some((depth, command)) = way.ended_by(game) {
            output = self.client.read_until(&format!("info depth {depth} "));
            self.client.send(command);
        }
        output.extend(self.client.read_until("bestmove"));
        Search { game: game.clone(), multipv, search_moves, go, output }
    }

    pub fn new_game(&mut self) {
        self.client.send("ucinewgame");
    }

    pub fn quit(self) {
        self.client.quit();
    }
}

/// Each third move and at least one.
fn some_of(moves: Vec<String>, numbers: &mut Numbers) -> Vec<String> {
    let first = numbers.below(moves.len().min(3));
    moves.into_iter().skip(first).step_by(3).collect()
}

/// What to run.
#[derive(Clone, Copy)]
pub struct Plan {
    pub positions: usize,
    /// Ways to search each position, of [`Way::ALL`] in turn.
    pub ways: usize,
    pub games: usize,
    /// Nodes of a search.
    pub nodes: u64,
}

/// Runs the searches of a plan, and calls `on_search` for each.
pub fn run(plan: Plan, on_search: &mut dyn FnMut(&Search)) {
    let mut numbers = Numbers(960);
    let mut player = Player::new();
    let mut ways = Way::ALL.iter().cycle();
    for game in positions(plan.positions) {
        player.new_game();
        for &way in ways.by_ref().take(plan.ways) {
            on_search(&player.search(&game, way, plan.nodes, &mut numbers));
        }
    }
    player.quit();
    for (number, start) in starts(plan.games).into_iter().enumerate() {
        play(start, number, plan.nodes, &mut numbers, on_search);
    }
}

/// Starts of games: openings, of Chess960 too, and late endings.
fn starts(count: usize) -> Vec<Game> {
    let all = positions(6 * count);
    all.into_iter().filter(|game| game.moves.is_empty()).take(count).collect()
}

/// Plays a game to its end, or for 200 plies, by two players that take turns in the ways to search; who
/// ponders does so on the move that it expects.
fn play(
    mut game: Game,
    number: usize,
    nodes: u64,
    numbers: &mut Numbers,
    on_search: &mut dyn FnMut(&Search),
) {
    const MAX_PLIES: usize = 200;
    let lines = [1, 4][number % 2];
    let ways = match number / 2 % 4 {
        0 => [Way::Lines(lines); 2],
        1 => [Way::Lines(lines), Way::SearchMoves(lines)],
        2 => [Way::Stopped(lines), Way::Clock(lines)],
        _ => [Way::PonderHit(lines), Way::Lines(lines)],
    };
    let mut players = [Player::new(), Player::new()];
    for ply in 0..MAX_PLIES {
        if game.ending().is_some() {
            break;
        }
        let player = &mut players[ply % 2];
        let search = player.search(&game, ways[ply / 2 % 2], nodes, numbers);
        on_search(&search);
        let best = search.output.last().map_or("", String::as_str);
        let words: Vec<&str> = best.split_whitespace().collect();
        let Some(&m) = words.get(1) else { break };
        game = game.played(m);
        // On the move that it expects the player ponders, which then is not played.
        let expected = words.get(3).and_then(|reply| {
            let mut next = game.clone();
            next.play(reply).then_some(next)
        });
        if let Some(next) = expected.filter(|next| next.ending().is_none()) {
            on_search(&player.search(&next, Way::PonderMiss, nodes, numbers));
        }
    }
    players.into_iter().for_each(Player::quit);
}
