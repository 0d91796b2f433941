//! Networks in the real program: embedded, from files, as JSON.

mod client;

use std::path::Path;

use client::Client;
use engine::board::{Move, Position};

/// Positions of random games, as FEN.
fn positions(count: usize) -> Vec<String> {
    let mut fens = Vec::new();
    let mut chance = 1_u64;
    while fens.len() < count {
        let mut position = Position::startpos();
        for _ in 0..90 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            if moves.is_empty() {
                break;
            }
            // A linear congruential generator (D. Knuth's MMIX); the high bits are the good ones.
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            position.play(moves[(chance >> 33) as usize % moves.len()]);
            if !position.in_check() {
                fens.push(position.fen(false));
            }
        }
    }
    fens.truncate(count);
    fens
}

/// The evaluations that the engine prints for the positions, after these commands.
fn evaluations(lines: &[String], fens: &[String]) -> Vec<String> {
    let mut engine = Client::start();
    for line in lines {
        engine.send(line);
    }
    engine.send("isready");
    let output = engine.read_until("readyok");
    assert!(!output.iter().any(|line| line.contains("stays as it was")), "{output:?}");
    let mut values = Vec::new();
    for fen in fens {
        engine.send(&format!("position fen {fen}\neval\nisready"));
        let output = engine.read_until("readyok");
        let value = output.iter().find(|line| line.ends_with("pawns for White"));
        values.push(value.cloned().unwrap_or_else(|| format!("{output:?}")));
    }
    engine.quit();
    values
}

fn eval_file(path: &Path) -> String {
    format!("setoption name EvalFile value {}", path.display())
}

#[test]
fn the_embedded_network_its_file_and_its_json_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("net.json");
    let file = folder.path().join("net.nnue");
    let fens = positions(600);
    let embedded = "setoption name EvalFile value embedded".to_owned();
    let export = |path: &Path| format!("export {}", path.display());
    let first = evaluations(&[embedded, export(&json), export(&file)], &fens);
    assert!(first.iter().all(|line| line.ends_with("pawns for White")), "{first:?}");
    assert!(first.iter().any(|line| *line != first[0]));
    assert_eq!(evaluations(&[eval_file(&json)], &fens), first);
    assert_eq!(evaluations(&[eval_file(&file)], &fens), first);
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/default.nnue");
    assert_eq!(evaluations(&[eval_file(&committed)], &fens), first);
    let bytes = |path: &Path| std::fs::read(path).expect("written");
    assert_eq!(bytes(&file), bytes(&committed), "exported otherwise than it was made");
    // Exported and imported again.
    let again = folder.path().join("again.json");
    evaluations(&[eval_file(&file), export(&again)], &[]);
    assert_eq!(bytes(&again), bytes(&json));
}

#[test]
fn failed_imports_and_exports_are_reported_and_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{\"format\": \"tench-network-1\"}").expect("written");
    let mut engine = Client::start();
    let mut ask = |line: &str| {
        engine.send(&format!("{line}\nisready"));
        engine.read_until("readyok").join("\n")
    };
    ask("setoption name EvalFile value classical");
    assert!(ask("export nothing.json").contains("no network to export"));
    ask("setoption name EvalFile value embedded");
    let before = ask("eval");
    let output = ask(&eval_file(&bad));
    assert!(output.contains("bad.json: it is no network in JSON: missing field"), "{output}");
    assert_eq!(ask("eval"), before);
    assert!(before.contains("pawns for White") && before.contains("Network"), "{before}");
    assert!(ask("export").contains("wants the name of a file"));
    assert!(ask("export /no/such/folder/net.json").contains("cannot write /no/such/folder"));
    ask("setoption name EvalFile value classical");
    assert!(ask("eval").contains("Hand-crafted"));
    engine.quit();
}
