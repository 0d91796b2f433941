//! `harness openings rate`: what the openings of a book decide.

use std::path::{Path, PathBuf};

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::{NO_EPD, check_ending};
use crate::commands::play::PlayArgs;
use crate::commands::print;
use crate::commands::watch::watched;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::{try_to_write, write_file};
use crate::kinds::openings as kind;
use crate::ledger::Ledger;
use crate::outcome::book::{BookReport, RatedBook};
use crate::runs::openings::{BookRating, BookRequest, share_of};
use crate::stats::book::nelo_error;

/// The name of the openings that come with the harness.
const BUILTIN: &str = "builtin";

/// Rates opening books by what their openings decide between two engines of known difference.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness openings rate builtin mine.epd 8moves_v3.pgn --nodes 5000
  harness openings rate mine.epd --tc 8+0.08 --share 0.7 --most 1000
  harness openings rate mine.epd --repeats 8 --most 500 --keep live.epd    # without dead openings
  harness openings rate mine.epd --engine HEAD --against v1.0 --tc 8+0.08

Two engines of which one is stronger play each opening with both colours: the same engine at --nodes (or a
clock) against a --share of it, or two engines. A book is the better, the larger the normalized Elo that it
shows between them: a test needs games in proportion to its inverse square. Rate a book with the engine and
the limit that it is used with: at few nodes balanced lines decide more, at many nodes unbalanced ones.

With --repeats each opening is played several times (at fixed nodes with 3 % more nodes each time, since the
same nodes play the same games), and has a share of decided pairs of its own, shrunk towards that of the
book by empirical Bayes. --keep writes a book without the dead ones. It looks better than it is on the games
that chose it: rate it again with other nodes or another engine. `harness docs openings` has the model.

Each book is played in matches of the ledger: Ctrl-C loses no game, `harness resume last` continues.")]
pub struct RateArgs {
    /// Books of EPD, FEN, PGN or Polyglot; `builtin` is what comes with the harness.
    #[arg(value_name = "BOOK", required_unless_present = "from")]
    books: Vec<String>,
    /// The engine.
    #[arg(long, value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// The engine that it plays, which is the weaker one [default: the same at a share of the limit].
    #[arg(long, value_name = "ENGINE")]
    against: Option<String>,
    /// Nodes or time of the weaker side, as a share of the other's [default: 0.8, with --against 1].
    #[arg(long, value_name = "SHARE", value_parser = a_share)]
    share: Option<f64>,
    /// Most openings of each book, in the order of --seed.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    most: u64,
    /// Pairs of games of each opening.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: u64,
    /// An opening is dead if its share of decided pairs is below this part of its book's.
    #[arg(long, value_name = "PART", default_value = "0.5", value_parser = a_share)]
    dead: f64,
    /// Write the openings that were played and are not dead; of one book.
    #[arg(long, value_name = "FILE.epd")]
    keep: Option<PathBuf>,
    /// Play nothing: rate the games of this run.
    #[arg(long, value_name = "RUN", conflicts_with = "books")]
    from: Option<String>,
    #[command(flatten)]
    play: PlayArgs,
}

fn a_share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if share > 0.0 && share <= 1.0 { Ok(share) } else { Err("above 0 and at most 1".to_owned()) }
}

/// Flags that make no sense together.
#[derive(Debug, Error, Diagnostic)]
enum RateBooksError {
    #[error("--keep writes the openings of one book, and {0} are rated")]
    #[diagnostic(help("rate them one by one"))]
    SeveralBooks(usize),
    #[error("no opening is left: {0} of {1} are dead")]
    #[diagnostic(help("a smaller --dead keeps more"))]
    AllDead(u64, u64),
    #[error("--shard and --openings are no flags of a rating: books are named as arguments")]
    NoSuchFlag,
}

/// Runs the command.
///
/// # Errors
/// When a book or an engine cannot be used, or the user interrupts.
pub fn run(args: &RateArgs, context: &Context) -> Result<Exit, Failure> {
    if args.keep.is_some() && args.books.len() > 1 {
        return Err(RateBooksError::SeveralBooks(args.books.len())).or_usage();
    }
    if let Some(path) = &args.keep {
        check_ending(path, "epd", &NO_EPD)?;
        try_to_write(path)?;
    }
    let report = match &args.from {
        Some(run) => {
            let ledger = Ledger::open_to_read(&context.reports)?;
            kind::so_far(&ledger, &kind::facts(&ledger, run)?)?
        }
        None => {
            let rating = BookRating::plan(request(args, context)?)?;
            say_error(&rating, context);
            watched(context, |sink| kind::start(&rating, context, sink), kind::ending)?
        }
    };
    let exit = print::outcome(&kind::outcome(&report)?, context)?;
    args.keep.as_deref().map(|path| write_live(&report, path)).transpose()?;
    Ok(exit)
}

/// Error of the normalized Elo of a book above which books can hardly differ by more.
const LARGE_ERROR: f64 = 50.0;

/// Says what the games of the shortest book can show, where that is little.
fn say_error(rating: &BookRating, context: &Context) {
    let games = rating.fewest_games();
    if nelo_error(games) > LARGE_ERROR {
        context.say(&format!(
            "note: {games} games of a book show its normalized Elo to ± {:.0}; 5,000 to ± {:.0}",
            nelo_error(games),
            nelo_error(5_000)
        ));
    }
}

fn request(args: &RateArgs, context: &Context) -> Result<BookRequest, Failure> {
    let config = Config::find().or_usage()?;
    let against = args.against.as_ref().unwrap_or(&args.engine);
    let texts = [args.engine.clone(), against.clone()];
    args.play.warn_of_unused(context);
    let games = args.play.request(&texts, &["strong", "weak"], &config, context)?;
    if games.shard.is_some() || games.openings.file.is_some() {
        return Err(RateBooksError::NoSuchFlag).or_usage();
    }
    let share = args.share.unwrap_or(if args.against.is_some() { 1.0 } else { 0.8 });
    let [strong, weak] = [games.limits[0], games.limits[1]];
    let weak = if share < 1.0 { share_of(weak, share).or_usage()? } else { weak };
    let file = |book: &String| {
        // A run may be resumed from another folder.
        let absolute = || std::path::absolute(book).unwrap_or_else(|_| PathBuf::from(book));
        (book != BUILTIN).then(absolute)
    };
    let mut engines = games.engines.into_iter();
    let (Some(first), Some(second)) = (engines.next(), engines.next()) else {
        unreachable!("two engines were asked for")
    };
    Ok(BookRequest {
        engines: [first, second],
        limits: [strong, weak],
        books: args.books.iter().map(file).collect(),
        openings: args.most,
        repeats: args.repeats,
        order: games.openings,
        conduct: games.conduct,
        jobs: games.jobs,
        starting: games.starting,
        dead_below: args.dead,
    })
}

/// Writes the openings of the book that are not dead.
fn write_live(report: &BookReport, path: &Path) -> Result<(), Failure> {
    let [book] = &report.books[..] else {
        return Err(RateBooksError::SeveralBooks(report.books.len())).or_usage();
    };
    let RatedBook { each, dead, openings, .. } = book;
    let live: String = each
        .iter()
        .filter(|opening| !opening.dead)
        .map(|opening| opening.fen.clone() + "\n")
        .collect();
    if live.is_empty() {
        return Err(RateBooksError::AllDead(*dead, *openings)).or_usage();
    }
    write_file(path, live, Some("name another file with --keep")).or_failed()
}
