#!/usr/bin/env python3
"""Compares the BBOB functions with COCO's own code, in the package coco-experiment (2.8.2).

    pip install coco-experiment numpy
    cargo build --release -p warpswarm-benches --bin bbob
    python benches/bbob/coco.py check target/release/bbob
    python benches/bbob/coco.py table > crates/host/src/problem/bbob/coco.csv
    python benches/bbob/coco.py time

`check` evaluates 1,000 points of every function, instance and number of dimensions with both, and writes a table with a
row for each function:

* the largest error relative to f, and its place;
* the largest error relative to abs(f - f_opt) + abs(f_opt), because f may be near zero by cancellation of the two;
* the largest change of COCO's own value, relative to the same sum, when the last bit of each coordinate changes;
* the largest difference between COCO's value at our optimum and our f_opt;
* the number of values with the same bits.

It fails if an error of the second kind is above 1e-12 and above four times that change. `table` writes the values for a
test of the library. `time` writes nanoseconds per evaluation, including calls from Python; `target/release/bbob --time`
writes ours.
"""

import argparse
import subprocess
import sys
import threading
import time

import cocoex
import numpy as np


def problem(function, instance, dimension):
    """COCO's problem, and the suite that owns it."""
    options = f"function_indices: {function} dimensions: {dimension}"
    suite = cocoex.Suite("bbob", f"instances: {instance}", options)
    (name,) = suite.ids()
    return suite.get_problem(name), suite


def points(function, instance, dimension, count):
    """Random points: a third within [-5, 5], a third up to 3 outside, and a third near the centre."""
    random = np.random.default_rng([function, instance, dimension])
    width = np.repeat([5.0, 8.0, 1.0], [count - 2 * (count // 3), count // 3, count // 3])
    return random.uniform(-1, 1, (count, dimension)) * width[:, None]


class Ours:
    """The program that evaluates our functions."""

    def __init__(self, program):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True)

    def evaluate(self, function, instance, x):
        """f_opt, the optimum, and the values at points."""
        text = f"{function} {instance} {x.shape[1]} {len(x)}\n"
        text += "".join(" ".join(map(repr, point.tolist())) + "\n" for point in x)
        # The program writes while it reads, so a thread writes its input to avoid a deadlock.
        writer = threading.Thread(target=self.write, args=[text])
        writer.start()
        f_opt, *optimum = map(float, self.process.stdout.readline().split())
        values = [float(self.process.stdout.readline()) for _ in x]
        writer.join()
        return f_opt, np.array(optimum), np.array(values)

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()


def compare(ours, function, instance, dimension, count):
    """The largest errors of both kinds, COCO's own change, its error at the optimum, and the number of equal values."""
    x = points(function, instance, dimension, count)
    f_opt, optimum, values = ours.evaluate(function, instance, x)
    coco, suite = problem(function, instance, dimension)
    theirs = np.array([coco(point) for point in x])
    changed = np.array([coco(np.nextafter(point, np.inf)) for point in x])
    at_optimum = abs(coco(optimum) - f_opt)
    del suite
    error, parts = np.abs(values - theirs), np.abs(theirs - f_opt) + abs(f_opt)
    relative, to_parts = np.max(error / np.abs(theirs)), np.max(error / parts)
    change = np.max(np.abs(changed - theirs) / parts)
    return relative, to_parts, change, at_optimum, np.mean(error == 0)


def check(arguments):
    print("| function | error to f | D | instance | to its parts | COCO's change | at the optimum | bits equal |")
    print("|---|---|---|---|---|---|---|---|")
    ours, is_good = Ours(arguments.program), True
    places = [(d, i) for d in arguments.dimensions for i in arguments.instances]
    for function in arguments.functions:
        found = [compare(ours, function, i, d, arguments.points) for d, i in places]
        relative, to_parts, change, at_optimum, equal = np.transpose(found)
        dimension, instance = places[relative.argmax()]
        print(
            f"| f{function} | {relative.max():.1e} | {dimension} | {instance} | {to_parts.max():.1e} "
            f"| {change.max():.1e} | {at_optimum.max():.1e} | {equal.mean():.0%} |",
            flush=True,
        )
        is_good &= to_parts.max() <= max(1e-12, 4 * change.max()) and at_optimum.max() <= 1e-9
    return is_good


def table():
    """Values at points that crates/host/src/problem/bbob/tests.rs generates in the same way."""
    print("function,instance,dimensions,value,value")
    for function in range(1, 25):
        for dimension in [2, 5, 40]:
            for instance in [1, 2, 7, 15]:
                coco, suite = problem(function, instance, dimension)
                state = function * 1_000_000 + instance * 1000 + dimension
                x = np.empty((2, dimension))
                for place in np.ndindex(x.shape):
                    state = (1_103_515_245 * state + 12_345) % 2**31
                    x[place] = 12.0 * (state / 2**31) - 6.0
                values = [float(coco(point)) for point in x]
                del suite
                print(function, instance, dimension, *map(repr, values), sep=",")


def seconds(arguments):
    print("| function | " + " | ".join(f"D = {d}, ns" for d in arguments.dimensions) + " |")
    print("|---|" + "---|" * len(arguments.dimensions))
    for function in arguments.functions:
        found = []
        for dimension in arguments.dimensions:
            coco, suite = problem(function, 1, dimension)
            x = points(function, 1, dimension, 1000)
            best = float("inf")
            for _ in range(5):
                start = time.perf_counter()
                for point in x:
                    coco(point)
                best = min(best, (time.perf_counter() - start) / len(x))
            del suite
            found.append(f"{1e9 * best:.0f}")
        print(f"| f{function} | " + " | ".join(found) + " |", flush=True)


def ranges(text):
    """Parses numbers such as 1-5,10."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    as_text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_text)
    parser.add_argument("what", choices=["check", "table", "time"])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--functions", type=ranges, default=ranges("1-24"))
    parser.add_argument("--instances", type=ranges, default=ranges("1-15"))
    parser.add_argument("--dimensions", type=ranges, default=[2, 5, 10, 20, 40])
    parser.add_argument("--points", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.what == "check":
        sys.exit(0 if check(arguments) else 1)
    table() if arguments.what == "table" else seconds(arguments)


if __name__ == "__main__":
    main()
