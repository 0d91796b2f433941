//! Training data: what is read can be written, and is then read as the same.

use engine::board::Position;
use harness_arena::pgn::{final_position, without_comments};
use harness_data::flaws::Flaws;
use harness_data::formats::viri::Flavour;
use harness_data::formats::{self, Format, FormatError, Writer};
use harness_data::game::Game;
use harness_data::pgn;
use harness_data::record::{Record, number_of};
use harness_games::engine_eval;
use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode};

use crate::board::sound;
use crate::choice;

/// Records and moves checked of an input; more only take time.
const MAX_ITEMS: usize = 64;

/// bulletformat.
pub fn bullet(data: &[u8]) {
    let records = records(formats::bullet::FORMAT, data);
    let kept = records.iter().map(|record| formats::bullet::round_trip(record).expect("as read"));
    assert_eq!(kept.collect::<Vec<_>>(), records);
    same_when_written(formats::bullet::FORMAT, &records);
}

/// Lines of `FEN | score | result`, EPD or CSV, by the first byte.
pub fn lines(data: &[u8]) {
    let Some((kind, text)) = choice(data) else { return };
    let format = [formats::text::FORMAT, formats::epd::FORMAT, formats::csv::FORMAT][kind % 3];
    let records = records(format, text);
    let wanted: Vec<Record> = records.into_iter().map(|record| writable(record, format)).collect();
    same_when_written(format, &wanted);
}

/// Rows of HDF5.
pub fn hdf5(data: &[u8]) {
    let records = records(formats::hdf5::FORMAT, data);
    // It is written as a file of its own, of which a head is part; that is left to the unit tests.
    records.iter().for_each(|record| assert!(record.score.is_some()));
}

/// Games of viriformat, with or without depths by the first byte.
pub fn viri(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let flavour = [Flavour::Plain, Flavour::WithDepths][kind % 2];
    let games = games(flavour.format(), bytes, &Flaws::default());
    same_when_written_as_games(flavour, &games);
}

/// Chains of binpack.
pub fn binpack(data: &[u8]) {
    let read = games(formats::binpack::FORMAT, data, &Flaws::default());
    same_when_written_as_games(Flavour::WithDepths, &read);
    let mut written = Vec::new();
    let writer = formats::Writer::to(formats::binpack::FORMAT, "written", &mut written);
    let mut writer = writer.expect("binpack has no header");
    // Castling rights of Chess960 are refused.
    let kept: Vec<Game> = read.into_iter().filter(|game| writer.game(game).is_ok()).collect();
    writer.finish().expect("into memory");
    same_games(&kept, &games(formats::binpack::FORMAT, &written, &Flaws::default()));
}

/// Chunks of Leela's training data, or an archive of them by the first byte.
pub fn leela(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let format = [formats::leela::CHUNK, formats::leela::TAR][kind % 2];
    let games = games(format, bytes, &Flaws::default());
    let with_result: Vec<Game> = games.into_iter().filter(|game| game.result.is_some()).collect();
    same_when_written_as_games(Flavour::WithDepths, &with_result);
}

/// PGN, read for its scores and for its moves by two readers.
pub fn pgn(data: &[u8]) {
    let flaws = Flaws::default();
    let games = games(pgn::FORMAT, data, &flaws);
    let with_result: Vec<Game> =
        games.iter().filter(|game| game.result.is_some()).cloned().collect();
    same_when_written_as_games(Flavour::WithDepths, &with_result);
    // Never a panic, whatever it is.
    let _ = engine_eval(data);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = without_comments(text);
    let end = final_position(text);
    // The other reader stops after the first game, and drops none.
    if let ([game], Ok(end)) = (&games[..], end)
        && flaws.dropped().is_empty()
    {
        same_end(game, &end);
    }
}

/// Where both readers understand a game, they understand the same.
fn same_end(game: &Game, end: &str) {
    let mut position = game.start;
    game.turns.iter().for_each(|turn| position.play(turn.played));
    let Some(theirs) = position.to_shakmaty() else { return };
    let written = |chess: &Chess| Epd::from_position(chess, EnPassantMode::Legal).to_string();
    assert_eq!(written(&theirs), end);
}

/// The records up to the first error, which can be shown.
fn records(format: Format, bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    for record in formats::records_from(format, "fuzz", bytes, &Flaws::default()).take(MAX_ITEMS) {
        match record {
            Ok(record) => {
                sound(&record.position);
                let legal = |m| record.position.is_legal(m);
                assert!(record.played.is_none_or(legal), "{record:?}");
                records.push(record);
            }
            Err(error) => shown(&error),
        }
    }
    records
}

/// The games up to the first error, which can be shown.
fn games(format: Format, bytes: &[u8], flaws: &Flaws) -> Vec<Game> {
    let mut games = Vec::new();
    let read = formats::games_from(format, "fuzz", bytes, flaws).expect("a format of games");
    for (number, game) in (1..).zip(read.take(MAX_ITEMS)) {
        match game {
            Ok(game) => {
                let mut position: Position = game.start;
                for (turn, record) in game.turns.iter().zip(game.records(number)) {
                    assert_eq!((record.position, record.played), (position, Some(turn.played)));
                    assert!(position.is_legal(turn.played), "{turn:?} in {}", position.fen(true));
                    position.play(turn.played);
                }
                sound(&position);
                games.push(game);
            }
            Err(error) => shown(&error),
        }
    }
    games
}

fn shown(error: &FormatError) {
    let text = error.to_string();
    assert!(text.contains("fuzz"), "{text}");
}

fn written(format: Format, mut write: impl FnMut(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::to(format, "fuzz", &mut bytes).expect("a format that is written");
    write(&mut writer);
    writer.finish().expect("a vector grows");
    bytes
}

/// What a format of lines keeps of a record.
fn writable(record: Record, format: Format) -> Record {
    // Quotes and blanks around names are not kept.
    let record = Record { source: None, ..record };
    if [formats::csv::FORMAT, formats::epd::FORMAT].contains(&format) {
        return record;
    }
    // EPD is accepted among these lines, too, and may have more fields.
    Record { depth: 0, played: None, ..record }
}

fn same_when_written(format: Format, records: &[Record]) {
    let bytes = written(format, |writer| {
        records.iter().for_each(|record| writer.record(record).expect("it can be written"));
    });
    let again = formats::records_from(format, "again", &*bytes, &Flaws::default());
    let again: Result<Vec<Record>, _> = again.collect();
    let again = again.unwrap_or_else(|error| panic!("{error}: {}", bytes.escape_ascii()));
    assert_eq!(again.len(), records.len());
    for (record, again) in records.iter().zip(again) {
        let again = if format == formats::bullet::FORMAT { again } else { writable(again, format) };
        assert_eq!(again.number(), record.number(), "{record:?}");
        let again = Record { score: record.score, ..again };
        assert_eq!(again, *record);
    }
}

fn same_when_written_as_games(flavour: Flavour, games: &[Game]) {
    let format = flavour.format();
    let bytes = written(format, |writer| {
        games.iter().for_each(|game| writer.game(game).expect("it can be written"));
    });
    let again = formats::games_from(format, "again", &*bytes, &Flaws::default())
        .expect("a format of games");
    let again: Vec<Game> = again.collect::<Result<_, _>>().expect("as it was written");
    same_games(games, &again);
}

fn same_games(games: &[Game], again: &[Game]) {
    assert_eq!(again.len(), games.len());
    for (game, again) in games.iter().zip(again) {
        assert_eq!(packed_start(&game.start), packed_start(&again.start));
        assert_eq!((game.result, game.turns.len()), (again.result, again.turns.len()));
        for (turn, again) in game.turns.iter().zip(&again.turns) {
            assert_eq!(turn.played, again.played);
            let number = |eval: Option<harness_data::game::MoveEval>| {
                eval.map(|eval| (number_of(eval.score), eval.depth))
            };
            assert_eq!(number(turn.eval), number(again.eval), "{turn:?}");
        }
    }
}

/// The format keeps a halfmove clock up to 255.
fn packed_start(start: &Position) -> String {
    let text = start.fen(true);
    let (board, clocks) = (text.split(' ').take(4), text.split(' ').skip(4));
    let clocks: Vec<u16> = clocks.map(|clock| clock.parse().expect("a number")).collect();
    let board: Vec<&str> = board.collect();
    format!("{} {} {}", board.join(" "), clocks[0].min(255), clocks[1])
}
