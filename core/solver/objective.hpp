/// The objective of a reconstruction, exact in its data terms, and a quadratic that bounds it along a few directions.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/model/prior.hpp"
#include "core/model/tomography_model.hpp"

namespace strata {

/// F(x + sum t_i d_i) <= value - sum t_i descent_i + 1/2 sum t_i t_j curvature_ij, with equality at t = 0.
struct ObjectiveModel {
  static constexpr int most = DirectionShards::most;
  int count = 0;                              ///< directions
  double value = 0;                           ///< F = 1/(2 sigma_y^2) sum w e^2 + prior
  double data = 0;                            ///< 1/sigma_y^2 sum w e^2
  std::array<double, most> data_curvature{};  ///< 1/sigma_y^2 sum w (A d_i)^2
  std::array<double, most> descent{};
  std::array<std::array<double, most>, most> curvature{};  ///< symmetric
};

/// A direction and w . (A d). Copies share the data.
struct ProjectedDirection {
  ShardedVolume volume;
  ShardedSinogram projection;
};

/// Measures objectives. All sums are in double, each slice and view for itself, then in the order of slices and views,
/// so they depend neither on threads nor on devices.
class ObjectiveSums {
 public:
  /// `max_directions`: 0 for the value alone. `sigma_y` as in VCDOptions.
  ObjectiveSums(TomographyModel const& model, Prior const& prior, double sigma_y, int max_directions);

  /// `weighted_error` is w (y - A recon), `weights` w or null for ones. `subtract_error`: the first projection holds
  /// the weighted error from before d_0 was added and is replaced by what it lost since, w A d_0.
  /// Allocates nothing on devices. Source: acceleration.md 3 (c).
  ObjectiveModel measure(ShardedVolume const& recon, ShardedSinogram const& weighted_error,
                         ShardedSinogram const* weights, std::span<ProjectedDirection const* const> directions = {},
                         bool subtract_error = false);

  /// Bytes on each device. `halos`: Prior::needs_halos().
  static Index bytes(Placement const& slices, Placement const& views, SliceBlocks const& rows, Index num_pixels,
                     int max_directions, bool halos = true);

 private:
  struct PerDevice {
    Array3<double> per_row;   ///< [sum][view][row block * lanes + lane]
    Array2<double> per_view;  ///< [sum][view]
    Array3<double> parts;     ///< [part of the plane][sum][block * lanes + lane]
    Array2<double> slices;    ///< [sum][block * lanes + lane]
  };
  using HostSums = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

  void launch_data_sums(int device, ExecSpace const& exec, ShardedSinogram const& weighted_error,
                        ShardedSinogram const* weights, std::span<ProjectedDirection const* const> directions,
                        bool subtract_error) const;
  void launch_prior_sums(int device, ExecSpace const& exec, ShardedVolume const& recon,
                         std::span<ProjectedDirection const* const> directions) const;
  std::array<double, num_quadratic_sums(DirectionShards::most)> total_data(int sums) const;
  std::array<double, num_quadratic_sums(DirectionShards::most)> total_prior(int sums) const;

  TomographyModel const& model_;
  Prior const& prior_;
  double fm_;
  std::vector<Halo> halos_;  ///< of the image and of each direction
  std::vector<PerDevice> devices_;
  std::vector<HostSums> host_views_, host_slices_;  ///< [device] copies of per_view and slices
};

/// The factors t that minimise the bound: scaled to unit diagonal, eigenvalues below `cut` of the largest left out.
/// Zeros when that promises no decrease. Source: acceleration.md 3 (e).
std::array<double, ObjectiveModel::most> minimise(ObjectiveModel const& objective, double cut);

/// How much the bound at `factors` lies below the objective at 0.
double promised_decrease(ObjectiveModel const& objective, std::array<double, ObjectiveModel::most> const& factors);

}  // namespace strata
