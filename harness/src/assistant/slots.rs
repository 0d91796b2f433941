//! The names and numbers of a sentence, as its intent needs them.

use serde_json::{Map, Value, json};

use super::intent::Intent;
use super::tags::{SUITES, Tagged, chunk, engines};
use super::templates::OPENING;
use super::words::Word;
use super::{Context, limits, names, nearest, numbers};

/// Names and numbers by the names of the slots.
pub type Slots = Map<String, Value>;

/// A tagged sentence.
struct Sentence<'a> {
    text: &'a str,
    split: &'a [Word],
    words: Vec<String>,
    tagged: &'a [Tagged],
    context: &'a Context,
}

/// The slots of a sentence.
pub fn slots(
    intent: Intent,
    text: &str,
    split: &[Word],
    tagged: &[Tagged],
    context: &Context,
) -> Slots {
    let words = split.iter().map(|word| word.text.clone()).collect();
    let sentence = Sentence { text, split, words, tagged, context };
    let mut slots = Slots::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            slots.insert(name.to_owned(), value);
        }
    };
    match intent {
        Intent::PlayOpening => {
            set("opening", sentence.opening());
            set("side", sentence.side());
        }
        Intent::Flip => set("side", sentence.side()),
        Intent::Move => set("move", Some(json!(text.trim()))),
        Intent::TakeBack => set("count", sentence.number(0)),
        Intent::GoTo => {
            set("place", sentence.place());
            set("move", sentence.number(0));
        }
        Intent::NewGame => {
            set("level", sentence.after("level").or_else(|| sentence.number(0)));
            set("engine", sentence.engine(0));
            set("colour", sentence.colour());
            set("clock", sentence.limit().and_then(|meant| meant.clock()).map(Value::from));
            set(
                "chess960",
                sentence.has(&["960", "chess960", "fischer", "freestyle"]).then_some(json!(true)),
            );
        }
        Intent::SetLevel => set("level", sentence.number(0)),
        Intent::EngineOn => set("engine", sentence.engine(0)),
        Intent::EditPosition => {
            let empty = sentence.has(&["empty", "clear", "clean", "blank", "remove", "wipe"]);
            let start = sentence.has(&["start", "starting", "initial", "standard"]);
            set(
                "preset",
                if empty { Some(json!("empty")) } else { start.then_some(json!("start")) },
            );
        }
        Intent::PlayOut => {
            set("games", sentence.number(0));
            set("engine", sentence.engine(0));
            set("against", sentence.engine(1));
        }
        Intent::Practice => sentence.practice(&mut set),
        Intent::Export => {
            let fen = sentence.has(&["fen", "position"]);
            let link = sentence.has(&["link", "url", "share", "address"]);
            let what = if link {
                "link"
            } else if fen {
                "fen"
            } else {
                "pgn"
            };
            set("what", Some(json!(what)));
        }
        Intent::Sprt => {
            set("new", sentence.player(0));
            set("old", sentence.player(1));
            set("limit", sentence.limit().map(|meant| json!(meant.limit())));
        }
        Intent::Match => {
            set("first", sentence.player(0));
            set("second", sentence.player(1));
            set("games", sentence.number(0));
            set("limit", sentence.limit().map(|meant| json!(meant.limit())));
        }
        Intent::Suite => {
            set("suite", sentence.suite());
            set("engine", sentence.player(0));
            set("limit", sentence.limit().map(|meant| json!(meant.limit())));
        }
        Intent::Tune => set("file", sentence.written("{file}")),
        Intent::StopRun | Intent::ResumeRun | Intent::RunStatus => {
            set("run", Some(sentence.run().unwrap_or(json!("last"))));
        }
        Intent::WhyLost => {
            set("game", sentence.number(0));
            set("run", sentence.written("{run}"));
        }
        Intent::ListGames => {
            set("result", sentence.result());
            set("player", sentence.engine(0));
            set("opening", sentence.opening());
            set("run", sentence.written("{run}"));
        }
        Intent::CompareRuns => set("runs", Some(sentence.runs())),
        Intent::OpenPage => set("page", sentence.page()),
        _ => {}
    }
    slots
}

impl Sentence<'_> {
    fn tag(&self, token: &str) -> Option<&Tagged> {
        self.tagged.iter().find(|tagged| tagged.text == token)
    }

    /// Is one of these words said, if need be misspelt? Words of the name of an opening do not count:
    /// the Blackmar-Diemer Gambit has no side.
    fn has(&self, wanted: &[&str]) -> bool {
        let named = self.tag(OPENING).map_or(0..0, |tagged| tagged.from..tagged.to);
        let others = self.words.iter().enumerate().filter(|(at, _)| !named.contains(at));
        others.map(|(_, word)| word).any(|word| {
            // A word of the examples is no other one misspelt: `what` is not `white`.
            let may_be_misspelt = !nearest::is_known(word);
            wanted.iter().any(|wanted| {
                wanted == word
                    || (may_be_misspelt
                        && wanted.len() > 3
                        && super::similar::similarity(word, wanted) > 0.82)
            })
        })
    }

    /// What was typed for a token.
    fn written(&self, token: &str) -> Option<Value> {
        let tagged = self.tag(token)?;
        Some(json!(chunk(self.text, &self.split[tagged.from])))
    }

    fn number(&self, which: usize) -> Option<Value> {
        let found = self.tagged.iter().filter(|tagged| tagged.text == "{n}").nth(which)?;
        numbers::at(&self.words, found.from)?.count().map(Value::from)
    }

    /// The number behind a word.
    fn after(&self, word: &str) -> Option<Value> {
        let at = self.words.iter().position(|known| known == word)?;
        numbers::at(&self.words, at + 1)?.count().map(Value::from)
    }

    fn limit(&self) -> Option<limits::Meant> {
        let tagged = self.tag("{limit}")?;
        limits::at(&self.words, tagged.from).map(|said| said.meant)
    }

    fn side(&self) -> Option<Value> {
        let white = self.has(&["white", "whites"]);
        let black = self.has(&["black", "blacks"]);
        match (white, black) {
            (true, false) => Some(json!("white")),
            (false, true) => Some(json!("black")),
            _ => None,
        }
    }

    fn colour(&self) -> Option<Value> {
        let any = self.has(&["random", "either", "any", "whichever"]);
        if any { Some(json!("random")) } else { self.side() }
    }

    /// The opening that is named.
    fn opening(&self) -> Option<Value> {
        let tagged = self.tag(OPENING)?;
        let text = self.words[tagged.from..tagged.to].join(" ");
        let found = names::opening(&text, 1).into_iter().next()?;
        Some(json!(found.name))
    }

    fn place(&self) -> Option<Value> {
        let places = [
            ("start", ["start", "beginning", "first", "begin"]),
            ("end", ["end", "last", "final", "latest"]),
            ("next", ["next", "forward", "forwards", "ahead"]),
            ("previous", ["previous", "back", "backward", "prior"]),
        ];
        let found = places.iter().find(|(_, words)| self.has(words));
        found.map(|(place, _)| json!(place))
    }

    /// An engine of the sentence, by the name that the harness knows it by.
    fn engine(&self, which: usize) -> Option<Value> {
        let tagged = self.tagged.iter().filter(|tagged| tagged.text == "{engine}").nth(which)?;
        let text = self.words[tagged.from..tagged.to].join("");
        names::among(&text, engines(self.context)).map(|found| json!(found.name))
    }

    /// An engine or a revision.
    fn player(&self, which: usize) -> Option<Value> {
        let is_player = |tagged: &&Tagged| ["{engine}", "{rev}"].contains(&tagged.text.as_str());
        let tagged = self.tagged.iter().filter(is_player).nth(which)?;
        if tagged.text == "{engine}" {
            let text = self.words[tagged.from..tagged.to].join("");
            return names::among(&text, engines(self.context)).map(|found| json!(found.name));
        }
        let written = chunk(self.text, &self.split[tagged.from]).trim_matches(['.', ',', '?', '!']);
        let head = written.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("head"));
        Some(json!(if head { written.to_uppercase() } else { written.to_owned() }))
    }

    fn suite(&self) -> Option<Value> {
        let tagged = self.tag("{suite}")?;
        let word = &self.words[tagged.from];
        let known = SUITES.contains(&word.as_str());
        Some(if known { json!(word) } else { self.written("{suite}")? })
    }

    fn run(&self) -> Option<Value> {
        self.written("{run}").or_else(|| {
            let number = self.number(0)?;
            Some(json!(number.to_string()))
        })
    }

    fn runs(&self) -> Value {
        let named =
            self.tagged.iter().filter(|tagged| ["{run}", "{n}"].contains(&tagged.text.as_str()));
        let list: Vec<&str> =
            named.map(|tagged| chunk(self.text, &self.split[tagged.from])).collect();
        if list.len() > 1 { json!(list) } else { json!("last two") }
    }

    fn result(&self) -> Option<Value> {
        let results = [
            ("lost", ["lost", "losses", "losing", "lose"]),
            ("won", ["won", "wins", "winning", "victories"]),
            ("drawn", ["drawn", "draws", "drew", "draw"]),
        ];
        let exact = |words: &[&str]| self.words.iter().any(|word| words.contains(&word.as_str()));
        let found = results.iter().find(|(_, words)| exact(words));
        let found = found.or_else(|| results.iter().find(|(_, words)| self.has(words)));
        found.map(|(result, _)| json!(result))
    }

    fn page(&self) -> Option<Value> {
        let pages = [
            ("compare", ["compare", "comparison"]),
            ("history", ["history", "commits"]),
            ("practice", ["practise", "puzzles"]),
            ("board", ["board", "boards"]),
            ("games", ["games", "game"]),
            ("start", ["start", "new"]),
            ("runs", ["runs", "run"]),
        ];
        let found = pages.iter().find(|(_, words)| self.has(words));
        found.map(|(page, _)| json!(page))
    }

    fn practice(&self, set: &mut dyn FnMut(&str, Option<Value>)) {
        let mate = self.has(&["mate", "mates", "checkmate"]);
        let ending = self.has(&["ending", "endings", "endgame", "endgames"]);
        let mistakes =
            self.has(&["wrong", "mistakes", "failed", "missed", "mistake", "errors", "blundered"]);
        let theme = if mistakes {
            "mistakes"
        } else if mate {
            "mate"
        } else if ending {
            "ending"
        } else {
            "tactics"
        };
        set("theme", Some(json!(theme)));
        if mate {
            set("mate_in", self.number(0));
        }
        let pieces = ["king", "queen", "rook", "bishop", "knight", "pawn"];
        if ending {
            let named = pieces.iter().find(|piece| {
                self.words.iter().any(|word| {
                    word.trim_end_matches('s') == **piece || (**piece == "rook" && word == "brook")
                })
            });
            set("piece", named.map(|piece| json!(piece)));
        }
    }
}
