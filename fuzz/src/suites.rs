//! EPD as test suites have it.

use std::collections::HashSet;

use harness_notation::epd::{self, EpdPosition};
use harness_suite::Suite;
use miette::Report;
use shakmaty::Position as _;

/// A suite is read; its ids differ, its moves are legal, its positions can be written and read
/// again, and its errors can be shown.
pub fn epd(data: &[u8]) {
    let (positions, errors) = epd::read_all("fuzz.epd", data);
    let mut ids = HashSet::new();
    for position in &positions {
        assert!(ids.insert(&position.id), "two positions are called `{}`", position.id);
        sound(position);
    }
    let wrong = errors.len();
    assert!(errors.iter().all(|error| error.line > 0 && error.column > 0));
    // With the line of the file below it, which takes longer than all the rest.
    if let Some(error) = errors.into_iter().next().filter(|_| data.len().is_multiple_of(8)) {
        assert!(!format!("{:?}", Report::new(error)).is_empty());
    }
    if let Ok(suite) = Suite::read("fuzz.epd", data) {
        assert_eq!((suite.positions.len(), wrong), (positions.len(), 0));
    }
}

fn sound(position: &EpdPosition) {
    let legal = position.position.legal_moves();
    let scored = position.points.iter().map(|(m, _)| m);
    for m in position.best.iter().chain(&position.avoid).chain(scored) {
        assert!(legal.contains(m), "{m:?} in {}", position.fen);
    }
    let again = epd::read("again.epd", position.fen.as_bytes());
    let again = again.unwrap_or_else(|error| panic!("{}: {error}", position.fen));
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].fen, position.fen);
}
