//! Games of self-play as a kind of run; their file is the run.

use super::event::{Begun, Moment, RunEvent, RunSink};
use super::figures;
use super::kind::{Form, Kind, Resume};
use super::recorded;
use crate::generate::Event;
use harness_base::text::{duration, grouped};

/// The command that starts it.
const COMMAND: &str = "data";

/// Games of self-play.
pub const KIND: Kind = Kind {
    key: COMMAND,
    words: "data generate",
    resume: Resume::FromFiles { reason: "games of self-play are continued from their file" },
    figures: figures::GENERATED,
    plays_elsewhere: true,
    form: Some(Form {
        place: 6,
        command: "data generate",
        yaml: "engine: builtin\ngames: 1000\nnodes: 5000\noutput: games.vf\n",
    }),
    ..recorded::KIND
};

/// Tells an event in the words of all kinds.
pub fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Started { card, games, path } => {
            let run = format!("{COMMAND}-{}", std::process::id());
            sink(&RunEvent::Begun(Begun {
                run: &run,
                key: COMMAND,
                title: "games of self-play".to_owned(),
                done: card.games,
                of: Some(*games),
                unit: "games",
            }));
            sink(&RunEvent::Writes(path));
        }
        Event::Added { card, speed, .. } => {
            let [positions, speed] = [card.moves, *speed].map(grouped);
            sink(&RunEvent::Doing(&format!("{positions} positions, {speed} an hour")));
            sink(&RunEvent::Done(card.games));
        }
        Event::Warning(_) => {}
    }
    show_bar(event, sink);
}

/// The progress line of an event, also of self-play that is a part of another run.
pub(super) fn show_bar(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Warning(text) => sink(&RunEvent::Warning(text)),
        Event::Started { card, games, .. } => {
            sink(&RunEvent::Bar { done: card.games, of: *games, watches_load: false });
        }
        Event::Added { card, games, speed } => {
            let text = |moment: &Moment<'_>| {
                let left = moment.pace.seconds_left;
                let left = left.map(|left| format!(", {} left", duration(left)));
                let [games, of, moves, speed] =
                    [card.games, *games, card.moves, *speed].map(grouped);
                let left = left.unwrap_or_default();
                format!("{games} of {of} games, {moves} positions, {speed} an hour{left}")
            };
            sink(&RunEvent::BarMoved { done: card.games, of: None, text: &text });
        }
    }
}
