"""The process that ends the engines if this one is killed.

It is a second Python that loads nothing but the compiled module, and starts with the first engine.
"""

import sys

from . import _tench

_SERVE = """\
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.ExtensionFileLoader("_tench", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("_tench", loader))
loader.exec_module(module)
module.serve_warden(sys.argv[-1])
"""


def install() -> None:
    """Names the command; an interpreter inside another program has none."""
    if sys.executable:
        _tench.use_warden(sys.executable, ["-I", "-S", "-c", _SERVE, _tench.__file__])
