/// Which kernels a projector runs.
#pragma once

namespace strata {

enum class KernelChoice {
  best,  ///< the ones made for this build's execution space
  teams  ///< the GPU ones, also where there is no GPU: tests
};

}  // namespace strata
