//! Names that are other words by their sound, where nothing else can be meant: "tune with bays", "the french winner wear".

use super::rewritten::Tokens;

/// Words that follow each other, and the name that they sound like.
const HEARD: [(&[&str], &str); 9] = [
    (&["winner", "wear"], "winawer"),
    (&["winner", "where"], "winawer"),
    (&["winner", "ware"], "winawer"),
    (&["night", "orf"], "najdorf"),
    (&["night", "dorf"], "najdorf"),
    (&["with", "bays"], "with bayes"),
    (&["by", "bays"], "by bayes"),
    (&["against", "wise"], "against weiss"),
    (&["against", "vise"], "against weiss"),
];

/// Writes the names.
pub fn write(tokens: &mut Tokens) {
    for at in 0..tokens.len() {
        if let Some((said, name)) = HEARD.iter().find(|(said, _)| tokens.says(at, said)) {
            tokens.replace(at, at + said.len(), name);
        }
    }
}
