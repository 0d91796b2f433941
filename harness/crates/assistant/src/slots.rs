//! The names and numbers of a sentence, as its intent needs them.

use serde_json::{Map, Value, json};

use super::context::Context;
use super::intent::Intent;
use super::tags::{SUITES, Tagged, chunk, engines};
use super::templates::OPENING;
use super::words::Word;
use super::{limits, names, nearest, numbers};

/// Names and numbers by the names of the slots.
pub type Slots = Map<String, Value>;

/// A tagged sentence.
pub struct Sentence<'a> {
    /// As it was typed.
    pub text: &'a str,
    /// Its words with their places.
    pub split: &'a [Word],
    /// Its words.
    pub words: &'a [String],
    /// Its words and tokens.
    pub tagged: &'a [Tagged],
    /// The opening that is named.
    pub opening: Option<String>,
    /// Names and moves that it may mention.
    pub context: &'a Context,
}

/// The slots of a sentence.
pub fn slots(intent: Intent, sentence: &Sentence<'_>) -> Slots {
    let mut slots = Slots::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            slots.insert(name.to_owned(), value);
        }
    };
    sentence.set_for_board(intent, &mut set);
    sentence.set_for_bench(intent, &mut set);
    slots
}

impl Sentence<'_> {
    /// The slots of what is asked of a board.
    fn set_for_board(&self, intent: Intent, set: &mut dyn FnMut(&str, Option<Value>)) {
        match intent {
            Intent::PlayOpening => {
                set("opening", self.opening.clone().map(Value::from));
                set("side", self.side());
            }
            Intent::Flip => set("side", self.side()),
            Intent::Move => set("move", Some(json!(self.text.trim()))),
            Intent::TakeBack => set("count", self.number(0)),
            Intent::GoTo => {
                set("place", self.place());
                set("move", self.number(0));
            }
            Intent::NewGame => self.new_game(set),
            Intent::SetLevel => set("level", self.number(0)),
            Intent::EngineOn => set("engine", self.engine(0)),
            Intent::EditPosition => set("preset", self.preset()),
            Intent::PlayOut => {
                set("games", self.number(0));
                set("engine", self.engine(0));
                set("against", self.engine(1));
            }
            Intent::Practice => self.practice(set),
            Intent::Export => set("what", Some(self.export())),
            _ => {}
        }
    }

    /// The slots of what is asked of the test bench.
    fn set_for_bench(&self, intent: Intent, set: &mut dyn FnMut(&str, Option<Value>)) {
        match intent {
            Intent::Sprt => {
                set("new", self.player(0));
                set("old", self.player(1));
                set("limit", self.limit().map(|meant| json!(meant.limit())));
            }
            Intent::Match => {
                set("first", self.player(0));
                set("second", self.player(1));
                set("games", self.number(0));
                set("limit", self.limit().map(|meant| json!(meant.limit())));
            }
            Intent::Suite => {
                set("suite", self.suite());
                set("engine", self.player(0));
                set("limit", self.limit().map(|meant| json!(meant.limit())));
            }
            Intent::Tune => set("file", self.written("{file}")),
            Intent::StopRun | Intent::ResumeRun | Intent::RunStatus => {
                set("run", Some(self.run().unwrap_or(json!("last"))));
            }
            Intent::WhyLost => {
                set("game", self.number(0));
                set("run", self.written("{run}"));
            }
            Intent::ListGames => {
                set("result", self.result());
                set("player", self.engine(0));
                set("opening", self.opening.clone().map(Value::from));
                set("run", self.written("{run}"));
            }
            Intent::CompareRuns => set("runs", Some(self.runs())),
            Intent::OpenPage => set("page", self.page()),
            _ => {}
        }
    }

    fn new_game(&self, set: &mut dyn FnMut(&str, Option<Value>)) {
        set("level", self.after("level").or_else(|| self.number(0)));
        set("engine", self.engine(0));
        set("colour", self.colour());
        set("opening", self.opening.clone().map(Value::from));
        set("clock", self.limit().and_then(|meant| meant.clock()).map(Value::from));
        set(
            "chess960",
            self.has(&["960", "chess960", "fischer", "freestyle"]).then_some(json!(true)),
        );
    }

    /// Position that a board is set up with.
    fn preset(&self) -> Option<Value> {
        let empty = self.has(&["empty", "clear", "clean", "blank", "remove", "wipe"]);
        let start = self.has(&["start", "starting", "initial", "standard"]);
        if empty { Some(json!("empty")) } else { start.then_some(json!("start")) }
    }

    /// The form in which a game or a position is wanted.
    fn export(&self) -> Value {
        if self.has(&["link", "url", "share", "address"]) {
            json!("link")
        } else if self.has(&["fen", "position"]) {
            json!("fen")
        } else {
            json!("pgn")
        }
    }

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

    /// Typed text of a token.
    fn written(&self, token: &str) -> Option<Value> {
        let tagged = self.tag(token)?;
        Some(json!(chunk(self.text, &self.split[tagged.from])))
    }

    fn number(&self, which: usize) -> Option<Value> {
        let found = self.tagged.iter().filter(|tagged| tagged.text == "{n}").nth(which)?;
        numbers::at(self.words, found.from)?.count().map(Value::from)
    }

    /// The number behind a word.
    fn after(&self, word: &str) -> Option<Value> {
        let at = self.words.iter().position(|known| known == word)?;
        numbers::at(self.words, at + 1)?.count().map(Value::from)
    }

    fn limit(&self) -> Option<limits::Meant> {
        let tagged = self.tag("{limit}")?;
        limits::at(self.words, tagged.from).map(|said| said.meant)
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
