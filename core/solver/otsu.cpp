#include "core/solver/otsu.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Sums of counts and of counts times bin number below each bin.
struct Moments {
  std::vector<double> count{0}, first{0};
  explicit Moments(Histogram const& histogram) {
    double bin = 0;
    for (Index const n : histogram.counts) {
      count.push_back(count.back() + double(n));
      first.push_back(first.back() + double(n) * bin);
      bin += 1;
    }
  }
  /// What bins [begin, end) as one class add to the variance between classes.
  double between(std::size_t begin, std::size_t end) const {
    double const n = count[end] - count[begin];
    double const s = first[end] - first[begin];
    return n > 0 ? s * s / n : 0;
  }
};

}  // namespace

std::vector<double> otsu_thresholds(Histogram const& histogram, int num_classes) {
  auto const filled = std::count_if(histogram.counts.begin(), histogram.counts.end(), [](Index n) { return n > 0; });
  require(num_classes >= 2 && filled >= num_classes, "Otsu thresholds: expected at least ", num_classes,
          " different values for as many classes, found ", filled);
  Moments const moments(histogram);
  std::size_t const bins = histogram.counts.size();
  // best[end]: largest variance between k classes over bins [0, end); cut[k][end]: where the last of them begins.
  std::vector<double> best(bins + 1);
  for (std::size_t end = 0; end <= bins; ++end) best[end] = moments.between(0, end);
  std::vector<std::vector<std::size_t>> cut;
  for (int k = 2; k <= num_classes; ++k) {
    std::vector<double> next(bins + 1, 0);
    std::vector<std::size_t> at(bins + 1, 0);
    for (std::size_t end = 1; end <= bins; ++end)
      for (std::size_t begin = 0; begin <= end; ++begin) {
        double const value = best[begin] + moments.between(begin, end);
        if (value > next[end]) {
          next[end] = value;
          at[end] = begin;
        }
      }
    best = next;
    cut.push_back(at);
  }
  std::vector<double> thresholds;
  std::size_t end = bins;
  for (auto at = cut.rbegin(); at != cut.rend(); ++at) {
    end = (*at)[end];
    thresholds.push_back(histogram.edge(static_cast<int>(end)));
  }
  std::reverse(thresholds.begin(), thresholds.end());
  return thresholds;
}

}  // namespace strata
