/// The quadratic prior of a proximal map: 1 / (2 sigma_prox^2) |x - v|^2.
#pragma once

#include <memory>

#include "core/model/prior.hpp"
#include "core/placement/sharded.hpp"

namespace strata {

/// `input` is v; its shards are shared, not copied. \throws InputError unless sigma_prox > 0.
std::unique_ptr<Prior const> make_proximal_prior(ShardedVolume const& input, double sigma_prox);

}  // namespace strata
