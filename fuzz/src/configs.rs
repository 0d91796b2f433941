//! Files of YAML, and of other tools that are taken over.

use harness_base::config::Config as Harness;
use harness_data::generate::Card;
use harness_player::DeclaredOption;
use harness_runs::gate::Config as Gate;
use harness_runs::loop_::config::Config as Loop;
use harness_training::config::Config as Train;
use harness_tuning::experiment::{self, Experiment};
use harness_tuning::import::{self, Tool};
use harness_tuning::offer::Offer;
use harness_tuning::texel::config::Config as Texel;
use miette::{Diagnostic, Report};

use crate::choice;
use crate::scratch::file;

/// Deeper nesting and more anchors than any configuration has only take time.
const MAX_BYTES: usize = 4096;

/// The first byte chooses the kind of file. What is refused is refused with an error that can be
/// shown.
pub fn yaml(data: &[u8]) {
    let Some((kind, text)) = choice(data) else { return };
    let path = file("fuzz.yaml", &text[..text.len().min(MAX_BYTES)]);
    match kind % 9 {
        0 => tune(Experiment::read(&path)),
        1 => shown(Gate::read(&path)),
        2 => shown(Harness::read(&path)),
        3 => shown(Train::read(&path)),
        4 => shown(Loop::read(&path)),
        5 => shown(Texel::read(&path).and_then(|config| config.weights())),
        6 => {
            let card = std::str::from_utf8(text).ok().map(serde_yaml::from_str::<Card>);
            if let Some(Ok(card)) = card {
                let written = serde_yaml::to_string(&card).expect("plain data");
                let again: Card = serde_yaml::from_str(&written).expect("as it was written");
                assert_eq!(again, card, "{written}");
            }
        }
        7 => shown(import::read(Tool::Openbench, &path)),
        _ => {
            let tools = [Tool::WeatherFactory, Tool::ChessTuningTools];
            shown(import::read(tools[kind / 9 % 2], &path));
        }
    }
}

fn shown<T>(read: Result<T, impl Diagnostic + Send + Sync + 'static>) {
    if let Err(error) = read {
        assert!(!error.to_string().is_empty());
        assert!(!format!("{:?}", Report::new(error)).is_empty());
    }
}

/// An experiment, with the space of an engine that declares a few options.
fn tune(read: Result<Experiment, experiment::ExperimentError>) {
    let experiment = match read {
        Ok(experiment) => experiment,
        error => return shown(error),
    };
    let options = [
        "name lmr_base type spin default 100 min 0 max 200",
        "name lmr_divisor type spin default 50 min -1000 max 1000",
        "name rfp_margin type spin default 3 min 3 max 4",
        "name Hash type spin default 16 min 1 max 9223372036854775807",
    ];
    let options = options.map(|text| DeclaredOption::parse(text).expect("an option"));
    match experiment.space(&Offer::new(&options, None)) {
        Ok((space, _)) => {
            for parameter in space.parameters() {
                let range = parameter.min..=parameter.max;
                assert!(range.contains(&parameter.start), "{parameter:?}");
                assert!(parameter.step > 0.0 && parameter.step.is_finite(), "{parameter:?}");
            }
        }
        error => shown(error),
    }
}
