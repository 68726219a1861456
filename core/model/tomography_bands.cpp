// Projections of several devices by bands: slice owner by slice owner, some blocks and pixels at a time.
#include <optional>

#include "core/base/interrupt.hpp"
#include "core/model/model_exchange.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

/// A band's blocks as numbered over all shards.
Range global_blocks(SliceBlocks const& blocks, ShardBand const& band) {
  int const first = blocks.blocks_of_shard(band.owner).begin;
  return {first + band.blocks.begin, first + band.blocks.end};
}

}  // namespace

/// Every view owner gets a band. For memories that are apart.
void TomographyModel::broadcast(ShardedVolume const& x, ExchangePlan::Band const& band, Batch const& batch) const {
  int const num_blocks = band.shard.blocks.size(), lanes = slices_.blocks().lanes;
  auto const own =
      per_local_device(*devices_, [&](int d) { return exchange().send[d].cylinders(num_blocks, batch.size, lanes); });
  auto const received = per_local_device(*devices_, [&](int d) { return exchange().band(band, d); });
  broadcast_band(*devices_, band.shard, {x.shards, batch.indices}, own, received, Stream::transfer);
}

/// Every view owner projects a band, into rows of its own, while the next one arrives.
void TomographyModel::forward_by_bands(ShardedVolume const& x, ShardedSinogram const& sino) const {
  auto const bands = exchange_plan_.bands(ExchangePlan::Way::forward, masked_.size());
  auto const batch_in = [&](ExchangePlan::Band const& band) { return batch_of(masked_, band.pixels, band.turn); };
  devices_->fence("forward_project: the volume is read on the other stream");
  Batch next = batch_in(bands.front());
  broadcast(x, bands.front(), next);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    check_interrupt();
    Batch const batch = next;
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).forward_project(exec,
                                   {global_blocks(slices_.blocks(), bands[i].shard), batch.pixels[d],
                                    Position::by_entry, exchange().band(bands[i], d), batch.begin > 0},
                                   sino[d]);
    });
    if (exchange_plan_.turns() == 1) devices_->fence("forward_project: the band is replaced next", Stream::compute);
    if (i + 1 < bands.size()) broadcast(x, bands[i + 1], next = batch_in(bands[i + 1]));
    devices_->fence("forward_project: the band is replaced next", Stream::compute);
  }
}

/// The owner of a band adds up the partial sums, which are complete.
void TomographyModel::add_up(ExchangePlan::Band const& band, Batch const& batch, ShardedVolume const& x) const {
  int const num_blocks = band.shard.blocks.size(), lanes = slices_.blocks().lanes;
  auto const partials =
      per_local_device(*devices_, [&](int d) { return exchange().band_partial(band, nodes_.num_nodes(d), d); });
  std::vector<Cylinders> sums;
  if (exchange().packed)
    sums = per_local_device(*devices_, [&](int d) {
      return exchange().receive[d].cylinders(nodes_.num_nodes() * num_blocks, batch.size, lanes);
    });
  nodes_.reduce_band(*devices_, band.shard, partials, {x.shards, batch.indices}, sums, Stream::transfer);
}

/// Every view owner sums its views for a band; the band's owner adds the sums up, where there is memory for it while
/// the next band is summed.
void TomographyModel::back_by_bands(ShardedSinogram const& sino, int power, PixelSet const& pixels,
                                    ShardedVolume const& x) const {
  devices_->fence("back_project: the volume is written on the other stream");
  (void)exchange();  // memory is made here, not by the workers
  if (pixels.size() == 0) return;
  struct Summed {
    ExchangePlan::Band band;
    Batch batch;
  };
  std::optional<Summed> last;
  for (auto const& band : exchange_plan_.bands(ExchangePlan::Way::back, pixels.size())) {
    check_interrupt();
    Batch const batch = batch_of(pixels, band.pixels, band.turn);
    int const num_blocks = band.shard.blocks.size();
    devices_->for_each([&](int d, ExecSpace const& exec) {
      Cylinders const sums = exchange().band_partial(band, nodes_.num_nodes(d), d);
      for (int n = 0; n < nodes_.num_nodes(d); ++n)
        projector(d).back_project(exec, nodes_.nodes(d)[n], sino[d], power, global_blocks(slices_.blocks(), band.shard),
                                  batch.pixels[d], Position::by_entry,
                                  block_range(sums, {n * num_blocks, (n + 1) * num_blocks}));
    });
    if (last) add_up(last->band, last->batch, x);
    devices_->fence("back_project: the sums are complete", Stream::compute);
    if (exchange_plan_.turns() == 1)
      add_up(band, batch, x);
    else
      last = {band, batch};
  }
  if (last) add_up(last->band, last->batch, x);
}

}  // namespace strata
