#!/usr/bin/env python3
"""Draws what the assistant is tested with, by a seed.

    cd harness/tests/assistant
    python3 draw.py names --half work --seed 1 > names_work.tsv
    python3 draw.py names --half held-out --seed 2311 > names.tsv
    python3 draw.py sentences --seed 1 pool.tsv > sentences_work.tsv
    python3 draw.py sentences --seed 2311 --every-second final.tsv > sentences.tsv

`names`: 500 names of the list of openings, of those that a change by sound fits, each misspelt by two edits and
by sound, for a sentence of `frames.txt`. A line is the kind, the misspelt name, the name and the sentence. One
half of the names and of the sentences is to work with; by the other nothing is chosen.

`sentences`: the sentences of a file with typing errors: in lower case, with few signs, and with slips of the
fingers in one or two words. A line is the sentence, its intent and its slots in JSON. `--every-second`
takes the first of each two lines: the others of `final.tsv` and `dev.tsv` have errors of their own.
"""

import argparse
import csv
import pathlib
import random
import string

COUNT = 500
HERE = pathlib.Path(__file__).parent
LIST = HERE.parents[1] / "crates/games/src/eco.tsv"

# Halves are the same whatever the seed of a drawing.
SPLIT = 23

# As somebody writes it who has only heard it.
SOUNDS = [
    ("ph", "f"), ("ck", "k"), ("c", "k"), ("ie", "ee"), ("y", "i"), ("sch", "sh"), ("tz", "ts"),
    ("ll", "l"), ("nn", "n"), ("tt", "t"), ("ss", "s"), ("kn", "n"), ("v", "f"), ("z", "s"),
    ("ei", "ai"), ("ou", "oo"), ("qu", "kw"), ("x", "ks"), ("th", "t"), ("ee", "ea"),
]

# Neighbours on a keyboard.
ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]


def edited(text, rng, edits=2):
    """Edits of letters: one dropped, doubled, changed for another or for its neighbour."""
    letters = list(text.lower())
    for _ in range(edits):
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


def fitting(text):
    """The changes by sound that a name allows."""
    return [change for change in SOUNDS if change[0] in text.lower()]


def respelt(text, rng):
    """Three of the changes by sound, or as many as fit."""
    text = text.lower().replace("-", " ")
    changes = fitting(text)
    for old, new in rng.sample(changes, min(3, len(changes))):
        text = text.replace(old, new, 1)
    return text


def letters(text):
    """A name as names are compared: without capitals, spaces and signs."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def misspelt(name, change, rng):
    """A name changed; drawn again where two edits undo each other."""
    while letters(changed := change(name, rng)) == letters(name):
        pass
    return changed


def half(items, which):
    """The same half of a list for each seed."""
    items = sorted(items)
    random.Random(SPLIT).shuffle(items)
    middle = len(items) // 2
    return items[middle:] if which == "held-out" else items[:middle]


def names(which, rng):
    with LIST.open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    frames = half((HERE / "frames.txt").read_text(encoding="utf-8").splitlines(), which)
    known = half({row[1] for row in rows[1:]}, which)
    chosen = rng.sample([name for name in known if fitting(name)], COUNT)
    for kind, change in [("two edits", edited), ("by sound", respelt)]:
        for index, name in enumerate(chosen):
            changed = misspelt(name, change, rng)
            # Every second sentence is the commonest one.
            frame = "play the {}" if index % 2 == 0 else rng.choice(frames)
            print(kind, changed, name, frame, sep="\t")


def slip(word, rng):
    """One slip of the fingers in a word."""
    at = rng.randrange(len(word) - 1)
    letter = word[at]
    row = next((row for row in ROWS if letter.lower() in row), None)
    kind = rng.randrange(4)
    if kind == 0 and len(word) > 3:
        return word[:at] + word[at + 1:]
    if kind == 1 and row:
        place = row.index(letter.lower())
        near = [row[other] for other in (place - 1, place + 1) if 0 <= other < len(row)]
        return word[:at] + rng.choice(near) + word[at + 1:]
    if kind == 2:
        return word[:at] + letter + word[at:]
    return word[:at] + word[at + 1] + letter + word[at + 2:]


def typed(sentence, rng):
    """A sentence in haste: lower case, few signs, slips in one or two of its plain words."""
    words = sentence.lower().replace("'", "").replace(",", "").rstrip("?!.").split()
    plain = [index for index, word in enumerate(words) if word.isalpha() and len(word) > 2]
    for index in rng.sample(plain, min(len(plain), 1 + (len(words) > 4))):
        words[index] = slip(words[index], rng)
    return " ".join(words)


def sentences(file, step, rng):
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    for line in lines[::step]:
        sentence, intent, slots = line.split("\t")
        print(typed(sentence, rng), intent, slots, sep="\t")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    of_names, of_sentences = kinds.add_parser("names"), kinds.add_parser("sentences")
    of_names.add_argument("--half", choices=["work", "held-out"], required=True)
    of_sentences.add_argument("file")
    of_sentences.add_argument("--every-second", action="store_true")
    for kind in [of_names, of_sentences]:
        kind.add_argument("--seed", type=int, required=True)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    if asked.kind == "names":
        names(asked.half, rng)
    else:
        sentences(asked.file, 2 if asked.every_second else 1, rng)


if __name__ == "__main__":
    main()
