/// How a TomographyModel exchanges volumes between devices; for its own files alone.
#pragma once

#include <vector>

#include "core/model/tomography_model.hpp"

namespace strata {

/// Buffers of several devices for a batch of pixels, or a band. Forward and back projection take turns.
struct TomographyModel::Exchange {
  ExchangePlan const& plan;
  SliceBlocks blocks;
  bool packed;                           // memories are apart; else nothing is received, but read where it lies
  std::vector<BandBuffer> send = {};     // own slices; or, for each turn, partial sums of own view nodes
  std::vector<BandBuffer> receive = {};  // for each turn, slices of all; or partial sums of all view nodes, own slices

  /// [block][entry][lane] of whole cylinders.
  Cylinders whole(int size, int turn, int device) const {
    return receive[device].cylinders(blocks.num_blocks(), size, blocks.lanes,
                                     turn * Index(plan.batch()) * blocks.num_blocks() * blocks.lanes);
  }
  /// [node * number of blocks + block][entry][lane] of partial sums of whole cylinders.
  Cylinders partial(int size, int turn, int num_nodes, int device) const {
    int const num_blocks = num_nodes * blocks.num_blocks();
    return send[device].cylinders(num_blocks, size, blocks.lanes,
                                  turn * Index(plan.batch()) * num_blocks * blocks.lanes);
  }
  /// [block of the band][entry][lane] that has arrived.
  Cylinders band(ExchangePlan::Band const& of, int device) const {
    return receive[device].cylinders(of.shard.blocks.size(), of.pixels.size(), blocks.lanes,
                                     of.turn * plan.band_values(ExchangePlan::Way::forward));
  }
  /// [node * blocks of the band + block][entry][lane] of partial sums of a band.
  Cylinders band_partial(ExchangePlan::Band const& of, int num_nodes, int device) const {
    return send[device].cylinders(num_nodes * of.shard.blocks.size(), of.pixels.size(), blocks.lanes,
                                  of.turn * num_nodes * plan.band_values(ExchangePlan::Way::back));
  }
};

/// Some pixels of a list. Two batches that follow each other are in different turns where there are two.
struct TomographyModel::Batch {
  int begin, size, turn;
  std::vector<PixelList> pixels;           // [device]
  std::vector<Array1<int const>> indices;  // those of pixels
};

}  // namespace strata
