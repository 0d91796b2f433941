//! Whose games are meant where the explorer is asked for, "what do masters play here, except Bg5": it has the games of its own
//! list, so that "masters" are named beside another restriction. Alone they only say that moves are asked for which people play.

use super::words;

/// People by whom games may be chosen.
const PERSONS: [&str; 22] = [
    "master",
    "masters",
    "grandmaster",
    "grandmasters",
    "gms",
    "pros",
    "professionals",
    "children",
    "kids",
    "juniors",
    "pupils",
    "students",
    "beginners",
    "amateurs",
    "women",
    "girls",
    "boys",
    "computers",
    "correspondence",
    "club",
    "titled",
    "elite",
];

/// The people of a sentence that are not among what is named of it.
pub fn persons(text: &str, named: &[String]) -> Vec<String> {
    let split = words::split(text);
    let is_named = |typed: &str| named.iter().any(|part| part.contains(typed));
    let said = split.iter().filter(|word| {
        PERSONS.contains(&word.text.trim_end_matches("'s")) || PERSONS.contains(&word.text.as_str())
    });
    let typed = said.map(|word| text[word.chunk.0..word.chunk.1].to_owned());
    typed.filter(|typed| !is_named(typed)).collect()
}
