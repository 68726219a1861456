#include "core/solver/direct_recon.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/ramp_filter.hpp"
#include "core/solver/row_coverage.hpp"

namespace strata {
namespace {

/// x[block][pixel][lane] *= weights[block * lanes + lane].
void scale_shard(ExecSpace const& exec, Cylinders const& x, Array1<Real const> const& weights) {
  Index const lanes = x.extent_int(2);
  Index const per_block = x.extent_int(1) * lanes;
  Real* const values = x.data();
  Kokkos::parallel_for(
      "strata::scale_slices",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, static_cast<Index>(x.size())),
      KOKKOS_LAMBDA(Index i) { values[i] *= weights(i / per_block * lanes + i % lanes); });
}

/// The redundancy weights of the scan; logs what was chosen.
RedundancyWeights choose_weights(TomographyModel const& model, RedundancyOptions const& options) {
  RedundancyWeights weights = redundancy_weights(model.geometry().ray_fan(), options);
  for (auto const& note : weights.notes) log::info(model.geometry().direct_name(), ": ", note);
  for (auto const& warning : weights.warnings) log::warn(model.geometry().direct_name(), ": ", warning);
  return weights;
}

void filter_with(DirectFilterParams const& params, TomographyModel const& model, ShardedSinogram const& sinogram,
                 ShardedSinogram const& filtered) {
  RampFilter(model.sinogram_shape(), model.sinogram_layout(), params).apply(sinogram, filtered);
}

/// to[view][block][channel + before][lane] = from[view][block][channel][lane]; other channels are left alone.
void copy_channels(ExecSpace const& exec, Sinogram const& from, Sinogram const& to, int channels, int before) {
  Kokkos::parallel_for(
      "strata::copy_channels",
      Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<4>>(
          exec, {0, 0, 0, 0}, {from.extent_int(0), from.extent_int(1), channels, from.extent_int(3)}),
      KOKKOS_LAMBDA(int v, int b, int c, int l) { to(v, b, c + before, l) = from(v, b, c, l); });
}

/// [view][channel] with zeros for the added channels.
std::vector<float> widened(std::vector<float> const& weights, int channels, int before, int after) {
  std::vector<float> wide;
  for (auto row = weights.begin(); row != weights.end(); row += channels) {
    wide.insert(wide.end(), static_cast<std::size_t>(before), 0.0F);
    wide.insert(wide.end(), row, row + channels);
    wide.insert(wide.end(), static_cast<std::size_t>(after), 0.0F);
  }
  return wide;
}

/// Filters and back projects on a detector that is wide enough for what the ramp puts beyond the real one.
void reconstruct_widened(TomographyModel const& model, RedundancyWeights const& weights,
                         std::shared_ptr<Geometry const> const& geometry, ShardedSinogram const& sinogram,
                         ShardedVolume const& recon) {
  int const channels = model.sinogram_shape().num_det_channels;
  TomographyModel const wide(model.device_set(), geometry, model.mask(), model.max_exchange_bytes());
  ShardedSinogram const scratch = wide.make_sinogram("direct::widened");
  model.devices().for_each([&](int d, ExecSpace const& exec) {
    copy_channels(exec, sinogram[d], scratch[d], channels, weights.channels_before);
  });
  DirectFilterParams params = geometry->direct_filter();
  params.view_weights = widened(weights.view_weights, channels, weights.channels_before, weights.channels_after);
  filter_with(params, wide, scratch, scratch);
  wide.back_project(scratch, recon);
}

/// Distance from the axis to the farthest pixel of the region, ALU.
double region_reach(TomographyModel const& model) {
  GeometryParams const& p = model.geometry().params();
  double farthest = 0;
  for (int const pixel : model.masked_pixels().host) {
    double const x = p.delta_voxel * (pixel % p.recon.num_cols - (p.recon.num_cols - 1) / 2.0);
    double const y = p.voxel_row_aspect * p.delta_voxel * (pixel / p.recon.num_cols - (p.recon.num_rows - 1) / 2.0);
    farthest = std::max(farthest, x * x + y * y);
  }
  return std::sqrt(farthest);
}

/// Makes up for views that do not see all slices; logs which those are.
void make_up_for_missing_rows(TomographyModel const& model, std::vector<float> const& view_weights,
                              ShardedVolume const& recon) {
  RowFan const fan = model.geometry().row_fan();
  CoverageReport const report = row_coverage(fan, model.geometry().params(), region_reach(model));
  if (report.complete) return;
  log::info(model.geometry().direct_name(), ": ", report.note);
  if (!report.warning.empty()) log::warn(model.geometry().direct_name(), ": ", report.warning);
  normalise_coverage(model, fan, view_weights, report.whole, recon);
}

}  // namespace

void scale_slices(ShardedVolume const& volume, std::vector<float> const& weights) {
  SliceBlocks const& blocks = volume.placement.blocks();
  ensure(static_cast<int>(weights.size()) == blocks.num_slices, "scale_slices: ", weights.size(), " weights for ",
         blocks.num_slices, " slices");
  DeviceSet const& devices = *volume.placement.devices();
  auto const shard_weights = per_local_device(devices, [&](int d) {
    // Blocks are numbered over all shards, and a volume's shard holds per_shard of them.
    auto const device =
        make_view<Array1<Real>>(devices.exec(d), "strata::slice_weights", blocks.per_shard * blocks.lanes);
    auto const host = Kokkos::create_mirror_view(device);
    for (int b = 0; b < blocks.per_shard; ++b) {
      Range const slices = blocks.slices(d * blocks.per_shard + b);
      for (int l = 0; l < blocks.lanes; ++l) {
        Real const weight = l < slices.size() ? weights[slices.begin + l] : Real(0);
        host(b * blocks.lanes + l) = weight;
      }
    }
    Kokkos::deep_copy(devices.exec(d), device, host);
    devices.exec(d).fence("scale_slices: the weights are on the device");
    return Array1<Real const>(device);
  });
  devices.for_each([&](int d, ExecSpace const& exec) { scale_shard(exec, volume[d], shard_weights[d]); });
  devices.fence("scale_slices: read next");
}

void direct_filter(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& filtered,
                   RedundancyOptions const& options) {
  DirectFilterParams params = model.geometry().direct_filter();
  params.view_weights = choose_weights(model, options).view_weights;
  filter_with(params, model, sinogram, filtered);
}

void direct_recon(TomographyModel const& model, ShardedSinogram const& sinogram, ShardedSinogram const& scratch,
                  ShardedVolume const& recon, RedundancyOptions const& options) {
  DirectFilterParams params = model.geometry().direct_filter();
  RedundancyWeights const weights = choose_weights(model, options);
  bool const one_sided = weights.channels_before + weights.channels_after > 0;
  auto const wide = one_sided ? model.geometry().widened(weights.channels_before, weights.channels_after) : nullptr;
  if (wide) {
    reconstruct_widened(model, weights, wide, sinogram, recon);
  } else {
    params.view_weights = weights.view_weights;
    filter_with(params, model, sinogram, scratch);
    model.back_project(scratch, recon);
  }
  if (!params.slice_weights.empty()) scale_slices(recon, params.slice_weights);
  make_up_for_missing_rows(model, weights.view_weights, recon);
}

}  // namespace strata
