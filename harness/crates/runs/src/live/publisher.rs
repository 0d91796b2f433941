//! The side of the process that executes a run.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use serde::Serialize;

use super::message::{Message, Request};
use super::runs::{Runs, TICK};
use super::socket;
use crate::kinds::RunEvent;
use harness_base::platform::{self, Stream, Wakeup};
use harness_base::session::Interrupt;
use harness_base::sync::lock;

/// Bytes that may wait for a listener before it is disconnected.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// Most bytes of a request.
const MAX_REQUEST_BYTES: usize = 4096;

/// Tells listeners what happens in the runs of this process.
pub struct Publisher {
    shared: Arc<Shared>,
    wakeup: Wakeup,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

#[derive(Default)]
struct Shared {
    runs: Mutex<Runs>,
    /// There is a listener.
    heard: AtomicBool,
    /// The thread has been woken, and has not looked yet.
    woken: AtomicBool,
    /// The thread is to end.
    over: AtomicBool,
}

impl Shared {
    fn runs(&self) -> MutexGuard<'_, Runs> {
        lock(&self.runs)
    }
}

impl Publisher {
    /// Listens at the socket of this process; requests of listeners reach `interrupt`.
    ///
    /// # Errors
    /// When there can be no socket in the reports folder.
    pub fn start(reports: &Path, interrupt: &Interrupt) -> io::Result<Publisher> {
        let (listener, path) = socket::listen(reports)?;
        let wakeup = Wakeup::new()?;
        let woken = wakeup.clone();
        let shared = Arc::<Shared>::default();
        let served = Arc::clone(&shared);
        let interrupt = interrupt.clone();
        let thread = thread::Builder::new().name("live".to_owned()).spawn(move || {
            Server { listener, listeners: Vec::new(), shared: served, interrupt }.serve(&woken);
        })?;
        Ok(Publisher { shared, wakeup, thread: Some(thread), path })
    }

    /// Something happened; by several threads at once.
    pub fn event(&self, event: &RunEvent<'_>) {
        let heard = self.shared.heard.load(Ordering::Relaxed);
        let urgent = self.shared.runs().apply(event, heard);
        if urgent && !self.shared.woken.swap(true, Ordering::Relaxed) {
            self.wakeup.set();
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.wakeup.set();
        if let Some(thread) = self.thread.take() {
            // Its panic is not passed on: this is `drop`.
            let _ = thread.join();
        }
        // Nobody listens there any more; the studio removes what is left.
        let _ = fs::remove_file(&self.path);
    }
}

/// The thread that talks with listeners.
struct Server {
    listener: platform::Listener,
    listeners: Vec<Listener>,
    shared: Arc<Shared>,
    interrupt: Interrupt,
}

/// Who listens.
struct Listener {
    stream: Stream,
    waiting: VecDeque<u8>,
    asked: Vec<u8>,
}

impl Server {
    /// Until it is over; the wake-up is set when something is to be done.
    fn serve(mut self, wakeup: &Wakeup) {
        loop {
            let heard = !self.listeners.is_empty();
            self.shared.heard.store(heard, Ordering::Relaxed);
            if !heard {
                self.shared.runs().forget_ended();
            }
            self.wait(wakeup, heard);
            let is_over = self.shared.over.load(Ordering::Relaxed);
            self.accept();
            if !self.listeners.is_empty() {
                let news = lines(&self.shared.runs().news());
                for listener in &mut self.listeners {
                    listener.waiting.extend(&news);
                }
                let Server { listeners, shared, interrupt, .. } = &mut self;
                listeners.retain_mut(|listener| {
                    listener.is_there(&mut |request| match request {
                        Request::Finish if !shared.runs().ends_at_once() => interrupt.finish(),
                        Request::Finish => interrupt.setter().set(),
                        Request::Stop => interrupt.leave_at_once(),
                    })
                });
            }
            if is_over {
                return;
            }
        }
    }

    /// Waits until something is to be done.
    fn wait(&self, wakeup: &Wakeup, heard: bool) {
        if self.listener.wait(wakeup, heard.then_some(TICK)) {
            // What happens from here on wakes it again.
            self.shared.woken.store(false, Ordering::Relaxed);
            wakeup.clear();
        }
    }

    fn accept(&mut self) {
        while let Some(stream) = self.listener.accept() {
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            // The others get what is new now, so that it is not taken for known.
            let mut runs = self.shared.runs();
            let news = lines(&runs.news());
            for listener in &mut self.listeners {
                listener.waiting.extend(&news);
            }
            let hello = Message::Hello { pid: std::process::id() };
            let mut waiting = VecDeque::from(lines(&[hello]));
            waiting.extend(lines(&runs.snapshot()));
            self.listeners.push(Listener { stream, waiting, asked: Vec::new() });
        }
    }
}

impl Listener {
    /// Sends what waits and reads what is asked; `false` once the listener is gone or too slow.
    fn is_there(&mut self, asked: &mut dyn FnMut(Request)) -> bool {
        self.read(asked) && self.write() && self.waiting.len() <= MAX_WAITING_BYTES
    }

    fn write(&mut self) -> bool {
        while !self.waiting.is_empty() {
            match self.stream.write(self.waiting.as_slices().0) {
                Ok(0) => return false,
                Ok(sent) => drop(self.waiting.drain(..sent)),
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
        true
    }

    fn read(&mut self, asked: &mut dyn FnMut(Request)) -> bool {
        let mut bytes = [0; 512];
        // Who asks and leaves at once is heard, too.
        let is_there = loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => break false,
                Ok(count) => self.asked.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break true,
                Err(_) => break false,
            }
            if self.asked.len() > MAX_REQUEST_BYTES {
                return false;
            }
        };
        while let Some(end) = self.asked.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.asked.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(request) => asked(request),
                // A newer studio asks for what this version does not know.
                Err(error) => tracing::debug!("a listener asks for something unknown: {error}"),
            }
        }
        is_there
    }
}

/// Messages as lines.
fn lines(messages: &[impl Serialize]) -> Vec<u8> {
    let mut lines = Vec::new();
    for message in messages {
        // Plain data with text keys: it has a JSON form.
        if serde_json::to_writer(&mut lines, message).is_ok() {
            lines.push(b'\n');
        }
    }
    lines
}
