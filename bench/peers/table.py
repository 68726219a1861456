"""The comparison as a table in Markdown."""
from targets import START_UP_SECONDS, best_rate


def seconds_text(seconds):
    return "none" if seconds is None else f"{seconds:.3g} s"


def peer_text(result):
    if result["mbirjax_seconds"]:
        return f"{seconds_text(result['mbirjax_seconds'])} ({result['mbirjax_devices']})"
    if result["mbirjax_at_least"]:
        compiling = ", with compilation" if result["given_up_compiling"] else ""
        return f"> {result['mbirjax_at_least']:.0f} s{compiling}"
    return "none"


def ratio_text(result):
    if result["ratio"] is None:
        return ""
    return f"{'> ' if result['ratio_is_bound'] else ''}{result['ratio']:.1f} x"


def peak_text(row):
    for key, name in (("percent_of_fma_peak", "FMA"), ("percent_of_triad", "triad")):
        if key in row:
            return f"{row[key]:.0f} % {name}"
    return ""


def difference_text(result):
    if not result["nrmse"]:
        return "not compared"
    text = f"{max(result['nrmse'].values()):.1e}" + ("" if result["answers_agree"] else " TOO LARGE")
    return text + (f", two runs of MBIRJAX {result['scatter']:.1e}" if "scatter" in result else "")


def row_text(result):
    row = min(result["strata"], key=lambda r: r["seconds_best"])
    unit = {"updates": "GUPS", "voxels": "Gvoxels/s", "samples": "Gsamples/s"}[row["work_unit"]]
    cells = [result["name"], peer_text(result), seconds_text(result["strata_seconds"]), ratio_text(result),
             f"{best_rate(result) / 1e9:.3g} {unit}", peak_text(row), difference_text(result),
             "; ".join(target["target"] for target in result["targets"]),
             "; ".join({True: "yes", False: "NO", None: "unknown"}[target["met"]] for target in result["targets"])]
    return "| " + " | ".join(cells) + " |"


def memory_text(result):
    row = result["strata"][-1]
    return (f"{result['name']}: peak memory {row['peak_device_bytes'] / 1e6:.0f} MB in arrays of Strata, "
            f"{row['peak_host_bytes'] / 1e6:.0f} MB resident; MBIRJAX "
            f"{result.get('mbirjax_peak_bytes', 0) / 1e6:.0f} MB resident. Strata's start took "
            f"{row['seconds_start']:.3g} s, its passes {row['seconds_passes']:.3g} s.")


def peaks_text(results):
    """The machine's peaks are measured after each call of strata_bench: the best of all."""
    fma = max(machine["fma_peak_per_second"] for result in results for machine in result["machines"])
    triad = max(machine["triad_bytes_per_second"] for result in results for machine in result["machines"])
    return f"{fma / 1e9:.0f} G multiply-adds/s, triad {triad / 1e9:.0f} GB/s"


def markdown(results, start_up, mbirjax):
    machine = results[0]["machines"][0]
    lines = [
        f"Strata {machine['strata']} ({machine['git_hash']}), {machine['back_end']}, Kokkos {machine['kokkos']}, "
        f"{machine['threads']} threads of {machine['cpu']}; {peaks_text(results)}; MBIRJAX {mbirjax} on the CPU; "
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
