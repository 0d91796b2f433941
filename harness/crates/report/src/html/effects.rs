//! Effects of parameters in a screening.

use maud::{Markup, html};

use super::super::text::{grouped, two_digits};
use super::layout::{plain, signed};
use harness_outcome::TuneSummary;
use harness_outcome::tuned::{Effect, Measured, visible_effect};

/// The result of a screening in a sentence.
pub fn screened(summary: &TuneSummary, effects: &[Effect]) -> String {
    let matter = effects.iter().filter(|effect| effect.matters).count();
    let games = grouped(summary.games);
    format!("After {games} games {matter} of {} parameters matter.", effects.len())
}

/// The parameters, those that matter most first.
pub fn effects_table(effects: &[Effect]) -> Markup {
    let mut sorted: Vec<&Effect> = effects.iter().collect();
    sorted.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    html! {
        section.card {
            h2 { "What the parameters do" }
            div.scroll tabindex="0" role="region" aria-label="What the parameters do" {
                table {
                    thead {
                        tr {
                            th { "Parameter" }
                            th { "Tried" }
                            th.number { "Slope, ± 1 s.e." }
                            th.number { "Bend, ± 1 s.e." }
                            th.number { "p" }
                            th { "Verdict" }
                        }
                    }
                    tbody {
                        @for effect in sorted {
                            tr {
                                td { code { (effect.name) } }
                                td { (tried(effect)) }
                                td.number { (with_error(effect.slope)) }
                                td.number { (effect.bend.map_or_else(|| "–".to_owned(), with_error)) }
                                td.number { (format!("{:.4}", effect.p_value)) }
                                td { @if effect.matters { strong { "matters" } } @else { "not seen" } }
                            }
                        }
                    }
                }
            }
            p.soft.after {
                "Elo of a step among the values tried: of a step up (slope), of a step either way "
                "(bend). A parameter matters if chance alone would show as much for "
                "any of them with less than 5 % (Holm). A step that is worth less than about "
                (smallest(effects)) " Elo cannot be seen with so few games."
            }
        }
    }
}

fn smallest(effects: &[Effect]) -> String {
    let worst = effects.iter().map(|effect| effect.slope.error).fold(0.0, f64::max);
    two_digits(visible_effect(worst, effects.len()))
}

fn tried(effect: &Effect) -> String {
    effect.tried.iter().map(|&value| plain(value)).collect::<Vec<_>>().join(", ")
}

fn with_error(measured: Measured) -> String {
    format!("{} ± {:.1}", signed(measured.value, 1), measured.error)
}
