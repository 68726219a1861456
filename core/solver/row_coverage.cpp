#include "core/solver/row_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text.hpp"

namespace strata {
namespace {

/// Voxels of a cylinder that a thread takes together: a block of lanes, vector by vector, on a host; one voxel on a
/// GPU.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int chunk = 1, max_lanes = 1;
#else
constexpr int chunk = SliceBlocks::lane_step, max_lanes = SliceBlocks::max_lanes;
#endif

/// Lengths in units of the source's distance (parallel rays: ALU), heights in slices.
struct CoverageView {
  double cosine, sine;
  double shift;  ///< height that belongs to slice 0
};

/// Copied by value into the kernel.
struct Coverage {
  double x_col, x_first, y_row, y_first;
  double parallel;   ///< 1 for rays from infinity, else 0
  double low, high;  ///< the detector's edges at the axis
  bool curved;
  double middle_channel, channels;  ///< channels for a tangent, or angle, of 1
  int num_channels;
  Array1<CoverageView const> views;
  Array2<float const> weights;  ///< [view][channel], empty: ones
  SliceBlocks blocks;
  Range whole;
  int first_block;

  /// What view v weighs at the pixel: the step of the ray's direction there, times the view's weight; and the pixel's
  /// q.
  KOKKOS_FORCEINLINE_FUNCTION double look(int v, double x0, double y0, double& q) const {
    CoverageView const& view = views(v);
    double const x = view.cosine * x0 - view.sine * y0;
    double const depth = parallel > 0 ? 1 : 1 - (view.sine * x0 + view.cosine * y0);
    double const square = x * x + depth * depth;  // of the distance from the source
    q = curved ? Kokkos::sqrt(square) : depth;
    double const step = parallel > 0 ? 1 : depth / square;
    if (weights.size() == 0) return step;
    double const at = middle_channel + channels * (curved ? Kokkos::atan2(x, depth) : x / depth);
    double const last = num_channels - 1;
    return step * static_cast<double>(weights(v, static_cast<int>(at < 0 ? 0 : (at > last ? last : at + 0.5))));
  }

  /// Scales lanes [lane, lane + count) of a cylinder, `count` a multiple of `chunk` up to max_lanes.
  KOKKOS_FORCEINLINE_FUNCTION void scale(Cylinders const& x, int block, int pixel, int num_cols, Range lanes) const {
    Range const slices = blocks.slices(first_block + block);
    int const first = slices.begin + lanes.begin;
    int const end = slices.begin + lanes.end < slices.end ? slices.begin + lanes.end : slices.end;
    if (first >= end || (first >= whole.begin && end <= whole.end)) return;
    double const x0 = x_first + x_col * (pixel % num_cols), y0 = y_first + y_row * (pixel / num_cols);
    double total = 0, seen[max_lanes] = {};
    for (int v = 0; v < views.extent_int(0); ++v) {
      double q = 1;
      double const weight = look(v, x0, y0, q), shift = views(v).shift - (first - 0.5);
      total += weight;
      for (int c = 0; c < lanes.size(); c += chunk) {
        if (first + c >= whole.begin && first + c + chunk <= whole.end) continue;  // not needed
        add(low * q + shift - c, high * q + shift - c, weight, seen + c);
      }
    }
    for (int l = 0; l < end - first; ++l) {
      if (first + l >= whole.begin && first + l < whole.end) continue;
      x(block, pixel, lanes.begin + l) *= seen[l] > 1e-3 * total ? static_cast<Real>(total / seen[l]) : Real(0);
    }
  }

  /// seen[l] += weight * part of slice l, [l, l + 1), that lies in [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION static void add(double begin, double end, double weight, double* seen) {
    if (end <= 0 || begin >= chunk) return;
    for (int l = 0; l < chunk; ++l) {
      double const from = begin - l > 0 ? begin - l : 0, to = end - l < 1 ? end - l : 1;
      double const part = to > from ? to - from : 0;
      seen[l] += weight * part;
    }
  }
};

void scale_shard(ExecSpace const& exec, Coverage const& coverage, PixelList const& pixels, int num_cols,
                 Cylinders const& x) {
  int const step = x.extent_int(2) < max_lanes ? x.extent_int(2) : max_lanes;
  Kokkos::parallel_for(
      "strata::normalise_coverage",
      Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<3>>(exec, {0, 0, 0},
                                                        {x.extent_int(0), pixels.size(), x.extent_int(2) / step}),
      KOKKOS_LAMBDA(int block, int t, int c) {
        coverage.scale(x, block, pixels.index(t), num_cols, {c * step, (c + 1) * step});
      });
}

struct Heights {
  double pitch, first;  ///< z of slice k: first + pitch * k
};

Heights heights_of(GeometryParams const& p) {
  double const pitch = p.voxel_slice_aspect * p.delta_voxel;
  return {pitch, p.recon_slice_offset - pitch * (p.recon.num_slices - 1) / 2.0};
}

Coverage coverage_of(RowFan const& fan, GeometryParams const& p) {
  Coverage coverage;
  bool const parallel = std::isinf(fan.source_iso_dist);
  double const unit = parallel ? 1 : fan.source_iso_dist;
  coverage.parallel = parallel ? 1 : 0;
  coverage.x_col = p.delta_voxel / unit;
  coverage.y_row = p.voxel_row_aspect * p.delta_voxel / unit;
  coverage.x_first = -coverage.x_col * (p.recon.num_cols - 1) / 2;
  coverage.y_first = -coverage.y_row * (p.recon.num_rows - 1) / 2;
  double const pitch = heights_of(p).pitch;
  coverage.low = fan.low / pitch;
  coverage.high = fan.high / pitch;
  coverage.curved = fan.curved;
  coverage.middle_channel = fan.middle_channel;
  coverage.channels = unit / fan.channel_pitch;
  coverage.num_channels = p.sinogram.num_det_channels;
  return coverage;
}

/// The views and weights on the device of `exec`. Waits.
void upload(ExecSpace const& exec, RowFan const& fan, GeometryParams const& p, std::vector<float> const& weights,
            Coverage& coverage) {
  int const num_views = static_cast<int>(fan.angles.size());
  Heights const heights = heights_of(p);
  auto const views = make_view<Array1<CoverageView>>(exec, "direct::coverage_views", num_views);
  auto const host = Kokkos::create_mirror_view(views);
  for (int v = 0; v < num_views; ++v)
    host(v) = {std::cos(fan.angles[v]), std::sin(fan.angles[v]), (fan.z_shifts[v] - heights.first) / heights.pitch};
  Kokkos::deep_copy(exec, views, host);
  coverage.views = views;
  if (!weights.empty()) {
    auto const table = make_view<Array2<float>>(exec, "direct::coverage_weights", num_views, coverage.num_channels);
    Kokkos::View<float const**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const all(
        weights.data(), num_views, coverage.num_channels);
    Kokkos::deep_copy(exec, table, all);
    coverage.weights = table;
  }
  exec.fence("normalise_coverage: host arrays end here");
}

/// `0 to 3, 28 to 31` for the marked slices.
std::string runs_of(std::vector<bool> const& marked) {
  std::string runs;
  int const count = static_cast<int>(marked.size());
  for (int k = 0, end; k < count; k = end + 1) {
    for (end = k; end < count && marked[end]; ++end) {
    }
    if (end > k) runs += text(runs.empty() ? "" : ", ", k, end > k + 1 ? text(" to ", end - 1) : "");
  }
  return runs;
}

}  // namespace

CoverageReport row_coverage(RowFan const& fan, GeometryParams const& params, double reach) {
  CoverageReport report;
  int const num_slices = params.recon.num_slices;
  report.whole = {0, num_slices};
  if (fan.angles.empty()) return report;
  double const share = std::isinf(fan.source_iso_dist) ? 0 : reach / fan.source_iso_dist;
  auto const [min_shift, max_shift] = std::ranges::minmax(fan.z_shifts);
  double const low = fan.low * (1 + (fan.low > 0 ? share : -share)) + max_shift;
  double const high = fan.high * (1 + (fan.high > 0 ? -share : share)) + min_shift;
  Heights const heights = heights_of(params);
  std::vector<bool> cut(num_slices), lacking(num_slices);
  double const half = 0.5 * heights.pitch, slack = 1e-6 * heights.pitch;
  // A step is that of equal views over the whole of the scan.
  auto const [first, last] = std::ranges::minmax(fan.angles);
  double const step = (last - first) / std::max<double>(1, double(fan.angles.size()) - 1);
  for (int k = 0; k < num_slices; ++k) {
    double const z = heights.first + heights.pitch * k;
    cut[k] = z - half < low - slack || z + half > high + slack;
    auto const seen =
        std::ranges::count_if(fan.z_shifts, [&](double h) { return z >= fan.low + h && z <= fan.high + h; });
    bool const all = seen == static_cast<std::ptrdiff_t>(fan.z_shifts.size());
    lacking[k] = !all && static_cast<double>(seen) * step < std::numbers::pi;
  }
  report.complete = std::ranges::none_of(cut, [](bool is) { return is; });
  auto const begin = std::ranges::find(cut, false);
  auto const end = std::find(begin, cut.end(), true);
  report.whole = {int(begin - cut.begin()), int(end - cut.begin())};
  if (report.complete) return report;
  report.note = text("some views miss voxels of slices ", runs_of(cut), ": the others stand for them");
  if (auto const runs = runs_of(lacking); !runs.empty())
    report.warning = text("slices ", runs, " of 0 to ", num_slices - 1,
                          " are incomplete: the detector rows see them at the axis over less than 180 degrees");
  return report;
}

void normalise_coverage(TomographyModel const& model, RowFan const& fan, std::vector<float> const& view_weights,
                        Range whole, ShardedVolume const& recon) {
  GeometryParams const& params = model.geometry().params();
  Coverage const common = coverage_of(fan, params);
  SliceBlocks const& blocks = recon.placement.blocks();
  model.devices().for_each([&](int d, ExecSpace const& exec) {
    Coverage coverage = common;
    upload(exec, fan, params, view_weights, coverage);
    coverage.blocks = blocks;
    coverage.whole = whole;
    coverage.first_block = blocks.blocks_of_shard(d).begin;
    scale_shard(exec, coverage, model.masked_pixels().devices[d], params.recon.num_cols, recon[d]);
  });
  model.devices().fence("normalise_coverage: read next");
}

}  // namespace strata
