//! The answer to a sentence whose intent is known: its slots, what is named as not understood, and whether it is asked
//! about.

use std::ops::Range;

use super::context::Context;
use super::intent::Intent;
use super::manner::Manner;
use super::moves::{Agreeing, Named, Said};
use super::slots::{self, Slots};
use super::{COMPLETE, Confirm, LIKELY, MAX_UNREAD, ReadSentence, SURE, Understood};
use super::{coverage, either, elsewhere, kinds, nearest, numbers, several, shown, tags, words};

/// The slots of a sentence, and what remains of it.
pub fn finish(read: &ReadSentence<'_>, manner: &Manner) -> Understood {
    let ReadSentence { sentence, intent, topic, confidence, reason, .. } = read;
    let (intent, topic, confidence) = (*intent, *topic, *confidence);
    if intent == Intent::Unknown {
        return Understood { confidence, ..Understood::unknown(reason.clone(), Vec::new()) };
    }
    let filled = slots::fill(intent, sentence);
    if let Some(missing) = missing(intent, &filled.slots) {
        return Understood { confidence, ..Understood::unknown(missing.to_owned(), Vec::new()) };
    }
    if intent == Intent::Match
        && filled.slots.get("second").is_none()
        && (names_no_engines(sentence.words) || filled.slots.contains_key("format"))
    {
        let reason = "which engines? “round robin of stockfish, weiss and toga2” names them";
        let unread = coverage::coverage(intent, &[], sentence, &filled.used).unread;
        return Understood { confidence, ..Understood::unknown(reason.to_owned(), unread) };
    }
    // "Clear the note of run 23": a comment is one at a move.
    let is_text = |word: &String| {
        matches!(&**word, "note" | "notes" | "comment" | "comments" | "description")
    };
    let is_of_text = intent == Intent::CommentMove
        || (intent == Intent::DeleteRun && sentence.words.iter().any(is_text));
    if is_of_text && is_of_run(sentence.words) {
        let reason = elsewhere::reason("report").unwrap_or_default();
        return Understood { confidence, ..Understood::unknown(reason, Vec::new()) };
    }
    // "Delete all" opens no editor.
    let removes =
        sentence.words.iter().any(|word| matches!(&**word, "delete" | "remove" | "erase"));
    let is_empty = intent == Intent::EditPosition && filled.slots.is_empty() && removes;
    if is_empty && coverage::coverage(intent, &[], sentence, &filled.used).unread.is_empty() {
        let reason = "which piece, and where? “put a white queen on d1” sets one up";
        return Understood { confidence, ..Understood::unknown(reason.to_owned(), Vec::new()) };
    }
    if filled.slots.get("what").is_some_and(|what| what == "picture")
        && is_of_something_else(sentence.words)
    {
        let reason = "pictures are those of the board alone";
        return Understood { confidence, ..Understood::unknown(reason.to_owned(), Vec::new()) };
    }
    if matches!(intent, Intent::SpeechOn | Intent::SpeechOff) && parts_speech(sentence.words) {
        let reason = "moves and answers are spoken together, or neither: “say the moves”";
        return Understood { confidence, ..Understood::unknown(reason.to_owned(), Vec::new()) };
    }
    let names_runs = || {
        let is_run = |word: &String| kinds::command(word).is_some() || word == "runs";
        intent == Intent::EditPosition && sentence.words.iter().any(is_run)
    };
    if (intent.changes_runs() || names_runs()) && several::are_meant(sentence) {
        let reason = several::REASON.to_owned();
        return Understood { confidence, ..Understood::unknown(reason, Vec::new()) };
    }
    // What a question is about is no wish.
    let topics: &[Intent] = match manner {
        Manner::Question => &[topic, Intent::Resign, Intent::OfferDraw],
        _ => &[topic],
    };
    let coverage = coverage::coverage(intent, topics, sentence, &filled.used);
    let mut unread = coverage.unread;
    // An intent that only shows something is carried out without an ordinary word, which is named.
    // So is every other one without words that are no detail of anything, where it is clear.
    let has_slots = filled.slots.len() > 1;
    let is_clear = coverage.is_harmless && (confidence >= SURE || has_slots);
    let only_shows = intent.answers() || intent.only_shows();
    let has_detail = coverage.has_detail || !(only_shows || is_clear);
    let is_test = matches!(intent, Intent::Sprt | Intent::Match)
        && ["old", "second"].iter().any(|name| filled.slots.contains_key(*name));
    // "Loop night.yaml at 2+0.02": the file says what is run.
    let has_file = intent.is_run() && filled.slots.contains_key("file");
    let is_list = intent == Intent::OpenPage
        && ["kind", "status"].iter().any(|name| filled.slots.contains_key(*name));
    let is_said = intent.changes_runs()
        || is_list
        || has_file
        || is_test
        || kinds::said(&sentence.tagged).any(|kind| kind == intent);
    if coverage.share > MAX_UNREAD && confidence < LIKELY && !is_said {
        return Understood::unknown(String::new(), unread);
    }
    let typed = |at: &usize| tags::chunk(sentence.text, &sentence.split[*at]).to_owned();
    // A branch like `feature/lmr` is in the command, which the form of a run shows first; another word may be no player.
    let is_branch = |at: &&usize| typed(at).contains(['-', '_', '/']) || is_numbered(&typed(at));
    let unknown_players: Vec<usize> = filled
        .unknown_players
        .iter()
        .filter(|at| !(intent.is_run() && is_branch(at)))
        // "Lines 1-100" names "1-100", too.
        .filter(|at| !filled.named.iter().any(|words| words.contains(at)))
        .copied()
        .collect();
    unread.extend(unknown_players.iter().map(typed));
    let typed_range = |words: &Range<usize>| {
        let split = &sentence.split[words.clone()];
        let ends = split.first().zip(split.last()).map(|(first, last)| first.chunk.0..last.chunk.1);
        ends.map(|range| sentence.text[range].to_owned())
    };
    let is_named = !filled.named.is_empty();
    unread.extend(filled.named.iter().filter_map(typed_range));
    let other_wish = read.other_wish.as_ref().filter(|words| {
        let is_used = |at: usize| filled.used.get(at).copied().unwrap_or_default();
        !(*words).clone().any(is_used)
    });
    let other_wish = other_wish.and_then(typed_range);
    let is_named = is_named || other_wish.is_some();
    if let Some(other_wish) = other_wish {
        unread.retain(|part| !other_wish.contains(part.as_str()));
        unread.push(other_wish);
    }
    let shown = shown::shown(intent, &filled.slots);
    let is_doubtful = !unread.is_empty() && (has_detail || is_named || !unknown_players.is_empty());
    // What all details of have their place is no less sure than an example.
    let has = |name: &str| filled.slots.get(name).and_then(serde_json::Value::as_str);
    let is_position = (intent == Intent::EditPosition && !filled.slots.is_empty())
        || (intent == Intent::Practice && has("theme") != Some("tactics"));
    let is_complete = (has_slots || is_position) && (unread.is_empty() || !is_doubtful);
    let sure = if is_complete { confidence.max(SURE) } else { confidence };
    let confirm = confirm(intent, manner, sure, is_doubtful);
    let mut known = Understood::unknown(shown, unread);
    known = Understood { intent, slots: filled.slots, confidence, confirm, ..known };
    let others = filled.others.into_iter().map(|slots| either::with_slots(&known, slots)).collect();
    Understood { others, ..known }
}

/// "A picture of Bobby Fischer": of something that no example speaks of.
fn is_of_something_else(words: &[String]) -> bool {
    let of = words.windows(2).find(|pair| pair[0] == "of").map(|pair| pair[1].as_str());
    of.is_some_and(|word| {
        !nearest::is_known(word) && !coverage::is_empty(word) && !word.starts_with('{')
    })
}

/// "The note of run 23", "the comment of the last match".
fn is_of_run(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (1..words.len()).any(|at| {
        let before = at - usize::from(matches!(word(at - 1), "the" | "last" | "my" | "latest"));
        let before = before - usize::from(before > 0 && word(before - 1) == "the");
        kinds::is_of_run(word(at))
            && before > 0
            && matches!(word(before - 1), "of" | "from" | "for" | "in")
    })
}

/// Whether a name has a digit: `fruit2`.
fn is_numbered(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_digit())
}

/// "All engines except stockfish", "everyone else", "three engines": players that are not named.
fn names_no_engines(words: &[String]) -> bool {
    let is_noun = |word: &str| {
        matches!(
            word,
            "engines"
                | "programs"
                | "players"
                | "versions"
                | "branches"
                | "others"
                | "tags"
                | "releases"
                | "commits"
                | "builds"
        )
    };
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..words.len()).any(|at| match word(at) {
        "everyone" | "everybody" | "everything" | "others" | "rest" => true,
        "all" | "every" | "other" | "remaining" | "several" | "some" | "different" => {
            (at + 1..at + 4).any(|at| is_noun(word(at)) || word(at) == "engine")
        }
        number => {
            is_noun(word(at + 1))
                && numbers::at(&[number.to_owned()], 0).is_some_and(|number| number.value > 1.0)
        }
    })
}

/// Why an intent without one of its slots says nothing that could be done.
fn missing(intent: Intent, slots: &Slots) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| slots.contains_key(*name));
    let (is_there, reason) = match intent {
        Intent::PlayOpening => {
            (has(&["opening"]), "which opening? “play the caro kann” puts it on the board")
        }
        Intent::OpenPage => {
            (has(&["page", "run"]), "no page has this name: the top of each page lists them")
        }
        Intent::OpenGame => (
            has(&["game"]) || has(&slots::CHOOSING),
            "which game? “game 12 of the last match” opens it, “the shortest loss” finds one",
        ),
        Intent::GoTo => (
            has(&["place", "move", "san", "to", "ply"]),
            "where to? “go to move 12” shows the board behind it",
        ),
        Intent::MarkMove => (
            has(&["sign", "remove"]),
            "which sign? “mark my last move as a blunder” puts one at a move",
        ),
        Intent::CommentMove if has(&["all"]) => {
            (false, "comments are taken away one at a time: “remove the comment on move 8”")
        }
        Intent::CommentMove => (
            has(&["text", "remove"]),
            "which text? “comment: too slow” writes one at the move on the board",
        ),
        Intent::DescribeRun => {
            (has(&["name", "note"]), "which text? “call the last run LMR at STC” names a run")
        }
        _ => return None,
    };
    (!is_there).then_some(reason)
}

/// Whether an intent is asked about before it is carried out.
pub fn confirm(intent: Intent, manner: &Manner, confidence: f32, has_unread: bool) -> Confirm {
    let sets_up = matches!(intent, Intent::Practice | Intent::EditPosition | Intent::Export);
    let asks = *manner != Manner::Wish && (intent.acts() || sets_up);
    let doubtful = (intent.acts() || sets_up) && confidence < SURE;
    match intent {
        // Its form is opened first.
        _ if intent.is_run() && !has_unread => Confirm::No,
        Intent::Resign
        | Intent::OfferDraw
        | Intent::MarkMove
        | Intent::CommentMove
        | Intent::StopRun
        | Intent::ResumeRun
        | Intent::DeleteRun
        | Intent::DescribeRun => Confirm::Always,
        _ if has_unread || asks || doubtful => Confirm::Always,
        Intent::TakeBack
        | Intent::NewGame
        | Intent::SetLevel
        | Intent::PlayOpening
        | Intent::Move => Confirm::InGame,
        _ => Confirm::No,
    }
}

/// A sentence that is not understood, and says so.
pub fn explained(understood: Understood) -> Understood {
    if understood.intent != Intent::Unknown || !understood.shown.is_empty() {
        return understood;
    }
    let parts: Vec<String> =
        understood.unread.iter().map(|part| format!("\u{201c}{part}\u{201d}")).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let shown = format!("not understood{parts}; \u{201c}help\u{201d} shows what can be asked");
    Understood { shown, ..understood }
}

/// Whether a sentence that was understood otherwise, or not, is rather the move that it says.
pub fn is_move(understood: &Understood, said: &Said, is_wish: bool) -> bool {
    let Understood { intent, confidence, shown, .. } = understood;
    let is_legal = said.named != Named::None;
    let is_open = *intent == Intent::Unknown
        && (shown.is_empty()
            || *confidence < LIKELY
            || ((is_legal || said.is_whole) && *confidence < COMPLETE));
    match intent {
        // "Put a knight on e4" may be no move at all.
        Intent::Move => is_legal || is_wish,
        // "Black castles long".
        Intent::EditPosition => {
            // "Make it a knight on e8" edits nothing.
            let is_clear = is_legal && said.is_whole && !said.puts;
            let goes = said.is_whole && said.goes;
            is_wish && (goes || (understood.slots.is_empty() && (said.castles || is_clear)))
        }
        _ if said.is_whole => {
            let is_unsure = *confidence < LIKELY && !intent.is_of_runs();
            let is_possible = is_legal || !said.puts;
            is_wish && is_possible && (is_open || is_unsure || !understood.unread.is_empty())
        }
        // "Qxd4+ and now what do you say": the move is in no slot of the other reading. Of "a hint, I cannot decide
        // between Be3 and Bc4" none is made.
        _ => {
            let parts = understood.unread.iter().flat_map(|part| part.split(' '));
            let is_move = |part: &&str| tags::is_move(&words::fold(part));
            let is_one = parts.filter(is_move).count() < 2;
            let text = said.text.trim_end_matches(['+', '#', '!', '?']);
            let leaves_move = is_legal
                && is_one
                && (intent.answers() || intent.only_shows())
                && understood.unread.iter().any(|part| part.contains(text));
            is_wish && (is_open || leaves_move)
        }
    }
}

/// Whether nothing was understood, or a move that is not legal.
pub fn is_open(understood: &Understood) -> bool {
    let Understood { intent, slots, .. } = understood;
    match intent {
        Intent::Move => !slots.contains_key("uci") && !slots.contains_key("which"),
        intent => *intent == Intent::Unknown && !understood.has_reason(),
    }
}

/// Whether legal moves that agree with a sentence are rather meant than what was understood: a move that is not legal, nothing,
/// or what leaves words of it over.
pub fn may_be_move(understood: &Understood, context: &Context) -> bool {
    let Understood { intent, slots, confidence, unread, .. } = understood;
    let is_doubtful = !unread.is_empty() && *confidence < COMPLETE;
    match intent {
        Intent::Unknown | Intent::Move => is_open(understood),
        // Where a game is played, a position is set up by those who say so.
        Intent::EditPosition => is_doubtful && (context.plays.is_some() || slots.is_empty()),
        intent => {
            is_doubtful && *confidence < MOVE_LIKELY && !intent.is_run() && !intent.changes_runs()
        }
    }
}

/// A sentence less like an example than this is rather a legal move that it describes.
const MOVE_LIKELY: f32 = 0.7;

/// The answer to a sentence that describes legal moves with other words than a move is said with.
pub fn of_agreeing(found: Agreeing) -> Understood {
    let Agreeing { moves, unread } = found;
    let is_named = !unread.is_empty();
    let mut found = match moves.as_slice() {
        [(uci, san)] => one_move(uci, san, is_named),
        several => one_of(several),
    };
    found.unread = unread;
    found
}

/// "Speak the answers but not the moves": there is one switch for both.
fn parts_speech(words: &[String]) -> bool {
    let has = |said: &[&str]| words.iter().any(|word| said.contains(&word.as_str()));
    has(&["moves", "move"]) && has(&["answers", "answer"]) && has(&["not", "only", "without", "no"])
}

/// The answer to a sentence that says a move: one that is legal, some of which one is asked for, or none.
pub fn of_move(said: Said) -> Understood {
    let Said { named, text, unread, .. } = said;
    let is_named = !unread.is_empty();
    let mut found = match named {
        Named::One(uci, san) => one_move(&uci, &san, false),
        Named::Several(moves) => one_of(&moves),
        Named::None => {
            let slots = Slots::from_iter([("move".to_owned(), text.into())]);
            let shown = shown::shown(Intent::Move, &slots);
            let known = Understood::unknown(shown, Vec::new());
            Understood {
                intent: Intent::Move,
                slots,
                confidence: 1.0,
                confirm: Confirm::InGame,
                ..known
            }
        }
    };
    found.unread = unread;
    if is_named {
        found.confirm = Confirm::Always;
    }
    found
}

/// A legal move; a question does not make it at once.
pub fn one_move(uci: &str, san: &str, asks: bool) -> Understood {
    let slots = Slots::from_iter([("move".to_owned(), san.into()), ("uci".to_owned(), uci.into())]);
    let confirm = if asks { Confirm::Always } else { Confirm::No };
    let known = Understood::unknown(san.to_owned(), Vec::new());
    Understood { intent: Intent::Move, slots, confidence: 1.0, confirm, ..known }
}

/// A move that may be one of several: which one is asked.
fn one_of(moves: &[(String, String)]) -> Understood {
    let names: Vec<&str> = moves.iter().map(|(_, san)| san.as_str()).collect();
    let (last, others) =
        names.split_last().map_or(("", names.as_slice()), |(last, rest)| (*last, rest));
    let shown = format!("Which move: {} or {last}?", others.join(", "));
    let which = moves.iter().map(|(uci, san)| serde_json::json!({ "uci": uci, "san": san }));
    Understood {
        intent: Intent::Move,
        slots: Slots::from_iter([("which".to_owned(), which.collect::<Vec<_>>().into())]),
        confidence: 1.0,
        ..Understood::unknown(shown, Vec::new())
    }
}
