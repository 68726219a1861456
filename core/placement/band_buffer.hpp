/// Contiguous staging memory for cylinders on one device, allocated once and reused for bands of any shape.
#pragma once

#include <string>

#include "core/base/error.hpp"
#include "core/placement/memory.hpp"

namespace strata {

class BandBuffer {
 public:
  BandBuffer() = default;
  BandBuffer(ExecSpace const& exec, std::string const& label, Index capacity)
      : storage_(make_view<Array1<Real>>(exec, "strata::" + label, capacity > 0 ? capacity : 1)) {}

  Index capacity() const { return static_cast<Index>(storage_.extent(0)); }

  /// blocks * positions * lanes entries from `offset` on as [block][position][lane]. A view without ownership: making
  /// and dropping it neither allocates nor fences.
  Cylinders cylinders(int blocks, int positions, int lanes, Index offset = 0) const {
    ensure(offset + Index(blocks) * positions * lanes <= capacity(), "BandBuffer: asked for ", blocks, " x ", positions,
           " x ", lanes, " after ", offset, ", has room for ", capacity());
    return Cylinders(storage_.data() + offset, blocks, positions, lanes);
  }

  /// Its first entries as a sinogram shard [view][row block][channel][lane], without ownership.
  Sinogram sinogram(int views, int row_blocks, int channels, int lanes) const {
    ensure(Index(views) * row_blocks * channels * lanes <= capacity(), "BandBuffer: a sinogram does not fit");
    return Sinogram(storage_.data(), views, row_blocks, channels, lanes);
  }

 private:
  Array1<Real> storage_;
};

/// Blocks `blocks` of `cylinders`, as a view without ownership.
inline Cylinders block_range(Cylinders const& cylinders, Range blocks) {
  Index const stride = static_cast<Index>(cylinders.extent(1)) * static_cast<Index>(cylinders.extent(2));
  return Cylinders(cylinders.data() + blocks.begin * stride, blocks.size(), cylinders.extent(1), cylinders.extent(2));
}

/// `cylinders` from position `first` on, as a view without ownership. Only positions that were there may be used.
inline Cylinders from_position(Cylinders const& cylinders, int first) {
  return Cylinders(cylinders.data() + Index(first) * cylinders.extent_int(2), cylinders.extent(0), cylinders.extent(1),
                   cylinders.extent(2));
}

}  // namespace strata
