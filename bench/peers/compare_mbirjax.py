#!/usr/bin/env python3
"""Strata against MBIRJAX on the same cores: answers first, then times, in turn.

    ~/.cache/strata/peers/bin/python bench/peers/compare_mbirjax.py [--build build/openmp] [--rows PATTERN...]

bench/README.md says how to make that Python; docs/performance.md says what the table means. Exit status 1 when answers
differ or a target is missed.
"""
import argparse
import fnmatch
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

from table import markdown, peer_text, seconds_text
from targets import SLOW, START_UP_SECONDS, is_good, judge

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

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
        if limit < 1:
            return {"error": "no time left"}
        try:
            self.process.stdin.write((json.dumps(command) + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            return self.give_up("the process ended")
        if not select.select([self.process.stdout], [], [], limit)[0]:
            return {**self.give_up(f"no answer within {limit:.0f} s"), "given_up_after": limit}
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
    def __init__(self, build, suite, folder, log):
        self.log = log
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
        subprocess.run(command + (["--answers", answers] if answers else []), check=True, stdout=subprocess.DEVNULL,
                       stderr=self.log)
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


def note_failure(result, devices, answer, compiling):
    result["errors"][devices] = answer["error"] + (", compilation included" if compiling else "")
    if "given_up_after" in answer:
        result["given_up"][devices] = answer["given_up_after"]
        result["given_up_compiling"] |= compiling


def prepare_peers(result, answers, limits, deadline, log, workers):
    """MBIRJAX gets Strata's operands, compiles, and its answers are compared."""
    for devices in limits["devices"]:
        if devices not in workers or workers[devices].why_dead:
            workers[devices] = Worker(devices, log)
        limit = min(limits["warm_up_limit"], deadline - time.time())
        answer = workers[devices].ask({"prepare": answers, "row": result["name"]}, limit)
        if "error" in answer:
            note_failure(result, devices, answer, True)
        else:
            result["nrmse"][devices] = answer["nrmse"]
            result["mbirjax"][devices] = []
            result["mbirjax_warm_up"][devices] = answer["warm_up_seconds"]


def call_peer(result, devices, worker, limit):
    answer = worker.ask({"call": True}, limit)
    if "error" in answer:
        note_failure(result, devices, answer, False)
        if not result["mbirjax"][devices]:
            del result["mbirjax"][devices]
        return
    result["mbirjax"][devices].append(answer["seconds"])
    if "scatter" in answer:
        result["scatter"] = max(answer["scatter"], result.get("scatter", 0))
    result["mbirjax_peak_bytes"] = max(answer["peak_bytes"], result.get("mbirjax_peak_bytes", 0))


def compare_row(name, strata, options, deadline, folder, log, workers):
    limits = {"rounds": options.rounds, "warm_up_limit": options.warm_up_limit, "call_limit": options.call_limit,
              "devices": options.devices, **SLOW.get(name, {})}
    limits["rounds"] = min(limits["rounds"], options.rounds)
    limits["devices"] = [devices for devices in limits["devices"] if devices in options.devices]
    answers = os.path.join(folder, "answers.h5")
    result = {"name": name, "strata": [], "machines": [], "mbirjax": {}, "mbirjax_warm_up": {}, "errors": {},
              "nrmse": {}, "given_up": {}, "given_up_compiling": False}
    strata.run(name, 1, answers)
    prepare_peers(result, answers, limits, deadline, log, workers)
    os.remove(answers)
    for _ in range(limits["rounds"]):
        report, ours = strata.run(name, 3 if "/vcd/" in name else 7)
        result["strata"].append(ours)
        result["machines"].append({key: value for key, value in report.items() if key != "rows"})
        for devices in list(result["mbirjax"]):
            call_peer(result, devices, workers[devices], min(limits["call_limit"], deadline - time.time()))
    return result


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "openmp"), help="build folder of Strata")
    parser.add_argument("--suite", default="cpu", help="suite of strata_bench; quick: does all work?")
    parser.add_argument("--rows", nargs="+", default=["*"], help="shell patterns for the names of rows")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2], help="device counts of MBIRJAX")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two take turns, at most")
    parser.add_argument("--call-limit", type=float, default=90, help="seconds that MBIRJAX may take for a call")
    parser.add_argument("--warm-up-limit", type=float, default=150, help="seconds for its first call, which compiles")
    parser.add_argument("--minutes", type=float, default=30, help="no new calls of MBIRJAX after this")
    parser.add_argument("--output", default=os.path.join(ROOT, "results", "compare_mbirjax"),
                        help="writes OUTPUT.json and OUTPUT.md")
    return parser.parse_args()


def write(results, start_up, output):
    """Writes what there is so far. Returns the table."""
    table = markdown(results, start_up, MBIRJAX)
    with open(output + ".md", "w") as file:
        file.write(table)
    with open(output + ".json", "w") as file:
        json.dump({"start_up_seconds": start_up, "rows": results}, file, indent=1)
    return table


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the workers, too
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    begin = time.time()
    deadline = begin + 60 * options.minutes
    results, finished, table = [], {}, "no row matches"
    with tempfile.TemporaryDirectory() as folder, open(options.output + ".log", "w") as log:
        strata = Strata(options.build, options.suite, folder, log)
        start_up = strata.start_up_seconds()
        names = [name for name in strata.names()
                 if any(fnmatch.fnmatch(name, pattern) for pattern in options.rows)]
        workers = {}
        try:
            for name in names:
                result = compare_row(name, strata, options, deadline, folder, log, workers)
                judge(result, finished)
                results.append(result)
                finished[name] = result
                print(f"{name}: Strata {seconds_text(result['strata_seconds'])}, MBIRJAX "
                      f"{peer_text(result)}, after {(time.time() - begin) / 60:.1f} minutes", flush=True)
                table = write(results, start_up, options.output)
        finally:
            for worker in workers.values():
                worker.close()
    print("\n" + table)
    good = results and all(is_good(result) for result in results)
    return 0 if good and start_up <= START_UP_SECONDS else 1


sys.exit(main())
