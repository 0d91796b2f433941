"""Keywords as the flags of the command of the same name."""

from collections.abc import Mapping, Sequence

# Flags that are given once for each pattern.
PATTERNS = {"pgn_lines"}


def words(flags: Mapping[str, object]) -> list[str]:
    """The flags of a command line.

    `None` and `False` leave a flag out, `True` sets it; a mapping becomes a flag for each entry, a
    list one flag with its values between commas; of patterns, which may have commas, a flag each.

    >>> words({"nodes": 500, "no_swap": True, "tc": None, "option": {"new.Hash": 16}})
    ['--nodes=500', '--no-swap', '--option=new.Hash=16']
    >>> words({"pgn_comments": ["eval", "clk"], "pgn_lines": ["a{1,2}", "b"]})
    ['--pgn-comments=eval,clk', '--pgn-lines=a{1,2}', '--pgn-lines=b']
    """
    found = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            found.append(flag)
        elif isinstance(value, Mapping):
            found.extend(f"{flag}={key}={text(one)}" for key, one in value.items())
        elif isinstance(value, Sequence) and not isinstance(value, str) and name in PATTERNS:
            found.extend(f"{flag}={text(one)}" for one in value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            found.append(f"{flag}={','.join(text(one) for one in value)}")
        else:
            found.append(f"{flag}={text(value)}")
    return found


def text(value: object) -> str:
    """A value as UCI and the command line write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
