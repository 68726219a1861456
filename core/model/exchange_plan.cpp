#include "core/model/exchange_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/model/projector.hpp"
#include "core/placement/instances.hpp"
#include "core/placement/sharded.hpp"

namespace strata {
namespace {

constexpr Index part = CylinderBand::part_alignment;
constexpr int most_blocks = 4;  // of a band: as many as a task of back projection handles

}  // namespace

ExchangePlan::ExchangePlan(Placement const& slices, Placement const& views, Index num_pixels, Index max_bytes,
                           int turns, Of what)
    : blocks_(slices.blocks()),
      packed_(!slices.devices()->share_memory()),
      turns_(turns > 0            ? turns
             : is_host_back_end() ? 1
                                  : 2) {
  if (slices.num_devices() == 1) return;
  for (int d = 0; d < views.num_devices(); ++d)
    nodes_.push_back(static_cast<Index>(covering_nodes(views.owned_groups(d), views.groups()).size()));
  Index const all_nodes = std::accumulate(nodes_.begin(), nodes_.end(), Index(0));
  Index const own = Index(blocks_.per_shard) * blocks_.lanes, all = own * blocks_.num_shards;
  Index fullest = 0;
  for (Index const count : nodes_) {
    Index const sums = turns_ * count * all;
    if (!packed_) {
      send_.push_back(sums);
      receive_.push_back(what == Of::projections ? 0 : turns_ * all);
    } else {
      send_.push_back(std::max(own, sums));
      receive_.push_back(std::max(turns_ * all, all_nodes * own));
    }
    fullest = std::max(fullest, send_.back() + receive_.back());
  }
  Index const budget = max_bytes > 0 ? max_bytes : usual_bytes(slices, num_pixels);
  Index const wanted = budget / (fullest * Index(sizeof(Real)));
  Index const most = (std::max<Index>(num_pixels, 1) + part - 1) / part * part;
  batch_ = static_cast<int>(std::clamp(wanted / part * part, part, most));
}

Index ExchangePlan::usual_bytes(Placement const& slices, Index num_pixels) {
  // Large against the cost of a fence, small against a volume.
  Index const shard_bytes = num_pixels * slices.blocks().per_shard * slices.blocks().lanes * Index(sizeof(Real));
  return std::min(Index(32) << 20, shard_bytes / 8);
}

Index ExchangePlan::band_values(Way way) const {
  Index const all_nodes = std::accumulate(nodes_.begin(), nodes_.end(), Index(0));
  Index most = std::numeric_limits<Index>::max();
  for (int d = 0; d < static_cast<int>(nodes_.size()); ++d) {
    if (way == Way::forward) {
      most = std::min({most, send_values(d), receive_values(d) / turns_});
    } else {
      if (nodes_[d] > 0) most = std::min(most, send_values(d) / (turns_ * nodes_[d]));
      if (packed_) most = std::min(most, receive_values(d) / all_nodes);
    }
  }
  return most;
}

std::vector<ExchangePlan::Band> ExchangePlan::bands(Way way, int num_pixels) const {
  // Rather more blocks than more pixels: what a pixel needs of the geometry is found once for as many blocks as kernels
  // handle together. On hosts twice as many pixels of half the blocks took up to a quarter more time.
  Index const pixel_blocks = band_values(way) / blocks_.lanes;
  ensure(pixel_blocks >= part, "ExchangePlan: there is no room for bands");
  int const length =
      static_cast<int>(std::clamp(pixel_blocks / part, Index(1), Index(std::min(blocks_.per_shard, most_blocks))));
  Index const fits = std::max(pixel_blocks / length / part * part, part);
  int const pixels = static_cast<int>(std::min<Index>(fits, std::max(num_pixels, 1)));
  std::vector<Band> bands;
  for (int owner = 0; owner < blocks_.num_shards; ++owner)
    for (int block = 0; block < blocks_.per_shard; block += length)
      for (int begin = 0; begin == 0 || begin < num_pixels; begin += pixels)
        bands.push_back({{owner, {block, std::min(block + length, blocks_.per_shard)}},
                         {begin, std::min(begin + pixels, num_pixels)},
                         static_cast<int>(bands.size()) % turns_});
  return bands;
}

std::vector<Index> ExchangePlan::device_bytes() const {
  std::vector<Index> bytes;
  for (std::size_t d = 0; d < send_.size(); ++d)
    bytes.push_back(batch_ * (send_[d] + receive_[d]) * Index(sizeof(Real)));
  return bytes;
}

Index ExchangePlan::smallest_bytes() const {
  Index largest = 0;
  for (std::size_t d = 0; d < send_.size(); ++d) largest = std::max(largest, send_[d] + receive_[d]);
  return largest * part * Index(sizeof(Real));
}

bool forward_has_bands(DeviceSet const& devices, SinogramLayout const& layout) {
  return !volumes_are_whole(devices) && layout.rows.num_shards > 1;
}

}  // namespace strata
