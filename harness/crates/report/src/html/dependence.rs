//! Partial dependence of the strength on the parameters of a tuning run.

use maud::{Markup, PreEscaped, html};

use super::super::dependence_chart::{Ends, dependence_chart, map_chart, shade};
use super::layout::plain;
use harness_outcome::{ParameterSummary, TuneReport};

/// Partial dependence of each parameter, and of those that matter most by twos.
pub fn dependence(report: &TuneReport) -> Markup {
    let parameters = &report.summary.parameters;
    let Some(dependence) = &report.dependence else { return html! {} };
    let curves: Vec<(&ParameterSummary, String)> = dependence
        .curves
        .iter()
        .filter_map(|curve| {
            let parameter = parameters.get(curve.parameter)?;
            Some((parameter, dependence_chart(curve, ends(parameter))?))
        })
        .collect();
    let maps: Vec<([&ParameterSummary; 2], f64, String)> = dependence
        .maps
        .iter()
        .filter_map(|map| {
            let [a, b] = map.parameters;
            let both = [parameters.get(a)?, parameters.get(b)?];
            let names = both.map(|parameter| parameter.name.as_str());
            Some((both, shade(map), map_chart(map, names, both.map(ends))?))
        })
        .collect();
    html! {
        @if !curves.is_empty() {
            section.card {
                h2 { "Partial dependence" }
                div.small-charts {
                    @for (parameter, svg) in &curves {
                        figure {
                            h3 { code { (parameter.name) } }
                            (PreEscaped(svg))
                        }
                    }
                }
                p.soft.after {
                    "Elo against the best value when this parameter alone is changed, averaged "
                    "over the points of the run: a Gaussian process fitted to its results. "
                    "Shaded: two standard errors. Dashed: the start; line: the best value."
                }
            }
        }
        @if !maps.is_empty() {
            section.card {
                h2 { "The parameters that matter most, by twos" }
                div.small-charts {
                    @for (both, shade, svg) in &maps {
                        figure {
                            h3 {
                                code { (both[0].name) " × " (both[1].name) }
                                span { "a shade: " (plain(*shade)) " Elo" }
                            }
                            (PreEscaped(svg))
                        }
                    }
                }
                p.soft.after {
                    "The more colour, the stronger; ring: the start, dot: the best values."
                }
            }
        }
    }
}

fn ends(parameter: &ParameterSummary) -> Ends {
    Ends { start: parameter.start, best: parameter.estimate }
}
