//! Builds that keep more than a program: scripts, and programs that read files beside them.
//!
//! | path in the folder of the build | what |
//! |---|---|
//! | `tree/` | the program and its files, where they are in the sources |
//! | `bin/ENGINE` | a shell script that starts the program in `tree`; it names the content of all files, so that another content is another engine |

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::git::git_paths;
use super::hash::sha256;
use harness_base::platform;
use harness_base::text::shell_words;

/// Which program runs the scripts of an ending.
const INTERPRETERS: [(&str, &str); 8] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("lua", "lua"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("sh", "sh"),
    ("jar", "java -jar"),
];

/// The program that runs a file that cannot be started by itself.
pub(super) fn interpreter(program: &Path) -> Option<&'static str> {
    let ending = program.extension()?.to_str()?;
    let (_, interpreter) = INTERPRETERS.into_iter().find(|(known, _)| *known == ending)?;
    Some(interpreter)
}

/// Whether a file can be kept as a program: one that can be started, or a script.
pub(super) fn is_program(path: &Path) -> bool {
    platform::is_program(path) || (path.is_file() && interpreter(path).is_some())
}

/// Puts a program and files of the sources `from` into the folder `to`, and gives the path of the
/// script that starts the program and the hash of all content.
///
/// # Errors
/// When a file cannot be read or written; with its path.
pub(super) fn keep(
    from: &Path,
    program: &Path,
    files: &[PathBuf],
    is_working_tree: bool,
    to: &Path,
) -> Result<(PathBuf, String), (PathBuf, io::Error)> {
    let program = program.strip_prefix(from).unwrap_or(program);
    let mut all = BTreeSet::from([program.to_owned()]);
    for file in files {
        all.extend(listed(from, file, is_working_tree).map_err(|error| (from.join(file), error))?);
    }
    let mut hasher = Sha256::new();
    for file in &all {
        let source = from.join(file);
        let copy = to.join("tree").join(file);
        let mut copied = || -> io::Result<()> {
            if let Some(folder) = copy.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::copy(&source, &copy)?;
            hasher.update(file.as_os_str().as_encoded_bytes());
            hasher.update(sha256(&copy)?);
            Ok(())
        };
        copied().map_err(|error| (source.clone(), error))?;
    }
    let hash = format!("{:x}", hasher.finalize());
    let name = program.file_name().unwrap_or("engine".as_ref());
    let launcher = to.join("bin").join(name);
    let start = || -> io::Result<()> {
        fs::create_dir_all(to.join("bin"))?;
        let starts = starts(&to.join("tree").join(program), program);
        fs::write(&launcher, script(&starts, &hash))?;
        platform::make_program(&launcher)
    };
    start().map_err(|error| (launcher.clone(), error))?;
    Ok((launcher, hash))
}

/// The words that start a program in the folder `tree`.
fn starts(path: &Path, program: &Path) -> String {
    let seen = format!("./{}", program.display());
    let word = shell_words([seen]);
    match interpreter(program).filter(|_| !platform::is_program(path)) {
        Some(interpreter) => format!("{interpreter} {word}"),
        None => word,
    }
}

fn script(starts: &str, hash: &str) -> String {
    format!(
        "#!/bin/sh\n# Starts a program beside its files; their content is {hash}.\n\
         cd \"$(dirname \"$0\")/../tree\" || {{ echo \"the files of this build are gone\" >&2; exit 1; }}\n\
         exec {starts} \"$@\"\n"
    )
}

/// The files of an entry of `files:`, seen from the sources: a file, or all in a folder. Of the whole
/// working tree those that git knows or would take; a checkout is kept with all that its build made.
fn listed(from: &Path, entry: &Path, is_working_tree: bool) -> io::Result<Vec<PathBuf>> {
    let is_inside =
        entry.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_inside {
        let text = "it is a path seen from the root of the sources, and not outside of them";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let entry: PathBuf =
        entry.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    if entry.as_os_str().is_empty()
        && is_working_tree
        && let Some(known) = git_paths(from, &["ls-files", "-z", "-co", "--exclude-standard"])
    {
        return Ok(known.into_iter().filter(|file| from.join(file).is_file()).collect());
    }
    let mut files = Vec::new();
    walk(from, &entry, &mut files)?;
    Ok(files)
}

fn walk(from: &Path, entry: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let path = from.join(entry);
    if !path.metadata()?.is_dir() {
        files.push(entry.to_owned());
        return Ok(());
    }
    for inner in fs::read_dir(&path)? {
        let inner = inner?;
        let is_link = inner.file_type()?.is_symlink();
        // A link to a folder may lead in circles.
        if inner.file_name() != ".git" && !(is_link && inner.path().is_dir()) {
            walk(from, &entry.join(inner.file_name()), files)?;
        }
    }
    Ok(())
}

/// Programs in a folder of sources that git does not know: what a build left. The paths are seen from
/// the folder.
pub(super) fn made_programs(folder: &Path) -> Vec<PathBuf> {
    /// Deeper folders hold what a build system keeps for itself.
    const DEPTH: usize = 3;
    let known = git_paths(folder, &["ls-files", "-z"]).unwrap_or_default();
    let known: BTreeSet<PathBuf> = known.into_iter().collect();
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    for _ in 0..DEPTH {
        for entry in std::mem::take(&mut folders) {
            for inner in fs::read_dir(folder.join(&entry)).into_iter().flatten().flatten() {
                let path = entry.join(inner.file_name());
                match inner.file_type() {
                    Ok(kind) if kind.is_dir() && inner.file_name() != ".git" => folders.push(path),
                    Ok(kind) if kind.is_file() => files.push(path),
                    _ => {}
                }
            }
        }
    }
    let is_new = |path: &PathBuf| {
        // Of libraries and objects only some lack the permission.
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        !known.contains(path)
            && !["o", "so", "d", "a"].contains(&ending)
            && platform::is_program(&folder.join(path))
    };
    let mut programs: Vec<PathBuf> = files.into_iter().filter(is_new).collect();
    programs.sort();
    programs
}
