//! The tokens of the studio, kept in the reports folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};

use super::error::StudioError;
use super::role::Role;
use harness_base::files::write_private;

/// The file of the token in the reports folder: the address stays the same from start to start.
const FILE: &str = "studio.token";

/// The tokens of the studio.
#[derive(Clone, Debug)]
pub struct Secrets {
    control: String,
    view: String,
    csrf: String,
}

impl Secrets {
    /// Those of the reports folder; new ones the first time.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(reports: &Path) -> Result<Secrets, StudioError> {
        let path = reports.join(FILE);
        let failed = |error| StudioError::Unwritable(path.display().to_string(), error);
        let mut kept = String::new();
        if let Ok(mut file) = File::open(&path) {
            // Not UTF-8: it is written again.
            let _ = file.read_to_string(&mut kept);
        }
        let kept = kept.trim();
        if kept.len() == 32 && kept.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Secrets::from(kept.to_owned()));
        }
        let mut bytes = [0; 16];
        OsRng.try_fill_bytes(&mut bytes).map_err(|error| failed(std::io::Error::other(error)))?;
        let control = hex(&bytes);
        fs::create_dir_all(reports).map_err(failed)?;
        write_private(&path, format!("{control}\n").as_bytes()).map_err(failed)?;
        Ok(Secrets::from(control))
    }

    fn from(control: String) -> Secrets {
        let derived = |what: &str| hex(&Sha256::digest(format!("{what} {control}"))[..16]);
        Secrets { view: derived("view"), csrf: derived("csrf"), control }
    }

    /// The token with which runs are started.
    pub fn control(&self) -> &str {
        &self.control
    }

    /// The token with which pages are read.
    pub fn view(&self) -> &str {
        &self.view
    }

    /// Token of forms.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Role of a token; `None` for a wrong one.
    pub fn role(&self, token: &str) -> Option<Role> {
        match token {
            _ if same(token, &self.control) => Some(Role::Control),
            _ if same(token, &self.view) => Some(Role::View),
            _ => None,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in a time that does not tell how much is right.
pub fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_stays_and_nobody_else_may_read_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let first = Secrets::open(folder.path()).expect("made");
        let second = Secrets::open(folder.path()).expect("read");
        assert_eq!(first.control(), second.control());
        assert_eq!(first.role(first.control()), Some(Role::Control));
        assert_eq!(first.role(first.view()), Some(Role::View));
        assert_eq!(first.role(first.csrf()), None);
        assert_eq!(first.role(""), None);
        let file = fs::metadata(folder.path().join(FILE)).expect("there");
        assert!(harness_base::platform::is_private(&file));
    }
}
