use proptest::prelude::*;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use super::*;

fn uci(text: &str) -> UciMove {
    text.parse().expect("a move")
}

/// The nodes in the order of the view, with numbers replaced by places: equal for equal games.
fn shape(tree: &GameTree) -> String {
    let mut view = tree.view();
    let places: std::collections::HashMap<u32, u32> =
        view.nodes.iter().enumerate().map(|(place, node)| (node.id, place as u32)).collect();
    for node in &mut view.nodes {
        node.id = places[&node.id];
        node.parent = node.parent.map(|parent| places[&parent]);
    }
    serde_json::to_string_pretty(&view).expect("plain data")
}

const ANNOTATED: &str = r#"[Event "Test \"quoted\""]
[White "A"]
[Black "B"]
[Result "1-0"]
[ECO "C20"]

{ before all } 1. e4 $1 { [%csl Ge4][%cal Re2e4,Gd2d4] centre [%clk 0:01:00] [%foo bar] } (1. d4
{ the other } d5 (1... Nf6 2. c4) 2. c4) (1. Nf3) 1... e5 { [%eval 0.31,20] } 2. Qh5?! ( { why not } 2. Nf3 Nc6 )
2... Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0
"#;

#[test]
fn what_is_written_about_a_game_is_read_and_written_again() {
    let tree = read_game(ANNOTATED.as_bytes()).expect("a game");
    let root = tree.node(GameTree::ROOT).expect("there");
    assert_eq!(root.annotations.comment, "before all");
    assert_eq!(root.children.len(), 3);
    let first = tree.node(root.children[0]).expect("there");
    assert_eq!(first.annotations.comment, "centre [%foo bar]");
    assert_eq!(first.annotations.clock.as_deref(), Some("0:01:00"));
    assert_eq!(first.annotations.marks.len(), 3);
    assert_eq!(first.annotations.nags, [1]);
    assert_eq!(tree.main_line().len(), 7);
    assert_eq!(tree.tag("Event"), Some("Test \"quoted\""));
    assert_eq!(tree.result(), "1-0");
    let again = read_game(tree.to_pgn().as_bytes()).expect("a game");
    assert_eq!(shape(&again), shape(&tree), "{}", tree.to_pgn());
    assert!(tree.to_pgn().lines().all(|line| line.len() <= 80), "{}", tree.to_pgn());
    assert!(tree.to_pgn().contains("({ why not } 2. Nf3"), "{}", tree.to_pgn());
}

#[test]
fn nothing_of_a_game_is_left_out_without_a_word() {
    let text = |tags: &str, moves: &str| format!("{tags}\n{moves}\n");
    for (tags, moves, wanted) in [
        ("", "1. e4 ({ only a comment }) e5 *", "1. e4 { only a comment } 1... e5 *"),
        ("", "1. e4 {a} ({b}) ({c} $3) e5 *", "1. e4 { a b c $3 } 1... e5 *"),
        ("", "1. e4 e5 (1... c5 ({b}) 2. Nf3) *", "1. e4 e5 (1... c5 { b } 2. Nf3) *"),
        ("", "1. e4 ({[%cal Ge2e4] b}) *", "1. e4 { [%cal Ge2e4] b } *"),
        ("", "1. e4 $256 $14 $65534 *", "1. e4 $14 $256 $65534 *"),
        ("", "$13 1. e4 *", "{ $13 } 1. e4 *"),
        ("", "1. e4 ($1 1. d4 $2) *", "1. e4 ({ $1 } 1. d4 $2) *"),
        ("", "(1. d4 (1. c4) d5) 1. e4 *", "{ (a variation of no move is left out) } 1. e4 *"),
        ("[Result \"½-½\"]", "1. e4", "1. e4 1/2-1/2"),
        ("[Result \" 1-0 \"]", "1. e4", "1. e4 1-0"),
        ("[Result \"unclear\"]", "1. e4", "1. e4 *"),
        ("[Time-Zone \"UTC+1\"]", "1. e4 *", "[Time-Zone \"UTC+1\"]"),
        ("[A+#=:_1 \"x\"]", "1. e4 *", "[A+#=:_1 \"x\"]"),
    ] {
        let tree = read_game(text(tags, moves).as_bytes()).expect(moves);
        assert!(tree.to_pgn().contains(wanted), "{moves}: {}", tree.to_pgn());
        let again = read_game(tree.to_pgn().as_bytes()).expect(moves);
        assert_eq!(shape(&again), shape(&tree), "{moves}");
    }
    let long = "x".repeat(2 << 20);
    let tree =
        read_game(text(&format!("[Site \"{long}\"]"), &format!("1. e4 {{{long}}} *")).as_bytes());
    let tree = tree.expect("a game");
    assert!(tree.tag("Site").is_some_and(|site| site.ends_with("x (cut)")));
    assert!(tree.to_pgn().contains("x (cut) }"));
}

#[test]
fn a_move_that_is_there_is_not_added_again_and_a_deleted_one_is_gone() {
    let mut tree = GameTree::default();
    let first = tree.play(GameTree::ROOT, uci("e2e4")).expect("legal");
    assert_eq!(tree.play(GameTree::ROOT, uci("e2e4")), Ok(first));
    let second = tree.play(GameTree::ROOT, uci("d2d4")).expect("legal");
    let reply = tree.play(second, uci("d7d5")).expect("legal");
    tree.make_main_line(reply).expect("there");
    assert_eq!(tree.main_line(), [second, reply]);
    assert_eq!(tree.delete(second), Ok(GameTree::ROOT));
    assert_eq!(tree.main_line(), [first]);
    assert_eq!(tree.node(reply).err(), Some(TreeError::NoNode(reply.0)));
    assert_eq!(tree.delete(GameTree::ROOT), Err(TreeError::Root));
    assert!(matches!(tree.play(first, uci("e4e5")), Err(TreeError::Illegal { .. })));
}

#[test]
fn a_move_has_one_of_the_signs_of_moves() {
    let mut tree = GameTree::default();
    let first = tree.play(GameTree::ROOT, uci("e2e4")).expect("legal");
    for nag in [1, 14, 4] {
        tree.toggle_nag(first, nag).expect("there");
    }
    assert_eq!(tree.node(first).expect("there").annotations.nags, [4, 14]);
    tree.toggle_nag(first, 4).expect("there");
    assert_eq!(tree.node(first).expect("there").annotations.nags, [14]);
}

#[test]
fn a_broken_game_does_not_spoil_the_others() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"b\"]\n\n1. d4 *\n";
    let games: Vec<_> = read_games(text.as_bytes()).collect();
    assert_eq!(games.len(), 2);
    let error = games[0].as_ref().expect_err("illegal").to_string();
    assert!(error.contains("game 1") && error.contains("2. Ke3"), "{error}");
    assert_eq!(games[1].as_ref().expect("a game").tag("White"), Some("b"));
}

#[test]
fn signs_of_all_kinds_become_numbers_and_text_is_decoded() {
    let text = b"{ of a program }\n[White \"M\xfcller\"]\n; between\n[Black  \"b \"x\"\"]\n\n{ at first }\n\n\
        1. e2-e4\xb1 N (1. \xe2\x99\x98f3 = $14) 1... e7e5!? {M\xfcller} 1-0 {ends}\n";
    let tree = read_game(text).expect("a game");
    let root = tree.node(GameTree::ROOT).expect("there");
    assert_eq!(root.annotations.comment, "of a program between at first");
    assert_eq!((tree.tag("White"), tree.tag("Black")), (Some("M\u{fc}ller"), Some("b \"x\"")));
    let nags = |id: NodeId| tree.node(id).expect("there").annotations.nags.clone();
    assert_eq!(
        root.children.iter().map(|&id| nags(id)).collect::<Vec<_>>(),
        [vec![16, 146], vec![10, 14]]
    );
    let line = tree.main_line();
    assert_eq!(nags(line[1]), [5]);
    assert_eq!(tree.node(line[1]).expect("there").annotations.comment, "M\u{fc}ller ends");
    assert_eq!(tree.result(), "1-0");
}

#[test]
fn chess960_keeps_its_start_position_and_castling() {
    let fen = "nrbbknrq/pppppppp/8/8/8/8/PPPPPPPP/NRBBKNRQ w GBgb - 0 1";
    let mut tree = GameTree::new(Some(fen), true).expect("legal");
    let mut at = GameTree::ROOT;
    for text in ["f1e3", "f8e6", "e1g1", "e8g8"] {
        at = tree.play(at, uci(text)).expect("legal");
    }
    let again = read_game(tree.to_pgn().as_bytes()).expect("a game");
    assert_eq!(shape(&again), shape(&tree));
    assert!(again.is_chess960());
    assert!(tree.to_pgn().contains("O-O"));
}

#[test]
fn repetitions_are_counted_along_the_line() {
    let mut tree = GameTree::default();
    let mut at = GameTree::ROOT;
    for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"] {
        at = tree.play(at, uci(text)).expect("legal");
    }
    assert_eq!(tree.repetitions(at), Ok(3));
}

#[test]
fn a_comment_cannot_end_itself() {
    let mut tree = GameTree::default();
    tree.comment(GameTree::ROOT, "a } [Event \"x\"]\n\n1. e4 { b").expect("there");
    let again = read_game(tree.to_pgn().as_bytes()).expect("a game");
    assert_eq!(shape(&again), shape(&tree));
    assert!(again.main_line().is_empty());
}

/// A tree from random numbers: each plays a move somewhere, or says something of one.
fn random_tree(numbers: &[(u16, u16, u8)]) -> GameTree {
    let mut tree = GameTree::default();
    let mut all = vec![GameTree::ROOT];
    for &(place, choice, kind) in numbers {
        // Mostly the newest node, so that lines grow long.
        let at =
            if kind % 4 == 0 { all[usize::from(place) % all.len()] } else { all[all.len() - 1] };
        let legal = tree.node(at).expect("there").position.legal_moves();
        if legal.is_empty() {
            continue;
        }
        let chosen = legal[usize::from(choice) % legal.len()];
        let id = tree.play(at, chosen.to_uci(shakmaty::CastlingMode::Standard)).expect("legal");
        if !all.contains(&id) {
            all.push(id);
        }
        let said = tree.annotations_mut(id).expect("there");
        match kind % 11 {
            1 => said.comment = format!("word {choice} (brackets) ; $5 1. e4"),
            2 => said.nags = vec![u16::from(kind % 7 + 1)],
            3 => said.eval = Some(format!("{}.{:02},{}", choice % 9, kind % 100, kind)),
            4 => said.clock = Some("0:00:59.9".to_owned()),
            5 => {
                said.marks =
                    vec![Mark::parse("Ge2e4").expect("one"), Mark::parse("Rd5").expect("one")]
            }
            _ => {}
        }
    }
    tree
}

proptest! {
    #[test]
    fn every_tree_survives_pgn(numbers in prop::collection::vec(any::<(u16, u16, u8)>(), 0..80)) {
        let tree = random_tree(&numbers);
        let pgn = tree.to_pgn();
        let again = read_game(pgn.as_bytes()).expect("a game");
        // Arrows follow squares in PGN.
        prop_assert_eq!(again.to_pgn(), pgn);
        prop_assert_eq!(again.view().nodes.len(), tree.view().nodes.len());
    }
}

#[test]
fn a_variation_that_cannot_be_read_is_left_out_and_the_main_line_is_read() {
    for null in ["--", "Z0", "null", "@@@@", "Ke5"] {
        let text = format!(
            "1. e4 e5 2. Nf3 (2. {null} d5 {{threat}} (2... {null}) 3. d4) 2... Nc6 (2... d6 3. {null} f5 \
             4. d4) 3. Bb5 a6 1-0\n\n1. d4 *"
        );
        let parts: Vec<_> = read_parts(text.as_bytes()).map(|part| part.expect("memory")).collect();
        let [part, next] = parts.as_slice() else { panic!("two games: {null}") };
        assert!(part.stopped.is_none(), "{null}");
        assert_eq!(part.left_out.len(), 2, "{null}");
        assert_eq!(part.tree.main_line().len(), 6, "{null}");
        assert_eq!(next.tree.main_line().len(), 1, "{null}");
        let pgn = part.tree.to_pgn();
        assert!(pgn.contains("2... d6") && !pgn.contains("f5") && !pgn.contains("d5"), "{pgn}");
        assert!(pgn.contains(&format!("(left out from `{null}` on")), "{pgn}");
    }
}

#[test]
fn a_null_move_in_the_main_line_ends_what_is_read_of_it_and_is_named() {
    let mut parts = read_parts(&b"1. e4 e5 2. -- d5 3. Nf3 *"[..]);
    let tree = parts.next().expect("a game").expect("memory").with_reason();
    assert_eq!(tree.main_line().len(), 2);
    assert!(tree.to_pgn().contains("2. --"), "{}", tree.to_pgn());
}
