"""Speed of a view as arrays, beside the same through CSV.

    python data_view.py FILE [--harness PROGRAM] [--repeat N]

FILE is any training data, such as `.games` of `harness data generate`. Three ways from it to arrays
of pieces, scores and results:

- `tench.view`, and its `boards()`;
- `harness data view FILE -o x.csv`, `pandas.read_csv`, and the pieces from the FEN in NumPy;
- the same file as `.marlin`, mapped: what a second look costs.

The ways alternate; the medians and their ratio are printed, and the arrays are compared.
"""

import argparse
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
    command = [harness, "--quiet", "data", "view", source, "-o", path]
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


def seconds(work) -> float:
    began = time.perf_counter()
    for column in work():
        column.sum(dtype=np.int64)
    return time.perf_counter() - began


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
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(args.repeat):
            for way, work in ways.items():
                times[way].append(seconds(work))
        medians = {way: statistics.median(all_of_them) for way, all_of_them in times.items()}
        for way, median in medians.items():
            print(f"{way:36} {median:9.4f} s {len(ours[1]) / median / 1e6:9.2f} million/s")
        first, second, third, fourth = medians.values()
        print(f"view / CSV: {second / first:.1f} times as fast; mapped: {fourth / third:.0f} times")


if __name__ == "__main__":
    main()
