#!/usr/bin/env python3
"""Prints what is in a binpack, a line of JSON a position, with the rules of python-chess.

    pip install chess
    python3 harness/tests/binpack_reader.py FILE.binpack

Written from the description of the format (Stockfish's tools branch, nnue_training_data_formats.h), and
with nothing of the harness: what the harness writes has to be legible to others.
"""

import json
import struct
import sys

import chess

ROLES = [chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING]
PROMOTIONS = [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def signed(number):
    """The lowest bit is the sign."""
    number = (number >> 1) | (number & 1) << 15
    if number & 0x8000:
        number ^= 0x7FFF
    return number - 0x10000 if number & 0x8000 else number


class Bits:
    """Bits, the highest of a byte first."""

    def __init__(self, data, at):
        self.data, self.at = data, 8 * at

    def take(self, count):
        number = 0
        for _ in range(count):
            number = number << 1 | self.data[self.at // 8] >> 7 - self.at % 8 & 1
            self.at += 1
        return number

    def below(self, choices):
        return self.take((choices - 1).bit_length())

    def score(self):
        number = shift = 0
        while True:
            block = self.take(5)
            number |= (block & 15) << shift
            shift += 4
            if not block & 16:
                return signed(number & 0xFFFF)


def board_of(stem):
    (occupied,) = struct.unpack(">Q", stem[:8])
    board = chess.Board(None)
    board.turn = chess.WHITE
    for number, square in enumerate(chess.scan_forward(occupied)):
        code = stem[8 + number // 2] >> 4 * (number % 2) & 15
        if code == 12:
            color = square < chess.A5
            piece = chess.Piece(chess.PAWN, color)
            board.ep_square = square + (-8 if color else 8)
        elif code in (13, 14):
            piece = chess.Piece(chess.ROOK, code == 13)
            board.castling_rights |= chess.BB_SQUARES[square]
        elif code == 15:
            piece = chess.Piece(chess.KING, chess.BLACK)
            board.turn = chess.BLACK
        else:
            piece = chess.Piece(ROLES[code // 2], code % 2 == 0)
        board.set_piece_at(square, piece)
    return board


def stem_move(board, number):
    kind, origin, target = number >> 14, number >> 8 & 63, number >> 2 & 63
    if kind == 1:
        return chess.Move(origin, target, promotion=PROMOTIONS[number & 3])
    if kind == 2:
        file = 6 if target > origin else 2
        return chess.Move(origin, chess.square(file, origin // 8))
    return chess.Move(origin, target)


def next_move(board, bits):
    pieces = list(chess.scan_forward(board.occupied_co[board.turn]))
    origin = pieces[bits.below(len(pieces))]
    role = board.piece_type_at(origin)
    ours, theirs = board.occupied_co[board.turn], board.occupied_co[not board.turn]
    if role == chess.PAWN:
        # The square is there only when a pawn can take.
        passing = chess.BB_SQUARES[board.ep_square] if board.has_legal_en_passant() else 0
        targets = int(board.attacks(origin)) & (theirs | passing)
        step = 8 if board.turn else -8
        if not board.piece_at(origin + step):
            targets |= chess.BB_SQUARES[origin + step]
            if origin // 8 == (1 if board.turn else 6) and not board.piece_at(origin + 2 * step):
                targets |= chess.BB_SQUARES[origin + 2 * step]
        targets = list(chess.scan_forward(targets))
        if origin // 8 == (6 if board.turn else 1):
            choice = bits.below(4 * len(targets))
            return chess.Move(origin, targets[choice // 4], promotion=PROMOTIONS[choice % 4])
        return chess.Move(origin, targets[bits.below(len(targets))])
    targets = list(chess.scan_forward(int(board.attacks(origin)) & ~ours))
    if role != chess.KING:
        return chess.Move(origin, targets[bits.below(len(targets))])
    rank = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rooks = list(chess.scan_forward(board.clean_castling_rights() & rank))
    choice = bits.below(len(targets) + len(rooks))
    if choice < len(targets):
        return chess.Move(origin, targets[choice])
    rook = rooks[choice - len(targets)]
    return chess.Move(origin, chess.square(6 if rook > origin else 2, origin // 8))


def chain(data, at):
    stem = data[at : at + 32]
    board = board_of(stem)
    move, score, ply, board.halfmove_clock = struct.unpack(">HHHH", stem[24:])
    move, score = stem_move(board, move), signed(score)
    ply, result = ply & 0x3FFF, signed(ply >> 14)
    board.fullmove_number = 1 + ply // 2
    (count,) = struct.unpack(">H", data[at + 32 : at + 34])
    bits = Bits(data, at + 34)
    for left in reversed(range(count + 1)):
        assert board.is_valid() and move in board.legal_moves, (board.fen(), move)
        yield {
            "fen": board.fen(en_passant="legal"),
            "move": move.uci(),
            "score": None if score == 32002 else score,
            "result": result,
            "ply": ply,
        }
        board.push(move)
        result, ply = -result, ply + 1
        if left:
            move = next_move(board, bits)
            score = (-score + bits.score() + 0x8000) % 0x10000 - 0x8000
    return (bits.at + 7) // 8


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        assert data[at : at + 4] == b"BINP", at
        (size,) = struct.unpack("<I", data[at + 4 : at + 8])
        at += 8
        end = at + size
        while at < end:
            records = chain(data, at)
            while True:
                try:
                    print(json.dumps(next(records)))
                except StopIteration as ended:
                    at = ended.value
                    break
        assert at == end, (at, end)


if __name__ == "__main__":
    main()
