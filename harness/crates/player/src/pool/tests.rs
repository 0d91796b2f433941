use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn pool(workers: usize) -> (Pool<u64>, InterruptSetter) {
    let (user, setter) = Interrupt::manual().expect("a pipe");
    (Pool::new(workers, &user, |_| 0).expect("a pipe"), setter)
}

fn continue_run<K>(_: u64) -> Result<ControlFlow<()>, K> {
    Ok(ControlFlow::Continue(()))
}

#[test]
fn every_job_is_done_once_and_the_states_stay_from_run_to_run() {
    for workers in [1, 3] {
        let (mut pool, _setter) = pool(workers);
        for run in 1..=3 {
            let mut order = InOrder::from(0);
            let mut results = Vec::new();
            let count = |done: &mut u64, job: u64| {
                *done += 1;
                Ok::<_, Infallible>((job, job * job))
            };
            pool.run(0..100_u64, count, &mut |(job, square)| {
                order.put(job, square);
                results.extend(std::iter::from_fn(|| order.take()));
                Ok::<_, Infallible>(ControlFlow::Continue(()))
            })
            .expect("no trouble");
            assert_eq!(results, (0..100).map(|job| (job, job * job)).collect::<Vec<_>>());
            assert_eq!(pool.workers().map(|done| *done).sum::<u64>(), run * 100);
        }
    }
}

#[test]
fn trouble_ends_the_run_and_the_pool() {
    let (mut pool, _setter) = pool(2);
    let fail = |_: &mut u64, job: u64| if job == 10 { Err("no more") } else { Ok(job) };
    let ended = pool.run(0..1_000_000_u64, fail, &mut continue_run::<Infallible>);
    assert!(matches!(ended, Err(Ended::Worker("no more"))), "{ended:?}");
    let again = pool.run(0..10_u64, |_, job| Ok::<_, ()>(job), &mut continue_run::<Infallible>);
    assert!(matches!(again, Err(Ended::Interrupted)), "{again:?}");
}

#[test]
fn an_interrupt_leaves_jobs_undone_but_is_none_after_the_last_job() {
    let (mut pool, setter) = pool(2);
    let done = AtomicUsize::new(0);
    let work = |_: &mut u64, job: u64| {
        if done.fetch_add(1, Ordering::Relaxed) == 20 {
            setter.set();
        }
        Ok::<_, ()>(job)
    };
    let ended = pool.run(0..1_000_000_u64, work, &mut continue_run::<Infallible>);
    assert!(matches!(ended, Err(Ended::Interrupted)), "{ended:?}");
    assert!(done.load(Ordering::Relaxed) < 1_000);
    let nothing = pool.run(0..0_u64, work, &mut continue_run::<Infallible>);
    assert!(nothing.is_ok(), "{nothing:?}");
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_a_worker_ends_the_run_and_is_passed_on() {
    let (mut pool, _setter) = pool(2);
    let work =
        |_: &mut u64, job: u64| if job == 10 { panic!("a worker") } else { Ok::<_, ()>(job) };
    let _ = pool.run(0.., work, &mut continue_run::<Infallible>);
}
