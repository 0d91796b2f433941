//! A running match and pages that show it.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use harness::ledger::Ledger;

use crate::Failure;
use crate::browser::{Driver, Process, Studio, harness, numbers, quantile};

/// How long moves are watched.
const WATCHED: Duration = Duration::from_secs(20);

/// How long games are counted, with pages and without.
const COUNTED: Duration = Duration::from_secs(12);

/// Turns with pages and without.
const TURNS: usize = 5;

/// The newest run of a reports folder, once there is one.
fn newest(reports: &Path) -> Result<String, Failure> {
    let begun = Instant::now();
    loop {
        let runs = Ledger::open_existing(reports).and_then(|ledger| ledger.runs());
        if let Some(run) = runs.unwrap_or_default().pop() {
            return Ok(run.run);
        }
        if begun.elapsed() > Duration::from_secs(30) {
            return Err("the match does not begin".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An engine that waits before each move, and leaves the processors to others.
const WAITS: &str = "engines:\n  waits: { cmd: MOCK, args: [--delay, \"400\"] }\n";

/// From a move, as its process made it, to the frame after the one that shows it: with engines that
/// leave the processors to the page, and with engines that do not.
pub fn latency() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let config = WAITS.replace("MOCK", env!("CARGO_BIN_EXE_mock-engine"));
    std::fs::write(folder.path().join("harness.yaml"), config)?;
    let games = "--games 1000 --jobs 16 --no-probe -q";
    for (engines, line) in [
        ("waiting engines", format!("match waits waits --depth 1 {games}")),
        ("computing engines", format!("match builtin builtin --movetime 400ms {games}")),
    ] {
        let reports = folder.path().join(engines);
        let mut times = moves_drawn(folder.path(), &reports, &line)?;
        println!(
            "from a move to its pixels, 16 boards, {engines}, {} moves: median {:.0} ms, 95 % {:.0} ms, slowest {:.0} ms",
            times.len(),
            quantile(&mut times, 0.5),
            quantile(&mut times, 0.95),
            quantile(&mut times, 1.0),
        );
    }
    Ok(())
}

/// The times in milliseconds.
fn moves_drawn(folder: &Path, reports: &Path, line: &str) -> Result<Vec<f64>, Failure> {
    let _game = Process(harness(reports, line).current_dir(folder).spawn()?);
    let run = newest(reports)?;
    let studio = Studio::start(reports)?;
    let driver = Driver::start()?;
    let window = driver.window(&studio)?;
    window.goto(&studio.page(&format!("/run/{run}/")))?;
    let script = "window.taken = [];
        document.addEventListener('tench:drawn', ({ detail: { at } }) => {
            requestAnimationFrame(() => {
                const now = performance.timeOrigin + performance.now();
                for (const time of at) window.taken.push(now - time);
            });
        });";
    // The first seconds load the page.
    std::thread::sleep(Duration::from_secs(2));
    window.execute(script)?;
    std::thread::sleep(WATCHED);
    let taken = numbers(&window.execute("return window.taken")?);
    window.close()?;
    Ok(taken)
}

/// Games of a match while it is watched three times, over those while nobody watches: by readers that
/// draw nothing, which is what watching costs the match, and by pages of a browser on the same
/// processors, which draw in software.
pub fn cost() -> Result<(), Failure> {
    for jobs in [1, 2] {
        let folder = tempfile::tempdir()?;
        let line = format!("match builtin builtin --nodes 5000 --games 1000000 --jobs {jobs} -q");
        let _game = Process(harness(folder.path(), &line).spawn()?);
        let run = newest(folder.path())?;
        let studio = Studio::start(folder.path())?;
        let driver = Driver::start()?;
        let count = || games_in(folder.path(), &run);
        let mut ratios = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            let without = count()?;
            let readers: Vec<TcpStream> =
                (0..3).map(|_| listen(&studio, &run)).collect::<Result<_, _>>()?;
            ratios[0].push(count()? / without);
            for reader in readers {
                reader.shutdown(Shutdown::Both)?;
            }
            let without = count()?;
            let with = {
                let mut windows = Vec::new();
                for _ in 0..3 {
                    let window = driver.window(&studio)?;
                    window.goto(&studio.page(&format!("/run/{run}/")))?;
                    windows.push(window);
                }
                // Starting browsers is not what is measured.
                std::thread::sleep(Duration::from_secs(5));
                let with = count();
                for window in windows {
                    window.close()?;
                }
                with
            }?;
            ratios[1].push(with / without);
        }
        for (who, mut ratios) in ["readers", "pages in Chromium"].into_iter().zip(ratios) {
            let all: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
            let median = quantile(&mut ratios, 0.5);
            println!(
                "games with three {who} over none, {jobs} at once: median {median:.3} ({})",
                all.join(", ")
            );
        }
    }
    Ok(())
}

/// A connection on which a thread reads the events of a run, as a page does.
fn listen(studio: &Studio, run: &str) -> Result<TcpStream, Failure> {
    let (host, cookie) = studio.log_in()?;
    let mut stream = TcpStream::connect(&host)?;
    write!(
        stream,
        "GET /events?topic=run/{run} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
    )?;
    let mut reader = stream.try_clone()?;
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    Ok(stream)
}

/// Games a second.
fn games_in(reports: &Path, run: &str) -> Result<f64, Failure> {
    let ledger = Ledger::open_existing(reports)?;
    let (begun, before) = (Instant::now(), ledger.count_games(run)?);
    std::thread::sleep(COUNTED);
    Ok((ledger.count_games(run)? - before) as f64 / begun.elapsed().as_secs_f64())
}
