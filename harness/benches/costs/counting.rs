//! Counting the instructions of a program.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;

/// Settings that make the C library choose the same functions everywhere: without AVX, and with the same sizes
/// of the caches, by which it copies.
const TUNABLES: &str = "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM:\
    glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576:\
    glibc.cpu.x86_non_temporal_threshold=8388608";

/// Refuses a machine whose counts cannot be compared.
pub fn check_machine() -> Result<(), Failure> {
    #[cfg(target_arch = "x86_64")]
    let has_avx2 = is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has_avx2 = false;
    if !has_avx2 {
        return Err("the budgets are of x86-64 with AVX2, which this processor has not".into());
    }
    match Command::new("valgrind").arg("--version").stdout(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(format!("valgrind is needed (Debian's package `valgrind`): {error}").into())
        }
    }
}

/// A program that counts its instructions into `log`. What it starts is not counted. By Cachegrind, which counts the
/// same as Callgrind and is faster.
pub fn counting(program: impl AsRef<OsStr>, log: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(format!("--log-file={}", log.display()))
        .arg(program)
        .env("GLIBC_TUNABLES", TUNABLES)
        .env("RAYON_NUM_THREADS", "1")
        .env("TOKIO_WORKER_THREADS", "1")
        .stdin(Stdio::null());
    command
}

/// The instructions that a program counted into `log`.
pub fn counted(log: &Path) -> Result<u64, Failure> {
    let text = fs::read_to_string(log)?;
    let line = text.lines().find_map(|line| line.split_once(" refs:"));
    let count = line.and_then(|(_, count)| count.trim().replace(',', "").parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing:\n{text}").into())
}

/// Runs a program to its end: its instructions, and what it printed.
pub fn count(mut command: Command, log: &Path) -> Result<(u64, String), Failure> {
    let output = command.output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} failed ({}):\n{errors}", output.status).into());
    }
    Ok((counted(log)?, String::from_utf8_lossy(&output.stdout).into_owned()))
}
