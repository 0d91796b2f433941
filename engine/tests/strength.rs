//! Limited strength in the real program.

mod client;

use client::Client;

const ANSWERED: [&str; 8] = ["e2e4", "d2d4", "g1f3", "c2c4", "a2a3", "b2b3", "h2h3", "b1c3"];

fn answers(seed: u32, analyse: bool) -> Vec<String> {
    let mut engine = Client::start();
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send("setoption name UCI_Elo value 1300");
    engine.send(&format!("setoption name Seed value {seed}"));
    engine.send(&format!("setoption name UCI_AnalyseMode value {analyse}"));
    let answers = ANSWERED.map(|played| {
        engine.send("ucinewgame");
        engine.send(&format!("position startpos moves {played}"));
        engine.send("go depth 4");
        engine.read_until("bestmove ").pop().expect("the line that was waited for")
    });
    engine.quit();
    answers.to_vec()
}

#[test]
fn a_weak_player_is_reproducible_by_seed_and_analysis_has_full_strength() {
    assert_eq!(answers(1, false), answers(1, false));
    assert_ne!(answers(1, false), answers(2, false));
    assert_eq!(answers(1, true), answers(2, true));
    assert_ne!(answers(1, false), answers(1, true));
}
