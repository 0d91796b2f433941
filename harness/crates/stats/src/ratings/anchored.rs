//! Ratings on the scale of players whose strength is stated.

use super::connected;
use super::fit::Dispersion;
use super::games::{ELO, Expected, Meeting, MeetingCounts};
use super::matrix::Symmetric;
use super::{Elo, Unrated, newton, one_sided, reason, with_deviation};

/// Standard deviation of the prior of the logarithm of the stretch, whose mean is 0.
const STRETCH_DEVIATION: f64 = 0.5;

/// Ratings on the scale of anchors: players whose strength is stated.
///
/// The model is that of [`Ratings`](super::Ratings), with one parameter more, the `stretch`: versions
/// of one engine that differ in their nodes alone are further apart in games with each other than in
/// games with others. Between two players that are no anchors, d Elo on the scale of the anchors are
/// worth the stretch times d. It is found where players meet both kinds of opponents, and continues
/// the scale to players that no anchor is near. A normal prior of its logarithm keeps it near 1
/// where the games say little, and above 0: a stretch of 0 would explain games between players that
/// are infinitely far apart. Fitted by Fisher scoring with a line search.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchored {
    /// Each player's, on the scale of the anchors; those of anchors are as stated, without an error.
    pub players: Vec<Result<Elo, Unrated>>,
    /// Elo in games of two players that are no anchors that are worth one Elo of the scale; `None`
    /// (and 1 in the model) where there are no such games.
    pub stretch: Option<Elo>,
    /// As in [`Ratings`](super::Ratings).
    pub dispersion: f64,
    design: Design,
    /// Ratings of the columns in logits, then the logarithm of the stretch.
    values: Vec<f64>,
}

impl Anchored {
    /// Rates players; `stated[i]` is the strength of player i if it is an anchor, in Elo. Meetings of
    /// a player with itself, beyond the players, or of two anchors are left out.
    pub fn from_meetings(stated: &[Option<f64>], meetings: &[Meeting]) -> Anchored {
        let valid = |meeting: &&Meeting| {
            let first = meeting.first;
            let second = meeting.second;
            first.max(second) < stated.len() && first != second
        };
        let games: Vec<MeetingCounts> =
            meetings.iter().filter(valid).map(MeetingCounts::from).collect();
        let linked = linked(stated, &games);
        let informs = |games: &&MeetingCounts| {
            games.count > 0.0
                && linked[games.first]
                && linked[games.second]
                && (stated[games.first].is_none() || stated[games.second].is_none())
        };
        let inside: Vec<MeetingCounts> = games.iter().filter(informs).copied().collect();
        let are_kin =
            |games: &MeetingCounts| stated[games.first].is_none() && stated[games.second].is_none();
        let design = Design::new(stated, &linked, inside.iter().any(are_kin));
        let fit = design.fit(&inside);
        let players = (0..stated.len()).map(|player| match (stated[player], &fit) {
            (Some(elo), _) => Ok(with_deviation(elo, 0.0, None)),
            (None, Some(fit)) if linked[player] => Ok(design.rating(player, fit)),
            _ => Err(reason(player, &games, |won| {
                // Games with players that are no anchors may be stretched.
                let rating = |other: usize| stated[other].map(|_| design.stated[other]);
                let bound = one_sided::bound(player, won, &games, rating, 0.0)?;
                Some(design.average + ELO * bound.at)
            })),
        });
        Anchored {
            players: players.collect(),
            stretch: fit.as_ref().and_then(|fit| design.stretch(fit)),
            dispersion: fit.as_ref().map_or(1.0, |fit| fit.dispersion.pearson),
            values: fit.map(|fit| fit.values).unwrap_or_default(),
            design,
        }
    }

    /// The expected score of a player against another; `None` unless both have a rating.
    pub fn expected(&self, first: usize, second: usize) -> Option<f64> {
        let rated = |player: usize| self.players.get(player).is_some_and(Result::is_ok);
        let known = rated(first) && rated(second) && !self.values.is_empty();
        known.then(|| self.design.expected(first, second, &self.values).score())
    }
}

/// Players with a chain of points won and lost to the anchors, which count as one.
fn linked(stated: &[Option<f64>], games: &[MeetingCounts]) -> Vec<bool> {
    let Some(hub) = stated.iter().position(Option::is_some) else {
        return vec![false; stated.len()];
    };
    let merged = |player: usize| if stated[player].is_some() { hub } else { player };
    let merge = |games: &MeetingCounts| MeetingCounts {
        first: merged(games.first),
        second: merged(games.second),
        ..*games
    };
    let games: Vec<MeetingCounts> =
        games.iter().map(merge).filter(|games| games.first != games.second).collect();
    let group = connected::component_of(hub, stated.len(), &games);
    stated.iter().zip(group).map(|(stated, inside)| inside || stated.is_some()).collect()
}

/// The columns of the regression: a rating a player that is no anchor, then the logarithm of the
/// stretch.
#[derive(Clone, Debug, PartialEq)]
struct Design {
    /// The column of a player.
    columns: Vec<Option<usize>>,
    /// Of anchors: stated strength above the average, in logits.
    stated: Vec<f64>,
    /// Average of the anchors in Elo.
    average: f64,
    /// The column of the stretch, if it is estimated.
    stretch: Option<usize>,
    count: usize,
}

struct AnchoredFit {
    values: Vec<f64>,
    /// Of the values, with the dispersion.
    covariance: Symmetric,
    dispersion: Dispersion,
}

impl Design {
    fn new(stated: &[Option<f64>], linked: &[bool], stretches: bool) -> Design {
        let known: Vec<f64> = stated.iter().copied().flatten().collect();
        let average = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let mut count = 0;
        let mut column = |is_one: bool| {
            count += usize::from(is_one);
            is_one.then(|| count - 1)
        };
        let players = stated.iter().zip(linked);
        let columns: Vec<Option<usize>> =
            players.map(|(stated, &linked)| column(stated.is_none() && linked)).collect();
        let stretch = column(stretches);
        let logits = |elo: &Option<f64>| elo.map_or(0.0, |elo| (elo - average) / ELO);
        let stated = stated.iter().map(logits).collect();
        Design { columns, stated, average, stretch, count }
    }

    fn logit(&self, player: usize, values: &[f64]) -> f64 {
        self.columns[player].map_or(self.stated[player], |column| values[column])
    }

    /// The factor of a difference in rating between two players.
    fn factor(&self, first: usize, second: usize, values: &[f64]) -> f64 {
        match self.stretch {
            Some(column) if self.are_kin(first, second) => values[column].exp(),
            _ => 1.0,
        }
    }

    fn are_kin(&self, first: usize, second: usize) -> bool {
        self.columns[first].is_some() && self.columns[second].is_some()
    }

    fn expected(&self, first: usize, second: usize, values: &[f64]) -> Expected {
        let apart = self.logit(first, values) - self.logit(second, values);
        Expected::at(self.factor(first, second, values) * apart)
    }

    fn log_likelihood(&self, games: &[MeetingCounts], values: &[f64]) -> f64 {
        let of = |games: &MeetingCounts| {
            let expected = self.expected(games.first, games.second, values);
            let lost = games.count - games.points;
            games.points * expected.score().ln() + lost * expected.loss().ln()
        };
        games.iter().map(of).sum::<f64>() + self.prior(values).0
    }

    /// The logarithm of the prior's density, and its first derivative.
    fn prior(&self, values: &[f64]) -> (f64, f64) {
        let Some(column) = self.stretch else { return (0.0, 0.0) };
        let log_stretch = values[column];
        let precision = STRETCH_DEVIATION.powi(-2);
        (-0.5 * precision * log_stretch * log_stretch, -precision * log_stretch)
    }

    /// Derivatives of the distance of two players in logits, by column.
    fn effects(&self, games: &MeetingCounts, values: &[f64]) -> Vec<(usize, f64)> {
        let first = games.first;
        let second = games.second;
        let factor = self.factor(first, second, values);
        let ratings = [(first, factor), (second, -factor)];
        let ratings = ratings
            .into_iter()
            .filter_map(|(player, effect)| Some((self.columns[player]?, effect)));
        let apart = self.logit(first, values) - self.logit(second, values);
        let stretch = self.stretch.filter(|_| self.are_kin(first, second));
        ratings.chain(stretch.map(|column| (column, factor * apart))).collect()
    }

    /// Gradient of the log-likelihood, and the Fisher information; both with the prior.
    fn derivatives(&self, games: &[MeetingCounts], values: &[f64]) -> (Vec<f64>, Symmetric) {
        let mut gradient = vec![0.0; self.count];
        let mut information = Symmetric::zero(self.count);
        if let Some(column) = self.stretch {
            gradient[column] += self.prior(values).1;
            information.add(column, column, STRETCH_DEVIATION.powi(-2));
        }
        for games in games {
            let expected = self.expected(games.first, games.second, values);
            let weight = games.count * expected.variance();
            let effects = self.effects(games, values);
            for &(i, effect) in &effects {
                gradient[i] += effect * games.residual(expected);
                for &(j, other) in effects.iter().filter(|(j, _)| *j <= i) {
                    information.add(i, j, weight * effect * other);
                }
            }
        }
        (gradient, information)
    }

    /// `None` where the games do not determine the values.
    fn fit(&self, games: &[MeetingCounts]) -> Option<AnchoredFit> {
        if self.count == 0 || games.is_empty() {
            return None;
        }
        let values = newton::maximise(
            self.start(),
            |values| self.log_likelihood(games, values),
            |values| self.derivatives(games, values),
        )?;
        let expected = |games: &MeetingCounts| self.expected(games.first, games.second, &values);
        let dispersion = Dispersion::estimate(games, self.count, expected);
        let (_, information) = self.derivatives(games, &values);
        let mut covariance = information.factor()?.inverse();
        for i in 0..self.count {
            for j in 0..=i {
                covariance.set(i, j, covariance.at(i, j) * dispersion.regularised);
            }
        }
        Some(AnchoredFit { values, covariance, dispersion })
    }

    /// Where the fit starts: in the order of the players, since equal ratings would leave the stretch
    /// undetermined.
    fn start(&self) -> Vec<f64> {
        let mut values: Vec<f64> = (0..self.count).map(|column| 0.1 * column as f64).collect();
        self.stretch.into_iter().for_each(|column| values[column] = 0.0);
        values
    }

    fn rating(&self, player: usize, fit: &AnchoredFit) -> Elo {
        let value = self.average + ELO * self.logit(player, &fit.values);
        let variance = self.columns[player].map_or(0.0, |column| fit.covariance.at(column, column));
        with_deviation(value, ELO * variance.max(0.0).sqrt(), fit.dispersion.degrees)
    }

    fn stretch(&self, fit: &AnchoredFit) -> Option<Elo> {
        let column = self.stretch?;
        let deviation = fit.covariance.at(column, column).max(0.0).sqrt();
        let Elo { value, low95, high95, method, .. } =
            with_deviation(fit.values[column], deviation, fit.dispersion.degrees);
        let [value, low95, high95] = [value, low95, high95].map(f64::exp);
        Some(Elo { value, error95: (high95 - low95) / 2.0, low95, high95, method })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::counts::{Pentanomial, Wdl};
    use super::super::games::Results;
    use super::*;

    fn games(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Meeting {
        Meeting { first, second, results: Results::White(Wdl { wins, draws, losses }) }
    }

    #[test]
    fn without_games_to_find_a_stretch_ratings_are_the_usual_ones_shifted() {
        let meetings = [games(0, 1, 30, 20, 10), games(1, 2, 25, 25, 14)];
        let free = super::super::Ratings::from_meetings(
            3,
            &meetings,
            super::super::WhiteAdvantage::Ignored,
        );
        let fixed = Anchored::from_meetings(&[None, Some(2000.0), None], &meetings);
        assert_eq!(fixed.stretch, None);
        for player in [0, 2] {
            let apart = free.difference(player, 1).expect("linked");
            let rating = fixed.players[player].expect("linked");
            assert!((rating.value - 2000.0 - apart.value).abs() < 1e-6, "{rating} {apart}");
            assert!((rating.error95 / apart.error95 - 1.0).abs() < 1e-6, "{rating} {apart}");
        }
    }

    #[test]
    fn the_stretch_is_found_and_continues_the_scale() {
        // Expected scores without noise; 0, 1 and 2 are versions of one engine.
        let (stated, truth) = (
            [None, None, None, Some(1500.0), Some(1700.0)],
            [1200.0, 1450.0, 1750.0, 1500.0, 1700.0],
        );
        let meetings: Vec<Meeting> = [(0, 1), (1, 2), (1, 3), (2, 3), (2, 4)]
            .map(|(first, second)| {
                let stretch = if second < 3 { 1.5 } else { 1.0 };
                let apart: f64 = stretch * (truth[first] - truth[second]);
                let wins = (1e6 / (1.0 + 10f64.powf(-apart / 400.0))).round() as u64;
                games(first, second, wins, 0, 1_000_000 - wins)
            })
            .into();
        let ratings = Anchored::from_meetings(&stated, &meetings);
        let stretch = ratings.stretch.expect("it is determined");
        assert!((stretch.value - 1.5).abs() < 1e-2 && stretch.error95 < 0.05, "{stretch}");
        for (player, elo) in truth.into_iter().enumerate() {
            let rating = ratings.players[player].expect("linked");
            assert!((rating.value - elo).abs() < 1.0, "{player}: {rating}");
        }
        let expected = ratings.expected(1, 0).expect("rated");
        let apart: f64 = 1.5 * 250.0;
        assert!((expected - 1.0 / (1.0 + 10f64.powf(-apart / 400.0))).abs() < 1e-3, "{expected}");
    }

    #[test]
    fn errors_are_those_of_repeated_matches() {
        use rand::Rng;
        let mut rng = crate::random::stream("anchored", 1, 0);
        let stated = [None, Some(1400.0), Some(1600.0)];
        let truth = [1450.0, 1400.0, 1600.0];
        let mut inside = 0;
        for _ in 0..300 {
            let meetings = [(0, 1), (0, 2), (1, 2)].map(|(first, second)| {
                let score: f64 = 1.0 / (1.0 + 10f64.powf((truth[second] - truth[first]) / 400.0));
                let mut pairs = Pentanomial::default();
                for _ in 0..200 {
                    let won = (0..2).filter(|_| rng.random::<f64>() < score).count();
                    pairs.0[2 * won] += 1;
                }
                Meeting { first, second, results: Results::Pairs(pairs) }
            });
            let rating = Anchored::from_meetings(&stated, &meetings).players[0].expect("linked");
            inside += usize::from((rating.value - truth[0]).abs() <= rating.error95);
        }
        // 95 % of 300, with three standard deviations.
        assert!((274..=296).contains(&inside), "{inside} of 300");
    }

    #[test]
    fn a_stretch_stays_above_zero_where_results_contradict_each_other() {
        // 1 is even with 0, which is even with the anchor, and wins every game against the anchor;
        // or is weaker than 0, although it is the stronger one against the anchor.
        let stated = [None, None, Some(1500.0)];
        for (wins, others) in [(10, [5, 5]), (40, [20, 20]), (10, [1, 9]), (400, [30, 370])] {
            let meetings = [
                games(0, 2, wins, 0, wins),
                games(1, 2, 2 * wins, 0, 0),
                games(1, 0, others[0], 0, others[1]),
            ];
            let ratings = Anchored::from_meetings(&stated, &meetings);
            let stretch = ratings.stretch.expect("it is determined");
            assert!(stretch.low95 > 0.0 && stretch.high95 < 1e4, "{wins}: {stretch:?}");
            for player in [0, 1] {
                let Elo { value, error95, .. } = ratings.players[player].expect("linked");
                assert!((value - 1500.0).abs() < 2_000.0, "{wins}, {player}: {value}");
                assert!(error95 > 10.0 && error95 < 5_000.0, "{wins}, {player}: {error95}");
            }
        }
    }

    #[test]
    fn who_is_not_linked_with_the_anchors_has_no_rating() {
        let stated = [Some(1500.0), None, None, Some(1600.0), None];
        let meetings = [games(0, 1, 5, 2, 5), games(2, 1, 9, 0, 0), games(0, 3, 4, 0, 9)];
        let ratings = Anchored::from_meetings(&stated, &meetings);
        assert!(ratings.players[1].is_ok());
        assert_eq!(ratings.players[2], Err(Unrated::AllWon { above: None }));
        assert_eq!(ratings.players[4], Err(Unrated::NoGames));
        // Ten of ten against 1600, and the prior: the 5 % quantile of a beta distribution with
        // parameters 15 and 5 is 0.5809.
        let ratings = Anchored::from_meetings(&[Some(1600.0), None], &[games(1, 0, 10, 0, 0)]);
        let Err(Unrated::AllWon { above: Some(above) }) = ratings.players[1] else {
            panic!("{ratings:?}");
        };
        assert!((above - 1600.0 - 56.7).abs() < 4.0, "{above}");
        assert_eq!(Anchored::from_meetings(&[None], &[]).players, [Err(Unrated::NoGames)]);
    }
}
