#include "core/model/tomography_model.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/model/model_exchange.hpp"
#include "core/model/pixel_list_builder.hpp"
#include "core/placement/collect.hpp"
#include "core/placement/cylinder_moves.hpp"
#include "core/placement/per_device.hpp"

namespace strata {
namespace {

enum class Where { inside, outside, everywhere };

std::vector<int> indices_where(std::vector<bool> const& mask, Where where) {
  std::vector<int> indices;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (where == Where::everywhere || mask[p] == (where == Where::inside)) indices.push_back(static_cast<int>(p));
  return indices;
}

}  // namespace

TomographyModel::TomographyModel(Devices devices, std::shared_ptr<Geometry const> geometry, std::vector<bool> mask,
                                 Index max_exchange_bytes, int exchange_turns)
    : devices_(std::move(devices)),
      geometry_(std::move(geometry)),
      mask_(std::move(mask)),
      slices_(Placement::of_slices(devices_, recon_shape().num_slices)),
      views_(Placement::of_views(devices_, sinogram_shape().num_views)),
      layout_{geometry_->det_row_blocks(slices_.blocks()), sinogram_shape().num_det_channels},
      nodes_(views_),
      max_exchange_bytes_(max_exchange_bytes),
      exchange_plan_(slices_, views_, recon_shape().num_pixels(), max_exchange_bytes, exchange_turns),
      forward_trial_(devices_->exchange(), forward_has_bands(*devices_, layout_)),
      back_trial_(devices_->exchange(), devices_->size() > 1) {
  ensure(static_cast<Index>(mask_.size()) == recon_shape().num_pixels(), "TomographyModel: the mask has ", mask_.size(),
         " entries, the volume ", recon_shape().num_pixels(), " pixels");
  projectors_ = per_local_device(*devices_, [&](int d) {
    return geometry_->make_projector(devices_->exec(d), views_.owned(d), slices_.blocks());
  });
  masked_ = make_pixel_set(indices_where(mask_, Where::inside));
  all_ = make_pixel_set(indices_where(mask_, Where::everywhere));
  auto const outside = indices_where(mask_, Where::outside);
  outside_ = per_local_device(
      *devices_, [&](int d) { return make_pixel_list(devices_->exec(d), outside, recon_shape().num_cols).index; });
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
  set.devices = per_local_device(
      *devices_, [&](int d) { return make_pixel_list(devices_->exec(d), set.host, recon_shape().num_cols); });
  return set;
}

void TomographyModel::fill(ShardedVolume const& x, PixelSet const& pixels, Real value) const {
  devices_->for_each([&](int d, ExecSpace const& exec) { fill_cylinders(exec, pixels.devices[d].index, value, x[d]); });
  devices_->fence("fill: the volume is read next");
}

void TomographyModel::clear_outside(ShardedVolume const& x) const {
  devices_->for_each([&](int d, ExecSpace const& exec) { fill_cylinders(exec, outside_[d], 0, x[d]); });
}

TomographyModel::Exchange const& TomographyModel::exchange() const {
  if (exchange_) return *exchange_;
  exchange_ = std::make_unique<Exchange>(Exchange{exchange_plan_, slices_.blocks(), !devices_->share_memory()});
  exchange_->send = per_local_device(
      *devices_, [&](int d) { return BandBuffer(devices_->exec(d), "model::send", exchange_plan_.send_values(d)); });
  if (exchange_->packed)
    exchange_->receive = per_local_device(*devices_, [&](int d) {
      return BandBuffer(devices_->exec(d), "model::receive", exchange_plan_.receive_values(d));
    });
  return *exchange_;
}

TomographyModel::Batch TomographyModel::batch_of(PixelSet const& pixels, Range part, int turn) const {
  Batch batch{part.begin, part.size(), turn, {}, {}};
  batch.pixels = per_local_device(*devices_, [&](int d) { return part_of(pixels.devices[d], part.begin, part.end); });
  batch.indices = per_local_device(*devices_, [&](int d) { return batch.pixels[d].index; });
  return batch;
}

TomographyModel::Batch TomographyModel::batch_at(PixelSet const& pixels, int begin) const {
  int const length = exchange_plan_.batch();
  return batch_of(pixels, {begin, std::min(begin + length, pixels.size())}, begin / length % exchange_plan_.turns());
}

/// Every view owner gets the whole cylinders of a batch. For memories that are apart: else volumes are whole.
void TomographyModel::collect(ShardedVolume const& x, Batch const& batch) const {
  SliceBlocks const& blocks = slices_.blocks();
  auto const own = per_local_device(
      *devices_, [&](int d) { return exchange().send[d].cylinders(blocks.per_shard, batch.size, blocks.lanes); });
  auto const gathered = per_local_device(*devices_, [&](int d) { return exchange().whole(batch.size, batch.turn, d); });
  gather_places(*devices_, blocks, {x.shards, batch.indices}, own, gathered, Stream::transfer);
}

/// Every slice owner adds up the partial sums of a batch, which are complete.
void TomographyModel::add_up(Batch const& batch, ShardedVolume const& x) const {
  SliceBlocks const& blocks = slices_.blocks();
  auto const partials = per_local_device(
      *devices_, [&](int d) { return exchange().partial(batch.size, batch.turn, nodes_.num_nodes(d), d); });
  std::vector<Cylinders> sums;
  if (exchange().packed)
    sums = per_local_device(*devices_, [&](int d) {
      return exchange().receive[d].cylinders(nodes_.num_nodes() * blocks.per_shard, batch.size, blocks.lanes);
    });
  nodes_.reduce_to_places(*devices_, blocks, partials, {x.shards, batch.indices}, sums, Stream::transfer);
}

/// A list of `size` pixels in parts that take seconds on a few cores; \throws Interrupted between them when a signal
/// has come. At least one part.
template <class F>
void TomographyModel::for_each_part(int size, F const& f) const {
  constexpr Index updates_a_part = 5'000'000'000;  // voxels times views
  Index const updates_a_pixel = Index(recon_shape().num_slices) * sinogram_shape().num_views;
  constexpr Index alignment = CylinderBand::part_alignment;
  Index const pixels = std::max(updates_a_part / updates_a_pixel / alignment, Index(1)) * alignment;
  for (Index begin = 0; begin == 0 || begin < size; begin += pixels) {
    check_interrupt();
    f(Range{static_cast<int>(begin), static_cast<int>(std::min(begin + pixels, Index(size)))});
  }
}

/// Calls f(form). Where that is to be measured, waits before it, and f returns when all is done.
template <class F>
void TomographyModel::measure(FormTrial& trial, char const* what, F const& f) const {
  if (!trial.measuring()) return f(trial.next());
  using Clock = std::chrono::steady_clock;
  (void)exchange();  // memory is made before the clock starts
  devices_->fence("exchange: one form is measured");
  auto const start = Clock::now();
  f(trial.next());
  double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
  // All processes have to decide alike.
  auto const all = collect_values(*devices_, per_local_device(*devices_, [&](int) { return seconds; }));
  if (trial.note(*std::max_element(all.begin(), all.end())))
    log::info(std::setprecision(3), what, " between devices: ", name_of(trial.next()), " from now on (cylinders ",
              trial.cylinder_seconds(), " s, bands ", trial.band_seconds(), " s)");
}

void TomographyModel::forward_project(ShardedVolume const& x, ShardedSinogram const& sino) const {
  if (x.whole.is_allocated()) return forward_in_place(x, sino);
  measure(forward_trial_, "forward projections", [&](ExchangeForm form) {
    if (form == ExchangeForm::bands)
      forward_by_bands(x, sino);
    else
      forward_by_cylinders(x, sino);
  });
}

void TomographyModel::forward_in_place(ShardedVolume const& x, ShardedSinogram const& sino) const {
  int const num_blocks = slices_.blocks().num_blocks();
  devices_->fence("forward_project: devices read each other's slices");
  for_each_part(masked_.size(), [&](Range part) {
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).forward_project(exec,
                                   {{0, num_blocks},
                                    part_of(masked_.devices[d], part.begin, part.end),
                                    Position::by_pixel,
                                    x.whole,
                                    part.begin > 0},
                                   sino[d]);
    });
    devices_->fence("forward_project: the sinogram is read next");
  });
}

/// Every view owner collects whole cylinders, a batch of pixels at a time: the next one while this one is projected.
void TomographyModel::forward_by_cylinders(ShardedVolume const& x, ShardedSinogram const& sino) const {
  SliceBlocks const& blocks = slices_.blocks();
  int const size = masked_.size();
  devices_->fence("forward_project: the volume is read on the other stream");
  Batch next = batch_at(masked_, 0);
  collect(x, next);
  for (bool more = true; more;) {
    check_interrupt();
    Batch const batch = next;
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).forward_project(exec,
                                   {{0, blocks.num_blocks()},
                                    batch.pixels[d],
                                    Position::by_entry,
                                    exchange().whole(batch.size, batch.turn, d),
                                    batch.begin > 0},
                                   sino[d]);
    });
    if (exchange_plan_.turns() == 1) devices_->fence("forward_project: the batch is replaced next", Stream::compute);
    more = batch.begin + batch.size < size;
    if (more) collect(x, next = batch_at(masked_, batch.begin + batch.size));
    devices_->fence("forward_project: the batch is replaced next", Stream::compute);
  }
}

void TomographyModel::back_project_list(ShardedSinogram const& sino, int power, PixelSet const& pixels,
                                        ShardedVolume const& x, ExchangeForm form) const {
  if (devices_->size() > 1)
    return form == ExchangeForm::bands ? back_by_bands(sino, power, pixels, x)
                                       : back_by_cylinders(sino, power, pixels, x);
  int const num_blocks = slices_.blocks().num_blocks();
  for_each_part(pixels.size(), [&](Range part) {
    devices_->for_each([&](int d, ExecSpace const& exec) {
      projector(d).back_project(exec, nodes_.nodes(d)[0], sino[d], power, {0, num_blocks},
                                part_of(pixels.devices[d], part.begin, part.end), Position::by_pixel, x[d]);
    });
    devices_->fence("back_project: the volume is read next");
  });
}

/// Every view owner sums its views for all slices of a batch of pixels; slice owners add the sums up, where there is
/// memory for it while the next batch is summed.
void TomographyModel::back_by_cylinders(ShardedSinogram const& sino, int power, PixelSet const& pixels,
                                        ShardedVolume const& x) const {
  int const num_blocks = slices_.blocks().num_blocks();
  devices_->fence("back_project: the volume is written on the other stream");
  (void)exchange();  // memory is made here, not by the workers
  std::optional<Batch> last;
  for (int begin = 0; begin < pixels.size(); begin += exchange_plan_.batch()) {
    check_interrupt();
    Batch const batch = batch_at(pixels, begin);
    devices_->for_each([&](int d, ExecSpace const& exec) {
      Cylinders const sums = exchange().partial(batch.size, batch.turn, nodes_.num_nodes(d), d);
      for (int n = 0; n < nodes_.num_nodes(d); ++n)
        projector(d).back_project(exec, nodes_.nodes(d)[n], sino[d], power, {0, num_blocks}, batch.pixels[d],
                                  Position::by_entry, block_range(sums, {n * num_blocks, (n + 1) * num_blocks}));
    });
    if (last) add_up(*last, x);
    devices_->fence("back_project: the sums are complete", Stream::compute);
    if (exchange_plan_.turns() == 1)
      add_up(batch, x);
    else
      last = batch;
  }
  if (last) add_up(*last, x);
}

void TomographyModel::back_project(ShardedSinogram const& sino, ShardedVolume const& x) const {
  clear_outside(x);
  measure(back_trial_, "back projections", [&](ExchangeForm form) { back_project_list(sino, 1, masked_, x, form); });
}

void TomographyModel::hessian_diagonal(ShardedSinogram const& weights, ShardedVolume const& h) const {
  // Other work than that of the other back projections, so it is not measured.
  ExchangeForm const form = back_trial_.measuring() ? ExchangeForm::cylinders : back_trial_.next();
  back_project_list(weights, 2, all_, h, form);
}

}  // namespace strata
