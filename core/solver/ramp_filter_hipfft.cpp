/// The ramp filter with hipFFT.
#include <hipfft/hipfft.h>

#include "core/base/types.hpp"

namespace strata {
namespace {

/// See ramp_filter_gpu.hpp.
struct FftLibrary {
  using Plan = hipfftHandle;
  using Complex = hipfftComplex;
  static constexpr char const* name = "hipFFT";
  static constexpr auto success = HIPFFT_SUCCESS;
  static constexpr auto real_to_complex = HIPFFT_R2C;
  static constexpr auto complex_to_real = HIPFFT_C2R;
  static constexpr auto* plan_many = &hipfftPlanMany;
  static constexpr auto* set_stream = &hipfftSetStream;
  static constexpr auto* destroy = &hipfftDestroy;
  static constexpr auto* forward = &hipfftExecR2C;
  static constexpr auto* backward = &hipfftExecC2R;
  static auto stream(ExecSpace const& exec) { return exec.hip_stream(); }
};

}  // namespace
}  // namespace strata

#include "core/solver/ramp_filter_gpu.hpp"
