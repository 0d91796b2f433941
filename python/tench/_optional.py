"""Packages that are imported only when they are used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas


def needed(package: str, extra: str) -> Any:
    """The package; an error that says how to install it if it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        hint = f"this needs {package}: pip install 'tench-harness[{extra}]'"
        raise ImportError(hint) from error


def new_axes() -> "matplotlib.axes.Axes":
    """Axes of a figure of their own."""
    axes: matplotlib.axes.Axes = needed("matplotlib.pyplot", "plots").subplots()[1]
    return axes


def new_frame(data: Any) -> "pandas.DataFrame":
    """A frame of rows or columns."""
    frame: pandas.DataFrame = needed("pandas", "frames").DataFrame(data)
    return frame
