//! Tasks and answers on their way through a backend.

use std::ops::ControlFlow;

use crate::work::{Done, Work};

/// Tasks in the order in which they are begun, with rising numbers; one that cannot be given ends them.
pub type Tasks<'a, W, E> = dyn Iterator<Item = Result<<W as Work>::Task, E>> + Send + 'a;

/// Takes some answers; breaks when no more are wanted.
pub type KeepAnswers<'a, W, E> =
    dyn FnMut(Vec<Done<<W as Work>::Answer>>) -> Result<ControlFlow<()>, E> + 'a;
