//! Files that look like programs and cannot be started here.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use harness_base::platform;

/// `e_machine` of ELF by architecture, as `std::env::consts::ARCH` names them, and a name for people.
const MACHINES: [(u16, &str, &str); 8] = [
    (3, "x86", "32-bit x86"),
    (8, "mips", "MIPS"),
    (21, "powerpc64", "64-bit PowerPC"),
    (22, "s390x", "S/390"),
    (40, "arm", "32-bit ARM"),
    (62, "x86_64", "x86-64"),
    (183, "aarch64", "64-bit ARM"),
    (243, "riscv64", "RISC-V"),
];

/// Bytes that are looked at: a header, or a first line.
const HEAD: u64 = 256;

/// Why a file with the permission to be executed cannot be started, as far as its first bytes show
/// it. The shell would try to run it as a script, whose errors mislead.
///
/// # Errors
/// When it cannot be read.
pub(super) fn unfit(path: &Path) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(unfit_head(&head))
}

fn unfit_head(head: &[u8]) -> Option<String> {
    if head.is_empty() {
        return Some("the file is empty".to_owned());
    }
    if !head.starts_with(b"#!") && platform::runs_foreign_programs() {
        return None;
    }
    if cfg!(target_os = "linux") && head.starts_with(b"\x7fELF") {
        return other_machine(head);
    }
    if cfg!(target_os = "linux") && head.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
        return Some("it is built for macOS".to_owned());
    }
    if cfg!(unix) && head.starts_with(b"MZ") {
        return Some("it is built for Windows".to_owned());
    }
    if cfg!(unix) { missing_interpreter(head) } else { None }
}

/// The machine of an ELF file, if it is not this one.
fn other_machine(head: &[u8]) -> Option<String> {
    let bytes = [*head.get(18)?, *head.get(19)?];
    // Byte 5 says in which order bytes are.
    let machine = if head[5] == 2 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
    let (_, architecture, shown) = *MACHINES.iter().find(|(number, ..)| *number == machine)?;
    let here = std::env::consts::ARCH;
    let runs = architecture == here
        || (architecture, here) == ("x86", "x86_64")
        || (architecture, here) == ("arm", "aarch64");
    (!runs).then(|| format!("it is built for another processor, {shown}; this one is {here}"))
}

/// The program of the first line of a script, if it is not there.
fn missing_interpreter(head: &[u8]) -> Option<String> {
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let program = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next()?;
    if line.ends_with('\r') {
        return Some(
            "its lines end as on Windows, and the first one names no program then: \
             `sed -i 's/\\r$//' FILE` mends that"
                .to_owned(),
        );
    }
    let is_there = program.is_empty() || Path::new(program).exists();
    (!is_there).then(|| format!("its first line names `{program}`, which is not there"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_says_why() {
        let elf = |machine: u16, order: u8| {
            let mut head = b"\x7fELF\x02\x01\x01".to_vec();
            head[5] = order;
            head.resize(18, 0);
            let bytes = if order == 2 { machine.to_be_bytes() } else { machine.to_le_bytes() };
            head.extend(bytes);
            head
        };
        let other = if cfg!(target_arch = "x86_64") { 183 } else { 62 };
        for (head, says) in [
            (Vec::new(), "empty"),
            (elf(other, 1), "another processor"),
            (elf(22, 2), "S/390"),
            (b"MZ\x90".to_vec(), "Windows"),
            (vec![0xcf, 0xfa, 0xed, 0xfe, 7], "macOS"),
            (b"#!/no/such/python -u\nx".to_vec(), "`/no/such/python`"),
            (b"#! /no/such/python".to_vec(), "`/no/such/python`"),
            (b"#!/bin/sh\r\necho\r\n".to_vec(), "as on Windows"),
        ] {
            let why = unfit_head(&head);
            assert!(why.as_ref().is_some_and(|why| why.contains(says)), "{says}: {why:?}");
        }
        let own = std::env::current_exe().expect("this program");
        assert_eq!(unfit(&own).expect("readable"), None);
        for head in ["#!/bin/sh\n", "#!/usr/bin/env python3\r\n", "echo uciok\n", "#!\n"] {
            let why = unfit_head(head.as_bytes());
            assert_eq!(why.is_some(), head.contains('\r'), "{head}: {why:?}");
        }
    }
}
