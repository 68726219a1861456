/// Walking through the entries of a sinogram's shard in kernels.
#pragma once

#include "core/base/types.hpp"
#include "core/placement/sinogram_layout.hpp"

namespace strata {

/// A shard [view][row block][stored channel][lane] as items, one for each view, block and channel. Copied by value.
struct SinogramEntries {
  SinogramLayout layout;
  int num_views;        ///< real ones
  int stored_channels;  ///< of the shard

  SinogramEntries(SinogramLayout const& which, int real_views, ConstSinogram const& shard)
      : layout(which), num_views(real_views), stored_channels(shard.extent_int(2)) {}

  KOKKOS_FUNCTION int channel(Index item) const { return static_cast<int>(item % stored_channels); }
  KOKKOS_FUNCTION int block(Index item) const {
    return static_cast<int>(item / stored_channels % layout.rows.num_blocks());
  }
  KOKKOS_FUNCTION int view(Index item) const {
    return static_cast<int>(item / stored_channels / layout.rows.num_blocks());
  }
  /// Detector rows of the item's lanes; none where view or channel are padding.
  KOKKOS_FUNCTION Range rows(Index item) const {
    if (view(item) >= num_views || channel(item) >= layout.num_channels) return {};
    return layout.rows.slices(block(item));
  }
  /// Items of `views` views.
  KOKKOS_FUNCTION Index size(int views) const { return Index(views) * layout.rows.num_blocks() * stored_channels; }
};

}  // namespace strata
