//! A browser as a user has it: Chromium, driven by chromedriver.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::needs::first_file;

/// A wait in vain fails its test after this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where Debian has the two programs.
const PROGRAMS: [&str; 2] = ["/usr/bin/chromedriver", "/usr/bin/chromium"];

/// A chromedriver; it ends with the value.
pub struct Driver {
    child: Child,
    url: String,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A chromedriver on a free port; `None`, and a line that says so, where there is none.
pub fn driver() -> Option<Driver> {
    for path in PROGRAMS {
        first_file(path, &[path])?;
    }
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("a free port").port();
    let mut command = Command::new(PROGRAMS[0]);
    command.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("chromedriver starts");
    Some(Driver { child, url: format!("http://127.0.0.1:{port}") })
}

/// A window of a browser.
pub struct Window {
    client: Client,
}

impl Driver {
    /// A window of a browser of its own.
    pub async fn window(&self, dark: bool) -> Window {
        let mut args = vec!["--headless=new", "--no-sandbox", "--disable-gpu"];
        args.extend(dark.then_some("--blink-settings=preferredColorScheme=0"));
        let capabilities: Capabilities = [
            ("goog:chromeOptions".to_owned(), json!({ "args": args })),
            ("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" })),
        ]
        .into_iter()
        .collect();
        let begun = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder.capabilities(capabilities.clone()).connect(&self.url).await {
                Ok(client) => return Window { client },
                Err(error) => assert!(begun.elapsed() < PATIENCE, "no browser: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Window {
    /// Opens an address.
    pub async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// The size of the window.
    pub async fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).await.expect("a size");
    }

    /// The value of a script.
    pub async fn value(&self, script: &str) -> Value {
        let value = self.client.execute(script, Vec::new()).await;
        value.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of a script with an argument that is passed to it.
    pub async fn value_async(&self, script: &str, argument: Value) -> Value {
        let value = self.client.execute_async(script, vec![argument]).await;
        value.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until an expression is true. A page that is just being replaced has no value.
    pub async fn until(&self, expression: &str) {
        let begun = Instant::now();
        let script = format!("return Boolean({expression})");
        while self.client.execute(&script, Vec::new()).await.ok() != Some(Value::Bool(true)) {
            let page = self.client.source().await.unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "waited in vain: {expression}\n{page}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Clicks what a selector finds, once it is there.
    pub async fn click(&self, selector: &str) {
        // Its scripts have run.
        let loaded = "document.readyState === 'complete'";
        self.until(&format!("{loaded} && document.querySelector({})", json!(selector))).await;
        let element = self.client.find(Locator::Css(selector)).await;
        let element = element.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.click().await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Clicks a link or button by its text.
    pub async fn click_text(&self, text: &str) {
        let path = format!("//*[self::a or self::button][normalize-space()='{text}']");
        let there = format!(
            "document.readyState === 'complete' &&
             document.evaluate({}, document, null, 9, null).singleNodeValue",
            json!(path)
        );
        self.until(&there).await;
        let element = self.client.find(Locator::XPath(&path)).await;
        let element = element.unwrap_or_else(|error| panic!("{text}: {error}"));
        element.click().await.unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    /// Types into a field, or presses keys on what has the focus.
    pub async fn keys(&self, selector: &str, keys: &str) {
        let element = self.client.find(Locator::Css(selector)).await;
        let element = element.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.send_keys(keys).await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// The middle of a square of the board, in pixels of the window.
    async fn square(&self, name: &str) -> (f64, f64) {
        let script = format!(
            "const frame = document.querySelector('#board-frame svg');
             frame.scrollIntoView({{ block: 'center' }});
             const {{ x, y, width }} = frame.getBoundingClientRect();
             const [file, row] = [{0}.charCodeAt(0) - 97, 8 - Number({0}[1])];
             return [x + (file + 0.5) * width / 8, y + (row + 0.5) * width / 8]",
            json!(name)
        );
        let place = self.value(&script).await;
        (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"))
    }

    async fn point(&self, steps: Vec<PointerAction>) {
        let start = MouseActions::new("mouse".to_owned());
        let actions = steps.into_iter().fold(start, |actions, step| actions.then(step));
        self.client.perform_actions(actions).await.expect("the pointer moves");
    }

    /// Drags a piece of a board that is turned.
    pub async fn drag_black_piece(&self, from: &str, to: &str) {
        let turned = |name: &str| {
            let [file, rank] = [0, 1].map(|index| name.as_bytes()[index]);
            format!("{}{}", char::from(b'a' + b'h' - file), char::from(b'1' + b'8' - rank))
        };
        self.drag_piece(&turned(from), &turned(to)).await;
    }

    /// Drags a piece with the pointer.
    pub async fn drag_piece(&self, from: &str, to: &str) {
        self.drag_piece_and_hold(from, to, Duration::ZERO).await;
    }

    /// Drags a piece with the pointer, and holds it half way for some time.
    pub async fn drag_piece_and_hold(&self, from: &str, to: &str, hold: Duration) {
        let (start, end) = (self.square(from).await, self.square(to).await);
        let step = |(x, y): (f64, f64)| PointerAction::MoveTo { duration: None, x, y };
        let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        self.point(vec![
            step(start),
            PointerAction::Down { button: MOUSE_BUTTON_LEFT },
            step(middle),
            PointerAction::Pause { duration: hold },
            step(end),
            PointerAction::Up { button: MOUSE_BUTTON_LEFT },
        ])
        .await;
    }

    /// Clicks a square of the board.
    pub async fn click_square(&self, name: &str) {
        let (x, y) = self.square(name).await;
        self.point(vec![
            PointerAction::MoveTo { duration: None, x, y },
            PointerAction::Down { button: MOUSE_BUTTON_LEFT },
            PointerAction::Up { button: MOUSE_BUTTON_LEFT },
        ])
        .await;
    }

    /// Puts a text into a field, as pasting does.
    pub async fn fill(&self, selector: &str, text: &str) {
        let script = format!(
            "const field = document.querySelector({}); field.value = {};
             field.dispatchEvent(new Event('input', {{ bubbles: true }}));",
            json!(selector),
            json!(text)
        );
        self.value(&script).await;
    }

    /// The address without the host.
    pub async fn path(&self) -> String {
        let path = self.value("return location.pathname + location.search + location.hash").await;
        path.as_str().expect("a text").to_owned()
    }

    /// Back in the history.
    pub async fn back(&self) {
        self.client.back().await.expect("a page before");
    }

    /// What the console has of errors: of scripts, of the content security policy, and of files that are
    /// missing. A refusal (422) is none: the page says it in words, and the browser lists it all the same.
    pub async fn errors(&self, driver: &Driver) -> Vec<String> {
        let id = self.client.session_id().await.expect("an answer").expect("a session");
        let address = driver.url.strip_prefix("http://").expect("an address");
        let log = super::server::post_json(
            address,
            &format!("/session/{id}/se/log"),
            &json!({ "type": "browser" }),
        );
        let entries = log["value"].as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].to_string());
        messages
            .filter(|message| !message.contains("the server responded with a status of 422"))
            .collect()
    }

    /// Closes the browser.
    pub async fn close(self) {
        self.client.close().await.expect("it closes");
    }
}

/// Runs the steps of a test.
pub fn run<T>(steps: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(steps)
}
