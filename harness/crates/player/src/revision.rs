//! A git revision of the repository of the current folder, as an engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::build::{self, BuildError, Order};
use super::git::{
    commit, find_repository, git_path, is_checked_out, names, repository, uncommitted_files,
};
use super::hash::{sha256, short_hash};
use super::recipe::Recipe;
use super::spec::{EngineSpec, Program, Revision};
use harness_base::config::Config;
use harness_base::session::{Interrupt, Session};
use harness_base::system;

/// Whether a text is a branch, a tag or `HEAD` of the current repository, or starts from
/// `HEAD` (`HEAD~1`).
pub(super) fn is_named(text: &str) -> bool {
    let from_head = text
        .strip_prefix("HEAD")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']));
    from_head && repository().is_some() || names().iter().any(|name| name == text)
}

/// A revision that exists, or the working tree; nothing is built yet.
pub(super) struct FoundRevision {
    asked: String,
    root: PathBuf,
    /// Its full hash; `None` for the working tree.
    commit: Option<String>,
}

/// Whether a text is more like a revision than like the name of a program: what git writes so
/// (`HEAD~1`, `main^`), a hash, a version's tag, the usual branches.
pub(super) fn is_like_one(text: &str) -> bool {
    let is_version = |text: &str| {
        let numbers = text.strip_prefix('v').unwrap_or_default();
        numbers.starts_with(|first: char| first.is_ascii_digit())
            && numbers.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    };
    let is_hash = |text: &str| {
        (7..=40).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let base = text.split(['~', '^']).next().unwrap_or_default();
    let base = base.split("@{").next().unwrap_or_default();
    matches!(base, "." | "@" | "HEAD" | "FETCH_HEAD" | "ORIG_HEAD" | "MERGE_HEAD")
        || matches!(base, "main" | "master")
        || base.starts_with("origin/")
        || base.len() < text.len()
        || is_hash(base)
        || is_version(base)
}

/// The commit that a text names now, or the working tree for `.`; `None` if the repository has no
/// such revision.
pub(super) fn find_in(root: &Path, text: &str) -> Option<FoundRevision> {
    let commit = if text == "." { None } else { Some(commit(root, text)?) };
    Some(FoundRevision { asked: text.to_owned(), root: root.to_owned(), commit })
}

impl FoundRevision {
    /// Whether it is the working tree with all its changes.
    pub(super) fn is_working_tree(&self) -> bool {
        self.commit.is_none()
    }

    /// The changes that it leaves out, for people: changes of the working tree that are in no commit, if it is
    /// the commit that is checked out.
    pub(super) fn uncommitted(&self) -> Option<String> {
        if self.is_working_tree() || !is_checked_out(&self.root, &self.asked) {
            return None;
        }
        let files = uncommitted_files(&self.root);
        let noun = if files == 1 { "file" } else { "files" };
        let asked = &self.asked;
        (files > 0).then(|| {
            format!(
                "note: {asked} is built without the uncommitted changes of {files} {noun}; `.` is \
                 the working tree with them"
            )
        })
    }

    /// A warning where its name is that of another revision, too: git takes a tag before a branch.
    pub(super) fn ambiguity(&self) -> Option<String> {
        let name = self.asked.split(['~', '^']).next().unwrap_or_default();
        let name = name.split("@{").next().unwrap_or_default();
        let of = |kind: &str| commit(&self.root, &format!("refs/{kind}/{name}"));
        let (tag, branch) = (of("tags")?, of("heads")?);
        (tag != branch).then(|| {
            format!(
                "warning: `{name}` is a tag and a branch of different commits: the tag is played; \
                 `heads/{name}` is the branch"
            )
        })
    }

    /// The engine, built if it was not before.
    pub(super) fn engine(
        self,
        config: &Config,
        context: &Session,
    ) -> Result<EngineSpec, BuildError> {
        self.engine_in(&cache()?, config, context)
    }

    fn engine_in(
        self,
        cache: &Path,
        config: &Config,
        context: &Session,
    ) -> Result<EngineSpec, BuildError> {
        let order = Order {
            asked: &self.asked,
            commit: self.commit.as_deref(),
            root: &self.root,
            home: &home(&self.root, cache),
            recipe: config.build.as_ref(),
        };
        let path = build::build(&order, context)?;
        let sha256 = sha256(&path).map_err(|source| BuildError::Files {
            what: "read",
            path: path.clone(),
            source,
        })?;
        let name = if self.commit.is_none() { "working-tree" } else { &self.asked };
        let name = name.to_owned();
        let revision = Revision { asked: self.asked, commit: self.commit };
        let program = Program::uci(path, sha256, Some(revision));
        Ok(EngineSpec { name, program, options: BTreeMap::new() })
    }
}

/// Checks a commit of the current folder's repository out; `take` gets the folder of its sources, and how
/// to build the engine there. The folder is removed afterwards.
///
/// # Errors
/// When the repository does not have it, or nothing shows how to build it.
pub fn with_sources<T>(
    asked: &str,
    commit: &str,
    config: &Config,
    interrupt: &Interrupt,
    take: impl FnOnce(&Path, Recipe) -> T,
) -> Result<T, BuildError> {
    let root = find_repository().map_err(|trouble| BuildError::Checkout {
        revision: asked.to_owned(),
        reason: trouble.reason,
    })?;
    let home = home(&root, &cache()?);
    let recipe = config.build.as_ref();
    let order = Order { asked, commit: Some(commit), root: &root, home: &home, recipe };
    build::with_sources(&order, commit, interrupt, take)
}

/// Where builds are kept: `TENCH_CACHE`, else the user's cache folder.
fn cache() -> Result<PathBuf, BuildError> {
    let folder = system::cache().ok_or(BuildError::NoCache)?;
    // Builds run in other folders than this one.
    std::path::absolute(&folder).map_err(|source| BuildError::Files {
        what: "find",
        path: folder,
        source,
    })
}

/// The repository's folder in the cache: worktrees of one repository share it.
fn home(root: &Path, cache: &Path) -> PathBuf {
    let shared = git_path(root, &["rev-parse", "--path-format=absolute", "--git-common-dir"]);
    let identity = shared.unwrap_or_else(|| root.to_owned());
    let identity = identity.canonicalize().unwrap_or(identity);
    let folder = if identity.ends_with(".git") { identity.parent() } else { Some(&*identity) };
    let name = folder.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let hash = short_hash(identity.as_os_str().as_encoded_bytes());
    cache.join("builds").join(format!("{name}-{hash}"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use harness_base::config::Build;
    use harness_base::git;

    struct Fixture {
        folder: tempfile::TempDir,
        context: Session,
    }

    impl Fixture {
        fn new() -> Fixture {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("repo")).unwrap();
            let interrupt = Interrupt::manual().unwrap().0;
            let context = Session {
                reports: PathBuf::from("reports"),
                quiet: true,
                probe: true,
                on: None,
                interrupt,
            };
            let fixture = Fixture { folder, context };
            fixture.git(&["init", "-q", "-b", "main"]);
            fixture
        }

        fn root(&self) -> PathBuf {
            self.folder.path().join("repo")
        }

        fn git(&self, arguments: &[&str]) {
            let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
            git::git(&self.root(), identity.iter().chain(arguments)).unwrap();
        }

        fn commit(&self, files: &[(&str, &str)]) {
            for (name, text) in files {
                std::fs::write(self.root().join(name), text).unwrap();
            }
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", "x"]);
        }

        fn resolve(
            &self,
            text: &str,
            build: Option<&str>,
        ) -> Result<Option<EngineSpec>, BuildError> {
            self.resolve_build(text, build.map(|command| build_of(command, "engine", &[])))
        }

        fn resolve_build(
            &self,
            text: &str,
            build: Option<Build>,
        ) -> Result<Option<EngineSpec>, BuildError> {
            let config = Config { build, ..Config::default() };
            let cache = self.folder.path().join("cache");
            find_in(&self.root(), text)
                .map(|found| found.engine_in(&cache, &config, &self.context))
                .transpose()
        }
    }

    fn build_of(command: &str, binary: &str, files: &[&str]) -> Build {
        Build {
            command: command.to_owned(),
            binary: PathBuf::from(binary),
            files: files.iter().map(PathBuf::from).collect(),
        }
    }

    fn output(spec: &EngineSpec) -> String {
        let Program::Executable { path, .. } = &spec.program else { panic!() };
        String::from_utf8(Command::new(path).output().unwrap().stdout).unwrap()
    }

    const COPY: &str = "cp source.sh engine; chmod +x engine";

    #[test]
    fn revisions_are_built_each_from_its_own_files_and_kept() {
        let repo = Fixture::new();
        repo.commit(&[("source.sh", "#!/bin/sh\necho one\n")]);
        repo.commit(&[("source.sh", "#!/bin/sh\necho two\n")]);
        std::fs::write(repo.root().join("source.sh"), "#!/bin/sh\necho three\n").unwrap();
        let built = |text| repo.resolve(text, Some(COPY)).unwrap().unwrap();
        assert_eq!(output(&built("HEAD~1")), "one\n");
        assert_eq!(output(&built("main")), "two\n");
        assert_eq!(output(&built(":/x")), "two\n");
        let tree = built(".");
        assert_eq!((output(&tree).as_str(), tree.name.as_str()), ("three\n", "working-tree"));
        // The same commit under another name is the same file.
        assert_eq!(built("HEAD").program_path(), built("main").program_path());
        assert!(repo.resolve("unknown", Some(COPY)).unwrap().is_none());
        assert!(repo.resolve("--help", Some(COPY)).unwrap().is_none());
    }

    #[test]
    fn what_is_built_is_the_commit_that_was_found() {
        let repo = Fixture::new();
        repo.commit(&[("source.sh", "#!/bin/sh\necho one\n")]);
        let found = find_in(&repo.root(), "HEAD").unwrap();
        repo.commit(&[("source.sh", "#!/bin/sh\necho two\n")]);
        let build = build_of(COPY, "engine", &[]);
        let config = Config { build: Some(build), ..Config::default() };
        let spec = found.engine_in(&repo.folder.path().join("cache"), &config, &repo.context);
        assert_eq!(output(&spec.unwrap()), "one\n");
    }

    #[test]
    fn a_failed_build_shows_the_output_of_the_compiler_and_is_not_kept() {
        let repo = Fixture::new();
        repo.commit(&[("a", "a")]);
        for _ in 0..2 {
            let error = repo.resolve("HEAD", Some("echo no such type >&2; exit 1")).unwrap_err();
            let BuildError::Failed { log_end, log, .. } = error else { panic!("{error:?}") };
            assert!(log_end.contains("no such type"), "{log_end}");
            assert!(std::fs::read_to_string(log).unwrap().contains("no such type"));
        }
        let error = repo.resolve("HEAD", Some("true")).unwrap_err();
        assert!(matches!(error, BuildError::NoBinary { .. }), "{error:?}");
    }

    #[test]
    fn a_makefile_is_found_and_used() {
        let repo = Fixture::new();
        let rule = "EXE = wrong\n$(EXE): source.sh\n\tcp source.sh $(EXE) && chmod +x $(EXE)\n";
        repo.commit(&[("Makefile", rule), ("source.sh", "#!/bin/sh\necho made\n")]);
        assert_eq!(output(&repo.resolve("HEAD", None).unwrap().unwrap()), "made\n");
    }

    #[test]
    fn the_working_tree_is_built_again_when_it_has_changed_and_only_then() {
        let repo = Fixture::new();
        repo.commit(&[("source.sh", "#!/bin/sh\necho one\n")]);
        let log = repo.folder.path().join("log");
        let command = format!("echo x >> {}; echo made > product; {COPY}", log.display());
        let builds = || std::fs::read_to_string(&log).unwrap().lines().count();
        let built = || output(&repo.resolve(".", Some(&command)).unwrap().unwrap());
        assert_eq!(
            (built(), built(), built(), builds()),
            ("one\n".into(), "one\n".into(), "one\n".into(), 1)
        );
        std::fs::write(repo.root().join("source.sh"), "#!/bin/sh\necho two\n").unwrap();
        assert_eq!((built(), built(), builds()), ("two\n".into(), "two\n".into(), 2));
        // Back to what was built before, and a new file.
        repo.git(&["checkout", "-q", "source.sh"]);
        assert_eq!(built(), "one\n");
        let before = builds();
        std::fs::write(repo.root().join("new.sh"), "echo new").unwrap();
        assert_eq!((built(), builds()), ("one\n".into(), before + 1));
        // Another command is another build.
        let other = format!("{command}; true");
        repo.resolve(".", Some(&other)).unwrap();
        assert_eq!(builds(), before + 2);
        assert_eq!((built(), builds()), ("one\n".into(), before + 2));
    }

    #[test]
    fn a_build_keeps_the_files_that_it_names_where_they_were() {
        let repo = Fixture::new();
        let source = "#!/bin/sh\ncat data/name ../outside 2>/dev/null; cat src/net; echo \"$@\"\n";
        std::fs::create_dir_all(repo.root().join("data/deep")).unwrap();
        repo.commit(&[("source.sh", source), ("data/name", "one "), ("data/deep/x", "x")]);
        repo.commit(&[("data/name", "two ")]);
        let command =
            "mkdir -p src; printf 'net ' > src/net; cp source.sh src/engine; chmod +x src/engine";
        let build = || Some(build_of(command, "src/engine", &["data", "src/net"]));
        let spec = |text| repo.resolve_build(text, build()).unwrap().unwrap();
        let old = spec("HEAD~1");
        let new = spec("HEAD");
        assert_eq!((output(&old), output(&new)), ("one net \n".into(), "two net \n".into()));
        // The program is the same, and the engine is not.
        assert!(!old.is_same_player(&new));
        assert!(new.is_same_player(&spec(".")));
        let kept = new.program_path().unwrap().ancestors().nth(2).unwrap().to_owned();
        assert!(kept.join("tree/data/deep/x").is_file() && !kept.join("tree/source.sh").exists());
        for wrong in ["nowhere", "../cache", "/etc/passwd"] {
            let error = repo.resolve_build("HEAD", Some(build_of(command, "src/engine", &[wrong])));
            let BuildError::NotKept { path, .. } = error.unwrap_err() else { panic!("{wrong}") };
            assert!(path.ends_with(wrong.trim_start_matches('/')), "{}", path.display());
        }
    }

    #[test]
    fn a_revision_of_a_script_is_a_checkout_kept_whole() {
        let repo = Fixture::new();
        repo.commit(&[
            ("uci.sh", ". ./lib.sh; say \"$@\"\n"),
            ("lib.sh", "say() { echo one \"$@\"; }\n"),
        ]);
        repo.commit(&[("lib.sh", "say() { echo two \"$@\"; }\n")]);
        std::fs::write(repo.root().join("lib.sh"), "say() { echo three; }\n").unwrap();
        let spec =
            |text| repo.resolve_build(text, Some(build_of("", "uci.sh", &["."]))).unwrap().unwrap();
        let specs = ["HEAD~1", "HEAD", "."].map(spec);
        assert_eq!(specs.each_ref().map(output), ["one\n", "two\n", "three\n"]);
        // Without the files a script that cannot be started by itself is no program.
        let alone = repo.resolve_build("HEAD", Some(build_of("", "uci.sh", &[])));
        assert!(
            matches!(alone, Err(BuildError::NoBinary { is_configured: true, .. })),
            "{alone:?}"
        );
    }

    #[test]
    fn a_makefile_that_does_not_heed_exe_is_told_so_with_the_programs_that_it_made() {
        let repo = Fixture::new();
        let rule = "all: source.sh\n\tmkdir -p bin && cp source.sh bin/mine && chmod +x bin/mine\n\
                    \tcp source.sh mine-avx2 && chmod +x mine-avx2\n";
        repo.commit(&[("Makefile", rule), ("source.sh", "#!/bin/sh\necho made\n")]);
        let error = repo.resolve("HEAD", None).unwrap_err();
        let help = miette::Diagnostic::help(&error).expect("a help").to_string();
        for part in [
            "bin/mine, mine-avx2",
            "does not heed `EXE=`",
            "command: \"make -C .\", binary: bin/mine",
        ] {
            assert!(help.contains(part), "{part} is not in {help}");
        }
        let build = build_of("make", "bin/mine", &[]);
        assert_eq!(output(&repo.resolve_build("HEAD", Some(build)).unwrap().unwrap()), "made\n");
    }

    #[test]
    fn a_cmake_project_is_built_and_its_program_found() {
        let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !is_there("cmake") || !is_there("cc") {
            return;
        }
        let repo = Fixture::new();
        let lists = "cmake_minimum_required(VERSION 3.16)\nproject(other C)\n\
                     add_executable(helper main.c)\nadd_executable(Repo main.c)\n\
                     target_compile_definitions(Repo PRIVATE NAME=\"engine\")\n\
                     target_compile_definitions(helper PRIVATE NAME=\"helper\")\n";
        let main = "#include <stdio.h>\nint main(void) { puts(NAME); return 0; }\n";
        repo.commit(&[("CMakeLists.txt", lists), ("main.c", main)]);
        assert_eq!(output(&repo.resolve("HEAD", None).unwrap().unwrap()), "engine\n");
        // Of one program the name does not matter.
        let lists = lists.replace("add_executable(helper main.c)\n", "").replace("Repo", "x");
        let lists: String = lists
            .lines()
            .filter(|line| !line.contains("helper"))
            .map(|line| format!("{line}\n"))
            .collect();
        repo.commit(&[("CMakeLists.txt", &lists)]);
        assert_eq!(output(&repo.resolve("HEAD", None).unwrap().unwrap()), "engine\n");
    }

    #[test]
    fn a_repository_without_a_recipe_says_how_to_give_one() {
        let repo = Fixture::new();
        repo.commit(&[("a", "a")]);
        let error = repo.resolve("HEAD", None).unwrap_err();
        assert!(matches!(error, BuildError::NoRecipe { .. }), "{error:?}");
    }

    #[test]
    fn an_interrupt_ends_a_build() {
        let repo = Fixture::new();
        repo.commit(&[("a", "a")]);
        let (interrupt, setter) = Interrupt::manual().unwrap();
        let repo = Fixture { context: Session { interrupt, ..repo.context }, ..repo };
        setter.set();
        let error = repo.resolve("HEAD", Some("sleep 100")).unwrap_err();
        assert!(matches!(error, BuildError::Interrupted), "{error:?}");
    }
}
