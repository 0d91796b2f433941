//! Making a book of openings: from a recipe to EPD.

use std::ops::ControlFlow;

use super::search::failure;
use super::{Event, Sink, preflight};
use harness_arena::generate::{DrawTarget, GenerateError, Made, Recipe, generate, to_epd};
use harness_base::context::Session;
use harness_base::failure::Failure;
use harness_player::pool::start_with;
use harness_player::{EngineSpec, OptionArg, Program, StartSettings};

/// The option by which a UCI engine reports chances of win, draw and loss.
const SHOW_WDL: &str = "UCI_ShowWDL";

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
        let BookRun { recipe, .. } = self;
        let engine = &self.reporting_chances();
        let warn = |text: &str| sink(Event::Warning(text));
        preflight::probe_nodes(engine, recipe.nodes, session, &warn)?;
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
            error @ GenerateError::NoChances(_) => Failure::Usage(error.into()),
        })?;
        if let Some(text) = self.far_from_target(&openings) {
            sink(Event::Warning(&text));
        }
        let epd = to_epd(&self.header(), &openings);
        Ok(Book { openings: openings.len(), candidates: searched, epd })
    }

    /// The engine, which says how likely draws are if there is a target.
    fn reporting_chances(&self) -> EngineSpec {
        let mut engine = self.engine.clone();
        if self.recipe.target.is_some() && engine.program != Program::Builtin {
            let option = (SHOW_WDL.to_owned(), "true".to_owned());
            engine.options.extend([option]);
        }
        engine
    }

    /// A warning if the engine expects fewer draws in every line than were asked for.
    fn far_from_target(&self, made: &[Made]) -> Option<String> {
        let DrawTarget { draw_rate, tolerance, level, .. } = self.recipe.target?;
        let most = made.iter().filter_map(|opening| opening.draw).fold(0.0, f64::max);
        let is_far = !made.is_empty() && most + tolerance < draw_rate;
        let advice = match level {
            None => {
                "--level-draw-rate says what balanced lines draw at the limit that the book is for, as \
                 `harness openings rate builtin` measures it"
            }
            Some(_) => "ask for a smaller --target-draw-rate",
        };
        is_far.then(|| {
            format!(
                "{} expects at most {:.0} % draws in any line, so that these are balanced ones; {advice}",
                self.named,
                100.0 * most
            )
        })
    }

    /// How to make the same book again.
    fn header(&self) -> String {
        let Recipe { count, plies, seed, nodes, max_score, target, chess960 } = &self.recipe;
        let plies = match (plies.start(), plies.end()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}-{most}"),
        };
        let engine = &self.named;
        let option = |option: &OptionArg| format!(" --option {}={}", option.name, option.value);
        let options: String = self.options.iter().map(option).collect();
        let (kind, kept, mut flags) = match target {
            None => ("balanced", String::new(), String::new()),
            Some(DrawTarget { draw_rate, tolerance, level, per_structure }) => (
                "unbalanced",
                format!(" and expects {draw_rate} draws within {tolerance}"),
                format!(
                    " --target-draw-rate {draw_rate} --tolerance {tolerance} --per-structure \
                     {per_structure}{}",
                    level.map_or_else(String::new, |level| format!(" --level-draw-rate {level}"))
                ),
            ),
        };
        if *chess960 {
            flags += " --chess960";
        }
        format!(
            "{count} {kind} openings: {plies} random plies, kept where {engine} sees at most \
             {max_score} centipawns for either side{kept}\n\
             made by harness {version}: openings generate --count {count} --plies {plies} \
             --seed {seed} --nodes {nodes} --max-score {max_score}{flags} --engine {engine}{options}\n\
             ce: the score for the side to move, in centipawns",
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}
