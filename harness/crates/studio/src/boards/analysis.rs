//! A position analysed by several engines while a page shows it.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use tokio::sync::watch;

use super::engines::{Cancel, Engine, Engines};
use super::scores;
use harness_base::sync::{lock, unpoisoned};
use harness_player::{Go, Info, Score};

/// Most engines side by side.
pub const MAX_ENGINES: usize = 4;

/// Most lines of an engine.
pub const MAX_LINES: u32 = 8;

/// Longest analysis of a position, in case a page is left open.
const MAX_ANALYSIS_TIME: Duration = Duration::from_secs(3600);

/// Moves of a line that are shown.
const MAX_LINE_MOVES: usize = 16;

/// A line of an engine.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LineView {
    /// From White's view: `+0.35`, `−M3`.
    pub score: String,
    /// White's chances in percent.
    pub chances: f64,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// The moves.
    pub moves: Vec<MoveView>,
}

/// A move of a line.
#[derive(Clone, Debug, Serialize)]
pub struct MoveView {
    /// As engines write it.
    pub uci: String,
    /// As people write it.
    pub san: String,
}

/// Lines of an engine so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineView {
    /// Its name.
    pub name: String,
    /// Depth of the newest iteration.
    pub depth: Option<u32>,
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Nodes a second.
    pub speed: Option<u64>,
    /// The best lines, the best first.
    pub lines: Vec<LineView>,
    /// Reason of a failure.
    pub error: Option<String>,
}

/// A position to analyse.
#[derive(Clone)]
pub struct Question {
    /// FEN of the first position.
    pub start: String,
    /// Moves to the position.
    pub moves: Vec<UciMove>,
    /// The position.
    pub position: Chess,
    /// Is it a game of Chess960?
    pub chess960: bool,
    /// Lines of each engine.
    pub lines: u32,
}

/// A running analysis; it ends when the value is dropped.
pub struct Analysis {
    /// Changes with everything that engines say.
    pub found: watch::Receiver<Vec<EngineView>>,
    cancel: Arc<Cancel>,
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.cancel.set();
    }
}

/// Lets engines analyse a position.
pub fn begin(engines: &Arc<Engines>, names: &[String], question: &Question) -> Analysis {
    let views = names.iter().map(|name| EngineView { name: name.clone(), ..EngineView::default() });
    let (sender, found) = watch::channel(views.collect());
    let sender = Arc::new(sender);
    let cancel = Arc::<Cancel>::default();
    for (index, name) in names.iter().enumerate() {
        let engines = Arc::clone(engines);
        let cancel = Arc::clone(&cancel);
        let sender = Arc::clone(&sender);
        let name = name.clone();
        let question = question.clone();
        thread::spawn(move || {
            let tell = |change: &dyn Fn(&mut EngineView)| {
                sender.send_modify(|views: &mut Vec<EngineView>| change(&mut views[index]));
            };
            if let Err(error) = analyse(&engines, &name, &question, &cancel, &tell)
                && !cancel.is_set()
            {
                tell(&|view| view.error = Some(error.clone()));
            }
        });
    }
    Analysis { found, cancel }
}

/// Changes what is shown of an engine.
type Tell<'a> = dyn Fn(&dyn Fn(&mut EngineView)) + 'a;

fn analyse(
    engines: &Engines,
    name: &str,
    question: &Question,
    cancel: &Arc<Cancel>,
    tell: &Tell<'_>,
) -> Result<(), String> {
    if let Some(end) = end_of_game(&question.position) {
        tell(&|view| view.error = Some(end.to_owned()));
        return Ok(());
    }
    let mut engine = engines.take(&engines.spec(name)?)?;
    engine.show_lines(question.lines).map_err(|error| error.to_string())?;
    let begun = Instant::now();
    let reply = engine.search(
        &question.start,
        &question.moves,
        &Go::MoveTime(MAX_ANALYSIS_TIME),
        cancel,
        &mut |info| {
            let line = line(&question.position, question.chess960, info);
            let speed = info.nodes.map(|nodes| speed(nodes, info.time.unwrap_or(begun.elapsed())));
            tell(&|view| {
                view.depth = info.depth.max(view.depth);
                view.nodes = info.nodes.max(view.nodes);
                view.speed = speed.or(view.speed);
                let index = info.line.max(1) as usize - 1;
                if view.lines.len() <= index {
                    view.lines.resize(index + 1, LineView::default());
                }
                view.lines[index] = line.clone();
            });
        },
    );
    if reply.is_ok() {
        settle(engine, engines);
    }
    reply.map(drop).map_err(|error| error.to_string())
}

/// Why no engine can look at a position; `None` of one that goes on.
fn end_of_game(position: &Chess) -> Option<&'static str> {
    if position.is_checkmate() {
        Some("checkmate: the game is over")
    } else if position.is_stalemate() {
        Some("stalemate: the game is over")
    } else {
        position.is_game_over().then_some("neither side can mate: the game is over")
    }
}

/// Gives an engine back with one line, as games need it.
fn settle(mut engine: Engine, engines: &Engines) {
    if engine.show_lines(1).is_ok() {
        engines.keep(engine);
    }
}

fn speed(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-3)) as u64
}

/// A line for people. It ends where an engine names an illegal move.
pub fn line(position: &Chess, chess960: bool, info: &Info) -> LineView {
    let mode = CastlingMode::from_chess960(chess960);
    let score = info.score.unwrap_or(Score::Centipawns(0));
    let seen = score.for_white(position.turn());
    let mut at = position.clone();
    let mut moves = Vec::new();
    for uci in info.pv.iter().take(MAX_LINE_MOVES) {
        let Ok(legal) = uci.to_move(&at) else { break };
        let uci = legal.to_uci(mode).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut at, legal).to_string();
        moves.push(MoveView { uci, san });
    }
    LineView { score: scores::text(seen), chances: scores::chances(seen), depth: info.depth, moves }
}

/// The lines of a search with a limit, the best first.
///
/// # Errors
/// When the engine fails; in words for people.
pub fn lines(
    engines: &Engines,
    name: &str,
    question: &Question,
    go: &Go,
    cancel: &Arc<Cancel>,
) -> Result<Vec<(Score, LineView)>, String> {
    let found = Mutex::new(Vec::<Option<(Score, LineView)>>::new());
    let mut engine = engines.take(&engines.spec(name)?)?;
    engine.show_lines(question.lines).map_err(|error| error.to_string())?;
    let reply = engine.search(&question.start, &question.moves, go, cancel, &mut |info| {
        let Some(score) = info.score else { return };
        let mut found = lock(&found);
        let index = info.line.max(1) as usize - 1;
        if found.len() <= index {
            found.resize(index + 1, None);
        }
        found[index] = Some((score, line(&question.position, question.chess960, info)));
    });
    reply.map_err(|error| error.to_string())?;
    settle(engine, engines);
    let found = unpoisoned(found.into_inner());
    Ok(found.into_iter().flatten().collect())
}
