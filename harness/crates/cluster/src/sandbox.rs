//! Keeps the engines of others from the machine: bubblewrap.
//!
//! An engine in the sandbox has no network, sees the system's programs and its own files read-only,
//! no home and no other process, and may start few processes. Its memory is limited apart. Nothing of the
//! environment of the harness is in there: `env -i` starts bubblewrap, whose own environment programs can
//! read as that of process 1. They write to folders in memory alone, of bounded sizes where bubblewrap
//! can bound them, which end with them; a build also to its own folder.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use harness_base::platform;
use harness_base::session::Interrupt;
use harness_base::system;
use harness_player::{self as player, EngineSpec, Fault, Player, Program, StartSettings};

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

/// Bytes that a build may write to each of its folders in memory: compilers keep parts of programs there.
const BUILD_BYTES: u64 = 2 << 30;

/// The rest of what is in memory is closed. It belongs to the user of the sandbox, unless that is root.
const CLOSE: [&str; 4] = ["--remount-ro", "/dev", "--remount-ro", "/"];

/// The folders of tablebases, as an engine sees them.
const TABLES: &str = "/tables";

/// The folder of a build, as it sees it: the only one that it can write to.
pub const BUILD: &str = "/build";

/// The folder of toolchains, as a build sees it.
const TOOLS: &str = "/tools";

/// The home of cargo, as a build sees it.
const CARGO: &str = "/tools/cargo";

/// The home of rustup, as a build sees it.
const RUSTUP: &str = "/tools/rustup";

/// Files that a program needs to find and trust servers.
const OF_NETWORKS: [&str; 5] =
    ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

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

    /// A build in the sandbox. It can write to `folder`, which it sees as [`BUILD`]. With a folder of
    /// crates it has the network, and that folder is the home of cargo; without, it has no network, and
    /// cargo finds the crates that the user of this process has fetched.
    pub fn around_build(&self, build: Command, folder: &Path, crates: Option<&Path>) -> Command {
        let Sandbox::Bubblewrap { bwrap, .. } = self else { return build };
        let mut words = self.enter(crates.is_some());
        for folder in ["/tmp", "/dev/shm"] {
            words.extend(self.in_memory(folder, BUILD_BYTES));
        }
        // Rustup writes there when it starts; all of it but the binds is in memory.
        let homes = [CARGO, RUSTUP].map(|home| self.in_memory(home, BUILD_BYTES));
        let mut say = |parts: &[&str]| say(&mut words, parts);
        say(&["--bind", &folder.to_string_lossy(), BUILD, "--chdir", BUILD]);
        say(&["--perms", "0755", "--dir", TOOLS]);
        for home in &homes {
            say(&home.iter().map(String::as_str).collect::<Vec<_>>());
        }
        match crates {
            Some(crates) => {
                say(&["--bind", &crates.to_string_lossy(), CARGO]);
                OF_NETWORKS.iter().for_each(|file| say(&["--ro-bind-try", file, file]));
            }
            None => say(&["--setenv", "CARGO_NET_OFFLINE", "true"]),
        }
        for (from, to) in tools(crates.is_none()) {
            say(&["--ro-bind-try", &from.to_string_lossy(), &to]);
        }
        let path = format!("{CARGO}/bin:/usr/local/bin:/usr/bin:/bin");
        for (name, value) in
            [("PATH", &*path), ("HOME", "/tmp"), ("CARGO_HOME", CARGO), ("RUSTUP_HOME", RUSTUP)]
        {
            say(&["--setenv", name, value]);
        }
        say(&CLOSE);
        words.extend(self.give_up_rights());
        let mut command = Command::new(bwrap);
        command.env_clear().args(words).arg(build.get_program()).args(build.get_args());
        command
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

/// The parts of the user's Rust toolchains that a build sees, and of the fetched crates if `crates`: paths
/// outside and inside. Cargo's settings and tokens stay outside.
fn tools(crates: bool) -> Vec<(PathBuf, String)> {
    let of_cargo: &[&str] = if crates { &["bin", "registry", "git"] } else { &["bin"] };
    let homes = [
        (home("CARGO_HOME", ".cargo"), CARGO, of_cargo),
        (home("RUSTUP_HOME", ".rustup"), RUSTUP, &["toolchains", "settings.toml"]),
    ];
    let mut tools = Vec::new();
    for (home, inside, names) in homes {
        let Some(home) = home else { continue };
        tools.extend(names.iter().map(|name| (home.join(name), format!("{inside}/{name}"))));
    }
    tools
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

/// The folder that a variable names, or that in the user's home.
fn home(variable: &str, name: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(name)))
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
mod tests {
    use std::sync::Mutex;

    use super::*;
    use harness_base::sync::lock;

    /// The sandbox of this machine. `None`, and a message, where there is none; CI, which sets
    /// `NO_SKIPPED_TESTS`, has to install bubblewrap.
    fn detected() -> Option<Sandbox> {
        let sandbox = Sandbox::detect();
        if sandbox == Sandbox::None {
            let may_be_missing = std::env::var_os("NO_SKIPPED_TESTS").is_none();
            let is_installed = system::program("bwrap", &[]).is_some();
            assert!(may_be_missing || is_installed, "bubblewrap is not installed");
            eprintln!("skipped: there is no sandbox");
            return None;
        }
        Some(sandbox)
    }

    /// Runs a script of the shell in the sandbox; gives what it prints.
    fn run(script: &str) -> Option<String> {
        let sandbox = detected()?;
        let args = ["-c".to_owned(), script.to_owned()];
        let (program, words) = sandbox.command(Path::new("/bin/bash"), &args, &Seen::default())?;
        let output = Command::new(program).args(words).output().expect("it starts");
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What programs see of the environment of who starts them: that of `bwrap` is another process's.
    #[test]
    fn no_environment_inside_has_anything_of_the_one_outside() {
        let Some(sandbox) = detected() else { return };
        let script = "cat /proc/[0-9]*/environ | tr '\\0' '\\n'; echo hello > /tmp/x && cat /tmp/x; \
                      stat -c %a /tmp";
        let args = ["-c".to_owned(), script.to_owned()];
        for (sandbox, before) in of_users(&sandbox) {
            let inside = sandbox.command(Path::new("/bin/bash"), &args, &Seen::default());
            let (program, words) = inside.expect("a sandbox");
            let mut line = before.iter().map(PathBuf::from).chain([program]);
            let mut command = Command::new(line.next().expect("a program"));
            command.args(line);
            command.args(words).env("SECRET_OF_THE_WORKER", "hush").stderr(Stdio::null());
            let output = command.output().expect("it starts");
            if !output.status.success() && output.stdout.is_empty() {
                eprintln!("skipped: users may not make namespaces here");
                continue;
            }
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(!text.contains("hush") && !text.contains("HOME="), "{text}");
            assert!(text.contains("hello\n1777\n"), "{text}");
        }
        let crates = tempfile::tempdir().expect("a folder");
        let folder = tempfile::tempdir().expect("a folder");
        for crates in [None, Some(crates.path())] {
            let mut build = Command::new("/bin/sh");
            build.arg("-c").arg("cat /proc/[0-9]*/environ | tr '\\0' '\\n'");
            let mut build = sandbox.around_build(build, folder.path(), crates);
            let names: Vec<_> = build.get_envs().collect();
            assert!(names.is_empty(), "{names:?}");
            let output = build.output().expect("it starts");
            let text = String::from_utf8_lossy(&output.stdout);
            let own = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
            assert!(!text.contains(&own) || own.is_empty(), "{text}");
            assert!(text.contains("CARGO_HOME="), "{text}");
        }
    }

    /// Prints what a program finds that it should not: paths outside the folders in memory that it can
    /// write to, places and sockets of other programs; then the folders in memory.
    const FINDS: &str = r#"
        for path in / /dev /etc /files /usr /proc/sys/kernel /proc/1/root /run /var /home /tools; do
            (echo >$path/made_here) 2>/dev/null && echo "wrote to $path"
        done
        ls -A -d /run/user/* /run/dbus /root /home/* /var/tmp /sys 2>/dev/null
        grep -c . /proc/net/unix
        for at in /tmp /dev/shm; do
            echo made >$at/one && rm $at/one; ls -A $at; stat -c %a $at; df --output=size -B1 $at | tail -1
        done
        true"#;

    /// A sandbox as root has it, and as another user has it: in a namespace of users.
    fn of_users(sandbox: &Sandbox) -> Vec<(Sandbox, Vec<&'static str>)> {
        let mut both = vec![(sandbox.clone(), Vec::new())];
        let mut other = sandbox.clone();
        if let Sandbox::Bubblewrap { setpriv: setpriv @ Some(_), prlimit, .. } = &mut other {
            (*setpriv, *prlimit) = (None, None);
            let as_other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
            both.push((other, as_other.to_vec()));
        }
        both
    }

    #[test]
    fn nothing_outside_is_open_and_folders_in_memory_are_alike_for_root_and_others() {
        let Some(sandbox) = detected() else { return };
        let Sandbox::Bubblewrap { has_sizes, .. } = sandbox else { return };
        for (sandbox, before) in of_users(&sandbox) {
            let args = ["-c".to_owned(), FINDS.to_owned()];
            let (program, words) = sandbox
                .command(Path::new("/bin/bash"), &args, &Seen::default())
                .expect("there is a sandbox");
            let mut line = before.iter().map(PathBuf::from).chain([program]);
            let mut command = Command::new(line.next().expect("a program"));
            let output = command.args(line).args(words).output().expect("it starts");
            if !before.is_empty() && !output.status.success() && output.stdout.is_empty() {
                eprintln!("skipped: another user than root may not make namespaces here");
                continue;
            }
            let printed = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = printed.lines().map(str::trim).collect();
            // One line: the heading of the table of sockets.
            let [sockets, tmp, tmp_bytes, shared, shared_bytes] = lines[..] else {
                panic!("{before:?}: {output:?}")
            };
            assert_eq!([sockets, tmp, shared], ["1", "1777", "1777"], "{before:?}");
            if has_sizes {
                assert_eq!([tmp_bytes, shared_bytes], [&*ENGINE_BYTES.to_string(); 2]);
            }
        }
    }

    #[test]
    fn files_of_one_name_are_told_apart_inside() {
        let Some(sandbox) = detected() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        platform::make_writable(folder.path()).expect("ours");
        let mut options = std::collections::BTreeMap::new();
        for name in ["one", "two"] {
            let path = folder.path().join(name).join("cat");
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
            std::fs::write(&path, name).expect("a file");
            platform::make_readable(&path).expect("ours");
            options.insert(name.to_owned(), path.to_string_lossy().into_owned());
        }
        let program = Program::uci(PathBuf::from("/bin/cat"), String::new(), None);
        let engine = EngineSpec { name: "cat".to_owned(), program, options };
        let engine = sandbox.around_here(&engine);
        let Program::Executable { path, args, .. } = &engine.program else { panic!("it is one") };
        let output = Command::new(path).args(args).args(engine.options.values()).output();
        let output = output.expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "onetwo", "{output:?}");
    }

    #[test]
    fn an_engine_sees_no_home_no_network_and_no_other_process() {
        let home = std::env::var("HOME").expect("a home");
        let script = format!(
            "cat {home}/.bashrc {home}/.profile /etc/passwd 2>/dev/null; ls {home} 2>/dev/null; \
             ls -d /proc/[0-9]* | wc -l; ls /sys/class/net 2>/dev/null | grep -v lo; \
             (echo > /dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected; \
             touch /usr/here 2>/dev/null && echo written; echo $HOME"
        );
        let Some(printed) = run(&script) else { return };
        let mut lines = printed.lines();
        let processes: usize = lines.next().and_then(|count| count.trim().parse().ok()).unwrap();
        assert!(processes < 10, "{printed}");
        assert!(lines.all(str::is_empty), "{printed}");
    }

    #[test]
    fn a_build_writes_to_its_folder_alone_and_sees_no_home_and_no_network() {
        let Some(sandbox) = detected() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        platform::make_writable(folder.path()).expect("ours");
        let home = std::env::var("HOME").expect("a home");
        let script = format!(
            "set -e; echo made >out; pwd >>out; mktemp >/dev/null; set +e; ls {home} /root/.ssh; \
             touch /usr/here && echo written; (echo >/dev/tcp/127.0.0.1/22) && echo connected; \
             echo $TENCH_TOKEN; touch {CARGO}/bin/here && echo written; exit 0"
        );
        let mut build = Command::new("bash");
        build.arg("-c").arg(script);
        let output = sandbox.around_build(build, folder.path(), None).output().expect("it starts");
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.trim(), "", "{output:?}");
        let made = std::fs::read_to_string(folder.path().join("out")).expect("it was written");
        assert_eq!(made, "made\n/build\n");
    }

    /// Held by a test that needs processes, and by the one that takes all of them.
    static ALL_PROCESSES: Mutex<()> = Mutex::new(());

    #[test]
    fn a_build_finds_the_toolchains_of_the_user() {
        let _held = lock(&ALL_PROCESSES);
        let Some(sandbox) = detected() else { return };
        // Another toolchain than rustup's is the system's, which every build sees.
        if home("CARGO_HOME", ".cargo").is_none_or(|it| !it.join("bin/cargo").exists()) {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        platform::make_writable(folder.path()).expect("ours");
        let manifest = "[package]\nname = \"small\"\nedition = \"2021\"\n\
                        [[bin]]\nname = \"small\"\npath = \"main.rs\"\n";
        for (name, text) in [("Cargo.toml", manifest), ("main.rs", "fn main() {}\n")] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let mut build = Command::new("cargo");
        build.arg("build");
        let output = sandbox.around_build(build, folder.path(), None).output().expect("it starts");
        assert!(folder.path().join("target/debug/small").exists(), "{output:?}");
    }

    #[test]
    fn an_engine_that_forks_without_end_is_stopped() {
        let _held = lock(&ALL_PROCESSES);
        let Some(Sandbox::Bubblewrap { prlimit: Some(_), .. }) = detected() else { return };
        // Each child stays; without a limit there would be this many.
        let many = 2 * processes();
        let script = format!(
            "for i in $(seq {many}); do sleep 5 & done 2>/dev/null; jobs -p | wc -l; kill $(jobs -p)"
        );
        let printed = run(&script).expect("there is a sandbox");
        let last = printed.lines().last().unwrap_or("0").trim().to_owned();
        assert!(last.parse::<usize>().unwrap_or(0) <= processes(), "{printed}");
    }
}
