//! The players that are named: engines, revisions, and the speaker.

use std::ops::Range;

use super::Filler;
use crate::intent::Intent;
use crate::tags::{
    REVISION_NOUNS, REVISIONS, Tagged, engine_without_number, engines, is_manner, is_other_engine,
};
use crate::{coverage, kinds, names, nearest, ordinary, own};

impl Filler<'_> {
    /// The side that is named, for the speaker: of "you take white" black.
    pub(super) fn side(&mut self) -> Option<&'static str> {
        let mut white = self.places(&["white", "whites"]);
        let mut black = self.places(&["black", "blacks"]);
        // "But I stay White" says nothing of the board.
        let is_free = |at: &usize| {
            !self.filled.used[*at]
                || !matches!(self.word(*at), "white" | "whites" | "black" | "blacks")
        };
        white.retain(is_free);
        black.retain(is_free);
        // A word that is only like one of them counts if none is said.
        let is_exact =
            |at: &usize| matches!(self.word(*at), "white" | "whites" | "black" | "blacks");
        if white.iter().chain(&black).any(is_exact) {
            white.retain(is_exact);
            black.retain(is_exact);
        }
        let all = [(&white, "white", "black"), (&black, "black", "white")];
        let mut own = None;
        for (places, side, other) in all {
            for at in places {
                match self.speaker_before(*at) {
                    Some(true) => own = Some(side),
                    Some(false) => own = own.or(Some(other)),
                    None => {}
                }
            }
        }
        let side = match (white.is_empty(), black.is_empty()) {
            (false, true) => own.or(Some("white")),
            (true, false) => own.or(Some("black")),
            _ => own,
        };
        if side.is_some() {
            self.has(&["white", "whites", "black", "blacks"]);
        }
        side
    }

    /// Whose side is meant: true for the speaker's, false for the other one, by the pronoun before it.
    pub(super) fn speaker_before(&self, at: usize) -> Option<bool> {
        let before = (at.saturating_sub(4)..at).rev();
        let (mut verbs, mut states) = (false, false);
        // "Me white, you black".
        let is_yours = at > 0
            && matches!(self.word(at - 1), "you" | "computer")
            && (at < 2 || self.word(at - 2) != "against");
        if is_yours {
            return Some(false);
        }
        for place in before {
            if verbs && self.is_engine(place) && !(place + 1..at).any(|at| self.is_apart(at)) {
                return Some(false);
            }
            match self.word(place) {
                "i" | "me" | "my" | "we" | "myself" => return Some(true),
                // "With you on the white side".
                "you" if place > 0 && self.word(place - 1) == "with" => return Some(false),
                // "You take white", but "against you as white".
                "you" | "opponent" | "computer" | "engine" if verbs || states => {
                    return Some(false);
                }
                "it" if verbs => return Some(false),
                "are" | "is" | "be" | "being" => states = true,
                "take" | "takes" | "play" | "plays" | "have" | "has" | "get" | "gets" | "with"
                | "as" => {
                    verbs = verbs || self.word(place) != "as" && self.word(place) != "with";
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a word is the name of an engine: "let stockfish play white".
    fn is_engine(&self, at: usize) -> bool {
        let mut tokens = self.sentence.tagged.iter();
        tokens.any(|token| token.text == "{engine}" && token.from <= at && at < token.to)
    }

    /// An engine by the name that the harness knows it by.
    pub(super) fn engine_of(&self, tagged: &Tagged) -> Option<String> {
        let text = self.sentence.words[tagged.from..tagged.to].join("");
        // "Toga too", as it is heard.
        let endings = ["too", "to", "ii"];
        let heard = endings.iter().find_map(|ending| text.strip_suffix(ending));
        let heard = heard.filter(|_| tagged.to > tagged.from + 1).map(|name| format!("{name}2"));
        let text = heard.unwrap_or(text);
        let known = engines(self.sentence.context);
        // What the user calls so in harness.yaml goes before what is only like it.
        let typed = self.typed(tagged.from);
        if let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(&typed)) {
            return Some((*name).to_owned());
        }
        if is_other_engine(&text, self.sentence.context) {
            return Some(typed);
        }
        if let Some(name) = engine_without_number(&text, &known) {
            return Some(name.to_owned());
        }
        names::among(&text, known).map(|found| found.name)
    }

    /// Engines, revisions and paths in their order, and words that stand in the place of one.
    pub(super) fn players(&mut self) -> Vec<String> {
        self.first_players(usize::MAX)
    }

    /// The first of them; those beyond this number stay unread.
    pub(super) fn first_players(&mut self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut foreign = false;
        let plays = matches!(self.intent, Intent::Sprt | Intent::Match | Intent::PlayOut);
        let another = |at: &usize| coverage::begins_another(self.sentence, *at);
        let another = (1..self.sentence.words.len()).find(another);
        for (index, token) in self.sentence.tagged.iter().enumerate() {
            if found.len() == most || another.is_some_and(|at| token.from > at) {
                break;
            }
            // "Weiss against its v1.1".
            if let Some(words) = self.revision_of_same(token).filter(|_| foreign) {
                self.mark(words.clone());
                self.filled.named.push(words);
                continue;
            }
            // "That one, v1.1 has been through it already".
            if !found.is_empty() && self.is_only_mentioned(token) {
                continue;
            }
            // "Weiss instead of toga2" has one player.
            if self.filled.used[token.from] || self.refusal(token.from).is_some() {
                continue;
            }
            // "Tench v1.2" is that revision.
            let next = self.sentence.tagged.get(index + 1);
            let is_revised = next.is_some_and(|next| {
                next.text == "{rev}" && next.from == token.to && !self.is_apart(token.to)
            });
            if token.text == "{engine}"
                && self.typed(token.from).eq_ignore_ascii_case("tench")
                && is_revised
            {
                self.mark(token.from..token.to);
                continue;
            }
            // "V1.2 of my engine" is that revision.
            let is_of_own = (index >= 2)
                && self.sentence.tagged[index - 1].text == "of"
                && self.sentence.tagged[index - 2].text == "{rev}";
            if let Some((own, _)) = self.own_work(index).filter(|_| is_of_own) {
                self.mark(own);
                continue;
            }
            // "V1.2 of weiss" is weiss, and "HEAD~2 of tench" the revision.
            let is_of_engine =
                token.text == "{engine}" && self.word(token.from.wrapping_sub(1)) == "of";
            let revision = index.checked_sub(2).map(|at| &self.sentence.tagged[at]);
            let revision = revision.filter(|revision| is_of_engine && revision.text == "{rev}");
            if let Some(revision) = revision.filter(|token| self.filled.used[token.from]) {
                let is_tench = self.typed(token.from).eq_ignore_ascii_case("tench");
                if is_tench {
                    self.mark(token.from..token.to);
                    continue;
                }
                if found.pop().is_some() {
                    self.filled.named.push(revision.from..revision.to);
                }
            }
            let mut words = token.from..token.to;
            let player = if let Some((own, revision)) = self.own_work(index) {
                words = own;
                Some(revision.to_owned())
            } else if token.text == "{engine}" {
                self.engine_of(token)
            } else if token.text == "{rev}" {
                Some(self.revision(token))
            } else {
                self.unknown_player(index).map(|(name, of_name)| {
                    self.filled.unknown_players.push(of_name.start);
                    words = of_name;
                    name
                })
            };
            let Some(player) = player else { continue };
            if self.is_limited_again(&words, found.len()) {
                continue;
            }
            let is_foreign = token.text == "{engine}" && player != "tench";
            let player = match self.revision_behind(&words) {
                Some(revised) if is_foreign => {
                    self.name_revision(revised);
                    player
                }
                Some(revised) if token.text != "{rev}" => {
                    words.end = revised.words.end;
                    self.revision(&revised.revision)
                }
                _ => player,
            };
            foreign = is_foreign;
            self.mark(words.clone());
            for at in [words.start.wrapping_sub(1), words.end] {
                if REVISION_NOUNS.contains(&self.word(at)) {
                    self.mark(at..at + 1);
                }
            }
            // "Whether my changes are good, an SPRT of my tree against main".
            let is_again = player == "." && found.contains(&player);
            if is_again && self.is_player_behind(words.end) {
                continue;
            }
            // "Demolito against weiss, where demolito has two threads".
            if (plays && found.len() < 2) || !found.contains(&player) {
                found.push(player);
            }
        }
        found
    }

    /// Whether an engine or a revision is named from a word on.
    fn is_player_behind(&self, from: usize) -> bool {
        let mut tokens = self.sentence.tagged.iter();
        tokens
            .any(|token| token.from >= from && matches!(token.text.as_str(), "{engine}" | "{rev}"))
    }

    /// "Sprt tree vs main": own work without an owner, where a player has to stand.
    fn bare_work(&self, at: usize) -> Option<own::Own> {
        let is_first = at.checked_sub(1).is_none_or(|at| kinds::is_of_run(self.word(at)));
        let is_one = matches!(self.word(at), "tree" | "work" | "changes" | "patch" | "code");
        (is_one && is_first && self.word(at + 1) == "against").then_some(own::Own {
            words: 1,
            revision: ".",
            is_topic: false,
        })
    }

    /// Own work in words, "my last commit", and its revision; "my current branch see-pruning" has its name.
    pub(super) fn own_work(&self, index: usize) -> Option<(Range<usize>, &'static str)> {
        let from = self.sentence.tagged[index].from;
        let found = own::at(self.sentence.words, from).or_else(|| self.bare_work(from))?;
        let words = from..from + found.words;
        // `my-branch` is the name of one.
        let chunk = self.sentence.split[from].chunk;
        if found.words > 1 && self.sentence.split[from + 1].chunk == chunk {
            return None;
        }
        let mut tokens = self.sentence.tagged.iter();
        let is_name = |next: &Tagged| {
            let ends_branch = matches!(self.word(words.end - 1), "branch" | "version" | "build");
            next.text == "{rev}"
                || (ends_branch
                    && next.text.len() > 1
                    && !next.text.starts_with('{')
                    && !self.is_apart(next.from)
                    && nearest::templates_with(&next.text, self.intent) == 0
                    && !coverage::links(&next.text)
                    && !coverage::is_empty(&next.text))
        };
        let is_named = tokens.any(|next| next.from == words.end && is_name(next));
        let revisions = self.sentence.tagged.iter().filter(|token| token.text == "{rev}").count();
        let is_topic = found.is_topic && revisions > 1;
        (!is_named && !is_topic).then_some((words, found.revision))
    }

    pub(super) fn revision(&self, token: &Tagged) -> String {
        let typed = self.typed(token.from);
        if typed == "." {
            return typed;
        }
        // A slip that was put right.
        let word = self.word(token.from);
        let typed = match REVISIONS.contains(&word) && !typed.to_lowercase().starts_with(word) {
            true => word.to_owned(),
            false => typed,
        };
        let written = typed.trim_matches([',', '?', '!']).trim_end_matches('.');
        let head = written.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("head"));
        let rest = written.get(4..).unwrap_or_default();
        let is_head = head && !rest.starts_with(|c: char| c.is_alphanumeric());
        if is_head { format!("HEAD{rest}") } else { written.to_owned() }
    }

    /// An unknown word in the place of a player, "match houdini against stockfish", or a name of several words
    /// there, `my-branch`; and its words.
    pub(super) fn unknown_player(&self, index: usize) -> Option<(String, Range<usize>)> {
        let tagged = &self.sentence.tagged;
        let token = &tagged[index];
        let word = token.text.as_str();
        let chunk = self.sentence.split[token.from].chunk;
        let parts = tagged[index..].iter().take_while(|token| {
            self.sentence.split[token.from].chunk == chunk && !token.text.starts_with('{')
        });
        let parts = parts.count();
        let is_first = token.from == 0 || self.sentence.split[token.from - 1].chunk != chunk;
        let is_joined =
            parts > 1 && is_first && self.sentence.text[chunk.0..chunk.1].contains(['-', '_', '/']);
        let before = index.checked_sub(1).map_or("", |at| tagged[at].text.as_str());
        // "Head against laser" has no misspelt word.
        let is_opponent = before == "against" && self.intent.is_run();
        // "My branch lmr": what other intents speak of.
        let is_branch = before == "branch" && nearest::templates_with(word, self.intent) == 0;
        let is_ordinary = (nearest::is_known(word) && !is_branch)
            || (!is_opponent && ordinary::is_listed(word))
            || REVISION_NOUNS.contains(&word)
            || coverage::is_empty(word)
            || (!is_opponent && coverage::is_plain(word, self.intent))
            || (!is_opponent && names::is_of_opening(word));
        // "A game without takebacks against weiss".
        let is_refused = matches!(before, "no" | "without");
        // "All engines except stockfish", "everybody plays everybody".
        let is_of_all = matches!(
            word,
            "except"
                | "excluding"
                | "besides"
                | "everybody"
                | "everyone"
                | "others"
                | "rest"
                | "afterwards"
                | "called"
                | "named"
        );
        // "Yesterday's main".
        let is_time = coverage::TIMES.contains(&word);
        if is_time
            || is_manner(&self.sentence.text[chunk.0..chunk.1])
            || is_of_all
            || word.starts_with('{')
            || word.len() < 2
            || is_refused
            || (is_ordinary && !is_joined)
        {
            return None;
        }
        let text = |index: Option<usize>| {
            index.and_then(|at| tagged.get(at)).map_or("", |token| &*token.text)
        };
        let is_player = |text: &str| matches!(text, "{engine}" | "{rev}");
        let behind = index + parts.max(1);
        // "Fastchess style: stockfish against ethereal".
        let is_title = self.sentence.text[chunk.1..].starts_with(':');
        let next = if is_title { "" } else { text(Some(behind)) };
        let joined = |link: &str, other: &str| link == "and" && is_player(other);
        let two_before = text(index.checked_sub(2));
        let is_beside =
            matches!(
                before,
                "against"
                    | "between"
                    | "than"
                    | "match"
                    | "sprt"
                    | "engine"
                    | "engines"
                    | "branch"
                    | "tag"
                    | "revision"
            ) || matches!(next, "against" | "beats" | "beat" | "plays" | "engine" | "gains")
                || (before == "is" && matches!(two_before, "new" | "old" | "base"))
                || joined(before, two_before)
                || joined(next, text(Some(behind + 1)));
        // "A long-control SPRT" is a test.
        if kinds::is_of_run(next) && before != "branch" {
            return None;
        }
        let typed = self.typed(token.from);
        let typed = typed.trim_end_matches("'s").trim_end_matches("\u{2019}s");
        let to = token.from + parts.max(1);
        // A name of one word: with a capital, or where this intent has an engine.
        let is_name = !is_joined
            && !word.contains('=')
            && match self.intent {
                // One of a list, or the first word.
                Intent::Match => {
                    let is_listed = self.is_apart(token.from) && is_player(before);
                    let is_listing = index == 0 || self.is_apart(to);
                    let is_link = coverage::links(word);
                    let is_in_list = is_listed || (is_listing && is_player(next));
                    (is_in_list && !is_link) || is_capital(index, typed)
                }
                Intent::EngineOn | Intent::PlayOut | Intent::Suite | Intent::ListGames => {
                    is_capital(index, typed)
                        || matches!(before, "with" | "by" | "let" | "using" | "for" | "on" | "did")
                }
                _ => false,
            };
        // `history-bonus` where engines play.
        let is_new = || {
            let mut parts = tagged[index..index + parts].iter();
            let is_of_limit = |word: &str| {
                matches!(
                    word,
                    "fixed"
                        | "depth"
                        | "node"
                        | "nodes"
                        | "time"
                        | "move"
                        | "self"
                        | "play"
                        | "like"
                        | "style"
                )
            };
            parts.any(|part| {
                !is_of_limit(&part.text) && !coverage::is_plain(&part.text, self.intent)
            })
        };
        let is_joined_branch = is_joined
            && matches!(self.intent, Intent::Sprt | Intent::Match)
            && word != "non"
            && is_new();
        (is_beside || is_name || is_joined_branch).then(|| (typed.to_owned(), token.from..to))
    }
}

/// Whether a word within a sentence has a capital.
fn is_capital(index: usize, typed: &str) -> bool {
    index > 0 && typed.starts_with(char::is_uppercase)
}
