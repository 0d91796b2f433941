//! The revision of an engine, "ethereal HEAD~3", "my engine at HEAD~2", "weiss v1.2 against its v1.1": one player, and not
//! two. Only revisions of Tench are built; that of another engine is named.

use std::ops::Range;

use super::Filler;
use crate::intent::Intent;
use crate::tags::{REVISION_NOUNS, Tagged};

/// Words between an engine and its revision, beside [`REVISION_NOUNS`].
const LINKS: [&str; 6] = ["at", "from", "on", "in", "the", "of"];

/// Words between an engine and its revision, at most.
const MOST: usize = 3;

/// A revision that belongs to the engine before it.
pub(super) struct Revised {
    /// Its words, and those between it and the engine.
    pub words: Range<usize>,
    /// Its token.
    pub revision: Tagged,
}

impl Filler<'_> {
    /// The revision of the player that these words name.
    pub(super) fn revision_behind(&self, player: &Range<usize>) -> Option<Revised> {
        let mut tokens = self.sentence.tagged.iter();
        let revision = tokens.find(|token| token.from >= player.end && token.text == "{rev}")?;
        let between = player.end..revision.from;
        let is_noun = |at: usize| REVISION_NOUNS.contains(&self.word(at));
        let is_link = |at: usize| is_noun(at) || LINKS.contains(&self.word(at));
        if between.len() > MOST || self.filled.used[revision.from] || !between.clone().all(is_link)
        {
            return None;
        }
        let noun = between.clone().find(|at| is_noun(*at));
        // "My engine, revision HEAD~2"; a branch behind a sign is another player of a list.
        let may_be_apart = noun.is_some_and(|noun| self.word(noun) != "branch");
        let first = player.end + usize::from(may_be_apart);
        let is_whole = !(first..=revision.from).any(|at| self.is_apart(at));
        let typed = self.typed(player.end - 1).to_lowercase();
        let is_own = typed.ends_with("'s") || typed.ends_with("\u{2019}s");
        let is_linked = noun.is_some() || is_own || self.word(player.end) == "at";
        let is_one = is_linked || (between.is_empty() && self.is_one_player(player, revision));
        let to = revision.to + usize::from(is_noun(revision.to));
        (is_whole && is_one).then(|| Revised { words: player.end..to, revision: revision.clone() })
    }

    /// Whether an engine and a revision right behind it are one player: where two play, another one is named beside them.
    fn is_one_player(&self, player: &Range<usize>, revision: &Tagged) -> bool {
        // "Weiss toga2 HEAD" is a list.
        let is_player = |token: &Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let is_listed = |token: &Tagged| {
            is_player(token)
                && ((token.to == player.start && !self.is_apart(player.start))
                    || (token.from == revision.to && !self.is_apart(revision.to)))
        };
        if self.sentence.tagged.iter().any(is_listed) {
            return false;
        }
        if !matches!(self.intent, Intent::Sprt | Intent::Match | Intent::PlayOut | Intent::Gate) {
            return true;
        }
        let is_other = |token: &Tagged| {
            is_player(token) && (token.to <= player.start || token.from >= revision.to)
        };
        let has_other = self.sentence.tagged.iter().any(is_other)
            || (0..self.sentence.tagged.len()).any(|index| {
                let own = self.own_work(index);
                own.is_some_and(|(own, _)| own.end <= player.start || own.start >= revision.to)
            });
        let before = player.start.checked_sub(1).map_or("", |at| self.word(at));
        // "Weiss v1.2 against toga2", "is weiss v1.2 really stronger than toga2".
        let is_other_from = |at: usize| {
            let mut tokens = self.sentence.tagged.iter();
            tokens.any(|token| token.from == at && is_player(token))
        };
        let is_link = |word: &str| matches!(word, "against" | "and" | "than" | "beats" | "beat");
        let mut behind = (revision.to..revision.to + 5).take_while(|at| !is_other_from(*at));
        let ends = self.is_apart(revision.to) || behind.any(|at| is_link(self.word(at)));
        has_other && (ends || matches!(before, "against" | "and"))
    }

    /// Names the revision of an engine that is not built.
    pub(super) fn name_revision(&mut self, revised: Revised) {
        let from = revised.revision.from;
        let noun = from.checked_sub(1).filter(|at| REVISION_NOUNS.contains(&self.word(*at)));
        self.mark(revised.words.clone());
        self.filled.named.push(noun.unwrap_or(from)..revised.words.end);
    }

    /// "Its v1.1", "its own version v1.1": a revision of the player before it, with the words before it.
    pub(super) fn revision_of_same(&self, token: &Tagged) -> Option<Range<usize>> {
        let is_between =
            |at: &usize| self.word(*at) == "own" || REVISION_NOUNS.contains(&self.word(*at));
        let behind = (0..token.from).rev().find(|at| !is_between(at))?;
        // The short form of "it is" has the same letters.
        let is_its = behind > 0
            && (self.word(behind - 1), self.word(behind)) == ("it", "is")
            && self.sentence.split[behind].chunk == self.sentence.split[behind - 1].chunk;
        (token.text == "{rev}" && is_its).then(|| behind - 1..token.to)
    }

    /// "V1.1 has been through it already": a player of whom only something is said, in a clause of its own.
    pub(super) fn is_only_mentioned(&self, token: &Tagged) -> bool {
        let before = token.from.checked_sub(1).map_or("", |at| self.word(at));
        let begins = self.is_apart(token.from) || matches!(before, "and" | "but" | "as" | "since");
        let tells = matches!(self.word(token.to), "has" | "had" | "was" | "is" | "did" | "went");
        let is_past =
            |at: usize| matches!(self.word(at), "already" | "before" | "yesterday" | "earlier");
        matches!(token.text.as_str(), "{engine}" | "{rev}")
            && begins
            && tells
            && (token.to + 1..token.to + 8).any(is_past)
    }

    /// "Stockfish with 1,000 nodes a move and my version with two seconds": one of two players that is named again with a
    /// limit of its own, and no third one.
    pub(super) fn is_limited_again(&self, player: &Range<usize>, found: usize) -> bool {
        let limits = || self.sentence.tagged.iter().filter(|token| token.text == "{limit}");
        let is_own = self.word(player.start) == "my" || self.word(player.start) == "our";
        is_own
            && found > 1
            && limits().count() > 1
            && limits().any(|limit| limit.from == player.end)
    }
}
