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

/// Smallest length of at least `n` with only factors 2, 3 and 5, even.
int good_length(int n) {
  for (int length = n + n % 2;; length += 2) {
    int rest = length;
    for (int const factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

struct FftwFree {
  void operator()(float* p) const { fftwf_free(p); }
};
using Buffer = std::unique_ptr<float[], FftwFree>;

Buffer make_buffer(std::size_t size) { return Buffer(static_cast<float*>(fftwf_malloc(size * sizeof(float)))); }

}  // namespace

/// Plans for rows_at_once rows of one length, in place. FFTW_ESTIMATE, since measuring may choose another algorithm, and
/// so other roundings, from run to run.
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
      padded_length_(good_length(2 * shape.num_det_channels - 1)),
      det_weights_(params.det_weights),
      transform_(std::make_unique<Transform>(padded_length_)) {
  int const n = padded_length_;
  auto const kernel = ramp_kernel(shape.num_det_channels, params.scale * std::numbers::pi / shape.num_views / n);
  // The kernel is even, so its spectrum is real: a cosine sum over the odd entries.
  std::vector<double> cosines(n);
  for (int j = 0; j < n; ++j) cosines[j] = std::cos(2 * std::numbers::pi * j / n);
  int const centre = shape.num_det_channels - 1;
  response_.resize(n / 2 + 1);
  for (int k = 0; k <= n / 2; ++k) {
    double sum = kernel[centre];
    for (int q = 1; q <= centre; q += 2) sum += 2 * kernel[centre + q] * cosines[Index(k) * q % n];
    response_[k] = static_cast<float>(sum);
  }
}

RampFilter::~RampFilter() = default;

void RampFilter::apply(ShardedSinogram const& sinogram, ShardedSinogram const& filtered) const {
  SliceBlocks const& rows = layout_.rows;
  int const channels = layout_.num_channels;
  int const groups = rows.lanes / lane_group;
  Transform const& transform = *transform_;
  auto const filter_group = [&](ConstSinogram const& in, Sinogram const& out, int view, int block, int lane) {
    thread_local Buffer buffer;
    thread_local std::size_t size = 0;
    std::size_t const needed = std::size_t(rows_at_once) * transform.pitch;
    if (size < needed) buffer = make_buffer(size = needed);
    std::memset(buffer.get(), 0, needed * sizeof(float));
    Range const real = rows.slices(block);
    int const count = std::clamp(real.size() - lane, 0, rows_at_once);
    for (int c = 0; c < channels; ++c) {
      Real const* const from = &in(view, block, c, lane);
      for (int l = 0; l < count; ++l) buffer[std::size_t(l) * transform.pitch + c] = from[l];
    }
    if (!det_weights_.empty())
      for (int l = 0; l < count; ++l)
        for (int c = 0; c < channels; ++c)
          buffer[std::size_t(l) * transform.pitch + c] *=
              det_weights_[std::size_t(real.begin + lane + l) * channels + c];
    transform.convolve(buffer.get(), response_.data());
    for (int c = 0; c < channels; ++c) {
      Real* const to = &out(view, block, c, lane);
      for (int l = 0; l < rows_at_once; ++l)
        to[l] = l < count ? buffer[std::size_t(l) * transform.pitch + c] : Real(0);
    }
  };
  sinogram.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    int const items = sinogram.placement.owned(d).size() * rows.num_blocks() * groups;
    ConstSinogram const in = sinogram[d];
    Sinogram const out = filtered[d];
    Kokkos::parallel_for("strata::ramp_filter",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, items),
                         [&](int item) {
                           int const group = item % groups;
                           int const block = item / groups % rows.num_blocks();
                           filter_group(in, out, item / groups / rows.num_blocks(), block, group * lane_group);
                         });
  });
  sinogram.placement.devices()->fence("ramp_filter: the filtered sinogram is read next");
}

}  // namespace strata
