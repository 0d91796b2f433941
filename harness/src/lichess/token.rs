//! The token: from the environment, or from a file that only its owner can read.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::secret::{Key, is_open_to_others};

/// The variable of the environment.
pub const VARIABLE: &str = "LICHESS_TOKEN";

/// The file in the folder of the user's settings that is read where none is named.
pub const FILE_NAME: &str = "lichess-token";

/// Longest token; those of Lichess may grow to 512 characters and more.
const LONGEST: usize = 4096;

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
    #[error("what {0} holds is no token")]
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

impl Token {
    /// From the variable, else from the named file, else from the file of the user's settings.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn find(
        variable: Option<String>,
        named: Option<&Path>,
        usual: Option<&Path>,
    ) -> Result<Token, TokenError> {
        if let Some(text) = variable.filter(|text| !text.is_empty()) {
            return token(&text, VARIABLE.to_owned());
        }
        let file = named.or_else(|| usual.filter(|file| file.exists())).ok_or(TokenError::None)?;
        if is_open_to_others(file) {
            return Err(TokenError::Readable(file.to_owned()));
        }
        let text = std::fs::read_to_string(file)
            .map_err(|error| TokenError::Unreadable(file.to_owned(), error))?;
        token(&text, file.display().to_string())
    }
}

fn token(text: &str, source: String) -> Result<Token, TokenError> {
    let text = text.trim();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.is_empty() || text.len() > LONGEST || !text.bytes().all(known) {
        return Err(TokenError::Malformed(source));
    }
    Ok(Token { key: Key::new(text.to_owned()), source })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::platform::{make_readable, private_file};

    #[test]
    fn a_token_comes_from_the_environment_or_a_private_file_and_is_not_repeated() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "lip_abc\n").expect("written");
        make_readable(&file).expect("set");
        let error = Token::find(None, Some(&file), None).expect_err("refused");
        assert!(matches!(error, TokenError::Readable(_)), "{error}");
        let file = folder.path().join("private");
        let made = private_file().write(true).create_new(true).open(&file);
        made.and_then(|mut file| file.write_all(b"lip_abc\n")).expect("written");
        let token = Token::find(None, Some(&file), None).expect("found");
        assert_eq!(token.key.secret(), "lip_abc");
        let token = Token::find(Some("lip_env".to_owned()), Some(&file), None).expect("found");
        assert_eq!((token.key.secret(), token.source.as_str()), ("lip_env", VARIABLE));
        assert!(!format!("{token:?}").contains("lip_env"));
        let error = Token::find(Some("lip_x y".to_owned()), None, None).expect_err("refused");
        assert!(!error.to_string().contains("lip_x"), "{error}");
        let none = Token::find(Some(String::new()), None, Some(Path::new("/no/such/file")));
        assert!(matches!(none, Err(TokenError::None)));
        let missing = Token::find(None, Some(Path::new("/no/such/file")), None);
        assert!(matches!(missing, Err(TokenError::Unreadable(..))));
    }
}
