//! Options of play: those that an engine has for its user, and that no tuning of it changes.

use super::offer::first_word;

/// Why an option is one of play, which is not tunable between two settings of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayOption {
    /// Resources: memory, threads, tablebases.
    Resource,
    /// How time becomes moves; it does nothing in games by nodes or depth.
    Time,
    /// Strength or style on purpose: skill, contempt.
    Strength,
    /// Opening books, learning.
    Book,
    /// Output, and how the engine is run.
    Interface,
}

impl PlayOption {
    /// The reason in a few words.
    pub fn text(self) -> &'static str {
        match self {
            PlayOption::Resource => "a resource",
            PlayOption::Time => "the clock",
            PlayOption::Strength => "strength or style on purpose",
            PlayOption::Book => "a book, or learning",
            PlayOption::Interface => "what is printed, or how the engine is run",
        }
    }
}

/// Names of options of play by their reason; in lower case and without separators.
const PLAY_OPTIONS: [(PlayOption, &str); 5] = [
    (
        PlayOption::Resource,
        "hash hashsize hashmb memory threads numthreads cores maxcpus cpus processes hashfile \
         evalcache evalcachesize evalhash evaluationtable evaltable pawnhash pawnhashsize pawntable \
         pawncache materialhash materialtable kinghash nncache nncachesize cachesize \
         nalimovcache gaviotatbcache egbbcache tablebasecache bitbasecache maxmemory ramlimitmb \
         backendthreads batchsize minibatchsize maxprefetch gpu gpuid numagpus largepages numa \
         syzygyprobedepth syzygyprobelimit syzygy50moverule syzygyprobeply tbprobedepth \
         tbprobelimit tablebaseprobedepth tablebaseprobelimit egtbprobedepth probedepth",
    ),
    (
        PlayOption::Time,
        "moveoverhead overhead lagbuffer lag buffertime timebuffer timeoverhead networkdelay \
         networkdelay2 delay minimumthinkingtime minthinkingtime maxthinkingtime slowmover nodestime \
         movetime movestime timemargin safetymargin timesafety timeusage timefactor reservetime \
         emergencymovehorizon emergencybasetime emergencymovetime nps npslimit nodelimit maxnodes \
         maxdepth depthlimit searchdepth searchtime searchnodes thinktime minsearchtime resigntime slowdown speed",
    ),
    (
        PlayOption::Strength,
        "skilllevel skill strength level playinglevel playingstrength ucielo elo elolimit limitelo \
         limitstrength ucilimitstrength handicap weakness blunder blunderrate errorrate contempt \
         drawcontempt dynamiccontempt drawscore drawvalue resign resignscore resignvalue \
         humanelo personality playstyle style mistakes randomness random variety varietymoves \
         temperature moverandomness",
    ),
    (
        PlayOption::Book,
        "bookdepth bookmoves bookvariety bookwidth bookrandomness bookmovetime bookminimum booklearn \
         maxbookdepth maxbookply openingbook ownbook book usebook bestbookline bestbookmove \
         learning experience experiencebookmaxmoves experiencebookwidth experiencebookevalimportance \
         experiencebookmindepth",
    ),
    (
        PlayOption::Interface,
        "multipv ponder debug debuglevel loglevel log verbosity verbose randomseed seed \
         currmove infointerval updateinterval chess960 ucichess960 ucianalysemode analysismode \
         analysisdepth ucishowwdl showwdl ucivariant ponderhit bench benchdepth benchthreads",
    ),
];

/// Words that make an option one of play wherever they stand in its name.
const PLAY_WORDS: [(PlayOption, &str); 12] = [
    (PlayOption::Strength, "skill"),
    (PlayOption::Strength, "contempt"),
    (PlayOption::Strength, "handicap"),
    (PlayOption::Book, "book"),
    (PlayOption::Book, "experience"),
    (PlayOption::Resource, "syzygy"),
    (PlayOption::Resource, "tablebase"),
    (PlayOption::Resource, "threads"),
    (PlayOption::Resource, "cache"),
    (PlayOption::Resource, "bitbases"),
    (PlayOption::Interface, "debug"),
    (PlayOption::Time, "overhead"),
];

/// Why an option is one of play (resources, strength, books), not of evaluation or search; `None` if
/// it is none.
pub fn play_option(name: &str) -> Option<PlayOption> {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    let named =
        PLAY_OPTIONS.iter().find(|(_, names)| names.split_whitespace().any(|one| one == plain));
    let with_word = || {
        let words = words(name);
        PLAY_WORDS
            .iter()
            .find(|(_, play)| words.iter().any(|word| word == play))
            .map(|found| found.0)
    };
    named.map(|found| found.0).or_else(with_word)
}

/// The words of a name in lower case: `see`, `quiet` of `SEEQuiet`.
fn words(name: &str) -> Vec<String> {
    fn from_word(text: &str) -> &str {
        text.trim_start_matches(|c: char| !c.is_alphanumeric())
    }
    let mut words = Vec::new();
    let mut rest = from_word(name);
    while !rest.is_empty() {
        let word = first_word(rest);
        words.push(word.to_lowercase());
        rest = from_word(&rest[word.len()..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_for_the_user_of_an_engine_are_told_from_its_parameters() {
        for (name, reason) in [
            ("Number of Threads", PlayOption::Resource),
            ("Bitbases Cache Size", PlayOption::Resource),
            ("Search Time", PlayOption::Time),
            ("Search Depth", PlayOption::Time),
            ("Move Overhead", PlayOption::Time),
        ] {
            assert_eq!(play_option(name), Some(reason), "{name}");
        }
        for name in ["Material", "ThreatByPawn", "LMRBase", "HashMoveBonus", "SEEQuiet"] {
            assert_eq!(play_option(name), None, "{name}");
        }
    }
}
