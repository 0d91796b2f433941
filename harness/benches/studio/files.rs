//! A large PGN file in the studio: listed, searched, a game of it opened, its positions explored.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use shakmaty::{Chess, Position};

use crate::Failure;
use crate::browser::Studio;

/// Size of the file, in bytes.
const BYTES: usize = 100_000_000;

/// A game of random moves with clocks, in PGN.
fn random_game(random: &mut StdRng) -> (String, &'static str) {
    let mut position = Chess::default();
    let mut text = String::new();
    for ply in 0..random.random_range(60..120) {
        let legal = position.legal_moves();
        let Some(chosen) = legal.choose(random).copied() else { break };
        if ply % 2 == 0 {
            let _ = write!(text, "{}. ", ply / 2 + 1);
        }
        let san = shakmaty::san::SanPlus::from_move_and_play_unchecked(&mut position, chosen);
        let _ = write!(text, "{san} {{ [%clk 0:{:02}:{:02}] }} ", 59 - ply / 2, ply % 60);
    }
    (text, ["1-0", "0-1", "1/2-1/2"].choose(random).copied().unwrap_or("*"))
}

/// Writes the file and returns how many games it has.
fn write_games(path: &Path) -> Result<usize, Failure> {
    let mut random = StdRng::seed_from_u64(1);
    let games: Vec<_> = (0..2000).map(|_| random_game(&mut random)).collect();
    let mut output = std::io::BufWriter::new(std::fs::File::create(path)?);
    let (mut bytes, mut count) = (0, 0);
    while bytes < BYTES {
        let (moves, result) = games.choose(&mut random).ok_or("there are games")?;
        let player = |random: &mut StdRng| format!("Player {}", random.random_range(0..20_000));
        let text = format!(
            "[Event \"Round {}\"]\n[Site \"?\"]\n[Date \"{}.01.01\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"{result}\"]\n[ECO \"B{:02}\"]\n\n{moves}{result}\n\n",
            count / 100,
            1900 + count % 126,
            player(&mut random),
            player(&mut random),
            count % 100,
        );
        output.write_all(text.as_bytes())?;
        bytes += text.len();
        count += 1;
    }
    output.flush()?;
    Ok(count)
}

/// Somebody who is let in and reads without a browser.
struct Reader {
    host: String,
    cookie: String,
}

impl Reader {
    fn new(studio: &Studio) -> Result<Reader, Failure> {
        let (host, cookie) = studio.log_in()?;
        Ok(Reader { host, cookie })
    }

    /// The whole answer to a request.
    fn send(&self, request: &str, form: &str) -> Result<String, Failure> {
        let mut stream = TcpStream::connect(&self.host)?;
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nCookie: {}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.host,
            self.host,
            self.cookie,
            form.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let is_good = answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 303");
        let head = || format!("{request}: {}", answer.lines().next().unwrap_or_default());
        if is_good { Ok(answer) } else { Err(head().into()) }
    }

    /// Prints how long an answer takes, and returns it.
    fn timed(&self, what: &str, request: &str, form: &str) -> Result<String, Failure> {
        let begun = Instant::now();
        let answer = self.send(request, form)?;
        println!("{what}: {:.3} s", begun.elapsed().as_secs_f64());
        Ok(answer)
    }
}

/// What stands between a text and a character.
fn after(text: &str, before: &str, end: char) -> Option<String> {
    text.split_once(before)?.1.split(end).next().map(str::to_owned)
}

/// A PGN file of 100 MB, asked for as pages do.
pub fn large() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("large.pgn");
    let count = write_games(&path)?;
    let studio = Studio::start(folder.path())?;
    let reader = Reader::new(&studio)?;
    let file = path.display().to_string().replace('/', "%2F");
    println!("PGN file of {} MB, {count} games", BYTES / 1_000_000);
    let page = format!("GET /pgn/games?file={file}");
    let first = reader.timed("  first page, with listing", &page, "")?;
    reader.timed("  page in the middle", &format!("{page}&offset={}", count / 2), "")?;
    reader.timed("  search for three words", &format!("{page}&q=player+777+1950"), "")?;
    let csrf = after(&first, "name=\"csrf\" value=\"", '"').ok_or("a form")?;
    let form = format!("csrf={csrf}&file={file}&game={count}");
    let made = reader.timed("  its last game, put on a board", "POST /pgn/open", &form)?;
    let board = after(&made, "location: ", '#').ok_or("a board")?;
    let explorer = |node: u32| format!("GET {board}/explorer?node={node}&source={file}");
    let all = "  explorer, first position, for which all games are read";
    reader.timed(all, &explorer(0), "")?;
    reader.timed("  explorer, another position", &explorer(1), "")?;
    println!("  memory of the studio at its peak: {} MB", studio.peak()?);
    Ok(())
}
