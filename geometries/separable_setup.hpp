/// From the numbers of a scan to a projector: what all geometries that couple slices share.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/placement/memory.hpp"
#include "geometries/projector_arrays.hpp"
#include "geometries/separable_beam.hpp"
#include "geometries/separable_line.hpp"
#include "geometries/separable_team_kernels.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "geometries/separable_projector.hpp"
#endif

namespace strata::separable {

/// Voxel pitches.
struct Pitches {
  double dx, dy, dz;
  explicit Pitches(SeparableScanParams const& scan)
      : dx(scan.delta_voxel),
        dy(scan.voxel_row_aspect * scan.delta_voxel),
        dz(scan.voxel_slice_aspect * scan.delta_voxel) {}
};

/// Slice, row and column 0 from the middle of the volume, in voxels.
inline double first_of(int size) {
  return -0.5 * (size - 1);
}

/// Distance of the source from a plane of depth y, divided by source_detector_dist: 1 / magnification.
struct SourceDepth {
  double at_axis;  ///< 1 / M
  double inverse;  ///< 1 / source_detector_dist
  double nearest;  ///< what comes nearer is dropped

  SourceDepth(double source_detector_dist, double source_iso_dist, Pitches const& pitch)
      : at_axis(std::isinf(source_detector_dist) ? 1 : source_iso_dist / source_detector_dist),
        inverse(std::isinf(source_detector_dist) ? 0 : 1 / source_detector_dist),
        nearest(0.5 * std::min(pitch.dx, pitch.dy) * inverse) {}
};

/// Radius of the reference's windows for a box of `width` cells. Source: docs/design geometry, section 3.2.
inline int reference_radius(double width) {
  return static_cast<int>(std::ceil(std::ceil(static_cast<float>(width)) / 2));
}

/// A table of the views `views`, made by `make(v)`.
template <class View, class F>
Array1<View const> view_table(ExecSpace const& exec, Range views, F const& make) {
  auto const table = make_view<Array1<View>>(exec, "strata::separable::views", views.size());
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, table);
  for (int v = 0; v < views.size(); ++v) host(v) = make(views.begin + v);
  Kokkos::deep_copy(exec, table, host);
  exec.fence("strata::separable::view_table: the host's copy goes out of scope");
  return table;
}

/// Squared heights of slices over the plane of the source, in slices: [view][slice], one view for all where all are
/// equal. `first` [view]: height of slice 0.
inline Array2<Real const> height_table(ExecSpace const& exec, std::vector<double> const& first, Range views,
                                       int num_slices) {
  bool const equal = std::all_of(first.begin(), first.end(), [&](double z) { return z == first.front(); });
  int const length = (num_slices + 15) / 16 * 16;
  auto const table = make_view<Array2<Real>>(exec, "strata::separable::heights", equal ? 1 : views.size(), length);
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, table);
  for (int v = 0; v < table.extent_int(0); ++v)
    for (int k = 0; k < length; ++k) {
      double const height = first[views.begin < static_cast<int>(first.size()) ? views.begin + v : 0] + k;
      host(v, k) = static_cast<Real>(height * height);
    }
  Kokkos::deep_copy(exec, table, host);
  exec.fence("strata::separable::height_table: the host's copy goes out of scope");
  return table;
}

/// Largest tan(phi)^2 = (height * dz / source distance)^2 of all voxels. \param first see height_table()
/// \param smallest depth, as SourceDepth counts
inline double largest_tangent_squared(std::vector<double> const& first, int num_slices, double dz, double smallest,
                                      double inverse) {
  double largest = 0;
  for (double const z : first) largest = std::max({largest, std::abs(z), std::abs(z + num_slices - 1)});
  double const tangent = largest * dz * inverse / smallest;
  return tangent * tangent;
}

inline ProjectorShape projector_shape(SeparableScanParams const& scan, Range views, SliceBlocks const& blocks) {
  ViewGroups const groups(scan.sinogram.num_views);
  ensure(blocks.num_slices == scan.recon.num_slices, "projector: blocks of ", blocks.num_slices,
         " slices for a volume of ", scan.recon.num_slices);
  return {views, groups, blocks, scan.sinogram.num_det_channels};
}

template <class G>
std::unique_ptr<Projector> make_projector([[maybe_unused]] ExecSpace const& exec, [[maybe_unused]] G footprint,
                                          SeparableScanParams const& scan, [[maybe_unused]] SecantRule const& secant,
                                          Range views, SliceBlocks const& blocks, KernelChoice kernels) {
  auto const shape = projector_shape(scan, views, blocks);
  auto nodes = covering_nodes(groups_in(views, shape.groups), shape.groups);
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  if (kernels == KernelChoice::best) {
    SeparableShape const host{shape, {scan.recon.num_slices, scan.sinogram.num_det_rows, secant, footprint.limits}};
    return std::make_unique<SeparableProjector<G>>(exec, std::move(footprint), host, std::move(nodes));
  }
#endif
  (void)kernels;
  bool const oblique = secant.kind != SecantKind::one;
  separable_teams::TeamShape const teams{shape, scan.recon.num_slices, scan.sinogram.num_det_rows, footprint.limits,
                                         oblique};
  return separable_teams::make_team_projector(exec, footprint, teams, std::move(nodes));
}

}  // namespace strata::separable
