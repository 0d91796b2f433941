//! Files of networks.

use engine::board::Position;
use engine::eval::nnue::{FileError, Kernel, MAGIC, Network};

use crate::choice;

/// Networks beyond this size take long to read and have no other code.
const MAX_BYTES: usize = 256 << 10;

/// Behind the magic and the version.
const CHECKSUM: usize = 12;

const FENS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/8/1k6/8/8/2Q5/8/4K3 w - - 0 1",
    "qqqqkqqq/1qq5/8/8/8/8/8/4K3 b - - 0 1",
];

/// A network as JSON, as bytes, or, where the first byte is even, as bytes that are made long
/// enough and get a checksum that fits, so that damage is not all found by these two.
pub fn network(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let read = if bytes.starts_with(b"{") {
        Network::from_json(bytes)
    } else if kind % 2 == 1 {
        Network::from_bytes(bytes)
    } else {
        completed(bytes)
    };
    match read {
        Ok((network, note)) => check(network, &note, kind),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The tail of the bytes is repeated until there are as many as the header asks for.
fn completed(bytes: &[u8]) -> Result<(Network, String), FileError> {
    let mut file = MAGIC.to_vec();
    file.extend(1_u32.to_le_bytes());
    file.extend([0; 8]);
    file.extend(bytes);
    seal(&mut file);
    let first = Network::from_bytes(&file);
    let Err(FileError::Size { found, wanted }) = first else { return first };
    if wanted > MAX_BYTES || wanted <= found {
        return first;
    }
    // A period that no size of a layer divides, so that rows differ.
    let tail: Vec<u8> = bytes.iter().rev().take(251).rev().copied().collect();
    let missing: Vec<u8> = tail.iter().copied().cycle().take(wanted - found).collect();
    file.extend(missing);
    seal(&mut file);
    Network::from_bytes(&file)
}

fn seal(file: &mut [u8]) {
    let sum = checksum(&file[CHECKSUM + 8..]);
    file[CHECKSUM..][..8].copy_from_slice(&sum.to_le_bytes());
}

/// FNV-1a of 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// All kinds of instructions give the same value, and what is written is read as the same network.
fn check(mut network: Network, note: &str, kind: usize) {
    let values = |network: &Network| {
        FENS.map(|fen| network.evaluate(&Position::from_fen(fen).expect("legal")))
    };
    let wanted = values(&network);
    for kernel in Kernel::available() {
        network = network.with_kernel(kernel);
        assert_eq!(values(&network), wanted, "{network}");
    }
    // To write and read takes longer than all the rest.
    if kind % 16 < 2 {
        let bytes = network.to_bytes(note);
        let (again, note_again) = Network::from_bytes(&bytes).expect("as it was written");
        assert_eq!((again.shape(), &*note_again), (network.shape(), note));
        assert_eq!(again.weights(), network.weights());
    }
    if kind % 64 == 2 {
        let (again, note_again) =
            Network::from_json(network.to_json(note).as_bytes()).expect("as it was written");
        assert_eq!((again.shape(), &*note_again), (network.shape(), note));
        assert_eq!(again.weights(), network.weights());
    }
}
