//! Which of the bots that are there is challenged.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::keys::{Seek, Variant};

/// A clock of a challenge, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// At the start.
    pub base: u32,
    /// After each move.
    pub increment: u32,
}

/// A text that is no clock of Lichess.
#[derive(Debug, Error)]
#[error(
    "`{0}` is no clock of a challenge: write BASE+INCREMENT in seconds, such as 180+2; at most 10800+180, and \
     not 0+0"
)]
pub struct ParseClockError(String);

impl FromStr for Clock {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<Clock, ParseClockError> {
        let wrong = || ParseClockError(text.to_owned());
        let (base, increment) = text.split_once('+').ok_or_else(wrong)?;
        let number = |text: &str, most: u32| {
            text.trim().parse::<u32>().ok().filter(|number| *number <= most).ok_or_else(wrong)
        };
        let clock = Clock { base: number(base, 10_800)?, increment: number(increment, 180)? };
        if clock.base + clock.increment == 0 { Err(wrong()) } else { Ok(clock) }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.base, self.increment)
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Clock, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Clock {
    /// Its class, by the expected length of a game of forty moves, as Lichess has it.
    fn speed(self) -> &'static str {
        match self.base + 40 * self.increment {
            0..30 => "ultraBullet",
            30..180 => "bullet",
            180..480 => "blitz",
            480..1500 => "rapid",
            1500.. => "classical",
        }
    }
}

/// A bot that is there, as the server lists it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OnlineBot {
    /// The name in small letters.
    pub id: String,
    /// The name as its owner writes it.
    pub username: String,
    /// Its ratings, by class of time control or variant.
    #[serde(default)]
    pub perfs: BTreeMap<String, Perf>,
    /// The account is closed, or marked by the moderators.
    #[serde(default)]
    pub disabled: bool,
    #[serde(default)]
    pub tos_violation: bool,
}

/// A rating.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Perf {
    #[serde(default)]
    pub rating: Option<u32>,
}

impl OnlineBot {
    /// Its rating at this kind of game.
    pub fn rating(&self, clock: Clock, variant: Variant) -> Option<u32> {
        let key = if variant == Variant::Chess960 { "chess960" } else { clock.speed() };
        self.perfs.get(key)?.rating
    }
}

/// Whether a bot is one to challenge to this game. One whose rating is unknown fits only where any does.
pub(super) fn fits(rules: &Seek, bot: &OnlineBot, clock: Clock, variant: Variant) -> bool {
    let is = |name: &String| name.eq_ignore_ascii_case(&bot.id);
    let range = rules.rating.min..=rules.rating.max;
    let all = rules.rating == crate::keys::Ratings::default();
    let rating_fits = bot.rating(clock, variant).map_or(all, |rating| range.contains(&rating));
    !bot.disabled
        && !bot.tos_violation
        && !rules.block.iter().any(is)
        && (rules.only.is_empty() || rules.only.iter().any(is))
        && rating_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_base_and_increment_in_seconds() {
        for (text, expected) in [
            ("180+2", Some((180, 2, "blitz"))),
            ("60+0", Some((60, 0, "bullet"))),
            ("0+1", Some((0, 1, "bullet"))),
            ("15+0", Some((15, 0, "ultraBullet"))),
            ("600+0", Some((600, 0, "rapid"))),
            ("1800+20", Some((1800, 20, "classical"))),
            ("0+0", None),
            ("10801+0", None),
            ("60+181", None),
            ("180", None),
            ("3m+2", None),
            ("-1+2", None),
            ("", None),
        ] {
            let clock: Result<Clock, _> = text.parse();
            let found = clock.ok().map(|clock| (clock.base, clock.increment, clock.speed()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn each_rule_leaves_out_those_that_it_says() {
        let bot = |changes: &str| -> OnlineBot {
            let mut value = serde_json::json!({
                "id": "fish", "username": "Fish", "title": "BOT",
                "perfs": { "blitz": { "rating": 2000 }, "chess960": { "rating": 1500 } },
            });
            let changes: serde_json::Value = serde_json::from_str(changes).expect("JSON");
            for (key, change) in changes.as_object().expect("an object") {
                value[key] = change.clone();
            }
            serde_json::from_value(value).expect("a bot")
        };
        let blitz: Clock = "180+2".parse().expect("a clock");
        let rapid: Clock = "600+0".parse().expect("a clock");
        for (yaml, changes, clock, variant, expected) in [
            ("{}", "{}", blitz, Variant::Standard, true),
            ("{}", "{}", rapid, Variant::Standard, true),
            ("rating: { min: 2000, max: 2000 }", "{}", blitz, Variant::Standard, true),
            ("rating: { min: 2001 }", "{}", blitz, Variant::Standard, false),
            ("rating: { max: 1999 }", "{}", blitz, Variant::Standard, false),
            ("rating: { max: 2500 }", "{}", rapid, Variant::Standard, false),
            ("rating: { max: 1600 }", "{}", blitz, Variant::Chess960, true),
            ("block: [FISH]", "{}", blitz, Variant::Standard, false),
            ("only: [other]", "{}", blitz, Variant::Standard, false),
            ("only: [Fish, other]", "{}", blitz, Variant::Standard, true),
            ("{}", r#"{"disabled": true}"#, blitz, Variant::Standard, false),
            ("{}", r#"{"tosViolation": true}"#, blitz, Variant::Standard, false),
            ("{}", r#"{"perfs": {}}"#, blitz, Variant::Standard, true),
        ] {
            let rules: Seek = serde_yaml::from_str(yaml).expect("rules");
            assert_eq!(fits(&rules, &bot(changes), clock, variant), expected, "{yaml} {changes}");
        }
    }
}
