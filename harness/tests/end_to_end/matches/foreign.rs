//! Command lines of fastchess and cutechess-cli, and hints that name the folder of reports.

use std::process::Stdio;

use crate::matches::bench::{Bench, Ended, until};

/// A book with one line, 1. e4, as Polyglot has it: key, move, weight, learning.
const BOOK: [u8; 16] = [
    0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
];

const EPD: &str = "\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - c0 \"the king's pawn\";
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -
";

/// Engines `new` and `old` as programs of this folder, and books.
fn bench() -> Bench {
    let bench = Bench::new(&[("fruit", ""), ("crafty", "--seed 2"), ("sloppy", "--seed 3")]);
    for name in ["new", "old"] {
        std::fs::copy(bench.path().join("mock"), bench.path().join(name)).expect("writable");
    }
    std::fs::write(bench.path().join("book.bin"), BOOK).expect("writable");
    std::fs::write(bench.path().join("book.epd"), EPD).expect("writable");
    std::fs::create_dir(bench.path().join("games")).expect("writable");
    bench
}

fn read(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path().join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

const NEW: &str = "-engine cmd=./new name=new";
const OLD: &str = "-engine cmd=./old name=old args=--seed\u{a0}2";

fn run(bench: &Bench, line: &str) -> Ended {
    // A word with a space inside is one argument.
    let words = line.split(' ').filter(|word| !word.is_empty());
    let words = words.map(|word| word.replace('\u{a0}', " "));
    Ended::of(bench.harness("").args(words).output().expect("the harness starts"))
}

#[test]
fn the_uses_that_the_manuals_show_are_understood() {
    let bench = bench();
    for (line, ours) in [
        // fastchess: random openings, a clock, an option for both, four games at a time.
        (
            format!(
                "{NEW} {OLD} -openings file=book.epd format=epd order=random \
                 -each tc=60+0.6 option.Hash=64 -rounds 200 -repeat -concurrency 4"
            ),
            "harness match new old --tc 60+0.6 --games 400 --order fastchess --openings",
        ),
        // fastchess: a test at a clock with as many nodes as each engine may have.
        (
            format!(
                "{NEW} option.Hash=1 nodes=2000000 {OLD} option.Hash=2 nodes=1000000 \
                 -openings file=book.epd format=epd order=random -each tc=300+5 \
                 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 \
                 -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 -rounds 100000 -concurrency 3 \
                 -pgnout notation=san nodes=true file=./games/sprt.pgn"
            ),
            "harness sprt new old --limit new:tc=300+5,nodes=2000000 --limit \
             old:tc=300+5,nodes=1000000 --max-games 200000",
        ),
        // cutechess-cli: an engine against itself at 40 moves in a minute.
        (
            "-engine cmd=./new -engine cmd=./new -each proto=uci tc=40/60 -rounds 10".to_owned(),
            "harness match new new_2 --tc 40/60 --games 20",
        ),
        // cutechess-cli: one game, an engine in a folder of its own.
        (
            format!(
                "-engine name=Atak cmd=new dir={} proto=uci -engine cmd=./old proto=uci \
                 option.Hash=1 -each tc=40/1:30+1 -games 1 -rounds 1",
                bench.path().display()
            ),
            "harness match Atak old --tc 40/1:30+1 --games 1",
        ),
        // cutechess-cli: configured engines, everybody against everybody, from a Polyglot book.
        (
            "-engine conf=fruit -engine conf=crafty -engine conf=sloppy -each tc=4 book=book.bin \
             -games 2 -rounds 10 -repeat"
                .to_owned(),
            "harness match fruit crafty sloppy --tc 4 --games 20 --format round-robin --own-openings \
             --openings book.bin",
        ),
        // fastchess: the shortcut for two engines and a book.
        (
            "-quick cmd=./new cmd=./old book=book.epd".to_owned(),
            "harness match new old --tc 10+0.1",
        ),
    ] {
        let planned = run(&bench, &format!("fastchess --dry-run {line}"));
        assert_eq!(planned.status, 0, "{line}\n{}", planned.stderr);
        assert!(planned.stderr.contains(ours), "{line}\n{}", planned.stderr);
        assert!(!bench.path().join("reports/ledger.db").exists(), "nothing may be played");
    }
    let xboard = "-engine cmd=./new -engine cmd=./new -each proto=xboard tc=40/60 -rounds 10";
    let planned = run(&bench, &format!("fastchess --dry-run {xboard}"));
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    assert!(planned.stderr.contains("harness match new new_2 --tc 40/60"), "{}", planned.stderr);
}

#[test]
fn their_short_matches_are_played_and_written() {
    let bench = bench();
    for (line, games) in [
        (
            "-each tc=10+0.1 -rounds 3 -repeat -concurrency 2 -recover -site At\u{a0}home \
             -pgnout file=out.pgn -epdout file=out.epd",
            6,
        ),
        (
            "-each tc=inf nodes=500 restart=on -rounds 1 -wait 10 -scoreinterval 2 -pgnout b.pgn min",
            2,
        ),
        (
            "-each tc=10+0.1 nodes=50 ponder=false -rounds 1 -config outname=c.json -use-affinity 0",
            2,
        ),
        ("-each depth=2 -openings file=book.epd format=epd -rounds 2 -games 2", 4),
        ("-each st=0.3 -rounds 1 -variant fischerandom -log file=l level=trace engine=true", 2),
    ] {
        let played = run(&bench, &format!("fastchess {NEW} {OLD} {line} -maxmoves 6"));
        assert_eq!(played.status, 0, "{line}\n{}", played.stderr);
        let counted = format!("Games | N: {games} ");
        assert!(played.stderr.contains(&counted), "{line}\n{}{}", played.stdout, played.stderr);
        let finished = played.stdout.matches("Finished game ").count();
        assert_eq!(finished, games, "{line}\n{}", played.stdout);
        assert!(played.stdout.contains("\nFinished match\n"), "{line}\n{}", played.stdout);
        let pgn = bench.pgn();
        assert_eq!(pgn.matches("[White \"new\"]").count(), games / 2, "{line}");
    }
    let pgn = read(&bench, "out.pgn");
    assert_eq!(pgn.matches("[Site \"At home\"]").count(), 6, "{pgn}");
    assert_eq!(read(&bench, "out.epd").lines().count(), 6);
    assert!(!read(&bench, "b.pgn").contains('{'));
    // In file order, each twice; what is there already stays unless it is to be written anew.
    let again = "-each depth=2 -openings file=book.epd -rounds 1 -maxmoves 6";
    for (append, games) in [("true", 2), ("true", 4), ("false", 2)] {
        run(&bench, &format!("fastchess {NEW} {OLD} {again} -pgnout file=o.pgn append={append}"));
        let pgn = read(&bench, "o.pgn");
        assert_eq!(pgn.matches("[Result ").count(), games, "{append}");
        assert_eq!(pgn.matches("[FEN \"rnbqkbnr/pppppppp/8/8/4P3/").count(), games, "{append}");
    }
}

#[test]
fn what_is_wrong_is_told_before_a_game_is_played() {
    let bench = bench();
    for (line, says) in [
        ("-enigne cmd=b", "do you mean `-engine`?"),
        ("-each tc=inf", "nothing ends the searches of new"),
        ("-each nodes=1 -openings file=missing.epd", "missing.epd"),
        ("-each nodes=1 -pgnout file=missing/x.pgn", "missing/x.pgn"),
        ("-each nodes=1 -config outname=missing/x.json", "missing/x.json"),
        ("-each nodes=1 -engine cmd=./nowhere", "nowhere"),
        ("-each nodes=1 -srand -1", "a whole number of at least 0"),
        ("-each nodes=1 -variant shogi", "`harness docs from-fastchess`"),
    ] {
        run(&bench, &format!("fastchess {NEW} {OLD} {line}")).assert_fails(2, &[says]);
        assert!(!bench.path().join("reports/ledger.db").exists(), "{line}");
    }
}

#[test]
fn other_questions_are_answered() {
    let bench = bench();
    let page = run(&bench, "docs from-fastchess").stdout;
    assert!(page.starts_with("# From fastchess and cutechess-cli"));
    for line in ["fastchess --help", "fastchess -help", "fastchess"] {
        assert_eq!(run(&bench, line).stdout, page, "{line}");
    }
    assert!(run(&bench, "fastchess -version").stdout.starts_with("harness "));
    assert_eq!(run(&bench, "fastchess -engines").stdout, "crafty\nfruit\nsloppy\n");
    let checked = run(&bench, "fastchess --compliance ./new");
    assert!(checked.stderr.contains("harness check ./new"), "{}", checked.stderr);
    run(&bench, "docs gats").assert_fails(2, &["did you mean `gate`?"]);
    assert!(run(&bench, "docs").stdout.contains("from-fastchess"));
}

#[test]
fn hints_carry_the_folder_of_reports() {
    let bench = Bench::new(&[("a", "--delay 5"), ("b", "--seed 2 --delay 5")]);
    bench.run("--reports other resume last").assert_fails(2, &["--reports"]);
    let line = "--reports other match a b --nodes 1 --games 4000 --jobs 1";
    let mut playing = bench.harness(line);
    let playing = playing.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    until("no game is kept", || {
        let runs = bench.run("--reports other runs --json").stdout;
        runs.contains("\"games\":") && !runs.contains("\"games\":0")
    });
    let id = rustix::process::Pid::from_child(&playing);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
    let ended = Ended::of(playing.wait_with_output().expect("it ends"));
    assert_eq!(ended.status, 130);
    assert!(ended.stderr.contains("`harness --reports other resume "), "{}", ended.stderr);
    let listed = bench.run("--reports other runs").stdout;
    assert!(listed.contains("`harness --reports other resume "), "{listed}");
    let unknown = bench.run("--reports other report nothing");
    unknown.assert_fails(2, &["`harness --reports other runs` lists all runs"]);
}
