//! Ratings of the players of a PGN file, and the match of two.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::Path;

use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use super::chunks;
use super::flaws::{FlawCounts, Flaws};
use super::formats::FormatError;
use super::game::Game;
use super::head_to_head::{Duel, HeadToHead};
use super::pgn::Reader;
use harness_base::input;
use harness_base::text::counted;
use harness_outcome::{Estimate, PlayerRow, Standings};
use harness_stats::{GameScore, Meeting, Results, Wdl, WhiteAdvantage};

/// With more players the errors would take minutes: their time grows with the third power.
const MAX_PLAYERS: usize = 2_000;

/// A PGN that cannot be rated.
#[derive(Debug, Error, Diagnostic)]
pub enum RatingError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    #[diagnostic(help("name a PGN file, or `-` for standard input"))]
    Unreadable(String, io::Error),
    /// The file is no PGN.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Broken(#[from] FormatError),
    /// Without the name of the file; it is added where that is known.
    #[error("cannot read on: {0}")]
    Stream(#[from] io::Error),
    /// No game counts.
    #[error("there is no finished game in {0}")]
    #[diagnostic(help(
        "games are counted that name White and Black and end in 1-0, 0-1 or 1/2-1/2\n{1}"
    ))]
    NoGames(String, String),
    /// All games are of a player with itself.
    #[error("all that is finished in {source_name} is {}, which rates nothing", of_itself(*games))]
    #[diagnostic(help("give the two players of a game different names"))]
    OfOnePlayer {
        /// The file, or what else the games are from.
        source_name: String,
        /// Their number.
        games: u64,
    },
    /// The error bars of more players than this would take minutes.
    #[error("{0} players are too many to be rated at once: {MAX_PLAYERS} are the most")]
    #[diagnostic(help("`--min-games N` leaves out who played less"))]
    TooMany(usize),
    /// No player played enough.
    #[error("no player has {0} games or more against the others who have")]
    #[diagnostic(help("ask for less with --min-games"))]
    TooFewGames(u64),
}

fn of_itself(games: u64) -> String {
    counted(games, "game of a player with itself", "games of players with themselves")
}

/// The players of a file, rated; as JSON, the object of `harness stats --pgn FILE --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Rated {
    /// Games that count.
    pub games: u64,
    /// Games without a result or without names.
    pub unfinished: u64,
    /// Those of them without names.
    pub unnamed: u64,
    /// Further games left out: those of a player with itself, which say nothing of its strength.
    pub of_one_player: u64,
    /// Games that count although their text has no moves.
    pub without_moves: u64,
    /// Games left out, by what is wrong with them.
    pub games_dropped: FlawCounts,
    /// Games that count although something is wrong with them, by what.
    pub games_corrected: FlawCounts,
    /// The advantage of the white pieces, in Elo.
    pub white: Estimate,
    /// Why there is none, although there are games with both colours.
    pub white_undefined: Option<String>,
    /// The match of the players of a file that has two.
    pub head_to_head: Option<HeadToHead>,
    /// The players, best first.
    pub players: Vec<PlayerRow>,
}

/// Rates the players of a PGN file with at least `min_games` games, on `threads` threads; gives
/// the flaws of its games, too.
///
/// # Errors
/// When the file cannot be read, or no or too many players are left.
pub fn rate(path: &Path, min_games: u64, threads: usize) -> Result<(Rated, Flaws), RatingError> {
    let shown = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let unreadable = |reason| RatingError::Unreadable(shown.clone(), reason);
    let source = input::open(path).map_err(unreadable)?;
    let mut games = RatedGames::read(source, &shown, threads)?;
    if games.meetings.is_empty() {
        return Err(games.without_any(shown));
    }
    games.leave_out(min_games);
    if games.meetings.is_empty() {
        return Err(RatingError::TooFewGames(min_games));
    }
    Ok((games.rated()?, games.flaws))
}

/// Rates the players of results: names of White and Black, and the score of White.
///
/// # Errors
/// When no or too many players are left.
pub fn rate_results(
    results: impl IntoIterator<Item = ([String; 2], GameScore)>,
    min_games: u64,
) -> Result<Rated, RatingError> {
    let mut games = RatedGames::default();
    for (names, score) in results {
        games.add_result(names.map(|name| name.trim().to_owned()), score);
    }
    if games.meetings.is_empty() {
        return Err(games.without_any("the results".to_owned()));
    }
    games.leave_out(min_games);
    if games.meetings.is_empty() {
        return Err(RatingError::TooFewGames(min_games));
    }
    games.rated()
}

/// The games of a file.
#[derive(Default)]
struct RatedGames {
    names: Vec<String>,
    /// Indices of the names.
    numbers: HashMap<String, usize>,
    /// By the numbers of White and Black, seen from White.
    meetings: BTreeMap<(usize, usize), Wdl>,
    unfinished: u64,
    unnamed: u64,
    of_one_player: u64,
    without_moves: u64,
    /// The games of two players, as long as there are no more.
    duel: Duel,
    flaws: Flaws,
}

impl RatedGames {
    fn read(
        source: impl Read + Send,
        path: &str,
        threads: usize,
    ) -> Result<RatedGames, RatingError> {
        let mut games = RatedGames::default();
        let flaws = games.flaws.clone();
        let add = |game| {
            games.add(game);
            Ok(())
        };
        let read = chunks::games(
            source,
            threads,
            |chunk| Reader::of_chunk(path, chunk, &flaws).results_only(),
            add,
        );
        match read {
            Ok(()) => Ok(games),
            Err(RatingError::Stream(reason)) => {
                Err(RatingError::Unreadable(path.to_owned(), reason))
            }
            Err(other) => Err(other),
        }
    }

    fn add(&mut self, game: Game) {
        let opening = game.opening();
        let names = game.names.map(|name| name.trim().to_owned());
        let known = names.iter().all(|name| !name.is_empty() && name != "?");
        let Some(score) = game.result.filter(|_| known) else {
            self.unfinished += 1;
            self.unnamed += u64::from(!known);
            return;
        };
        let Some(numbers) = self.add_result(names, score) else { return };
        self.without_moves += u64::from(!game.has_moves);
        self.duel.add(numbers, (game.start.key(), opening), &game.round, score);
    }

    /// Counts a result of White; gives the numbers of the players, if it is one between two.
    fn add_result(&mut self, names: [String; 2], score: GameScore) -> Option<[usize; 2]> {
        if names[0] == names[1] {
            self.of_one_player += 1;
            return None;
        }
        let [white, black] = names.map(|name| {
            *self.numbers.entry(name).or_insert_with_key(|name| {
                self.names.push(name.clone());
                self.names.len() - 1
            })
        });
        self.meetings.entry((white, black)).or_default().add_game(score);
        Some([white, black])
    }

    /// Why no game counts.
    fn without_any(&self, source: String) -> RatingError {
        match self.of_one_player {
            0 => RatingError::NoGames(source, self.flaws.to_string()),
            games => RatingError::OfOnePlayer { source_name: source, games },
        }
    }

    /// Games of each player.
    fn by_player(&self) -> Vec<Wdl> {
        let mut players = vec![Wdl::default(); self.names.len()];
        for (&(white, black), games) in &self.meetings {
            players[white] += *games;
            players[black] += games.reversed();
        }
        players
    }

    /// Leaves out players with fewer games, until all that are left have enough among themselves.
    fn leave_out(&mut self, min_games: u64) {
        loop {
            let games = self.by_player();
            let enough = |player: usize| games[player].games() >= min_games;
            let before = self.meetings.len();
            self.meetings.retain(|&(white, black), _| enough(white) && enough(black));
            if self.meetings.len() == before {
                return;
            }
        }
    }

    fn rated(&self) -> Result<Rated, RatingError> {
        let games = self.by_player();
        let mut numbers = vec![None; self.names.len()];
        let mut players = Vec::new();
        // By name, so that the order of the games does not matter.
        let mut known: Vec<(usize, Wdl)> =
            games.into_iter().enumerate().filter(|(_, all)| all.games() > 0).collect();
        known.sort_by(|(a, _), (b, _)| self.names[*a].cmp(&self.names[*b]));
        for (player, games) in known {
            numbers[player] = Some(players.len());
            players.push((self.names[player].clone(), games));
        }
        if players.len() > MAX_PLAYERS {
            return Err(RatingError::TooMany(players.len()));
        }
        let meeting = |(&(white, black), games): (&(usize, usize), &Wdl)| {
            let first = numbers[white]?;
            let second = numbers[black]?;
            Some(Meeting { first, second, results: Results::White(*games) })
        };
        let meetings: Vec<Meeting> = self.meetings.iter().filter_map(meeting).collect();
        let Standings { rows, white, white_undefined } =
            Standings::new(&players, &meetings, WhiteAdvantage::Estimated);
        Ok(Rated {
            games: self.meetings.values().map(Wdl::games).sum(),
            unfinished: self.unfinished,
            unnamed: self.unnamed,
            of_one_player: self.of_one_player,
            without_moves: self.without_moves,
            games_dropped: self.flaws.dropped(),
            games_corrected: self.flaws.corrected(),
            white,
            white_undefined,
            head_to_head: self.duel.result(&self.names),
            players: rows,
        })
    }
}
