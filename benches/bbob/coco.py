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


def optimum_value(of, dimension):
    """COCO shows it only in what it writes to a file of this name in the working folder."""
    return of.best_observed_fvalue1 if hasattr(of, "best_observed_fvalue1") else None


def points(function, instance, dimension, count):
    """A third within [-5, 5], a third beyond, a third near the middle."""
    random = np.random.default_rng([function, instance, dimension])
    width = np.repeat([5.0, 8.0, 1.0], [count - 2 * (count // 3), count // 3, count // 3])
    return random.uniform(-1, 1, (count, dimension)) * width[:, None]


def check(arguments):
    pairs = [(i, d) for d in arguments.dimensions for i in arguments.instances]
    print("| function | largest relative error | D | instance | to abs(f - f_opt) + abs(f_opt) | at the optimum | bits equal |")
    print("|---|---|---|---|---|---|---|")
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
            at_optimum = abs(coco(optimum) - f_opt)
            del suite
            error = np.abs(ours - theirs)
            relative = error / np.abs(theirs)
            to_parts = error / (np.abs(theirs - f_opt) + abs(f_opt))
            equal, total = equal + np.sum(error == 0), total + len(x)
            rows.append((relative.max(), dimension, instance, to_parts.max(), at_optimum))
            if arguments.verbose and relative.max() > 1e-12:
                i = relative.argmax()
                print(function, instance, dimension, ours[i], theirs[i], f_opt, file=sys.stderr)
        process.stdin.close()
        process.wait()
        largest = max(rows)
        parts, optimum = max(row[3] for row in rows), max(row[4] for row in rows)
        worst = max(worst, parts)
        print(f"| f{function} | {largest[0]:.1e} | {largest[1]} | {largest[2]} | {parts:.1e} | {optimum:.1e} | {equal / total:.0%} |", flush=True)
    return worst <= 1e-12


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


if __name__ == "__main__":
    main()
