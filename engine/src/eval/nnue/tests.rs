//! What all of the room promises together: one number for one position, whatever the way to it.

use std::sync::Arc;

use proptest::prelude::*;

use super::features::INPUTS;
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

fn weights(shape: &Shape, seed: u64) -> Weights {
    let mut chance = Chance::new(seed);
    let mut layer = |count: usize, most| (0..count).map(|_| chance.around_zero(most)).collect();
    let Shape { hidden, buckets, .. } = *shape;
    let inner = layer(INPUTS * hidden, 120);
    let inner_bias = layer(hidden, 200);
    let output: Vec<i16> = layer(buckets * 2 * hidden, 128);
    let biases: Vec<i16> = layer(buckets, 30_000);
    Weights { inner, inner_bias, output, output_bias: biases.into_iter().map(i32::from).collect() }
}

fn network(shape: Shape, seed: u64) -> Network {
    Network::new(shape, &weights(&shape, seed)).expect("a sound network")
}

fn shapes() -> [Shape; 4] {
    let plain = Shape::new(32);
    [
        plain,
        Shape { mirroring: true, ..plain },
        Shape { hidden: 96, mirroring: true, buckets: 8, ..plain },
        Shape { hidden: 256, buckets: 4, scale: 350, ..plain },
    ]
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
        for _ in 0..150 {
            // Games of more plies than a search can have test what is beyond the last slot.
            walk(&mut chance, 300, &mut |position, ply| {
                seen += 1;
                let value = evaluator.evaluate_at(position, ply);
                assert_eq!(value, network.evaluate(position), "{}", position.fen(true));
            });
        }
        assert!(seen > 10_000, "{seen} positions");
    }
}

#[test]
fn every_kind_of_instructions_gives_the_same_values() {
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

/// The value by the definition, in wide integers, without blocks or vectors.
fn by_definition(shape: &Shape, weights: &Weights, position: &Position) -> i32 {
    let bucket = output_bucket(position.occupied().count(), shape.buckets);
    let mut sum = 0_i64;
    for (half, side) in [position.side(), !position.side()].into_iter().enumerate() {
        let inputs: Vec<usize> =
            View::of(position, side, shape.mirroring).inputs(position).collect();
        for number in 0..shape.hidden {
            let of = |input: &usize| i64::from(weights.inner[input * shape.hidden + number]);
            let inner = i64::from(weights.inner_bias[number]) + inputs.iter().map(of).sum::<i64>();
            let clipped = inner.clamp(0, shape.inner_one.into());
            let place = (2 * bucket + half) * shape.hidden + number;
            sum += clipped * clipped * i64::from(weights.output[place]);
        }
    }
    let unit = i64::from(shape.inner_one) * i64::from(shape.output_one);
    let sum = sum / i64::from(shape.inner_one) + i64::from(weights.output_bias[bucket]);
    (sum * i64::from(shape.scale) / unit) as i32
}

#[test]
fn values_are_those_of_the_definition() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let weights = weights(&shape, number as u64);
        let network = Network::new(shape, &weights).expect("sound");
        walk(&mut Chance::new(3), 80, &mut |position, _| {
            assert_eq!(network.evaluate(position), by_definition(&shape, &weights, position));
        });
    }
}

#[test]
fn the_greatest_weights_that_are_let_in_do_not_overflow() {
    let shape = Shape { hidden: 2_048, ..Shape::new(32) };
    let mut all = weights(&shape, 1);
    all.inner.fill(1_000);
    all.inner_bias.fill(767);
    all.output.fill(128);
    let position = Position::startpos();
    let network = Network::new(shape, &all).expect("32 * 1000 + 767 is 32767");
    assert_eq!(network.evaluate(&position), by_definition(&shape, &all, &position));
    all.inner_bias[5] = 768;
    let refused = Network::new(shape, &all).err();
    assert_eq!(refused, Some(NetworkError::InnerOverflow { number: 5, sum: 32_768 }));
    all.inner_bias[5] = 0;
    all.output[7] = -129;
    let refused = Network::new(shape, &all).err();
    assert_eq!(refused, Some(NetworkError::OutputOverflow { number: 7, weight: -129, most: 128 }));
}

#[test]
fn a_file_gives_back_what_was_written() {
    for (number, shape) in shapes().into_iter().enumerate() {
        let weights = weights(&shape, number as u64);
        let network = Network::new(shape, &weights).expect("sound");
        let bytes = network.to_bytes("trained on nothing, é");
        let (read, note) = Network::from_bytes(&bytes).expect("as written");
        assert_eq!(
            (read.weights(), *read.shape(), &*note),
            (weights, shape, "trained on nothing, é")
        );
    }
}

fn refusal(bytes: &[u8]) -> String {
    Network::from_bytes(bytes).err().expect("refused").to_string()
}

#[test]
fn a_file_that_is_not_as_it_was_written_is_refused_with_the_reason() {
    let sound = network(Shape::new(32), 1).to_bytes("a note");
    assert!(refusal(b"").contains("does not begin"));
    assert!(refusal(b"#!/bin/sh\n").contains("does not begin"));
    let shorter = refusal(&sound[..sound.len() - 1]);
    assert!(shorter.contains(&format!("{} bytes", sound.len() - 1)), "{shorter}");
    assert!(refusal(&[&*sound, b"\n"].concat()).contains("bytes and should have"));
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = sound.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    assert!(refusal(&with(8, &[2])).contains("version 2"));
    assert!(refusal(&with(sound.len() - 9, &[77])).contains("checksum"));
    assert!(refusal(&with(20, b"half")).contains("checksum"));
    // The same with a checksum that is right: an architecture and a width of the future.
    let signed = |at: usize, bytes: &[u8]| {
        let mut changed = with(at, bytes);
        let sum = format::checksum(&changed[20..]);
        changed[12..20].copy_from_slice(&sum.to_le_bytes());
        changed
    };
    assert!(refusal(&signed(20, b"halfkp\0\0\0\0\0")).contains("`halfkp`"));
    assert!(refusal(&signed(36, &[33])).contains("is 33, and must be a multiple of 32"));
    assert!(refusal(&signed(48, &[0, 0])).contains("unit of the inner layer is 0"));
}

proptest! {
    #[test]
    fn damage_is_found_and_never_panics(at in 0_usize..50_000, byte: u8, cut in 0_usize..60_000) {
        let mut bytes = network(Shape::new(32), 2).to_bytes("");
        let place = at % bytes.len();
        let damaged = bytes[place] != byte;
        bytes[place] = byte;
        prop_assert_eq!(Network::from_bytes(&bytes).is_err(), damaged);
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
        assert_eq!((read.weights(), *read.shape(), &*note), (weights, shape, "a \"note\", é"));
    }
}

#[test]
fn json_that_is_no_network_is_refused_with_the_reason() {
    let shape = Shape { buckets: 2, ..Shape::new(32) };
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
        ("/shape/hidden", (-1).into(), "invalid value"),
        ("/layers/output/input_dim", 63.into(), "`output`: input_dim is 63 and should be 64"),
        ("/layers/inner/weights/5/3", 40_000.into(), "`inner`: 40000 is too large"),
        ("/layers/inner/weights/5/3", 0.5.into(), "invalid type"),
        ("/layers/inner/biases/7", 32_767.into(), "inner layer can become"),
        ("/layers/inner/biases/7", "1".into(), "invalid type"),
    ] {
        let told = set(pointer, value);
        assert!(told.contains(says), "{pointer}: {told}");
    }
    let layers =
        |json: &mut serde_json::Value| json["layers"].as_object().cloned().expect("layers");
    let missing = refusal(&|json| {
        let mut kept = layers(json);
        kept.remove("inner");
        json["layers"] = kept.into();
    });
    assert!(missing.contains("no layer `inner`"), "{missing}");
    let unknown = refusal(&|json| json["layers"]["hidden_3"] = json["layers"]["output"].clone());
    assert!(unknown.contains("no layer `hidden_3`"), "{unknown}");
    let shorter = refusal(&|json| {
        json["layers"]["inner"]["weights"][9].as_array_mut().expect("a row").truncate(31);
    });
    assert!(shorter.contains("row 9 of the weights is 31 and should be 32"), "{shorter}");
    assert!(Network::from_json(b"{").err().expect("cut").to_string().contains("line 1"));
}
