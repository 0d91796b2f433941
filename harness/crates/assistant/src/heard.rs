//! A sentence that is dictated, as it would be typed: signs and letters that are said, "colon", "es pee are tee", numbers and
//! squares by their sound, "move thirty to", "night bee dee to", and words that only sound like one that is meant.

mod files;
mod letters;
mod names;
mod quantities;
mod rewritten;
mod signs;
mod similar;
mod squares;

pub use similar::better;
pub use squares::joined;

use rewritten::Tokens;

/// The text with what is said in it as it is written. What stands behind a colon or in quotation marks stays.
pub fn written(text: &str) -> String {
    if !text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return text.to_owned();
    }
    let mut tokens = Tokens::read(text);
    signs::write(&mut tokens);
    letters::write(&mut tokens);
    names::write(&mut tokens);
    files::write(&mut tokens);
    quantities::write(&mut tokens);
    tokens.text(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_written() {
        for (text, expected) in [
            ("train with small dot yaml", "train with small.yaml"),
            ("the loop of loop underscore b dot jason", "the loop of loop_b.json"),
            ("train with the file small net dot json", "train with the file small-net.json"),
            (
                "sprt the branch quiet checks against main",
                "sprt the branch quiet-checks against main",
            ),
            (
                "match main against the branch new eval four hundred games",
                "match main against the branch new-eval four hundred games",
            ),
            ("is the branch history dash pruning better", "is the branch history-pruning better"),
            ("does my branch gain elo", "does my branch gain elo"),
            ("the branch simplify beats main", "the branch simplify beats main"),
            ("set the loop going from cycle two dot yaml", "set the loop going from cycle2.yaml"),
            ("train with small dash net dot yaml", "train with small-net.yaml"),
            ("games to data slash second dot vee eff", "games to data/second.vf"),
            ("book my underscore book dot p g n please", "book my_book.pgn please"),
            ("a dot on e4", "a dot on e4"),
            ("copy the pea gee en", "copy the pgn"),
            ("put the eff e n on the clipboard", "put the fen on the clipboard"),
            ("es pee are tee my changes against main", "sprt my changes against main"),
            ("s p r t at l t c", "sprt at ltc"),
            ("run double you a see with weiss", "run wac with weiss"),
            ("head against head tilde three", "head against head~3"),
            ("gate head against vee too dot zero", "gate head against v2.0"),
            ("sprt v one point three against main", "sprt v1.3 against main"),
            ("toga2 v 2 engines", "toga2 v 2 engines"),
            ("jump to the start period", "jump to the start."),
            ("offer a draw comma it is equal", "offer a draw, it is equal"),
            ("i resign full stop thanks", "i resign. thanks"),
            ("what is the threat question mark", "what is the threat?"),
            ("give move 9 a question mark", "give move 9 a question mark"),
            ("comment on move seven colon too passive", "comment on move seven: too passive"),
            ("note: a colon is no comma", "note: a colon is no comma"),
            ("describe run nine as quote first try unquote", "describe run 9 as \"first try\""),
            ("oh dash oh dash oh", "O-O-O"),
            ("on eighteen dot dot dot queen takes gee two", "on 18...Qxg2"),
            ("go to twenty two dot knight f three", "go to 22.Nf3"),
            (
                "the position before eighteen bishop takes aitch seven",
                "the position before 18.Bxh7",
            ),
            ("won games of run 7", "won games of run 7"),
            ("elo one thousand two hundred", "elo one thousand two hundred"),
            ("tune a.yaml with bays", "tune a.yaml with bayes"),
            ("show the french winner wear", "show the french winawer"),
            ("you see i lost", "you see i lost"),
            ("elo zero equals zero elo one equals five", "elo0 0 elo1 5"),
            ("compare run forty one with run forty for", "compare run 41 with run 44"),
            ("why was game thirty to of the match lost", "why was game 32 of the match lost"),
            ("take back my last to moves", "take back my last 2 moves"),
            ("show me for engine lines", "show me 4 engine lines"),
            ("look for moves", "look for moves"),
            ("elo sixteen hundred five minutes each", "elo 1600, five minutes each"),
            ("two hundred games", "two hundred games"),
        ] {
            assert_eq!(written(text), expected);
        }
    }
}
