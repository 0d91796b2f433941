use super::counts::{Counts, Scoreboard, Scored};
use super::fastchess::Heading;
use super::*;
use crate::arena::{FlawKind, Leg, Termination};
use crate::player::TimeControl;
use crate::runs::games::KeptGame;
use crate::stats::{GameScore, Model, Sprt};
use warnings::{Named, Place};

/// Counts of games and of pairs: won, lost and drawn; LL, LD, WL, DD, WD and WW.
fn counts([wins, losses, draws, ll, ld, wl, dd, wd, ww]: [u64; 9]) -> Counts {
    Counts {
        wins,
        losses,
        draws,
        penta_WW: ww,
        penta_WD: wd,
        penta_WL: wl,
        penta_DD: dd,
        penta_LD: ld,
        penta_LL: ll,
    }
}

/// The second to the last line but one of a block, without the heading.
fn inner(block: &str) -> Vec<&str> {
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines[0], "-".repeat(50));
    assert_eq!(lines.last(), lines.first());
    lines[2..lines.len() - 1].to_vec()
}

/// Numbers that fastchess 1.8 prints for these counts, where they are none, too.
#[test]
fn the_numbers_of_a_block_are_those_of_fastchess() {
    for (given, by_pairs, expected) in [
        (
            [2, 0, 0, 0, 0, 0, 0, 0, 1],
            true,
            [
                "Elo: inf +/- -nan, nElo: inf +/- -nan",
                "LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf",
                "Games: 2, Wins: 2, Losses: 0, Draws: 0, Points: 2.0 (100.00 %)",
                "Ptnml(0-2): [0, 0, 0, 0, 1], WL/DD Ratio: -nan",
            ],
        ),
        (
            [0, 2, 0, 1, 0, 0, 0, 0, 0],
            true,
            [
                "Elo: -inf +/- -nan, nElo: -inf +/- -nan",
                "LOS: 0.00 %, DrawRatio: 0.00 %, PairsRatio: 0.00",
                "Games: 2, Wins: 0, Losses: 2, Draws: 0, Points: 0.0 (0.00 %)",
                "Ptnml(0-2): [1, 0, 0, 0, 0], WL/DD Ratio: -nan",
            ],
        ),
        (
            [1, 1, 0, 0, 0, 1, 0, 0, 0],
            true,
            [
                "Elo: -0.00 +/- 0.00, nElo: -nan +/- -nan",
                "LOS: -nan %, DrawRatio: 100.00 %, PairsRatio: -nan",
                "Games: 2, Wins: 1, Losses: 1, Draws: 0, Points: 1.0 (50.00 %)",
                "Ptnml(0-2): [0, 0, 1, 0, 0], WL/DD Ratio: inf",
            ],
        ),
        (
            [1, 0, 1, 0, 0, 0, 0, 1, 0],
            true,
            [
                "Elo: 190.85 +/- 0.00, nElo: inf +/- -nan",
                "LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf",
                "Games: 2, Wins: 1, Losses: 0, Draws: 1, Points: 1.5 (75.00 %)",
                "Ptnml(0-2): [0, 0, 0, 1, 0], WL/DD Ratio: -nan",
            ],
        ),
        (
            [3, 0, 1, 0, 0, 0, 0, 1, 1],
            true,
            [
                "Elo: 338.04 +/- nan, nElo: 737.02 +/- 340.48",
                "LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf",
                "Games: 4, Wins: 3, Losses: 0, Draws: 1, Points: 3.5 (87.50 %)",
                "Ptnml(0-2): [0, 0, 0, 1, 1], WL/DD Ratio: -nan",
            ],
        ),
        (
            [3, 1, 4, 0, 0, 0, 2, 1, 0],
            true,
            [
                "Elo: 58.45 +/- 98.05, nElo: 173.72 +/- 278.00",
                "LOS: 88.97 %, DrawRatio: 66.67 %, PairsRatio: inf",
                "Games: 8, Wins: 3, Losses: 1, Draws: 4, Points: 5.0 (62.50 %)",
                "Ptnml(0-2): [0, 0, 2, 1, 0], WL/DD Ratio: 0.00",
            ],
        ),
        (
            [1, 1, 2, 0, 0, 1, 1, 0, 0],
            false,
            [
                "Elo: -0.00 +/- 296.58, nElo: 0.00 +/- 340.48",
                "LOS: 50.00 %, DrawRatio: 50.00 %",
                "Games: 4, Wins: 1, Losses: 1, Draws: 2, Points: 2.0 (50.00 %)",
                "",
            ],
        ),
        (
            [1, 0, 1, 0, 0, 0, 0, 1, 0],
            false,
            [
                "Elo: 190.85 +/- nan, nElo: 347.44 +/- 481.51",
                "LOS: 92.14 %, DrawRatio: 50.00 %",
                "Games: 2, Wins: 1, Losses: 0, Draws: 1, Points: 1.5 (75.00 %)",
                "",
            ],
        ),
    ] {
        let heading = Heading::default();
        let block = fastchess::block(["a", "b"], &heading, &counts(given), by_pairs, None);
        let expected: Vec<&str> = expected.into_iter().filter(|line| !line.is_empty()).collect();
        assert_eq!(inner(&block), expected, "{given:?}");
    }
}

#[test]
fn a_heading_names_what_both_engines_have_once() {
    let control = |text: &str| fastchess::clock(&text.parse::<TimeControl>().unwrap());
    let mut heading = Heading {
        limits: [control("0.601+0.006"), control("0.601+0.006")],
        threads: [Some("1".to_owned()), Some("1".to_owned())],
        hash: [Some("16".to_owned()), None],
        book: "UHO.epd".to_owned(),
    };
    let first = |heading: &Heading| {
        let block = fastchess::block(["New", "Base"], heading, &Counts::default(), true, None);
        block.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(first(&heading), "Results of New vs Base (0.601+0.006, 1t, 16MB - NULL, UHO.epd):");
    heading.limits = ["5000 nodes".to_owned(), control("40/60+0.6")];
    heading.book = String::new();
    assert_eq!(
        first(&heading),
        "Results of New vs Base (5000 nodes - 40/60+0.6, 1t, 16MB - NULL):"
    );
    for (text, shown) in
        [("8+0.08", "8+0.08"), ("10", "10"), ("1:30+1", "90+1"), ("5+0.125", "5+0.12")]
    {
        assert_eq!(control(text), shown);
    }
}

#[test]
fn a_test_has_its_ratio_in_each_form() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).unwrap();
    let counts = counts([313, 201, 66, 34, 54, 40, 23, 64, 75]);
    let heading = Heading::default();
    let block = fastchess::block(["a", "b"], &heading, &counts, true, Some(&sprt));
    assert_eq!(inner(&block).last(), Some(&"LLR: 1.30 (44.2%) (-2.94, 2.94) [0.00, 5.00]"));
    assert_eq!(
        cutechess::fastchess_llr(&sprt, &counts),
        "SPRT: llr 1.30 (44.2%), lbound -2.94, ubound 2.94\n"
    );
    let text = cutechess::elo("a", &cutechess::ByColour::default(), &counts, Some(&sprt));
    assert!(text.ends_with("SPRT: llr 1.3 (44.2%), lbound -2.94, ubound 2.94\n"), "{text}");
    let easy = Sprt::new(Model::Normalized, -100.0, -50.0, 0.05, 0.05).unwrap();
    assert!(cutechess::fastchess_llr(&easy, &counts).ends_with(" - H1 was accepted\n"));
    assert_eq!(
        fastchess::decided(&easy, true),
        "SPRT ([-100.00, -50.00]) completed - H1 was accepted\n"
    );
}

#[test]
fn scores_and_elo_are_those_of_cutechess() {
    let counts = counts([39, 28, 64, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        cutechess::score("e1", "e2", &counts),
        "Score of e1 vs e2: 39 - 28 - 64  [0.542] 131\n"
    );
    let sides = cutechess::ByColour { white: [30, 10, 26], black: [9, 18, 38] };
    assert_eq!(
        cutechess::elo("e1", &sides, &counts, None),
        "...      e1 playing White: 30 - 10 - 26  [0.652] 66\n\
         ...      e1 playing Black: 9 - 18 - 38  [0.431] 65\n\
         ...      White vs Black: 48 - 19 - 64  [0.611] 131\n\
         Elo difference: 29.2 +/- 42.8, LOS: 91.1 %, DrawRatio: 48.9 %\n"
    );
    assert_eq!(
        cutechess::fastchess_elo(&counts),
        "Elo difference: 29.24 +/- 42.77, LOS: 91.20 %, DrawRatio: 48.85 %\n"
    );
    let nothing = Counts::default();
    assert_eq!(cutechess::score("a", "b", &nothing), "Score of a vs b: 0 - 0 - 0  [-nan] 0\n");
}

fn game(pair: u64, white: usize, black: usize, result: GameScore) -> Scored {
    Scored { pair, white, black, result }
}

#[test]
fn games_count_with_their_pairs_or_one_by_one() {
    use GameScore::{Draw, Loss, Win};
    let games = [game(0, 0, 1, Win), game(1, 0, 1, Draw), game(0, 1, 0, Loss), game(1, 1, 0, Win)];
    let mut pairs = Scoreboard::new(true);
    let complete: Vec<bool> = games.iter().map(|game| pairs.add(game)).collect();
    assert_eq!(complete, [false, false, true, true]);
    let counts = pairs.of(0, 1);
    assert_eq!((counts.wins, counts.losses, counts.draws), (2, 1, 1));
    assert_eq!(counts.pentanomial().0, [0, 1, 0, 0, 1]);
    assert_eq!(pairs.of(1, 0).pentanomial().0, [1, 0, 0, 1, 0]);
    assert_eq!(pairs.of_all(1), pairs.of(1, 0));
    let mut single = Scoreboard::new(false);
    single.add(&games[0]);
    assert_eq!((single.of(0, 1).games(), single.of(0, 1).pairs()), (1, 0));
    let mut half = Scoreboard::new(true);
    half.add(&games[0]);
    assert_eq!(half.of(0, 1).games(), 0);
}

#[test]
fn the_ends_of_games_have_their_words() {
    use GameScore::{Draw, Loss, Win};
    use Termination as T;
    for (termination, result, ours, theirs, cutechess) in [
        (T::Checkmate, Win, "", "White mates", "White mates"),
        (
            T::TimeForfeit,
            Loss,
            "White loses on time (overrun 12 ms)",
            "White loses on time (12ms overrun)",
            "White loses on time",
        ),
        (T::Crash, Win, "Black crashes (exit status 1)", "Black disconnects", "Black disconnects"),
        (T::Disconnect, Loss, "", "White disconnects", "White disconnects"),
        (T::Stall, Win, "", "Black's connection stalls", "Black's connection stalls"),
        (
            T::IllegalMove,
            Win,
            "Black makes an illegal move: e8e5",
            "Black makes an illegal move",
            "Black makes an illegal move: e8e5",
        ),
        (T::NoMove, Loss, "", "White makes an illegal move", "White makes an illegal move"),
        (T::AdjudicatedWin, Loss, "", "Black wins by adjudication", "Black wins by adjudication"),
        (
            T::AdjudicatedDraw,
            Draw,
            "Draw by adjudication: SyzygyTB",
            "Draw by adjudication: SyzygyTB",
            "Draw by adjudication: SyzygyTB",
        ),
        (
            T::MaxMoves,
            Draw,
            "",
            "Draw by adjudication",
            "Draw by adjudication: maximal game length",
        ),
        (T::Stalemate, Draw, "", "Draw by stalemate", "Draw by stalemate"),
        (T::Repetition, Draw, "", "Draw by 3-fold repetition", "Draw by 3-fold repetition"),
        (T::FiftyMoves, Draw, "", "Draw by fifty moves rule", "Draw by fifty moves rule"),
        (
            T::InsufficientMaterial,
            Draw,
            "",
            "Draw by insufficient mating material",
            "Draw by insufficient mating material",
        ),
    ] {
        assert_eq!(reason::reason(termination, result, ours, false), theirs);
        assert_eq!(reason::reason(termination, result, ours, true), cutechess);
    }
    for (termination, tag) in [
        (T::Crash, "abandoned"),
        (T::Stall, "abandoned"),
        (T::NoMove, "illegal move"),
        (T::TimeForfeit, "time forfeit"),
        (T::Checkmate, "normal"),
        (T::MaxMoves, "adjudication"),
    ] {
        assert_eq!(reason::pgn_tag(termination), tag);
    }
}

#[test]
fn warnings_have_the_words_by_which_workers_find_them() {
    let mover = Named { name: "New", colour: "White" };
    let other = Named { name: "Base", colour: "Black" };
    let place = Place { fen: None, moves: "e2e4 e7e5" };
    let uci = "a2a3".parse().unwrap();
    for (kind, head) in [
        (FlawKind::IllegalMove(uci), "Warning; Illegal PV move - move a2a3 from New"),
        (
            FlawKind::AfterCheckmate(uci),
            "Warning; PV continues after checkmate - move a2a3 from New",
        ),
        (
            FlawKind::AfterStalemate(uci),
            "Warning; PV continues after stalemate - move a2a3 from New",
        ),
        (
            FlawKind::AfterRepetition(uci),
            "Warning; PV continues after threefold repetition - move a2a3 from New",
        ),
        (
            FlawKind::AfterFiftyMoves(uci),
            "Warning; PV continues after fifty-move rule - move a2a3 from New",
        ),
        (FlawKind::IncompleteMate, "Warning; Incomplete mating PV - from New"),
        (FlawKind::TooLongMate, "Warning; Too long mating PV - from New"),
        (FlawKind::NoMate, "Warning; Mating PV does not end with checkmate - from New"),
        (
            FlawKind::OtherBestMove(uci),
            "Warning; Bestmove does not match beginning of last PV - move a2a3 from New",
        ),
    ] {
        let parts = warnings::flaw(&kind, "info x", mover, other, place);
        assert_eq!(parts, [head, "Info; info x", "Position; startpos", "Moves; e2e4 e7e5"]);
    }
    let place = Place { fen: Some("8/8 w"), moves: "" };
    let signs = warnings::flaw(&FlawKind::MateSigns(3, 1), "a ; b", mover, other, place);
    assert_eq!(
        signs.join(" :: "),
        "Warning; Sign mismatch in mate scores 3 and 1 from Base (Black) and New (White) :: Infos; \
         a ; b :: Position; fen 8/8 w :: Moves; "
    );
    let scores = [
        (
            FlawKind::NoScoredLine,
            "Warning; No info line available to extract score from engine New",
        ),
        (
            FlawKind::UnreadableScore("score x".to_owned()),
            "Warning; Could not extract score from engine New: score x",
        ),
    ];
    for (kind, head) in scores {
        assert_eq!(warnings::flaw(&kind, "", mover, other, place), [head]);
    }
    let end = |termination, reason| {
        let (leg, result, pgn) = (Leg::First, GameScore::Win, "");
        let (pair, white, black) = (0, 0, 1);
        let game = KeptGame { pair, leg, white, black, result, termination, reason, pgn };
        warnings::end(&game, "Base")
    };
    assert_eq!(
        end(Termination::IllegalMove, "Black makes an illegal move: e8e5"),
        ["Warning; Illegal move e8e5 played by Base"]
    );
    let none = end(Termination::NoMove, "Black gives no move (it printed `bestmove (none)`)");
    assert_eq!(
        none,
        [
            "Warning; Move does not match uci move format, lowercase and 4/5 chars. Move (none) \
             played by Base",
            "Warning; Illegal move (none) played by Base"
        ]
    );
    let bare = end(Termination::NoMove, "Black gives no move (it printed `bestmove`)");
    assert!(bare[0].starts_with("Warning; No bestmove found from Base because: "), "{bare:?}");
    assert_eq!(end(Termination::Stall, ""), ["Warning; Engine Base is not responsive"]);
    assert_eq!(end(Termination::Crash, ""), [""; 0]);
}

#[test]
fn the_last_lines_are_those_of_fastchess() {
    assert_eq!(
        fastchess::end(3725),
        "Finished match\nTotal Time: 01:02:05 (hours:minutes:seconds)\n\n"
    );
    assert_eq!(fastchess::checksum("a.pgn", 0x0123_4567), "File a.pgn has CRC32: 0x1234567\n");
    assert_eq!(fastchess::losses(&[("x", 1, 0)]), "\nPlayer: x\n  Timeouts: 1\n  Crashed: 0\n\n");
    assert_eq!(fastchess::losses(&[]), "");
    assert_eq!(general(0.0, 2), "0");
    for (number, digits, text) in [
        (0.08, 2, "0.08"),
        (12.5, 2, "12"),
        (100.0, 2, "1e+02"),
        (0.00001, 2, "1e-05"),
        (1.0, 2, "1"),
        (-2.944, 3, "-2.94"),
        (0.5, 3, "0.5"),
    ] {
        assert_eq!(general(number, digits), text);
    }
}
