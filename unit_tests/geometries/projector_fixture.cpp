#include "unit_tests/geometries/projector_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace strata::testing_support {
namespace {

constexpr Real poison = std::numeric_limits<Real>::quiet_NaN();
constexpr int extra_channels = 3;

}  // namespace

Values random_values(Index size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  Values values(static_cast<std::size_t>(size));
  for (auto& v : values) v = uniform(random);
  return values;
}

std::vector<double> in_double(Values const& values) {
  return {values.begin(), values.end()};
}

double max_relative(Values const& values, std::vector<double> const& reference) {
  double largest = 0, worst = 0;
  for (double const r : reference) largest = std::max(largest, std::abs(r));
  for (std::size_t i = 0; i < values.size(); ++i) {
    double const difference = std::abs(values[i] - reference[i]);
    if (!(difference <= worst)) worst = difference;  // NaN sticks
  }
  return largest > 0 ? worst / largest : worst;
}

double dot(Values const& a, Values const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

Range views_of_device(int num_views, int num_devices, int device) {
  ViewGroups const groups(num_views);
  auto const boundary = [&](int d) { return groups.begin(groups.num_groups * d / num_devices); };
  return {boundary(device), boundary(device + 1)};
}

std::vector<int> pixels_of(ReconShape const& shape, int step) {
  std::vector<int> indices;
  for (Index p = 0; p < shape.num_pixels(); p += step) indices.push_back(static_cast<int>(p));
  return z_order(indices, shape.num_cols);
}

std::vector<double> half_turn(int views) {
  std::vector<double> angles(views);
  for (int v = 0; v < views; ++v) angles[v] = 0.1 + std::numbers::pi * v / views;
  return angles;
}

Values joined(std::vector<TreeNode> const& nodes, int num_views, std::vector<Values> values) {
  for (auto const& [target, source] : joining_order(nodes, ViewGroups(num_views)))
    for (std::size_t i = 0; i < values[target].size(); ++i) values[target][i] += values[source][i];
  return values.front();
}

Cylinders ListedCylinders::empty(Position position, int num_blocks) const {
  auto const positions = position == Position::by_entry ? indices_.size() : std::size_t(recon_.num_pixels());
  Cylinders const array("cylinders", num_blocks, positions, blocks_.lanes);
  Kokkos::deep_copy(exec_, array, poison);
  exec_.fence("strata::test: set-up");
  return array;
}

Cylinders ListedCylinders::filled(Values const& entries, Position position, Range range) const {
  Cylinders const array = empty(position, range.size());
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  int const slices = recon_.num_slices;
  for (std::size_t t = 0; t < indices_.size(); ++t)
    for (int k = 0; k < slices; ++k) {
      int const block = blocks_.block_of(k);
      if (block < range.begin || block >= range.end) continue;
      host(block - range.begin, place(t, position), blocks_.lane_of(k)) = entries[t * slices + k];
    }
  Kokkos::deep_copy(exec_, array, host);
  exec_.fence("strata::test: set-up");
  return array;
}

void ListedCylinders::read(Cylinders const& array, Position position, Range range, Values& entries) const {
  exec_.fence("strata::test: results");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  int const slices = recon_.num_slices;
  std::vector<bool> listed(array.extent(1), position == Position::by_entry);
  for (std::size_t t = 0; t < indices_.size(); ++t) {
    auto const where = place(t, position);
    listed[where] = true;
    for (int b = range.begin; b < range.end; ++b)
      for (int k = blocks_.slices(b).begin; k < blocks_.slices(b).end; ++k)
        entries[t * slices + k] = host(b - range.begin, where, blocks_.lane_of(k));
  }
  for (std::size_t p = 0; p < listed.size(); ++p)
    EXPECT_TRUE(listed[p] || std::isnan(host(0, p, 0))) << "a pixel outside the list was written: " << p;
}

DeviceProjector::DeviceProjector(ParallelBeamParams const& params, std::vector<int> const& pixels, int num_devices,
                                 int device, KernelChoice kernels, ExecSpace const& exec)
    : params_(params),
      exec_(exec),
      views_(views_of_device(params.sinogram.num_views, num_devices, device)),
      blocks_(params.recon.num_slices, num_devices),
      cylinders_(params.recon, blocks_, pixels, exec),
      pixels_(make_pixel_list(exec, pixels, params.recon.num_cols)),
      projector_(make_parallel_beam(exec, params, views_, blocks_, kernels)) {}

CylinderBand DeviceProjector::band(Values const& entries, Position position) const {
  Range const all{0, blocks_.num_blocks()};
  return {all, pixels_, position, cylinders(entries, position, all)};
}

Sinogram DeviceProjector::sinogram(Values const& all) const {
  int const rows = params_.sinogram.num_det_rows, channels = params_.sinogram.num_det_channels;
  Sinogram const shard("sinogram", views_.size(), blocks_.num_blocks(), channels + extra_channels, blocks_.lanes);
  Kokkos::deep_copy(exec_, shard, poison);
  exec_.fence("strata::test: set-up");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), shard);
  for (int v = 0; !all.empty() && v < views_.size(); ++v)
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < channels; ++n)
        host(v, blocks_.block_of(m), n, blocks_.lane_of(m)) =
            all[((Index(views_.begin) + v) * rows + m) * channels + n];
  Kokkos::deep_copy(exec_, shard, host);
  exec_.fence("strata::test: set-up");
  return shard;
}

void DeviceProjector::read(Sinogram const& shard, Values& all) const {
  exec_.fence("strata::test: results");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), shard);
  int const rows = params_.sinogram.num_det_rows, channels = params_.sinogram.num_det_channels;
  for (int v = 0; v < views_.size(); ++v) {
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < channels; ++n)
        all[((Index(views_.begin) + v) * rows + m) * channels + n] =
            host(v, blocks_.block_of(m), n, blocks_.lane_of(m));
    Real const pad = host(v, 0, channels, 0);
    EXPECT_TRUE(std::isnan(pad) || pad == 0) << "a padded channel was written: " << pad;
  }
}

std::vector<double> DeviceProjector::read(Array1<double> const& array) const {
  exec_.fence("strata::test: results");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  return {host.data(), host.data() + host.extent(0)};
}

ProjectorRun::ProjectorRun(ParallelBeamParams const& params, std::vector<int> const& pixels, int num_devices,
                           KernelChoice kernels, ExecSpace const& exec)
    : params_(params), pixels_(pixels) {
  devices_.reserve(num_devices);
  for (int d = 0; d < num_devices; ++d) devices_.emplace_back(params, pixels, num_devices, d, kernels, exec);
}

Values ProjectorRun::forward(Values const& entries, Position position) const {
  Values all(static_cast<std::size_t>(params_.sinogram.size()));
  for (auto const& device : devices_) {
    Sinogram const shard = device.sinogram({});
    device.projector().forward_project(device.exec(), device.band(entries, position), shard);
    device.read(shard, all);
  }
  return all;
}

Values ProjectorRun::join(std::vector<Values> values) const {
  std::vector<TreeNode> nodes;
  for (auto const& device : devices_)
    nodes.insert(nodes.end(), device.projector().nodes().begin(), device.projector().nodes().end());
  return joined(nodes, params_.sinogram.num_views, std::move(values));
}

Values ProjectorRun::back(Values const& sino, int power, Position position) const {
  std::vector<Values> values;
  for (auto const& device : devices_) {
    Sinogram const shard = device.sinogram(sino);
    Range const blocks{0, device.blocks().num_blocks()};
    for (TreeNode const node : device.projector().nodes()) {
      Cylinders const out = device.empty_cylinders(position, blocks.size());
      device.projector().back_project(device.exec(), node, shard, power, blocks, device.pixels(), position, out);
      device.read(out, position, blocks, values.emplace_back(pixels_.size() * params_.recon.num_slices));
    }
  }
  return join(std::move(values));
}

std::vector<double> ProjectorRun::curvature(Values const& direction, Values const& weights) const {
  std::vector<double> per_view;
  for (auto const& device : devices_) {
    Array1<double> const mine("per_view", device.views().size());
    Sinogram const w = weights.empty() ? Sinogram() : device.sinogram(weights);
    device.projector().curvature(device.exec(), device.band(direction, Position::by_entry), w, mine);
    auto const host = device.read(mine);
    per_view.insert(per_view.end(), host.begin(), host.end());
  }
  return per_view;
}

std::pair<Values, Values> ProjectorRun::descend(Values const& direction, Real alpha, Values const& weights,
                                                Values const& error, bool fused) const {
  Values all(error.size());
  std::vector<Values> values;
  for (auto const& device : devices_) {
    Sinogram const u = device.sinogram(error);
    Sinogram const w = weights.empty() ? Sinogram() : device.sinogram(weights);
    PendingStep step;
    if (!direction.empty()) step = {device.band(direction, Position::by_entry), alpha};
    auto const& nodes = device.projector().nodes();
    int const num_blocks = device.blocks().num_blocks();
    Cylinders const out = device.empty_cylinders(Position::by_entry, static_cast<int>(nodes.size()) * num_blocks);
    auto const part = [&](int n) {
      return Kokkos::subview(out, std::pair<int, int>(n * num_blocks, (n + 1) * num_blocks), Kokkos::ALL, Kokkos::ALL);
    };
    if (fused) {
      device.projector().descend_and_back_project(device.exec(), step, w, u, device.pixels(), out);
    } else {
      device.projector().descend(device.exec(), step, w, u);
      for (std::size_t n = 0; n < nodes.size(); ++n)
        device.projector().back_project(device.exec(), nodes[n], u, 1, {0, num_blocks}, device.pixels(),
                                        Position::by_entry, part(static_cast<int>(n)));
    }
    device.read(u, all);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      device.read(part(static_cast<int>(n)), Position::by_entry, {0, num_blocks},
                  values.emplace_back(pixels_.size() * params_.recon.num_slices));
  }
  return {all, join(std::move(values))};
}

}  // namespace strata::testing_support
