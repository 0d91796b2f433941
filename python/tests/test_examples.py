"""The examples are run as a user runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("example", ["match_and_sprt.py", "suites.py"])
def test_an_example_with_stockfish_runs(example, stockfish):
    runs(example)


@pytest.mark.parametrize(
    "example", ["tune_python_engine.py", "tune_with_optuna.py", "training_data.py"]
)
def test_an_example_runs(example):
    runs(example)


def runs(example: str) -> None:
    environment = {**os.environ, "MPLBACKEND": "agg"}
    command = [sys.executable, EXAMPLES / example]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout
