//! A game of the server: rules by shakmaty, clocks, and the lines that tell it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

/// A player of the server.
#[derive(Clone, Debug)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub token: String,
    pub title: Option<String>,
    pub games: u64,
    pub scopes: String,
}

/// A game.
pub struct Board {
    pub id: String,
    pub players: [String; 2],
    pub variant: String,
    pub fen: Option<String>,
    pub clock: Option<[u64; 2]>,
    pub position: Chess,
    pub moves: Vec<UciMove>,
    pub status: String,
    pub winner: Option<Color>,
    pub draw_offers: [bool; 2],
    pub takeback: bool,
    left: [Duration; 2],
    since: Instant,
    seen: HashMap<Zobrist64, u32>,
}

fn castling(variant: &str) -> CastlingMode {
    if variant == "chess960" { CastlingMode::Chess960 } else { CastlingMode::Standard }
}

impl Board {
    pub fn new(
        id: String,
        players: [String; 2],
        variant: &str,
        fen: Option<String>,
        clock: Option<[u64; 2]>,
    ) -> Board {
        let position: Chess = match &fen {
            None => Chess::default(),
            Some(text) => {
                let fen: Fen = text.parse().expect("a FEN");
                fen.into_position(castling(variant)).expect("a legal position")
            }
        };
        let base = Duration::from_millis(clock.map_or(0, |[base, _]| base));
        Board {
            id,
            players,
            variant: variant.to_owned(),
            fen,
            clock,
            seen: HashMap::from([(position.zobrist_hash(EnPassantMode::Legal), 1)]),
            position,
            moves: Vec::new(),
            status: "started".to_owned(),
            winner: None,
            draw_offers: [false; 2],
            takeback: false,
            left: [base; 2],
            since: Instant::now(),
        }
    }

    pub fn is_on(&self) -> bool {
        self.status == "started"
    }

    pub fn colour_of(&self, account: &str) -> Option<Color> {
        let at = self.players.iter().position(|id| id == account)?;
        Some([Color::White, Color::Black][at])
    }

    /// Makes a move; the clocks run once both sides have moved.
    pub fn play(&mut self, by: Color, uci: &str) -> Result<(), String> {
        self.flag();
        if !self.is_on() || self.position.turn() != by {
            return Err("Not your turn, or game already over".to_owned());
        }
        let legal = uci.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&self.position).ok());
        let legal = legal.ok_or_else(|| format!("Piece on {uci} cannot move there"))?;
        if let (Some([_, increment]), true) = (self.clock, self.moves.len() >= 2) {
            let left = &mut self.left[by as usize ^ 1];
            *left = left.saturating_sub(self.since.elapsed()) + Duration::from_millis(increment);
        }
        // King to rook, as the description has it.
        self.moves.push(legal.to_uci(CastlingMode::Chess960));
        self.position.play_unchecked(legal);
        self.since = Instant::now();
        let times = self.seen.entry(self.position.zobrist_hash(EnPassantMode::Legal)).or_insert(0);
        *times += 1;
        let times = *times;
        let at = by as usize ^ 1;
        if self.draw_offers == [true; 2] {
            self.end("draw", None);
        } else {
            // An offer of the opponent ends with a move that does not agree.
            self.draw_offers[at ^ 1] = false;
        }
        if self.position.is_checkmate() {
            self.end("mate", Some(by));
        } else if self.position.is_stalemate() {
            self.end("stalemate", None);
        } else if self.position.is_insufficient_material()
            || self.position.halfmoves() >= 100
            || times >= 5
        {
            self.end("draw", None);
        }
        Ok(())
    }

    /// Ends the game where the side to move has no time left.
    pub fn flag(&mut self) -> bool {
        let turn = self.position.turn();
        let late = self.clock.is_some()
            && self.moves.len() >= 2
            && self.since.elapsed() > self.left[turn as usize ^ 1];
        if self.is_on() && late {
            self.end("outoftime", Some(!turn));
            return true;
        }
        false
    }

    pub fn end(&mut self, status: &str, winner: Option<Color>) {
        if self.is_on() {
            status.clone_into(&mut self.status);
            self.winner = winner;
        }
    }

    pub fn state(&self) -> Value {
        let moves: Vec<String> = self.moves.iter().map(UciMove::to_string).collect();
        let turn = self.position.turn();
        let time = |side: Color| {
            let left = self.left[side as usize ^ 1];
            let runs = self.is_on() && side == turn && self.moves.len() >= 2;
            let passed = if runs { self.since.elapsed() } else { Duration::ZERO };
            left.saturating_sub(passed).as_millis() as u64
        };
        let [_, increment] = self.clock.unwrap_or_default();
        let mut state = json!({
            "type": "gameState", "moves": moves.join(" "),
            "wtime": time(Color::White), "btime": time(Color::Black),
            "winc": increment, "binc": increment, "status": self.status,
        });
        if let Some(winner) = self.winner {
            state["winner"] = json!(winner.fold_wb("white", "black"));
        }
        for (key, offers) in [("wdraw", self.draw_offers[0]), ("bdraw", self.draw_offers[1])] {
            if offers {
                state[key] = json!(true);
            }
        }
        if self.takeback {
            state["wtakeback"] = json!(true);
        }
        state
    }

    pub fn full(&self, accounts: &[Account]) -> Value {
        let player = |id: &String| {
            let account = accounts.iter().find(|account| account.id == *id).expect("an account");
            json!({ "id": id, "name": account.name, "title": account.title, "rating": 1500 })
        };
        let mut full = json!({
            "type": "gameFull", "id": self.id, "rated": false, "speed": "blitz",
            "variant": { "key": self.variant, "name": self.variant, "short": "X" },
            "perf": { "name": "Blitz" }, "createdAt": 1_745_112_707_998_i64,
            "white": player(&self.players[0]), "black": player(&self.players[1]),
            "initialFen": self.fen.as_deref().unwrap_or("startpos"),
            "state": self.state(),
        });
        if let Some([initial, increment]) = self.clock {
            full["clock"] = json!({ "initial": initial, "increment": increment });
        }
        full
    }

    /// The event that tells a player of the game.
    pub fn event(&self, kind: &str, account: &str) -> Value {
        let colour = self.colour_of(account).expect("a player");
        json!({ "type": kind, "game": {
            "fullId": format!("{}abcd", self.id), "gameId": self.id, "id": self.id,
            "color": colour.fold_wb("white", "black"), "source": "friend", "rated": false,
            "compat": { "bot": true, "board": true },
        }})
    }

    /// A legal move that depends on the position alone.
    pub fn some_move(&self) -> Option<String> {
        let legal = self.position.legal_moves();
        let at = (self.moves.len() * 7 + 3) % legal.len().max(1);
        legal.get(at).map(|m| m.to_uci(castling(&self.variant)).to_string())
    }
}
