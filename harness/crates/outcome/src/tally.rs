//! The sum of games: the summary of a match, and its curves.

use std::collections::{BTreeMap, HashMap};

use super::match_summary::TROUBLE;
use super::standings::NO_PAIR;
use super::{
    EngineFacts, Estimate, MatchFacts, MatchSummary, PlayerRow, Standings, count_terminations,
    openbench_block,
};
use harness_stats::{
    Elo, GameScore, Meeting, Pentanomial, Remaining, Results, Sprt, Stop, Summary, Undefined, Wdl,
    WhiteAdvantage,
};

/// Most points of a curve: each has an interval, which is the costly part of a page.
const POINTS: usize = 100;

/// A finished game, as it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which pair of the run.
    pub pair: u64,
    /// The first player of the pair.
    pub first: String,
    /// The second player of the pair.
    pub second: String,
    /// Score of the first player.
    pub score: GameScore,
    /// How the game ended: `checkmate`, `time_forfeit`, ...
    pub termination: String,
}

/// Games lost by a fault, by its kind: `time_forfeit`, `crash`, ...
pub type Forfeits = BTreeMap<String, u64>;

/// The sum of games, added one by one.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    games: u64,
    terminations: BTreeMap<String, u64>,
    /// Games that each player lost by a fault of its own.
    forfeits: BTreeMap<String, Forfeits>,
    players: BTreeMap<String, Standing>,
    /// Pairs of each two players, seen from the first of them.
    meetings: BTreeMap<(String, String), Pentanomial>,
    /// First games of incomplete pairs.
    halves: HashMap<u64, GameScore>,
    /// The head engine's pairs, and the games of these, after each of its pairs.
    history: Vec<(Pentanomial, Wdl)>,
    head: String,
}

/// Results of one player.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    games: Wdl,
    pairs: Pentanomial,
}

/// The state of a match after some of its games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Games of complete pairs.
    pub games: u64,
    /// Logistic Elo difference of the first engine.
    pub elo: Estimate,
    /// Log-likelihood ratio; only of an SPRT.
    pub llr: Option<f64>,
    /// Its bounds at this point; only of an SPRT.
    pub bounds: Option<[f64; 2]>,
}

impl Tally {
    /// An empty tally; the headline has the results of `head`.
    pub fn new(head: &str) -> Tally {
        Tally { head: head.to_owned(), ..Tally::default() }
    }

    /// Adds a game; pairs in any order.
    pub fn add(&mut self, outcome: &Outcome) {
        let Outcome { pair, first, second, score, termination } = outcome;
        self.games += 1;
        *self.terminations.entry(termination.clone()).or_default() += 1;
        if TROUBLE.contains(&termination.as_str()) {
            let loser = if *score == GameScore::Loss { first } else { second };
            let kinds = self.forfeits.entry(loser.clone()).or_default();
            *kinds.entry(termination.clone()).or_default() += 1;
        }
        self.standing(first).games.add_game(*score);
        self.standing(second).games.add_game(score.reversed());
        let Some(half) = self.halves.remove(pair) else {
            self.halves.insert(*pair, *score);
            return;
        };
        self.standing(first).pairs.add_pair(half, *score);
        self.standing(second).pairs.add_pair(half.reversed(), score.reversed());
        let meeting = self.meetings.entry((first.clone(), second.clone())).or_default();
        meeting.add_pair(half, *score);
        let of_head = match (*first == self.head, *second == self.head) {
            (true, _) => [half, *score],
            (false, true) => [half.reversed(), score.reversed()],
            (false, false) => return,
        };
        let mut games = self.history.last().map(|(_, games)| *games).unwrap_or_default();
        of_head.into_iter().for_each(|score| games.add_game(score));
        self.history.push((self.pairs(), games));
    }

    /// Games added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Games of the head engine.
    pub fn wdl(&self) -> Wdl {
        self.head().games
    }

    /// Pairs of each two players that met, seen from the first of them.
    pub fn meetings(&self) -> impl Iterator<Item = (&str, &str, &Pentanomial)> {
        self.meetings.iter().map(|((first, second), pairs)| (&**first, &**second, pairs))
    }

    /// Games of a player.
    pub fn games_of(&self, player: &str) -> Wdl {
        self.players.get(player).map(|standing| standing.games).unwrap_or_default()
    }

    /// Complete pairs of the head engine.
    pub fn pairs(&self) -> Pentanomial {
        self.head().pairs
    }

    /// Games that a player lost by faults of its own.
    pub fn forfeits(&self, player: &str) -> &Forfeits {
        const NONE: &Forfeits = &BTreeMap::new();
        self.forfeits.get(player).unwrap_or(NONE)
    }

    /// A row a player, best first; two players in their order, with their Elo difference.
    pub fn rows(&self, facts: &MatchFacts) -> Vec<PlayerRow> {
        if facts.engines.len() > 2 {
            return self.player_rows(facts);
        }
        let row = |engine: &EngineFacts| {
            let Standing { games, pairs } =
                self.players.get(&engine.name).copied().unwrap_or_default();
            let elo = Elo::from_counts(&pairs);
            let undefined = elo.err().map(|why| match why {
                Undefined::NoGames if games.games() > 0 => NO_PAIR.to_owned(),
                why => why.to_string(),
            });
            PlayerRow::new(&engine.name, elo.ok(), undefined, &games)
        };
        facts.engines.iter().map(row).collect()
    }

    /// The rest of a test that may not play more games than were asked for.
    fn remaining(&self, facts: &MatchFacts, pairs: &Pentanomial) -> Option<Remaining> {
        let max = facts.games_asked.filter(|_| facts.command == "sprt")?.div_ceil(2);
        facts.sprt?.remaining_within(pairs, Some(max))
    }

    /// The result so far.
    pub fn summary(&self, run: &str, facts: &MatchFacts, seconds: f64) -> MatchSummary {
        let pairs = self.pairs();
        let games = self.wdl();
        let stats = Summary::of_pairs(&pairs, facts.sprt.as_ref());
        let mut terminations = count_terminations([]);
        terminations.extend(self.terminations.clone());
        let no_pair = (pairs.pairs() == 0 && self.games > 0).then(|| NO_PAIR.to_owned());
        let mut summary = MatchSummary {
            workers: Vec::new(),
            taken_out: Vec::new(),
            doubt: None,
            reference_nps: None,
            run: run.to_owned(),
            games: self.games,
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            pentanomial: pairs.0,
            elo: stats.elo.into(),
            nelo: stats.nelo.into(),
            elo_undefined: no_pair.or(stats.elo_undefined),
            los: stats.los,
            visible_effect: stats.visible_effect,
            draw_ratio: stats.draw_ratio,
            pairs_ratio: stats.pairs_ratio,
            llr: stats.llr,
            bounds: stats.bounds,
            verdict: stats.verdict,
            stopped: stats.stopped.or_else(|| self.played_out(facts)),
            sequential: stats.sequential,
            remaining: self.remaining(facts, &pairs).or(stats.remaining),
            terminations,
            seconds,
            players: self.player_rows(facts),
            warnings: self.warnings(),
            tournament: None,
            race: None,
            openbench: String::new(),
            facts: facts.clone(),
        };
        summary.openbench = openbench_block(&summary);
        summary
    }

    /// Of an undecided test whose games are all played.
    fn played_out(&self, facts: &MatchFacts) -> Option<Stop> {
        let is_out = facts.games_asked.is_some_and(|asked| self.games >= asked);
        (is_out && facts.sprt.is_some()).then_some(Stop::MaxGames)
    }

    /// Elo and LLR in the order in which pairs were completed; thinned out, except for the newest
    /// point.
    pub fn curve(&self, sprt: Option<&Sprt>) -> Vec<CurvePoint> {
        let step = self.history.len().div_ceil(POINTS).max(1);
        let newest_first = self.history.iter().rev().step_by(step);
        let mut curve: Vec<CurvePoint> = newest_first
            .map(|(pairs, _)| CurvePoint {
                games: pairs.games(),
                elo: Elo::from_counts(pairs).ok().into(),
                llr: sprt.and_then(|sprt| sprt.llr(pairs)),
                bounds: sprt.map(|sprt| sprt.bounds_of(pairs)),
            })
            .collect();
        curve.reverse();
        curve
    }

    /// The head engine's pairs, and the games of these, after each of its pairs, in the order in which they
    /// were completed.
    pub fn steps(&self) -> &[(Pentanomial, Wdl)] {
        &self.history
    }

    fn head(&self) -> Standing {
        self.players.get(&self.head).copied().unwrap_or_default()
    }

    fn standing(&mut self, name: &str) -> &mut Standing {
        self.players.entry(name.to_owned()).or_default()
    }

    /// Best first; empty unless there are more than two players.
    fn player_rows(&self, facts: &MatchFacts) -> Vec<PlayerRow> {
        if facts.engines.len() <= 2 {
            return Vec::new();
        }
        let games = |engine: &EngineFacts| {
            let standing = self.players.get(&engine.name).copied().unwrap_or_default();
            (engine.name.clone(), standing.games)
        };
        let players: Vec<(String, Wdl)> = facts.engines.iter().map(games).collect();
        let number = |name: &str| players.iter().position(|(known, _)| known == name);
        let meetings: Vec<Meeting> = self
            .meetings
            .iter()
            .filter_map(|((first, second), &pairs)| {
                let first = number(first)?;
                let second = number(second)?;
                Some(Meeting { first, second, results: Results::Pairs(pairs) })
            })
            .collect();
        Standings::new(&players, &meetings, WhiteAdvantage::Ignored).rows
    }

    /// `a 3, b 1`: games lost by such a fault.
    fn culprits(&self, kind: &str) -> String {
        let of = |(name, kinds): (&String, &Forfeits)| Some(format!("{name} {}", kinds.get(kind)?));
        self.forfeits.iter().filter_map(of).collect::<Vec<_>>().join(", ")
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = TROUBLE
            .into_iter()
            .filter_map(|kind| Some((kind, *self.terminations.get(kind)?)))
            .map(|(kind, count)| {
                let games = if count == 1 { "game" } else { "games" };
                let words = kind.replace('_', " ");
                format!("{count} {games} ended by {words} ({})", self.culprits(kind))
            })
            .collect();
        if !self.halves.is_empty() {
            let count = self.halves.len();
            let (have, they) = match count {
                1 => ("pair has", "it counts"),
                _ => ("pairs have", "they count"),
            };
            warnings.push(format!(
                "{count} {have} one game only: {they} in wins, draws and losses but not in Elo and LLR"
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_stats::Model;

    fn facts(engines: &[&str], sprt: Option<Sprt>) -> MatchFacts {
        let engine = |name: &&str| EngineFacts {
            name: (*name).to_owned(),
            what: "builtin".to_owned(),
            options: BTreeMap::new(),
            defaults: BTreeMap::new(),
        };
        MatchFacts {
            command: "match".to_owned(),
            engines: engines.iter().map(engine).collect(),
            limit: "nodes=100".to_owned(),
            games_asked: Some(100),
            openings: None,
            jobs: 1,
            seed: Some(1),
            sprt,
            command_line: None,
        }
    }

    fn outcome(pair: u64, first: &str, second: &str, score: GameScore) -> Outcome {
        let termination = "checkmate".to_owned();
        Outcome { pair, first: first.to_owned(), second: second.to_owned(), score, termination }
    }

    #[test]
    fn pairs_are_put_together_whatever_comes_between() {
        let mut tally = Tally::new("a");
        for (pair, score) in [
            (0, GameScore::Win),
            (1, GameScore::Draw),
            (0, GameScore::Win),
            (1, GameScore::Loss),
            (2, GameScore::Win),
        ] {
            tally.add(&outcome(pair, "a", "b", score));
        }
        assert_eq!(tally.pairs(), Pentanomial([0, 1, 0, 0, 1]));
        let summary = tally.summary("id", &facts(&["a", "b"], None), 1.0);
        assert_eq!((summary.wins, summary.draws, summary.losses), (3, 1, 1));
        assert_eq!(summary.games, 5);
        assert!(summary.warnings[0].contains("one game only"), "{:?}", summary.warnings);
    }

    #[test]
    fn the_second_player_sees_the_same_games_the_other_way_round() {
        let mut tally = Tally::new("a");
        for (pair, first, second) in [(0, "b", "a"), (1, "a", "c"), (2, "b", "c")] {
            tally.add(&outcome(pair, first, second, GameScore::Win));
            tally.add(&outcome(pair, first, second, GameScore::Draw));
        }
        assert_eq!(tally.pairs(), Pentanomial([0, 1, 0, 1, 0]));
        let summary = tally.summary("id", &facts(&["a", "b", "c"], None), 1.0);
        assert_eq!(summary.games, 6);
        assert_eq!((summary.wins, summary.draws, summary.losses), (1, 2, 1));
        let order: Vec<&str> = summary.players.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(order, ["b", "a", "c"]);
        assert_eq!(summary.players[0].points, 3.0);
    }

    #[test]
    fn a_curve_is_thin_and_ends_where_the_summary_stands() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid");
        let mut tally = Tally::new("a");
        for pair in 0..5_003 {
            tally.add(&outcome(pair, "a", "b", GameScore::Draw));
            let score = if pair % 3 == 0 { GameScore::Win } else { GameScore::Draw };
            tally.add(&outcome(pair, "a", "b", score));
        }
        let curve = tally.curve(Some(&sprt));
        assert!(curve.len() <= POINTS, "{}", curve.len());
        assert!(curve.is_sorted_by_key(|point| point.games));
        let summary = tally.summary("id", &facts(&["a", "b"], Some(sprt)), 1.0);
        let newest = curve.last().expect("not empty");
        assert_eq!((newest.games, newest.llr), (summary.games, summary.llr));
        assert_eq!(newest.elo, summary.elo);
    }

    #[test]
    fn a_match_without_a_game_has_no_numbers() {
        let mut tally = Tally::new("a");
        let summary = tally.summary("id", &facts(&["a", "b"], None), 0.0);
        assert_eq!(summary.elo, Estimate::default());
        assert_eq!(summary.elo_undefined.as_deref(), Some("no game was played"));
        let json = serde_json::to_value(&summary).expect("plain data");
        assert!(json["elo"]["value"].is_null() && json["llr"].is_null());
        assert_eq!(json["terminations"]["crash"], 0);
        tally.add(&outcome(0, "a", "b", GameScore::Win));
        let summary = tally.summary("id", &facts(&["a", "b"], None), 0.0);
        assert_eq!(summary.elo_undefined.as_deref(), Some(NO_PAIR));
        assert!(summary.openbench.starts_with("Elo   | none: no pair is complete\nConf  | "));
        // A player whose pair is half played has played.
        for engines in [&["a", "b"][..], &["a", "b", "c"]] {
            for row in tally.rows(&facts(engines, None)) {
                let reason = if row.games > 0 { NO_PAIR } else { "no game was played" };
                assert_eq!(row.elo_undefined.as_deref(), Some(reason), "{}", row.name);
            }
        }
    }
}
