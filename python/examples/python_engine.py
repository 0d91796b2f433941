"""A UCI engine in Python: one ply of search over values that can be tuned.

It needs python-chess (`pip install chess`). The values are UCI options, in centipawns.
"""

import chess

OPTIONS = {"Knight": 300, "Bishop": 310, "Rook": 500, "Queen": 900, "Mobility": 4}
PIECES = {"Knight": chess.KNIGHT, "Bishop": chess.BISHOP, "Rook": chess.ROOK, "Queen": chess.QUEEN}
MATE = 30_000


def evaluate(board: chess.Board, values: dict[str, int]) -> int:
    """Centipawns for the side that has just moved."""
    if board.is_checkmate():
        return MATE
    us, them = not board.turn, board.turn
    score = 100 * (len(board.pieces(chess.PAWN, us)) - len(board.pieces(chess.PAWN, them)))
    for name, piece in PIECES.items():
        score += values[name] * (len(board.pieces(piece, us)) - len(board.pieces(piece, them)))
    # What hangs is lost to the side that moves next.
    worth = {chess.PAWN: 100, **{piece: values[name] for name, piece in PIECES.items()}}
    hanging = [
        worth.get(board.piece_type_at(square), 0)
        for square in chess.scan_forward(board.occupied_co[us])
        if board.is_attacked_by(them, square) and not board.is_attacked_by(us, square)
    ]
    return score - max(hanging, default=0) - values["Mobility"] * board.legal_moves.count()


def best_move(board: chess.Board, values: dict[str, int]) -> tuple[chess.Move, int]:
    """The move with the best evaluation after it."""
    found = []
    for move in board.legal_moves:
        board.push(move)
        found.append((evaluate(board, values), move.uci()))
        board.pop()
    score, move = max(found)
    return chess.Move.from_uci(move), score


def main() -> None:
    board, values = chess.Board(), dict(OPTIONS)
    while True:
        words = input().split()
        match words:
            case ["uci"]:
                print("id name python-engine")
                for name, value in OPTIONS.items():
                    print(f"option name {name} type spin default {value} min 0 max 2000")
                print("uciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", name, "value", value]:
                values[name] = int(value)
            case ["position", "startpos", *rest]:
                board = chess.Board()
                for move in rest[1:]:
                    board.push_uci(move)
            case ["position", "fen", *rest]:
                board = chess.Board(" ".join(rest[:6]))
                for move in rest[7:]:
                    board.push_uci(move)
            case ["go", *_]:
                move, score = best_move(board, values)
                print(f"info depth 1 score cp {score} pv {move}")
                print(f"bestmove {move}")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
