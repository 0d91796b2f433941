//! How games end: one table of keys, PGN tags and wordings.

use serde::{Deserialize, Serialize};

use harness_stats::GameScore;

/// Who or what ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The rules of the game.
    Rules,
    /// The harness, by its rules of adjudication.
    Adjudication,
    /// A player's fault; it can be used again.
    Fault,
    /// A player's fault, after which it must be restarted.
    Failure,
}

/// A row of the table.
struct Facts {
    key: &'static str,
    pgn_tag: &'static str,
    cause: Cause,
    /// Wording of a decided game and of a draw; see [`Termination::reason`].
    decided: &'static str,
    drawn: &'static str,
}

/// Makes the enum of terminations, their list and their facts of one table.
macro_rules! terminations {
    ($($(#[doc = $doc:literal])*
        $name:ident: $key:literal, $pgn_tag:literal, $cause:ident, $decided:literal, $drawn:literal;
    )*) => {
        /// How a game ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Termination {
            $($(#[doc = $doc])* #[serde(rename = $key)] $name,)*
        }

        impl Termination {
            /// All of them.
            pub const ALL: [Termination; [$($key),*].len()] = [$(Termination::$name),*];

            const fn facts(self) -> Facts {
                match self {
                    $(Termination::$name => Facts {
                        key: $key,
                        pgn_tag: $pgn_tag,
                        cause: Cause::$cause,
                        decided: $decided,
                        drawn: $drawn,
                    },)*
                }
            }
        }
    };
}

// The key in `--json` and in the ledger; the `Termination` tag of the PGN: from the standard, for a stall
// from cutechess, else our own; the cause; the wording where a side won, and where the game is drawn:
// those of cutechess and fastchess, which other programs parse.
terminations! {
    /// Checkmate.
    Checkmate: "checkmate", "normal", Rules, "{winner} mates", "";
    /// Stalemate.
    Stalemate: "stalemate", "normal", Rules, "", "Draw by stalemate";
    /// The same position for the third time.
    Repetition: "repetition", "normal", Rules, "", "Draw by 3-fold repetition";
    /// A hundred plies without capture or pawn move.
    FiftyMoves: "fifty_moves", "normal", Rules, "", "Draw by fifty moves rule";
    /// Neither side can mate.
    InsufficientMaterial: "insufficient_material", "normal", Rules,
        "", "Draw by insufficient mating material";
    /// Adjudicated by scores or tablebases.
    AdjudicatedWin: "adjudicated_win", "adjudication", Adjudication,
        "{winner} wins by adjudication", "";
    /// Adjudicated by scores or tablebases.
    AdjudicatedDraw: "adjudicated_draw", "adjudication", Adjudication, "", "Draw by adjudication";
    /// The game reached its maximum length: a draw.
    MaxMoves: "max_moves", "adjudication", Adjudication,
        "", "Draw by adjudication: maximum length";
    /// The clock ran out: a loss.
    TimeForfeit: "time_forfeit", "time forfeit", Fault, "{loser} loses on time", "";
    /// A move that the rules do not allow: a loss.
    IllegalMove: "illegal_move", "illegal move", Fault, "{loser} makes an illegal move", "";
    /// The process ended: a loss.
    Crash: "crash", "crash", Failure, "{loser} crashes", "";
    /// The process closed its output: a loss.
    Disconnect: "disconnect", "disconnect", Failure, "{loser} disconnects", "";
    /// No answer for much longer than the clock or the watchdog allows: a loss.
    Stall: "stall", "stalled connection", Failure, "{loser}'s connection stalls", "";
    /// `bestmove` without a move: a loss.
    NoMove: "no_move", "no move", Fault, "{loser} gives no move", "";
    /// The player resigned by itself, as xboard engines may: a loss.
    Resignation: "resignation", "normal", Rules, "{loser} resigns", "";
    /// The rules of a variant end the game otherwise than by mate.
    VariantEnd: "variant_end", "normal", Rules,
        "{winner} wins by the rules of the variant", "Draw by the rules of the variant";
}

impl Termination {
    /// The key in `--json` and in the ledger.
    pub fn key(self) -> &'static str {
        self.facts().key
    }

    /// The termination of a key, if it is one.
    pub fn from_key(key: &str) -> Option<Termination> {
        Termination::ALL.into_iter().find(|termination| termination.key() == key)
    }

    /// The `Termination` tag of the PGN.
    pub fn pgn_tag(self) -> &'static str {
        self.facts().pgn_tag
    }

    /// Whether it is a player's fault, also on time.
    pub fn is_fault(self) -> bool {
        matches!(self.facts().cause, Cause::Fault | Cause::Failure)
    }

    /// Whether the player at fault must be restarted.
    pub fn needs_restart(self) -> bool {
        self.facts().cause == Cause::Failure
    }

    /// The termination in words: `White mates`.
    pub fn reason(self, result: GameScore) -> String {
        let [winner, loser] = match result {
            GameScore::Win => ["White", "Black"],
            GameScore::Loss => ["Black", "White"],
            GameScore::Draw => return self.facts().drawn.to_owned(),
        };
        self.facts().decided.replace("{winner}", winner).replace("{loser}", loser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_termination_is_found_by_its_key_which_is_also_its_serialised_form() {
        for termination in Termination::ALL {
            assert_eq!(Termination::from_key(termination.key()), Some(termination));
            assert_eq!(serde_json::json!(termination), termination.key());
        }
    }

    #[test]
    fn a_reason_names_the_side_that_won_or_is_at_fault() {
        for (termination, result, reason) in [
            (Termination::Checkmate, GameScore::Win, "White mates"),
            (Termination::Checkmate, GameScore::Loss, "Black mates"),
            (Termination::AdjudicatedWin, GameScore::Loss, "Black wins by adjudication"),
            (Termination::Crash, GameScore::Loss, "White crashes"),
            (Termination::Stall, GameScore::Win, "Black's connection stalls"),
            (Termination::VariantEnd, GameScore::Win, "White wins by the rules of the variant"),
            (Termination::VariantEnd, GameScore::Draw, "Draw by the rules of the variant"),
            (Termination::MaxMoves, GameScore::Draw, "Draw by adjudication: maximum length"),
        ] {
            assert_eq!(termination.reason(result), reason);
        }
        for termination in Termination::ALL {
            let reasons =
                [GameScore::Win, GameScore::Draw].map(|result| termination.reason(result));
            assert!(reasons.iter().any(|reason| !reason.is_empty()), "{termination:?}");
            assert_eq!(
                termination.is_fault(),
                termination.facts().decided.starts_with("{loser}")
                    && termination != Termination::Resignation
            );
        }
    }
}
