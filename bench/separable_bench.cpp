/// Speed of the projectors that couple slices: the cone, translation and multi-axis rows of the speed table. GUPS = 1e9
/// voxel-view updates a second.
#include <benchmark/benchmark.h>

#include <chrono>
#include <numbers>
#include <random>

#include "bench/machine_peaks.hpp"
#include "core/model/pixel_list_builder.hpp"
#include "core/placement/memory.hpp"
#include "geometries/separable_beam.hpp"

namespace strata::bench {
namespace {

enum class Beam { cone, curved, helical, translation, multiaxis };
enum class Select { all, one_sixteenth, ellipse, ellipse_one_of_128 };

struct Case {
  char const* name;
  Beam beam;
  int size;  ///< rows, columns, channels
  int slices;
  int views;
  Select select;
};

std::vector<int> pixels_of(Case const& c) {
  std::vector<int> indices;
  std::mt19937 random(1);
  double const half = 0.5 * (c.size - 1);
  for (int row = 0; row < c.size; ++row)
    for (int col = 0; col < c.size; ++col) {
      double const y = (row - half) / half, x = (col - half) / half;
      if (c.select == Select::one_sixteenth && random() % 16 != 0) continue;
      bool const in_ellipse = x * x + y * y <= 1;
      if (c.select == Select::ellipse && !in_ellipse) continue;
      if (c.select == Select::ellipse_one_of_128 && (!in_ellipse || random() % 128 != 0)) continue;
      indices.push_back(row * c.size + col);
    }
  return z_order(std::move(indices), c.size);
}

template <class Params>
void fill_common(Case const& c, double delta_voxel, Params& params) {
  params.sinogram = {c.views, c.slices, c.size};
  params.recon = {c.size, c.size, c.slices};
  params.delta_voxel = delta_voxel;
}

/// Magnification 2, the detector four times as far away as it is wide.
std::unique_ptr<Projector> make(ExecSpace const& exec, Case const& c, SliceBlocks const& blocks) {
  if (c.beam == Beam::multiaxis) {
    MultiAxisParams params;
    fill_common(c, 1, params);
    for (int v = 0; v < c.views; ++v) params.azimuths.push_back(2 * std::numbers::pi * v / c.views);
    params.elevations.assign(c.views, std::numbers::pi / 6);
    return make_multiaxis(exec, params, {0, c.views}, blocks);
  }
  if (c.beam == Beam::translation) {
    TranslationParams params;
    fill_common(c, 0.5, params);
    params.source_detector_dist = 4.0 * c.size;
    params.source_iso_dist = 2.0 * c.size;
    int const side = static_cast<int>(std::lround(std::sqrt(c.views)));
    for (int v = 0; v < c.views; ++v) {
      double const step = 0.25 * c.size / side;
      params.translation_vectors.push_back(
          {step * (v % side - 0.5 * (side - 1)), 0, step * (v / side - 0.5 * (side - 1))});
    }
    return make_translation(exec, params, {0, c.views}, blocks);
  }
  ConeBeamParams params;
  fill_common(c, 0.5, params);
  params.source_detector_dist = 4.0 * c.size;
  params.source_iso_dist = 2.0 * c.size;
  params.curved = c.beam == Beam::curved;
  for (int v = 0; v < c.views; ++v) params.angles.push_back(2 * std::numbers::pi * v / c.views);
  if (c.beam == Beam::helical)
    for (int v = 0; v < c.views; ++v) params.z_shifts.push_back(0.5 * c.slices * (1.0 * v / c.views - 0.5));
  return make_cone_beam(exec, params, {0, c.views}, blocks);
}

/// Everything that one case needs.
struct Setup {
  ExecSpace exec;
  SliceBlocks blocks;
  std::unique_ptr<Projector> projector;
  PixelList pixels;
  Cylinders volume;
  Sinogram sino, weights;
  Array1<double> per_view;
  Position position;
  double updates;

  explicit Setup(Case const& c) : blocks(c.slices, 1) {
    projector = make(exec, c, blocks);
    pixels = make_pixel_list(exec, pixels_of(c), c.size);
    bool const compact = c.select == Select::one_sixteenth || c.select == Select::ellipse_one_of_128;
    position = compact ? Position::by_entry : Position::by_pixel;
    int const positions = position == Position::by_entry ? pixels.size() : c.size * c.size;
    int const channels = c.size + 1;  // no power-of-two pitch
    int const rows = SliceBlocks::single(c.slices).lanes;
    volume = make_view<Cylinders>(exec, "volume", blocks.num_blocks(), positions, blocks.lanes);
    sino = make_view<Sinogram>(exec, "sino", c.views, 1, channels, rows);
    weights = make_view<Sinogram>(exec, "weights", c.views, 1, channels, rows);
    per_view = make_view<Array1<double>>(exec, "per_view", c.views);
    Kokkos::deep_copy(exec, volume, Real(0.5));
    Kokkos::deep_copy(exec, sino, Real(0.25));
    Kokkos::deep_copy(exec, weights, Real(1));
    exec.fence("strata::bench: set-up");
    updates = double(pixels.size()) * c.slices * c.views;
  }
  CylinderBand band() const { return {{0, blocks.num_blocks()}, pixels, position, volume}; }
};

/// Runs f until the benchmark has enough; reports the best time by the clock and by processor time per thread, which
/// other work on the machine disturbs less.
template <class F>
void measure(benchmark::State& state, Setup const& setup, F const& f) {
  f();
  setup.exec.fence("strata::bench: warm-up");
  double best = 1e30, best_cpu = 1e30;
  for (auto _ : state) {
    auto const start = std::chrono::steady_clock::now();
    double const cpu = cpu_seconds();
    f();
    setup.exec.fence("strata::bench: timing");
    best_cpu = std::min(best_cpu, (cpu_seconds() - cpu) / setup.exec.concurrency());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["best_ms"] = 1e3 * best;
  state.counters["cpu_ms"] = 1e3 * best_cpu;
  state.counters["GUPS"] = 1e-9 * setup.updates / best_cpu;
}

void forward(benchmark::State& state, Case const& c) {
  Setup const s(c);
  measure(state, s, [&] { s.projector->forward_project(s.exec, s.band(), s.sino); });
}

void back(benchmark::State& state, Case const& c) {
  Setup const s(c);
  TreeNode const root = s.projector->nodes().front();
  measure(state, s, [&] {
    s.projector->back_project(s.exec, root, s.sino, 1, {0, s.blocks.num_blocks()}, s.pixels, s.position, s.volume);
  });
}

void curvature(benchmark::State& state, Case const& c) {
  Setup const s(c);
  measure(state, s, [&] { s.projector->curvature(s.exec, s.band(), s.weights, s.per_view); });
}

/// A step and the back projection of another subset: one visit of a VCD subset, without the prior. GUPS counts both.
void descend_and_back(benchmark::State& state, Case const& c) {
  Setup s(c);
  s.updates *= 2;
  auto const gradient =
      make_view<Cylinders>(s.exec, "gradient", s.blocks.num_blocks(), s.pixels.size(), s.blocks.lanes);
  measure(state, s, [&] {
    s.projector->descend_and_back_project(s.exec, {s.band(), 1e-6F}, s.weights, s.sino, s.pixels, gradient);
  });
}

constexpr Case cases[] = {{"cone/256^3x256", Beam::cone, 256, 256, 256, Select::all},
                          {"cone/256^3x256/16", Beam::cone, 256, 256, 256, Select::one_sixteenth},
                          {"cone/512x512x64x256", Beam::cone, 512, 64, 256, Select::all},
                          {"cone/128^3x180/ellipse", Beam::cone, 128, 128, 180, Select::ellipse},
                          {"curved/128^3x180/ellipse", Beam::curved, 128, 128, 180, Select::ellipse},
                          {"helical/128^3x180/ellipse", Beam::helical, 128, 128, 180, Select::ellipse},
                          {"translation/128^3x169", Beam::translation, 128, 128, 169, Select::all},
                          {"multiaxis/128^3x180", Beam::multiaxis, 128, 128, 180, Select::all}};
constexpr Case subsets[] = {{"cone/128^3x180/ellipse/128", Beam::cone, 128, 128, 180, Select::ellipse_one_of_128},
                            {"cone/256^3x256/16", Beam::cone, 256, 256, 256, Select::one_sixteenth}};

void add(std::string const& name, Case const& c, void (*run)(benchmark::State&, Case const&)) {
  benchmark::RegisterBenchmark((name + "/" + c.name).c_str(), [&c, run](benchmark::State& state) { run(state, c); })
      ->Unit(benchmark::kMillisecond)
      ->MinTime(1.0)
      ->UseRealTime();
}

void add_benchmarks() {
  for (Case const& c : cases) {
    add("forward", c, forward);
    add("back", c, back);
  }
  for (Case const& c : subsets) {
    add("curvature", c, curvature);
    add("descend_and_back", c, descend_and_back);
  }
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  strata::bench::add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
