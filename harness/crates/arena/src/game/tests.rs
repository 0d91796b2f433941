use super::super::adjudication::Resign;
use super::super::scripted::{Answer, Scripted};
use super::*;
use harness_player::Go;
use harness_stats::GameScore;

const CONDUCT: Conduct = Conduct {
    rules: Rules::Chess,
    adjudication: Adjudication::move_limit(300),
    strictness: Strictness { margin: None, watchdog: Duration::from_secs(60) },
    restart: false,
    ponder: false,
    wait: None,
    comments: Vec::new(),
    lines: Vec::new(),
    checks: None,
};

fn play_from(
    opening: &Opening,
    conduct: &Conduct,
    limit: Limit,
    white: &mut Scripted,
    black: &mut Scripted,
) -> Result<PlayedGame, NoGame> {
    let limits = ByColor { white: limit, black: limit };
    play(
        Setup { opening, limits, conduct, tablebases: None },
        ByColor { white, black },
        &mut |_| {},
    )
}

fn play_with(white: &mut Scripted, black: &mut Scripted) -> Result<PlayedGame, NoGame> {
    let limit = Limit::Clock("1+0.1".parse().unwrap());
    play_from(&Opening::default(), &CONDUCT, limit, white, black)
}

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn a_game_ends_by_the_rules_with_the_move_that_ends_it() {
    let game = play_with(&mut Scripted::moves("f2f3 g2g4"), &mut Scripted::moves("e7e5 d8h4"));
    let game = game.unwrap();
    assert_eq!(game.result, GameScore::Loss);
    assert_eq!(game.termination, Termination::Checkmate);
    assert_eq!(game.reason, "Black mates");
    assert_eq!(game.moves.last().unwrap().san.to_string(), "Qh4#");
}

#[test]
fn every_fault_at_every_stage_is_a_loss_of_the_player_at_fault() {
    let cases = [
        (FaultKind::Hang, Termination::Stall, "White's connection stalls (silent)"),
        (FaultKind::Crash, Termination::Crash, "White crashes (silent)"),
        (FaultKind::Disconnect, Termination::Disconnect, "White disconnects (silent)"),
        (FaultKind::NoMove, Termination::NoMove, "White gives no move (silent)"),
    ];
    for (kind, termination, reason) in cases {
        for before in ["", "e2e4", "e2e4 g1f3"] {
            let mut bad = Scripted::moves(before).then(Answer::Fault(kind, "silent"));
            let game = play_with(&mut bad, &mut Scripted::default()).unwrap();
            assert_eq!(game.result, GameScore::Loss);
            assert_eq!((game.termination, game.reason.as_str()), (termination, reason));
            assert_eq!(game.moves.len(), 2 * before.split_whitespace().count());
        }
        let mut bad = Scripted { at_new_game: Some(kind), ..Default::default() };
        let game = play_with(&mut Scripted::default(), &mut bad).unwrap();
        assert_eq!((game.result, game.termination), (GameScore::Win, termination));
    }
}

#[test]
fn harness_trouble_and_interrupts_are_never_a_result() {
    for kind in [FaultKind::Start, FaultKind::Setting, FaultKind::Interrupted] {
        let mut bad = Scripted::moves("e2e4").then(Answer::Fault(kind, ""));
        let game = play_with(&mut bad, &mut Scripted::default());
        assert!(matches!(game, Err(NoGame::Player(fault)) if fault.kind == kind));
        let mut bad = Scripted { at_new_game: Some(kind), ..Default::default() };
        assert!(play_with(&mut Scripted::default(), &mut bad).is_err());
    }
}

#[test]
fn an_illegal_move_loses_and_is_named() {
    let mut black = Scripted::moves("e7e5 e8e5");
    let game = play_with(&mut Scripted::moves("e2e4 a2a3"), &mut black).unwrap();
    assert_eq!((game.result, game.termination), (GameScore::Win, Termination::IllegalMove));
    assert_eq!(game.reason, "Black makes an illegal move: e8e5");
}

#[test]
fn a_late_move_loses_even_if_it_mates_and_its_overrun_is_named() {
    let mut black = Scripted::moves("e7e5").then(Answer::Move("d8h4", None, ms(1213)));
    let game = play_with(&mut Scripted::moves("f2f3 g2g4"), &mut black).unwrap();
    assert_eq!((game.result, game.termination), (GameScore::Win, Termination::TimeForfeit));
    assert_eq!(game.reason, "Black loses on time (overrun 13 ms)");
}

#[test]
fn clocks_run_down_by_what_was_used_and_gain_the_increment() {
    let mut white = Scripted::default()
        .then(Answer::Move("e2e4", None, ms(400)))
        .then(Answer::Fault(FaultKind::Crash, ""));
    let mut black = Scripted::default().then(Answer::Move("e7e5", None, ms(100)));
    play_with(&mut white, &mut black).unwrap();
    let clocks: Vec<_> = [white.asked[0], black.asked[0], white.asked[1]]
        .map(|go| match go {
            Go::Clock(clocks) => (clocks.white, clocks.black),
            other => panic!("{other:?}"),
        })
        .into();
    assert_eq!(clocks, [(ms(1100), ms(1100)), (ms(800), ms(1100)), (ms(800), ms(1100)),]);
}

#[test]
fn the_rules_come_before_the_adjudicator() {
    let resign = Some(Resign { score: 100, moves: 1, two_sided: false });
    let conduct =
        Conduct { adjudication: Adjudication { resign, ..Default::default() }, ..CONDUCT };
    let opening =
        Opening { fen: Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1".to_owned()), moves: Vec::new() };
    let mut white =
        Scripted::default().then(Answer::Move("f1f7", Some(Score::Centipawns(-900)), ms(0)));
    let game = play_from(&opening, &conduct, Limit::Depth(1), &mut white, &mut Scripted::default());
    assert_eq!(game.unwrap().termination, Termination::Stalemate);
}

#[test]
fn book_moves_are_part_of_the_game_but_not_asked_for() {
    let opening =
        Opening { fen: None, moves: vec!["f2f3".parse().unwrap(), "e7e5".parse().unwrap()] };
    let mut white = Scripted::moves("g2g4");
    let mut black = Scripted::moves("d8h4");
    let game = play_from(&opening, &CONDUCT, Limit::Nodes(1), &mut white, &mut black).unwrap();
    assert_eq!(game.termination, Termination::Checkmate);
    assert_eq!(game.moves.len(), 4);
    assert!(game.moves[1].thought.is_none() && game.moves[2].thought.is_some());
    assert_eq!((white.asked.len(), black.asked.len()), (1, 1));
}

/// Plays from a list of moves, each with the reply that it expects, and notes where it ponders.
struct Ponderer {
    moves: std::vec::IntoIter<(&'static str, &'static str)>,
    pondered: Vec<String>,
}

impl Ponderer {
    fn new(moves: &[(&'static str, &'static str)]) -> Ponderer {
        Ponderer { moves: Vec::from(moves).into_iter(), pondered: Vec::new() }
    }

    fn next(&mut self) -> Reply {
        let (best_move, ponder) = self.moves.next().expect("a move in the script");
        Reply {
            best_move: best_move.parse().expect("a move in the script"),
            ponder: ponder.parse().ok(),
            info: harness_player::Info::default(),
            elapsed: Duration::ZERO,
        }
    }
}

impl Player for Ponderer {
    fn name(&self) -> &str {
        "ponderer"
    }

    fn new_game(&mut self, _chess960: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn set_options(
        &mut self,
        _options: &std::collections::BTreeMap<String, String>,
    ) -> Result<(), Fault> {
        Ok(())
    }

    fn ponder(&mut self, line: Line<'_>, _go: &Go) -> Result<bool, Fault> {
        self.pondered.push(line.moves.last().expect("a move").to_string());
        Ok(true)
    }

    fn ponder_hit(&mut self, _patience: Duration) -> Result<Reply, Fault> {
        Ok(self.next())
    }

    fn go_among(
        &mut self,
        _line: Line<'_>,
        _moves: &[UciMove],
        _go: &Go,
        _patience: Duration,
        _observe: &mut harness_player::Observer<'_>,
    ) -> Result<Reply, Fault> {
        Ok(self.next())
    }
}

#[test]
fn nobody_ponders_on_a_reply_that_ends_the_game_or_is_illegal() {
    let white = [("f2f3", "e7e5"), ("g2g4", "d8h4"), ("a2a3", "a7a6")];
    for (black, of_black) in [
        ([("e7e5", "g2g4"), ("d8h4", "e2e4")], &["g2g4"][..]),
        ([("e7e5", "e7e5"), ("d8h4", "")], &[]),
        ([("e7e5", "g4"), ("d8h4", "0000")], &[]),
    ] {
        let conduct = Conduct { ponder: true, ..CONDUCT };
        let mut white = Ponderer::new(&white);
        let mut black = Ponderer::new(&black);
        let limit = Limit::Clock("1+0.1".parse().unwrap());
        let game = play(
            Setup {
                opening: &Opening::default(),
                limits: ByColor { white: limit, black: limit },
                conduct: &conduct,
                tablebases: None,
            },
            ByColor { white: &mut white, black: &mut black },
            &mut |_| {},
        )
        .unwrap();
        assert_eq!(game.reason, "Black mates");
        assert_eq!(white.pondered, ["e7e5"]);
        assert_eq!(black.pondered, of_black);
    }
}
