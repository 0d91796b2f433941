use std::path::PathBuf;

use clap::Parser;

use super::super::table::{FLAGS, Takes, Value};
use super::*;
use crate::commands::fastchess::Ours;
use crate::config::{Definition, EngineEntry};

const ENGINES: &str = "-engine cmd=a -engine cmd=b -each nodes=5";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// The run that a line asks for; its words are understood by our own command line.
fn translated(line: &str) -> Result<Translation, TranslationError> {
    match translate(&words(line), Dialect::Fastchess)? {
        Task::Play(said) => {
            let ours = std::iter::once("harness".to_owned()).chain(said.words.clone());
            if let Err(error) = Ours::try_parse_from(ours) {
                panic!("{line}\n{}\n{error}", said.words.join(" "));
            }
            Ok(*said)
        }
        other => panic!("{other:?}"),
    }
}

/// The words before the definitions of engines, in one line.
fn flags_of(said: &Translation) -> String {
    let words = said.words.split(|word| word == "--define").next().unwrap_or_default();
    words.join(" ")
}

/// The engines that the words define.
fn definitions(said: &Translation) -> Vec<Definition> {
    let pairs = said.words.windows(2).filter(|pair| pair[0] == "--define");
    pairs.map(|pair| pair[1].parse().expect("a definition")).collect()
}

#[test]
fn a_usual_test_is_said_in_our_words() {
    let said = translated(
        "-engine cmd=/bin/new name=new option.Threads=2 -engine cmd=old name=old \
         -each tc=8+0.08 timemargin=20 option.Hash=16 proto=uci -rounds 500 -repeat \
         -concurrency 4 -openings file=b.epd format=epd order=random \
         -sprt elo0=-5 elo1=0 alpha=0.05 beta=0.05 model=normalized \
         -resign movecount=3 score=600 -draw movenumber=40 movecount=8 score=10 -recover \
         -pgnout file=out.pgn -tb /tables;/more -tbpieces 5 -tbignore50 -tbadjudicate WIN_LOSS",
    )
    .expect("understood");
    assert_eq!(
        flags_of(&said),
        "sprt new old --tc 8+0.08 --max-games 1000 --order fastchess --openings b.epd --elo0=-5 \
         --elo1 0 --alpha 0.05 --beta 0.05 --model normalized --resign-moves 3 --resign-score 600 \
         --draw-from 40 --draw-moves 8 --draw-score 10 --tb /tables:/more --tb-pieces 5 \
         --tb-ignore-50 --tb-results wins --time-margin 20 --jobs 4"
    );
    assert_eq!(said.outputs.pgn.as_ref().expect("asked for").file, Some(PathBuf::from("out.pgn")));
    assert_eq!(said.notes, [""; 0]);
    let Definition { name, entry: new } = &definitions(&said)[0];
    assert_eq!((name.as_str(), new.cmd.as_str()), ("new", "/bin/new"));
    let options: Vec<String> =
        new.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(options, ["Hash=16", "Threads=2"]);
}

#[test]
fn tournaments_colours_protocols_and_logs_are_said_in_our_words() {
    let three =
        "-engine cmd=a -engine cmd=b -engine cmd=c -each nodes=5 -rounds 1 -openings file=x";
    for (line, ours) in [
        ("-tournament knockout", "--format knockout"),
        ("-tournament pyramid", "--format pyramid"),
        ("-tournament gauntlet -seeds 2", "--format gauntlet --seeds 2 --seeds-meet"),
        ("-noswap -reverse", "--format round-robin --no-swap --reverse"),
        ("-openings policy=encounter", "--format round-robin --own-openings"),
        ("-openings policy=default", "--format round-robin --own-openings"),
        ("-openings policy=round", "--format round-robin --order"),
        ("-wait 250", "--wait 250ms"),
        ("-each ponder", "--ponder"),
        ("-each tc=60hg", ":tc=60hg,nodes=5"),
        ("-log file=l engine=true", "--log-uci"),
        ("-debug all", "--log-uci"),
        ("-pgnout file=g pv=true nps=true", "--pgn-comments pv,nps"),
        ("-pgnout file=g pv=true pv=false seldepth=true", "--pgn-comments seldepth"),
    ] {
        let said = translated(&format!("{three} {line}")).expect(line).words.join(" ");
        assert!(said.contains(ours), "{line}: {said}");
    }
    for line in ["-each ponder=off", "-openings policy=round", "-log file=l", "-wait 0"] {
        let said = translated(&format!("{three} {line}")).expect(line).words.join(" ");
        for ours in ["--ponder", "--log-uci", "--wait"] {
            assert!(!said.contains(ours), "{line}: {said}");
        }
        assert_eq!(said.contains("--own-openings"), !line.contains("round"), "{line}: {said}");
    }
    // fastchess keeps as many openings of the book as there are rounds; cutechess-cli reads on.
    for (dialect, count) in
        [(Dialect::Fastchess, Some("--opening-count 1 ")), (Dialect::Cutechess, None)]
    {
        let task = translate(&words(three), dialect).expect("it is understood");
        let Task::Play(said) = task else { panic!("{task:?}") };
        let said = said.words.join(" ");
        assert_eq!(count.is_some(), said.contains("--opening-count"), "{said}");
        assert!(said.contains(count.unwrap_or_default()), "{said}");
    }
    let two = translated(&format!("{ENGINES} -rounds 3 -openings file=x")).expect("understood");
    assert!(!two.words.iter().any(|word| word == "--opening-count"), "{:?}", two.words);
    let line = "-each proto=xboard initstr=easy\\nhard -engine cmd=c nodes=1 initstr=x";
    let said = translated(&format!("{ENGINES} {line}")).expect(line);
    let entries: Vec<EngineEntry> =
        definitions(&said).into_iter().map(|definition| definition.entry).collect();
    assert!(entries.iter().all(|entry| entry.proto == crate::player::Protocol::Xboard));
    assert_eq!(entries[0].init, ["easy", "hard"]);
    assert_eq!(entries[2].init, ["x", "easy", "hard"]);
}

#[test]
fn limits_are_combined_and_each_wins_as_there() {
    for (engines, ours) in [
        ("-engine cmd=a -engine cmd=b -each tc=inf nodes=500", "--nodes 500"),
        ("-engine cmd=a -engine cmd=b -each tc=40/1:30+1s", "--tc 40/1:30+1"),
        ("-engine cmd=a -engine cmd=b -each tc=inf/60+0.6", "--tc 60+0.6"),
        ("-engine cmd=a -engine cmd=b -each tc=infinite st=0.5", "--movetime 0.5s"),
        ("-engine cmd=a -engine cmd=b -each plies=9", "--depth 9"),
        ("-engine cmd=a -engine cmd=b -each tc=0+1 depth=0", "--tc 0+1"),
        ("-each tc=3+1 -engine cmd=a tc=9+9 -engine cmd=b", "--tc 3+1"),
        ("-engine cmd=a -engine cmd=b -each tc=0/600+0.1", "--tc 600+0.1"),
        ("-engine cmd=a -engine cmd=b -each tc=0/5:00+3", "--tc 5:00+3"),
        ("-engine cmd=a -engine cmd=b -each tc=00/10s", "--tc 10"),
        ("-engine cmd=a -engine cmd=b -each tc=1:30+0.5", "--tc 1:30+0.5"),
        ("-engine cmd=a -engine cmd=b -each tc=40/1:30", "--tc 40/1:30"),
        ("-engine cmd=a -engine cmd=b -each tc=10", "--tc 10"),
        ("-engine cmd=a -engine cmd=b -each tc=0/inf st=2s", "--movetime 2s"),
        ("-engine cmd=a -engine cmd=b -each tc=0 st=0.25", "--movetime 0.25s"),
        ("-engine cmd=a -engine cmd=b -each tc=0/0+0 st=0 nodes=7", "--nodes 7"),
        (
            "-engine cmd=a nodes=20 -engine cmd=b nodes=10 -each tc=300+5",
            "--limit a:tc=300+5,nodes=20 --limit b:tc=300+5,nodes=10",
        ),
        (
            "-engine cmd=a -engine cmd=b -each tc=3+1 nodes=20 depth=1000",
            "--limit a:tc=3+1,nodes=20,depth=255 --limit b:tc=3+1,nodes=20,depth=255",
        ),
        ("-engine cmd=a st=1 -engine cmd=b depth=3", "--limit a:movetime=1s --limit b:depth=3"),
    ] {
        let said = translated(engines).expect(engines).words.join(" ");
        assert!(said.starts_with(&format!("match a b {ours} --games 4 --jobs 1")), "{said}");
    }
    for value in
        ["tc=x", "tc=1:00:00", "tc=-5", "tc=40/", "tc=x/60", "tc=8+y", "st=x", "st=-1", "st=1e-9"]
    {
        let engines = format!("-engine cmd=a -engine cmd=b -each {value}");
        let error = translated(&engines).expect_err(value).to_string();
        assert!(error.starts_with(&format!("`{value}` takes ")), "{error}");
    }
    for engines in ["-engine cmd=a -engine cmd=b", "-engine cmd=a -engine cmd=b nodes=0 tc=inf"] {
        let error = translated(engines).expect_err(engines);
        assert!(matches!(error, TranslationError::NoLimit(..)), "{error}");
    }
}

#[test]
fn rounds_and_games_are_games() {
    for (line, games) in [
        ("", 4),
        ("-rounds 10", 20),
        ("-rounds 10 -repeat", 20),
        ("-games 2 -rounds 10 -repeat 2", 20),
        ("-games 1 -rounds 10", 10),
        ("-games 1 -rounds 10 -repeat", 20),
        ("-games 100", 100),
        ("-games 10 -rounds 3", 30),
    ] {
        let said = translated(&format!("{ENGINES} {line}")).expect(line);
        let at = said.words.iter().position(|word| word == "--games").expect("a number of games");
        assert_eq!(said.words[at + 1], games.to_string(), "{line}");
    }
}

#[test]
fn what_cannot_change_results_is_left_out_with_a_note() {
    for (line, notes) in [
        ("-openings file=x -wait 10", 0),
        ("-openings file=x -wait 0", 0),
        ("-openings file=x -scoreinterval 2 -outcomeinterval 5", 0),
        ("-openings file=x -config outname=c.json", 0),
        ("-openings file=x -config file=c.json discard=true", 0),
        ("-openings file=x -log file=l level=trace engine=true", 1),
        ("-openings file=x -debug all -noswap -reverse", 0),
        ("-openings file=x -output format=cutechess -ratinginterval 0", 0),
        ("-openings file=x -report penta=true", 0),
        ("-openings file=x -pgnout g.pgn min fi", 0),
        ("-openings file=x -pgnout notation=uci seldepth=true nodes=true file=g.pgn", 1),
        ("-openings file=x -pgnout notation=san", 1),
        ("-openings file=x -tournament pyramid -seeds 1 -reverse", 0),
        ("-openings file=x -event A B -site C D -recover -autosaveinterval 5", 0),
        ("-openings file=x -each restart=on ponder=false trust whitepov", 1),
        ("-variant fischerandom", 0),
        ("-variant kingofthehill", 1),
        ("-variant kingofthehill -openings file=x", 0),
        ("-each book=b.bin bookdepth=4", 1),
        ("", 1),
    ] {
        let said = translated(&format!("{ENGINES} {line}")).expect(line);
        assert_eq!(said.notes.len(), notes, "{line}: {:?}", said.notes);
        assert!(said.notes.iter().all(|note| !note.contains('\n')), "{line}: {:?}", said.notes);
    }
    for (line, begin) in
        [("", "from the harness's own openings"), ("-variant horde", "with a few random moves")]
    {
        let said = translated(&format!("{ENGINES} {line}")).expect(line);
        assert!(
            said.notes[0].contains(&format!("games begin {begin}")),
            "{line}: {:?}",
            said.notes
        );
    }
}

#[test]
fn what_would_change_results_is_refused_with_the_reason() {
    for (line, says) in [
        ("-each tc=1+1 st=1", "not both"),
        ("-each whitepov -resign score=500", "side to move"),
        ("-engine cmd=c nodes=1 book=b.bin", "one book for all"),
        ("-noswap -sprt elo0=0 elo1=5", "colours swapped"),
        ("-variant shogi", "fischerandom"),
        ("-sprt elo0=0 elo1=5 model=bayesian", "logistic bounds"),
    ] {
        let error = translated(&format!("{ENGINES} {line}")).expect_err(line);
        assert!(matches!(error, TranslationError::Unsupported { .. }), "{line}: {error}");
        assert!(error.to_string().contains(says), "{line}: {error}");
    }
}

/// The second one to be opened would destroy the first, or games the book.
#[test]
fn one_file_for_two_flags_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.pgn");
    std::fs::write(&book, "1. e4 *\n").expect("written");
    let (book, folder) = (book.display(), folder.path().display());
    for (flags, first, second) in [
        (format!("-openings file={book} -pgnout file={book}"), "-openings", "-pgnout"),
        (format!("-openings file={book} -pgnout {folder}/./book.pgn"), "-openings", "-pgnout"),
        (format!("-openings file={book} -epdout {book}"), "-openings", "-epdout"),
        (format!("-pgnout {folder}/new -epdout {folder}/new"), "-pgnout", "-epdout"),
        (format!("-pgnout {folder}/c -config outname={folder}/c"), "-pgnout", "-config outname="),
        ("-epdout config.json".to_owned(), "-epdout", "-config outname="),
    ] {
        let error = translated(&format!("{ENGINES} {flags}")).expect_err(&flags);
        let says = format!("{first} and {second} name the same file");
        assert!(error.to_string().starts_with(&says), "{flags}: {error}");
    }
    for flags in [
        format!("-openings file={book} -pgnout {folder}/a -epdout {folder}/b"),
        "-pgnout /dev/null -epdout /dev/null -config outname=/dev/null".to_owned(),
    ] {
        translated(&format!("{ENGINES} {flags}")).expect(&flags);
    }
}

#[test]
fn what_is_not_understood_is_named() {
    for (line, says) in [
        ("-rouns 5", "`-rouns`"),
        ("-openings file=x oder=random", "`oder=random` is not understood after -openings"),
        ("-rounds", "`-rounds` takes a whole number"),
        ("-rounds 1 2", "`-rounds 1 2` takes a whole number"),
        ("-rounds x", "`-rounds x` takes a whole number"),
        ("-rounds -5", "not below zero"),
        ("-draw score=-3 movecount=x", "`movecount=x` takes a whole number"),
        ("-each restart=maybe", "`restart=maybe` takes one of off, on, auto"),
        ("-each tc", "`tc` takes a value"),
        ("-each trust=1", "`trust=1` takes no value"),
        ("-recover 5", "`-recover 5` takes no value"),
        ("-sprt", "`-sprt` takes key=value words"),
        ("-use-affinity 3-x", "3,5,7-11"),
        ("-each name=", "takes a value"),
        ("-engine name=c", "cmd=PROGRAM"),
    ] {
        let error = translated(&format!("{ENGINES} {line}")).expect_err(line);
        assert!(error.to_string().contains(says), "{line}: {error}");
    }
    let one = translated("-engine cmd=a").expect_err("one engine");
    assert!(matches!(one, TranslationError::Engines { given: 1, .. }));
    let test = format!("{ENGINES} -engine cmd=c -sprt elo0=0 elo1=5");
    let three = translated(&test).expect_err("three engines");
    assert!(matches!(three, TranslationError::Engines { given: 3, .. }));
    for (typed, meant) in [("-concurency 4", "-concurrency"), ("-each ndoes=4", "nodes")] {
        let Err(TranslationError::Unknown { hint, .. }) = translated(typed) else {
            panic!("{typed} is unknown")
        };
        assert!(hint.starts_with(&format!("do you mean `{meant}`?")), "{hint}");
    }
}

#[test]
fn engines_have_distinct_names_and_their_own_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("engine"), "").expect("writable");
    let inside = folder.path().display();
    let said = translated(&format!(
        "-engine cmd=engine dir={inside} -engine cmd=bin/engine.exe args=-a -engine cmd=builtin \
         -engine conf=sf option.Hash=8 -engine cmd=x name=n -each nodes=5"
    ))
    .expect("understood");
    let defined = definitions(&said);
    let names: Vec<&str> = defined.iter().map(|definition| definition.name.as_str()).collect();
    assert_eq!(names, ["engine", "engine_2", "builtin_1", "n"]);
    assert!(said.words.join(" ").starts_with("match engine engine_2 builtin_1 sf n --nodes 5"));
    assert!(said.words.join(" ").contains("--option sf.Hash=8"));
    assert_eq!(defined[0].entry.cmd, folder.path().join("engine").display().to_string());
    assert_eq!(defined[1].entry.args, ["-a"]);
    assert!(defined[1].entry.cmd.starts_with('/'), "{}", defined[1].entry.cmd);
    assert_eq!(defined[2].entry.cmd, "builtin");
}

#[test]
fn a_name_that_is_changed_is_said() {
    for (second, changed) in [("b", None), ("a", Some("a_2")), ("builtin", Some("builtin_1"))] {
        let line = format!(
            "-engine cmd=x name=a -engine cmd=y name={second} -each nodes=5 -openings file=z"
        );
        let said = translated(&line).expect("understood");
        let note = |name| format!("`name={second}`: the engine is `{name}` in results and games");
        assert_eq!(said.notes, changed.map(note).into_iter().collect::<Vec<_>>(), "{line}");
    }
}

#[test]
fn arguments_are_split_as_a_shell_splits_them() {
    let args = |value: &str| {
        let line = [words("-engine cmd=a"), vec![format!("args={value}")]].concat();
        let line = [line, words("-engine cmd=b -each nodes=5")].concat();
        match translate(&line, Dialect::Fastchess)? {
            Task::Play(said) => Ok(definitions(&said)[0].entry.args.clone()),
            other => panic!("{other:?}"),
        }
    };
    for (value, expected) in [
        ("--net \"a b.nnue\" x", &["--net", "a b.nnue", "x"][..]),
        ("'a  b' c", &["a  b", "c"]),
        ("-a  -b", &["-a", "-b"]),
    ] {
        assert_eq!(args(value).expect(value), expected, "{value}");
    }
    let refused: TranslationError = args("--net \"a b").expect_err("an open quote");
    assert!(refused.to_string().contains("a quote is not closed"), "{refused}");
}

#[test]
fn the_other_questions_are_answered_without_a_match() {
    let task = |line: &str| translate(&words(line), Dialect::Fastchess).expect(line);
    assert!(matches!(task("--help"), Task::Help));
    assert!(matches!(task("-help"), Task::Help));
    assert!(matches!(task("--version"), Task::Version));
    assert!(matches!(task("-v"), Task::Version));
    assert!(matches!(task("-engines"), Task::Engines));
    assert!(matches!(task("--compliance ./engine"), Task::Check(engine) if engine == "./engine"));
    let more = words("--compliance ./engine --uci");
    assert!(translate(&more, Dialect::Fastchess).is_err());
}

/// A value that a flag takes.
fn example(value: Value) -> &'static str {
    match value {
        Value::Text("CPUS") => "0",
        Value::Text("CLOCK") => "1+1",
        Value::Text("VARIANT") => "standard",
        Value::Text("SECONDS") => "1",
        Value::Text(_) => "text",
        Value::Integer => "1",
        Value::Decimal => "1.5",
        Value::OneOf(values) => values[0],
    }
}

#[test]
fn every_flag_and_key_of_the_table_is_taken_or_refused_with_a_reason() {
    let engines = "-engine cmd=a -engine cmd=b -each nodes=5";
    for flag in FLAGS {
        let lines: Vec<String> = match flag.takes {
            Takes::Nothing => vec![flag.name.to_owned()],
            Takes::One(Value::OneOf(values)) => {
                values.iter().map(|value| format!("{} {value}", flag.name)).collect()
            }
            Takes::One(value) => vec![format!("{} {}", flag.name, example(value))],
            Takes::Optional(value) => {
                vec![flag.name.to_owned(), format!("{} {}", flag.name, example(value))]
            }
            Takes::Words(_) => vec![format!("{} text", flag.name)],
            Takes::Keys(keys) => keys
                .iter()
                .flat_map(|key| {
                    let of = |value: &str| format!("{} {}={value}", flag.name, key.name);
                    match key.takes {
                        Takes::Nothing => vec![format!("{} {}", flag.name, key.name)],
                        Takes::One(Value::OneOf(values))
                        | Takes::Optional(Value::OneOf(values)) => {
                            values.iter().map(|value| of(value)).collect()
                        }
                        Takes::One(value) | Takes::Optional(value) => vec![of(example(value))],
                        _ => panic!("{}: a key of this form", key.name),
                    }
                })
                .filter(|line| !line.contains("FILE="))
                .collect(),
        };
        for line in lines {
            match translate(&words(&format!("{engines} {line}")), Dialect::Fastchess) {
                Ok(_) | Err(TranslationError::Unsupported { .. }) => {}
                // `-engine dir=x` alone is half an engine.
                Err(TranslationError::Value { argument, .. }) if argument == "-engine" => {}
                Err(error) => panic!("{line}: {error}"),
            }
        }
    }
}
