//! Where the endpoint is: the environment, or a file that only its owner can read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::Diagnostic;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use harness_base::secret::{self, Key, UrlFault, host_of, is_open_to_others};
use harness_base::yaml::{self, YamlError};

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("url", "https://HOST/v1"),
        ("model", "NAME"),
        ("key", "SECRET"),
        ("temperature", "0"),
        ("timeout", "20"),
        ("retries", "2"),
    ],
    keys: &[],
    help: "it holds `url`, `model`, and if needed `key`, `temperature`, `timeout` (seconds) and `retries`",
};

/// An endpoint and how it is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Its address up to `/v1`; `/chat/completions` is added.
    pub url: String,
    /// The model.
    pub model: String,
    /// Sent as a bearer token.
    #[serde(default)]
    pub key: Option<Key>,
    /// 0: the most likely answer.
    #[serde(default)]
    pub temperature: f64,
    /// Longest wait for one answer, in seconds in the file.
    #[serde(default = "timeout", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// How often it is asked again after a failure that may pass.
    #[serde(default = "retries")]
    pub retries: u32,
    /// The wait before it is asked again; it doubles with each attempt.
    #[serde(skip, default = "first_wait")]
    pub(super) wait: Duration,
}

fn first_wait() -> Duration {
    Duration::from_millis(250)
}

fn timeout() -> Duration {
    Duration::from_secs(20)
}

fn retries() -> u32 {
    2
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    let known = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    known.ok_or_else(|| serde::de::Error::custom("expected seconds above 0"))
}

/// An endpoint that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum SettingsError {
    /// Others can read the file.
    #[error("{} can be read by others", .0.display())]
    #[diagnostic(help("it may hold a key: `chmod 600 {}`", .0.display()))]
    Readable(PathBuf),
    /// The file is not as expected.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// A variable has a value that is none.
    #[error("{0} is `{1}`: {2}")]
    #[diagnostic(help("`unset {0}` takes the default"))]
    Variable(&'static str, String, &'static str),
    /// The model is missing.
    #[error("TENCH_ASSISTANT_URL is set, but TENCH_ASSISTANT_MODEL is not")]
    #[diagnostic(help("name the model that answers there"))]
    NoModel,
    /// The address is no address.
    #[error("`{0}` is no address of an endpoint")]
    #[diagnostic(help(
        "it looks like https://api.example.org/v1, without a name or password in it"
    ))]
    Url(String),
    /// The key would be sent in the open.
    #[error("the key would be sent to `{0}` without encryption")]
    #[diagnostic(help("use an address with https, or an endpoint on this machine"))]
    Plain(String),
}

impl Endpoint {
    /// From `TENCH_ASSISTANT_URL`, `_MODEL`, `_KEY`, `_TEMPERATURE`, `_TIMEOUT` and `_RETRIES`, or else
    /// from a file; `None` where neither is there.
    ///
    /// # Errors
    /// When it is configured wrongly.
    pub fn find(
        variable: &dyn Fn(&str) -> Option<String>,
        file: Option<&Path>,
    ) -> Result<Option<Endpoint>, SettingsError> {
        let endpoint = match variable("TENCH_ASSISTANT_URL") {
            Some(url) => Endpoint::of_variables(url, variable)?,
            None => match file.filter(|file| file.exists()) {
                Some(file) => Endpoint::of_file(file)?,
                None => return Ok(None),
            },
        };
        endpoint.checked().map(Some)
    }

    fn of_variables(
        url: String,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, SettingsError> {
        let number = |name: &'static str, default: f64, least: f64| match variable(name) {
            None => Ok(default),
            Some(text) => {
                let known =
                    text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= least);
                known.ok_or(SettingsError::Variable(name, text, "expected a number"))
            }
        };
        let timeout = number("TENCH_ASSISTANT_TIMEOUT", 20.0, 0.01)?;
        Ok(Endpoint {
            model: variable("TENCH_ASSISTANT_MODEL").ok_or(SettingsError::NoModel)?,
            key: variable(secret::ASSISTANT_KEY).map(Key::new),
            temperature: number("TENCH_ASSISTANT_TEMPERATURE", 0.0, 0.0)?,
            timeout: Duration::from_secs_f64(timeout.min(3600.0)),
            retries: number("TENCH_ASSISTANT_RETRIES", 2.0, 0.0)? as u32,
            wait: first_wait(),
            url,
        })
    }

    fn of_file(file: &Path) -> Result<Endpoint, SettingsError> {
        if is_open_to_others(file) {
            return Err(SettingsError::Readable(file.to_owned()));
        }
        Ok(yaml::read(file, KIND)?)
    }

    fn checked(mut self) -> Result<Endpoint, SettingsError> {
        self.url.truncate(self.url.trim_end_matches('/').len());
        self.retries = self.retries.min(10);
        secret::check_url(&self.url, self.key.is_some()).map_err(|fault| match fault {
            UrlFault::Invalid(shown) => SettingsError::Url(shown),
            UrlFault::Unencrypted(url) => SettingsError::Plain(url),
        })?;
        Ok(self)
    }

    /// The host and port of the address.
    pub fn host(&self) -> &str {
        host_of(&self.url)
    }
}
