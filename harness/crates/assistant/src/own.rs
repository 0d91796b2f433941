//! Own work as it is said: "my working tree", "our patched build", "the last commit", each as a revision.

use super::nearest;
use super::similar::similarity;

/// Whose work it is.
const OWNERS: [&str; 2] = ["my", "our"];

/// Words between the owner and the noun.
const ADJECTIVES: [&str; 14] = [
    "own",
    "current",
    "local",
    "new",
    "newest",
    "uncommitted",
    "modified",
    "changed",
    "patched",
    "working",
    "dirty",
    "present",
    "unfinished",
    "little",
];

/// What one works on: the working tree.
const NOUNS: [&str; 29] = [
    "tree",
    "change",
    "changes",
    "patch",
    "patches",
    "work",
    "code",
    "modification",
    "modifications",
    "edit",
    "edits",
    "engine",
    "program",
    "stuff",
    "build",
    "version",
    "checkout",
    "copy",
    "source",
    "sources",
    "tweak",
    "tweaks",
    "idea",
    "binary",
    "wip",
    "directory",
    "folder",
    "improvement",
    "simplification",
];

/// Those that may be the topic of a sentence that names its revisions: "verify my patch: sprt HEAD against HEAD~1".
const TOPICS: [&str; 9] = [
    "patch",
    "patches",
    "change",
    "changes",
    "modification",
    "idea",
    "tweak",
    "improvement",
    "simplification",
];

/// Without an owner.
const PHRASES: [(&str, &str); 32] = [
    ("my branch", "HEAD"),
    ("our branch", "HEAD"),
    ("own build", "."),
    ("own engine", "."),
    ("own tree", "."),
    ("own code", "."),
    ("own version", "."),
    ("own work", "."),
    ("working tree", "."),
    ("working copy", "."),
    ("working version", "."),
    ("working directory", "."),
    ("worktree", "."),
    ("uncommitted changes", "."),
    ("uncommitted work", "."),
    ("uncommitted code", "."),
    ("local changes", "."),
    ("current tree", "."),
    ("last commit", "HEAD"),
    ("latest commit", "HEAD"),
    ("current commit", "HEAD"),
    ("newest commit", "HEAD"),
    ("this commit", "HEAD"),
    ("my commit", "HEAD"),
    ("current branch", "HEAD"),
    ("this branch", "HEAD"),
    ("previous commit", "HEAD~1"),
    ("earlier commit", "HEAD~1"),
    ("commit before", "HEAD~1"),
    ("one before", "HEAD~1"),
    ("its parent", "HEAD~1"),
    ("parent commit", "HEAD~1"),
];

/// Own work in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// How many words it takes.
    pub words: usize,
    /// Its revision.
    pub revision: &'static str,
    /// Whether it may only be what the sentence is about.
    pub is_topic: bool,
}

/// Own work that begins with a word.
pub fn at(words: &[String], at: usize) -> Option<Own> {
    let words = words.get(at..)?;
    for (said, revision) in PHRASES {
        let count = said.split(' ').count();
        let is_said =
            words.len() >= count && words.iter().zip(said.split(' ')).all(|(a, b)| is_like(a, b));
        if is_said {
            return Some(Own { words: count, revision, is_topic: false });
        }
    }
    if !words.first().is_some_and(|owner| OWNERS.contains(&owner.as_str())) {
        return None;
    }
    let is_adjective = |word: &&String| ADJECTIVES.iter().any(|known| is_like(word, known));
    let noun = 1 + words[1..].iter().take(3).take_while(is_adjective).count();
    let word = words.get(noun)?;
    let found = NOUNS.iter().find(|known| is_like(word, known))?;
    Some(Own { words: noun + 1, revision: ".", is_topic: TOPICS.contains(found) })
}

/// Whether a word is another one, if need be misspelt.
fn is_like(word: &str, wanted: &str) -> bool {
    word == wanted
        || (wanted.len() > 3 && !nearest::is_known(word) && similarity(word, wanted) > ALIKE)
}

/// A word that no example has is one of these if it is so like it.
const ALIKE: f32 = 0.82;

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn own_work_is_a_revision_however_it_is_called() {
        for (text, expected) in [
            ("my tree", Some((2, "."))),
            ("my stuff", Some((2, "."))),
            ("our current build", Some((3, "."))),
            ("my own modified version", Some((4, "."))),
            ("wokring tree", Some((2, "."))),
            ("my last commit", None),
            ("last commit", Some((2, "HEAD"))),
            ("my friend", None),
            ("my opponent", None),
            ("my", None),
        ] {
            let found = at(&words::texts(text), 0);
            assert_eq!(found.map(|own| (own.words, own.revision)), expected, "{text}");
        }
    }
}
