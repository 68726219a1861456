#include "core/solver/objective.hpp"

#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/objective_kernels.hpp"

namespace strata {
namespace {

SinogramPointers pointers(int device, ShardedSinogram const& weighted_error, ShardedSinogram const* weights,
                          std::span<ProjectedDirection const* const> directions) {
  SinogramPointers p;
  p.error = weighted_error[device].data();
  p.weights = weights ? (*weights)[device].data() : nullptr;
  for (std::size_t i = 0; i < directions.size(); ++i) p.projections[i] = directions[i]->projection[device].data();
  p.stored_channels = weighted_error[device].extent_int(2);
  return p;
}

}  // namespace

ObjectiveSums::ObjectiveSums(TomographyModel const& model, Prior const& prior, double sigma_y, int max_directions)
    : model_(model), prior_(prior), fm_(1 / (sigma_y * sigma_y)) {
  ensure(max_directions >= 0 && max_directions <= ObjectiveModel::most, "ObjectiveSums: ", max_directions,
         " directions");
  SliceBlocks const& rows = model.sinogram_layout().rows;
  SliceBlocks const& blocks = model.recon_placement().blocks();
  int const sums = num_quadratic_sums(max_directions);
  int const views = model.sino_placement().shard_size();
  int const slices = blocks.per_shard * blocks.lanes;
  for (int i = 0; prior.needs_halos() && i <= max_directions; ++i)
    halos_.emplace_back(model.recon_placement(), model.recon_shape().num_pixels());
  devices_ = per_local_device(model.devices(), [&](int d) {
    ExecSpace const& exec = model.devices().exec(d);
    PerDevice work;
    work.per_row =
        make_view<Array3<double>>(exec, "strata::objective::per_row", sums, views, rows.num_blocks() * rows.lanes);
    work.per_view = make_view<Array2<double>>(exec, "strata::objective::per_view", sums, views);
    work.parts = make_zero_view<Array3<double>>(exec, "strata::objective::parts", Prior::surrogate_parts, sums, slices);
    work.slices = make_view<Array2<double>>(exec, "strata::objective::slices", sums, slices);
    return work;
  });
  host_views_ = make_host_arrays<HostSums>(model.devices(), "strata::objective::host_views", sums, views);
  host_slices_ = make_host_arrays<HostSums>(model.devices(), "strata::objective::host_slices", sums, slices);
}

Index ObjectiveSums::bytes(Placement const& slices, Placement const& views, SliceBlocks const& rows, Index num_pixels,
                           int max_directions, bool halos) {
  SliceBlocks const& blocks = slices.blocks();
  Index const per_view = rows.num_blocks() * rows.lanes + 1;
  Index const values =
      views.shard_size() * per_view + Index(blocks.per_shard) * blocks.lanes * (Prior::surrogate_parts + 1);
  Index const halo = halos && slices.num_devices() > 1 ? 4 * num_pixels * Index(sizeof(Real)) : 0;
  return values * num_quadratic_sums(max_directions) * Index(sizeof(double)) + (max_directions + 1) * halo;
}

void ObjectiveSums::launch_data_sums(int device, ExecSpace const& exec, ShardedSinogram const& weighted_error,
                                     ShardedSinogram const* weights,
                                     std::span<ProjectedDirection const* const> directions, bool subtract_error) const {
  SinogramPointers const p = pointers(device, weighted_error, weights, directions);
  int const views = model_.sino_placement().owned(device).size();
  int const count = static_cast<int>(directions.size());
  sum_channels_along(exec, count, views, model_.sinogram_layout(), p, subtract_error, devices_[device].per_row);
  sum_rows_along(exec, num_quadratic_sums(count), views, model_.sinogram_layout().rows, devices_[device].per_row,
                 devices_[device].per_view);
  Kokkos::deep_copy(exec, host_views_[device], devices_[device].per_view);
}

void ObjectiveSums::launch_prior_sums(int device, ExecSpace const& exec, ShardedVolume const& recon,
                                      std::span<ProjectedDirection const* const> directions) const {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  auto const shard = [&](ShardedVolume const& volume, std::size_t halo) {
    VolumeShard part{model_.recon_shape(), blocks, device, volume[device], {}, {}};
    if (prior_.needs_halos()) {
      part.below = halos_[halo].below(device);
      part.above = halos_[halo].above(device);
    }
    return part;
  };
  DirectionShards beside;
  beside.count = static_cast<int>(directions.size());
  for (std::size_t i = 0; i < directions.size(); ++i) beside.shards[i] = shard(directions[i]->volume, i + 1);
  auto const& work = devices_[device];
  prior_.surrogate_sums(exec, shard(recon, 0), beside, work.parts);
  add_parts(exec, num_quadratic_sums(beside.count), work.parts, work.slices);
  Kokkos::deep_copy(exec, host_slices_[device], work.slices);
}

std::array<double, num_quadratic_sums(DirectionShards::most)> ObjectiveSums::total_data(int sums) const {
  std::array<double, num_quadratic_sums(DirectionShards::most)> totals{};
  auto const all = collect(model_.devices(), host_views_);
  for (int d = 0; d < all.num_devices(); ++d)
    for (int v = 0; v < model_.sino_placement().owned(d).size(); ++v)
      for (int q = 0; q < sums; ++q) totals[q] += all[d](q, v);
  return totals;
}

std::array<double, num_quadratic_sums(DirectionShards::most)> ObjectiveSums::total_prior(int sums) const {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  std::array<double, num_quadratic_sums(DirectionShards::most)> totals{};
  auto const all = collect(model_.devices(), host_slices_);
  for (int d = 0; d < all.num_devices(); ++d)
    for (int b = 0; b < blocks.per_shard; ++b)
      for (int lane = 0; lane < blocks.slices(d * blocks.per_shard + b).size(); ++lane)
        for (int q = 0; q < sums; ++q) totals[q] += all[d](q, b * blocks.lanes + lane);
  return totals;
}

ObjectiveModel ObjectiveSums::measure(ShardedVolume const& recon, ShardedSinogram const& weighted_error,
                                      ShardedSinogram const* weights,
                                      std::span<ProjectedDirection const* const> directions, bool subtract_error) {
  if (prior_.needs_halos()) {
    halos_[0].exchange(recon);
    for (std::size_t i = 0; i < directions.size(); ++i) halos_[i + 1].exchange(directions[i]->volume);
  }
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    launch_data_sums(d, exec, weighted_error, weights, directions, subtract_error);
    launch_prior_sums(d, exec, recon, directions);
  });
  model_.devices().fence("objective: the host adds views and slices");
  ObjectiveModel result;
  result.count = static_cast<int>(directions.size());
  int const sums = num_quadratic_sums(result.count);
  auto const data = total_data(sums);
  auto const prior = total_prior(sums);
  result.data = fm_ * data[0];
  result.value = result.data / 2 + prior[0];
  int next = 1;
  // The error falls along a direction where the two are alike, the prior rises with its slope.
  for (int i = 0; i < result.count; ++i, ++next) result.descent[i] = fm_ * data[next] - prior[next];
  for (int i = 0; i < result.count; ++i) {
    result.data_curvature[i] = fm_ * data[next];
    for (int j = i; j < result.count; ++j, ++next)
      result.curvature[i][j] = result.curvature[j][i] = fm_ * data[next] + prior[next];
  }
  return result;
}

}  // namespace strata
