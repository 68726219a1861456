#include "bench/kernel_bench.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <vector>

#include "bench/machine_peaks.hpp"
#include "core/model/pixel_list_builder.hpp"
#include "core/placement/instances.hpp"
#include "core/placement/memory.hpp"

namespace strata::bench {
namespace {

std::vector<int> pixels_of(KernelCase const& c) {
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
  double updates, fma_per_update;

  explicit Setup(KernelCase const& c) : blocks(c.slices, 1), fma_per_update(c.fma_per_update) {
    projector = c.make(exec, c, blocks);
    pixels = make_pixel_list(exec, pixels_of(c), c.size);
    bool const compact = c.select == Select::one_sixteenth || c.select == Select::ellipse_one_of_128;
    position = compact ? Position::by_entry : Position::by_pixel;
    int const positions = position == Position::by_entry ? pixels.size() : c.size * c.size;
    int const channels = c.size + 1;  // no power-of-two pitch
    int const row_blocks = c.rows_like_slices ? blocks.num_blocks() : 1;
    int const rows = c.rows_like_slices ? blocks.lanes : SliceBlocks::single(c.slices).lanes;
    volume = make_view<Cylinders>(exec, "volume", blocks.num_blocks(), positions, blocks.lanes);
    sino = make_view<Sinogram>(exec, "sino", c.views, row_blocks, channels, rows);
    weights = make_view<Sinogram>(exec, "weights", c.views, row_blocks, channels, rows);
    per_view = make_view<Array1<double>>(exec, "per_view", c.views);
    Kokkos::deep_copy(exec, volume, Real(0.5));
    Kokkos::deep_copy(exec, sino, Real(0.25));
    Kokkos::deep_copy(exec, weights, Real(1));
    exec.fence("strata::bench: set-up");
    updates = double(pixels.size()) * c.slices * c.views;
  }
  CylinderBand band() const { return {{0, blocks.num_blocks()}, pixels, position, volume}; }
};

/// Runs f until the benchmark has enough; reports the best time by the clock and, on hosts, by processor time per
/// thread, which other work on the machine disturbs less. Rates come from the latter; on GPUs from the clock.
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
  if (!is_host_back_end()) best_cpu = best;
  state.counters["best_ms"] = 1e3 * best;
  state.counters["cpu_ms"] = 1e3 * best_cpu;
  state.counters["GUPS"] = 1e-9 * setup.updates / best_cpu;
  static double const peak = fma_peak();
  state.counters["%FMA"] = 100 * setup.fma_per_update * 1e-9 * setup.updates / best_cpu / peak;
}

void machine(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
  state.counters["GFMA/s"] = fma_peak();
  state.counters["triad_GB/s"] = triad();
}

}  // namespace

void forward(benchmark::State& state, KernelCase const& c) {
  Setup const s(c);
  measure(state, s, [&] { s.projector->forward_project(s.exec, s.band(), s.sino); });
}

void back(benchmark::State& state, KernelCase const& c) {
  Setup const s(c);
  TreeNode const root = s.projector->nodes().front();
  measure(state, s, [&] {
    s.projector->back_project(s.exec, root, s.sino, 1, {0, s.blocks.num_blocks()}, s.pixels, s.position, s.volume);
  });
}

void curvature(benchmark::State& state, KernelCase const& c) {
  Setup const s(c);
  measure(state, s, [&] { s.projector->curvature(s.exec, s.band(), s.weights, s.per_view); });
}

void descend(benchmark::State& state, KernelCase const& c) {
  Setup const s(c);
  measure(state, s, [&] { s.projector->descend(s.exec, {s.band(), 1e-6F}, s.weights, s.sino); });
}

void descend_and_back(benchmark::State& state, KernelCase const& c) {
  Setup s(c);
  s.updates *= 2;
  auto const gradient =
      make_view<Cylinders>(s.exec, "gradient", s.blocks.num_blocks(), s.pixels.size(), s.blocks.lanes);
  measure(state, s, [&] {
    s.projector->descend_and_back_project(s.exec, {s.band(), 1e-6F}, s.weights, s.sino, s.pixels, gradient);
  });
}

void add(std::string const& name, KernelCase const& c, Kernel kernel) {
  benchmark::RegisterBenchmark((name + "/" + c.name).c_str(),
                               [&c, kernel](benchmark::State& state) { kernel(state, c); })
      ->Unit(benchmark::kMillisecond)
      ->MinTime(1.0)
      ->UseRealTime();
}

int run_benchmarks(int argc, char** argv, void (*add_benchmarks)()) {
  if (auto const missing = missing_device(); !missing.empty()) {
    std::cerr << missing << '\n';
    return 1;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RegisterBenchmark("machine", machine)->Iterations(1);
  add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace strata::bench
