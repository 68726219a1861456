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
constexpr int fetch_ahead = 8;  // channels

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

/// Multiplies spectra of real rows by a real response. A row is transformed as length / 2 = m complex numbers, entries
/// 2 i and 2 i + 1 being the parts of number i: FFTW's transforms of real rows take three times as long. The transform
/// holds Z[k] = E[k] + i O[k], E and O being the spectra of the even and the odd entries; that of the row is
/// E[k] + exp(-i pi k / m) O[k]. The latter times the response H[k] is in the form of the former
///   Z'[k] = (plus - sin(pi k / m) minus) Z[k] + i cos(pi k / m) minus conj(Z[m - k]),
///   plus, minus = (H[k] + H[m - k]) / 2, (H[k] - H[m - k]) / 2,
/// which couples floats j and 2 m + 1 - j of Z.
class PackedResponse {
 public:
  /// response [m + 1]
  explicit PackedResponse(std::vector<float> const& response) : m_(static_cast<int>(response.size()) - 1) {
    for (auto* const factors : {&low_, &low_sum_, &high_, &high_sum_}) factors->resize(std::size_t(m_) + 1);
    for (int j = 0; j <= m_; ++j) {
      int const k = j / 2;
      double const plus = (double(response[k]) + response[m_ - k]) / 2;
      double const minus = (double(response[k]) - response[m_ - k]) / 2;
      double const angle = std::numbers::pi * k / m_;
      double const across = std::cos(angle) * minus;
      low_[j] = static_cast<float>(plus - std::sin(angle) * minus);
      low_sum_[j] = static_cast<float>(plus - std::sin(angle) * minus + across);
      high_[j] = static_cast<float>(plus + std::sin(angle) * minus);
      high_sum_[j] = static_cast<float>(plus + std::sin(angle) * minus + across);
    }
  }

  void multiply(float* spectrum) const {
    float* __restrict const z = spectrum;                // floats 2 .. m
    float* __restrict const mirror = spectrum + m_ + 1;  // floats m + 1 .. 2 m - 1
    // With a factor of the difference, what is constant along a row is multiplied by a sum that was rounded once.
    float const even = z[0], odd = z[1];
    z[0] = low_[0] * (even - odd) + low_sum_[0] * odd;
    z[1] = low_[0] * (odd - even) + low_sum_[0] * even;
    for (int j = 2; j <= m_; ++j) {
      float const near = z[j], far = mirror[m_ - j];
      z[j] = low_[j] * (near - far) + low_sum_[j] * far;
      mirror[m_ - j] = high_[j] * (far - near) + high_sum_[j] * near;
    }
  }

 private:
  int m_;
  std::vector<float> low_, low_sum_;    ///< [j] the factor of float j, and that plus the factor of its partner
  std::vector<float> high_, high_sum_;  ///< the same for the partner, float 2 m + 1 - j
};

}  // namespace

/// Plans for rows_at_once rows of one length, in place, each row as `length / 2` complex numbers. FFTW_ESTIMATE, since
/// measuring may choose another algorithm, and so other roundings, from run to run.
struct RampFilter::Transform {
  int length;
  int pitch;  // floats from row to row: whole cache lines, not a power of two
  PackedResponse response;
  fftwf_plan forward;
  fftwf_plan backward;

  Transform(int n, std::vector<float> const& spectrum) : length(n), pitch((n + 15) / 16 * 16 + 16), response(spectrum) {
    Buffer const buffer = make_buffer(std::size_t(rows_at_once) * pitch);
    auto* const rows = reinterpret_cast<fftwf_complex*>(buffer.get());
    int const half = n / 2;
    auto const plan = [&](int sign) {
      return fftwf_plan_many_dft(1, &half, rows_at_once, rows, nullptr, 1, pitch / 2, rows, nullptr, 1, pitch / 2, sign,
                                 FFTW_ESTIMATE);
    };
    forward = plan(FFTW_FORWARD);
    backward = plan(FFTW_BACKWARD);
    ensure(forward && backward, "RampFilter: FFTW has no plan for length ", half);
  }
  ~Transform() {
    fftwf_destroy_plan(forward);
    fftwf_destroy_plan(backward);
  }

  /// Convolves the rows of `buffer` [row][pitch] with the kernel.
  void convolve(float* buffer) const {
    auto* const rows = reinterpret_cast<fftwf_complex*>(buffer);
    fftwf_execute_dft(forward, rows, rows);
    for (int row = 0; row < rows_at_once; ++row) response.multiply(buffer + std::size_t(row) * pitch);
    fftwf_execute_dft(backward, rows, rows);
  }
};

RampFilter::RampFilter(SinogramShape const& shape, SinogramLayout const& layout, DirectFilterParams const& params)
    : layout_(layout),
      padded_length_(ramp_length(shape.num_det_channels)),
      det_weights_(params.det_weights),
      post_weights_(params.post_weights),
      view_weights_(params.view_weights) {
  Index const per_view = Index(shape.num_det_rows) * shape.num_det_channels;
  Index const per_row = Index(shape.num_views) * shape.num_det_channels;
  ensure(fits(det_weights_, per_view) && fits(post_weights_, per_view) && fits(view_weights_, per_row),
         "RampFilter: weights do not fit the sinogram");
  // The transform of half the length, not normalised, brings a factor length / 2.
  response_ =
      ramp_response(shape.num_det_channels, 2 * params.scale * std::numbers::pi / shape.num_views / padded_length_,
                    params.fan_pitch, padded_length_);
  transform_ = std::make_unique<Transform>(padded_length_, response_);
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
  for (int l = 0; l < rows_at_once; ++l) {
    int const filled = l < rows.count ? channels : 0;
    std::memset(buffer + l * pitch + filled, 0, (transform_->length - filled) * sizeof(float));
  }
  for (int c = 0; c < channels; ++c) {
    Real const* const from = &in(rows.view, rows.block, c, rows.lane);
    fetch(&in(rows.view, rows.block, std::min(c + fetch_ahead, channels - 1), rows.lane));
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
    // A thread takes all groups of a block together: they share cache lines and pages.
    Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>> const policy(exec, 0, items,
                                                                                   Kokkos::ChunkSize(groups));
    Kokkos::parallel_for("strata::ramp_filter", policy, [&](int item) {
      thread_local Buffer buffer;
      thread_local std::size_t size = 0;
      if (size < needed) buffer = make_buffer(size = needed);
      int const block = item / groups % rows.num_blocks();
      int const view = item / groups / rows.num_blocks();
      int const lane = item % groups * lane_group;
      Range const real = rows.slices(block);
      RowGroup const group{view, block, lane, real.begin + lane, std::clamp(real.size() - lane, 0, rows_at_once)};
      load(in, views.begin + view, group, buffer.get());
      transform_->convolve(buffer.get());
      store(buffer.get(), group, out);
    });
  });
  sinogram.placement.devices()->fence("ramp_filter: the filtered sinogram is read next");
}

}  // namespace strata
