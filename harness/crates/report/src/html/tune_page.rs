//! The page of a tuning run.

use maud::{Markup, PreEscaped, html};

use super::super::chart::{gain_chart, parameter_chart};
use super::super::text::{
    counted, duration, grouped, headline, limit_words, minus_signs, percent, scaled_limit_words,
    verdict_word,
};
use super::dependence::dependence;
use super::effects::{effects_table, screened};
use super::layout::{
    Page, SHOWN_GAMES, bars, estimate, how_to_repeat, number, plain, score_text, signed,
    verdict_class, warnings,
};
use super::viewer;
use harness_outcome::tuned::{Finding, Gain};
use harness_outcome::{MatchSummary, ParameterSummary, TakenOut, TuneReport, ViewedGame};

/// The page of a tuning run, with some of its games.
pub fn tune_page(report: &TuneReport, games: &[ViewedGame]) -> Page {
    let summary = &report.summary;
    let validation = summary.validation.as_ref();
    let effect_warning = summary.effect_warning().map(|text| limit_words(&text, "move"));
    let taken_out: Vec<String> = summary.taken_out.iter().map(TakenOut::warning).collect();
    let content = html! {
        header {
            @if let Some(verdict) = validation.and_then(|validation| validation.verdict) {
                span class={ "verdict " (verdict_class(verdict)) } { (verdict_word(verdict)) }
            }
            h1 {
                @if summary.effects.is_some() { "Screening " } @else { "Tuning " }
                (summary.engine)
            }
            p.soft { (result(report)) }
        }
        (warnings(&report.warnings))
        (void_pairs(report))
        (warnings(effect_warning.as_slice()))
        (warnings(&taken_out))
        (warnings(&summary.bound_notes()))
        (numbers(report))
        @if let Some(validation) = validation { (validated(validation)) }
        @if let Some(effects) = &summary.effects {
            (effects_table(effects))
        } @else {
            (table(report))
            (curves(report))
            (gain(report))
            (importance(report))
            (dependence(report))
        }
        (viewer::games(games, SHOWN_GAMES))
        (setup(report))
        (how_to_repeat(&summary.run, report.command_line.as_deref()))
        footer {
            "run " (summary.run) " · " a href="steps.csv" { "steps.csv" }
            " · " a href="games.pgn" { "games.pgn" }
        }
    };
    Page::new(format!("tuning {}: {}", summary.engine, summary.method), content).with_games(games)
}

/// Parameters in the table, and those with a chart: of more, the ones that moved farthest.
const MAX_ROWS: usize = 200;
const MAX_CHARTS: usize = 60;

/// The result in sentences.
fn result(report: &TuneReport) -> String {
    let summary = &report.summary;
    if let Some(effects) = &summary.effects {
        return screened(summary, effects);
    }
    let played = counted(report.games_played, "game", "games");
    let mut text = format!("{played} in {}", duration(summary.seconds));
    if report.games_played > summary.games {
        text += &format!(", of which {} count so far", grouped(summary.games));
    }
    if let Some(gain) = summary.gain {
        let gained = signed(gain.value, 1);
        text += &format!("; expected gain {gained} Elo (80 %: {})", gain_interval(gain));
    }
    text += ". ";
    if let Some(validation) = &summary.validation {
        text += &minus_signs(&headline(validation));
        text += " ";
    }
    let mut conclusion = summary.conclusion().to_owned();
    if let Some(first) = conclusion.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text + &conclusion + "."
}

fn void_pairs(report: &TuneReport) -> Markup {
    let void = report.summary.void_pairs;
    let text = format!(
        "{} did not count: a player crashed, hung or gave no legal move.",
        counted(void, "pair", "pairs")
    );
    warnings(if void > 0 { std::slice::from_ref(&text) } else { &[] })
}

fn gain_interval(gain: Gain) -> String {
    format!("{} to {}", signed(gain.low80, 1), signed(gain.high80, 1))
}

fn numbers(report: &TuneReport) -> Markup {
    let summary = &report.summary;
    let (value, interval) = match summary.gain {
        Some(gain) => (signed(gain.value, 1), gain_interval(gain)),
        None if summary.finding() == Finding::TooFew => {
            ("–".to_owned(), "too few games to tell".to_owned())
        }
        None => ("–".to_owned(), String::new()),
    };
    let better = summary.gain.map_or("–".to_owned(), |gain| percent(Some(gain.chance())));
    let asked = match (report.games_played, report.games_asked) {
        (played, _) if played > summary.games => format!("that count, {} played", grouped(played)),
        (played, asked) if played < asked => format!("of {}", grouped(asked)),
        _ => String::new(),
    };
    let pace = if summary.seconds > 0.0 && report.games_played > 0 {
        format!("{:.1}", report.games_played as f64 / summary.seconds)
    } else {
        "–".to_owned()
    };
    let more = summary.gain_of_twice.map_or_else(
        || "by more games".to_owned(),
        |gain| format!("{gain:.1} of it by as many games again"),
    );
    let jobs = match report.jobs {
        1 => "one pair at a time".to_owned(),
        jobs => format!("{jobs} pairs at a time"),
    };
    html! {
        section.card {
            dl.numbers {
                @if summary.effects.is_none() {
                    (number("Expected gain in Elo, 80 %", &value, &interval))
                }
                @if summary.effects.is_none() && summary.finding() != Finding::Start {
                    (number("Chance to be better than the start", &better, ""))
                }
                @if let Some(left) = summary.left_to_gain() {
                    (number("Left to gain in Elo", &format!("{left:.1}"), &more))
                }
                (number("Games", &grouped(summary.games), &asked))
                (number("Parameters", &summary.tuned_count().to_string(), ""))
                (number("Time", &duration(summary.seconds), ""))
                (number("Games a second", &pace, &jobs))
                (number("Drawn pairs", &percent(summary.draw_ratio), ""))
            }
        }
    }
}

fn validated(validation: &MatchSummary) -> Markup {
    let score = score_text(validation.wins, validation.draws, validation.losses);
    let games = format!("in {}", duration(validation.seconds));
    html! {
        section.card {
            h2 { "Validation, tuned against start" }
            dl.numbers {
                (estimate("Elo, 95 %", validation.elo))
                (number("Won – drawn – lost", &score, ""))
                (number("Games", &grouped(validation.games), &games))
                @if let (Some(llr), Some([low, high])) = (validation.llr, validation.bounds) {
                    (number("LLR", &signed(llr, 2), &format!("[{low:.2}, {high:.2}]")))
                }
            }
            p.soft.after {
                "Games that the tuner has not used: run "
                a href={ "../" (validation.run) "/report.html" } { (validation.run) } "."
            }
        }
    }
}

fn table(report: &TuneReport) -> Markup {
    let optional =
        |value: Option<f64>, digits| value.map_or("–".to_owned(), |value| signed(value, digits));
    let error = |parameter: &ParameterSummary| {
        parameter.error.map_or_else(String::new, |error| format!("± {}", plain(error)))
    };
    let better = report.summary.finding() == Finding::Better;
    html! {
        section.card {
            h2 { "Values" }
            div.scroll tabindex="0" role="region" aria-label="Values" {
                table {
                    thead {
                        tr {
                            th { "Parameter" }
                            th.number { "Start" }
                            th.number { (if better { "Best" } else { "Found" }) }
                            th.number { "Estimate, ± 1 s.e." }
                            th.number { "z" }
                            th.number { "Range" }
                        }
                    }
                    tbody {
                        @for (_, parameter) in report.summary.tuned(MAX_ROWS) {
                            tr {
                                td { code { (parameter.name) } }
                                td.number { (plain(parameter.start)) }
                                td.number {
                                    @if !better || parameter.best == parameter.start {
                                        (plain(parameter.found()))
                                    } @else {
                                        strong { (plain(parameter.best)) }
                                    }
                                }
                                td.number { (plain(parameter.estimate)) " " (error(parameter)) }
                                td.number { (optional(parameter.z, 1)) }
                                td.number {
                                    (plain(parameter.min)) " to " (plain(parameter.max))
                                    @if parameter.at_bound.is_some() {
                                        " " span title="stands at the end of its range" {
                                            (parameter.bound_mark())
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if report.summary.tuned_count() > MAX_ROWS {
                p.soft.after {
                    "The " (MAX_ROWS) " of " (report.summary.tuned_count())
                    " parameters that moved farthest in their ranges."
                }
            }
            p.soft.after {
                "z: the gradient at the start in standard errors. Within "
                "2 or so no effect can be seen: the parameter has little, its start was right, or the "
                "games were too few. ▲ and ▼: the value stands at the end of its range."
            }
        }
    }
}

fn curves(report: &TuneReport) -> Markup {
    let charts: Vec<(&ParameterSummary, String)> = report
        .summary
        .tuned(MAX_CHARTS)
        .into_iter()
        .filter_map(|(index, parameter)| {
            Some((parameter, parameter_chart(&report.path, index, parameter)?))
        })
        .collect();
    html! {
        @if !charts.is_empty() {
            section.card {
                h2 { "Values over games" }
                div.small-charts {
                    @for (parameter, svg) in &charts {
                        figure {
                            h3 {
                                code { (parameter.name) }
                                span {
                                    (plain(parameter.start)) " → " (plain(parameter.found()))
                                }
                            }
                            (PreEscaped(svg))
                        }
                    }
                }
                p.soft.after {
                    "The value found over games, between the bounds of the "
                    "parameter; dashed: the start; shaded: one standard error, where it is known."
                }
            }
        }
    }
}

fn gain(report: &TuneReport) -> Markup {
    html! {
        @if let Some(svg) = gain_chart(&report.path) {
            section.card {
                h2 { "Expected gain over games" }
                figure.chart {
                    (PreEscaped(svg))
                    figcaption {
                        "Elo that the values found are expected to gain on the start, with "
                        "its 80 % interval, from the first estimate on."
                    }
                }
            }
        }
    }
}

/// A z that noise alone seldom reaches.
const NOTICEABLE: f64 = 3.0;

fn importance(report: &TuneReport) -> Markup {
    let mut rows: Vec<(&str, f64)> = report
        .summary
        .tuned(usize::MAX)
        .into_iter()
        .filter_map(|(_, parameter)| Some((parameter.name.as_str(), parameter.z?)))
        .collect();
    rows.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    rows.truncate(MAX_CHARTS);
    // Noise alone gives short bars.
    let most = rows.first().map_or(0.0, |(_, z)| z.abs()).max(NOTICEABLE);
    html! {
        @if !rows.is_empty() {
            section.card {
                h2 { "Importance" }
                (bars(rows.iter().map(|&(name, z)| {
                    (name, z.abs() / most, format!("z {}", signed(z, 1)))
                })))
                p.soft.after {
                    "|z| of the gradient at the start; the sign is the direction in which the engine "
                    "gets stronger."
                }
            }
        }
    }
}

fn setup(report: &TuneReport) -> Markup {
    let summary = &report.summary;
    let fixed: Vec<&str> = summary
        .parameters
        .iter()
        .filter(|parameter| parameter.fixed)
        .map(|parameter| parameter.name.as_str())
        .collect();
    html! {
        section.card {
            h2 { "Setup" }
            div.scroll tabindex="0" role="region" aria-label="Setup" {
                table.setup {
                    tr { th scope="row" { "Engine" } td { strong { (summary.engine) } } }
                    tr { th scope="row" { "Method" } td { (summary.method) } }
                    tr {
                        th scope="row" { "Limit" }
                        td { (scaled_limit_words(&summary.limit, summary.reference_nps)) }
                    }
                    tr { th scope="row" { "Seed" } td { (report.seed) } }
                    @if let Some(path) = &summary.network {
                        tr { th scope="row" { "Network" } td { code { (path) } } }
                    }
                    @if !fixed.is_empty() {
                        tr { th scope="row" { "Left alone" } td { (fixed.join(", ")) } }
                    }
                    @if !summary.frozen.is_empty() {
                        tr { th scope="row" { "Hardly matter" } td { (summary.frozen.join(", ")) } }
                    }
                }
            }
        }
    }
}
