#include "drivers/support/prior_settings.hpp"

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Says where in the deck the parameter stands that `error` names.
[[noreturn]] void fail_at_key(DeckSection const& section, std::string const& error) {
  auto const colon = error.find(": ");
  std::string const key = error.substr(0, colon), message = error.substr(colon + 2);
  // sigma_x is not known yet: it was beyond the range because of what it is multiplied with.
  section.fail(key == "sigma_x" ? "T" : key, message);
}

}  // namespace

QGGMRFParams read_qggmrf(DeckSection const& section, QGGMRFParams const& defaults) {
  QGGMRFParams prior = defaults;
  prior.p = section.get("p", defaults.p);
  prior.q = section.get("q", defaults.q);
  prior.T = section.get("T", defaults.T);
  NeighbourWeights const& w = defaults.nbr_wts;
  auto const weights = section.get("qggmrf_nbr_wts", std::vector<double>{w.row, w.col, w.slice});
  if (weights.size() != 3)
    section.fail("qggmrf_nbr_wts", text("expected three numbers (row, col, slice), got ", weights.size()));
  prior.nbr_wts = {weights[0], weights[1], weights[2]};
  if (prior.sigma_x == 0) prior.sigma_x = 1;  // only the other parameters can be checked yet
  try {
    validate(prior);
  } catch (InputError const& error) {
    fail_at_key(section, error.what());
  }
  return prior;
}

}  // namespace strata
