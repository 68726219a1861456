/// Speed of projector kernels alone, with Google Benchmark. GUPS = 1e9 voxel-view updates a second.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/model/projector.hpp"

namespace strata::bench {

enum class Select { all, one_sixteenth, ellipse, ellipse_one_of_128 };

struct KernelCase {
  char const* name;
  std::unique_ptr<Projector> (*make)(ExecSpace const&, KernelCase const&, SliceBlocks const&);
  int size;  ///< rows, columns, channels
  int slices;
  int views;
  Select select;
  bool rows_like_slices = false;  ///< detector rows are stored in the blocks of the slices, else in one
  double fma_per_update = 4;      ///< what counts as useful
};

using Kernel = void (*)(benchmark::State&, KernelCase const&);

void forward(benchmark::State& state, KernelCase const& c);
void back(benchmark::State& state, KernelCase const& c);
void curvature(benchmark::State& state, KernelCase const& c);
void descend(benchmark::State& state, KernelCase const& c);
/// A step and the back projection of another subset: one visit of a VCD subset, without the prior. GUPS counts both.
void descend_and_back(benchmark::State& state, KernelCase const& c);

/// Registers `name`/`c.name`. `c` must live on.
void add(std::string const& name, KernelCase const& c, Kernel kernel);

/// Everything of a main().
int run_benchmarks(int argc, char** argv, void (*add_benchmarks)());

/// The beams' parameters that all have.
template <class Params>
void fill_common(KernelCase const& c, double delta_voxel, Params& params) {
  params.sinogram = {c.views, c.slices, c.size};
  params.recon = {c.size, c.size, c.slices};
  params.delta_voxel = delta_voxel;
}

}  // namespace strata::bench
