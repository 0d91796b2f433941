//! A whole evaluation, compiled for several instruction sets.
//!
//! The evaluation is written once, over the registers of [`Vectors`](super::vectors::Vectors); each
//! instruction set has its own copy of the machine code, from the changes of the board to the last
//! sum, chosen when a network is loaded. All arithmetic is on integers that cannot overflow
//! (see [`Network`](super::Network)), so that all copies give the same numbers.

use super::forward::State;
use super::kernel::{Instructions, Kernel};
use super::network::Network;
use super::vectors::Portable;
#[cfg(target_arch = "x86_64")]
use super::vectors::{Avx2, Avx512, Vnni};
use crate::board::Position;

impl Kernel {
    /// The value of a position in centipawns for the side to move.
    #[inline]
    pub(super) fn value(
        self,
        network: &Network,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) -> i32 {
        match self.0 {
            Instructions::Portable(proof) => network.value(proof, state, position, ply),
            // SAFETY: the proof is made only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(proof) => unsafe { avx2(proof, network, state, position, ply) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(proof) => unsafe { avx512(proof, network, state, position, ply) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Vnni(proof) => unsafe { vnni(proof, network, state, position, ply) },
        }
    }

    /// The same where only an output layer of squared accumulators is behind the first. What most
    /// evaluations need is a short function of its own; it does without the rest until it must not.
    #[inline]
    pub(super) fn squared_value(
        self,
        network: &Network,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) -> i32 {
        loop {
            if let Some(value) = self.ready_value(network, state, position, ply) {
                return value;
            }
            self.update(network, state, position, ply);
        }
    }

    #[inline(always)]
    fn ready_value(
        self,
        network: &Network,
        state: &mut State,
        position: &Position,
        ply: usize,
    ) -> Option<i32> {
        match self.0 {
            Instructions::Portable(proof) => portable_squared(proof, network, state, position, ply),
            // SAFETY: the proof is made only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(proof) => unsafe {
                avx2_squared(proof, network, state, position, ply)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(proof) => unsafe {
                avx512_squared(proof, network, state, position, ply)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Vnni(proof) => unsafe {
                vnni_squared(proof, network, state, position, ply)
            },
        }
    }

    #[cold]
    fn update(self, network: &Network, state: &mut State, position: &Position, ply: usize) {
        match self.0 {
            Instructions::Portable(proof) => network.update(proof, state, position, ply),
            // SAFETY: the proof is made only where the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(proof) => unsafe {
                avx2_update(proof, network, state, position, ply);
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(proof) => unsafe {
                avx512_update(proof, network, state, position, ply);
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Vnni(proof) => unsafe {
                vnni_update(proof, network, state, position, ply);
            },
        }
    }
}

/// A function of its own: inlined, it would be prepared for in the evaluations of every processor.
#[inline(never)]
fn portable_squared(
    vectors: Portable,
    network: &Network,
    state: &mut State,
    position: &Position,
    ply: usize,
) -> Option<i32> {
    network.squared_value(vectors, state, position, ply)
}

/// Makes the copies of an evaluation for instructions that not every processor has.
#[cfg(target_arch = "x86_64")]
macro_rules! compiled {
    ($($name:ident = $method:ident -> $result:ty, for $proof:ident with $features:literal)*) => {$(
        #[target_feature(enable = $features)]
        fn $name(
            vectors: $proof,
            network: &Network,
            state: &mut State,
            position: &Position,
            ply: usize,
        ) -> $result {
            network.$method(vectors, state, position, ply)
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
compiled! {
    avx2 = value -> i32, for Avx2 with "avx2,bmi1,bmi2"
    avx2_squared = squared_value -> Option<i32>, for Avx2 with "avx2,bmi1,bmi2"
    avx2_update = update -> (), for Avx2 with "avx2,bmi1,bmi2"
    avx512 = value -> i32, for Avx512 with "avx2,bmi1,bmi2,avx512f,avx512bw"
    avx512_squared = squared_value -> Option<i32>, for Avx512 with "avx2,bmi1,bmi2,avx512f,avx512bw"
    avx512_update = update -> (), for Avx512 with "avx2,bmi1,bmi2,avx512f,avx512bw"
    vnni = value -> i32, for Vnni with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vnni"
    vnni_squared = squared_value -> Option<i32>, for Vnni with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vnni"
    vnni_update = update -> (), for Vnni with "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vnni"
}
