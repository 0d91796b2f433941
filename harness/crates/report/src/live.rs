//! The progress of a match on a terminal: a line, and a table of the players.

use super::load::Machine;
use super::progress::{Pace, Progress, clock};
use super::text::{grouped, plus, rounded};
use harness_outcome::Forfeits;
use harness_outcome::{Estimate, MatchFacts, PlayerRow, Tally};
use harness_stats::{Elo, Sprt, sigma_of_draws, signed};

/// Pairs from which the remaining games of an SPRT are estimated at the observed Elo.
const MIN_PAIRS: u64 = 20;

/// Most players in the table.
const MAX_ROWS: usize = 12;

/// Columns of a player's name.
const NAME: usize = 22;

/// Columns of a line; the spinner takes two more.
const WIDTH: usize = 98;

/// The progress of a match or an SPRT on standard error.
pub struct MatchProgress {
    progress: Progress,
    facts: MatchFacts,
    machine: Option<Machine>,
}

impl MatchProgress {
    /// `already`: games of a resumed run, played by another process; `machine`: that of the games, if
    /// it is this one.
    pub fn start(
        facts: &MatchFacts,
        already: u64,
        machine: Option<Machine>,
        quiet: bool,
    ) -> MatchProgress {
        let progress = Progress::start(facts.games_asked, already, quiet);
        MatchProgress { progress, facts: facts.clone(), machine }
    }

    /// Shows the games so far, if an update is due.
    pub fn show(&mut self, tally: &Tally) {
        let MatchProgress { progress, facts, machine } = self;
        progress.show(tally.games(), |pace| {
            let warning = machine.as_mut().and_then(Machine::warning);
            lines(facts, tally, pace, warning.as_deref())
        });
    }

    /// Prints a line that stays, above the progress line.
    pub fn note(&self, text: &str) {
        self.progress.note(text);
    }
}

/// The progress line, a line a player, and a warning.
fn lines(facts: &MatchFacts, tally: &Tally, pace: Pace, warning: Option<&str>) -> String {
    let mut text = line(facts, tally, pace);
    let rows = tally.rows(facts);
    let head = ["Games", "W", "D", "L"];
    text += &row("Player", head.map(str::to_owned), "Elo, 95 %", "Forfeits");
    for player in rows.iter().take(MAX_ROWS) {
        text += &player_line(player, tally.forfeits(&player.name));
    }
    if rows.len() > MAX_ROWS {
        text += &format!("\n  and {} more", rows.len() - MAX_ROWS);
    }
    if let Some(warning) = warning {
        text += "\n  ";
        text.extend(format!("warning: {warning}").chars().take(WIDTH - 2));
    }
    text
}

fn player_line(player: &PlayerRow, forfeits: &Forfeits) -> String {
    let PlayerRow { name, elo, games, wins, draws, losses, .. } = player;
    let counts = [*games, *wins, *draws, *losses].map(grouped);
    row(name, counts, &elo_text(*elo), &forfeits_text(forfeits))
}

fn row(name: &str, counts: [String; 4], elo: &str, forfeits: &str) -> String {
    let name: String = name.chars().take(NAME).collect();
    let [games, wins, draws, losses] = counts;
    let line = format!(
        "  {name:<NAME$} {games:>8} {wins:>7} {draws:>7} {losses:>7}  {elo:<22} {forfeits}"
    );
    let line: String = line.chars().take(WIDTH).collect();
    format!("\n{}", line.trim_end())
}

/// `2 time, 1 crash`, the most frequent first.
fn forfeits_text(forfeits: &Forfeits) -> String {
    let mut kinds: Vec<(&String, &u64)> = forfeits.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| {
            let kind = match kind.as_str() {
                "time_forfeit" => "time".to_owned(),
                "illegal_move" => "illegal".to_owned(),
                kind => kind.replace('_', " "),
            };
            format!("{} {kind}", grouped(*count))
        })
        .collect();
    kinds.join(", ")
}

fn elo_text(elo: Estimate) -> String {
    match (elo.value, elo.interval()) {
        (Some(value), Some([low, high])) if elo.is_skewed() => {
            format!("{} [{}, {}]", plus(value, 0), plus(low, 0), plus(high, 0))
        }
        (Some(value), _) => {
            let error = elo.error95.map_or_else(|| "?".to_owned(), |error| format!("{error:.1}"));
            format!("{} ± {error}", plus(value, 1))
        }
        (None, _) => "–".to_owned(),
    }
}

/// The progress line, also for a log.
fn line(facts: &MatchFacts, tally: &Tally, pace: Pace) -> String {
    let games = grouped(tally.games());
    let asked = facts.games_asked.map_or_else(String::new, |asked| format!("/{}", grouped(asked)));
    let wdl = tally.wdl();
    let pairs = tally.pairs();
    let elo: Estimate = Elo::from_counts(&pairs).ok().into();
    let elo = elo_text(elo);
    // The first engine of a race is its base, which may not play for long.
    let is_race = facts.command == "race";
    let mut text = match is_race {
        true => format!("{games} games, at most {}", asked.trim_start_matches('/')),
        false => format!("{games}{asked}  +{} ={} -{}  Elo {elo}", wdl.wins, wdl.draws, wdl.losses),
    };
    if let Some(sprt) = &facts.sprt {
        let [lower, upper] = sprt.bounds_of(&pairs);
        let llr = sprt.llr(&pairs).unwrap_or(0.0);
        text += &format!("  LLR {} [{lower:.2}, {upper:.2}]", signed(llr, 2));
    }
    let remaining = facts.sprt.and_then(|sprt| remaining(&sprt, facts.games_asked, tally));
    if let Some(games) = remaining {
        text += &format!("  ~{} left", rounded(games));
    }
    if let Some(rate) = pace.per_minute {
        text += &format!("  {rate:.0}/min");
    }
    if let Some(seconds) = pace.seconds_left.filter(|_| !is_race) {
        let expected = remaining.zip(pace.per_minute);
        let expected = expected.map(|(games, rate)| 60.0 * games / rate);
        let (sign, seconds) = match expected {
            Some(expected) if expected < seconds => ("~", expected),
            // A test mostly ends before its last game.
            _ if facts.sprt.is_some() => ("≤ ", seconds),
            _ => ("", seconds),
        };
        text += &format!("  ETA {sign}{}", clock(seconds));
    }
    text
}

/// Expected remaining games of a test: at the observed difference, or after few pairs half way
/// between the hypotheses, where it takes longest.
fn remaining(sprt: &Sprt, asked: Option<u64>, tally: &Tally) -> Option<f64> {
    let pairs = tally.pairs();
    let max = asked.map(|asked| asked.div_ceil(2));
    if pairs.pairs() >= MIN_PAIRS {
        return sprt.remaining_within(&pairs, max).map(|remaining| remaining.games);
    }
    let sigma = sigma_of_draws(0.5);
    let [elo0, elo1] = sprt.logistic_hypotheses(sigma);
    let games = sprt.expectation((elo0 + elo1) / 2.0, sigma).games;
    let games = asked.map_or(games, |asked| games.min(asked as f64));
    Some((games - pairs.games() as f64).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::EngineFacts;
    use harness_outcome::Outcome;
    use harness_stats::{GameScore, Model};

    fn facts(names: &[&str], sprt: Option<Sprt>) -> MatchFacts {
        let engine = |name: &&str| EngineFacts {
            name: (*name).to_owned(),
            what: "builtin".to_owned(),
            options: Default::default(),
            defaults: Default::default(),
        };
        MatchFacts {
            command: "match".to_owned(),
            engines: names.iter().map(engine).collect(),
            limit: "nodes=100".to_owned(),
            games_asked: Some(20_000),
            openings: None,
            jobs: 1,
            seed: None,
            sprt,
            command_line: None,
        }
    }

    fn add(tally: &mut Tally, pair: u64, players: [&str; 2], score: GameScore, ended: &str) {
        let [first, second] = players.map(str::to_owned);
        tally.add(&Outcome { pair, first, second, score, termination: ended.to_owned() });
    }

    const PACE: Pace = Pace { per_minute: Some(82.4), seconds_left: Some(725.0) };

    #[test]
    fn the_line_of_a_test_says_where_it_stands() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).ok();
        let facts = facts(&["a", "b"], sprt);
        let mut tally = Tally::new("a");
        for (pair, score) in [(0, GameScore::Win), (0, GameScore::Draw), (1, GameScore::Loss)] {
            add(&mut tally, pair, ["a", "b"], score, "checkmate");
        }
        let text = line(&facts, &tally, PACE);
        assert!(text.starts_with("3/20,000  +1 =1 -1  Elo +190 ["), "{text}");
        // The rest of the games asked for is less than what such a test takes.
        assert!(text.contains(" left  82/min  ETA ≤ 12:05"), "{text}");
        assert!(text.chars().count() <= 100, "{text}");
        let scores = [GameScore::Loss, GameScore::Draw, GameScore::Win];
        for pair in 2..1_000 {
            for score in [GameScore::Draw, scores[(pair % 7 % 3) as usize]] {
                add(&mut tally, pair, ["a", "b"], score, "checkmate");
            }
        }
        let text = line(&facts, &tally, Pace { per_minute: Some(82.4), seconds_left: Some(1e6) });
        assert!(text.contains(" left  82/min  ETA ~"), "{text}");
        assert!(text.chars().count() <= 100, "{text}");
    }

    #[test]
    fn a_table_says_who_forfeited_what_and_fits_a_terminal() {
        let names = ["a player with a name that does not end", "b", "c"];
        let facts = facts(&names, None);
        let mut tally = Tally::new(names[0]);
        for pair in 0..60u64 {
            let players = [names[(pair % 3) as usize], names[((pair + 1) % 3) as usize]];
            let lost = [GameScore::Loss, GameScore::Draw, GameScore::Win][(pair % 3) as usize];
            add(&mut tally, pair, players, GameScore::Draw, "threefold_repetition");
            let ended = if pair % 3 == 0 { "time_forfeit" } else { "checkmate" };
            add(&mut tally, pair, players, lost, ended);
        }
        add(&mut tally, 99, ["b", "c"], GameScore::Win, "no_move");
        let text = lines(&facts, &tally, PACE, Some(&"busy ".repeat(40)));
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 6, "{text}");
        assert!(rows[1].contains("Player") && rows[1].contains("Forfeits"), "{text}");
        assert!(rows[5].starts_with("  warning: busy"), "{text}");
        let of = |name: &str| rows.iter().find(|row| row.starts_with(name)).expect("a row");
        assert!(of("  a player with").ends_with("20 time"), "{text}");
        assert!(of("  c ").ends_with("1 no move"), "{text}");
        assert!(of("  b ").trim_end().ends_with(|last: char| last.is_ascii_digit()), "{text}");
        assert!(rows.iter().all(|row| row.chars().count() <= 100), "{text}");
        let many: Vec<String> = (0..20).map(|number| format!("p{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let text = lines(&self::facts(&many, None), &Tally::new("p0"), PACE, None);
        assert!(text.ends_with("and 8 more"), "{text}");
    }
}
