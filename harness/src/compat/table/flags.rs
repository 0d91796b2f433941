//! The flags.

use super::Fate::{Always, Flag, Ignored, Mapped, Switch};
use super::Takes::{Keys, Nothing, One, Optional, Words};
use super::Value::{Integer, OneOf, Text};
use super::keys::{
    AS_THERE, BOOL, CONFIG, DRAW, ENGINE, EPD, LOG, NO_CHANGE, OPENINGS, PGN, QUICK, RESIGN, SPRT,
};
use super::{Entry, Meaning, entry};

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
    entry(
        "-seeds",
        One(Integer),
        Mapped(
            Meaning::Seeds,
            "`--seeds N` of a gauntlet; with fastchess's command line `--seeds-meet`, too",
        ),
    ),
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
