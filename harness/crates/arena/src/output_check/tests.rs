use super::super::variant::Rules;
use super::*;

/// The flaws of a search after some moves from a position, without their lines.
fn flaws(fen: Option<&str>, moves: &str, lines: &str, best: &str, mates: bool) -> Vec<FlawKind> {
    let mut referee = Referee::new(fen, Rules::Chess).unwrap();
    for played in moves.split_whitespace() {
        let legal = referee.legal(played.parse().unwrap()).expect(played);
        referee.make(legal);
    }
    let mut found = Vec::new();
    let lines: String = lines.split(';').map(|line| format!("{}\n", line.trim())).collect();
    let mut check = OutputCheck::new(&referee, OutputChecks { mates });
    check.run(&lines, best.parse().ok(), &mut |flaw| found.push(flaw.kind));
    found
}

fn uci(text: &str) -> UciMove {
    text.parse().unwrap()
}

#[test]
fn what_a_variation_has_behind_its_end_is_seen() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    let stalemate = Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
    let late = Some("4k3/8/8/8/8/8/R7/4K3 w - - 98 80");
    let late_mate = Some("k7/8/1K6/8/8/8/8/7R w - - 99 80");
    for (fen, moves, pv, flaw) in [
        (None, "", "e2e4 e7e5 g1f3", None),
        (None, "", "e2e4 e2e5", Some(FlawKind::IllegalMove(uci("e2e5")))),
        (None, "", "e2e4 e7e5 e1g1", Some(FlawKind::IllegalMove(uci("e1g1")))),
        (None, "f2f3 e7e5 g2g4", "d8h4", None),
        (None, "f2f3 e7e5 g2g4", "d8h4 a2a3", Some(FlawKind::AfterCheckmate(uci("a2a3")))),
        (stalemate, "", "f1f7 h8g8", Some(FlawKind::AfterStalemate(uci("h8g8")))),
        (None, shuffle, "f6g8 e2e4", Some(FlawKind::AfterRepetition(uci("e2e4")))),
        (None, shuffle, "f6g8", None),
        (None, shuffle, "f6d5 e2e4", None),
        (
            None,
            "",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4",
            Some(FlawKind::AfterRepetition(uci("e2e4"))),
        ),
        (
            None,
            "",
            "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1 e7e5",
            Some(FlawKind::AfterRepetition(uci("e7e5"))),
        ),
        (None, "", "g1f3 g8f6 f3g1 f6g8 e2e4 g8f6 g1f3 f6g8 f3g1 g8f6", None),
        (late, "", "a2b2 e8e7 b2b3", Some(FlawKind::AfterFiftyMoves(uci("b2b3")))),
        (late, "", "a2b2 e8e7", None),
        (late_mate, "", "h1h8 a8a7", Some(FlawKind::AfterCheckmate(uci("a8a7")))),
    ] {
        let line = format!("info depth 1 score cp 0 pv {pv}");
        let first = pv.split(' ').next().unwrap();
        let found = flaws(fen, moves, &line, first, false);
        assert_eq!(found, flaw.clone().into_iter().collect::<Vec<_>>(), "{moves} | {pv}");
        // The same where most of it is known from a line before.
        let shorter = pv.rsplit_once(' ').map_or(pv, |(shorter, _)| shorter);
        let line = format!("info score cp 0 pv {shorter}; {line}");
        let found = flaws(fen, moves, &line, first, false);
        assert_eq!(found, flaw.into_iter().collect::<Vec<_>>(), "again: {moves} | {pv}");
    }
}

#[test]
fn a_mate_has_as_many_moves_as_it_says_and_ends_with_it() {
    let moves = "f2f3 e7e5 g2g4";
    for (line, flaw) in [
        ("score mate 1 pv d8h4", None),
        ("score mate 2 pv d8h4", Some(FlawKind::IncompleteMate)),
        ("score mate 1 pv a7a6 a2a3", Some(FlawKind::TooLongMate)),
        ("score mate 1 pv a7a6", Some(FlawKind::NoMate)),
        ("score mate 2 lowerbound pv d8h4", None),
        ("score mate -1 pv a7a6", Some(FlawKind::IncompleteMate)),
        ("score mate 3", None),
        ("score cp 30000 pv d8h4", None),
    ] {
        let line = format!("info depth 1 {line}");
        let best = line.rsplit(" pv ").next().unwrap().split(' ').next().unwrap();
        assert_eq!(flaws(None, moves, &line, best, true), flaw.into_iter().collect::<Vec<_>>());
        assert_eq!(flaws(None, moves, &line, best, false), []);
    }
}

#[test]
fn the_move_begins_the_last_variation_and_a_search_has_a_score() {
    let other = |text| vec![FlawKind::OtherBestMove(uci(text))];
    for (lines, best, expected) in [
        ("info score cp 1 pv e2e4", "e2e4", vec![]),
        ("info score cp 1 pv e2e4", "d2d4", other("d2d4")),
        ("info score cp 1 pv d2d4; info score cp 2 pv e2e4", "d2d4", other("d2d4")),
        ("info score cp 1 pv e2e4; info multipv 2 score cp 2 pv d2d4", "e2e4", vec![]),
        ("info score cp 1 pv e2e4; info score cp 2 upperbound pv d2d4", "e2e4", vec![]),
        ("info score cp 1 pv e2e4; info score cp 2", "d2d4", vec![]),
        ("info depth 3", "e2e4", vec![FlawKind::NoScoredLine]),
        ("info string score cp 5", "e2e4", vec![FlawKind::NoScoredLine]),
        ("info score cp x", "e2e4", vec![FlawKind::UnreadableScore("score cp x".to_owned())]),
        // An illegal move is another matter.
        ("info score cp 1 pv e2e4", "(none)", vec![]),
    ] {
        assert_eq!(flaws(None, "", lines, best, true), expected, "{lines} {best}");
    }
    let referee = Referee::new(None, Rules::Chess).unwrap();
    let mut check = OutputCheck::new(&referee, OutputChecks::default());
    check.run("", Some(uci("e2e4")), &mut |flaw| panic!("{flaw:?}"));
}

#[test]
fn the_score_is_that_of_the_last_line_that_is_no_bound() {
    let lines = "info score mate 3 pv a\ninfo score cp 5\ninfo score cp 9 lowerbound\n";
    assert_eq!(scored_line(lines), Some("info score cp 5"));
    let bounds = "info score cp 1 upperbound\ninfo multipv 2 score cp 3\n";
    assert_eq!(scored_line(bounds), Some("info score cp 1 upperbound"));
    assert_eq!(scored_line("info depth 1\n"), None);
    assert_eq!(mate_of("info score mate -3"), Some(-3));
    assert_eq!(mate_of("info score cp 3"), None);
}
