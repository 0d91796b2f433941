//! Building with CMake, and finding the program that it left.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The build folder, below the root of the sources.
pub(super) const FOLDER: &str = "build-to-test";

/// The shell command that configures and builds in release mode.
///
/// Without CMake no folder is made. Git does not show it: the sources stay as clean as they were. The empty file requests a
/// list of the targets (cmake-file-api(7)).
pub(super) fn script(source: &Path) -> String {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "cmake --version >/dev/null && mkdir -p {FOLDER}/.cmake/api/v1/query && \
         echo '*' >{FOLDER}/.gitignore && : >{FOLDER}/.cmake/api/v1/query/codemodel-v2 && \
         cmake -S '{}' -B {FOLDER} -DCMAKE_BUILD_TYPE=Release && \
         cmake --build {FOLDER} --config Release --parallel {jobs}",
        source.display()
    )
}

/// A target in CMake's reply.
#[derive(Deserialize)]
struct Target {
    name: String,
    r#type: String,
    #[serde(default)]
    artifacts: Vec<Artifact>,
}

#[derive(Deserialize)]
struct Artifact {
    path: PathBuf,
}

/// The program of a build: the only one, or the one named like the repository.
pub(super) fn program(root: &Path, repository: &str) -> Option<PathBuf> {
    let build = root.join(FOLDER);
    let replies = fs::read_dir(build.join(".cmake/api/v1/reply")).ok()?;
    let programs: Vec<(String, PathBuf)> = replies
        .filter_map(Result::ok)
        .filter(|reply| reply.file_name().to_string_lossy().starts_with("target-"))
        .filter_map(|reply| serde_json::from_slice(&fs::read(reply.path()).ok()?).ok())
        .filter(|target: &Target| target.r#type == "EXECUTABLE")
        .filter_map(|target| Some((target.name, build.join(&target.artifacts.first()?.path))))
        .filter(|(_, path)| path.exists())
        .collect();
    match &programs[..] {
        [(_, only)] => Some(only.clone()),
        several => several
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(repository))
            .map(|(_, path)| path.clone()),
    }
}
