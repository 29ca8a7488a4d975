"""Checkpoint files, and the description of the search that they contain."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat, Union

from . import _settings
from ._native import Problem, Search

File = Union[str, os.PathLike[str]]

# The first bytes of each checkpoint.
_MAGIC = b"warpswarm state\n"


def text(kind: str, about: dict[str, Any]) -> str:
    """The text that is saved with a state: which function wrote it, and all that is needed to continue."""
    return json.dumps({"pywarpswarm": 1, "kind": kind, **about})


def about(path: File) -> tuple[str, dict[str, Any]]:
    """Which function wrote a checkpoint, and the description of the search that it saved."""
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


def started(
    objective: Problem | Callable[..., Any] | None,
    about: dict[str, Any],
    from_file: File | None = None,
    on_device: bool = False,
) -> Search:
    """Creates the search that `about` describes, perhaps from a checkpoint.

    Without an objective, the search is for ask and tell. With `on_device`, the objective is a function of points on a
    GPU.
    """
    return Search(
        objective,
        None if about["bounds"] is None else tuple(about["bounds"]),
        about["begin"],
        about["algorithm"],
        about["settings"],
        about["precision"] == "float32",
        from_file,
        _settings.as_runs(about["runs"]),
        on_device,
    )


def path_to_write(given: File) -> str:
    """The absolute path of a checkpoint; an error if another kind of file is already there."""
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


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """Keeps other runs, also those of the program, from writing this checkpoint: all lock the same file beside it."""
    # `fcntl` does not exist on Windows.
    import fcntl

    place = os.path.realpath(path)
    lock = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.warpswarm-lock")
    while True:
        try:
            file = os.open(lock, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        except OSError:
            # The error is reported when the checkpoint is written.
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise BlockingIOError(f"checkpoint is {path!r}, where another run is writing") from None
        except OSError:
            # The file system has no locks.
            pass
        # The previous owner may have removed the file meanwhile; a lock on a removed file has no effect, so try again.
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(file), os.stat(lock)):
                break
        os.close(file)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.remove(lock)
        os.close(file)


def seconds(every: SupportsFloat) -> float:
    """Seconds between two checkpoints."""
    number = float(every)
    if math.isnan(number) or number < 0:
        raise ValueError(f"checkpoint_every is {number}; allowed: seconds, from 0 on")
    return number


def with_limits(settings: str, *, device: str | None, threads: Any, target: Any, stagnation: Any, **limits: Any) -> str:
    """Settings with other limits. A new limit of iterations, evaluations or seconds replaces all three old ones."""
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
