#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/lanes.hpp"
#include "core/solver/ramp_filter.hpp"

namespace strata {
namespace {

constexpr int rows_at_once = lane_group;

struct FftwFree {
  void operator()(float* p) const { fftwf_free(p); }
};
using Buffer = std::unique_ptr<float[], FftwFree>;

bool fits(std::vector<float> const& weights, Index size) {
  return weights.empty() || static_cast<Index>(weights.size()) == size;
}

Buffer make_buffer(std::size_t size) {
  return Buffer(static_cast<float*>(fftwf_malloc(size * sizeof(float))));
}

}  // namespace

/// Plans for rows_at_once rows of one length, in place. FFTW_ESTIMATE, since measuring may choose another algorithm,
/// and so other roundings, from run to run.
struct RampFilter::Transform {
  int length;
  int pitch;  // floats from row to row
  fftwf_plan forward;
  fftwf_plan backward;

  explicit Transform(int n) : length(n), pitch(n + 2) {
    Buffer const buffer = make_buffer(std::size_t(rows_at_once) * pitch);
    auto* const real = buffer.get();
    auto* const spectrum = reinterpret_cast<fftwf_complex*>(real);
    forward = fftwf_plan_many_dft_r2c(1, &length, rows_at_once, real, nullptr, 1, pitch, spectrum, nullptr, 1,
                                      pitch / 2, FFTW_ESTIMATE);
    backward = fftwf_plan_many_dft_c2r(1, &length, rows_at_once, spectrum, nullptr, 1, pitch / 2, real, nullptr, 1,
                                       pitch, FFTW_ESTIMATE);
    ensure(forward && backward, "RampFilter: FFTW has no plan for length ", n);
  }
  ~Transform() {
    fftwf_destroy_plan(forward);
    fftwf_destroy_plan(backward);
  }

  /// Convolves the rows of `buffer` [row][pitch] with the kernel of spectrum `response` [length / 2 + 1].
  void convolve(float* buffer, float const* response) const {
    auto* const spectrum = reinterpret_cast<fftwf_complex*>(buffer);
    fftwf_execute_dft_r2c(forward, buffer, spectrum);
    for (int row = 0; row < rows_at_once; ++row) {
      float* const values = buffer + std::size_t(row) * pitch;
      for (int k = 0; k <= length / 2; ++k) {
        values[2 * k] *= response[k];
        values[2 * k + 1] *= response[k];
      }
    }
    fftwf_execute_dft_c2r(backward, spectrum, buffer);
  }
};

RampFilter::RampFilter(SinogramShape const& shape, SinogramLayout const& layout, DirectFilterParams const& params)
    : layout_(layout),
      padded_length_(ramp_length(shape.num_det_channels)),
      det_weights_(params.det_weights),
      post_weights_(params.post_weights),
      view_weights_(params.view_weights),
      transform_(std::make_unique<Transform>(padded_length_)) {
  Index const per_view = Index(shape.num_det_rows) * shape.num_det_channels;
  Index const per_row = Index(shape.num_views) * shape.num_det_channels;
  ensure(fits(det_weights_, per_view) && fits(post_weights_, per_view) && fits(view_weights_, per_row),
         "RampFilter: weights do not fit the sinogram");
  response_ = ramp_response(shape.num_det_channels, params.scale * std::numbers::pi / shape.num_views / padded_length_,
                            params.fan_pitch, padded_length_);
}

RampFilter::~RampFilter() = default;

/// Up to rows_at_once rows of one view: [row][pitch] of a buffer and lanes `lane` ... of block `block`.
struct RampFilter::RowGroup {
  int view, block, lane;
  int first_row;  ///< in the sinogram
  int count;      ///< real rows
};

void RampFilter::load(ConstSinogram const& in, int global_view, RowGroup const& rows, float* buffer) const {
  int const channels = layout_.num_channels;
  std::size_t const pitch = transform_->pitch;
  std::memset(buffer, 0, rows_at_once * pitch * sizeof(float));
  for (int c = 0; c < channels; ++c) {
    Real const* const from = &in(rows.view, rows.block, c, rows.lane);
    for (int l = 0; l < rows.count; ++l) buffer[l * pitch + c] = from[l];
  }
  for (int l = 0; l < rows.count && !det_weights_.empty(); ++l) {
    float const* const weights = &det_weights_[std::size_t(rows.first_row + l) * channels];
    for (int c = 0; c < channels; ++c) buffer[l * pitch + c] *= weights[c];
  }
  if (view_weights_.empty()) return;
  float const* const weights = &view_weights_[std::size_t(global_view) * channels];
  for (int l = 0; l < rows.count; ++l)
    for (int c = 0; c < channels; ++c) buffer[l * pitch + c] *= weights[c];
}

void RampFilter::store(float* buffer, RowGroup const& rows, Sinogram const& out) const {
  int const channels = layout_.num_channels;
  std::size_t const pitch = transform_->pitch;
  for (int l = 0; l < rows.count && !post_weights_.empty(); ++l) {
    float const* const weights = &post_weights_[std::size_t(rows.first_row + l) * channels];
    for (int c = 0; c < channels; ++c) buffer[l * pitch + c] *= weights[c];
  }
  for (int c = 0; c < channels; ++c) {
    Real* const to = &out(rows.view, rows.block, c, rows.lane);
    for (int l = 0; l < rows_at_once; ++l) to[l] = l < rows.count ? buffer[l * pitch + c] : Real(0);
  }
}

void RampFilter::apply(ShardedSinogram const& sinogram, ShardedSinogram const& filtered) const {
  SliceBlocks const& rows = layout_.rows;
  int const groups = rows.lanes / lane_group;
  std::size_t const needed = std::size_t(rows_at_once) * transform_->pitch;
  sinogram.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    Range const views = sinogram.placement.owned(d);
    int const items = views.size() * rows.num_blocks() * groups;
    ConstSinogram const in = sinogram[d];
    Sinogram const out = filtered[d];
    Kokkos::parallel_for(
        "strata::ramp_filter", Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, items),
        [&](int item) {
          thread_local Buffer buffer;
          thread_local std::size_t size = 0;
          if (size < needed) buffer = make_buffer(size = needed);
          int const block = item / groups % rows.num_blocks();
          int const view = item / groups / rows.num_blocks();
          int const lane = item % groups * lane_group;
          Range const real = rows.slices(block);
          RowGroup const group{view, block, lane, real.begin + lane, std::clamp(real.size() - lane, 0, rows_at_once)};
          load(in, views.begin + view, group, buffer.get());
          transform_->convolve(buffer.get(), response_.data());
          store(buffer.get(), group, out);
        });
  });
  sinogram.placement.devices()->fence("ramp_filter: the filtered sinogram is read next");
}

}  // namespace strata
