"""Test suites: two engines side by side, and what only one of them solves.

python suites.py [ENGINE]
"""

import sys

import tench


def main(other: str) -> None:
    outcome = tench.suite("bk", "builtin", other, nodes=10_000)
    frame = outcome.to_frame()
    solved = frame.pivot(index="id", columns="engine", values="solved")
    print(solved.sum())
    print(solved[solved["builtin"] != solved[other]])

    # The same positions, so the p-value is that of a paired test.
    gained = int((solved[other] & ~solved["builtin"]).sum())
    lost = int((solved["builtin"] & ~solved[other]).sum())
    print(f"{gained} gained, {lost} lost, p = {tench.mcnemar(gained, lost):.2f}")
    assert len(solved) == outcome.positions == 24


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["stockfish"]))
