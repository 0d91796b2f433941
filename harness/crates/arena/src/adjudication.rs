//! Adjudication: ends a game early by the players' scores, the move limit or tablebases.

use std::path::Path;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Color};
use thiserror::Error;

use harness_player::Score;

use super::tablebases::{TablebaseRule, absolute};
use super::termination::Termination;
use harness_stats::GameScore;

/// Rules of adjudication; empty: none. The same keys in `harness.yaml`'s experiments and loops, in stored
/// plans and in messages to workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Resignation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Draw by score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawOffer>,
    /// Move limit: a draw after this many moves of each side, book moves not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
    /// Tablebases.
    #[serde(rename = "tables", alias = "tb", default, skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablebaseRule>,
}

/// A rule that stands twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("the rule of adjudication `{0}` stands twice")]
#[diagnostic(help("write it once: under `adjudication:`"))]
pub struct RuleTwice(pub &'static str);

impl Adjudication {
    /// A move limit alone.
    pub const fn move_limit(moves: u32) -> Adjudication {
        Adjudication { resign: None, draw: None, max_moves: Some(moves), tablebases: None }
    }

    /// Whether no game is adjudicated.
    pub fn is_empty(&self) -> bool {
        *self == Adjudication::default()
    }

    /// These rules and further ones.
    ///
    /// # Errors
    /// When both have the same rule.
    pub fn and(self, further: Adjudication) -> Result<Adjudication, RuleTwice> {
        Ok(Adjudication {
            resign: either("resign", self.resign, further.resign)?,
            draw: either("draw", self.draw, further.draw)?,
            max_moves: either("max_moves", self.max_moves, further.max_moves)?,
            tablebases: either("tb", self.tablebases, further.tablebases)?,
        })
    }

    /// The same rules with relative folders of tablebases seen from a folder, that of the file in which
    /// they stand.
    #[must_use]
    pub fn seen_from(mut self, folder: &Path) -> Adjudication {
        if let Some(rule) = &mut self.tablebases {
            rule.folders = absolute(folder, &rule.folders);
        }
        self
    }
}

fn either<T>(key: &'static str, one: Option<T>, other: Option<T>) -> Result<Option<T>, RuleTwice> {
    match (one, other) {
        (Some(_), Some(_)) => Err(RuleTwice(key)),
        (one, other) => Ok(one.or(other)),
    }
}

/// A player resigns when its score was at most `-score` in its last `moves` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resign {
    /// Resign score in centipawns.
    pub score: u32,
    /// Consecutive moves of the player.
    pub moves: u32,
    /// The opponent's score must have been at least `score` for as long.
    #[serde(default)]
    pub two_sided: bool,
}

/// A draw once both players' scores were within `score` of zero for `moves` moves each.
///
/// As in cutechess and fastchess, a capture or pawn move restarts the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawOffer {
    /// Draw score in centipawns.
    pub score: u32,
    /// Consecutive moves of each player.
    pub moves: u32,
    /// First move number, as in PGN, at which the game may end.
    #[serde(default = "first_move")]
    pub from: u32,
}

fn first_move() -> u32 {
    1
}

/// A move, for the adjudicator.
#[derive(Clone, Copy, Debug)]
pub struct AdjudicatedMove {
    /// Who moved.
    pub mover: Color,
    /// The mover's score; without one all counts are reset.
    pub score: Option<Score>,
    /// A capture or pawn move.
    pub irreversible: bool,
    /// The move number, as in PGN.
    pub number: u32,
}

/// Counts during one game.
#[derive(Debug)]
pub struct Adjudicator<'a> {
    rules: &'a Adjudication,
    losing: ByColor<u32>,
    winning: ByColor<u32>,
    equal_plies: u32,
    plies: u32,
}

impl<'a> Adjudicator<'a> {
    /// At the first move of a game.
    pub fn new(rules: &'a Adjudication) -> Adjudicator<'a> {
        Adjudicator {
            rules,
            losing: ByColor::default(),
            winning: ByColor::default(),
            equal_plies: 0,
            plies: 0,
        }
    }

    /// Counts a move; returns the result if the game ends with it.
    pub fn count_move(&mut self, played: AdjudicatedMove) -> Option<(GameScore, Termination)> {
        self.plies += 1;
        self.count_scores(played);
        if let Some(loser) = self.resigner() {
            return Some((GameScore::won_by(!loser), Termination::AdjudicatedWin));
        }
        if let Some(draw) = self.rules.draw
            && played.number >= draw.from
            && self.equal_plies >= draw.moves.saturating_mul(2)
        {
            return Some((GameScore::Draw, Termination::AdjudicatedDraw));
        }
        if let Some(moves) = self.rules.max_moves
            && self.plies >= moves.saturating_mul(2)
        {
            return Some((GameScore::Draw, Termination::MaxMoves));
        }
        None
    }

    fn count_scores(&mut self, played: AdjudicatedMove) {
        let (Some(resign), Some(score)) = (self.rules.resign, played.score) else {
            *self.losing.get_mut(played.mover) = 0;
            *self.winning.get_mut(played.mover) = 0;
            return self.count_equal(played);
        };
        let bound = i64::from(resign.score);
        let centipawns = centipawns(score);
        for (count, holds) in [
            (self.losing.get_mut(played.mover), centipawns <= -bound),
            (self.winning.get_mut(played.mover), centipawns >= bound),
        ] {
            *count = if holds { *count + 1 } else { 0 };
        }
        self.count_equal(played);
    }

    fn count_equal(&mut self, played: AdjudicatedMove) {
        let Some(draw) = self.rules.draw else { return };
        if played.irreversible {
            self.equal_plies = 0;
        }
        let is_equal =
            played.score.is_some_and(|score| centipawns(score).abs() <= i64::from(draw.score));
        self.equal_plies = if is_equal { self.equal_plies + 1 } else { 0 };
    }

    fn resigner(&self) -> Option<Color> {
        let resign = self.rules.resign?;
        Color::ALL.into_iter().find(|&side| {
            self.losing[side] >= resign.moves
                && (!resign.two_sided || self.winning[!side] >= resign.moves)
        })
    }
}

/// A score in centipawns; mates lie beyond all others.
fn centipawns(score: Score) -> i64 {
    match score {
        Score::Centipawns(value) => i64::from(value),
        Score::Mate(moves) if moves > 0 => i64::from(u32::MAX),
        Score::Mate(_) => -i64::from(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tablebases::TablebaseResults;
    use super::*;

    /// Plays scores alternately from White's first move on; the ply and the end.
    fn end_of(rules: &Adjudication, scores: &[Option<Score>]) -> Option<(usize, GameScore)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let mover = if ply % 2 == 0 { Color::White } else { Color::Black };
            let number = u32::try_from(ply / 2 + 1).unwrap();
            adjudicator
                .count_move(AdjudicatedMove { mover, score, irreversible: false, number })
                .map(|(result, _)| (ply + 1, result))
        })
    }

    fn cp(values: &[i32]) -> Vec<Option<Score>> {
        values.iter().map(|&value| Some(Score::Centipawns(value))).collect()
    }

    #[test]
    fn a_player_resigns_after_its_own_moves_are_counted_not_plies() {
        let resign = Some(Resign { score: 500, moves: 2, two_sided: false });
        let rules = Adjudication { resign, ..Default::default() };
        assert_eq!(end_of(&rules, &cp(&[0, -500])), None);
        assert_eq!(end_of(&rules, &cp(&[0, -500, 0, -499, 0, -500])), None);
        let end = end_of(&rules, &cp(&[0, -500, 0, -600, 0]));
        assert_eq!(end, Some((4, GameScore::Win)));
    }

    #[test]
    fn a_two_sided_resignation_needs_the_winner_to_agree() {
        let resign = Some(Resign { score: 500, moves: 2, two_sided: true });
        let rules = Adjudication { resign, ..Default::default() };
        assert_eq!(end_of(&rules, &cp(&[-900, 0, -900, 600, -900])), None);
        let end = end_of(&rules, &cp(&[-900, 0, -900, 600, -900, 600]));
        assert_eq!(end, Some((6, GameScore::Loss)));
    }

    #[test]
    fn a_mate_score_is_beyond_every_bound() {
        let resign = Some(Resign { score: u32::MAX, moves: 1, two_sided: false });
        let rules = Adjudication { resign, ..Default::default() };
        assert_eq!(end_of(&rules, &[Some(Score::Mate(-3))]), Some((1, GameScore::Loss)));
    }

    #[test]
    fn a_draw_needs_both_players_and_its_first_move_number() {
        let draw = Some(DrawOffer { score: 10, moves: 2, from: 4 });
        let rules = Adjudication { draw, ..Default::default() };
        assert_eq!(end_of(&rules, &cp(&[0; 12])), Some((7, GameScore::Draw)));
        assert_eq!(end_of(&rules, &cp(&[0, 11, 0, 11, 0, 11, 0, 11, 0, 11])), None);
    }

    #[test]
    fn a_capture_or_pawn_move_restarts_the_draw_count() {
        let draw = Some(DrawOffer { score: 10, moves: 1, from: 1 });
        let rules = Adjudication { draw, ..Default::default() };
        let mut adjudicator = Adjudicator::new(&rules);
        let played = AdjudicatedMove {
            mover: Color::White,
            score: Some(Score::Centipawns(0)),
            irreversible: true,
            number: 9,
        };
        assert_eq!(adjudicator.count_move(played), None);
        assert_eq!(adjudicator.count_move(played), None);
        assert!(
            adjudicator.count_move(AdjudicatedMove { irreversible: false, ..played }).is_some()
        );
    }

    #[test]
    fn a_move_without_a_score_is_no_agreement() {
        let rules = Adjudication {
            resign: Some(Resign { score: 0, moves: 2, two_sided: false }),
            draw: Some(DrawOffer { score: 10, moves: 1, from: 1 }),
            ..Default::default()
        };
        let scores = [Some(Score::Centipawns(0)), None, None, Some(Score::Centipawns(0)), None];
        assert_eq!(end_of(&rules, &scores), None);
    }

    #[test]
    fn the_longest_game_is_counted_in_moves_of_both() {
        let rules = Adjudication { max_moves: Some(3), ..Default::default() };
        assert_eq!(end_of(&rules, &[None; 10]), Some((6, GameScore::Draw)));
    }

    fn read(json: serde_json::Value) -> Result<Adjudication, serde_json::Error> {
        serde_json::from_value(json)
    }

    #[test]
    fn tablebases_are_folders_or_a_whole_rule_and_stay_what_they_are_in_stored_plans() {
        let short = read(json!({ "tb": "/a:/b" })).expect("rules");
        let long = json!({ "tables": { "folders": "/a:/b", "men": 7,
            "ignore_fifty_moves": false, "results": "all" } });
        assert_eq!(json!(short), long);
        assert_eq!(read(long).expect("rules"), short);
        let wins = json!({ "tb": { "folders": "/a", "men": 5, "results": "wins" } });
        let rule = read(wins).expect("rules").tablebases.expect("tablebases");
        assert_eq!((rule.men, rule.results), (5, TablebaseResults::Wins));
        for wrong in [
            json!({ "tb": 5 }),
            json!({ "tb": { "men": 5 } }),
            json!({ "tb": { "folders": "/a", "man": 5 } }),
            json!({ "max_move": 5 }),
        ] {
            let text = wrong.to_string();
            assert!(read(wrong).is_err(), "{text}");
        }
    }

    #[test]
    fn rules_of_two_places_are_joined_and_none_stands_twice() {
        let rules = |json| read(json).expect("rules");
        let limit = rules(json!({ "max_moves": 90 }));
        let draw = rules(json!({ "draw": { "score": 10, "moves": 8 } }));
        let both = limit.clone().and(draw.clone()).expect("different rules");
        assert_eq!((both.max_moves, both.draw), (limit.max_moves, draw.draw));
        assert_eq!(both.and(draw), Err(RuleTwice("draw")));
    }

    #[test]
    fn folders_are_seen_from_the_file_that_names_them() {
        let rules = read(json!({ "tb": "syzygy:/tables" })).expect("rules");
        let rule = rules.seen_from(Path::new("/home")).tablebases.expect("tablebases");
        assert_eq!(rule.folders, "/home/syzygy:/tables");
    }
}
