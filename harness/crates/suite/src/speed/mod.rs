//! Speed of engines: nodes a second, and the time to a depth.
//!
//! A machine is not equally fast from one minute to the next: the engines take turns at each
//! position, in another order each round, and are compared by the ratios within a turn. Nodes and
//! depths of different engines are not the same thing: only between builds of one engine the ratios
//! are those of speed.

mod measure;

pub use measure::{Search, Task, search, speeds};
