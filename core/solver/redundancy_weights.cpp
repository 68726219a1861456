#include "core/solver/redundancy_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/error.hpp"

namespace strata {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double coincident = 1e-6;  // rad: views closer than that are at one angle

double degrees(double angle) {
  return std::round(angle * 1800 / pi) / 10;
}

/// The views on the circle of angles modulo `period`.
struct ViewCircle {
  std::vector<double> offset;  ///< [view] angle after the widest gap
  std::vector<double> step;    ///< [view] angle that the view stands for; an arc's end views stand for a whole step
  double typical_gap = 0;
  double arc = 0;  ///< angle that the views stand for together, the period when closed
  bool closed = false;
};

/// Median of the gaps that are not 0 up to rounding.
double typical(std::vector<double> gaps) {
  std::erase_if(gaps, [](double gap) { return gap < coincident; });
  if (gaps.empty()) return 0;
  auto const middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

ViewCircle circle_of(std::vector<double> const& angles, double period) {
  std::size_t const n = angles.size();
  std::vector<double> wrapped(n);
  // An angle just below the period by rounding is the one at 0.
  for (std::size_t v = 0; v < n; ++v) {
    wrapped[v] = angles[v] - period * std::floor(angles[v] / period);
    if (period - wrapped[v] < coincident) wrapped[v] = 0;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wrapped[a] < wrapped[b]; });
  std::vector<double> gaps(n);  // before the view at each place of the order
  for (std::size_t i = 0; i < n; ++i)
    gaps[i] = i > 0 ? wrapped[order[i]] - wrapped[order[i - 1]] : wrapped[order[0]] + period - wrapped[order[n - 1]];
  auto const first = static_cast<std::size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
  std::rotate(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(first), gaps.end());
  ViewCircle circle;
  circle.typical_gap = typical(gaps);
  circle.closed = gaps[0] <= 2.5 * circle.typical_gap;
  circle.offset.assign(n, 0);
  circle.step.assign(n, 0);
  double const outer = circle.closed ? gaps[0] : circle.typical_gap;
  double at = 0;
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    end = begin + 1;  // views at one angle share its step
    while (end < n && gaps[end] < coincident) ++end;
    if (begin > 0) at += gaps[begin];
    double const step = ((begin > 0 ? gaps[begin] : outer) + (end < n ? gaps[end] : outer)) / 2;
    for (std::size_t i = begin; i < end; ++i) {
      circle.offset[order[i]] = at;
      circle.step[order[i]] = step / static_cast<double>(end - begin);
    }
  }
  circle.arc = circle.closed ? period : at + circle.typical_gap;
  return circle;
}

/// The detector's extent to both sides of the axis, half a channel beyond the outer centres.
struct Extent {
  double low, high;
  double width() const { return high - low; }
  double middle() const { return (low + high) / 2; }
  double overlap() const { return std::min(-low, high); }
};

Extent extent_of(std::vector<double> const& positions) {
  double const half = positions.size() > 1 ? (positions.back() - positions.front()) / (positions.size() - 1.0) / 2 : 0;
  return {positions.front() - half, positions.back() + half};
}

/// [channel] 0 .. 2: 2 where a ray is measured once, and opposite channels add up to 2.
std::vector<double> displaced_weights(std::vector<double> const& positions, Extent const& extent) {
  double const side = extent.middle() > 0 ? 1 : -1;
  std::vector<double> weights;
  for (double const position : positions)
    weights.push_back(1 + side * std::sin(pi / 2 * std::clamp(position / extent.overlap(), -1.0, 1.0)));
  return weights;
}

class WeightFinder {
 public:
  WeightFinder(RayFan const& fan, RedundancyOptions const& options)
      : fan_(fan), options_(options), num_views_(fan.angles.size()), extent_(extent_of(fan.positions)) {
    for (double const angle : fan.fan_angles) half_fan_ = std::max(half_fan_, std::abs(angle));
    parallel_ = half_fan_ == 0;
    full_ = circle_of(fan.angles, 2 * pi);
    complete_ = parallel_ ? circle_of(fan.angles, pi) : full_;
  }

  RedundancyWeights find() {
    channels_.assign(fan_.positions.size(), 1.0);
    bool const displaced = find_channel_weights();
    if (options_.short_scan != Choice::off && !fan_.helical) find_view_weights(displaced);
    fill(displaced);
    return std::move(result_);
  }

 private:
  bool find_channel_weights() {
    double const shift = std::abs(extent_.middle()) / extent_.width();
    bool const wanted = options_.offset == Choice::on || (options_.offset == Choice::automatic && shift > 0.05);
    if (!wanted || shift == 0) return false;
    auto const percent = std::round(1000 * shift) / 10;
    if (extent_.overlap() <= 0) {
      warn("the rotation axis lies outside the detector: no offset weights, and the middle cannot be reconstructed");
      return false;
    }
    if (!full_.closed && !fan_.helical) {
      warn("the detector is displaced by ", percent,
           " % of its width, which needs views all around: no offset weights, right only within the nearer edge");
      return false;
    }
    note("offset weights over the overlap of a detector displaced by ", percent, " % of its width");
    channels_ = displaced_weights(fan_.positions, extent_);
    double const pitch = extent_.width() / static_cast<double>(channels_.size());
    int const missing = static_cast<int>(std::ceil(2 * std::abs(extent_.middle()) / pitch));
    (extent_.middle() > 0 ? result_.channels_before : result_.channels_after) = missing;
    return true;
  }

  void find_view_weights(bool displaced) {
    if (displaced || (!parallel_ && full_.closed && options_.short_scan != Choice::on)) return set_steps(full_, 2 * pi);
    if (parallel_ && complete_.closed) return set_steps(complete_, pi);
    double const needed = pi + 2 * half_fan_;
    bool const enough = full_.arc > needed - full_.typical_gap;
    if (!enough)
      warn("the views cover ", degrees(parallel_ ? complete_.arc : full_.arc), " degrees, ", degrees(needed),
           " are needed: expect shading and streaks");
    if (!parallel_ && (enough || options_.short_scan == Choice::on)) return set_parker(needed);
    // Common factor as for a complete scan, so that the mean comes out about right.
    set_steps(complete_, complete_.arc);
  }

  /// Weight of a view = the angle it stands for, in units of the mean.
  void set_steps(ViewCircle const& circle, double total) {
    double const factor = static_cast<double>(num_views_) / total;
    for (double const step : circle.step) views_.push_back(factor * step);
    if (std::ranges::all_of(views_, [](double w) { return std::abs(w - 1) < 1e-4; })) return views_.clear();
    note("views weighted by the angle each stands for, ", *std::ranges::min_element(views_), " to ",
         *std::ranges::max_element(views_), " of the mean");
  }

  void set_parker(double needed) {
    parker_ = (std::max(full_.arc, needed) - pi) / 2;
    note("short-scan weights: ", degrees(full_.arc), " degrees, ", degrees(needed), " are needed");
  }

  double weight(std::size_t v, std::size_t n) const {
    if (parker_ > 0) {
      double const angle = full_.offset[v] + full_.typical_gap / 2;
      return static_cast<double>(num_views_) / pi * full_.step[v] * parker_weight(angle, -fan_.fan_angles[n], parker_);
    }
    return (views_.empty() ? 1 : views_[v]) * channels_[n];
  }

  void fill(bool displaced) {
    if (!displaced && views_.empty() && parker_ <= 0) return;
    std::size_t const num_channels = channels_.size();
    result_.view_weights.resize(num_views_ * num_channels);
    for (std::size_t v = 0; v < num_views_; ++v)
      for (std::size_t n = 0; n < num_channels; ++n)
        result_.view_weights[v * num_channels + n] = static_cast<float>(weight(v, n));
  }

  template <class... Parts>
  void note(Parts const&... parts) {
    result_.notes.push_back(text(parts...));
  }
  template <class... Parts>
  void warn(Parts const&... parts) {
    result_.warnings.push_back(text(parts...));
  }

  RayFan const& fan_;
  RedundancyOptions options_;
  std::size_t num_views_;
  Extent extent_;
  double half_fan_ = 0;
  bool parallel_ = true;
  ViewCircle full_;      // modulo 2 pi
  ViewCircle complete_;  // modulo pi for parallel rays, else full_
  std::vector<double> channels_;
  std::vector<double> views_;  // empty: ones
  double parker_ = 0;          // half width of the virtual fan; 0: no Parker weights
  RedundancyWeights result_;
};

double squared_sine(double x) {
  double const s = std::sin(x);
  return s * s;
}

}  // namespace

double parker_weight(double angle, double gamma, double half_width) {
  if (angle < 0 || angle > pi + 2 * half_width) return 0;
  double const rise = 2 * (half_width - gamma);
  double const fall = 2 * (half_width + gamma);
  if (angle < rise) return squared_sine(pi / 2 * angle / rise);
  double const left = pi + 2 * half_width - angle;
  return left < fall ? squared_sine(pi / 2 * left / fall) : 1;
}

RedundancyWeights redundancy_weights(RayFan const& fan, RedundancyOptions const& options) {
  ensure(fan.fan_angles.size() == fan.positions.size(), "redundancy_weights: one fan angle for each position");
  if (fan.angles.size() < 2 || fan.positions.empty()) return {};
  return WeightFinder(fan, options).find();
}

}  // namespace strata
