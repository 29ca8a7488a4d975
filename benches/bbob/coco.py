#!/usr/bin/env python3
"""Compares the BBOB functions with COCO's own code, of the package coco-experiment.

    pip install coco-experiment numpy
    cargo build --release -p warpswarm-benches --bin bbob
    python benches/bbob/coco.py check target/release/bbob            # the largest differences, as a table
    python benches/bbob/coco.py table > crates/host/src/bbob/coco.csv
    python benches/bbob/coco.py time                                 # seconds of an evaluation of COCO's
"""

import argparse
import subprocess
import sys
import time

import cocoex
import numpy as np

FUNCTIONS = range(1, 25)


def problem(function, instance, dimension):
    suite = cocoex.Suite(
        "bbob", f"instances: {instance}", f"function_indices: {function} dimensions: {dimension}"
    )
    found = list(suite.ids())
    assert len(found) == 1, found
    return suite.get_problem(found[0]), suite


def points(function, instance, dimension, count):
    """A third within [-5, 5], a third beyond, a third near the middle."""
    random = np.random.default_rng([function, instance, dimension])
    width = np.repeat([5.0, 8.0, 1.0], [count - 2 * (count // 3), count // 3, count // 3])
    return random.uniform(-1, 1, (count, dimension)) * width[:, None]


def check(arguments):
    """Good where errors are at most 1e-12, or 10 times what one bit of every coordinate changes in COCO's values."""
    pairs = [(i, d) for d in arguments.dimensions for i in arguments.instances]
    print("| function | largest relative error | D | instance | to abs(f - f_opt) + abs(f_opt) | COCO's change | at the optimum | bits equal |")
    print("|---|---|---|---|---|---|---|---|")
    worst = 0.0
    for function in arguments.functions:
        process = subprocess.Popen([arguments.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        rows, equal, total = [], 0, 0
        for instance, dimension in pairs:
            x = points(function, instance, dimension, arguments.points)
            text = f"{function} {instance} {dimension} {len(x)}\n"
            text += "".join(" ".join(map(repr, point.tolist())) + "\n" for point in x)
            writer_out = process_block(process, text, len(x))
            head, ours = writer_out
            f_opt, optimum = head[0], np.array(head[1:])
            coco, suite = problem(function, instance, dimension)
            theirs = np.array([coco(point) for point in x])
            # How much COCO's own value changes with the last bit of each coordinate.
            changed = np.array([coco(np.nextafter(point, np.inf)) for point in x])
            at_optimum = abs(coco(optimum) - f_opt)
            del suite
            error = np.abs(ours - theirs)
            relative = error / np.abs(theirs)
            parts = np.abs(theirs - f_opt) + abs(f_opt)
            to_parts, change = error / parts, np.abs(changed - theirs) / parts
            equal, total = equal + np.sum(error == 0), total + len(x)
            rows.append((relative.max(), dimension, instance, to_parts.max(), change.max(), at_optimum))
            if arguments.verbose and relative.max() > 1e-12:
                i = relative.argmax()
                print(function, instance, dimension, ours[i], theirs[i], f_opt, file=sys.stderr)
        process.stdin.close()
        process.wait()
        largest = max(rows)
        parts, change, optimum = (max(row[i] for row in rows) for i in [3, 4, 5])
        worst = max(worst, min(parts, 0.1 * parts / change * 1e-12))
        print(f"| f{function} | {largest[0]:.1e} | {largest[1]} | {largest[2]} | {parts:.1e} | {change:.1e} | {optimum:.1e} | {equal / total:.0%} |", flush=True)
    return worst <= 1e-12


def table():
    """Values at points that are computed in the same way in crates/host/src/bbob/tests.rs."""
    print("function,instance,dimensions,value,value")
    for function in FUNCTIONS:
        for dimension in [2, 5, 40]:
            for instance in [1, 2, 7, 15]:
                coco, suite = problem(function, instance, dimension)
                state = function * 1_000_000 + instance * 1000 + dimension
                values = []
                for _ in range(2):
                    x = []
                    for _ in range(dimension):
                        state = (1_103_515_245 * state + 12_345) % 2**31
                        x.append(12.0 * (state / 2**31) - 6.0)
                    values.append(coco(np.array(x)))
                del suite
                print(function, instance, dimension, *map(repr, map(float, values)), sep=",")


def seconds(arguments):
    """Of an evaluation, with what a call from Python takes, which is measured on the sphere in two dimensions."""
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


def process_block(process, text, count):
    import threading

    def write():
        process.stdin.write(text)
        process.stdin.flush()

    writer = threading.Thread(target=write)
    writer.start()
    head = [float(number) for number in process.stdout.readline().split()]
    values = np.array([float(process.stdout.readline()) for _ in range(count)])
    writer.join()
    return head, values


def ranges(text):
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "table", "time"])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--functions", type=ranges, default=list(FUNCTIONS))
    parser.add_argument("--instances", type=ranges, default=ranges("1-15"))
    parser.add_argument("--dimensions", type=ranges, default=[2, 5, 10, 20, 40])
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.what == "check":
        sys.exit(0 if check(arguments) else 1)
    table() if arguments.what == "table" else seconds(arguments)


if __name__ == "__main__":
    main()
