#include "prior/qggmrf.hpp"

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "prior/qggmrf_kernels.hpp"
#include "prior/qggmrf_potential.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "prior/row_potential.hpp"
#endif

namespace strata {
namespace {

constexpr double epsilon = std::numeric_limits<float>::epsilon();

/// K = T^(p-2) / sigma_x^2.
double stiffness(QGGMRFParams const& params) {
  return std::pow(params.T, params.p - 2) / (params.sigma_x * params.sigma_x);
}

double total_weight(NeighbourWeights const& w) {
  return 2 * (w.row + w.col + w.slice);
}

Real to_real(double value) {
  return static_cast<Real>(value);
}

void check_volume(VolumeShard const& volume) {
  int const lanes = volume.blocks.lanes;
  ensure(lanes > 0 && lanes % SliceBlocks::lane_step == 0 && lanes <= SliceBlocks::max_lanes,
         "QGGMRF prior: blocks of up to ", SliceBlocks::max_lanes, " lanes expected, got ", lanes);
  Index const expected[] = {volume.blocks.per_shard, volume.shape.num_pixels(), lanes};
  for (int axis = 0; axis < 3; ++axis)
    ensure(static_cast<Index>(volume.values.extent(axis)) == expected[axis], "QGGMRF prior: axis ", axis,
           " of the volume has ", volume.values.extent(axis), " entries, expected ", expected[axis]);
}

void check_output(Cylinders const& out, VolumeShard const& volume, PixelList const& pixels) {
  ensure(out.extent_int(0) >= volume.blocks.per_shard && out.extent_int(1) >= pixels.size() &&
             out.extent_int(2) == volume.blocks.lanes,
         "QGGMRF prior: output [", volume.blocks.per_shard, "][", pixels.size(), "][", volume.blocks.lanes,
         "] expected, got [", out.extent(0), "][", out.extent(1), "][", out.extent(2), "]");
}

class QGGMRFPrior : public Prior {
 public:
  explicit QGGMRFPrior(QGGMRFParams const& params) : potential_(params) {}

  void gradient_and_curvature(ExecSpace const& exec, VolumeShard const& volume, PixelList const& pixels,
                              Cylinders const& gradient, Cylinders const& curvature) const override {
    check_volume(volume);
    check_output(gradient, volume, pixels);
    check_output(curvature, volume, pixels);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    qggmrf_gradient_by_voxel(exec, potential_, volume, pixels, gradient, curvature);
#else
    qggmrf_gradient_by_row(exec, potential_, volume, pixels, gradient, curvature);
#endif
  }

  bool couples_pixels() const override {
    return scalar().weight_row > 0 || scalar().weight_col > 0;
  }

  void gradient_curvature_and_couplings(ExecSpace const& exec, VolumeShard const& volume, PixelList const& pixels,
                                        Cylinders const& gradient, Cylinders const& curvature,
                                        PlaneCouplings const& couplings) const override {
    check_volume(volume);
    for (Cylinders const& out : {gradient, curvature, couplings.next_row, couplings.next_col})
      check_output(out, volume, pixels);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    qggmrf_couplings_by_voxel(exec, potential_, volume, pixels, gradient, curvature, couplings);
#else
    qggmrf_couplings_by_row(exec, potential_, volume, pixels, gradient, curvature, couplings);
#endif
  }

  void loss_per_slice(ExecSpace const& exec, VolumeShard const& volume,
                      Array1<double> const& per_slice) const override {
    check_volume(volume);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    qggmrf_loss_by_voxel(exec, potential_, volume, per_slice);
#else
    qggmrf_loss_by_row(exec, potential_, volume, per_slice);
#endif
  }

  void surrogate_sums(ExecSpace const& exec, VolumeShard const& volume, DirectionShards const& directions,
                      Array3<double> const& partial) const override {
    check_volume(volume);
    for (int i = 0; i < directions.count; ++i) check_volume(directions.shards[i]);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    qggmrf_surrogate_by_voxel(exec, potential_, volume, directions, partial);
#else
    qggmrf_surrogate_by_row(exec, potential_, volume, directions, partial);
#endif
  }

  bool needs_halos() const override {
    return true;
  }

 private:
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  QGGMRFPotential const& scalar() const {
    return potential_;
  }
  QGGMRFPotential potential_;
#else
  QGGMRFPotential const& scalar() const {
    return potential_.scalar;
  }
  RowPotential potential_;
#endif
};

}  // namespace

QGGMRFPotential::QGGMRFPotential(QGGMRFParams const& params)
    : smallest(to_real(params.T * params.sigma_x * epsilon)),
      scale(to_real(1 / (params.T * params.sigma_x))),
      exponent(to_real(params.p - params.q)),
      exponent_2(to_real(params.p - 2)),
      constant(to_real(stiffness(params) * params.q / params.p)),
      slope(to_real(stiffness(params) * (1 - params.q / params.p))),
      value_scale(to_real(stiffness(params) / params.p)),
      weight_row(to_real(params.nbr_wts.row / total_weight(params.nbr_wts))),
      weight_col(to_real(params.nbr_wts.col / total_weight(params.nbr_wts))),
      weight_slice(to_real(params.nbr_wts.slice / total_weight(params.nbr_wts))) {}

void validate(QGGMRFParams const& params) {
  require(params.p > 0 && params.p <= 2, "p: must be above 0 and at most 2, got ", params.p);
  require(params.q >= 0 && params.q <= params.p, "q: must be at least 0 and at most p = ", params.p, ", got ",
          params.q);
  require(params.T > 0 && std::isfinite(params.T), "T: must be above 0, got ", params.T);
  require(params.sigma_x > 0 && std::isfinite(params.sigma_x), "sigma_x: must be above 0, got ", params.sigma_x);
  double const scale = params.T * params.sigma_x;
  double const largest = stiffness(params) * std::pow(epsilon, params.p - 2);
  require(scale > 1e-25 && scale < 1e25 && largest > 1e-30 && largest < 1e30,
          "sigma_x: beyond what single precision can hold with these p and T, got ", params.sigma_x);
  NeighbourWeights const& w = params.nbr_wts;
  for (double const weight : {w.row, w.col, w.slice})
    require(weight >= 0 && std::isfinite(weight), "qggmrf_nbr_wts: each must be at least 0, got ", weight);
  require(total_weight(w) > 0, "qggmrf_nbr_wts: at least one must be above 0, got ", w.row, ", ", w.col, ", ", w.slice);
}

std::unique_ptr<Prior const> make_qggmrf_prior(QGGMRFParams const& params) {
  validate(params);
  return std::make_unique<QGGMRFPrior const>(params);
}

}  // namespace strata
