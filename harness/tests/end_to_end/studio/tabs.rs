//! Many tabs of one browser: they share one connection, and each one is live.

use std::time::{Duration, Instant};

use super::boards::{ask, empty_board, text, with_window};

/// Tabs of a board, half of them with an analysis; a browser allows six connections.
const TABS: usize = 20;

#[test]
fn twenty_tabs_with_boards_and_analyses_are_live_and_answer_at_once() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let board = window.path();
        let board = board.split('#').next().unwrap_or_default().to_owned();
        let url = format!("http://{}{board}", studio.host);
        let mut tabs = Vec::new();
        for number in 0..TABS {
            tabs.push(window.open_tab(&url));
            window.until("document.querySelectorAll('#board-frame use').length === 32");
            if number % 2 == 1 {
                window.fill("#lines", "1");
                window.value("document.getElementById('analysis').open = true");
                window.until("document.querySelector('#engine-lines li')");
            }
        }
        // Lists and runs are live beside them.
        let runs = window.open_tab(&format!("http://{}/", studio.host));
        window.until("document.querySelector('#connection.live')");
        let begun = Instant::now();
        window.switch_to(&tabs[TABS - 1]);
        ask(window, "e4");
        window.until(&format!("{}.includes('e4')", text("move-tree")));
        assert!(begun.elapsed() < Duration::from_secs(60), "it took {:?}", begun.elapsed());
        for tab in [&tabs[0], &tabs[9], &tabs[18]] {
            window.switch_to(tab);
            window.until(&format!("{}.includes('e4')", text("move-tree")));
        }
        window.switch_to(&runs);
        window.until("document.querySelector('#connection.live')");
        assert_eq!(window.errors(), [""; 0]);
    });
}
