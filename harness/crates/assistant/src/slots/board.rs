//! The slots of what is asked of a board.

use serde_json::Value;

use super::Filler;
use super::editor::is_piece;
use crate::intent::Intent;
use crate::tags::Tagged;
use crate::{names, numbers};

/// Who sits at the same board, rather than an engine.
const PEOPLE: [&str; 9] =
    ["friend", "human", "person", "someone", "wife", "husband", "brother", "sister", "people"];

/// The clock of a game without one, which is what a game has where nothing is said.
pub const NO_CLOCK: &str = "none";

/// How people say that.
const NO_CLOCKS: [&str; 19] = [
    "without a ticking clock",
    "without any time limit",
    "without a time limit",
    "without time limit",
    "without time control",
    "without a time control",
    "without any clock",
    "without a clock",
    "without clocks",
    "without clock",
    "without time",
    "no time limit",
    "no time control",
    "no clocks",
    "no clock",
    "unlimited time",
    "clock off",
    "untimed",
    "unlimited",
];

impl Filler<'_> {
    /// The slots of what is asked of a board.
    pub fn fill_for_board(&mut self) {
        match self.intent {
            Intent::PlayOpening => {
                let opening = self.opening();
                self.set("opening", opening);
                let side = self.side();
                self.set("side", side);
                if side.is_some() {
                    self.has(&["side"]);
                }
                // That is the opening itself.
                self.phrase("main line");
                self.refused_game();
            }
            Intent::Flip => {
                let side = self.side();
                // Half a turn is all there is.
                self.number_if(&["degree", "degrees", ""], 180);
                self.has(&["degree", "degrees", "colour"]);
                // "Why is black below, turn it": that side is there.
                let is_there = self.word(0) == "why";
                // "White at the top" is Black below.
                let is_above = self.has(&["top", "upper", "above", "uppermost"]);
                let side = side.map(|side| match (is_above, side) {
                    (true, "white") => "black",
                    (true, _) => "white",
                    (false, side) => side,
                });
                self.set("side", side.filter(|_| !is_there));
            }
            Intent::Move => {
                let text = self.sentence.text.trim();
                self.set("move", Some(text));
                self.mark(0..self.sentence.words.len());
            }
            Intent::TakeBack => self.take_back(),
            // "I lay down my king".
            Intent::Resign => drop(self.has(&["king"])),
            Intent::CommentGame => self.name_side_alone(),
            Intent::GoTo => self.go_to(),
            Intent::NewGame => self.new_game(),
            Intent::SetLevel => self.set_level(),
            Intent::Hint | Intent::Evaluate | Intent::Threat => {
                let engine = self.names_analyst().then(|| self.first_players(1)).into_iter();
                let engine = engine.flatten().next();
                self.set("engine", engine);
                // A clock is no limit of a search for an answer.
                let limit = self.attempt(|filler| {
                    filler.limit().filter(|limit| {
                        ["movetime=", "nodes=", "depth="].iter().any(|kind| limit.starts_with(kind))
                    })
                });
                self.set("limit", limit);
                if self.intent == Intent::Hint {
                    self.has(&["white", "black"]);
                    // A hint is the move.
                    let whole = ["not the whole move", "not the whole thing", "not the move"];
                    if let Some(words) = whole.iter().find_map(|said| self.place_of(said)) {
                        self.mark(words.clone());
                        self.filled.named.push(words);
                    }
                }
                self.has(&["white", "black", "whites", "blacks"]);
            }
            Intent::EngineOn => self.engine_on(),
            Intent::EditPosition => self.edit_position(),
            Intent::PlayOut => {
                let white = self.engine_with_white();
                let mut engines = self.first_players(2);
                if let Some(white) = white {
                    // The engine that is named first has White in all games.
                    self.set("no_swap", Some(true));
                    if engines.get(1) == Some(&white) {
                        engines.swap(0, 1);
                    }
                }
                let itself = engines.len() == 1 && self.has(&["itself", "himself", "themselves"]);
                let against = engines.get(1).or(engines.first().filter(|_| itself));
                self.set("engine", engines.first().cloned());
                self.set("against", against.cloned());
                self.number_of_sides();
                let jobs = self.games_at_once();
                self.set("jobs", jobs);
                let pairs = self.number(&["pair", "pairs"]);
                let games = pairs.and_then(|pairs| pairs.checked_mul(2));
                if games.is_some() {
                    let swapped = ["colours reversed", "colours swapped", "colours alternating"];
                    swapped.iter().any(|said| self.phrase(said));
                }
                let games = games.or_else(|| self.written_times());
                let games = games
                    .or_else(|| self.number(&["game", "games", "time", "times", "rounds", ""]));
                // "Have two engines finish this game".
                let said = ["finish this game", "finish the game", "to the end", "finish it"];
                let is_one =
                    games.is_none() && said.iter().any(|said| self.place_of(said).is_some());
                self.set("games", games.or(is_one.then_some(1)));
                let limit = self.limit();
                self.set("limit", limit);
            }
            Intent::Practice => self.practice(),
            Intent::Export => {
                let what = self.export();
                self.set("what", Some(what));
                self.exported_file(what);
            }
            _ => {}
        }
    }

    /// "But don't start a game": an opening is put on the board without one in any case.
    fn refused_game(&mut self) {
        const VERBS: [&str; 8] =
            ["start", "starting", "begin", "beginning", "play", "playing", "have", "having"];
        let words = self.sentence.words;
        let Some(not) = words.iter().position(|word| matches!(&**word, "not" | "without" | "no"))
        else {
            return;
        };
        let is_between = |at: &usize| {
            VERBS.contains(&self.word(*at)) || matches!(self.word(*at), "a" | "any" | "the" | "new")
        };
        let noun = (not + 1..).find(|at| !is_between(at)).unwrap_or(not);
        if matches!(self.word(noun), "game" | "games") {
            let from =
                (0..not).rev().take_while(|at| matches!(self.word(*at), "but" | "do")).last();
            self.mark(from.unwrap_or(not)..noun + 1);
        }
    }

    /// "Two engines" of which both are named, or both are the same, says nothing new.
    fn number_of_sides(&mut self) {
        self.number_if(&["engine", "engines", "player", "players"], 2);
        self.phrase("both sides");
    }

    /// "Weiss with White, glaurung with Black": the engine that has White, by the words beside them.
    fn engine_with_white(&mut self) -> Option<String> {
        let engines: Vec<Tagged> = self
            .sentence
            .tagged
            .iter()
            .filter(|token| matches!(token.text.as_str(), "{engine}" | "{rev}"))
            .cloned()
            .collect();
        let [first, second] = &engines[..] else { return None };
        let sides: Vec<usize> = (0..self.sentence.words.len())
            .filter(|at| matches!(self.word(*at), "white" | "black"))
            .collect();
        let at = *sides.first()?;
        // "With white weiss", "weiss plays white".
        let is_behind = first.to <= at;
        let nearest = match is_behind && (second.from > at || at.abs_diff(second.to) > 4) {
            true => first,
            false if is_behind => second,
            false => first,
        };
        let is_white = self.word(at) == "white";
        let other = if std::ptr::eq(nearest, first) { second } else { first };
        let white = if is_white { nearest } else { other };
        let name = match white.text.as_str() {
            "{rev}" => Some(self.revision(white)),
            _ => self.engine_of(white),
        }?;
        for at in sides {
            self.mark(at..at + 1);
        }
        self.has(&["pieces", "take", "takes", "taking"]);
        Some(name)
    }

    /// `x20`, `20x`: this number of games.
    pub(super) fn written_times(&mut self) -> Option<u32> {
        let found = self.sentence.words.iter().enumerate().find_map(|(at, word)| {
            let digits = word.strip_prefix('x').or_else(|| word.strip_suffix('x'))?;
            digits.parse().ok().filter(|count| *count > 0).map(|count| (at, count))
        });
        let (at, count) = found?;
        self.mark(at..at + 1);
        Some(count)
    }

    /// "Only the mistakes of Black": a review is of both sides.
    fn name_side_alone(&mut self) {
        let sides = self.places(&["white", "black", "whites", "blacks"]);
        let is_alone = ["only", "just", "alone"].iter().any(|word| self.place_of(word).is_some());
        if let Some(at) = sides.first().filter(|_| is_alone) {
            self.mark(*at..at + 1);
            self.filled.named.push(*at..at + 1);
        }
    }

    /// Whether an engine is named that is to answer: not by a word that is a little like its name ("touch"), nor by "my
    /// stuff".
    fn names_analyst(&self) -> bool {
        /// A word more like a name than this is that name.
        const LIKE: f32 = 0.6;
        let names = |token: &Tagged| {
            let typed = self.typed(token.from);
            token.text == "{engine}"
                && self.engine_of(token).is_some_and(|name| {
                    let likeness = names::among(&typed, [name.as_str()]);
                    name.starts_with(&typed.to_lowercase())
                        || likeness.is_some_and(|found| found.similarity > LIKE)
                })
        };
        let own = ["engine", "build", "version", "patch", "branch", "head"];
        let says_own = self.sentence.words.iter().any(|word| own.contains(&word.as_str()));
        says_own || self.sentence.tagged.iter().any(|token| token.text == "{rev}" || names(token))
    }

    /// "Three full moves".
    fn full_moves(&mut self) -> Option<u32> {
        let full = (1..self.sentence.words.len()).find(|at| {
            matches!(self.word(*at), "full" | "whole") && self.word(at + 1).starts_with("move")
        })?;
        let number = numbers::at(self.sentence.words, full - 1)?.count()?;
        self.mark(full - 1..full + 2);
        Some(number)
    }

    /// "Undo 5...a6 and my 5.Nc3", "everything from cxd4 on": the first of the moves that are taken back.
    fn taken_back_from(&mut self) -> bool {
        let mut first: Option<(u64, bool, Value)> = None;
        // "Undo what came after 1.d4".
        let numbered = |at: &usize| self.word(*at).starts_with(|sign: char| sign.is_ascii_digit());
        let place = (1..self.sentence.words.len()).find(numbered);
        let after = place.is_some_and(|at| matches!(self.word(at - 1), "after" | "behind"));
        while self.numbered_move().is_some() {
            let number = self.filled.slots.get("move").and_then(Value::as_u64).unwrap_or(1);
            let black = self.filled.slots.get("side").is_some_and(|side| side == "black");
            let san = self.filled.slots.remove("san").unwrap_or_default();
            first = match first {
                Some(first) if (first.0, first.1) <= (number, black) => Some(first),
                _ => Some((number, black, san)),
            };
        }
        let is_numbered = first.is_some();
        if let Some((number, black, san)) = first {
            self.set("move", Some(number));
            self.set("side", Some(if black { "black" } else { "white" }));
            self.set("san", Some(san));
            self.set("after", after.then_some(true));
        }
        is_numbered || (self.unused("{n}").is_empty() && self.described_move())
    }

    fn take_back(&mut self) {
        if self.taken_back_from() {
            const LINKS: [&str; 14] = [
                "from",
                "on",
                "down",
                "back",
                "until",
                "before",
                "just",
                "everything",
                "both",
                "all",
                "including",
                "with",
                "together",
                "after",
            ];
            self.has(&LINKS);
            return;
        }
        // "Until move 12" counts no moves.
        let is_place = |at: usize| {
            self.word(at) == "move" && numbers::at(self.sentence.words, at + 1).is_some()
        };
        let until = (0..self.sentence.words.len())
            .any(|at| matches!(self.word(at), "until" | "till" | "before") && is_place(at + 1));
        let count = match until {
            true => None,
            false => {
                self.full_moves().or_else(|| self.number(&["move", "moves", "time", "times", ""]))
            }
        };
        let in_plies = if count.is_none() { self.half_moves() } else { None };
        let is_half = in_plies.is_some()
            || self.has(&["ply", "plies", "halfmove", "halfmoves"])
            || self.phrase("half moves")
            || self.phrase("half move");
        self.set("unit", is_half.then_some("half-moves"));
        let count = count.or(in_plies);
        let both = count.is_none() && self.has(&["both"]);
        self.set("count", count.or(both.then_some(2)));
    }

    fn new_game(&mut self) {
        // First: its number is no level.
        let said = ["960", "chess960", "fischer", "freestyle"];
        let refused = self.places(&said).into_iter().find_map(|at| Some(self.refusal(at)?..at + 1));
        let chess960 = refused.is_none() && self.has(&said);
        refused.into_iter().for_each(|words| self.mark(words));
        self.set("chess960", chess960.then_some(true));
        if chess960 {
            self.has(&["random"]);
        }
        // Before the level: the seconds of "3 min +2 level 5" are none.
        let clock = self.limit_as(|meant| meant.clock()).or_else(|| self.named_clock());
        if clock.as_ref().is_some_and(|clock| clock.ends_with("+0")) {
            let none = ["no increment", "without increment", "without an increment", "no inc"];
            none.iter().any(|said| self.phrase(said));
        }
        self.set("clock", clock);
        let level = self.level();
        self.set("level", level);
        let engine = self.first_players(1).into_iter().next();
        let human = engine.is_none()
            && level.is_none()
            && (self.has(&PEOPLE) || self.phrase("two players") || self.phrase("two humans"));
        if human {
            // "Two people" are the user and another one.
            self.number(&["people", "players", "humans"]);
            self.has(&["no"]);
        }
        self.set("engine", engine.or(human.then(|| "human".to_owned())));
        let colour = self.refused_colour().or_else(|| self.colour()).or_else(|| self.by_beginner());
        self.set("colour", colour);
        self.number_if(&["game"], 1);
        let opening = self.opening();
        self.set("opening", opening);
        let fen = self.fen();
        self.set("fen", fen);
        // It begins at the start, with an opening, or with the position on the board.
        const FROM_HERE: [&str; 14] = [
            "from here",
            "from this position",
            "from exactly this position",
            "from this exact position",
            "from this very position",
            "from the current position",
            "from the present position",
            "from current position",
            "from current fen",
            "from the current fen",
            "from this fen",
            "from this point",
            "from the position on the board",
            "with this position",
        ];
        let is_here = FROM_HERE.iter().any(|said| self.phrase(said));
        self.set("here", is_here.then_some(true));
    }

    /// A clock by its usual name; a name beside a clock says nothing more.
    fn named_clock(&mut self) -> Option<String> {
        if NO_CLOCKS.iter().any(|phrase| self.phrase(phrase)) {
            return Some(NO_CLOCK.to_owned());
        }
        let clocks =
            [("bullet", "1+0"), ("blitz", "3+2"), ("rapid", "10+5"), ("classical", "30+20")];
        clocks.iter().find(|(name, _)| self.has(&[name])).map(|(_, clock)| (*clock).to_owned())
    }

    /// "You start", "I move first": who begins has White.
    fn by_beginner(&mut self) -> Option<&'static str> {
        let said = [("you", "black"), ("i", "white")].into_iter().find(|(who, _)| {
            ["start", "begin", "move first", "go first"]
                .iter()
                .any(|verb| self.place_of(&format!("{who} {verb}")).is_some())
        });
        said.map(|(_, colour)| colour)
    }

    /// "But not as Black": the other colour.
    fn refused_colour(&mut self) -> Option<&'static str> {
        let sides = self.places(&["white", "black"]);
        let [at] = sides[..] else { return None };
        // "I do not want to be White".
        let wants =
            |at: &usize| self.word(*at) == "not" && matches!(self.word(at + 1), "want" | "like");
        let between = (at.saturating_sub(6)..at).filter(wants).find(|not| {
            (not + 1..at).all(|at| {
                matches!(
                    self.word(at),
                    "want"
                        | "to"
                        | "be"
                        | "play"
                        | "take"
                        | "have"
                        | "with"
                        | "as"
                        | "the"
                        | "like"
                )
            })
        });
        let not = self.refusal(at).or(between)?;
        let colour = if self.word(at) == "white" { "black" } else { "white" };
        let lead = (0..not)
            .rev()
            .take_while(|at| matches!(self.word(*at), "but" | "i" | "do" | "would"))
            .count();
        self.mark(not - lead..at + 1);
        Some(colour)
    }

    fn colour(&mut self) -> Option<&'static str> {
        // Which one that is, the game before knows.
        let other = [
            "other colour",
            "other colours",
            "opposite colour",
            "other pieces",
            "colours reversed",
            "colours swapped",
            "colours switched",
            "reversed colours",
            "swapped colours",
            "switched colours",
            "reverse colours",
            "colours changed",
            "colours exchanged",
            "sides swapped",
            "sides switched",
            "sides changed",
            "sides reversed",
            "swap sides",
            "swap colours",
            "switch sides",
            "change sides",
            "change colours",
        ];
        if let Some(words) = other.iter().find_map(|said| self.place_of(said)) {
            self.mark(words);
            return Some("other");
        }
        // Fischer's random chess has no side.
        let fischer = !self.places(&["fischer", "960", "chess960"]).is_empty();
        let any: &[&str] = if fischer {
            &["either", "any", "whichever"]
        } else {
            &["random", "either", "any", "whichever"]
        };
        let at_random =
            ["colour at random", "random colour", "random side", "side at random", "by lot"]
                .iter()
                .any(|phrase| self.phrase(phrase));
        // "Without any time limit".
        let is_refused = |at: &usize| {
            at.checked_sub(1).is_some_and(|at| matches!(self.word(at), "without" | "no" | "not"))
        };
        // "I cannot play blitz any more".
        let is_of_colour = |at: &usize| {
            self.word(*at) != "any"
                || matches!(
                    self.word(at + 1),
                    "" | "colour" | "side" | "one" | "colours" | "pieces"
                )
        };
        let any: Vec<usize> =
            self.places(any).into_iter().filter(|at| !is_refused(at) && is_of_colour(at)).collect();
        any.iter().for_each(|at| self.mark(*at..at + 1));
        if at_random || !any.is_empty() { Some("random") } else { self.side() }
    }

    fn engine_on(&mut self) {
        let lines = self.number(&[
            "line",
            "lines",
            "variation",
            "variations",
            "pv",
            "pvs",
            "multipv",
            "moves",
        ]);
        let lines = lines.or_else(|| self.engine_lines()).or_else(|| self.number_of_them());
        // "Lines 4", "multipv 3".
        let lines = lines.or_else(|| {
            ["lines", "multipv", "variations", "pv", "top"]
                .iter()
                .find_map(|noun| self.number_behind(noun))
        });
        // "Two lines, not three".
        if let Some(not) = self.place_of("not").filter(|_| lines.is_some()) {
            let number = numbers::at(self.sentence.words, not.end).map_or(0, |number| number.words);
            if number > 0 {
                self.mark(not.start..not.end + number);
            }
        }
        // "Two lines instead of five".
        if let Some(place) = self.place_of("instead of").filter(|_| lines.is_some()) {
            let number =
                numbers::at(self.sentence.words, place.end).map_or(0, |number| number.words);
            if number > 0 {
                self.mark(place.start..place.end + number);
            }
        }
        self.set("lines", lines);
        let engines = self.players();
        self.set("engine", (!engines.is_empty()).then(|| engines.join(", ")));
        let limit = self.limit();
        self.set("limit", limit);
    }

    /// "The engine lines, four of them".
    fn number_of_them(&mut self) -> Option<u32> {
        let speaks_of_lines = self.sentence.words.iter().any(|word| word.starts_with("line"));
        let numbers = self.unused("{n}");
        let is_of_them =
            |number: &&Tagged| self.word(number.to) == "of" && self.word(number.to + 1) == "them";
        let number = numbers.iter().find(is_of_them).filter(|_| speaks_of_lines)?;
        self.mark(number.from..number.to + 2);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// "Two engine lines".
    fn engine_lines(&mut self) -> Option<u32> {
        let is_line = |word: &str| word.starts_with("lin") || word.starts_with("variation");
        let numbers = self.unused("{n}");
        // "The five best ways to continue".
        let is_way = |word: &str| matches!(word, "ways" | "continuations" | "options" | "tries");
        let number = numbers.into_iter().find(|number| {
            let (adjective, noun) = (self.word(number.to), self.word(number.to + 1));
            (adjective == "engine" && is_line(noun)) || (adjective == "best" && is_way(noun))
        })?;
        self.mark(number.from..number.to + 2);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// "Copy the FEN, not the PGN": what is not meant beside what is, is no detail.
    pub(super) fn refused_other(&mut self, others: &[&str]) {
        let not = self.sentence.words.iter().position(|word| word == "not");
        let Some(not) = not.filter(|not| *not > 0) else { return };
        let noun = (not + 1..).find(|at| {
            !matches!(self.word(*at), "the" | "a" | "at" | "to" | "its" | "whole" | "entire")
        });
        let noun = noun.filter(|at| others.contains(&self.word(*at)));
        if let Some(noun) = noun {
            self.mark(not..noun + 1);
        }
    }

    /// Position that a board is set up with; where single squares are emptied, another word has to say that all
    /// are.
    pub(super) fn preset(&mut self, is_of_all: bool) -> Option<&'static str> {
        let whole = [
            "clear the board",
            "nothing on the board",
            "board with no pieces",
            "board without pieces",
            "empty the board",
            "clear everything",
            "remove everything",
            "take everything off",
            "everything off",
        ];
        // "Remove all black pawns" and "the h-pawns" leave the others.
        let names_piece = self.sentence.words.iter().any(|word| is_piece(word));
        // "Clear the board of black pieces" leaves the others.
        let is_of_some = self.place_of("board of").is_some();
        let emptied = (!is_of_some && whole.iter().any(|phrase| self.phrase(phrase)))
            || (is_of_all && !names_piece && self.has(&["empty", "clear", "remove", "wipe"]));
        // Exactly: "black" is like "blank".
        let empty = self.phrase("clean") || self.phrase("blank") || emptied;
        let has_fen = self.filled.slots.contains_key("fen");
        let start =
            self.has(&["start", "starting", "initial", "standard", "beginning"]) && !has_fen;
        if empty { Some("empty") } else { start.then_some("start") }
    }

    /// The file that is saved: by its name, or as the browser names it.
    fn exported_file(&mut self, what: &str) {
        let named = self.written("{file}").or_else(|| self.written("{suite}"));
        if named.is_some() {
            self.has(&["as", "to", "into", "name", "called", "named", "under", "file", "save"]);
        }
        let saves = ["save", "download", "store", "file", "write", "dump"];
        let is_saved = what == "pgn" && saves.iter().any(|word| self.place_of(word).is_some());
        if is_saved {
            self.has(&saves);
        }
        self.set("file", named.or(is_saved.then(|| "game.pgn".to_owned())));
        if what == "picture" {
            let side = self.side();
            self.set("side", side);
            self.has(&["below", "bottom", "side"]);
            let pixels = self.number(&["px", "pixel", "pixels"]);
            self.set("pixels", pixels.filter(|pixels| (50..=4000).contains(pixels)));
        }
    }

    /// The form in which a game or a position is wanted.
    fn export(&mut self) -> &'static str {
        const PICTURES: [&str; 10] = [
            "picture",
            "image",
            "screenshot",
            "photo",
            "png",
            "gif",
            "svg",
            "diagram",
            "pic",
            "jpg",
        ];
        let pictures = self.places(&PICTURES);
        let is_wanted = |at: &usize| {
            self.refusal(*at).is_none()
                // "The FEN of this diagram".
                && !(self.word(*at) == "diagram" && *at > 0 && self.word(at - 1) == "this")
        };
        if pictures.iter().any(is_wanted) {
            self.has(&PICTURES);
            self.refused_other(&["pgn", "fen", "text", "words"]);
            self.has(&["board", "position", "diagram"]);
            return "picture";
        }
        let link = self.has(&["link", "url", "share", "address"]);
        let is_refused = |filler: &Self, word: &str| {
            filler.places(&[word]).into_iter().all(|at| filler.refusal(at).is_some())
        };
        let fen = (!is_refused(self, "fen") || !is_refused(self, "position"))
            && self.has(&["fen", "position"]);
        let refused = self.places(&["pgn"]).into_iter().all(|at| self.refusal(at).is_some());
        // "The FEN and the PGN": one is copied, and the other named.
        if fen && !refused {
            for at in self.places(&["pgn"]) {
                self.filled.named.push(at..at + 1);
            }
        }
        self.has(&["pgn"]);
        self.refused_other(if fen { &["pgn", "game", "moves"] } else { &["fen", "position"] });
        if link {
            "link"
        } else if fen {
            "fen"
        } else {
            "pgn"
        }
    }
}
