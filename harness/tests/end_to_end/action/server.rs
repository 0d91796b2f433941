//! A server in the place of GitHub: comments of pull requests, artifacts, files of releases.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the server has, and what it was asked.
#[derive(Default)]
pub struct State {
    /// Comments of every pull request, each with `id`, `user` and `body`.
    pub comments: Vec<Value>,
    /// Artifacts with their files, as zip archives.
    pub artifacts: Vec<(Value, Vec<u8>)>,
    /// Other files by path.
    pub files: HashMap<String, Vec<u8>>,
    /// Whether the token may only read.
    pub reads_only: bool,
    /// Method and path of every request, and the token with it.
    pub requests: Vec<(String, Option<String>)>,
}

/// The server; it ends with the test's process.
pub struct Server {
    pub address: String,
    pub state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    token: Option<String>,
    body: Vec<u8>,
}

/// Status, further header and body of an answer.
type Answer = (u16, String, Vec<u8>);

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let state = Arc::new(Mutex::new(State::default()));
        let (served, own) = (Arc::clone(&state), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &served, &own);
            }
        });
        Server { address, state }
    }

    /// Bodies of the comments.
    pub fn bodies(&self) -> Vec<String> {
        let state = self.state.lock().expect("no thread panicked");
        let body = |comment: &Value| comment["body"].as_str().expect("text").to_owned();
        state.comments.iter().map(body).collect()
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>, own: &str) {
    let Some(request) = read(&stream) else { return };
    let mut state = state.lock().expect("no thread panicked");
    let line = format!("{} {}", request.method, request.path);
    state.requests.push((line, request.token.clone()));
    let (status, header, body) = answer(&request, &mut state, own);
    let head = format!(
        "HTTP/1.1 {status} X\r\n{header}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let header = |name: &str| {
        lines.iter().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    };
    let mut words = lines.first()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut body =
        vec![0; header("Content-Length").map_or(0, |size| size.parse().expect("a size"))];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = (path.to_owned(), query.to_owned());
    Some(Request { method, path, query, token: header("Authorization"), body })
}

fn message(status: u16, text: &str) -> Answer {
    (status, String::new(), json!({ "message": text }).to_string().into_bytes())
}

fn found(value: &Value) -> Answer {
    (200, String::new(), value.to_string().into_bytes())
}

fn answer(request: &Request, state: &mut State, own: &str) -> Answer {
    if let Some(bytes) = state.files.get(&request.path) {
        return (200, String::new(), bytes.clone());
    }
    let path: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    let value = |name: &str| {
        let pairs = request.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    if request.method != "GET" && state.reads_only {
        return message(403, "Resource not accessible by integration");
    }
    match (request.method.as_str(), path.as_slice()) {
        ("GET", ["repos", _, _, "issues", _, "comments"]) => {
            let page: usize = value("page").map_or(1, |page| page.parse().expect("a number"));
            let size = value("per_page").map_or(30, |size| size.parse().expect("a number"));
            found(&state.comments.iter().skip((page - 1) * size).take(size).cloned().collect())
        }
        ("POST", ["repos", _, _, "issues", _, "comments"]) => {
            let mut comment: Value = serde_json::from_slice(&request.body).expect("JSON");
            comment["id"] = json!(state.comments.len() + 1000);
            comment["user"] = json!({ "login": "github-actions[bot]" });
            comment["html_url"] = json!(format!("{own}/comment"));
            state.comments.push(comment.clone());
            found(&comment)
        }
        ("PATCH", ["repos", _, _, "issues", "comments", id]) => {
            let new: Value = serde_json::from_slice(&request.body).expect("JSON");
            let id: u64 = id.parse().expect("a number");
            let same = |comment: &&mut Value| comment["id"].as_u64() == Some(id);
            let comment = state.comments.iter_mut().find(same).expect("a comment");
            comment["body"] = new["body"].clone();
            found(comment)
        }
        ("GET", ["repos", _, _, "actions", "artifacts"]) => {
            let name = value("name").expect("a name");
            let all = state.artifacts.iter().map(|(facts, _)| facts);
            let named: Vec<&Value> = all.filter(|facts| facts["name"] == *name).collect();
            found(&json!({ "artifacts": named }))
        }
        ("GET", ["repos", _, _, "actions", "artifacts", id, "zip"]) => {
            (302, format!("Location: {}/stored/{id}\r\n", other_host(own)), Vec::new())
        }
        ("GET", ["stored", id]) => {
            let id: u64 = id.parse().expect("a number");
            let (_, bytes) = state
                .artifacts
                .iter()
                .find(|(facts, _)| facts["id"].as_u64() == Some(id))
                .expect("an artifact");
            (200, String::new(), bytes.clone())
        }
        // The token of a workflow may not ask who it is.
        ("GET", ["user"]) => message(403, "Resource not accessible by integration"),
        _ => message(404, "Not Found"),
    }
}

/// The same server by another name: another host to whoever follows a link there.
fn other_host(own: &str) -> String {
    own.replace("127.0.0.1", "localhost")
}
