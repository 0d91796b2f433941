//! `harness data` on real games, read back with the rules of chess in hand.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use crate::common::{self, shown};
use crate::needs::python_with_chess;

fn harness(folder: &Path, args: &[&str]) -> Output {
    common::harness(folder, args).output().expect("ran")
}

#[test]
fn positions_of_a_run_are_what_the_filters_allow() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let args =
        ["match", "builtin", "builtin", "--nodes", "400", "--games", "20", "--quiet", "--collect"];
    let played = harness(folder, &args);
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    let collect = ["data", "view", "last", "--keep", "winner", "-o", "a.csv", "--json"];
    let output = harness(folder, &collect);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(output["games"], 20);
    let dropped: u64 =
        output["dropped"].as_object().expect("reasons").values().filter_map(Value::as_u64).sum();
    let kept = output["kept"].as_u64().expect("a number");
    assert_eq!(kept + dropped, output["positions"].as_u64().expect("a number"));
    assert!(kept > 50, "{output}");

    // By the rules, and by nothing of ours.
    let mut reader = csv::Reader::from_path(folder.join("a.csv")).expect("CSV");
    let mut rows = 0;
    for row in reader.records() {
        let row = row.expect("a row");
        let fen: Fen = row[0].parse().expect("a FEN");
        let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
        let uci: UciMove = row[4].parse().expect("a move");
        let played = uci.to_move(&position).expect("a legal move");
        assert!(!position.is_check() && !played.is_capture() && !played.is_promotion(), "{row:?}");
        let (score, result): (i32, f64) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        let ply: u32 = row[3].parse().unwrap();
        assert!(score.abs() <= 2000 && ply >= 16, "{row:?}");
        // The side to move won.
        assert_eq!(result, if position.turn().is_white() { 1.0 } else { 0.0 }, "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, kept);

    let again = harness(folder, &["data", "collect", "last", "--keep", "winner", "-o", "b.csv"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
    let [a, b] = ["a.csv", "b.csv"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(a, b, "the same games give the same file");
    let run = fs::read_dir(folder.join("reports/runs")).expect("runs").next().expect("a run");
    let collected = run.expect("a run").path().join("positions.csv");
    assert_eq!(fs::read_to_string(collected).expect("--collect"), a);

    let good = harness(folder, &["data", "validate", "a.csv"]);
    assert_eq!(good.status.code(), Some(0), "{}", shown(&good));
    let stricter = harness(folder, &["data", "validate", "a.csv", "--max-score", "10"]);
    assert_eq!(stricter.status.code(), Some(1), "{}", shown(&stricter));
    let second = a.lines().nth(1).expect("a record");
    fs::write(folder.join("bad.csv"), format!("{a}{}\n", second.replacen('/', "//", 1))).unwrap();
    let bad = harness(folder, &["data", "validate", "bad.csv"]);
    let place = format!("bad.csv:{}", a.lines().count() + 1);
    assert_eq!(bad.status.code(), Some(4), "{}", shown(&bad));
    assert!(shown(&bad).contains(&place), "{}", shown(&bad));
}

#[test]
fn what_is_no_source_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (source, word) in [("missing.pgn", "missing.pgn"), ("last", "no runs")] {
        let output = harness(folder.path(), &["data", "collect", source, "-o", "x.csv"]);
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        assert!(shown(&output).contains(word), "{}", shown(&output));
    }
    fs::write(folder.path().join("bad.pgn"), "just words\n").unwrap();
    let output = harness(folder.path(), &["data", "collect", "bad.pgn", "-o", "x.csv"]);
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(shown(&output).contains("this is not PGN"), "{}", shown(&output));
}

#[test]
fn one_illegal_game_is_left_out_with_its_place_or_ends_a_strict_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let bad = "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n";
    let good = "[White \"b\"]\n[Result \"1-0\"]\n\n1. d2-d4 \u{b1} d5= 1-0\n";
    fs::write(folder.join("x.pgn"), format!("{bad}{good}")).expect("written");
    let dropped = serde_json::json!({ "illegal_move": 1 });
    for line in ["data convert x.pgn -o c.csv", "data view x.pgn --unscored --min-ply 0 -o v.csv"] {
        assert_eq!(json_of(folder, line)["games_dropped"], dropped, "{line}");
    }
    assert_eq!(fs::read_to_string(folder.join("c.csv")).expect("written").lines().count(), 3);
    let printed = harness(folder, &["data", "convert", "x.pgn", "-o", "-"]);
    let told = String::from_utf8_lossy(&printed.stderr).into_owned();
    assert_eq!(printed.status.code(), Some(0), "{told}");
    assert!(told.contains("x.pgn:4: `Ke3` is no legal move (2.)"), "{told}");
    let strict = harness(folder, &["data", "convert", "x.pgn", "-o", "c.csv", "--strict"]);
    assert_eq!(strict.status.code(), Some(4), "{}", shown(&strict));
    assert!(shown(&strict).contains("game 1: line 4: `Ke3`"), "{}", shown(&strict));
}

/// Runs it, and gives its one JSON object.
fn json_of(folder: &Path, line: &str) -> Value {
    let args: Vec<&str> = line.split_whitespace().chain(["--json"]).collect();
    let output = harness(folder, &args);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

const GENERATE: &str = "data generate --nodes 300 --balance 300 --seed 5 --quiet";

#[test]
fn games_follow_from_the_seed_alone_and_go_on_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = json_of(folder, &format!("{GENERATE} --games 6 --jobs 1 -o a.games"));
    assert_eq!(made["games"], 6);
    json_of(folder, &format!("{GENERATE} --games 6 --jobs 3 -o b.games"));
    let read = |name: &str| fs::read(folder.join(name)).expect(name);
    assert_eq!(read("a.games"), read("b.games"));
    json_of(folder, &format!("{GENERATE} --games 3 --jobs 2 -o c.games"));
    assert!(read("a.games").starts_with(&read("c.games")));

    // As a kill leaves it: within a game.
    fs::write(folder.join("c.games"), &read("a.games")[..read("c.games").len() + 50]).unwrap();
    let again =
        harness(folder, &format!("{GENERATE} --games 6 -o c.games").split(' ').collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(2), "{}", shown(&again));
    let resumed = json_of(folder, &format!("{GENERATE} --games 6 --jobs 2 --resume -o c.games"));
    assert_eq!(resumed["games"], 6);
    assert_eq!(read("a.games"), read("c.games"));
    let line = GENERATE.replace("--seed 5", "--seed 6");
    let line = format!("{line} --games 9 --resume -o c.games");
    let other = harness(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(other.status.code(), Some(2), "{}", shown(&other));
    assert!(shown(&other).contains("seed: 5"), "{}", shown(&other));
}

#[test]
fn from_games_to_a_file_to_train_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    json_of(folder, &format!("{GENERATE} --games 8 -o all.games"));
    json_of(folder, "data split all.games -o learn.games judge.games --share 0.4 --seed 3");
    let [learn, judge] = ["learn.games", "judge.games"]
        .map(|name| json_of(folder, &format!("data stats {name}"))["games"].as_u64().unwrap());
    assert_eq!(learn + judge, 8);
    assert!(learn > 0 && judge > 0);

    let view = "data view all.games --keep all --min-ply 0 --unique";
    let viewed = json_of(folder, &format!("{view} -o quiet.bin"));
    let kept = viewed["kept"].as_u64().expect("a number");
    let dropped = viewed["dropped"].as_object().expect("reasons").values();
    let dropped: u64 = dropped.filter_map(Value::as_u64).sum();
    assert_eq!(kept + dropped, viewed["positions"].as_u64().expect("a number"));
    assert_eq!(fs::metadata(folder.join("quiet.bin")).expect("written").len(), 32 * kept);
    let checked = json_of(folder, "data validate quiet.bin");
    assert_eq!(checked["records"].as_u64(), Some(kept));
    let again = json_of(folder, "data dedup quiet.bin quiet.bin -o once.bin");
    assert_eq!((again["written"].as_u64(), again["repeated"].as_u64()), (Some(kept), Some(kept)));
    json_of(folder, "data shuffle quiet.bin -o train.bin --seed 2");
    let bytes = |name: &str| {
        let mut records: Vec<Vec<u8>> =
            fs::read(folder.join(name)).expect(name).chunks(32).map(<[u8]>::to_vec).collect();
        let order = records.clone();
        records.sort();
        (records, order)
    };
    let ((a, in_order), (b, shuffled)) = (bytes("quiet.bin"), bytes("train.bin"));
    assert!(a == b && in_order != shuffled);
    let rows = json_of(folder, "data convert quiet.bin -o quiet.h5");
    assert_eq!(rows["positions"].as_u64(), Some(kept));
    let both = json_of(folder, "data merge quiet.h5 quiet.bin -o both.csv");
    assert_eq!(both["positions"].as_u64(), Some(2 * kept));
    assert_eq!(json_of(folder, "data dedup both.csv -o once.h5")["written"].as_u64(), Some(kept));
    assert_eq!(json_of(folder, "data validate once.h5")["records"].as_u64(), Some(kept));
    let sampled = json_of(folder, "data sample train.bin -o few.csv --count 10");
    assert_eq!((sampled["written"].as_u64(), sampled["read"].as_u64()), (Some(10), Some(kept)));

    let stats = json_of(folder, "data stats quiet.bin --html page.html");
    assert_eq!(stats["positions"].as_u64(), Some(kept));
    assert_eq!(stats["white_to_move"].as_u64(), Some(kept), "bulletformat turns the board");
    let page = fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("Score for the side to move"), "{page}");

    let mut damaged = fs::read(folder.join("train.bin")).expect("read");
    damaged[64 + 26] = 7;
    fs::write(folder.join("damaged.bin"), damaged).expect("written");
    for line in ["data validate damaged.bin", "data shuffle damaged.bin -o x.bin"] {
        let output = harness(folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
        assert!(shown(&output).contains("damaged.bin: byte 64"), "{}", shown(&output));
    }
    assert!(!folder.join("x.bin").exists(), "an unfinished file is no file");
}

/// Lines of a file that another process writes; none while there is no file.
fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn an_engine_is_asked_once_a_position_and_a_kill_loses_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    json_of(folder, &format!("{GENERATE} --games 4 -o all.games"));
    let line = "data import all.games all.games --engine builtin --option Hash=1 --nodes 2000";
    let whole = json_of(folder, &format!("{line} -o whole.csv --jobs 2 --quiet"));
    let count = |output: &Value, key: &str| output[key].as_u64().expect("a number");
    let (asked, positions) = (count(&whole, "asked"), count(&whole, "positions"));
    assert!(asked > 100 && positions >= 2 * asked, "{whole}");

    let killed = format!("{line} -o killed.csv --jobs 1 --quiet");
    let mut process = common::harness(folder, killed.split(' ')).spawn().expect("started");
    let answers = folder.join("killed.csv.answers");
    while lines(&answers) < 5 && process.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    process.kill().expect("killed");
    process.wait().expect("ended");
    assert!(!folder.join("killed.csv").exists(), "an unfinished file is no file");
    let known = lines(&answers) as u64 - 1;
    // As a kill leaves it: within a line.
    let torn = [fs::read(&answers).expect("answers"), b"0123".to_vec()].concat();
    fs::write(&answers, torn).expect("written");
    for (line, says) in [
        (killed.clone(), "--resume"),
        (killed.replace("2000", "3000 --resume"), "nodes=2000"),
        (killed.replace("Hash=1", "Hash=2 --resume"), "Hash=1"),
    ] {
        let refused = harness(folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(2), "{}", shown(&refused));
        assert!(shown(&refused).contains(says), "{}", shown(&refused));
    }
    let resumed = json_of(folder, &format!("{killed} --resume"));
    assert_eq!((count(&resumed, "asked"), count(&resumed, "known")), (asked - known, known));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    assert!(read("whole.csv") == read("killed.csv"));
    assert!(!answers.exists());
    assert_eq!(json_of(folder, "data validate whole.csv")["records"].as_u64(), Some(positions));

    let games = json_of(folder, &format!("{} -o again.games --quiet", line.replace("2000", "400")));
    assert_eq!((count(&games, "games"), count(&games, "positions")), (8, positions));
}

#[test]
fn what_an_engine_cannot_say_is_left_out_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let fens = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n\
        7k/5Q2/8/8/8/8/8/K7 b - - 0 1\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n";
    fs::write(folder.join("some.epd"), fens).expect("written");
    let line = "data import some.epd --engine builtin --depth 3 --quiet";
    let csv = json_of(folder, &format!("{line} -o some.csv"));
    assert_eq!(
        (&csv["positions"], &csv["asked"], &csv["dropped"]["over"]),
        (&1.into(), &1.into(), &2.into())
    );
    // No result is known, which bulletformat needs.
    let bin = json_of(folder, &format!("{line} -o some.bin"));
    assert_eq!((&bin["positions"], &bin["dropped"]["no_result"]), (&0.into(), &1.into()));
    let h5 = json_of(folder, "data dedup some.epd -o some.h5");
    assert_eq!((&h5["read"], &h5["written"]), (&3.into(), &0.into()));
    for line in [
        format!("{line} -o some.games"),
        format!("{line} -o -"),
        line.replace("--depth 3", "-o x.csv"),
        line.replace("builtin", "no-such-engine -o x.csv"),
    ] {
        let refused = harness(folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(2), "{}", shown(&refused));
    }
    assert!(!folder.join("x.csv.answers").exists());
}

#[test]
fn both_sides_results_are_kept_and_shown_as_whose_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    json_of(folder, &format!("{GENERATE} --games 12 -o all.games"));
    let results = |file: &str| {
        let output = json_of(folder, &format!("data stats {file}"));
        let results = output["results"].as_array().expect("three").clone();
        let numbers: Vec<u64> = results.iter().filter_map(Value::as_u64).collect();
        (output["white_to_move"].as_u64(), output["positions"].as_u64(), numbers)
    };
    json_of(folder, "data view all.games --unique -o a.bin");
    let (_, _, both) = results("a.bin");
    assert!(both[0] > 0 && both[2] > 0, "{both:?}");
    json_of(folder, "data view all.games --unique --keep winner -o winners.bin");
    let (_, _, winners) = results("winners.bin");
    assert!(winners[0] > 0 && winners[1..] == [0, 0], "{winners:?}");
    // The side to move goes into one of the two formats of 32 bytes.
    json_of(folder, "data view all.games --unique -o a.marlin");
    let (white, positions, _) = results("a.marlin");
    assert!(white > Some(0) && white < positions, "{white:?} of {positions:?}");
    for (file, says, never) in [
        ("winners.bin", "the side to move won", "White"),
        ("a.marlin", "White won", "side to move won"),
    ] {
        let shown = shown(&harness(folder, &["data", "stats", file]));
        assert!(shown.contains(says) && !shown.contains(never), "{shown}");
    }
}

#[test]
fn damaged_records_are_refused_by_whatever_reads_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    json_of(folder, &format!("{GENERATE} --games 4 -o all.games"));
    for ending in ["bin", "marlin"] {
        json_of(folder, &format!("data view all.games --min-ply 0 -o good.{ending}"));
        let mut bytes = fs::read(folder.join(format!("good.{ending}"))).expect("read");
        bytes[648] = 0xff;
        let damaged = format!("damaged.{ending}");
        fs::write(folder.join(&damaged), bytes).expect("written");
        for line in [
            format!("data dedup {damaged} -o x.{ending}"),
            format!("data shuffle {damaged} -o x.{ending}"),
            format!("data split {damaged} -o x.{ending} y.{ending}"),
            format!("data sample {damaged} -o x.{ending} --share 1"),
            format!("data merge {damaged} -o x.csv"),
            format!("data view {damaged} -o x.csv"),
            format!("data stats {damaged}"),
            format!("data validate {damaged}"),
        ] {
            let output = harness(folder, &line.split(' ').collect::<Vec<_>>());
            let shown = shown(&output);
            assert_eq!(output.status.code(), Some(4), "{line}: {shown}");
            assert!(shown.contains(&damaged) && shown.contains("record 21"), "{line}: {shown}");
            for left in [format!("x.{ending}"), "x.csv".to_owned()] {
                assert!(!folder.join(left).exists(), "{line}");
            }
        }
    }
}

const FLAWED: &str = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n\
    [White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. d4 0-1\n\n\
    [White \"a\"]\n[Black \"b\"]\n[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n1. Nf3 f6 2. Ne5 1-0\n\n\
    [White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n";

#[test]
fn games_that_contradict_themselves_are_counted_wherever_a_pgn_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("x.pgn"), FLAWED).expect("written");
    let dropped = serde_json::json!({ "other_variant": 1, "two_results": 1 });
    let corrected = serde_json::json!({ "board_decides": 1 });
    for line in [
        "data view x.pgn --unscored --min-ply 0 -o v.csv",
        "data convert x.pgn -o c.csv",
        "data merge x.pgn -o m.games",
        "data import x.pgn -o i.csv --engine builtin --depth 1 --quiet",
        "data split x.pgn -o l.csv s.csv",
        "data sample x.pgn -o f.csv --share 1",
        "data dedup x.pgn -o d.csv",
        "data stats x.pgn",
        "data validate x.pgn",
        "openings polyglot x.pgn --min-games 1 -o p.bin",
        "stats --pgn x.pgn",
    ] {
        let output = json_of(folder, line);
        assert_eq!(output["games_dropped"], dropped, "{line}: {output}");
        assert_eq!(output["games_corrected"], corrected, "{line}: {output}");
        let text: Vec<&str> = line.split(' ').collect();
        // Results of other commands must not stand in the way.
        fs::remove_file(folder.join("i.csv")).ok();
        let shown = shown(&harness(folder, &text));
        assert!(shown.contains("Variant tag") && shown.contains("checkmate"), "{line}: {shown}");
    }
    let csv = fs::read_to_string(folder.join("c.csv")).expect("written");
    assert_eq!(csv.lines().count(), 1 + 4 + 2, "{csv}");
    assert!(csv.lines().nth(1).is_some_and(|line| line.contains(",0.0,")), "{csv}");
    let rated = json_of(folder, "stats --pgn x.pgn");
    assert_eq!(rated["games"], 2, "{rated}");
}

/// Compresses a text.
type Pack<'a> = &'a dyn Fn(&str) -> Vec<u8>;

#[test]
fn compressed_games_and_books_are_read_wherever_plain_ones_are() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let pgn = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
        [White \"b\"]\n[Black \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n";
    let epd = "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"mate\";\n";
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("packed");
        encoder.finish().expect("packed")
    };
    let bzip = |text: &str| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("packed");
        encoder.finish().expect("packed")
    };
    let zstd = |text: &str| {
        let fastest = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(text.as_bytes(), fastest)
    };
    let pack: [(&str, Pack<'_>); 4] =
        [("", &|text| text.as_bytes().to_vec()), (".gz", &gzip), (".bz2", &bzip), (".zst", &zstd)];
    for (ending, pack) in pack {
        fs::write(folder.join(format!("g.pgn{ending}")), pack(pgn)).expect("written");
        fs::write(folder.join(format!("s.epd{ending}")), pack(epd)).expect("written");
        let rated = json_of(folder, &format!("stats --pgn g.pgn{ending}"));
        assert_eq!(rated["games"], 2, "{ending}: {rated}");
        let line = format!("openings polyglot g.pgn{ending} --min-games 2 -o b.bin");
        assert_eq!(json_of(folder, &line)["moves"], 2, "{ending}");
        let suite = json_of(folder, &format!("suite ./s.epd{ending} builtin --nodes 2000 --quiet"));
        assert_eq!(
            suite["solved"].as_u64().or(suite["engines"][0]["solved"].as_u64()),
            Some(1),
            "{suite}"
        );
        for book in ["g.pgn", "s.epd"] {
            let play = "match builtin builtin --nodes 50 --games 2 --max-moves 5 --quiet";
            let played = json_of(folder, &format!("{play} --openings {book}{ending}"));
            assert_eq!(played["games"], 2, "{played}");
        }
    }
    fs::write(folder.join("cut.pgn.gz"), &gzip(pgn)[..30]).expect("written");
    for line in ["stats --pgn cut.pgn.gz", "match builtin builtin --openings cut.pgn.gz"] {
        let output = harness(folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{line}: {}", shown(&output));
        assert!(shown(&output).contains("cut.pgn.gz"), "{line}: {}", shown(&output));
    }
}

#[test]
fn a_win_rate_model_is_fitted_to_generated_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let generate =
        ["data", "generate", "--games", "60", "--nodes", "60", "-o", "a.games", "--quiet"];
    let generated = harness(folder, &generate);
    assert_eq!(generated.status.code(), Some(0), "{}", shown(&generated));
    let fitted = harness(folder, &["data", "wdl", "a.games", "--chart", "a.svg", "--json"]);
    assert_eq!(fitted.status.code(), Some(0), "{}", shown(&fitted));
    let model: Value = serde_json::from_slice(&fitted.stdout).expect("one JSON object");
    assert_eq!(model["games"], 60);
    assert!(model["positions"].as_u64().is_some_and(|positions| positions > 1000), "{model}");
    // Less than the entropy of three results that are equally likely.
    assert!(model["loss"].as_f64().is_some_and(|loss| loss < 3f64.ln()), "{model}");
    assert_eq!(model["half"].as_array().map(Vec::len), Some(4));
    let chart = fs::read_to_string(folder.join("a.svg")).expect("--chart");
    assert!(chart.starts_with("<svg") && chart.contains("polyline"), "{chart}");
    let text = harness(folder, &["data", "wdl", "a.games", "--quiet"]);
    assert!(shown(&text).contains("const HALF: [f64; 4] = ["), "{}", shown(&text));
    fs::write(folder.join("bare.epd"), "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n").expect("written");
    let bare = harness(folder, &["data", "wdl", "bare.epd"]);
    assert_eq!(bare.status.code(), Some(2), "{}", shown(&bare));
}

#[test]
fn a_binpack_says_the_same_to_a_reader_that_shares_nothing_with_ours() {
    let Some(python) = python_with_chess() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    json_of(folder, &format!("{GENERATE} --games 30 -o a.games"));
    let converted = json_of(folder, "data convert a.games -o a.binpack");
    assert_eq!(converted["games"], 30);
    json_of(folder, "data convert a.games -o a.csv");
    let path = folder.join("a.binpack");
    let read = common::python(&python, "binpack_reader.py", &[path.as_ref()]);
    let mut theirs = read.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let mut rows = csv::Reader::from_path(folder.join("a.csv")).expect("CSV");
    let mut count = 0;
    for row in rows.records() {
        let row = row.expect("a row");
        let theirs: Value = theirs.next().expect("as many positions");
        let sign = if row[0].contains(" w ") { 1 } else { -1 };
        let result = (2.0 * row[2].parse::<f64>().expect("a result")) as i64 - 1;
        let score = row[1].parse::<i64>().ok().map(|score| sign * score);
        let wanted = serde_json::json!({
            "fen": row[0], "move": row[4], "score": score, "result": sign * result,
            "ply": row[3].parse::<u64>().expect("a ply"),
        });
        assert_eq!(theirs, wanted);
        count += 1;
    }
    assert!(theirs.next().is_none() && count > 500, "{count} positions");
    // Back again, but for the depths.
    json_of(folder, "data convert a.binpack -o b.vf");
    json_of(folder, "data convert a.games -o a.vf");
    let [a, b] = ["a.vf", "b.vf"].map(|name| fs::read(folder.join(name)).expect(name));
    assert_eq!(a, b);
}
