use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::{Context, Intent};
use harness_base::secret::Key;

const SECRET: &str = "sk-never-to-be-seen";

/// Behaviour of a server with a connection.
#[derive(Clone)]
enum Does {
    /// Answers with a status and a body.
    Says(u16, String),
    /// Closes the connection after a part of the answer.
    Cuts(String),
    /// Closes it at once.
    Hangs(Duration),
}

/// A local server that speaks the protocol; gives its address and what it was asked.
fn server(script: Vec<Does>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (sender, asked) = channel();
    thread::spawn(move || {
        for does in script {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let Some(request) = request(&mut stream) else { continue };
            // The test may have ended.
            let _ = sender.send(request);
            let _ = match does {
                Does::Says(status, body) => write!(
                    stream,
                    "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nLocation: /elsewhere\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                ),
                Does::Cuts(body) => {
                    write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len() + 100
                    )
                }
                Does::Hangs(time) => {
                    thread::sleep(time);
                    Ok(())
                }
            };
        }
    });
    (address, asked)
}

/// Reads a request with its body.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let read = stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        text.extend_from_slice(&bytes[..read]);
        let all = String::from_utf8_lossy(&text).into_owned();
        if let Some((head, body)) = all.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            })?;
            if body.len() >= length {
                return Some(all);
            }
        }
    }
}

fn endpoint(url: String) -> Endpoint {
    Endpoint {
        url,
        model: "small".to_owned(),
        key: Some(Key::new(SECRET.to_owned())),
        temperature: 0.2,
        timeout: Duration::from_secs(10),
        retries: 2,
        wait: Duration::from_millis(1),
    }
}

fn context() -> Context {
    let legal = [("g1f3", "Nf3"), ("e2e4", "e4")];
    let legal = legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec();
    Context { legal, ..Context::default() }
}

fn calls(list: &[(&str, &str)]) -> Does {
    let calls: Vec<Value> = list
        .iter()
        .map(|(name, arguments)| {
            json!({ "id": "1", "type": "function", "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    Does::Says(200, json!({ "choices": [{ "message": message }] }).to_string())
}

fn says(text: &str) -> Does {
    Does::Says(200, json!({ "choices": [{ "message": { "content": text } }] }).to_string())
}

fn asked(script: Vec<Does>) -> (Result<Answer, String>, Vec<String>) {
    let (url, requests) = server(script);
    let answer = ask(&endpoint(url), "do as I wish", "FEN", &context());
    (answer, requests.try_iter().collect())
}

#[test]
fn a_model_calls_the_same_functions_as_a_sentence() {
    let script = vec![calls(&[
        ("play_opening", r#"{"opening": "the karo kann", "side": "black"}"#),
        ("move", r#"{"move": "knight f3"}"#),
        (
            "new_game",
            r#"{"level": "3", "clock": "", "engine": null, "chess960": true, "here": false}"#,
        ),
    ])];
    let (answer, requests) = asked(script);
    let answer = answer.expect("understood");
    let intents: Vec<Intent> = answer.calls.iter().map(|call| call.intent).collect();
    assert_eq!(intents, [Intent::PlayOpening, Intent::Move, Intent::NewGame]);
    assert_eq!(answer.calls[0].slots["opening"], "Caro-Kann Defense");
    assert_eq!(answer.calls[1].slots["uci"], "g1f3");
    assert_eq!(json!(answer.calls[2].slots), json!({ "level": 3, "chess960": true }));
    // The protocol, as it was spoken.
    let (head, body) = requests[0].split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{head}");
    assert!(head.to_lowercase().contains(&format!("authorization: bearer {SECRET}")), "{head}");
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!((body["model"].as_str(), body["temperature"].as_f64()), (Some("small"), Some(0.2)));
    assert_eq!(body["messages"][1]["content"], "do as I wish");
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(Intent::ALL.len()));
}

#[test]
fn cut_connections_and_busy_servers_are_asked_again() {
    let whole = calls(&[("hint", "{}")]);
    for trouble in [
        Does::Cuts("{\"choices\": [".to_owned()),
        Does::Says(500, "no".to_owned()),
        Does::Says(429, "later".to_owned()),
        Does::Hangs(Duration::ZERO),
    ] {
        let (answer, requests) = asked(vec![trouble.clone(), trouble, whole.clone()]);
        assert_eq!(answer.expect("in the end").calls[0].intent, Intent::Hint);
        assert_eq!(requests.len(), 3);
    }
    // There is an end to patience.
    let (answer, requests) = asked(vec![Does::Says(503, String::new()); 5]);
    assert!(answer.is_err_and(|error| error.contains("status 503")));
    assert_eq!(requests.len(), 3);
    let (url, _requests) = server(vec![Does::Hangs(Duration::from_secs(20))]);
    let impatient = Endpoint { timeout: Duration::from_millis(200), retries: 0, ..endpoint(url) };
    assert!(ask(&impatient, "x", "FEN", &context()).is_err());
}

#[test]
fn nonsense_calls_are_refused_in_words_and_nothing_is_done() {
    let long = format!(r#"{{"engine": "{}"}}"#, "x".repeat(300));
    let cases = [
        (calls(&[("format_disk", "{}")]), "no function `format_disk`"),
        (calls(&[("unknown", "{}")]), "no function `unknown`"),
        (calls(&[("hint", "{")]), "no JSON"),
        (calls(&[("hint", "[1]")]), "no object"),
        (calls(&[("hint", r#"{"force": 1}"#)]), "no argument"),
        (calls(&[("set_level", r#"{"level": "many"}"#)]), "is no number"),
        (calls(&[("flip", r#"{"side": "red"}"#)]), "none of white, black"),
        (calls(&[("move", r#"{"move": "Qh5"}"#)]), "not legal here"),
        (calls(&[("move", "")]), "names no move"),
        (calls(&[("engine_on", &long)]), "too long"),
        // One that makes no sense spoils the others.
        (calls(&[("resign", "{}"), ("nothing", "{}")]), "no function `nothing`"),
        (Does::Says(200, "<html>".to_owned()), "no JSON"),
        (Does::Says(200, "{}".to_owned()), "no message"),
        (says(""), "is empty"),
        (Does::Says(401, SECRET.to_owned()), "refuses the key"),
        (Does::Says(302, String::new()), "status 302"),
        (Does::Says(404, SECRET.to_owned()), "status 404"),
    ];
    for (does, expected) in cases {
        let (answer, requests) = asked(vec![does]);
        let error = answer.expect_err(expected);
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains(SECRET), "{error}");
        assert_eq!(requests.len(), 1, "{expected}");
    }
    let (answer, _) = asked(vec![says("White is better.\u{7}")]);
    assert_eq!(answer.expect("a text").text, "White is better.");
}

#[test]
fn it_is_off_unless_it_is_configured_and_its_key_is_kept() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("assistant.yaml");
    let none = |_: &str| None;
    assert!(Endpoint::find(&none, Some(&file)).expect("nothing").is_none());
    std::fs::write(&file, format!("url: https://x.org/v1/\nmodel: m\nkey: {SECRET}\ntimeout: 5\n"))
        .expect("written");
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode));
    mode(0o644).expect("changed");
    let refused = Endpoint::find(&none, Some(&file)).expect_err("others can read it");
    assert!(matches!(refused, SettingsError::Readable(_)));
    mode(0o600).expect("changed");
    let found = Endpoint::find(&none, Some(&file)).expect("read").expect("there");
    assert_eq!((found.url.as_str(), found.host()), ("https://x.org/v1", "x.org"));
    assert_eq!((found.timeout, found.retries), (Duration::from_secs(5), 2));
    assert!(!format!("{found:?}").contains(SECRET));
    fn with(list: &[(&str, &str)]) -> Result<Option<Endpoint>, SettingsError> {
        let variable = |name: &str| {
            let found = list.iter().find(|(known, _)| name.ends_with(known));
            found.map(|(_, value)| (*value).to_owned())
        };
        Endpoint::find(&variable, None)
    }
    let found = with(&[
        ("_URL", "http://localhost:1/v1"),
        ("_MODEL", "m"),
        ("_KEY", "k"),
        ("_RETRIES", "0"),
    ]);
    assert_eq!(found.expect("read").expect("there").retries, 0);
    assert!(matches!(with(&[("_URL", "http://localhost")]), Err(SettingsError::NoModel)));
    assert!(matches!(with(&[("_URL", "ftp://x"), ("_MODEL", "m")]), Err(SettingsError::Url(_))));
    let secret =
        with(&[("_URL", "https://me:pass@x.org"), ("_MODEL", "m")]).expect_err("a password");
    assert!(!secret.to_string().contains("pass"));
    for elsewhere in ["x.org", "127.0.0.1.x.org", "localhost.x.org", "127.x.org:80", "localhostx"] {
        let url = format!("http://{elsewhere}/v1");
        let plain = with(&[("_URL", url.as_str()), ("_MODEL", "m"), ("_KEY", "k")]);
        assert!(matches!(plain, Err(SettingsError::Plain(_))), "{elsewhere}");
    }
    // After an address in brackets comes a port or nothing.
    let bracketed = with(&[("_URL", "http://[::1].x.org/v1"), ("_MODEL", "m"), ("_KEY", "k")]);
    assert!(matches!(bracketed, Err(SettingsError::Url(_))));
    for here in ["127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]:5", "127.9.9.9"] {
        let url = format!("http://{here}/v1");
        let plain = with(&[("_URL", url.as_str()), ("_MODEL", "m"), ("_KEY", "k")]);
        assert!(plain.is_ok(), "{here}");
    }
    let bad = with(&[("_URL", "https://x.org"), ("_MODEL", "m"), ("_TIMEOUT", "soon")]);
    assert!(matches!(bad, Err(SettingsError::Variable(..))));
}
