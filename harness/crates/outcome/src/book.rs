//! The rating of opening books: what their openings decide between two engines.

use serde::{Deserialize, Serialize};

use harness_stats::book::{BookCounts, DecidedShares, Sensitivity};
use harness_stats::strength::Interval;

/// The books of a run, as `--json` prints them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookReport {
    /// The id of the run.
    pub run: String,
    /// The engines, the one that should be stronger first.
    pub engines: [String; 2],
    /// Their limits.
    pub limits: [String; 2],
    /// An opening is dead if its share of decided pairs is below this part of its book's.
    pub dead_below: f64,
    /// The books in the order in which they were named.
    pub books: Vec<RatedBook>,
    /// Games played.
    pub games: u64,
    /// Warnings of the matches.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedBook {
    /// Its file, or what comes with the harness.
    pub book: String,
    /// The matches that played it.
    pub runs: Vec<String>,
    /// Openings played.
    pub openings: u64,
    /// Games played.
    pub games: u64,
    /// Pairs by what they decided.
    #[serde(flatten)]
    pub counts: BookCounts,
    /// Share of games drawn.
    pub draw_rate: Option<f64>,
    /// Share of pairs that ended 1 : 1.
    pub equal_share: Option<f64>,
    /// Normalized Elo of a game and of a pair; `None` where the engines are level or every pair ended alike.
    pub sensitivity: Option<Sensitivity>,
    /// Games that it needs for the answer for which the best of these books needs one; of the best 1.
    pub games_over_best: Option<Interval>,
    /// The distribution of the share of decided pairs over its openings.
    pub shares: Option<DecidedShares>,
    /// Number of dead openings.
    pub dead: u64,
    /// Each opening, in the order of playing.
    pub each: Vec<RatedOpening>,
}

/// An opening of a book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedOpening {
    /// The position after its moves, as FEN.
    pub fen: String,
    /// Pairs played.
    pub pairs: u64,
    /// Pairs that one of the engines won.
    pub decided: u64,
    /// Pairs of which both games were drawn.
    pub both_drawn: u64,
    /// Pairs of which one colour won both games.
    pub one_colour: u64,
    /// Its share of decided pairs, shrunk towards that of the book.
    pub share: Interval,
    /// Whether it is dead.
    pub dead: bool,
}

/// The pairs of an opening.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedOpening {
    /// The position after its moves, as FEN.
    pub fen: String,
    /// Its pairs.
    pub counts: BookCounts,
}

impl RatedBook {
    /// Rates a book by the pairs of its openings.
    pub fn new(
        book: String,
        runs: Vec<String>,
        played: &[PlayedOpening],
        dead_below: f64,
    ) -> RatedBook {
        let mut counts = BookCounts::default();
        played.iter().for_each(|opening| counts.add(&opening.counts));
        let pairs: Vec<(u64, u64)> = played
            .iter()
            .map(|PlayedOpening { counts, .. }| (counts.decided(), counts.pairs.pairs()))
            .collect();
        let shares = DecidedShares::fit(&pairs);
        let rated = |opening: &PlayedOpening| {
            let PlayedOpening { fen, counts } = opening;
            let shares = shares?;
            let (decided, pairs) = (counts.decided(), counts.pairs.pairs());
            let share = shares.of(decided, pairs);
            Some(RatedOpening {
                fen: fen.clone(),
                pairs,
                decided,
                both_drawn: counts.both_drawn,
                one_colour: counts.white_both + counts.black_both,
                share,
                dead: share.value < dead_below * shares.mean,
            })
        };
        let each: Vec<RatedOpening> = played.iter().filter_map(rated).collect();
        RatedBook {
            book,
            runs,
            openings: played.iter().filter(|one| one.counts.pairs.pairs() > 0).count() as u64,
            games: counts.pairs.games(),
            draw_rate: counts.draw_rate(),
            equal_share: counts.equal_share(),
            sensitivity: Sensitivity::from_pairs(&counts.pairs),
            games_over_best: None,
            shares,
            dead: each.iter().filter(|opening| opening.dead).count() as u64,
            each,
            counts,
        }
    }
}

/// Compares the books with the best of them: that with the largest normalized Elo. Those in which the first
/// engine was not the stronger one have no ratio.
pub fn compare(books: &mut [RatedBook]) {
    let value = |book: &RatedBook| book.sensitivity.map(|of| of.t_of_pair).filter(|t| *t > 0.0);
    let best = books
        .iter()
        .filter(|book| value(book).is_some())
        .max_by(|a, b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)));
    let Some(best) = best.and_then(|best| Some((best.book.clone(), best.sensitivity?))) else {
        return;
    };
    for book in books {
        let known = book.sensitivity.filter(|of| of.t_of_pair > 0.0);
        let one = Interval { value: 1.0, low95: 1.0, high95: 1.0 };
        book.games_over_best =
            known.map(|own| if book.book == best.0 { one } else { own.games_over(&best.1) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_stats::GameScore::{Draw, Loss, Win};

    fn opening(
        fen: &str,
        games: &[(harness_stats::GameScore, harness_stats::GameScore)],
    ) -> PlayedOpening {
        let mut counts = BookCounts::default();
        games.iter().for_each(|(white, black)| counts.add_pair(*white, *black));
        PlayedOpening { fen: fen.to_owned(), counts }
    }

    #[test]
    fn dead_openings_are_those_far_below_their_book_and_books_are_compared_with_the_best() {
        let sharp: Vec<PlayedOpening> = (0..40)
            .map(|number| match number % 4 {
                0 => opening("dead", &[(Draw, Draw); 12]),
                1 => opening("white", &[(Win, Loss); 12]),
                _ => opening("live", &[(Win, Draw), (Win, Win), (Draw, Draw)].repeat(4)),
            })
            .collect();
        let mut books = vec![
            RatedBook::new("dull".into(), Vec::new(), &sharp, 0.5),
            RatedBook::new("sharp".into(), Vec::new(), &sharp[2..4], 0.5),
        ];
        compare(&mut books);
        assert_eq!((books[0].openings, books[0].dead), (40, 20), "{:?}", books[0].shares);
        assert!(books[0].each.iter().all(|one| one.dead == (one.fen != "live")));
        assert_eq!(books[1].games_over_best.map(|over| over.value), Some(1.0));
        let over = books[0].games_over_best.expect("both are known");
        assert!(over.value > 1.5 && over.low95 < over.value, "{over:?}");
        let mut level = vec![RatedBook::new("none".into(), Vec::new(), &[], 0.5)];
        compare(&mut level);
        assert_eq!((level[0].games_over_best, level[0].draw_rate), (None, None));
    }
}
