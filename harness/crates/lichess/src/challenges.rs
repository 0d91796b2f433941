//! Which challenges are accepted, and the reason of each that is not.

use std::time::Duration;

use super::keys::{Challenges, Mode, Opponents, Speed, Variant};
use super::messages::{Challenge, TimeControl};

/// Why a challenge is declined: the reasons that the interface knows
/// (<https://lichess.org/api#tag/Challenges/operation/challengeDecline>). Lichess tells them to the
/// challenger in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No challenges at the moment.
    Generic,
    /// Ask again later.
    Later,
    /// The time control is too fast.
    TooFast,
    /// The time control is too slow.
    TooSlow,
    /// Not with this time control.
    TimeControl,
    /// Only rated games.
    Rated,
    /// Only casual games.
    Casual,
    /// Only standard chess.
    Standard,
    /// Not this variant.
    Variant,
    /// No bots.
    NoBot,
    /// Bots only.
    OnlyBot,
}

impl Reason {
    /// As the interface has it.
    pub fn key(self) -> &'static str {
        match self {
            Reason::Generic => "generic",
            Reason::Later => "later",
            Reason::TooFast => "tooFast",
            Reason::TooSlow => "tooSlow",
            Reason::TimeControl => "timeControl",
            Reason::Rated => "rated",
            Reason::Casual => "casual",
            Reason::Standard => "standard",
            Reason::Variant => "variant",
            Reason::NoBot => "noBot",
            Reason::OnlyBot => "onlyBot",
        }
    }
}

/// The games of the bot now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Games under way, and challenges accepted whose games have not begun.
    pub games: usize,
    /// Those with the challenger.
    pub with_challenger: usize,
    /// No further game is begun.
    pub is_ending: bool,
}

/// Why a challenge is declined; `None`: it is accepted. The accounts are looked at first, then what is
/// to be played, then the rating, and last the games under way.
pub fn objection(
    rules: &Challenges,
    most_games: usize,
    challenge: &Challenge,
    load: Load,
) -> Option<Reason> {
    let challenger = &challenge.challenger;
    let is = |name: &String| {
        challenger.id.as_deref().is_some_and(|id| id == name.to_lowercase())
            || challenger.name.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(name))
    };
    if rules.block.iter().any(is) || (!rules.only.is_empty() && !rules.only.iter().any(is)) {
        return Some(Reason::Generic);
    }
    let opponent = if challenger.is_bot() { Opponents::Bots } else { Opponents::Humans };
    if !rules.opponents.contains(&opponent) {
        return Some(if challenger.is_bot() { Reason::NoBot } else { Reason::OnlyBot });
    }
    let variant = challenge.variant.known();
    if !variant.is_some_and(|variant| rules.variants.contains(&variant)) {
        let standard_only = rules.variants == [Variant::Standard];
        return Some(if standard_only { Reason::Standard } else { Reason::Variant });
    }
    let mode = if challenge.rated { Mode::Rated } else { Mode::Casual };
    if !rules.modes.contains(&mode) {
        return Some(if challenge.rated { Reason::Casual } else { Reason::Rated });
    }
    if let Some(reason) = time_objection(rules, challenge) {
        return Some(reason);
    }
    let rating = challenger.rating.unwrap_or(0);
    let known = challenger.rating.is_some();
    if known && !(rules.rating.min..=rules.rating.max).contains(&rating) {
        return Some(Reason::Generic);
    }
    let busy = load.games >= most_games || load.with_challenger >= rules.per_opponent;
    (busy || load.is_ending).then_some(Reason::Later)
}

fn time_objection(rules: &Challenges, challenge: &Challenge) -> Option<Reason> {
    if !rules.speeds.contains(&challenge.speed) {
        let rank = |speed: Speed| speed as usize;
        let faster = rules.speeds.iter().all(|&other| rank(challenge.speed) < rank(other));
        let slower = rules.speeds.iter().all(|&other| rank(challenge.speed) > rank(other));
        return Some(match (faster, slower) {
            (true, false) => Reason::TooFast,
            (false, true) => Reason::TooSlow,
            _ => Reason::TimeControl,
        });
    }
    let TimeControl::Clock { limit, increment } = challenge.time_control else { return None };
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    for (time, range) in
        [(seconds(limit), rules.base.range()), (seconds(increment), rules.increment.range())]
    {
        if time < *range.start() {
            return Some(Reason::TooFast);
        }
        if time > *range.end() {
            return Some(Reason::TooSlow);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn challenge(changes: Value) -> Challenge {
        let mut value = json!({
            "id": "abcdefgh", "rated": true, "speed": "blitz", "variant": { "key": "standard" },
            "challenger": { "id": "somebody", "name": "Somebody", "rating": 1800 },
            "timeControl": { "type": "clock", "limit": 300, "increment": 3 },
        });
        for (key, change) in changes.as_object().expect("an object") {
            value[key] = change.clone();
        }
        serde_json::from_value(value).expect("a challenge")
    }

    fn rules(yaml: &str) -> Challenges {
        serde_yaml::from_str(yaml).expect("rules")
    }

    #[test]
    fn each_rule_declines_with_its_reason() {
        let bot =
            json!({ "challenger": { "id": "b", "name": "B", "title": "BOT", "rating": 1800 } });
        let clock = |limit: u32, increment: u32, speed: &str| {
            json!({
                "timeControl": { "type": "clock", "limit": limit, "increment": increment },
                "speed": speed,
            })
        };
        let same = json!({});
        let correspondence = json!({
            "speed": "correspondence", "timeControl": { "type": "correspondence", "daysPerTurn": 2 },
        });
        for (yaml, changes, expected) in [
            ("{}", &same, None),
            ("{}", &bot, None),
            ("block: [SomeBody]", &same, Some(Reason::Generic)),
            ("only: [Another]", &same, Some(Reason::Generic)),
            ("only: [somebody]", &same, None),
            ("opponents: [humans]", &bot, Some(Reason::NoBot)),
            ("opponents: [bots]", &same, Some(Reason::OnlyBot)),
            ("{}", &json!({ "variant": { "key": "atomic" } }), Some(Reason::Standard)),
            (
                "variants: [standard, chess960]",
                &json!({ "variant": { "key": "horde" } }),
                Some(Reason::Variant),
            ),
            ("variants: [chess960]", &json!({ "variant": { "key": "chess960" } }), None),
            ("modes: [casual]", &same, Some(Reason::Casual)),
            ("modes: [rated]", &json!({ "rated": false }), Some(Reason::Rated)),
            ("{}", &clock(15, 0, "ultraBullet"), Some(Reason::TooFast)),
            ("{}", &correspondence, Some(Reason::TooSlow)),
            ("speeds: [bullet, rapid]", &same, Some(Reason::TimeControl)),
            ("speeds: [correspondence]", &correspondence, None),
            ("base: { min: 301s }", &same, Some(Reason::TooFast)),
            ("base: { max: 299s }", &same, Some(Reason::TooSlow)),
            ("base: { min: 300s, max: 300s }", &same, None),
            ("increment: { min: 4s }", &same, Some(Reason::TooFast)),
            ("increment: { max: 2s }", &same, Some(Reason::TooSlow)),
            ("rating: { min: 1801 }", &same, Some(Reason::Generic)),
            ("rating: { max: 1799 }", &same, Some(Reason::Generic)),
        ] {
            let found = objection(&rules(yaml), 1, &challenge(changes.clone()), Load::default());
            assert_eq!(found, expected, "{yaml} {changes}");
        }
    }

    #[test]
    fn a_busy_bot_asks_to_come_later() {
        let rules = rules("per_opponent: 1");
        let idle = Load::default();
        for (load, changes, expected) in [
            (Load { games: 2, ..idle }, json!({}), Some(Reason::Later)),
            (Load { games: 1, ..idle }, json!({}), None),
            (Load { games: 1, with_challenger: 1, ..idle }, json!({}), Some(Reason::Later)),
            (Load { is_ending: true, ..idle }, json!({}), Some(Reason::Later)),
        ] {
            assert_eq!(objection(&rules, 2, &challenge(changes), load), expected, "{load:?}");
        }
    }
}
