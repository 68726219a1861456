#include "drivers/support/centre.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"

namespace strata {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double smoothing = 1.5;  ///< channels; a smooth mismatch has a parabola's shape around its minimum
constexpr int max_profiles = 64;   ///< rows x pairs that are compared
using Profile = std::vector<double>;

/// Views in order of angle, over one turn, cut where the gap is largest.
struct OrderedViews {
  std::vector<int> view;
  std::vector<double> angle;  ///< increasing, last - first below 2 pi
  double step = 0;            ///< median gap
  double range() const { return angle.back() - angle.front(); }
  int size() const { return static_cast<int>(view.size()); }
};

OrderedViews order_views(std::span<double const> angles) {
  struct Entry {
    double angle;
    int view;
  };
  std::vector<Entry> entries;
  for (std::size_t v = 0; v < angles.size(); ++v) {
    require(std::isfinite(angles[v]), "centre: angles must be finite, view ", v, " has ", angles[v]);
    entries.push_back({angles[v] - 2 * pi * std::floor(angles[v] / (2 * pi)), static_cast<int>(v)});
  }
  std::ranges::sort(entries, {}, &Entry::angle);
  // Views at the same angle, for example 0 and 360 degrees, count once.
  auto const same = [](Entry const& a, Entry const& b) { return b.angle - a.angle < 1e-7; };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  if (entries.size() > 1 && entries.front().angle + 2 * pi - entries.back().angle < 1e-7) entries.pop_back();
  require(entries.size() >= 3, "centre: at least 3 views at different angles are needed, there are ", entries.size());

  std::size_t const n = entries.size();
  std::vector<double> gaps;
  for (std::size_t i = 0; i < n; ++i)
    gaps.push_back(entries[(i + 1) % n].angle - entries[i].angle + (i + 1 == n ? 2 * pi : 0));
  auto const first = static_cast<std::size_t>(std::ranges::max_element(gaps) - gaps.begin() + 1) % n;
  OrderedViews ordered;
  for (std::size_t t = 0; t < n; ++t) {
    std::size_t const i = (first + t) % n;
    ordered.view.push_back(entries[i].view);
    ordered.angle.push_back(entries[i].angle + (first + t >= n ? 2 * pi : 0));
  }
  std::ranges::nth_element(gaps, gaps.begin() + static_cast<std::ptrdiff_t>(n / 2));
  ordered.step = gaps[n / 2];
  return ordered;
}

/// A view at an angle that was not measured: (1 - t) of one and t of another.
struct MixedView {
  int first;
  int second;
  double t;
};

struct OppositePair {
  MixedView view;
  MixedView opposite;
  double distance;  ///< rad, from the measured angles
};

MixedView measured(OrderedViews const& views, int i) {
  auto const v = views.view[static_cast<std::size_t>(i)];
  return {v, v, 0};
}

/// Pairs that lie inside the measured range.
std::vector<OppositePair> inner_pairs(OrderedViews const& views) {
  std::vector<OppositePair> pairs;
  for (int i = 0; i < views.size(); ++i) {
    double const target = views.angle[static_cast<std::size_t>(i)] + pi;
    auto const above = std::ranges::lower_bound(views.angle, target - 1e-6);
    if (above == views.angle.end()) break;
    auto const hi = static_cast<int>(above - views.angle.begin());
    if (std::abs(*above - target) <= 1e-6) {
      pairs.push_back({measured(views, i), measured(views, hi), 0});
      continue;
    }
    double const gap = *above - *(above - 1);
    if (gap > 2.5 * views.step) continue;
    double const t = (target - *(above - 1)) / gap;
    pairs.push_back({measured(views, i),
                     {views.view[static_cast<std::size_t>(hi - 1)], views.view[static_cast<std::size_t>(hi)], t},
                     std::min(t, 1 - t) * gap});
  }
  return pairs;
}

/// First and last view, both extrapolated by half of what is missing to half a turn.
OppositePair seam_pair(OrderedViews const& views) {
  double const half = (pi - views.range()) / 2;
  auto const n = static_cast<std::size_t>(views.size());
  double const t_first = -half / (views.angle[1] - views.angle[0]);
  double const t_last = half / (views.angle[n - 1] - views.angle[n - 2]);
  return {{views.view[0], views.view[1], t_first}, {views.view[n - 2], views.view[n - 1], 1 + t_last}, half};
}

std::vector<OppositePair> opposite_pairs(OrderedViews const& views) {
  constexpr double degrees = 180 / pi;
  std::vector<OppositePair> pairs = inner_pairs(views);
  if (!pairs.empty()) return pairs;
  require(views.range() >= pi - 1.6 * views.step,
          "centre: the views must cover 180 degrees (less one step at most) to ", "find the rotation axis, they cover ",
          views.range() * degrees, " degrees in steps of ", views.step * degrees, "; give det_channel_offset instead");
  return {seam_pair(views)};
}

Profile smoothed(Profile const& values) {
  int const reach = static_cast<int>(4 * smoothing);
  int const n = static_cast<int>(values.size());
  Profile result(values.size());
  double total = 0;
  for (int d = -reach; d <= reach; ++d) total += std::exp(-0.5 * d * d / (smoothing * smoothing));
  for (int c = 0; c < n; ++c) {
    double sum = 0;
    for (int d = -reach; d <= reach; ++d)
      sum += std::exp(-0.5 * d * d / (smoothing * smoothing)) *
             values[static_cast<std::size_t>(std::clamp(c + d, 0, n - 1))];
    result[static_cast<std::size_t>(c)] = sum / total;
  }
  return result;
}

Profile profile_of(CentreInput const& input, MixedView const& mixed, int row) {
  auto const channels = static_cast<std::size_t>(input.shape.num_det_channels);
  auto const at = [&](int view) {
    return input.sinogram.subspan(static_cast<std::size_t>(Index(view) * input.shape.num_det_rows + row) * channels,
                                  channels);
  };
  auto const first = at(mixed.first);
  auto const second = at(mixed.second);
  Profile profile(channels);
  for (std::size_t c = 0; c < channels; ++c) profile[c] = (1 - mixed.t) * first[c] + mixed.t * second[c];
  return smoothed(profile);
}

struct ProfilePair {
  Profile view;
  Profile opposite;
};

std::vector<ProfilePair> profiles_of(CentreInput const& input, std::vector<OppositePair> const& pairs) {
  int const num_pairs = static_cast<int>(pairs.size());
  int const used_rows = std::min(input.shape.num_det_rows, 8);
  int const used_pairs = std::min(num_pairs, max_profiles / used_rows);
  std::vector<ProfilePair> profiles;
  for (int p = 0; p < used_pairs; ++p)
    for (int r = 0; r < used_rows; ++r) {
      auto const& pair = pairs[static_cast<std::size_t>(Index(p) * num_pairs / used_pairs)];
      auto const row = static_cast<int>((r + 0.5) * input.shape.num_det_rows / used_rows);
      profiles.push_back({profile_of(input, pair.view, row), profile_of(input, pair.opposite, row)});
    }
  return profiles;
}

/// Mismatch when the axis lies at channel twice / 2, relative to the values compared; infinite where these are too few.
double mismatch_at(std::vector<ProfilePair> const& profiles, int twice, double total_energy) {
  auto const n = static_cast<int>(profiles.front().view.size());
  int const begin = std::max(0, twice - n + 1);
  int const end = std::min(n - 1, twice) + 1;
  double difference = 0;
  double energy = 0;
  for (ProfilePair const& pair : profiles)
    for (int c = begin; c < end; ++c) {
      double const a = pair.view[static_cast<std::size_t>(c)];
      double const b = pair.opposite[static_cast<std::size_t>(twice - c)];
      difference += (a - b) * (a - b);
      energy += a * a + b * b;
    }
  bool const enough = end - begin >= std::max(3, n / 16) && energy > 0.02 * total_energy;
  return enough ? difference / energy : std::numeric_limits<double>::infinity();
}

struct Registration {
  double channel = 0;
  double mismatch = std::numeric_limits<double>::infinity();
};

/// The best axis in channels [low, high].
Registration register_profiles(std::vector<ProfilePair> const& profiles, double low, double high) {
  auto const n = static_cast<int>(profiles.front().view.size());
  double total_energy = 0;
  for (ProfilePair const& pair : profiles)
    for (std::size_t c = 0; c < pair.view.size(); ++c)
      total_energy += pair.view[c] * pair.view[c] + pair.opposite[c] * pair.opposite[c];
  int const begin = std::max(1, static_cast<int>(std::floor(2 * low)));
  int const end = std::min(2 * n - 3, static_cast<int>(std::ceil(2 * high)));
  int best = begin;
  Registration result;
  for (int twice = begin; twice <= end; ++twice) {
    double const mismatch = mismatch_at(profiles, twice, total_energy);
    if (mismatch >= result.mismatch) continue;
    result.mismatch = mismatch;
    best = twice;
  }
  double const before = mismatch_at(profiles, best - 1, total_energy);
  double const after = mismatch_at(profiles, best + 1, total_energy);
  double const curvature = before - 2 * result.mismatch + after;
  double const shift = std::isfinite(curvature) && curvature > 0 ? 0.5 * (before - after) / curvature : 0;
  result.channel = 0.5 * (best + std::clamp(shift, -1.0, 1.0));
  return result;
}

/// Solution of a symmetric 3 x 3 system by Cramer's rule; NaN when singular.
double first_unknown(std::array<std::array<double, 3>, 3> const& m, std::array<double, 3> const& rhs) {
  auto const determinant = [](double a, double b, double c, double d, double e, double f, double g, double h,
                              double i) { return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g); };
  double const whole = determinant(m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2]);
  if (!(std::abs(whole) > 1e-9 * std::pow(m[0][0], 3))) return std::numeric_limits<double>::quiet_NaN();
  return determinant(rhs[0], m[0][1], m[0][2], rhs[1], m[1][1], m[1][2], rhs[2], m[2][1], m[2][2]) / whole;
}

struct MassFit {
  double channel = std::numeric_limits<double>::quiet_NaN();
  bool truncated = false;
};

/// Mass and first moment of a view over all rows, above what the outer channels hold.
struct Moments {
  double mass = 0;
  double moment = 0;
  double edge = 0;  ///< mass that the outer channels' values would make
};

Moments moments_of(CentreInput const& input, int view) {
  int const channels = input.shape.num_det_channels;
  int const margin = std::clamp(channels / 64, 1, 16);
  Moments moments;
  for (int row = 0; row < input.shape.num_det_rows; ++row) {
    auto const values =
        input.sinogram.subspan(static_cast<std::size_t>((Index(view) * input.shape.num_det_rows + row) * channels),
                               static_cast<std::size_t>(channels));
    double edge = 0;
    for (int c = 0; c < margin; ++c)
      edge += values[static_cast<std::size_t>(c)] + values[static_cast<std::size_t>(channels - 1 - c)];
    edge /= 2 * margin;
    moments.edge += edge * channels;
    for (int c = 0; c < channels; ++c) {
      double const value = values[static_cast<std::size_t>(c)] - edge;
      moments.mass += value;
      moments.moment += value * c;
    }
  }
  return moments;
}

MassFit fit_mass(CentreInput const& input, OrderedViews const& views) {
  std::array<std::array<double, 3>, 3> normal{};
  std::array<double, 3> rhs{};
  double mass = 0;
  double mass_squared = 0;
  double edge = 0;
  for (std::size_t i = 0; i < views.view.size(); ++i) {
    Moments const moments = moments_of(input, views.view[i]);
    mass += moments.mass;
    mass_squared += moments.mass * moments.mass;
    edge += std::abs(moments.edge);
    std::array<double, 3> const basis{1, std::cos(views.angle[i]), std::sin(views.angle[i])};
    for (std::size_t a = 0; a < 3; ++a) {
      rhs[a] += basis[a] * moments.moment / moments.mass;
      for (std::size_t b = 0; b < 3; ++b) normal[a][b] += basis[a] * basis[b];
    }
  }
  double const n = views.size();
  double const spread = std::sqrt(std::max(0.0, mass_squared / n - mass / n * (mass / n)));
  MassFit fit;
  fit.channel = first_unknown(normal, rhs);
  fit.truncated = !(mass > 0) || edge > 0.05 * mass || spread > 0.05 * mass / n || !std::isfinite(fit.channel);
  return fit;
}

void check(CentreInput const& input) {
  SinogramShape const& shape = input.shape;
  require(shape.num_det_channels >= 8 && shape.num_det_rows >= 1,
          "centre: at least 1 row and 8 channels are needed, there are ", shape.num_det_rows, " and ",
          shape.num_det_channels);
  require(static_cast<int>(input.angles.size()) == shape.num_views, "centre: an angle is needed for each of ",
          shape.num_views, " views, there are ", input.angles.size());
  ensure(static_cast<Index>(input.sinogram.size()) == shape.size(), "find_centre: ", input.sinogram.size(),
         " line integrals, the shape says ", shape.size());
  double energy = 0;
  for (std::size_t i = 0; i < input.sinogram.size(); ++i) {
    require(std::isfinite(input.sinogram[i]), "centre: line integrals must be finite, found ", input.sinogram[i],
            " at position ", i);
    energy += double(input.sinogram[i]) * input.sinogram[i];
  }
  require(energy > 0, "centre: the sinogram must show an object, all line integrals are 0");
}

}  // namespace

CentreEstimate find_centre(CentreInput const& input) {
  check(input);
  OrderedViews const views = order_views(input.angles);
  std::vector<OppositePair> const pairs = opposite_pairs(views);
  MassFit const mass = fit_mass(input, views);
  double const channels = input.shape.num_det_channels;

  // Where the centre of mass can be trusted it limits the search, so that a repeating object has no false match.
  double const reach = std::max(8.0, 0.05 * channels);
  double const low = mass.truncated ? 0 : mass.channel - reach;
  double const high = mass.truncated ? channels - 1 : mass.channel + reach;
  Registration const registration = register_profiles(profiles_of(input, pairs), low, high);

  // Edges at the rim of the object move by this many channels between the measured and the wanted angle.
  double const movement = pairs.front().distance * channels / 2;
  bool const registered = std::isfinite(registration.mismatch);
  bool const coarse = movement > 4;
  CentreEstimate result;
  result.registration = registration.channel;
  result.mismatch = registration.mismatch;
  result.centre_of_mass = mass.channel;
  result.truncated = mass.truncated;
  require(registered || !mass.truncated, "centre: opposite views must overlap, no rotation axis on the detector makes ",
          "them alike; give det_channel_offset instead");
  result.channel = !mass.truncated && (coarse || !registered) ? mass.channel : registration.channel;
  result.offset_channels = result.channel - (channels - 1) / 2;
  result.doubtful =
      mass.truncated ? coarse || registration.mismatch > 0.1 : std::abs(mass.channel - registration.channel) > 1;
  return result;
}

}  // namespace strata
