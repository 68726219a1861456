/// The subsets of a partition as pixel lists on every device.
#pragma once

#include <vector>

#include "core/model/tomography_model.hpp"
#include "core/solver/pixel_partition.hpp"

namespace strata {

struct SubsetPlan {
  struct Subset {
    std::vector<PixelList> pixels;            ///< [device]
    std::vector<Array1<int const>> repeated;  ///< [device]; empty: no halo has to be refreshed
    int count = 0;                            ///< entries, repeats included
    int size() const { return count; }
  };
  std::vector<Subset> subsets;
  int max_size = 0;
};

/// Lists in Z order. Allocates a few arrays for the whole partition, whatever the number of subsets.
SubsetPlan make_subset_plan(TomographyModel const& model, PixelPartition const& partition);
/// Lists in the order of `partition`, in a plane of `num_cols` columns.
SubsetPlan make_subset_plan(DeviceSet const& devices, int num_cols, PixelPartition const& partition);

}  // namespace strata
