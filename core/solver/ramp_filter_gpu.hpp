/// The ramp filter on GPUs, but for the library that transforms. Included by one ramp_filter_*.cpp after it has defined
///   struct FftLibrary    the library's names: types Plan and Complex, and as static members
///     name, success, real_to_complex, complex_to_real;
///     stream(ExecSpace const&);  plan_many, set_stream, destroy, forward, backward: its functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/placement/memory.hpp"
#include "core/solver/ramp_filter.hpp"

namespace strata {
namespace ramp_filter_gpu {

/// Memory for rows that are transformed together.
constexpr Index buffer_bytes = Index(1) << 28;

/// Real transforms of `rows` rows of length n, in place, in rows of n + 2 numbers.
template <class Library>
class Fft {
 public:
  Fft(ExecSpace const& exec, int n, int rows) {
    int const spectrum = n / 2 + 1;
    int size = n, real_pitch = n + 2, spectrum_pitch = spectrum;
    check(Library::plan_many(&forward_, 1, &size, &real_pitch, 1, n + 2, &spectrum_pitch, 1, spectrum,
                             Library::real_to_complex, rows),
          "making a plan");
    check(Library::plan_many(&backward_, 1, &size, &spectrum_pitch, 1, spectrum, &real_pitch, 1, n + 2,
                             Library::complex_to_real, rows),
          "making a plan");
    for (auto const plan : {forward_, backward_})
      check(Library::set_stream(plan, Library::stream(exec)), "choosing a stream");
  }
  ~Fft() {
    Library::destroy(forward_);
    Library::destroy(backward_);
  }
  Fft(Fft const&) = delete;
  Fft& operator=(Fft const&) = delete;

  void forward(float* data) const { check(Library::forward(forward_, data, spectra(data)), "a transform"); }
  void backward(float* data) const { check(Library::backward(backward_, spectra(data), data), "a transform"); }

 private:
  using Complex = typename Library::Complex;
  static Complex* spectra(float* data) { return reinterpret_cast<Complex*>(data); }
  template <class Status>
  static void check(Status status, char const* what) {
    ensure(status == Library::success, "RampFilter: ", Library::name, ": ", what, " failed with status ",
           static_cast<int>(status));
  }

  typename Library::Plan forward_ = {};
  typename Library::Plan backward_ = {};
};

/// What the kernels of one device need. Views without extent stand for ones.
struct Arrays {
  Array2<float> buffer;             ///< [view of the batch, row block, lane][length + 2]
  Array1<float const> response;     ///< [length / 2 + 1]
  Array1<float const> det_weights;  ///< [row][channel]
  Array1<float const> post_weights;
  Array1<float const> view_weights;  ///< [view][channel]
  SliceBlocks rows;
  int num_channels;
};

/// buffer = weighted rows of views [first, first + count) of the shard, zero-padded.
inline void load_rows(ExecSpace const& exec, ConstSinogram const& in, Arrays const& a, int first, int first_global,
                      int count) {
  int const lanes = a.rows.lanes, blocks = a.rows.num_blocks(), pitch = a.buffer.extent_int(1);
  Index const total = Index(count) * blocks * lanes * pitch;
  Kokkos::parallel_for(
      "strata::ramp_filter_load", Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, total),
      KOKKOS_LAMBDA(Index i) {
        int const channel = static_cast<int>(i % pitch), lane = static_cast<int>(i / pitch % lanes);
        Index const rest = i / pitch / lanes;
        int const block = static_cast<int>(rest % blocks), view = static_cast<int>(rest / blocks);
        Range const real = a.rows.slices(block);
        float value = 0;
        if (channel < a.num_channels && lane < real.size()) {
          value = in(first + view, block, channel, lane);
          if (a.det_weights.extent(0) > 0) value *= a.det_weights(Index(real.begin + lane) * a.num_channels + channel);
          if (a.view_weights.extent(0) > 0)
            value *= a.view_weights(Index(first_global + view) * a.num_channels + channel);
        }
        a.buffer(i / pitch, channel) = value;
      });
}

/// Spectra times the response.
inline void multiply_spectra(ExecSpace const& exec, Arrays const& a, Index num_rows) {
  int const pitch = a.buffer.extent_int(1);
  Kokkos::parallel_for(
      "strata::ramp_filter_multiply",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, num_rows * pitch),
      KOKKOS_LAMBDA(Index i) { a.buffer(i / pitch, i % pitch) *= a.response(i % pitch / 2); });
}

/// Views [first, first + count) = weighted rows of the buffer; padded lanes become 0.
inline void store_rows(ExecSpace const& exec, Arrays const& a, int first, int count, Sinogram const& out) {
  int const lanes = a.rows.lanes, blocks = a.rows.num_blocks(), channels = a.num_channels;
  Index const total = Index(count) * blocks * channels * lanes;
  Kokkos::parallel_for(
      "strata::ramp_filter_store", Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, total),
      KOKKOS_LAMBDA(Index i) {
        int const lane = static_cast<int>(i % lanes), channel = static_cast<int>(i / lanes % channels);
        Index const rest = i / lanes / channels;
        int const block = static_cast<int>(rest % blocks), view = static_cast<int>(rest / blocks);
        Range const real = a.rows.slices(block);
        float value = 0;
        if (lane < real.size()) {
          value = a.buffer(rest * lanes + lane, channel);
          if (a.post_weights.extent(0) > 0) value *= a.post_weights(Index(real.begin + lane) * channels + channel);
        }
        out(first + view, block, channel, lane) = value;
      });
}

/// A copy on the device; the caller fences before `values` changes.
inline Array1<float const> upload(ExecSpace const& exec, std::vector<float> const& values) {
  auto const copy = make_view<Array1<float>>(exec, "strata::ramp_filter::numbers", values.size());
  using Host = Kokkos::View<float const*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (!values.empty()) Kokkos::deep_copy(exec, copy, Host(values.data(), values.size()));
  return copy;
}

}  // namespace ramp_filter_gpu

/// Plans are made where they are used, on each device.
struct RampFilter::Transform {};

RampFilter::RampFilter(SinogramShape const& shape, SinogramLayout const& layout, DirectFilterParams const& params)
    : layout_(layout),
      padded_length_(ramp_length(shape.num_det_channels)),
      det_weights_(params.det_weights),
      post_weights_(params.post_weights),
      view_weights_(params.view_weights),
      response_(ramp_response(shape.num_det_channels,
                              params.scale * std::numbers::pi / shape.num_views / padded_length_, params.fan_pitch,
                              padded_length_)) {}

RampFilter::~RampFilter() = default;

void RampFilter::apply(ShardedSinogram const& sinogram, ShardedSinogram const& filtered) const {
  using namespace ramp_filter_gpu;
  int const pitch = padded_length_ + 2, rows_a_view = layout_.rows.num_blocks() * layout_.rows.lanes;
  Index const fitting = buffer_bytes / (Index(rows_a_view) * pitch * Index(sizeof(float)));
  sinogram.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    Range const views = sinogram.placement.owned(d);
    int const batch = static_cast<int>(std::clamp<Index>(fitting, 1, std::max(views.size(), 1)));
    Arrays const arrays{make_view<Array2<float>>(exec, "strata::ramp_filter::rows", Index(batch) * rows_a_view, pitch),
                        upload(exec, response_),
                        upload(exec, det_weights_),
                        upload(exec, post_weights_),
                        upload(exec, view_weights_),
                        layout_.rows,
                        layout_.num_channels};
    Fft<FftLibrary> const fft(exec, padded_length_, batch * rows_a_view);
    for (int first = 0; first < views.size(); first += batch) {
      int const count = std::min(batch, views.size() - first);
      load_rows(exec, sinogram[d], arrays, first, views.begin + first, count);
      fft.forward(arrays.buffer.data());
      multiply_spectra(exec, arrays, Index(count) * rows_a_view);
      fft.backward(arrays.buffer.data());
      store_rows(exec, arrays, first, count, filtered[d]);
    }
    exec.fence("strata::ramp_filter: plan and buffers go out of scope");
  });
  sinogram.placement.devices()->fence("ramp_filter: the filtered sinogram is read next");
}

}  // namespace strata
