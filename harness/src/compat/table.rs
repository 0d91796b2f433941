//! Every flag of fastchess 1.8 and cutechess-cli 1.5 with its translation, as data.
//!
//! The lexer, the translation and the table of `harness docs from-fastchess` are driven by it.

/// A flag, or a key of a flag (`tc` of `-engine tc=8+0.08`).
#[derive(Debug)]
pub struct Entry {
    /// With its dash; a key without.
    pub name: &'static str,
    /// Its values and keys.
    pub takes: Takes,
    /// Its translation.
    pub fate: Fate,
}

/// Values and keys behind a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One value.
    One(Value),
    /// One value or none.
    Optional(Value),
    /// One word or more.
    Words(&'static str),
    /// `key=value` words.
    Keys(&'static [Entry]),
}

/// A value of a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Anything; its name on the page.
    Text(&'static str),
    /// A whole number, possibly negative.
    Integer,
    /// A number.
    Decimal,
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// Translation of a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// A flag of ours with the same value.
    Flag(&'static str),
    /// A flag of ours without a value.
    Switch(&'static str),
    /// Handled by the translation; with a text for people.
    Mapped(Meaning, &'static str),
    /// Always the case here; why.
    Always(&'static str),
    /// Left out with a note, unless it has one of the values; it has no influence on results.
    Ignored(&'static [&'static str], &'static str),
}

/// A flag that the translation handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    // Of the run.
    Engine,
    Each,
    Quick,
    QuickEngine,
    QuickBook,
    Rounds,
    Games,
    Repeat,
    Concurrency,
    Sprt,
    Tournament,
    Seeds,
    NoSwap,
    Reverse,
    OpeningPolicy,
    Wait,
    UciLog,
    LogEngines,
    PgnComment,
    SprtModel,
    Variant,
    RatingInterval,
    ScoreInterval,
    OutcomeInterval,
    OutputFormat,
    Report,
    SaveInterval,
    Checksum,
    CheckMates,
    OneLineWarnings,
    Strict,
    Recover,
    MaxMoves,
    Draw,
    Resign,
    TwoSided,
    Tables,
    TablePieces,
    TablebaseResults,
    Openings,
    OpeningsFormat,
    OpeningsOrder,
    Event,
    Site,
    Affinity,
    Patience,
    PgnOut,
    PgnFile,
    PgnAppend,
    PgnMinimal,
    EpdOut,
    EpdFile,
    EpdAppend,
    ConfigFile,
    ConfigDiscard,
    ConfigOut,
    PgnLine,
    PgnNodes,
    // Instead of a run.
    Compliance,
    Engines,
    Help,
    Version,
    // Of an engine.
    Configured,
    Command,
    Name,
    Folder,
    Argument,
    Arguments,
    Protocol,
    Ponder,
    InitString,
    Clock,
    MoveTime,
    Nodes,
    Depth,
    Margin,
    UciOption,
    Restart,
    WhiteView,
    Timeouts,
    Book,
    BookDepth,
}

use Fate::{Always, Flag, Ignored, Mapped, Switch};
use Takes::{Keys, Nothing, One, Optional, Words};
use Value::{Decimal, Integer, OneOf, Text};

const fn entry(name: &'static str, takes: Takes, fate: Fate) -> Entry {
    Entry { name, takes, fate }
}

const BOOL: Value = OneOf(&["true", "false"]);
const AS_THERE: &str = "as there";
const NO_CHANGE: &str = "it has no influence on games";

/// The name of the entry that stands for all options of an engine.
pub const OPTION: &str = "option.NAME";

/// The name of the entry that stands for a word without `=`.
pub const BARE: &str = "FILE";

/// All flags.
pub const FLAGS: &[Entry] = &[
    entry("-engine", Keys(ENGINE), Mapped(Meaning::Engine, "an ENGINE of `match` and `sprt`")),
    entry(
        "-each",
        Keys(ENGINE),
        Mapped(Meaning::Each, "the same for every engine; it wins over `-engine`, as there"),
    ),
    entry("-quick", Keys(QUICK), Mapped(Meaning::Quick, "their defaults, in our words")),
    entry(
        "-rounds",
        One(Integer),
        Mapped(Meaning::Rounds, "`--games 2N`, with `-sprt` `--max-games 2N` [default: 2]"),
    ),
    entry(
        "-games",
        One(Integer),
        Mapped(Meaning::Games, "games a round, 1 or 2 [default: 2]; more than 2: all games"),
    ),
    entry(
        "-repeat",
        Optional(Integer),
        Mapped(Meaning::Repeat, "`-games 2`; openings are always played twice, colours swapped"),
    ),
    entry(
        "-concurrency",
        One(Integer),
        Mapped(
            Meaning::Concurrency,
            "`--jobs N` [default: 1]; 0 or below: N fewer than processors",
        ),
    ),
    entry("-force-concurrency", Nothing, Always("any number is taken")),
    entry("-sprt", Keys(SPRT), Mapped(Meaning::Sprt, "`harness sprt NEW OLD`")),
    entry(
        "-tournament",
        One(OneOf(&["roundrobin", "round-robin", "gauntlet", "pyramid", "knockout"])),
        Mapped(
            Meaning::Tournament,
            "`--format round-robin`, `gauntlet`, `pyramid` or `knockout`; there is `swiss`, too",
        ),
    ),
    entry("-seeds", One(Integer), Mapped(Meaning::Seeds, "`--seeds N` of a gauntlet")),
    entry(
        "-variant",
        One(Text("VARIANT")),
        Mapped(Meaning::Variant, "`fischerandom`: `--chess960`; others: `--variant`"),
    ),
    entry(
        "-noswap",
        Nothing,
        Mapped(Meaning::NoSwap, "`--no-swap`; refused beside `-sprt`, which needs swapped colours"),
    ),
    entry("-reverse", Nothing, Mapped(Meaning::Reverse, "`--reverse`")),
    entry("-openings", Keys(OPENINGS), Mapped(Meaning::Openings, "`--openings`, in file order")),
    entry("-bookmode", One(OneOf(&["ram", "disk"])), Ignored(&[], "books are read from the disk")),
    entry("-srand", One(Integer), Flag("--seed")),
    entry("-draw", Keys(DRAW), Mapped(Meaning::Draw, "draw adjudication")),
    entry("-resign", Keys(RESIGN), Mapped(Meaning::Resign, "resign adjudication")),
    entry("-maxmoves", One(Integer), Mapped(Meaning::MaxMoves, "`--max-moves N`; 0: no limit")),
    entry("-tb", One(Text("FOLDERS")), Mapped(Meaning::Tables, "`--tb FOLDERS`; `;` becomes `:`")),
    entry(
        "-tbpieces",
        One(Integer),
        Mapped(Meaning::TablePieces, "`--tb-pieces N`; 0: as many as the tables have"),
    ),
    entry("-tbignore50", Nothing, Switch("--tb-ignore-50")),
    entry(
        "-tbadjudicate",
        One(OneOf(&["BOTH", "WIN_LOSS", "DRAW"])),
        Mapped(Meaning::TablebaseResults, "`--tb-results all`, `wins` or `draws`"),
    ),
    entry(
        "-recover",
        Nothing,
        Mapped(Meaning::Recover, "as there; in our words a crash never ends a match"),
    ),
    entry("-wait", One(Integer), Mapped(Meaning::Wait, "`--wait Nms`")),
    entry(
        "-use-affinity",
        Optional(Text("CPUS")),
        Mapped(Meaning::Affinity, "`--affinity`; with CPUS on these processors only"),
    ),
    entry(
        "-startup-ms",
        One(Integer),
        Mapped(Meaning::Patience, "`--patience TIME`: the longest of the three"),
    ),
    entry("-ucinewgame-ms", One(Integer), Mapped(Meaning::Patience, "the same")),
    entry("-ping-ms", One(Integer), Mapped(Meaning::Patience, "the same")),
    entry("-event", Words("TEXT"), Mapped(Meaning::Event, "`--event TEXT`")),
    entry("-site", Words("TEXT"), Mapped(Meaning::Site, "the tag Site of `-pgnout`")),
    entry("-pgnout", Keys(PGN), Mapped(Meaning::PgnOut, "the games, written one by one")),
    entry("-epdout", Keys(EPD), Mapped(Meaning::EpdOut, "final positions, likewise")),
    entry(
        "-ratinginterval",
        One(Integer),
        Mapped(Meaning::RatingInterval, "as there; in our words `--report-every N`; 0: never"),
    ),
    entry("-scoreinterval", One(Integer), Mapped(Meaning::ScoreInterval, AS_THERE)),
    entry("-outcomeinterval", One(Integer), Mapped(Meaning::OutcomeInterval, AS_THERE)),
    entry(
        "-resultformat",
        One(Text("FORMAT")),
        Ignored(&[], "the table of engines has its usual form"),
    ),
    entry(
        "-output",
        Keys(&[entry(
            "format",
            One(OneOf(&["fastchess", "cutechess"])),
            Mapped(Meaning::OutputFormat, "as there; `--output tench`: our own report"),
        )]),
        Always("see its key"),
    ),
    entry(
        "-report",
        Keys(&[entry("penta", One(BOOL), Mapped(Meaning::Report, AS_THERE))]),
        Always("see its key"),
    ),
    entry("-config", Keys(CONFIG), Always("see its keys; every game is kept at once in any case")),
    entry("-autosaveinterval", One(Integer), Mapped(Meaning::SaveInterval, AS_THERE)),
    entry("-log", Keys(LOG), Always("see its keys")),
    entry(
        "-debug",
        Optional(OneOf(&["all"])),
        Mapped(Meaning::UciLog, "`--log-uci`: files in the run's folder"),
    ),
    entry(
        "-crc32",
        Keys(&[entry("pgn", One(BOOL), Mapped(Meaning::Checksum, AS_THERE))]),
        Always("see its key"),
    ),
    entry("-check-mate-pvs", Nothing, Mapped(Meaning::CheckMates, AS_THERE)),
    entry("-show-latency", Nothing, Ignored(&[], NO_CHANGE)),
    entry(
        "-testEnv",
        Nothing,
        Mapped(Meaning::OneLineWarnings, "as there: each warning is one line; no report of ours"),
    ),
    entry("-strict", Nothing, Mapped(Meaning::Strict, "as there: a warning ends the match")),
    entry(
        "-compliance",
        Words("ENGINE [ARGS]"),
        Mapped(Meaning::Compliance, "`harness check ENGINE`, instead of a match"),
    ),
    entry("-engines", Nothing, Mapped(Meaning::Engines, "the names in `harness.yaml`")),
    entry("-help", Nothing, Mapped(Meaning::Help, "this page")),
    entry("-version", Nothing, Mapped(Meaning::Version, "`harness --version`")),
    entry("-v", Nothing, Mapped(Meaning::Version, "the same")),
];

/// Keys of `-engine` and `-each`.
const ENGINE: &[Entry] = &[
    entry("cmd", One(Text("PROGRAM")), Mapped(Meaning::Command, "a path, or a program on PATH")),
    entry(
        "conf",
        One(Text("NAME")),
        Mapped(
            Meaning::Configured,
            "a name in `engines.json` of this folder, or in `harness.yaml`",
        ),
    ),
    entry(
        "name",
        One(Text("NAME")),
        Mapped(Meaning::Name, "its name in results; `--define NAME={cmd: ...}`"),
    ),
    entry("dir", One(Text("FOLDER")), Mapped(Meaning::Folder, "`dir` of `--define`")),
    entry("args", One(Text("\"A B\"")), Mapped(Meaning::Arguments, "`args` of `--define`")),
    entry("arg", One(Text("A")), Mapped(Meaning::Argument, "one of `args`")),
    entry(OPTION, One(Text("VALUE")), Mapped(Meaning::UciOption, "`--option [ENGINE.]NAME=VALUE`")),
    entry(
        "tc",
        One(Text("CLOCK")),
        Mapped(
            Meaning::Clock,
            "`--tc CLOCK`; `60hg` is an hourglass; `inf` needs `st`, `nodes` or `depth` beside it",
        ),
    ),
    entry("st", One(Text("SECONDS")), Mapped(Meaning::MoveTime, "`--movetime SECONDSs`")),
    entry(
        "nodes",
        One(Integer),
        Mapped(Meaning::Nodes, "`--nodes N`; beside a clock `--limit ENGINE:tc=...,nodes=N`"),
    ),
    entry("depth", One(Integer), Mapped(Meaning::Depth, "`--depth N`, likewise")),
    entry("plies", One(Integer), Mapped(Meaning::Depth, "the same")),
    entry(
        "timemargin",
        One(Integer),
        Mapped(Meaning::Margin, "`--time-margin N`: the largest one, for all"),
    ),
    entry(
        "restart",
        One(OneOf(&["off", "on", "auto"])),
        Mapped(Meaning::Restart, "`on`: `--restart`, for all engines"),
    ),
    entry(
        "proto",
        One(OneOf(&["uci", "xboard"])),
        Mapped(Meaning::Protocol, "`proto` of `--define`"),
    ),
    entry(
        "ponder",
        Optional(OneOf(&["true", "false", "on", "off"])),
        Mapped(Meaning::Ponder, "`--ponder`, for all engines"),
    ),
    entry(
        "initstr",
        One(Text("TEXT")),
        Mapped(Meaning::InitString, "`init` of `--define`; a backslash and n end a line"),
    ),
    entry(
        "book",
        One(Text("FILE")),
        Mapped(Meaning::Book, "the same for all engines: `--openings FILE`; else refused"),
    ),
    entry("bookdepth", One(Integer), Mapped(Meaning::BookDepth, "`--opening-plies 2N`")),
    entry(
        "whitepov",
        Nothing,
        Mapped(Meaning::WhiteView, "refused beside `-resign`, else its scores are shown as sent"),
    ),
    entry("tscale", One(Decimal), Mapped(Meaning::Timeouts, "`--patience`: 10 s times as long")),
    entry("trust", Nothing, Always("UCI engines claim no results")),
    entry("stderr", One(Text("FILE")), Ignored(&[], "a fault is shown with what was printed last")),
    entry("debug", Nothing, Mapped(Meaning::UciLog, "`--log-uci`, of all engines")),
];

const QUICK: &[Entry] = &[
    entry("cmd", One(Text("PROGRAM")), Mapped(Meaning::QuickEngine, "an ENGINE, given twice")),
    entry("book", One(Text("FILE")), Mapped(Meaning::QuickBook, "`--openings FILE`")),
];

const SPRT: &[Entry] = &[
    entry("elo0", One(Decimal), Flag("--elo0")),
    entry("elo1", One(Decimal), Flag("--elo1")),
    entry("alpha", One(Decimal), Flag("--alpha")),
    entry("beta", One(Decimal), Flag("--beta")),
    entry(
        "model",
        One(OneOf(&["normalized", "logistic", "bayesian"])),
        Mapped(Meaning::SprtModel, "`--model`; `bayesian` is refused, for it ignores pairs"),
    ),
];

const OPENINGS: &[Entry] = &[
    entry("file", One(Text("FILE")), Flag("--openings")),
    entry(
        "format",
        One(OneOf(&["epd", "pgn"])),
        Mapped(Meaning::OpeningsFormat, "seen from the file's name"),
    ),
    entry(
        "order",
        One(OneOf(&["sequential", "random"])),
        Mapped(Meaning::OpeningsOrder, "`random`: `--order fastchess`, in its order of a seed"),
    ),
    entry("plies", One(Integer), Flag("--opening-plies")),
    entry("start", One(Integer), Flag("--opening-start")),
    entry(
        "policy",
        One(OneOf(&["default", "encounter", "round"])),
        Mapped(Meaning::OpeningPolicy, "`encounter`: `--own-openings`; else a round shares one"),
    ),
];

const DRAW: &[Entry] = &[
    entry("movenumber", One(Integer), Flag("--draw-from")),
    entry("movecount", One(Integer), Flag("--draw-moves")),
    entry("score", One(Integer), Flag("--draw-score")),
];

const RESIGN: &[Entry] = &[
    entry("movecount", One(Integer), Flag("--resign-moves")),
    entry("score", One(Integer), Flag("--resign-score")),
    entry("twosided", One(BOOL), Mapped(Meaning::TwoSided, "`--resign-two-sided`")),
];

const PGN: &[Entry] = &[
    entry(BARE, One(Text("FILE")), Mapped(Meaning::PgnFile, "the same as `file=FILE`")),
    entry(
        "file",
        One(Text("FILE")),
        Mapped(Meaning::PgnFile, "again later: `harness report RUN --format pgn -o FILE`"),
    ),
    entry("append", One(BOOL), Mapped(Meaning::PgnAppend, "`false` overwrites the file")),
    entry("min", Optional(BOOL), Mapped(Meaning::PgnMinimal, "later `--format pgn-moves`")),
    entry("fi", Nothing, Always("only finished games are kept")),
    entry(
        "notation",
        One(OneOf(&["san", "lan", "uci"])),
        Ignored(&["san"], "moves are written in SAN"),
    ),
    entry(
        "nodes",
        One(BOOL),
        Mapped(Meaning::PgnNodes, "nodes are always written, with `true` as `n=1234`"),
    ),
    entry("seldepth", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments seldepth`")),
    entry("nps", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments nps`")),
    entry("hashfull", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments hashfull`")),
    entry("tbhits", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments tbhits`")),
    entry("pv", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments pv`")),
    entry("timeleft", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments timeleft`")),
    entry("latency", One(BOOL), Mapped(Meaning::PgnComment, "`--pgn-comments latency`")),
    entry("match_line", One(Text("REGEX")), Mapped(Meaning::PgnLine, "`--pgn-lines REGEX`")),
];

const EPD: &[Entry] = &[
    entry(BARE, One(Text("FILE")), Mapped(Meaning::EpdFile, "the same as `file=FILE`")),
    entry(
        "file",
        One(Text("FILE")),
        Mapped(Meaning::EpdFile, "again later: `harness report RUN --format epd -o FILE`"),
    ),
    entry("append", One(BOOL), Mapped(Meaning::EpdAppend, "`false` overwrites the file")),
];

const CONFIG: &[Entry] = &[
    entry(
        "file",
        One(Text("FILE")),
        Mapped(
            Meaning::ConfigFile,
            "continues the run that saved it; one of fastchess is refused without `discard=true`",
        ),
    ),
    entry("discard", One(BOOL), Mapped(Meaning::ConfigDiscard, "`true`: `file=` is not read")),
    entry("outname", One(Text("FILE")), Mapped(Meaning::ConfigOut, AS_THERE)),
    entry("stats", One(BOOL), Ignored(&["true"], "no file of another run is read")),
];

const LOG: &[Entry] = &[
    entry("file", One(Text("FILE")), Ignored(&[], "`harness -v` and `-vv` log to standard error")),
    entry("level", One(OneOf(&["trace", "info", "warn", "err", "fatal"])), Always(LOGGED)),
    entry("append", One(BOOL), Always(LOGGED)),
    entry("compress", One(BOOL), Always(LOGGED)),
    entry("realtime", One(BOOL), Always(LOGGED)),
    entry("engine", One(BOOL), Mapped(Meaning::LogEngines, "`true`: `--log-uci`")),
];

const LOGGED: &str = "see `file`";

/// The translation of one of their flags, for users who give it to one of our commands: `--rounds`,
/// `-rounds` and `rounds` are the same. `None` if neither program has it.
pub fn ours(theirs: &str) -> Option<String> {
    let name = theirs.trim_start_matches('-');
    let entry = FLAGS.iter().find(|entry| entry.name.trim_start_matches('-') == name)?;
    Some(entry.ours())
}

impl Entry {
    /// The translation for people, as Markdown.
    fn ours(&self) -> String {
        match self.fate {
            Flag(flag) => format!("`{flag} {}`", self.takes.placeholder().replace("\\|", "|")),
            Switch(flag) => format!("`{flag}`"),
            Mapped(_, text) | Always(text) => text.to_owned(),
            Ignored(_, why) => format!("left out: {why}"),
        }
    }
}

impl Takes {
    /// The form of the values, in a cell of a table in Markdown.
    fn placeholder(self) -> String {
        match self {
            Takes::Nothing => String::new(),
            Takes::One(value) => value.placeholder(),
            Takes::Optional(value) => format!("[{}]", value.placeholder()),
            Takes::Words(text) => text.to_owned(),
            Takes::Keys(_) => "KEY=VALUE ...".to_owned(),
        }
    }
}

impl Value {
    fn placeholder(self) -> String {
        match self {
            Value::Text(text) => text.to_owned(),
            Value::Integer => "N".to_owned(),
            Value::Decimal => "X".to_owned(),
            Value::OneOf(values) => values.join("\\|"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the page: every flag, and every key behind its flag.
    fn rows() -> String {
        let mut rows = String::from("| theirs | ours |\n|---|---|\n");
        let mut row = |theirs: String, entry: &Entry| {
            let ours = entry.ours().replace("\\|", "|").replace('|', "\\|");
            rows.push_str(&format!("| `{}` | {ours} |\n", theirs.trim_end()));
        };
        for flag in FLAGS {
            row(format!("{} {}", flag.name, flag.takes.placeholder()), flag);
            // The keys of `-each` are those of `-engine`.
            let Takes::Keys(keys) = flag.takes else { continue };
            for key in keys.iter().filter(|_| flag.name != "-each") {
                let value = key.takes.placeholder();
                let text = match key.takes {
                    _ if key.name == BARE => value,
                    Takes::Nothing => key.name.to_owned(),
                    Takes::Optional(_) => format!("{0}, {0}={value}", key.name),
                    _ => format!("{}={value}", key.name),
                };
                row(format!("{} {text}", flag.name), key);
            }
        }
        rows
    }

    #[test]
    fn the_page_has_the_table_that_the_program_follows() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        let path = folder.join("from-fastchess.md");
        let page = std::fs::read_to_string(&path).expect("the page is there");
        let (head, _) = page.split_once("| theirs | ours |").expect("it has the table");
        let wanted = format!("{head}{}", rows());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &wanted).expect("the page can be written");
        } else {
            assert_eq!(page, wanted, "UPDATE_DOCS=1 cargo test updates the table");
        }
    }

    #[test]
    fn a_name_stands_once_and_every_flag_of_ours_exists() {
        use clap::CommandFactory;
        let command = crate::commands::fastchess::Ours::command();
        let flags: Vec<String> = ["match", "sprt"]
            .iter()
            .filter_map(|name| command.find_subcommand(name))
            .flat_map(|command| command.get_arguments().filter_map(clap::Arg::get_long))
            .map(|long| format!("--{long}"))
            .collect();
        let mut keys: Vec<&[Entry]> = vec![FLAGS];
        keys.extend(FLAGS.iter().filter_map(|flag| match flag.takes {
            Takes::Keys(keys) => Some(keys),
            _ => None,
        }));
        for entries in keys {
            for (index, entry) in entries.iter().enumerate() {
                assert!(!entries[..index].iter().any(|other| other.name == entry.name));
                if let Flag(ours) | Switch(ours) = entry.fate {
                    assert!(flags.contains(&ours.to_owned()), "{ours}");
                }
                // In the last column, code in backticks that begins with dashes is a flag.
                for word in entry.ours().split('`').skip(1).step_by(2) {
                    let flag = word.split([' ', '=']).next().unwrap_or_default();
                    let is_ours = !flag.starts_with("--") || flags.contains(&flag.to_owned());
                    let other =
                        ["--option", "--version", "--json", "--format", "--output"].contains(&flag);
                    assert!(is_ours || other, "{word}");
                }
            }
        }
    }
}
