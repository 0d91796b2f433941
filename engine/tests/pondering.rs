//! The real program, asked to think on the opponent's time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A conversation with the engine.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn start() -> Talk {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tench"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Talk { child, input, output }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the engine reads");
    }

    /// What it says up to the line that starts like this.
    fn hear(&mut self, start: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("the engine writes text");
            assert!(read > 0, "it ended before `{start}`: {heard:?}");
            heard.push(line.trim_end().to_owned());
            if line.starts_with(start) {
                return heard;
            }
        }
    }

    fn end(mut self) {
        self.say("quit");
        assert!(self.child.wait().expect("the engine ends").success());
    }
}

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
