/// What the layer of devices costs: projections by a model of one device against the kernels called directly, and by
/// two devices, in each form of exchange, against one, in turn in one run. Prints the best processor time of each and
/// ratios. Rows `apart`: two devices that may not read each other's memory, as GPUs; all they exchange is copied.
///
///   strata_overhead_bench [SIZE [ROUNDS [MB [WORD]]]]   volume SIZE^3, SIZE views; 256 and 3 by default. MB: what two
///                                                       devices may exchange at a time, see ExchangePlan; 0: the
///                                                       usual. WORD: only rows whose name begins so
#include <array>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <string>

#include "bench/machine_peaks.hpp"
#include "core/model/tomography_model.hpp"
#include "core/placement/instances.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/parallel_scan.hpp"

namespace strata::bench {
namespace {

std::shared_ptr<Geometry const> scan_of(bool cone, int size) {
  GeometryParams params;
  params.sinogram = {size, size, size};
  params.recon = {size, size, size};
  std::vector<double> angles;
  for (int v = 0; v < size; ++v) angles.push_back((cone ? 2 : 1) * std::numbers::pi * v / size);
  if (!cone) return make_parallel_scan(params, angles);
  params.delta_voxel = 0.5;
  ConeScanParams scan;
  scan.common = params;
  scan.angles = angles;
  scan.source_detector_dist = 4.0 * size;
  scan.source_iso_dist = 2.0 * size;
  return make_cone_scan(scan);
}

/// A model with its arrays; direct() calls the kernels of a model of one device without it.
struct Run {
  TomographyModel model;
  ShardedVolume volume = model.make_volume("bench::volume");
  ShardedSinogram sinogram = model.make_sinogram("bench::sinogram");

  Run(std::shared_ptr<Geometry const> const& geometry, Devices const& devices, Index exchange_bytes)
      : model(devices, geometry,
              std::vector<bool>(static_cast<std::size_t>(geometry->params().recon.num_pixels()), true),
              exchange_bytes) {}
  void forward() const { model.forward_project(volume, sinogram); }
  void back() const { model.back_project(sinogram, volume); }
  void direct_forward() const {
    ExecSpace const& exec = model.devices().exec(0);
    int const blocks = model.recon_placement().blocks().num_blocks();
    model.projector(0).forward_project(
        exec, {{0, blocks}, model.masked_pixels().devices[0], Position::by_pixel, volume[0]}, sinogram[0]);
    exec.fence("strata::bench: timing");
  }
  void direct_back() const {
    ExecSpace const& exec = model.devices().exec(0);
    int const blocks = model.recon_placement().blocks().num_blocks();
    model.projector(0).back_project(exec, model.nodes().nodes(0)[0], sinogram[0], 1, {0, blocks},
                                    model.masked_pixels().devices[0], Position::by_pixel, volume[0]);
    exec.fence("strata::bench: timing");
  }
};

template <class F>
void keep_best(F const& f, double& best) {
  double const start = cpu_seconds();
  f();
  best = std::min(best, cpu_seconds() - start);
}

struct Choice {
  int size = 256;
  int rounds = 3;
  Index exchange_bytes = 0;
  std::string rows = {};
};

/// Prints the best times of `calls`: kernels, one device, two devices with cylinders and with bands.
void row(std::string const& name, Choice const& choice, std::array<std::function<void()>, 4> const& calls) {
  if (!name.starts_with(choice.rows)) return;
  std::array<double, 4> best{};
  for (int r = 0; r <= choice.rounds; ++r) {
    if (r <= 1) best.fill(1e30);  // the first round is a warm-up
    for (std::size_t k = 0; k < calls.size(); ++k) {
      std::size_t const i = r % 2 == 0 ? k : calls.size() - 1 - k;  // what ran before counts, too
      keep_best(calls[i], best[i]);
    }
  }
  std::cout << std::left << std::setw(22) << name << std::right << std::fixed << std::setprecision(3);
  for (double const seconds : best) std::cout << std::setw(12) << seconds;
  std::cout << std::setw(12) << best[1] / best[0] << std::setw(14) << best[2] / best[1] << std::setw(12)
            << best[3] / best[1] << std::endl;
}

void measure(Choice const& choice) {
  std::cout << std::setw(34) << "kernels s" << std::setw(12) << "1 device s" << std::setw(12) << "cylinders s"
            << std::setw(12) << "bands s" << std::setw(12) << "1 / kernels" << std::setw(14) << "cylinders / 1"
            << std::setw(12) << "bands / 1" << std::endl;
  for (bool const cone : {false, true}) {
    auto const geometry = scan_of(cone, choice.size);
    if (!geometry->type().starts_with(choice.rows.substr(0, choice.rows.find('/')))) continue;
    Run const one(geometry, DeviceSet::virtual_devices(1), 0);
    for (Memories const memories : {Memories::of_the_machine, Memories::apart}) {
      auto const two = [&](ExchangeForm form) {
        return Run(geometry, DeviceSet::virtual_devices(2, memories, form), choice.exchange_bytes);
      };
      Run const cylinders = two(ExchangeForm::cylinders), bands = two(ExchangeForm::bands);
      std::string const end = memories == Memories::apart ? "/apart" : "";
      row(geometry->type() + "/forward" + end, choice,
          {[&] { one.direct_forward(); }, [&] { one.forward(); }, [&] { cylinders.forward(); },
           [&] { bands.forward(); }});
      row(geometry->type() + "/back" + end, choice,
          {[&] { one.direct_back(); }, [&] { one.back(); }, [&] { cylinders.back(); }, [&] { bands.back(); }});
    }
  }
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  if (auto const missing = strata::missing_device(); !missing.empty()) {
    std::cerr << missing << '\n';
    return 1;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  strata::bench::measure({number(1, 256), number(2, 3), strata::Index(number(3, 0)) << 20, argc > 4 ? argv[4] : ""});
  return 0;
}
