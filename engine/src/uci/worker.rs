//! The thread that owns the searcher.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::job::Job;
use super::options::{DEFAULT_HASH, Tunable};
use super::output::Output;
use super::show;
use crate::eval::nnue::Network;
use crate::search::{Algorithm, Pondering, Searcher, TablebaseOptions};

/// A task on the searcher; tasks run in the order of their arrival.
type Task<P> = Box<dyn FnOnce(&mut Searcher<P>) + Send>;

/// The handle of the searching thread.
pub(super) struct Worker<P> {
    tasks: Sender<Task<P>>,
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
        let thread = thread::spawn(move || {
            let mut searcher = Searcher::new(P::default(), DEFAULT_HASH);
            for task in queue {
                task(&mut searcher);
            }
        });
        Worker {
            tasks,
            thread,
            stops: Vec::new(),
            searches: Arc::new(AtomicUsize::new(0)),
            pondering: None,
            output,
        }
    }

    fn send(&self, task: impl FnOnce(&mut Searcher<P>) + Send + 'static) {
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
                let kept = searcher.hash_mib();
                output.info(&format!("there is no memory for Hash {mib}; it is {kept} now"));
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
        }
    }

    /// Whether a search is running or waits.
    pub fn is_searching(&self) -> bool {
        self.searches.load(Ordering::Acquire) > 0
    }

    /// Starts a search, or has it wait for the end of those before it; whether it waits.
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
        self.send(move |searcher| {
            let position = *job.root.position();
            let chess960 = job.options.chess960;
            job.run(searcher, &stop, &output, &mut |pending, line| {
                // Before `bestmove`: its reader may start the next search at once.
                searches.fetch_sub(1, Ordering::AcqRel);
                output.line(&format!("{pending}{}", show::best_move(&position, line, chess960)));
            });
        });
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
