//! Strength over the commits of a repository, from all games of the ledger together.
//!
//! [`collect`] reads who played whom under which conditions, [`players`] finds which of them are the same
//! player, [`harness_stats::strength`] fits, and here the commits are put on one curve.

mod collect;
mod players;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use miette::Diagnostic;
use thiserror::Error;

use self::collect::{Collected, Measured, collect};
use self::players::Roster;
use crate::gate::HistoryError;
use harness_base::failure::Failure;
use harness_ledger::Ledger;
use harness_player::{self as player, Commit};
use harness_report::strength::{
    Apart, ConditionScale, Gain, LeftOut, StrengthCurve, StrengthPoint,
};
use harness_stats::strength::{Comparison, Component, Interval, Strength};
use harness_stats::{Elo, Pentanomial};

/// Why there is no curve.
#[derive(Debug, Error, Diagnostic)]
pub enum StrengthError {
    /// The repository or the ledger cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    History(#[from] HistoryError),
    /// Nothing connects two commits.
    #[error("no games connect two commits of the last {commits}{}", reasons(.left_out))]
    #[diagnostic(help(
        "`harness sprt HEAD main` or `harness match HEAD v1.0` plays some; engines are revisions, since of \
         a program it is not known which commit it is"
    ))]
    Nothing {
        /// Commits looked at.
        commits: usize,
        /// Runs that could not be used.
        left_out: Vec<LeftOut>,
    },
    /// The first revision has no games, or others are connected with it.
    #[error("no game connects {revision} with {newest}")]
    #[diagnostic(help("`harness match {newest} {revision}` plays some; {played}"))]
    NotConnected {
        /// The revision that strengths were to be relative to.
        revision: String,
        /// The newest commit of the largest group.
        newest: String,
        /// Which revisions are connected.
        played: String,
    },
}

impl From<StrengthError> for Failure {
    fn from(error: StrengthError) -> Failure {
        match error {
            StrengthError::History(error) => error.into(),
            error => Failure::Usage(error.into()),
        }
    }
}

fn reasons(left_out: &[LeftOut]) -> String {
    match left_out {
        [] => String::new(),
        [LeftOut { run, reason }, others @ ..] => {
            let more = if others.is_empty() { "" } else { " (and other runs)" };
            format!("; {run}: {reason}{more}")
        }
    }
}

/// The strength of the last `most` commits up to a revision, relative to `since`, or to the oldest one.
///
/// # Errors
/// When the ledger or the repository cannot be read, or no games connect the commits.
pub fn strength(
    reports: &Path,
    revision: &str,
    most: u32,
    since: Option<&str>,
) -> Result<StrengthCurve, StrengthError> {
    let log = player::dated_commits(revision, most).map_err(HistoryError::NoRevision)?;
    let tags = player::tags().map_err(HistoryError::NoRevision)?;
    let since = match since {
        Some(text) => Some((text, player::commit_of(text).map_err(HistoryError::NoRevision)?)),
        None => None,
    };
    let ledger = Ledger::open_to_read(reports).map_err(HistoryError::Ledger)?;
    let collected = collect(&ledger).map_err(HistoryError::Ledger)?;
    let network = Network::new(collected);
    network.curve(&log, &tags, since)
}

/// Players and comparisons, fitted.
struct Network {
    roster: Roster,
    comparisons: Vec<Measured>,
    /// Those without an estimate, with the reason.
    one_sided: Vec<LeftOut>,
    strength: Strength,
    conditions: Vec<String>,
    left_out: Vec<LeftOut>,
}

/// A commit of the log that games connect with others.
struct Placed<'a> {
    commit: &'a Commit,
    date: &'a str,
    player: usize,
}

impl Network {
    fn new(collected: Collected) -> Network {
        let Collected { roster, measured, left_out } = collected;
        let mut conditions: Vec<String> = Vec::new();
        let mut fitted = Vec::new();
        let mut one_sided = Vec::new();
        for one in &measured {
            let condition = conditions.iter().position(|known| *known == one.condition);
            let condition = condition.unwrap_or_else(|| {
                conditions.push(one.condition.clone());
                conditions.len() - 1
            });
            match Elo::from_counts(&one.pairs) {
                Ok(elo) => fitted.push(Comparison {
                    first: one.first,
                    second: one.second,
                    condition,
                    elo,
                    is_test: one.is_test,
                }),
                Err(reason) => one_sided.push(LeftOut {
                    run: one.runs.join(", "),
                    reason: format!(
                        "{} against {}: {reason}, which connects them with a bound alone",
                        roster.name(one.first),
                        roster.name(one.second)
                    ),
                }),
            }
        }
        let strength = Strength::new(roster.len(), &fitted);
        Network { roster, comparisons: measured, one_sided, strength, conditions, left_out }
    }

    /// The commits of the log that were compared, the oldest first.
    fn placed<'a>(&self, log: &'a [(Commit, String)]) -> Vec<Placed<'a>> {
        let placed = log.iter().filter_map(|(commit, date)| {
            let player = self.roster.of_commit(&commit.hash)?;
            self.strength.component(player).map(|_| Placed { commit, date, player })
        });
        placed.collect()
    }

    fn curve(
        self,
        log: &[(Commit, String)],
        tags: &[(String, String)],
        since: Option<(&str, Commit)>,
    ) -> Result<StrengthCurve, StrengthError> {
        let placed = self.placed(log);
        let largest = self.largest(&placed);
        let base = match &since {
            Some((_, commit)) => self.roster.of_commit(&commit.hash),
            None => largest.first().map(|at| placed[*at].player),
        };
        let base = base.filter(|&base| self.strength.component(base).is_some());
        let inside = |at: &usize| {
            base.is_some_and(|base| self.strength.difference(placed[*at].player, base).is_some())
        };
        let on_curve: Vec<usize> = (0..placed.len()).filter(inside).collect();
        let (Some(base), true) = (base, on_curve.len() > usize::from(since.is_none())) else {
            return Err(self.no_curve(log.len(), &placed, &largest, since));
        };
        let component = self.strength.component(base).expect("the base was compared");
        let since = match since {
            Some((text, _)) => text.to_owned(),
            None => named(&placed[on_curve[0]].commit.hash, tags),
        };
        let mut curve = self.described(component, since);
        let newest = on_curve.last().map_or(base, |at| placed[*at].player);
        curve.commits = self.points(&placed, &on_curve, base, tags);
        curve.tags = self.gains(&placed, &on_curve, newest, tags);
        curve.apart = self.apart(&placed, &on_curve, tags);
        Ok(curve)
    }

    /// The commits of the component with most of them: places in the list.
    fn largest(&self, placed: &[Placed<'_>]) -> Vec<usize> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, one) in placed.iter().enumerate() {
            let first = self.strength.component(one.player).map_or(0, |of| of.players[0]);
            groups.entry(first).or_default().push(at);
        }
        // Of several the one with the newest commit.
        groups
            .into_values()
            .max_by_key(|group| (group.len(), group.last().copied()))
            .unwrap_or_default()
    }

    fn no_curve(
        self,
        commits: usize,
        placed: &[Placed<'_>],
        largest: &[usize],
        since: Option<(&str, Commit)>,
    ) -> StrengthError {
        let name = |at: &usize| placed[*at].commit.short().to_owned();
        match (since, largest.last()) {
            (Some((revision, _)), Some(last)) => StrengthError::NotConnected {
                revision: revision.to_owned(),
                newest: name(last),
                played: format!("those from {} on are connected", name(&largest[0])),
            },
            _ => {
                let left_out = [self.left_out, self.one_sided].concat();
                StrengthError::Nothing { commits, left_out }
            }
        }
    }

    /// Origin of the whole component.
    fn described(&self, component: &Component, since: String) -> StrengthCurve {
        let inside = |player: usize| component.players.binary_search(&player).is_ok();
        let counted: Vec<&Measured> =
            self.comparisons.iter().filter(|one| inside(one.first)).collect();
        let runs: BTreeSet<&String> = counted.iter().flat_map(|one| &one.runs).collect();
        let conditions = component.scales.iter().map(|&(number, factor)| ConditionScale {
            condition: self.conditions[number].clone(),
            factor,
        });
        let is_commit = |player: &&usize| !self.roster.commits(**player).is_empty();
        let commits = component.players.iter().filter(is_commit).count();
        StrengthCurve {
            since,
            condition: self.conditions[component.reference].clone(),
            conditions: conditions.collect(),
            changes: component.changes,
            disagreement: component.disagreement,
            games: counted.iter().map(|one| one.games).sum(),
            repeated: counted.iter().map(|one| one.repeated).sum(),
            runs: runs.into_iter().cloned().collect(),
            links: (component.players.len() - commits) as u64,
            left_out: [self.left_out.clone(), self.one_sided.clone()].concat(),
            ..StrengthCurve::default()
        }
    }

    fn points(
        &self,
        placed: &[Placed<'_>],
        on_curve: &[usize],
        base: usize,
        tags: &[(String, String)],
    ) -> Vec<StrengthPoint> {
        let before = std::iter::once(None).chain(on_curve.iter().map(Some));
        let point = |(&at, before): (&usize, Option<&usize>)| {
            let Placed { commit, date, player } = &placed[at];
            let step = before.and_then(|&at| self.strength.difference(*player, placed[at].player));
            let played = |one: &&Measured| one.first == *player || one.second == *player;
            Some(StrengthPoint {
                commit: commit.hash.clone(),
                date: (*date).to_owned(),
                subject: commit.subject.clone(),
                tags: tags_of(&commit.hash, tags),
                elo: self.difference(*player, base)?,
                step: step.filter(|_| before.is_some()),
                games: self.comparisons.iter().filter(played).map(|one| one.games).sum(),
            })
        };
        on_curve.iter().zip(before).filter_map(point).collect()
    }

    /// As the model has it; of a player with itself 0.
    fn difference(&self, first: usize, second: usize) -> Option<Interval> {
        if first == second {
            return Some(Interval { value: 0.0, low95: 0.0, high95: 0.0 });
        }
        self.strength.difference(first, second)
    }

    fn gains(
        &self,
        placed: &[Placed<'_>],
        on_curve: &[usize],
        newest: usize,
        tags: &[(String, String)],
    ) -> Vec<Gain> {
        let of_commit = |at: &usize| {
            let Placed { commit, player, .. } = &placed[*at];
            let gain = self.difference(newest, *player);
            let gain =
                move |tag: String| Some(Gain { tag, commit: commit.hash.clone(), gain: gain? });
            tags_of(&commit.hash, tags).into_iter().filter_map(gain)
        };
        on_curve.iter().flat_map(of_commit).collect()
    }

    /// Commits with games, and tags, that are not on the curve.
    fn apart(
        &self,
        placed: &[Placed<'_>],
        on_curve: &[usize],
        tags: &[(String, String)],
    ) -> Vec<Apart> {
        let others = (0..placed.len()).filter(|at| !on_curve.contains(at)).map(|at| Apart {
            revision: named(&placed[at].commit.hash, tags),
            reason: "no game connects it with the curve".to_owned(),
        });
        let is_placed = |hash: &String| placed.iter().any(|one| one.commit.hash == *hash);
        let without = tags.iter().filter(|(_, hash)| !is_placed(hash)).map(|(tag, _)| Apart {
            revision: tag.clone(),
            reason: format!("no game of it is known; `harness match HEAD {tag}` plays some"),
        });
        others.chain(without).collect()
    }
}

fn tags_of(commit: &str, tags: &[(String, String)]) -> Vec<String> {
    tags.iter().filter(|(_, hash)| hash == commit).map(|(tag, _)| tag.clone()).collect()
}

/// A tag of a commit, or its first digits.
fn named(commit: &str, tags: &[(String, String)]) -> String {
    tags_of(commit, tags).into_iter().next().unwrap_or_else(|| commit.chars().take(8).collect())
}

/// Pairs under one condition of two players.
fn turned(pairs: Pentanomial, reversed: bool) -> Pentanomial {
    if reversed { pairs.reversed() } else { pairs }
}
