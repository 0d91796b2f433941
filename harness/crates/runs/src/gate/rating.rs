//! The rating of the change on a known scale.

use super::comparison::{CheckOutcome, Gate};
use super::config::Rating;
use super::error::CheckError;
use harness_outcome::gate::Verdict;
use harness_outcome::rating::RatingReport;
use harness_report::rating_line;

impl Gate<'_> {
    pub(super) fn rating(&self, rating: &Rating) -> Result<CheckOutcome, CheckError> {
        let report = self.rate(rating)?;
        let verdict = verdict(&report, rating.at_least);
        let detail = format!(
            "{} after {} games; at least {:.0} is asked for",
            rating_line(&report),
            report.games,
            rating.at_least
        );
        Ok(CheckOutcome::new(verdict, detail).counting(rating.undecided).of_run(Some(report.run)))
    }
}

/// Passed when the whole interval is high enough, failed when none of it is. One that won everything has a
/// lower end, one that lost everything none.
fn verdict(report: &RatingReport, at_least: f64) -> Verdict {
    match report.rating.interval() {
        Some([low, _]) if low >= at_least => Verdict::Passed,
        Some([_, high]) if high < at_least => Verdict::Failed,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::Estimate;

    #[test]
    fn an_interval_passes_fails_or_decides_nothing() {
        let report = |rating: Estimate| RatingReport {
            run: "run".into(),
            engine: "engine".into(),
            list: "list".into(),
            limit: "nodes=1".into(),
            rating,
            rating_undefined: None,
            games95: None,
            references95: None,
            disagreement: None,
            wanted_error95: 20.0,
            reached: true,
            games: 100,
            references: Vec::new(),
        };
        for (rating, expected) in [
            (Estimate::new(2900.0, 30.0), Verdict::Passed),
            (Estimate::new(2700.0, 30.0), Verdict::Failed),
            (Estimate::new(2810.0, 30.0), Verdict::Undecided),
            (Estimate::default(), Verdict::Undecided),
        ] {
            assert_eq!(verdict(&report(rating), 2800.0), expected, "{rating:?}");
        }
    }
}
