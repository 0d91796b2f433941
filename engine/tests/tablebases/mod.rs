//! Tablebases for the tests: solved here by retrograde analysis, and written as Syzygy files.
//!
//! Real tablebases are not part of the repository. Two with three men are enough to show that they
//! are found, read and used; [`write_all`] makes them quickly.

pub mod solve;
mod write;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use engine::board::Role;

use solve::Solved;

static QUEEN: LazyLock<Solved> = LazyLock::new(|| solve::solve(Role::Queen));
static ROOK: LazyLock<Solved> = LazyLock::new(|| solve::solve(Role::Rook));

/// King and queen, or king and rook, against king.
pub fn solved(role: Role) -> &'static Solved {
    if role == Role::Queen { &QUEEN } else { &ROOK }
}

/// Writes the tables of queen and of rook against a bare king into a folder.
pub fn write_all(folder: &Path) {
    for role in [Role::Queen, Role::Rook] {
        let solved = solved(role);
        let name = format!("K{}vK", role.upper_char());
        fs::write(folder.join(format!("{name}.rtbw")), write::results(role, solved))
            .expect("a file that can be written");
        fs::write(folder.join(format!("{name}.rtbz")), write::distances(role, solved))
            .expect("a file that can be written");
    }
}
