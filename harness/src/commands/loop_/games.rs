//! The games of a generation, and the positions of them.

use std::collections::BTreeMap;
use std::path::Path;

use rand::Rng;

use super::config::Config;
use super::shelf::{self, Shelf};
use crate::commands::data::DataError;
use crate::commands::data::generate::{Asked, files, fill};
use crate::context::Context;
use crate::data::bulk::{Bulk, BulkError, Rule, Workspace};
use crate::data::collect::Counts;
use crate::data::flaws::Flaws;
use crate::data::formats::{self, Format, Writer};
use crate::data::generate::{Card, Recipe, card_path};
use crate::failure::{Failure, OrFail};
use crate::outcome::loop_summary::Played;
use crate::player::{EngineSpec, Program};
use crate::random;

/// Bytes of memory for positions on their way; what does not fit is kept on disk meanwhile.
pub const MEMORY: u64 = 512 << 20;

/// Positions between two looks at whether to go on.
const STRIDE: u64 = 4_096;

/// Plays the games of a generation and takes the positions out of them.
///
/// # Errors
/// When a player fails, a file cannot be written, or the user interrupts.
pub fn play(
    config: &Config,
    number: u32,
    eval_file: &str,
    jobs: usize,
    shelf: &Shelf,
    context: &Context,
) -> Result<Played, Failure> {
    if let Some(played) = shelf::told(&shelf.played()).or_failed()? {
        return Ok(played);
    }
    let recipe = recipe(config, number, eval_file)?;
    let path = shelf.games();
    if !card_path(&path).exists() {
        // A kill in the first instant leaves an empty file of which nothing is known.
        shelf::remove(std::slice::from_ref(&path)).or_failed()?;
    }
    let asked = Asked { recipe: &recipe, path: &path, games: config.games.count, jobs };
    let card: Card = fill(&asked, path.exists(), context)?.card;
    let (counts, kept) = match view(config, number, shelf, context) {
        Err(DataError::Bulk(BulkError::Stopped)) => {
            return Err(Failure::Interrupted("the games are kept".to_owned()));
        }
        viewed => viewed.or_failed()?,
    };
    let played = Played { games: card.games, results: card.results, counts, kept };
    shelf::tell(&shelf.played(), &played).or_failed()?;
    Ok(played)
}

fn recipe(config: &Config, number: u32, eval_file: &str) -> Result<Recipe, Failure> {
    // Games are short of nodes, and there are two tables a thread to be cleared each time.
    let options = [("EvalFile", eval_file), ("Hash", "4")];
    let options: BTreeMap<String, String> =
        options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let engine = EngineSpec { name: "builtin".to_owned(), program: Program::Builtin, options };
    let games = &config.games;
    Ok(Recipe {
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        files: files(&engine).or_failed()?,
        engine,
        seed: seed(config, number),
        plies: games.plies,
        balance: games.balance,
        balance_nodes: games.nodes,
        nodes: games.nodes,
        hard_nodes: games.nodes.saturating_mul(8),
        adjudication: Recipe::usual_adjudication(),
    })
}

/// Other games in each generation.
fn seed(config: &Config, number: u32) -> u64 {
    random::stream("loop games", config.seed, number.into()).random()
}

/// Takes the positions that the filters keep out of the games, each once: those of most games to
/// learn from, those of the others to judge by.
fn view(
    config: &Config,
    number: u32,
    shelf: &Shelf,
    context: &Context,
) -> Result<(Counts, [u64; 2]), DataError> {
    let games = shelf.games();
    let folder = games.parent().unwrap_or(Path::new("."));
    let room = Workspace { memory: MEMORY / 2, folder };
    let [format, _] = shelf.positions().map(|path| Format::of(&path));
    let format = format?;
    let bulk = || Bulk::new(Rule::Unique, format, &[&games], room);
    let mut bulks = [bulk()?, bulk()?];
    let mut counts = Counts::default();
    let mut judges = false;
    for record in formats::records(&games, &Flaws::default())? {
        let record = record?;
        if record.game != counts.games {
            counts.games = record.game;
            let chance =
                random::stream("loop split", seed(config, number), record.game).random::<f64>();
            judges = chance < config.training.validation;
        }
        if counts.sift(&record, &config.filters) {
            bulks[usize::from(judges)].push(&record)?;
        }
        if counts.positions.is_multiple_of(STRIDE) && context.interrupt.is_set() {
            return Err(BulkError::Stopped.into());
        }
    }
    let mut kept = [0; 2];
    for ((bulk, path), kept) in bulks.into_iter().zip(shelf.positions()).zip(&mut kept) {
        *kept = write(bulk, &path, context)?;
    }
    counts.take_back(counts.kept - kept[0] - kept[1], 0);
    Ok((counts, kept))
}

/// Writes a file of what was gathered; how many positions there are.
///
/// # Errors
/// When it cannot be written, or the user interrupts.
pub fn write(bulk: Bulk, path: &Path, context: &Context) -> Result<u64, DataError> {
    use std::ops::ControlFlow::{Break, Continue};
    let mut writer = Writer::create(path)?;
    let mut told = |_| if context.interrupt.is_set() { Break(()) } else { Continue(()) };
    let tally = bulk.write(&mut writer, &mut told)?;
    writer.finish()?;
    Ok(tally.written)
}
