//! The pages: a file each, with its routes, and its line in the list of [`routes`].

mod actions;
mod ask;
mod asked;
mod asked_moves;
mod board;
mod board_requests;
mod boards;
mod check;
mod compare;
pub mod data;
mod events;
mod explorer;
mod files;
mod game;
mod games;
mod history;
mod pgn;
mod picture;
mod practice;
mod refusal;
mod run;
mod run_answers;
mod run_files;
mod run_form;
mod runs;
mod start;
mod suite;
mod workers;

use std::sync::Arc;

use axum::Router;

use crate::state::App;

/// The routes of all pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .merge(actions::routes())
        .merge(ask::routes())
        .merge(board::routes())
        .merge(board_requests::routes())
        .merge(boards::routes())
        .merge(check::routes())
        .merge(compare::routes())
        .merge(data::routes())
        .merge(events::routes())
        .merge(explorer::routes())
        .merge(files::routes())
        .merge(game::routes())
        .merge(games::routes())
        .merge(history::routes())
        .merge(pgn::routes())
        .merge(picture::routes())
        .merge(practice::routes())
        .merge(run::routes())
        .merge(run_files::routes())
        .merge(run_answers::routes())
        .merge(runs::routes())
        .merge(start::routes())
        .merge(suite::routes())
        .merge(workers::routes())
}
