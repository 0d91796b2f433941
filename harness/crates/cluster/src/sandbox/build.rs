//! Builds of engines in the sandbox: toolchains and crates, but nothing else of their user.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{CLOSE, Sandbox, say};

/// Bytes that a build may write to each of its folders in memory: compilers keep parts of programs there.
const BUILD_BYTES: u64 = 2 << 30;

/// The folder of a build, as it sees it: the only one that it can write to.
pub const BUILD: &str = "/build";

/// The folder of toolchains, as a build sees it.
const TOOLS: &str = "/tools";

/// The home of cargo, as a build sees it.
pub(super) const CARGO: &str = "/tools/cargo";

/// The home of rustup, as a build sees it.
const RUSTUP: &str = "/tools/rustup";

/// Files that a program needs to find and trust servers.
const OF_NETWORKS: [&str; 5] =
    ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki"];

impl Sandbox {
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

/// The folder that a variable names, or that in the user's home.
pub(super) fn home(variable: &str, name: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(name)))
}
