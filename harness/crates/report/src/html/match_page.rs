//! The page of a match or an SPRT.

use maud::{Markup, PreEscaped, html};

use super::super::chart::{elo_chart, llr_chart};
use super::super::ratings::rounded_percent;
use super::super::text::{
    counted, duration, grouped, headline, minus_signs, options_text, percent, plain_nelo,
    remaining_text, scaled_limit_words, sequential_text, sprt_text, verdict_word,
};
use super::layout::{
    Page, SHOWN_GAMES, bars, estimate, how_to_repeat, number, score_text, verdict_class, warnings,
};
use super::race_section::race_section;
use super::viewer;
use harness_outcome::{
    CurvePoint, MatchSummary, PlayerRow, TournamentSummary, ViewedGame, openbench_block,
};
use harness_stats::{Pentanomial, signed};

/// The page of a match or an SPRT, with some of its games.
pub fn match_page(summary: &MatchSummary, curve: &[CurvePoint], games: &[ViewedGame]) -> Page {
    let facts = &summary.facts;
    let names: Vec<&str> = facts.engines.iter().map(|engine| engine.name.as_str()).collect();
    let title = match &summary.race {
        Some(race) => {
            format!("{} (base {})", names.get(1..).unwrap_or_default().join(", "), race.base)
        }
        None => names.join(" vs "),
    };
    let content = html! {
        header {
            @if let Some(verdict) = summary.verdict {
                span class={ "verdict " (verdict_class(verdict)) } { (verdict_word(verdict)) }
            }
            h1 { (title) }
            p.soft { (minus_signs(&headline(summary))) }
        }
        (warnings(&summary.warnings))
        (numbers(summary))
        (curves(summary, curve))
        @if let Some(race) = &summary.race { (race_section(race)) }
        @if let Some(rounds) = &summary.tournament { (tournament(rounds)) }
        @if !summary.players.is_empty() { (players(summary)) }
        div.columns {
            section.card {
                h2 { "Game pairs" }
                (pentanomial(summary))
            }
            section.card {
                h2 { "How games ended" }
                (terminations(summary))
            }
        }
        (workers(summary))
        (viewer::games(games, SHOWN_GAMES))
        section.card {
            h2 { "For a commit message" }
            pre { (openbench_block(summary)) }
        }
        (setup(summary))
        (how_to_repeat(&summary.run, facts.command_line.as_deref()))
        footer { "run " (summary.run) " · " a href="games.pgn" { "games.pgn" } }
    };
    Page::new(format!("{title}: {}", facts.command), content).with_games(games)
}

fn numbers(summary: &MatchSummary) -> Markup {
    let score = score_text(summary.wins, summary.draws, summary.losses);
    html! {
        section.card {
            dl.numbers {
                (estimate("Elo, 95 %", summary.elo))
                (estimate("Normalized Elo, 95 %", summary.nelo))
                @if summary.players.is_empty() {
                    (number("Likelihood of superiority", &percent(summary.los), ""))
                }
                @if let (Some(llr), Some([lower, upper])) = (summary.llr, summary.bounds) {
                    (number("LLR", &signed(llr, 2).replace('-', "−"), &format!("[{lower:.2}, {upper:.2}]").replace('-', "−")))
                }
                (number("Games", &grouped(summary.games), &format!("in {}", duration(summary.seconds))))
                (number("Won – drawn – lost", &score, ""))
            }
            @if let Some(plain) = plain_nelo(summary) {
                p.soft { "Normalized Elo, plain: " (plain.replace('-', "−")) "." }
            }
            @if let Some(reason) = &summary.elo_undefined { p.soft { "No Elo: " (reason) "." } }
            @if let Some(sequential) = &summary.sequential {
                p.soft.after {
                    "Elo, median-unbiased: without the stopping bias of the test: "
                    (sequential_text(sequential, summary.stopped).replace('-', "−").replace("95%", "95 %")) "."
                }
            }
            @if let Some(remaining) = summary.remaining.as_ref().and_then(remaining_text) {
                p.soft { "At the Elo so far: " (remaining) "." }
            }
        }
    }
}

fn curves(summary: &MatchSummary, curve: &[CurvePoint]) -> Markup {
    let llr = summary.bounds.and_then(|bounds| llr_chart(curve, bounds));
    html! {
        @if let Some(svg) = llr {
            section.card {
                h2 { "Log-likelihood ratio over games" @if summary.race.is_some() { " of the final" } }
                figure.chart {
                    (PreEscaped(svg))
                    @if let Some(sprt) = &summary.facts.sprt {
                        figcaption { (minus_signs(&sprt_text(sprt))) }
                    }
                }
            }
        }
        @if let Some(svg) = elo_chart(curve) {
            section.card {
                h2 { "Elo over games" }
                figure.chart {
                    (PreEscaped(svg))
                    figcaption {
                        "Logistic Elo of " @if summary.race.is_some() { "the candidate of the final" } @else { "the first engine" }
                        ", with its 95 % interval from game pairs."
                    }
                }
            }
        }
    }
}

/// The rounds of a knockout or a Swiss tournament.
fn tournament(tournament: &TournamentSummary) -> Markup {
    let what = if tournament.format == "swiss" { "Points" } else { "Rounds won" };
    html! {
        section.card {
            h2 { "Tournament" }
            div.scroll tabindex="0" role="region" aria-label="Tournament" {
                table {
                    thead { tr { th { "Round" } th { "Encounter" } th.number { "Result" } } }
                    tbody {
                        @for (number, round) in tournament.rounds.iter().enumerate() {
                            @for met in &round.encounters {
                                tr {
                                    td { (number + 1) }
                                    td { (met.engines[0]) " – " (met.engines[1]) }
                                    td.number { (met.points[0]) " – " (met.points[1]) }
                                }
                            }
                        }
                    }
                }
                table {
                    thead { tr { th { "Place" } th { "Engine" } th.number { (what) } } }
                    tbody {
                        @for (place, standing) in tournament.standings.iter().enumerate() {
                            tr {
                                td { (place + 1) }
                                td { (standing.engine) }
                                td.number { (standing.points) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn players(summary: &MatchSummary) -> Markup {
    html! {
        section.card {
            h2 { "Players" }
            div.scroll tabindex="0" role="region" aria-label="Players" {
                table {
                    thead {
                        tr {
                            th { "Player" }
                            th.number { "Elo, 95 %" }
                            @for column in ["Points", "Games", "Won", "Drawn", "Lost"] {
                                th.number { (column) }
                            }
                        }
                    }
                    tbody {
                        @for row in &summary.players {
                            tr {
                                td { (row.name) }
                                td.number { (elo_cell(row)) }
                                td.number { (row.points) }
                                @for count in [row.games, row.wins, row.draws, row.losses] {
                                    td.number { (grouped(count)) }
                                }
                            }
                        }
                    }
                }
            }
            p.soft.after {
                "Elo above the average of the players, from the games of all of them at once."
            }
            @for row in &summary.players {
                @if let Some(reason) = &row.elo_undefined {
                    p.soft { (row.name) " has no Elo: " (reason) "." }
                }
            }
        }
        (superiority(&summary.players))
    }
}

fn elo_cell(row: &PlayerRow) -> String {
    match row.elo.value {
        Some(_) => format!("{:.1}", row.elo).replace("+-", "±").replace('-', "−"),
        None => "–".to_owned(),
    }
}

/// Most players with a matrix.
const WIDEST_MATRIX: usize = 30;

fn superiority(rows: &[PlayerRow]) -> Markup {
    let known = rows.iter().any(|row| row.los.iter().any(Option::is_some));
    html! {
        @if known && rows.len() <= WIDEST_MATRIX {
            section.card {
                h2 { "Likelihood of superiority, in percent" }
                div.scroll tabindex="0" role="region" aria-label="Likelihood of superiority" {
                    table {
                        thead {
                            tr {
                                th { "Over" }
                                @for row in rows { th.number { (row.name) } }
                            }
                        }
                        tbody {
                            @for row in rows {
                                tr {
                                    td { (row.name) }
                                    @for los in &row.los {
                                        td.number { (los.map_or_else(String::new, rounded_percent)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Contribution of each worker on another machine.
fn workers(MatchSummary { workers, taken_out, .. }: &MatchSummary) -> Markup {
    let chance = |p: Option<f64>| p.map_or("–".to_owned(), |p| format!("{:.3}", p.min(1.0)));
    html! {
        @if !workers.is_empty() {
            section.card {
                h2 { "Workers" }
                div.scroll tabindex="0" role="region" aria-label="Workers" {
                    table {
                        thead { tr {
                            th { "Worker" } th { "Key" } th.number { "Pairs" }
                            @for name in PAIR_SCORES { th.number { (name) } }
                            th.number { "Faults" } th.number { "p, results" } th.number { "p, faults" }
                        } }
                        tbody {
                            @for worker in workers {
                                tr {
                                    td class=[worker.is_suspicious().then_some("bad")] { (worker.name) }
                                    td { code { (worker.key.get(..9).unwrap_or(&worker.key)) } }
                                    td.number { (grouped(worker.pairs)) }
                                    @for count in worker.pentanomial { td.number { (grouped(count)) } }
                                    td.number { (worker.faults) }
                                    td.number { (chance(worker.results_p)) }
                                    td.number { (chance(worker.faults_p)) }
                                }
                            }
                        }
                    }
                }
                p.soft.after {
                    "p: bound of the probability that results, or faults, ever differ as much from those \
                     of the others by chance, among all workers."
                }
                @for out in taken_out { p.soft { (out.warning()) "." } }
            }
        }
    }
}

/// Points of the first engine in a pair.
const PAIR_SCORES: [&str; 5] = ["0", "½", "1", "1½", "2"];

fn pentanomial(summary: &MatchSummary) -> Markup {
    let counts = summary.pentanomial;
    let all = Pentanomial(counts).pairs();
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let rows = PAIR_SCORES.into_iter().zip(counts).map(|(name, count)| {
        let share = count as f64 / all.max(1) as f64;
        (name, count as f64 / most, format!("{} · {}", grouped(count), percent(Some(share))))
    });
    html! {
        (bars(rows))
        p.soft.after {
            @if summary.race.is_some() {
                "Points of the candidate in the " (counted(all, "pair", "pairs")) " of the final."
            } @else {
                "Points of the first engine in " (counted(all, "pair", "pairs")) " of games."
            }
        }
    }
}

fn terminations(summary: &MatchSummary) -> Markup {
    let mut rows: Vec<(String, u64)> = summary
        .terminations
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| (kind.replace('_', " "), *count))
        .collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let most = rows.first().map_or(1, |(_, count)| *count) as f64;
    html! {
        @if rows.is_empty() {
            p.soft { "No game is finished yet." }
        } @else {
            (bars(rows.iter().map(|(kind, count)| {
                (kind.as_str(), *count as f64 / most, grouped(*count))
            })))
        }
    }
}

fn setup(summary: &MatchSummary) -> Markup {
    let facts = &summary.facts;
    html! {
        section.card {
            h2 { "Setup" }
            div.scroll tabindex="0" role="region" aria-label="Setup" {
                table.setup {
                    @for engine in &facts.engines {
                        tr {
                            th scope="row" { "Engine" }
                            td {
                                strong { (engine.name) } " "
                                @if engine.what != engine.name { code { (engine.what) } }
                                @if !engine.options.is_empty() {
                                    br; code { (options_text(&engine.options)) }
                                }
                            }
                        }
                    }
                    tr {
                        th scope="row" { "Limit" }
                        td { (scaled_limit_words(&facts.limit, summary.reference_nps)) }
                    }
                    @if let Some(sprt) = &facts.sprt {
                        tr { th scope="row" { "Test" } td { (minus_signs(&sprt_text(sprt))) } }
                    }
                    @if let Some(openings) = &facts.openings {
                        tr { th scope="row" { "Openings" } td { (openings) } }
                    }
                    @if let Some(seed) = facts.seed {
                        tr { th scope="row" { "Seed" } td { (seed) } }
                    }
                    tr { th scope="row" { "At the same time" } td { (counted(facts.jobs as u64, "game", "games")) } }
                }
            }
        }
    }
}
