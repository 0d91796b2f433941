//! A server with the documented interface of a Lichess server, over real sockets, with faults to order.
//!
//! Written from the OpenAPI description (<https://github.com/lichess-org/api>): NDJSON streams with
//! empty lines to show life, accounts by token, challenges, games with clocks, and the statuses of the
//! answers.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shakmaty::Position;

use super::board::{Account, Board};

/// An empty line is sent so often.
const ALIVE: Duration = Duration::from_millis(200);

/// What the server does wrong.
#[derive(Clone, Debug)]
pub enum Does {
    /// Answers with this status and body, and does nothing.
    Status(u16, String),
    /// Does what was asked, and closes the connection without an answer.
    LoseAnswer,
    /// Closes the connection before anything was done.
    Drop,
    /// Sends half of the next line of the stream and closes the connection.
    CutLine,
    /// Sends this line before the next one of the stream.
    Inject(String),
    /// Sends nothing more on the stream, and keeps the connection.
    Silence,
    /// Sends each line so much later.
    Lag(Duration),
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub body: String,
    pub account: String,
    pub at: Instant,
}

/// What a game stream or an event stream is told.
enum Out {
    Line(String),
    /// The stream ends as it should.
    End,
}

/// How the server's own account plays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opponent {
    /// Resigns after so many plies.
    pub resigns_at: Option<usize>,
    /// Never moves.
    pub sleeps: bool,
    /// Offers a draw with each move.
    pub offers_draws: bool,
    /// Asks for a takeback with each move.
    pub asks_back: bool,
}

/// What the server's own account does with a challenge that it gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Challenged {
    #[default]
    Accepts,
    Declines,
    Waits,
}

#[derive(Default)]
pub struct State {
    /// The bots that are listed as online.
    pub online: Vec<Value>,
    pub challenged: Challenged,
    pub accounts: Vec<Account>,
    pub boards: BTreeMap<String, Board>,
    pub challenges: BTreeMap<String, Value>,
    pub log: Vec<Request>,
    pub opponent: Opponent,
    faults: Vec<(String, u32, Does)>,
    event_streams: HashMap<String, Sender<Out>>,
    game_streams: Vec<(String, Sender<Out>)>,
    numbers: u64,
}

/// The server.
#[derive(Clone)]
pub struct Server {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Starts it with two bots, `tench` and `fish`, and a human, `person`, whom it plays itself.
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let account = |name: &str, title: Option<&str>| Account {
            id: name.to_lowercase(),
            name: name.to_owned(),
            token: format!("lip_{}NeverToBeSeen", name.to_lowercase()),
            title: title.map(str::to_owned),
            games: 0,
            scopes: "bot:play".to_owned(),
        };
        let accounts = vec![
            account("Tench", Some("BOT")),
            account("Fish", Some("BOT")),
            account("Person", None),
        ];
        let state = Arc::new(Mutex::new(State { accounts, ..State::default() }));
        let server = Server { url, state };
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = serving.clone();
                // A client that has gone away ends its thread.
                thread::spawn(move || serving.connection(stream));
            }
        });
        server
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn token(&self, id: &str) -> String {
        let state = self.state();
        state.accounts.iter().find(|account| account.id == id).expect("known").token.clone()
    }

    /// The next `times` requests or lines whose path has this part go wrong.
    pub fn fault(&self, path: &str, times: u32, does: Does) {
        self.state().faults.push((path.to_owned(), times, does));
    }

    pub fn is_watched_by(&self, id: &str) -> bool {
        self.state().event_streams.contains_key(id)
    }

    /// Requests whose path has this part.
    pub fn requests(&self, part: &str) -> Vec<Request> {
        self.state().log.iter().filter(|request| request.path.contains(part)).cloned().collect()
    }

    /// Sends a challenge; `changes` replace its fields. Gives its id.
    pub fn challenge(&self, from: &str, to: &str, changes: Value) -> String {
        let mut state = self.state();
        state.numbers += 1;
        let id = format!("game{:04}", state.numbers);
        let user = |id: &str| {
            let account = state.accounts.iter().find(|account| account.id == id).expect("known");
            json!({ "id": id, "name": account.name, "title": account.title, "rating": 1500 })
        };
        let mut challenge = json!({
            "id": id, "url": format!("{}/{id}", self.url), "status": "created",
            "challenger": user(from), "destUser": user(to),
            "variant": { "key": "standard", "name": "Standard", "short": "Std" },
            "rated": false, "speed": "blitz", "color": "white",
            "timeControl": { "type": "clock", "limit": 300, "increment": 2, "show": "5+2" },
            "perf": { "icon": "", "name": "Blitz" },
        });
        for (key, change) in changes.as_object().expect("an object") {
            challenge[key] = change.clone();
        }
        state.challenges.insert(id.clone(), challenge.clone());
        for id in [from, to] {
            state.tell(id, &json!({ "type": "challenge", "challenge": challenge }));
        }
        id
    }

    fn take_fault(&self, path: &str, fits: impl Fn(&Does) -> bool) -> Option<Does> {
        let mut state = self.state();
        let found = state
            .faults
            .iter_mut()
            .find(|(part, times, does)| *times > 0 && path.contains(part.as_str()) && fits(does))?;
        found.1 -= 1;
        Some(found.2.clone())
    }

    fn connection(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut stream = stream;
        loop {
            let request = read_request(&mut reader, self)?;
            let path = request.path.clone();
            self.state().log.push(request.clone());
            let of_request =
                |does: &Does| matches!(does, Does::Status(..) | Does::LoseAnswer | Does::Drop);
            let fault = self.take_fault(&path, of_request);
            if matches!(fault, Some(Does::Drop)) {
                return None;
            }
            let is_known = !request.account.is_empty() || path == "/api/token/test";
            let (status, body) = match &fault {
                Some(Does::Status(status, body)) => (*status, body.clone()),
                _ if !is_known => (401, json!({ "error": "No such token" }).to_string()),
                _ if request.method == "GET" && path == "/api/stream/event" => {
                    return self.events(&mut stream, &request.account);
                }
                _ if request.method == "GET" && path.starts_with("/api/bot/online?") => {
                    let online = self.state().online.clone();
                    (200, online.iter().map(|bot| format!("{bot}\n")).collect())
                }
                _ if request.method == "GET" && path.starts_with("/api/bot/game/stream/") => {
                    let id = path.rsplit('/').next()?.to_owned();
                    if self.state().boards.contains_key(&id) {
                        return self.game(&mut stream, &path, &id);
                    }
                    (404, json!({ "error": "No such game" }).to_string())
                }
                _ => match self.state().answer(&request) {
                    Ok(value) => (200, value.to_string()),
                    Err((status, error)) => (status, json!({ "error": error }).to_string()),
                },
            };
            if matches!(fault, Some(Does::LoseAnswer)) {
                return None;
            }
            let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).ok()?;
        }
    }

    fn events(&self, stream: &mut TcpStream, account: &str) -> Option<()> {
        let (sender, lines) = channel();
        {
            let mut state = self.state();
            let told = state.challenges.values().filter(|challenge| {
                challenge["status"] == "created" && challenge["destUser"]["id"] == *account
            });
            let mut first: Vec<Value> = told
                .map(|challenge| json!({ "type": "challenge", "challenge": challenge }))
                .collect();
            let on = state.boards.values().filter(|board| board.is_on());
            let own = on.filter(|board| board.colour_of(account).is_some());
            first.extend(own.map(|board| board.event("gameStart", account)));
            for line in first {
                let _ = sender.send(Out::Line(line.to_string()));
            }
            // The stream that was open is closed.
            state.event_streams.insert(account.to_owned(), sender);
        }
        self.send(stream, "/api/stream/event", &lines)
    }

    fn game(&self, stream: &mut TcpStream, path: &str, id: &str) -> Option<()> {
        let (sender, lines) = channel();
        {
            let mut state = self.state();
            let board = &state.boards[id];
            let _ = sender.send(Out::Line(board.full(&state.accounts).to_string()));
            if !board.is_on() {
                let _ = sender.send(Out::End);
            }
            state.game_streams.push((id.to_owned(), sender));
        }
        self.send(stream, path, &lines)
    }

    /// Sends the lines of a stream as chunks, and empty ones to show life.
    fn send(&self, stream: &mut TcpStream, path: &str, lines: &Receiver<Out>) -> Option<()> {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).ok()?;
        let chunk = |stream: &mut TcpStream, text: &str| {
            stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).ok()
        };
        loop {
            let of_stream = |does: &Does| {
                matches!(does, Does::CutLine | Does::Inject(_) | Does::Silence | Does::Lag(_))
            };
            match lines.recv_timeout(ALIVE) {
                Ok(Out::Line(line)) => {
                    if let Some(fault) = self.take_fault(path, of_stream) {
                        match fault {
                            Does::CutLine => {
                                chunk(stream, &line[..line.len() / 2])?;
                                return None;
                            }
                            Does::Inject(extra) => chunk(stream, &format!("{extra}\n"))?,
                            Does::Silence => loop {
                                // Until the client has had enough.
                                thread::sleep(ALIVE);
                                if stream.peek(&mut [0]).is_ok_and(|read| read == 0) {
                                    return None;
                                }
                            },
                            Does::Lag(lag) => thread::sleep(lag),
                            _ => {}
                        }
                    }
                    chunk(stream, &format!("{line}\n"))?;
                }
                Ok(Out::End) => {
                    stream.write_all(b"0\r\n\r\n").ok()?;
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => chunk(stream, "\n")?,
                Err(RecvTimeoutError::Disconnected) => return None,
            }
            self.state().flag();
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>, server: &Server) -> Option<Request> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let mut words = first.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut account) = (0, String::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => {
                let token = value.strip_prefix("Bearer ")?;
                let state = server.state();
                let found = state.accounts.iter().find(|account| account.token == token);
                account = found.map(|account| account.id.clone()).unwrap_or_default();
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(Request { method, path, body, account, at: Instant::now() })
}

/// An answer, or a status and an error.
type Answer = Result<Value, (u16, String)>;

impl State {
    /// Tells an account an event.
    fn tell(&mut self, account: &str, event: &Value) {
        if let Some(stream) = self.event_streams.get(account) {
            let _ = stream.send(Out::Line(event.to_string()));
        }
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let Request { method, path, body, account, .. } = request;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.trim_start_matches("/api/").split('/').collect();
        match (method.as_str(), &parts[..]) {
            ("GET", ["account"]) => {
                let account = self.accounts.iter().find(|own| own.id == *account).expect("known");
                Ok(json!({
                    "id": account.id, "username": account.name, "title": account.title,
                    "count": { "all": account.games },
                }))
            }
            ("POST", ["token", "test"]) => {
                let known = self.accounts.iter().find(|account| account.token == *body);
                let facts =
                    known.map(|account| json!({ "userId": account.id, "scopes": account.scopes }));
                Ok(json!({ body.as_str(): facts }))
            }
            ("POST", ["bot", "account", "upgrade"]) => {
                let own = self.accounts.iter_mut().find(|own| own.id == *account).expect("known");
                own.title = Some("BOT".to_owned());
                Ok(json!({ "ok": true }))
            }
            ("POST", ["challenge", id, "accept"]) => self.accept(account, id),
            ("POST", ["challenge", id, "decline"]) => {
                let challenge = self.pending(account, id)?;
                challenge["status"] = json!("declined");
                challenge["declineReasonKey"] = json!(body.trim_start_matches("reason="));
                Ok(json!({ "ok": true }))
            }
            ("POST", ["challenge", id, "cancel"]) => {
                let challenge = self.challenges.get_mut(*id).filter(|challenge| {
                    challenge["status"] == "created" && challenge["challenger"]["id"] == *account
                });
                let challenge = challenge.ok_or((404, "No such challenge".to_owned()))?;
                challenge["status"] = json!("canceled");
                Ok(json!({ "ok": true }))
            }
            ("POST", ["challenge", name]) => Ok(self.sent_challenge(account, name, body)),
            ("POST", ["bot", "game", id, action @ ..]) => self.act(account, id, action, query),
            _ => Err((404, "Not found".to_owned())),
        }
    }

    /// A challenge of a bot to the server's own account, which answers at once.
    fn sent_challenge(&mut self, from: &str, to: &str, form: &str) -> Value {
        self.numbers += 1;
        let id = format!("sent{:04}", self.numbers);
        let fields: HashMap<&str, &str> =
            form.split('&').filter_map(|field| field.split_once('=')).collect();
        let number = |key: &str| fields[key].parse::<u64>().expect("a number");
        let challenge = json!({
            "id": id, "status": "created", "color": "white", "speed": "blitz",
            "challenger": { "id": from, "name": from, "title": "BOT", "rating": 1500 },
            "destUser": { "id": to.to_lowercase(), "name": to },
            "variant": { "key": fields["variant"] }, "rated": fields["rated"] == "true",
            "timeControl": {
                "type": "clock", "limit": number("clock.limit"),
                "increment": number("clock.increment"),
            },
        });
        self.challenges.insert(id.clone(), challenge.clone());
        self.tell(from, &json!({ "type": "challenge", "challenge": challenge }));
        match self.challenged {
            Challenged::Accepts => drop(self.accept(&to.to_lowercase(), &id).expect("it is there")),
            Challenged::Declines => {
                self.tell(from, &json!({ "type": "challengeDeclined", "challenge": challenge }));
            }
            Challenged::Waits => {}
        }
        challenge
    }

    fn pending(&mut self, account: &str, id: &str) -> Result<&mut Value, (u16, String)> {
        let challenge = self.challenges.get_mut(id);
        let is_own = |challenge: &&mut Value| {
            challenge["status"] == "created" && challenge["destUser"]["id"] == *account
        };
        challenge.filter(is_own).ok_or((404, "No such challenge".to_owned()))
    }

    fn accept(&mut self, account: &str, id: &str) -> Answer {
        let challenge = self.pending(account, id)?;
        challenge["status"] = json!("accepted");
        let challenge = challenge.clone();
        let user = |key: &str| challenge[key]["id"].as_str().expect("a user").to_owned();
        let mut players = [user("challenger"), user("destUser")];
        if challenge["color"] == "black" {
            players.reverse();
        }
        let time = &challenge["timeControl"];
        let clock = time["limit"]
            .as_u64()
            .map(|limit| [1000 * limit, 1000 * time["increment"].as_u64().expect("an increment")]);
        let fen = challenge["initialFen"].as_str().map(str::to_owned);
        let variant = challenge["variant"]["key"].as_str().expect("a variant");
        let board = Board::new(id.to_owned(), players.clone(), variant, fen, clock);
        for player in &players {
            self.tell(player, &board.event("gameStart", player));
        }
        self.boards.insert(id.to_owned(), board);
        self.play_own(id);
        Ok(json!({ "ok": true }))
    }

    fn act(&mut self, account: &str, id: &str, action: &[&str], query: &str) -> Answer {
        let board = self.boards.get_mut(id).ok_or((404, "No such game".to_owned()))?;
        let own = board.colour_of(account).ok_or((404, "No such game".to_owned()))?;
        let refused = |error: &str| Err((400, error.to_owned()));
        match action {
            ["move", uci] => {
                if query == "offeringDraw=true" {
                    board.draw_offers[own as usize ^ 1] = true;
                }
                board.play(own, uci).map_err(|error| (400, error))?;
            }
            ["abort"] if board.is_on() && board.moves.len() < 2 => board.end("aborted", None),
            ["resign"] if board.is_on() => board.end("resign", Some(!own)),
            ["claim-victory"] if board.is_on() => board.end("timeout", Some(own)),
            ["chat"] => return Ok(json!({ "ok": true })),
            _ => return refused("This cannot be done now"),
        }
        self.show(id);
        self.play_own(id);
        Ok(json!({ "ok": true }))
    }

    /// Shows the state of a game to all who watch it.
    pub fn show(&mut self, id: &str) {
        let board = &self.boards[id];
        let (state, is_on) = (board.state().to_string(), board.is_on());
        let players = board.players.clone();
        self.game_streams.retain(|(game, stream)| {
            game != id
                || (stream.send(Out::Line(state.clone())).is_ok()
                    && (is_on || stream.send(Out::End).is_err()))
        });
        if !is_on {
            for player in players {
                let event = self.boards[id].event("gameFinish", &player);
                self.tell(&player, &event);
            }
        }
    }

    /// The server's own account moves.
    pub fn play_own(&mut self, id: &str) {
        let Opponent { resigns_at, sleeps, offers_draws, asks_back } = self.opponent;
        let board = self.boards.get_mut(id).expect("a game");
        let Some(own) = board.colour_of("person") else { return };
        if sleeps || !board.is_on() || board.position.turn() != own {
            return;
        }
        let moves = board.moves.len();
        if resigns_at.is_some_and(|plies| moves >= plies) {
            board.end("resign", Some(!own));
        } else if let Some(uci) = board.some_move() {
            board.draw_offers[own as usize ^ 1] = offers_draws;
            board.takeback = asks_back;
            board.play(own, &uci).expect("legal");
        }
        self.show(id);
    }

    /// Ends games whose time is over.
    fn flag(&mut self) {
        let late: Vec<String> = self
            .boards
            .iter_mut()
            .filter_map(|(id, board)| board.flag().then(|| id.clone()))
            .collect();
        for id in late {
            self.show(&id);
        }
    }
}
