"""Runs operators of MBIRJAX on the CPU for compare_mbirjax.py: a JSON command a line on stdin, a JSON answer a line.

    mbirjax_worker.py NUM_DEVICES

    {"prepare": FILE, "row": NAME}   loads what Strata got and gave, runs the operator once, compares
                                     -> {"nrmse": ..., "warm_up_seconds": ...}
    {"call": true}                   runs it again -> {"seconds": ..., "peak_bytes": ...}; of what depends on random
                                     numbers also "scatter": how far it is from the first result
"""
import itertools
import json
import os
import resource
import sys
import time

NUM_DEVICES = int(sys.argv[1])
# Before JAX starts: one device then has all cores for itself.
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={NUM_DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

# What libraries print must not get between the answers.
ANSWERS = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import h5py  # noqa: E402
import jax  # noqa: E402
import mbirjax  # noqa: E402
import numpy as np  # noqa: E402


def nrmse(found, expected):
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    if found.shape != expected.shape:
        raise ValueError(f"shape {found.shape} where Strata has {expected.shape}")
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def on_devices(model, volume):
    """`volume` where the model's devices want it, so that no call has to move it."""
    return jax.block_until_ready(model._shard_recon(volume))  # 0.7.3 has no public function for this


class Row:
    """An operator with its operands: run() is what is timed, answer() makes its result comparable."""

    def __init__(self, path, name):
        with h5py.File(path) as file:
            group = file[name]
            self.data = {key: value[()] for key, value in group.items() if isinstance(value, h5py.Dataset)}
            self.attributes = dict(group.attrs)
        self.random, self.first = False, None
        self.recon_shape = tuple(int(n) for n in self.attributes["recon_shape"])
        self.model = model = self.make_model()
        model.set_params(no_warning=True, recon_shape=self.recon_shape,
                         delta_voxel=float(self.attributes["delta_voxel"]),
                         use_ror_mask=bool(self.attributes["use_ror_mask"]), verbose=0, **self.cubic_voxels())
        model.configure_devices(NUM_DEVICES)
        self.run, self.answers = getattr(self, name.split("/")[1])()

    def views_of(self, *names):
        """Numbers of the views, [view] or [view][name]."""
        arrays = [self.data[name].astype(np.float32) for name in names]
        return arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=1)

    def make_model(self):
        shape = tuple(int(n) for n in self.attributes["sinogram_shape"])
        distances = [float(self.attributes[name]) for name in ("source_detector_dist", "source_iso_dist")]
        geometry = self.attributes["geometry"]
        geometry = geometry.decode() if isinstance(geometry, bytes) else geometry
        if geometry == "parallel":
            return mbirjax.ParallelBeamModel(shape, self.views_of("angles"))
        if geometry == "cone":
            return mbirjax.ConeBeamModel(shape, self.views_of("angles"), *distances)
        if geometry == "translation":
            return mbirjax.TranslationModel(shape, self.views_of("translation_vectors"), *distances)
        return mbirjax.MultiAxisParallelModel(shape, self.views_of("azimuths", "elevations"))

    def cubic_voxels(self):
        """What the translation model would choose itself."""
        return {"voxel_row_aspect": 1.0} if isinstance(self.model, mbirjax.TranslationModel) else {}

    def sinogram(self):
        return jax.block_until_ready(self.model.prepare_sino_for_devices(self.data["input"]))

    def pixels(self):
        return np.asarray(self.data["pixels"], dtype=np.int32)

    def views(self, result):
        return np.asarray(result)[:self.data["answer"].shape[0]]

    def slices(self, result):
        return np.asarray(result)[..., :self.recon_shape[2]]

    def forward(self):
        volume = on_devices(self.model, self.data["input"])
        return (lambda: self.model.forward_project(volume, output_sharded=True)), {"answer": self.views}

    def back(self):
        sinogram = self.sinogram()
        return (lambda: self.model.back_project(sinogram, output_sharded=True)), {"answer": self.slices}

    def forward_subset(self):
        values, pixels = on_devices(self.model, self.data["input"]), self.pixels()
        return (lambda: self.model.sparse_forward_project(values, pixels)), {"answer": self.views}

    def back_subset(self):
        sinogram, pixels = self.sinogram(), self.pixels()
        return (lambda: self.model.sparse_back_project(sinogram, pixels)), {"answer": self.slices}

    def filter(self):
        sinogram = self.sinogram()
        return (lambda: self.model.direct_filter(sinogram, output_sharded=True)), {"answer": self.views}

    def fbp(self):
        sinogram = self.sinogram()
        return (lambda: self.model.direct_recon(sinogram, output_sharded=True)), {"answer": self.slices}

    fdk = fbp

    def gradient(self):
        rows, cols, slices = self.recon_shape
        volume = on_devices(self.model, self.data["input"].reshape(rows * cols, slices))
        weights = mbirjax.get_b_from_nbr_wts((1.0, 1.0, 1.0))
        params = (weights, float(self.attributes["sigma_x"]), 2.0, 1.2, 1.0)
        pixels = self.pixels()

        def run():
            return mbirjax.qggmrf_gradient_and_hessian_sharded(volume, pixels, params, rows, cols,
                                                               self.model.recon_placement)
        return run, {"answer": lambda result: self.slices(result[0]),
                     "answer_curvature": lambda result: self.slices(result[1])}

    gradient_subset = gradient

    def denoise(self):
        denoiser = mbirjax.QGGMRFDenoiser(self.recon_shape)
        sigma_noise = float(self.attributes["sigma_noise"])
        denoiser.set_params(no_warning=True, sigma_x=float(self.attributes["sigma_x"]), sigma_y=sigma_noise,
                            auto_regularize_flag=False, verbose=0)
        denoiser.configure_devices(NUM_DEVICES)
        image = on_devices(denoiser, self.data["input"])
        seeds = itertools.count()
        self.random = True

        def run():
            np.random.seed(next(seeds))
            return denoiser.denoise(image, sigma_noise=sigma_noise,
                                    max_iterations=int(self.attributes["max_iterations"]),
                                    stop_threshold_change_pct=0, logfile_path=None, print_logs=False,
                                    output_sharded=True)[0]
        return run, {"answer": self.slices}

    def vcd(self):
        sinogram, weights = jax.block_until_ready(
            self.model.prepare_sino_for_devices(self.data["input"], self.data["weights"]))
        iterations = int(self.attributes["max_iterations"])
        seeds = itertools.count()
        self.random = True

        def run():
            np.random.seed(next(seeds))
            return self.model.recon(sinogram, weights=weights, max_iterations=iterations, stop_threshold_change_pct=0,
                                    logfile_path=None, print_logs=False, output_sharded=True)[0]
        return run, {"answer": self.slices}


def timed(run):
    start = time.perf_counter()
    result = jax.block_until_ready(run())
    return result, time.perf_counter() - start


def main():
    row = None
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if "prepare" in command:
                row = None
                row = Row(command["prepare"], command["row"])
                result, seconds = timed(row.run)
                answer = {"nrmse": max(nrmse(of(result), row.data[name]) for name, of in row.answers.items()),
                          "warm_up_seconds": seconds}
                row.first = np.asarray(result) if row.random else None
                del result
            else:
                result, seconds = timed(row.run)
                answer = {"seconds": seconds,
                          "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
                if row.random:
                    answer["scatter"] = nrmse(result, row.first)
                del result
        except Exception as error:  # reported, the next row may work
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        ANSWERS.write(json.dumps(answer) + "\n")


main()
