//! Words and numbers of reports.

use std::collections::BTreeMap;

use super::race_text::race_headline;
pub use harness_base::text::{counted, duration, grouped, limit_words, percent, two_digits};
use harness_outcome::MatchSummary;
use harness_stats::{
    Model, NORMAL_FROM, Pentanomial, Remaining, Sequential, SequentialElo, Sprt, Stop, Verdict,
    signed,
};

/// `271` or `270.5`.
pub fn points(points: f64) -> String {
    if points.fract() == 0.0 { format!("{points:.0}") } else { format!("{points:.1}") }
}

/// `Hash=16 Threads=1`.
pub fn options_text(options: &BTreeMap<String, String>) -> String {
    let options: Vec<String> =
        options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    options.join(" ")
}

/// `tc=8+0.08, scaled to 812 knps`: a limit, and the speed that workers scaled its times to.
pub fn scaled_limit(limit: &str, reference_nps: Option<f64>) -> String {
    match reference_nps {
        Some(nps) => format!("{limit}, scaled to {} knps", grouped((nps / 1000.0).round() as u64)),
        None => limit.to_owned(),
    }
}

/// `8 s + 0.08 s a move, scaled to 812 knps`: the same in words, for pages.
pub fn scaled_limit_words(limit: &str, reference_nps: Option<f64>) -> String {
    scaled_limit(&limit_words(limit, "move"), reference_nps)
}

/// `SPRT of [0, 5] normalized Elo, alpha 0.05, beta 0.05, falling bounds (at most 168,000 games)`.
pub fn sprt_text(sprt: &Sprt) -> String {
    let Sprt { model, elo0, elo1, alpha, beta, .. } = sprt;
    let test =
        format!("SPRT of [{elo0}, {elo1}] {} Elo, alpha {alpha}, beta {beta}", model_word(*model));
    test + &rule_text(sprt)
}

/// `, falling bounds (at most 168,000 games), futile below 10 %`: what differs from Wald's test.
pub fn rule_text(sprt: &Sprt) -> String {
    let mut text = String::new();
    let Some(rule) = &sprt.rule else { return text };
    if let Some(last) = rule.last_pair() {
        text += &format!(", {} bounds (at most {} games)", rule.shape, grouped(2 * last));
    }
    if let Some(futility) = &rule.futility {
        text += &format!(", futile below {}", percent(Some(futility.level)));
    }
    if rule.from > 0 {
        text += &format!(", changed after {} pairs", grouped(rule.from));
    }
    text
}

/// `-346.15, as other runners print it: below 200 pairs the spread of results is regularised`; of a
/// normalized Elo from `observations` pairs (or games, as `unit` says).
pub fn plain_nelo_text(plain: f64, observations: u64, unit: &str) -> String {
    let plain = signed(plain, 2);
    if (observations as f64) < NORMAL_FROM {
        let reason = format!("below {NORMAL_FROM} {unit} the spread of results is regularised");
        return format!("{plain}, as other runners print it: {reason}");
    }
    format!("{plain}, as other runners print it: the spread of nearly equal {unit} is regularised")
}

/// See [`plain_nelo_text`]; `None` where the normalized Elo of a match is the plain one.
pub fn plain_nelo(summary: &MatchSummary) -> Option<String> {
    let pairs = Pentanomial(summary.pentanomial).pairs();
    Some(plain_nelo_text(summary.nelo.plain_beside()?, pairs, "pairs"))
}

/// `8.33, 95% in [1.71, 15.05]`: the median-unbiased estimate, corrected for overshoot. Of a test that
/// its rule has not ended also the interval that holds whenever it is stopped by hand.
pub fn sequential_text(sequential: &Sequential, stopped: Option<Stop>) -> String {
    let SequentialElo { median_unbiased, ci95: [low, high], .. } = sequential.overshoot_corrected;
    let number = |elo: f64| {
        if !SequentialElo::is_clamped(elo) {
            signed(elo, 2)
        } else if elo < 0.0 {
            "below -1000".to_owned()
        } else {
            "above 1000".to_owned()
        }
    };
    let text = format!("{}, 95% in [{}, {}]", number(median_unbiased), number(low), number(high));
    match (stopped, sequential.any_stop) {
        (None, Some([low, high])) => {
            format!("{text}; stopped by hand, in [{}, {}]", number(low), number(high))
        }
        _ => text,
    }
}

/// `about 3,200 games more, accepts with 83.1 %`; `None` once the test has decided.
pub fn remaining_text(remaining: &Remaining) -> Option<String> {
    let Remaining { games, pass, undecided } = *remaining;
    (games > 0.0).then(|| {
        let games = rounded(games);
        let open = match undecided >= 0.005 {
            true => format!(", ends open with {}", percent(Some(undecided))),
            false => String::new(),
        };
        format!("about {games} games more, then accepts with {}{open}", percent(Some(pass)))
    })
}

/// A number of games to two digits.
pub fn rounded(games: f64) -> String {
    let unit = 10f64.powf(games.max(1.0).log10().floor() - 1.0).max(1.0);
    let games = (games / unit).round() * unit;
    if games < 1e12 { grouped(games as u64) } else { format!("{games:.0e}") }
}

pub(super) fn model_word(model: Model) -> &'static str {
    match model {
        Model::Logistic => "logistic",
        Model::Normalized => "normalized",
    }
}

/// `accepted`, as in JSON.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Rejected => "rejected",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// The result in a sentence.
pub fn headline(summary: &MatchSummary) -> String {
    if let Some(doubt) = &summary.doubt {
        return format!("The result is undecided: {doubt}.");
    }
    if let Some(race) = &summary.race {
        return race_headline(summary, race);
    }
    let facts = &summary.facts;
    let name = |index: usize| facts.engines.get(index).map_or("?", |engine| engine.name.as_str());
    let first = name(0);
    let second = name(1);
    if let (Some(verdict), Some(sprt)) = (summary.verdict, &facts.sprt) {
        let elo = format!("{} Elo", model_word(sprt.model));
        return match verdict {
            Verdict::Accepted => format!(
                "The test accepts {first}: a difference of {} {elo} to {second} fits the games \
                 better than one of {}.",
                sprt.elo1, sprt.elo0
            ),
            Verdict::Rejected if summary.stopped == Some(Stop::Futility) => format!(
                "The test rejects {first}: with the games left it would hardly accept even if the \
                 difference to {second} were {} {elo}.",
                sprt.elo1
            ),
            Verdict::Rejected => format!(
                "The test rejects {first}: a difference of {} {elo} to {second} fits the games \
                 better than one of {}.",
                sprt.elo0, sprt.elo1
            ),
            Verdict::Inconclusive => {
                format!("The test ended undecided between {} and {} {elo}.", sprt.elo0, sprt.elo1)
            }
        };
    }
    if facts.engines.len() > 2 {
        return format!(
            "{} players, {} games at {}.",
            facts.engines.len(),
            grouped(summary.games),
            limit_words(&facts.limit, "move")
        );
    }
    match (summary.elo.value, summary.elo.interval()) {
        (Some(elo), Some([low, high])) if low <= 0.0 && 0.0 <= high => {
            format!(
                "No difference can be seen with {} games: {} Elo, 95 % in [{}, {}]; {}.",
                grouped(summary.games),
                plus(elo, 1),
                plus(low, 1),
                plus(high, 1),
                visible_text(summary.visible_effect)
            )
        }
        (Some(elo), Some([low, high])) => {
            let (stronger, weaker) = if elo > 0.0 { (first, second) } else { (second, first) };
            let size = match summary.elo.error95 {
                Some(error) if !summary.elo.is_skewed() => format!("{:.1} ± {error:.1}", elo.abs()),
                _ => {
                    let [near, far] = [low.abs().min(high.abs()), low.abs().max(high.abs())];
                    format!("{:.1} [{near:.1}, {far:.1}]", elo.abs())
                }
            };
            format!("{stronger} is stronger than {weaker}, by {size} Elo (95 %).")
        }
        _ => one_sided(summary, first, second),
    }
}

/// `smallest visible effect: about 64 Elo`, of as many games with the same draws.
pub fn visible_text(effect: Option<f64>) -> String {
    match effect {
        Some(elo) => format!("smallest visible effect: about {} Elo", two_digits(elo)),
        None => "so few games show no difference, however large".to_owned(),
    }
}

/// With a sign, and `+0.0` rather than `-0.0`.
pub fn plus(number: f64, digits: usize) -> String {
    let text = signed(number, digits);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// Without a loss, or without a win, there is no Elo.
fn one_sided(summary: &MatchSummary, first: &str, second: &str) -> String {
    let is_shown = summary.los.is_some_and(|los| !(0.025..=0.975).contains(&los));
    let shown = if is_shown { "" } else { ", and so few games show no difference" };
    match (summary.wins, summary.draws, summary.losses) {
        (0, 0, 0) => "No game is finished yet.".to_owned(),
        (_, 0, 0) => format!("{first} won every game; that gives no Elo{shown}."),
        (0, 0, _) => format!("{second} won every game; that gives no Elo{shown}."),
        _ => "No pair is complete yet.".to_owned(),
    }
}

/// `all lost` or `all won`: games with one result, which give no Elo.
pub(crate) fn one_result(pairs: &Pentanomial) -> Option<&'static str> {
    match *pairs {
        Pentanomial([lost, 0, 0, 0, 0]) if lost > 0 => Some("all lost"),
        Pentanomial([0, 0, 0, 0, won]) if won > 0 => Some("all won"),
        _ => None,
    }
}

/// A text with the sign of a page before its negative numbers; hyphens of names stay.
pub(crate) fn minus_signs(text: &str) -> String {
    let mut signed = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_sign = letter == '-'
            && matches!(before, ' ' | '[' | '(')
            && letters.peek().is_some_and(char::is_ascii_digit);
        signed.push(if is_sign { '−' } else { letter });
        before = letter;
    }
    signed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_number_has_its_sign_and_a_name_its_hyphen() {
        for (text, shown) in [
            ("new-1: -8.5 Elo, 95 % in [-10.7, +4.9]", "new-1: −8.5 Elo, 95 % in [−10.7, +4.9]"),
            ("-3 - 4 (-5), a-b -c", "−3 - 4 (−5), a-b -c"),
        ] {
            assert_eq!(minus_signs(text), shown);
        }
    }

    #[test]
    fn expected_games_have_two_digits() {
        let cases =
            [(0.3, "0"), (7.4, "7"), (96.0, "96"), (3_249.0, "3,200"), (99_900.0, "100,000")];
        for (games, text) in cases {
            assert_eq!(rounded(games), text);
        }
        assert_eq!(rounded(3.3e19), "3e19");
        let over = Remaining { games: 0.0, pass: 1.0, undecided: 0.0 };
        assert_eq!(remaining_text(&over), None);
        let open = Remaining { games: 64.0, pass: 0.12, undecided: 0.8 };
        let text = "about 64 games more, then accepts with 12.0 %, ends open with 80.0 %";
        assert_eq!(remaining_text(&open).as_deref(), Some(text));
    }

    #[test]
    fn an_effect_has_two_digits_and_a_zero_no_minus() {
        let cases = [(243.7, "240"), (24.6, "25"), (2.44, "2.4"), (0.123, "0.12"), (9.96, "10.0")];
        for (number, text) in cases {
            assert_eq!(two_digits(number), text);
        }
        assert_eq!([plus(-0.04, 1), plus(-0.06, 1), plus(3.0, 1)], ["+0.0", "-0.1", "+3.0"]);
    }
}
