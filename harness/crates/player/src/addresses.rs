//! The names by which flags of a command line address one engine of several.

use std::collections::BTreeSet;

use super::spec::EngineSpec;

/// The names of the engines of a run, in their order.
///
/// An engine has a role (`new` and `old` of a test), its name, and the text that the user wrote. Of
/// two engines with the same name or text the second has `#2` behind it, so each address means one
/// engine. Where two engines share an address, the role wins, then the name.
#[derive(Debug)]
pub struct Addresses {
    roles: Vec<String>,
    names: Vec<String>,
    texts: Vec<String>,
}

impl Addresses {
    /// Those of engines whose names are distinct; `roles` may be shorter.
    pub fn new(engines: &[EngineSpec], texts: &[impl AsRef<str>], roles: &[&str]) -> Addresses {
        Addresses {
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            names: engines.iter().map(|engine| engine.name.clone()).collect(),
            texts: distinct(texts.iter().map(|text| text.as_ref().to_owned())),
        }
    }

    /// The engine that an address means.
    pub fn find(&self, address: &str) -> Option<usize> {
        let lists = [&self.roles, &self.names, &self.texts];
        lists.iter().find_map(|list| list.iter().position(|name| name == address))
    }

    /// The engine and the NAME of `ENGINE.NAME`, by the longest ENGINE that there is; `None` if the
    /// text addresses no engine.
    pub fn split<'a>(&self, text: &'a str) -> Option<(usize, &'a str)> {
        text.rmatch_indices('.').find_map(|(at, _)| {
            let name = &text[at + 1..];
            if name.is_empty() { None } else { Some((self.find(&text[..at])?, name)) }
        })
    }

    /// All of them, for people.
    pub fn list(&self) -> String {
        let mut known: Vec<&str> = Vec::new();
        for name in self.names.iter().chain(&self.roles) {
            if !known.contains(&name.as_str()) {
                known.push(name);
            }
        }
        known.join(", ")
    }
}

/// `stockfish`, `stockfish` become `stockfish`, `stockfish#2`.
pub(super) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let unlike_others = |name: String| {
        let numbered = (2..).map(|count: u32| format!("{name}#{count}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| taken.insert(name.clone()));
        free.unwrap_or(name)
    };
    names.into_iter().map(unlike_others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(names: &[&str], texts: &[&str], roles: &[&str]) -> Addresses {
        let names = distinct(names.iter().map(|&name| name.to_owned()));
        let engines: Vec<EngineSpec> = names.iter().map(|name| EngineSpec::builtin(name)).collect();
        Addresses::new(&engines, texts, roles)
    }

    #[test]
    fn an_address_means_one_engine() {
        let twins = || addresses(&["fish", "fish"], &["./fish", "./fish"], &["new", "old"]);
        let cases = [
            (twins(), "fish.Hash", Some((0, "Hash"))),
            (twins(), "fish#2.Hash", Some((1, "Hash"))),
            (twins(), "./fish.Hash", Some((0, "Hash"))),
            (twins(), "./fish#2.Hash", Some((1, "Hash"))),
            (twins(), "new.Hash", Some((0, "Hash"))),
            (twins(), "old.Hash", Some((1, "Hash"))),
            (twins(), "fish#3.Hash", None),
            (twins(), "Hash", None),
            (twins(), "fish.", None),
            // The same name in two folders.
            (addresses(&["a", "a"], &["x/a", "y/a"], &[]), "a.Hash", Some((0, "Hash"))),
            (addresses(&["a", "a"], &["x/a", "y/a"], &[]), "y/a.Hash", Some((1, "Hash"))),
            // A name is worth more than what was written for another.
            (addresses(&["b", "a"], &["a", "b"], &[]), "a.Hash", Some((1, "Hash"))),
            // Names with dots, and options with dots.
            (addresses(&["v1", "v1.2"], &["v1", "v1.2"], &[]), "v1.2.Hash", Some((1, "Hash"))),
            (addresses(&["v1", "v2"], &["v1", "v2"], &[]), "v1.A.B", Some((0, "A.B"))),
        ];
        for (addresses, text, means) in cases {
            assert_eq!(addresses.split(text), means, "{text}");
        }
        assert_eq!(twins().list(), "fish, fish#2, new, old");
    }

    #[test]
    fn names_become_distinct_from_all_others() {
        let names = ["a", "a#2", "a", "a", "b"].map(str::to_owned);
        assert_eq!(distinct(names), ["a", "a#2", "a#3", "a#4", "b"]);
    }
}
