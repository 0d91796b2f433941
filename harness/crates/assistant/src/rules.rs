//! Rules that say another intent than the examples: what a sentence names or refuses says more than what it is like.

mod of_boards;
mod of_runs;

pub use of_boards::{
    apply as apply_of_boards, goes_to_moment, is_until, kept_engine, sets_rating,
    takes_back_until_piece_stands, takes_right_to_castle,
};
pub use of_runs::{
    apply as apply_of_runs, apply_to_questions as apply_to_questions_about_runs, is_figure_of_run,
    names_page_of_run,
};

use super::intent::Intent;
use super::{LIKELY, elsewhere};

/// An intent, how sure it is, and why nothing is done, where there is a reason.
pub struct Decision {
    pub intent: Intent,
    pub confidence: f32,
    /// Of [`Intent::Unknown`]; may be empty.
    pub reason: String,
}

impl Decision {
    /// Takes another intent that a rule alone makes likely.
    pub fn decide(&mut self, intent: Intent) {
        self.intent = intent;
        self.confidence = self.confidence.max(LIKELY);
        self.reason.clear();
    }

    /// Takes no intent, for the reason of a subject; see [`elsewhere::reason`].
    pub fn refuse(&mut self, subject: &str) {
        self.intent = Intent::Unknown;
        self.reason = elsewhere::reason(subject).unwrap_or_default();
    }
}
