//! The workers of a server.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use super::refusal::blocking;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::App;
use harness_base::address::GivenAddress;
use harness_base::config::Config;
use harness_base::session::{ClusterAddress, NamedBy};
use harness_base::text::grouped;
use harness_cluster::message::Status;
use harness_cluster::overview::Overview;
use harness_report::html::{as_sentence, with_code};
use miette::Diagnostic;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/workers", get(page))
}

/// The server of `harness.yaml`, else that of this machine.
fn address() -> ClusterAddress {
    let of_file = Config::find().ok().and_then(|config| config.on);
    match of_file {
        Some(server) => ClusterAddress { server, credentials: None, named_by: NamedBy::File },
        None => {
            let given: GivenAddress = "127.0.0.1".parse().expect("an address");
            given.into()
        }
    }
}

/// `/workers`: the workers that are there now, and what they play.
async fn page(Extension(role): Extension<Role>) -> Response {
    let content = blocking(|| {
        let address = address();
        let server = address.server.to_string();
        Ok(match Overview::ask(&address, "harness studio") {
            Ok(overview) => there(&server, &overview),
            Err(error) => html! {
                h1 { "Workers" }
                section.card {
                    @if matches!(address.named_by, NamedBy::File) { p { (with_code(&error.to_string())) } }
                    @else {
                        p { "harness.yaml names no server, and this machine has none that answers." }
                        p.soft { (with_code(&error.to_string())) }
                    }
                    @if let Some(help) = error.help() { p.soft { (with_code(&help.to_string())) } }
                    p.soft {
                        code { "harness serve" } " starts a server, " code { "harness work" }
                        " on any machine joins it, and " code { "on: nats://HOST" } " in harness.yaml names it."
                    }
                }
            },
        })
    });
    let content = content.await.unwrap_or_else(
        |refused| html! { h1 { "Workers" } p { (with_code(&as_sentence(&refused.1))) } },
    );
    let page = FramedPage { title: "Workers", tab: "/workers", topic: None, role, content };
    frame::response(page.page())
}

fn there(server: &str, overview: &Overview) -> Markup {
    let Overview { workers, quarantined, runs } = overview;
    let cores: usize = workers.iter().map(|worker| worker.cores).sum();
    html! {
        h1 { "Workers" }
        p.soft {
            "Of " code { (server) } ": " (workers.len()) @if workers.len() == 1 { " worker, " } @else { " workers, " }
            (cores) @if cores == 1 { " core. " } @else { " cores. " }
            a href="/workers" { "Look again" }
        }
        section.card {
            @if workers.is_empty() {
                p { "No worker is there; " code { "harness work" } " on any machine joins." }
            } @else { (table(workers)) }
        }
        @if !runs.is_empty() {
            section.card {
                h2 { "Runs that share them" }
                ul { @for run in runs { li { code { (run.run) } ", priority " (run.priority) } } }
            }
        }
        @if !quarantined.is_empty() {
            section.card {
                h2 { "In quarantine" }
                ul { @for worker in quarantined { li { (worker) } } }
            }
        }
    }
}

fn table(workers: &[Status]) -> Markup {
    let most = workers.iter().map(Status::games_per_hour).fold(1.0, f64::max);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Workers" {
            table {
                thead {
                    tr {
                        th { "Name" } th { "Key" } th { "Token" } th.number { "Cores" } th.number { "knps" }
                        th.number { "±" } th.number { "Games" } th { "Games an hour" } th.number { "Faults" }
                        th { "Sandbox" } th { "Plays" }
                    }
                }
                tbody {
                    @for worker in workers {
                        @let rate = worker.games_per_hour();
                        tr {
                            td { (worker.name) }
                            td { code { (worker.short_key()) } }
                            td { (worker.token) }
                            td.number { (worker.cores) }
                            td.number { (grouped((worker.speed / 1000.0) as u64)) }
                            td.number { (format!("{:.0} %", 100.0 * worker.noise)) }
                            td.number { (grouped(worker.games)) }
                            td.rate {
                                (grouped(rate as u64)) " "
                                svg.bar aria-hidden="true" { rect width=(format!("{:.1}%", 100.0 * rate / most)) height="100%" {} }
                            }
                            td.number { (worker.faults) }
                            td { (worker.sandbox) }
                            td { (worker.plays()) }
                        }
                    }
                }
            }
        }
    }
}
