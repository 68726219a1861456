/// The ramp filter with cuFFT.
#include <cufft.h>

#include "core/base/error.hpp"
#include "core/base/types.hpp"

namespace strata {
namespace {

void check(cufftResult status, char const* what) {
  ensure(status == CUFFT_SUCCESS, "RampFilter: cuFFT: ", what, " failed with status ", static_cast<int>(status));
}

/// See ramp_filter_gpu.hpp.
class Fft {
 public:
  Fft(ExecSpace const& exec, int n, int rows) {
    int const spectrum = n / 2 + 1;
    int size = n, real_pitch = n + 2, spectrum_pitch = spectrum;
    check(cufftPlanMany(&forward_, 1, &size, &real_pitch, 1, n + 2, &spectrum_pitch, 1, spectrum, CUFFT_R2C, rows),
          "making a plan");
    check(cufftPlanMany(&backward_, 1, &size, &spectrum_pitch, 1, spectrum, &real_pitch, 1, n + 2, CUFFT_C2R, rows),
          "making a plan");
    for (auto const plan : {forward_, backward_}) check(cufftSetStream(plan, exec.cuda_stream()), "choosing a stream");
  }
  ~Fft() {
    cufftDestroy(forward_);
    cufftDestroy(backward_);
  }
  Fft(Fft const&) = delete;
  Fft& operator=(Fft const&) = delete;

  void forward(float* data) const {
    check(cufftExecR2C(forward_, data, reinterpret_cast<cufftComplex*>(data)), "a transform");
  }
  void backward(float* data) const {
    check(cufftExecC2R(backward_, reinterpret_cast<cufftComplex*>(data), data), "a transform");
  }

 private:
  cufftHandle forward_ = {};
  cufftHandle backward_ = {};
};

}  // namespace
}  // namespace strata

#include "core/solver/ramp_filter_gpu.hpp"
