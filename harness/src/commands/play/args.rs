//! The flags that `match` and `sprt` share.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::engines::StartingArgs;
use super::output::ShowingArgs;
use crate::arena::{
    CommentPart, Conduct, OpeningsSpec, Order, Rules, Shard, Strictness, Variant, check_pattern,
};
use crate::commands::adjudication::AdjudicationArgs;
use crate::commands::choice::choice;
use crate::config::{Config, Definition};
use crate::context::Context;
use crate::data::filter::Keep;
use crate::failure::{Failure, OrFail};
use crate::files::is_same_file;
use crate::input;
use crate::player::{
    self, Addresses, EngineSpec, Limit, OptionArg, ParseLimitError, TimeControl, parse_movetime,
};
use crate::runs::games::{Request, Starting};

/// The default limit.
const DEFAULT_LIMIT: &str = "tc=8+0.08";

/// A regular expression, as text.
fn line_pattern(text: &str) -> Result<String, String> {
    check_pattern(text).map(|()| text.to_owned())
}

/// The flags that `match` and `sprt` share.
#[derive(Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    openings: OpeningsArgs,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
    #[command(flatten)]
    starting: StartingArgs,
    #[command(flatten)]
    showing: ShowingArgs,
    /// Games played at the same time [default: one a core, less if engines use several].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Play one of several equal parts of the pairs, such as 3/8; `harness pool` joins them.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// A UCI option for all engines, or for one: by its name, as results show it (`fish#2` is the
    /// second engine named `fish`), or as it is written on the command line.
    #[arg(long = "option", value_name = "[ENGINE.]NAME=VALUE", help_heading = "Engines")]
    options: Vec<OptionArg>,
    /// An engine of this run alone, as under `engines:` in harness.yaml: its name, then `{cmd,
    /// args, dir, proto, init, options}`, as in 'new={cmd: ./fish, args: [-x]}'.
    #[arg(long, value_name = "NAME={cmd: PROGRAM, ...}", help_heading = "Engines")]
    define: Vec<Definition>,
    /// Let engines that can think in their opponent's time; games then take two cores.
    #[arg(long, help_heading = "Limits")]
    ponder: bool,
    /// Pause between two games: 500ms, 2s.
    #[arg(long, value_name = "TIME", value_parser = parse_movetime)]
    wait: Option<Duration>,
    /// What else the comments of moves in the PGN have, beside score, depth, time and nodes.
    #[arg(
        long,
        value_name = "WHAT,...",
        value_parser = choice::<CommentPart>(),
        value_delimiter = ',',
        help_heading = "Output"
    )]
    pgn_comments: Vec<CommentPart>,
    /// The last line of each search that matches a regular expression, in the comment of the move in the
    /// PGN: line="info string ..."; may be given several times.
    #[arg(long, value_name = "REGEX", value_parser = line_pattern, help_heading = "Output")]
    pgn_lines: Vec<String>,
    /// The name of the event in the PGN.
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Write training data of the games, positions.csv in the run's folder: whose scores [default:
    /// winner]; `harness data view RUN` chooses more finely, of any run.
    #[arg(long, value_name = "WHOSE", value_parser = choice::<Keep>(), num_args = 0..=1, require_equals = true, default_missing_value = "winner", help_heading = "Output")]
    collect: Option<Keep>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// A game clock, [MOVES/]BASE[+INCREMENT] in seconds [default: 8+0.08]; 60hg is an hourglass.
    #[arg(long, value_name = "CLOCK", group = "limit")]
    tc: Option<TimeControl>,
    /// A fixed time a move: 100ms, 1s.
    #[arg(long, value_name = "TIME", value_parser = parse_movetime, group = "limit")]
    movetime: Option<Duration>,
    /// Nodes a move; games do not depend on the machine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "limit")]
    nodes: Option<u64>,
    /// Depth a move, in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..), group = "limit")]
    depth: Option<u8>,
    /// A limit of its own for one engine, named as in --option: `stockfish:nodes=5000`,
    /// `old:tc=10+0.1`; several end a search together: `old:tc=10+0.1,nodes=5000`.
    #[arg(long = "limit", value_name = "ENGINE:LIMIT")]
    own: Vec<OwnLimit>,
    /// Allowed overrun of the clock in milliseconds [default: 0; 100 with --movetime].
    #[arg(long, value_name = "MS")]
    time_margin: Option<u64>,
    /// With --nodes or --depth, a move that takes longer than this is a hang, and lost.
    #[arg(long, value_name = "TIME", value_parser = parse_movetime, default_value = "60s")]
    watchdog: Duration,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Openings")]
struct OpeningsArgs {
    /// A book of EPD or FEN lines, PGN games or Polyglot (*.bin) [default: 4,000 of our
    /// own].
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// In which order.
    #[arg(long, value_parser = choice::<Order>(), default_value = "random")]
    order: Order,
    /// Begin with this opening of that order.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    opening_start: u64,
    /// Play this many openings from there; after the last comes the first again [default: the whole
    /// book].
    #[arg(long, value_name = "N")]
    opening_count: Option<NonZeroU64>,
    /// Plies to play of a PGN game [default: all] or of a Polyglot book [default: 8].
    #[arg(long, value_name = "N", requires = "openings")]
    opening_plies: Option<u32>,
    /// Seed of the order; another seed plays other openings.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Chess960: castling as king takes rook; the 960 start positions unless --openings.
    #[arg(long)]
    chess960: bool,
    /// A variant, for engines that offer it in `UCI_Variant`; openings are random moves unless
    /// --openings.
    #[arg(long, value_parser = choice::<Variant>(), conflicts_with_all = ["chess960", "tb"])]
    variant: Option<Variant>,
}

/// `ENGINE:LIMIT`.
#[derive(Clone, Debug)]
struct OwnLimit {
    engine: String,
    limit: Limit,
}

/// A text that is no limit of an engine.
#[derive(Debug, Error)]
enum ParseOwnLimitError {
    #[error(
        "write ENGINE:LIMIT, such as stockfish:nodes=5000 or old:tc=10+0.1; a limit of all engines is \
         --tc, --movetime, --nodes or --depth"
    )]
    NoEngine,
    #[error(transparent)]
    Limit(#[from] ParseLimitError),
}

impl FromStr for OwnLimit {
    type Err = ParseOwnLimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An engine's name may hold a colon, and so may a clock: the limit begins with its kind.
        let kinds = [":tc=", ":movetime=", ":nodes=", ":depth="];
        let at = kinds.iter().find_map(|kind| text.rfind(kind)).filter(|&at| at > 0);
        let at = at.ok_or(ParseOwnLimitError::NoEngine)?;
        let limit = text[at + 1..].parse()?;
        Ok(OwnLimit { engine: text[..at].to_owned(), limit })
    }
}

/// A limit of its own that fits no engine, or one that has such a limit already.
#[derive(Debug, Error, Diagnostic)]
enum WrongOwnLimit {
    #[error("--limit {engine}:... names no engine of this run")]
    #[diagnostic(help("the engines are {known}"))]
    UnknownEngine { engine: String, known: String },
    #[error("--limit gives {engine} a second limit")]
    #[diagnostic(help("an engine has one: leave the other out"))]
    Second { engine: String },
}

/// A definition of an engine that counts for nothing.
#[derive(Debug, Error, Diagnostic)]
enum LostDefinition {
    #[error("`--define {name}=...` is for none of the engines that play: `{engines}`")]
    #[diagnostic(help("name the engine as it is defined, or leave the definition out"))]
    Unused { name: String, engines: String },
    #[error("`--define {name}=...` is given twice")]
    #[diagnostic(help("give each engine a name of its own, or leave one out"))]
    Second { name: String },
}

/// A file of live games that is the book, too.
#[derive(Debug, Error, Diagnostic)]
#[error("--live-pgn {} is the book of --openings, and would replace it", .0.display())]
#[diagnostic(help("nothing was written: name another file"))]
struct LiveBook(PathBuf);

impl PlayArgs {
    /// The games that the flags describe, with their engines found and built. `texts` are the engines
    /// as the user wrote them, `roles` further names for them.
    ///
    /// # Errors
    /// When an engine is missing, or a flag names none of them.
    pub fn request(
        &self,
        texts: &[String],
        roles: &[&str],
        config: &Config,
        context: &Context,
    ) -> Result<Request, Failure> {
        self.refuse_lost_definitions(texts).or_usage()?;
        self.refuse_live_book().or_usage()?;
        let config = &config.with(&self.define);
        let engines = player::resolve_all(texts, roles, &self.options, config, context)?;
        Ok(Request {
            limits: self.limits(&engines, texts, roles).or_usage()?,
            openings: self.openings(),
            conduct: self.conduct(),
            jobs: self.jobs.map(usize::from),
            shard: self.shard,
            event: self.event.clone(),
            starting: self.starting.into(),
            showing: self.showing.showing()?,
            collect: self.collect,
            ..Request::new(engines, self.limits.common())
        })
    }

    /// Refuses a definition that no engine of the command line has the name of (most likely one of them is
    /// misspelt, and another engine would play), and a second one of a name.
    fn refuse_lost_definitions(&self, texts: &[String]) -> Result<(), LostDefinition> {
        for (at, Definition { name, .. }) in self.define.iter().enumerate() {
            let name = name.clone();
            if !texts.contains(&name) {
                return Err(LostDefinition::Unused { name, engines: texts.join("`, `") });
            }
            if self.define[..at].iter().any(|before| before.name == name) {
                return Err(LostDefinition::Second { name });
            }
        }
        Ok(())
    }

    /// Refuses to write live games to the book, which they would replace.
    fn refuse_live_book(&self) -> Result<(), LiveBook> {
        let files = self.openings.openings.as_ref().zip(self.showing.live_pgn());
        match files.filter(|(book, live)| is_same_file(book, live)) {
            Some((_, live)) => Err(LiveBook(live.to_owned())),
            None => Ok(()),
        }
    }

    /// The limit of each engine.
    fn limits(
        &self,
        engines: &[EngineSpec],
        texts: &[String],
        roles: &[&str],
    ) -> Result<Vec<Limit>, WrongOwnLimit> {
        let mut own = vec![None; engines.len()];
        let addresses = Addresses::new(engines, texts, roles);
        for OwnLimit { engine, limit } in &self.limits.own {
            let engine = engine.clone();
            let Some(index) = addresses.find(&engine) else {
                return Err(WrongOwnLimit::UnknownEngine { engine, known: addresses.list() });
            };
            if own[index].replace(*limit).is_some_and(|other| other != *limit) {
                return Err(WrongOwnLimit::Second { engine });
            }
        }
        Ok(own.into_iter().map(|limit| limit.unwrap_or(self.limits.common())).collect())
    }

    /// How games are played.
    fn conduct(&self) -> Conduct {
        Conduct {
            rules: self.openings.rules(),
            adjudication: self.adjudication.rules(),
            strictness: Strictness {
                margin: self.limits.time_margin.map(Duration::from_millis),
                watchdog: self.limits.watchdog,
            },
            restart: Starting::from(self.starting).restart,
            ponder: self.ponder,
            wait: self.wait,
            comments: self.pgn_comments.clone(),
            lines: self.pgn_lines.clone(),
            checks: None,
        }
    }

    /// Warns of flags that change nothing beside the others; not where they are those of another tool, translated.
    pub fn warn_of_unused(&self, context: &Context) {
        let args = &self.openings;
        // Random moves of a variant depend on the seed in any order.
        let is_sequential = args.order == Order::Sequential && args.variant.is_none();
        if args.seed != 1 && is_sequential {
            context.warn("--seed changes nothing with --order sequential");
        }
        let is_line = |path: &&PathBuf| !matches!(&*input::ending(path), "pgn" | "bin");
        if let Some(book) = args.openings.as_ref().filter(is_line)
            && args.opening_plies.is_some()
        {
            let book = book.display();
            context.warn(&format!("--opening-plies changes nothing: {book} holds positions"));
        }
    }

    /// Where games start.
    fn openings(&self) -> OpeningsSpec {
        let args = &self.openings;
        OpeningsSpec {
            // A run may be resumed from another folder.
            file: args
                .openings
                .as_ref()
                .map(|path| std::path::absolute(path).unwrap_or(path.clone())),
            sha256: None,
            order: args.order,
            skip: args.opening_start - 1,
            count: args.opening_count,
            plies: args.opening_plies,
            seed: args.seed,
            rules: args.rules(),
        }
    }
}

impl OpeningsArgs {
    /// The variant.
    fn rules(&self) -> Rules {
        Rules::new(self.chess960, self.variant)
    }
}

impl LimitArgs {
    fn common(&self) -> Limit {
        let Self { tc, movetime, nodes, depth, .. } = *self;
        tc.map(Limit::Clock)
            .or(movetime.map(Limit::MoveTime))
            .or(nodes.map(Limit::Nodes))
            .or(depth.map(Limit::Depth))
            .unwrap_or_else(|| DEFAULT_LIMIT.parse().expect("a test reads the default limit"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::player::Program;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        play: PlayArgs,
    }

    fn parse(line: &str) -> Result<PlayArgs, clap::Error> {
        let words = std::iter::once("harness").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.play)
    }

    fn engines() -> Vec<EngineSpec> {
        ["a", "b:1"]
            .map(|name| EngineSpec {
                name: name.to_owned(),
                program: Program::Builtin,
                options: Default::default(),
            })
            .into()
    }

    #[test]
    fn a_limit_is_for_all_engines_or_for_one_by_name_or_role() {
        let texts = ["./a".to_owned(), "./b".to_owned()];
        let limits = |line: &str| parse(line).unwrap().limits(&engines(), &texts, &["new", "old"]);
        let default: Limit = DEFAULT_LIMIT.parse().unwrap();
        assert_eq!(limits("").unwrap(), [default; 2]);
        assert_eq!(limits("--nodes 5").unwrap(), [Limit::Nodes(5); 2]);
        for line in ["--limit b:1:nodes=7", "--limit old:nodes=7", "--limit ./b:nodes=7"] {
            assert_eq!(limits(line).unwrap(), [default, Limit::Nodes(7)], "{line}");
        }
        let clock = limits("--limit new:tc=1:30+1").unwrap()[0].to_string();
        assert_eq!(clock, "tc=90+1");
        assert!(limits("--limit c:nodes=7").is_err());
        assert!(limits("--limit old:nodes=7 --limit ./b:depth=7").is_err());
        assert!(limits("--limit new:nodes=5 --limit old:nodes=5").is_ok());
    }

    #[test]
    fn incomplete_or_contradicting_flags_are_refused() {
        for line in [
            "--nodes 5 --depth 3",
            "--limit nodes=5",
            "--limit a:nodes=x",
            "--nodes 0",
            "--opening-plies 8",
            "--jobs 0",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn clocks_are_as_strict_as_the_flags_say() {
        let conduct = parse("--time-margin 20 --watchdog 5s --max-moves 200").unwrap().conduct();
        assert_eq!(conduct.adjudication.max_moves, Some(200));
        assert_eq!(conduct.strictness.margin, Some(Duration::from_millis(20)));
        assert_eq!(conduct.strictness.watchdog, Duration::from_secs(5));
    }
}
