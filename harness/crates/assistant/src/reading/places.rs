//! Whether an intent has a place for what a sentence names: suites, positions, moves, players.

use super::super::intent::Intent;
use super::super::spelling::{self, Slip};
use super::super::tags::{self, Tagged};
use super::super::{COMPLETE, LIKELY, kinds, manner, nearest, words};
use super::Reading;

/// Verbs that end or delete something: what they are about is not only shown.
const ENDING: [&str; 12] = [
    "wipe",
    "rm",
    "remove",
    "delete",
    "erase",
    "stop",
    "abort",
    "kill",
    "cancel",
    "terminate",
    "clear",
    "discard",
];

impl Reading {
    /// Whether an intent has a place for the suite, the position and the engines that are named.
    pub fn has_place(&self, intent: Intent, words: &[String]) -> bool {
        let has = |names: &[&str]| self.count(names) > 0;
        let of_runs = intent.is_run() || intent.changes_runs();
        let suites =
            !has(&["{suite}"]) || of_runs || matches!(intent, Intent::Unknown | Intent::OpenPage);
        let is_gate = intent == Intent::Gate && has(&["gate"]);
        let bounds = !has(&["bounds", "elo0", "elo1"])
            || !intent.is_run()
            || intent == Intent::Sprt
            || is_gate;
        let moves = !has(&["{move}"]) || !of_runs;
        let signs = !has(&[words::SIGN])
            || matches!(intent, Intent::MarkMove | Intent::CommentMove | Intent::Unknown);
        let positions = !has(&["{fen}"])
            || matches!(intent, Intent::EditPosition | Intent::NewGame | Intent::Unknown);
        let players = self.players(words) < 2 || self.has_place_for_players(intent);
        let others = match intent {
            Intent::Sprt => {
                let is_pair = self.count(&["{engine}", "{rev}"]) <= 2 || has(&["sprt"]);
                is_pair && !self.names_suite_or_experiment(words)
            }
            Intent::Match => !self.names_suite_or_experiment(words),
            Intent::ListGames => !self.names_match(),
            Intent::Move => {
                // "White king on e1, black king on e8" is a position.
                let is_position = has(&["{side}"]) && self.count(&["{move}"]) > 1;
                let analyses = has(&["analyse", "analysis", "explorer", "arrows"]);
                !has(&["{engine}", "{rev}", "{limit}", "{suite}"]) && !is_position && !analyses
            }
            // "One move back, but do not delete it" shows the move before.
            Intent::TakeBack => manner::refused_deletion(words).is_none(),
            // "A note to 7...Nc6" is at a move.
            Intent::DescribeRun | Intent::DeleteRun => {
                !words.iter().any(|word| is_numbered_move(word))
            }
            Intent::Explorer => !names_run(words),
            // "Show the run before the last one" shows one.
            Intent::CompareRuns => {
                has(&["compare"]) || !words.windows(2).any(|pair| pair == ["run", "before"])
            }
            // It is no move either.
            Intent::GoTo => !has(&["run", "runs", "sprt", "{run}", "set"]),
            // "Remove all failed runs" shows none.
            Intent::OpenPage => !words.iter().any(|word| ENDING.contains(&word.as_str())),
            // "Clear the notes" clears no board.
            Intent::EditPosition => !has(&["notes", "comments", "remarks", "annotations"]),
            // "Write a comment at move 13" has no text, which is asked for.
            Intent::CommentMove => {
                has(&["{text}"])
                    || words.iter().any(|word| is_ending(word))
                    || has(&["write", "comment", "wrote", "rid", "forget"])
                    || (has(&["take"]) && has(&["note", "remark", "words"]))
            }
            // A sign is not taken away from here.
            Intent::MarkMove => {
                let takes_away = has(&["away", "off", "back"]) && has(&["take"]);
                let ends = words.iter().any(|word| is_ending(word)) || has(&["rid"]);
                !ends && !takes_away
            }
            // A game that has a clock or a strength is played.
            Intent::PlayOpening => {
                !has(&["{limit}"]) || has(&["{engine}", "{rev}", "sprt", "nodes", "depth"])
            }
            // "Mate in two for black".
            Intent::NewGame | Intent::SetLevel => !words
                .windows(2)
                .any(|pair| matches!(&*pair[0], "mate" | "mates") && pair[1] == "in"),
            Intent::Gate | Intent::Generate | Intent::Train | Intent::Loop => {
                !has(&["history", "page", "results"])
            }
            Intent::Unknown => self.is_elsewhere(),
            _ if intent.advises() => !has(&["{rev}", "sprt", "tuning", "gauntlet", "tournament"]),
            _ => true,
        };
        // "Remove the h-pawns of black" deletes no run.
        let is_run = |word: &String| kinds::is_of_run(word) || word == "runs" || word == "tests";
        let is_file = |pair: &[String]| pair[0].len() == 1 && pair[1] == "file";
        let is_of_board = (has(&["{piece}", "{side}"]) || words.windows(2).any(is_file))
            && !words.iter().any(is_run);
        let pieces = !(intent.changes_runs() && is_of_board && !has(&["{text}", "{run}"]));
        suites && bounds && pieces && moves && signs && positions && players && others
    }

    /// Whether an intent has a place for two players.
    fn has_place_for_players(&self, intent: Intent) -> bool {
        match intent {
            Intent::NewGame | Intent::Practice | Intent::PlayOpening => false,
            Intent::Generate | Intent::Train | Intent::Loop => false,
            // Engines that play each other analyse nothing.
            Intent::EngineOn => self.count(&["against"]) == 0,
            Intent::Suite => self.count(&["{suite}", "suite", "positions", "eigenmann", "win"]) > 0,
            _ => true,
        }
    }

    /// Whether a suite by its name, or a file with the parameters of a tuning, is named: engines do not play by
    /// either. A book is another file.
    fn names_suite_or_experiment(&self, words: &[String]) -> bool {
        let is_one = |token: &Tagged| {
            let word = words[token.from].as_str();
            match token.text.as_str() {
                "{suite}" => tags::SUITES.contains(&word),
                "{file}" => {
                    matches!(words::file_extension(word), Some("yaml" | "yml" | "toml" | "json"))
                }
                _ => false,
            }
        };
        self.tagged.iter().any(is_one)
    }

    /// Whether what is named may be of something that is no business of a board: a question about words or a
    /// message has no engines, what is done again no suite, and engines that play have a limit.
    fn is_elsewhere(&self) -> bool {
        let (subject, likely) = self.nearest.subject();
        match subject {
            // "Merge the branch lmr-fix into main".
            "message" if likely > COMPLETE => {
                self.count(&["{engine}", "{file}", "{limit}", "{suite}"]) == 0
            }
            "message" if self.count(&["{file}", "{suite}"]) > 0 => false,
            "glossary" | "message" | "" => self.count(&["{engine}", "{rev}", "{limit}"]) == 0,
            "again" => {
                likely > LIKELY
                    && self.count(&["{suite}", "{file}"]) == 0
                    && self.count(&["{engine}", "{rev}"]) < 2
            }
            "race" => !self.names_match(),
            // A new game has its clock, or none.
            "clock" => self.count(&["level", "new", "{engine}", "{side}"]) == 0,
            _ => true,
        }
    }
}

/// Whether a word ends or deletes something, if need be misspelt.
fn is_ending(word: &str) -> bool {
    ENDING.contains(&word)
        || (!nearest::is_known(word)
            && ENDING.iter().any(|known| {
                let slip = spelling::slip(word, known);
                matches!(slip, Some(Slip::Exchanged | Slip::LeftOutOrDoubled))
            }))
}

/// Whether a word is a move with its number: `7...nc6`.
fn is_numbered_move(word: &str) -> bool {
    let san = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
    san.len() < word.len() && san.starts_with('.') && tags::is_move(san.trim_start_matches('.'))
}

/// Whether a run is named by its number: "run 42".
fn names_run(words: &[String]) -> bool {
    let is_run = |pair: &[String]| {
        pair[0] == "run" && pair[1].starts_with(|sign: char| sign.is_ascii_digit())
    };
    words.windows(2).any(is_run)
}
