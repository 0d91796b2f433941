//! The keys behind flags: `tc` of `-engine tc=8+0.08`.

use super::Fate::{Always, Flag, Ignored, Mapped};
use super::Takes::{Nothing, One, Optional};
use super::Value::{Decimal, Integer, OneOf, Text};
use super::{BARE, Entry, Meaning, OPTION, Value, entry};

pub(super) const BOOL: Value = OneOf(&["true", "false"]);
pub(super) const AS_THERE: &str = "as there";
pub(super) const NO_CHANGE: &str = "it has no influence on games";

/// Keys of `-engine` and `-each`.
pub(super) const ENGINE: &[Entry] = &[
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

pub(super) const QUICK: &[Entry] = &[
    entry("cmd", One(Text("PROGRAM")), Mapped(Meaning::QuickEngine, "an ENGINE, given twice")),
    entry("book", One(Text("FILE")), Mapped(Meaning::QuickBook, "`--openings FILE`")),
];

pub(super) const SPRT: &[Entry] = &[
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

pub(super) const OPENINGS: &[Entry] = &[
    entry("file", One(Text("FILE")), Flag("--openings")),
    entry(
        "format",
        One(OneOf(&["epd", "pgn"])),
        Mapped(Meaning::OpeningsFormat, "seen from the file"),
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
        Mapped(
            Meaning::OpeningPolicy,
            "`round`: one for all pairings of a round; else `--own-openings`, and with fastchess's command \
             line `--opening-count ROUNDS`",
        ),
    ),
];

pub(super) const DRAW: &[Entry] = &[
    entry("movenumber", One(Integer), Flag("--draw-from")),
    entry("movecount", One(Integer), Flag("--draw-moves")),
    entry("score", One(Integer), Flag("--draw-score")),
];

pub(super) const RESIGN: &[Entry] = &[
    entry("movecount", One(Integer), Flag("--resign-moves")),
    entry("score", One(Integer), Flag("--resign-score")),
    entry("twosided", One(BOOL), Mapped(Meaning::TwoSided, "`--resign-two-sided`")),
];

pub(super) const PGN: &[Entry] = &[
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

pub(super) const EPD: &[Entry] = &[
    entry(BARE, One(Text("FILE")), Mapped(Meaning::EpdFile, "the same as `file=FILE`")),
    entry(
        "file",
        One(Text("FILE")),
        Mapped(Meaning::EpdFile, "again later: `harness report RUN --format epd -o FILE`"),
    ),
    entry("append", One(BOOL), Mapped(Meaning::EpdAppend, "`false` overwrites the file")),
];

pub(super) const CONFIG: &[Entry] = &[
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

pub(super) const LOG: &[Entry] = &[
    entry("file", One(Text("FILE")), Ignored(&[], "`harness -v` and `-vv` log to standard error")),
    entry("level", One(OneOf(&["trace", "info", "warn", "err", "fatal"])), Always(LOGGED)),
    entry("append", One(BOOL), Always(LOGGED)),
    entry("compress", One(BOOL), Always(LOGGED)),
    entry("realtime", One(BOOL), Always(LOGGED)),
    entry("engine", One(BOOL), Mapped(Meaning::LogEngines, "`true`: `--log-uci`")),
];

const LOGGED: &str = "see `file`";
