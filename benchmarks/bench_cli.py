"""CPU time of ``webgrain --help``: median of 20 starts, beside Python's own start. Bar: 0.2 s."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

RUNS = 20


def main() -> None:
    bare = median_cpu([sys.executable, "-c", "pass"])
    full = median_cpu([sys.executable, "-m", "webgrain", "--help"])
    print(f"python -c pass   {bare:.3f} s CPU")
    print(f"webgrain --help  {full:.3f} s CPU  ({full / bare:.1f} x; bar 0.2 s)")


def median_cpu(command: list[str]) -> float:
    return statistics.median(cpu(command) for _ in range(RUNS))


def cpu(command: list[str]) -> float:
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
