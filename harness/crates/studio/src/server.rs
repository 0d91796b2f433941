//! Address, routes, start and end of the server.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use engine::tablebase::Tablebases;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::boards::{Engines, Shelf};
use super::error::StudioError;
use super::games::{Explorer, PgnFiles};
use super::hub::Hub;
use super::indexer::Indexer;
use super::launch::{Launched, Launcher};
use super::results::Results;
use super::security::{self, Secrets};
use super::topics::Topics;
use super::{assets, events, pages};
use harness_assistant::endpoint::Endpoint;
use harness_base::session::Interrupt;
use harness_ledger::{Ledger, LedgerError};

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
    pub tablebases: String,
    /// A language model for sentences that are not understood, if its user configured one.
    pub endpoint: Option<Endpoint>,
}

/// What all requests share.
pub struct App {
    /// Folder of the ledger and of the runs.
    pub reports: PathBuf,
    /// Names under which it is asked for, with the port.
    pub names: Vec<String>,
    /// The name of its cookie: one for each port, which cookies do not know.
    pub cookie: String,
    /// Its tokens.
    pub secrets: Secrets,
    /// The running processes.
    pub hub: Arc<Hub>,
    /// The results of runs.
    pub results: Arc<Results>,
    /// The open pages.
    pub topics: Arc<Topics>,
    /// Starts commands.
    pub launcher: Launcher,
    /// What was started here.
    pub launched: Launched,
    /// The index of games.
    pub games: Arc<Indexer>,
    /// What was played in the positions of the ledger.
    pub explorer: Explorer,
    /// PGN files.
    pub pgn: PgnFiles,
    /// Positions of the ledger's games that may be puzzles.
    pub puzzles: pages::practice::OfGames,
    /// The boards.
    pub shelf: Shelf,
    /// Engines that play and analyse on boards.
    pub engines: Arc<Engines>,
    /// Tablebases, whose WDL results boards show.
    pub tablebases: Tablebases,
    /// A language model for sentences that are not understood.
    pub endpoint: Option<Endpoint>,
    /// Set when the studio ends: engines that check moves are stopped.
    pub interrupt: Interrupt,
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
        // Its examples are read while the page loads.
        std::thread::spawn(harness_assistant::prepare);
        let secrets = Secrets::of(&reports)?;
        let app = App {
            names: security::names(address, name.as_deref()),
            cookie: format!("tench-studio-{}", address.port()),
            topics: Topics::new(&reports, &hub, &results, secrets.csrf()),
            results,
            secrets,
            hub,
            launcher,
            launched: Launched::default(),
            games: Indexer::start(&reports)?,
            tablebases,
            endpoint,
            interrupt: interrupt.clone(),
            explorer: Explorer::default(),
            pgn: PgnFiles::new(&reports),
            puzzles: Default::default(),
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

    /// Answers until the interrupt is set. Gives the runs that were started here and go on.
    ///
    /// # Errors
    /// When the server fails.
    pub fn serve(self) -> Result<Vec<String>, StudioError> {
        let Studio { runtime, listener, address, app } = self;
        // A move is a small packet, which must not wait for the next one.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!("{error}");
            }
        });
        let interrupt = app.interrupt.clone();
        let ended = runtime.spawn_blocking(move || interrupt.wait());
        let served = runtime.block_on(async {
            tokio::select! {
                served = async { axum::serve(listener, routes(&app)).await } => served,
                _ = ended => Ok(()),
            }
        });
        app.hub.close();
        app.games.close();
        // Pages that listen are not waited for.
        runtime.shutdown_background();
        served.map_err(|error| StudioError::Listen(address, error))?;
        Ok(app.launched.running())
    }
}

fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/", get(pages::runs::list))
        .route("/run/{id}", get(pages::run::with_slash))
        .route("/run/{id}/", get(pages::run::page))
        .route("/run/{id}/{file}", get(pages::files::file))
        .route("/run/{id}/do/{what}", post(pages::actions::act))
        .route("/runs/{id}/report.html", get(pages::run::with_slash))
        .route("/run/{id}/game/{key}", get(pages::game::page))
        .route("/run/{id}/game/{key}/check", post(pages::check::page))
        .route("/suite", get(pages::suite::page).post(pages::suite::add))
        .route("/games", get(pages::games::list))
        .route("/start", get(pages::start::form).post(pages::start::start))
        .route("/started/{number}", get(pages::start::started))
        .route("/history", get(pages::history::page))
        .route("/compare", get(pages::compare::page))
        .route("/boards", get(pages::boards::list).post(pages::boards::make))
        .route("/board/{id}", get(pages::board::page))
        .route("/board/{id}/events", get(pages::board_requests::events))
        .route("/board/{id}/ask", post(pages::ask::ask))
        .route("/board/{id}/explorer", get(pages::explorer::explorer))
        .route("/board/{id}/playout", post(pages::explorer::play_out))
        .route("/board/{id}/seen", get(pages::board_requests::seen))
        .route("/ask/lost/{number}", get(pages::ask::lost))
        .route("/practice", get(pages::practice::page))
        .route("/practice/next", post(pages::practice::next))
        .route("/practice/answer", post(pages::practice::judge))
        .route("/help", get(pages::ask::help))
        .route("/pgn", get(pages::pgn::list))
        .route("/pgn/games", get(pages::pgn::games))
        .route("/pgn/open", post(pages::pgn::open))
        .route("/pgn/upload", post(pages::pgn::upload))
        .route("/board/{id}/do/{what}", post(pages::board_requests::act))
        .route("/board/{id}/at/{node}", get(pages::board_requests::at))
        .route("/board/{id}/advice/{wish}", get(pages::board_requests::advice))
        .route("/board/{id}/analysis", get(pages::board_requests::analysis))
        .route("/board/{id}/game.pgn", get(pages::board_requests::pgn))
        .route("/events/{*topic}", get(events::stream))
        .route("/assets/{build}/{name}", get(assets::asset))
        .fallback(not_found)
        .layer(from_fn_with_state(Arc::clone(app), security::guard))
        .with_state(Arc::clone(app))
}

async fn not_found() -> StudioError {
    StudioError::NotFound("such page".to_owned())
}

/// Renders a page from the ledger, on a thread that may wait for the disk.
///
/// # Errors
/// As `render`; and when the ledger cannot be read.
pub async fn with_ledger<T: Send + 'static>(
    app: Arc<App>,
    render: impl FnOnce(&App, &Ledger) -> Result<T, StudioError> + Send + 'static,
) -> Result<T, StudioError> {
    let rendered = tokio::task::spawn_blocking(move || {
        let ledger = match Ledger::open_to_read(&app.reports) {
            // A page about nothing is a page, too.
            Err(LedgerError::NoRuns { .. }) => Ledger::in_memory(&[], &app.reports)?,
            opened => opened?,
        };
        render(&app, &ledger)
    });
    rendered.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// An answer that is a page.
pub fn html(page: String) -> Response {
    Html(page).into_response()
}
