//! Tuners that are other programs, for comparison.
//!
//! The program reads and writes lines of JSON. It gets the parameters and its budget first:
//!
//! ```json
//! {"games":2000,"seed":1,"parameters":[{"name":"margin","min":0,"max":200,"start":50,"integer":true}]}
//! ```
//!
//! Then, as often as it wants, it says which two candidates play how many pairs, and gets the counts
//! of the pair scores 0, ½, 1, 1½ and 2 of the first one, and the games that are left:
//!
//! ```json
//! {"play":[[50],[70]],"pairs":8}
//! {"counts":[0,2,3,2,1],"left":1984}
//! ```
//!
//! At last it says which values are best, `{"best":[60]}`, and ends.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::space::{Candidate, Kind, Space};
use harness_base::text::shell_split;
use harness_stats::Pentanomial;

/// A tuner that is another program.
#[derive(Clone, Debug)]
pub struct External {
    /// Its command line, words separated by blanks.
    pub command: String,
}

/// Why an external tuner has no result.
#[derive(Debug, Error, Diagnostic)]
#[error("the tuner `{command}`: {reason}")]
#[diagnostic(help("run it by hand: `harness tune bench --help` names the page with its protocol"))]
pub struct ExternalError {
    command: String,
    reason: String,
}

#[derive(Serialize)]
struct Task<'a> {
    games: u64,
    seed: u64,
    parameters: Vec<TaskParameter<'a>>,
}

#[derive(Serialize)]
struct TaskParameter<'a> {
    name: &'a str,
    min: f64,
    max: f64,
    start: f64,
    integer: bool,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Request {
    Play { play: [Candidate; 2], pairs: u64 },
    Best { best: Candidate },
}

#[derive(Serialize)]
struct Reply {
    counts: [u64; 5],
    left: u64,
}

/// A started program; it is killed when it is dropped.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already, as a rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl External {
    /// Name in the table: the program or script without its folder and ending, and its arguments.
    pub fn name(&self) -> String {
        let words = self.words();
        let script = words.iter().rposition(|word| word.contains(['/', '.'])).unwrap_or(0);
        let file = words.get(script).map_or("", |path| path.rsplit('/').next().unwrap_or(path));
        let stem = file.split('.').next().unwrap_or(file);
        let arguments = words.iter().skip(script + 1).map(String::as_str);
        std::iter::once(stem).chain(arguments).collect::<Vec<_>>().join(" ")
    }

    fn fault(&self, reason: impl ToString) -> ExternalError {
        ExternalError { command: self.command.clone(), reason: reason.to_string() }
    }

    /// Its words, as a shell splits them; those between blanks where a quotation mark is open.
    fn words(&self) -> Vec<String> {
        let blanks = || self.command.split_whitespace().map(str::to_owned).collect();
        shell_split(&self.command).unwrap_or_else(blanks)
    }

    fn start(&self) -> Result<Process, ExternalError> {
        let mut words = self.words().into_iter();
        let program = words.next().ok_or_else(|| self.fault("is empty"))?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|reason| self.fault(reason))?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let both = input.zip(output).ok_or_else(|| self.fault("has no pipes"))?;
        Ok(Process { child, input: both.0, output: BufReader::new(both.1) })
    }

    /// Lets the program tune; `play` plays pairs of two candidates. Gives the best candidate.
    ///
    /// # Errors
    /// When the program does not keep to the protocol.
    pub fn tune(
        &self,
        space: &Space,
        games: u64,
        seed: u64,
        mut play: impl FnMut(&Candidate, &Candidate, u64) -> Pentanomial,
    ) -> Result<Candidate, ExternalError> {
        let mut process = self.start()?;
        let parameters = space.parameters().iter().map(|parameter| TaskParameter {
            name: &parameter.name,
            min: parameter.min,
            max: parameter.max,
            start: parameter.start,
            integer: parameter.kind == Kind::Integer,
        });
        self.send(&mut process, &Task { games, seed, parameters: parameters.collect() })?;
        let mut left = games / 2;
        loop {
            let mut line = String::new();
            let read = process.output.read_line(&mut line).map_err(|reason| self.fault(reason))?;
            if read == 0 {
                return Err(self.fault("ended without a result"));
            }
            let request = serde_json::from_str(&line);
            match request.map_err(|reason| self.fault(format!("{reason} in {line:?}")))? {
                Request::Best { best } => return self.candidate(space, best),
                Request::Play { play: [first, second], pairs } => {
                    let [first, second] =
                        [self.candidate(space, first)?, self.candidate(space, second)?];
                    let pairs = pairs.min(left);
                    left -= pairs;
                    let result = play(&first, &second, pairs);
                    self.send(&mut process, &Reply { counts: result.0, left: 2 * left })?;
                }
            }
        }
    }

    fn send(&self, process: &mut Process, message: &impl Serialize) -> Result<(), ExternalError> {
        let mut line = serde_json::to_string(message).map_err(|reason| self.fault(reason))?;
        line.push('\n');
        process.input.write_all(line.as_bytes()).map_err(|reason| match reason.kind() {
            ErrorKind::BrokenPipe => self.fault("ended without a result"),
            _ => self.fault(reason),
        })
    }

    /// A candidate of the space: whole numbers where due, within the ranges.
    fn candidate(&self, space: &Space, values: Candidate) -> Result<Candidate, ExternalError> {
        let parameters = space.parameters();
        if values.len() != parameters.len() || values.iter().any(|value| !value.is_finite()) {
            return Err(self.fault(format!("{values:?} are no values of all parameters")));
        }
        Ok(parameters.iter().zip(values).map(|(one, value)| one.rounded(value)).collect())
    }
}
