//! A command line that was typed, or that of a run, as YAML.

use serde_json::{Map, Value};

use super::{commands, is_nested, listed, words};
use harness_base::text::shell_split;
use harness_base::yaml::parse_text;

/// A flag of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its long name, without dashes.
    pub long: String,
    /// Whether a value goes with it.
    pub takes_value: bool,
}

/// Finds the flag of a command by its long name or its letter, without dashes. One that the command does not
/// have is taken for a flag with a value.
pub type FindFlag = fn(&str, &str) -> Flag;

/// The YAML of a command line, without the program; flags may stand before the command, too.
pub fn yaml(words: &[String], find: impl Fn(&str, &str) -> Flag) -> String {
    let known = commands();
    let at = words.iter().position(|word| known.contains(&word.as_str())).unwrap_or(0);
    let (before, rest) = words.split_at(at);
    let length = if is_nested(rest) { 2 } else { 1 };
    let (command, after) = rest.split_at(length.min(rest.len()));
    let mut line = Line { command: command.join(" "), ..Line::default() };
    let mut words = before.iter().chain(after).map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            line.arguments.extend(words.by_ref().map(Value::from));
        } else if let Some(flag) = word.strip_prefix("--") {
            let (name, value) = flag.split_once('=').map_or((flag, None), |(n, v)| (n, Some(v)));
            line.push(find(&line.command, name), value, &mut words);
        } else if let Some(letters) = word.strip_prefix('-').filter(|word| starts_with_letter(word))
        {
            line.push_letters(letters, &find, &mut words);
        } else {
            line.arguments.push(Value::from(word));
        }
    }
    line.text()
}

fn starts_with_letter(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// The parts of a command line.
#[derive(Default)]
struct Line {
    command: String,
    arguments: Vec<Value>,
    keys: Map<String, Value>,
}

impl Line {
    /// Adds a flag with the value of its own word, else that of the next one.
    fn push<'a>(
        &mut self,
        flag: Flag,
        value: Option<&str>,
        rest: &mut impl Iterator<Item = &'a str>,
    ) {
        let value = match value {
            Some(value) => Value::from(value),
            None if flag.takes_value => rest.next().into(),
            None => Value::Bool(true),
        };
        match self.keys.get_mut(&flag.long) {
            None => drop(self.keys.insert(flag.long, value)),
            Some(Value::Array(values)) => values.push(value),
            Some(one) => *one = Value::Array(vec![one.take(), value]),
        }
    }

    /// Adds the flags of one word of letters: `-q`, `-o FILE`, `-oFILE`, `-qo FILE`.
    fn push_letters<'a>(
        &mut self,
        mut letters: &str,
        find: &impl Fn(&str, &str) -> Flag,
        rest: &mut impl Iterator<Item = &'a str>,
    ) {
        while let Some(letter) = letters.chars().next() {
            let (name, after) = letters.split_at(letter.len_utf8());
            let flag = find(&self.command, name);
            let value = after.strip_prefix('=').unwrap_or(after);
            if flag.takes_value {
                return self.push(flag, Some(value).filter(|value| !value.is_empty()), rest);
            }
            self.push(flag, None, rest);
            letters = after;
        }
    }

    fn text(&self) -> String {
        let arguments = line("arguments", &Value::Array(self.arguments.clone()));
        let mut text = format!("command: {}\n{arguments}", self.command);
        self.keys.iter().for_each(|(key, value)| text += &line(key, value));
        text
    }
}

/// A text that was typed or pasted as a form has it: a command line as in a terminal, or flags that stand among
/// the `arguments`, become keys; that a folder of reports is left out is said in a comment. Other texts stay as they
/// are.
pub fn with_keys(text: &str, find: FindFlag) -> String {
    let has_flags = |keys: &Map<String, Value>| {
        let is_flag = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("--"));
        keys.get("arguments").is_some_and(|arguments| listed(arguments).iter().any(is_flag))
    };
    let line = match parse_text::<Value>(text) {
        Ok(Value::Object(keys)) if has_flags(&keys) => words(text).ok().and_then(|mut words| {
            words.retain(|word| word != "--");
            of_command(words)
        }),
        Ok(Value::Object(_)) => None,
        _ => typed_line(text),
    };
    let Some(words) = line else { return text.to_owned() };
    let left_out = if text.contains("--reports") { WITHOUT_REPORTS } else { "" };
    format!("{left_out}{}", yaml(&words, find))
}

/// Said where a command line names a folder of reports.
const WITHOUT_REPORTS: &str = "# --reports is left out: the studio has its own folder\n";

/// The words of a command line, with a prompt before it or line breaks after a backslash; `None` where the text is
/// none.
fn typed_line(text: &str) -> Option<Vec<String>> {
    let line = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let line = line.trim().trim_start_matches(['$', '>', '#']);
    let words = shell_split(line)?;
    let first = words.first()?;
    let program = first.rsplit(['/', '\\']).next()?;
    let is_one = matches!(program, "harness" | "harness.exe") || !is_program(first);
    (is_one && line.lines().count() == 1).then(|| of_command(words)).flatten()
}

/// Whether a word stands before the flags and the command of a line.
fn is_program(word: &str) -> bool {
    !word.starts_with('-') && !commands().contains(&word)
}

/// The words of a command line without the program and without the folder of reports, as the studio names its own;
/// `None` unless a page may start the command.
pub fn of_command(words: Vec<String>) -> Option<Vec<String>> {
    let mut kept = Vec::new();
    let mut words = words.into_iter().skip_while(|word| is_program(word));
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word);
            kept.extend(words.by_ref());
        } else if word == "--reports" {
            words.next();
        } else if !word.starts_with("--reports=") {
            kept.push(word);
        }
    }
    let known = commands();
    kept.iter().any(|word| known.contains(&word.as_str())).then_some(kept)
}

/// `key: value` in one line: JSON is YAML, too.
fn line(key: &str, value: &Value) -> String {
    let plain = |text: &str| {
        let simple = |letter: char| letter.is_ascii_alphanumeric() || "+./_=-".contains(letter);
        let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.');
        let word = matches!(text, "true" | "false" | "null" | "yes" | "no" | "on" | "off" | ".");
        text.chars().all(simple) && starts && !word
    };
    let shown = |value: &Value| match value {
        Value::String(text) if plain(text) => text.clone(),
        value => value.to_string(),
    };
    match value {
        Value::Array(values) => {
            format!("{key}: [{}]\n", values.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        value => format!("{key}: {}\n", shown(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    /// `restart`, `r` and `no-probe` have no value; `o` is `output`.
    fn find(_: &str, name: &str) -> Flag {
        let long = match name {
            "r" => "restart",
            "o" => "output",
            name => name,
        };
        Flag { long: long.to_owned(), takes_value: !matches!(long, "restart" | "no-probe") }
    }

    #[test]
    fn a_command_line_becomes_yaml_and_back() {
        let line =
            split("match builtin ./a --nodes 500 --option Hash=1 --option b.Hash=2 --restart");
        let text = yaml(&line, find);
        assert_eq!(
            text,
            "command: match\narguments: [builtin, ./a]\nnodes: \"500\"\n\
             option: [Hash=1, b.Hash=2]\nrestart: true\n"
        );
        let again = words(&text).expect("a command");
        let expected =
            "match --nodes=500 --option=Hash=1 --option=b.Hash=2 --restart -- builtin ./a";
        assert_eq!(again, split(expected));
        let text = yaml(&split("--no-probe match -- --a -o"), find);
        assert_eq!(text, "command: match\narguments: [\"--a\", \"-o\"]\nno-probe: true\n");
    }

    #[test]
    fn flags_of_a_letter_have_their_long_names() {
        for line in ["-r -o a.vf", "-ro a.vf", "-roa.vf", "-ro=a.vf", "--output=a.vf -r"] {
            let text = yaml(&split(&format!("data generate {line} -5")), find);
            let arguments = "command: data generate\narguments: [-5]\n".replace("-5", "\"-5\"");
            let [output, restart] = ["output: a.vf\n", "restart: true\n"];
            assert!(
                text == format!("{arguments}{output}{restart}")
                    || text == format!("{arguments}{restart}{output}"),
                "{line}: {text}"
            );
        }
    }

    #[test]
    fn a_command_may_have_two_words() {
        let text = yaml(&split("tune run a.yaml --games 5"), find);
        assert_eq!(text, "command: tune run\narguments: [a.yaml]\ngames: \"5\"\n");
        assert_eq!(words(&text).expect("a command"), split("tune run --games=5 -- a.yaml"));
        // One that has no form, too.
        let text = yaml(&split("suite audit bk --nodes 500"), find);
        assert_eq!(text, "command: suite audit\narguments: [bk]\nnodes: \"500\"\n");
        assert_eq!(words(&text).expect("a command"), split("suite audit --nodes=500 -- bk"));
    }

    #[test]
    fn command_lines_and_flags_among_arguments_become_keys() {
        let wanted =
            "command: match\narguments: [builtin, \"./a b\"]\ngames: \"300\"\nrestart: true\n";
        for text in [
            "harness match builtin './a b' --games 300 --restart",
            "harness --games 300 match builtin './a b' --restart",
            "  $ ./target/release/harness match --restart builtin \"./a b\" --games=300\n",
            "match builtin './a b' \\\n  --games 300 \\\n  --restart\n",
            "command: match\narguments: [builtin, ./a b, --games, 300, --restart]\n",
            "command: match\nrestart: true\narguments: [builtin, ./a b, --games=300]\n",
        ] {
            assert_eq!(sorted(&with_keys(text, find)), sorted(wanted), "{text}");
        }
        let text =
            with_keys("harness --reports=x match builtin './a b' --games 300 --restart", find);
        let (comment, rest) = text.split_once('\n').expect("two lines");
        assert!(comment.starts_with("# --reports is left out"), "{comment}");
        assert_eq!(sorted(rest), sorted(wanted));
        for text in [
            "command: sprt\narguments: [HEAD, main]\ntc: 8+0.08\n",
            "command: sprt\narguments: [-a, '-']\n",
            "serve now",
            "please match a b",
            "sprt a b\nsprt c d",
            "",
            "harness",
            "'sprt",
        ] {
            assert_eq!(with_keys(text, find), text);
        }
    }

    /// The lines of a text; flags have no order.
    fn sorted(text: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn the_studio_names_its_own_reports() {
        for (line, expected) in [
            ("harness train a.yaml --resume", "train a.yaml --resume"),
            ("/a/harness --quiet train a.yaml", "--quiet train a.yaml"),
            ("train --reports=/a --resume -- --reports b", "train --resume -- --reports b"),
            ("--reports /a data generate -o a", "data generate -o a"),
            ("train a --reports", "train a"),
        ] {
            assert_eq!(of_command(split(line)).expect("one").join(" "), expected);
        }
    }
}
