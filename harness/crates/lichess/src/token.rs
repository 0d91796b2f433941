//! The token: from the environment, or from a file that only its owner can read.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use harness_base::secret::{Key, LICHESS_TOKEN, is_open_to_others};

/// The file in the folder of the user's settings that is read where none is named.
pub const FILE_NAME: &str = "lichess-token";

/// Longest token; those of Lichess may grow to 512 characters and more.
const MAX_TOKEN_BYTES: usize = 4096;

/// No token that could be used.
#[derive(Debug, Error, Diagnostic)]
pub enum TokenError {
    /// There is none.
    #[error("there is no token: LICHESS_TOKEN is not set, and no file holds one")]
    #[diagnostic(help(
        "make one with the scope bot:play at https://lichess.org/account/oauth/token/create, put it \
         into a file, `chmod 600 FILE`, and name it with `--token-file FILE`; \
         `harness docs lichess` has every step"
    ))]
    None,
    /// Others can read the file.
    #[error("{} can be read by others", .0.display())]
    #[diagnostic(help("it holds a secret: `chmod 600 {}`", .0.display()))]
    Readable(PathBuf),
    /// The file cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    #[diagnostic(help("it holds the token alone, in one line"))]
    Unreadable(PathBuf, std::io::Error),
    /// It is no token. It is not repeated: it may be one with a stray letter.
    #[error("{0} holds no valid token")]
    #[diagnostic(help("a token has letters, digits and `_` only, such as lip_…"))]
    Malformed(String),
}

/// A token and where it comes from, in words.
#[derive(Clone, Debug)]
pub struct Token {
    /// The secret.
    pub key: Key,
    /// Its source.
    pub source: String,
}

/// Where a token may come from, in the order in which they are tried.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    /// The file of `--token-file`.
    pub flag: Option<&'a Path>,
    /// The value of the variable [`LICHESS_TOKEN`]; an empty one counts as none.
    pub variable: Option<String>,
    /// The file of `token_file` in the settings.
    pub setting: Option<&'a Path>,
    /// The file [`FILE_NAME`] in the folder of the user's settings, if it exists.
    pub usual: Option<&'a Path>,
}

impl Token {
    /// From the first of its [`Sources`] that is there.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn find(sources: Sources<'_>) -> Result<Token, TokenError> {
        let Sources { flag, variable, setting, usual } = sources;
        if let Some(text) = variable.filter(|text| flag.is_none() && !text.is_empty()) {
            return token(&text, LICHESS_TOKEN.to_owned());
        }
        let usual = usual.filter(|file| file.exists());
        let file = flag.or(setting).or(usual).ok_or(TokenError::None)?;
        if is_open_to_others(file) {
            return Err(TokenError::Readable(file.to_owned()));
        }
        let text = harness_base::input::read_text(file)
            .map_err(|error| TokenError::Unreadable(file.to_owned(), error))?;
        token(&text, file.display().to_string())
    }
}

fn token(text: &str, source: String) -> Result<Token, TokenError> {
    let text = text.trim();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.is_empty() || text.len() > MAX_TOKEN_BYTES || !text.bytes().all(known) {
        return Err(TokenError::Malformed(source));
    }
    Ok(Token { key: Key::new(text.to_owned()), source })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use harness_base::platform::{make_readable, private_file};

    #[test]
    fn a_token_comes_from_the_environment_or_a_private_file_and_is_not_repeated() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "lip_abc\n").expect("written");
        make_readable(&file).expect("set");
        let find = |flag, variable: Option<&str>, setting| {
            let variable = variable.map(str::to_owned);
            Token::find(Sources { flag, variable, setting, usual: None })
        };
        let error = find(Some(&file), None, None).expect_err("refused");
        assert!(matches!(error, TokenError::Readable(_)), "{error}");
        let file = folder.path().join("private");
        let made = private_file().write(true).create_new(true).open(&file);
        made.and_then(|mut file| file.write_all(b"lip_abc\n")).expect("written");
        for (flag, variable, setting, expected) in [
            (Some(&*file), None, None, "lip_abc"),
            (None, None, Some(&*file), "lip_abc"),
            // The flag goes before the variable, and that before the file of the settings.
            (Some(&*file), Some("lip_env"), None, "lip_abc"),
            (None, Some("lip_env"), Some(&*file), "lip_env"),
            (None, Some(""), Some(&*file), "lip_abc"),
        ] {
            let token = find(flag, variable, setting).expect("found");
            assert_eq!(token.key.secret(), expected);
            assert_eq!(token.source == LICHESS_TOKEN, expected == "lip_env");
            assert!(!format!("{token:?}").contains(expected));
        }
        let usual = Sources { usual: Some(&file), ..Sources::default() };
        assert_eq!(Token::find(usual).expect("found").key.secret(), "lip_abc");
        let error = find(None, Some("lip_x y"), None).expect_err("refused");
        assert!(!error.to_string().contains("lip_x"), "{error}");
        let nowhere = Path::new("/no/such/file");
        let usual = Sources { usual: Some(nowhere), ..Sources::default() };
        assert!(matches!(Token::find(usual), Err(TokenError::None)));
        assert!(matches!(find(Some(nowhere), None, None), Err(TokenError::Unreadable(..))));
    }
}
