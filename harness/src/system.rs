//! The user's folders, and programs.

use std::path::PathBuf;

use crate::platform;

/// Folder of what can be made again: `TENCH_CACHE`, else `tench` in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    variable("TENCH_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("tench")))
        .or_else(|| variable("HOME").map(|folder| folder.join(".cache/tench")))
}

/// Folder of what a service keeps between its starts: `tench` in the user's state folder.
pub fn state() -> Option<PathBuf> {
    variable("XDG_STATE_HOME")
        .or_else(|| variable("HOME").map(|folder| folder.join(".local/state")))
        .map(|folder| folder.join("tench"))
}

/// Folder of what a user sets for all projects: `tench` in the user's configuration folder.
pub fn settings() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME")
        .or_else(|| variable("HOME").map(|folder| folder.join(".config")))
        .map(|folder| folder.join("tench"))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The architecture of the processor, and those of its features that compilers use: programs built for a
/// processor with the same ones run here.
pub fn processor_features() -> String {
    let mut words = vec![std::env::consts::ARCH];
    macro_rules! note {
        ($detected:ident: $($feature:tt)+) => {
            $( if std::arch::$detected!($feature) { words.push($feature); } )+
        };
    }
    #[cfg(target_arch = "x86_64")]
    note!(is_x86_feature_detected: "sse3" "ssse3" "sse4.1" "sse4.2" "sse4a" "popcnt" "lzcnt" "bmi1" "bmi2"
        "avx" "avx2" "fma" "f16c" "aes" "pclmulqdq" "vaes" "vpclmulqdq" "sha" "gfni" "adx" "movbe"
        "rdrand" "rdseed" "avx512f" "avx512cd" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi"
        "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512ifma" "avx512bf16"
        "avx512fp16");
    #[cfg(target_arch = "aarch64")]
    note!(is_aarch64_feature_detected: "neon" "aes" "sha2" "sha3" "crc" "lse" "dotprod" "i8mm" "bf16"
        "fp16" "sve" "sve2");
    words.join(" ")
}

/// A program in one of the folders of PATH, or else in one of `others`.
pub fn program(name: &str, others: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .chain(others.iter().map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| platform::is_program(file))
}
