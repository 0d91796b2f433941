//! Scripts and styles, compiled in.

use std::sync::OnceLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use harness_report::html::{STYLE, viewer};

/// A file that pages load.
struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const SHEET: &str = "text/css; charset=utf-8";

macro_rules! script {
    ($name:literal) => {
        Asset { name: $name, kind: SCRIPT, text: include_str!(concat!("assets/", $name)) }
    };
}

static ASSETS: [Asset; 37] = [
    Asset { name: "report.css", kind: SHEET, text: STYLE },
    Asset { name: "viewer.css", kind: SHEET, text: viewer::STYLE },
    Asset { name: "studio.css", kind: SHEET, text: include_str!("assets/studio.css") },
    Asset { name: "board.js", kind: SCRIPT, text: viewer::BOARD },
    Asset { name: "graph.js", kind: SCRIPT, text: viewer::GRAPH },
    Asset { name: "viewer.js", kind: SCRIPT, text: viewer::VIEWER },
    Asset { name: "play.css", kind: SHEET, text: include_str!("assets/play.css") },
    script!("analyse.js"),
    script!("answers.js"),
    script!("appearance.js"),
    script!("ask.js"),
    script!("boardgraph.js"),
    script!("boardpage.js"),
    script!("boards.js"),
    script!("caret.js"),
    script!("columns.js"),
    script!("curves.js"),
    script!("editor.js"),
    script!("explorer.js"),
    script!("insight.js"),
    script!("lines.js"),
    script!("lists.js"),
    script!("live.js"),
    script!("loading.js"),
    script!("movetree.js"),
    script!("pgnfiles.js"),
    script!("picture.js"),
    script!("practice.js"),
    script!("runfile.js"),
    script!("sorting.js"),
    script!("start.js"),
    script!("stream.js"),
    script!("streams.js"),
    script!("streamworker.js"),
    script!("studio.js"),
    script!("wishes.js"),
    script!("zoom.js"),
];

/// A name of this version of the assets; a page of another version loads itself again.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let mut hash = Sha256::new();
        for asset in &ASSETS {
            hash.update(asset.text);
        }
        hash.update(env!("CARGO_PKG_VERSION"));
        hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    })
}

/// `/assets/BUILD/NAME`: the build in the path lets browsers keep them.
pub async fn asset(Path((_, name)): Path<(String, String)>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, asset.kind),
                (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
            ];
            (headers, asset.text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
