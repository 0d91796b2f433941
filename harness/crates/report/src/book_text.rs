//! Rated opening books, for the terminal.

use super::table::{table, wrap};
use super::text::{grouped, percent};
use harness_outcome::book::{BookReport, RatedBook, RatedOpening};
use harness_stats::signed;
use harness_stats::strength::Interval;

/// Openings of each end that are shown.
const SHOWN: usize = 5;

/// `98 ± 22`
pub fn interval_text(interval: &Interval, digits: usize) -> String {
    let Interval { value, low95, high95 } = *interval;
    format!("{} ± {}", signed(value, digits), signed((high95 - low95) / 2.0, digits))
}

/// `1.68 (1.31 to 2.16)`
pub fn ratio_text(ratio: &Interval) -> String {
    let Interval { value, low95, high95 } = *ratio;
    match value == 1.0 && low95 == high95 {
        true => "1".to_owned(),
        false => format!("{value:.2} ({low95:.2} to {high95:.2})"),
    }
}

/// The name of a book without its folder.
pub fn book_name(book: &str) -> &str {
    if book.contains(' ') { book } else { book.rsplit('/').next().unwrap_or(book) }
}

fn row(book: &RatedBook) -> Vec<String> {
    let dash = || "–".to_owned();
    let sensitivity = book.sensitivity.as_ref();
    vec![
        book_name(&book.book).to_owned(),
        grouped(book.openings),
        grouped(book.games),
        sensitivity.map_or_else(dash, |of| interval_text(&of.nelo, 0)),
        sensitivity.map_or_else(dash, |of| interval_text(&of.nelo_of_pair, 0)),
        percent(book.draw_rate),
        percent(book.equal_share),
        book.games_over_best.as_ref().map_or_else(dash, ratio_text),
    ]
}

/// Whether openings were played often enough to tell them apart.
fn tells_openings_apart(book: &RatedBook) -> bool {
    book.each.iter().any(|opening| opening.pairs > 1)
}

/// The books, and the openings of each that decide most and least.
pub fn book_text(report: &BookReport) -> String {
    let [first, second] = &report.engines;
    let [limit, less] = &report.limits;
    let header =
        ["Book", "Openings", "Games", "nElo", "A pair", "Drawn", "Equal pairs", "Games over best"];
    let mut text = format!("{first} at {limit} against {second} at {less}\n\n");
    text += &table(header, report.books.iter().map(row), 1);
    text.push('\n');
    text += &wrap(
        "nElo with its 95 % interval; games needed for an answer go with its inverse square. Equal pairs ended \
         1 : 1 and decide nothing. Figures are those of these engines at this limit.",
    );
    for book in &report.books {
        text += &openings_text(book, report.dead_below);
    }
    text
}

fn openings_text(book: &RatedBook, dead_below: f64) -> String {
    let name = book_name(&book.book);
    if book.sensitivity.is_none() {
        return wrap(&format!("{name}: the engines were level, or every pair ended alike."));
    }
    let Some(shares) = book.shares.filter(|_| tells_openings_apart(book)) else {
        return wrap(&format!(
            "{name}: each opening was played once, which tells nothing of single ones; --repeats plays more."
        ));
    };
    let mut ranked: Vec<&RatedOpening> = book.each.iter().collect();
    ranked.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    let shown = ranked.iter().take(SHOWN);
    let shown = shown.chain(ranked.iter().skip(SHOWN).rev().take(SHOWN).rev());
    let rows = shown.map(|opening| {
        vec![
            opening.fen.clone(),
            format!("{} of {}", opening.decided, opening.pairs),
            format!(
                "{} ({:.0} to {:.0})",
                percent(Some(opening.share.value)),
                100.0 * opening.share.low95,
                100.0 * opening.share.high95
            ),
        ]
    });
    let dead = match book.dead {
        0 => String::new(),
        dead => format!(
            " {} are dead: their share is below {dead_below} of that (--keep writes the others).",
            grouped(dead)
        ),
    };
    let about = format!(
        "{name}: {} of pairs are decided; an opening's own pairs count as much as the book from {:.1} on.{dead}",
        percent(Some(shares.mean)),
        shares.weight
    );
    format!("\n{}{}", wrap(&about), table(["Opening", "Decided", "Share, shrunk"], rows, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::book::{PlayedOpening, compare};
    use harness_stats::GameScore::{Draw, Win};
    use harness_stats::book::BookCounts;

    #[test]
    fn books_and_their_best_and_worst_openings_fit_the_terminal() {
        let played = |repeats: u64| -> Vec<PlayedOpening> {
            (0..30)
                .map(|number| {
                    let mut counts = BookCounts::default();
                    for repeat in 0..repeats {
                        let white = if (number + repeat) % 3 == 0 { Win } else { Draw };
                        counts.add_pair(white, Draw);
                    }
                    let fen =
                        "r1bqkb1r/pp1ppppp/2n2n2/2p5/2P5/2N2N2/PP1PPPPP/R1BQKB1R w KQkq - 4 4";
                    PlayedOpening { fen: fen.to_owned(), counts }
                })
                .collect()
        };
        let mut books: Vec<RatedBook> =
            [(1, "/a/long/folder/8moves_v3.pgn"), (8, "own (4,000 openings)")]
                .into_iter()
                .map(|(repeats, name)| {
                    RatedBook::new(name.to_owned(), Vec::new(), &played(repeats), 0.5)
                })
                .collect();
        compare(&mut books);
        let report = BookReport {
            run: "run".into(),
            engines: ["builtin".into(), "builtin#2".into()],
            limits: ["nodes=5000".into(), "nodes=4000".into()],
            dead_below: 0.5,
            games: 540,
            books,
            warnings: Vec::new(),
        };
        let text = book_text(&report);
        for shown in ["8moves_v3.pgn", "each opening was played once", "of 8", "own (4,000"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}
