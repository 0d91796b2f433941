//! One file a subcommand: its flags, and what it prints. The work is done in the rooms of the
//! library. A new one is a file, its `mod` line, and its line in the list of [`Command`].

mod adjudication;
pub mod bisect;
pub mod calibrate;
pub mod check;
mod choice;
pub mod completions;
pub mod data;
pub mod docs;
mod engines;
pub mod fastchess;
pub mod gate;
pub mod history;
pub mod hooks;
pub mod init;
pub mod install_as;
pub mod lichess;
pub mod loop_;
pub mod match_;
pub mod openings;
pub mod perft;
mod picture;
pub mod play;
mod plies;
pub mod pool;
mod print;
pub mod race;
pub mod rate;
pub mod report;
pub mod resume;
mod rule;
pub mod runs;
pub mod serve;
pub mod speed;
pub mod sprt;
pub mod stats;
pub mod stop;
pub mod studio;
pub mod suite;
pub mod train;
pub mod tune;
mod watch;
pub mod watch_branch;
pub mod work;
pub mod workers;

use clap::{Parser, Subcommand};

pub use self::engines::engine;

use crate::context::Context;
use crate::failure::{Exit, Failure};

/// Makes the list of subcommands: of each, its name and its module, which has its flags and `run`, and
/// whether workers on other machines may do its work, by a condition of its flags. One that shows all of
/// them takes the command line as a type.
macro_rules! subcommands {
    ($($name:ident: $module:ident :: $args:ident $(<$line:ident>)? $(=> $elsewhere:ident $(if $condition:ident)?)?,)+) => {
        /// What to do.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $( $name($module::$args), )+
        }

        /// The same, where the flags of a command are made when it is called: those of all take as much
        /// memory as a match. Its help lacks what the others do.
        #[derive(Subcommand)]
        #[command(defer = true)]
        pub(crate) enum Called {
            $( $name($module::$args), )+
        }

        impl From<Called> for Command {
            fn from(called: Called) -> Command {
                match called {
                    $( Called::$name(args) => Command::$name(args), )+
                }
            }
        }

        impl Command {
            /// Runs the command of a command line.
            ///
            /// # Errors
            /// A [`Failure`] that carries the exit status and the reason.
            pub fn run<Line: Parser>(self, context: &Context) -> Result<Exit, Failure> {
                match self {
                    $( Command::$name(args) => $module::run$(::<$line>)?(&args, context), )+
                }
            }

            /// Whether it knows `--on`.
            pub(crate) fn plays_elsewhere(&self) -> bool {
                match self {
                    $( Command::$name(_args) => {
                        subcommands!(@elsewhere _args $($elsewhere $($condition)?)?)
                    } )+
                }
            }
        }
    };
    (@elsewhere $args:ident) => { false };
    (@elsewhere $args:ident elsewhere) => { true };
    (@elsewhere $args:ident elsewhere $condition:ident) => { $args.$condition() };
}

subcommands! {
    Bisect: bisect::BisectArgs,
    Calibrate: calibrate::CalibrateArgs,
    Check: check::CheckArgs,
    Completions: completions::CompletionsArgs<Line>,
    Data: data::DataArgs => elsewhere if plays_games,
    Docs: docs::DocsArgs,
    Fastchess: fastchess::FastchessArgs,
    Gate: gate::GateArgs,
    Init: init::InitArgs,
    InstallAs: install_as::InstallAsArgs,
    Lichess: lichess::LichessArgs,
    Loop: loop_::LoopArgs => elsewhere,
    Match: match_::MatchArgs => elsewhere,
    Openings: openings::OpeningsArgs => elsewhere if plays_games,
    Perft: perft::PerftArgs,
    Picture: picture::PictureArgs,
    Pool: pool::PoolArgs,
    Rate: rate::RateArgs => elsewhere,
    Race: race::RaceArgs => elsewhere,
    Report: report::ReportArgs,
    Resume: resume::ResumeArgs => elsewhere,
    Runs: runs::RunsArgs,
    Serve: serve::ServeArgs,
    History: history::HistoryArgs,
    Hooks: hooks::HooksArgs,
    Speed: speed::SpeedArgs,
    Sprt: sprt::SprtArgs => elsewhere,
    Stats: stats::StatsArgs,
    Stop: stop::StopArgs,
    Studio: studio::StudioArgs<Line>,
    Suite: suite::SuiteArgs => elsewhere if searches,
    Train: train::TrainArgs,
    Tune: tune::TuneArgs => elsewhere if plays_games,
    Watch: watch_branch::WatchArgs,
    Work: work::WorkArgs,
    Workers: workers::WorkersArgs => elsewhere,
}
