//! A loop as a kind of run.

use maud::{Markup, html};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::event::{Begun, RunEvent, RunSink};
use super::kind::{Form, Kind, Resume};
use super::outcome::Outcome;
use super::running::{LiveState, Running, losses};
use super::{generate, train};
use crate::heads::read_head;
use crate::loop_::{self, Event, LoopRun, Step};
use crate::report::{self, ReportError};
use crate::{curves, generate as self_play, train as training};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_base::text::{counted, grouped};
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::loop_summary::{LoopSummary, generation_name};
use harness_report::html::{Page, loop_page, waiting};
use harness_report::{generation_line, loop_text};

/// A loop of self-play, training and tests.
pub const KIND: Kind = Kind {
    key: loop_::COMMAND,
    title: |plan| loop_::title(&plan["config"]),
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&loop_::resume(ledger, run, plan, session, &|event| show(event, sink))?)
    }),
    unfinished_line: |folder| match loop_::finished(folder).count() {
        0 => String::new(),
        number => generations_line(number as u64),
    },
    so_far: |_, run| Ok(json!(so_far(run)?)),
    page: |_, run| Ok(page(&so_far(run)?)),
    curves: |_, run, every| Ok(Some(curves::of_loop(&so_far(run)?, every))),
    running: Running::Page(running),
    plays_elsewhere: true,
    form: Some(Form { place: 8, command: loop_::COMMAND, yaml: "arguments: [loop.yaml]\n" }),
    ..Kind::PLAIN
};

/// The parts of a summary that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    generations: Vec<IgnoredAny>,
}

fn result_line(summary: &Value) -> String {
    let Head { generations } = read_head(summary);
    generations_line(generations.len() as u64)
}

fn generations_line(number: u64) -> String {
    counted(number, "generation", "generations")
}

/// The result; of an unfinished loop that of its generations so far.
fn so_far(run: &RunFacts) -> Result<LoopSummary, ReportError> {
    report::summary_or(run, || loop_::so_far(run))
}

/// The page of a loop; one without a finished generation has nothing to draw.
fn page(summary: &LoopSummary) -> Page {
    let mut page = loop_page(summary);
    if summary.generations.is_empty() {
        page.content = waiting("No generation is finished yet.");
    }
    page
}

/// The generations, then the losses of the newest training.
fn running(_: &Ledger, run: &RunFacts, live: &LiveState<'_>) -> Result<Markup, ReportError> {
    let content = page(&so_far(run)?).content;
    Ok(html! {
        (content)
        @if !live.losses.is_empty() { (losses(live.losses)) }
    })
}

/// Starts a run.
///
/// # Errors
/// As [`LoopRun::start`].
pub fn start(run: &LoopRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    outcome(&run.start(session, &|event| show(event, sink))?)
}

fn outcome(summary: &LoopSummary) -> Result<Outcome, Failure> {
    let exit = if summary.best.generation > 0 { Exit::Good } else { Exit::Bad };
    Outcome::new(summary, loop_text(summary), exit)
}

/// Tells an event in the words of all kinds.
fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    let say = |text: &str| {
        sink(&RunEvent::BarEnded);
        sink(&RunEvent::Line(text));
    };
    match event {
        Event::Started { run, generations } => {
            let (key, title, of) = (loop_::COMMAND, String::new(), Some(u64::from(*generations)));
            sink(&RunEvent::Begun(Begun { run, key, title, done: 0, of, unit: "generations" }));
        }
        Event::Step { generation, of, step } => {
            let step = match *step {
                Step::Games(player) => format!("games of {}", generation_name(player)),
                Step::Training => "training".to_owned(),
                Step::Test(best) => format!("test against {}", generation_name(best)),
            };
            sink(&RunEvent::Doing(&format!("generation {generation}: {step}")));
            say(&format!("generation {generation} of {of}: {step}"));
        }
        Event::Generate(event) => {
            if let self_play::Event::Added { card, games, .. } = event {
                let [done, of] = [card.games, *games].map(grouped);
                sink(&RunEvent::Doing(&format!("{done} of {of} games")));
            }
            generate::show_bar(event, sink);
        }
        Event::Train(event) => {
            if let training::Event::Step { epochs, .. } = event {
                sink(&RunEvent::Losses(epochs));
            }
            train::show_bar(event, sink);
        }
        Event::Games(event) => sink(&RunEvent::Part(event)),
        Event::Done { generation, of } => {
            sink(&RunEvent::Done(u64::from(generation.number)));
            say(&generation_line(generation, *of));
        }
    }
}
