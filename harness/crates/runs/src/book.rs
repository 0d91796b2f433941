//! Making a book of openings: from a recipe to EPD.

use std::ops::ControlFlow;

use super::search::failure;
use super::{Event, Sink, preflight};
use harness_arena::generate::{GenerateError, Recipe, generate, to_epd};
use harness_base::context::Session;
use harness_base::failure::Failure;
use harness_player::pool::start_with;
use harness_player::{EngineSpec, Limit, OptionArg, StartSettings};

/// A book to be made.
#[derive(Debug)]
pub struct BookRun {
    /// Sources of the book.
    pub recipe: Recipe,
    /// The engine that searches.
    pub engine: EngineSpec,
    /// The engine as the user named it.
    pub named: String,
    /// Its options as the user wrote them.
    pub options: Vec<OptionArg>,
    /// Positions searched at the same time.
    pub jobs: usize,
}

/// A book.
#[derive(Debug)]
pub struct Book {
    /// How many openings it has.
    pub openings: usize,
    /// How many candidates were searched for them.
    pub candidates: u64,
    /// The openings; how to make them again stands in the first line.
    pub epd: String,
}

impl BookRun {
    /// Probes the engine and makes the book. The sink sees the numbers of openings and of candidates.
    ///
    /// # Errors
    /// When the engine fails, there are not enough openings, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_, (usize, u64)>) -> Result<Book, Failure> {
        let BookRun { recipe, engine, .. } = self;
        let warn = |text: &str| sink(Event::Warning(text));
        preflight::probe_one(engine, Limit::Nodes(recipe.nodes), session, &warn)?;
        let (start, interrupt) = (start_with(StartSettings::default()), &session.interrupt);
        let mut searched = 0;
        let mut show = |found, candidates| {
            searched = candidates;
            sink(Event::Progress((found, candidates)));
            // The interrupt ends the search by itself.
            ControlFlow::Continue(())
        };
        let openings = generate(recipe, engine, self.jobs, &start, interrupt, &mut show);
        if interrupt.is_set() {
            return Err(Failure::Interrupted("nothing was written".to_owned()));
        }
        let openings = openings.map_err(|error| match error {
            GenerateError::Engine(ref fault) => failure(fault.kind, error),
            error @ GenerateError::TooFew { .. } => Failure::Failed(error.into()),
        })?;
        let epd = to_epd(&self.header(), &openings);
        Ok(Book { openings: openings.len(), candidates: searched, epd })
    }

    /// How to make the same book again.
    fn header(&self) -> String {
        let Recipe { count, plies, seed, nodes, max_score } = &self.recipe;
        let plies = match (plies.start(), plies.end()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}-{most}"),
        };
        let engine = &self.named;
        let option = |option: &OptionArg| format!(" --option {}={}", option.name, option.value);
        let options: String = self.options.iter().map(option).collect();
        format!(
            "{count} balanced openings: {plies} random plies, kept where {engine} sees at most \
             {max_score} centipawns for either side\n\
             made by harness {version}: openings generate --count {count} --plies {plies} \
             --seed {seed} --nodes {nodes} --max-score {max_score} --engine {engine}{options}\n\
             ce: the score for the side to move, in centipawns",
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}
