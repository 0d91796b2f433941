//! Trains networks on labelled positions.
//!
//! A network of any of the engine's architectures learns the expected score of a position: the
//! sigmoid of its output approaches a search's score and the game's result, by AdamW on the mean
//! squared error. The weights are quantised for the engine. The trainer has no code of an
//! architecture: its graph is that of the engine, executed in floating point and backwards.
//!
//! | file | subject |
//! |---|---|
//! | [`config`], [`network_config`] | the configuration, its network |
//! | [`data`], [`positions`], [`packed`] | training and validation set, on disk, positions of 32 bytes |
//! | [`network`] | the weights: start, limits, quantisation |
//! | [`average`] | the mean of networks' weights |
//! | [`widen`] | weights for training that starts from a smaller network |
//! | [`gradient`], [`rows`] | the loss and its gradient; where the time is spent |
//! | [`group`], [`sparse`], [`aligned`] | positions, features and numbers in memory |
//! | [`model`], [`dense`] | the layers behind the first, forwards and backwards |
//! | [`batch`] | the gradient of a batch, by several threads |
//! | [`loss`], [`scale`] | the loss of a position by its score and its result; the scale that joins them |
//! | [`schedule`], [`ramp`] | epochs and rates that fit the data; numbers that change within a training |
//! | [`factoriser`] | the part of a first layer's weights that its king buckets share |
//! | [`optimiser`] | AdamW |
//! | [`trainer`] | the training loop: steps and epochs |
//! | [`baseline`] | the loss of material alone |
//! | [`checkpoint`] | the checkpoint of an interrupted training |

pub mod aligned;
pub mod average;
pub mod baseline;
pub mod batch;
pub mod checkpoint;
pub mod config;
pub mod data;
mod dense;
pub mod factoriser;
pub mod gradient;
pub mod group;
pub mod loss;
pub mod model;
pub mod network;
pub mod network_config;
pub mod optimiser;
pub mod packed;
pub mod positions;
pub mod ramp;
pub mod rows;
pub mod scale;
pub mod schedule;
pub mod sparse;
#[cfg(test)]
mod tests;
pub mod trainer;
pub mod widen;
