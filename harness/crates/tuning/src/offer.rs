//! The tunable parameters of an engine: its integer options, their steps and groups.

use std::collections::BTreeMap;

use super::import;
pub use super::play_options::{PlayOption, play_option};
use super::space::{Kind, Parameter};
use harness_base::text::nearest;
pub use harness_outcome::parameter::StepFrom;
use harness_player::{DeclaredOption, OptionKind};

/// The tunable parameters of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    options: Vec<DeclaredOption>,
    parameters: Vec<Parameter>,
    /// Offsets of the output layer of the linked engine's network.
    network: Vec<Parameter>,
    /// Names in the engine's own list with a valid step, in lower case.
    listed: Vec<String>,
}

impl Offer {
    /// The integer options among an engine's options; with the steps of `list`, the output of
    /// `params --format openbench`.
    pub fn new(options: &[DeclaredOption], list: Option<&str>) -> Offer {
        let own: BTreeMap<String, f64> = list
            .and_then(|text| import::parse(import::Tool::Openbench, text).ok())
            .map(|imported| imported.parameters)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|row| Some((row.name.to_lowercase(), row.step?)))
            .collect();
        let mut listed = Vec::new();
        let spins = options.iter().filter_map(integer);
        let with_own_step = |parameter: Parameter| {
            let range = parameter.max - parameter.min;
            match own.get(&parameter.name.to_lowercase()) {
                Some(&step) if step > 0.0 && step <= range => {
                    listed.push(parameter.name.to_lowercase());
                    Parameter { step, ..parameter }
                }
                _ => parameter,
            }
        };
        let parameters = spins.map(with_own_step).collect();
        Offer { options: options.to_vec(), parameters, network: Vec::new(), listed }
    }

    /// The same with offsets of the output layer of a network ([`harness_player::output_options`]): they
    /// are taken by their names, by patterns that begin with `network`, and by the groups
    /// `network.output` (what all output buckets share, and their biases) and `network.output.B` (one
    /// bucket).
    pub fn with_network(self, offsets: &[DeclaredOption]) -> Offer {
        Offer { network: offsets.iter().filter_map(integer).collect(), ..self }
    }

    /// The parameters that a pattern is compared with.
    pub fn matched_by(&self, pattern: &str) -> impl Iterator<Item = &Parameter> {
        let of_network = pattern.to_lowercase().starts_with("network");
        self.tunable().chain(self.network.iter().filter(move |_| of_network))
    }

    /// The offsets in the group `network.output`, or `network.output.B`.
    fn network_group(&self, name: &str) -> Vec<&Parameter> {
        const ALL: &str = "network.output";
        let parts = |parameter: &Parameter| parameter.name[ALL.len()..].matches('.').count();
        let bucket = name.strip_prefix(ALL).and_then(|rest| rest.strip_prefix('.'));
        let is_wanted = |parameter: &&Parameter| match bucket {
            _ if name == ALL => parts(parameter) == 2,
            Some(bucket) => {
                parameter.name == format!("{ALL}.bias.{bucket}")
                    || parameter.name.starts_with(&format!("{ALL}.{bucket}.weight."))
            }
            None => false,
        };
        self.network.iter().filter(is_wanted).collect()
    }

    /// The engine's options, of every kind.
    pub fn options(&self) -> &[DeclaredOption] {
        &self.options
    }

    /// Every parameter, the options of play too.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter of that name, in any case of letters.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        let mut all = self.parameters.iter().chain(&self.network);
        all.find(|parameter| parameter.name.eq_ignore_ascii_case(name))
    }

    /// Why an option of that name is no parameter; `None` if it is one, or is not there.
    pub fn untunable(&self, name: &str) -> Option<String> {
        let option = self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
        let kind = match &option.kind {
            OptionKind::Spin { min, max, .. } if min < max => return None,
            OptionKind::Spin { min, .. } => return Some(format!("its range is {min} alone")),
            OptionKind::Check { .. } => "check",
            OptionKind::Combo { .. } => "combo",
            OptionKind::Button => "button",
            OptionKind::String { .. } => "string",
        };
        Some(format!("its type is `{kind}`, and whole numbers (`spin`) are tuned"))
    }

    /// Every parameter but the options of play (Hash, Threads, Skill Level); patterns and groups
    /// match among these.
    pub fn tunable(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| play_option(&parameter.name).is_none())
    }

    /// Source of a parameter's step if the range is the engine's.
    pub fn step_from(&self, name: &str) -> StepFrom {
        if self.listed.contains(&name.to_lowercase()) { StepFrom::Engine } else { StepFrom::Range }
    }

    /// The parameters of a group: `all`; `search`, those of the list that the engine prints; or
    /// the first word of names. Empty if there is no such group.
    pub fn group(&self, name: &str) -> Vec<&Parameter> {
        let name = name.to_lowercase();
        if name.starts_with("network.") {
            return self.network_group(&name);
        }
        self.tunable()
            .filter(|parameter| match name.as_str() {
                "all" => true,
                "search" => self.step_from(&parameter.name) == StepFrom::Engine,
                word => first_word(&parameter.name).to_lowercase() == word,
            })
            .collect()
    }

    /// The names of the groups: `all`, `search` if the engine prints a list, and the first words
    /// that several names share.
    pub fn groups(&self) -> Vec<String> {
        let mut groups = Vec::new();
        groups.extend(self.tunable().next().map(|_| "all".to_owned()));
        groups.extend((!self.listed.is_empty()).then(|| "search".to_owned()));
        for parameter in self.tunable() {
            let word = first_word(&parameter.name).to_lowercase();
            if !groups.contains(&word) && self.group(&word).len() > 1 {
                groups.push(word);
            }
        }
        groups
    }

    /// Suggestion for a name of an output layer without a match.
    fn network_suggestion(&self) -> String {
        match self.network.len() {
            0 => "`network.output` is the output layer of the linked engine (`engine: builtin`) with a \
                  network"
                .to_owned(),
            all => format!(
                "there are the groups `network.output` and `network.output.0`, and {all} names as \
                 `network.output.bias.0` and `network.output.weight.0`"
            ),
        }
    }

    /// Suggestion for a name, pattern or group without a match.
    pub fn suggestion(&self, name: &str) -> String {
        if self.parameters.is_empty() {
            return "it declares no spin option at all; an engine may need a build that offers its \
                    parameters (`tench`: `--features tuning`)"
                .to_owned();
        }
        let is_pattern = name.contains(['*', '?']);
        let of_play = |parameter: &&Parameter| is_pattern && matches_pattern(name, &parameter.name);
        if let Some(option) = self.parameters.iter().find(of_play) {
            return format!("`{}` is an option of play: write its name in full", option.name);
        }
        let stem = name.trim_end_matches(['*', '?', '_', '-', ' ']).trim_start_matches(['*', '?']);
        if stem.to_lowercase().starts_with("network") {
            return self.network_suggestion();
        }
        let groups = self.groups();
        let names = self.parameters.iter().map(|parameter| parameter.name.as_str());
        if let Some(near) = nearest(stem, names.chain(groups.iter().map(String::as_str))) {
            return format!("did you mean `{near}`?");
        }
        let contains = |parameter: &&Parameter| {
            stem.len() > 2 && parameter.name.to_lowercase().contains(&stem.to_lowercase())
        };
        if let Some(like) = self.tunable().find(contains) {
            return format!("did you mean `{}`?", like.name);
        }
        let some: Vec<&str> = self.tunable().take(6).map(|one| one.name.as_str()).collect();
        let some = match some[..] {
            [] => "nothing but options of play (Hash, Threads)".to_owned(),
            _ => format!(
                "{} parameters ({}), in the groups {}",
                self.tunable().count(),
                some.join(", ") + if self.tunable().count() > some.len() { ", ..." } else { "" },
                groups.join(", ")
            ),
        };
        format!(
            "it offers {some}; an engine may need a build that offers more (`tench`: `--features \
             tuning`)"
        )
    }
}

/// An option of whole numbers as a parameter.
fn integer(option: &DeclaredOption) -> Option<Parameter> {
    match option.kind {
        OptionKind::Spin { default, min, max } if min < max => {
            let [min, max, default] = [min, max, default].map(|number| number as f64);
            let plain = Parameter::new(option.name.clone(), Kind::Integer, min, max, default);
            Some(Parameter { declared: Some([min, max]), ..plain })
        }
        _ => None,
    }
}

/// `lmr` of `lmr_base`, `Lmr` of `LmrBase`, `SEE` of `SEEQuiet`, `Razor` of `Razor Margin`.
pub(crate) fn first_word(name: &str) -> &str {
    let characters: Vec<(usize, char)> = name.char_indices().collect();
    for (i, &(at, c)) in characters.iter().enumerate().skip(1) {
        let before = characters[i - 1].1;
        let next = characters.get(i + 1).map(|&(_, next)| next);
        let starts_a_word = c.is_uppercase()
            && (!before.is_uppercase() || next.is_some_and(|next| next.is_lowercase()));
        if !c.is_alphanumeric() || starts_a_word {
            return &name[..at];
        }
    }
    name
}

/// Whether a name matches a pattern (glob), in which `*` is any text and `?` any character.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut pattern = pattern.chars();
    match pattern.next() {
        None => name.is_empty(),
        Some('*') => {
            let mut places = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            places.any(|at| matches_pattern(pattern.as_str(), &name[at..]))
        }
        Some(token) => {
            let mut name = name.chars();
            name.next().is_some_and(|c| {
                let same = token == '?' || token.to_lowercase().eq(c.to_lowercase());
                same && matches_pattern(pattern.as_str(), name.as_str())
            })
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An offer with these names, each from 0 to 200 and at 100, and three options of play.
    pub fn offer(names: &[&str], list: Option<&str>) -> Offer {
        let spin = |name: &str, default, min, max| DeclaredOption {
            name: name.to_owned(),
            kind: OptionKind::Spin { default, min, max },
        };
        let mut options = vec![
            spin("Hash", 16, 1, 1024),
            spin("Move Overhead", 10, 0, 5000),
            spin("Skill Level", 20, 0, 20),
            DeclaredOption {
                name: "EvalFile".to_owned(),
                kind: OptionKind::String { default: String::new() },
            },
        ];
        options.extend(names.iter().map(|name| spin(name, 100, 0, 200)));
        Offer::new(&options, list)
    }

    fn names(chosen: &[&Parameter]) -> Vec<String> {
        chosen.iter().map(|parameter| parameter.name.clone()).collect()
    }

    #[test]
    fn groups_are_first_words_and_hold_no_option_of_play() {
        let names_of = ["lmr_base", "lmr_divisor", "RfpMargin", "SEEQuiet", "SEENoisy", "Razor A"];
        let offer = offer(&names_of, None);
        assert_eq!(names(&offer.group("lmr")), ["lmr_base", "lmr_divisor"]);
        assert_eq!(names(&offer.group("see")), ["SEEQuiet", "SEENoisy"]);
        assert_eq!(names(&offer.group("rfp")), ["RfpMargin"]);
        assert_eq!(names(&offer.group("razor")), ["Razor A"]);
        assert_eq!(names(&offer.group("all")), names_of);
        assert_eq!(offer.group("search"), Vec::<&Parameter>::new());
        assert_eq!(offer.group("skill"), Vec::<&Parameter>::new());
        assert_eq!(offer.groups(), ["all", "lmr", "see"]);
    }

    #[test]
    fn offsets_of_a_network_are_taken_by_their_names_and_groups_alone() {
        let spin = |name: &str| DeclaredOption {
            name: name.to_owned(),
            kind: OptionKind::Spin { default: 0, min: -5, max: 5 },
        };
        let offsets = [
            "network.output.weight.0",
            "network.output.weight.10",
            "network.output.bias.0",
            "network.output.bias.1",
            "network.output.0.weight.10",
            "network.output.1.weight.10",
        ];
        let plain = offer(&["lmr_base"], None);
        let offer = plain.clone().with_network(&offsets.map(spin));
        let group = |name: &str| names(&offer.group(name));
        assert_eq!(group("network.output"), offsets[..4]);
        assert_eq!(group("Network.Output.1"), [offsets[3], offsets[5]]);
        assert_eq!(group("network"), Vec::<String>::new());
        assert_eq!(group("all"), ["lmr_base"]);
        let matched = |pattern: &str| offer.matched_by(pattern).count();
        assert_eq!([matched("*"), matched("network.output.bias.*")], [1, 7]);
        assert_eq!(offer.parameter("NETWORK.output.bias.1").map(|one| one.max), Some(5.0));
        assert!(offer.suggestion("network.outptu").contains("`network.output.bias.0`"));
        assert!(plain.suggestion("network.output").contains("`engine: builtin`"));
    }

    #[test]
    fn steps_come_from_the_engines_list_or_else_from_the_range() {
        let list = "lmr_base, int, 100, 0, 200, 7, 0.002\nLMR_DIVISOR, int, 1, 0, 9, 3, 0.002\n\
                    gone, int, 1, 0, 9, 1, 0.002\nwide, int, 100, 0, 200, 300, 0.002\n";
        let offer = offer(&["lmr_base", "lmr_divisor", "wide", "other"], Some(list));
        let step = |name: &str| (offer.parameter(name).map(|one| one.step), offer.step_from(name));
        assert_eq!(step("lmr_base"), (Some(7.0), StepFrom::Engine));
        assert_eq!(step("lmr_divisor"), (Some(3.0), StepFrom::Engine));
        assert_eq!(step("wide"), (Some(10.0), StepFrom::Range));
        assert_eq!(step("other"), (Some(10.0), StepFrom::Range));
        assert_eq!(names(&offer.group("search")), ["lmr_base", "lmr_divisor"]);
        // A text other than a list gives no step.
        for text in ["", "Unknown command: 'params'\n", "lmr_base, int, 100, 0, 200, 7, x\n"] {
            let offer = self::offer(&["lmr_base"], Some(text));
            assert_eq!(offer.step_from("lmr_base"), StepFrom::Range, "{text}");
        }
    }

    #[test]
    fn names_without_a_match_get_a_suggestion() {
        let offer = offer(&["lmr_base", "lmr_divisor", "rfp_margin"], None);
        for (name, expected) in [
            ("rfp_margn", "did you mean `rfp_margin`"),
            ("lmx_*", "did you mean `lmr`"),
            ("al", "did you mean `all`"),
            ("Skill*", "`Skill Level` is an option of play"),
            ("divisor", "did you mean `lmr_divisor`"),
            ("zzz", "3 parameters (lmr_base, lmr_divisor, rfp_margin), in the groups all, lmr"),
        ] {
            let suggestion = offer.suggestion(name);
            assert!(suggestion.contains(expected), "{name}: {suggestion}");
        }
        assert!(Offer::new(&[], None).suggestion("x").contains("no spin option"));
        let of_play = self::offer(&[], None).suggestion("zzz");
        assert!(of_play.contains("nothing but options of play"), "{of_play}");
    }

    #[test]
    fn options_of_play_are_known_by_their_names_and_words() {
        for (name, expected) in [
            ("Hash", Some(PlayOption::Resource)),
            ("Skill Level", Some(PlayOption::Strength)),
            ("UCI_Elo", Some(PlayOption::Strength)),
            ("Analysis Contempt", Some(PlayOption::Strength)),
            ("ContemptValue", Some(PlayOption::Strength)),
            ("BufferTime", Some(PlayOption::Time)),
            ("Move Overhead", Some(PlayOption::Time)),
            ("MoveOverheadMs", Some(PlayOption::Time)),
            ("Slow Mover", Some(PlayOption::Time)),
            ("nodestime", Some(PlayOption::Time)),
            ("Book Width", Some(PlayOption::Book)),
            ("BookFileDepth", Some(PlayOption::Book)),
            ("SyzygyProbeDepth", Some(PlayOption::Resource)),
            ("Syzygy Cardinality", Some(PlayOption::Resource)),
            ("_TablebaseDepth", Some(PlayOption::Resource)),
            ("tbProbeLimit", Some(PlayOption::Resource)),
            ("MultiPV", Some(PlayOption::Interface)),
            ("ScaleMaterial", None),
            ("lmr_base", None),
            ("rfp_depth", None),
            ("TimeoutReduction", None),
            ("HashMoveBonus", None),
            ("Razor Margin", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(play_option(name), expected, "{name}");
        }
    }

    #[test]
    fn patterns_fit_in_any_case() {
        for (pattern, name, expected) in [
            ("lmr_*", "LMR_base", true),
            ("*_base", "lmr_base", true),
            ("l*_b*e", "lmr_base", true),
            ("lmr_????", "lmr_base", true),
            ("lmr_???", "lmr_base", false),
            ("lmr", "lmr_base", false),
            ("*", "", true),
            ("é*", "Éa", true),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }
}
