/// The ramp filter with hipFFT.
#include <hipfft/hipfft.h>

#include "core/base/error.hpp"
#include "core/base/types.hpp"

namespace strata {
namespace {

void check(hipfftResult status, char const* what) {
  ensure(status == HIPFFT_SUCCESS, "RampFilter: hipFFT: ", what, " failed with status ", static_cast<int>(status));
}

/// See ramp_filter_gpu.hpp.
class Fft {
 public:
  Fft(ExecSpace const& exec, int n, int rows) {
    int const spectrum = n / 2 + 1;
    int size = n, real_pitch = n + 2, spectrum_pitch = spectrum;
    check(hipfftPlanMany(&forward_, 1, &size, &real_pitch, 1, n + 2, &spectrum_pitch, 1, spectrum, HIPFFT_R2C, rows),
          "making a plan");
    check(hipfftPlanMany(&backward_, 1, &size, &spectrum_pitch, 1, spectrum, &real_pitch, 1, n + 2, HIPFFT_C2R, rows),
          "making a plan");
    for (auto const plan : {forward_, backward_}) check(hipfftSetStream(plan, exec.hip_stream()), "choosing a stream");
  }
  ~Fft() {
    hipfftDestroy(forward_);
    hipfftDestroy(backward_);
  }
  Fft(Fft const&) = delete;
  Fft& operator=(Fft const&) = delete;

  void forward(float* data) const {
    check(hipfftExecR2C(forward_, data, reinterpret_cast<hipfftComplex*>(data)), "a transform");
  }
  void backward(float* data) const {
    check(hipfftExecC2R(backward_, reinterpret_cast<hipfftComplex*>(data), data), "a transform");
  }

 private:
  hipfftHandle forward_ = {};
  hipfftHandle backward_ = {};
};

}  // namespace
}  // namespace strata

#include "core/solver/ramp_filter_gpu.hpp"
