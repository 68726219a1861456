/// The ramp filter with cuFFT.
#include <cufft.h>

#include "core/base/types.hpp"

namespace strata {
namespace {

/// See ramp_filter_gpu.hpp.
struct FftLibrary {
  using Plan = cufftHandle;
  using Complex = cufftComplex;
  static constexpr char const* name = "cuFFT";
  static constexpr auto success = CUFFT_SUCCESS;
  static constexpr auto real_to_complex = CUFFT_R2C;
  static constexpr auto complex_to_real = CUFFT_C2R;
  static constexpr auto* plan_many = &cufftPlanMany;
  static constexpr auto* set_stream = &cufftSetStream;
  static constexpr auto* destroy = &cufftDestroy;
  static constexpr auto* forward = &cufftExecR2C;
  static constexpr auto* backward = &cufftExecC2R;
  static auto stream(ExecSpace const& exec) { return exec.cuda_stream(); }
};

}  // namespace
}  // namespace strata

#include "core/solver/ramp_filter_gpu.hpp"
