//! A studio and a browser that looks at it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Failure;
use crate::webdriver::Client;

/// A process that ends with the value.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The harness with the words of a line, on a reports folder.
pub fn harness(reports: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.arg("--reports").arg(reports).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// A studio and its address with the token.
pub struct Studio {
    process: Process,
    /// The address, with the token behind it.
    pub url: String,
}

impl Studio {
    /// Starts a studio on a reports folder.
    pub fn start(reports: &Path) -> Result<Studio, Failure> {
        let mut command = harness(reports, "studio --port 0");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let stdout = child.stdout.take().ok_or("it has an output")?;
        let process = Process(child);
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        Ok(Studio { process, url: url.trim().to_owned() })
    }

    /// Lets somebody in who reads without a browser: the host, and the cookie to send.
    pub fn log_in(&self) -> Result<(String, String), Failure> {
        let rest = self.url.strip_prefix("http://").ok_or("an address")?;
        let (host, path) = rest.split_once('/').ok_or("a path")?;
        let mut stream = TcpStream::connect(host)?;
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|line| line.split(';').next()).ok_or("a cookie")?;
        Ok((host.to_owned(), cookie.to_owned()))
    }

    /// The most memory that it has had, in megabytes.
    pub fn peak(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().split(' ').next()).ok_or("VmHWM")?;
        Ok(kilobytes.parse::<u64>()? * 1024 / 1_000_000)
    }

    /// The address of a page.
    pub fn page(&self, path: &str) -> String {
        let base = self.url.split("/?").next().unwrap_or_default();
        format!("{base}{path}")
    }
}

/// A chromedriver.
pub struct Driver {
    _process: Process,
    url: String,
}

impl Driver {
    /// Starts one on a free port.
    pub fn start() -> Result<Driver, Failure> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("chromedriver: {error}"))?;
        Ok(Driver { _process: Process(child), url: format!("http://127.0.0.1:{port}") })
    }

    /// A browser window, already let in.
    pub fn window(&self, studio: &Studio) -> Result<Client, Failure> {
        let options = json!({ "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1600,1200",
        ] });
        let capabilities = json!({ "goog:chromeOptions": options });
        let begun = Instant::now();
        let client = loop {
            match Client::connect(&self.url, capabilities.clone()) {
                Ok(client) => break client,
                Err(error) if begun.elapsed() > Duration::from_secs(20) => return Err(error.into()),
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        };
        client.goto(&studio.url)?;
        Ok(client)
    }
}

/// The result of a script as numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// The value at a share of sorted numbers.
pub fn quantile(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let place = (share * numbers.len() as f64) as usize;
    numbers.get(place.min(numbers.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
