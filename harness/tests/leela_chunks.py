#!/usr/bin/env python3
"""Training chunks of Leela Chess Zero, version 6, written and read with python-chess.

    pip install chess
    python3 harness/tests/leela_chunks.py write FOLDER [SEED]   # chunks of random games, and what is in them
    python3 harness/tests/leela_chunks.py read FILE             # what is in a chunk or an archive

Written from the description of the format (the record in lczero-training's chunkparser.py, the planes in
lc0's encoder), and with nothing of the harness: its reader is compared with both directions of this.
A record is printed as a line of JSON.
"""

import gzip
import io
import json
import math
import pathlib
import random
import struct
import sys
import tarfile

import chess

RECORD = struct.Struct("<II1858f104Q8B15fIHHff")
assert RECORD.size == 8356

VALUES = """root_q best_q root_d best_d root_m best_m plies_left result_q result_d played_q played_d
played_m orig_q orig_d orig_m""".split()
CLASSICAL, CANONICAL, SKIP_NON_REPEATS = [1, 2], [3, 4, 5, 132, 133], [5, 133]
ALL = (1 << 64) - 1


def policy_moves():
    """The moves of the policy as text, in their order."""
    moves = []
    for origin in chess.SQUARES:
        board = chess.BaseBoard.empty()
        board.set_piece_at(origin, chess.Piece(chess.QUEEN, chess.WHITE))
        targets = board.attacks(origin) | chess.SquareSet(chess.BB_KNIGHT_ATTACKS[origin])
        moves += [chess.square_name(origin) + chess.square_name(to) for to in targets]
    for file in range(8):
        for to in range(max(0, file - 1), min(7, file + 1) + 1):
            move = f"{chess.FILE_NAMES[file]}7{chess.FILE_NAMES[to]}8"
            moves += [move + piece for piece in "qrb"]
    assert len(moves) == 1858
    return moves


MOVES = policy_moves()
NUMBERS = {move: number for number, move in enumerate(MOVES)}


# Turning boards: a function of squares. Transform 1 reverses files, 2 ranks, 4 mirrors at h1-a8.


def turn(square, transform):
    if transform & 1:
        square ^= 7
    if transform & 2:
        square ^= 56
    if transform & 4:
        square = 8 * (7 - square % 8) + (7 - square // 8)
    return square


def turn_back(square, transform):
    for bit in (4, 2, 1):
        square = turn(square, transform & bit)
    return square


def mask_turned(mask, transform):
    return sum(1 << turn(square, transform) for square in chess.scan_forward(mask))


def to_plane(mask):
    """A byte a rank, file a in its highest bit."""
    return sum(1 << (8 * (square // 8) + 7 - square % 8) for square in chess.scan_forward(mask))


def seen_by(square, color):
    return square if color == chess.WHITE else square ^ 56


def masks(board, color):
    """Twelve masks: pieces of `color`, then of the other, with the ranks counted by `color`."""
    sides = [color, not color]
    found = [board.pieces_mask(role, side) for side in sides for role in chess.PIECE_TYPES]
    return [sum(1 << seen_by(square, color) for square in chess.scan_forward(mask)) for mask in found]


def rooks(board, color, side):
    """The castling rook of a colour on the queen's (0) or king's side (1), or None."""
    king = board.king(color)
    found = chess.scan_forward(board.clean_castling_rights() & chess.BB_RANKS[0 if color else 7])
    found = [rook for rook in found if (rook > king) == bool(side)]
    return found[0] if found else None


def passing(board):
    return board.ep_square if board.has_pseudo_legal_en_passant() else None


def chosen_transform(board):
    if board.clean_castling_rights():
        return 0
    us = board.turn
    king = seen_by(board.king(us), us)
    transform = 0
    if king % 8 < 4:
        transform |= 1
    if board.pawns:
        return transform
    if king // 8 >= 4:
        transform |= 2
    king = turn(king, transform)
    rank, file = king // 8, king % 8
    if rank > 7 - file:
        return transform | 4
    if rank == 7 - file:
        ours = masks(board, us)
        both = [a | b for a, b in zip(ours[:6], ours[6:])]
        every = 0
        for mask in both:
            every |= mask
        own = 0
        for mask in ours[:6]:
            own |= mask
        # lc0 keeps queens among rooks and among bishops, and takes them out again when asked.
        for mask in [every, own, both[5], both[4], both[3], both[1], both[2]]:
            value = mask_turned(mask, transform)
            other = mask_turned(value, 4)
            if value < other:
                return transform
            if value > other:
                return transform | 4
    return transform


def seen_as(board):
    """What lc0 tells positions apart by, also by an en-passant capture that a pin forbids; of a board once, as it is asked
    for the whole history of every record."""
    if not hasattr(board, "seen_as"):
        board.seen_as = board.fen(shredder=True).split()[:3], passing(board)
    return board.seen_as


def encode_planes(history, input_format, transform):
    """104 masks of the last positions, the newest first."""
    us = history[-1].turn
    canonical = input_format in CANONICAL
    seen = [seen_as(board) for board in history]
    rights = history[-1].clean_castling_rights()
    planes = []
    at = len(history) - 1
    color = us
    while len(planes) < 104:
        board = history[max(at, 0)]
        newest = at == len(history) - 1
        if canonical and (board.clean_castling_rights() != rights or not newest and passing(board) is not None):
            break
        if at < 0 and history[0].board_fen() == chess.STARTING_BOARD_FEN:
            break
        repeated = seen[max(at, 0)] in seen[: max(at, 0)]
        clock = board.halfmove_clock
        if not (input_format in SKIP_NON_REPEATS and not repeated and not newest):
            found = masks(board, us)
            if at < 0 and passing(board) is not None:
                # The pawn goes back to where it came from.
                pawn = seen_by(passing(board) + (-8 if board.turn else 8), us)
                home = seen_by(passing(board) + (8 if board.turn else -8), us)
                side = 6 if board.turn == us else 0
                found[side] ^= 1 << pawn | 1 << home
            planes += found + [ALL if repeated else 0]
        at -= 1
        if canonical and clock == 0 or at < -8:
            break
    planes += [0] * (104 - len(planes))
    return [mask if mask == ALL else mask_turned(mask, transform) for mask in planes]


def number_of(board, move, transform):
    """The number of a move; castling is the king taking its rook."""
    squares = [turn(seen_by(square, board.turn), transform) for square in (move.from_square, move.to_square)]
    name = "".join(map(chess.square_name, squares))
    if move.promotion and move.promotion != chess.KNIGHT:
        name += chess.piece_symbol(move.promotion)
    return NUMBERS[name]


def as_rook_capture(board, move):
    if board.is_castling(move):
        side = 1 if chess.square_file(move.to_square) > chess.square_file(move.from_square) else 0
        return chess.Move(move.from_square, rooks(board, board.turn, side))
    return move


def legal(board):
    return sorted((as_rook_capture(board, move) for move in board.legal_moves), key=str)


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def facts(board, input_format, policy, planes, castling, side, flags, values, visits, played, best, last):
    """A record as it is printed."""
    q, d = values["result_q"], values["result_d"]
    white = q if board.turn else -q
    result = {(1, 0): 1.0, (-1, 0): 0.0, (0, 1): 0.5}.get((white, d))
    pawns = 90 * math.tan(1.5637541897 * values["best_q"])
    score = int(math.copysign(math.floor(abs(pawns) + 0.5), pawns))
    clean = {name: None if math.isnan(value) else value for name, value in values.items()}
    return {
        "input_format": input_format,
        "fen": " ".join(board.fen(shredder=True, en_passant="legal").split()[:5]),
        "policy": {str(move): share for move, share in policy.items()},
        "planes": [format(plane, "016x") for plane in planes],
        "castling": castling,
        "side_or_en_passant": side,
        "flags": flags,
        "values": clean | {"policy_kld": last[0], "q_standard_deviation": last[1]},
        "visits": visits,
        "played": str(played),
        "best": str(best),
        "result": result,
        "score": score if board.turn else -score,
    }


# Writing.


def random_record(rng, history, input_format, played, result, left):
    board = history[-1]
    us = board.turn
    canonical = input_format in CANONICAL
    transform = chosen_transform(board) if canonical else 0
    moves = legal(board)
    visits = [rng.randint(0, 400) if rng.random() < 0.7 else 0 for _ in moves]
    total = sum(visits) or 1
    policy = {move: f32(count / total) for move, count in zip(moves, visits)}
    probabilities = [-1.0] * 1858
    for move, share in policy.items():
        probabilities[number_of(board, move, transform)] = share
    planes = [to_plane(mask) for mask in encode_planes(history, input_format, transform)]
    castling = []
    for color in (us, not us):
        for side in (0, 1):
            rook = rooks(board, color, side)
            mask = 1 if input_format == 1 else 1 << chess.square_file(rook or 0)
            castling.append(0 if rook is None else mask)
    flags = rng.choice([0, 8])
    if canonical:
        file = passing(board)
        side = 0 if file is None else 1 << turn(chess.square_file(file), transform & 1) % 8
        flags |= transform | (0 if us else 128)
    else:
        side = 0 if us else 1
    best = rng.choice(moves)
    q, d = rng.uniform(-1, 1), rng.random()
    values = {name: f32(rng.uniform(-1, 1)) for name in VALUES}
    values["result_q"] = float(result if us else -result)
    values["result_d"] = float(result == 0)
    values |= {"best_q": rng.choice([f32(q * (1 - d)), 1.0, -1.0, 0.0]), "best_d": f32(d), "plies_left": float(left)}
    if rng.random() < 0.2:
        values |= dict.fromkeys(["orig_q", "orig_d", "orig_m"], math.nan)
    last = [f32(rng.random()), f32(rng.random())]
    seen = rng.randint(1, 100000)
    record = RECORD.pack(
        6, input_format, *probabilities, *planes, *castling, side, board.halfmove_clock, flags, 0,
        *(values[name] for name in VALUES), seen,
        number_of(board, played, transform), number_of(board, best, transform), *last,
    )
    told = facts(board, input_format, policy, planes, castling, side, flags, values, seen, played, best, last)
    return record, told


STARTS = [
    chess.STARTING_FEN,
    "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 3",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 12 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/3k4/8/2q5/8/1R2K3/5B2 w - - 3 1",
    "4k3/8/8/2R5/8/2n5/8/K6B b - - 0 1",
    "1nbk1b2/8/8/8/8/8/8/3NKB2 w - - 0 1",
]


def random_game(rng, input_format, start):
    """Records of a game, and what is in them."""
    if start is None:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
    else:
        board = chess.Board(start)
        board.chess960 = input_format != 1
    assert board.is_valid(), board.fen()
    history, moves = [board.copy(stack=False)], []
    while len(moves) < 45 and board.halfmove_clock < 100 and any(board.legal_moves):
        choices = legal(board)
        # Moves to and fro repeat positions; moves of pawns make the game go on.
        back = [move for move in choices if len(moves) > 1 and move == chess.Move(moves[-2].to_square, moves[-2].from_square)]
        move = rng.choice(back) if back and rng.random() < 0.3 else rng.choice(choices)
        moves.append(move)
        # python-chess reads the king taking its rook as castling only if told that it is Chess960.
        castling = board.kings >> move.from_square & 1 and board.color_at(move.to_square) == board.turn
        if castling and not board.chess960:
            file = 6 if move.to_square > move.from_square else 2
            board.push(chess.Move(move.from_square, chess.square(file, chess.square_rank(move.from_square))))
        else:
            board.push(move)
        history.append(board.copy(stack=False))
    result = rng.choice([1, 0, -1])
    return [
        random_record(rng, history[: at + 1], input_format, move, result, len(moves) - at)
        for at, move in enumerate(moves)
    ]


def write(folder, seed):
    rng = random.Random(seed)
    folder = pathlib.Path(folder)
    number = 0
    archive = tarfile.open(folder / "training.tar", "w")
    archived, raw, told_raw = [], b"", []
    # Archives begin with their folder, and may hold their licence.
    entry = tarfile.TarInfo("run")
    entry.type = tarfile.DIRTYPE
    archive.addfile(entry)
    terms = b"Terms of the data, which are no chunk.\n"
    entry = tarfile.TarInfo("run/LICENSE")
    entry.size = len(terms)
    archive.addfile(entry, io.BytesIO(terms))
    for input_format in CLASSICAL + CANONICAL:
        starts = STARTS + ([] if input_format == 1 else [None, None])
        for start in starts:
            records, told = zip(*random_game(rng, input_format, start))
            content = b"".join(records)
            number += 1
            name = f"game_{number:06}"
            if number % 5 == 1:
                (folder / f"{name}.gz").write_bytes(gzip.compress(content, 6))
                write_lines(folder / f"{name}.gz.json", told)
            member = tarfile.TarInfo(f"run/training.{number}.gz")
            packed = gzip.compress(content, 6)
            member.size = len(packed)
            archive.addfile(member, io.BytesIO(packed))
            archived += told
            if start == chess.STARTING_FEN:
                raw += content
                told_raw += told
    archive.close()
    write_lines(folder / "training.tar.json", archived)
    # Games one after the other, not compressed, and as two members of gzip.
    (folder / "all.leela").write_bytes(raw)
    write_lines(folder / "all.leela.json", told_raw)
    half = RECORD.size * (len(raw) // RECORD.size // 2)
    (folder / "training.99.gz").write_bytes(gzip.compress(raw[:half]) + gzip.compress(raw[half:]))
    write_lines(folder / "training.99.gz.json", told_raw)


def write_lines(path, told):
    path.write_text("".join(json.dumps(record) + "\n" for record in told))


# Reading.


def decode(record):
    fields = RECORD.unpack(record)
    version, input_format = fields[:2]
    assert version == 6
    probabilities, planes = fields[2:1860], fields[1860:1964]
    castling, (side, clock, flags, _) = list(fields[1964:1968]), fields[1968:1972]
    values = dict(zip(VALUES, fields[1972:1987]))
    visits, played, best, *last = fields[1987:]
    canonical = input_format in CANONICAL
    transform = flags & 7 if canonical else 0
    us = flags < 128 if canonical else side == 0

    def square_of(square):
        return seen_by(turn_back(square, transform), us)

    board = chess.Board(None, chess960=input_format != 1)
    board.turn = us
    for number, plane in enumerate(planes[:12]):
        role, color = number % 6 + 1, us if number < 6 else not us
        for rank in range(8):
            for file in range(8):
                if plane >> (8 * rank + 7 - file) & 1:
                    board.set_piece_at(square_of(8 * rank + file), chess.Piece(role, color))
    for number, mask in enumerate(castling):
        rank = 0 if (us if number < 2 else not us) else 7
        if mask:
            file = (7 if number % 2 else 0) if input_format == 1 else mask.bit_length() - 1
            board.castling_rights |= chess.BB_SQUARES[chess.square(file, rank)]
    if canonical:
        if side:
            board.ep_square = chess.square(square_of(side.bit_length() - 1) % 8, 5 if us else 2)
    else:
        for file in range(8):
            bit = 7 - file
            came = planes[6] >> 32 + bit & 1 and not planes[19] >> 32 + bit & 1
            if came and planes[19] >> 48 + bit & 1 and not planes[6] >> 48 + bit & 1:
                board.ep_square = chess.square(file, 5 if us else 2)
    board.halfmove_clock = clock

    def move_of(number):
        name = MOVES[number]
        squares = [square_of(chess.parse_square(name[at : at + 2])) for at in (0, 2)]
        move = chess.Move(*squares, promotion=chess.PIECE_SYMBOLS.index(name[4]) if name[4:] else None)
        last = move.to_square // 8 in (0, 7)
        if board.piece_type_at(move.from_square) == chess.PAWN and last and not move.promotion:
            move.promotion = chess.KNIGHT
        return move

    policy = {move_of(number): share for number, share in enumerate(probabilities) if share >= 0}
    assert sorted(policy, key=str) == legal(board), board.fen()
    return facts(
        board, input_format, policy, planes, castling, side, flags, values, visits, move_of(played), move_of(best), last
    )


def read(path):
    def records(content):
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return [decode(content[at : at + RECORD.size]) for at in range(0, len(content), RECORD.size)]

    if path.endswith(".tar"):
        with tarfile.open(path) as archive:
            chunks = [member for member in archive if member.isfile() and not member.name.endswith("LICENSE")]
            told = [record for member in chunks for record in records(archive.extractfile(member).read())]
    else:
        told = records(pathlib.Path(path).read_bytes())
    for record in told:
        print(json.dumps(record))


def main():
    match sys.argv[1:]:
        case ["write", folder, *seed]:
            write(folder, int(seed[0]) if seed else 1)
        case ["read", path]:
            read(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
