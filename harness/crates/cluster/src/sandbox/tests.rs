use std::sync::Mutex;

use super::build::{CARGO, home};
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
        "for i in $(seq {many}); do sleep 60 & done 2>/dev/null; jobs -p | wc -l; kill $(jobs -p)"
    );
    let printed = run(&script).expect("there is a sandbox");
    let last = printed.lines().last().unwrap_or("0").trim().to_owned();
    assert!(last.parse::<usize>().unwrap_or(0) <= processes(), "{printed}");
}
