//! The thread that searches.
//!
//! A search of few milliseconds runs on the thread that has received `go`: on a busy machine another one
//! may wait as long as that for a core.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::job::Job;
use super::options::{DEFAULT_HASH, Tunable};
use super::output::Output;
use super::show;
use crate::eval::nnue::Network;
use crate::search::{Algorithm, Pondering, Searcher, TablebaseOptions};

/// A task on the searcher; tasks run in the order of their arrival.
type Task<P> = Box<dyn FnOnce(&mut Searcher<P>) + Send>;

/// Hard limit up to which a search runs on the thread that has received `go`, which reads no further
/// command meanwhile.
const AT_ONCE: Duration = Duration::from_millis(50);

/// The handle of the searching thread.
pub(super) struct Worker<P> {
    searcher: Arc<Mutex<Searcher<P>>>,
    tasks: Sender<Task<P>>,
    /// Tasks that wait or run.
    waiting: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
    /// Stop signals of the searches since none was running.
    stops: Vec<Arc<AtomicBool>>,
    /// Searches that run or wait.
    searches: Arc<AtomicUsize>,
    /// The pondering state of the latest search.
    pondering: Option<Arc<Pondering>>,
    output: Output,
}

impl<P: Tunable> Worker<P> {
    pub fn start(output: Output) -> Worker<P> {
        let (tasks, queue) = mpsc::channel::<Task<P>>();
        let searcher = Arc::new(Mutex::new(Searcher::new(P::default(), DEFAULT_HASH)));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (shared, counted) = (Arc::clone(&searcher), Arc::clone(&waiting));
        let thread = thread::spawn(move || {
            for task in queue {
                let mut searcher = shared.lock().unwrap_or_else(PoisonError::into_inner);
                task(&mut searcher);
                // Before the searcher is free: who gets it then knows that nothing waits.
                counted.fetch_sub(1, Ordering::AcqRel);
            }
        });
        Worker {
            searcher,
            tasks,
            waiting,
            thread,
            stops: Vec::new(),
            searches: Arc::new(AtomicUsize::new(0)),
            pondering: None,
            output,
        }
    }

    fn send(&self, task: impl FnOnce(&mut Searcher<P>) + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        // The thread outlives this handle.
        let _ = self.tasks.send(Box::new(task));
    }

    pub fn new_game(&self) {
        self.send(Searcher::new_game);
    }

    pub fn resize_hash(&self, mib: usize) {
        let output = self.output.clone();
        self.send(move |searcher| {
            if searcher.resize_hash(mib).is_err() {
                output.info(&format!("there is no memory for Hash {mib}; it is 1 now"));
            }
        });
    }

    pub fn set_threads(&self, threads: usize) {
        self.send(move |searcher| searcher.set_threads(threads));
    }

    pub fn clear_hash(&self) {
        self.send(Searcher::clear_hash);
    }

    pub fn set_network(&self, network: Option<Arc<Network>>) {
        self.send(move |searcher| searcher.set_network(network));
    }

    pub fn set_algorithm(&self, algorithm: Algorithm) {
        self.send(move |searcher| searcher.set_algorithm(algorithm));
    }

    pub fn set_tablebases(&self, options: TablebaseOptions) {
        self.send(move |searcher| searcher.set_tablebases(options));
    }

    pub fn set_parameter(&self, name: &'static str, value: i64) {
        let output = self.output.clone();
        self.send(move |searcher| {
            if let Err(error) = searcher.params_mut().set(name, value) {
                output.info(&error.to_string());
            }
        });
    }

    /// Waits for the tasks sent before, unless one of them is a search.
    pub fn wait_unless_searching(&self) {
        if !self.is_searching() {
            let (done, wait) = mpsc::channel();
            self.send(move |_| {
                // The receiver may be gone.
                let _ = done.send(());
            });
            let _ = wait.recv();
            drop(self.searcher.lock());
        }
    }

    /// Whether a search is running or waits.
    pub fn is_searching(&self) -> bool {
        self.searches.load(Ordering::Acquire) > 0
    }

    /// Starts a search, or has it wait for the end of those before it; whether it waits. A short one is over
    /// on return.
    pub fn go(&mut self, job: Job) -> bool {
        let waits = self.searches.fetch_add(1, Ordering::AcqRel) > 0;
        if !waits {
            self.stops.clear();
        }
        let stop = Arc::new(AtomicBool::new(false));
        self.stops.push(Arc::clone(&stop));
        self.pondering.clone_from(&job.limits.pondering);
        let searches = Arc::clone(&self.searches);
        let output = self.output.clone();
        let idle = self.waiting.load(Ordering::Acquire) == 0;
        let searcher = Arc::clone(&self.searcher);
        let at_once = idle.then(|| searcher.try_lock().ok()).flatten();
        let at_once = at_once.filter(|searcher| job.is_over_within(AT_ONCE, searcher.params()));
        let run = move |searcher: &mut Searcher<P>| {
            let position = *job.root.position();
            let chess960 = job.options.chess960;
            job.run(searcher, &stop, &output, &mut |line| {
                // Before `bestmove`: its reader may start the next search at once.
                searches.fetch_sub(1, Ordering::AcqRel);
                output.line(&show::best_move(&position, line, chess960));
            });
        };
        match at_once {
            Some(mut searcher) => run(&mut searcher),
            None => self.send(run),
        }
        waits
    }

    /// Signals the ponder hit to the latest search; whether there was one that ponders.
    pub fn ponder_hit(&mut self) -> bool {
        let Some(pondering) = self.pondering.take() else { return false };
        pondering.hit();
        self.thread.thread().unpark();
        self.is_searching()
    }

    /// Stops the running search, if any, and those that wait: each prints its best move.
    pub fn stop(&self) {
        for stop in &self.stops {
            stop.store(true, Ordering::Release);
        }
        self.thread.thread().unpark();
    }

    /// Stops the search and ends the thread.
    pub fn finish(self) {
        self.stop();
        drop(self.tasks);
        // A panic in the search has already been printed.
        let _ = self.thread.join();
    }
}
