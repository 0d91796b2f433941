//! `harness fastchess`: the command lines of fastchess and cutechess-cli.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Parser};
use miette::Diagnostic;
use thiserror::Error;

use super::{match_, sprt};
use crate::cli::{Cli, Command};
use crate::config::{Config, EngineEntry};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::player::nearest;
use crate::report::shell_words;

/// Takes a command line of fastchess or cutechess-cli.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Example:
  harness fastchess -engine cmd=./new name=new -engine cmd=./old name=old \\
      -each tc=8+0.08 option.Hash=16 -rounds 500 -repeat -concurrency 4 \\
      -openings file=book.epd format=epd order=random -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 \\
      -pgnout file=games.pgn

It prints what it makes of it: the same run in our own words. docs/from-fastchess.md maps every
flag."
)]
pub struct FastchessArgs {
    /// The other tool's arguments, as they are.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    arguments: Vec<String>,
}

/// A command line that cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
pub enum TranslationError {
    /// An argument that is not known.
    #[error("`{argument}` is not understood{where_}")]
    #[diagnostic(help("{hint}"))]
    Unknown {
        /// The argument.
        argument: String,
        /// ` after -engine`.
        where_: String,
        /// What may be meant, or what else to do.
        hint: String,
    },
    /// Something that is known and not done.
    #[error("`{argument}` is not supported: {reason}")]
    Unsupported {
        /// The argument.
        argument: String,
        /// Why.
        reason: &'static str,
    },
    /// An argument without what must follow it.
    #[error("`{argument}` wants {wants}")]
    Incomplete {
        /// The argument.
        argument: String,
        /// What must follow.
        wants: &'static str,
    },
    /// Nobody to play.
    #[error("two engines are needed, {0} given")]
    #[diagnostic(help("-engine cmd=./new name=new -engine cmd=./old name=old"))]
    TooFewEngines(usize),
}

/// The same run in our own words.
#[derive(Debug, Default, PartialEq)]
pub struct Translation {
    /// `match` or `sprt`, and its flags.
    words: Vec<String>,
    /// The engines by name, in order.
    engines: Vec<(String, EngineEntry)>,
    /// Where the games are to go.
    pgn: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When an argument is not understood, and as `match` and `sprt`.
pub fn run(args: &FastchessArgs, context: &Context) -> Result<Exit, Failure> {
    let Translation { words, engines, pgn } = translate(&args.arguments).or_usage()?;
    context.say(&format!("harness {}", shell_words(&words)));
    let mut config = Config::find().or_usage()?;
    config.engines.extend(engines);
    let command_line = std::iter::once("harness".to_owned()).chain(words);
    let cli = Cli::try_parse_from(command_line).map_err(|error| {
        Failure::Usage(miette::miette!(
            help = "docs/from-fastchess.md maps every flag",
            "{}",
            error.to_string().trim_end()
        ))
    })?;
    let (finished, exit) = match cli.command {
        Command::Match(args) => match_::play_with(&args, &config, context)?,
        Command::Sprt(args) => sprt::play_with(&args, &config, context)?,
        _ => unreachable!("the translation is a match or an SPRT"),
    };
    if let Some(path) = pgn {
        let games = context.reports.join("runs").join(&finished.summary.run).join("games.pgn");
        append(&games, &path).map_err(|error| {
            Failure::Failed(miette::miette!(
                help = "the games are in the run's folder, and `harness report last --format pgn` \
                        prints them",
                "cannot write {}: {error}",
                path.display()
            ))
        })?;
    }
    super::play::print(&finished, context)?;
    Ok(exit)
}

/// The other tools add to the file that is there.
fn append(games: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    let mut output = std::fs::OpenOptions::new().create(true).append(true).open(to)?;
    std::io::copy(&mut std::fs::File::open(games)?, &mut output).map(drop)
}

const FLAGS: [&str; 32] = [
    "-engine",
    "-each",
    "-rounds",
    "-games",
    "-repeat",
    "-concurrency",
    "-openings",
    "-pgnout",
    "-sprt",
    "-resign",
    "-draw",
    "-maxmoves",
    "-recover",
    "-ratinginterval",
    "-tournament",
    "-variant",
    "-event",
    "-site",
    "-srand",
    "-seed",
    "-use-affinity",
    "-force-concurrency",
    "-wait",
    "-noswap",
    "-reverse",
    "-tb",
    "-log",
    "-output",
    "-autosaveinterval",
    "-config",
    "-epdout",
    "-report",
];

/// One flag with the words that follow it.
struct Flag<'a> {
    name: &'a str,
    values: &'a [String],
}

impl Flag<'_> {
    /// `key=value` words.
    fn pairs(&self) -> Result<BTreeMap<&str, &str>, TranslationError> {
        self.values
            .iter()
            .map(|word| word.split_once('=').ok_or_else(|| self.unknown(word)))
            .collect()
    }

    fn value(&self) -> Result<&str, TranslationError> {
        self.values.first().map(String::as_str).ok_or_else(|| TranslationError::Incomplete {
            argument: self.name.to_owned(),
            wants: "a value",
        })
    }

    fn number(&self) -> Result<u64, TranslationError> {
        let value = self.value()?;
        value.parse().map_err(|_| self.unknown(value))
    }

    fn unknown(&self, word: &str) -> TranslationError {
        TranslationError::Unknown {
            argument: word.to_owned(),
            where_: format!(" after {}", self.name),
            hint: "docs/from-fastchess.md maps every flag".to_owned(),
        }
    }

    fn unsupported(&self, reason: &'static str) -> TranslationError {
        TranslationError::Unsupported { argument: self.name.to_owned(), reason }
    }
}

/// Splits at the flags: words that begin with `-` and are no numbers.
fn split(arguments: &[String]) -> Result<Vec<Flag<'_>>, TranslationError> {
    let is_flag =
        |word: &String| word.starts_with('-') && word.len() > 1 && word.parse::<f64>().is_err();
    let mut flags = Vec::new();
    let mut rest = arguments;
    while let [name, after @ ..] = rest {
        if !is_flag(name) {
            return Err(unknown_flag(name));
        }
        let count = after.iter().take_while(|word| !is_flag(word)).count();
        let (values, next) = after.split_at(count);
        // cutechess and fastchess take both.
        let name = name.strip_prefix('-').filter(|name| name.starts_with('-')).unwrap_or(name);
        flags.push(Flag { name, values });
        rest = next;
    }
    Ok(flags)
}

fn unknown_flag(argument: &str) -> TranslationError {
    let hint = match nearest(argument, FLAGS) {
        Some(near) => format!("do you mean `{near}`?"),
        None => "docs/from-fastchess.md maps every flag".to_owned(),
    };
    TranslationError::Unknown { argument: argument.to_owned(), where_: String::new(), hint }
}

/// What is being gathered of the flags.
#[derive(Default)]
struct Gathered {
    rounds: Option<u64>,
    games: Option<u64>,
    repeat: bool,
    sprt: Option<Vec<String>>,
    /// Flags of ours that `match` and `sprt` share.
    words: Vec<String>,
    format: Option<String>,
    engines: Vec<Player>,
    each: Player,
    pgn: Option<PathBuf>,
}

/// What is said of an engine, or of each.
#[derive(Clone, Default)]
struct Player {
    name: Option<String>,
    cmd: Option<String>,
    dir: Option<PathBuf>,
    args: Vec<String>,
    options: BTreeMap<String, String>,
    limit: Option<String>,
    margin: Option<String>,
}

/// Says the same in our own words.
///
/// # Errors
/// When something in it is not understood or not supported.
pub fn translate(arguments: &[String]) -> Result<Translation, TranslationError> {
    let mut gathered = Gathered::default();
    for flag in split(arguments)? {
        gathered.take(&flag)?;
    }
    gathered.finish()
}

impl Gathered {
    fn take(&mut self, flag: &Flag<'_>) -> Result<(), TranslationError> {
        match flag.name {
            "-engine" => self.engines.push(player(flag)?),
            "-each" => self.each = player(flag)?,
            "-rounds" => self.rounds = Some(flag.number()?),
            "-games" => self.games = Some(flag.number()?),
            "-repeat" => self.repeat = true,
            "-concurrency" => self.say("--jobs", flag.value()?),
            "-srand" | "-seed" => self.say("--seed", flag.value()?),
            "-maxmoves" => self.say("--max-moves", flag.value()?),
            "-ratinginterval" => self.say("--report-every", flag.value()?),
            "-event" => self.say("--event", flag.value()?),
            "-use-affinity" => self.words.push("--affinity".to_owned()),
            "-tournament" => {
                self.format = Some(match flag.value()? {
                    "roundrobin" | "round-robin" => "round-robin".to_owned(),
                    "gauntlet" => "gauntlet".to_owned(),
                    _ => return Err(flag.unsupported("there are gauntlet and roundrobin")),
                });
            }
            "-variant" => match flag.value()? {
                "standard" => {}
                "fischerandom" | "chess960" | "frc" => self.words.push("--chess960".to_owned()),
                _ => return Err(flag.unsupported("there are standard and fischerandom")),
            },
            "-openings" => self.openings(flag)?,
            "-pgnout" => {
                let file = flag.pairs().ok().and_then(|pairs| pairs.get("file").copied());
                self.pgn = Some(PathBuf::from(file.map_or_else(|| flag.value(), Ok)?));
            }
            "-resign" => self.adjudicate(
                flag,
                &[("movecount", "--resign-moves"), ("score", "--resign-score")],
            )?,
            "-draw" => self.adjudicate(
                flag,
                &[
                    ("movenumber", "--draw-from"),
                    ("movecount", "--draw-moves"),
                    ("score", "--draw-score"),
                ],
            )?,
            "-sprt" => self.sprt = Some(sprt_words(flag)?),
            // What they ask for is always done, or is no matter here.
            "-recover" | "-force-concurrency" | "-site" | "-autosaveinterval" | "-output"
            | "-report" | "-log" => {}
            "-noswap" | "-reverse" => {
                return Err(
                    flag.unsupported("error bars are computed from pairs with colours swapped")
                );
            }
            "-tb" => self.say("--tb", flag.value()?),
            // 0 is all.
            "-tbpieces" => match flag.value()? {
                "0" => {}
                men => self.say("--tb-pieces", men),
            },
            "-tbignore50" => self.words.push("--tb-ignore-50".to_owned()),
            "-tbadjudicate" => match flag.value()? {
                "BOTH" => {}
                _ => return Err(flag.unsupported("tables tell of wins, losses and draws")),
            },
            "-wait" => return Err(flag.unsupported("there is no need to wait between games")),
            "-config" => return Err(flag.unsupported("`harness resume` goes on with a run")),
            "-epdout" => {
                return Err(flag
                    .unsupported("`harness report RUN --format epd` prints the final positions"));
            }
            other => return Err(unknown_flag(other)),
        }
        Ok(())
    }

    fn say(&mut self, flag: &str, value: &str) {
        self.words.push(flag.to_owned());
        self.words.push(value.to_owned());
    }

    fn openings(&mut self, flag: &Flag<'_>) -> Result<(), TranslationError> {
        for (key, value) in flag.pairs()? {
            match key {
                "file" => self.say("--openings", value),
                "order" => self.say("--order", value),
                "start" => self.say("--opening-start", value),
                "plies" => self.say("--opening-plies", value),
                // The file says itself what it is; every round has its own opening.
                "format" | "policy" => {}
                _ => return Err(flag.unknown(key)),
            }
        }
        Ok(())
    }

    fn adjudicate(
        &mut self,
        flag: &Flag<'_>,
        known: &[(&str, &str)],
    ) -> Result<(), TranslationError> {
        for (key, value) in flag.pairs()? {
            match known.iter().find(|(theirs, _)| *theirs == key) {
                Some((_, ours)) => self.say(ours, value),
                None if key == "twosided" => {
                    if value == "true" {
                        self.words.push("--resign-two-sided".to_owned());
                    }
                }
                None => return Err(flag.unknown(key)),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Translation, TranslationError> {
        let count = self.engines.len();
        if count < 2 || (self.sprt.is_some() && count != 2) {
            return Err(TranslationError::TooFewEngines(count));
        }
        let mut words = vec![if self.sprt.is_some() { "sprt" } else { "match" }.to_owned()];
        let mut engines = Vec::new();
        let mut limits = Vec::new();
        let mut margins = Vec::new();
        for (index, own) in self.engines.iter().enumerate() {
            let player = own.or(&self.each);
            let cmd = player.cmd.ok_or(TranslationError::Incomplete {
                argument: "-engine".to_owned(),
                wants: "cmd=PROGRAM",
            })?;
            let name = player.name.unwrap_or_else(|| format!("{cmd}#{}", index + 1));
            if let Some(limit) = &own.limit {
                limits.extend(["--limit".to_owned(), format!("{name}:{limit}")]);
            }
            margins.extend(player.margin);
            words.push(name.clone());
            // A path is seen from here, and `dir` is where it is run.
            let cmd = match cmd.contains('/') {
                true => std::path::absolute(&cmd).map_or(cmd, |path| path.display().to_string()),
                false => cmd,
            };
            let dir = player.dir.map(|dir| std::path::absolute(&dir).unwrap_or(dir));
            let (args, options) = (player.args, player.options);
            engines.push((name, EngineEntry { cmd, args, dir, options }));
        }
        if let Some(limit) = &self.each.limit {
            let (kind, value) = limit.split_once('=').unwrap_or(("tc", limit));
            words.extend([format!("--{kind}"), value.to_owned()]);
        }
        if let Some(margin) = margins.into_iter().max_by_key(|margin| margin.parse::<u64>().ok()) {
            words.extend(["--time-margin".to_owned(), margin]);
        }
        words.append(&mut limits);
        let games =
            self.rounds.unwrap_or(1) * self.games.unwrap_or(2).max(if self.repeat { 2 } else { 1 });
        match self.sprt {
            Some(sprt) => {
                words.extend(sprt);
                if self.rounds.is_some() {
                    words.extend(["--max-games".to_owned(), games.to_string()]);
                }
            }
            None => {
                words.extend(["--games".to_owned(), games.to_string()]);
                if let Some(format) = self.format {
                    words.extend(["--format".to_owned(), format]);
                } else if count > 2 {
                    // Theirs is everybody against everybody.
                    words.extend(["--format".to_owned(), "round-robin".to_owned()]);
                }
            }
        }
        words.append(&mut self.words);
        Ok(Translation { words, engines, pgn: self.pgn })
    }
}

impl Player {
    /// What is said of this one, else of each.
    fn or(&self, each: &Player) -> Player {
        let mut options = each.options.clone();
        options.extend(self.options.clone());
        Player {
            name: self.name.clone(),
            cmd: self.cmd.clone().or_else(|| each.cmd.clone()),
            dir: self.dir.clone().or_else(|| each.dir.clone()),
            args: if self.args.is_empty() { each.args.clone() } else { self.args.clone() },
            options,
            limit: self.limit.clone().or_else(|| each.limit.clone()),
            margin: self.margin.clone().or_else(|| each.margin.clone()),
        }
    }
}

fn player(flag: &Flag<'_>) -> Result<Player, TranslationError> {
    let mut player = Player::default();
    for word in flag.values {
        let (key, value) = word.split_once('=').ok_or_else(|| flag.unknown(word))?;
        match key {
            "cmd" => player.cmd = Some(value.to_owned()),
            "name" => player.name = Some(value.to_owned()),
            "dir" => player.dir = Some(PathBuf::from(value)),
            "args" => player.args.extend(value.split_whitespace().map(str::to_owned)),
            "arg" => player.args.push(value.to_owned()),
            "tc" if value == "inf" => return Err(flag.unsupported("tc=inf: a game must end")),
            "tc" => player.limit = Some(format!("tc={value}")),
            "st" => player.limit = Some(format!("movetime={value}s")),
            "nodes" => player.limit = Some(format!("nodes={value}")),
            "depth" => player.limit = Some(format!("depth={value}")),
            "timemargin" => player.margin = Some(value.to_owned()),
            "proto" if value == "uci" => {}
            "proto" => return Err(flag.unsupported("engines speak UCI here")),
            "restart" if matches!(value, "off" | "auto") => {}
            "ponder" => return Err(flag.unsupported("there is no pondering yet")),
            key => match key.strip_prefix("option.") {
                Some(option) => {
                    player.options.insert(option.to_owned(), value.to_owned());
                }
                None => return Err(flag.unknown(word)),
            },
        }
    }
    Ok(player)
}

fn sprt_words(flag: &Flag<'_>) -> Result<Vec<String>, TranslationError> {
    let mut words = Vec::new();
    for (key, value) in flag.pairs()? {
        match key {
            "elo0" | "elo1" | "alpha" | "beta" => words.push(format!("--{key}={value}")),
            "model" => words.push(format!("--model={value}")),
            _ => return Err(flag.unknown(key)),
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Result<Translation, TranslationError> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        translate(&words)
    }

    #[test]
    fn a_usual_test_is_said_in_our_words() {
        let said = translated(
            "-engine cmd=/bin/new name=new option.Threads=2 -engine cmd=old name=old tc=9+0.1 \
             -each tc=8+0.08 timemargin=20 option.Hash=16 proto=uci -rounds 500 -repeat \
             -concurrency 4 -openings file=b.epd format=epd order=random \
             -sprt elo0=-5 elo1=0 alpha=0.05 beta=0.05 model=normalized \
             -resign movecount=3 score=600 -draw movenumber=40 movecount=8 score=10 -recover \
             -pgnout file=out.pgn -tb /tables -tbpieces 5 -tbignore50 -tbadjudicate BOTH",
        )
        .expect("understood");
        assert_eq!(
            said.words.join(" "),
            "sprt new old --tc 8+0.08 --time-margin 20 --limit old:tc=9+0.1 --alpha=0.05 \
             --beta=0.05 --elo0=-5 --elo1=0 --model=normalized --max-games 1000 --jobs 4 \
             --openings b.epd --order random --resign-moves 3 --resign-score 600 --draw-moves 8 \
             --draw-from 40 --draw-score 10 --tb /tables --tb-pieces 5 --tb-ignore-50"
        );
        assert_eq!(said.pgn, Some(PathBuf::from("out.pgn")));
        let (name, new) = &said.engines[0];
        assert_eq!((name.as_str(), new.cmd.as_str()), ("new", "/bin/new"));
        let options: Vec<String> =
            new.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(options, ["Hash=16", "Threads=2"]);
        assert!(
            Cli::try_parse_from(std::iter::once("harness".to_owned()).chain(said.words)).is_ok()
        );
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let engines = "-engine cmd=a -engine cmd=b -each nodes=5";
        for (line, says) in [
            ("-rouns 5", "`-rouns`"),
            ("-openings file=x oder=random", "`oder` is not understood after -openings"),
            ("-rounds", "`-rounds` wants a value"),
            ("-noswap", "colours swapped"),
            ("-each whitepov", "`whitepov`"),
        ] {
            let error = translated(&format!("{engines} {line}")).expect_err(line);
            assert!(error.to_string().contains(says), "{error}");
        }
        assert_eq!(translated("-engine cmd=a"), Err(TranslationError::TooFewEngines(1)));
        let Err(TranslationError::Unknown { hint, .. }) = translated("-concurency 4") else {
            panic!("it is unknown")
        };
        assert_eq!(hint, "do you mean `-concurrency`?");
    }
}
