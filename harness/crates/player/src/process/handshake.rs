//! From a process to an engine that is ready: `uci`, its options.

use super::super::Fault;
use super::super::option_line;
use super::super::wire::Deadline;
use super::UciProcess;

impl UciProcess {
    /// Sends `uci`, and reads `id` and `option` lines until `uciok`.
    pub(super) fn handshake(&mut self) -> Result<(), Fault> {
        let patience = self.child.settings.handshake;
        let mut deadline = Deadline::after(patience);
        self.child.write(b"uci\n", &mut deadline, "uciok")?;
        loop {
            let line = match self.child.line(&mut deadline) {
                Ok(line) => String::from_utf8_lossy(line).into_owned(),
                Err(stop) => return Err(self.child.fault(stop, "uciok", patience)),
            };
            match line.split_once(char::is_whitespace) {
                Some(("option", rest)) => match option_line::read(rest) {
                    Some(line) => {
                        for flaw in &line.flaws {
                            tracing::debug!("{}: {flaw}", self.child.name());
                        }
                        self.option_flaws.extend(line.flaws);
                        self.declared.push(line.option);
                    }
                    None => {
                        tracing::warn!("{}: cannot read `{line}`", self.child.name());
                        self.unreadable.push(line);
                    }
                },
                Some(("id", rest)) => {
                    if let Some(name) = rest.trim().strip_prefix("name ") {
                        self.id_name = Some(name.trim().to_owned());
                    }
                    if let Some(author) = rest.trim().strip_prefix("author ") {
                        self.id_author = Some(author.trim().to_owned());
                    }
                }
                None if line == "uciok" => return Ok(()),
                _ => {}
            }
        }
    }
}
