//! Keeps the engines of others from the machine: bubblewrap.
//!
//! An engine in the sandbox has no network, sees the system's programs and its own files read-only,
//! no home and no other process, and may start few processes. Its memory is limited apart. Nothing of the
//! environment of the harness is in there: `env -i` starts bubblewrap, whose own environment programs can
//! read as that of process 1. They write to folders in memory alone, of bounded sizes where bubblewrap
//! can bound them, which end with them; a build also to its own folder.

mod build;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use harness_base::platform;
use harness_base::session::Interrupt;
use harness_base::system;
use harness_player::{self as player, EngineSpec, Fault, Player, Program, StartSettings};

pub use build::BUILD;

/// Processes and threads that the engines and builds of a core may have. Those of all cores count
/// together: they are one user's.
const MAX_PROCESSES: usize = 512;

/// Folders of the system that programs need; those that are not there are left out.
const SYSTEM: [&str; 6] =
    ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"];

/// The folder of an engine and its files, as it sees them.
const INSIDE: &str = "/files";

/// The working folder of an engine that has one, as it sees it.
const FOLDER: &str = "/folder";

/// Bytes that an engine may write to each of its folders in memory.
const ENGINE_BYTES: u64 = 64 << 20;

/// The rest of what is in memory is closed. It belongs to the user of the sandbox, unless that is root.
const CLOSE: [&str; 4] = ["--remount-ro", "/dev", "--remount-ro", "/"];

/// The folders of tablebases, as an engine sees them.
const TABLES: &str = "/tables";

/// Paths that a program sees, beside the system's and its own.
#[derive(Default)]
struct Seen {
    /// Files, by the path inside.
    files: Vec<(PathBuf, String)>,
    /// Folders, by the path inside.
    folders: Vec<(PathBuf, String)>,
    /// Its working folder.
    dir: Option<PathBuf>,
}

/// The sandbox of engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// `bwrap` with what else is there.
    Bubblewrap {
        /// The program.
        bwrap: PathBuf,
        /// Starts `bwrap` without an environment: programs in it can read that of `bwrap` itself.
        env: PathBuf,
        /// It can bound folders in memory, since its version 0.7.
        has_sizes: bool,
        /// Limits the number of processes; `None`: it is not limited.
        prlimit: Option<PathBuf>,
        /// Gives up the rights of root, which no limit of processes holds for.
        setpriv: Option<PathBuf>,
    },
    /// Nothing.
    None,
}

impl Sandbox {
    /// The best that works here.
    pub fn detect() -> Sandbox {
        let find = |name| system::program(name, &[]);
        let (Some(bwrap), Some(env)) = (find("bwrap"), find("env")) else { return Sandbox::None };
        let has_sizes = knows(&bwrap, "--size ");
        let (prlimit, setpriv) = (find("prlimit"), find("setpriv"));
        let limited = match (platform::is_root(), setpriv) {
            (true, Some(setpriv)) => Some((prlimit, Some(setpriv))),
            (true, None) => None,
            (false, _) => Some((prlimit, None)),
        };
        limited
            .into_iter()
            .chain([(None, None)])
            .map(|(prlimit, setpriv)| Sandbox::Bubblewrap {
                bwrap: bwrap.clone(),
                env: env.clone(),
                has_sizes,
                prlimit,
                setpriv,
            })
            .find(Sandbox::works)
            .unwrap_or(Sandbox::None)
    }

    /// Whether a program runs in it: some systems do not let users make namespaces.
    fn works(&self) -> bool {
        let Some((program, args)) = self.command(Path::new("/bin/true"), &[], &Seen::default())
        else {
            return true;
        };
        let mut tried = Command::new(program);
        tried
            .env_clear()
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    }

    /// The command that runs a program in it; `None`: the program itself.
    fn command(
        &self,
        program: &Path,
        args: &[String],
        seen: &Seen,
    ) -> Option<(PathBuf, Vec<String>)> {
        let Sandbox::Bubblewrap { bwrap, env, .. } = self else { return None };
        let mut words = self.enter(false);
        for folder in ["/tmp", "/dev/shm"] {
            words.extend(self.in_memory(folder, ENGINE_BYTES));
        }
        let mut say = |parts: &[&str]| say(&mut words, parts);
        // All may enter this folder; those on the way to the files outside are private.
        say(&["--perms", "0755", "--dir", INSIDE]);
        say(&["--ro-bind", &program.to_string_lossy(), &inside(program)]);
        for number in 0..seen.files.len() {
            say(&["--perms", "0755", "--dir", &format!("{INSIDE}/{number}.file")]);
        }
        for (outside, inside) in seen.files.iter().chain(&seen.folders) {
            say(&["--ro-bind", &outside.to_string_lossy(), inside]);
        }
        match &seen.dir {
            Some(dir) => say(&["--ro-bind", &dir.to_string_lossy(), FOLDER, "--chdir", FOLDER]),
            None => say(&["--chdir", "/tmp"]),
        }
        say(&CLOSE);
        words.extend(self.give_up_rights());
        words.push(inside(program));
        words.extend(args.iter().cloned());
        let all = ["-i".to_owned(), bwrap.to_string_lossy().into_owned()];
        Some((env.clone(), all.into_iter().chain(words).collect()))
    }

    /// The options of `bwrap` that all programs have: namespaces, the system's files, no environment.
    fn enter(&self, network: bool) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |parts: &[&str]| say(&mut words, parts);
        say(&["--die-with-parent", "--new-session", "--clearenv"]);
        if let Sandbox::Bubblewrap { setpriv: Some(_), .. } = self {
            // Root stays itself until `setpriv`: in a namespace of users it could not.
            say(&["--unshare-ipc", "--unshare-pid", "--unshare-uts"]);
            say(if network { &[] } else { &["--unshare-net"] });
        } else {
            say(&["--unshare-all", "--cap-drop", "ALL"]);
            say(if network { &["--share-net"] } else { &[] });
        }
        // Folders that bubblewrap makes by itself are root's alone.
        say(&["--perms", "0755", "--dir", "/etc"]);
        for folder in SYSTEM {
            say(&["--ro-bind-try", folder, folder]);
        }
        say(&["--proc", "/proc", "--dev", "/dev"]);
        words
    }

    /// The words that make a folder in memory; as on any system, each user may write there.
    fn in_memory(&self, folder: &str, bytes: u64) -> Vec<String> {
        let mut words = Vec::new();
        if let Sandbox::Bubblewrap { has_sizes: true, .. } = self {
            say(&mut words, &["--size", &bytes.to_string()]);
        }
        say(&mut words, &["--perms", "1777", "--tmpfs", folder]);
        words
    }

    /// The words between those of `bwrap` and the program: no rights of root, few processes.
    fn give_up_rights(&self) -> Vec<String> {
        let mut words = vec!["--".to_owned()];
        let mut say = |parts: &[&str]| say(&mut words, parts);
        let Sandbox::Bubblewrap { prlimit, setpriv, .. } = self else { return words };
        if let Some(setpriv) = setpriv {
            say(&[&setpriv.to_string_lossy(), "--reuid=65534", "--regid=65534", "--clear-groups"]);
            say(&["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"]);
        }
        if let Some(prlimit) = prlimit {
            let most = processes();
            say(&[&prlimit.to_string_lossy(), &format!("--nproc={most}"), "--"]);
        }
        words
    }

    /// A program that is started in it without files of its own, and its words.
    pub fn around_program(&self, program: &Path, args: &[String]) -> (PathBuf, Vec<String>) {
        let sandboxed = self.command(program, args, &Seen::default());
        sandboxed.unwrap_or_else(|| (program.to_owned(), args.to_vec()))
    }

    /// An engine that is started in it; it sees its working folder, of the files that its options
    /// name those in `cache`, and the folders of tablebases. The linked engine is our own.
    pub fn around(&self, engine: &EngineSpec, cache: &Path, tables: Option<&str>) -> EngineSpec {
        let is_file = |value: &str| Path::new(value).parent() == Some(cache);
        self.around_with(engine, &is_file, &|value| tables == Some(value))
    }

    /// As [`around`](Self::around), on the machine of the engine's user: it sees the files and folders that
    /// its options name.
    pub fn around_here(&self, engine: &EngineSpec) -> EngineSpec {
        // As it is sent to workers: a relative path counts from the folder of this process.
        let is_file = |value: &str| Path::new(value).is_file();
        let are_folders = |value: &str| {
            let mut folders = std::env::split_paths(value);
            folders.all(|folder| folder.is_absolute() && folder.is_dir())
        };
        self.around_with(engine, &is_file, &are_folders)
    }

    fn around_with(
        &self,
        engine: &EngineSpec,
        is_file: &dyn Fn(&str) -> bool,
        are_folders: &dyn Fn(&str) -> bool,
    ) -> EngineSpec {
        let mut engine = engine.clone();
        if *self == Sandbox::None {
            return engine;
        }
        if let Program::Executable { path, args, dir, .. } = &mut engine.program {
            let mut seen = Seen { dir: dir.take(), ..Seen::default() };
            for value in engine.options.values_mut() {
                if is_file(value) {
                    // Files of different folders may have one name, which an engine may want to see.
                    let name = Path::new(&*value).file_name().unwrap_or_default().to_string_lossy();
                    let inside = format!("{INSIDE}/{}.file/{name}", seen.files.len());
                    seen.files.push((PathBuf::from(&*value), inside.clone()));
                    *value = inside;
                } else if are_folders(value) {
                    let before = seen.folders.len();
                    let folders = std::env::split_paths(value).enumerate();
                    let folders =
                        folders.map(|(at, folder)| (folder, format!("{TABLES}{}", before + at)));
                    seen.folders.extend(folders);
                    let inside = seen.folders[before..].iter().map(|(_, inside)| inside.clone());
                    *value = inside.collect::<Vec<_>>().join(":");
                }
            }
            if let Some((program, words)) = self.command(path, args, &seen) {
                (*path, *args) = (program, words);
            }
        }
        engine
    }
}

/// Starts an engine of a run whose games are played elsewhere: in the sandbox of this machine, if it has
/// one.
///
/// # Errors
/// As [`player::start`].
pub fn start_here(
    engine: &EngineSpec,
    settings: &StartSettings,
    interrupt: &Interrupt,
) -> Result<Box<dyn Player + Send>, Fault> {
    player::start(&here().around_here(engine), settings, interrupt)
}

/// The sandbox of this machine.
pub fn here() -> &'static Sandbox {
    static HERE: LazyLock<Sandbox> = LazyLock::new(Sandbox::detect);
    &HERE
}

/// Processes and threads that all engines and builds of this machine may have.
fn processes() -> usize {
    MAX_PROCESSES * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether a program names an option in its help.
fn knows(program: &Path, option: &str) -> bool {
    let mut asked = Command::new(program);
    asked.arg("--help").env_clear().stdin(Stdio::null());
    asked.output().is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(option))
}

fn say(words: &mut Vec<String>, parts: &[&str]) {
    words.extend(parts.iter().map(|&part| part.to_owned()));
}

/// The path of a file as the engine sees it.
fn inside(file: &Path) -> String {
    format!("{INSIDE}/{}", file.file_name().unwrap_or_default().to_string_lossy())
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sandbox::Bubblewrap { prlimit: Some(_), .. } => "bubblewrap",
            Sandbox::Bubblewrap { prlimit: None, .. } => "bubblewrap without a process limit",
            Sandbox::None => "none",
        })
    }
}

#[cfg(test)]
mod tests;
