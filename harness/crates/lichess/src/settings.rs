//! Settings of the user, from a YAML file. Every key has a default.

use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::Diagnostic;
use serde::Deserialize;
use thiserror::Error;

use super::keys::{Book, Challenges, Chat, Search, Seek, TablebaseSettings, Variant, time};
use harness_arena::{DrawOffer, Resign};
use harness_base::secret::{self, UrlFault, host_of, is_this_machine};
use harness_base::yaml::{self, YamlError};

/// The file that is read where none is named, if it is there.
pub const FILE_NAME: &str = "lichess.yaml";

/// The server of all who do not run their own.
pub const LICHESS: &str = "https://lichess.org";

/// Longest text that the chat of Lichess takes.
const MAX_CHAT_CHARS: usize = 140;

/// Pause that Lichess requires after an answer 429.
const MINUTE: Duration = Duration::from_secs(60);

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("url", "https://lichess.org"),
        ("token_file", "~/.config/tench/lichess-token"),
        ("games", "2"),
        ("challenges", "{ speeds: [bullet, blitz], modes: [casual] }"),
        ("variants", "[standard, chess960, fromPosition]"),
        ("speeds", "[bullet, blitz, rapid, classical]"),
        ("modes", "[casual, rated]"),
        ("opponents", "[humans, bots]"),
        ("base", "{ min: 60s, max: 900s }"),
        ("increment", "{ min: 0s, max: 10s }"),
        ("rating", "{ min: 1000, max: 2500 }"),
        ("block", "[NAME]"),
        ("only", "[NAME]"),
        ("per_opponent", "1"),
        ("seek", "{ rating: { min: 1800, max: 2400 }, clocks: [180+2] }"),
        ("clocks", "[180+2, 300+3]"),
        ("every", "60s"),
        ("waits", "20s"),
        ("per_day", "50"),
        ("search", "{ move_overhead: 300ms, ponder: false }"),
        ("move_overhead", "300ms"),
        ("untimed", "10s"),
        ("nodes", "100000"),
        ("depth", "20"),
        ("book", "{ file: book.bin, plies: 24, choice: weighted }"),
        ("tablebases", "{ folders: /srv/syzygy, moves: true }"),
        ("resign", "{ score: 900, moves: 4 }"),
        ("draw", "{ score: 10, moves: 8, from: 40 }"),
        ("chat", "{ greeting: Good luck!, farewell: Thanks for the game. }"),
        ("abort_after", "60s"),
        ("silence", "30s"),
        ("rate_limit_wait", "60s"),
    ],
    keys: &[],
    help: "`harness docs lichess` has every key with its default",
};

/// The bot's settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The server.
    pub url: String,
    /// A file with the token, for its owner only.
    pub token_file: Option<PathBuf>,
    /// Games at once.
    pub games: usize,
    /// Which challenges are accepted.
    pub challenges: Challenges,
    /// Challenges that the bot sends; `None`: it sends none.
    pub seek: Option<Seek>,
    /// How the engine searches.
    pub search: Search,
    /// A Polyglot book.
    pub book: Option<Book>,
    /// Syzygy tablebases.
    pub tablebases: Option<TablebaseSettings>,
    /// Resignation; `None`: never.
    pub resign: Option<Resign>,
    /// Offers of a draw, and agreement to the opponent's; `None`: never.
    pub draw: Option<DrawOffer>,
    /// Texts for the chat.
    pub chat: Chat,
    /// A game is aborted when the opponent has not made the first move for so long.
    #[serde(deserialize_with = "time")]
    pub abort_after: Duration,
    /// A stream without a line for so long is dead; one is sent every 7 seconds.
    #[serde(deserialize_with = "time")]
    pub silence: Duration,
    /// No request is sent for so long after an answer 429.
    #[serde(deserialize_with = "time")]
    pub rate_limit_wait: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            url: LICHESS.to_owned(),
            token_file: None,
            games: 1,
            challenges: Challenges::default(),
            seek: None,
            search: Search::default(),
            book: None,
            tablebases: None,
            resign: None,
            draw: None,
            chat: Chat::default(),
            abort_after: Duration::from_secs(60),
            silence: Duration::from_secs(30),
            rate_limit_wait: MINUTE,
        }
    }
}

/// Settings that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum SettingsError {
    /// The file is not as expected.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// The address is no address.
    #[error("`{0}` is no address of a server")]
    #[diagnostic(help("it looks like https://lichess.org, without a path, name or password"))]
    Url(String),
    /// The token would be sent in the open.
    #[error("the token would be sent to `{0}` without encryption")]
    #[diagnostic(help("use an address with https, or a server on this machine"))]
    Plain(String),
    /// A value makes no sense.
    #[error("{0}")]
    #[diagnostic(help("`harness docs lichess` has every key with its default"))]
    Value(&'static str),
}

impl Settings {
    /// Reads a file; without one, the file [`FILE_NAME`] of the current folder if it is there, else
    /// the defaults. Paths in it are seen from its folder.
    ///
    /// # Errors
    /// When it cannot be read, or a value makes no sense.
    pub fn read(file: Option<&Path>) -> Result<Settings, SettingsError> {
        let usual = Path::new(FILE_NAME);
        let Some(file) = file.or_else(|| usual.exists().then_some(usual)) else {
            return Settings::default().checked();
        };
        let text = yaml::read_text(file, KIND)?;
        let mut settings: Settings = yaml::parse_or_default(file, &text, KIND)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        if let Some(book) = &mut settings.book {
            book.file = folder.join(&book.file);
        }
        if let Some(token) = &mut settings.token_file {
            let home = std::env::var_os("HOME").map(PathBuf::from);
            *token = match (token.strip_prefix("~"), home) {
                (Ok(rest), Some(home)) => home.join(rest),
                _ => folder.join(&*token),
            };
        }
        settings.checked()
    }

    /// With another server.
    ///
    /// # Errors
    /// When it is no address, or would be sent the token in the open.
    pub fn at(mut self, url: &str) -> Result<Settings, SettingsError> {
        url.clone_into(&mut self.url);
        self.checked()
    }

    fn checked(mut self) -> Result<Settings, SettingsError> {
        self.url.truncate(self.url.trim_end_matches('/').len());
        secret::check_url(&self.url, true).map_err(|fault| match fault {
            UrlFault::Invalid(shown) => SettingsError::Url(shown),
            UrlFault::Unencrypted(url) => SettingsError::Plain(url),
        })?;
        if !self.url.ends_with(&format!("://{}", host_of(&self.url))) {
            // Paths of the interface are added to the address.
            return Err(SettingsError::Url(self.url));
        }
        match self.wrong_value() {
            Some(wrong) => Err(SettingsError::Value(wrong)),
            None => Ok(self),
        }
    }

    fn wrong_value(&self) -> Option<&'static str> {
        let said = [&self.chat.greeting, &self.chat.farewell];
        let too_long = |text: &&Option<String>| {
            text.as_ref().is_some_and(|text| text.chars().count() > MAX_CHAT_CHARS)
        };
        let elsewhere = !is_this_machine(host_of(&self.url));
        let two_sided = self.resign.is_some_and(|resign| resign.two_sided);
        [
            (self.games == 0, "`games` must be at least 1"),
            (self.challenges.per_opponent == 0, "`per_opponent` must be at least 1"),
            (
                self.seek.as_ref().is_some_and(lacks_choice),
                "`seek` needs one of `clocks`, of `modes` and of `variants`",
            ),
            (
                self.seek
                    .as_ref()
                    .is_some_and(|seek| seek.variants.contains(&Variant::FromPosition)),
                "`seek` plays `standard` and `chess960`: no position is chosen",
            ),
            (
                elsewhere && self.seek.as_ref().is_some_and(|seek| seek.every < SEEK_EVERY),
                "`every` of `seek` must be at least 20s: Lichess limits challenges",
            ),
            (self.search.nodes == Some(0), "`nodes` must be at least 1"),
            (self.search.depth == Some(0), "`depth` must be at least 1"),
            (self.search.untimed.is_zero(), "`untimed` must be above 0"),
            (self.silence.is_zero(), "`silence` must be above 0"),
            (two_sided, "`two_sided` needs the opponent's score, which Lichess does not send"),
            (
                elsewhere && self.silence < Duration::from_secs(15),
                "`silence` must be at least 15s: a line is sent every 7 seconds",
            ),
            (
                elsewhere && self.rate_limit_wait < MINUTE,
                "`rate_limit_wait` must be at least 60s, as Lichess asks",
            ),
            (said.iter().any(too_long), "a text of `chat` has more than 140 characters"),
        ]
        .into_iter()
        .find_map(|(wrong, why)| wrong.then_some(why))
    }
}

/// Shortest time between two challenges on a server of others.
const SEEK_EVERY: Duration = Duration::from_secs(20);

/// Whether there is no game that rules of challenges allow.
fn lacks_choice(seek: &Seek) -> bool {
    seek.clocks.is_empty() || seek.modes.is_empty() || seek.variants.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join(FILE_NAME);
        std::fs::write(&file, text).expect("written");
        Settings::read(Some(&file)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_is_the_defaults_and_every_form_of_a_message_can_be_read() {
        assert_eq!(read("# nothing\n"), Ok(Settings::default()));
        let text = "games: 2\nchallenges:\n  variants: [standard, chess960, fromPosition]\n  \
            speeds: [ultraBullet, bullet, blitz, rapid, classical, correspondence]\n  \
            modes: [casual]\n  opponents: [humans]\n  base: { min: 60s, max: 900s }\n  \
            increment: { max: 10s }\n  rating: { min: 1000 }\n  block: [Somebody]\n  per_opponent: 2\n\
            search: { move_overhead: 0, ponder: true, nodes: 1000, untimed: 5s }\n\
            book: { file: book.bin, choice: best }\ntablebases: { folders: /srv/syzygy, draw: true }\n\
            resign: { score: 900, moves: 4 }\ndraw: { score: 10, moves: 8, from: 40 }\n\
            chat: { greeting: Good luck! }\nabort_after: 30s\n";
        let settings = read(text).expect("valid");
        assert_eq!((settings.games, settings.challenges.base.min.as_secs()), (2, 60));
        assert_eq!(settings.challenges.increment.min, Duration::ZERO);
        assert!(settings.book.is_some_and(|book| book.file.is_absolute() && book.plies == 24));
        assert!(settings.tablebases.is_some_and(|tables| tables.moves && !tables.resign));
        assert_eq!(settings.search.move_overhead, Duration::ZERO);
    }

    #[test]
    fn settings_that_make_no_sense_say_why() {
        for (text, says) in [
            ("games: 0", "at least 1"),
            ("gamse: 1", "gamse"),
            ("abort_after: 60", "write `60s`"),
            ("rate_limit_wait: 10s", "at least 60s"),
            ("silence: 5s", "at least 15s"),
            ("resign: { score: 900, moves: 4, two_sided: true }", "two_sided"),
            ("url: http://lichess.org", "without encryption"),
            ("url: http://127.0.0.1.example.org:8080", "without encryption"),
            ("url: lichess.org", "no address"),
            ("url: https://lichess.org/api", "no address"),
            ("url: https://me:secret@lichess.org", "…@…"),
            ("challenges: { variants: [atomic] }", "atomic"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(says) && !error.contains("secret"), "{text}: {error}");
        }
        let long = format!("chat: {{ greeting: {} }}", "x".repeat(141));
        assert!(read(&long).is_err());
        let here = "url: http://localhost:8080/\nrate_limit_wait: 1s\nsilence: 1s";
        assert_eq!(read(here).expect("valid").url, "http://localhost:8080");
    }
}
