use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position, Square};

use super::*;
use harness_player::{Go, Info, Line, Observer, Reply, Score};

/// Two games of 16 plies, their first six the same; the second has an illegal move at the end.
const GAMES: &str = "\
[White \"A \\\"the\\\" First\"]\n[Black \"B\"]\n[Round \"3.1\"]\n\n\
1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 1/2-1/2\n\n\
[White \"A\"]\n[Black \"?\"]\n\n\
1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Nbd2 Kh8 9. Ke5 1-0\n\n\
[White \"A\"]\n[Variant \"Atomic\"]\n\n1. e4 e5 *\n";

fn candidates(seed: u64, every: u32) -> Candidates {
    let mut candidates = Candidates::new(seed, every);
    candidates.read(GAMES.as_bytes()).expect("readable");
    candidates
}

/// Says two lines an iteration, the same at every depth but the last.
struct ScriptedPlayer {
    two_lines: bool,
    respects: bool,
}

impl ScriptedPlayer {
    fn new(two_lines: bool) -> ScriptedPlayer {
        ScriptedPlayer { two_lines, respects: true }
    }
}

impl Player for ScriptedPlayer {
    fn name(&self) -> &str {
        "scripted"
    }

    fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        assert_eq!(options["MultiPV"], "2");
        Ok(())
    }

    fn default_of(&self, _option: &str) -> Option<i64> {
        self.two_lines.then_some(1)
    }

    /// Castling is worth 300, everything else nothing.
    fn go_among(
        &mut self,
        line: Line<'_>,
        among: &[UciMove],
        _go: &Go,
        _patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        let fen: Fen = line.fen.expect("a position").parse().expect("a FEN");
        let position: Chess = fen.into_position(CastlingMode::Standard).expect("legal");
        let mut moves: Vec<UciMove> =
            position.legal_moves().iter().map(|m| m.to_uci(CastlingMode::Standard)).collect();
        moves.retain(|m| among.is_empty() || among.contains(m) || !self.respects);
        let castles =
            |m: &UciMove| matches!(m.to_move(&position), Ok(shakmaty::Move::Castle { .. }));
        moves.sort_by_key(|m| !castles(m));
        let info = |place: usize, depth: u32| Info {
            line: place as u32,
            depth: Some(depth),
            score: Some(Score::Centipawns(if castles(&moves[place - 1]) { 300 } else { 0 })),
            pv: vec![moves[place - 1]],
            ..Info::default()
        };
        for depth in 1..4 {
            let _ = observe(&info(1, depth));
            if self.two_lines {
                let _ = observe(&info(2, depth));
            }
        }
        // The last iteration was not finished: its first line says nothing of the second.
        let unfinished = Info { score: Some(Score::Centipawns(900)), ..info(1, 4) };
        let info = if self.two_lines { unfinished } else { info(1, 3) };
        let _: ControlFlow<()> = observe(&info);
        Ok(Reply { best_move: moves[0], ponder: None, info, elapsed: Duration::ZERO })
    }
}

const RECIPE: Recipe = Recipe { nodes: 1, verify_nodes: 10, margin: 120, positions: 50 };

fn made(
    candidates: &Candidates,
    jobs: usize,
    player: fn() -> ScriptedPlayer,
) -> Result<(Vec<SuitePosition>, MakeTally), MakeError> {
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let start = |_: &EngineSpec, _: &Interrupt| Ok(Box::new(player()) as Box<dyn Player + Send>);
    make(
        &RECIPE,
        &candidates.shuffled(),
        jobs,
        &EngineSpec::builtin("scripted"),
        &start,
        &interrupt,
        &mut |_| {},
    )
}

#[test]
fn candidates_come_after_the_opening_once_each_and_not_of_what_cannot_be_read() {
    let all = candidates(1, 1);
    assert_eq!((all.games, all.faulty), (3, 2));
    let mut plies: Vec<(u64, u32)> =
        all.shuffled().iter().map(|candidate| (candidate.game, candidate.ply)).collect();
    plies.sort_unstable();
    // The games part at ply 15.
    assert_eq!(plies, [(0, 12), (0, 13), (0, 14), (0, 15), (0, 16), (1, 15), (1, 16)]);
    assert_eq!(all.title(0), "game 1 (A \"the\" First - B, round 3.1)");
    assert_eq!(all.title(1), "game 2");
    assert_eq!(candidates(1, 100).len(), 2);
}

#[test]
fn the_order_and_the_choice_follow_from_the_seed() {
    let order = |seed| -> Vec<String> {
        candidates(seed, 2).shuffled().iter().map(|candidate| candidate.epd()).collect()
    };
    assert_eq!(order(1), order(1));
    assert!((2..20).any(|seed| order(seed) != order(1)));
}

#[test]
fn a_move_is_clear_when_it_alone_is_good_and_not_obvious() {
    use Score::{Centipawns as Cp, Mate};
    let fen: Fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().expect("a FEN");
    let position: Chess = fen.into_position(CastlingMode::Standard).expect("legal");
    let best = "e4d5".parse::<UciMove>().expect("a move").to_move(&position).expect("legal");
    let castling = CastlingMode::Standard;
    let candidate = Candidate { game: 0, ply: 20, position, castling, captured_on: None };
    for (score, second, clear) in [
        (Cp(150), Cp(30), true),
        (Cp(150), Cp(31), false),
        (Cp(20), Cp(-300), true),
        (Cp(-100), Cp(-300), true),
        (Cp(-101), Cp(-600), false),
        (Cp(900), Cp(400), true),
        (Cp(900), Cp(401), false),
        (Mate(3), Cp(200), true),
        (Mate(3), Mate(7), false),
        (Mate(3), Cp(15_000), false),
        (Cp(0), Mate(-2), true),
        (Mate(-9), Mate(-1), false),
    ] {
        let contrast = Contrast { best, score, second };
        assert_eq!(contrast.is_clear(&candidate, 120), clear, "{score:?} {second:?}");
    }
    let taken = Candidate { captured_on: Some(Square::D5), ..candidate };
    assert!(!Contrast { best, score: Cp(500), second: Cp(0) }.is_clear(&taken, 120));
}

#[test]
fn a_suite_depends_neither_on_the_number_of_players_nor_on_the_way_of_searching() {
    let mut games = Candidates::new(1, 1);
    // Castling is possible from ply 12 to the end, for one side or the other.
    let pgn = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. Be3 Be6 7. h3 h6 8. a3 a6 *\n";
    games.read(pgn.as_bytes()).expect("readable");
    let naming = Naming { name: "x".into(), engine: "scripted".into(), header: "a\nb".into() };
    let text = |jobs, player| {
        let (found, tally) = made(&games, jobs, player).expect("made");
        assert_eq!((tally.searched, tally.kept, tally.verified, tally.failed), (5, 5, 5, 0));
        to_epd(&naming, RECIPE.verify_nodes, &found, &games)
    };
    let suite = text(1, || ScriptedPlayer::new(true));
    assert_eq!(suite, text(3, || ScriptedPlayer::new(true)));
    assert_eq!(suite, text(2, || ScriptedPlayer::new(false)));
    let first = suite.lines().next().unwrap_or_default();
    assert!(first.ends_with("; c1 \"a\"; c2 \"b\";"), "{suite}");
    assert_eq!(suite.matches("c1 \"a\"").count(), 1);
    assert!(
        suite.contains(" bm O-O; id \"x.001\"; c0 \"from game 1, ply 12, margin 300 cp, scripted")
    );
    let read = harness_notation::epd::read("x", suite.as_bytes()).expect("a suite");
    assert_eq!(read.len(), 5);
}

#[test]
fn no_more_positions_than_wanted_are_taken() {
    let games = candidates(1, 1);
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let castling = |collector: &mut Collector| {
        for (index, candidate) in games.shuffled().into_iter().enumerate().rev() {
            let best = candidate.position.legal_moves()[0];
            let score = Score::Mate(2);
            let second = Score::Centipawns(0);
            let contrast = Contrast { best, score, second };
            collector.take(index as u64, Stage::Verified(contrast), &games.shuffled(), 3);
        }
    };
    let mut collector = Collector::default();
    castling(&mut collector);
    assert_eq!((collector.found.len(), collector.tally.searched), (3, 3));
    assert_eq!(collector.found[0].margin_text(), "mate in 2");
    let none = Recipe { margin: 9_000, ..RECIPE };
    let start = |_: &EngineSpec, _: &Interrupt| {
        Ok(Box::new(ScriptedPlayer::new(true)) as Box<dyn Player + Send>)
    };
    let made = make(
        &none,
        &games.shuffled(),
        2,
        &EngineSpec::builtin("scripted"),
        &start,
        &interrupt,
        &mut |_| {},
    )
    .expect("made");
    assert_eq!((made.0.len(), made.1.searched, made.1.kept), (0, 7, 0));
}

#[test]
fn an_engine_that_cannot_score_its_second_best_move_is_refused() {
    let games = candidates(1, 1);
    let deaf = made(&games, 1, || ScriptedPlayer { respects: false, two_lines: false });
    assert!(matches!(deaf, Err(MakeError::NoSecondBest { .. })), "{deaf:?}");
}

#[test]
fn an_interrupt_ends_the_making_with_what_was_found() {
    // More than the worker searches before it sees the interrupt.
    let all = candidates(1, 1);
    let games = all.shuffled().repeat(2_000);
    let (interrupt, setter) = Interrupt::manual().expect("a pipe");
    let start = |_: &EngineSpec, _: &Interrupt| {
        Ok(Box::new(ScriptedPlayer::new(true)) as Box<dyn Player + Send>)
    };
    let mut searched = 0;
    let made = make(
        &RECIPE,
        &games,
        1,
        &EngineSpec::builtin("scripted"),
        &start,
        &interrupt,
        &mut |tally| {
            searched = tally.searched;
            setter.set();
        },
    );
    assert!(made.is_ok() && (1..games.len() as u64).contains(&searched), "{searched}");
}
