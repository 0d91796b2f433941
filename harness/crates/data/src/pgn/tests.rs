use super::*;
use crate::game::MoveEval;
use harness_player::Score;
use harness_stats::GameScore;

const GAME: &str = "[White \"a\"]\n[Black \"b\"]\n[Round \"7.1\"]\n[Result \"1-0\"]\n\
    [Termination \"normal\"]\n\n1. e4 {book} d5 {-0.45/9 0.01s} 2. exd5 {+0.50/12 0.01s 99n} \
    Qxd5 {-M4/9 0.01s} (2... Nf6 {+9.00/9}) 3. Nc3 1-0\n\n";

fn games(text: &str) -> Result<Vec<Game>, FormatError> {
    Reader::new("x.pgn", text.as_bytes(), &Flaws::default()).collect()
}

#[test]
fn a_game_that_contradicts_itself_is_dropped_or_corrected_with_the_reason() {
    let mate = "1. f3 e5 2. g4 Qh4#";
    let stalemate = "[FEN \"7k/5Q2/8/6K1/8/8/8/8 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Kg6 1-0";
    let tagged = |tags: &str, moves: &str| format!("{tags}\n\n{moves}\n\n");
    let atomic = tagged("[Variant \"Atomic\"]\n[Result \"1-0\"]", "1. e4 Zz9 1-0");
    let [lost, drawn, won] = GameScore::ALL.map(Some);
    let decides = Some(Flaw::BoardDecides);
    for (text, result, flaw) in [
        (tagged("[Result \"1-0\"]", &format!("{mate} 1-0")), lost, decides),
        (tagged("[Result \"0-1\"]", &format!("{mate} 1-0")), lost, decides),
        (tagged("[Result \"*\"]", &format!("{mate} *")), lost, decides),
        (tagged("[Result \"0-1\"]", &format!("{mate} 0-1")), lost, None),
        (stalemate.to_owned(), drawn, decides),
        (tagged("[Result \"1-0\"]", "1. e4 e5 0-1"), None, Some(Flaw::TwoResults)),
        (tagged("[Result \"1-0\"]", "1. e4 e5 *"), won, None),
        (tagged("[Result \"*\"]", "1. e4 e5 1/2-1/2"), drawn, None),
        (atomic, None, Some(Flaw::OtherVariant)),
        (tagged("[Variant \"Chess 960\"]\n[Result \"1-0\"]", "1. e4 1-0"), won, None),
    ] {
        let flaws = Flaws::default();
        // The next game is read as well.
        let both = format!("{text}\n\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n");
        let read = Reader::new("x.pgn", both.as_bytes(), &flaws);
        let read: Vec<Game> = read.collect::<Result<_, _>>().expect(&text);
        let dropped = flaw.is_some_and(|flaw| !flaw.is_corrected());
        assert_eq!(read.len(), 2 - usize::from(dropped), "{text}");
        if !dropped {
            assert_eq!(read[0].result, result, "{text}");
        }
        let found: Vec<Flaw> =
            flaws.dropped().into_keys().chain(flaws.corrected().into_keys()).collect();
        assert_eq!(found, flaw.into_iter().collect::<Vec<_>>(), "{text}");
        // The place of a game as a whole is its first line.
        let lines = flaw.iter().flat_map(|&flaw| flaws.examples(flaw));
        assert!(lines.map(|example| example.line).all(|line| line == 1), "{text}");
    }
}

#[test]
fn a_game_with_more_plies_than_can_be_numbered_is_dropped_and_counted() {
    let game =
        |rounds: usize| format!("[Result \"1-0\"]\n\n{}1-0\n\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(rounds));
    let flaws = Flaws::default();
    let text = game(16_384) + &game(16_383);
    let read = Reader::new("x.pgn", text.as_bytes(), &flaws);
    let plies: Vec<usize> = read.map(|game| game.expect("sound").turns.len()).collect();
    assert_eq!(plies, [65_532]);
    assert_eq!(flaws.dropped(), [(Flaw::TooLong, 1)].into());
}

#[test]
fn for_results_alone_moves_are_checked_until_the_board_is_unknown() {
    let text = "[White \"a\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n\
        [Result \"1-0\"]\n[Termination \"time forfeit\"]\n\n1. e4 1-0\n\n\
        [Result \"1-0\"]\n\n1. e4 Ke4 2. f3 1-0\n\n[Result \"1-0\"]\n\n1. e4 0-1\n\n";
    let flaws = Flaws::default();
    let read = Reader::new("x.pgn", text.as_bytes(), &flaws).results_only();
    let results: Vec<_> = read.map(|game| game.expect("read").result).collect();
    assert_eq!(results, [Some(GameScore::Loss), Some(GameScore::Win), Some(GameScore::Win)]);
    assert_eq!(flaws.dropped(), [(Flaw::TwoResults, 1)].into());
    assert_eq!(flaws.corrected(), [(Flaw::BoardDecides, 1)].into());
}

#[test]
fn moves_have_the_evaluations_of_their_comments() {
    let game = games(GAME).expect("a game").remove(0);
    assert_eq!((game.result, &*game.round, &*game.names[1]), (Some(GameScore::Win), "7.1", "b"));
    let eval: Vec<Option<MoveEval>> = game.turns.iter().map(|turn| turn.eval).collect();
    let of = |score, depth| Some(MoveEval { score, depth });
    let low = Score::Centipawns(-45);
    let high = Score::Centipawns(50);
    assert_eq!(eval, [None, of(low, 9), of(high, 12), of(Score::Mate(-2), 9), None]);
    let records: Vec<_> = game.records(1).collect();
    assert_eq!(records[3].ply, Some(3));
    assert_eq!(records[1].score, Some(Score::Centipawns(45)));
    assert_eq!(records[2].source.as_ref().map(|by| &*by.opponent), Some("b"));
}

#[test]
fn a_score_may_stand_behind_its_line() {
    let text = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n\
        1. e4 {(e2e4 e7e5 g1f3) +0.28/14 7} e5 {(e7e5) -0.20/13 8} 2. Nf3 {(a plan 1/2)} 1-0\n";
    let game = games(text).expect("a game").remove(0);
    let eval: Vec<Option<(Score, u8)>> =
        game.turns.iter().map(|turn| turn.eval.map(|eval| (eval.score, eval.depth))).collect();
    let of = |score, depth| Some((Score::Centipawns(score), depth));
    assert_eq!(eval, [of(28, 14), of(-20, 13), None]);
}

#[test]
fn an_engines_own_score_goes_before_the_evaluation_of_the_move_before() {
    let text = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n\
        1. e4 {+0.41/9 0.010s 5n, [%eval 0.41] [%clk 0:00:59.5]} e5 {-0.30/8 0.010s, [%eval 0.30]} \
        2. Nf3 {book} Nc6 {+0.05/7 0.010s, [%eval -0.05]} 1-0\n";
    let game = games(text).expect("a game").remove(0);
    let eval: Vec<Option<(Score, u8)>> =
        game.turns.iter().map(|turn| turn.eval.map(|eval| (eval.score, eval.depth))).collect();
    let of = |score, depth| Some((Score::Centipawns(score), depth));
    assert_eq!(eval, [of(41, 9), of(-30, 8), of(30, 0), of(5, 7)]);
}

#[test]
fn moves_have_the_evaluations_of_tcec_and_chessbase() {
    let text = "[Result \"1-0\"]\n[Termination \"normal\"]\n\n{WhiteEngineOptions: Hash=16;}\n\
        1. e4 {book, mb=+0+0+0+0+0,} e5 {d=31, sd=40, tl=100, wv=0.25, R50=50, mb=+0+0+0+0+0,} \
        2. Nf3 {[%eval 34,19]} Nc6 2. Bb5 {d=30, sd=41, wv=-0.10,} 1-0\n";
    let game = games(text).expect("a game").remove(0);
    let eval: Vec<Option<(Score, u8)>> =
        game.turns.iter().map(|turn| turn.eval.map(|eval| (eval.score, eval.depth))).collect();
    let of = |score, depth| Some((Score::Centipawns(score), depth));
    assert_eq!(eval, [None, of(-25, 31), None, of(-34, 19), of(-10, 30)]);
}

#[test]
fn an_evaluation_of_lichess_belongs_to_the_position_after_the_move() {
    let text = "[Result \"1-0\"]\n[Termination \"Normal\"]\n\n1. e4 { [%eval 0.36,22] [%clk \
        0:10:00] } 1... f6 { [%eval 0.94] } 2. d4 g5 { [%eval #1] [%clk 0:09:00] } 3. Qh5# 1-0\n";
    let game = games(text).expect("a game").remove(0);
    let eval: Vec<Option<MoveEval>> = game.turns.iter().map(|turn| turn.eval).collect();
    let of = |score, depth| Some(MoveEval { score, depth });
    let black = Score::Centipawns(-36);
    let white = Score::Centipawns(94);
    assert_eq!(eval, [None, of(black, 22), of(white, 0), None, of(Score::Mate(1), 0)]);
}

#[test]
fn a_file_of_another_format_called_pgn_is_refused() {
    for text in [
        "fen,score,result\n8/8/8/8,3,1\n",
        "\u{1}\u{2}",
        "<html>",
        "[\n{\"a\": 1}]\n",
        "# a book\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
        "{ only a comment }\n",
        "just words\n\nof two paragraphs\n",
        "*\n",
    ] {
        let error = games(text).expect_err(text).to_string();
        assert!(error.contains("game 1: neither tags nor moves"), "{error}");
    }
    for text in ["\n\n", "", "\u{feff}", "\0\0"] {
        assert_eq!(games(text).expect("empty"), []);
    }
    // Text before the games is no reason to refuse them, and neither is some behind them.
    let flaws = Flaws::default();
    let text = format!("made by a program\n{GAME}\n{{ the end }}\n");
    let read = Reader::new("x.pgn", text.as_bytes(), &flaws);
    assert_eq!(read.map(|game| game.expect("read").turns.len()).collect::<Vec<_>>(), [5]);
    assert_eq!(flaws.dropped(), [(Flaw::NoGame, 2)].into());
}

#[test]
fn a_game_lost_on_time_has_no_result_and_mate_is_mate() {
    let mate = "[Result \"0-1\"]\n[Termination \"time forfeit\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    assert_eq!(games(mate).expect("a game")[0].result, Some(GameScore::Loss));
    for (ending, result) in [
        ("time forfeit", None),
        ("Abandoned", None),
        ("a won - game abandoned", None),
        ("unterminated", None),
        ("Rules infraction", None),
        ("a won by resignation", Some(GameScore::Win)),
        ("a won on time", Some(GameScore::Win)),
        ("Normal", Some(GameScore::Win)),
    ] {
        let text = GAME.replace("\"normal\"", &format!("\"{ending}\""));
        assert_eq!(games(&text).expect("a game")[0].result, result, "{ending}");
    }
}

#[test]
fn one_game_that_cannot_be_read_is_dropped_with_its_place_and_the_others_are_read() {
    let fen = |fen: &str| format!("[FEN \"{fen}\"]\n\n1. e4 1-0\n");
    for (text, flaw, says) in [
        (GAME.replace("Nc3", "Nc4"), Flaw::IllegalMove, "x.pgn:15: `Nc4` is no legal move (3.)"),
        (GAME.replace("Nc3", "12.Nf3Nc6"), Flaw::IllegalMove, "`Nf3Nc6`"),
        (GAME.replace("Nc3", "--"), Flaw::IllegalMove, "`--`"),
        (GAME.replace("Nc3", "Ne"), Flaw::IllegalMove, "`Ne`"),
        (GAME.replace("Nc3", "} Nc3"), Flaw::IllegalMove, "`}`"),
        (GAME.replace("Nc3", "\u{1b}[2J"), Flaw::IllegalMove, "`\\u001b`"),
        (fen("8/8/8/8/8/8/8/8 w - - 0 1"), Flaw::IllegalPosition, "FEN `8/8"),
        (fen("rubbish"), Flaw::IllegalPosition, "FEN `rubbish`"),
    ] {
        let all = format!("{GAME}{text}\n\n{GAME}");
        let flaws = Flaws::default();
        let read = Reader::new("x.pgn", all.as_bytes(), &flaws);
        let plies: Vec<usize> = read.map(|game| game.expect("read").turns.len()).collect();
        assert_eq!(plies, [5, 5], "{text}");
        assert_eq!(flaws.dropped(), [(flaw, 1)].into(), "{text}");
        assert!(flaws.to_string().contains(says), "{text}: {flaws}");
        // Where no game may be left out it is an error.
        let strict = Reader::new("x.pgn", all.as_bytes(), &Flaws::strict());
        let error = strict.collect::<Result<Vec<_>, _>>().expect_err("strict").to_string();
        assert!(error.starts_with("x.pgn: game 2: line "), "{error}");
        // For results alone it is read as far as it goes.
        let read = Reader::new("x.pgn", all.as_bytes(), &Flaws::default()).results_only();
        assert_eq!(read.filter(Result::is_ok).count(), 3, "{text}");
    }
}

#[test]
fn moves_of_all_spellings_are_those_of_one_game() {
    let plain = "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 d5 2. e5 f5 3. exf6 Nc6 4. Nf3 e6 5. f7+ Ke7 6. fxg8=Q 1-0";
    let wanted = games(plain).expect("a game").remove(0);
    assert_eq!(wanted.turns.len(), 11);
    for moves in [
        "1. e2-e4 d7-d5 2. e4-e5 f7-f5 3. e5xf6e.p. Nb8-c6 4. Ng1-f3 e7-e6 5. f6-f7+ Ke8-e7 6. f7xg8Q",
        "e2e4 d7d5 e4e5 f7f5 e5f6 b8c6 g1f3 e7e6 f6f7 e8e7 f7g8q",
        "1.e4± d5= 2.e5 ∓ f5!? 3.exf6 e.p. ♞c6 4.♘f3+/- e6 $1 5.f7++ Ke7 6.fxg8(Q)",
        "1.e4 1...d5 2.Pe5 f5 {x} {y} 3. ef6 (3. d4 (3. Nf3) 3... e6) 3... Nc6 ; z {\n4. nf3 e6 5. f7ch Ke7 6. fg8=Q",
        "1 e4 d5 2 e5 f5 3 e:f6 Nc6 4 Nf3 e6 5 f7 Ke7 6 f:g8/Q",
        "1... e4 7. d5\n\n2. e5\n\n\nf5 3… exf6 N Nc6 4. N1f3 e6\n% 5. h4 {\n5. f7+ mate Ke7 6. fxg8=q",
    ] {
        let text = format!("[White \"a\"]\n[Result \"1-0\"]\n\n{moves} 1-0");
        let game = games(&text).unwrap_or_else(|error| panic!("{error}: {moves}"));
        assert_eq!(game, std::slice::from_ref(&wanted), "{moves}");
    }
}

#[test]
fn what_was_read_in_part_is_said() {
    for (text, flaw) in [
        (GAME.replace("{+9.00/9}", "{+9.00/9").as_str(), Flaw::Unclosed),
        (GAME.replace("{+9.00/9})", "").as_str(), Flaw::Unclosed),
        (GAME.replace("\"a\"", &format!("\"{}\"", "a".repeat(70_000))).as_str(), Flaw::Cut),
        (GAME.replace("{book}", &format!("{{{}}}", "a".repeat(2 << 20))).as_str(), Flaw::Cut),
    ] {
        let flaws = Flaws::default();
        let read = Reader::new("x.pgn", text.as_bytes(), &flaws);
        assert_eq!(read.filter(Result::is_ok).count(), 1);
        assert_eq!(flaws.corrected(), [(flaw, 1)].into());
    }
}

#[test]
fn games_of_tags_alone_are_counted() {
    let flaws = Flaws::default();
    let text = format!(
        "[White \"a\"]\n[Result \"1-0\"]\n\n{{forfeit}}\n\n1-0\n\n{GAME}[Result \"0-1\"]\n"
    );
    let read = Reader::new("x.pgn", text.as_bytes(), &flaws).results_only();
    let read = read.map(|game| game.expect("read"));
    let results: Vec<_> = read.map(|game| (game.result, game.has_moves)).collect();
    let [lost, _, won] = GameScore::ALL.map(Some);
    assert_eq!(results, [(won, false), (won, true), (lost, false)]);
    assert_eq!(flaws.dropped().len(), 0);
}

#[test]
fn names_are_equal_whatever_their_encoding() {
    let mut text = b"[White \"M\xfcller\"]\n[Black \"M\xf6ller\"]\n\n1. e4 *\n".to_vec();
    text.extend("[White \"Müller\"]\n[Black \"Möller\"]\n\n1. e4 *\n".as_bytes());
    let read = Reader::new("x.pgn", &*text, &Flaws::default());
    for game in read {
        assert_eq!(game.expect("read").names, ["Müller", "Möller"]);
    }
}
