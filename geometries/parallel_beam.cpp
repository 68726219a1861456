#include "geometries/parallel_beam.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/placement/memory.hpp"
#include "geometries/parallel_footprint.hpp"
#include "geometries/slice_projector.hpp"
#include "geometries/team_kernels.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "geometries/host_kernels.hpp"
#endif

namespace strata {
namespace {

using TeamKernels = gpu_teams::Kernels<ParallelFootprint>;
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using BestKernels = TeamKernels;
#else
using BestKernels = host_tiles::Kernels<ParallelFootprint>;
#endif

void require_positive(double value, char const* name) {
  require(std::isfinite(value) && value > 0, "parallel beam: ", name, " must be positive and finite, got ", value);
}

/// Width of the box of a voxel in one view, ALU.
double box_width(ParallelBeamParams const& params, double angle) {
  double const dx = params.delta_voxel, dy = params.voxel_row_aspect * params.delta_voxel;
  return std::max(std::abs(std::cos(angle)) * dx, std::abs(std::sin(angle)) * dy);
}

ParallelFootprint::View view_of(ParallelBeamParams const& params, double angle) {
  double const dx = params.delta_voxel, dy = params.voxel_row_aspect * params.delta_voxel;
  double const pitch = params.delta_det_channel, length = box_width(params, angle);
  double const col_step = std::cos(angle) * dx / pitch, row_step = std::sin(angle) * dy / pitch;
  // Left edge at pixel (0, 0), counted so that channel n is the interval [n, n + 1).
  double const edge = (params.det_channel_offset - 0.5 * length) / pitch + 0.5 * params.sinogram.num_det_channels -
                      col_step * 0.5 * (params.recon.num_cols - 1) + row_step * 0.5 * (params.recon.num_rows - 1);
  double const whole = std::floor(edge);
  auto const high = [](double x) { return static_cast<Real>(x); };
  auto const rest = [](double x) { return static_cast<Real>(x - static_cast<double>(static_cast<Real>(x))); };
  return {high(col_step),          rest(col_step),     high(row_step),       rest(row_step),
          static_cast<int>(whole), high(edge - whole), high(length / pitch), high(dx * dy / length)};
}

/// Positions are counted in whole channels by an int.
void require_countable(ParallelBeamParams const& params) {
  double const widest = params.delta_voxel * std::max(1.0, params.voxel_row_aspect) *
                        std::max(params.recon.num_rows, params.recon.num_cols);
  double const reach = (std::abs(params.det_channel_offset) + widest) / params.delta_det_channel;
  require(reach < 0x1p30, "parallel beam: the volume with det_channel_offset must reach less than 2^30 channels, got ",
          reach, " (delta_voxel ", params.delta_voxel, ", delta_det_channel ", params.delta_det_channel,
          ", det_channel_offset ", params.det_channel_offset, ")");
}

ParallelFootprint make_footprint(ExecSpace const& exec, ParallelBeamParams const& params, Range views) {
  using View = ParallelFootprint::View;
  auto const table = make_view<Array1<View>>(exec, "strata::parallel_beam::views", views.size());
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, table);
  for (int v = 0; v < views.size(); ++v) host(v) = view_of(params, params.angles[views.begin + v]);
  Kokkos::deep_copy(exec, table, host);
  exec.fence("strata::make_parallel_beam: the host's copy of the views goes out of scope");

  // The widest box of all views, not of this device's: results must not depend on the device count.
  double widest = 0;
  for (double const angle : params.angles) widest = std::max(widest, box_width(params, angle));
  int const num_channels = params.sinogram.num_det_channels;
  return {table, num_channels, TapShape(widest / params.delta_det_channel, num_channels)};
}

}  // namespace

void validate(ParallelBeamParams const& params) {
  SinogramShape const& sino = params.sinogram;
  ReconShape const& recon = params.recon;
  require(sino.num_views > 0 && sino.num_det_rows > 0 && sino.num_det_channels > 0,
          "parallel beam: the sinogram must have at least one view, row and channel, got [", sino.num_views, "][",
          sino.num_det_rows, "][", sino.num_det_channels, "]");
  require(recon.num_rows > 0 && recon.num_cols > 0 && recon.num_slices > 0,
          "parallel beam: the volume must have at least one row, column and slice, got [", recon.num_rows, "][",
          recon.num_cols, "][", recon.num_slices, "]");
  require(recon.num_slices == sino.num_det_rows, "parallel beam: the volume must have a slice for each detector row, ",
          sino.num_det_rows, ", got ", recon.num_slices, " slices");
  require(static_cast<Index>(params.angles.size()) == sino.num_views, "parallel beam: expected an angle for each of ",
          sino.num_views, " views, got ", params.angles.size());
  for (std::size_t v = 0; v < params.angles.size(); ++v)
    require(std::isfinite(params.angles[v]), "parallel beam: the angle of view ", v, " must be finite, got ",
            params.angles[v]);
  require_positive(params.delta_det_channel, "delta_det_channel");
  require_positive(params.delta_det_row, "delta_det_row");
  require_positive(params.delta_voxel, "delta_voxel");
  require_positive(params.voxel_row_aspect, "voxel_row_aspect");
  require(std::isfinite(params.det_channel_offset), "parallel beam: det_channel_offset must be finite, got ",
          params.det_channel_offset);
  require_countable(params);
}

std::unique_ptr<Projector> make_parallel_beam(ExecSpace const& exec, ParallelBeamParams const& params, Range views,
                                              SliceBlocks const& blocks, KernelChoice kernels) {
  validate(params);
  ViewGroups const groups(params.sinogram.num_views);
  ensure(blocks.num_slices == params.recon.num_slices, "parallel beam: blocks of ", blocks.num_slices,
         " slices for a volume of ", params.recon.num_slices);
  ProjectorShape const shape{views, groups, blocks, params.sinogram.num_det_channels};
  auto nodes = covering_nodes(groups_in(views, groups), groups);
  auto footprint = make_footprint(exec, params, views);
  if (kernels == KernelChoice::teams)
    return std::make_unique<SliceProjector<ParallelFootprint, TeamKernels>>(exec, std::move(footprint), shape,
                                                                            std::move(nodes));
  return std::make_unique<SliceProjector<ParallelFootprint, BestKernels>>(exec, std::move(footprint), shape,
                                                                          std::move(nodes));
}

Index parallel_beam_bytes(ExecSpace const& exec, SinogramShape const& sinogram, Range views,
                          SliceBlocks const& blocks) {
  ProjectorShape const shape{views, ViewGroups(sinogram.num_views), blocks, sinogram.num_det_channels};
  return BestKernels::Workspace::bytes(exec, shape) + views.size() * Index(sizeof(ParallelFootprint::View));
}

}  // namespace strata
