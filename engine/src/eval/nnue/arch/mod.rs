//! The registry of architectures: one a file, listed once.
//!
//! An architecture says what its sizes are and what a network of some sizes computes. The engine's
//! evaluation, the layers of a file and the trainer's gradient follow from that. A new one is a
//! file here and its line in the list; a new kind of feature set or step is added to
//! [`features`](super::features) or [`graph`](super::graph) first.

mod common;

use super::shape::{Architecture, Shape, Size};

/// Lists the architectures: files here, each with its constant.
macro_rules! architectures {
    ($($file:ident::$architecture:ident)*) => {
        $(
            mod $file;
            pub use $file::$architecture;
        )*

        /// All architectures.
        pub static ARCHITECTURES: &[&Architecture] = &[$(&$architecture),*];
    };
}

architectures! {
    perspective::PERSPECTIVE
    nnueu::NNUEU
    halfkp::HALFKP
    two_path::TWO_PATH
    king_buckets::KING_BUCKETS
    pairwise::PAIRWISE
}

impl Architecture {
    /// The architecture of a name.
    pub fn find(name: &str) -> Option<&'static Architecture> {
        ARCHITECTURES.iter().copied().find(|architecture| architecture.name == name)
    }
}

impl Shape {
    /// The shape of an architecture whose sizes `value` returns, in the order of [`Shape::sizes`];
    /// `None` if there is no such architecture.
    ///
    /// # Errors
    /// Those of `value`.
    pub fn from_sizes<E>(
        name: &str,
        value: impl FnMut(&'static Size) -> Result<i64, E>,
    ) -> Result<Option<Shape>, E> {
        Architecture::find(name).map(|architecture| architecture.with_sizes(value)).transpose()
    }
}
