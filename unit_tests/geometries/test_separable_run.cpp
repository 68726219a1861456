#include "unit_tests/geometries/test_separable_run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata::testing_support {
namespace {

constexpr Real unwritten = std::numeric_limits<Real>::quiet_NaN();
constexpr int margin_channels = 3;

/// Compact copy of entries [begin, begin + count).
ConstCylinders entries_of(ConstCylinders const& all, int begin, int count) {
  Cylinders const part("part", all.extent(0), count, all.extent(2));
  for (int b = 0; b < all.extent_int(0); ++b)
    for (int t = 0; t < count; ++t)
      for (int l = 0; l < all.extent_int(2); ++l) part(b, t, l) = all(b, begin + t, l);
  return part;
}

}  // namespace

SeparableScan::SeparableScan(ConeBeamParams const& params)
    : sinogram(params.sinogram),
      recon(params.recon),
      make([params](auto const& exec, Range views, auto const& blocks, KernelChoice kernels) {
        return make_cone_beam(exec, params, views, blocks, kernels);
      }) {}

SeparableScan::SeparableScan(TranslationParams const& params)
    : sinogram(params.sinogram),
      recon(params.recon),
      make([params](auto const& exec, Range views, auto const& blocks, KernelChoice kernels) {
        return make_translation(exec, params, views, blocks, kernels);
      }) {}

SeparableScan::SeparableScan(MultiAxisParams const& params)
    : sinogram(params.sinogram),
      recon(params.recon),
      make([params](auto const& exec, Range views, auto const& blocks, KernelChoice kernels) {
        return make_multiaxis(exec, params, views, blocks, kernels);
      }) {}

SeparableRun::SeparableRun(SeparableScan const& scan, std::vector<int> const& pixels, int num_devices,
                           ExecSpace const& exec, KernelChoice kernels)
    : scan_(scan),
      exec_(exec),
      blocks_(scan.recon.num_slices, num_devices),
      cylinders_(scan.recon, blocks_, pixels, exec),
      list_(make_pixel_list(exec, pixels, scan.recon.num_cols)) {
  for (int d = 0; d < num_devices; ++d) {
    Range const views = views_of_device(scan.sinogram.num_views, num_devices, d);
    devices_.push_back({views, scan.make(exec, views, blocks_, kernels)});
  }
}

CylinderBand SeparableRun::band(Values const& entries, Position position) const {
  Range const all{0, blocks_.num_blocks()};
  return {all, list_, position, cylinders_.filled(entries, position, all)};
}

Sinogram SeparableRun::shard(Device const& device, Values const& all) const {
  int const rows = scan_.sinogram.num_det_rows, channels = scan_.sinogram.num_det_channels;
  Sinogram const shard("sinogram", device.views.size() + 1, 1, channels + margin_channels,
                       SliceBlocks::single(rows).lanes);
  Kokkos::deep_copy(shard, unwritten);
  for (int v = 0; !all.empty() && v < device.views.size(); ++v)
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < channels; ++n)
        shard(v, 0, n, m) = all[((Index(device.views.begin) + v) * rows + m) * channels + n];
  return shard;
}

void SeparableRun::read(Device const& device, Sinogram const& shard, Values& all) const {
  int const rows = scan_.sinogram.num_det_rows, channels = scan_.sinogram.num_det_channels;
  for (int v = 0; v < device.views.size(); ++v) {
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < channels; ++n)
        all[((Index(device.views.begin) + v) * rows + m) * channels + n] = shard(v, 0, n, m);
    EXPECT_TRUE(std::isnan(shard(v, 0, channels, 0))) << "a padded channel was written";
  }
  EXPECT_TRUE(std::isnan(shard(device.views.size(), 0, 0, 0))) << "a padded view was written";
}

Values SeparableRun::forward(Values const& entries, Position position, int batch) const {
  Values all(static_cast<std::size_t>(scan_.sinogram.size()));
  CylinderBand const whole = band(entries, position);
  for (auto const& device : devices_) {
    Sinogram const out = shard(device, {});
    int const step = batch > 0 ? batch : std::max(list_.size(), 1);
    for (int begin = 0; begin == 0 || begin < list_.size(); begin += step) {
      CylinderBand part = whole;
      part.pixels = part_of(list_, begin, std::min(begin + step, list_.size()));
      if (position == Position::by_entry) part.values = entries_of(whole.values, begin, part.pixels.size());
      part.accumulate = begin > 0;
      device.projector->forward_project(exec_, part, out);
    }
    exec_.fence("strata::test: results");
    read(device, out, all);
  }
  return all;
}

Values SeparableRun::join(std::vector<Values> values) const {
  std::vector<TreeNode> nodes;
  for (auto const& device : devices_)
    nodes.insert(nodes.end(), device.projector->nodes().begin(), device.projector->nodes().end());
  return joined(nodes, scan_.sinogram.num_views, std::move(values));
}

Values SeparableRun::back(Values const& sino, int power, Position position, int band_blocks) const {
  int const step = band_blocks > 0 ? band_blocks : blocks_.num_blocks();
  std::vector<Values> values;
  for (auto const& device : devices_) {
    Sinogram const in = shard(device, sino);
    for (TreeNode const node : device.projector->nodes()) {
      values.emplace_back(std::size_t(list_.size()) * scan_.recon.num_slices);
      for (int begin = 0; begin < blocks_.num_blocks(); begin += step) {
        Range const blocks{begin, std::min(begin + step, blocks_.num_blocks())};
        Cylinders const out = empty_cylinders(position, blocks.size());
        device.projector->back_project(exec_, node, in, power, blocks, list_, position, out);
        cylinders_.read(out, position, blocks, values.back());
      }
    }
  }
  return join(std::move(values));
}

std::vector<double> SeparableRun::curvature(Values const& direction, Values const& weights) const {
  std::vector<double> per_view;
  for (auto const& device : devices_) {
    Array1<double> const mine("per_view", device.views.size());
    Sinogram const w = weights.empty() ? Sinogram() : shard(device, weights);
    device.projector->curvature(exec_, band(direction, Position::by_entry), w, mine);
    exec_.fence("strata::test: results");
    per_view.insert(per_view.end(), mine.data(), mine.data() + mine.extent(0));
  }
  return per_view;
}

std::pair<Values, Values> SeparableRun::descend(Values const& direction, Real alpha, Values const& weights,
                                                Values const& error, bool fused, bool measured) const {
  Values all(error.size());
  std::vector<Values> values;
  int const num_blocks = blocks_.num_blocks();
  for (auto const& device : devices_) {
    Sinogram const u = shard(device, error);
    Sinogram const w = weights.empty() ? Sinogram() : shard(device, weights);
    PendingStep step;
    if (!direction.empty()) step = {band(direction, Position::by_entry), alpha, measured};
    Array1<double> const per_view("per_view", device.views.size());
    if (measured) device.projector->curvature(exec_, step.direction, w, per_view);
    auto const& nodes = device.projector->nodes();
    Cylinders const out = empty_cylinders(Position::by_entry, static_cast<int>(nodes.size()) * num_blocks);
    auto const part = [&](int n) {
      return Kokkos::subview(out, std::pair<int, int>(n * num_blocks, (n + 1) * num_blocks), Kokkos::ALL, Kokkos::ALL);
    };
    if (fused) {
      device.projector->descend_and_back_project(exec_, step, w, u, list_, out);
    } else {
      device.projector->descend(exec_, step, w, u);
      for (std::size_t n = 0; n < nodes.size(); ++n)
        device.projector->back_project(exec_, nodes[n], u, 1, {0, num_blocks}, list_, Position::by_entry,
                                       part(static_cast<int>(n)));
    }
    exec_.fence("strata::test: results");
    read(device, u, all);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      cylinders_.read(part(static_cast<int>(n)), Position::by_entry, {0, num_blocks},
                      values.emplace_back(std::size_t(list_.size()) * scan_.recon.num_slices));
  }
  return {all, join(std::move(values))};
}

}  // namespace strata::testing_support
