#include "core/solver/subspace_mending.hpp"

#include <algorithm>

#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/subspace_kernels.hpp"

namespace strata {

namespace {

/// Cylinders that are mended together: few, so that their compact copies are small beside a volume.
int mended_together(Index num_pixels) {
  return static_cast<int>(std::max<Index>(256, num_pixels / 16));
}

}  // namespace

Index SubspaceStep::mending_bytes(SliceBlocks const& blocks, Index num_pixels) {
  Index const part = mended_together(num_pixels);
  Index const buffers = part * blocks.lanes * (blocks.per_shard + (blocks.num_shards > 1 ? blocks.num_blocks() : 0));
  return (buffers + 3 * part + blocks.per_shard * num_pixels) * Index(sizeof(Real));
}

SubspaceStep::Mending::Mending(TomographyModel const& model)
    : model_(model), part_length_(mended_together(model.recon_shape().num_pixels())) {
  SliceBlocks const& blocks = model.recon_placement().blocks();
  Index const pixels = model.recon_shape().num_pixels();
  Index const part = Index(part_length_) * blocks.lanes;
  devices_ = per_local_device(model.devices(), [&](int d) {
    ExecSpace const& exec = model.devices().exec(d);
    PerDevice work;
    work.flags = make_view<Array2<int>>(exec, "strata::mending::flags", blocks.per_shard, pixels);
    work.index = make_view<Array1<int>>(exec, "strata::mending::index", part_length_);
    work.row = make_view<Array1<Real>>(exec, "strata::mending::row", part_length_);
    work.col = make_view<Array1<Real>>(exec, "strata::mending::col", part_length_);
    work.missing = BandBuffer(exec, "mending::missing", blocks.per_shard * part);
    if (model.devices().size() > 1) work.gathered = BandBuffer(exec, "mending::gathered", blocks.num_blocks() * part);
    return work;
  });
  host_flags_ = make_host_arrays<decltype(host_flags_)::value_type>(model.devices(), "strata::mending::host_flags",
                                                                    blocks.per_shard, pixels);
  found_ = decltype(found_)("strata::mending::found", model.masked_pixels().size());
}

bool SubspaceStep::Mending::find_negative(ShardedVolume const& recon) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    flag_negative(exec, {blocks, d}, recon[d], devices_[d].flags);
    Kokkos::deep_copy(exec, host_flags_[d], devices_[d].flags);
  });
  model_.devices().fence("mending: the host lists the cylinders");
  auto const flags = collect(model_.devices(), host_flags_);
  num_found_ = 0;
  for (int const pixel : model_.masked_pixels().host) {
    bool negative = false;
    for (auto const& found : flags)
      for (int b = 0; b < blocks.per_shard; ++b) negative = negative || found(b, pixel) != 0;
    if (negative) found_(num_found_++) = pixel;
  }
  return num_found_ > 0;
}

int SubspaceStep::Mending::mend(SubspaceArrays const& arrays, ShardedVolume const& direction) {
  for (int begin = 0; begin < num_found_; begin += part_length_)
    mend_part(arrays, direction, begin, std::min(part_length_, num_found_ - begin));
  return num_found_;
}

void SubspaceStep::Mending::mend_part(SubspaceArrays const& arrays, ShardedVolume const& direction, int begin,
                                      int count) {
  SliceBlocks const& blocks = model_.recon_placement().blocks();
  bool const several = model_.devices().size() > 1;
  std::pair<int, int> const range(0, count);
  lists_.resize(devices_.size());
  missing_.resize(devices_.size());
  gathered_.resize(devices_.size());
  for (int const d : model_.devices().local()) {
    auto const& work = devices_[d];
    lists_[d] = {Array1<int const>(work.index.data(), count), Array1<Real const>(work.row.data(), count),
                 Array1<Real const>(work.col.data(), count)};
    missing_[d] = work.missing.cylinders(blocks.per_shard, count, blocks.lanes);
    if (several) gathered_[d] = work.gathered.cylinders(blocks.num_blocks(), count, blocks.lanes);
  }
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    Kokkos::deep_copy(exec, Kokkos::subview(devices_[d].index, range),
                      Kokkos::subview(found_, std::pair<int, int>(begin, begin + count)));
    rows_and_columns(exec, count, model_.recon_shape().num_cols, lists_[d].index, devices_[d].row, devices_[d].col);
    take_negative(exec, {blocks, d}, lists_[d], arrays.recon[d], direction[d], missing_[d]);
  });
  if (several) all_gather(model_.devices(), blocks, missing_, gathered_);
  model_.devices().for_each([&](int d, ExecSpace const& exec) {
    PendingStep step;
    step.direction.blocks = {0, blocks.num_blocks()};
    step.direction.pixels = lists_[d];
    step.direction.position = Position::by_entry;
    step.direction.values = several ? gathered_[d] : missing_[d];
    step.alpha = 1;
    ConstSinogram const weights = arrays.weights ? ConstSinogram((*arrays.weights)[d]) : ConstSinogram();
    model_.projector(d).descend(exec, step, weights, arrays.weighted_error[d]);
  });
  model_.devices().fence("mending: the next cylinders take the place of these");
}

}  // namespace strata
