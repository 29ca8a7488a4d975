"""Files from which a search goes on, and what is written in them."""

from __future__ import annotations

import json
import math
import os
from typing import Any, SupportsFloat, Union

from . import _settings
from ._native import Search

File = Union[str, os.PathLike[str]]

# With which checkpoints begin.
_MAGIC = b"warpswarm state\n"


def text(kind: str, about: dict[str, Any]) -> str:
    """What is written with a state: which function has written it, and what is needed to go on."""
    return json.dumps({"pywarpswarm": 1, "kind": kind, **about})


def about(path: File) -> tuple[str, dict[str, Any]]:
    """Which function has written a checkpoint, and what it has written with it."""
    written = Search.about(os.fspath(path))[0]
    try:
        said = json.loads(written)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.pop("pywarpswarm", None) != 1:
        raise ValueError(
            f"{os.fspath(path)} was not written by pywarpswarm; allowed: a file of minimize, maximize or Optimizer.save "
            "(one of the program: `warpswarm resume`)"
        )
    return said.pop("kind"), said


def path_to_write(given: File) -> str:
    """A path at which a checkpoint may be written: what is there already is none but an earlier one."""
    path = os.path.abspath(os.fspath(given))
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"checkpoint is {os.fspath(given)!r}, and there is no folder {folder}")
    if os.path.exists(path):
        with open(path, "rb") as file:
            begin = file.read(len(_MAGIC))
        if begin not in (b"", _MAGIC):
            raise FileExistsError(f"checkpoint is {os.fspath(given)!r}, which is a file of another kind")
    return path


def seconds(every: SupportsFloat) -> float:
    """Seconds between two checkpoints."""
    number = float(every)
    if math.isnan(number) or number < 0:
        raise ValueError(f"checkpoint_every is {number}; allowed: seconds, from 0 on")
    return number


def with_limits(settings: str, *, device: str | None, threads: Any, target: Any, stagnation: Any, **limits: Any) -> str:
    """Settings with other limits: a limit of iterations, evaluations or seconds takes the place of all three."""
    out: dict[str, Any] = json.loads(settings)
    stop = out["stop"]
    new = _settings.stop(target=target, stagnation=stagnation, **limits)
    if any(name in new for name in ("iterations", "evaluations", "seconds")):
        for name in ("iterations", "evaluations", "seconds"):
            stop.pop(name, None)
    stop.update(new)
    if device is not None:
        out.pop("devices", None)
        out.update(_settings.backend(device))
    if threads is not None:
        out["threads"] = _settings.whole("threads", threads)
    return json.dumps(out)
