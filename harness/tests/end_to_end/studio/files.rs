//! PGN files in a browser: uploaded, listed page by page, searched, opened, explored; and games between
//! engines from a position.

use std::time::{Duration, Instant};

use super::boards::{empty_board, text};
use super::browser::driver;
use super::server::Studio;

/// Games of two openings; number 150 has a name that no other has.
fn games() -> String {
    let game = |number: usize| {
        let white = if number == 150 { "Lasker" } else { "Nobody" };
        let (moves, result) =
            if number.is_multiple_of(3) { ("1. d4 d5", "0-1") } else { ("1. e4 e5", "1-0") };
        format!(
            "[Event \"E{number}\"]\n[White \"{white}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    (1..=240).map(game).collect()
}

#[test]
fn a_file_is_uploaded_paged_searched_opened_and_explored_and_a_position_is_played_out() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("my games.pgn");
    std::fs::write(&file, games()).expect("written");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    window.open(&studio.url("/pgn", 0));
    window.keys("#pgn-upload [type=file]", &file.display().to_string());
    window.click("#pgn-upload .button");
    window.until("location.pathname === '/pgn/games'");
    window.until("document.body.textContent.includes('1–100 of 240')");
    window.click("#part-last");
    window.until("document.body.textContent.includes('201–240 of 240')");
    window.keys("#search", "lasker");
    window.until("document.querySelectorAll('table.games tbody tr').length === 1");
    window.click("table.games button");
    window.until("location.pathname.startsWith('/board/')");
    window.until("document.querySelector('.player.bottom .name').textContent.includes('Lasker')");
    window.until(&format!("{}.includes('d5')", text("move-tree")));
    // What is played at the start in the games of the file.
    window.value("document.getElementById('explorer').open = true");
    window.fill("#explorer-source", "my games.pgn");
    window.value("document.getElementById('explorer-source').dispatchEvent(new Event('change'))");
    window.until(&format!("{}.includes('240 of 240 games')", text("explorer-rows")));
    window.until(
        "document.querySelector('#explorer-rows tbody tr').textContent.startsWith('e4160100 %')",
    );
    window.until("document.querySelectorAll('.named-games form').length === 8");
    // The answer about another source comes late: it does not take the place of the newer one.
    window.value(
        "const real = window.fetch;
         window.fetch = async (address, options) => {
             const isLate = String(address).endsWith('source=');
             const answer = await real(address, options);
             if (isLate) {
                 await new Promise((resolve) => { setTimeout(resolve, 700); });
                 setTimeout(() => { window.late = true; }, 200);
             }
             return answer;
         };
         const field = document.getElementById('explorer-source');
         for (const source of ['', 'my games.pgn']) {
             field.value = source;
             field.dispatchEvent(new Event('change'));
         }",
    );
    window.until("window.late");
    let rows = window.value(&format!("return {}", text("explorer-rows")));
    assert!(rows.as_str().is_some_and(|rows| rows.contains("240 of 240 games")), "{rows}");
    // Games between engines from a position that is no start.
    empty_board(&window, &studio);
    window.drag_piece("c2", "c4");
    window.until(&format!("{}.includes('c4')", text("move-tree")));
    window.value("document.getElementById('explorer').open = true");
    window.fill("#playout-form [name=games]", "2");
    window.fill("#playout-form [name=movetime]", "1ms");
    window.click("#playout-form .button");
    window.until("location.pathname === '/start'");
    window.until("document.getElementById('yaml').value.includes('openings')");
    // A game of a few moves is enough.
    window.value("document.getElementById('yaml').value += 'max-moves: 3\\nno-probe: true\\n'");
    window.click("[name=do][value=start]");
    window.until("location.pathname.startsWith('/run/')");
    let run = window.path();
    window.close();
    // Both games begin with the position that was on the board.
    let begun = Instant::now();
    let fen = "PPPPP/RNBQKBNR b KQkq - 0 1";
    loop {
        let games = studio.get(&format!("{run}games.pgn")).body;
        if games.matches(fen).count() == 2 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "{run}: {games}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn files_are_read_by_name_and_by_path_only_as_far_as_one_may() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let outside = folder.path().join("outside.pgn");
    std::fs::write(&outside, games()).expect("written");
    let studio = Studio::start(folder.path());
    let path = format!("/pgn/games?file={}", outside.display().to_string().replace('/', "%2F"));
    assert!(studio.get(&path).body.contains("of 240"));
    // Who may only look sees the files of the folder, and none by a path.
    let view = [studio.cookie(&studio.tokens[1])];
    let refused = studio.send(&format!("GET {path}"), &view, "");
    assert!(refused.status != 200 && !refused.body.contains("of 240"), "{}", refused.body);
    for name in ["..%2Foutside.pgn", "..%2F..%2Foutside.pgn", "none.pgn"] {
        let answer = studio.send(&format!("GET /pgn/games?file={name}"), &view, "");
        assert_ne!(answer.status, 200, "{name}");
    }
    let csrf = studio.csrf();
    let upload = |csrf: &str, name: &str| {
        let path = format!("/pgn/upload?csrf={csrf}&name={name}");
        studio.post(&path, "[White \"x\"]\n\n1. e4 *\n").status
    };
    assert_eq!(upload(&csrf, "a.pgn"), 200);
    assert_eq!(upload("wrong", "b.pgn"), 403);
    for name in ["..%2Fa.pgn", ".a.pgn", "a.txt", "a%2Fb.pgn", ""] {
        assert_eq!(upload(&csrf, name), 422, "{name}");
    }
    assert!(!folder.path().join("reports/a.pgn").exists());
    assert!(studio.send("GET /pgn/games?file=a.pgn", &view, "").body.contains("1 in all"));
    let open = |game: &str| {
        studio.post("/pgn/open", &format!("csrf={csrf}&file=a.pgn&game={game}")).status
    };
    assert_eq!((open("1"), open("2"), open("0"), open("x")), (303, 422, 422, 422));
}
