/// A scan on a coarser detector.
#pragma once

#include "core/solver/prepared_scan.hpp"

namespace strata {

/// The scan of `coarse`, whose detector cells hold `factor` channels and, where the rows are coarser, too, as many rows
/// of the fine one: weights w_c = sum w, line integrals sum w y / w_c. Does not depend on the device count.
PreparedScan coarse_scan(PreparedScan const& scan, TomographyModel const& coarse, int factor);

}  // namespace strata
