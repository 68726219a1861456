/// In place of the ramp filter where a GPU build found no library for transforms.
#include "core/base/error.hpp"
#include "core/solver/ramp_filter.hpp"

namespace strata {

struct RampFilter::Transform {};

RampFilter::RampFilter(SinogramShape const&, SinogramLayout const& layout, DirectFilterParams const&)
    : layout_(layout), padded_length_(0) {
  throw InputError("direct reconstruction: expected a build with cuFFT or hipFFT, found one with neither");
}

RampFilter::~RampFilter() = default;

void RampFilter::apply(ShardedSinogram const&, ShardedSinogram const&) const {}

}  // namespace strata
