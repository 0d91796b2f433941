"""Speed of a view as arrays, beside the same through CSV.

    python data_view.py FILE [--harness PROGRAM] [--repeat N]

FILE is any training data, such as `.games` of `harness data generate`. Three ways from it to arrays
of pieces, scores and results:

- `tench.view`, and its `boards()`;
- `harness data view FILE -o x.csv`, `pandas.read_csv`, and the pieces from the FEN in NumPy;
- the same file as `.marlin`, mapped: what a second look costs.

The ways alternate; medians of their CPU time (of all threads and of `harness`) and of their wall
time are printed, and the arrays are compared.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas

import tench

PIECES = np.zeros(128, np.int8)
for code, letters in enumerate(("Pp", "Nn", "Bb", "Rr", "Qq", "Kk"), 1):
    PIECES[ord(letters[0])], PIECES[ord(letters[1])] = code, -code
EMPTY = {str(count): "." * count for count in range(1, 9)}


def by_view(source: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    view = tench.view(source)
    return view.boards(), view.scores, view.results


def by_csv(source: Path, folder: Path, harness: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    path = folder / "view.csv"
    command = [harness, "-q", "data", "view", source, "-o", path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    frame = pandas.read_csv(path)
    return boards_of_fens(frame["fen"]), frame["score"].to_numpy(), frame["result"].to_numpy()


def boards_of_fens(fens: pandas.Series) -> np.ndarray:
    """The pieces by square, as vectorised as NumPy and pandas allow."""
    drawn = fens.str.split(" ", n=1).str[0].str.replace("/", "", regex=False)
    for digit, dots in EMPTY.items():
        drawn = drawn.str.replace(digit, dots, regex=False)
    letters = np.frombuffer("".join(drawn).encode(), np.uint8).reshape(-1, 8, 8)
    return PIECES[letters[:, ::-1, :]].reshape(-1, 64)


def by_map(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The labels of a mapped file; summed up, so that every page is read."""
    view = tench.View.open(path)
    return view.scores, view.results


def by_csv_again(path: Path) -> tuple[np.ndarray, np.ndarray]:
    frame = pandas.read_csv(path, usecols=["score", "result"])
    return frame["score"].to_numpy(), frame["result"].to_numpy()


def cpu() -> float:
    """CPU seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def seconds(work) -> tuple[float, float]:
    """CPU and wall time."""
    began, began_cpu = time.perf_counter(), cpu()
    for column in work():
        column.sum(dtype=np.int64)
    return cpu() - began_cpu, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--harness", default="harness")
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = by_view(args.file), by_csv(args.file, folder, args.harness)
        assert np.array_equal(ours[0], theirs[0]), "the pieces differ"
        assert np.array_equal(ours[1], theirs[1]), "the scores differ"
        assert np.array_equal(ours[2] / 2, theirs[2]), "the results differ"
        print(f"{len(ours[1]):,} positions of {args.file}")

        marlin, csv = folder / "view.marlin", folder / "view.csv"
        tench.view(args.file).save(marlin)
        ways = {
            "view, boards, scores, results": lambda: by_view(args.file),
            "the same through CSV": lambda: by_csv(args.file, folder, args.harness),
            "scores and results, .marlin mapped": lambda: by_map(marlin),
            "the same of the CSV": lambda: by_csv_again(csv),
        }
        times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(args.repeat):
            for way, work in ways.items():
                times[way].append(seconds(work))
        medians = [
            [statistics.median(column) for column in zip(*all_of_them, strict=True)]
            for all_of_them in times.values()
        ]
        print(f"{'':36} {'CPU s':>9} {'wall s':>9} {'million a CPU-second':>21}")
        for way, (busy, wall) in zip(ways, medians, strict=True):
            rate = len(ours[1]) / max(busy, 1e-3) / 1e6
            print(f"{way:36} {busy:9.3f} {wall:9.3f} {rate:21.2f}")
        for name, first, second in (("view", 0, 1), ("mapped", 2, 3)):
            by_cpu, by_wall = (
                b / max(a, 1e-3) for a, b in zip(medians[first], medians[second], strict=True)
            )
            print(f"{name}: {by_cpu:.1f} times as fast by CPU time, {by_wall:.1f} by wall time")


if __name__ == "__main__":
    main()
