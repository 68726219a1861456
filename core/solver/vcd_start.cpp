#include "core/solver/vcd_start.hpp"

#include <KokkosBlas1_scal.hpp>

#include "core/solver/direct_recon.hpp"

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

double start_vcd(TomographyModel const& model, InitialImage initial, bool positivity, VCDState const& state,
                 RedundancyOptions const& direct) {
  SinogramLayout const& layout = model.sinogram_layout();
  ShardedSinogram const scratch = model.make_sinogram("vcd::start");
  SinogramSums const sums(model.sino_placement(), layout.rows);
  if (state.weights) {
    model.hessian_diagonal(*state.weights, state.hessian);
  } else {
    fill(layout, scratch, 1);
    model.hessian_diagonal(scratch, state.hessian);
  }

  double factor = 1;
  if (initial == InitialImage::direct) direct_recon(model, state.weighted_error, scratch, state.recon, direct);
  if (initial == InitialImage::given && positivity) scale(state.recon, 1, true);
  model.forward_project(state.recon, scratch);
  if (initial == InitialImage::direct) {
    double const norm = sum_of_products(sums, layout, scratch, scratch, state.weights);
    if (norm > 0) factor = sum_of_products(sums, layout, scratch, state.weighted_error, state.weights) / norm;
    scale(state.recon, factor, positivity);
    if (positivity) model.forward_project(state.recon, scratch);
  }
  // With positivity the image was changed after scaling, so its projection is taken anew and not scaled.
  weighted_residual(state.weighted_error, static_cast<Real>(positivity ? 1 : factor), scratch, state.weights);
  return factor;
}

}  // namespace strata
