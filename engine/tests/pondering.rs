//! The real program, asked to think on the opponent's time.

mod talk;

use talk::Talk;

fn best_moves(heard: &[String]) -> usize {
    heard.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[test]
fn a_search_that_ponders_answers_after_the_hit_or_stop_and_not_before() {
    for limit in ["depth 1", "movetime 1", "wtime 50 btime 50", "nodes 100", ""] {
        for threads in [1, 2] {
            for (end, more) in [("ponderhit", limit.is_empty()), ("stop", false)] {
                let mut talk = Talk::start();
                talk.say(&format!("setoption name Threads value {threads}"));
                talk.say("setoption name Ponder value true");
                talk.say("position startpos moves e2e4 e7e5");
                talk.say(&format!("go ponder {limit}"));
                talk.hear("info depth 1 ");
                talk.say("isready");
                assert_eq!(best_moves(&talk.hear("readyok")), 0, "{limit}");
                talk.say(end);
                if more {
                    // Without a limit the search goes on as a `go infinite`.
                    talk.say("isready");
                    assert_eq!(best_moves(&talk.hear("readyok")), 0, "{limit}");
                    talk.say("stop");
                }
                talk.hear("bestmove ");
                // The next search is as ready as ever.
                talk.say("go depth 2");
                let heard = talk.hear("bestmove ");
                assert!(heard.last().is_some_and(|line| line.contains(" ponder ")), "{heard:?}");
                talk.end();
            }
        }
    }
}
