//! Facets of games, with counts.

use std::collections::HashMap;

use serde::Serialize;

use super::row::Packed;
use harness_games::eco::openings;

/// A value of a filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The value: a name of a player, the key of a termination.
    pub name: String,
    /// Games with it.
    pub games: u64,
}

/// An opening of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpeningFacet {
    /// Its code.
    pub eco: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Games with it.
    pub games: u64,
}

/// The values of the filters, each list by the number of games, the most first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facets {
    /// Games in all.
    pub games: u64,
    /// Games that the first engine lost, drew and won.
    pub outcomes: [u64; 3],
    /// Players, with either colour.
    pub players: Vec<Facet>,
    /// Keys of terminations.
    pub endings: Vec<Facet>,
    /// Openings with a name.
    pub openings: Vec<OpeningFacet>,
}

/// Counts of the numbers of packed rows.
#[derive(Debug, Default)]
pub struct Counts {
    games: u64,
    outcomes: [u64; 3],
    players: HashMap<u32, u64>,
    endings: HashMap<u32, u64>,
    /// By number.
    openings: Vec<u64>,
}

impl Counts {
    /// Counts games.
    pub fn add(&mut self, rows: &[Packed]) {
        self.games += rows.len() as u64;
        self.openings.resize(usize::from(u16::MAX) + 1, 0);
        for row in rows {
            if let Some(outcome) = self.outcomes.get_mut(usize::from(row.first_half_points)) {
                *outcome += 1;
            }
            self.openings[usize::from(row.opening)] += 1;
        }
        // Neighbours are mostly alike: they are counted together.
        for row in rows.chunk_by(|a, b| a.ending == b.ending) {
            *self.endings.entry(row[0].ending).or_default() += row.len() as u64;
        }
        let names = |row: &Packed| (row.white.min(row.black), row.white.max(row.black));
        for row in rows.chunk_by(|a, b| names(a) == names(b)) {
            let (one, other) = names(&row[0]);
            *self.players.entry(one).or_default() += row.len() as u64;
            if one != other {
                *self.players.entry(other).or_default() += row.len() as u64;
            }
        }
    }

    /// The facets; `name` gives the name of a number.
    pub fn facets<E>(self, name: impl Fn(u32) -> Result<String, E>) -> Result<Facets, E> {
        let named = |counts: HashMap<u32, u64>| -> Result<Vec<Facet>, E> {
            let facets = counts.into_iter();
            let facets = facets.map(|(number, games)| Ok(Facet { name: name(number)?, games }));
            let mut facets: Vec<Facet> = facets.collect::<Result<_, E>>()?;
            facets.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
            Ok(facets)
        };
        let counts = self.openings.iter().skip(1);
        let mut found: Vec<OpeningFacet> = openings()
            .names()
            .iter()
            .zip(counts)
            .filter(|(_, games)| **games > 0)
            .map(|(named, &games)| OpeningFacet { eco: named.eco, name: named.name, games })
            .collect();
        found.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(b.name)));
        Ok(Facets {
            games: self.games,
            outcomes: self.outcomes,
            players: named(self.players)?,
            endings: named(self.endings)?,
            openings: found,
        })
    }
}
