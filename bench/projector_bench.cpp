/// Kernels of parallel beams.
#include <numbers>

#include "bench/kernel_bench.hpp"
#include "geometries/parallel_beam.hpp"

namespace strata::bench {
namespace {

std::unique_ptr<Projector> parallel(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  ParallelBeamParams params;
  fill_common(c, 1, params);
  for (int v = 0; v < c.views; ++v) params.angles.push_back(std::numbers::pi * v / c.views);
  return make_parallel_beam(exec, params, {0, c.views}, blocks);
}

constexpr KernelCase cases[] = {{"256^3x256", parallel, 256, 256, 256, Select::all, true, 2},
                                {"256^3x256/16", parallel, 256, 256, 256, Select::one_sixteenth, true, 2},
                                {"512x512x64x256", parallel, 512, 64, 256, Select::all, true, 2},
                                {"128^3x180/ellipse", parallel, 128, 128, 180, Select::ellipse, true, 2},
                                {"640x640x2x64", parallel, 640, 2, 64, Select::all, true, 2}};
constexpr KernelCase subsets[] = {
    {"128^3x180/ellipse/128", parallel, 128, 128, 180, Select::ellipse_one_of_128, true, 2},
    {"256^3x256/16", parallel, 256, 256, 256, Select::one_sixteenth, true, 2}};

void add_benchmarks() {
  for (KernelCase const& c : cases) {
    add("parallel_forward", c, forward);
    add("parallel_back", c, back);
  }
  for (KernelCase const& c : subsets) {
    add("parallel_curvature", c, curvature);
    add("parallel_descend", c, descend);
    add("parallel_descend_and_back", c, descend_and_back);
  }
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  return strata::bench::run_benchmarks(argc, argv, strata::bench::add_benchmarks);
}
