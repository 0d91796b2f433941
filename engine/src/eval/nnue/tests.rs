//! The networks as a whole: one value for one position, whatever was evaluated before.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::board::{Move, Position};
use crate::eval::Evaluator;

/// A small generator, so that a network depends on its seed alone (G. Marsaglia's xorshift).
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn around_zero(&mut self, most: i16) -> i16 {
        (self.below(2 * most as usize + 1) as i32 - i32::from(most)) as i16
    }
}

/// Weights so large that many sums are clipped, some at either end.
fn weights(shape: &Shape, seed: u64) -> Weights {
    let mut chance = Chance::new(seed);
    let mut some = |count: usize, most: i16| -> Vec<i32> {
        (0..count).map(|_| chance.around_zero(most).into()).collect()
    };
    let layer = |layer: Layer| {
        let unit = layer.weight.unit;
        let (most, most_bias) = match (layer.weight.integer, layer.bias.integer) {
            (Integer::I16, Integer::I16) => (unit.min(500) as i16 / 2, unit as i16 - 1),
            (Integer::I8, _) => (127, 8_000),
            _ => (128, 30_000),
        };
        let weights = some(layer.weights(), most);
        LayerWeights { weights, biases: some(layer.biases, most_bias) }
    };
    Weights(shape.layers().into_iter().map(layer).collect())
}

fn network(shape: Shape, seed: u64) -> Network {
    Network::new(shape, &weights(&shape, seed)).expect("a sound network")
}

/// All architectures: some of their sizes, and those of the registry's others that are the default.
fn shapes() -> Vec<Shape> {
    let plain = PERSPECTIVE.shape().with("hidden", 32).with("mirroring", 0);
    let two_path = TWO_PATH.shape().with("hidden", 128);
    let mut shapes = vec![
        plain,
        plain.with("mirroring", 1),
        plain.with("hidden", 96).with("mirroring", 1).with("buckets", 8),
        plain.with("hidden", 256).with("buckets", 4).with("scale", 350),
        NNUEU.shape(),
        NNUEU.shape().with("hidden", 40).with("block", 7).with("second", 33).with("scale", 350),
        HALFKP.shape().with("hidden", 32).with("dense_1", 9).with("dense_2", 40).with("scale", 350),
        two_path.without_material_limit(),
        two_path
            .with("hidden", 96)
            .with("pool", 3)
            .with("pawns", 32)
            .with("attention", 8)
            .with("dense_1", 5)
            .with("dense_2", 33)
            .with("material_limit", 600)
            .with("scale", 350),
    ];
    let others = ARCHITECTURES.iter().skip(4).map(|it| it.shape());
    shapes.extend(others.flat_map(|shape| [shape, shape.with("scale", 350)]));
    shapes
}

/// A random legal game: each position with its ply, and now and then one of a side line.
fn walk(chance: &mut Chance, plies: usize, visit: &mut dyn FnMut(&Position, usize)) {
    let mut position = Position::startpos();
    for ply in 0..plies {
        let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
        if moves.is_empty() {
            return;
        }
        for _ in 0..chance.below(3) {
            let mut sibling = position;
            sibling.play(moves[chance.below(moves.len())]);
            visit(&sibling, ply + 1);
        }
        if !position.in_check() && chance.below(8) == 0 {
            let mut passed = position;
            passed.play_null();
            visit(&passed, ply + 1);
        }
        position.play(moves[chance.below(moves.len())]);
        // A search does not evaluate every position on its way.
        if chance.below(4) > 0 {
            visit(&position, ply + 1);
        }
    }
}

#[test]
fn a_position_has_one_value_whatever_was_evaluated_before() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let network = Arc::new(network(shape, number as u64 + 1));
        let mut evaluator = NetworkEvaluator::new(Arc::clone(&network));
        let mut chance = Chance::new(77);
        let mut seen = 0;
        for _ in 0..60 {
            // Games of more plies than a search can have test what is beyond the last slot.
            walk(&mut chance, 300, &mut |position, ply| {
                seen += 1;
                let value = evaluator.evaluate_at(position, ply);
                assert_eq!(value, network.evaluate(position), "{}", position.fen(true));
            });
        }
        assert!(seen > 5_000, "{seen} positions");
    }
}

/// A random search from a position, which reports most of its moves and evaluates most positions.
fn explore(
    chance: &mut Chance,
    evaluator: &mut NetworkEvaluator,
    position: &Position,
    (ply, last): (usize, usize),
) -> usize {
    let mut evaluated = 0;
    if chance.below(4) > 0 {
        let value = evaluator.evaluate_at(position, ply);
        let wanted = evaluator.network().evaluate(position);
        assert_eq!(value, wanted, "{} at {ply}", position.fen(true));
        evaluated += 1;
    }
    let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
    if ply == last || moves.is_empty() {
        return evaluated;
    }
    for _ in 0..1 + chance.below(3) {
        let mut child = *position;
        let m =
            (position.in_check() || chance.below(8) > 0).then(|| moves[chance.below(moves.len())]);
        match m {
            Some(m) => child.play(m),
            None => child.play_null(),
        }
        if chance.below(16) > 0 {
            evaluator.played(position, m, &child, ply + 1);
        }
        evaluated += explore(chance, evaluator, &child, (ply + 1, last));
    }
    evaluated
}

#[test]
fn a_position_has_one_value_whatever_moves_were_reported() {
    let kernels = Kernel::available();
    for (number, shape) in shapes().into_iter().enumerate() {
        let kernel = kernels[number % kernels.len()];
        let network = network(shape, number as u64 + 3).with_kernel(kernel);
        let mut evaluator = NetworkEvaluator::new(Arc::new(network));
        let mut chance = Chance::new(number as u64);
        let mut evaluated = 0;
        // Kings in the middle, castling, en passant, promotions, Chess960; the last plies, too.
        for (fen, plies) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", (0, 8)),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", (3, 11)),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (0, 8)),
            ("n1n5/PPPk4/8/8/8/8/3Kppp1/5N1N b - - 0 1", (125, 133)),
            ("1k1r4/8/8/3pP3/8/8/3K4/8 w - d6 0 1", (0, 8)),
            ("1k6/8/8/8/8/8/4P3/5RKR w FH - 0 1", (0, 8)),
        ] {
            let position = Position::from_fen(fen).expect("valid");
            evaluated += explore(&mut chance, &mut evaluator, &position, plies);
        }
        assert!(evaluated > 500, "{evaluated} positions");
    }
}

#[test]
fn every_instruction_set_gives_the_same_values() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let networks: Vec<Network> = Kernel::available()
            .into_iter()
            .map(|kernel| network(shape, number as u64 + 9).with_kernel(kernel))
            .collect();
        let mut chance = Chance::new(5);
        walk(&mut chance, 200, &mut |position, _| {
            let values: Vec<i32> =
                networks.iter().map(|network| network.evaluate(position)).collect();
            assert!(values.iter().all(|&value| value == values[0]), "{values:?}");
        });
    }
}

#[test]
fn values_are_those_of_the_definition_and_differ() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let weights = weights(&shape, number as u64);
        let network = Network::new(shape, &weights).expect("sound");
        let mut values = Vec::new();
        walk(&mut Chance::new(3), 80, &mut |position, _| {
            let value = network.evaluate(position);
            assert_eq!(value, definition::value(&shape, &weights, position), "{shape}");
            values.push(value);
        });
        let count = values.len();
        values.sort_unstable();
        values.dedup();
        // Else nothing was compared.
        assert!(values.len() > count / 4, "{shape}: {} values of {count}", values.len());
    }
}

#[test]
fn the_greatest_weights_that_are_let_in_do_not_overflow() {
    let shape = PERSPECTIVE.shape().with("hidden", 2_048).with("mirroring", 0);
    let mut all = weights(&shape, 1);
    all.0[0].weights.fill(1_000);
    all.0[0].biases.fill(767);
    all.0[1].weights.fill(128);
    let position = Position::startpos();
    let network = Network::new(shape, &all).expect("32 * 1000 + 767 is 32767");
    assert_eq!(network.evaluate(&position), definition::value(&shape, &all, &position));
    all.0[0].biases[5] = 768;
    let refused = Network::new(shape, &all).err();
    assert_eq!(refused, Some(NetworkError::InnerOverflow { number: 5, sum: 32_768 }));
    all.0[0].biases[5] = 0;
    all.0[1].weights[7] = -129;
    let refused = Network::new(shape, &all).err();
    assert_eq!(refused, Some(NetworkError::OutputOverflow { number: 7, weight: -129, most: 128 }));
}

#[test]
fn weights_that_do_not_fit_their_layer_are_refused() {
    for shape in shapes() {
        let sound = weights(&shape, 1);
        let refused = |change: &dyn Fn(&mut Weights)| {
            let mut changed = sound.clone();
            change(&mut changed);
            Network::new(shape, &changed).err().expect("refused").to_string()
        };
        let last = shape.layers().len() - 1;
        assert!(refused(&|all| all.0.truncate(last)).contains("layers instead of"));
        for (number, layer) in shape.layers().iter().enumerate() {
            let fewer = refused(&|all| all.0[number].weights.truncate(1));
            assert!(fewer.contains(layer.name) && fewer.contains("has 1 weights"), "{fewer}");
            assert!(refused(&|all| all.0[number].biases.push(0)).contains("biases instead of"));
            let large = refused(&|all| all.0[number].weights[0] = 40_000);
            assert!(large.contains("40000, which is too large"), "{large}");
        }
        let first = refused(&|all| all.0[0].weights.fill(1_100));
        assert!(first.contains("beyond 16 bits"), "{first}");
        if last > 1 {
            let bias = refused(&|all| all.0[last].biases[0] = i32::MAX);
            assert!(bias.contains("beyond 32 bits"), "{bias}");
        }
    }
}

#[test]
fn a_file_gives_back_what_was_written() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let weights = weights(&shape, number as u64);
        let network = Network::new(shape, &weights).expect("sound");
        let bytes = network.to_bytes("trained on nothing, é");
        let (read, note) = Network::from_bytes(&bytes).expect("as written");
        assert_eq!((*read.shape(), &*note), (shape, "trained on nothing, é"));
        assert!(read.weights() == weights, "{shape}");
        assert!(bytes.len() - shape.bytes() < 150, "{shape}");
    }
}

fn refusal(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).err().expect("refused").to_string()
}

/// A file with some bytes changed and the checksum made right again.
fn signed(bytes: &[u8], at: usize, change: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[at..at + change.len()].copy_from_slice(change);
    let sum = format::checksum(&changed[20..]);
    changed[12..20].copy_from_slice(&sum.to_le_bytes());
    changed
}

#[test]
fn a_file_that_is_not_as_it_was_written_is_refused_with_the_reason() {
    assert!(refusal(b"").contains("does not begin"));
    assert!(refusal(b"#!/bin/sh\n").contains("does not begin"));
    for shape in shapes() {
        let sound = network(shape, 1).to_bytes("a note");
        let shorter = refusal(&sound[..sound.len() - 1]);
        assert!(shorter.contains(&format!("{} bytes", sound.len() - 1)), "{shorter}");
        assert!(refusal(&[&*sound, b"\n"].concat()).contains("bytes and should have"));
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = sound.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            changed
        };
        assert!(refusal(&with(8, &[2])).contains("version 2"));
        let other = sound[sound.len() - 9] ^ 1;
        assert!(refusal(&with(sound.len() - 9, &[other])).contains("checksum"));
        assert!(refusal(&with(20, b"quar")).contains("checksum"));
        // The same with a checksum that is right: an architecture and a width of the future.
        let future = refusal(&signed(&sound, 20, b"quarter\0\0\0\0\0\0\0\0\0"));
        assert!(future.contains("`quarter`") && future.contains(shape.name()), "{future}");
        assert!(
            refusal(&signed(&sound, 36, &[33, 0, 0, 0]))
                .contains("is 33, and must be a multiple of")
        );
        let negative = refusal(&signed(&sound, 36, &[255; 4]));
        assert!(negative.contains("is -1, and must be a multiple of"), "{negative}");
    }
    let sound = network(PERSPECTIVE.shape().with("hidden", 32), 1).to_bytes("");
    assert!(refusal(&signed(&sound, 48, &[0, 0])).contains("unit of the inner layer is 0"));
}

/// The header of a file of the first architecture, byte by byte: what was written once is read for
/// ever.
#[test]
fn a_perspective_file_has_the_layout_that_it_always_had() {
    let shape = PERSPECTIVE.shape().with("buckets", 3);
    let bytes = network(shape, 1).to_bytes("note");
    let mut header = b"TENCHNET\x01\0\0\0".to_vec();
    header.extend(&bytes[12..20]);
    header.extend(b"perspective\0\0\0\0\0");
    header.extend([64, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 255, 0, 64, 0, 0x90, 1, 0, 0]);
    header.extend(b"\x04\0\0\0note");
    assert_eq!(bytes[..header.len()], header);
    assert_eq!(bytes.len() - header.len(), 2 * (768 * 64 + 64 + 3 * 128) + 3 * 4);
}

proptest! {
    #[test]
    fn damage_is_found_and_never_panics(
        kind in 0_usize..64,
        at in 0_usize..50_000,
        byte: u8,
        cut in 0_usize..60_000,
    ) {
        let small = [PERSPECTIVE.shape().with("hidden", 32), NNUEU.shape()];
        let mut bytes = network(small[kind % small.len()], 2).to_bytes("");
        let place = at % bytes.len();
        let damaged = bytes[place] != byte;
        bytes[place] = byte;
        prop_assert_eq!(Network::from_bytes(&bytes).is_err(), damaged);
        // With the checksum made right again, any size may stand there.
        let _ = Network::from_bytes(&signed(&bytes, 0, &[]));
        bytes.truncate(cut % bytes.len());
        prop_assert!(Network::from_bytes(&bytes).is_err());
    }
}

#[test]
fn json_gives_back_what_was_written() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let weights = weights(&shape, number as u64);
        let text = Network::new(shape, &weights).expect("sound").to_json("a \"note\", é");
        let (read, note) = Network::from_json(text.as_bytes()).expect("as written");
        assert_eq!((*read.shape(), &*note), (shape, "a \"note\", é"));
        assert!(read.weights() == weights, "{shape}");
    }
}

#[test]
fn json_that_is_no_network_is_refused_with_the_reason() {
    let shape = PERSPECTIVE.shape().with("hidden", 32).with("buckets", 2);
    let sound: serde_json::Value =
        serde_json::from_str(&network(shape, 1).to_json("")).expect("JSON");
    let refusal = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = sound.clone();
        change(&mut changed);
        let refused = Network::from_json(changed.to_string().as_bytes()).err();
        refused.expect("refused").to_string()
    };
    let set = |pointer: &'static str, value: serde_json::Value| {
        refusal(&move |json| *json.pointer_mut(pointer).expect("it is there") = value.clone())
    };
    for (pointer, value, says) in [
        ("/format", "onnx".into(), "format is `onnx`"),
        ("/architecture", "transformer".into(), "`transformer`"),
        ("/shape/hidden", 33.into(), "multiple of 32"),
        ("/shape/hidden", 64.into(), "output_dim is 32 and should be 64"),
        ("/shape/hidden", (-1).into(), "is -1, and must be a multiple of 32"),
        ("/shape/hidden", 0.5.into(), "no whole number `hidden`"),
        ("/shape/inner_one", 65_536.into(), "no whole number `inner_one`"),
        ("/layers/output/input_dim", 63.into(), "`output`: input_dim is 63 and should be 64"),
        ("/layers/inner/weights/5/3", 40_000.into(), "`inner`: 40000 is too large"),
        ("/layers/inner/weights/5/3", 0.5.into(), "invalid type"),
        ("/layers/inner/biases/7", 32_767.into(), "inner layer can become"),
        ("/layers/inner/biases/7", "1".into(), "invalid type"),
    ] {
        let shown = set(pointer, value);
        assert!(shown.contains(says), "{pointer}: {shown}");
    }
    let layers =
        |json: &mut serde_json::Value| json["layers"].as_object().cloned().expect("layers");
    let missing = refusal(&|json| {
        let mut kept = layers(json);
        kept.remove("inner");
        json["layers"] = kept.into();
    });
    assert!(missing.contains("no layer `inner`"), "{missing}");
    let unknown = refusal(&|json| json["shape"]["depth"] = 3.into());
    assert!(unknown.contains("no size `depth`"), "{unknown}");
    let unknown = refusal(&|json| json["layers"]["hidden_3"] = json["layers"]["output"].clone());
    assert!(unknown.contains("no layer `hidden_3`"), "{unknown}");
    let shorter = refusal(&|json| {
        json["layers"]["inner"]["weights"][9].as_array_mut().expect("a row").truncate(31);
    });
    assert!(shorter.contains("row 9 of the weights is 31 and should be 32"), "{shorter}");
    assert!(Network::from_json(b"{").err().expect("cut").to_string().contains("line 1"));
}

/// Files and values of the first networks above, as the first version of each architecture gave
/// them.
#[test]
fn files_and_values_stay_what_they_were() {
    let known: [u64; 9] = [
        0xeb3f_9774_1d4e_cf24,
        0x744e_7072_2f2e_d5a3,
        0x6758_5275_ce59_8fea,
        0x6a42_5170_f036_3d49,
        0x9656_3340_8346_ccb5,
        0xdfeb_33cf_2674_c377,
        0xd050_c955_f445_b61a,
        0x2815_8d6d_1a0b_ffdf,
        0x422b_9469_800a_3fca,
    ];
    for (number, (shape, known)) in shapes().into_iter().zip(known).enumerate() {
        let network = network(shape, number as u64);
        let mut bytes = network.to_bytes("");
        walk(&mut Chance::new(3), 80, &mut |position, _| {
            bytes.extend(network.evaluate(position).to_le_bytes());
        });
        assert_eq!(format::checksum(&bytes), known, "{shape}");
    }
}
