//! Which engines of all runs are the same player: of the same commit, or the same program.

use std::collections::BTreeMap;

/// An engine of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The commit that it was built from, a full hash.
    pub commit: Option<String>,
    /// The checksum of its program; of the linked engine, which changes with the harness, the run.
    pub program: String,
    /// Options and limits that its opponents did not have: another player than without.
    pub handicap: String,
    /// For people.
    pub name: String,
}

/// All players, each once.
#[derive(Debug, Default)]
pub(super) struct Roster {
    /// A number a commit and a program.
    numbers: BTreeMap<String, usize>,
    /// Union-find over these numbers.
    parent: Vec<usize>,
    /// Players by root and handicap.
    players: BTreeMap<(usize, String), usize>,
    names: Vec<String>,
    /// Whether a player is a commit as it is, without a handicap.
    commits: Vec<Vec<String>>,
}

impl Roster {
    /// Notes that a commit and a program are one. All engines are noted before the first is numbered.
    pub fn note(&mut self, engine: &Identity) {
        let program = self.number(program_key(&engine.program));
        if let Some(commit) = &engine.commit {
            let commit = self.number(commit_key(commit));
            self.join(commit, program);
        }
    }

    /// Notes that two commits play the same games.
    pub fn note_same(&mut self, commit: &str, other: &str) {
        let commit = self.number(commit_key(commit));
        let other = self.number(commit_key(other));
        self.join(commit, other);
    }

    /// The number of the player that an engine is.
    pub fn player(&mut self, engine: &Identity) -> usize {
        let number = self.number(program_key(&engine.program));
        let root = self.root(number);
        let next = self.names.len();
        let key = (root, engine.handicap.clone());
        let player = *self.players.entry(key).or_insert(next);
        if player == next {
            let handicap = if engine.handicap.is_empty() { "" } else { ", " };
            self.names.push(format!("{}{handicap}{}", engine.name, engine.handicap));
            self.commits.push(Vec::new());
        }
        if let (Some(commit), true) = (&engine.commit, engine.handicap.is_empty())
            && !self.commits[player].contains(commit)
        {
            self.commits[player].push(commit.clone());
        }
        player
    }

    /// Number of players.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// A player for people.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The commits that a player is.
    pub fn commits(&self, player: usize) -> &[String] {
        &self.commits[player]
    }

    /// The player that a commit is.
    pub fn of_commit(&self, hash: &str) -> Option<usize> {
        let mut root = *self.numbers.get(&commit_key(hash))?;
        while self.parent[root] != root {
            root = self.parent[root];
        }
        self.players.get(&(root, String::new())).copied()
    }

    fn number(&mut self, key: String) -> usize {
        let next = self.parent.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.parent.push(next);
        }
        number
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parent[number] != number {
            self.parent[number] = self.parent[self.parent[number]];
            number = self.parent[number];
        }
        number
    }

    fn join(&mut self, a: usize, b: usize) {
        let a = self.root(a);
        let b = self.root(b);
        self.parent[a.max(b)] = a.min(b);
    }
}

fn commit_key(hash: &str) -> String {
    format!("commit {hash}")
}

fn program_key(checksum: &str) -> String {
    format!("program {checksum}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(commit: Option<&str>, program: &str, handicap: &str) -> Identity {
        Identity {
            commit: commit.map(str::to_owned),
            program: program.to_owned(),
            handicap: handicap.to_owned(),
            name: program.to_owned(),
        }
    }

    #[test]
    fn commits_and_programs_are_one_player_where_they_are_known_to_be() {
        let mut roster = Roster::default();
        let engines = [
            engine(Some("aa"), "p", ""),
            // A working tree that became a commit.
            engine(None, "q", ""),
            engine(Some("bb"), "q", ""),
            // The same commit, built elsewhere.
            engine(Some("bb"), "r", ""),
            engine(Some("bb"), "r", "nodes=5000"),
            engine(None, "other", ""),
            engine(Some("dd"), "s", ""),
        ];
        engines.iter().for_each(|engine| roster.note(engine));
        roster.note_same("dd", "aa");
        let numbers: Vec<usize> = engines.iter().map(|engine| roster.player(engine)).collect();
        assert_eq!(numbers, [0, 1, 1, 1, 2, 3, 0]);
        assert_eq!(roster.of_commit("bb"), Some(1));
        assert_eq!(roster.of_commit("cc"), None);
        assert_eq!(roster.commits(0), ["aa", "dd"]);
        assert!(roster.commits(2).is_empty(), "with a handicap it is not the commit");
    }
}
