"""Writes unit_tests/solver/huber_table.hpp: robust weights by MBIRJAX.

    python unit_tests/reference/huber_table.py > unit_tests/solver/huber_table.hpp

Needs mbirjax (made with 0.7.3) and numpy.
"""
import numpy as np
from mbirjax.preprocess import gen_huber_weights

SHAPE = (4, 3, 6)  # views, det rows, channels
SETTINGS = [(1.0, 1.0), (2.5, 0.5), (0.7, 0.0)]  # T, delta

HEADER = """/// Robust weights of MBIRJAX, made by unit_tests/reference/huber_table.py: do not edit.
#pragma once

#include <array>

namespace strata::test::huber {{

constexpr int num_views = {0}, num_det_rows = {1}, num_det_channels = {2};

struct Setting {{
  double threshold, delta;
}};
constexpr std::array<Setting, {3}> settings{{{{{4}}}}};

/// A ray: two choices of its base weight, its error, and the Huber weights [choice][setting].
struct Ray {{
  float weight[2], error, expected[2][{3}];
}};
// clang-format off
constexpr std::array<Ray, {5}> rays{{{{"""


def main():
    random = np.random.default_rng(6)
    size = int(np.prod(SHAPE))
    line = random.uniform(0, 6, size)
    wide = np.exp(-line).astype(np.float32)  # as of transmission
    capped = wide.copy()
    capped[17] = 1e-14  # its deviation is limited
    error = (random.normal(0, 1, size) * np.exp(line / 2)).astype(np.float32)
    error[::13] *= 20  # outliers
    error[5] = 0
    found = [[np.asarray(gen_huber_weights(w.reshape(SHAPE), error.reshape(SHAPE), T=t, delta=d)).ravel()
              for t, d in SETTINGS] for w in (wide, capped)]
    settings = ", ".join(f"{{{t}, {d}}}" for t, d in SETTINGS)
    print(HEADER.format(*SHAPE, len(SETTINGS), settings, size))
    for i in range(size):
        sets = ", ".join("{" + ", ".join(f"{column[i]:.9g}" for column in choice) + "}" for choice in found)
        print(f"    {{{{{wide[i]:.9g}, {capped[i]:.9g}}}, {error[i]:.9g}, {{{sets}}}}},")
    print("}};\n// clang-format on\n\n}  // namespace strata::test::huber")


if __name__ == "__main__":
    main()
