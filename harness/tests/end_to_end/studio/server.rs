//! A studio as a process, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::common::harness;

/// A studio; it ends with the value.
pub struct Studio {
    child: Child,
    /// The folder that it was started in; none of a command of one's own.
    pub folder: PathBuf,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// The tokens: to control, to look.
    pub tokens: [String; 2],
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An answer: status, head, body.
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let of = |line: &str| line.to_ascii_lowercase().starts_with(&format!("{name}: "));
        self.head.lines().find(|line| of(line))?.split_once(": ").map(|(_, value)| value)
    }
}

impl Studio {
    /// On the reports folder of a folder.
    pub fn start(folder: &Path) -> Studio {
        Studio::at(folder, "0")
    }

    /// At a port.
    pub fn at(folder: &Path, port: &str) -> Studio {
        let mut studio = Studio::of(harness(folder, ["studio", "--port", port]));
        studio.folder = folder.to_owned();
        studio
    }

    /// Of a command.
    pub fn of(mut command: std::process::Command) -> Studio {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the harness starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let urls: Vec<String> = lines
            .map(|line| line.expect("UTF-8"))
            .filter_map(|line| line.find("http://").map(|at| line[at..].to_owned()))
            .take(2)
            .collect();
        let token = |url: &str| url.split("token=").nth(1).expect("a token").to_owned();
        let host = urls[0]["http://".len()..].split('/').next().expect("a host").to_owned();
        let tokens = [token(&urls[0]), token(&urls[1])];
        Studio { child, folder: PathBuf::new(), host, tokens }
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The address of a page, with the token to control or to look.
    pub fn url(&self, path: &str, token: usize) -> String {
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("http://{}{path}{mark}token={}", self.host, self.tokens[token])
    }

    /// The port.
    pub fn port(&self) -> &str {
        self.host.rsplit(':').next().expect("a port")
    }

    /// Sends a request with these lines behind the first; `Host` is ours unless one of them.
    pub fn send(&self, request: &str, lines: &[String], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        let mut text = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        if !lines.iter().any(|line| line.starts_with("Host:")) {
            text += &format!("Host: {}\r\n", self.host);
        }
        for line in lines {
            text += &format!("{line}\r\n");
        }
        if !body.is_empty() {
            let kind = "application/x-www-form-urlencoded";
            text += &format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        stream.write_all(text.as_bytes()).expect("sent");
        // A server that refuses a large body may close before it has all of it.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn cookie(&self, token: &str) -> String {
        format!("Cookie: tench-studio-{}={token}", self.port())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[self.cookie(&self.tokens[0])], "")
    }

    pub fn origin(&self) -> String {
        format!("Origin: http://{}", self.host)
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let lines = [self.cookie(&self.tokens[0]), self.origin()];
        self.send(&format!("POST {path}"), &lines, body)
    }

    /// The token that forms carry.
    pub fn csrf(&self) -> String {
        let page = self.get("/start").body;
        let rest = page.split("name=\"csrf\" value=\"").nth(1).expect("a form");
        rest.split('"').next().expect("a value").to_owned()
    }
}
