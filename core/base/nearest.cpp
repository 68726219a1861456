#include "core/base/nearest.hpp"

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"

namespace strata {

int edit_distance(std::string const& a, std::string const& b) {
  // Three rows of the dynamic programme: the one before last is needed for swaps.
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = int(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = int(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string likely_meant(std::string const& name, std::vector<std::string> const& candidates) {
  std::string best;
  int best_distance = name.size() <= 1 ? 0 : std::max(1, int(name.size()) / 3);
  for (auto const& candidate : candidates) {
    int const distance = edit_distance(name, candidate);
    if (distance < best_distance || (best.empty() && distance == best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string const& name, std::vector<std::string> const& candidates) {
  if (candidates.empty()) return "";
  std::string const meant = likely_meant(name, candidates);
  return meant.empty() ? text("known are ", joined(candidates)) : text("did you mean '", meant, "'?");
}

}  // namespace strata
