//! A browser by the WebDriver protocol (<https://www.w3.org/TR/webdriver2/>), as far as the tests and the
//! benchmarks of the studio need it: a request over HTTP for each step, which waits for the answer.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

/// The key of an element's id in an answer.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The key that goes to the end, as a text to type.
pub const END: &str = "\u{e010}";
/// The key that goes to the beginning.
pub const HOME: &str = "\u{e011}";
/// The arrow to the left.
pub const LEFT: &str = "\u{e012}";
/// The arrow up.
pub const UP: &str = "\u{e013}";
/// The arrow to the right.
pub const RIGHT: &str = "\u{e014}";
/// The arrow down.
pub const DOWN: &str = "\u{e015}";
/// Enter.
pub const ENTER: &str = "\u{e007}";
/// Escape.
pub const ESCAPE: &str = "\u{e00c}";

/// A page that takes longer to load, or a script to end, has failed.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A step that failed, in the driver's words.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A window of a browser; it closes with [`Client::close`], or with the value, as where a test has failed.
pub struct Client {
    agent: Agent,
    /// Address of the driver with the session's id.
    session: String,
    is_closed: bool,
}

impl Drop for Client {
    fn drop(&mut self) {
        if !self.is_closed {
            // The driver may have ended before.
            let _ = self.agent.delete(&self.session).call();
        }
    }
}

/// Something on a page.
pub struct Element<'a> {
    client: &'a Client,
    id: String,
}

/// How an element is found.
#[derive(Clone, Copy)]
pub enum Locator<'a> {
    /// By a selector of CSS.
    Css(&'a str),
    /// By a path of XPath.
    XPath(&'a str),
}

/// A step of the pointer.
#[derive(Clone, Copy)]
pub enum Pointer {
    /// Moves to a place, in pixels of the window.
    Move(f64, f64),
    /// Presses the left button.
    Down,
    /// Releases it.
    Up,
    /// Does nothing for some time.
    Pause(Duration),
}

impl Client {
    /// Opens a window with these capabilities by the driver at `url`.
    pub fn connect(url: &str, capabilities: Value) -> Result<Client, Error> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .build();
        let agent = Agent::new_with_config(config);
        let asked = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let answer = send(&agent, &format!("{url}/session"), &asked)?;
        let id = answer["sessionId"].as_str().ok_or_else(|| Error(answer.to_string()))?;
        Ok(Client { session: format!("{url}/session/{id}"), agent, is_closed: false })
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, Error> {
        send(&self.agent, &format!("{}/{path}", self.session), body)
    }

    /// Opens an address.
    pub fn goto(&self, url: &str) -> Result<(), Error> {
        self.post("url", &json!({ "url": url })).map(drop)
    }

    /// Opens another tab, which is the one that the next steps are for; gives its name.
    pub fn new_tab(&self) -> Result<String, Error> {
        let answer = self.post("window/new", &json!({ "type": "tab" }))?;
        let name = answer["handle"].as_str().ok_or_else(|| Error(answer.to_string()))?;
        self.switch_to(name)?;
        Ok(name.to_owned())
    }

    /// The next steps are for this tab.
    pub fn switch_to(&self, tab: &str) -> Result<(), Error> {
        self.post("window", &json!({ "handle": tab })).map(drop)
    }

    /// Goes back in the history.
    pub fn back(&self) -> Result<(), Error> {
        self.post("back", &json!({})).map(drop)
    }

    /// Sets the size of the window, in pixels.
    pub fn set_window_size(&self, width: u32, height: u32) -> Result<(), Error> {
        self.post("window/rect", &json!({ "width": width, "height": height })).map(drop)
    }

    /// The value that a script returns.
    pub fn execute(&self, script: &str) -> Result<Value, Error> {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The value that a script passes to its last argument, a function; its first ones are `arguments`.
    pub fn execute_async(&self, script: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.post("execute/async", &json!({ "script": script, "args": arguments }))
    }

    /// The first element that a locator finds.
    pub fn find(&self, locator: Locator<'_>) -> Result<Element<'_>, Error> {
        let (using, value) = match locator {
            Locator::Css(selector) => ("css selector", selector),
            Locator::XPath(path) => ("xpath", path),
        };
        let answer = self.post("element", &json!({ "using": using, "value": value }))?;
        let id = answer[ELEMENT].as_str().ok_or_else(|| Error(answer.to_string()))?;
        Ok(Element { client: self, id: id.to_owned() })
    }

    /// Moves the mouse and presses its button, step by step.
    pub fn point(&self, steps: &[Pointer]) -> Result<(), Error> {
        self.pointer("mouse", steps)
    }

    /// The same with a finger.
    pub fn touch(&self, steps: &[Pointer]) -> Result<(), Error> {
        self.pointer("touch", steps)
    }

    fn pointer(&self, kind: &str, steps: &[Pointer]) -> Result<(), Error> {
        let steps: Vec<Value> = steps
            .iter()
            .map(|step| match step {
                Pointer::Move(x, y) => json!({ "type": "pointerMove", "x": x, "y": y }),
                Pointer::Down => json!({ "type": "pointerDown", "button": 0 }),
                Pointer::Up => json!({ "type": "pointerUp", "button": 0 }),
                Pointer::Pause(time) => {
                    json!({ "type": "pause", "duration": time.as_millis() as u64 })
                }
            })
            .collect();
        let parameters = json!({ "pointerType": kind });
        let pointer =
            json!({ "type": "pointer", "id": kind, "parameters": parameters, "actions": steps });
        self.post("actions", &json!({ "actions": [pointer] })).map(drop)
    }

    /// Entries of the browser's console since the last call; Chromium's extension of the protocol.
    pub fn console(&self) -> Result<Vec<Value>, Error> {
        let answer = self.post("se/log", &json!({ "type": "browser" }))?;
        Ok(answer.as_array().cloned().unwrap_or_default())
    }

    /// Closes the browser.
    pub fn close(mut self) -> Result<(), Error> {
        self.is_closed = true;
        answer(self.agent.delete(&self.session).call()).map(drop)
    }
}

impl Element<'_> {
    /// Clicks its middle.
    pub fn click(&self) -> Result<(), Error> {
        self.client.post(&format!("element/{}/click", self.id), &json!({})).map(drop)
    }

    /// Types a text; the protocol has keys without a letter as characters from U+E000 on.
    pub fn send_keys(&self, text: &str) -> Result<(), Error> {
        self.client.post(&format!("element/{}/value", self.id), &json!({ "text": text })).map(drop)
    }
}

fn send(agent: &Agent, url: &str, body: &Value) -> Result<Value, Error> {
    let request = agent.post(url).header("Content-Type", "application/json; charset=utf-8");
    answer(request.send(body.to_string()))
}

/// The value of an answer.
fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, Error> {
    let mut response = response.map_err(|error| Error(error.to_string()))?;
    let text = response.body_mut().with_config().limit(1 << 30).read_to_string();
    let text = text.map_err(|error| Error(error.to_string()))?;
    let mut answer: Value =
        serde_json::from_str(&text).map_err(|error| Error(format!("{error}: {text}")))?;
    let value = answer["value"].take();
    match value["error"].as_str() {
        Some(kind) if !response.status().is_success() => {
            let message = value["message"].as_str().unwrap_or_default();
            Err(Error(format!("{kind}: {}", message.lines().next().unwrap_or_default())))
        }
        _ => Ok(value),
    }
}
