#include "core/solver/vcd_start.hpp"

#include <KokkosBlas1_scal.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/solver/direct_recon.hpp"
#include "core/solver/missing_rays.hpp"
#include "core/solver/volume_ops.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;

void clip_shard(ExecSpace const& exec, Array1<Real> const& x) {
  Kokkos::parallel_for(
      "strata::clip_negative", FlatPolicy(exec, 0, static_cast<Index>(x.extent(0))),
      KOKKOS_LAMBDA(Index i) { x(i) = x(i) > 0 ? x(i) : Real(0); });
}

/// volume *= factor, padding included; `positive`: negative values become 0.
void scale(ShardedVolume const& volume, double factor, bool positive) {
  volume.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    Array1<Real> const values(volume[d].data(), volume[d].size());
    KokkosBlas::scal(exec, values, static_cast<Real>(factor), values);
    if (positive) clip_shard(exec, values);
  });
  volume.placement.devices()->fence("scale_volume: read next");
}

}  // namespace

double start_from(TomographyModel const& model, InitialImage initial, bool positivity, StartArrays const& arrays,
                  RedundancyOptions const& direct) {
  double factor = 1;
  bool const fill = arrays.fill_missing && arrays.weights;
  if (initial == InitialImage::direct) {
    if (fill) fill_missing_rays(model.sinogram_layout(), arrays.sinogram, *arrays.weights, arrays.projected);
    direct_recon(model, fill ? arrays.projected : arrays.sinogram, arrays.projected, arrays.recon, direct);
  }
  if (initial == InitialImage::given && positivity) scale(arrays.recon, 1, true);
  model.forward_project(arrays.recon, arrays.projected);
  if (initial == InitialImage::direct) {
    SinogramLayout const& layout = model.sinogram_layout();
    SinogramSums const sums(model.sino_placement(), layout.rows);
    double const norm = sum_of_products(sums, layout, arrays.projected, arrays.projected, arrays.weights);
    if (norm > 0) factor = sum_of_products(sums, layout, arrays.projected, arrays.sinogram, arrays.weights) / norm;
    scale(arrays.recon, factor, positivity);
    if (positivity) model.forward_project(arrays.recon, arrays.projected);
  }
  // With positivity the image was changed after scaling, so its projection is taken anew and not scaled.
  weighted_residual(arrays.sinogram, static_cast<Real>(positivity ? 1 : factor), arrays.projected, arrays.weights,
                    arrays.weighted_error);
  return factor;
}

void compute_hessian(TomographyModel const& model, ShardedSinogram const* weights, ShardedVolume const& hessian) {
  if (weights) {
    model.hessian_diagonal(*weights, hessian);
  } else {
    ShardedSinogram const ones = model.make_sinogram("vcd::ones");
    fill(model.sinogram_layout(), ones, 1);
    model.hessian_diagonal(ones, hessian);
  }
  // An infinite one would hold its voxel where it is, which looks like convergence.
  double const total = AbsoluteSum(hessian.placement, model.recon_shape().num_pixels())(hessian);
  require(std::isfinite(total), "the Hessian diagonal is not finite: weights, or lengths of the geometry, are beyond ",
          "what single precision can hold");
}

double start_vcd(TomographyModel const& model, InitialImage initial, bool positivity, VCDState const& state,
                 RedundancyOptions const& direct) {
  compute_hessian(model, state.weights, state.hessian);
  return start_from(
      model, initial, positivity,
      {state.weighted_error, state.weights, model.make_sinogram("vcd::start"), state.recon, state.weighted_error},
      direct);
}

}  // namespace strata
