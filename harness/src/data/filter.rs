//! Which positions are worth learning from.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, Color, Move, Position, fen::Fen, uci::UciMove};

use super::record::Record;

/// Whose scores are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Those of the side that went on to win.
    #[default]
    Winner,
    /// Those, and both sides' of drawn games.
    WinnerAndDraws,
    /// Everybody's.
    All,
}

/// Which positions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filters {
    /// Whose scores.
    pub keep: Keep,
    /// Fewer plies than this were played.
    pub min_ply: u32,
    /// Scores beyond this many centipawns are decided; mates always are.
    pub max_score: i32,
    /// One position in so many, chosen by a hash of the position.
    pub one_in: u32,
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions whose best move captures or promotes.
    pub tactical: bool,
    /// Positions that were searched less deep, in plies, are not kept.
    pub min_depth: u32,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters {
            keep: Keep::Winner,
            min_ply: 16,
            max_score: 2_000,
            one_in: 1,
            checks: false,
            tactical: false,
            min_depth: 0,
        }
    }
}

/// Why a position is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The game has no result, or one that says nothing of the board: time, a crash.
    NoResult,
    /// Nobody told a score: a book move, or a PGN without scores.
    NoScore,
    /// Not the winner's.
    OtherSide,
    /// Too early in the game.
    Early,
    /// In check.
    Check,
    /// The best move captures or promotes.
    Tactical,
    /// The score is beyond the limit, or a mate.
    Decided,
    /// Not searched deep enough.
    Shallow,
    /// Left out by `one_in`.
    Thinned,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::NoResult => "no result of the board",
            Reason::NoScore => "no score",
            Reason::OtherSide => "not the winner's",
            Reason::Early => "too early",
            Reason::Check => "in check",
            Reason::Tactical => "best move captures or promotes",
            Reason::Decided => "score beyond the limit",
            Reason::Shallow => "not searched deep enough",
            Reason::Thinned => "one in so many",
        })
    }
}

/// What the filters look at.
pub struct Seen<'a> {
    /// The position.
    pub position: &'a Chess,
    /// The move played.
    pub played: &'a Move,
    /// Plies played before.
    pub ply: u32,
    /// Score for White in centipawns; `None` is a mate.
    pub score: Option<i32>,
    /// What White got: 0, 0.5 or 1.
    pub result: f64,
    /// Depth in plies.
    pub depth: u32,
}

impl Filters {
    /// Why a position is not kept; `None` where it is.
    pub fn refuse(&self, seen: &Seen<'_>) -> Option<Reason> {
        let white_moves = seen.position.turn() == Color::White;
        let won = if white_moves { seen.result } else { 1.0 - seen.result };
        let wanted = match self.keep {
            Keep::Winner => won == 1.0,
            Keep::WinnerAndDraws => won >= 0.5,
            Keep::All => true,
        };
        let quiet = !(seen.played.is_capture() || seen.played.is_promotion());
        let reasons = [
            (!wanted, Reason::OtherSide),
            (seen.ply < self.min_ply, Reason::Early),
            (!self.checks && seen.position.is_check(), Reason::Check),
            (!self.tactical && !quiet, Reason::Tactical),
            (seen.score.is_none_or(|score| score.abs() > self.max_score), Reason::Decided),
            (seen.depth < self.min_depth, Reason::Shallow),
            (!self.chosen(seen.position), Reason::Thinned),
        ];
        reasons.into_iter().find_map(|(refused, reason)| refused.then_some(reason))
    }

    /// Whether a position is among one in so many: the same wherever it comes up.
    fn chosen(&self, position: &Chess) -> bool {
        use shakmaty::zobrist::Zobrist64;
        let key: Zobrist64 = position.zobrist_hash(shakmaty::EnPassantMode::Legal);
        self.one_in <= 1 || key.0.is_multiple_of(u64::from(self.one_in))
    }

    /// Why a written record is not what these filters keep; `None` where it is.
    ///
    /// # Errors
    /// What is wrong with the record itself: an illegal position or move, an impossible result.
    pub fn refuse_record(&self, record: &Record) -> Result<Option<Reason>, String> {
        let (position, played) = position_and_move(record)?;
        if ![0.0, 0.5, 1.0].contains(&record.result) {
            return Err(format!("the result is {}, and not 0, 0.5 or 1", record.result));
        }
        Ok(self.refuse(&Seen {
            position: &position,
            played: &played,
            ply: record.ply,
            score: Some(record.score),
            result: record.result,
            depth: record.depth,
        }))
    }
}

fn position_and_move(record: &Record) -> Result<(Chess, Move), String> {
    let fen: Fen = record.fen.parse().map_err(|error| format!("FEN: {error}"))?;
    let uci: UciMove = record.r#move.parse().map_err(|error| format!("move: {error}"))?;
    // Castling rights of a Chess960 position are not legal in the standard game.
    let standard: Result<Chess, _> = fen.clone().into_position(CastlingMode::Standard);
    let position = match standard {
        Ok(position) => position,
        Err(_) => fen
            .into_position(CastlingMode::Chess960)
            .map_err(|error| format!("the position is illegal: {error}"))?,
    };
    let played = uci
        .to_move(&position)
        .map_err(|_| format!("move `{}` is illegal in `{}`", record.r#move, record.fen))?;
    Ok((position, played))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            fen: "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3".to_owned(),
            score: 31,
            result: 1.0,
            ply: 20,
            r#move: "f1b5".to_owned(),
            depth: 9,
            engine: "a".to_owned(),
            opponent: "b".to_owned(),
            game: "1.1".to_owned(),
        }
    }

    #[test]
    fn each_filter_refuses_what_it_is_for() {
        let filters = Filters { min_depth: 5, ..Filters::default() };
        let refused = |change: fn(&mut Record)| {
            let mut record = record();
            change(&mut record);
            filters.refuse_record(&record).expect("a sound record")
        };
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|record| record.result = 0.5), Some(Reason::OtherSide));
        assert_eq!(refused(|record| record.ply = 15), Some(Reason::Early));
        assert_eq!(refused(|record| record.r#move = "f3e5".into()), Some(Reason::Tactical));
        assert_eq!(refused(|record| record.score = -2001), Some(Reason::Decided));
        assert_eq!(refused(|record| record.depth = 4), Some(Reason::Shallow));
        let check = "rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        assert!(filters.refuse_record(&Record { fen: check.into(), ..record() }).is_err(), "mate");
        let check = "rnb1kbnr/pppp1ppp/8/4p3/5P1q/8/PPPPP1PP/RNBQKBNR w KQkq - 1 3";
        let record = Record { fen: check.into(), r#move: "g2g3".into(), ..record() };
        assert_eq!(filters.refuse_record(&record), Ok(Some(Reason::Check)));
    }

    #[test]
    fn draws_and_losers_are_kept_where_they_are_asked_for() {
        for (keep, kept) in [
            (Keep::Winner, [false, false, true]),
            (Keep::WinnerAndDraws, [false, true, true]),
            (Keep::All, [true, true, true]),
        ] {
            let filters = Filters { keep, ..Filters::default() };
            let of = |result| filters.refuse_record(&Record { result, ..record() });
            assert_eq!([0.0, 0.5, 1.0].map(|result| of(result) == Ok(None)), kept, "{keep:?}");
        }
    }

    #[test]
    fn one_in_so_many_is_a_share_and_a_choice_of_the_position() {
        let filters = Filters { one_in: 4, ..Filters::default() };
        let mut position = Chess::default();
        let mut chosen = 0;
        for number in 0..400 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Chess::default();
                continue;
            }
            position.play_unchecked(moves[(number * 7) % moves.len()]);
            assert_eq!(filters.chosen(&position), filters.chosen(&position.clone()));
            chosen += usize::from(filters.chosen(&position));
        }
        assert!((60..140).contains(&chosen), "{chosen}");
    }

    #[test]
    fn an_illegal_position_or_move_is_no_record() {
        let filters = Filters::default();
        let broken = [
            Record { fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(), ..record() },
            Record { r#move: "e1e5".into(), ..record() },
            Record { result: 0.7, ..record() },
        ];
        for record in broken {
            assert!(filters.refuse_record(&record).is_err(), "{record:?}");
        }
    }
}
