//! Networks that learn from labelled positions.
//!
//! A network of any of the engine's architectures learns to expect the result of a game: its output
//! through a sigmoid is brought near to a blend of a search's score and the game's result, by
//! AdamW on the mean squared error. What is learnt is rounded to the integers that the engine
//! reads.
//!
//! | file | subject |
//! |---|---|
//! | [`config`], [`network_config`] | a training as YAML, the network that it asks for |
//! | [`data`], [`sample`] | positions, 32 bytes each |
//! | [`network`] | the weights: what they start as, their limits, as integers |
//! | [`gradient`], [`rows`] | what a network says, and its slopes; where the time is spent |
//! | [`sparse`], [`aligned`] | features and numbers in memory |
//! | [`model`], [`dense`] | the layers behind the first, forwards and backwards |
//! | [`step`] | the slopes of a batch, by several threads |
//! | [`optimiser`] | AdamW |
//! | [`trainer`] | steps and passes |
//! | [`reference`] | what is reached by counting pieces |
//! | [`checkpoint`] | an interrupted training as a file |

pub mod aligned;
pub mod checkpoint;
pub mod config;
pub mod data;
mod dense;
pub mod gradient;
pub mod model;
pub mod network;
pub mod network_config;
pub mod optimiser;
pub mod reference;
pub mod rows;
pub mod sample;
pub mod sparse;
pub mod step;
#[cfg(test)]
mod tests;
pub mod trainer;
