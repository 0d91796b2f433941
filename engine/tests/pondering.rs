//! Pondering in the real program.

mod client;

use client::Client;

fn best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[test]
fn a_pondering_search_prints_its_best_move_only_after_ponderhit_or_stop() {
    for limit in ["depth 1", "movetime 1", "wtime 50 btime 50", "nodes 100", ""] {
        for threads in [1, 2] {
            for (end, more) in [("ponderhit", limit.is_empty()), ("stop", false)] {
                let mut engine = Client::start();
                engine.send(&format!("setoption name Threads value {threads}"));
                engine.send("setoption name Ponder value true");
                engine.send("position startpos moves e2e4 e7e5");
                engine.send(&format!("go ponder {limit}"));
                engine.read_until("info depth 1 ");
                engine.send("isready");
                assert_eq!(best_moves(&engine.read_until("readyok")), 0, "{limit}");
                engine.send(end);
                if more {
                    // Without a limit the search goes on like `go infinite`.
                    engine.send("isready");
                    assert_eq!(best_moves(&engine.read_until("readyok")), 0, "{limit}");
                    engine.send("stop");
                }
                engine.read_until("bestmove ");
                // The next search works as usual.
                engine.send("go depth 2");
                let lines = engine.read_until("bestmove ");
                assert!(lines.last().is_some_and(|line| line.contains(" ponder ")), "{lines:?}");
                engine.quit();
            }
        }
    }
}
