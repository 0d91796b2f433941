//! `harness stats`: Elo, LOS and LLR from counts, ratings from games.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use clap::{ArgGroup, Args};
use miette::miette;
use serde::Serialize;

use super::rule::RuleArgs;
use crate::commands::choice::choice;
use crate::context::Context;
use crate::data::head_to_head::HeadToHead;
use crate::data::ratings::{self, Rated};
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::Ledger;
use crate::report::text::sprt_text;
use crate::report::{ReplayLine, ReplayTotals, replay_text, standings_text, summary_text};
use crate::runs::games::cores;
use crate::runs::replay::{ReplayOutcome, ReplayedRun, Stream};
use crate::stats::{Model, Pentanomial, Rule, Shape, Sprt, SprtError, Summary, Wdl};
use crate::text::grouped;

/// Elo, normalized Elo, LOS and LLR from counts, ratings from a PGN: a calculator.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness stats --pentanomial 10,60,120,75,15
  harness stats --pentanomial 10,60,120,75,15 --elo0 0 --elo1 5
  harness stats --pentanomial 10,60,120,75,15 --elo0 0 --elo1 50 --bounds falling
  harness stats --wdl 851,1522,739 --elo0=-5 --elo1 0 --model logistic --json
  harness stats --pgn games.pgn --min-games 20
  harness stats --replay last 20261121-150112-sprt --bounds falling
  harness stats --replay match.pgn --elo0 0 --elo1 10 --bounds falling --stop-futile
  harness stats --replay RUN RUN2 --consecutive --elo0 0 --elo1 10 --bounds falling

Counts of pairs say more than wins, draws and losses: the two games of a pair share an
opening and are not independent. With --wdl every game counts as independent.

Below 200 pairs (or games, with --wdl) the interval is that of a Dirichlet posterior of the score,
which holds the truth in 93 of 100 matches or more from two pairs on; from 200 on it is the normal one
of fishtest. nElo is regularised in the same way; the plain value, which other runners print, stands
beside it (`nelo.plain`). LOS comes from the same distribution. `Visible` is the difference that as many games
show in four of five matches. `harness docs statistics` has the formulas and how often intervals
hold the truth.

With --elo0 and --elo1 the counts are those of an SPRT. Such a test has a stopping bias: the usual
Elo says too much when it has stopped. The sequential estimate is median-unbiased, and its interval
holds the truth in 95 of 100 tests (M. Van den Bergh, \"A practical introduction to the GSPRT\"; D.
Siegmund, \"Sequential Analysis\", 1985, for the overshoot of the last step). The games that are left
are those of Wald's identity at the Elo seen.

With --pgn all players of a file are rated at once, by the model of Bradley and Terry on the Elo
scale, a draw being half a win and half a loss; errors are those of the Fisher information, less
what draws take off the spread. 0 is the average of all who have a rating. Players who only won
or only lost have none. Where colours separate the results (White won every game) the worth of the
white pieces has no end, and a weak prior takes its place. Of two players the numbers are those of a
match, from the pairs of games that share an opening (FEN, Round, first moves) with colours swapped. Games without
moves count; games without a result do not.

With --replay the pairs of finished runs, or of PGN files of two players, are taken in their order by two
rules: the one that a run was played by (Wald's bounds with --elo0 and --elo1, of a match or a file), and
the one of the flags. It prints the games that each takes and its verdict, and the ratio of the games
with its error. Where the pairs run out before a rule decides, `+` says so: matches of many games are
better streams than tests, which end where the old rule ended them. --consecutive makes many tests of
them: all pairs are one stream, in which a test begins where the longer of the two ended the one before.

The exit status is 0 whatever the counts say; the verdict is in the output.")]
#[command(group = ArgGroup::new("counts").required(true).args(["pentanomial", "wdl", "pgn", "replay"]))]
pub struct StatsArgs {
    /// Pairs by pair score 0, 1/2, 1, 3/2, 2 of the first player.
    #[arg(long, value_name = "LL,LD,DD,DW,WW")]
    pentanomial: Option<Pentanomial>,
    /// Games won, drawn and lost by the first player.
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<Wdl>,
    /// Rate the players of these games; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["elo0", "elo1"])]
    pgn: Option<PathBuf>,
    /// Take the pairs of runs (ids, or beginnings of them) or of PGN files under another rule.
    #[arg(long, value_name = "RUN|PGN", num_args = 1..)]
    replay: Vec<String>,
    /// With --replay: take all pairs as one stream, cut into as many tests as it has.
    #[arg(long, conflicts_with_all = ["pentanomial", "wdl", "pgn"])]
    consecutive: bool,
    /// With --pgn: leave out who played fewer games.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["pentanomial", "wdl", "replay"])]
    min_games: u64,
    /// Elo of the null hypothesis; with --elo1 the LLR is computed.
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Elo of the alternative.
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// What kind of Elo --elo0 and --elo1 are.
    #[arg(long, value_parser = choice::<Model>(), default_value_t, requires = "elo0")]
    model: Model,
    /// Chance to accept when the truth is --elo0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "elo0")]
    alpha: f64,
    /// Chance to reject when the truth is --elo1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "elo0")]
    beta: f64,
    #[command(flatten)]
    rule: RuleArgs,
    /// With --stop-futile: most games of the test [default: 40,000, or where its bounds meet].
    #[arg(long, value_name = "N", requires = "elo0", value_parser = clap::value_parser!(u64).range(1..))]
    max_games: Option<u64>,
}

/// The JSON object of `harness stats --json`.
#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    wdl: Option<Wdl>,
    #[serde(flatten)]
    summary: Summary,
    sprt: Option<Sprt>,
}

/// Runs the command.
///
/// # Errors
/// When the test makes no sense, or there are no games to rate.
pub fn run(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    args.check_rule()?;
    if let Some(path) = &args.pgn {
        let (rated, flaws) = ratings::rate(path, args.min_games, cores()).or_usage()?;
        return context.show(&rated, || ratings_text(&rated) + &flaws.to_string());
    }
    if !args.replay.is_empty() {
        return replay(args, context);
    }
    let sprt = args.hypotheses().or_usage()?;
    let ruled = |sprt: Sprt| args.rule.apply(&sprt, None, args.max_games).map(|ruled| ruled.sprt);
    let sprt = sprt.map(ruled).transpose().or_usage()?;
    let summary = match (&args.pentanomial, &args.wdl) {
        (Some(pairs), _) => Summary::of_pairs(pairs, sprt.as_ref()),
        (None, wdl) => Summary::of_games(&wdl.unwrap_or_default(), sprt.as_ref()),
    };
    let given = args.pentanomial.as_ref().map(Pentanomial::games);
    let given = given.or(args.wdl.as_ref().map(Wdl::games)).unwrap_or_default();
    if let Some(most) = args.max_games.filter(|most| most.div_ceil(2) < given.div_ceil(2)) {
        return Err(Failure::Usage(miette!(
            help = "the test would have ended before: give the counts at its end, or more games",
            "{} games are counted, and --max-games is {}",
            grouped(given),
            grouped(most)
        )));
    }
    let output = Output { wdl: args.wdl, summary, sprt };
    let Output { wdl, summary, sprt } = &output;
    context.show(&output, || summary_text(wdl.as_ref(), summary, sprt.as_ref()))
}

impl StatsArgs {
    /// The test of `--elo0` and `--elo1`, with the bounds of Wald.
    fn hypotheses(&self) -> Result<Option<Sprt>, SprtError> {
        let test = |(elo0, elo1)| Sprt::new(self.model, elo0, elo1, self.alpha, self.beta);
        self.elo0.zip(self.elo1).map(test).transpose()
    }

    /// The rule that a stream was played by, and the one to compare it with.
    fn rules(&self, stream: &Stream) -> Result<(Rule, Rule), Failure> {
        let pairs = |games: u64| games.div_ceil(2);
        let given = self.hypotheses().or_usage()?;
        let given = given.map(|sprt| Rule { sprt, max: self.max_games.map(pairs) });
        let old = given.or(stream.rule).ok_or_else(|| {
            Failure::Usage(miette!(
                help = "name the hypotheses, as in --elo0 0 --elo1 10",
                "{} was not played for a test",
                stream.name
            ))
        })?;
        let max_games = old.max.map(|max| max.saturating_mul(2));
        let ruled = self.rule.apply(&old.sprt, None, max_games).or_usage()?;
        // Bounds that stand still end a stream where its pairs end, unless the games are given.
        let is_bounded = max_games.is_some() || ruled.sprt.rule.is_some();
        let new = Rule { sprt: ruled.sprt, max: is_bounded.then(|| pairs(ruled.max_games)) };
        Ok((old, new))
    }

    /// Flags of a test without a test.
    fn check_rule(&self) -> Result<(), Failure> {
        let is_ruled = self.rule.bounds != Shape::default() || self.rule.stop_futile.is_some();
        match is_ruled && self.elo0.is_none() && self.replay.is_empty() {
            true => Err(Failure::Usage(miette!(
                help = "name its hypotheses, as in --elo0 0 --elo1 10",
                "--bounds and --stop-futile are the rule of a test, and there is none"
            ))),
            false => Ok(()),
        }
    }
}

/// Takes streams of pairs by two rules.
fn replay(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    let stream = |name: &String| match Path::new(name) {
        path if path.is_file() => Stream::of_file(path).or_usage(),
        // Ids of runs have neither.
        path if path.extension().is_some() || name.contains(MAIN_SEPARATOR) => {
            let help = "--replay wants PGN files, or ids of runs (`harness runs` lists them)";
            Err(Failure::Usage(miette::miette!(help = help, "there is no file {name}")))
        }
        _ => {
            let ledger = Ledger::open_to_read(&context.reports)?;
            Stream::of_run(&ledger, &ledger.facts(name)?).or_usage()
        }
    };
    let both = |name: &String| {
        let stream = stream(name)?;
        let (old, new) = args.rules(&stream)?;
        Ok((stream, old, new))
    };
    let streams = args.replay.iter().map(both).collect::<Result<Vec<_>, Failure>>()?;
    let outcome = match args.consecutive {
        true => ReplayOutcome::consecutive(&streams).or_usage()?,
        false => ReplayOutcome::new(&streams),
    };
    // Clap requires one.
    let Some(outcome) = outcome else { return Ok(Exit::Good) };
    context.show(&outcome, || {
        fn line(test: &ReplayedRun) -> ReplayLine<'_> {
            let ReplayedRun { name, old, new, .. } = test;
            ReplayLine { name, old, new }
        }
        let ReplayOutcome { complete, agree, games, ratio, ratio_with_expected, .. } = outcome;
        // Of hundreds of tests the object has each.
        let shown = if args.consecutive { &[] } else { &outcome.tests[..] };
        let lines: Vec<ReplayLine<'_>> = shown.iter().map(line).collect();
        let (tests, by_rule) = (outcome.tests.len() as u64, outcome.totals);
        let totals =
            ReplayTotals { tests, by_rule, complete, agree, games, ratio, ratio_with_expected };
        let rules = [&outcome.old, &outcome.new].map(sprt_text);
        format!("Old: {}\nNew: {}\n\n{}", rules[0], rules[1], replay_text(&lines, &totals))
    })
}

fn ratings_text(rated: &Rated) -> String {
    let mut text = match &rated.head_to_head {
        Some(duel) => head_to_head_text(duel),
        None => standings_text(&rated.players) + &rated_games_text(rated),
    };
    if rated.without_moves > 0 {
        let games = grouped(rated.without_moves);
        text += &format!("Of these, {games} have no moves: their results count.\n");
    }
    text += &left_out_text(rated);
    if rated.white.value.is_some() {
        text += &format!("The white pieces are worth {:.1} Elo (95%).\n", rated.white);
    }
    if let Some(reason) = &rated.white_undefined {
        text += &format!("White pieces: {reason}.\n");
        if rated.head_to_head.is_none() {
            text += PRIOR_NOTE;
        }
    }
    text
}

/// How ratings are found where the advantage of the white pieces is not.
const PRIOR_NOTE: &str = "\
The ratings count three games more won and three lost by White against an equal, as if the white
pieces were worth 0 +- 280 Elo; their intervals allow for it.
";

fn rated_games_text(rated: &Rated) -> String {
    match rated.games {
        1 => "\n1 game\n".to_owned(),
        games => format!("\n{games} games, each taken as independent of the others\n"),
    }
}

fn left_out_text(rated: &Rated) -> String {
    let Rated { unfinished, unnamed, of_one_player, .. } = *rated;
    let reasons = [
        (unfinished - unnamed, "without a result (`*`)"),
        (unnamed, "without names"),
        (of_one_player, "of a player with itself"),
    ];
    let reasons: Vec<String> = reasons
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, reason)| format!("{} {reason}", grouped(count)))
        .collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!("Left out: {}\n", reasons.join(", ")),
    }
}

fn head_to_head_text(duel: &HeadToHead) -> String {
    let HeadToHead { first, second, wdl, unpaired, summary, .. } = duel;
    let mut text = format!("{first} against {second}, seen from {first}:\n");
    text += &summary_text(Some(wdl), summary, None);
    text += match (&summary.pentanomial, unpaired) {
        (None, _) => {
            "Too few games are pairs (one opening, colours swapped): each counts as independent.\n"
        }
        (Some(_), 0) => {
            "Pairs are two games of one opening (FEN, round, first moves) with colours swapped.\n"
        }
        (Some(_), _) => "",
    };
    if *unpaired > 0 {
        text += &format!(
            "{unpaired} of {} games have no partner with the same opening (FEN, round, first moves) and \
             colours swapped:\nthey count in the results, not in Elo, nElo and LOS.\n",
            wdl.games()
        );
    }
    text
}
