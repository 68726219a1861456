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

/// values[block][entry][lane] = volume[block][pixel][lane] for listed pixels.
void gather_cylinders(ExecSpace const& exec, ConstCylinders const& volume, Array1<int const> const& pixels,
                      Cylinders const& values) {
  int const entries = pixels.extent_int(0);
  int const lanes = volume.extent_int(2);
  Kokkos::parallel_for(
      "strata::gather_cylinders",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, Index(volume.extent_int(0)) * entries),
      KOKKOS_LAMBDA(Index item) {
        int const entry = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        for (int lane = 0; lane < lanes; ++lane) values(block, entry, lane) = volume(block, pixels(entry), lane);
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

/// Entries [begin, end) of a list; a view without memory of its own.
PixelList part_of(PixelList const& list, int begin, int end) {
  std::pair<int, int> const range(begin, end);
  return {Kokkos::subview(list.index, range), Kokkos::subview(list.row, range), Kokkos::subview(list.col, range)};
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

/// Staging memory for whole cylinders of a batch of pixels.
struct TomographyModel::CylinderExchange {
  int batch;                         // pixels
  std::vector<BandBuffer> own;       // a device's slices
  std::vector<BandBuffer> gathered;  // all slices
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
      max_band_blocks_(max_band_blocks),
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

TomographyModel::CylinderExchange const& TomographyModel::cylinder_exchange() const {
  if (cylinders_) return *cylinders_;
  constexpr Index bytes = Index(32) << 20;  // large against the cost of a fence, small against a volume
  SliceBlocks const& blocks = slices_.blocks();
  Index const cylinder = Index(blocks.num_blocks()) * blocks.lanes;
  Index const wanted = max_band_blocks_ > 0 ? max_band_blocks_ * recon_shape().num_pixels() / blocks.num_blocks()
                                            : bytes / (cylinder * Index(sizeof(Real)));
  constexpr Index part = CylinderBand::part_alignment;
  Index const largest = (std::max(masked_.size(), 1) + part - 1) / part * part;
  cylinders_ = std::make_unique<CylinderExchange>();
  cylinders_->batch = static_cast<int>(std::clamp(wanted / part * part, part, largest));
  for (int d = 0; d < devices_->size(); ++d) {
    ExecSpace const& exec = devices_->exec(d);
    cylinders_->own.emplace_back(exec, "model::own_cylinders",
                                 Index(cylinders_->batch) * blocks.per_shard * blocks.lanes);
    cylinders_->gathered.emplace_back(exec, "model::cylinders", cylinders_->batch * cylinder);
  }
  return *cylinders_;
}

/// As forward_project() where slices couple: every view owner collects whole cylinders, a batch of pixels at a time.
void TomographyModel::forward_project_cylinders(ShardedVolume const& x, ShardedSinogram const& sino) const {
  SliceBlocks const& blocks = slices_.blocks();
  CylinderExchange const& buffers = cylinder_exchange();
  int const size = masked_.size();
  for (int begin = 0; begin == 0 || begin < size; begin += buffers.batch) {
    int const end = std::min(begin + buffers.batch, size);
    std::vector<PixelList> pixels;
    std::vector<Cylinders> own, gathered;
    for (int d = 0; d < devices_->size(); ++d) {
      pixels.push_back(part_of(masked_.devices[d], begin, end));
      own.push_back(buffers.own[d].cylinders(blocks.per_shard, end - begin, blocks.lanes));
      gathered.push_back(buffers.gathered[d].cylinders(blocks.num_blocks(), end - begin, blocks.lanes));
    }
    devices_->for_each([&](int d, ExecSpace const& exec) { gather_cylinders(exec, x[d], pixels[d].index, own[d]); });
    all_gather(*devices_, blocks, own, gathered);
    devices_->for_each([&](int d, ExecSpace const& exec) {
      CylinderBand const band{{0, blocks.num_blocks()}, pixels[d], Position::by_entry, gathered[d], begin > 0};
      projector(d).forward_project(exec, band, sino[d]);
    });
    devices_->fence("forward_project: the batch is replaced next");
  }
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
  if (projector(0).couples_slices()) return forward_project_cylinders(x, sino);
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
