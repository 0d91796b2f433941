//! Round trips through every format.

use std::path::Path;

use engine::board::Position;

use super::*;
use crate::flaws::Flaws;
use crate::game::{Game, MoveEval, Turn};
use crate::record::Record;
use harness_arena::chess960;
use harness_games::tree::GameTree;
use harness_player::Score;
use harness_stats::GameScore;

const FENS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 20",
    "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 13",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 40 90",
];

fn samples() -> Vec<Record> {
    let scores = [Score::Centipawns(-37), Score::Centipawns(1200), Score::Mate(-4)];
    let scores = scores.into_iter().chain([Score::Centipawns(0)]);
    let labels = scores.zip(GameScore::ALL.into_iter().cycle());
    let records = FENS.iter().zip(labels).map(|(fen, (score, result))| {
        let position = Position::from_fen(fen).expect(fen);
        Record {
            score: Some(score),
            result: Some(result),
            ply: crate::record::counted_ply(&position),
            depth: 9,
            played: position.legal_moves().last().copied(),
            ..Record::bare(position, 1)
        }
    });
    records.collect()
}

fn bytes_of(format: Format, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::to(format, "x", &mut bytes).expect("begun");
    write(&mut writer);
    writer.finish().expect("finished");
    bytes
}

fn read(format: Format, bytes: &[u8]) -> Result<Vec<Record>, FormatError> {
    records_from(format, "x", bytes, &Flaws::default()).collect()
}

#[test]
fn records_come_back_as_far_as_the_format_keeps_them() {
    let records = samples();
    for format in [csv::FORMAT, epd::FORMAT, text::FORMAT, bullet::FORMAT, marlin::FORMAT] {
        let bytes = bytes_of(format, |writer| {
            records.iter().for_each(|record| writer.record(record).expect("written"));
        });
        let back = read(format, &bytes).expect("sound");
        let wanted: Vec<Record> = records
            .iter()
            .map(|record| match format {
                _ if format == text::FORMAT => Record { depth: 0, played: None, ..record.clone() },
                _ if format == bullet::FORMAT => bullet::round_trip(record).expect("packed"),
                _ if format == marlin::FORMAT => Record { played: None, ..record.clone() },
                _ => record.clone(),
            })
            .collect();
        // The results and move numbers of the samples are those of four games.
        let of_one_game = |record| Record { game: 1, ..record };
        let wanted: Vec<Record> = wanted.into_iter().map(of_one_game).collect();
        let back: Vec<Record> = back.into_iter().map(of_one_game).collect();
        assert_eq!(back, wanted, "{format:?}");
    }
}

#[test]
fn unknown_fields_stay_unknown_in_text_formats() {
    let bare = Record::bare(Position::startpos(), 1);
    for format in [csv::FORMAT, epd::FORMAT, text::FORMAT] {
        let bytes = bytes_of(format, |writer| writer.record(&bare).expect("written"));
        assert_eq!(read(format, &bytes).expect("sound"), std::slice::from_ref(&bare), "{format:?}");
    }
    let mut writer = Writer::to(bullet::FORMAT, "x", Vec::new()).expect("begun");
    let error = writer.record(&bare).expect_err("no label").to_string();
    assert!(error.contains("without a score"), "{error}");
}

fn game() -> Game {
    let pgn = "[White \"a\"]\n[Result \"0-1\"]\n\n1. e4 {book} d5 {-0.45/9} 2. exd5 {+0.50/12} \
        c5 {-M8/9} 3. dxc6 {+0.1/4} Nf6 {0.00/1} 4. cxb7 {+1/1} e6 5. bxa8=N {+3/1} Bc5 6. Nf3 O-O \
        0-1\n";
    let game = games_from(crate::pgn::FORMAT, "x", pgn.as_bytes(), &Flaws::default())
        .expect("games")
        .next();
    game.expect("a game").expect("sound")
}

#[test]
fn games_come_back_with_their_scores_and_depths() {
    // Names, and whether a PGN has moves, are not kept.
    let game = Game { names: Default::default(), has_moves: false, ..game() };
    for flavour in [viri::Flavour::Plain, viri::Flavour::WithDepths] {
        let format = flavour.format();
        let bytes = bytes_of(format, |writer| {
            (0..3).for_each(|_| writer.game(&game).expect("written"));
        });
        let back = games_from(format, "x", bytes.as_slice(), &Flaws::default()).expect("games");
        let back: Vec<Game> = back.collect::<Result<_, _>>().expect("sound");
        let mut wanted = game.clone();
        if flavour == viri::Flavour::Plain {
            assert_eq!(bytes.len(), 3 * (32 + 4 * game.turns.len() + 4));
            let eval = wanted.turns.iter_mut().filter_map(|turn| turn.eval.as_mut());
            eval.for_each(|eval| eval.depth = 0);
        }
        assert_eq!(back, [wanted.clone(), wanted.clone(), wanted]);
        assert_eq!(read(format, &bytes).expect("sound").len(), 3 * game.turns.len());
    }
}

/// Games of random moves from random ones of these positions, with scores, mates and moves without
/// a score. Who can castle often does.
pub(super) fn random_games(count: u64, starts: &[Position]) -> Vec<Game> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    (0..count)
        .map(|_| {
            let start = starts[below(starts.len())];
            let result = Some(GameScore::ALL[below(3)]);
            let mut game = Game { start, result, ..Game::default() };
            let mut position = start;
            for _ in 0..1 + below(120) {
                let legal = position.legal_moves();
                let castling = legal.iter().find(|m| m.is_castling()).filter(|_| below(3) > 0);
                let Some(&played) = castling.or_else(|| legal.get(below(legal.len()))) else {
                    break;
                };
                let score = match below(8) {
                    0 => None,
                    1 => Some(Score::Mate(below(40) as i32 - 60)),
                    2 => Some(Score::Mate(1 + below(40) as i32)),
                    3 => Some(Score::Centipawns(below(62_001) as i32 - 31_000)),
                    _ => Some(Score::Centipawns(below(201) as i32 - 100)),
                };
                let eval = score.map(|score| MoveEval { score, depth: 0 });
                game.turns.push(Turn { played, eval });
                position.play(played);
            }
            game
        })
        .filter(|game| !game.turns.is_empty())
        .collect()
}

#[test]
fn thousands_of_games_come_back_from_binpack() {
    let fens = [&FENS[..], &["n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 3 9"]].concat();
    let starts: Vec<Position> =
        fens.iter().map(|fen| Position::from_fen(fen).expect("legal")).collect();
    let games = random_games(6_000, &starts);
    let bytes = bytes_of(binpack::FORMAT, |writer| {
        games.iter().for_each(|game| writer.game(game).expect("written"));
    });
    let chunks = bytes.windows(4).filter(|bytes| bytes == b"BINP").count();
    assert!(chunks > 1, "{chunks} chunks of {} bytes", bytes.len());
    let back = games_from(binpack::FORMAT, "x", bytes.as_slice(), &Flaws::default());
    let mut back = back.expect("games");
    for (number, game) in games.iter().enumerate() {
        let back = back.next().expect("as many").expect("sound");
        assert_eq!(&back, game, "game {number}");
    }
    assert!(back.next().is_none());
}

/// Start positions of chess, of Chess960, and of Chess960 with an array of its own for each side, and
/// some in which castling and a king's step look alike.
pub(super) fn shuffled_starts() -> Vec<Position> {
    let array = |index| {
        let fen = chess960::opening(index).fen.expect("a FEN");
        fen.split('/').next().expect("a rank").to_owned()
    };
    let start = |black: usize, white: usize| {
        let black = array(black);
        let white = array(white).to_uppercase();
        format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1")
    };
    let shuffled = (0..960).step_by(7).flat_map(|index| {
        [start(518, 518), start(index, index), start(index, (index * 37 + 11) % 960)]
    });
    let bare = [
        "2kr4/8/8/8/8/8/8/R1K4R w HAd - 0 1",
        "rkr5/8/8/8/8/8/8/RKR5 w CAca - 0 1",
        "5krr/8/8/8/8/8/8/1R3KR1 w GBg - 0 1",
        "r3k2r/8/8/8/8/8/8/3R1K1R w HDkq - 0 1",
        "1r2k1r1/8/8/8/8/8/8/2R1KR2 w FCgb - 0 1",
    ];
    let all = shuffled.chain(bare.map(str::to_owned));
    all.map(|fen| Position::from_fen(&fen).expect("legal")).collect()
}

#[test]
fn castling_of_chess960_comes_back_from_every_format_that_keeps_moves() {
    let games = random_games(1_500, &shuffled_starts());
    let castlings =
        games.iter().flat_map(|game| &game.turns).filter(|turn| turn.played.is_castling());
    assert!(castlings.count() > 500);
    for &format in FORMATS {
        let is_written = !matches!(format.0.writes, format::Writes::Nothing(_));
        if is_written && format.has_games() {
            // Binpack refuses the others with a message.
            let holds =
                |game: &&Game| format != binpack::FORMAT || game.start.castles_as_in_chess();
            let games: Vec<&Game> = games.iter().filter(holds).collect();
            let bytes = bytes_of(format, |writer| {
                games.iter().for_each(|game| writer.game(game).expect("written"));
            });
            let back = games_from(format, "x", bytes.as_slice(), &Flaws::default());
            let back: Result<Vec<Game>, _> = back.expect("games").collect();
            assert!(back.expect("sound").iter().eq(games), "{format:?}");
        } else if [csv::FORMAT, epd::FORMAT].contains(&format) {
            let records: Vec<Record> = games.iter().flat_map(|game| game.records(1)).collect();
            let bytes = bytes_of(format, |writer| {
                records.iter().for_each(|record| writer.record(record).expect("written"));
            });
            for (back, wanted) in read(format, &bytes).expect("sound").iter().zip(&records) {
                let text = |record: &Record| {
                    (record.position.fen(true), record.played.map(|m| record.position.uci(m, true)))
                };
                assert_eq!(text(back), text(wanted), "{format:?}");
            }
        }
    }
}

/// PGN is written of annotated games and of those that are played.
#[test]
fn games_of_chess960_come_back_from_pgn() {
    let games = random_games(200, &shuffled_starts());
    for game in games {
        let mut tree = GameTree::new(Some(&game.start.fen(true)), true).expect("legal");
        tree.set_result(game.result.expect("a result").pgn()).expect("one");
        let mut at = GameTree::ROOT;
        let mut position = game.start;
        for turn in &game.turns {
            let uci = position.uci(turn.played, true).to_string();
            at = tree.play(at, uci.parse().expect("a move")).expect("legal");
            position.play(turn.played);
        }
        let pgn = tree.to_pgn();
        let flaws = Flaws::default();
        let back = games_from(crate::pgn::FORMAT, "x", pgn.as_bytes(), &flaws);
        let back: Vec<Game> = back.expect("games").collect::<Result<_, _>>().expect("sound");
        let moves = |game: &Game| game.turns.iter().map(|turn| turn.played).collect::<Vec<_>>();
        assert_eq!(back.len(), 1, "{pgn}\n{flaws}");
        assert_eq!(
            (back[0].start.fen(true), moves(&back[0])),
            (game.start.fen(true), moves(&game))
        );
        // What the board shows may be another result than the one drawn at random.
        assert!(position.legal_moves().is_empty() || back[0].result == game.result, "{pgn}");
    }
}

#[test]
fn castling_in_csv_is_written_as_the_king_takes_its_rook_where_chess_has_no_such_castling() {
    let cases = [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["e1g1", "e1c1"]),
        ("8/4k3/8/8/8/8/8/R1K4R w HA - 0 1", ["c1h1", "c1a1"]),
        ("8/4k3/8/8/8/8/8/1R2K1R1 w GB - 0 1", ["e1g1", "e1b1"]),
    ];
    for (fen, wanted) in cases {
        let position = Position::from_fen(fen).expect("legal");
        let legal = position.legal_moves();
        let castling = legal.iter().copied().filter(|m| m.is_castling());
        let mut found: Vec<String> = castling
            .map(|m| {
                let record = Record { played: Some(m), ..Record::bare(position, 1) };
                let bytes =
                    bytes_of(csv::FORMAT, |writer| writer.record(&record).expect("written"));
                let text = String::from_utf8(bytes).expect("text");
                text.lines().nth(1).expect("a row").split(',').nth(4).expect("a move").to_owned()
            })
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        assert_eq!(found, wanted, "{fen}");
    }
}

#[test]
fn what_binpack_cannot_hold_is_refused() {
    let shuffled = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let start = Position::from_fen(shuffled).expect("legal");
    let turns = vec![Turn { played: start.legal_moves()[0], eval: None }];
    let unfinished = Game { result: None, ..game() };
    let shuffled = Game { start, turns, ..game() };
    for (game, says) in [(unfinished, "without a result"), (shuffled, "Chess960")] {
        let mut writer = Writer::to(binpack::FORMAT, "x", Vec::new()).expect("begun");
        let error = writer.game(&game).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
    // A game without moves has no chain.
    let empty = Game { turns: Vec::new(), ..game() };
    let bytes = bytes_of(binpack::FORMAT, |writer| writer.game(&empty).expect("left out"));
    assert!(bytes.is_empty());
}

/// Bytes that the crates `viriformat` 3.0 and `bulletformat` 1.8 make of the same.
#[test]
fn bytes_are_those_of_the_formats_authors() {
    let viri = bytes_of(viri::PLAIN, |writer| {
        writer.game(&game()).expect("written");
    });
    assert_eq!(hex(&viri), include_str!("viri.hex").trim());
    let bullet = bytes_of(bullet::FORMAT, |writer| {
        for record in samples() {
            writer.record(&Record { depth: 0, ply: None, ..record }).expect("written");
        }
    });
    assert_eq!(hex(&bullet), include_str!("bullet.hex").trim());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn damage_is_reported_with_its_offset() {
    let format = viri::PLAIN;
    let viri = bytes_of(format, |writer| writer.game(&game()).expect("written"));
    let bullet = bytes_of(bullet::FORMAT, |writer| {
        samples().iter().for_each(|record| writer.record(record).expect("written"));
    });
    let marlin = bytes_of(marlin::FORMAT, |writer| {
        samples().iter().for_each(|record| writer.record(record).expect("written"));
    });
    let changed = |bytes: &[u8], at: usize, byte: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] = byte;
        bytes
    };
    let depths = viri::WITH_DEPTHS;
    for (format, bytes, says) in [
        (bullet::FORMAT, bullet[..80].to_vec(), "byte 64: the file ends too soon"),
        (bullet::FORMAT, changed(&bullet, 32 + 26, 3), "byte 32: record 2: the result is 3"),
        (bullet::FORMAT, changed(&bullet, 27, 9), "byte 0: record 1: the kings"),
        (bullet::FORMAT, changed(&bullet, 64 + 8, 0xff), "byte 64: record 3: piece code 7"),
        (marlin::FORMAT, changed(&marlin, 32 + 30, 3), "byte 32: record 2: the result is 3"),
        (marlin::FORMAT, changed(&marlin, 8, 0xff), "byte 0: record 1: piece code"),
        (marlin::FORMAT, marlin[..70].to_vec(), "byte 64: the file ends too soon"),
        (format, viri[..viri.len() - 2].to_vec(), "the file ends too soon"),
        (format, changed(&viri, 32 + 4, 7), "byte 36: move"),
        (format, changed(&viri, 30, 9), "byte 0: the result is 9"),
        (format, b"[Event \"a PGN\"]\n1. e4 e5 2. Nf3 and so on".to_vec(), "byte 0: no game"),
        (depths, viri, "byte 0: not a file of games with depths"),
    ] {
        let error = read(format, &bytes).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn the_extension_decides_the_format_and_an_unknown_one_is_refused() {
    for (name, format) in [
        ("a.bin", bullet::FORMAT),
        ("a.marlin.bz2", marlin::FORMAT),
        ("a.PGN", crate::pgn::FORMAT),
        ("b.pgn.zst", crate::pgn::FORMAT),
        ("c.csv.gz", csv::FORMAT),
        ("d.vf", viri::PLAIN),
        ("game_000001.gz", leela::CHUNK),
        ("training.1234.gz", leela::CHUNK),
        ("e.leela", leela::CHUNK),
        ("training-run1.tar", leela::TAR),
        ("training-run1.tar.bz2", leela::TAR),
    ] {
        assert_eq!(Format::from_path(Path::new(name)).expect(name), format);
    }
    for name in ["a", "a.zst", "a.pdf"] {
        assert!(Format::from_path(Path::new(name)).is_err(), "{name}");
    }
}

#[test]
fn compressed_files_are_read_as_they_come() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = samples();
    let plain = bytes_of(csv::FORMAT, |writer| {
        wanted.iter().for_each(|record| writer.record(record).expect("written"));
    });
    let (first, second) = plain.split_at(plain.len() / 2);
    // Two streams one after the other, as parallel compressors write them.
    let each = |pack: &dyn Fn(&[u8]) -> Vec<u8>| [pack(first), pack(second)].concat();
    let zstd = each(&|bytes| {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    });
    let gzip = each(&|bytes| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("packed");
        encoder.finish().expect("packed")
    });
    let bzip = each(&|bytes| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).expect("packed");
        encoder.finish().expect("packed")
    });
    for (name, bytes) in [("a.csv.zst", zstd), ("a.csv.gz", gzip), ("a.csv.bz2", bzip)] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).expect("written");
        let back: Vec<Record> = records(&path, &Flaws::default())
            .expect("opened")
            .collect::<Result<_, _>>()
            .expect("sound");
        let games: Vec<u64> = back.iter().map(|record| record.game).collect();
        assert!(games.is_sorted() && games[0] == 1, "{name}: {games:?}");
        let of_one_game = |record: Record| Record { game: wanted[0].game, ..record };
        assert_eq!(back.into_iter().map(of_one_game).collect::<Vec<_>>(), wanted, "{name}");
        std::fs::write(&path, &bytes[..bytes.len() - 9]).expect("written");
        let cut: Result<Vec<Record>, _> =
            records(&path, &Flaws::default()).expect("opened").collect();
        assert!(cut.is_err(), "{name}");
        assert!(Writer::create(&path).is_err(), "{name}");
    }
}
