#include "core/solver/ray_weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/model/sinogram_entries.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/otsu.hpp"

namespace strata {
namespace {

using FlatPolicy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;
constexpr int otsu_bins = 1024;

/// x = 1 above the threshold, else 0.
void mark_metal(ExecSpace const& exec, ConstCylinders const& image, Real threshold, Cylinders const& x) {
  Real const* const from = image.data();
  Real* const to = x.data();
  Kokkos::parallel_for(
      "strata::mark_metal", FlatPolicy(exec, 0, static_cast<Index>(x.size())),
      KOKKOS_LAMBDA(Index i) { to[i] = from[i] > threshold ? Real(1) : Real(0); });
}

/// weights holds what says "metal" where it is above `limit`: the projection of metal, or y itself.
void weigh_metal(ExecSpace const& exec, SinogramEntries const& entries, ConstSinogram const& y,
                 ConstSinogram const& signal, Real limit, double beta, double gamma, Sinogram const& weights) {
  int const lanes = y.extent_int(3);
  Real const* const line = y.data();
  Real const* const mark = signal.data();
  Real* const w = weights.data();
  auto const plain = static_cast<Real>(-1 / beta), metal = static_cast<Real>(-(1 + gamma) / beta);
  Kokkos::parallel_for(
      "strata::weigh_metal", FlatPolicy(exec, 0, entries.size(weights.extent_int(0))), KOKKOS_LAMBDA(Index item) {
        int const real = entries.rows(item).size();
        for (int lane = 0; lane < lanes; ++lane) {
          Index const i = item * lanes + lane;
          w[i] = lane < real ? Kokkos::exp(line[i] * (mark[i] > limit ? metal : plain)) : Real(0);
        }
      });
}

/// 1 / standard deviation of a ray, up to a factor that all share.
KOKKOS_INLINE_FUNCTION double precision(Real weight) {
  constexpr double least = 1e-6;
  double const root = Kokkos::sqrt(double(weight));
  return root > least ? root : least;
}

/// errors = |e|, e = u / weights; 0 where rays do not count.
void magnitude_of_errors(ExecSpace const& exec, ConstSinogram const& base, ConstSinogram const& weighted_error,
                         ConstSinogram const& weights, Sinogram const& errors) {
  Real const* const w = base.data();
  Real const* const u = weighted_error.data();
  Real const* const used = weights.data();
  Real* const to = errors.data();
  Kokkos::parallel_for(
      "strata::magnitude_of_errors", FlatPolicy(exec, 0, static_cast<Index>(errors.size())), KOKKOS_LAMBDA(Index i) {
        bool const counts = w[i] > 0 && used[i] > 0;
        to[i] = counts ? static_cast<Real>(Kokkos::abs(double(u[i]) / double(used[i]))) : Real(0);
      });
}

/// deviations = standard deviations for a scale of 1; 0 where rays do not count.
void deviation_of_rays(ExecSpace const& exec, ConstSinogram const& base, Sinogram const& deviations) {
  Real const* const w = base.data();
  Real* const to = deviations.data();
  Kokkos::parallel_for(
      "strata::deviation_of_rays", FlatPolicy(exec, 0, static_cast<Index>(deviations.size())),
      KOKKOS_LAMBDA(Index i) { to[i] = w[i] > 0 ? static_cast<Real>(1 / precision(w[i])) : Real(0); });
}

/// errors become those in standard deviations, for a scale of 1.
void normalise_errors(ExecSpace const& exec, ConstSinogram const& base, Sinogram const& errors) {
  Real const* const w = base.data();
  Real* const error = errors.data();
  Kokkos::parallel_for(
      "strata::normalise_errors", FlatPolicy(exec, 0, static_cast<Index>(errors.size())), KOKKOS_LAMBDA(Index i) {
        error[i] = w[i] > 0 ? static_cast<Real>(double(error[i]) * precision(w[i])) : Real(0);
      });
}

/// weights = base times Huber weights of errors that are `errors` / scale standard deviations.
void weigh_errors(ExecSpace const& exec, ConstSinogram const& base, ConstSinogram const& errors, double scale,
                  HuberWeights const& options, Sinogram const& weights) {
  Real const* const w = base.data();
  Real const* const error = errors.data();
  Real* const to = weights.data();
  double const threshold = options.threshold, limit = threshold * scale, slope = options.delta * threshold;
  Kokkos::parallel_for(
      "strata::weigh_errors", FlatPolicy(exec, 0, static_cast<Index>(weights.size())), KOKKOS_LAMBDA(Index i) {
        double const beyond = double(error[i]);
        to[i] = beyond > limit ? static_cast<Real>(double(w[i]) * (slope / (beyond / scale + 1e-6))) : w[i];
      });
}

/// mark = 1 where `values` are above `limit`.
void mark_above(ExecSpace const& exec, ConstSinogram const& values, double limit, Sinogram const& mark) {
  Real const* const from = values.data();
  Real* const to = mark.data();
  Kokkos::parallel_for(
      "strata::mark_above", FlatPolicy(exec, 0, static_cast<Index>(mark.size())),
      KOKKOS_LAMBDA(Index i) { to[i] = double(from[i]) > limit ? Real(1) : Real(0); });
}

/// kept = values up to `limit`, others 0.
void keep_below(ExecSpace const& exec, ConstSinogram const& values, double limit, Sinogram const& kept) {
  Real const* const from = values.data();
  Real* const to = kept.data();
  Kokkos::parallel_for(
      "strata::keep_below", FlatPolicy(exec, 0, static_cast<Index>(kept.size())),
      KOKKOS_LAMBDA(Index i) { to[i] = double(from[i]) > limit ? Real(0) : from[i]; });
}

/// Number of rays with values above `limit`; needs `room`.
double count_above(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& values, double limit,
                   ShardedSinogram const& room) {
  auto const& devices = *values.placement.devices();
  devices.for_each([&](int d, ExecSpace const& exec) { mark_above(exec, values[d], limit, room[d]); });
  devices.fence("count_above: summed next");
  return sum(sums, layout, room);
}

/// Root mean square of the normalised errors, without those beyond three times it: left out until no more are.
/// `counted` rays count at all.
double clipped_scale(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& errors,
                     double counted, ShardedSinogram const& room) {
  auto const& devices = *errors.placement.devices();
  double scale = std::sqrt(sum_of_products(sums, layout, errors, errors) / counted), kept = counted;
  for (int round = 0; round < 20 && scale > 0; ++round) {
    double const limit = 3 * scale;
    double const left = counted - count_above(sums, layout, errors, limit, room);
    if (left == kept || left == 0) break;
    kept = left;
    devices.for_each([&](int d, ExecSpace const& exec) { keep_below(exec, errors[d], limit, room[d]); });
    devices.fence("clipped_scale: summed next");
    scale = std::sqrt(sum_of_products(sums, layout, room, room) / kept);
  }
  return scale;
}

/// The reference's scale of the errors, whose magnitudes are given: |e| / |deviations|.
double plain_scale(SinogramSums const& sums, SinogramLayout const& layout, ShardedSinogram const& base,
                   ShardedSinogram const& errors, ShardedSinogram const& room) {
  auto const& devices = *errors.placement.devices();
  devices.for_each([&](int d, ExecSpace const& exec) { deviation_of_rays(exec, base[d], room[d]); });
  devices.fence("plain_scale: summed next");
  double const error = std::sqrt(sum_of_products(sums, layout, errors, errors));
  return error / (std::sqrt(sum_of_products(sums, layout, room, room)) + 1e-6);
}

void clear_rays(ExecSpace const& exec, SinogramEntries const& entries, Array1<int> const& left_out_rays,
                Array1<int> const& left_out_views, Sinogram const& weights) {
  int const lanes = weights.extent_int(3);
  Real* const w = weights.data();
  Kokkos::parallel_for(
      "strata::clear_rays", FlatPolicy(exec, 0, entries.size(entries.num_views)), KOKKOS_LAMBDA(Index item) {
        Range const rows = entries.rows(item);
        Index const first = Index(rows.begin) * entries.layout.num_channels + entries.channel(item);
        bool const whole_view = left_out_views(entries.view(item));
        for (int lane = 0; lane < rows.size(); ++lane)
          if (whole_view || left_out_rays(first + Index(lane) * entries.layout.num_channels))
            w[item * lanes + lane] = 0;
      });
}

Array1<int> on_device(ExecSpace const& exec, char const* label, std::vector<int> const& values) {
  auto const view = make_view<Array1<int>>(exec, label, values.size());
  Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(values.data(),
                                                                                                  values.size());
  Kokkos::deep_copy(exec, view, host);
  exec.fence("leave_out_rays: the list goes away");
  return view;
}

}  // namespace

double metal_weights(TomographyModel const& model, MetalWeights const& options, ShardedSinogram const& y,
                     ShardedVolume const* image, ShardedSinogram const& weights) {
  require(options.beta > 0, "metal weights: beta must be above 0, found ", options.beta);
  require(options.gamma >= 0, "metal weights: gamma must not be negative, found ", options.gamma);
  auto const& layout = model.sinogram_layout();
  auto const of_image = [&] { return histogram(*image, otsu_bins); };
  auto const of_rays = [&] { return histogram(y, layout, otsu_bins); };
  double const threshold =
      options.threshold ? *options.threshold : otsu_thresholds(image ? of_image() : of_rays(), 3).back();
  if (image) {
    auto const metal = model.make_volume("metal");
    model.devices().for_each(
        [&](int d, ExecSpace const& exec) { mark_metal(exec, (*image)[d], static_cast<Real>(threshold), metal[d]); });
    model.devices().fence("metal_weights: projected next");
    model.forward_project(metal, weights);
  }
  model.devices().for_each([&](int d, ExecSpace const& exec) {
    SinogramEntries const entries(layout, weights.placement.owned(d).size(), weights[d]);
    ConstSinogram const signal = image ? weights[d] : y[d];
    weigh_metal(exec, entries, y[d], signal, image ? Real(0) : static_cast<Real>(threshold), options.beta,
                options.gamma, weights[d]);
  });
  model.devices().fence("metal_weights: read next");
  return threshold;
}

double huber_weights(TomographyModel const& model, HuberWeights const& options, ShardedSinogram const& base,
                     ShardedSinogram const& weighted_error, ShardedSinogram const& weights) {
  require(options.threshold > 0, "Huber weights: the threshold must be above 0, found ", options.threshold);
  require(options.delta >= 0 && options.delta <= 1, "Huber weights: delta must lie in [0, 1], found ", options.delta);
  auto const& layout = model.sinogram_layout();
  auto const& devices = model.devices();
  SinogramSums const sums(base.placement, layout.rows);
  auto const errors = model.make_sinogram("huber_errors"), room = model.make_sinogram("huber_room");
  double const counted = count_above(sums, layout, base, 0, room);
  require(counted > 0, "Huber weights: at least one weight must be above 0, all are 0");
  devices.for_each([&](int d, ExecSpace const& exec) {
    magnitude_of_errors(exec, base[d], weighted_error[d], weights[d], errors[d]);
  });
  devices.fence("huber_weights: summed next");
  double scale = options.clipped_scale ? 0 : plain_scale(sums, layout, base, errors, room);
  devices.for_each([&](int d, ExecSpace const& exec) { normalise_errors(exec, base[d], errors[d]); });
  devices.fence("huber_weights: summed next");
  if (options.clipped_scale) scale = clipped_scale(sums, layout, errors, counted, room);
  devices.for_each(
      [&](int d, ExecSpace const& exec) { weigh_errors(exec, base[d], errors[d], scale, options, weights[d]); });
  devices.fence("huber_weights: read next");
  require(sum(sums, layout, weights) > 0,
          "Huber weights: at least one must be above 0, all are 0: delta = ", options.delta,
          " and threshold = ", options.threshold, " leave no ray");
  return count_above(sums, layout, errors, options.threshold * scale, room) / counted;
}

void leave_out_rays(SinogramLayout const& layout, std::vector<bool> const& dead, std::vector<int> const& masked_views,
                    ShardedSinogram const& weights) {
  std::size_t const detector = static_cast<std::size_t>(layout.rows.num_slices) * layout.num_channels;
  ensure(dead.empty() || dead.size() == detector, "leave_out_rays: ", dead.size(), " flags for ", detector, " pixels");
  std::vector<int> rays(detector, 0);
  std::copy(dead.begin(), dead.end(), rays.begin());
  Placement const& views = weights.placement;
  for (int const view : masked_views)
    require(view >= 0 && view < views.real_size(), "masked views: expected views from 0 to ", views.real_size() - 1,
            ", found ", view);
  auto const ray_flags = per_local_device(
      *views.devices(), [&](int d) { return on_device(views.devices()->exec(d), "strata::dead_rays", rays); });
  auto const view_flags = per_local_device(*views.devices(), [&](int d) {
    std::vector<int> own(static_cast<std::size_t>(std::max(1, weights[d].extent_int(0))), 0);
    for (int const view : masked_views)
      if (view >= views.owned(d).begin && view < views.owned(d).end)
        own[static_cast<std::size_t>(view - views.owned(d).begin)] = 1;
    return on_device(views.devices()->exec(d), "strata::masked_views", own);
  });
  views.devices()->for_each([&](int d, ExecSpace const& exec) {
    SinogramEntries const entries(layout, views.owned(d).size(), weights[d]);
    clear_rays(exec, entries, ray_flags[d], view_flags[d], weights[d]);
  });
  views.devices()->fence("leave_out_rays: the flags go away");
}

}  // namespace strata
