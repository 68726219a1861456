#include "core/model/tomography_model.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/model/pixel_list_builder.hpp"

namespace strata {
namespace {

/// volume[block][pixel][lane] = values[block][entry][lane] for listed pixels.
void scatter_cylinders(ExecSpace const& exec, ConstCylinders const& values, Array1<int const> const& pixels,
                       Cylinders const& volume) {
  int const entries = pixels.extent_int(0);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::scatter_cylinders",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, Index(volume.extent_int(0)) * entries),
      KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        for (int lane = 0; lane < lanes; ++lane) volume(block, pixels(entry), lane) = values(block, entry, lane);
      });
}

void fill_cylinders(ExecSpace const& exec, Array1<int const> const& pixels, Real value, Cylinders const& volume) {
  int const entries = pixels.extent_int(0);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::fill_cylinders",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, Index(volume.extent_int(0)) * entries),
      KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        for (int lane = 0; lane < lanes; ++lane) volume(block, pixels(entry), lane) = value;
      });
}

std::vector<int> indices_where(std::vector<bool> const& mask, bool all) {
  std::vector<int> indices;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (all || mask[p]) indices.push_back(static_cast<int>(p));
  return indices;
}

/// Bands of at most `length` blocks of shard `shard`.
std::vector<Range> bands_of(SliceBlocks const& blocks, int shard, int length) {
  std::vector<Range> bands;
  Range const own = blocks.blocks_of_shard(shard);
  for (int b = own.begin; b < own.end; b += length) bands.push_back({b, std::min(b + length, own.end)});
  return bands;
}

}  // namespace

/// Staging memory of several devices.
struct TomographyModel::Exchange {
  std::vector<BandBuffer> band;     // a band of a volume, all pixels
  std::vector<BandBuffer> partial;  // a device's nodes of a band
  std::vector<BandBuffer> staging;  // all nodes of a band, at its owner
};

TomographyModel::TomographyModel(Devices devices, std::shared_ptr<Geometry const> geometry, std::vector<bool> mask,
                                 int max_band_blocks)
    : devices_(std::move(devices)),
      geometry_(std::move(geometry)),
      mask_(std::move(mask)),
      slices_(Placement::of_slices(devices_, recon_shape().num_slices)),
      views_(Placement::of_views(devices_, sinogram_shape().num_views)),
      layout_{geometry_->det_row_blocks(slices_.blocks()), sinogram_shape().num_det_channels},
      nodes_(views_),
      // By default the partial sums of all devices together take about one shard.
      band_blocks_(std::clamp(max_band_blocks > 0 ? max_band_blocks : slices_.blocks().per_shard / devices_->size(), 1,
                              slices_.blocks().per_shard)) {
  ensure(static_cast<Index>(mask_.size()) == recon_shape().num_pixels(), "TomographyModel: the mask has ", mask_.size(),
         " entries, the volume ", recon_shape().num_pixels(), " pixels");
  for (int d = 0; d < devices_->size(); ++d)
    projectors_.push_back(geometry_->make_projector(devices_->exec(d), views_.owned(d), slices_.blocks()));
  masked_ = make_pixel_set(indices_where(mask_, false));
  all_ = make_pixel_set(indices_where(mask_, true));
}

TomographyModel::~TomographyModel() = default;

ShardedVolume TomographyModel::make_volume(std::string const& label) const {
  return strata::make_volume(slices_, recon_shape().num_pixels(), label);
}

ShardedSinogram TomographyModel::make_sinogram(std::string const& label) const {
  return strata::make_sinogram(views_, layout_.rows, layout_.num_channels, label);
}

PixelSet TomographyModel::make_pixel_set(std::vector<int> const& indices) const {
  PixelSet set;
  set.host = z_order(indices, recon_shape().num_cols);
  for (int d = 0; d < devices_->size(); ++d)
    set.devices.push_back(make_pixel_list(devices_->exec(d), set.host, recon_shape().num_cols));
  return set;
}

void TomographyModel::fill(ShardedVolume const& x, PixelSet const& pixels, Real value) const {
  devices_->for_each([&](int d, ExecSpace const& exec) { fill_cylinders(exec, pixels.devices[d].index, value, x[d]); });
  devices_->fence("fill: the volume is read next");
}

TomographyModel::Exchange const& TomographyModel::exchange() const {
  if (exchange_) return *exchange_;
  exchange_ = std::make_unique<Exchange>();
  Index const band = Index(band_blocks_) * recon_shape().num_pixels() * slices_.blocks().lanes;
  for (int d = 0; d < devices_->size(); ++d) {
    ExecSpace const& exec = devices_->exec(d);
    exchange_->band.emplace_back(exec, "model::band", band);
    exchange_->partial.emplace_back(exec, "model::partial", band * nodes_.num_nodes(d));
    exchange_->staging.emplace_back(exec, "model::staging", band * nodes_.num_nodes());
  }
  return *exchange_;
}

void TomographyModel::forward_project(ShardedVolume const& x, ShardedSinogram const& sino) const {
  SliceBlocks const& blocks = slices_.blocks();
  if (devices_->size() == 1) {
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).forward_project(exec, {{0, blocks.num_blocks()}, masked_.devices[d], Position::by_pixel, x[d]},
                                   sino[d]);
    });
    devices_->fence("forward_project: the sinogram is read next");
    return;
  }
  ensure(!projector(0).couples_slices(), "forward_project: whole cylinders on several devices are not available yet");
  int const pixels = static_cast<int>(recon_shape().num_pixels());
  for (int owner = 0; owner < devices_->size(); ++owner)
    for (Range const band : bands_of(blocks, owner, band_blocks_)) {
      std::vector<Cylinders> targets;
      for (auto const& buffer : exchange().band) targets.push_back(buffer.cylinders(band.size(), pixels, blocks.lanes));
      int const first = blocks.blocks_of_shard(owner).begin;
      broadcast(*devices_, owner, block_range(x[owner], {band.begin - first, band.end - first}), targets);
      devices_->for_each([&](int d, ExecSpace const& exec) {
        projector(d).forward_project(exec, {band, masked_.devices[d], Position::by_pixel, targets[d]}, sino[d]);
      });
      devices_->fence("forward_project: the band is replaced next");
    }
}

void TomographyModel::back_project_list(ShardedSinogram const& sino, int power, PixelSet const& pixels,
                                        ShardedVolume const& x) const {
  SliceBlocks const& blocks = slices_.blocks();
  if (devices_->size() == 1) {
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).back_project(exec, nodes_.nodes(d)[0], sino[d], power, {0, blocks.num_blocks()}, pixels.devices[d],
                                Position::by_pixel, x[d]);
    });
    devices_->fence("back_project: the volume is read next");
    return;
  }
  for (int owner = 0; owner < devices_->size(); ++owner)
    for (Range const band : bands_of(blocks, owner, band_blocks_)) {
      std::vector<Cylinders> partials, staging;
      std::vector<Range> ranges(devices_->size());
      ranges[owner] = {0, band.size()};
      for (int d = 0; d < devices_->size(); ++d) {
        partials.push_back(
            exchange().partial[d].cylinders(nodes_.num_nodes(d) * band.size(), pixels.size(), blocks.lanes));
        staging.push_back(
            exchange().staging[d].cylinders(nodes_.num_nodes() * band.size(), pixels.size(), blocks.lanes));
      }
      devices_->for_each([&](int d, ExecSpace const& exec) {
        for (int n = 0; n < nodes_.num_nodes(d); ++n)
          projector(d).back_project(exec, nodes_.nodes(d)[n], sino[d], power, band, pixels.devices[d],
                                    Position::by_entry,
                                    block_range(partials[d], {n * band.size(), (n + 1) * band.size()}));
      });
      nodes_.reduce(*devices_, band.size(), partials, ranges, staging);
      int const first = blocks.blocks_of_shard(owner).begin;
      scatter_cylinders(devices_->exec(owner), block_range(staging[owner], {0, band.size()}),
                        pixels.devices[owner].index, block_range(x[owner], {band.begin - first, band.end - first}));
      devices_->fence("back_project: the staging memory is reused");
    }
}

void TomographyModel::back_project(ShardedSinogram const& sino, ShardedVolume const& x) const {
  devices_->for_each([&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, x[d], Real(0)); });
  back_project_list(sino, 1, masked_, x);
}

void TomographyModel::hessian_diagonal(ShardedSinogram const& weights, ShardedVolume const& h) const {
  back_project_list(weights, 2, all_, h);
}

}  // namespace strata
