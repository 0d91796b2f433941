//! Tests of boards that are read together.

use super::*;
use crate::network::{CLASSES, LETTERS};
use crate::square::{INPUTS, SIDE};

/// A drawing by number, in white or black on a light or dark ground: bars of another width each.
fn look(drawing: usize, white: bool, dark: bool) -> Look {
    let ground = if dark { -0.3 } else { 0.6 };
    let piece: f32 = if white { 1.0 } else { -1.0 };
    let mut input = vec![0.0; INPUTS];
    for at in 0..SIDE * SIDE {
        let (x, y) = (at % SIDE, at / SIDE);
        let half = 2 + (drawing * 3 + y * (drawing + 2) / 6) % 11;
        let inside = (5..27).contains(&y) && x.abs_diff(16) < half;
        let value = if inside { piece } else { ground };
        for channel in 0..3 {
            input[channel * SIDE * SIDE + at] = value;
        }
        let difference = (value - ground).abs() * 127.5 / 64.0;
        input[3 * SIDE * SIDE + at] = difference.min(2.0) - 1.0;
    }
    // The network sees drawings and colours, and some of the ground.
    let mut features = vec![0.0; 20];
    features[drawing] = 1.0;
    features[6 + drawing + if white { 0 } else { 6 }] = 1.0;
    features[19] = if dark { 0.3 } else { 0.0 };
    Look::new(&input, &features)
}

/// A board of a placement whose squares say what `said` makes of their own class.
fn board(
    placement: &str,
    said: impl Fn(usize, usize) -> Vec<(char, f32)>,
) -> (Logs, Vec<Option<Look>>) {
    let mut classes = Vec::new();
    for letter in placement.chars().filter(|letter| *letter != '/') {
        match letter.to_digit(10) {
            Some(empty) => classes.extend(std::iter::repeat_n(0, empty as usize)),
            None => classes.extend(LETTERS.iter().position(|it| *it == letter)),
        }
    }
    let class = |letter: char| LETTERS.iter().position(|it| *it == letter).expect("a piece");
    let logs = std::array::from_fn(|at| {
        let mut probabilities = [0.0005_f32; CLASSES];
        for (letter, probability) in said(at, classes[at]) {
            probabilities[class(letter)] = probability;
        }
        let sum: f32 = probabilities.iter().sum();
        probabilities.map(|it| (it / sum).ln())
    });
    let looks = (0..64).map(|at| {
        let class = classes[at].checked_sub(1)?;
        Some(look(class % KINDS, class < KINDS, (at % 8 + at / 8) % 2 == 1))
    });
    (logs, looks.collect())
}

fn decoded(logs: &Logs, looks: &[Option<Look>]) -> Logs {
    Joint::new(logs, looks).decoded(false)
}

fn read(logs: &Logs) -> String {
    let best = |logs: &[f32; CLASSES]| {
        (0..CLASSES).max_by(|&a, &b| logs[a].total_cmp(&logs[b])).unwrap_or(0)
    };
    crate::placement::fen_placement(&logs.each_ref().map(best))
}

#[test]
fn drawings_of_one_kind_are_alike_on_any_ground() {
    for white in [true, false] {
        for a in 0..KINDS {
            for b in 0..KINDS {
                let apart = look(a, white, true).distance(&look(b, white, false));
                assert_eq!(apart < WEIGHTS.same, a == b, "{a} {b} {white}: {apart}");
            }
        }
        let apart = look(2, white, true).distance(&look(2, !white, true));
        assert!(apart > WEIGHTS.same, "the other colour: {apart}");
    }
    for b in 0..KINDS {
        let kin = look(2, true, true).kinship(&look(b, false, false));
        assert_eq!(kin > 0.5, b == 2, "{b}: {kin}");
    }
}

#[test]
fn pieces_that_single_squares_take_for_others_come_right_together() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    // White's bishops look like pawns and like a queen, more than like bishops.
    let said = |at: usize, class: usize| match (LETTERS[class], at) {
        ('B', 58) => vec![('P', 0.6), ('B', 0.25), ('Q', 0.1)],
        ('B', _) => vec![('Q', 0.7), ('B', 0.2)],
        (letter, _) => vec![(letter, 0.97)],
    };
    let (logs, looks) = board(start, said);
    assert_eq!(read(&logs), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNPQKQNR");
    let decoded = decoded(&logs, &looks);
    assert_eq!(read(&decoded), start);
    let rook = decoded[56][4].exp();
    assert!(rook > 0.95, "what was clear stays so: {rook}");
}

#[test]
fn two_kinds_that_are_taken_for_one_come_apart_by_the_rules() {
    // Every queen of White is taken for a king, which the real kings are more clearly.
    let said = |_: usize, class: usize| match LETTERS[class] {
        'Q' => vec![('K', 0.7), ('Q', 0.28)],
        'K' => vec![('K', 0.9), ('Q', 0.08)],
        letter => vec![(letter, 0.97)],
    };
    let placement = "3qk3/3p4/8/8/8/2Q5/3P4/4K3";
    let (logs, looks) = board(placement, said);
    assert_eq!(read(&decoded(&logs, &looks)), placement);
}

#[test]
fn a_king_is_not_where_it_would_be_attacked_and_a_queen_seldom_where_kings_stand() {
    // Neither can be told from the other by its drawing.
    let said = |_: usize, class: usize| match LETTERS[class] {
        letter @ ('K' | 'Q') => {
            vec![('K', 0.5), ('Q', 0.5 + if letter == 'K' { 0.01 } else { 0.0 })]
        }
        letter => vec![(letter, 0.97)],
    };
    for placement in [
        // The black rooks attack both squares of the queen's row and column.
        "4k3/8/2r5/8/r1Q5/8/8/3K4",
        "r2q1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPPQ1PPP/R4RK1",
    ] {
        let (logs, looks) = board(placement, said);
        assert_eq!(read(&decoded(&logs, &looks)), placement);
    }
}

#[test]
fn two_bishops_on_squares_of_one_colour_are_seldom_two_bishops() {
    let placement = "4k3/4p3/8/8/8/2N1N3/4P3/4K3";
    let said = |_: usize, class: usize| match LETTERS[class] {
        'N' => vec![('B', 0.55), ('N', 0.45)],
        letter => vec![(letter, 0.97)],
    };
    let (logs, looks) = board(placement, said);
    assert_eq!(read(&decoded(&logs, &looks)), placement);
}

#[test]
fn the_side_below_is_seen_by_the_squares_of_the_pieces() {
    for (placement, below) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false),
        ("6k1/5ppp/8/8/8/8/1r3PPP/4R1K1", false),
        ("8/1p3k2/p7/8/4K3/P7/1P6/8", false),
    ] {
        let (mut logs, mut looks) = board(placement, |_, class| vec![(LETTERS[class], 0.98)]);
        assert_eq!(Joint::new(&logs, &looks).black_below() > 0.0, below, "{placement}");
        logs.reverse();
        looks.reverse();
        assert_eq!(Joint::new(&logs, &looks).black_below() > 0.0, !below, "turned {placement}");
    }
}

#[test]
fn promoted_pieces_and_boards_without_kings_are_left() {
    for placement in ["4k3/8/8/8/8/QQQ5/8/4K3", "8/8/8/3N4/8/8/3pp3/8", "8/8/8/8/8/8/8/8"] {
        let (logs, looks) = board(placement, |_, class| vec![(LETTERS[class], 0.99)]);
        assert_eq!(read(&decoded(&logs, &looks)), placement);
    }
}
