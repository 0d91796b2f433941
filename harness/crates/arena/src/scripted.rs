//! A player that follows a script; for tests.

use std::time::Duration;

use shakmaty::uci::UciMove;

use harness_player::{Fault, FaultKind, Go, Info, Line, Observer, Player, Reply, Score};

use super::referee::Referee;

/// One reply of a scripted player.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This move, with this score and this time.
    Move(&'static str, Option<Score>, Duration),
    /// No move.
    Fault(FaultKind, &'static str),
}

/// Replies from a list, then with the first legal move.
#[derive(Debug, Default)]
pub struct Scripted {
    pub answers: Vec<Answer>,
    pub at_new_game: Option<FaultKind>,
    pub chess960: bool,
    pub asked: Vec<Go>,
    /// The score of replies that are not in the list.
    pub score_of_default: Option<Score>,
    /// The chances of win, draw and loss of all replies.
    pub wdl_of_default: Option<[u16; 3]>,
}

impl Scripted {
    /// Plays these moves at once, without scores.
    pub fn moves(moves: &'static str) -> Scripted {
        let answers =
            moves.split_whitespace().map(|text| Answer::Move(text, None, Duration::ZERO)).collect();
        Scripted { answers, ..Default::default() }
    }

    /// Plays these moves at once, then this.
    pub fn then(mut self, answer: Answer) -> Scripted {
        self.answers.push(answer);
        self
    }

    fn fault(&self, kind: FaultKind, detail: &str) -> Fault {
        Fault { player: "scripted".to_owned(), kind, detail: detail.to_owned() }
    }
}

impl Player for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.chess960 = chess960;
        self.at_new_game.map_or(Ok(()), |kind| Err(self.fault(kind, "")))
    }

    fn set_options(
        &mut self,
        _options: &std::collections::BTreeMap<String, String>,
    ) -> Result<(), Fault> {
        Ok(())
    }

    fn go_among(
        &mut self,
        line: Line<'_>,
        _moves: &[UciMove],
        go: &Go,
        _patience: Duration,
        _observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        self.asked.push(*go);
        let answer = self.answers.get(self.asked.len() - 1).cloned();
        let (best_move, score, elapsed) = match answer {
            Some(Answer::Fault(kind, detail)) => return Err(self.fault(kind, detail)),
            Some(Answer::Move(text, score, elapsed)) => {
                (text.parse().expect("a move in a script"), score, elapsed)
            }
            None => (first_legal(line, self.chess960), self.score_of_default, Duration::ZERO),
        };
        let wdl = self.wdl_of_default;
        let info = Info { score, wdl, depth: Some(9), nodes: Some(1234), ..Default::default() };
        Ok(Reply { best_move, ponder: None, info, elapsed })
    }
}

fn first_legal(line: Line<'_>, chess960: bool) -> UciMove {
    let mut referee = Referee::new(line.fen, chess960).expect("a legal start");
    for &text in line.moves {
        let legal = referee.legal(text).expect("a legal line");
        referee.make(legal);
    }
    let legal = referee.position().legal_moves()[0];
    legal.to_uci(legal_castling(chess960))
}

fn legal_castling(chess960: bool) -> shakmaty::CastlingMode {
    if chess960 { shakmaty::CastlingMode::Chess960 } else { shakmaty::CastlingMode::Standard }
}
