#include "core/solver/row_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/lanes.hpp"
#include "core/base/text.hpp"

namespace strata {
namespace {

/// What a thread takes together: neighbouring pixels, which are the lanes of vectors, and slices; one voxel on a GPU.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int pixel_group = 1, max_slices = 1;
#else
constexpr int pixel_group = lane_group, max_slices = 64;
#endif

/// Lengths in units of the source's distance (parallel rays: ALU), heights in slices: slice k is [k, k + 1).
struct CoverageView {
  double cosine, sine;
  double shift;  ///< of the detector
};

/// Pixels of a group; the last one again where there are fewer.
struct PixelGroup {
  int index[pixel_group];
  int count;
  double x[pixel_group], y[pixel_group];
  double middle_x, middle_y;
  double radius;  ///< no pixel is farther from the middle
};

/// What a view makes of a group of pixels.
struct Look {
  double weight[pixel_group], q[pixel_group];
  double middle_q;  ///< that of the group's middle
};

/// The slices of a shard that some view misses: up to two runs, numbered as if there were nothing between them.
struct CutSlices {
  Range low, high;
  KOKKOS_FUNCTION int size() const { return low.size() + high.size(); }
  /// Numbers [begin, end) of them.
  KOKKOS_FUNCTION CutSlices part(int begin, int end) const {
    auto const at = [](Range run, int i) { return run.begin + (i < 0 ? 0 : (i > run.size() ? run.size() : i)); };
    int const n = low.size();
    return {{at(low, begin), at(low, end)}, {at(high, begin - n), at(high, end - n)}};
  }
};

/// Copied by value into the kernel.
struct Coverage {
  double x_col, x_first, y_row, y_first;
  double parallel;   ///< 1 for rays from infinity, else 0
  double low, high;  ///< the detector's edges at the axis
  bool curved;
  double middle_channel, channels;  ///< channels for a tangent, or angle, of 1
  int num_cols, num_channels;
  Array1<CoverageView const> views;
  Array2<float const> weights;  ///< [view][channel], empty: ones
  SliceBlocks blocks;
  int first_block;
  CutSlices cut;

  KOKKOS_FORCEINLINE_FUNCTION PixelGroup pixels_at(PixelList const& pixels, int first) const {
    PixelGroup g;
    int const rest = pixels.index.extent_int(0) - first;
    g.count = rest < pixel_group ? rest : pixel_group;
    g.middle_x = g.middle_y = g.radius = 0;
    for (int p = 0; p < pixel_group; ++p) {
      g.index[p] = pixels.index(first + (p < g.count ? p : g.count - 1));
      g.x[p] = x_first + x_col * (g.index[p] % num_cols);
      g.y[p] = y_first + y_row * (g.index[p] / num_cols);
      g.middle_x += g.x[p] / pixel_group;
      g.middle_y += g.y[p] / pixel_group;
    }
    for (int p = 0; p < pixel_group; ++p) {
      double const dx = g.x[p] - g.middle_x, dy = g.y[p] - g.middle_y, square = dx * dx + dy * dy;
      g.radius = square > g.radius ? square : g.radius;
    }
    g.radius = Kokkos::sqrt(g.radius);
    return g;
  }

  /// Depth behind the source over that of the axis, or with a curved detector distance from the source.
  KOKKOS_FORCEINLINE_FUNCTION double depth(CoverageView const& view, double x, double y) const {
    return parallel > 0 ? 1 : 1 - (view.sine * x + view.cosine * y);
  }
  KOKKOS_FORCEINLINE_FUNCTION double across(CoverageView const& view, double x, double y) const {
    return view.cosine * x - view.sine * y;
  }

  /// What view v weighs at the pixels: the step of the ray's direction there, times the view's weight; and their q.
  KOKKOS_FORCEINLINE_FUNCTION void look(int v, PixelGroup const& g, Look& l) const {
    CoverageView const view = views(v);
    for (int p = 0; p < pixel_group; ++p) {
      double const x = across(view, g.x[p], g.y[p]), y = depth(view, g.x[p], g.y[p]);
      double const square = x * x + y * y;  // of the distance from the source
      l.q[p] = curved ? Kokkos::sqrt(square) : y;
      l.weight[p] = parallel > 0 ? 1 : y / square;
    }
    double const x = across(view, g.middle_x, g.middle_y), y = depth(view, g.middle_x, g.middle_y);
    l.middle_q = curved ? Kokkos::sqrt(x * x + y * y) : y;
    if (weights.size() > 0) weigh(v, view, g, l);
  }

  KOKKOS_FORCEINLINE_FUNCTION void weigh(int v, CoverageView const& view, PixelGroup const& g, Look& l) const {
    double const last = num_channels - 1;
    for (int p = 0; p < pixel_group; ++p) {
      double const x = across(view, g.x[p], g.y[p]), y = depth(view, g.x[p], g.y[p]);
      double const at = middle_channel + channels * (curved ? Kokkos::atan2(x, y) : x / y);
      l.weight[p] *= static_cast<double>(weights(v, static_cast<int>(at < 0 ? 0 : (at > last ? last : at + 0.5))));
    }
  }

  /// Scales up to max_slices cut slices, from number `first_cut` on, of the pixels from `first_pixel` on.
  KOKKOS_FORCEINLINE_FUNCTION void scale(Cylinders const& x, PixelList const& pixels, int first_pixel,
                                         int first_cut) const {
    int const rest = cut.size() - first_cut;
    CutSlices const slices = cut.part(first_cut, first_cut + (rest < max_slices ? rest : max_slices));
    PixelGroup const g = pixels_at(pixels, first_pixel);
    double total[pixel_group] = {}, seen[max_slices][pixel_group] = {};
    for (int v = 0; v < views.extent_int(0); ++v) {
      Look l;
      look(v, g, l);
      for (int p = 0; p < pixel_group; ++p) total[p] += l.weight[p];
      double const shift = views(v).shift;
      add(slices.low, l, shift, g.radius, seen);
      add(slices.high, l, shift, g.radius, seen + slices.low.size());
    }
    divide(x, slices.low, g, total, seen);
    divide(x, slices.high, g, total, seen + slices.low.size());
  }

  /// The slice that holds height z, or one outside `run` on the same side.
  KOKKOS_FORCEINLINE_FUNCTION static int slice_at(double z, Range run) {
    double const least = run.begin - 1, most = run.end;
    return static_cast<int>(Kokkos::floor(z < least ? least : (z > most ? most : z)));
  }

  /// seen[k - run.begin] += weight * part of slice k that the view sees, for k in `run`. The heights of the detector's
  /// edges change from pixel to pixel by no more than with the distance from the source: only near the edges do
  /// slices need to be cut pixel by pixel. What is added to a slice does not depend on `run`.
  KOKKOS_FORCEINLINE_FUNCTION void add(Range run, Look const& l, double shift, double radius,
                                       double (*seen)[pixel_group]) const {
    double const begin = low * l.middle_q + shift, end = high * l.middle_q + shift;
    double const reach = parallel > 0 ? 0 : radius;
    double const near_begin = Kokkos::abs(low) * reach, near_end = Kokkos::abs(high) * reach;
    int const first = slice_at(begin - near_begin, run), inside = slice_at(begin + near_begin, run) + 1;
    int const outside = slice_at(end - near_end, run), past = slice_at(end + near_end, run) + 1;
    int const from = first > run.begin ? first : run.begin, to = past < run.end ? past : run.end;
    int const whole = inside > from ? inside : from, last = outside > whole ? outside : whole;
    add_parts({from, whole < to ? whole : to}, run.begin, l, shift, seen);
    for (int k = whole; k < (outside < to ? outside : to); ++k)
      for (int p = 0; p < pixel_group; ++p) seen[k - run.begin][p] += l.weight[p];
    add_parts({last, to}, run.begin, l, shift, seen);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_parts(Range run, int origin, Look const& l, double shift,
                                             double (*seen)[pixel_group]) const {
    for (int k = run.begin; k < run.end; ++k)
      for (int p = 0; p < pixel_group; ++p) {
        double const begin = low * l.q[p] + shift - k, end = high * l.q[p] + shift - k;
        double const part = (end < 1 ? end : 1) - (begin > 0 ? begin : 0);
        seen[k - origin][p] += l.weight[p] * (part > 0 ? part : 0);
      }
  }

  KOKKOS_FORCEINLINE_FUNCTION void divide(Cylinders const& x, Range run, PixelGroup const& g, double const* total,
                                          double (*seen)[pixel_group]) const {
    for (int k = run.begin; k < run.end; ++k) {
      double* const factors = seen[k - run.begin];
      for (int p = 0; p < pixel_group; ++p) factors[p] = factors[p] > 1e-3 * total[p] ? total[p] / factors[p] : 0;
      int const block = blocks.block_of(k) - first_block, lane = blocks.lane_of(k);
      for (int p = 0; p < g.count; ++p) x(block, g.index[p], lane) *= static_cast<Real>(factors[p]);
    }
  }
};

void scale_shard(ExecSpace const& exec, Coverage const& coverage, PixelList const& pixels, Cylinders const& x) {
  // Neighbouring threads of a GPU take neighbouring slices.
  Index const chunks = (coverage.cut.size() + max_slices - 1) / max_slices;
  Index const groups = (pixels.size() + pixel_group - 1) / pixel_group;
  Kokkos::parallel_for(
      "strata::normalise_coverage", Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, groups * chunks),
      KOKKOS_LAMBDA(Index i) {
        coverage.scale(x, pixels, static_cast<int>(i / chunks) * pixel_group,
                       static_cast<int>(i % chunks) * max_slices);
      });
}

/// The slices of a shard outside `whole`.
CutSlices cut_slices(SliceBlocks const& blocks, int shard, Range whole) {
  int const begin = std::min(shard * blocks.shard_size, blocks.num_slices);
  int const end = std::min(begin + blocks.shard_size, blocks.num_slices);
  int const low_end = std::clamp(whole.begin, begin, end);
  return {{begin, low_end}, {std::clamp(whole.end, low_end, end), end}};
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
  coverage.num_cols = p.recon.num_cols;
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
    host(v) = {std::cos(fan.angles[v]), std::sin(fan.angles[v]),
               (fan.z_shifts[v] - heights.first) / heights.pitch + 0.5};
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
    coverage.first_block = blocks.blocks_of_shard(d).begin;
    coverage.cut = cut_slices(blocks, d, whole);
    scale_shard(exec, coverage, model.masked_pixels().devices[d], recon[d]);
  });
  model.devices().fence("normalise_coverage: read next");
}

}  // namespace strata
