"""Code shared by the peers on the GPU: cases, options, and the time measurement of an iteration.

Each peer is a program: `python3 jax_pso.py [--quick] [--only CASE,CASE] [--budget SECONDS]`. It prints a line for each
case, `system case individuals dimensions iterations seconds iterations/s best  # remarks`, with `~` before a number of
iterations that is smaller than requested. `--cpu` runs small cases on the CPU, to test the programs.
`cargo xtask bench gpu` runs all of them.
"""

import argparse
import os
import statistics
import sys
import time
from typing import NamedTuple

# Packages that are copied with this folder, because the machine may have no network. Installed packages take
# precedence.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "site"))


class Case(NamedTuple):
    name: str
    individuals: int
    dimensions: int
    iterations: int
    # The number of iterations in one call.
    block: int
    objective: str
    # The number of independent runs.
    runs: int

    @property
    def bounds(self):
        """The bounds are not symmetric; otherwise clamped particles would hit the optimum by accident."""
        reach = 100.0 if self.objective == "sphere" else 5.12
        return -reach, 0.9 * reach

    @property
    def coordinates(self):
        return self.individuals * self.dimensions * self.runs


CASES = [
    Case("n64k_d2", 65536, 2, 10000, 1000, "sphere", 1),
    Case("n1k_d2", 1024, 2, 10000, 1000, "sphere", 1),
    Case("n32_d2", 32, 2, 10000, 1000, "sphere", 1),
    Case("n768_d30", 768, 30, 1000, 100, "rastrigin", 1),
    Case("n64k_d30", 65536, 30, 1000, 100, "rastrigin", 1),
    Case("n1m_d100", 1048576, 100, 100, 10, "rastrigin", 1),
    Case("batch1000", 64, 10, 1000, 100, "rastrigin", 1000),
]
ON_THE_CPU = [
    Case("n64k_d2", 512, 2, 40, 20, "sphere", 1),
    Case("n32_d2", 32, 2, 40, 20, "sphere", 1),
    Case("n768_d30", 64, 30, 40, 20, "rastrigin", 1),
    Case("batch1000", 16, 10, 40, 20, "rastrigin", 8),
]

_parser = argparse.ArgumentParser()
_parser.add_argument("--quick", action="store_true", help="one repeat, a tenth of the iterations")
_parser.add_argument("--cpu", action="store_true", help="small cases on the CPU")
_parser.add_argument("--only", default="", help="names of cases, with commas between them")
_parser.add_argument("--budget", type=float, default=90.0, help="seconds for the whole program")
_parser.add_argument("--cap", type=float, default=6.0, help="timed seconds for a case and repeat")
OPTIONS = _parser.parse_args()
_START = time.perf_counter()


def left():
    """The remaining seconds of the budget."""
    return OPTIONS.budget - (time.perf_counter() - _START)


def cases():
    """The requested cases."""
    only = set(filter(None, OPTIONS.only.split(",")))
    for case in ON_THE_CPU if OPTIONS.cpu else CASES:
        if only and case.name not in only:
            continue
        if OPTIONS.quick and not OPTIONS.cpu:
            case = case._replace(iterations=max(case.iterations // 10, case.block))
        yield case


def say(line):
    print(line, flush=True)


def measure(system, case, make):
    """Measures a case and prints its line. `make()` returns functions: reset, run a block, wait, and best value."""
    if left() < 8:
        say(f"# skip {system} {case.name}: its time was over")
        return
    try:
        reset, run, wait, best = make()
        start = time.perf_counter()
        reset()
        run()
        wait()
        first = time.perf_counter() - start
        run()
        wait()
        start = time.perf_counter()
        run()
        wait()
        probe = time.perf_counter() - start
        blocks, mark = max(1, case.iterations // case.block), ""
        cap = min(OPTIONS.cap, max(0.5, left() / 4))
        if blocks * probe > cap:
            blocks, mark = max(1, int(cap / probe)), "~"
        once = OPTIONS.quick or 3 * blocks * probe > 2 * cap or left() < 15
        times = []
        for _ in range(1 if once else 3):
            reset()
            wait()
            start = time.perf_counter()
            for _ in range(blocks):
                run()
            wait()
            times.append(time.perf_counter() - start)
        seconds, iterations = statistics.median(times), blocks * case.block
        individuals = f"{case.individuals}{f'x{case.runs}' if case.runs > 1 else ''}"
        say(
            f"{system} {case.name} {individuals} {case.dimensions} {mark}{iterations} {seconds:.6f} "
            f"{iterations / seconds:.1f} {float(best()):.6g}  # first call {first:.1f} s, {len(times)} timed"
        )
    except Exception as error:  # Out of memory, unsupported, or a compile error.
        text = (str(error).splitlines() or [""])[0][:160]
        say(
            f"{system} {case.name} {case.individuals} {case.dimensions} {case.iterations} FAILED "
            f"{type(error).__name__}: {text}"
        )
