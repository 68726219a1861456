#!/usr/bin/env python3
"""How many passes, and how much time, reconstructions take to come near the minimum of their objective.

Every case is simulated, its minimum is found by a long accelerated run, and each method is compared with it:

    python3 bench/convergence/convergence.py --build build/openmp --n 64

Writes OUTPUT/convergence.json and .md, with --plot also OUTPUT/<case>.png. Returns 1 when a claim of
docs/acceleration.md does not hold.
"""

import argparse
import dataclasses
import fnmatch
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import h5py
import numpy

import cases as scans

TARGETS = (0.1, 0.01, 0.001)  # excess (F - F*) / F*
PAIRS = (3e-4, 0.3)  # between these the reported bound is checked


@dataclasses.dataclass
class Method:
    name: str
    reconstruction: dict
    damped: bool = False  # the reference damps the means of slices in cone beam


METHODS = (
    Method("reference", {"acceleration": "none"}, damped=True),
    Method("plain", {"acceleration": "none"}),
    Method("subspace", {"acceleration": "subspace", "coarse_start": False}),
    Method("subspace2", {"acceleration": "subspace", "acceleration_directions": 2, "coarse_start": False}),
    Method("auto", {"acceleration": "subspace"}),
    Method("auto2", {"acceleration": "subspace", "acceleration_directions": 2}),
)


class Programs:
    """The binaries of a build, run with decks that are written as JSON, which is YAML."""

    def __init__(self, build, folder):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.folder = folder

    def run(self, program, name, deck):
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps(deck, indent=1))
        command = [str(self.bin / program), str(path), "--no-progress", "--log-level", "warn"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: returned {done.returncode}\n{done.stderr}{done.stdout}")


def simulate(programs, case, seed=1):
    scan = programs.folder / f"{case.name}_scan.h5"
    programs.run("strata_simulate", f"{case.name}_simulate", scans.simulate_deck(case, str(scan), seed=seed))
    phantom = programs.folder / f"{case.name}_phantom.h5"
    if scans.changed_phantom(case, scan, phantom):
        deck = scans.simulate_deck(case, str(scan), str(phantom), seed)
        programs.run("strata_simulate", f"{case.name}_simulate", deck)
    return str(scan)


def reconstruct(programs, case, scan, name, reconstruction):
    """History and image of a run."""
    output = programs.folder / f"{case.name}_{name}.h5"
    programs.run("strata_recon", f"{case.name}_{name}", scans.recon_deck(case, scan, str(output), reconstruction))
    with h5py.File(output) as file:
        history = {key: file["/history/" + key][:] for key in ("objective", "excess_pct", "seconds", "alpha")}
        return history, file["/recon"][:]


def settings(case, method, passes, stop, seed=0):
    """stop 0: all passes. With a threshold of almost nothing plain runs report their objective, too."""
    chosen = dict(method.reconstruction, max_iterations=passes, stop_threshold_change_pct=0, seed=seed)
    chosen["stop_excess_pct"] = stop or 1e-12
    if method.damped and case.cone and not case.reconstruction.get("positivity_flag"):
        chosen["slice_mean_damping"] = True
    return chosen


def passes_to(excess, target):
    """The first pass after which the excess is at most the target; None: never."""
    below = numpy.nonzero(excess <= target)[0]
    return int(below[0]) + 1 if len(below) else None


def measure(history, lowest):
    objective = history["objective"]
    excess = objective / lowest - 1
    seconds = numpy.cumsum(history["seconds"])
    counts = [passes_to(excess, target) for target in TARGETS]
    bound = history["excess_pct"] / 100 * objective
    checked = (excess > PAIRS[0]) & (excess < PAIRS[1]) & numpy.isfinite(bound)
    ratio = bound[checked] / (objective - lowest)[checked]
    rises = numpy.diff(objective) / objective[1:]
    return {
        "passes": counts,
        "seconds": [None if count is None else float(seconds[count - 1]) for count in counts],
        "seconds_a_pass": float(numpy.median(history["seconds"])),
        "pairs": int(checked.sum()),
        "pairs_bounded": int((ratio >= 1).sum()),
        "largest_rise": float(max(rises.max(initial=0), 0)),
        "last_excess": float(excess[-1]),
        "lowest_alpha": float(history["alpha"][2:].min()) if len(objective) > 2 else None,
        "excess": excess.tolist(),
        "bound": (bound / lowest).tolist(),
    }


def stop_row(history, image, lowest, best):
    excess = history["objective"][-1] / lowest - 1
    return {
        "passes": len(history["objective"]),
        "excess": float(excess),
        "bound": float(history["excess_pct"][-1] / 100),
        "distance": float(numpy.linalg.norm(image - best) / numpy.linalg.norm(best)),
    }


def run_case(programs, case, options, seed):
    """`seed`: of the noise (from 1 on) and, less 1, of the subsets."""
    start = time.perf_counter()
    scan = simulate(programs, case, seed)
    long_run = settings(case, METHODS[3], options.minimum_passes, 0, seed - 1)
    history, best = reconstruct(programs, case, scan, "minimum", long_run)
    runs = {}
    for method in METHODS:
        if any(fnmatch.fnmatch(method.name, pattern) for pattern in options.methods):
            chosen = settings(case, method, options.passes, 0, seed - 1)
            runs[method.name] = reconstruct(programs, case, scan, method.name, chosen)[0]
    lowest = min(min(run["objective"].min() for run in runs.values()), history["objective"].min())
    result = {name: measure(run, lowest) for name, run in runs.items()}
    stop = settings(case, METHODS[4], options.minimum_passes, 0.1, seed - 1)
    stopped, image = reconstruct(programs, case, scan, "stopped", stop)
    settled = history["objective"][-11] / history["objective"][-1] - 1 if len(history["objective"]) > 11 else math.nan
    return {
        "case": case.name,
        "seed": seed,
        "methods": result,
        "stop": stop_row(stopped, image, lowest, best),
        "settled": float(settled),
        "seconds": time.perf_counter() - start,
    }


def text_of(values, form="{}"):
    return "/".join(">" if value is None else form.format(value) for value in values)


def passes_of(rows, method):
    """Of each target the median over the seeds; with several seeds the smallest and largest to 0.1 % beside."""
    counts = [[math.inf if c is None else c for c in row["methods"][method]["passes"]] for row in rows]
    text = text_of(None if math.isinf(m) else m for m in map(statistics.median_low, zip(*counts)))
    if len(rows) == 1:
        return text
    last = [row[-1] for row in counts]
    return text + f" ({text_of([None if math.isinf(c) else c for c in (min(last), max(last))]).replace('/', '-')})"


def table(results):
    names = list(results[0]["methods"])
    lines = ["Passes to an excess of 10 / 1 / 0.1 % of the minimum; `>`: not within the passes of the run.", ""]
    lines.append("| case | " + " | ".join(names) + " | stop: passes, excess, bound, distance |")
    lines.append("|---" * (len(names) + 2) + "|")
    for case in dict.fromkeys(row["case"] for row in results):
        rows = [row for row in results if row["case"] == case]
        stop = rows[0]["stop"]
        cells = [passes_of(rows, name) for name in names]
        cells.append(f"{stop['passes']}, {stop['excess']:.1e}, {stop['bound']:.1e}, {100 * stop['distance']:.2f} %")
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    return lines


def seconds_table(results):
    lines = ["", "Seconds to 0.1 %, and of a pass (median)", "", "| case | " + " | ".join(results[0]["methods"]) + " |"]
    lines.append("|---" * (len(results[0]["methods"]) + 1) + "|")
    for row in results:
        cells = [
            f"{'>' if run['seconds'][-1] is None else format(run['seconds'][-1], '.3g')}, {run['seconds_a_pass']:.3g}"
            for run in row["methods"].values()
        ]
        lines.append(f"| {row['case']} | " + " | ".join(cells) + " |")
    return lines


def claims(results):
    """Sentences, and whether they hold."""
    fast = [run for row in results for name, run in row["methods"].items() if name not in ("reference", "plain")]
    pairs = sum(run["pairs"] for run in fast)
    bounded = sum(run["pairs_bounded"] for run in fast)
    rise = max((run["largest_rise"] for run in fast), default=0)
    slower = [
        row["case"]
        for row in results
        if {"reference", "auto"} <= set(row["methods"])
        and any(
            (a or math.inf) > (b or math.inf)
            for a, b in zip(row["methods"]["auto"]["passes"], row["methods"]["reference"]["passes"])
        )
    ]
    if not fast:
        return []
    return [
        (f"the objective never rises over a pass (largest rise {rise:.1e}, rounding is 1e-6)", rise < 1e-6),
        (f"the reported bound holds in {bounded} of {pairs} passes (95 % wanted)", bounded >= 0.95 * pairs),
        (f"never more passes than the reference's schedule ({', '.join(slower) or 'in no case'})", not slower),
    ]


def plot(results, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for row in results:
        figure, axes = pyplot.subplots(figsize=(6, 4))
        for name, run in row["methods"].items():
            line = axes.semilogy(range(1, len(run["excess"]) + 1), numpy.maximum(run["excess"], 1e-9), label=name)[0]
            if name == "subspace":
                axes.semilogy(range(1, len(run["bound"]) + 1), run["bound"], ":", color=line.get_color(), label="bound")
        axes.set(xlabel="pass", ylabel="excess (F - F*) / F*", title=row["case"])
        axes.legend()
        seed = "" if row["seed"] == 1 else f"_{row['seed']}"
        figure.savefig(folder / f"{row['case']}{seed}.png", dpi=120, bbox_inches="tight")
        pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/openmp", help="build folder with bin/strata_recon")
    parser.add_argument("--output", default="results/convergence", type=pathlib.Path)
    parser.add_argument("--n", default=64, type=int, help="detector channels of the parallel cases")
    parser.add_argument("--cases", default=["*"], nargs="*", help="patterns of names")
    parser.add_argument("--methods", default=["*"], nargs="*", help="patterns of names")
    parser.add_argument("--passes", default=60, type=int)
    parser.add_argument("--minimum-passes", default=150, type=int, help="of the run that finds the minimum")
    parser.add_argument("--seeds", default=1, type=int, help="noises and partitions into subsets for each case")
    parser.add_argument("--plot", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    programs = Programs(options.build, options.output.resolve())
    results = []
    for case in scans.all_cases(options.n):
        if any(fnmatch.fnmatch(case.name, pattern) for pattern in options.cases):
            results += [run_case(programs, case, options, seed) for seed in range(1, options.seeds + 1)]
            print(table(results[-options.seeds :])[-1], flush=True)
    if not results:
        sys.exit(f"no case is called {' or '.join(options.cases)}")
    found = claims(results)
    lines = table(results) + seconds_table(results) + [""]
    lines += [f"- {'holds' if holds else 'DOES NOT HOLD'}: {claim}" for claim, holds in found]
    (options.output / "convergence.md").write_text("\n".join(lines) + "\n")
    (options.output / "convergence.json").write_text(json.dumps({"n": options.n, "results": results}, indent=1))
    if options.plot:
        plot(results, options.output)
    print("\n".join(lines))
    return 0 if all(holds for _, holds in found) else 1


if __name__ == "__main__":
    sys.exit(main())
