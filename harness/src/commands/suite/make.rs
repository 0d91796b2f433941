//! `harness suite make`: a new suite from games.

use std::ffi::OsStr;
use std::io::{self, BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::Diagnostic;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::input;
use crate::ledger::{Ledger, LedgerError, write_atomically};
use crate::player::pool::start_with;
use crate::player::{self, EngineSpec, FaultKind, Limit, OptionArg, Score, StartSettings};
use crate::runs::preflight;
use crate::suite::make::{Candidates, Found, MakeError, Naming, Recipe, Tally, make, to_epd};
use crate::suite::table;
use crate::text::shell_words;

/// Makes a suite from games: positions in which exactly one move is much better than the rest.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness suite make --engine stockfish -o mine.epd
  harness suite make --engine stockfish --from games.pgn --positions 100 --margin 200 -o shots.epd
  harness suite make --engine builtin --from 20261121-14 --verify-nodes 200000 --jobs 2 -o mine.epd
  harness suite ./mine.epd builtin --movetime 1s

Of every few plies of a game, from ply 12 on, one position is a candidate. It is kept if the best
move is better than the second best by --margin, a mate counting as much; if the second best does
not win anyhow (over +400) and the best does not lose anyhow (below -100); and if the best move
does not just take back. It is in the suite if a longer search finds the same. An engine without
the option MultiPV is asked with `go searchmoves`.

The same games, seed and settings make the same suite, whatever --jobs says, as long as the engine
plays alike at a fixed number of nodes. After Ctrl-C the positions found until then are written.")]
pub struct SuiteMakeArgs {
    /// Who judges: the stronger, the better.
    #[arg(long, value_name = "ENGINE")]
    engine: String,
    /// Games: of a run (an id, a beginning that only one has, `last`), or of a PGN.
    #[arg(long, value_name = "RUN|FILE.pgn", default_value = "last")]
    from: String,
    /// Nodes of the first search of a candidate.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the search that verifies.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    verify_nodes: u64,
    /// Best less second best at least, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 120, value_parser = clap::value_parser!(i32).range(1..=9_000))]
    margin: i32,
    /// Positions wanted.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// One candidate of so many plies of a game.
    #[arg(long, value_name = "PLIES", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Seed of the choice of candidates and of their order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Positions searched at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Where to write the suite.
    #[arg(short, long, value_name = "FILE.epd")]
    output: PathBuf,
}

/// Games of which no suite comes.
#[derive(Debug, Error, Diagnostic)]
enum SuiteMakeError {
    #[error("cannot read the games {path}: {reason}")]
    #[diagnostic(help("--from wants a run of the ledger (`harness runs`), or a PGN file"))]
    Unreadable { path: String, reason: io::Error },
    #[error("{from} has no games")]
    #[diagnostic(help(
        "`harness runs` lists the runs and their games; --from names one of them, or a PGN file"
    ))]
    NoGames { from: String },
    #[error("no position of the {games} games of {from} is a candidate")]
    #[diagnostic(help(
        "candidates come after ply 12 and have three legal moves or more; games of other variants \
         and what follows an illegal move are left out"
    ))]
    NoCandidates { from: String, games: u64 },
    #[error("no position is clear enough: {kept} of {searched} at first, none when verified")]
    #[diagnostic(help("take more games, a smaller --margin, or more candidates with --every 1"))]
    NothingFound { kept: u64, searched: u64 },
    #[error("cannot write {}: {reason}", path.display())]
    #[diagnostic(help("name another file with --output"))]
    Unwritable { path: PathBuf, reason: io::Error },
}

/// The JSON object of `--json`.
#[derive(Serialize)]
struct Output<'a> {
    file: &'a Path,
    from: &'a str,
    engine: &'a str,
    games: u64,
    candidates: usize,
    #[serde(flatten)]
    tally: Tally,
    positions: usize,
    results: Vec<Row>,
}

/// One position of the suite.
#[derive(Serialize)]
struct Row {
    id: String,
    epd: String,
    r#move: String,
    san: String,
    score: Score,
    second: Score,
    game: u64,
    ply: u32,
}

/// Runs the command.
///
/// # Errors
/// When there are no games, the engine fails, nothing is found, or the file cannot be written.
pub fn run(args: &SuiteMakeArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::find().or_usage()?;
    let mut engines =
        player::resolve_all(&[&args.engine], &[], &args.options, &config, context).or_usage()?;
    let engine = engines.remove(0);
    let candidates = candidates(args, context)?;
    let (found, tally) = search(args, &engine, &candidates, context)?;
    report(args, &engine, &candidates, &found, tally, context)
}

fn candidates(args: &SuiteMakeArgs, context: &Context) -> Result<Candidates, Failure> {
    let mut candidates = Candidates::new(args.seed, args.every);
    let path = Path::new(&args.from);
    let is_pgn = input::ending(path) == "pgn";
    let unreadable = |reason| SuiteMakeError::Unreadable { path: args.from.clone(), reason };
    if is_pgn || path.is_file() {
        let source = input::open(path).map_err(unreadable).or_usage()?;
        candidates.read(BufReader::new(source)).map_err(unreadable).or_usage()?;
    } else {
        let ledger = Ledger::open_to_read(&context.reports)?;
        let run = ledger.facts(&args.from)?.id;
        let read = |pgn: &str, candidates: &mut Candidates| candidates.read(Cursor::new(pgn));
        let mut broken = None;
        let each = ledger.each_game(&run, |game| {
            if let Err(reason) = read(&game.pgn, &mut candidates) {
                broken.get_or_insert(reason);
            }
            Ok::<_, LedgerError>(())
        });
        each?;
        broken.map_or(Ok(()), |reason| Err(unreadable(reason))).or_failed()?;
    }
    let from = args.from.clone();
    match candidates.games {
        0 => Err(SuiteMakeError::NoGames { from }).or_usage(),
        games if candidates.is_empty() => {
            Err(SuiteMakeError::NoCandidates { from, games }).or_usage()
        }
        _ => Ok(candidates),
    }
}

fn search(
    args: &SuiteMakeArgs,
    engine: &EngineSpec,
    candidates: &Candidates,
    context: &Context,
) -> Result<(Vec<Found>, Tally), Failure> {
    let recipe = recipe(args);
    preflight::probe_one(engine, Limit::Nodes(recipe.nodes), context, &|text| context.warn(text))?;
    let order = candidates.shuffled();
    let bar = ProgressBar::new(recipe.positions as u64);
    if context.quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = "{bar:30} {pos}/{len} positions  {msg}  {elapsed} gone";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    let made = make(
        &recipe,
        &order,
        usize::from(args.jobs),
        engine,
        &start_with(StartSettings::default()),
        &context.interrupt,
        &mut |tally| {
            bar.set_position(tally.verified);
            let (searched, kept) = (tally.searched, tally.kept);
            bar.set_message(format!("{kept} kept of {searched} of {} candidates", order.len()));
        },
    );
    bar.finish_and_clear();
    match made {
        Ok(made) => Ok(made),
        Err(MakeError::Engine(fault)) if fault.kind == FaultKind::Setting => {
            Err(MakeError::Engine(fault)).or_usage()
        }
        Err(error @ MakeError::NoSecondBest { .. }) => Err(error).or_usage(),
        Err(error) => Err(error).or_failed(),
    }
}

fn recipe(args: &SuiteMakeArgs) -> Recipe {
    let SuiteMakeArgs { nodes, verify_nodes, margin, positions, .. } = *args;
    Recipe { nodes, verify_nodes, margin, positions: positions as usize }
}

/// Writes what was found, and tells of it.
fn report(
    args: &SuiteMakeArgs,
    engine: &EngineSpec,
    candidates: &Candidates,
    found: &[Found],
    tally: Tally,
    context: &Context,
) -> Result<Exit, Failure> {
    let interrupted = context.interrupt.is_set();
    if found.is_empty() {
        if interrupted {
            return Err(Failure::Interrupted("nothing was found yet".to_owned()));
        }
        let Tally { kept, searched, .. } = tally;
        return Err(SuiteMakeError::NothingFound { kept, searched }).or_failed();
    }
    let naming = naming(args, engine);
    let text = to_epd(&naming, &recipe(args), found, candidates);
    let unwritable = |reason| SuiteMakeError::Unwritable { path: args.output.clone(), reason };
    write_atomically(&args.output, text.as_bytes()).map_err(unwritable).or_failed()?;
    let file = args.output.display();
    if interrupted {
        let found = found.len();
        return Err(Failure::Interrupted(format!("{found} positions found so far are in {file}")));
    }
    if context.json {
        context.print(&format!("{}\n", json!(output(args, &naming, candidates, found, tally))))?;
    } else {
        context.print(&shown(candidates, tally))?;
        context.print(&format!("\n{} positions are in {file}\n", found.len()))?;
    }
    Ok(Exit::Good)
}

fn naming(args: &SuiteMakeArgs, engine: &EngineSpec) -> Naming {
    let stem = args.output.file_stem().unwrap_or(OsStr::new("suite"));
    let header = format!(
        "One move is better than all others by {} centipawns at least.\n\
         Made by harness {} with: {}",
        args.margin,
        env!("CARGO_PKG_VERSION"),
        shell_words(std::iter::once("harness".to_owned()).chain(std::env::args().skip(1))),
    );
    let name = stem.to_string_lossy().into_owned();
    Naming { name, engine: engine.name.clone(), header }
}

fn shown(candidates: &Candidates, tally: Tally) -> String {
    let header = ["Games", "Candidates", "Searched", "Kept at first search", "Verified"];
    let mut table = table(header.map(str::to_owned).to_vec(), 0);
    let candidates_found = candidates.len() as u64;
    let counts = [candidates.games, candidates_found, tally.searched, tally.kept, tally.verified];
    table.add_row(counts.map(|count| count.to_string()));
    let mut text = format!("{}\n", table.trim_fmt());
    if candidates.faulty > 0 {
        let faulty = candidates.faulty;
        text += &format!("{faulty} games are of other variants or have an illegal move\n");
    }
    if tally.failed > 0 {
        text += &format!("The engine failed at {} candidates\n", tally.failed);
    }
    text
}

fn output<'a>(
    args: &'a SuiteMakeArgs,
    naming: &'a Naming,
    candidates: &Candidates,
    found: &[Found],
    tally: Tally,
) -> Output<'a> {
    let row = |(number, found): (usize, &Found)| Row {
        id: naming.id(number),
        epd: found.candidate.epd(),
        r#move: found.contrast.best.to_uci(found.candidate.castling).to_string(),
        san: found.san(),
        score: found.contrast.score,
        second: found.contrast.second,
        game: found.candidate.game + 1,
        ply: found.candidate.ply,
    };
    Output {
        file: &args.output,
        from: &args.from,
        engine: &naming.engine,
        games: candidates.games,
        candidates: candidates.len(),
        tally,
        positions: found.len(),
        results: (1..).zip(found).map(row).collect(),
    }
}
