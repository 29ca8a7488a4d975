"""Lists of algorithms, problems and devices."""

from __future__ import annotations

from typing import Any

from . import _native


class _Table(dict[str, dict[str, Any]]):
    """Descriptions by name."""

    _column = "title"

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:<{width}}  {about[self._column]}" for name, about in self.items())


class Algorithms(_Table):
    """Algorithms by name: `title`, `source`, `presets`, and `parameters` with `meaning`, `range` and `default`."""


class Problems(_Table):
    """Problems by name: `formula`, `source`, `dimensions` and `constraints`."""

    _column = "formula"


class Devices(list[dict[str, Any]]):
    """GPUs: `name`, `memory` in bytes, `compute_capability`, `multiprocessors`; `reason` says why none can be used."""

    reason: str | None = None

    def __repr__(self) -> str:
        lines = [
            f"cuda:{number}  {device['name']}, {device['memory'] / 2**30:.0f} GiB, compute capability {{}}.{{}}".format(
                *device["compute_capability"]
            )
            for number, device in enumerate(self)
        ]
        if self.reason is not None:
            lines.append(f"no GPU can be used: {self.reason}")
        return "\n".join(lines)


def algorithms() -> Algorithms:
    """All algorithms, the default first."""
    return Algorithms((about.pop("name"), about) for about in _native.algorithms())


def problems() -> Problems:
    """All built-in problems except the BBOB suite (`bbob-f1` to `bbob-f24`)."""
    return Problems((about.pop("name"), about) for about in _native.problems())


def devices() -> Devices:
    """The GPUs of this machine."""
    found = _native.system()
    out = Devices(found["devices"])
    out.reason = found["gpu"]
    return out
