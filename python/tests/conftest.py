"""Every test runs in an empty folder of its own, where its runs are kept."""

import os
from pathlib import Path

import pytest

STOCKFISH = "/usr/games/stockfish"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def stockfish() -> str:
    if not os.access(STOCKFISH, os.X_OK):
        skip = pytest.fail if "NO_SKIPPED_TESTS" in os.environ else pytest.skip
        skip("Debian's stockfish is not installed")
    return STOCKFISH
