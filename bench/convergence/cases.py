"""Scans of the convergence experiment. Each is a pair of decks for strata_simulate and strata_recon."""

import dataclasses
import math

import h5py
import numpy


@dataclasses.dataclass
class Case:
    """A scan whose size follows from n, the channels of its detector."""

    name: str
    geometry: dict
    views: int
    rows: int
    channels: int
    reconstruction: dict = dataclasses.field(default_factory=dict)
    weighted: bool = True
    metal: bool = False
    cut: bool = False  # the object does not end within the volume but at its last slices
    photons: float = 2e4

    @property
    def cone(self):
        return self.geometry["type"] == "cone"


def turn(degrees, count):
    return {"start": 0, "stop": degrees, "count": count, "endpoint": False, "unit": "deg"}


def parallel(name, n, views, degrees=180, slices=4, **more):
    geometry = {"type": "parallel", "angles": turn(degrees, views)}
    return Case(name, geometry, views, slices, n, **more)


def cone(name, n, views, half_angle=9.5, rows=None, helical=False, **more):
    """`half_angle`: between the central ray and the one to the middle of the detector's upper edge, degrees."""
    rows = rows or n
    distance = rows / 2 / math.tan(math.radians(half_angle))
    geometry = {
        "type": "cone",
        "angles": turn(720 if helical else 360, views),
        "source_detector_dist": distance,
        "source_iso_dist": distance / 2,
    }
    if helical:
        step = rows / 2 / (views / 2)
        geometry["helical_z_shifts"] = {"values": [step * (v - (views - 1) / 2) for v in range(views)]}
    return Case(name, geometry, views, rows, n, **more)


def translation(name, n, side):
    vectors = [
        [0.5 * n * (2 * i / (side - 1) - 1), 0, 0.5 * n * (2 * j / (side - 1) - 1)]
        for i in range(side)
        for j in range(side)
    ]
    geometry = {
        "type": "translation",
        "translation_vectors": {"values": vectors},
        "source_detector_dist": 4 * n,
        "source_iso_dist": 2 * n,
    }
    return Case(name, geometry, side * side, n, n)


def multiaxis(name, n, views, elevation=30):
    geometry = {
        "type": "multiaxis_parallel",
        "azimuths": turn(360, views),
        "elevations": {"values": [elevation] * views, "unit": "deg"},
    }
    return Case(name, geometry, views, n // 2, n)


def all_cases(n):
    """The scans of the design page, which has them at n = 128 (cone: 48 and 64), and those that it could not try."""
    m = max(3 * n // 4, 16)
    return [
        parallel("par_well", n, 45 * n // 32, slices=6),
        parallel("par_half", n, n // 2),
        parallel("par_sharp0", n, n // 2, reconstruction={"sharpness": 0}),
        parallel("par_sharp2", n, n // 2, reconstruction={"sharpness": 2}, weighted=False),
        parallel("par_pos", n, n // 2, reconstruction={"positivity_flag": True}),
        parallel("par_metal", n, n, metal=True),
        parallel("par_few", n, n // 8),
        parallel("par_limited", n, 45 * n // 64, degrees=120),
        cone("cone", m, 4 * m // 3),
        cone("cone_few", n, 3 * n // 8),
        cone("cone_cut", m, 4 * m // 3, cut=True),
        cone("cone_cut_few", n, 3 * n // 8, cut=True),
        cone("cone_metalpos", m, m, rows=5 * m // 6, metal=True, reconstruction={"positivity_flag": True}),
        cone("cone_wide", m, 4 * m // 3, half_angle=20),
        cone("helical", m, 8 * m // 3, rows=m // 2, helical=True),
        translation("translation", n // 2, 6),
        multiaxis("multiaxis", m, m),
        parallel("par_cube", n, n, slices=n),
        cone("cone_cube", n, n),
        cone("cone_cut_cube", n, n, cut=True),
    ]


def simulate_deck(case, output, phantom_file=None, seed=1):
    simulate = {"target_max_attenuation": 3.0, "noise": {"photons": case.photons, "seed": seed}}
    simulate["phantom"] = {"file": phantom_file, "dataset": "/phantom"} if phantom_file else "shepp_logan"
    if phantom_file:
        del simulate["target_max_attenuation"]
    geometry = dict(case.geometry, sinogram_shape=[case.views, case.rows, case.channels])
    return {"geometry": geometry, "simulate": simulate, "output": {"file": output, "previews": False}}


def recon_deck(case, scan, output, reconstruction):
    source = {"sinogram": {"file": scan, "dataset": "/sinogram"}}
    if case.weighted:
        source["weights"] = {"file": scan, "dataset": "/weights"}
    return {
        "input": source,
        "geometry": case.geometry,
        "reconstruction": {"algorithm": "vcd", **case.reconstruction, **reconstruction},
        "output": {"file": output, "previews": False},
    }


def changed_phantom(case, scan, phantom_file):
    """Writes the phantom of `scan` as the case has it; False: it is that one."""
    if not (case.metal or case.cut):
        return False
    with h5py.File(scan) as file:
        phantom = file["/phantom"][:]
    if case.cut:
        phantom = cut_at_ends(phantom)
    if case.metal:
        add_metal(phantom)
    with h5py.File(phantom_file, "w") as file:
        file["phantom"] = phantom
    return True


def cut_at_ends(phantom):
    """The middle half of the slices stretched over all of them, with air in the outermost twentieth at each end."""
    slices = phantom.shape[2]
    from_middle = (numpy.arange(slices) + 0.5) / slices - 0.5
    stretched = phantom[:, :, numpy.floor((0.5 + from_middle / 2) * slices).astype(int)]
    return stretched * (numpy.abs(from_middle) < 0.45)


def add_metal(phantom):
    """Three rods of metal along the slices."""
    rows, cols, _ = phantom.shape
    metal = 3 * phantom.max()
    y, x = numpy.mgrid[0:rows, 0:cols]
    for row, col, radius in ((0.35, 0.4, 0.025), (0.6, 0.62, 0.03), (0.66, 0.36, 0.02)):
        phantom[numpy.hypot(y - row * rows, x - col * cols) < max(radius * cols, 1.0)] = metal
