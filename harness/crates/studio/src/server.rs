//! Address, routes, start and end of the server.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::tablebase::Tablebases;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::boards::{Engines, Shelf};
use super::checks::Checks;
use super::error::StudioError;
use super::games::{Explorer, PgnFiles};
use super::hub::Hub;
use super::indexer::Indexer;
use super::launch::{LaunchedCommands, Launcher};
use super::practice::GamePositions;
use super::results::Results;
use super::secrets::Secrets;
use super::state::App;
use super::streams::Streams;
use super::topics::Topics;
use super::{assets, connections, pages, security};
use harness_assistant::endpoint::Endpoint;
use harness_base::session::Interrupt;

/// How the studio is started.
pub struct StudioSettings {
    /// Folder of the ledger and of the runs.
    pub reports: PathBuf,
    /// Address to listen at.
    pub host: IpAddr,
    /// Port; 0 takes any that is free.
    pub port: u16,
    /// A further name under which it is asked for.
    pub name: Option<String>,
    /// Starts commands.
    pub launcher: Launcher,
    /// Folders of Syzygy tablebases, separated as in PATH; empty for none.
    pub tablebases: OsString,
    /// A language model for sentences that are not understood, if its user configured one.
    pub endpoint: Option<Endpoint>,
}

/// A studio that listens.
pub struct Studio {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
}

impl Studio {
    /// Opens the port.
    ///
    /// # Errors
    /// When the port is taken, or the reports folder cannot be written.
    pub fn open(settings: StudioSettings, interrupt: &Interrupt) -> Result<Studio, StudioError> {
        let StudioSettings { reports, host, port, name, launcher, tablebases, endpoint } = settings;
        let (tablebases, errors) = Tablebases::open(&tablebases);
        if let Some(error) = errors.into_iter().next() {
            return Err(StudioError::Tablebases(error));
        }
        if let (0, Some(missing)) = (tablebases.count(), tablebases.missing()) {
            return Err(StudioError::HalfTablebases(missing));
        }
        let wanted = SocketAddr::new(host, port);
        let failed = |error| StudioError::Listen(wanted, error);
        let runtime = Runtime::new().map_err(failed)?;
        let listener = runtime.block_on(TcpListener::bind(wanted)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let hub = Hub::start(&reports);
        let results = Arc::<Results>::default();
        let secrets = Secrets::open(&reports)?;
        let app = App {
            names: security::names(address, name.as_deref()),
            cookie: format!("tench-studio-{}", address.port()),
            topics: Topics::new(&reports, &hub, &results, secrets.csrf()),
            streams: Streams::default(),
            results,
            secrets,
            hub,
            launcher,
            checks: Checks::default(),
            launched: LaunchedCommands::default(),
            games: Indexer::start(&reports)?,
            tablebases,
            endpoint,
            interrupt: interrupt.clone(),
            explorer: Explorer::default(),
            pgn: PgnFiles::new(&reports),
            puzzles: GamePositions::default(),
            shelf: Shelf::new(&reports),
            engines: Arc::new(Engines::new(reports.clone())),
            reports,
        };
        Ok(Studio { runtime, listener, address, app: Arc::new(app) })
    }

    /// The address with which runs are started, and the one with which pages are read.
    pub fn urls(&self) -> [String; 2] {
        let secrets = &self.app.secrets;
        [secrets.control(), secrets.view()]
            .map(|token| format!("http://{}/?token={token}", self.address))
    }

    /// Answers until the interrupt is set. Gives the runs that were started here and continue.
    pub fn serve(self) -> Vec<String> {
        let Studio { runtime, listener, app, .. } = self;
        let interrupt = app.interrupt.clone();
        let ended = runtime.spawn_blocking(move || interrupt.wait());
        runtime.block_on(async {
            tokio::select! {
                () = connections::serve(listener, routes(&app)) => {}
                // The interrupt, or its thread has ended.
                _ = ended => {}
            }
        });
        app.hub.close();
        app.games.close();
        // Pages that listen are not waited for.
        runtime.shutdown_background();
        app.launched.running()
    }
}

fn routes(app: &Arc<App>) -> Router {
    pages::routes()
        .route("/assets/{build}/{name}", get(assets::asset))
        .fallback(not_found)
        .layer(map_response(in_words))
        .layer(from_fn_with_state(Arc::clone(app), security::guard))
        .with_state(Arc::clone(app))
}

/// The refusal of an address that names no page, or says something that is none of its values: as a page with the
/// others to go to, where the framework has a bare line or nothing.
async fn in_words(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| !kind.starts_with("text/plain")) {
        return response;
    }
    let status = response.status();
    let error = match status {
        StatusCode::BAD_REQUEST => {
            StudioError::Form("the address has a value that is not understood".to_owned())
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            StudioError::NotFound("such page".to_owned())
        }
        _ => return response,
    };
    let mut page = error.into_response();
    *page.status_mut() = status;
    page
}

async fn not_found() -> StudioError {
    StudioError::NotFound("such page".to_owned())
}
