//! Boards: from a drag to the engine's answer, updates of an analysis, first paint of the pages.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::webdriver::{Client, Locator, Pointer};

use crate::Failure;
use crate::browser::{Driver, Studio, numbers, quantile};
use crate::pages;

/// Moves that are dragged.
const DRAGS: usize = 8;

/// How long an analysis is watched.
const WATCHED: Duration = Duration::from_secs(10);

/// The argument with which this program is an engine.
pub const ENGINE: &str = "talking-engine";

/// An engine that tells 500 lines a second: of three, in turn, ever deeper.
pub fn talk() {
    let stop = Arc::new(AtomicBool::new(true));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split(' ').next().unwrap_or_default() {
            "uci" => println!(
                "id name talks\noption name MultiPV type spin default 1 min 1 max 9\nuciok"
            ),
            "isready" => println!("readyok"),
            "go" => {
                stop.store(false, Ordering::Relaxed);
                let stop = Arc::clone(&stop);
                std::thread::spawn(move || {
                    let mut told: u64 = 0;
                    while !stop.load(Ordering::Relaxed) {
                        told += 1;
                        println!(
                            "info depth {} multipv {} score cp {} nodes {} time {} pv e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
                            1 + told / 60,
                            1 + told % 3,
                            told % 40,
                            told * 1000,
                            told * 2,
                        );
                        let _ = std::io::stdout().flush();
                        std::thread::sleep(Duration::from_millis(2));
                    }
                    println!("bestmove e2e4");
                });
            }
            "stop" => stop.store(true, Ordering::Relaxed),
            "quit" => return,
            _ => {}
        }
    }
}

fn until(window: &Client, expression: &str) -> Result<(), Failure> {
    let begun = Instant::now();
    let script = format!("return Boolean({expression})");
    while window.execute(&script).ok() != Some(serde_json::Value::Bool(true)) {
        if begun.elapsed() > Duration::from_secs(30) {
            return Err(format!("waited in vain: {expression}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn click(window: &Client, selector: &str) -> Result<(), Failure> {
    until(window, &format!("document.querySelector('{selector}')"))?;
    window.execute(&format!("document.querySelector('{selector}').click()"))?;
    Ok(())
}

fn drag(window: &Client, from: &str, to: &str) -> Result<(), Failure> {
    let place = |name: &str| {
        format!(
            "const {{ x, y, width }} = document.querySelector('#board-frame svg').getBoundingClientRect();
             return [x + ({} + 0.5) * width / 8, y + ({} + 0.5) * width / 8]",
            name.as_bytes()[0] - b'a',
            b'8' - name.as_bytes()[1],
        )
    };
    let mut steps = Vec::new();
    for (name, press) in [(from, Pointer::Down), (to, Pointer::Up)] {
        let at = numbers(&window.execute(&place(name))?);
        steps.extend([Pointer::Move(at[0], at[1]), press]);
    }
    Ok(window.point(&steps)?)
}

/// From the end of a drag to the frame that shows the answer of the built-in engine, level 9, at one
/// second a move.
pub fn answers() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let studio = Studio::start(folder.path())?;
    let driver = Driver::start()?;
    let window = driver.window(&studio)?;
    let mut times = Vec::new();
    for _ in 0..DRAGS {
        window.goto(&studio.page("/boards"))?;
        until(&window, "document.querySelector('#new-game [name=level]')")?;
        window.execute("document.querySelector('#new-game [name=level]').value = '9'")?;
        click(&window, "#new-game [value=game]")?;
        until(&window, "document.querySelectorAll('#board-frame use').length === 32")?;
        until(&window, "document.readyState === 'complete'")?;
        let script = "document.addEventListener('pointerup', () => { window.begun = performance.now(); }, true);
            document.addEventListener('tench:board', () => {
                if (document.querySelectorAll('#move-tree button').length !== 2) return;
                requestAnimationFrame(() => requestAnimationFrame(() => {
                    window.took ??= performance.now() - window.begun;
                }));
            });";
        window.execute(script)?;
        drag(&window, "e2", "e4")?;
        until(&window, "window.took")?;
        let took = window.execute("return window.took")?;
        times.extend(took.as_f64());
    }
    window.close()?;
    println!(
        "from a drag to the answer of level 9 at 1 s a move, {DRAGS} games: median {:.0} ms, slowest {:.0} ms",
        quantile(&mut times, 0.5),
        quantile(&mut times, 1.0),
    );
    Ok(())
}

/// Updates of an analysis that a page draws in a second, and how long a key waits meanwhile.
pub fn updates() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let program = std::env::current_exe()?;
    let config = format!("engines:\n  talks: {{ cmd: {}, args: [{ENGINE}] }}\n", program.display());
    std::fs::write(folder.path().join("harness.yaml"), config)?;
    std::env::set_current_dir(folder.path())?;
    let studio = Studio::start(folder.path())?;
    let driver = Driver::start()?;
    let window = driver.window(&studio)?;
    for engines in ["talks", "talks, talks", "builtin"] {
        window.goto(&studio.page("/boards"))?;
        click(&window, "#new-game [value=study]")?;
        until(&window, "document.querySelectorAll('#board-frame use').length === 32")?;
        until(&window, "document.readyState === 'complete'")?;
        let script = format!(
            "document.getElementById('engines').value = '{engines}';
             document.getElementById('lines').value = 3;
             document.getElementById('analysis').open = true;
             window.drawn = 0;
             window.waits = [];
             document.addEventListener('tench:lines', () => {{ window.drawn += 1; }});
             document.addEventListener('keydown', (event) => {{
                 requestAnimationFrame(() => window.waits.push(performance.now() - event.timeStamp));
             }});"
        );
        window.execute(&script)?;
        until(&window, "window.drawn > 0")?;
        window.execute("window.drawn = 0")?;
        let begun = Instant::now();
        let mut keys = 0;
        let body = window.find(Locator::Css("body"))?;
        while begun.elapsed() < WATCHED {
            body.send_keys("f")?;
            keys += 1;
            std::thread::sleep(Duration::from_millis(200));
        }
        let seconds = begun.elapsed().as_secs_f64();
        let drawn = window.execute("return [window.drawn]")?;
        let mut waits = numbers(&window.execute("return window.waits")?);
        println!(
            "analysis by {engines}: {:.1} updates a second; {} of {keys} keys, each to its frame: \
             median {:.0} ms, slowest {:.0} ms",
            numbers(&drawn).first().copied().unwrap_or_default() / seconds,
            waits.len(),
            quantile(&mut waits, 0.5),
            quantile(&mut waits, 1.0),
        );
    }
    window.close()?;
    Ok(())
}

/// A short game, for the page of a PGN file.
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n";

/// First paint of the pages of boards, a thousand games in the PGN file.
pub fn paints() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, GAME.repeat(1000))?;
    let studio = Studio::start(folder.path())?;
    let driver = Driver::start()?;
    let window = driver.window(&studio)?;
    window.goto(&studio.page("/boards"))?;
    click(&window, "#new-game [value=study]")?;
    until(&window, "location.pathname.startsWith('/board/')")?;
    let board = window.execute("return location.pathname")?;
    let board = board.as_str().unwrap_or_default().to_owned();
    let listed = file.display().to_string().replace('/', "%2F");
    let pages = [
        ("boards", "/boards".to_owned()),
        ("a board", board),
        ("practice", "/practice".to_owned()),
        ("PGN files", "/pgn".to_owned()),
        ("games of a PGN file", format!("/pgn/games?file={listed}")),
    ];
    pages::paints(&window, &studio, &pages)?;
    window.close()?;
    Ok(())
}
