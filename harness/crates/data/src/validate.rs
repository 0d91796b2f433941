//! Validation of training data.

use std::collections::BTreeMap;

use serde::Serialize;

use super::filter::{Filters, Reason};
use super::formats::{FormatError, Records};

/// Content of a file of training data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checked {
    /// Records read, all of them sound.
    pub records: u64,
    /// Records that the filters reject, by reason.
    pub refused: BTreeMap<Reason, u64>,
    /// Number of the first rejected record, from 1.
    pub first_refused: Option<u64>,
}

/// Reads all records, and applies the filters if given.
///
/// # Errors
/// The first invalid record: unreadable, an illegal position or move, an unknown result.
pub fn validate(records: Records<'_>, filters: Option<&Filters>) -> Result<Checked, FormatError> {
    let mut checked = Checked::default();
    for record in records {
        let record = record?;
        checked.records += 1;
        if let Some(reason) = filters.and_then(|filters| filters.refuse(&record)) {
            *checked.refused.entry(reason).or_default() += 1;
            checked.first_refused.get_or_insert(checked.records);
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::super::flaws::Flaws;
    use super::super::formats::records_from;
    use super::*;

    const HEAD: &str = "fen,score,result,ply,move,depth,engine,opponent,game\n";
    const GOOD: &str =
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3,31,1.0,20,f1b5,9,a,b,1\n";

    #[test]
    fn a_bad_line_is_reported_with_its_place_and_a_refused_one_with_its_reason() {
        let check = |text: &str| {
            let records = records_from(
                crate::formats::csv::FORMAT,
                "x.csv",
                text.as_bytes(),
                &Flaws::default(),
            );
            validate(records, Some(&Filters::default()))
        };
        let good = check(&format!("{HEAD}{GOOD}{GOOD}")).expect("sound");
        assert_eq!((good.records, good.first_refused), (2, None));
        let early = format!("{HEAD}{GOOD}{}", GOOD.replace(",20,", ",3,"));
        let early = check(&early).expect("sound");
        assert_eq!(early.first_refused, Some(2));
        assert_eq!(early.refused, BTreeMap::from([(Reason::Early, 1)]));
        for broken in [GOOD.replace("f1b5", "f1f8"), GOOD.replace(",31,", ",x,"), "a,b\n".into()] {
            let error = check(&format!("{HEAD}{GOOD}{broken}")).unwrap_err().to_string();
            assert!(error.starts_with("x.csv:3: "), "{error}");
        }
    }
}
