#!/usr/bin/env python3
"""Strata against MBIRJAX on the same cores: answers first, then times, in turn.

    ~/.cache/strata/peers/bin/python bench/peers/compare_mbirjax.py [--build build/openmp] [--rows PATTERN]

bench/README.md says how to make that Python; docs/performance.md says what the table means. Exit status 1 when answers
differ or a target is missed.
"""
import argparse
import fnmatch
import json
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# What to reach: times as fast as MBIRJAX; seconds; seconds as a multiple of another row; 1e9 voxels a second.
TARGETS = {
    "parallel/forward/256^3x256": {"ratio": 28},
    "parallel/back/256^3x256": {"ratio": 24},
    "parallel/forward_subset/256^3x256": {"ratio": 80},
    "parallel/back_subset/256^3x256": {"ratio": 25},
    "parallel/forward/512x512x64x256": {"ratio": 35},
    "parallel/back/512x512x64x256": {"ratio": 40},
    "parallel/forward/128^3x180": {"ratio": 25},
    "parallel/back/128^3x180": {"ratio": 15},
    "parallel/filter/256^3x256": {},
    "parallel/fbp/256^3x256": {"multiple": (1.6, "parallel/back/256^3x256")},
    "qggmrf/gradient/256^3": {"gvoxels": 0.7},
    "qggmrf/gradient_subset/256^3": {},
    "parallel/vcd/128^3x180": {"ratio": 25, "seconds": 0.9, "volumes": 5.5},
}
# Largest normalised difference (root mean square) of the answers. VCD visits random subsets, so that after 10 passes
# two runs of MBIRJAX differ, too: Strata may be so many times as far from it.
TOLERANCE = 2e-5
SCATTERS = 1.5
START_UP_SECONDS = 0.05
MBIRJAX = "0.7.3"


class Worker:
    """MBIRJAX with a number of devices, in its own process, which is given up when it takes too long."""

    def __init__(self, devices, log):
        self.devices = devices
        self.why_dead = None
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "mbirjax_worker.py"), str(devices)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)

    def ask(self, command, limit):
        """The answer, or None; then `why_dead` or the answer's error says why."""
        if self.why_dead:
            return {"error": self.why_dead}
        try:
            self.process.stdin.write((json.dumps(command) + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            return self.give_up("the process ended")
        if not select.select([self.process.stdout], [], [], max(limit, 1))[0]:
            return self.give_up(f"no answer within {limit:.0f} s")
        line = self.process.stdout.readline()
        return json.loads(line) if line else self.give_up("the process ended")

    def give_up(self, why):
        self.why_dead = why
        self.close()
        return {"error": why}

    def close(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass


class Strata:
    def __init__(self, build, suite, folder):
        self.program = os.path.join(build, "bin", "strata_bench")
        self.suite = suite
        self.json = os.path.join(folder, "strata.json")

    def names(self):
        command = [self.program, "--suite", self.suite, "--list"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True)
        # What MBIRJAX can do in one process; several devices of ours are no row of the comparison.
        return [name for name in listed.stdout.split() if "/x" not in name]

    def run(self, name, repeat, answers=None):
        command = [self.program, "--suite", self.suite, "--rows", name, "--repeat", str(repeat), "--json", self.json]
        subprocess.run(command + (["--answers", answers] if answers else []), check=True, stdout=subprocess.DEVNULL)
        with open(self.json) as file:
            report = json.load(file)
        return report, report["rows"][0]

    def start_up_seconds(self):
        times = []
        for _ in range(10):
            start = time.perf_counter()
            self.names()
            times.append(time.perf_counter() - start)
        return min(times)


def compare_row(name, strata, options, deadline, folder, log, workers):
    operator = name.split("/")[1]
    answers = os.path.join(folder, "answers.h5")
    report, ours = strata.run(name, 1, answers)
    result = {"name": name, "strata": [], "mbirjax": {}, "errors": {}, "nrmse": {}, "strata_row": ours,
              "machine": {key: value for key, value in report.items() if key != "rows"}}
    for devices in options.devices:
        if workers[devices].why_dead:
            workers[devices] = Worker(devices, log)
        limit = min(options.warm_up_limit, deadline - time.time())
        answer = workers[devices].ask({"prepare": answers, "row": name}, limit)
        if "error" in answer:
            result["errors"][devices] = answer["error"]
        else:
            result["nrmse"][devices] = answer["nrmse"]
            result["mbirjax"][devices] = []
    os.remove(answers)
    rounds = min(options.rounds, 2) if operator == "vcd" else options.rounds
    for _ in range(rounds):
        ours = strata.run(name, 3 if operator == "vcd" else 7)[1]
        result["strata"].append(ours)
        for devices in list(result["mbirjax"]):
            limit = min(options.call_limit, deadline - time.time())
            answer = workers[devices].ask({"call": True}, limit)
            if "error" in answer:
                result["errors"][devices] = answer["error"]
                if not result["mbirjax"][devices]:
                    del result["mbirjax"][devices]
            else:
                result["mbirjax"][devices].append(answer["seconds"])
                if "scatter" in answer:
                    result["scatter"] = max(answer["scatter"], result.get("scatter", 0))
                result["mbirjax_peak_bytes"] = max(answer["peak_bytes"], result.get("mbirjax_peak_bytes", 0))
    return result


def judge(result, finished):
    """Fills in best times, ratio, targets and whether they are met."""
    result["strata_seconds"] = min(row["seconds_best"] for row in result["strata"])
    result["strata_median"] = statistics.median(row["seconds_median"] for row in result["strata"])
    times = {devices: min(values) for devices, values in result["mbirjax"].items() if values}
    result["mbirjax_devices"] = min(times, key=times.get) if times else None
    result["mbirjax_seconds"] = times.get(result["mbirjax_devices"])
    result["ratio"] = result["mbirjax_seconds"] / result["strata_seconds"] if times else None
    tolerance = SCATTERS * result["scatter"] if "scatter" in result else TOLERANCE
    result["answers_agree"] = bool(result["nrmse"]) and max(result["nrmse"].values()) <= tolerance
    checks = []
    for kind, value in TARGETS.get(result["name"], {}).items():
        if kind == "ratio":
            checks.append((f">= {value} x", None if result["ratio"] is None else result["ratio"] >= value))
        elif kind == "seconds":
            checks.append((f"<= {value} s", result["strata_seconds"] <= value))
        elif kind == "gvoxels":
            best = max(row["rate_per_second"] for row in result["strata"])
            checks.append((f">= {value} Gvoxels/s", best >= value * 1e9))
        elif kind == "volumes":
            most = max(row["volumes_beside_sinograms"] for row in result["strata"])
            checks.append((f"<= {value} volumes beside sinograms ({most:.2f})", most <= value))
        elif kind == "multiple" and value[1] in finished:
            factor = result["strata_seconds"] / finished[value[1]]["strata_seconds"]
            checks.append((f"<= {value[0]} x our back projection ({factor:.2f})", factor <= value[0]))
    result["targets"] = [{"target": target, "met": met} for target, met in checks]


def seconds_text(seconds):
    return "none" if seconds is None else f"{seconds:.3g} s"


def peak_text(row):
    for key, name in (("percent_of_fma_peak", "FMA"), ("percent_of_triad", "triad")):
        if key in row:
            return f"{row[key]:.0f} % {name}"
    return ""


def row_text(result):
    row = min(result["strata"], key=lambda r: r["seconds_best"])
    unit = {"updates": "GUPS", "voxels": "Gvoxels/s", "samples": "Gsamples/s"}[row["work_unit"]]
    devices = result["mbirjax_devices"]
    difference = "not compared"
    if result["nrmse"]:
        difference = f"{max(result['nrmse'].values()):.1e}" + ("" if result["answers_agree"] else " TOO LARGE")
    cells = [
        result["name"],
        seconds_text(result["mbirjax_seconds"]) + (f" ({devices})" if devices else ""),
        seconds_text(result["strata_seconds"]),
        "none" if result["ratio"] is None else f"{result['ratio']:.1f} x",
        f"{row['rate_per_second'] / 1e9:.3g} {unit}", peak_text(row), difference,
        "; ".join(t["target"] for t in result["targets"]),
        "; ".join({True: "yes", False: "NO", None: "no peer"}[t["met"]] for t in result["targets"])]
    return "| " + " | ".join(cells) + " |"


def memory_text(result):
    row = result["strata"][-1]
    return (f"{result['name']}: peak memory {row['peak_device_bytes'] / 1e6:.0f} MB in arrays of Strata, "
            f"{row['peak_host_bytes'] / 1e6:.0f} MB resident; MBIRJAX "
            f"{result.get('mbirjax_peak_bytes', 0) / 1e6:.0f} MB resident. Strata's start took "
            f"{row['seconds_start']:.3g} s, its passes {row['seconds_passes']:.3g} s. Two runs of MBIRJAX differ by "
            f"{result.get('scatter', 0):.1e}.")


def markdown(results, machine, start_up):
    lines = [
        f"Strata {machine['strata']} ({machine['git_hash']}), {machine['back_end']}, Kokkos {machine['kokkos']}, "
        f"{machine['threads']} threads of {machine['cpu']}; {machine['fma_peak_per_second'] / 1e9:.0f} G "
        f"multiply-adds/s, triad {machine['triad_bytes_per_second'] / 1e9:.0f} GB/s; MBIRJAX {MBIRJAX} on the CPU; "
        f"{machine['start_time'][:10]}.",
        "",
        "| row | MBIRJAX (devices) | Strata | ratio | rate | of peak | difference | target | met |",
        "|---|---|---|---|---|---|---|---|---|"]
    lines += [row_text(result) for result in results]
    met = "yes" if start_up <= START_UP_SECONDS else "NO"
    lines.append(f"| start-up of a program | | {start_up:.3g} s | | | | | <= {START_UP_SECONDS} s | {met} |")
    for result in results:
        lines += [f"\n{result['name']}: MBIRJAX on {devices} device(s): {error}"
                  for devices, error in result["errors"].items()]
        if result["name"].split("/")[1] == "vcd":
            lines.append("\n" + memory_text(result))
    return "\n".join(lines) + "\n"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "openmp"), help="build folder of Strata")
    parser.add_argument("--suite", default="cpu", help="suite of strata_bench; quick: does all work?")
    parser.add_argument("--rows", default="*", help="shell pattern for the names of rows")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2], help="device counts of MBIRJAX")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two take turns")
    parser.add_argument("--call-limit", type=float, default=90, help="seconds that MBIRJAX may take for a call")
    parser.add_argument("--warm-up-limit", type=float, default=150, help="seconds for its first call, which compiles")
    parser.add_argument("--minutes", type=float, default=14, help="no new calls of MBIRJAX after this")
    parser.add_argument("--output", default=os.path.join(ROOT, "results", "compare_mbirjax"),
                        help="writes OUTPUT.json and OUTPUT.md")
    return parser.parse_args()


def write(results, start_up, output):
    """Writes what there is so far. Returns the table."""
    table = markdown(results, results[0]["machine"], start_up)
    with open(output + ".md", "w") as file:
        file.write(table)
    with open(output + ".json", "w") as file:
        json.dump({"start_up_seconds": start_up, "rows": results}, file, indent=1)
    return table


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the workers, too
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    deadline = time.time() + 60 * options.minutes
    results, finished, table = [], {}, "no row matches"
    with tempfile.TemporaryDirectory() as folder, open(options.output + ".log", "w") as log:
        strata = Strata(options.build, options.suite, folder)
        start_up = strata.start_up_seconds()
        names = [name for name in strata.names() if fnmatch.fnmatch(name, options.rows)]
        workers = {devices: Worker(devices, log) for devices in options.devices}
        try:
            for name in names:
                result = compare_row(name, strata, options, deadline, folder, log, workers)
                judge(result, finished)
                results.append(result)
                finished[name] = result
                print(f"{name}: Strata {seconds_text(result['strata_seconds'])}, MBIRJAX "
                      f"{seconds_text(result['mbirjax_seconds'])}", flush=True)
                table = write(results, start_up, options.output)
        finally:
            for worker in workers.values():
                worker.close()
    print("\n" + table)
    good = results and all(r["answers_agree"] and all(t["met"] for t in r["targets"]) for r in results)
    return 0 if good and start_up <= START_UP_SECONDS else 1


sys.exit(main())
