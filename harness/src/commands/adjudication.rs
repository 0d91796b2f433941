//! The flags of adjudication, for every command that plays games by rules of its own.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::choice::choice;
use crate::arena::{Adjudication, DrawOffer, Resign, TablebaseResults, TablebaseRule};
use crate::text::path::encode_path;

/// The flags of adjudication.
#[derive(Debug, Args)]
#[command(next_help_heading = "Adjudication (off unless asked for)")]
pub struct AdjudicationArgs {
    /// Resign when an engine's own score is -CP centipawns or less ...
    #[arg(long, value_name = "CP", requires = "resign_moves")]
    resign_score: Option<u32>,
    /// ... in this many of its moves in a row.
    #[arg(long, value_name = "N", requires = "resign_score", value_parser = clap::value_parser!(u32).range(1..))]
    resign_moves: Option<u32>,
    /// Require that the opponent's score agrees.
    #[arg(long, requires = "resign_score")]
    resign_two_sided: bool,
    /// Adjudicate a draw when both scores are within CP centipawns of zero ...
    #[arg(long, value_name = "CP", requires = "draw_moves")]
    draw_score: Option<u32>,
    /// ... in this many moves of each side (a capture or pawn move restarts the count) ...
    #[arg(long, value_name = "N", requires = "draw_score", value_parser = clap::value_parser!(u32).range(1..))]
    draw_moves: Option<u32>,
    /// ... from this move number of the game on.
    #[arg(long, value_name = "N", requires = "draw_score", default_value_t = 1)]
    draw_from: u32,
    /// Move limit: a draw after this many moves of each side, those of the opening not counted.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Folders of Syzygy tablebases, with `:` between them: the result is theirs after
    /// a capture or pawn move.
    #[arg(long, value_name = "FOLDERS")]
    tb: Option<OsString>,
    /// Probe the tablebases only with at most N men left [default: as many as they have].
    #[arg(long, value_name = "N", requires = "tb", value_parser = clap::value_parser!(u32).range(2..=7))]
    tb_pieces: Option<u32>,
    /// Count wins that the fifty-move rule prevents as wins, and probe at any time.
    #[arg(long, requires = "tb")]
    tb_ignore_50: bool,
    /// The results of tablebases that end a game.
    #[arg(long, value_parser = choice::<TablebaseResults>(), value_name = "WHICH", requires = "tb", default_value_t)]
    tb_results: TablebaseResults,
}

impl AdjudicationArgs {
    /// The rules that the flags give.
    pub fn rules(&self) -> Adjudication {
        let AdjudicationArgs { resign_two_sided: two_sided, draw_from: from, max_moves, .. } =
            *self;
        let resign = self.resign_score.zip(self.resign_moves);
        let draw = self.draw_score.zip(self.draw_moves);
        let rules = Adjudication {
            resign: resign.map(|(score, moves)| Resign { score, moves, two_sided }),
            draw: draw.map(|(score, moves)| DrawOffer { score, moves, from }),
            max_moves,
            tablebases: self.tablebases(),
        };
        rules.seen_from(Path::new(""))
    }

    fn tablebases(&self) -> Option<TablebaseRule> {
        let usual = TablebaseRule::new(encode_path(Path::new(self.tb.as_deref()?)));
        Some(TablebaseRule {
            men: self.tb_pieces.unwrap_or(usual.men),
            ignore_fifty_moves: self.tb_ignore_50,
            results: self.tb_results,
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        adjudication: AdjudicationArgs,
    }

    fn parse(line: &str) -> Result<AdjudicationArgs, clap::Error> {
        let words = std::iter::once("harness").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.adjudication)
    }

    #[test]
    fn rules_are_as_the_flags_say() {
        let rules = parse(
            "--resign-score 600 --resign-moves 4 --resign-two-sided --draw-score 8 --draw-moves 6 \
             --draw-from 40 --max-moves 200 --tb /tables --tb-pieces 5 --tb-results draws",
        )
        .unwrap()
        .rules();
        let folders = "/tables".to_owned();
        let results = TablebaseResults::Draws;
        assert_eq!(
            rules,
            Adjudication {
                resign: Some(Resign { score: 600, moves: 4, two_sided: true }),
                draw: Some(DrawOffer { score: 8, moves: 6, from: 40 }),
                max_moves: Some(200),
                tablebases: Some(TablebaseRule {
                    folders,
                    men: 5,
                    ignore_fifty_moves: false,
                    results,
                }),
            }
        );
        assert!(parse("").unwrap().rules().is_empty());
    }

    #[test]
    fn half_a_rule_is_refused() {
        for line in [
            "--resign-score 500",
            "--draw-moves 3",
            "--draw-from 30",
            "--tb-pieces 5",
            "--tb tables --tb-pieces 8",
            "--max-moves 0",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
