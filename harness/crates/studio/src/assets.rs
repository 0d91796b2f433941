//! Scripts and styles, compiled in.

use std::collections::HashMap;
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

static ASSETS: [Asset; 51] = [
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
    script!("clocks.js"),
    script!("columns.js"),
    script!("curves.js"),
    script!("editor.js"),
    script!("explorer.js"),
    script!("fits.js"),
    script!("insight.js"),
    script!("later.js"),
    script!("lines.js"),
    script!("lists.js"),
    script!("live.js"),
    script!("loading.js"),
    script!("movetree.js"),
    script!("neighbours.js"),
    script!("notes.js"),
    script!("panels.js"),
    script!("pgnfiles.js"),
    script!("picture.js"),
    script!("places.js"),
    script!("practice.js"),
    script!("premove.js"),
    script!("remarks.js"),
    script!("runfile.js"),
    script!("sharing.js"),
    script!("snapshot.js"),
    script!("sorting.js"),
    script!("speech.js"),
    script!("start.js"),
    script!("steps.js"),
    script!("stream.js"),
    script!("streams.js"),
    script!("streamworker.js"),
    script!("studio.js"),
    script!("ticked.js"),
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

/// The address of an asset.
pub fn address(name: &str) -> String {
    format!("/assets/{}/{name}", build())
}

/// A script and all that it imports, each once: a browser that knows them asks for all at the same time
/// instead of one after the other.
pub fn modules(script: &str) -> &'static [&'static str] {
    static KNOWN: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let scripts = ASSETS.iter().filter(|asset| asset.kind == SCRIPT);
        scripts.map(|asset| (asset.name, imported_by(asset.name))).collect()
    });
    known.get(script).map_or(&[], Vec::as_slice)
}

fn imported_by(script: &'static str) -> Vec<&'static str> {
    let mut found = vec![script];
    let mut at = 0;
    while let Some(name) = found.get(at) {
        let asset = ASSETS.iter().find(|asset| asset.name == *name);
        for name in asset.iter().flat_map(|asset| imports(asset.text)) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        at += 1;
    }
    found
}

/// The names of the modules that a script imports.
fn imports(text: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().filter(|line| line.starts_with("import "));
    lines.filter_map(|line| line.split_once("from \"./")?.1.strip_suffix("\";"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_a_script_are_assets_each_once() {
        for asset in ASSETS.iter().filter(|asset| asset.kind == SCRIPT) {
            let modules = modules(asset.name);
            for (at, name) in modules.iter().enumerate() {
                assert!(ASSETS.iter().any(|asset| asset.name == *name), "{name}");
                assert!(!modules[..at].contains(name), "{name}");
            }
            assert_eq!(
                imports(asset.text).count(),
                asset.text.matches("\nimport ").count(),
                "{}",
                asset.name
            );
        }
        assert!(modules("studio.js").contains(&"board.js"));
    }
}
