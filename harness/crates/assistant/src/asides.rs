//! Words that only accompany a wish: "hmm", "oops", "I was stupid", "whatever happens".

use super::context::Context;
use super::slots::COUNTED;
use super::words::Word;
use super::{kinds, nearest, tags};

/// Sounds and exclamations.
const SOUNDS: [&str; 42] = [
    "hm", "hmm", "hmmm", "mm", "mmm", "uh", "uhm", "um", "umm", "er", "erm", "ah", "aah", "aargh",
    "argh", "arg", "ugh", "oh", "ooh", "oops", "ops", "whoops", "woops", "ouch", "damn", "dang",
    "darn", "wow", "yikes", "gosh", "geez", "jeez", "lol", "haha", "hehe", "phew", "yay", "eh",
    "huh", "oy", "ups", "ay",
];

/// Whether a word is a sound or an exclamation.
pub fn is_sound(word: &str) -> bool {
    SOUNDS.contains(&word)
}

/// Remarks that narrow nothing, wherever they stand.
const REMARKS: [&[&str]; 110] = [
    &["i", "am", "not", "playing", "it"],
    &["i", "am", "only", "asking"],
    &["i", "am", "just", "asking"],
    &["only", "asking"],
    &["just", "asking"],
    &["i", "have", "no", "clue"],
    &["no", "clue"],
    &["just", "for", "kicks"],
    &["for", "kicks"],
    &["for", "old", "times", "sake"],
    &["at", "the", "moment"],
    &["be", "honest"],
    &["for", "heavens", "sake"],
    &["oh", "no"],
    &["ah", "no"],
    &["well", "played"],
    &["just", "checking"],
    &["just", "curious"],
    &["to", "be", "on", "the", "safe", "side"],
    &["just", "out", "of", "interest"],
    &["out", "of", "interest"],
    &["quick", "and", "dirty"],
    &["good", "luck"],
    &["for", "science"],
    &["my", "fault"],
    &["as", "in", "the", "old", "days"],
    &["like", "in", "the", "old", "days"],
    &["if", "the", "computer", "is", "not", "too", "busy"],
    &["if", "you", "are", "not", "too", "busy"],
    &["if", "you", "have", "time"],
    &["if", "you", "have", "the", "time"],
    &["i", "am", "no", "expert"],
    &["sorry", "to", "bother", "you"],
    &["with", "my", "apologies"],
    &["my", "apologies"],
    &["as", "well"],
    &["while", "you", "are", "at", "it"],
    &["on", "earth"],
    &["in", "the", "club"],
    &["at", "the", "club"],
    &["like", "always"],
    &["por", "favor"],
    &["in", "your", "opinion"],
    &["thank", "you", "very", "much"],
    &["if", "it", "is", "not", "too", "much", "trouble"],
    &["if", "that", "is", "not", "too", "much", "trouble"],
    &["if", "it", "is", "no", "trouble"],
    &["if", "it", "is", "not", "too", "much", "to", "ask"],
    &["if", "that", "is", "not", "too", "much", "to", "ask"],
    &["when", "you", "have", "a", "minute"],
    &["when", "you", "have", "a", "moment"],
    &["no", "matter", "what"],
    &["no", "matter", "what", "happens"],
    &["whatever", "happens"],
    &["come", "what", "may"],
    &["by", "accident"],
    &["accidentally"],
    &["if", "possible"],
    &["if", "that", "is", "possible"],
    &["if", "it", "is", "possible"],
    &["if", "you", "can"],
    &["if", "you", "could"],
    &["if", "you", "please"],
    &["if", "you", "like"],
    &["if", "you", "want"],
    &["if", "you", "would"],
    &["if", "you", "do", "not", "mind"],
    &["if", "that", "is", "ok"],
    &["if", "that", "is", "okay"],
    &["if", "that", "is", "fine"],
    &["if", "it", "is", "ok"],
    &["when", "you", "can"],
    &["when", "you", "are", "ready"],
    &["no", "rush"],
    &["no", "hurry"],
    &["for", "a", "change"],
    &["just", "for", "fun"],
    &["for", "fun"],
    &["out", "of", "curiosity"],
    &["the", "rest", "is", "up", "to", "you"],
    &["everything", "else", "is", "up", "to", "you"],
    &["the", "rest", "stays"],
    &["rest", "stays"],
    &["everything", "else", "stays"],
    &["as", "you", "like"],
    &["this", "time"],
    &["my", "bad"],
    &["nothing", "fancy"],
    &["nothing", "special"],
    &["nothing", "too", "fancy"],
    &["nothing", "too", "serious"],
    &["nothing", "serious"],
    &["fingers", "crossed"],
    &["take", "it", "easy"],
    &["for", "once"],
    &["for", "a", "laugh"],
    &["for", "the", "fun", "of", "it"],
    &["everything", "else", "default"],
    &["everything", "else", "as", "usual"],
    &["all", "else", "default"],
    &["the", "rest", "default"],
    &["the", "rest", "as", "usual"],
    &["rest", "default"],
    &["defaults", "otherwise"],
    &["default", "otherwise"],
    &["as", "usual"],
    &["if", "that", "makes", "sense"],
    &["long", "story", "short"],
    &["by", "the", "way"],
    &["my", "mouse", "slipped"],
];

/// What a sentence begins with that says nothing: "I meant Nf3".
const BEGINNINGS: [&[&str]; 10] = [
    &["nope", "i", "meant"],
    &["nope", "i", "mean"],
    &["no", "i", "said"],
    &["i", "said"],
    &["i", "mean"],
    &["i", "meant"],
    &["sorry", "i", "meant"],
    &["no", "i", "meant"],
    &["no", "i", "mean"],
    &["sorry"],
];

/// Beginnings before a sign that say nothing: "go on, a hint", "fair enough, I resign".
const OPENINGS: [&[&str]; 22] = [
    &["go", "on"],
    &["go", "on", "then"],
    &["go", "ahead"],
    &["come", "on"],
    &["come", "on", "then"],
    &["fair", "enough"],
    &["alright", "then"],
    &["all", "right"],
    &["all", "right", "then"],
    &["alright"],
    &["right", "then"],
    &["right"],
    &["ok", "then"],
    &["okay", "then"],
    &["very", "well"],
    &["oh", "well"],
    &["oh", "dear"],
    &["you", "know", "what"],
    &["tell", "you", "what"],
    &["listen"],
    &["look"],
    &["honestly"],
];

/// Words of which one makes a part of a sentence the speaker's state of mind.
const FEELINGS: [&str; 67] = [
    "lost",
    "stuck",
    "clueless",
    "stupid",
    "dumb",
    "silly",
    "idiot",
    "idiotic",
    "fool",
    "foolish",
    "moron",
    "blind",
    "drunk",
    "tired",
    "sleepy",
    "asleep",
    "distracted",
    "distracting",
    "distracts",
    "careless",
    "hasty",
    "clumsy",
    "slip",
    "slipped",
    "misclick",
    "misclicked",
    "mouseslip",
    "accident",
    "curious",
    "bored",
    "boring",
    "annoying",
    "annoys",
    "annoyed",
    "noisy",
    "noise",
    "nervous",
    "crazy",
    "mad",
    "insane",
    "hungry",
    "sad",
    "ashamed",
    "embarrassing",
    "embarrassed",
    "confused",
    "confusing",
    "horrible",
    "terrible",
    "awful",
    "hurry",
    "desperate",
    "frustrated",
    "frustrating",
    "impatient",
    "rushed",
    "sorry",
    "ridiculous",
    "lazy",
    "excited",
    "grumpy",
    "sick",
    "dizzy",
    "nuts",
    "headache",
    "useless",
    "pointless",
];

/// Other words of such a part.
const BESIDE_FEELINGS: [&str; 68] = [
    "far", "much", "all", "engine", "computer", "machine", "i", "we", "it", "that", "this", "he",
    "she", "they", "you", "my", "his", "her", "me", "us", "am", "is", "was", "are", "were", "be",
    "been", "being", "a", "an", "the", "so", "too", "very", "really", "just", "such", "quite",
    "bit", "little", "of", "to", "in", "feel", "feels", "felt", "get", "gets", "got", "not",
    "make", "makes", "made", "drive", "drives", "have", "has", "had", "do", "did", "here", "now",
    "again", "today", "what", "how", "mouse", "with",
];

/// The words of a sentence without its sounds and remarks, and without parts that only say how the speaker feels.
pub fn without(text: &str, split: Vec<Word>, context: &Context) -> Vec<Word> {
    let begins = |said: &&&[&str]| split.get(..said.len()).is_some_and(|words| says(words, said));
    let beginning = BEGINNINGS.iter().filter(begins).map(|said| said.len()).max().unwrap_or(0);
    let mut kept = split;
    if kept.len() > beginning {
        kept.drain(..beginning);
    }
    let is_opening = |said: &&&[&str]| {
        let is_said = kept.get(..said.len()).is_some_and(|words| says(words, said));
        is_said && kept.len() > said.len() + 1 && {
            let between = super::words::between(text, &kept, said.len());
            between.contains([',', ';', '.', '!', ':', '\u{2013}', '\u{2014}'])
                && !(said[0] == "go" && begins_with_run(text, &kept[said.len()..], context))
        }
    };
    let opening = OPENINGS.iter().filter(is_opening).map(|said| said.len()).max().unwrap_or(0);
    kept.drain(..opening);
    for remark in REMARKS {
        let place = kept.windows(remark.len()).position(|words| says(words, remark));
        if let Some(at) = place.filter(|_| kept.len() > remark.len()) {
            kept.drain(at..at + remark.len());
        }
    }
    // "Oops, undo": an example has it.
    let is_sound = |word: &Word| {
        let typed = text[word.chunk.0..word.chunk.1].to_lowercase();
        is_sound(&typed) && !nearest::is_known(&typed)
    };
    let sounds = kept.iter().filter(|word| is_sound(word)).count();
    if sounds < kept.len() {
        kept.retain(|word| !is_sound(word));
    }
    without_feelings(text, kept)
}

/// Whether words begin with a run: "run 4", "the last sprt", an id. "Go on" before it resumes it; "run wac" is a wish.
fn begins_with_run(text: &str, split: &[Word], context: &Context) -> bool {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_small = |word: &&Word| {
        matches!(
            word.text.as_str(),
            "with" | "the" | "my" | "this" | "that" | "last" | "latest" | "newest" | "previous"
        )
    };
    let small = split.iter().take_while(is_small).count();
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let tagged = tags::tag(text, split, &words, context);
    let is_token = |at: usize, token: &str| {
        tagged.iter().any(|tagged| tagged.from == at && tagged.text == token)
    };
    if is_token(small, "{run}") || (small > 0 && kinds::is_of_run(word(small))) {
        return true;
    }
    // "Go on, match weiss toga2", "run 100 games" are other wishes.
    let number = small + usize::from(kinds::is_of_run(word(small)));
    let is_last = |at: usize| {
        let next = word(at);
        !COUNTED.contains(&next) && !is_token(at, "{engine}") && !is_token(at, "{suite}")
    };
    is_token(number, "{run}")
        || (is_token(number, "{n}") && is_last(number + 1))
        || (number > small && number == split.len())
}

fn says(words: &[Word], said: &[&str]) -> bool {
    words.iter().map(|word| word.text.as_str()).eq(said.iter().copied())
}

/// The words without the parts between signs that only say how the speaker feels; one part stays.
fn without_feelings(text: &str, split: Vec<Word>) -> Vec<Word> {
    let is_parted = |one: &Word, next: &Word| {
        let between = text.get(one.chunk.1..next.chunk.0).unwrap_or_default();
        between.contains([',', ';', '.', '!', '?', ':', '\u{2013}', '\u{2014}', '(', ')'])
            || between.contains(" - ")
    };
    let parts: Vec<&[Word]> = split.chunk_by(|one, next| !is_parted(one, next)).collect();
    let others: Vec<&[Word]> = parts.iter().copied().filter(|part| !is_feeling(part)).collect();
    if others.is_empty() { split } else { others.concat() }
}

/// Whether words only say how the speaker feels.
pub fn is_feeling(part: &[Word]) -> bool {
    // "Because I was stupid", "I was stupid sorry".
    let reason = part.first().is_some_and(|word| {
        matches!(word.text.as_str(), "because" | "cause" | "cuz" | "since" | "as")
    });
    let part = &part[usize::from(reason)..];
    let has = |words: &[&str]| part.iter().any(|word| words.contains(&word.text.as_str()));
    let is_one = |word: &Word| {
        let word = word.text.as_str();
        FEELINGS.contains(&word) || BESIDE_FEELINGS.contains(&word)
    };
    // "I am lost", but "I lost", "the game was lost".
    let is_state = has(&["am", "feel", "feels", "felt"])
        || (has(&["i", "we"]) && has(&["was", "were", "are", "get", "got"]));
    has(&FEELINGS) && part.iter().all(is_one) && (is_state || !has(&["lost"]))
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn what_only_accompanies_a_wish_is_left_out() {
        for (text, expected) in [
            ("hmm, take it back", "take it back"),
            ("Ugh undo please", "undo please"),
            ("undo, I was really stupid", "undo"),
            ("that is so annoying, stop the voice", "stop the voice"),
            ("2000 games no matter what", "2000 games"),
            ("turn the board if you don't mind", "turn the board"),
            ("this is silly", "this is silly"),
            ("oops", "oops"),
            ("new game, I am black", "new game i am black"),
            ("a draw, because it is late", "a draw because it is late"),
        ] {
            let found: Vec<String> = without(text, words::split(text), &Context::default())
                .into_iter()
                .map(|word| word.text)
                .collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
