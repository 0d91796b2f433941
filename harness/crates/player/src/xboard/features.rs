//! The abilities of an xboard engine: its `feature` lines.

use super::super::options::{self, DeclaredOption};

/// Names that are answered with `accepted`.
const ACCEPTED: [&str; 17] = [
    "ping", "setboard", "usermove", "time", "reuse", "done", "myname", "option", "memory", "smp",
    "colors", "sigint", "sigterm", "debug", "draw", "name", "variants",
];

/// The features of an engine; the defaults are those of the protocol.
#[derive(Debug)]
pub struct Features {
    /// It answers `ping N` with `pong N`.
    pub ping: bool,
    /// It knows `setboard FEN`; else positions are set up with `edit`.
    pub setboard: bool,
    /// Moves are sent as `usermove e2e4`; else bare.
    pub usermove: bool,
    /// It wants `time` and `otim`.
    pub time: bool,
    /// A process plays several games.
    pub reuse: bool,
    /// All features were sent.
    pub done: bool,
    /// Name of the engine, as it says.
    pub myname: Option<String>,
    memory: bool,
    smp: bool,
    declared: Vec<DeclaredOption>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            reuse: true,
            done: false,
            myname: None,
            memory: false,
            smp: false,
            declared: Vec::new(),
        }
    }
}

impl Features {
    /// Takes what follows `feature` in a line; returns the answers, a line each.
    pub fn take(&mut self, text: &str) -> String {
        let mut answers = String::new();
        for (name, value) in pairs(text) {
            let is_on = value == "1";
            match name {
                "ping" => self.ping = is_on,
                "setboard" => self.setboard = is_on,
                "usermove" => self.usermove = is_on,
                "time" => self.time = is_on,
                "reuse" => self.reuse = is_on,
                "memory" => self.memory = is_on,
                "smp" => self.smp = is_on,
                "done" => self.done = is_on,
                "myname" => self.myname = Some(value.to_owned()),
                "option" => self.declared.extend(option(value)),
                _ => {}
            }
            let answer = if ACCEPTED.contains(&name) { "accepted" } else { "rejected" };
            answers.push_str(&format!("{answer} {name}\n"));
        }
        answers
    }

    /// The default of a number among the options.
    pub fn default_of(&self, option: &str) -> Option<i64> {
        options::default_of(&self.declared, option)
    }

    /// The command that sets an option. `Hash` and `Threads` are those of UCI.
    ///
    /// # Errors
    /// In words, when the engine has no such option or does not take the value.
    pub fn option_command(&self, name: &str, value: &str) -> Result<String, String> {
        for (has_it, uci, command) in
            [(self.memory, "Hash", "memory"), (self.smp, "Threads", "cores")]
        {
            if has_it && (name.eq_ignore_ascii_case(uci) || name == command) {
                let number: u64 =
                    value.parse().map_err(|_| format!("`{name}` takes a number, not `{value}`"))?;
                return Ok(format!("{command} {number}\n"));
            }
        }
        options::accept(&self.declared, name, value).map_err(|error| error.to_string())?;
        let declared = self.declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let name = declared.map_or(name, |option| option.name.as_str());
        Ok(match value {
            "true" => format!("option {name}=1\n"),
            "false" => format!("option {name}=0\n"),
            "" => format!("option {name}\n"),
            value => format!("option {name}={value}\n"),
        })
    }
}

/// `NAME=VALUE NAME="A B"`: names with their values, without quotes.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((name.trim(), value));
        rest = after.trim_start();
    }
    pairs
}

/// `NAME -spin 16 1 1024`, as an option of UCI.
fn option(text: &str) -> Option<DeclaredOption> {
    let (name, rest) = text.split_once(" -")?;
    let (kind, values) = rest.split_once(' ').unwrap_or((rest, ""));
    let numbers: Vec<&str> = values.split_whitespace().collect();
    let uci = match (kind, numbers.as_slice()) {
        ("spin" | "slider", [default, min, max, ..]) => {
            format!("type spin default {default} min {min} max {max}")
        }
        ("check", [default, ..]) => {
            format!("type check default {}", if *default == "1" { "true" } else { "false" })
        }
        ("combo", _) => {
            let choices: Vec<&str> = values.split(" /// ").map(str::trim).collect();
            let bare = |choice: &&str| choice.trim_start_matches('*').to_owned();
            let default =
                choices.iter().find(|choice| choice.starts_with('*')).or(choices.first())?;
            let vars: String =
                choices.iter().map(|choice| format!(" var {}", bare(choice))).collect();
            format!("type combo default {}{vars}", bare(default))
        }
        ("button" | "save" | "reset", _) => "type button".to_owned(),
        ("string" | "file" | "path", _) => format!("type string default {values}"),
        _ => return None,
    };
    DeclaredOption::parse(&format!("name {name} {uci}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_with_quotes_and_answered_one_by_one() {
        let mut features = Features::default();
        let answers =
            features.take("ping=1 setboard=1 myname=\"Some Engine 1.0\" san=1 playother=0 done=0");
        assert_eq!(
            answers,
            "accepted ping\naccepted setboard\naccepted myname\nrejected san\nrejected playother\n\
             accepted done\n"
        );
        assert!(features.ping && features.setboard && !features.usermove && !features.done);
        features.take("usermove=1 reuse=0 time=0 done=1");
        assert!(features.usermove && !features.reuse && !features.time && features.done);
        features.take("nonsense");
        features.take("x=\"open");
    }

    #[test]
    fn options_are_set_as_declared_and_hash_and_threads_by_commands_of_their_own() {
        let mut features = Features::default();
        features.take(
            "memory=1 option=\"Resign -check 0\" option=\"Contempt -spin 0 -100 100\" \
             option=\"Style -combo Calm /// *Wild\" option=\"Clear -button\" option=\"odd -odd 1\"",
        );
        let set = |name: &str, value: &str| features.option_command(name, value);
        assert_eq!(set("Hash", "64"), Ok("memory 64\n".to_owned()));
        assert_eq!(set("resign", "true"), Ok("option Resign=1\n".to_owned()));
        assert_eq!(set("Contempt", "-5"), Ok("option Contempt=-5\n".to_owned()));
        assert_eq!(set("Style", "Calm"), Ok("option Style=Calm\n".to_owned()));
        for (name, value) in [("Threads", "2"), ("Contempt", "500"), ("Hash", "x"), ("odd", "1")] {
            assert!(set(name, value).is_err(), "{name}={value}");
        }
    }
}
