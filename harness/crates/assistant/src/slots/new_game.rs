//! The slots of a new game: against whom, on which level, with which colour and clock, from where.

use super::Filler;

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
    pub(super) fn new_game(&mut self) {
        // First: its number is no level.
        let said = ["960", "chess960", "fischer", "freestyle", "frc", "fischerandom"];
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
        // Before the opening: that of "this same Najdorf position" is on the board.
        let has_fen = self.sentence.tagged.iter().any(|token| token.text == "{fen}");
        let is_here = !has_fen && self.begins_here();
        let opening = if is_here { None } else { self.opening() };
        self.set("opening", opening);
        let fen = self.fen();
        self.set("fen", fen);
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

    /// "You pick the colours": whichever they are.
    fn leaves_colour_open(&mut self) -> bool {
        let words = self.sentence.words;
        let picks = |at: &usize| {
            matches!(self.word(*at), "pick" | "choose" | "select" | "decide" | "assign" | "draw")
                && matches!(self.word(at + 1), "the" | "my" | "our" | "which" | "colours")
        };
        let Some(verb) = (1..words.len()).find(picks) else { return false };
        let noun = verb + 1 + usize::from(self.word(verb + 1) != "colours");
        let is_colour = matches!(self.word(noun), "colour" | "colours" | "side" | "sides");
        let is_yours = matches!(self.word(verb - 1), "you" | "engine" | "computer" | "program");
        if is_colour && is_yours {
            self.mark(verb - 1..noun + 1);
        }
        is_colour && is_yours
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
                .any(|phrase| self.phrase(phrase))
                || self.leaves_colour_open();
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
}
