//! Filters that select the positions of a training set.

use std::fmt;

use super::config::{Rule, within};
use super::record::Record;
pub use harness_outcome::positions::Reason;
use harness_player::Score;
use harness_stats::{GameScore, logistic};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whose scores are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Positions in which the side to move won the game.
    Winner,
    /// The same, and all positions of drawn games.
    #[serde(alias = "winner-and-draws")]
    WinnerAndDraws,
    /// Positions of both sides.
    #[default]
    All,
}

/// Filters of a training set: of `data view`, of what runs collect, of every data set. In YAML a
/// value of [`Keep`] alone stands for the default filters with that value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, remote = "Self")]
pub struct Filters {
    /// Whose scores.
    pub keep: Keep,
    /// Drop positions before this ply.
    pub min_ply: u32,
    /// Drop scores beyond this many centipawns; mates always.
    pub max_score: i32,
    /// Keep one position in N, selected by its hash key.
    #[serde(alias = "every")]
    pub one_in: u32,
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions whose best move captures or promotes.
    pub tactical: bool,
    /// Drop positions that were searched less deep.
    pub min_depth: u32,
    /// Keep positions without a score.
    pub unscored: bool,
    /// Drop positions with fewer pieces, kings included.
    pub min_pieces: u32,
    /// Drop positions with more pieces.
    pub max_pieces: u32,
    /// Keep a position with the likelihood that its score leads to the result of its game, against that of
    /// the likeliest result.
    pub likely: bool,
}

/// Centipawns at which a win and a draw are equally likely, and those of a logit around it: by the games of
/// this engine, whose results follow the sigmoid of their scores with 235 centipawns a logit.
const DRAW_MARGIN: f64 = 150.0;
const DRAW_LOGIT: f64 = 130.0;

impl Default for Filters {
    fn default() -> Filters {
        Filters {
            keep: Keep::All,
            min_ply: 16,
            max_score: 2_000,
            one_in: 1,
            checks: false,
            tactical: false,
            min_depth: 0,
            unscored: false,
            min_pieces: 2,
            max_pieces: 32,
            likely: false,
        }
    }
}

impl Serialize for Filters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Filters::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Filters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Filters, D::Error> {
        deserializer.deserialize_any(NameOrMapping)
    }
}

struct NameOrMapping;

impl<'de> Visitor<'de> for NameOrMapping {
    type Value = Filters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`winner`, `winner_and_draws`, `all`, or filters by name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Filters, E> {
        let keep = Keep::deserialize(name.into_deserializer())?;
        Ok(Filters { keep, ..Filters::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Filters, A::Error> {
        Filters::deserialize(MapAccessDeserializer::new(map))
    }
}

impl Filters {
    /// Bounds of its numbers.
    pub fn rules(&self) -> [Rule; 4] {
        [
            within("min_pieces", self.min_pieces.into(), 0.0, self.max_pieces.into()),
            within("max_pieces", self.max_pieces.into(), 2.0, 32.0),
            within("one_in", self.one_in.into(), 1.0, 1e9),
            within("max_score", self.max_score.into(), 1.0, 32_000.0),
        ]
    }

    /// Why a position is not kept; `None` if it is. An unknown ply or best move passes its filter.
    pub fn refuse(&self, record: &Record) -> Option<Reason> {
        let Some(result) = record.result else { return Some(Reason::NoResult) };
        if record.score.is_none() && !self.unscored {
            return Some(Reason::NoScore);
        }
        let position = &record.position;
        let won = result.seen_from(position.side());
        let wanted = match self.keep {
            Keep::Winner => won == GameScore::Win,
            Keep::WinnerAndDraws => won >= GameScore::Draw,
            Keep::All => true,
        };
        let tactical = record
            .played
            .is_some_and(|played| position.is_capture(played) || played.promotion().is_some());
        let decided = match record.score {
            Some(Score::Centipawns(score)) => score.abs() > self.max_score,
            Some(Score::Mate(_)) => true,
            None => false,
        };
        let reasons = [
            (!wanted, Reason::OtherSide),
            (record.ply.is_some_and(|ply| u32::from(ply) < self.min_ply), Reason::Early),
            (!self.checks && position.in_check(), Reason::Check),
            (!self.tactical && tactical, Reason::Tactical),
            (decided, Reason::Decided),
            (u32::from(record.depth) < self.min_depth, Reason::Shallow),
            (!self.has_pieces(record), Reason::Pieces),
            (self.likely && !is_likely(record), Reason::Unlikely),
            (!self.chosen(record), Reason::Thinned),
        ];
        reasons.into_iter().find_map(|(refused, reason)| refused.then_some(reason))
    }

    /// Whether the number of pieces is within the bounds.
    fn has_pieces(&self, record: &Record) -> bool {
        let pieces = record.position.occupied().count() as u32;
        (self.min_pieces..=self.max_pieces).contains(&pieces)
    }

    /// Whether `one_in` selects a position; depends on its hash key only.
    fn chosen(&self, record: &Record) -> bool {
        self.one_in <= 1 || record.position.key().is_multiple_of(u64::from(self.one_in))
    }
}

/// Whether a position is kept by the likelihood of its game's result, which its hash key decides. One without a
/// score or a result is.
fn is_likely(record: &Record) -> bool {
    let (Some(score), Some(result)) = (record.number(), record.result) else { return true };
    let of = |score: f64| logistic((score - DRAW_MARGIN) / DRAW_LOGIT);
    let (win, loss) = (of(f64::from(score)), of(-f64::from(score)));
    let draw = (1.0 - win - loss).max(0.0);
    let likelihood = match result {
        GameScore::Win => win,
        GameScore::Draw => draw,
        GameScore::Loss => loss,
    };
    // The low bits of the key choose in `one_in`.
    let chance = (record.position.key() >> 11) as f64 / (1_u64 << 53) as f64;
    chance < likelihood / win.max(draw).max(loss)
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;

    const OPEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

    fn record(fen: &str, played: &str) -> Record {
        let position = Position::from_fen(fen).expect("legal");
        Record {
            score: Some(Score::Centipawns(31)),
            result: Some(GameScore::Win),
            played: Some(position.parse_uci(played, false).expect("legal")),
            ply: Some(20),
            depth: 9,
            ..Record::bare(position, 1)
        }
    }

    #[test]
    fn each_filter_refuses_what_it_is_for() {
        let filters = Filters { keep: Keep::Winner, min_depth: 5, ..Filters::default() };
        let refused = |change: fn(&mut Record)| {
            let mut record = record(OPEN, "f1b5");
            change(&mut record);
            filters.refuse(&record)
        };
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|record| record.result = None), Some(Reason::NoResult));
        assert_eq!(refused(|record| record.score = None), Some(Reason::NoScore));
        assert_eq!(
            refused(|record| record.result = Some(GameScore::Draw)),
            Some(Reason::OtherSide)
        );
        assert_eq!(refused(|record| record.ply = Some(15)), Some(Reason::Early));
        assert_eq!(refused(|record| record.ply = None), None);
        let beyond = |record: &mut Record| record.score = Some(Score::Centipawns(-2001));
        assert_eq!(refused(beyond), Some(Reason::Decided));
        assert_eq!(refused(|record| record.score = Some(Score::Mate(3))), Some(Reason::Decided));
        assert_eq!(refused(|record| record.depth = 4), Some(Reason::Shallow));
        assert_eq!(filters.refuse(&record(OPEN, "f3e5")), Some(Reason::Tactical));
        let check = "rnb1kbnr/pppp1ppp/8/4p3/5P1q/8/PPPPP1PP/RNBQKBNR w KQkq - 1 3";
        assert_eq!(filters.refuse(&record(check, "g2g3")), Some(Reason::Check));
        let few = Filters { max_pieces: 31, ..Filters::default() };
        assert_eq!(few.refuse(&record(OPEN, "f1b5")), Some(Reason::Pieces));
        let many = Filters { min_pieces: 32, ..Filters::default() };
        assert_eq!(many.refuse(&record(OPEN, "f1b5")), None);
    }

    #[test]
    fn results_that_the_score_makes_unlikely_are_rarely_kept() {
        let filters = Filters { likely: true, min_ply: 0, ..Filters::default() };
        let kept = |score: i32, result: GameScore| {
            let mut position = Position::startpos();
            let mut kept = 0;
            for number in 0..400 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    position = Position::startpos();
                    continue;
                }
                position.play(moves[(number * 7) % moves.len()]);
                let (score, result) = (Some(Score::Centipawns(score)), Some(result));
                let record = Record { score, result, ..Record::bare(position, 1) };
                kept += usize::from(is_likely(&record) && filters.likely);
            }
            kept
        };
        assert!(kept(800, GameScore::Win) > 390 && kept(800, GameScore::Loss) < 10);
        assert!(kept(-800, GameScore::Loss) > 390 && kept(-800, GameScore::Win) < 10);
        assert!(kept(0, GameScore::Draw) > 390);
        let won = kept(0, GameScore::Win);
        assert!((80..300).contains(&won), "{won}");
    }

    #[test]
    fn filters_are_written_by_name_or_by_one_word_everywhere() {
        let read = |text: &str| serde_yaml::from_str::<Filters>(text);
        let usual = Filters::default();
        for (text, filters) in [
            ("{}", usual),
            ("winner", Filters { keep: Keep::Winner, ..usual }),
            ("winner-and-draws", Filters { keep: Keep::WinnerAndDraws, ..usual }),
            ("{ keep: winner_and_draws }", Filters { keep: Keep::WinnerAndDraws, ..usual }),
            ("{ one_in: 3, min_ply: 8 }", Filters { one_in: 3, min_ply: 8, ..usual }),
            // The key of older files.
            ("{ every: 3 }", Filters { one_in: 3, ..usual }),
        ] {
            assert_eq!(read(text).expect(text), filters, "{text}");
        }
        for text in ["losers", "{ keep: losers }", "{ one_off: 3 }", "3", "[winner]"] {
            assert!(read(text).is_err(), "{text}");
        }
        let json = serde_json::to_value(usual).expect("plain data");
        assert_eq!(serde_json::from_value::<Filters>(json).expect("as written"), usual);
    }

    #[test]
    fn draws_and_losers_are_kept_where_they_are_asked_for() {
        for (keep, kept) in [
            (Keep::Winner, [false, false, true]),
            (Keep::WinnerAndDraws, [false, true, true]),
            (Keep::All, [true, true, true]),
        ] {
            let filters = Filters { keep, ..Filters::default() };
            let of = |result| Record { result: Some(result), ..record(OPEN, "f1b5") };
            let found = GameScore::ALL.map(|result| filters.refuse(&of(result)).is_none());
            assert_eq!(found, kept, "{keep:?}");
        }
    }

    #[test]
    fn one_in_so_many_is_a_share_and_a_choice_of_the_position() {
        let filters = Filters { one_in: 4, ..Filters::default() };
        let mut position = Position::startpos();
        let mut chosen = 0;
        for number in 0..400 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Position::startpos();
                continue;
            }
            position.play(moves[(number * 7) % moves.len()]);
            chosen += usize::from(filters.chosen(&Record::bare(position, 1)));
        }
        assert!((60..140).contains(&chosen), "{chosen}");
    }
}
