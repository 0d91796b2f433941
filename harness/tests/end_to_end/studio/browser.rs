//! A browser as a user has it: Chromium, driven by chromedriver.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::needs::first_file;
use crate::webdriver::{Client, Locator, Pointer};

/// A wait in vain fails its test after this time.
const PATIENCE: Duration = Duration::from_secs(90);

/// Where Debian has chromedriver.
const CHROMEDRIVER: &str = "/usr/bin/chromedriver";

/// Chromium without its own menus and buttons, which takes a third of the processor time; where it is missing, the whole
/// browser. Of the first the program itself: the script in `/usr/bin` stays between it and the driver, which ends the
/// script alone.
const BROWSERS: [&str; 2] = ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium"];

/// The first of them that is there and of the version that chromedriver can drive.
static BROWSER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let version = major_version(CHROMEDRIVER)?;
    let browser = BROWSERS.into_iter().find(|path| major_version(path) == Some(version));
    browser.map(PathBuf::from)
});

/// The first number that a program says of its version.
fn major_version(program: &str) -> Option<u32> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.split_whitespace().find_map(|word| word.split('.').next()?.parse().ok())
}

/// A chromedriver; it ends with the value.
pub struct Driver {
    child: Child,
    url: String,
    browser: PathBuf,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A chromedriver on a port that it chooses itself, as one that is found free may be another's by then; `None`, and a line that says so, where there is none.
pub fn driver() -> Option<Driver> {
    first_file("chromedriver", &[CHROMEDRIVER])?;
    first_file("chromium", &BROWSERS)?;
    let browser = BROWSER.as_deref().expect("chromedriver is of the version of a browser");
    // It takes a free port of IPv4, and ends where that of IPv6 with its number is another's.
    let driver = (0..ATTEMPTS).find_map(|_| start_driver(browser));
    Some(driver.expect("chromedriver names its port"))
}

/// Starts of a chromedriver at most.
const ATTEMPTS: usize = 5;

/// A chromedriver; `None` of one that ends without naming its port.
fn start_driver(browser: &Path) -> Option<Driver> {
    let mut command = Command::new(CHROMEDRIVER);
    command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("chromedriver starts");
    let mut printed = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let port = printed.find_map(|line| {
        let line = line.expect("readable");
        let port = line.split_once("successfully on port ")?.1;
        port.trim_end_matches('.').parse::<u16>().ok()
    });
    let Some(port) = port else {
        child.wait().expect("it ends");
        return None;
    };
    // It may print more: its pipe is read to the end.
    std::thread::spawn(move || printed.for_each(drop));
    let browser = browser.to_owned();
    Some(Driver { child, url: format!("http://127.0.0.1:{port}"), browser })
}

/// A window of a browser.
pub struct Window {
    client: Client,
}

impl Driver {
    /// A window of a browser of its own.
    pub fn window(&self, dark: bool) -> Window {
        let mut args = vec!["--no-sandbox", "--disable-gpu"];
        args.extend((self.browser == Path::new(BROWSERS[1])).then_some("--headless=new"));
        args.extend(dark.then_some("--blink-settings=preferredColorScheme=0"));
        let capabilities = json!({
            "goog:chromeOptions": { "args": args, "binary": self.browser },
            "goog:loggingPrefs": { "browser": "ALL" },
            // Scripts that look at every element take long on a busy machine.
            "timeouts": { "script": PATIENCE.as_millis() as u64 },
        });
        let begun = Instant::now();
        loop {
            match Client::connect(&self.url, capabilities.clone()) {
                Ok(client) => return Window { client },
                Err(error) => assert!(begun.elapsed() < PATIENCE, "no browser: {error}"),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Window {
    /// Opens an address.
    pub fn open(&self, url: &str) {
        self.client.goto(url).unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// Opens an address in another tab; gives the tab's name.
    pub fn open_tab(&self, url: &str) -> String {
        let tab = self.client.new_tab().expect("a tab");
        self.open(url);
        tab
    }

    /// Goes to another tab.
    pub fn switch_to(&self, tab: &str) {
        self.client.switch_to(tab).expect("the tab is there");
    }

    /// The size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        self.client.set_window_size(width, height).expect("a size");
    }

    /// The value of a script.
    pub fn value(&self, script: &str) -> Value {
        let value = self.client.execute(script);
        value.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of a script with an argument that is passed to it.
    pub fn value_async(&self, script: &str, argument: Value) -> Value {
        let value = self.client.execute_async(script, &[argument]);
        value.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until an expression is true. A page that is just being replaced has no value.
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        let script = format!("return Boolean({expression})");
        while self.client.execute(&script).ok() != Some(Value::Bool(true)) {
            if begun.elapsed() > PATIENCE {
                let page = self.value("return document.body.innerText");
                let page = page.as_str().unwrap_or_default();
                panic!("waited in vain: {expression}\n{page}\n{:?}", self.client.console());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks what a selector finds, once it is there.
    pub fn click(&self, selector: &str) {
        // Its scripts have run.
        let loaded = "document.readyState === 'complete'";
        let there = format!("document.querySelector({})", json!(selector));
        self.until(&format!("{loaded} && {there}"));
        self.rest(&there);
        let element = self.client.find(Locator::Css(selector));
        let element = element.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.click().unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Waits until an element stays where it is: what a page puts above it late would take the click away.
    /// No longer than a second, as some never rest.
    fn rest(&self, element: &str) {
        let script = format!(
            "const {{ x, y, width, height }} = {element}.getBoundingClientRect();
             return [x, y, width, height].join();"
        );
        let (mut before, mut at_rest) = (None, 0);
        for _ in 0..20 {
            let now = self.client.execute(&script).ok();
            at_rest = if now.is_some() && now == before { at_rest + 1 } else { 0 };
            if at_rest == 2 {
                return;
            }
            before = now;
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Clicks a link or button by its text.
    pub fn click_text(&self, text: &str) {
        let path = format!("//*[self::a or self::button][normalize-space()='{text}']");
        let there =
            format!("document.evaluate({}, document, null, 9, null).singleNodeValue", json!(path));
        self.until(&format!("document.readyState === 'complete' && {there}"));
        self.rest(&there);
        let element = self.client.find(Locator::XPath(&path));
        let element = element.unwrap_or_else(|error| panic!("{text}: {error}"));
        element.click().unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    /// Types into a field, or presses keys on what has the focus.
    pub fn keys(&self, selector: &str, keys: &str) {
        let element = self.client.find(Locator::Css(selector));
        let element = element.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.send_keys(keys).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// The middle of a square of the board, in pixels of the window.
    fn square(&self, name: &str) -> (f64, f64) {
        let script = format!(
            "const frame = document.querySelector('#board-frame svg');
             frame.scrollIntoView({{ block: 'center' }});
             const {{ x, y, width }} = frame.getBoundingClientRect();
             const [file, row] = [{0}.charCodeAt(0) - 97, 8 - Number({0}[1])];
             return [x + (file + 0.5) * width / 8, y + (row + 0.5) * width / 8]",
            json!(name)
        );
        let place = self.value(&script);
        (place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"))
    }

    fn point(&self, steps: &[Pointer]) {
        self.client.point(steps).expect("the pointer moves");
    }

    /// Drags a piece of a board that is turned.
    pub fn drag_black_piece(&self, from: &str, to: &str) {
        let turned = |name: &str| {
            let [file, rank] = [0, 1].map(|index| name.as_bytes()[index]);
            format!("{}{}", char::from(b'a' + b'h' - file), char::from(b'1' + b'8' - rank))
        };
        self.drag_piece(&turned(from), &turned(to));
    }

    /// Drags a piece with the pointer.
    pub fn drag_piece(&self, from: &str, to: &str) {
        self.drag_piece_and_hold(from, to, Duration::ZERO);
    }

    /// Drags a piece with the pointer, and holds it half way for some time.
    pub fn drag_piece_and_hold(&self, from: &str, to: &str, hold: Duration) {
        let (start, end) = (self.square(from), self.square(to));
        let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        self.point(&[
            Pointer::Move(start.0, start.1),
            Pointer::Down,
            Pointer::Move(middle.0, middle.1),
            Pointer::Pause(hold),
            Pointer::Move(end.0, end.1),
            Pointer::Up,
        ]);
    }

    /// Clicks a square of the board.
    pub fn click_square(&self, name: &str) {
        let (x, y) = self.square(name);
        self.point(&[Pointer::Move(x, y), Pointer::Down, Pointer::Up]);
    }

    /// Taps a square of the board with a finger.
    pub fn tap_square(&self, name: &str) {
        let (x, y) = self.square(name);
        let steps = [Pointer::Move(x, y), Pointer::Down, Pointer::Up];
        self.client.touch(&steps).expect("the finger moves");
    }

    /// Taps the middle of what a selector finds with a finger.
    pub fn tap(&self, selector: &str) {
        let script = format!(
            "const {{ x, y, width, height }} = document.querySelector({}).getBoundingClientRect();
             return [x + width / 2, y + height / 2]",
            json!(selector)
        );
        let place = self.value(&script);
        let [x, y] = [0, 1].map(|index| place[index].as_f64().expect("a number"));
        let steps = [Pointer::Move(x, y), Pointer::Down, Pointer::Up];
        self.client.touch(&steps).expect("the finger moves");
    }

    /// Moves the pointer over what a selector finds, to a share of its width; clicks there as well.
    pub fn point_at(&self, selector: &str, share: f64, click: bool) {
        let script = format!(
            "const element = document.querySelector({});
             element.scrollIntoView({{ block: 'center' }});
             const {{ x, y, width, height }} = element.getBoundingClientRect();
             return [x + width * {share}, y + height / 2]",
            json!(selector)
        );
        let place = self.value(&script);
        let [x, y] = [0, 1].map(|index| place[index].as_f64().expect("a number"));
        let steps = [Pointer::Move(x, y), Pointer::Down, Pointer::Up];
        self.point(if click { &steps } else { &steps[..1] });
    }

    /// Drags with the pointer over what a selector finds, between two shares of its width.
    pub fn drag_over(&self, selector: &str, from: f64, to: f64) {
        let script = format!(
            "const element = document.querySelector({});
             element.scrollIntoView({{ block: 'center' }});
             const {{ x, y, width, height }} = element.getBoundingClientRect();
             return [x, y + height / 2, width]",
            json!(selector)
        );
        let place = self.value(&script);
        let [x, y, width] = [0, 1, 2].map(|index| place[index].as_f64().expect("a number"));
        let at = |share: f64| Pointer::Move(x + width * share, y);
        self.point(&[at(from), Pointer::Down, at((from + to) / 2.0), at(to), Pointer::Up]);
    }

    /// Puts a text into a field, as pasting does.
    pub fn fill(&self, selector: &str, text: &str) {
        let script = format!(
            "const field = document.querySelector({}); field.value = {};
             field.dispatchEvent(new Event('input', {{ bubbles: true }}));",
            json!(selector),
            json!(text)
        );
        self.value(&script);
    }

    /// The address without the host.
    pub fn path(&self) -> String {
        let path = self.value("return location.pathname + location.search + location.hash");
        path.as_str().expect("a text").to_owned()
    }

    /// Back in the history.
    pub fn back(&self) {
        self.client.back().expect("a page before");
    }

    /// What the console has of errors: of scripts, of the content security policy, and of files that are
    /// missing. A refusal (422) and a question (409) are none: the page says them in words, and the browser
    /// lists them all the same.
    pub fn errors(&self) -> Vec<String> {
        let entries = self.client.console().expect("a log");
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].to_string());
        messages
            .filter(|message| !message.contains("the server responded with a status of 422"))
            .filter(|message| !message.contains("the server responded with a status of 409"))
            .collect()
    }

    /// Closes the browser.
    pub fn close(self) {
        self.client.close().expect("it closes");
    }
}
