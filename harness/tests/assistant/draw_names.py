#!/usr/bin/env python3
"""Draws 500 names of the list of openings and misspells each in two ways: by two random edits, and by
sound. The test of the assistant's names reads the result.

    python3 harness/tests/assistant/draw_names.py > harness/tests/assistant/names.tsv
"""

import csv
import pathlib
import random
import string

COUNT = 500
LIST = pathlib.Path(__file__).parents[2] / "src/data/eco.tsv"

# As somebody writes it who has only heard it.
SOUNDS = [
    ("ph", "f"), ("ck", "k"), ("c", "k"), ("ie", "ee"), ("y", "i"), ("sch", "sh"), ("tz", "ts"),
    ("ll", "l"), ("nn", "n"), ("tt", "t"), ("ss", "s"), ("kn", "n"), ("v", "f"), ("z", "s"),
    ("ei", "ai"), ("ou", "oo"), ("qu", "kw"), ("x", "ks"), ("th", "t"), ("ee", "ea"),
]


def edited(name, rng):
    """Two edits of letters: one dropped, doubled, changed for another or for its neighbour."""
    letters = list(name.lower())
    for _ in range(2):
        at = rng.choice([index for index, letter in enumerate(letters) if letter.isalpha()])
        kind = rng.randrange(4)
        if kind == 0:
            del letters[at]
        elif kind == 1:
            letters.insert(at, letters[at])
        elif kind == 2 or at + 1 == len(letters):
            letters[at] = rng.choice(string.ascii_lowercase)
        else:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def respelt(name, rng):
    """Three of the changes by sound, where they fit."""
    text = name.lower().replace("-", " ")
    fitting = [change for change in SOUNDS if change[0] in text]
    for old, new in rng.sample(fitting, min(3, len(fitting))):
        text = text.replace(old, new, 1)
    return text


def main():
    with LIST.open(encoding="utf-8") as file:
        names = sorted({row[1] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)} - {"name"})
    rng = random.Random(23)
    chosen = rng.sample(names, COUNT)
    for kind, change in [("two edits", edited), ("by sound", respelt)]:
        for name in chosen:
            print(kind, change(name, rng), name, sep="\t")


if __name__ == "__main__":
    main()
