use std::time::Duration;

use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::super::adjudication::Adjudication;
use super::super::clock::Strictness;
use super::super::game::{Conduct, play};
use super::super::record::Opening;
use super::super::scripted::{Answer, Scripted};
use super::super::termination::Termination;
use super::*;
use harness_notation::pgn::{Event, Lexer};
use harness_player::FaultKind;
use harness_stats::GameScore;

const CONDUCT: Conduct = Conduct {
    rules: Rules::Chess,
    adjudication: Adjudication::move_limit(60),
    strictness: Strictness { margin: None, watchdog: Duration::from_secs(60) },
    restart: false,
    ponder: false,
    wait: None,
    comments: Vec::new(),
    lines: Vec::new(),
    checks: None,
};

/// A game as read back.
#[derive(Default)]
struct Read {
    tags: Vec<(String, String)>,
    comments: Vec<String>,
    plies: usize,
    last: Chess,
    outcome: String,
}

fn read_back(text: &str) -> Read {
    let mut lexer = Lexer::new(text.as_bytes());
    let mut read = Read::default();
    while let Some(event) = lexer.next_event().expect("memory can be read") {
        match event {
            Event::Begin | Event::End { unclosed: false } => {}
            Event::Tag(tag) => {
                let name = String::from_utf8(tag.name.to_vec()).unwrap();
                let value = tag.text();
                if name == "FEN" {
                    let chess960 = read.tag("Variant").is_some();
                    let mode = CastlingMode::from_chess960(chess960);
                    read.last = value.parse::<Fen>().unwrap().into_position(mode).unwrap();
                }
                read.tags.push((name, value.into_owned()));
            }
            Event::Move(word) => {
                // What is written is plain SAN.
                let san: shakmaty::san::San = std::str::from_utf8(word).unwrap().parse().unwrap();
                let legal = san.to_move(&read.last).expect("legal when read back");
                read.last.play_unchecked(legal);
                read.plies += 1;
            }
            Event::Comment(comment) => read.comments.push(comment.text().into_owned()),
            Event::Result(outcome) => read.outcome = outcome.to_string(),
            other => panic!("{other:?} is not written"),
        }
    }
    assert_eq!(lexer.number(), 1, "one game only");
    read
}

impl Read {
    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1.as_str())
    }
}

fn text_of(
    opening: &Opening,
    conduct: &Conduct,
    limits: ByColor<Limit>,
    names: ByColor<&str>,
    mut players: ByColor<Scripted>,
) -> (String, PlayedGame) {
    let setup = Setup { opening, limits, conduct, tablebases: None };
    let ByColor { white, black } = &mut players;
    let game = play(setup, ByColor { white, black }, &mut |_| {}).expect("a game");
    let tags = Tags { event: "Test", pair: 6, leg: Leg::Second, names };
    (write(&tags, &setup, &game), game)
}

fn both<T: Copy>(value: T) -> ByColor<T> {
    ByColor { white: value, black: value }
}

const NAMES: ByColor<&str> = ByColor { white: "a", black: "b" };

#[test]
fn comments_have_the_form_of_the_other_runners() {
    let said = |text, score, millis| Answer::Move(text, score, Duration::from_millis(millis));
    let white = Scripted::default()
        .then(said("e2e4", Some(Score::Centipawns(26)), 50))
        .then(said("d1h5", Some(Score::Mate(2)), 1234))
        .then(said("h5f7", Some(Score::Mate(1)), 0));
    let black = Scripted::default()
        .then(said("e7e5", Some(Score::Centipawns(-7)), 0))
        .then(said("g8f6", None, 10));
    let players = ByColor { white, black };
    let (text, _) = text_of(&Opening::default(), &CONDUCT, both(Limit::Depth(9)), NAMES, players);
    let comments = read_back(&text).comments;
    assert_eq!(
        comments[..4],
        ["+0.26/9 0.050s 1234n", "-0.07/9 0.000s 1234n", "+M3/9 1.234s 1234n", "0.010s 1234n"]
    );
    assert!(comments.last().unwrap().contains(", "), "{comments:?}");
    assert!(text.contains("1. e4 {+0.26/9 0.050s 1234n} e5 "), "{text}");
}

#[test]
fn tags_tell_start_limits_and_end() {
    let opening = Opening {
        fen: Some("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2".to_owned()),
        moves: Vec::new(),
    };
    let limits =
        ByColor { white: Limit::Nodes(5000), black: Limit::Clock("8+0.08".parse().unwrap()) };
    let names = ByColor { white: "odd \"name\" \\ here", black: "b" };
    let players = ByColor { white: Scripted::default(), black: Scripted::moves("d8h4") };
    let (text, _) = text_of(&opening, &CONDUCT, limits, names, players);
    let read = read_back(&text);
    for (name, value) in [
        ("Event", "Test"),
        ("Round", "7.2"),
        ("White", "odd \"name\" \\ here"),
        ("Result", "0-1"),
        ("SetUp", "1"),
        ("PlyCount", "1"),
        ("Termination", "normal"),
        ("WhiteTimeControl", "nodes=5000"),
        ("BlackTimeControl", "8+0.08"),
    ] {
        assert_eq!(read.tag(name), Some(value));
    }
    assert_eq!(read.tag("Variant"), None);
    assert!(text.contains("2... Qh4# {0.000s 1234n, Black mates} 0-1"), "{text}");
}

#[test]
fn a_game_without_a_move_and_a_hostile_reason_are_still_readable() {
    let black = Scripted::default();
    let white = Scripted::default().then(Answer::Fault(FaultKind::Crash, "}\n{ [x \"y\"]"));
    let players = ByColor { white, black };
    let (text, game) =
        text_of(&Opening::default(), &CONDUCT, both(Limit::Depth(1)), NAMES, players);
    assert_eq!(game.termination, Termination::Crash);
    let read = read_back(&text);
    assert_eq!(read.comments, ["White crashes () ( [x \"y\"])"]);
    assert_eq!((read.plies, read.outcome.as_str()), (0, "0-1"));
}

#[test]
fn book_moves_are_marked() {
    let opening = Opening { fen: None, moves: vec!["e2e4".parse().unwrap()] };
    let players = ByColor { white: Scripted::default(), black: Scripted::default() };
    let (text, _) = text_of(&opening, &CONDUCT, both(Limit::Depth(1)), NAMES, players);
    assert!(text.contains("1. e4 {book} "), "{text}");
}

#[test]
fn a_chess960_game_names_its_variant_and_is_read_back() {
    let opening = Opening {
        fen: Some("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9".to_owned()),
        moves: Vec::new(),
    };
    let conduct = Conduct { rules: Rules::Chess960, ..CONDUCT };
    let players = ByColor { white: Scripted::default(), black: Scripted::default() };
    let (text, game) = text_of(&opening, &conduct, both(Limit::Depth(1)), NAMES, players);
    let read = read_back(&text);
    assert_eq!(read.tag("Variant"), Some("Chess960"));
    assert_eq!(read.plies, game.moves.len());
}

/// Follows random numbers through legal moves.
fn random_line(choices: &[u16]) -> (Vec<shakmaty::uci::UciMove>, Chess) {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for &choice in choices {
        let mut next = position.clone();
        let legal = next.legal_moves();
        let chosen = legal[usize::from(choice) % legal.len()];
        next.play_unchecked(chosen);
        if next.is_game_over() {
            break;
        }
        moves.push(chosen.to_uci(CastlingMode::Standard));
        position = next;
    }
    (moves, position)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_game_read_back_is_the_same_game_in_lines_of_80(
        choices in prop::collection::vec(any::<u16>(), 0..120),
    ) {
        let (moves, _) = random_line(&choices);
        let opening = Opening { fen: None, moves };
        let players = ByColor { white: Scripted::default(), black: Scripted::default() };
        let (text, game) = text_of(&opening, &CONDUCT, both(Limit::Depth(1)), NAMES, players);
        let read = read_back(&text);
        prop_assert_eq!(read.plies, game.moves.len());
        prop_assert_eq!(&read.outcome, game.result.pgn());
        prop_assert!(game.termination != Termination::MaxMoves || game.result == GameScore::Draw);
        let mut replayed = Chess::default();
        for played in &game.moves {
            let legal = played.san.san.to_move(&replayed).unwrap();
            replayed.play_unchecked(legal);
        }
        let fen = |position: &Chess| {
            Fen::from_position(position, EnPassantMode::Legal).to_string()
        };
        prop_assert_eq!(fen(&read.last), fen(&replayed));
        prop_assert!(text.lines().all(|line| line.len() <= 80));
        prop_assert!(text.ends_with("\n\n"));
    }
}

#[test]
fn a_game_that_ended_on_the_board_has_a_final_position() {
    let mate = "[Event \"?\"]\n\n1. f3 {+0.00/1 0.001s} e5 2. g4 Qh4# {Black mates} 0-1\n\n";
    let position = final_position(mate).unwrap();
    assert_eq!(position, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -");
}
