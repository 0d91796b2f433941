"""A match and an SPRT between two engines, with events, frames and a plot.

python match_and_sprt.py [ENGINE]
"""

import sys

import tench


def main(opponent: str) -> None:
    # The linked engine plays in this process; the other is any UCI engine, here with a handicap.
    weak = tench.Engine(opponent, name="weak", options={"Skill Level": 0}, limit="depth=1")

    def follow(event: dict) -> None:
        if event["event"] == "game_ended":
            print(f"{event['white']} - {event['black']}: {event['result']} ({event['reason']})")

    outcome = tench.match("builtin", weak, nodes=2000, games=6, on_event=follow)
    print(outcome, outcome.pentanomial, outcome.terminations, sep="\n")
    print(outcome.games[0].pgn)

    frame = outcome.to_frame()
    print(frame.groupby("termination")["plies"].mean())

    # Nothing is lost: every run is in the ledger, with its page and its PGN.
    print(outcome.folder / "report.html")
    assert tench.load(outcome.run).wins == outcome.wins

    test = tench.sprt("builtin", weak, nodes=2000, elo0=0, elo1=150, alpha=0.1, beta=0.1)
    print(test.verdict, test.llr)
    test.plot().figure.savefig("llr.png")
    assert test.verdict == "accepted"


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["stockfish"]))
