//! Reading training data back, with the rules of chess in hand.

use std::collections::BTreeMap;
use std::io::Read;

use serde::Serialize;

use super::filter::{Filters, Reason};
use super::record::{self, BadLine};

/// What a file of training data holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Records.
    pub records: u64,
    /// Records that the filters would not have kept, by reason.
    pub refused: BTreeMap<Reason, u64>,
    /// The line of the first of them.
    pub first_refused: Option<u64>,
}

/// Reads a file to its end.
///
/// # Errors
/// The first line that holds no record: unreadable, an illegal position or move, a result that
/// there is not.
pub fn validate(path: &str, source: impl Read, filters: &Filters) -> Result<Checked, BadLine> {
    let mut checked = Checked::default();
    for record in record::read(path, source) {
        let (line, record) = record?;
        checked.records += 1;
        let refused = filters.refuse_record(&record).map_err(|reason| BadLine {
            path: path.to_owned(),
            line,
            reason,
        })?;
        if let Some(reason) = refused {
            *checked.refused.entry(reason).or_default() += 1;
            checked.first_refused.get_or_insert(line);
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "fen,score,result,ply,move,depth,engine,opponent,game\n";
    const GOOD: &str =
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3,31,1.0,20,f1b5,9,a,b,1\n";

    #[test]
    fn a_bad_line_is_told_with_its_place_and_a_refused_one_with_its_reason() {
        let check = |text: String| validate("x.csv", text.as_bytes(), &Filters::default());
        let good = check(format!("{HEAD}{GOOD}{GOOD}")).expect("sound");
        assert_eq!((good.records, good.first_refused), (2, None));
        let early = check(format!("{HEAD}{GOOD}{}", GOOD.replace(",20,", ",3,"))).expect("sound");
        assert_eq!(early.first_refused, Some(3));
        assert_eq!(early.refused, BTreeMap::from([(Reason::Early, 1)]));
        for broken in [GOOD.replace("f1b5", "f1f8"), GOOD.replace(",31,", ",x,"), "a,b\n".into()] {
            let error = check(format!("{HEAD}{GOOD}{broken}")).unwrap_err();
            assert_eq!(error.line, 3, "{error}");
        }
    }
}
