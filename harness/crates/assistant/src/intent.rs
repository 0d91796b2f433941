//! Intents of a user.

use serde::{Deserialize, Serialize};

/// Intents, [`Intent::Unknown`] with them.
pub const INTENTS: usize = Intent::ALL.len() + 1;

/// Intent of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Put an opening on the board, or play it.
    PlayOpening,
    /// Turn the board.
    Flip,
    /// Make a move.
    Move,
    /// Take moves back.
    TakeBack,
    /// Show another position of the game.
    GoTo,
    /// Begin a game.
    NewGame,
    /// Set the strength of the opponent.
    SetLevel,
    /// Give the game up.
    Resign,
    /// Offer a draw.
    OfferDraw,
    /// Recommend a move.
    Hint,
    /// Say who is ahead, and why.
    Evaluate,
    /// Comment on the whole game.
    CommentGame,
    /// Put a sign such as `??` at a move, or take it away.
    MarkMove,
    /// Write a comment at a move, or remove it.
    CommentMove,
    /// Say what the opponent threatens.
    Threat,
    /// Name the opening on the board.
    OpeningName,
    /// Let an engine analyse.
    EngineOn,
    /// Stop the analysis.
    EngineOff,
    /// Set up a position.
    EditPosition,
    /// Show the moves that are played in this position.
    Explorer,
    /// Let engines play games from this position.
    PlayOut,
    /// Show a puzzle or an ending.
    Practice,
    /// Copy or save the position or the game.
    Export,
    /// Read moves aloud.
    SpeechOn,
    /// Be silent.
    SpeechOff,
    /// Test an engine against an older one.
    Sprt,
    /// Let two engines play a match.
    Match,
    /// Let an engine solve a test suite.
    Suite,
    /// Tune an engine.
    Tune,
    /// Check a revision by the gate.
    Gate,
    /// Generate training data.
    Generate,
    /// Train a network.
    Train,
    /// Run the loop of data, training and test.
    Loop,
    /// Stop a run.
    StopRun,
    /// Resume a run.
    ResumeRun,
    /// Delete a run.
    DeleteRun,
    /// Name a run, or write a note to it.
    DescribeRun,
    /// Say how a run is going.
    RunStatus,
    /// Say why a game of a run was lost.
    WhyLost,
    /// Show a game of a run.
    OpenGame,
    /// List games of a run.
    ListGames,
    /// Compare runs.
    CompareRuns,
    /// Show a page.
    OpenPage,
    /// Say what can be asked.
    Help,
    /// None of these.
    Unknown,
}

impl Intent {
    /// All intents but [`Intent::Unknown`], in the order of the help page.
    pub const ALL: [Intent; 44] = [
        Intent::PlayOpening,
        Intent::Flip,
        Intent::Move,
        Intent::TakeBack,
        Intent::GoTo,
        Intent::NewGame,
        Intent::SetLevel,
        Intent::Resign,
        Intent::OfferDraw,
        Intent::Hint,
        Intent::Evaluate,
        Intent::CommentGame,
        Intent::MarkMove,
        Intent::CommentMove,
        Intent::Threat,
        Intent::OpeningName,
        Intent::EngineOn,
        Intent::EngineOff,
        Intent::EditPosition,
        Intent::Explorer,
        Intent::PlayOut,
        Intent::Practice,
        Intent::Export,
        Intent::SpeechOn,
        Intent::SpeechOff,
        Intent::Sprt,
        Intent::Match,
        Intent::Suite,
        Intent::Tune,
        Intent::Gate,
        Intent::Generate,
        Intent::Train,
        Intent::Loop,
        Intent::StopRun,
        Intent::ResumeRun,
        Intent::DeleteRun,
        Intent::DescribeRun,
        Intent::RunStatus,
        Intent::WhyLost,
        Intent::OpenGame,
        Intent::ListGames,
        Intent::CompareRuns,
        Intent::OpenPage,
        Intent::Help,
    ];

    /// Its name in data files and in JSON: `play_opening`.
    pub fn name(self) -> &'static str {
        match self {
            Intent::PlayOpening => "play_opening",
            Intent::Flip => "flip",
            Intent::Move => "move",
            Intent::TakeBack => "take_back",
            Intent::GoTo => "go_to",
            Intent::NewGame => "new_game",
            Intent::SetLevel => "set_level",
            Intent::Resign => "resign",
            Intent::OfferDraw => "offer_draw",
            Intent::Hint => "hint",
            Intent::Evaluate => "evaluate",
            Intent::CommentGame => "comment_game",
            Intent::MarkMove => "mark_move",
            Intent::CommentMove => "comment_move",
            Intent::Threat => "threat",
            Intent::OpeningName => "opening_name",
            Intent::EngineOn => "engine_on",
            Intent::EngineOff => "engine_off",
            Intent::EditPosition => "edit_position",
            Intent::Explorer => "explorer",
            Intent::PlayOut => "play_out",
            Intent::Practice => "practice",
            Intent::Export => "export",
            Intent::SpeechOn => "speech_on",
            Intent::SpeechOff => "speech_off",
            Intent::Sprt => "sprt",
            Intent::Match => "match",
            Intent::Suite => "suite",
            Intent::Tune => "tune",
            Intent::Gate => "gate",
            Intent::Generate => "generate",
            Intent::Train => "train",
            Intent::Loop => "loop",
            Intent::StopRun => "stop_run",
            Intent::ResumeRun => "resume_run",
            Intent::DeleteRun => "delete_run",
            Intent::DescribeRun => "describe_run",
            Intent::RunStatus => "run_status",
            Intent::WhyLost => "why_lost",
            Intent::OpenGame => "open_game",
            Intent::ListGames => "list_games",
            Intent::CompareRuns => "compare_runs",
            Intent::OpenPage => "open_page",
            Intent::Help => "help",
            Intent::Unknown => "unknown",
        }
    }

    /// Whether it changes something: a game, what is heard, or the runs.
    pub fn acts(self) -> bool {
        self.is_run()
            || matches!(
                self,
                Intent::Flip
                    | Intent::Move
                    | Intent::TakeBack
                    | Intent::NewGame
                    | Intent::SetLevel
                    | Intent::Resign
                    | Intent::OfferDraw
                    | Intent::EngineOff
                    | Intent::SpeechOn
                    | Intent::SpeechOff
                    | Intent::MarkMove
                    | Intent::CommentMove
                    | Intent::StopRun
                    | Intent::ResumeRun
                    | Intent::DeleteRun
                    | Intent::DescribeRun
            )
    }

    /// Whether it changes a game, the board or the runs, or begins a run: a wrong one would do harm.
    pub fn changes(self) -> bool {
        self.is_run()
            || self.changes_runs()
            || matches!(
                self,
                Intent::PlayOpening
                    | Intent::TakeBack
                    | Intent::NewGame
                    | Intent::SetLevel
                    | Intent::Resign
                    | Intent::OfferDraw
                    | Intent::MarkMove
                    | Intent::CommentMove
            )
    }

    /// Whether it is an answer about the position on a board.
    pub fn advises(self) -> bool {
        matches!(
            self,
            Intent::Hint
                | Intent::Evaluate
                | Intent::Threat
                | Intent::CommentGame
                | Intent::OpeningName
                | Intent::Explorer
        )
    }

    /// Whether it is a run, or about runs and their games.
    pub fn is_of_runs(self) -> bool {
        self.is_run()
            || self.changes_runs()
            || matches!(
                self,
                Intent::RunStatus
                    | Intent::WhyLost
                    | Intent::OpenGame
                    | Intent::ListGames
                    | Intent::CompareRuns
                    | Intent::OpenPage
            )
    }

    /// Whether it stops, resumes, deletes or names a run.
    pub fn changes_runs(self) -> bool {
        matches!(
            self,
            Intent::StopRun | Intent::ResumeRun | Intent::DeleteRun | Intent::DescribeRun
        )
    }

    /// Whether it shows something or is undone by its opposite.
    pub fn only_shows(self) -> bool {
        matches!(
            self,
            Intent::Flip
                | Intent::GoTo
                | Intent::EngineOn
                | Intent::EngineOff
                | Intent::SpeechOn
                | Intent::SpeechOff
                | Intent::OpenPage
                | Intent::OpenGame
                | Intent::Practice
                | Intent::Export
        )
    }

    /// Whether it answers a question.
    pub fn answers(self) -> bool {
        matches!(
            self,
            Intent::Hint
                | Intent::Evaluate
                | Intent::CommentGame
                | Intent::Threat
                | Intent::OpeningName
                | Intent::Explorer
                | Intent::RunStatus
                | Intent::WhyLost
                | Intent::ListGames
                | Intent::CompareRuns
                | Intent::Help
        )
    }

    /// Whether it is a run of the test bench, which answers a question, too: `is head better than main`.
    pub fn is_run(self) -> bool {
        matches!(
            self,
            Intent::Sprt
                | Intent::Match
                | Intent::Suite
                | Intent::Tune
                | Intent::Gate
                | Intent::Generate
                | Intent::Train
                | Intent::Loop
                | Intent::PlayOut
        )
    }

    /// The intent of a name.
    pub fn from_name(name: &str) -> Option<Intent> {
        Intent::ALL.into_iter().chain([Intent::Unknown]).find(|intent| intent.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_intent_has_its_name() {
        for intent in Intent::ALL.into_iter().chain([Intent::Unknown]) {
            assert_eq!(Intent::from_name(intent.name()), Some(intent));
            let json = serde_json::to_string(&intent).expect("a name");
            assert_eq!(json, format!("\"{}\"", intent.name()));
        }
        assert_eq!(Intent::from_name("dance"), None);
    }
}
