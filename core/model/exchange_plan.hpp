/// How much several devices exchange at a time, and the memory that takes.
#pragma once

#include <vector>

#include "core/placement/placement.hpp"
#include "core/placement/sinogram_layout.hpp"
#include "core/placement/transfer.hpp"

namespace strata {

/// Projections of several devices move cylinders in batches of pixels, or bands: some blocks of one device, of all
/// pixels or of a batch. Results do not depend on the lengths: they follow from the memory that there is. Bands are as
/// large as fits into the buffers of cylinders. A single device exchanges nothing.
/// It reads placements alone, and goes over the devices of all processes so that these agree.
/// Devices that share a memory write what they move where it is wanted: back projection then needs partial sums alone,
/// and forward projection nothing, as it reads volumes where they lie. Others pack what they send.
class ExchangePlan {
 public:
  enum class Of {
    projections,
    subsets  ///< of VCD: whole cylinders outlive the partial sums that come next
  };

  /// `max_bytes`: what the buffers of the fullest device may take; the smallest batch is used where that is too little.
  /// 0: 32 MiB or an eighth of a device's part of the volume, whichever is less. `turns`: 2 where a batch moves while
  /// another one is projected, 1 where they take turns in the same memory; 0: what suits the back end.
  ExchangePlan(Placement const& slices, Placement const& views, Index num_pixels, Index max_bytes = 0, int turns = 0,
               Of what = Of::projections);

  /// What `max_bytes` 0 stands for, for projections.
  static Index usual_bytes(Placement const& slices, Index num_pixels);

  int batch() const { return batch_; }  ///< pixels
  int turns() const { return turns_; }
  /// Forward: a device's slices of the batch, packed. Back: partial sums of its view nodes, all slices, for each turn.
  /// Values.
  Index send_values(int device) const { return batch_ * send_[device]; }
  /// Forward: all slices of the batch, for each turn. Back: partial sums of all nodes, the device's slices. Values; 0
  /// for projections of devices that share a memory.
  Index receive_values(int device) const { return batch_ * receive_[device]; }

  enum class Way { forward, back };
  struct Band {
    ShardBand shard;
    Range pixels;  ///< entries of the list
    int turn;
  };
  /// Values that a band of projections may have.
  Index band_values(Way way) const;
  /// A list of `num_pixels` band by band, owner by owner. Each part of the list begins at a multiple of
  /// CylinderBand::part_alignment, and every block is there, even for an empty list.
  std::vector<Band> bands(Way way, int num_pixels) const;

  std::vector<Index> device_bytes() const;
  /// Bytes of the fullest device with the smallest batch, 0 for a single device.
  Index smallest_bytes() const;

 private:
  SliceBlocks blocks_;
  std::vector<Index> send_, receive_;  // values a pixel
  std::vector<Index> nodes_;           // of the devices
  bool packed_ = true;                 // memories are apart
  int batch_ = 0;
  int turns_ = 1;
};

/// Whether forward projections may take bands: volumes have to move, and no row sums slices of several bands.
bool forward_has_bands(DeviceSet const& devices, SinogramLayout const& layout);

}  // namespace strata
