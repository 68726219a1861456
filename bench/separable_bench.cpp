/// Kernels of projectors that couple slices: cone, translation and multi-axis beams.
#include <cmath>
#include <numbers>

#include "bench/kernel_bench.hpp"
#include "geometries/separable_beam.hpp"

namespace strata::bench {
namespace {

using Made = std::unique_ptr<Projector>;

/// Magnification 2, the detector four times as far away as it is wide.
template <class Params>
void fill_divergent(KernelCase const& c, Params& params) {
  fill_common(c, 0.5, params);
  params.source_detector_dist = 4.0 * c.size;
  params.source_iso_dist = 2.0 * c.size;
}

ConeBeamParams cone_params(KernelCase const& c) {
  ConeBeamParams params;
  fill_divergent(c, params);
  for (int v = 0; v < c.views; ++v) params.angles.push_back(2 * std::numbers::pi * v / c.views);
  return params;
}

Made cone(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  return make_cone_beam(exec, cone_params(c), {0, c.views}, blocks);
}

Made curved(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  ConeBeamParams params = cone_params(c);
  params.curved = true;
  return make_cone_beam(exec, params, {0, c.views}, blocks);
}

Made helical(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  ConeBeamParams params = cone_params(c);
  for (int v = 0; v < c.views; ++v) params.z_shifts.push_back(0.5 * c.slices * (1.0 * v / c.views - 0.5));
  return make_cone_beam(exec, params, {0, c.views}, blocks);
}

Made translation(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  TranslationParams params;
  fill_divergent(c, params);
  int const side = static_cast<int>(std::lround(std::sqrt(c.views)));
  double const step = 0.25 * c.size / side;
  for (int v = 0; v < c.views; ++v)
    params.translation_vectors.push_back(
        {step * (v % side - 0.5 * (side - 1)), 0, step * (v / side - 0.5 * (side - 1))});
  return make_translation(exec, params, {0, c.views}, blocks);
}

Made multiaxis(ExecSpace const& exec, KernelCase const& c, SliceBlocks const& blocks) {
  MultiAxisParams params;
  fill_common(c, 1, params);
  for (int v = 0; v < c.views; ++v) params.azimuths.push_back(2 * std::numbers::pi * v / c.views);
  params.elevations.assign(c.views, std::numbers::pi / 6);
  return make_multiaxis(exec, params, {0, c.views}, blocks);
}

constexpr KernelCase cases[] = {{"cone/256^3x256", cone, 256, 256, 256, Select::all},
                                {"cone/256^3x256/16", cone, 256, 256, 256, Select::one_sixteenth},
                                {"cone/512x512x64x256", cone, 512, 64, 256, Select::all},
                                {"cone/128^3x180/ellipse", cone, 128, 128, 180, Select::ellipse},
                                {"curved/128^3x180/ellipse", curved, 128, 128, 180, Select::ellipse},
                                {"helical/128^3x180/ellipse", helical, 128, 128, 180, Select::ellipse},
                                {"translation/128^3x169", translation, 128, 128, 169, Select::all},
                                {"multiaxis/128^3x180", multiaxis, 128, 128, 180, Select::all}};
constexpr KernelCase subsets[] = {{"cone/128^3x180/ellipse/128", cone, 128, 128, 180, Select::ellipse_one_of_128},
                                  {"cone/256^3x256/16", cone, 256, 256, 256, Select::one_sixteenth}};

void add_benchmarks() {
  for (KernelCase const& c : cases) {
    add("forward", c, forward);
    add("back", c, back);
  }
  for (KernelCase const& c : subsets) {
    add("curvature", c, curvature);
    add("descend_and_back", c, descend_and_back);
  }
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  return strata::bench::run_benchmarks(argc, argv, strata::bench::add_benchmarks);
}
