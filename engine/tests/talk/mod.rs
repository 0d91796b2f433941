//! A conversation with the real program, in which each side waits for the other.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A conversation with the engine.
pub struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    pub fn start() -> Talk {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tench"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Talk { child, input, output }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the engine reads");
    }

    /// What it says up to the line that starts like this.
    pub fn hear(&mut self, start: &str) -> Vec<String> {
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

    pub fn end(mut self) {
        self.say("quit");
        assert!(self.child.wait().expect("the engine ends").success());
    }
}
