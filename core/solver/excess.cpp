#include "core/solver/excess.hpp"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr double safety = 2.1;
constexpr double slowest_rate = 0.98;
/// Smaller decreases than this part of the objective are rounding.
constexpr double rounding = 1e-9;

}  // namespace

void ExcessEstimate::add(double objective) {
  // A pass lowers the objective, so this one is another one than before.
  bool const other = !objectives_.empty() && !(objective <= objectives_.back() * (1 + 1e-6));
  if (other) objectives_.clear();
  if (std::isfinite(objective)) objectives_.push_back(objective);
}

/// F_{k-1-back} - F_{k-back} of the last pass k.
double ExcessEstimate::decrease(std::size_t back) const {
  double const after = objectives_[objectives_.size() - 1 - back];
  double const before = objectives_[objectives_.size() - 2 - back];
  return std::max(before - after, rounding * std::abs(after));
}

std::optional<double> ExcessEstimate::bound_pct() const {
  // Neither the data term nor the prior is ever negative.
  if (!objectives_.empty() && objectives_.back() == 0) return 0;
  if (objectives_.size() < 5 || !(objectives_.back() > 0)) return std::nullopt;
  double const last = decrease(0);
  double const rate = std::min(slowest_rate, std::max(std::cbrt(last / decrease(3)), last / decrease(1)));
  return 100 * safety * last * rate / (1 - rate) / objectives_.back();
}

bool ExcessEstimate::converged(double tolerance_pct) const {
  auto const bound = bound_pct();
  bool const enough = objectives_.size() >= fewest_passes || bound == 0;
  return tolerance_pct > 0 && enough && bound && *bound <= tolerance_pct;
}

}  // namespace strata
