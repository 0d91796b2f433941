//! No detail of a sentence is dropped without a word: each number, unit, engine, revision, move and file is in what was
//! understood, or is named. All sentences of `harness/tests/assistant`, and with details that were put into them.

use std::collections::BTreeSet;

use harness_assistant::{Context, Intent, Understood, understand};

/// Sentences with a detail more.
const RECOMBINED: usize = 1_200;

/// Of the sentences as they are each fifth is read.
const STEP: usize = 5;

/// Details that are put into sentences, and their telling part: it has to be in what was understood, as one of these
/// texts, or to be named.
const DETAILS: [(&str, &[&str]); 123] = [
    ("with 3 lines", &["3"]),
    ("at 20k nodes", &["20000", "20k"]),
    ("with 7000 nodes", &["7000"]),
    ("against v1.2", &["v1.2"]),
    ("against HEAD~3", &["HEAD~3"]),
    ("vs commit abc1234f", &["abc1234f"]),
    ("on branch see-fix", &["see-fix"]),
    ("for v1.1 and v1.2", &["v1.2"]),
    ("on the noob book", &["noob"]),
    ("from uho.epd", &["uho.epd"]),
    ("from the book 8moves.pgn", &["8moves.pgn"]),
    ("with search.yaml", &["search.yaml"]),
    ("with 8 threads", &["8"]),
    ("with six threads", &["6", "six"]),
    ("2 threads for the second", &["2", "second"]),
    ("with Threads=12", &["12"]),
    ("in chess960", &["chess960"]),
    ("in atomic", &["atomic"]),
    ("as king of the hill", &["hill"]),
    ("with hash 256", &["256"]),
    ("with 64 MB", &["64"]),
    ("with 2 GB of hash", &["2048", "2 gb", "2 hash gb"]),
    ("at depth 13", &["13"]),
    ("depth 5 for weiss", &["depth 5", "depth=5", "5"]),
    ("at 10+0.1", &["10+0.1"]),
    ("at 1+0.01 and 2+0.02", &["2+0.02"]),
    ("at 40/60", &["40/60"]),
    ("in 3 minutes", &["180", "3+0", "3 minutes"]),
    ("with 7 seconds per move", &["7s", "7+0", "7 seconds", "0.116667+0"]),
    ("at 250 ms", &["250", "0.25"]),
    ("at ltc", &["40+0.4", "ltc"]),
    ("every 5 minutes", &["5", "300"]),
    ("for 2 hours", &["2", "7200", "120+0"]),
    ("until 3 pm", &["3"]),
    ("in the first 20 moves", &["20"]),
    ("before move 11", &["11"]),
    ("on move 17", &["17"]),
    ("in run 23", &["23"]),
    ("in runs 23 and 24", &["24"]),
    ("of game 19", &["19"]),
    ("except game 4", &["4"]),
    ("with weiss", &["weiss"]),
    ("by ethereal", &["ethereal"]),
    ("with weiss, not toga2", &["weiss"]),
    ("for stockfish and weiss", &["weiss"]),
    ("after Nf3", &["Nf3"]),
    ("after 1.d4", &["d4"]),
    ("on e4", &["e4"]),
    ("with a knight on h7", &["h7"]),
    ("at level 6", &["6", "1800"]),
    ("rated 1850", &["1850"]),
    ("at 1600 elo", &["1600", "5"]),
    ("with pondering", &["pondering", "ponder"]),
    ("with ponder", &["ponder"]),
    ("with syzygy", &["syzygy"]),
    ("with 5 men tablebases", &["5"]),
    ("with contempt 22", &["22"]),
    ("with MultiPV 4", &["4"]),
    ("with bounds 0 and 7", &["7"]),
    ("with elo1 7", &["7"]),
    ("alpha 0.05", &["0.05"]),
    ("for 500 games", &["500"]),
    ("for 250 pairs", &["250"]),
    ("over 21 rounds", &["21", "42"]),
    ("10 times", &["10"]),
    ("twice", &["twice", "2"]),
    ("using nelder mead", &["nelder"]),
    ("4 at a time", &["4"]),
    ("with 3 games at once", &["3"]),
    ("in the caro-kann", &["Caro-Kann"]),
    ("on 3 machines", &["3"]),
    ("between 7 engines", &["7"]),
    ("5 % of them", &["5"]),
    ("from 2024", &["2024"]),
    ("tomorrow", &["tomorrow"]),
    ("no book", &["book"]),
    ("without a clock", &["clock"]),
    ("without pawns", &["pawn", "without"]),
    ("at least 30 games", &["least", "30"]),
    ("fewer than 900 games", &["fewer", "900"]),
    ("no more than 700 games", &["700"]),
    ("except the last", &["except"]),
    ("but not on friday", &["friday"]),
    ("until monday", &["monday"]),
    ("unless it is lost", &["unless"]),
    ("with half the hash", &["half", "hash"]),
    ("with both hands", &["both", "2", "hands"]),
    ("unrated", &["unrated"]),
    ("for white only", &["only", "white"]),
    ("every third day", &["every", "third", "3"]),
    ("with 300 knodes", &["300", "300000"]),
    ("with 80 percent of the time", &["80"]),
    ("instead of weiss", &["weiss"]),
    ("rather than glaurung", &["glaurung"]),
    ("for yesterday's run", &["yesterday"]),
    ("the second to last one", &["second", "2", "before", "previous"]),
    ("at 9:30", &["9:30"]),
    ("on 2026-11-28", &["2026", "11-28", "28"]),
    ("and tell Ben", &["Ben"]),
    ("and email Anna", &["Anna", "email"]),
    ("8 threads against 1", &["8 threads"]),
    ("capped at 900 games", &["900"]),
    ("cap it at 1100 games", &["1100"]),
    ("no fewer than 40 games", &["40"]),
    ("at the least 60 games", &["60"]),
    ("not more than 3 lines", &["3"]),
    ("hash 64, no, hash 32", &["32"]),
    ("elo1 4, elo1 6 rather", &["6"]),
    ("d12", &["12"]),
    ("2 thr", &["2"]),
    ("300g", &["300"]),
    ("the first 8 plies", &["8"]),
    ("when the last run is done", &["done", "when"]),
    ("once it has finished", &["finished", "once"]),
    ("and turn the board", &["turn", "board", "flip"]),
    ("and delete run 4", &["4"]),
    ("then stop run 4", &["4"]),
    ("with a lovely book", &["book", "lovely"]),
    ("with the usual bounds", &["usual", "bounds"]),
    ("in a funny variant", &["funny", "variant"]),
    ("by clover", &["clover"]),
    ("against berserk", &["berserk"]),
    ("roughly 70 games", &["70"]),
];

/// The sentences of all files.
fn sentences() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/assistant");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").flatten().map(|file| file.path()).collect();
    files.sort();
    let mut sentences = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".tsv") && !name.starts_with("names") {
            let text = std::fs::read_to_string(&file).expect("a file of sentences");
            let first = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
            sentences.extend(text.lines().map(first));
        }
    }
    sentences
}

/// What was understood and what is named, as text.
fn accounted(found: &Understood) -> String {
    let others: Vec<_> = found.others.iter().map(|other| &other.slots).collect();
    let slots = serde_json::json!([found.slots, others, found.shown]).to_string();
    format!("{slots} {}", found.unread.join(" ")).to_lowercase()
}

/// Whether a text is in another one as a whole word or number.
fn has_word(text: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    text.match_indices(&word).any(|(at, _)| {
        let is_apart = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_ascii_digit());
        let (before, after) =
            (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        let is_number = word.starts_with(|sign: char| sign.is_ascii_digit());
        !is_number || (is_apart(before) && is_apart(after))
    })
}

/// Whether nothing is done: then nothing is dropped.
fn is_undone(found: &Understood) -> bool {
    matches!(found.intent, Intent::Unknown | Intent::Move)
}

/// Words of a sentence with digits, and files.
fn written_details(sentence: &str) -> BTreeSet<&str> {
    let trimmed = sentence
        .split(|sign: char| sign.is_whitespace() || "=;[]()".contains(sign))
        .map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
    // The names of the hypotheses are no numbers.
    let is_name = |word: &str| matches!(word, "elo0" | "elo1" | "h0" | "h1");
    let is_detail =
        |word: &&str| word.contains(|sign: char| sign.is_ascii_digit()) && !is_name(word);
    trimmed.filter(is_detail).collect()
}

/// Whether a detail is taken back or refused: "mate in 4, no, mate in 1", "not move 8, move 9", "300 games, no, 500 games".
fn is_taken_back(sentence: &str, detail: &str) -> bool {
    let (before, behind) = sentence.split_once(detail).unwrap_or_default();
    let before = before.trim_end();
    let before =
        ["move", "run"].iter().fold(before, |text, noun| text.trim_end_matches(noun).trim_end());
    let next: String = behind.chars().take(NEAR).collect();
    let is_corrected =
        [" no,", " no ", " sorry", " I mean", " rather"].iter().any(|said| next.contains(said));
    is_corrected || before.ends_with("not") || before.ends_with("not in")
}

/// Characters between a value and what takes it back.
const NEAR: usize = 20;

/// The numbers of a word, and what they are in other units.
fn in_other_units(word: &str) -> Vec<Vec<String>> {
    let joined = word.replace(",000", "000");
    let numbers = joined
        .split(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
        .map(|number| number.trim_matches('.'))
        .filter_map(|number| number.parse::<f64>().ok());
    let units = [1.0, 60.0, 3_600.0, 1e3, 1e6, 1_024.0, 1e-3, 2.0, 1.0 / 60.0];
    // "Under 30 moves" are 58 plies at most, "more than 30" 61 at least, "at least 30" 59.
    let plies = |number: f64| [-2.0, -1.0, 1.0].map(|by| format!("{}", 2.0 * number + by));
    // The level of a rating.
    let level = |number: f64| format!("{}", (number - 600.0) / 200.0);
    let texts = |number: f64| {
        let values = units.iter().map(|unit| format!("{}", number * unit));
        values.chain([level(number)]).chain(plies(number)).collect()
    };
    numbers.map(texts).collect()
}

#[test]
fn each_detail_of_a_sentence_is_in_what_was_understood_or_is_named() {
    let mut dropped = Vec::new();
    for sentence in sentences().into_iter().step_by(STEP) {
        let found = understand(&sentence, &Context::default());
        if is_undone(&found) {
            continue;
        }
        let accounted = accounted(&found);
        for word in written_details(&sentence) {
            let is_number =
                |texts: &Vec<String>| texts.iter().any(|text| has_word(&accounted, text));
            // "3 engines", all of which are named.
            let counts_engines = sentence.contains(&format!("{word} engines"));
            // "Back 2 the start", "the fen 4 my coach", "the 1s that I missed".
            let is_word = (sentence.contains("2 the") && word == "2")
                || (sentence.contains("4 my") && word == "4")
                || sentence.contains("the 1s");
            // "Before 19. Bxf7" is the move before it.
            let is_before = found.intent == Intent::GoTo && sentence.contains("before");
            if !counts_engines
                && !is_before
                && !is_word
                && !is_taken_back(&sentence, word)
                && !has_word(&accounted, word)
                && !in_other_units(word).iter().all(is_number)
            {
                dropped.push(format!("{word}: {sentence}\n    {:?} {accounted}", found.intent));
            }
        }
    }
    assert!(dropped.is_empty(), "{}:\n{}", dropped.len(), dropped.join("\n"));
}

#[test]
fn a_detail_that_is_put_into_a_sentence_is_not_dropped() {
    let sentences = sentences();
    let mut state = 0xd1b5_4a32_d192_ed03_u64;
    let mut random = |below: usize| {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut dropped = Vec::new();
    for _ in 0..RECOMBINED {
        let base = sentences[random(sentences.len())].trim();
        let (detail, tellings) = DETAILS[random(DETAILS.len())];
        let end = base.trim_end_matches(['.', '?', '!']);
        let sign = &base[end.len()..];
        let sentence = match random(4) {
            0 => format!("{end}, {detail}{sign}"),
            1 => format!("{detail}, {base}"),
            _ => format!("{end} {detail}{sign}"),
        };
        let found = understand(&sentence, &Context::default());
        let accounted = accounted(&found);
        if !is_undone(&found) && !tellings.iter().any(|telling| has_word(&accounted, telling)) {
            dropped.push(format!("{detail}: {sentence}\n    {:?} {accounted}", found.intent));
        }
    }
    assert!(dropped.is_empty(), "{} of {RECOMBINED}:\n{}", dropped.len(), dropped.join("\n"));
}
