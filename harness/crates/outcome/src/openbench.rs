//! OpenBench's summary of a test, for commit messages and pull requests.

use super::{EngineFacts, Estimate, MatchFacts, MatchSummary};
use harness_stats::signed;

/// Elo, limit and options, LLR, games and pairs, a line each:
///
/// ```text
/// Elo   | 25.11 +- 10.33 (95%)
/// SPRT  | 8.0+0.08s Threads=1 Hash=32MB
/// LLR   | 2.95 (-2.94, 2.94) [0.00, 5.00]
/// Games | N: 1580 W: 460 L: 346 D: 774
/// Penta | [8, 150, 360, 246, 26]
/// ```
///
/// A match has `Conf` instead of `SPRT` and no LLR. The options are those that are the same for
/// all engines: threads and hash, and what was set.
pub fn openbench_block(summary: &MatchSummary) -> String {
    let facts = &summary.facts;
    let label = if facts.sprt.is_some() { "SPRT " } else { "Conf " };
    let mut text = format!("Elo   | {}\n", elo_text(summary.elo, summary));
    let configuration = format!("{label} | {} {}", limit_text(&facts.limit), options_text(facts));
    text += configuration.trim_end();
    text.push('\n');
    if let (Some(sprt), Some([lower, upper])) = (&facts.sprt, summary.bounds) {
        let llr = summary.llr.unwrap_or(0.0);
        text += &format!(
            "LLR   | {} ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]\n",
            signed(llr, 2),
            sprt.elo0,
            sprt.elo1
        );
    }
    let MatchSummary { wins, draws, losses, pentanomial, .. } = summary;
    let games = wins + draws + losses;
    text += &format!("Games | N: {games} W: {wins} L: {losses} D: {draws}\n");
    text + &format!("Penta | {pentanomial:?}\n")
}

/// `25.11 +- 10.33 (95%)`, `25.11 [-40.10, 95.00] (95%)` after few games, or why there is none.
pub fn elo_text(estimate: Estimate, summary: &MatchSummary) -> String {
    match &summary.elo_undefined {
        Some(reason) if estimate.value.is_none() => format!("none: {reason}"),
        _ => format!("{estimate:.2} (95%)"),
    }
}

/// `8.0+0.08s` for `tc=8+0.08`; other limits as they are.
fn limit_text(limit: &str) -> String {
    let Some(clock) = limit.strip_prefix("tc=") else { return limit.to_owned() };
    let (base, increment) = clock.split_once('+').unwrap_or((clock, "0"));
    let base = if base.contains('.') { base.to_owned() } else { format!("{base}.0") };
    format!("{base}+{increment}s")
}

/// Threads and hash, then the other options, as far as they are the same for every engine.
fn options_text(facts: &MatchFacts) -> String {
    let known = [("Threads", ""), ("Hash", "MB")];
    let mut words = Vec::new();
    for (name, unit) in known {
        let mut values = facts.engines.iter().map(|engine| in_force(engine, name));
        if let Some(Some(first)) = values.next()
            && values.all(|value| value == Some(first))
        {
            words.push(format!("{name}={first}{unit}"));
        }
    }
    if let Some((first, others)) = facts.engines.split_first() {
        let is_shared = |name: &str, value: &String| {
            others.iter().all(|other| other.options.get(name) == Some(value))
        };
        let is_known = |name: &str| known.iter().any(|(known, _)| name.eq_ignore_ascii_case(known));
        let options = first.options.iter();
        let shared = options.filter(|(name, value)| !is_known(name) && is_shared(name, value));
        words.extend(shared.map(|(name, value)| format!("{name}={value}")));
    }
    words.join(" ")
}

/// The value of an option, set or default.
fn in_force<'a>(engine: &'a EngineFacts, option: &str) -> Option<&'a str> {
    let set = engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option));
    set.map(|(_, value)| value).or_else(|| engine.defaults.get(option)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(sprt: bool) -> MatchSummary {
        let options = |threads: &str| json!({ "Hash": "32", "threads": threads, "Contempt": "0" });
        let mut summary = json!({
            "run": "20261121-143015-sprt", "games": 1580, "wins": 460, "draws": 774,
            "losses": 346, "pentanomial": [8, 150, 360, 246, 26],
            "elo": { "value": 25.114, "error95": 10.326 }, "nelo": { "value": 36.0, "error95": 12.2 },
            "los": 0.998, "llr": null, "bounds": null, "verdict": null, "terminations": {},
            "seconds": 725.0, "command": "match", "limit": "tc=8+0.08", "games_asked": null,
            "engines": [
                { "name": "new", "what": "git", "options": options("1") },
                { "name": "old", "what": "git", "options": options("1") },
            ],
            "openings": null, "jobs": 2, "seed": 1, "command_line": null, "sprt": null,
        });
        if sprt {
            summary["llr"] = json!(2.9512);
            summary["bounds"] = json!([-2.9444, 2.9444]);
            summary["sprt"] = json!({
                "model": "normalized", "elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05
            });
        }
        serde_json::from_value(summary).expect("the documented keys")
    }

    #[test]
    fn the_block_of_a_test_is_what_testers_paste() {
        let expected = "\
Elo   | 25.11 +- 10.33 (95%)
SPRT  | 8.0+0.08s Threads=1 Hash=32MB Contempt=0
LLR   | 2.95 (-2.94, 2.94) [0.00, 5.00]
Games | N: 1580 W: 460 L: 346 D: 774
Penta | [8, 150, 360, 246, 26]
";
        assert_eq!(openbench_block(&summary(true)), expected);
    }

    #[test]
    fn the_block_of_a_match_has_no_ratio() {
        let mut summary = summary(false);
        summary.facts.engines[1].options.insert("threads".to_owned(), "2".to_owned());
        let expected = "\
Elo   | 25.11 +- 10.33 (95%)
Conf  | 8.0+0.08s Hash=32MB Contempt=0
Games | N: 1580 W: 460 L: 346 D: 774
Penta | [8, 150, 360, 246, 26]
";
        assert_eq!(openbench_block(&summary), expected);
    }

    #[test]
    fn what_engines_do_untold_is_told_where_they_do_the_same() {
        let mut summary = summary(false);
        for engine in &mut summary.facts.engines {
            engine.options.clear();
            let defaults = [("Threads", "1"), ("Hash", "16")];
            engine.defaults =
                defaults.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        }
        assert!(openbench_block(&summary).contains("\nConf  | 8.0+0.08s Threads=1 Hash=16MB\n"));
        summary.facts.engines[1].options.insert("Hash".to_owned(), "8".to_owned());
        assert!(openbench_block(&summary).contains("\nConf  | 8.0+0.08s Threads=1\n"));
    }

    #[test]
    fn limits_are_written_as_testers_write_them() {
        let cases =
            [("tc=8+0.08", "8.0+0.08s"), ("tc=40/60", "40/60.0+0s"), ("nodes=5000", "nodes=5000")];
        for (limit, text) in cases {
            assert_eq!(limit_text(limit), text);
        }
    }
}
