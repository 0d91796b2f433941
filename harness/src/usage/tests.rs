use clap::{CommandFactory, Parser};

use super::*;
use crate::cli::Cli;

/// The error of a command line, for people.
fn error_of(line: &str) -> String {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let joined = join_numbers(words.iter().map(OsString::from));
    let parsed = Cli::try_parse_from(std::iter::once(OsString::from("harness")).chain(joined));
    explain(parsed.expect_err(line), Cli::command(), &words).to_string()
}

#[test]
fn a_number_that_is_refused_gets_the_range_of_its_flag() {
    let above_zero = "it takes a whole number of at least 1";
    for (line, says) in [
        ("match a b --games -4", "from 1 to 1,000,000,000"),
        ("match a b --games 0", "from 1 to 1,000,000,000"),
        ("match a b --games four", "from 1 to 1,000,000,000"),
        ("match a b --games 99999999999999999999", "from 1 to 1,000,000,000"),
        ("match a b --games=-4", "from 1 to 1,000,000,000"),
        ("match a b --games 2.5", "from 1 to 1,000,000,000"),
        ("match a b --jobs 0", "from 1 to 1,024"),
        ("match a b --jobs -2", "default: one a core"),
        ("match a b --nodes 0", above_zero),
        ("match a b --nodes -5", above_zero),
        ("match a b --depth 0", "from 1 to 255"),
        ("match a b --depth 300", "from 1 to 255"),
        ("match a b --opening-count 0", above_zero),
        ("match a b --on-event-every 0", above_zero),
        ("history --commits 0", above_zero),
        ("match a b --seed -1", "at least 0"),
        ("match a b --seed x", "at least 0"),
        ("match a b --max-moves -1", above_zero),
        ("match a b --time-margin -1", "at least 0"),
        ("match a b --tb x --tb-pieces 9", "from 2 to 7"),
        ("sprt a b --max-games -4", "from 1 to 1,000,000,000"),
        ("sprt a b --elo0 x", "a number"),
        ("bisect a b --batch 0", "from 1 to 100,000"),
        ("suite wac --nodes -1 a", above_zero),
        ("data generate -o x --nodes 0", above_zero),
        ("tune run x.yaml --jobs 0", "from 1 to 1,024"),
        ("speed a --depth 0", "from 1 to 200"),
        ("calibrate --levels x", "at least 0"),
        ("serve --port x", "from 1 to 65,535"),
    ] {
        let text = error_of(line);
        assert!(text.contains("invalid value"), "{line}: {text}");
        assert!(text.contains(says), "{line}: {text}");
        for jargon in ["digit found", "target type", "is not in", "use '--"] {
            assert!(!text.contains(jargon), "{line}: {text}");
        }
    }
}

#[test]
fn a_time_below_zero_is_a_wrong_value_and_no_unknown_flag() {
    for line in [
        "match a b --tc -5",
        "match a b --tc -5+0.1",
        "match a b --movetime -5",
        "match a b --movetime -5ms",
        "match a b --movetime -.5s",
        "match a b --watchdog -1s",
    ] {
        let text = error_of(line);
        assert!(text.contains("invalid value '-") && text.contains("tip: `--"), "{line}: {text}");
    }
}

#[test]
fn numbers_below_zero_are_values_where_they_make_sense() {
    for line in ["sprt a b --elo0 -5 --elo1 0", "sprt a b --elo0 -0.5 --elo1 -.25"] {
        let words = join_numbers(line.split(' ').map(OsString::from));
        let parsed = Cli::try_parse_from(std::iter::once(OsString::from("harness")).chain(words));
        assert!(parsed.is_ok(), "{line}");
    }
    let words = ["a", "--b", "-4", "--", "--c", "-4", "-d", "-4"].map(OsString::from);
    assert_eq!(join_numbers(words), ["a", "--b=-4", "--", "--c", "-4", "-d", "-4"]);
}

#[test]
fn an_unknown_flag_gets_a_tip_that_fits_the_command() {
    for (line, says, not) in [
        ("sprt a b --games 4", "`--max-games N`: Give up after this many games", "a round"),
        ("match a b --game 4", "`--games N`", "to pass"),
        ("match a b --node 4", "`--nodes N`", "to pass"),
        ("match a b --hash 16", "`--option Hash=64`", "to pass"),
        ("match a b --threads=2", "`--option Threads=2`", "to pass"),
        ("match a b --Threads 2", "`--option Threads=2`", "to pass"),
        ("match a b --max_moves 200", "`--max-moves N`", "to pass"),
        ("match a b --elo0 3", "`--elo0` is a flag of `harness race`, `harness sprt`", "to pass"),
        ("check a --tc 3", "`--tc` is a flag of `harness", "to pass"),
        ("runs --pgn x", "`--pgn` is a flag of `harness stats`", "to pass"),
        ("match a b --zzz", "Usage: harness match [OPTIONS] <ENGINE>", "tip:"),
        ("match a b -x", "unexpected argument '-x'", "tip:"),
        ("match a b --rounds 4", "`--games 2N`", "--on"),
        ("match a b -rounds 4", "`--games 2N`", "to pass"),
        ("sprt a b --concurrency 4", "`--jobs N`", "--on"),
        ("data generate -o x.games --concurrency 4", "there is `--jobs N`", "--on"),
        ("sprt a b --maxmoves 4", "`--max-moves N`", "to pass"),
        ("match a b --syzygy-path x", "there is `--tb ", "harness work"),
        ("match a b --Tablebases x", "there is `--tb ", "to pass"),
        ("match a b --time_control 8", "there is `--tc ", "to pass"),
        ("match a b --book x.epd", "there is `--openings ", "to pass"),
        ("match a b --srand 4", "`--seed N`", "to pass"),
        ("match a b -recover", "a crash never ends a match", "to pass"),
        ("match -engine cmd=a", "`harness fastchess ARGS...`", "to pass"),
        (
            "--jobs 2 match a b",
            "it goes behind the command: `harness match --jobs ...`",
            "there is",
        ),
        ("data --seed=4 generate -o x", "`harness data generate --seed ...`", "there is"),
        ("gate init --templat", "`--template`", "--output -"),
        ("--reports match runs --zzz", "Usage: harness runs", "tip:"),
    ] {
        let text = error_of(line);
        assert!(text.contains(says), "{line}: {text}");
        assert!(!text.contains(not), "{line}: {text}");
    }
}

#[test]
fn an_unknown_command_gets_the_one_that_was_meant_or_all() {
    for (line, says, not) in [
        ("mach a b", "there is `harness match`", "watch"),
        ("sprit a b", "there is `harness sprt`", "match"),
        ("foo", "bisect, calibrate, check,", "there is"),
        ("test", "bisect, calibrate, check,", "there is"),
        ("data convrt x", "there is `harness data convert`", "match"),
        ("openings foo", "the commands are generate, polyglot", "there is"),
    ] {
        let text = error_of(line);
        assert!(text.contains(says) && !text.contains(not), "{line}: {text}");
    }
}
