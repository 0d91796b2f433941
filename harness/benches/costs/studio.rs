//! Pages of the studio, asked for one after the other.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::Failure;
use crate::callgrind::{counted, counting};
use crate::work::{Done, Workshop};

const HARNESS: &str = env!("CARGO_BIN_EXE_harness");
const MOCK: &str = env!("CARGO_BIN_EXE_mock-engine");

/// Asks for a page so many times: a unit is a page. `last` in the path is the newest run.
pub fn pages(workshop: &Workshop, times: u64, path: &str) -> Result<Done, Failure> {
    let run = played(workshop)?;
    let path = path.replace("last", &run);
    let log = workshop.log();
    let mut command = counting(HARNESS, &log);
    command.arg("--reports").arg(workshop.path("shown")).args(["studio", "--port", "0"]);
    let mut studio = Ended(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let mut url = String::new();
    let stdout = studio.0.stdout.take().ok_or("it has an output")?;
    BufReader::new(stdout).read_line(&mut url)?;
    let rest = url.trim().strip_prefix("http://").ok_or("it prints its address first")?;
    let (host, entrance) = rest.split_once('/').ok_or("the address has a path")?;
    let welcome = get(host, &format!("/{entrance}"), "")?;
    let cookie = welcome.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|line| line.split(';').next()).ok_or("it gives a cookie")?;
    // Results are computed once.
    for _ in 0..times + 1 {
        let answer = get(host, &path, cookie)?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(format!("{path}: {}", answer.lines().next().unwrap_or_default()).into());
        }
    }
    studio.end()?;
    Ok((counted(&log)?, times))
}

/// The id of a match for the studio to show, which is played once.
fn played(workshop: &Workshop) -> Result<String, Failure> {
    let reports = workshop.path("shown");
    let runs = reports.join("runs");
    if !runs.exists() {
        let line = format!("match {MOCK} {MOCK} --nodes 10 --games 20 --max-moves 60 --no-probe");
        let mut command = Command::new(HARNESS);
        command.arg("--reports").arg(&reports).args(line.split_whitespace()).arg("--quiet");
        if !command.stdin(Stdio::null()).output()?.status.success() {
            return Err(format!("{command:?} failed").into());
        }
    }
    let first = std::fs::read_dir(&runs)?.next().ok_or("it was played")??;
    Ok(first.file_name().to_string_lossy().into_owned())
}

/// An answer with its head.
fn get(host: &str, path: &str, cookie: &str) -> Result<String, Failure> {
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// A process that ends with the value.
struct Ended(Child);

impl Ended {
    /// Ends it as Ctrl-C does, so that it says what it counted.
    fn end(&mut self) -> Result<(), Failure> {
        let id = self.0.id().to_string();
        Command::new("kill").args(["-INT", &id]).status()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // It has ended, unless something failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
