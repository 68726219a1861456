"""What each row of the comparison has to reach, and how long MBIRJAX may take for it."""

# Times as fast as MBIRJAX; seconds; seconds as a multiple of another row; a part of another row's rate; 1e9 voxels a
# second; volumes of peak memory beside the sinograms.
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
    "qggmrf/denoise/256^3": {"ratio": 20, "seconds": 0.8},
    "parallel/vcd/128^3x180": {"ratio": 25, "seconds": 0.9, "volumes": 5.5},
    "cone/forward/128^3x180": {"ratio": 60},
    "cone/back/128^3x180": {"ratio": 35},
    "translation/forward/128^3x169": {"rate_of": (0.8, "cone/forward/128^3x180")},
    "translation/back/128^3x169": {"rate_of": (0.8, "cone/back/128^3x180")},
    "multiaxis/forward/128^3x180": {"rate_of": (0.8, "cone/forward/128^3x180")},
    "multiaxis/back/128^3x180": {"rate_of": (0.8, "cone/back/128^3x180")},
    "cone/forward/256^3x256": {"ratio": 50},
    "cone/back/256^3x256": {"ratio": 35},
    "cone/filter/256^3x256": {},
    "cone/fdk/256^3x256": {"multiple": (1.2, "cone/back/256^3x256")},
    "cone/vcd/128^3x180": {"ratio": 40, "seconds": 3, "volumes": 5.5},
}

# Where MBIRJAX takes about a minute for a call, or minutes: fewer rounds, longer limits, in seconds. `--rounds` and the
# limits of the command line hold for the other rows.
SLOW = {
    "cone/forward/256^3x256": {"rounds": 1, "warm_up_limit": 150, "call_limit": 120},
    "cone/back/256^3x256": {"rounds": 1, "warm_up_limit": 120, "call_limit": 90},
    "cone/fdk/256^3x256": {"rounds": 1, "warm_up_limit": 120, "call_limit": 90},
    "cone/vcd/128^3x180": {"rounds": 1, "warm_up_limit": 360, "call_limit": 240, "devices": [1]},
    "parallel/vcd/128^3x180": {"rounds": 2},
    "qggmrf/denoise/256^3": {"rounds": 2},
}

# Largest normalised difference (root mean square) of the answers. VCD and denoiser visit random subsets, so that after
# 10 passes two runs of MBIRJAX differ, too: Strata may be SCATTERS times as far from it, or SCATTER away where MBIRJAX
# ran once.
TOLERANCE = 2e-5
# MBIRJAX puts a part of some voxels whose centre projects half-way between two rows into a row that is two away.
TOLERANCES = {"multiaxis/forward": 3e-4}
SCATTERS = 1.5
SCATTER = 2e-2
START_UP_SECONDS = 0.05


def tolerance(result):
    if "scatter" in result:
        return max(SCATTERS * result["scatter"], TOLERANCE)
    group, operator, _ = result["name"].split("/")
    return SCATTER if operator in ("vcd", "denoise") else TOLERANCES.get(f"{group}/{operator}", TOLERANCE)


def best_rate(result):
    return max(row["rate_per_second"] for row in result["strata"])


def check(result, kind, value, finished):
    """A target in words and whether it is met; None for the latter: MBIRJAX did not say."""
    seconds, ratio = result["strata_seconds"], result["ratio"]
    if kind == "ratio":
        met = None if ratio is None or (result["ratio_is_bound"] and ratio < value) else ratio >= value
        return f">= {value} x", met
    if kind == "seconds":
        return f"<= {value} s", seconds <= value
    if kind == "gvoxels":
        return f">= {value} Gvoxels/s", best_rate(result) >= value * 1e9
    if kind == "volumes":
        most = max(row["volumes_beside_sinograms"] for row in result["strata"])
        return f"<= {value} volumes beside sinograms ({most:.2f})", most <= value
    factor, name = value
    other, short = finished.get(name), " ".join(name.split("/")[:2])
    if kind == "multiple":
        reached = seconds / other["strata_seconds"] if other else None
        text, met = f"<= {factor} x our {short}", other and reached <= factor
    else:
        reached = best_rate(result) / best_rate(other) if other else None
        text, met = f">= {factor} of our {short} rate", other and reached >= factor
    return text + (f" ({reached:.2f})" if other else " (not run)"), met if other else None


def judge(result, finished):
    """Fills in best times, ratio, targets and whether they are met. `finished`: the rows before this one, by name."""
    result["strata_seconds"] = min(row["seconds_best"] for row in result["strata"])
    times = {devices: min(values) for devices, values in result["mbirjax"].items() if values}
    result["mbirjax_devices"] = min(times, key=times.get) if times else None
    result["mbirjax_seconds"] = times.get(result["mbirjax_devices"])
    # Calls that were given up say how long MBIRJAX takes at least; one that may have compiled says nothing exact.
    given_up = result["given_up"]
    result["mbirjax_at_least"] = None if times or not given_up else min(given_up.values())
    known = result["mbirjax_seconds"] or (None if result["given_up_compiling"] else result["mbirjax_at_least"])
    result["ratio"] = known / result["strata_seconds"] if known else None
    result["ratio_is_bound"] = not times
    result["answers_agree"] = bool(result["nrmse"]) and max(result["nrmse"].values()) <= tolerance(result)
    checks = [check(result, kind, value, finished) for kind, value in TARGETS.get(result["name"], {}).items()]
    result["targets"] = [{"target": target, "met": met} for target, met in checks]


def is_good(result):
    """Nothing contradicts the targets, and answers agree where both were there."""
    agree = result["answers_agree"] or (not result["nrmse"] and result["mbirjax_at_least"])
    return bool(agree) and all(target["met"] is not False for target in result["targets"])
