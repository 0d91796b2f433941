//! The linked engine, in this process.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::board::{Move, Position};
use engine::eval::EvalFile;
use engine::eval::nnue::Network;
use engine::params::{PARAMETERS, Parameter, Values};
use engine::search::{
    Algorithm, Clock, Limits, Progress, Root, ScoreBound, SearchResult, Searcher,
};
use engine::uci::options::{OPTIONS, SearchOptions, Setting, setting};
use engine::uci::wdl::Wdl;
use engine::uci::{DEFAULT_HASH, OptionType, UciOption};
use shakmaty::uci::UciMove;

use super::options::{self, DeclaredOption, OptionKind};
use super::output_layer::{OutputLayer, OutputLayerError, is_offset};
use super::{EngineSpec, Fault, FaultKind, Go, Info, Line, Observer, Player, Reply, Score, Timed};
use harness_base::session::Interrupt;

/// The linked engine, with parameter values of its own.
pub struct Builtin {
    name: String,
    searcher: Searcher<Values>,
    hash_mib: usize,
    algorithm: Algorithm,
    /// The evaluation, and its network if it has one.
    eval_file: EvalFile,
    network: Option<Arc<Network>>,
    /// Offsets of the network's output layer, once one was set.
    output_layer: Option<OutputLayer>,
    search_options: SearchOptions,
    /// Seed of the mistakes of a limited strength in this game where none is set.
    game_seed: u64,
    interrupt: Interrupt,
    chess960: bool,
    game: Option<Game>,
    info: Info,
}

/// The game at the last search, so that the next search adds only its moves.
struct Game {
    fen: Option<String>,
    moves: Vec<UciMove>,
    root: Root,
}

impl Builtin {
    /// Makes one and sets its options.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Setting`] for an option that it does not have or a value
    /// that it does not take.
    pub fn start(spec: &EngineSpec, interrupt: &Interrupt) -> Result<Builtin, Fault> {
        let mut builtin = Builtin {
            name: spec.name.clone(),
            // The transposition table is allocated once its size is known.
            searcher: Searcher::new(Values::default(), 0),
            hash_mib: DEFAULT_HASH,
            algorithm: Algorithm::default(),
            eval_file: EvalFile::DEFAULT,
            network: EvalFile::default_network(),
            output_layer: None,
            search_options: SearchOptions::default(),
            game_seed: rand::random(),
            interrupt: interrupt.clone(),
            chess960: false,
            game: None,
            info: Info::default(),
        };
        builtin.take_options(&spec.options)?;
        builtin.searcher.set_algorithm(builtin.algorithm);
        builtin.resize_hash()?;
        Ok(builtin)
    }

    fn take_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        let declared = Builtin::declared();
        let (offsets, options): (Vec<_>, Vec<_>) =
            options.iter().partition(|(name, _)| is_offset(name));
        for (name, value) in options {
            options::accept(&declared, name, value)
                .map_err(|error| self.unfit(error))
                .and_then(|(option, value)| self.set(&option.name, &value.unwrap_or_default()))?;
        }
        self.offset_output(&offsets)
    }

    /// Adds offsets to the output layer of the network; one that is not given stays what it was.
    fn offset_output(&mut self, offsets: &[(&String, &String)]) -> Result<(), Fault> {
        let Some((first, _)) = offsets.first() else { return Ok(()) };
        let Some(network) = self.network.clone() else {
            return Err(self.unfit(OutputLayerError::Classical((*first).clone())));
        };
        let mut layer = self.output_layer.take().unwrap_or_else(|| OutputLayer::new(&network));
        let mut is_changed = false;
        for (name, value) in offsets {
            is_changed |= layer.set(name, value).map_err(|error| self.unfit(error))?;
        }
        if is_changed {
            let network = layer.network(&network).map_err(|error| self.unfit(error))?;
            self.network = Some(Arc::new(network));
            self.searcher.set_network(self.network.clone());
        }
        self.output_layer = Some(layer);
        Ok(())
    }

    /// The options it has, without [offsets of the network's output layer](super::output_options): those of the engine without a UCI session, and every search parameter.
    pub fn declared() -> Vec<DeclaredOption> {
        let linked = OPTIONS.iter().filter(|option| option.is_linked);
        let mut declared: Vec<DeclaredOption> = linked.map(declare).collect();
        // Files last.
        declared.sort_by_key(|option| matches!(option.kind, OptionKind::String { .. }));
        declared.extend(PARAMETERS.iter().map(|&Parameter { name, default, min, max, .. }| {
            let [default, min, max] = [default, min, max].map(i64::from);
            let kind = OptionKind::Spin { default, min, max };
            DeclaredOption { name: name.to_owned(), kind }
        }));
        declared
    }

    /// Sets an option to a value that fits.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        match setting::<Values>(name, value).map_err(|error| self.unfit(error))? {
            Setting::Hash(mib) => self.hash_mib = mib,
            // One thread is all that it has.
            Setting::Threads(_) => {}
            Setting::Algorithm(algorithm) => self.algorithm = algorithm,
            Setting::EvalFile(file) => self.load_eval_file(file)?,
            Setting::Search(setting) => self.search_options.set(setting),
            Setting::Parameter(name, value) => {
                let set = self.searcher.params_mut().set(name, value);
                set.map_err(|error| self.unfit(error))?;
            }
            _ => return Err(self.unfit(format!("`{name}` is an option of a UCI session only"))),
        }
        Ok(())
    }

    fn load_eval_file(&mut self, file: EvalFile) -> Result<(), Fault> {
        if file == self.eval_file {
            return Ok(());
        }
        let loaded = file.load().map_err(|error| self.unfit(format!("{file}: {error}")))?;
        self.network = loaded.map(|loaded| loaded.network);
        self.output_layer = None;
        self.eval_file = file;
        self.searcher.set_network(self.network.clone());
        Ok(())
    }

    fn resize_hash(&mut self) -> Result<(), Fault> {
        self.searcher.resize_hash(self.hash_mib).map_err(|_| {
            self.unfit(format!("there is no memory for `Hash` = {} MiB", self.hash_mib))
        })
    }

    /// The position to search, after the moves since the last search.
    fn root(&mut self, line: Line<'_>) -> Result<&Root, Fault> {
        let grows = self.game.as_ref().is_some_and(|game| {
            game.fen.as_deref() == line.fen && line.moves.starts_with(&game.moves)
        });
        if !grows {
            let position = match line.fen {
                None => Position::startpos(),
                Some(fen) => Position::from_fen(fen).map_err(|error| {
                    self.fault(FaultKind::Start, format!("position `{fen}`: {error}"))
                })?,
            };
            let fen = line.fen.map(str::to_owned);
            self.game = Some(Game { fen, moves: Vec::new(), root: Root::new(position) });
        }
        let game = self.game.as_mut().expect("it was set if there was none");
        for &played in &line.moves[game.moves.len()..] {
            let legal = game.root.position().parse_uci(&played.to_string(), self.chess960);
            game.root.play(legal.ok_or_else(|| Fault {
                player: self.name.clone(),
                kind: FaultKind::Start,
                detail: format!("illegal move `{played}` in the line"),
            })?);
            game.moves.push(played);
        }
        Ok(&game.root)
    }

    fn limits(&self, root: &Root, go: &Go, patience: Duration) -> Limits {
        // A search in this process cannot be killed, so it limits its time itself.
        let patience = patience.saturating_add(self.search_options.overhead);
        let mut limits = Limits { move_time: Some(patience), ..Limits::default() };
        self.search_options.limit(&mut limits);
        let (time, nodes, depth) = go.parts();
        match time {
            Some(Timed::Clock(clocks)) => {
                let (remaining, increment) = if root.position().side().is_white() {
                    (clocks.white, clocks.white_increment)
                } else {
                    (clocks.black, clocks.black_increment)
                };
                let moves_to_go = clocks.moves_to_go;
                limits.clock = Some(Clock { remaining, increment, moves_to_go });
            }
            Some(Timed::MoveTime(time)) => {
                limits.move_time = limits.move_time.map(|patience| patience.min(time));
            }
            None => {}
        }
        limits.nodes = nodes;
        limits.depth = depth.map(Into::into);
        limits
    }

    fn fault(&self, kind: FaultKind, detail: String) -> Fault {
        Fault { player: self.name.clone(), kind, detail }
    }

    /// An option that does not fit.
    fn unfit(&self, error: impl ToString) -> Fault {
        self.fault(FaultKind::Setting, error.to_string())
    }

    /// Searches; a panic of the search is a crash.
    fn search(
        &mut self,
        root: &Root,
        limits: &Limits,
        observe: &mut Observer<'_>,
    ) -> Result<SearchResult, Fault> {
        let chess960 = self.chess960;
        let info = &mut self.info;
        let mut further = Info::default();
        let mut report = |progress: &Progress| {
            if progress.bound != ScoreBound::Exact {
                // As of a process: where nothing else is known.
                if progress.multipv == 1 && (info.line == 0 || info.is_bound) {
                    take_in(progress, root.position(), chess960, info);
                }
                return ControlFlow::Continue(());
            }
            let into = if progress.multipv == 1 { &mut *info } else { &mut further };
            take_in(progress, root.position(), chess960, into);
            observe(into)
        };
        let searcher = &mut self.searcher;
        let stop = self.interrupt.flag();
        // Unwind safe: the searcher is discarded after a panic.
        let searched = catch_unwind(AssertUnwindSafe(|| {
            searcher.search_tunable(root, limits, stop, &mut report)
        }));
        searched.map_err(|panic| {
            let params = self.searcher.params().clone();
            self.searcher = Searcher::new(params, self.hash_mib);
            self.searcher.set_network(self.network.clone());
            self.searcher.set_algorithm(self.algorithm);
            let detail = format!("the search panicked: {}", message(panic.as_ref()));
            self.fault(FaultKind::Crash, detail)
        })
    }
}

impl Player for Builtin {
    fn name(&self) -> &str {
        &self.name
    }

    fn default_of(&self, option: &str) -> Option<i64> {
        if is_offset(option) {
            return Some(0);
        }
        options::default_of(&Builtin::declared(), option)
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        if self.interrupt.is_set() {
            return Err(self.fault(FaultKind::Interrupted, String::new()));
        }
        self.searcher.new_game();
        self.game_seed = self.game_seed.wrapping_add(1);
        self.chess960 = chess960;
        self.game = None;
        Ok(())
    }

    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        let hash_mib = self.hash_mib;
        let algorithm = self.algorithm;
        self.take_options(options)?;
        if self.algorithm != algorithm {
            self.searcher.set_algorithm(self.algorithm);
        }
        // Resizing clears the transposition table.
        if self.hash_mib != hash_mib {
            self.resize_hash()?;
        }
        Ok(())
    }

    fn go_among(
        &mut self,
        line: Line<'_>,
        moves: &[UciMove],
        go: &Go,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        let root = self.root(line)?.clone();
        let mut limits = self.limits(&root, go, patience);
        for searched in moves {
            let legal = root.position().parse_uci(&searched.to_string(), self.chess960);
            limits.search_moves.push(legal.ok_or_else(|| {
                self.fault(FaultKind::Start, format!("illegal move `{searched}` to search"))
            })?);
        }
        if let Some(strength) = self.search_options.strength(self.game_seed) {
            strength.limit(&root, &mut limits);
        }
        self.info = Info::default();
        let started = Instant::now();
        let outcome = self.search(&root, &limits, observe);
        let elapsed = started.elapsed();
        let outcome = outcome?;
        if self.interrupt.is_set() {
            return Err(self.fault(FaultKind::Interrupted, String::new()));
        }
        if elapsed > patience {
            let detail = format!("no move within {:.3} s", patience.as_secs_f64());
            return Err(self.fault(FaultKind::Hang, detail));
        }
        let best_move = outcome
            .best_move
            .ok_or_else(|| self.fault(FaultKind::NoMove, "there is no legal move".to_owned()))?;
        let best_move = uci_move(root.position(), best_move, self.chess960);
        self.info.wdl = outcome_chances(&outcome, root.position());
        Ok(Reply { best_move, ponder: None, info: std::mem::take(&mut self.info), elapsed })
    }
}

/// Chances of win, draw and loss by the engine's model.
fn outcome_chances(outcome: &SearchResult, position: &Position) -> Option<[u16; 3]> {
    let Wdl { win, draw, loss } = Wdl::from_score(outcome.last.score, position);
    Some([u16::try_from(win).ok()?, u16::try_from(draw).ok()?, u16::try_from(loss).ok()?])
}

/// An option of the engine's table as one that the linked engine declares.
fn declare(option: &UciOption<Setting>) -> DeclaredOption {
    let kind = match option.kind {
        OptionType::Check { default, .. } => OptionKind::Check { default },
        // Every linked engine searches with one thread.
        OptionType::Spin { default, min, .. } if option.name == "Threads" => {
            OptionKind::Spin { default, min, max: default }
        }
        OptionType::Spin { default, min, max, .. } => OptionKind::Spin { default, min, max },
        OptionType::Combo { default, choices, .. } => {
            OptionKind::Combo { default: default(), choices: choices() }
        }
        OptionType::Text { default, .. } => OptionKind::String { default: default() },
        OptionType::Button { .. } => OptionKind::Button,
    };
    DeclaredOption { name: option.name.to_owned(), kind }
}

/// Progress of a search as an [`Info`].
fn take_in(progress: &Progress, position: &Position, chess960: bool, info: &mut Info) {
    info.line = progress.multipv;
    info.is_bound = progress.bound != ScoreBound::Exact;
    info.depth = Some(progress.depth);
    info.seldepth = Some(progress.seldepth);
    info.score = Some(match progress.score {
        engine::search::Score::Centipawns(score) => Score::Centipawns(score),
        engine::search::Score::Mate(moves) => Score::Mate(moves),
    });
    info.nodes = Some(progress.nodes);
    info.time = Some(progress.time);
    info.pv.clear();
    let mut child = *position;
    for &m in &progress.pv {
        info.pv.push(uci_move(&child, m, chess960));
        child.play(m);
    }
}

fn uci_move(position: &Position, m: Move, chess960: bool) -> UciMove {
    if m.is_castling() {
        let text = position.uci(m, chess960).to_string();
        return text.parse().expect("the engine writes moves as UCI has them");
    }
    UciMove::Normal { from: m.from(), to: m.to(), promotion: m.promotion() }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::unobserved;

    const PATIENCE: Duration = Duration::from_secs(60);
    const START: Line<'static> = Line { fen: None, moves: &[] };

    fn builtin(options: &[(&str, &str)]) -> Result<Builtin, Fault> {
        let options: BTreeMap<String, String> =
            options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let spec = EngineSpec { options, ..EngineSpec::builtin("builtin") };
        Builtin::start(&spec, &Interrupt::manual().unwrap().0)
    }

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn a_search_gives_a_move_and_reports_its_scores() {
        let mut player = builtin(&[]).unwrap();
        player.new_game(false).unwrap();
        let mut depths = Vec::new();
        let reply = player
            .go(START, &Go::Depth(4), PATIENCE, &mut |info| {
                depths.push(info.depth.unwrap());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(depths, [1, 2, 3, 4]);
        assert_eq!(reply.info.depth, Some(4));
        assert_eq!(reply.info.pv.first(), Some(&reply.best_move));
        assert!(reply.info.score.is_some() && reply.info.nodes.is_some());
    }

    #[test]
    fn a_search_of_some_moves_keeps_to_them() {
        let mut player = builtin(&[]).unwrap();
        player.new_game(false).unwrap();
        let mut among = |only: &[UciMove]| {
            player.go_among(START, only, &Go::Depth(4), PATIENCE, &mut unobserved)
        };
        let only = moves("a2a4 h2h4");
        assert!(only.contains(&among(&only).unwrap().best_move));
        assert!(!only.contains(&among(&[]).unwrap().best_move));
        assert!(among(&moves("e2e5")).is_err());
    }

    #[test]
    fn the_same_search_after_a_new_game_gives_the_same() {
        let mut player = builtin(&[]).unwrap();
        let mut search = || {
            player.new_game(false).unwrap();
            let reply = player.go(START, &Go::Nodes(5000), PATIENCE, &mut unobserved).unwrap();
            (reply.best_move, reply.info.nodes, reply.info.score)
        };
        assert_eq!(search(), search());
    }

    #[test]
    fn a_game_goes_on_and_castling_is_written_as_the_variant_has_it() {
        let mut player = builtin(&[]).unwrap();
        for (chess960, castling) in [(false, "e1g1"), (true, "e1h1")] {
            player.new_game(chess960).unwrap();
            let fen = "6k1/8/8/8/8/8/8/4K2R w K - 0 1";
            let line = moves(&format!("{castling} g8h8 g1h1 h8g8"));
            for length in [0, 2, 4, 1] {
                let line = Line { fen: Some(fen), moves: &line[..length] };
                player.go(line, &Go::Depth(2), PATIENCE, &mut unobserved).unwrap();
            }
            let position = Position::from_fen(fen).unwrap();
            let castles = position.legal_moves().iter().copied().find(|m| m.is_castling()).unwrap();
            assert_eq!(uci_move(&position, castles, chess960).to_string(), castling);
        }
    }

    #[test]
    fn parameters_and_options_are_set_by_name_and_checked() {
        let given = [("HASH", "1"), ("rfp_margin", "100"), ("algorithm", "NEGAMAX")];
        let player = builtin(&given).unwrap();
        assert_eq!(player.hash_mib, 1);
        assert_eq!(player.algorithm, Algorithm::Negamax);
        let mut expected = Values::default();
        expected.set("rfp_margin", 100).unwrap();
        assert_eq!(*player.searcher.params(), expected);
        for (name, value, hint) in [
            ("rfp_margn", "100", "did you mean `rfp_margin`?"),
            ("rfp_margin", "100000", "goes from"),
            ("Algorithm", "brute", "is one of"),
        ] {
            let fault = builtin(&[(name, value)]).err().unwrap();
            assert_eq!(fault.kind, FaultKind::Setting);
            assert!(fault.detail.contains(hint), "{fault}");
        }
    }

    #[test]
    fn offsets_of_the_output_layer_change_the_evaluation_and_are_taken_back() {
        let mut player = builtin(&[]).unwrap();
        let mut score = |options: &[(&str, &str)]| {
            let pairs = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
            player.set_options(&pairs.collect()).unwrap();
            player.new_game(false).unwrap();
            player.go(START, &Go::Depth(1), PATIENCE, &mut unobserved).unwrap().info.score
        };
        let before = score(&[]);
        let bias = |value| [("network.output.bias.7", value)];
        let most = score(&bias("1000"));
        assert!(most != before && score(&bias("-1000")) != most);
        assert_eq!(score(&bias("0")), before);
        assert_ne!(score(&bias("1000")), before);
        // Another network has none.
        assert_eq!(score(&[("EvalFile", "classical")]), score(&[]));
        assert_eq!(score(&[("EvalFile", "embedded")]), before);
        for (options, reason) in [
            (
                vec![("EvalFile", "classical"), ("network.output.bias.0", "1")],
                "has no output layer",
            ),
            (vec![("network.output.bias.99", "1")], "has no `network.output.bias.99`"),
            (vec![("network.output.bias.0", "much")], "is a whole number"),
        ] {
            let fault = builtin(&options).err().unwrap();
            assert_eq!(fault.kind, FaultKind::Setting);
            assert!(fault.detail.contains(reason), "{fault}");
        }
    }

    #[test]
    fn every_option_that_it_declares_can_be_set_to_its_default() {
        let mut player = builtin(&[]).unwrap();
        for option in Builtin::declared() {
            let value = match &option.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } | OptionKind::String { default } => {
                    default.clone()
                }
                OptionKind::Button => String::new(),
            };
            let options = BTreeMap::from([(option.name.clone(), value)]);
            player.set_options(&options).unwrap_or_else(|fault| panic!("{}: {fault}", option.name));
        }
        let refused = builtin(&[("OwnBook", "true")]).err().unwrap();
        assert_eq!(refused.kind, FaultKind::Setting);
    }

    #[test]
    fn a_mated_side_has_no_move_and_a_wrong_line_is_no_panic() {
        let mut player = builtin(&[]).unwrap();
        player.new_game(false).unwrap();
        let mut fault = |fen, line: &[UciMove]| {
            let line = Line { fen, moves: line };
            player.go(line, &Go::Depth(2), PATIENCE, &mut unobserved).unwrap_err().kind
        };
        let mate = Some("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
        assert_eq!(fault(mate, &[]), FaultKind::NoMove);
        assert_eq!(fault(Some("no position"), &[]), FaultKind::Start);
        assert_eq!(fault(None, &moves("e2e5")), FaultKind::Start);
    }

    #[test]
    fn a_search_keeps_to_the_patience_and_respects_the_interrupt() {
        let mut player = builtin(&[]).unwrap();
        player.new_game(false).unwrap();
        let short = Duration::from_millis(50);
        let fault = player.go(START, &Go::Depth(100), short, &mut unobserved).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Hang);

        let (interrupt, setter) = Interrupt::manual().unwrap();
        player.interrupt = interrupt;
        let mut observe = |_: &Info| {
            setter.set();
            ControlFlow::Continue(())
        };
        let fault = player.go(START, &Go::Depth(100), PATIENCE, &mut observe).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Interrupted);
    }
}
