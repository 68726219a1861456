#include "core/solver/prepared_scan.hpp"

#include "core/base/error.hpp"
#include "core/solver/vcd_start.hpp"

namespace strata {

PreparedScan::PreparedScan(TomographyModel const& model, ShardedSinogram sinogram,
                           std::optional<ShardedSinogram> weights)
    : model_(model), sinogram_(std::move(sinogram)), weights_(std::move(weights)) {}

ShardedSinogram const& PreparedScan::sinogram() const {
  ensure(sinogram_.has_value(), "PreparedScan: the sinogram was handed over with take_sinogram()");
  return *sinogram_;
}

ShardedVolume const& PreparedScan::hessian_diagonal() {
  if (hessian_) return *hessian_;
  hessian_ = model_.make_volume("hessian");
  compute_hessian(model_, weights(), *hessian_);
  return *hessian_;
}

void PreparedScan::weights_changed() {
  if (hessian_) compute_hessian(model_, weights(), *hessian_);
}

ShardedSinogram PreparedScan::take_sinogram() {
  ShardedSinogram taken = sinogram();
  sinogram_.reset();
  return taken;
}

}  // namespace strata
