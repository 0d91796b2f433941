//! Self-play of a generation, and the positions of its games.

use std::collections::BTreeMap;
use std::path::Path;

use rand::Rng;

use super::config::Config;
use super::event::{Event, Sink};
use super::folder::{self, Folder, GAMES, PLAYED, POSITIONS};
use crate::generate::{GenerateRun, Generated};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_data::DataError;
use harness_data::bulk::{Bulk, Rule, Workspace};
use harness_data::flaws::Flaws;
use harness_data::formats::{self, Format, Writer};
use harness_data::generate::{Recipe, card_path};
use harness_data::record::Record;
use harness_data::sources::{STRIDE, check_stopped};
use harness_outcome::loop_summary::Played;
use harness_outcome::positions::Counts;
use harness_player::{EngineSpec, Program, Score};
use harness_stats::random;

/// Bytes of memory for a bulk operation on positions; the rest is on disk.
pub const MEMORY: u64 = 512 << 20;

/// Plays the games of a generation and selects their positions.
pub fn play(
    config: &Config,
    number: u32,
    eval_file: &str,
    jobs: usize,
    folder: &Folder,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Played, Failure> {
    if let Some(played) = folder.read(PLAYED).or_failed()? {
        return Ok(played);
    }
    let path = folder.file(GAMES);
    if !card_path(&path).exists() {
        // A kill in the first instant leaves an empty file without a card.
        folder::remove(std::slice::from_ref(&path)).or_failed()?;
    }
    let (games, resume) = (config.games.count, path.exists());
    let recipe = recipe(config, number, eval_file)?;
    let run = GenerateRun { recipe, path, games, jobs: Some(jobs), resume };
    let Generated { card, .. } = run.start(session, &|event| sink(&Event::Generate(event)))?;
    let (counts, kept) = select(config, number, folder, session)?;
    let played = Played { games: card.games, results: card.results, counts, kept };
    folder.write(PLAYED, &played).or_failed()?;
    Ok(played)
}

fn recipe(config: &Config, number: u32, eval_file: &str) -> Result<Recipe, Failure> {
    let options = BTreeMap::from([("EvalFile".to_owned(), eval_file.to_owned())]);
    let engine = EngineSpec { name: "builtin".to_owned(), program: Program::Builtin, options };
    let games = &config.games;
    let recipe = Recipe::new(engine, games.nodes).or_failed()?;
    let (seed, plies, balance) = (seed(config, number), games.plies, games.balance);
    Ok(Recipe { seed, plies, balance, ..recipe })
}

/// Each generation plays other games.
fn seed(config: &Config, number: u32) -> u64 {
    random::stream("loop games", config.seed, number.into()).random()
}

/// Writes the positions that the filters keep, each once: those of most games to the training set,
/// those of the others to the validation set.
fn select(
    config: &Config,
    number: u32,
    folder: &Folder,
    session: &Session,
) -> Result<(Counts, [u64; 2]), DataError> {
    let games = folder.file(GAMES);
    let paths = POSITIONS.map(|name| folder.positions(name));
    let within = games.parent().unwrap_or(Path::new("."));
    let workspace = Workspace { memory: MEMORY / 2, folder: within };
    let format = Format::from_path(&paths[0])?;
    let bulk = || Bulk::new(Rule::Unique, Some(format), &[&games], workspace);
    let mut bulks = [bulk()?, bulk()?];
    let mut counts = Counts::default();
    let labels = config.training.learning.labels(&config.network);
    for game in formats::games(&games, &Flaws::default())? {
        counts.games += 1;
        let records: Vec<Record> = game?.records(counts.games).collect();
        let mut chance = random::stream("loop split", seed(config, number), counts.games);
        let validates = chance.random::<f64>() < config.training.validation;
        let scores = labels.scores(&records);
        for (mut record, score) in records.into_iter().zip(scores) {
            if counts.sift(config.filters.refuse(&record)) {
                // Only now: filters see the scores of the searches.
                record.score = score.map(Score::Centipawns);
                bulks[usize::from(validates)].push(&record)?;
            }
            if counts.positions.is_multiple_of(STRIDE) {
                check_stopped(session.interrupt.flow())?;
            }
        }
    }
    let mut kept = [0; 2];
    for ((bulk, path), kept) in bulks.into_iter().zip(&paths).zip(&mut kept) {
        let tally = bulk.write(Writer::create(path)?, &mut |_, _| session.interrupt.flow())?;
        *kept = tally.written;
    }
    counts.take_back(counts.kept - kept[0] - kept[1], 0);
    Ok((counts, kept))
}
