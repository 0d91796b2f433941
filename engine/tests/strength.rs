//! The real program, told to play below its strength.

mod talk;

use talk::Talk;

const ANSWERED: [&str; 8] = ["e2e4", "d2d4", "g1f3", "c2c4", "a2a3", "b2b3", "h2h3", "b1c3"];

fn answers(seed: u32, analyse: bool) -> Vec<String> {
    let mut talk = Talk::start();
    talk.say("setoption name UCI_LimitStrength value true");
    talk.say("setoption name UCI_Elo value 1300");
    talk.say(&format!("setoption name Seed value {seed}"));
    talk.say(&format!("setoption name UCI_AnalyseMode value {analyse}"));
    let answers = ANSWERED.map(|played| {
        talk.say("ucinewgame");
        talk.say(&format!("position startpos moves {played}"));
        talk.say("go depth 4");
        talk.hear("bestmove ").pop().expect("the line that was waited for")
    });
    talk.end();
    answers.to_vec()
}

#[test]
fn a_weak_player_repeats_itself_with_its_seed_and_tells_the_truth_to_who_analyses() {
    assert_eq!(answers(1, false), answers(1, false));
    assert_ne!(answers(1, false), answers(2, false));
    assert_eq!(answers(1, true), answers(2, true));
    assert_ne!(answers(1, false), answers(1, true));
}
